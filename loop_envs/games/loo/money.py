"""Chips in Loo: antes, shares, loos, flushes, and the end of a match.

Numbers in comments are those of the game's README.
"""

from __future__ import annotations

import numpy as np

from loop_envs.bits import ones
from loop_envs.games.loo.actions import CAPPED, UNLIMITED
from loop_envs.games.loo.state import (
    DEALS_APART,
    DECLARING,
    DEFENDS,
    EMPTY,
    SUIT_BITS,
)
from loop_envs.jit import ONE, compiled, inlined

RUNNING, TERMINATED, TRUNCATED = 0, 1, 2  # as in loop_envs.game
MOST_AT_STAKE = 100_000_000
"""A carry, or chips or debts of a player, beyond this end the match (rule 30): one more deal could
pass 32 bits."""


@inlined
def seat_after(options, player, k):
    """The player k places clockwise from another; k is 0 to the number of players."""
    player += k
    return player - options.players if player >= options.players else player


@compiled
def pay_antes(options, state):
    """Everybody who owes one pays the ante; the pool is frozen then (rules 4-6)."""
    state.single = state.carry == 0
    paid = np.int64(0)
    for p in range(options.players):
        due = options.dealer_ante if p == state.dealer else options.other_ante
        state.chips[p] -= due
        paid += due
    state.pool = state.carry + paid
    show_points(options, state)


@inlined
def show_points(options, state):
    """Points are the chips won or lost since the match began (rule 29)."""
    for p in range(options.players):
        state.points[p] = state.chips[p] - options.stack


@compiled
def pay_loo(options, state, player):
    """A looed player pays, as far as there are chips (rules 27, 28).

    Returns:
        What was paid.
    """
    due = np.int64(state.pool)
    if options.loo != UNLIMITED:
        due = min(due, options.loo_amount) if options.loo == CAPPED else options.loo_amount
    held = np.int64(state.chips[player])
    if due > held and not options.allow_debt:
        due = held
        state.short = 1
    state.chips[player] -= due
    state.looed |= np.uint8(1 << player)
    return due


@compiled
def settle_tricks(options, state):
    """Shares for tricks (rule 26), loos for who has none (rule 27)."""
    size = options.hand_size
    share = np.int64(state.pool) // size
    odd = np.int64(state.pool) - share * size
    carry = odd if options.odd_stays else np.int64(0)
    for t in range(size):
        winner = np.int64(state.leader[t + 1])
        amount = share + 1 if t < odd and not options.odd_stays else share
        if state.declared[winner] == DEFENDS:
            carry += amount
        else:
            state.chips[winner] += amount
    for p in range(options.players):
        # Not a defending dealer, nor with `pam_free` who had Pam (rules 15, 21).
        spared = options.pam_free and state.played[p] & state.pam != EMPTY
        loses = state.active >> p & 1 and state.tricks_won[p] == 0 and not spared
        if loses and state.declared[p] != DEFENDS:
            carry += pay_loo(options, state, p)
    state.carry = carry


# Flushes ----------------------------------------------------------------------------------------


@compiled
def flush_value(options, state, hand):
    """How good a flush a hand is (rules 23, 25); 0: none."""
    with_pam = hand & state.pam != EMPTY
    for suit in range(4):
        cards = hand & SUIT_BITS << np.uint64(16 * suit)
        # Pam is a card of its own suit, or the one that completes any other.
        wild = with_pam and options.pam_wild and cards == hand & ~state.pam
        if cards != EMPTY and (cards == hand or wild):
            # Pam alone stands for any suit, and so for trumps.
            trump = suit == state.trump or (options.pam_wild and hand == state.pam)
            if options.peel_flushes:
                return 1 + 2 * np.int64(trump) + np.int64(with_pam)
            # Cards of one suit as a number: the higher, the better the first that differs.
            ranks = np.int64(cards >> np.uint64(16 * suit))
            return ranks + (np.int64(trump) << 16) + (np.int64(with_pam) << 17)
    return np.int64(0)


@compiled
def settle_flush(options, state):
    """If somebody who is in has a flush, the best takes the pool (rule 24).

    Returns:
        Whether there was one.
    """
    best = np.int64(0)
    holders = np.int64(0)
    winners = np.int64(0)
    for k in range(1, options.players + 1):  # the elder first (rule 25)
        p = seat_after(options, np.int64(state.dealer), k)
        value = np.int64(0)
        if state.active >> p & 1:
            value = flush_value(options, state, state.hands[p])
        if value > 0:
            holders |= 1 << p
        if value > best:
            best = value
            winners = 1 << p
        elif value > 0 and value == best and options.split_flushes and not options.peel_flushes:
            winners |= 1 << p
    if best == 0:
        return False
    paid = np.int64(0)
    for p in range(options.players):
        if holders >> p & 1:
            continue
        if state.active >> p & 1:
            with_pam = state.hands[p] & state.pam != EMPTY
            exempt = with_pam and (options.pam_exempts or options.pam_free)
        else:
            exempt = not options.flush_loos_passers
        if not exempt:
            paid += pay_loo(options, state, p)
    straight = paid if options.flush_loos_passers else np.int64(0)
    state.carry = paid - straight
    state.flushed = winners
    share_out(options, state, state.pool + straight, winners)
    return True


@compiled
def share_out(options, state, prize, winners):
    """Divides chips equally among some players, the odd ones one each from the eldest on."""
    number = ones(np.uint64(winners))
    share = prize // number
    odd = prize - share * number
    for k in range(1, options.players + 1):
        p = seat_after(options, np.int64(state.dealer), k)
        if winners >> p & 1:
            state.chips[p] += share + 1 if odd > 0 else share
            odd -= 1


# The end of a deal ------------------------------------------------------------------------------


@compiled
def end_deal(options, state):
    """All is paid: the next deal is due, unless the match is over (rules 3, 28, 30)."""
    state.pool = state.carry
    state.deals_done += 1
    state.deals = DEALS_APART * state.deals_done
    state.player = -1
    state.phase = DECLARING
    state.status = status_of(options, state)
    if state.status != 0 and options.split_final:
        share_out(options, state, np.int64(state.carry), (ONE << options.players) - ONE)
        state.pool = 0
    show_points(options, state)


@compiled
def status_of(options, state):
    """Whether the match is over, because all is played or somebody has no chips, or cut off."""
    if state.deals_done == options.num_deals:
        return TERMINATED
    if not options.allow_debt:
        if state.short:
            return TERMINATED
        dealer = seat_after(options, np.int64(state.dealer), ONE)
        for p in range(options.players):
            due = options.dealer_ante if p == dealer else options.other_ante
            if state.chips[p] <= 0 or state.chips[p] < due:
                return TERMINATED
    most = np.int64(state.carry)
    for p in range(options.players):
        most = max(most, abs(np.int64(state.chips[p])))
    return TRUNCATED if most > MOST_AT_STAKE else RUNNING
