"""The rules of LOOPLA!, compiled. Numbers in comments are those of the game's README."""

from __future__ import annotations

import numpy as np

from loop_envs.bits import ones
from loop_envs.cards import write_bits
from loop_envs.deals import combine, deal_key, draw, shuffle
from loop_envs.games.loopla.actions import KIND, PLAY, REBEL, TAKE, VALUE
from loop_envs.games.loopla.actions import UP as UP_ACTION
from loop_envs.games.loopla.observation import observe
from loop_envs.games.loopla.options import MAX_COPIES
from loop_envs.games.loopla.resample import resample
from loop_envs.games.loopla.state import (
    DOUBLED,
    DOWN,
    FREE,
    INSTRUCTING,
    OPEN,
    OPENING,
    PICKING_UP,
    PLAYING,
    SOVEREIGN,
    UP,
    add_card,
    legal_values,
    remove_card,
)
from loop_envs.games.loopla.turns import begin_turn, end_round, end_turn
from loop_envs.jit import ONE, ZERO, compiled

__all__ = ["deal", "legal", "observe", "places", "resample", "start", "step"]

WHOOP_BONUS, EMPTY_HAND_BONUS = 15, 5
RANDOM, STARTER = 1, 2  # FIRST_INSTRUCTIONS


@compiled
def deal(options, seed, board, index, deck):
    """Shuffles the deck (rule 3); behind the cards lie the first player of a match (rule 5) and
    the first instruction (rule 6)."""
    cards = options.values * options.copies
    key = deal_key(seed, board, index)
    shuffle(key, deck, cards)
    # Draws 1..cards-1 made the shuffle; draw 0 is free.
    deck[cards] = draw(key, ZERO, options.players)
    deck[cards + 1] = UP + draw(combine(key, ONE), ZERO, ONE + ONE)


@compiled
def start(options, state, deck):
    """Deals a round: the hands, `hand_size` cards to each player in turn, then the start card."""
    cards = options.values * options.copies
    n = options.players
    for k in range(MAX_COPIES):
        state.seen[0, k] = 0
    at = 0
    for p in range(n):
        state.collection[p] = 0
        state.lacks[p] = 0
        state.gained[p] = 0
        state.bonus[p] = 0
        state.cards_left[p] = options.hand_size
        for k in range(MAX_COPIES):
            state.left[p, k] = 0
        for _ in range(options.hand_size):
            add_card(state.left, p, deck[at] % options.values)
            at += 1
    top = deck[at] % options.values
    add_card(state.seen, 0, top)
    state.top = top
    state.covered = -1
    state.giver = -1
    state.again = 0
    state.active = (1 << n) - 1
    state.fallen = 0
    state.busted = 0
    state.direction = 1
    state.starter = deck[cards] if state.deals == 1 else state.next_starter
    state.dealt = deck[cards + 1] if options.first_instruction == RANDOM else FREE
    state.constraint = state.dealt
    asked = options.first_instruction == STARTER
    if options.start_card_power:  # rule 7
        if top == options.values - 1:
            state.constraint = SOVEREIGN
            asked = False
        elif top == REBEL and n >= 3:
            state.direction = -1
    if asked:
        state.phase = OPENING
        state.player = state.starter
    else:
        begin_turn(options, state, np.int64(state.starter))


@compiled
def legal(options, tables, state, mask):
    """Writes the mask of the player to move; all zero when the match is over."""
    mask[:] = 0
    if state.player < 0:
        return
    if state.phase == PLAYING:
        held = np.int64(state.left[state.player, 0])
        write_bits(mask, ZERO, np.uint64(legal_values(options, state) & held))
    else:
        # Take and leave, or up and down: always both (rules 17, 19).
        at = options.values + (0 if state.phase == PICKING_UP else 2)
        mask[at] = 1
        mask[at + 1] = 1


# Playing --------------------------------------------------------------------------------------


@compiled
def step(options, tables, state, action):
    """Plays a legal action."""
    kind = tables[action, KIND]
    state.ply += 1
    if kind == PLAY:
        _play(options, state, np.int64(tables[action, VALUE]))
    elif state.phase == PICKING_UP:
        _pick_up(options, state, kind == TAKE)
    else:
        state.constraint = UP if kind == UP_ACTION else DOWN
        state.giver = state.player
        if state.phase == OPENING:
            begin_turn(options, state, np.int64(state.player))
        else:
            end_turn(options, state)


@compiled
def _play(options, state, value):
    """The card and its power (rules 8-16)."""
    p = np.int64(state.player)
    remove_card(state.left, p, value)
    add_card(state.seen, 0, value)
    state.cards_left[p] -= 1
    state.covered = state.top
    state.top = value
    if value == options.values - 1:
        state.constraint = SOVEREIGN  # also where it is a double
    elif value == state.covered and (value != options.joker or options.joker_doubles):
        state.constraint = DOUBLED
    else:
        state.constraint = OPEN
    state.giver = p if state.constraint != OPEN else -1
    if value == REBEL:  # rule 15
        if ones(np.uint64(state.active)) >= 3:
            state.direction = -state.direction
        else:
            state.again = options.again
    state.phase = PICKING_UP
    if state.cards_left[p] == 0:
        state.bonus[p] = EMPTY_HAND_BONUS
        if not options.last_card_pickup:
            end_round(options, state)


@compiled
def _pick_up(options, state, take):
    """The covered card, and the ends of the round that follow (rules 17, 22, 23)."""
    p = np.int64(state.player)
    bit = np.uint16(1 << np.int64(state.covered))
    if take:
        if state.collection[p] & bit:
            state.collection[p] = 0
            state.busted |= np.uint8(1 << p)
        else:
            state.collection[p] |= bit
            if ones(np.uint64(state.collection[p])) == options.whoop_size:
                if options.larger_bonus:
                    state.bonus[p] = 0  # rule 25
                state.bonus[p] += WHOOP_BONUS
                end_round(options, state)
                return
    state.covered = -1
    if state.cards_left[p] == 0:
        end_round(options, state)
    elif state.constraint == OPEN:
        state.phase = INSTRUCTING
    else:
        end_turn(options, state)


@compiled
def places(options, state, out):
    """Places by points; equal points share a place (rule 29)."""
    for p in range(options.players):
        out[p] = 0
        for q in range(options.players):
            if state.points[q] > state.points[p]:
                out[p] += 1
