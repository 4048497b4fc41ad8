from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import special

from experiments.fairness.answers import Answer, number
from experiments.fairness.luck import luck
from experiments.fairness.scoring import FRESH, RULES, scoring
from experiments.fairness.seats import seats
from experiments.fairness.standing import standing
from experiments.fairness.study import ordered_tables
from experiments.fairness.variance import Parts, reliability
from loop_envs.duplicate import boards_needed
from tests.experiments.fairness.studies import FakeStudy, make_study, results, study_config

NAMES = ["greedy", "weak", "weaker", "random"]
SKILL = np.array([3.0, 2.0, 1.0, 0.0])
BOARDS = 600


def _study(folder: Path, cards: float, chance: float, near: float = 0.0) -> FakeStudy:
    """Points are skill, the luck of a hand, chance, and what the left neighbour brings."""
    rng = np.random.default_rng(1)
    tables = ordered_tables([tuple(NAMES)])
    points = np.zeros((BOARDS, 4, 4))
    hands = cards * rng.standard_normal((BOARDS, 1, 4))
    noise = chance * rng.standard_normal(points.shape)
    for board in range(BOARDS):
        for k, table in enumerate(tables[board % len(tables)]):
            who = [NAMES.index(name) for name in table.seats]
            left = [who[(seat + 1) % 4] == 3 for seat in range(4)]
            points[board, k] = SKILL[who] + near * np.array(left)
    return FakeStudy(folder, results(NAMES, tables, BOARDS, points + hands + noise))


def _named(answer: Answer) -> dict[str, tuple[float, float, float]]:
    assert len({one.name for one in answer.findings}) == len(answer.findings)
    assert answer.plots
    return {one.name: (one.estimate, one.low, one.high) for one in answer.findings}


def test_duplicate_is_worth_what_the_cards_are(tmp_path: Path) -> None:
    """Differences have the variance 2 (cards² + chance²); duplicate cancels the cards."""
    found = _named(luck(_study(tmp_path, cards=2.0, chance=1.0)))
    for a, b in (("greedy", "weak"), ("weak", "weaker"), ("weaker", "random")):
        _, low, high = found[f"duplicate for {a} − {b}"]
        assert low < 5 < high
        assert high / low < 1.5
        # A difference of 1 with the spread √10, and with √2 where cards do not count.
        for name, matches, variance in (("on fresh deals", 1, 10), ("in duplicate", 4, 2 / 4)):
            middle, low, high = found[f"matches {name} for {a} − {b}"]
            expected = matches * boards_needed(1, math.sqrt(variance))
            assert low < 1.1 * expected
            assert high > 0.9 * expected
            assert middle == pytest.approx(expected, rel=0.35)


def test_skill_is_its_share_of_the_variance(tmp_path: Path) -> None:
    """Skills 0 to 3 have the variance 5/3."""
    found = _named(luck(_study(tmp_path, cards=2.0, chance=1.0)))
    middle, low, high = found["skill in a match"]
    assert low < (5 / 3) / (5 / 3 + 5) < high
    assert middle == pytest.approx(0.25, abs=0.04)


def test_reliability_has_bounds_that_hold_what_is_true(tmp_path: Path) -> None:
    """A mean of k matches on fresh deals has the variance 5/3 of skill, and 5/k of luck."""
    frame = _study(tmp_path, cards=2.0, chance=1.0).ladders()
    rows = pl.concat(part.matches.collect() for part in frame.parts())
    parts = Parts(rows, "points")
    shares = [parts.share(name) for name in ("agent", "board×seat", "rest")]
    for share, variance in zip(shares, (5 / 3, 4, 1), strict=True):
        # Four skills are all there are, so only cards and chance have a sampling error.
        assert share.low - 0.02 < variance / (5 / 3 + 5) < share.high + 0.02
        assert 0 <= share.low < share.mean < share.high <= 1
    curves = reliability(parts, 4)
    for name, curve in curves.items():
        for matches, middle, low, high in curve:
            luck_left = 5 / matches if name == "fresh deals" else 1 / matches
            expected = (5 / 3) / (5 / 3 + luck_left)
            assert low - 0.02 < expected < high + 0.02, (name, matches)
            assert 0 <= low <= middle <= high <= 1
    assert len(curves["duplicate"]) > 15


def test_no_cards_no_gain(tmp_path: Path) -> None:
    found = _named(luck(_study(tmp_path, cards=0.0, chance=1.0)))
    for a, b in (("greedy", "weak"), ("weak", "weaker")):
        _, low, high = found[f"duplicate for {a} − {b}"]
        assert low < 1 < high


def test_wrong_orders_have_the_normal_probability(tmp_path: Path) -> None:
    study = _study(tmp_path, cards=2.0, chance=4.0)
    answer = scoring(study)
    found = _named(answer)
    # 400 matches are 100 boards of 4; a board's difference has the variance 2 · 16 / 4.
    expected = float(special.ndtr(-math.sqrt(100 / 8)))
    middle, low, high = found["wrong order by points"]
    assert low <= expected <= high or middle == pytest.approx(expected, abs=2e-3)
    # Fresh deals: 400 differences of the variance 2 · (4 + 16).
    expected = float(special.ndtr(-math.sqrt(400 / 40)))
    middle, low, high = found[f"wrong order by {FRESH}"]
    assert low <= expected <= high or middle == pytest.approx(expected, abs=3e-3)
    assert found["τ by points"][0] > 0.9
    assert set(RULES) <= {name.removeprefix("wrong order by ") for name in found}


def test_a_neighbour_who_helps_is_found(tmp_path: Path) -> None:
    study = make_study(tmp_path / "real", study_config())
    helped = _study(tmp_path / "fake", cards=1.0, chance=1.0, near=0.5)
    study.ladders = helped.ladders  # type: ignore[method-assign]
    answer = seats(study)
    found = _named(answer)
    middle, low, high = found["random to the left − to the right"]
    # The helped one's margin rises by 1/2 less the mean of the table.
    assert low < 0.5 < high
    assert middle == pytest.approx(0.5, abs=0.15)
    for name in ("greedy", "weak", "weaker"):
        _, low, high = found[f"{name} to the left − to the right"]
        assert low - 0.2 < 0 < high + 0.2
    words = {one.name: one.sentence for one in answer.findings}
    assert "to the **left**" in words["random to the left − to the right"]


def test_seats_of_a_real_game(tmp_path: Path) -> None:
    study = make_study(tmp_path, study_config("loo-v0", options={"num_deals": 4}, ladder=_five()))
    answer = seats(study)
    assert len(answer.findings) >= 6
    for one in answer.findings:
        assert one.low <= one.estimate <= one.high
        assert one.boards >= 100
        assert one.sentence.endswith(".")


def _five() -> list[object]:
    noisy = [{"name": f"n{k}", "noisy": "cautious", "epsilon": k / 10} for k in (1, 3, 6)]
    return ["cautious", *noisy, "random"]


def test_the_ladder_and_the_others(tmp_path: Path) -> None:
    study = make_study(tmp_path, study_config(others=["planner"], others_boards=20))
    answer = standing(study)
    found = _named(answer)
    assert found["greedy before weak"][1] > 0
    assert found["weaker before random"][0] != 0
    assert found["planner against greedy"][1] > 0
    assert answer.findings[-1].boards == 20


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0004, "0.000"), (-0.0004, "0.000"), (-0.12, "-0.120"), (3.0, "3"), (3.25, "3.25"),
        (123.45, "123.5"), (12345.6, "12,346"), (math.nan, "–"),
    ],
)  # fmt: skip
def test_numbers_are_short(value: float, text: str) -> None:
    assert number(value) == text
