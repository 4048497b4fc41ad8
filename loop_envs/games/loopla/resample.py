"""A uniformly random alternative to a LOOPLA! match that one player cannot tell from it."""

from __future__ import annotations

import numpy as np

from loop_envs.assignments import assign, count_ways
from loop_envs.deals import mix
from loop_envs.games.loopla.options import MAX_COPIES
from loop_envs.games.loopla.state import PLAYING, add_card, legal_values
from loop_envs.jit import ONE, ZERO, allocating, compiled


@allocating
def resample(options, tables, state, player, key):
    """Deals the cards that the player has not seen anew to the other hands and the rest.

    What is known of them, and what `observe` shows, is their number, that a fallen player held
    nothing legal, and that the player to play holds something legal. The first two are met by
    counting; for the last the deal is drawn again where it fails, which costs little: where the
    fallen hands leave a legal card, as they mostly do, it is one of fewer than 52 of which the
    player to play gets a random part, so that even a single card is it once in 52 draws.
    """
    n, cards = options.players, options.values * options.copies
    value_of = np.zeros(cards, np.int64)
    barred = np.zeros(cards, np.int64)
    box_of = np.zeros(cards, np.int64)
    sizes = np.zeros(n, np.int64)
    me = np.int64(player)
    unseen = _gather(options, state, me, value_of, barred, sizes)
    ways = count_ways(barred, unseen, sizes, n, ZERO)
    counter = np.int64(0)
    while True:
        counter = assign(barred, unseen, sizes, n, ways, -ONE, key, counter, box_of)
        for q in range(n):
            if q != me:
                for k in range(MAX_COPIES):
                    state.left[q, k] = 0
        for i in range(unseen):
            if box_of[i] >= 0:
                add_card(state.left, box_of[i], value_of[i])
        mover = np.int64(state.player)
        if mover < 0 or mover == me or state.phase != PLAYING:
            break
        if legal_values(options, state) & np.int64(state.left[mover, 0]):
            break
    state.seed = mix(key) >> np.uint64(1)


@compiled
def _gather(options, state, me, value_of, barred, sizes):
    """Lists the unseen cards and who cannot hold them, and the sizes of the others' hands.

    Returns:
        The number of unseen cards.
    """
    for q in range(options.players):
        sizes[q] = 0 if q == me else np.int64(state.cards_left[q])
    unseen = np.int64(0)
    for v in range(options.values):
        number = options.copies
        for k in range(MAX_COPIES):
            number -= (state.left[me, k] >> v & 1) + (state.seen[0, k] >> v & 1)
        bars = np.int64(0)
        for q in range(options.players):
            if q != me:
                bars |= (np.int64(state.lacks[q]) >> v & 1) << q
        for _ in range(number):
            value_of[unseen] = v
            barred[unseen] = bars
            unseen += 1
    return unseen
