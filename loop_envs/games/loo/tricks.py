"""Which cards of Loo may be played, and what a played card tells about the rest of a hand.

Numbers in comments are those of the game's README. A duty is a set of cards: who holds one of them
must play one of them. So the legal cards are those of the first duty that the hand can meet, and a
card that meets a later duty, or none, tells everybody that the hand has no card of the earlier
ones: they are barred from it.
"""

from __future__ import annotations

import numpy as np

from loop_envs.bits import highest_bit, ones
from loop_envs.games.loo.actions import ACE_RULE, HOYLE, NO_RULE, PEEL
from loop_envs.games.loo.state import EMPTY, ONE_BIT, above
from loop_envs.jit import compiled, inlined


@compiled
def following_duties(options, state):
    """The duties of who follows, the first first (rule 19)."""
    pam, trumps, led, best = state.pam, state.trumps, state.led, state.best
    if options.pam_free or state.civil:  # Pam has no duty
        trumps &= ~pam
        led &= ~pam
        pam = EMPTY
    # Nothing beats Pam; Pam beats everything, whatever its place in a suit (rule 21).
    better_trumps = EMPTY if best == state.pam else trumps & above(trumps, best) | pam
    if led == trumps:
        return better_trumps, trumps, EMPTY, EMPTY
    if best & state.trumps:  # trumped already: nothing of the suit led can beat it
        return led, better_trumps, trumps if options.undertrump else EMPTY, EMPTY
    return above(led, best), led, trumps, EMPTY


@compiled
def first_met(hand, duties):
    """The cards of a hand that meet the first duty it can meet; any card where there is none."""
    for duty in duties:
        if hand & duty:
            return hand & duty
    return hand


@compiled
def following_cards(options, state, hand):
    """The cards of a hand that may follow."""
    duties = following_duties(options, state)
    if not (options.pam_free or state.civil):
        return first_met(hand, duties)
    pam = hand & state.pam
    others = hand ^ pam
    if not others:
        return hand  # barred or not, the last card is played
    cards = first_met(others, duties)
    if not state.civil:
        return cards | pam  # pam_free: on any trick
    if pam and options.civil_exception and not others & state.trumps:
        # Pam is the only trump: it must follow, with pam_free it may.
        return cards | pam if options.pam_free else pam
    return cards


@compiled
def learn_from_follower(options, state, player, bit):
    """Bars the cards that the player would have had to follow with instead."""
    barred = EMPTY
    if bit == state.pam and (options.pam_free or state.civil):
        # It may have been the last card, which tells nothing new, or civil_exception's only trump.
        if state.civil and options.civil_exception:
            barred = state.trumps
    else:
        for duty in following_duties(options, state):
            if bit & duty:
                break
            barred |= duty
        excepted = state.civil and options.civil_exception and not options.pam_free
        if excepted and not bit & state.trumps:
            barred |= state.pam
    state.barred[player] |= barred


@inlined
def beats(state, bit):
    """Whether a card beats the best of the trick so far (rules 20, 21)."""
    if bit == state.pam or state.best == state.pam:
        return bit == state.pam
    if bit & state.trumps:
        return not state.best & state.trumps or bit > state.best
    return not state.best & state.trumps and bit & state.led != EMPTY and bit > state.best


# Leading ----------------------------------------------------------------------------------------


@inlined
def bars_pam(state, bit):
    """Whether a led card is the trump ace while Pam is in play (rule 22); no king is."""
    ace = bit == state.honour and state.turn_up != bit << ONE_BIT
    return bit != EMPTY and ace and state.pam != EMPTY


@inlined
def played_cards(options, state):
    """All cards that were played."""
    cards = EMPTY
    for p in range(options.players):
        cards |= state.played[p]
    return cards


@inlined
def lead_is_free(options, state, trick):
    """Whether the lead to a trick is free: no trumps yet, or a rule for the first trick only."""
    rule = options.lead_rule
    return rule == NO_RULE or (rule == ACE_RULE and trick > 0) or state.trumps == EMPTY


@compiled
def leading_cards(options, state, hand, trick, gone):
    """The cards of a hand that may be led (rule 18).

    Args:
        options: The options.
        state: Gives trumps and who is in.
        hand: The leader's hand.
        trick: Number of the trick, from 0.
        gone: Cards played in earlier tricks.
    """
    if lead_is_free(options, state, trick):
        return hand
    pam = hand & state.pam if options.pam_free else EMPTY  # may be led too, and is no duty
    trumps = hand & state.trumps & ~pam
    honours = trumps & (state.honour | state.pam)
    if honours:
        return honours | pam
    number = ones(trumps)
    if options.lead_rule == HOYLE:
        # A trump from two on; after a trick is won, and so on every later lead, from one on.
        if number >= 2 and ones(np.uint64(state.active)) == 2:
            return highest_in_sequence(trumps, gone | state.turn_up | state.pam) | pam
        if number >= 2 or (number == 1 and trick > 0):
            return trumps | pam
    elif options.lead_rule == PEEL and (number >= 2 or (number == 1 and trick == 1)):
        # The highest from two on; to the second trick even if it is the only one.
        return ONE_BIT << np.uint64(highest_bit(trumps)) | pam
    return hand


@compiled
def highest_in_sequence(trumps, gone):
    """The highest trump, and the lower ones that are as good: no card between them is to come."""
    bit = ONE_BIT << np.uint64(highest_bit(trumps))
    cards = bit
    # The walk ends at the lowest trump: below it there is none to reach.
    while trumps & (bit - ONE_BIT):
        bit >>= ONE_BIT
        if bit & trumps:
            cards |= bit
        elif not bit & gone:
            break
    return cards


@compiled
def learn_from_leader(options, state, player, bit):
    """Bars the cards that the player would have had to lead instead.

    That the rest of the hand has one trump at most is remembered until it is played. What a lead
    out of a sequence tells depends on several cards at once: nobody is barred (see `resample`).
    """
    trick = np.int64(state.trick)
    if lead_is_free(options, state, trick):
        return
    trumps, pam = state.trumps, state.pam
    if options.pam_free:
        if bit == pam:
            return
        trumps &= ~pam
        pam = EMPTY
    honours = state.honour | pam
    if bit & honours:
        return
    state.barred[player] |= honours
    if options.lead_rule == ACE_RULE:
        return
    if bit & trumps:
        if options.lead_rule == PEEL:
            state.barred[player] |= trumps & above(trumps, bit)
    elif trick == 1 or (options.lead_rule == HOYLE and trick > 0):
        state.barred[player] |= trumps
    else:
        state.few_trumps |= np.uint8(1 << player)
