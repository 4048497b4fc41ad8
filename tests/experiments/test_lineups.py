from collections import Counter
from itertools import combinations, pairwise

import pytest

from experiments.lineups import label, lineups, rotations
from loop_envs.duplicate.movements import line_ups

AGENTS = list("abcdefgh")


@pytest.mark.parametrize("n", range(2, 9))
@pytest.mark.parametrize("k", range(2, 9))
@pytest.mark.parametrize("mode", ["all", "pairs"])
def test_every_agent_sits_in_every_seat_equally_often(k: int, n: int, mode: str) -> None:
    agents = AGENTS[:k]
    by_seat: list[Counter[str]] = [Counter() for _ in range(n)]
    for lineup in lineups(agents, n, mode):
        assert len(lineup) == n
        own: list[Counter[str]] = [Counter() for _ in range(n)]
        for seats in rotations(lineup):
            for seat, agent in enumerate(seats):
                own[seat][agent] += 1
                by_seat[seat][agent] += 1
        assert all(counts == own[0] for counts in own)
    assert all(counts == by_seat[0] for counts in by_seat)
    assert set(by_seat[0]) == set(agents)
    assert len(set(by_seat[0].values())) == 1


@pytest.mark.parametrize(("k", "n"), [(4, 4), (6, 4), (8, 2)])
def test_enough_agents_play_in_all_subsets(k: int, n: int) -> None:
    assert lineups(AGENTS[:k], n, "all") == list(combinations(AGENTS[:k], n))


@pytest.mark.parametrize(("k", "n"), [(k, n) for n in range(2, 9) for k in range(1, n + 1)])
def test_fill_ins_are_even_and_complete(k: int, n: int) -> None:
    found = line_ups(AGENTS[:k], n)
    counts = [Counter(lineup) for lineup in found]
    expected = [
        Counter(AGENTS[:k] * (n // k) + list(extra)) for extra in combinations(AGENTS[:k], n % k)
    ]
    assert counts == expected


@pytest.mark.parametrize(("k", "n"), [(2, 4), (2, 6), (3, 4), (3, 5), (3, 7), (4, 6), (5, 8)])
def test_fill_ins_keep_an_agents_seats_apart(k: int, n: int) -> None:
    for lineup in line_ups(AGENTS[:k], n):
        assert all(a != b for a, b in pairwise([*lineup, lineup[0]]))


def test_pairs_alternate() -> None:
    assert lineups("ab", 4, "pairs") == [("a", "b", "a", "b")]
    assert lineups("ab", 5, "pairs") == [tuple("ababa"), tuple("babab")]
    assert len(lineups("abcd", 4, "pairs")) == 6


def test_rotations_are_distinct() -> None:
    assert rotations("abab") == [tuple("abab"), tuple("baba")]
    assert len(rotations("abcd")) == 4
    assert rotations("aaa") == [tuple("aaa")]
    assert rotations("abc")[1] == tuple("cab")


def test_given_lineups_are_kept() -> None:
    given = [list("aabb"), list("abab"), list("abbb")]
    assert lineups("ab", 4, given) == [tuple(seats) for seats in given]
    assert label(given[0]) == "a a b b"


@pytest.mark.parametrize(
    ("agents", "n", "mode", "words"),
    [
        ("a", 4, "all", "at least 2 agents"),
        ("aab", 4, "all", "different names"),
        ("ab", 4, "some", '"pairs"'),
        ("ab", 4, [], "empty"),
        ("ab", 4, ["aba"], "line-up 0: 3 agents, allowed: 4"),
        ("ab", 4, ["abab", "abxb"], "line-up 1: no agent 'x'"),
        ("ab", 4, ["abab", "baba"], "line-up 1: the same as line-up 0"),
        ("abc", 4, ["abab"], "'c' sits in no line-up"),
    ],
)
def test_bad_lineups_are_refused(agents: str, n: int, mode: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        lineups(agents, n, mode)  # type: ignore[arg-type]
