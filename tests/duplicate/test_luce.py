import itertools
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loop_envs.duplicate.luce import plackett_luce
from loop_envs.duplicate.rankings import Rankings, rank_matches

Places = Sequence[str]  # the agents of each place, one letter each, the best place first


def ranked(*counts: tuple[Places, int]) -> pl.DataFrame:
    """A table in which every ranking occurred so often, each on a board of its own."""
    repeated = [places for places, count in counts for _ in range(count)]
    rows = [
        (board, "", 0, agent, -place)
        for board, places in enumerate(repeated)
        for place, agents in enumerate(places)
        for agent in agents
    ]
    return pl.DataFrame(rows, ["board", "lineup", "rotation", "agent", "points"], orient="row")


def fit(*counts: tuple[Places, int]) -> Rankings:
    return rank_matches(ranked(*counts))


# Davidson (1970), example 2: brands i and j; i preferred, j preferred, no preference.
PUDDINGS = """
    12 19 22 16, 13 16 19 12, 23 19 19 10, 14 18 23 13, 24 23 19  9, 34 19 20 15, 15 13 19 18,
    25 16 20 12, 35 16 15 17, 45 17 14 16, 16 18 21 12, 26 22 20 12, 36 13 18 10, 46 14 19 18,
    56 11 21 12
"""


def puddings() -> list[tuple[Places, int]]:
    result: list[tuple[Places, int]] = []
    for line in PUDDINGS.split(","):
        pair, first, second, tied = line.split()
        i, j = pair[0], pair[1]
        result += [([i, j], int(first)), ([j, i], int(second)), ([i + j], int(tied))]
    return result


def test_three_agents() -> None:
    got = plackett_luce(fit(("012", 5), ("102", 3), ("021", 2)))
    assert got.agents == ["0", "1", "2"]
    assert got.rating == pytest.approx([1.26215, 0.11475, -1.37690], abs=5e-6)
    assert (got.ties, got.pseudo) == ({}, 0.0)


def test_two_agents_are_bradley_terry() -> None:
    got = plackett_luce(fit(("ab", 7), ("ba", 3)))
    assert got.rating[0] - got.rating[1] == pytest.approx(0.847298, abs=5e-7)
    assert got.win_probability("a", "b") == pytest.approx(0.7)
    assert got.log_likelihood == pytest.approx(7 * np.log(0.7) + 3 * np.log(0.3))


def test_ties_as_davidson_and_the_r_package() -> None:
    # Worths and tie parameter: Davidson (1970); log-worths and deviance: the documentation of
    # the R package PlackettLuce.
    got = plackett_luce(fit(*puddings()))
    worth = np.exp(got.rating) / np.exp(got.rating).sum()
    assert worth == pytest.approx(
        [0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855], abs=3e-5
    )
    assert got.ties[2] == pytest.approx(0.7468147, abs=3e-5)
    assert got.rating - got.rating[0] == pytest.approx(
        [0, 0.2202, 0.1530, 0.1753, 0.1339, 0.3771], abs=2e-4
    )
    assert -2 * got.log_likelihood == pytest.approx(1619.4, abs=0.05)


TOY = [("ab", 1), ("ca", 1), ("ba", 1), ("bc", 1)]


def test_pseudo_rankings_as_in_the_r_package() -> None:
    connected = plackett_luce(fit(*TOY))
    assert connected.rating - connected.rating[0] == pytest.approx([0, 0.8392, 0.4196], abs=5e-5)
    assert -2 * connected.log_likelihood == pytest.approx(5.1356, abs=5e-5)
    # d only lost, so there is no maximum without them.
    got = plackett_luce(fit(*TOY, ("ad", 1)))
    assert got.pseudo == 0.5
    assert got.rating - got.rating[0] == pytest.approx(
        [0, 0.5184185, 0.1354707, -1.1537565], abs=5e-7
    )
    with pytest.raises(ValueError, match=r"\['a', 'b', 'c'\] and \['d'\]"):
        plackett_luce(fit(*TOY, ("ad", 1)), pseudo=0)


def test_agreement_with_choix() -> None:
    choix = pytest.importorskip("choix")
    rng = np.random.default_rng(3)
    orders = [tuple(map(int, rng.permutation(6)[:4])) for _ in range(200)]
    table = ranked(*(([str(i) for i in order], 1) for order in orders))
    assert plackett_luce(rank_matches(table)).rating == pytest.approx(
        choix.opt_rankings(6, orders), abs=1e-5
    )


def test_ties_of_three_by_enumeration() -> None:
    # The fitted model's expected features equal those observed, for every way to rank 3 agents.
    counts: list[tuple[Places, int]] = [
        (["a", "b", "c"], 6), (["b", "c", "a"], 3), (["ab", "c"], 4), (["c", "ab"], 1),
        (["a", "bc"], 2), (["abc"], 5), (["c", "b", "a"], 2),
    ]  # fmt: skip
    got = plackett_luce(fit(*counts))
    strength = dict(zip("abc", np.exp(got.rating), strict=True))
    delta = {1: 1.0, **got.ties}

    def weight(place: Sequence[str]) -> float:
        return delta[len(place)] * float(np.prod([strength[i] for i in place]) ** (1 / len(place)))

    def probability(places: Places) -> float:
        left, value = "abc", 1.0
        for place in places:
            options = [c for d in (1, 2, 3) for c in itertools.combinations(left, d)]
            value *= weight(place) / sum(weight(option) for option in options)
            left = "".join(i for i in left if i not in place)
            if len(left) == 1:
                break
        return value

    total = sum(count for _, count in counts)
    log_likelihood = sum(count * np.log(probability(places)) for places, count in counts)
    assert got.log_likelihood == pytest.approx(log_likelihood)
    # All three tie with the probability that the likelihood's derivative asks for.
    assert probability(["abc"]) == pytest.approx(5 / total)


def test_shuffled_matches_change_nothing() -> None:
    table = ranked(*puddings())
    expected = plackett_luce(rank_matches(table))
    for seed in range(3):
        got = plackett_luce(rank_matches(table.sample(fraction=1, shuffle=True, seed=seed)))
        assert (got.rating == expected.rating).all()
        assert got.ties == expected.ties


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=4, max_size=12),
    st.integers(1, 5),
)
def test_properties(scores: list[list[int]], shift: int) -> None:
    rows = [
        (board, "", 0, agent, score)
        for board, match in enumerate(scores)
        for agent, score in zip("abc", match, strict=True)
    ]
    table = pl.DataFrame(rows, ["board", "lineup", "rotation", "agent", "points"], orient="row")
    got = plackett_luce(rank_matches(table), pseudo=0.5)
    assert np.isfinite(got.rating).all()
    assert got.rating.sum() == pytest.approx(0, abs=1e-9)
    # Any rising function of the scores ranks the same; exchanged names exchange ratings.
    moved = table.with_columns(points=3 * pl.col("points") + shift * pl.col("board"))
    assert (plackett_luce(rank_matches(moved), pseudo=0.5).rating == got.rating).all()
    swapped = table.with_columns(pl.col("agent").replace({"a": "c", "c": "a"}))
    again = plackett_luce(rank_matches(swapped), pseudo=0.5)
    assert again.rating == pytest.approx(got.rating[[2, 1, 0]], abs=1e-5)


def test_an_agent_in_several_seats() -> None:
    # Two seats of a against one of b: b first has probability s / (s + 2) if a's strength is 1.
    got = plackett_luce(fit(("baa", 4), ("aba", 3), ("aab", 3)))
    strength = np.exp(got.rating[1] - got.rating[0])
    first = strength / (strength + 2)
    second = (1 - first) * strength / (strength + 1)
    log_likelihood = 4 * np.log(first) + 3 * np.log(second) + 3 * np.log(1 - first - second)
    # The likelihood is of seats, and either of a's seats is as likely to be the better one.
    assert got.log_likelihood == pytest.approx(log_likelihood + 10 * np.log(1 / 2))
    alone = plackett_luce(fit(("aaa", 2), (["aa"], 1)))
    assert alone.rating.tolist() == [0.0]


def test_a_size_of_tie_that_a_weighting_lacks() -> None:
    table = fit(("ab", 7), ("ba", 3), (["ab"], 5))
    untied = np.array([len(pattern) == 2 for pattern in table.patterns])
    weights = table.weights() * untied
    got = plackett_luce(table, weights=weights)
    assert got.rating[0] - got.rating[1] == pytest.approx(0.847298, abs=1e-5)
    assert got.ties[2] < 1e-6


def test_bad_input_is_refused() -> None:
    table = fit(*TOY)
    with pytest.raises(ValueError, match="pseudo: got -1"):
        plackett_luce(table, pseudo=-1)
    for weights in ([1.0], [-1.0] * 4, [0.0] * 4):
        with pytest.raises(ValueError, match="weights: got shape"):
            plackett_luce(table, weights=weights)
    with pytest.raises(ValueError, match=r"\['a', 'b'\] and \['c', 'd'\] never met"):
        plackett_luce(fit(("ab", 1), ("cd", 1)))
    with pytest.raises(ValueError, match="13 seats"):
        fit(("abcdefghijklm", 1))
    with pytest.raises(ValueError, match="no rows"):
        rank_matches(ranked())
    with pytest.raises(ValueError, match="'points' is missing"):
        rank_matches(ranked(("ab", 1)).with_columns(points=pl.lit(None, pl.Int64)))
