"""Game trees of the small variants: the independent engines count the same."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from loop_envs import env_ids, load_game
from loop_envs.game import Game
from loop_envs.registry import presets
from loop_envs.testing import TreeSize, count_states
from tests.reference import loo, loop_boards, loop_seats, loopla

SIZES: dict[tuple[str, str], list[tuple[int, int, int]]] = {
    ("loo-v0", "tiny"): [(53, 14, 6), (56, 15, 6), (35, 9, 6)],
    ("loo-v0", "tiny_deals"): [(253, 154, 12), (377, 225, 12), (201, 81, 12)],
    ("loo-v0", "tiny_pam"): [(81, 23, 8), (131, 36, 8), (54, 23, 8)],
    ("loop_boards-v0", "tiny"): [(79, 34, 8), (92, 44, 8), (146, 81, 8)],
    ("loop_boards-v0", "tiny_rounds"): [(880, 1156, 16), (1183, 1936, 16), (3582, 6561, 16)],
    ("loop_seats-v0", "tiny"): [(73, 26, 8), (92, 44, 8), (165, 93, 8)],
    ("loop_seats-v0", "tiny_race"): [(1177, 9176, 24), (4072, 44936, 24), (9774, 407653, 24)],
    ("loop_seats-v0", "tiny_aside"): [(1714, 745, 10), (1933, 1120, 10), (1165, 494, 10)],
    ("loopla-v0", "tiny"): [(802, 1096, 14), (1334, 1400, 14), (136, 168, 11)],
    ("loopla-v0", "tiny_rounds"): [(2147, 2720, 16), (2943, 2100, 16), (1067, 640, 15)],
}
"""States, histories and longest history of boards 0, 1, 2 under seed 0."""
MOST = 2_000
"""Histories that the slow engines play through."""


@pytest.mark.parametrize("env_id", env_ids())
def test_every_game_has_a_small_variant_that_is_counted(env_id: str) -> None:
    assert "tiny" in presets(env_id)
    assert {(env_id, name) for name in presets(env_id)} <= set(SIZES)


@pytest.mark.parametrize(("env_id", "name"), SIZES)
def test_sizes(env_id: str, name: str) -> None:
    game = load_game(env_id, **presets(env_id)[name])
    sizes = [count_states(game, 50_000, 0, board) for board in range(3)]
    assert sizes == [TreeSize(*numbers) for numbers in SIZES[env_id, name]]


def _play_through(match: Any, legal: Callable[[Any], list[str]], move: str) -> tuple[int, int]:
    """Histories and the longest of them, of an independent engine."""
    moves = legal(match)
    if not moves:
        return 1, 0
    histories, longest = 0, 0
    for text in moves:
        other = copy.deepcopy(match)
        getattr(other, move)(text)
        more, long = _play_through(other, legal, move)
        histories, longest = histories + more, max(longest, long + 1)
    return histories, longest


def _independent(game: Game, board: int) -> tuple[int, int]:
    state = game.undealt(0, board)
    game.deal(state)
    deal = game.rules.deal_event(game, state)
    if game.rules.name == "loop_boards":
        boards = loop_boards.start_from_deal(game.options, {"deal": deal})
        return _play_through(boards, loop_boards.legal_moves, "play")
    if game.rules.name == "loop_seats":
        seats = loop_seats.start_from_deal(game.options, {"deal": deal})
        return _play_through(seats, lambda m: [] if m.end else m.legal_moves(), "move")
    if game.rules.name == "loo":
        dealt = loo.Match(loo.resolve(game.options))
        loo.check_event(dealt, {"deal": deal}, 0)
        return _play_through(
            dealt, lambda m: [] if m.phase in ("deal", "over") else loo.legal_moves(m), "move"
        )
    match = loopla.Match(loopla.resolve(game.options))
    match.start_round(deal["hands"], deal["top"], deal["first"], deal.get("instruction"))
    return _play_through(
        match, lambda m: [] if m.phase in ("deal", "over") else loopla.legal_moves(m), "play"
    )


@pytest.mark.parametrize(("env_id", "name"), SIZES)
def test_the_independent_engines_count_the_same(env_id: str, name: str) -> None:
    game = load_game(env_id, **presets(env_id)[name])
    for board, (_, histories, longest) in enumerate(SIZES[env_id, name]):
        several_deals = game.options.get("num_deals", game.options.get("rounds", 1)) > 1
        several_deals &= env_id in ("loo-v0", "loopla-v0")
        if histories <= MOST and not several_deals:
            assert _independent(game, board) == (histories, longest)


def test_the_limit_is_kept() -> None:
    game = load_game("loop_boards-v0", **presets("loop_boards-v0")["tiny"])
    assert count_states(game, 79).states == 79
    with pytest.raises(ValueError, match="more than 78 states"):
        count_states(game, 78)
