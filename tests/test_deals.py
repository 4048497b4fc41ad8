"""Deals are uniformly random functions of (seed, board, index), and of nothing else."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from loop_envs import deals, load_game
from loop_envs.envs.batch import Batch
from loop_envs.errors import LoopEnvsError, SeedError

LOW, HIGH = 1e-4, 1 - 1e-4
MOST = 2**63 - 1


def p_value(statistic: float, freedom: int) -> float:
    """Probability of a larger χ². Too even is as suspicious as too uneven."""
    return float(stats.chi2.sf(statistic, freedom))


def uniform_p(counts: npt.NDArray[Any]) -> float:
    """p of the hypothesis that all cells are equally likely and the draws independent."""
    expected = counts.sum() / counts.size
    assert expected >= 5, "too few samples for this test"
    return p_value(float(((counts - expected) ** 2).sum() / expected), counts.size - 1)


def key_of(seed: int, board: int) -> np.uint64:
    """The key of a board's first deal."""
    return np.uint64(deals.deal_key(seed, board, 0))


def decks(
    number: int, size: int, seed: int = 0, first: int = 0, stride: int = 1
) -> npt.NDArray[Any]:
    """Decks of consecutive boards, int16 [number, size]."""
    out = np.zeros((number, size), np.int16)
    for i in range(number):
        deals.shuffle(key_of(seed, first + i * stride), out[i], size)
    return out


def hands_of(num_players: int, number: int, seed: int, first: int = 0) -> npt.NDArray[Any]:
    """Which board (hand) holds each card, int64 [number, cards], from the game's own states."""
    game = load_game("loop_boards-v0", num_players=num_players)
    batch = Batch(game, number)
    batch.reset(seed, np.arange(first, first + number))
    hands = batch.get_states()["hands"][:, :num_players, :num_players]
    held = hands[..., None] >> np.arange(13) & 1
    assert (held.sum(axis=1) == 1).all(), "every card lies in exactly one hand"
    assert (held.sum(axis=(2, 3)) == 13).all(), "every hand has 13 cards"
    holders: npt.NDArray[np.int64] = held.argmax(axis=1).reshape(number, -1)
    return holders


# The bits ---------------------------------------------------------------------------------------


def test_mix_is_splitmix64() -> None:
    # The first outputs of the reference implementation for the seed 0.
    golden = 0x9E3779B97F4A7C15
    expected = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC]
    keys = [np.uint64((i * golden) % 2**64) for i in range(1, 5)]
    assert [int(deals.mix(key)) for key in keys] == expected


@pytest.mark.parametrize("bound", [1, 2, 3, 4, 5, 6, 7, 13, 52, 65, 78, 90, 255, 256, 1000])
def test_draw_is_unbiased(bound: int) -> None:
    number = max(20_000, 50 * bound)
    drawn = [deals.draw(np.uint64(7), i, bound) for i in range(number)]
    counts = np.bincount(drawn, minlength=bound)
    assert len(counts) == bound
    if bound > 1:
        assert LOW < uniform_p(counts) < HIGH


@pytest.mark.parametrize("bound", [3 * 2**29, 2**31 - 1, 2**31, 5 * 2**28, 2**30 + 1])
def test_draw_is_unbiased_for_large_bounds(bound: int) -> None:
    # floor(x * bound / 2^32) without rejection favours some residues: 3:3:2 for bound 3 * 2^29.
    drawn = np.array([deals.draw(np.uint64(11), i, bound) for i in range(40_000)])
    assert drawn.min() >= 0
    assert drawn.max() < bound
    for residues in (3, 5, 7, 8):
        if bound > 1000 * residues:
            assert LOW < uniform_p(np.bincount(drawn % residues, minlength=residues)) < HIGH
    assert LOW < uniform_p(np.bincount(drawn * 64 // bound, minlength=64)) < HIGH


def test_draws_of_one_stream_are_independent() -> None:
    key = np.uint64(deals.deal_key(5, 6, 7))
    drawn = np.array([deals.draw(key, i, 16) for i in range(50_000)])
    for lag in (1, 2, 3, 32):
        pairs = drawn[:-lag] * 16 + drawn[lag:]
        assert LOW < uniform_p(np.bincount(pairs, minlength=256)) < HIGH


@pytest.mark.parametrize("step", [1, 2**32, 2**40 + 1])
def test_neighbouring_keys_are_independent(step: int) -> None:
    first = np.array([deals.draw(key_of(3, b * step), 1, 16) for b in range(50_000)])
    pairs = first[:-1] * 16 + first[1:]
    assert LOW < uniform_p(np.bincount(pairs, minlength=256)) < HIGH


def test_keys_do_not_collide() -> None:
    keys = {int(deals.deal_key(s, b, i)) for s in range(40) for b in range(40) for i in range(40)}
    assert len(keys) == 40**3
    matches = {int(deals.match_key(s, b)) for s in range(100) for b in range(100)}
    assert len(matches) == 10_000
    assert not matches & keys, "what policies draw must not be what was dealt"


# Shuffles ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "seed", "first", "stride"),
    [
        (52, 0, 0, 1),
        (65, 1, 0, 1),
        (78, 2, 0, 1),
        (90, MOST, 0, 1),
        (52, 0, MOST - 30_000, 1),
        (52, 3, 17, 2**32),
        (5, 4, 0, 1),
    ],
)
def test_every_card_is_equally_likely_at_every_place(
    size: int, seed: int, first: int, stride: int
) -> None:
    number = 30_000
    deck = decks(number, size, seed, first, stride)
    assert (np.sort(deck, axis=1) == np.arange(size)).all(), "a deck is a permutation"
    counts = np.zeros((size, size), np.int64)
    for place in range(size):
        counts[:, place] = np.bincount(deck[:, place], minlength=size)
    # Rows and columns have fixed sums, so that (size - 1)^2 cells are free.
    statistic = float(((counts - number / size) ** 2).sum() / (number / size))
    assert LOW < p_value(statistic * (size - 1) / size, (size - 1) ** 2) < HIGH


@pytest.mark.parametrize("places", [(0, 1), (25, 26), (50, 51), (0, 51), (12, 13), (1, 27)])
def test_pairs_of_places_hold_every_pair_of_cards_equally_often(places: tuple[int, int]) -> None:
    size, number = 52, 60_000
    deck = decks(number, size, 99).astype(np.int64)
    pairs = deck[:, places[0]] * size + deck[:, places[1]]
    counts = np.bincount(pairs, minlength=size * size).reshape(size, size)
    assert (np.diag(counts) == 0).all()
    assert LOW < uniform_p(counts[~np.eye(size, dtype=bool)]) < HIGH


def test_all_permutations_of_five_are_equally_likely() -> None:
    deck = decks(60_000, 5, 8).astype(np.int64)
    codes = (deck * 5 ** np.arange(5)).sum(axis=1)
    _, counts = np.unique(codes, return_counts=True)
    assert len(counts) == 120
    assert LOW < uniform_p(counts) < HIGH


def test_shuffle_touches_nothing_behind_the_deck() -> None:
    deck = np.full(60, -7, np.int16)
    deals.shuffle(np.uint64(1), deck, 52)
    assert (deck[52:] == -7).all()


# Hands ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [4, 5, 6])
def test_every_card_is_equally_likely_in_every_hand(num_players: int) -> None:
    number = 20_000
    where = hands_of(num_players, number, seed=21)
    cards = num_players * 13
    counts = np.stack([(where == b).sum(axis=0) for b in range(num_players)], axis=1)
    # By symmetry the covariance of the counts is the same in all (cards - 1) (n - 1) free
    # directions; the total variance gives its size.
    share = 1 / num_players
    total = cards * num_players * share * (1 - share) * number
    freedom = (cards - 1) * (num_players - 1)
    statistic = float(((counts - number * share) ** 2).sum() / (total / freedom))
    assert LOW < p_value(statistic, freedom) < HIGH


@pytest.mark.parametrize("num_players", [4, 5, 6])
def test_every_pair_of_cards_shares_a_hand_equally_often(num_players: int) -> None:
    number = 8_000
    where = hands_of(num_players, number, seed=22)
    size = num_players * 13
    together = np.zeros((size, size))
    for b in range(num_players):
        held = (where == b).astype(np.float32)
        together += held.T @ held
    pairs = together[np.triu_indices(size, 1)]
    share = 12 / (size - 1)
    assert pairs.sum() == number * num_players * 13 * 12 / 2
    # Every card has twelve companions, so the counts vary in size (size - 3) / 2 directions only,
    # in all of them alike.
    freedom = size * (size - 3) // 2
    total = len(pairs) * share * (1 - share) * number
    statistic = float(((pairs - number * share) ** 2).sum() / (total / freedom))
    assert LOW < p_value(statistic, freedom) < HIGH
    # No single pair stands out either (Bonferroni).
    z = np.abs(pairs - number * share).max() / np.sqrt(number * share * (1 - share))
    assert 2 * stats.norm.sf(z) * len(pairs) > LOW


@pytest.mark.parametrize("num_players", [4, 5, 6])
def test_the_golden_seat_is_uniform_and_independent_of_the_cards(num_players: int) -> None:
    number = 20_000
    batch = Batch(load_game("loop_boards-v0", num_players=num_players), number)
    batch.reset(23)
    states = batch.get_states()
    golden = states["golden"].astype(np.int64)
    assert LOW < uniform_p(np.bincount(golden, minlength=num_players)) < HIGH
    for card in (0, 7, 12):
        holder = (states["hands"][:, :num_players, 0] >> card & 1).argmax(axis=1)
        table = np.zeros((num_players, num_players))
        np.add.at(table, (golden, holder), 1)
        assert LOW < stats.chi2_contingency(table).pvalue < HIGH


def test_a_fixed_golden_seat_leaves_the_cards_alone() -> None:
    free, fixed = (load_game("loop_boards-v0", golden=g) for g in ("random", 2))
    for board in range(20):
        a, b = free.new_state(1, board), fixed.new_state(1, board)
        assert (a["hands"] == b["hands"]).all()
        assert b["golden"][0] == 2


# A function of seed and board -------------------------------------------------------------------


def test_seed_and_board_both_matter_and_are_not_mixed_up() -> None:
    game = load_game("loop_boards-v0")
    numbers = [0, 1, 2, 3, 2**31, 2**32, 2**32 + 1, 2**62, MOST - 1, MOST]
    seen = {game.new_state(s, b)["hands"].tobytes() for s in numbers for b in numbers}
    assert len(seen) == len(numbers) ** 2


def test_a_batch_deals_what_a_single_match_deals() -> None:
    game = load_game("loop_boards-v0", num_players=5)
    boards = [0, 5, 2**32, MOST, 3]
    batch = Batch(game, 5)
    batch.reset(MOST, boards)
    single = b"".join(game.new_state(MOST, board).tobytes() for board in boards)
    assert batch.get_states().tobytes() == single


def test_slots_go_on_with_the_documented_board() -> None:
    assert deals.next_board(0) == 2**32
    assert deals.next_board(5 + 2**32) == 5 + 2 * 2**32
    assert deals.next_board(MOST) == 2**32 - 1


@pytest.mark.parametrize("value", [-1, 2**63, 2**64, 10**30, 0.0, 1.5, "1", None, True, [1]])
def test_bad_seeds_and_boards_are_refused(value: Any) -> None:
    game = load_game("loop_boards-v0")
    with pytest.raises(SeedError, match="board must be"):
        deals.check_board(value)
    with pytest.raises(SeedError, match="seed must be"):
        game.new_state(value)
    with pytest.raises(SeedError, match=str(MOST)):
        game.new_state(0, value)
    assert issubclass(SeedError, ValueError)
    assert issubclass(SeedError, LoopEnvsError)


def test_numpy_integers_are_seeds_too() -> None:
    game = load_game("loop_boards-v0")
    expected = game.new_state(5, 6).tobytes()
    for kind in (np.int8, np.uint8, np.int64, np.uint64):
        assert game.new_state(kind(5), kind(6)).tobytes() == expected  # type: ignore[arg-type]


def test_fresh_seeds_are_seeds_and_differ() -> None:
    fresh = {deals.check_seed(deals.fresh_seed()) for _ in range(100)}
    assert len(fresh) == 100


SCRIPT = """
import hashlib, random, sys
import numpy as np
random.seed(int(sys.argv[1])); np.random.seed(int(sys.argv[1]))
import loop_envs
digest = hashlib.sha256()
for n in (4, 5, 6):
    game = loop_envs.load_game("loop_boards-v0", num_players=n)
    for seed, board in ((0, 0), (7, 2**40), (2**63 - 1, 2**63 - 1)):
        digest.update(game.new_state(seed, board).tobytes())
env = loop_envs.make("loop_boards-v0")
env.reset(seed=9, options={"board": 11})
digest.update(env.last()[0]["observation"].tobytes())
print(digest.hexdigest())
"""


def test_a_board_is_the_same_in_every_process() -> None:
    found = set()
    for hash_seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, hash_seed],
            env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        found.add(done.stdout)
    assert len(found) == 1


def test_global_generators_are_neither_read_nor_moved() -> None:
    game = load_game("loop_boards-v0")
    expected = game.new_state(1, 2).tobytes()
    for number in range(3):
        random.seed(number)
        np.random.seed(number)  # noqa: NPY002 - the legacy global generator is what is tested
        before = random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002
        assert game.new_state(1, 2).tobytes() == expected
        batch = Batch(game, 3)
        batch.reset(1)
        batch.run(50)
        after = random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002
        assert before == after
