"""Loops over a game's rules: one match or many, actions from outside or from policies.

This file is loaded once per game by `kernels.py`, which binds the ``rules_…`` names below; it is
not imported by itself. Conventions: `options` and single states are structured arrays of length
one (numba refuses bare records in places), `states` has shape (B,), `raw` is its bytes, uint8 of
shape (B, itemsize). Matches are independent, so any range lo..hi may run in any thread.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from loop_envs.bits import row
from loop_envs.deals import decision_key, match_key
from loop_envs.jit import compiled_in
from loop_envs.jit_policies import policies_at

looped = partial(compiled_in, __name__)
looped_inline = partial(compiled_in, __name__, inline=True)

DECK_SIZE = 128
RUNNING = 0
TRUNCATED = 2
MARGIN, POINTS, WIN, PLACE = 0, 1, 2, 3
_STRIDE = np.int64(1 << 32)
_LAST_BOARD = np.int64(0x7FFFFFFFFFFFFFFF)


def new_scratch() -> tuple[Any, ...]:
    """Small arrays that the loops write into: a deck, points, places and rewards."""
    return (
        np.zeros(DECK_SIZE, np.int16),
        np.zeros(8, np.int32),
        np.zeros(8, np.int64),
        np.zeros(8, np.float32),
    )


rules_deal: Any = None
rules_start: Any = None
rules_legal: Any = None
rules_step: Any = None
rules_observe: Any = None
rules_resample: Any = None
rules_places: Any = None


# One match ------------------------------------------------------------------------------------


@looped_inline
def _deal_on(options, state, deck):
    """Makes the deals that are due; a deal can end by itself, so that another one follows."""
    while state.player < 0 and state.status == RUNNING:
        rules_deal(options, state.seed, state.board, state.deals, deck)
        state.deals += 1
        rules_start(options, state, deck)


@looped
def _begin(options, state, seed, board, deck):
    """Starts a match in a zeroed record."""
    state.seed = seed
    state.board = board
    state.player = -1
    _deal_on(options, state, deck)


@looped
def deal_on(options, states, scratch):
    """Makes all deals that are due."""
    _deal_on(options[0], states[0], scratch[0])


@looped
def deal_once(options, states, scratch):
    """Makes one deal that is due."""
    state = states[0]
    rules_deal(options[0], state.seed, state.board, state.deals, scratch[0])
    state.deals += 1
    rules_start(options[0], state, scratch[0])


@looped
def deal_given(options, states, deck):
    """Makes one deal that is due from a deck given by hand."""
    states[0].deals += 1
    rules_start(options[0], states[0], deck)


@looped
def legal(options, tables, states, mask):
    """Writes the mask; all zero when the match is over."""
    rules_legal(options[0], tables, states[0], mask)


@looped
def step(options, tables, states, action):
    """Plays an action that is known to be legal; a deal may be due then."""
    rules_step(options[0], tables, states[0], action)


@looped
def observe(options, tables, states, player, out):
    """Writes one player's observation."""
    rules_observe(options[0], tables, states[0], player, out)


@looped
def resample(options, tables, states, player, key):
    """Replaces what the player cannot know."""
    rules_resample(options[0], tables, states[0], player, key)


@looped
def places(options, states, out):
    """Writes every player's place by the score so far."""
    rules_places(options[0], states[0], out)


@looped_inline
def _points_before(state, before, n):
    """The points from which a step is rewarded: what the first deal cost counts as its first."""
    for p in range(n):
        before[p] = state.points[p] if state.ply > 0 else 0


@looped_inline
def _reward(options, state, before, place, mode, out):
    """Rewards of one step from the points before it; `place` is scratch."""
    n = out.shape[0]
    if mode in (MARGIN, POINTS):
        total = 0
        changed = False
        for p in range(n):
            out[p] = 0.0
            total += state.points[p] - before[p]
            changed |= state.points[p] != before[p]
        if not changed:
            return
        mean = total / n if mode == MARGIN else 0.0
        for p in range(n):
            out[p] = (state.points[p] - before[p]) - mean
        return
    for p in range(n):
        out[p] = 0.0
    if state.status == RUNNING:
        return
    rules_places(options, state, place)
    for p in range(n):
        better = 0
        level = 0
        for q in range(n):
            if place[q] < place[p]:
                better += 1
            elif place[q] == place[p]:
                level += 1
        if mode == PLACE:
            out[p] = 1.0 - (2 * better + level - 1) / (n - 1)
        elif better == 0:
            out[p] = 1.0 / level if level < n else 0.0
        else:
            winners = 0
            for q in range(n):
                if place[q] == 0:
                    winners += 1
            out[p] = -1.0 / (n - winners)


@looped
def act(options, tables, states, action, mode, observation, mask, reward, scratch):
    """Plays a legal action (-1: none) and writes rewards, mask and observation of the player who
    is to move then; returns that player."""
    deck, before, place, _ = scratch
    state = states[0]
    if action >= 0:
        _points_before(state, before, reward.shape[0])
        rules_step(options[0], tables, state, action)
        _deal_on(options[0], state, deck)
        _reward(options[0], state, before, place, mode, reward)
    rules_legal(options[0], tables, state, mask)
    if state.player >= 0:
        rules_observe(options[0], tables, state, state.player, observation)
    return state.player


# Many matches ---------------------------------------------------------------------------------


@looped
def batch_see(options, tables, states, lo, hi, player, observation, mask, board):
    """Writes what states that came from elsewhere show."""
    for i in range(lo, hi):
        state = states[i]
        rules_legal(options[0], tables, state, row(mask, i))
        if state.player >= 0:
            rules_observe(options[0], tables, state, state.player, row(observation, i))
        player[i] = state.player
        board[i] = state.board


@looped
def observe_all(options, tables, states, rows, out):
    """Writes every player's observation of some matches, from the one to move on clockwise.

    `out` is int8 of shape (rows × players, size).
    """
    n = out.shape[0] // rows.shape[0]
    for k in range(rows.shape[0]):
        state = states[rows[k]]
        for i in range(n):
            player = (state.player + i) % n
            rules_observe(options[0], tables, state, player, row(out, k * n + i))


@looped
def first_illegal(mask, actions):
    """Index of the first match whose action its mask forbids, or -1."""
    num_actions = mask.shape[1]
    for i in range(actions.shape[0]):
        a = actions[i]
        if a < 0 or a >= num_actions or mask[i, a] == 0:
            return i
    return -1


@looped_inline
def _batch_one(
    options, tables, states, raw, i, action, seed, mode, player, observation, mask, reward,
    terminated, truncated, board, points, scratch,
):  # fmt: skip
    deck, before, place, _ = scratch
    state = states[i]
    n = reward.shape[1]
    over = False
    if action >= 0:
        _points_before(state, before, n)
        rules_step(options, tables, state, action)
        _deal_on(options, state, deck)
        _reward(options, state, before, place, mode, row(reward, i))
        over = state.status != RUNNING
        terminated[i] = over and state.status != TRUNCATED
        truncated[i] = state.status == TRUNCATED
        for p in range(n):
            points[i, p] = state.points[p]
    if over or action < 0:
        # Same-step autoreset: the flags, rewards and points belong to the match that ended,
        # player, mask, observation and board to the next one.
        following = board[i] if action < 0 else (state.board + _STRIDE) & _LAST_BOARD
        own_seed = seed if action < 0 else state.seed
        variant = state.variant
        while True:
            raw[i, :] = 0
            state.variant = variant
            _begin(options, state, own_seed, following, deck)
            if state.status == RUNNING:
                break
            # A small variant can be over as soon as it is dealt: there is nothing to decide.
            following = (following + _STRIDE) & _LAST_BOARD
    rules_legal(options, tables, state, row(mask, i))
    rules_observe(options, tables, state, state.player, row(observation, i))
    player[i] = state.player
    board[i] = state.board


@looped
def batch_step(
    options, tables, states, raw, lo, hi, actions, seed, mode, player, observation, mask, reward,
    terminated, truncated, board, points, scratch,
):  # fmt: skip
    """Plays one legal action in each of the matches lo..hi; -1 starts the slot's `board`."""
    for i in range(lo, hi):
        _batch_one(
            options[0], tables, states, raw, i, actions[i], seed, mode, player, observation, mask,
            reward, terminated, truncated, board, points, scratch,
        )  # fmt: skip


def batch_run(
    addresses, tables_of, keys, seating, options, tables, states, raw, lo, hi, decisions, mode,
    player, observation, mask, reward, terminated, truncated, board, points, scratch,
):  # fmt: skip
    """Plays `decisions` decisions in each of the matches lo..hi, with policies by player.

    `seating[i, p]` is the index of the policy of player p in match i. Rewards and flags of each
    row add up over the run; `points` are those of the last step.
    """
    policies = policies_at(addresses)
    total = scratch[3]
    for i in range(lo, hi):
        total[:] = 0
        ended = False
        cut = False
        match = match_key(states[i].seed, states[i].board)
        for _ in range(decisions):
            state = states[i]
            k = seating[i, state.player]
            key = decision_key(match, keys[k], state.ply)
            action = policies[k](row(tables_of, k), row(observation, i), row(mask, i), key)
            _batch_one(
                options[0], tables, states, raw, i, action, np.uint64(0), mode, player,
                observation, mask, reward, terminated, truncated, board, points, scratch,
            )  # fmt: skip
            for p in range(reward.shape[1]):
                total[p] += reward[i, p]
            if terminated[i] or truncated[i]:
                ended |= terminated[i]
                cut |= truncated[i]
                match = match_key(states[i].seed, states[i].board)
        for p in range(reward.shape[1]):
            reward[i, p] = total[p]
        terminated[i] = ended
        truncated[i] = cut


def play(
    addresses, tables_of, keys, seating, options, tables, states, raw, seed, boards, lo, hi,
    observation, mask, points, places_of, plies, scratch,
):  # fmt: skip
    """Plays whole matches lo..hi, each on its board, with policies by player.

    `states` and `raw` have one record, `observation` and `mask` are one row of scratch; written
    are points int32[M, n], places int8[M, n] and the number of decisions int32[M].
    """
    policies = policies_at(addresses)
    deck, _, ranks, _ = scratch
    for i in range(lo, hi):
        state = states[0]
        variant = state.variant
        raw[0, :] = 0
        state.variant = variant
        _begin(options[0], state, seed, boards[i], deck)
        match = match_key(state.seed, state.board)
        while state.status == RUNNING:
            rules_legal(options[0], tables, state, mask)
            rules_observe(options[0], tables, state, state.player, observation)
            k = seating[i, state.player]
            key = decision_key(match, keys[k], state.ply)
            action = policies[k](row(tables_of, k), observation, mask, key)
            rules_step(options[0], tables, state, action)
            _deal_on(options[0], state, deck)
        rules_places(options[0], state, ranks)
        for p in range(points.shape[1]):
            points[i, p] = state.points[p]
            places_of[i, p] = ranks[p]
        plies[i] = state.ply


def play_rounds(
    addresses, tables_of, keys, seating, options, tables, states, raw, seed, boards, lo, hi,
    observation, mask, counter, kept, match_of, scratch,
):  # fmt: skip
    """Plays whole matches from lo on and keeps the state at the end of every round.

    A round has ended when the match has, or when the byte `counter` of the state has changed, the
    lowest one of the number of rounds done; the next deal has not been made yet. Arguments are
    those of `play`, but for `kept` uint8[K, itemsize] and `match_of` int64[K], the match of each
    kept state. Stops where a match does not fit any more; returns the match to go on with and the
    number of rows written.
    """
    policies = policies_at(addresses)
    deck = scratch[0]
    rows = 0
    for i in range(lo, hi):
        first = rows
        state = states[0]
        variant = state.variant
        raw[0, :] = 0
        state.variant = variant
        state.seed = seed
        state.board = boards[i]
        state.player = -1
        match = match_key(state.seed, state.board)
        done = raw[0, counter]
        while state.status == RUNNING:
            if state.player < 0:
                rules_deal(options[0], state.seed, state.board, state.deals, deck)
                state.deals += 1
                rules_start(options[0], state, deck)  # a round can be over as soon as it is dealt
            else:
                rules_legal(options[0], tables, state, mask)
                rules_observe(options[0], tables, state, state.player, observation)
                k = seating[i, state.player]
                key = decision_key(match, keys[k], state.ply)
                action = policies[k](row(tables_of, k), observation, mask, key)
                rules_step(options[0], tables, state, action)
            if raw[0, counter] != done or state.status != RUNNING:
                done = raw[0, counter]
                if rows == kept.shape[0]:
                    return i, first
                for at in range(raw.shape[1]):
                    kept[rows, at] = raw[0, at]
                match_of[rows] = i
                rows += 1
    return hi, rows


def play_until(
    addresses, tables_of, keys, seating, options, tables, states, stops, viewer, mode,
    observation, mask, reward, total, scratch,
):  # fmt: skip
    """Plays one match on with policies until a player of the bit set `stops` is to move.

    Adds the rewards of these steps to `total`, float32[n]. The last mask is that of the player
    to move (all zero when the match is over), the last observation that of player `viewer`.
    """
    policies = policies_at(addresses)
    deck, before, place, _ = scratch
    state = states[0]
    match = match_key(state.seed, state.board)
    rules_legal(options[0], tables, state, mask)
    while state.status == RUNNING and not stops >> state.player & 1:
        rules_observe(options[0], tables, state, state.player, observation)
        k = seating[state.player]
        key = decision_key(match, keys[k], state.ply)
        action = policies[k](row(tables_of, k), observation, mask, key)
        _points_before(state, before, total.shape[0])
        rules_step(options[0], tables, state, action)
        _deal_on(options[0], state, deck)
        _reward(options[0], state, before, place, mode, reward)
        for p in range(total.shape[0]):
            total[p] += reward[p]
        rules_legal(options[0], tables, state, mask)
    rules_observe(options[0], tables, state, viewer, observation)
