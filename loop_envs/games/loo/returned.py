"""Where a player's own discards may lie once they are in a new stock; for `resample`.

They lie in the stock, or in a hand among the cards that it drew from that stock. Of a hand of h
cards, d of them drawn from there, it is not known which; of M own discards in it, played or not,
all are among the d, which leaves C(h - M, d - M) ways to choose the others. Each of these ways is
as likely as any, and so is each way to give the other cards to the places that are left.
"""

from __future__ import annotations

import numpy as np

from loop_envs.assignments import fraction
from loop_envs.bits import highest_bit, ones
from loop_envs.games.loo.state import EMPTY, ONE_BIT
from loop_envs.jit import allocating, compiled


@compiled
def collected_in(state, player):
    """The number of the reshuffle that took what a player gave up; 0: none has yet.

    It was given up after `generation` reshuffles; one in the player's own draw left it out.
    """
    number = np.int64(state.generation[player]) + (2 if state.drawn_after[player] > 0 else 1)
    return number if state.discards[player] != EMPTY and number <= state.reshuffles else 0


@compiled
def drawn_from(state, player, reshuffle):
    """How many cards a player drew from the stock that a reshuffle made."""
    if state.exchanged[player] == 0:
        return np.int64(0)
    later = np.int64(state.drawn_after[player])
    if state.generation[player] + 1 == reshuffle:
        return later
    return state.exchanged[player] - 1 - later if state.generation[player] == reshuffle else 0


@allocating
def returned_chances(options, state, me, returned, sizes, strides, counts, others):
    """Chances of all ways to place the own discards that have not been seen again.

    Args:
        options: The options.
        state: The match.
        me: The player.
        returned: The player's discards in question.
        sizes: By player, cards in hand.
        strides: See `count_ways`, of which all hands that drew from the stock are counted boxes.
        counts: See `count_ways`: ways for all other cards.
        others: Hidden cards that lie neither in counted hands nor in the stock.

    Returns:
        float64 [cards + 1, states]: row i holds the ways to place the cards from the i-th on when
        the counted hands have the room of a state.
    """
    number = ones(returned)
    states = counts.shape[1]
    chances = np.zeros((number + 1, states), np.float64)
    reshuffle = collected_in(state, me)
    stock = np.int64(0)
    if reshuffle == state.reshuffles:
        stock = np.int64(state.stock_size) - state.stock_at
    for s in range(states):
        ways = counts[0, s]
        in_stock = number
        for q in range(options.players):
            if strides[q] > 0 and ways > 0.0:
                taken = sizes[q] - s // strides[q] % (sizes[q] + 1)
                in_stock -= taken
                own = ones(state.played[q] & state.discards[me])
                drawn = drawn_from(state, q, reshuffle) - own
                for k in range(taken):
                    ways *= (drawn - k) / (options.hand_size - own - k) if k < drawn else 0.0
        if in_stock < 0 or in_stock > stock:
            ways = 0.0
        # The other hidden cards are any of those that are left over for the stock and for them.
        for k in range(1, others + 1):
            ways *= stock - in_stock + k
        chances[number, s] = ways
    left = returned
    for i in range(number - 1, -1, -1):
        bit = ONE_BIT << np.uint64(highest_bit(left))
        left ^= bit
        for s in range(states):
            ways = chances[i + 1, s] if stock > 0 else 0.0
            for q in range(options.players):
                if may_return(state, sizes, strides, bit, s, q):
                    ways += chances[i + 1, s - strides[q]]
            chances[i, s] = ways
    return chances


@compiled
def may_return(state, sizes, strides, bit, s, player):
    """Whether a hand has room for a card and is not barred from it."""
    if strides[player] == 0 or state.barred[player] & bit:
        return False
    return s // strides[player] % (sizes[player] + 1) > 0


@compiled
def place_returned(options, state, returned, sizes, strides, chances, key, counter):
    """Puts the own discards into hands at random; what gets into none lies in the stock.

    Returns:
        The state of the hands' rooms then; two draws were used per card.
    """
    s = chances.shape[1] - 1
    i = 0
    while returned:
        bit = returned & ~(returned - ONE_BIT)
        returned ^= bit
        rest = chances[i, s] * fraction(key, counter + 2 * i)
        i += 1
        chosen = -1
        # Rounding may leave a rest behind; the last possible hand stands then.
        for q in range(options.players):
            if rest >= 0.0 and may_return(state, sizes, strides, bit, s, q):
                ways = chances[i, s - strides[q]]
                if ways > 0.0:
                    rest -= ways
                    chosen = q
        if rest >= 0.0 and chances[i, s] > 0.0:
            chosen = -1
        if chosen >= 0:
            state.hands[chosen] |= bit
            s -= strides[chosen]
    return s
