"""Tricks as the players of loo think of them: what beats what, what to play, what to lead."""

from __future__ import annotations

import numpy as np

from agents.heuristics.loo.tables import EMPTY, ONE_BIT, SUIT_BITS
from loop_envs.bits import highest_bit, lowest_bit, ones
from loop_envs.jit import compiled


@compiled
def winners(cards, best, led, trumps, pam):
    """Of some cards those that beat the best of a trick."""
    if best == EMPTY:
        return cards
    if best == pam and pam != EMPTY:
        return EMPTY
    higher = ~(best | best - ONE_BIT)
    if best & trumps:
        return cards & (trumps & higher | pam)
    return cards & (trumps | pam | led & higher)


@compiled
def allowed(hand, best, led, trumps, pam, undertrump):
    """The cards of a hand that may follow: the usual duties, with Pam as the highest trump."""
    following = hand & led
    better = winners(hand, best, led, trumps, pam)
    if following:
        heading = better & led
        if led == trumps:
            heading = better
        return heading if heading else following
    ruffs = hand & trumps
    if not ruffs:
        return hand
    if better:
        return better
    return ruffs if undertrump else hand


@compiled
def lowest(cards):
    """The card of the lowest rank."""
    ranks = cards | cards >> np.uint64(32)
    ranks = (ranks | ranks >> np.uint64(16)) & SUIT_BITS
    column = ONE_BIT << np.uint64(lowest_bit(ranks))
    while not cards & column:
        column <<= np.uint64(16)
    return column


@compiled
def highest(cards):
    """The card of the highest rank."""
    ranks = cards | cards >> np.uint64(32)
    ranks = (ranks | ranks >> np.uint64(16)) & SUIT_BITS
    column = ONE_BIT << np.uint64(highest_bit(ranks))
    while not cards & column:
        column <<= np.uint64(16)
    return column


@compiled
def follow_with(legal, best, led, trumps, pam, last):
    """The card to follow with: the cheapest that wins for good, else the best, else the least."""
    better = winners(legal, best, led, trumps, pam)
    if better:
        plain = better & ~trumps
        if last:
            return lowest(plain) if plain else lowest_trump(better, pam)
        return highest(plain) if plain else lowest_trump(better, pam)
    plain = legal & ~trumps
    return lowest(plain) if plain else lowest_trump(legal, pam)


@compiled
def lowest_trump(cards, pam):
    """The lowest of some trumps; Pam last."""
    others = cards & ~pam
    return lowest(others) if others else cards


@compiled
def lead_with(legal, hand, trumps, pam):
    """The card to lead: the highest trump from two on, else the highest other card."""
    own = legal & trumps
    plain = legal & ~trumps
    if own and (ones(hand & trumps) >= 2 or not plain):
        others = own & ~pam
        return highest(others) if others else own
    return highest(plain)


@compiled
def play_out(hands, order, size, first, trumps, pam, undertrump, won):
    """Plays all tricks of a deal as everybody would; fills in the tricks won.

    Args:
        hands: uint64 by player; used up.
        order: Players who are in, in turn order, int64 [size of the table].
        size: How many of them.
        first: Index in `order` of the first to lead.
        trumps: The trumps, with Pam; empty for none before the first lead.
        pam: Pam, or empty.
        undertrump: See the option.
        won: Added to, int64 by player.
    """
    leader = first
    if trumps == EMPTY:  # Irish: the first suit led is trumps
        hand = hands[order[leader]]
        card = lead_with(hand, hand, trumps, pam)
        trumps = SUIT_BITS << np.uint64(highest_bit(card) >> 4 << 4)
    while hands[order[leader]]:
        leader = play_trick(
            hands, order, size, leader, np.int64(0), EMPTY, EMPTY, EMPTY, leader, trumps, pam,
            undertrump,
        )  # fmt: skip
        won[order[leader]] += 1


@compiled
def play_trick(
    hands, order, size, leader, done, led, best, forced, winner, trumps, pam, undertrump
):
    """Plays a trick to its end; returns the index of its winner.

    Args:
        hands: uint64 by player; the cards played are taken out.
        order: See `play_out`.
        size: See `play_out`.
        leader: Index of its leader.
        done: How many cards lie already.
        led: The cards that follow the lead; empty where none lies.
        best: The best card so far.
        forced: What the next to play plays; empty for their own choice.
        winner: Index of the owner of the best card.
        trumps: See `play_out`.
        pam: See `play_out`.
        undertrump: See `play_out`.
    """
    for k in range(done, size):
        i = leader + k if leader + k < size else leader + k - size
        p = order[i]
        card = forced if k == done else EMPTY
        if k == 0:
            if card == EMPTY:
                card = lead_with(hands[p], hands[p], trumps, pam)
            suit = SUIT_BITS << np.uint64(highest_bit(card) >> 4 << 4)
            led = trumps if card & trumps else suit & ~pam
            best = card
            winner = i
        else:
            if card == EMPTY:
                legal = allowed(hands[p], best, led, trumps, pam, undertrump)
                card = follow_with(legal, best, led, trumps, pam, k == size - 1)
            if winners(card, best, led, trumps, pam):
                best = card
                winner = i
        hands[p] &= ~card
    return winner
