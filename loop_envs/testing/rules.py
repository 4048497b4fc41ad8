"""Checks of a game's rules through the `Game` object."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from loop_envs import records
from loop_envs.errors import IllegalActionError, RecordError
from loop_envs.game import Game, State


@contextmanager
def raises(error: type[Exception]) -> Iterator[None]:
    """Asserts that the block raises this error."""
    try:
        yield
    except error:
        return
    raise AssertionError(f"{error.__name__} was not raised")


def random_states(game: Game, seed: int, matches: int) -> Iterator[tuple[State, int]]:
    """Every state of some random matches, with the action that is played in it (-1 at the end).

    The state is yielded before the action is played and must not be changed.
    """
    for board in range(matches):
        state = game.new_state(seed, board)
        while not game.is_over(state):
            action = records.random_choice(game, state)
            yield state, action
            game.step(state, action)
        yield state, -1


def check_actions(game: Game, seed: int = 0) -> None:
    """Texts name actions one to one, and the groups cover every action once."""
    names = game.action_names
    assert len(names) == game.num_actions == len(set(names)), "action texts must differ"
    state = game.new_state(seed)
    assert all(game.parse_action(state, text) == action for action, text in enumerate(names))
    if game.rules.action_text is not None:  # texts that depend on the state
        for state, _ in random_states(game, seed, 1):
            legal = game.legal_actions(state)
            texts = [game.action_text(state, a) for a in legal]
            assert [game.parse_action(state, text) for text in texts] == legal
    covered = [a for _, lo, size, _ in game.rules.action_groups(game) for a in range(lo, lo + size)]
    assert sorted(covered) == list(range(game.num_actions)), "groups must cover every action once"


def check_masks_and_observations(game: Game, seed: int = 0) -> None:
    """Masks have ones exactly while a match runs; observations keep to the layout's range."""
    low, high = game.layout.low, game.layout.high
    for state, action in random_states(game, seed, 3):
        mask = game.action_mask(state)
        assert mask.shape == (game.num_actions,)
        assert mask.dtype == np.int8
        assert set(np.unique(mask)) <= {0, 1}
        assert mask.any() == (action >= 0), "a mask has ones exactly while the match runs"
        assert (game.current_player(state) >= 0) == (action >= 0)
        for player in range(game.num_players):
            seen = game.observe(state, player)
            assert seen.dtype == np.int8
            wrong = np.flatnonzero((seen < low) | (seen > high))
            assert not len(wrong), f"player {player}: entries {wrong} are out of range"


def check_states(game: Game, seed: int = 0) -> None:
    """Deals are functions of (seed, board); copies are independent; bytes are the whole state."""
    assert game.new_state(seed, 7).tobytes() == game.new_state(seed, 7).tobytes()
    assert game.new_state(seed, 7).tobytes() != game.new_state(seed, 8).tobytes()
    assert game.new_state(seed, 7).tobytes() != game.new_state(seed + 1, 7).tobytes()
    game.new_state(seed, 2**63 - 1)
    for board in range(2):
        state = game.new_state(seed, board)
        while not game.is_over(state):
            copy = state.copy()
            again = np.frombuffer(bytearray(state.tobytes()), state.dtype).copy()
            again = again.view(type(state))
            action = records.random_choice(game, state)
            game.step(state, action)
            assert copy.tobytes() != state.tobytes(), "a step changed nothing, or the copy too"
            game.step(again, action)
            assert again.tobytes() == state.tobytes(), "bytes are not the whole state"
        if "unused" in (state.dtype.names or ()):
            assert not state["unused"].any()


def check_illegal_actions(game: Game, seed: int = 0) -> None:
    """Illegal actions raise and change nothing."""
    state = game.new_state(seed)
    before = state.tobytes()
    illegal = int(np.flatnonzero(game.action_mask(state) == 0)[0])
    for action in (illegal, -1, game.num_actions, 0.5, None, "pass", True):
        with raises(IllegalActionError):
            game.step(state, action)  # type: ignore[arg-type]
        assert state.tobytes() == before
    with raises(IllegalActionError):
        game.parse_action(state, "no such move")
    for last, _ in random_states(game, seed, 1):
        state = last
    with raises(IllegalActionError):
        game.step(state, 0)


def check_resample(game: Game, seed: int = 0) -> None:
    """A resampled state looks the same to the player, differs elsewhere, and can be played on."""
    rng = np.random.default_rng(seed)
    changed = 0
    for state, action in random_states(game, seed, 2):
        if action < 0 or rng.random() > 0.2:
            continue
        for player in range(game.num_players):
            other = game.resample(state, player, rng)
            assert (game.observe(other, player) == game.observe(state, player)).all()
            assert game.current_player(other) == game.current_player(state)
            assert (game.points(other) == game.points(state)).all()
            assert other["seed"] != state["seed"], "future deals must be drawn anew"
            mask = game.action_mask(other)
            assert mask.any(), "a resampled match must be playable"
            if player == game.current_player(state):
                assert (mask == game.action_mask(state)).all()
            opponent = (player + 1) % game.num_players
            changed += int((game.observe(other, opponent) != game.observe(state, opponent)).any())
        for _ in range(100):
            if game.is_over(other):
                break
            game.step(other, records.random_choice(game, other))
    assert changed, "resampling never changed what an opponent holds"


def check_records(game: Game, seed: int = 0) -> None:
    """Records survive JSON, replay to the same end, and need no seed; damage is refused."""
    record = records.record_match(game, seed, 3, legal=True)
    read = records.loads(records.dumps(record))
    assert read == json.loads(json.dumps(record)) == record
    final = records.replay(read)
    assert [int(p) for p in game.points(final)] == record["scores"]
    by_hand = {key: value for key, value in record.items() if key not in ("seed", "board")}
    assert (game.points(records.replay(by_hand)) == game.points(final)).all()
    rng = np.random.default_rng(seed)
    for _ in range(20):
        cut = dict(read, events=read["events"][: rng.integers(len(read["events"]))])
        with raises(RecordError):
            records.replay(cut)
