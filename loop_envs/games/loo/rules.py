"""The rules of Loo, compiled. Numbers in comments are those of the game's README."""

from __future__ import annotations

import numpy as np

from loop_envs.bits import ones
from loop_envs.cards import write_bits
from loop_envs.games.loo.actions import (
    AUTO,
    BIT,
    CARD,
    CIVIL,
    DRAW,
    KIND,
    PLAY,
    SUBSET,
)
from loop_envs.games.loo.dealing import deal, start
from loop_envs.games.loo.declare import (
    declare,
    exchange,
    go_on,
    may_declare,
)
from loop_envs.games.loo.money import end_deal, settle_tricks
from loop_envs.games.loo.observation import observe
from loop_envs.games.loo.resample import resample
from loop_envs.games.loo.state import (
    DECLARING,
    DRAWING,
    EMPTY,
    ONE_BIT,
    next_active,
    set_trump,
    suit_of,
)
from loop_envs.games.loo.tricks import (
    bars_pam,
    beats,
    following_cards,
    leading_cards,
    learn_from_follower,
    learn_from_leader,
    played_cards,
)
from loop_envs.jit import compiled

__all__ = ["deal", "legal", "observe", "places", "resample", "start", "step"]


# Moves ------------------------------------------------------------------------------------------


@compiled
def legal(options, tables, state, mask):
    """Writes the mask of the player to move; all zero when the match is over."""
    mask[:] = 0
    if state.player < 0:
        return
    if state.phase == DECLARING:
        # `in` always; the numbers of pass, in, miss and defend follow one another.
        bits = may_declare(options, state)
        mask[options.first_pass] = bits & 1
        mask[options.first_pass + 1] = 1
        if options.has_miss:
            mask[options.first_miss] = bits >> 1 & 1
            mask[options.first_miss + 1] = bits >> 2
    elif state.phase == DRAWING:
        most = np.int64(state.stock_size) - state.stock_at
        if not options.limit_draw:
            most += ones(state.waste)  # a new stock could be made (rule 13)
        for subset in range(1 << options.hand_size):
            mask[options.first_draw + subset] = ones(np.uint64(subset)) <= most
    else:
        cards = legal_cards(options, state)
        for suit in range(4):  # ascending: each writes 16 bytes, as far as there are so many
            write_bits(mask, suit * options.ranks, cards >> np.uint64(16 * suit))
        # The trump ace may be led with or without barring Pam (rule 22).
        leads = options.first_civil >= 0 and state.table == EMPTY
        if leads and bars_pam(state, cards & state.honour):
            mask[options.first_civil + state.trump] = 1


@compiled
def legal_cards(options, state):
    """The cards that the player to move may play."""
    hand = state.hands[state.player]
    if state.table != EMPTY:
        return following_cards(options, state, hand)
    return leading_cards(options, state, hand, np.int64(state.trick), played_cards(options, state))


@compiled
def step(options, tables, state, action):
    """Plays a legal action."""
    kind = np.int64(tables[action, KIND])
    p = np.int64(state.player)
    state.ply += 1
    state.reshuffled = 0
    civil = kind == CIVIL
    if civil or kind == PLAY:
        bit = ONE_BIT << np.uint64(tables[action, BIT])
        play(options, state, np.int64(tables[action, CARD]), bit, civil)
        over = state.trick == options.hand_size
        if over:
            settle_tricks(options, state)
    elif kind == DRAW:
        done = exchange(options, state, np.int64(tables[action, SUBSET]))
        over = done and go_on(options, state, p)
    else:
        done = declare(options, state, kind)
        over = done and go_on(options, state, p)
    if over:
        end_deal(options, state)


@compiled
def play(options, state, card, bit, civil):
    """Plays a card; the next player, or the next trick."""
    p = np.int64(state.player)
    leads = state.table == EMPTY
    if leads:
        learn_from_leader(options, state, p, bit)
        if state.trumps == EMPTY:  # the first lead of Irish (rule 9)
            set_trump(options, state, card // options.ranks)
        suit = suit_of(options, card // options.ranks)
        state.led = state.trumps if bit & state.trumps else suit & ~state.trumps
        state.civil = civil or (options.civil == AUTO and bars_pam(state, bit))
    else:
        learn_from_follower(options, state, p, bit)
    spared = state.pam if options.pam_free else EMPTY
    if state.few_trumps >> p & 1 and bit & state.trumps & ~spared:
        state.barred[p] |= state.trumps & ~spared  # it was the only one
    if leads or beats(state, bit):
        state.best = bit
        state.winning = p
    state.hands[p] &= ~bit
    state.played[p] |= bit
    state.table |= bit
    state.card_at[p, state.trick] = card
    following = next_active(options, state, p)
    if following != state.leader[state.trick]:
        state.player = following
        return
    end_trick(options, state)


@compiled
def end_trick(options, state):
    """The winner leads to the next trick (rules 17, 20)."""
    winner = np.int64(state.winning)
    state.tricks_won[winner] += 1
    state.trick += 1
    state.leader[state.trick] = winner
    state.table = EMPTY
    state.led = EMPTY
    state.best = EMPTY
    state.was_civil |= state.civil
    state.civil = 0
    state.winning = 0
    state.player = winner


@compiled
def places(options, state, out):
    """Places by points; equal points share a place (rule 3)."""
    for p in range(options.players):
        out[p] = 0
        for q in range(options.players):
            if state.points[q] > state.points[p]:
                out[p] += 1
