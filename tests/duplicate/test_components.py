import numpy as np
import polars as pl
import pytest

from loop_envs.duplicate.components import TERMS, Term, decision_study, variance_components
from loop_envs.duplicate.reliability import icc
from loop_envs.duplicate.statistics import jackknife_interval

TRUE = {"agent": 2.0, "board": 3.0, "seat": 1.0, "board×seat": 5.0, "agent×board": 1.5, "rest": 4.0}


def simulated(shape: tuple[int, int, int], seed: int, missing: float = 0.0) -> pl.DataFrame:
    """Every agent in every seat of every board, less a share of the rows."""
    rng = np.random.default_rng(seed)
    agent, board, seat = np.indices(shape).reshape(3, -1)
    columns = {"agent": agent, "board": board, "seat": seat}
    points = np.zeros(agent.shape)
    for name, variance in TRUE.items():
        dims = [d for column, d in zip(columns, shape, strict=True) if column in name.split("×")]
        luck = rng.normal(0, np.sqrt(variance), dims or agent.shape)
        points += (
            luck
            if name == "rest"
            else luck[tuple(columns[c] for c in columns if c in name.split("×"))]
        )
    return pl.DataFrame({**columns, "points": points}).filter(rng.random(len(points)) >= missing)


# Shrout and Fleiss (1979), table 2: six targets, four judges.
RATINGS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
)


def crossed(scores: np.ndarray) -> pl.DataFrame:
    agent, board = np.indices(scores.shape).reshape(2, -1)
    return pl.DataFrame({"agent": agent, "board": board, "points": scores.ravel()})


TWO: list[Term] = [("agent",), ("board",)]


def test_balanced_tables_give_the_analysis_of_variance() -> None:
    table = variance_components(crossed(RATINGS), TWO)
    assert table["component"].to_list() == ["agent", "board", "rest"]
    # Mean squares 11.2417, 32.4861, 1.0194 of 6 targets and 4 judges.
    expected = [(11.2417 - 1.0194) / 4, (32.4861 - 1.0194) / 6, 1.0194]
    assert table["variance"].to_list() == pytest.approx(expected, abs=5e-5)
    assert table["share"].sum() == pytest.approx(1)
    assert table["levels"].to_list() == [6, 4, 24]


def test_generalisability_is_intraclass_correlation() -> None:
    table = variance_components(crossed(RATINGS), TWO)
    coefficient = dict(icc(RATINGS).select("type", "icc").rows())
    one, four = decision_study(table, 1), decision_study(table, 4)
    assert one.coefficient == pytest.approx(coefficient["ICC(3,1)"])
    assert one.phi == pytest.approx(coefficient["ICC(2,1)"])
    assert four.coefficient == pytest.approx(coefficient["ICC(3,k)"])
    assert four.phi == pytest.approx(coefficient["ICC(2,k)"])


def test_one_way_unbalanced_by_hand() -> None:
    # Searle, Casella and McCulloch (1992), section 3.6: (MSA - MSE) / n0 with
    # n0 = (N - Σ n² / N) / (a - 1).
    groups = {"a": [1.0, 2.0, 6.0], "b": [5.0, 7.0], "c": [9.0]}
    table = pl.DataFrame(
        [(name, y) for name, values in groups.items() for y in values],
        ["agent", "points"],
        orient="row",
    )
    values = table["points"].to_numpy()
    between = sum(len(v) * (np.mean(v) - values.mean()) ** 2 for v in groups.values()) / 2
    within = sum(((np.array(v) - np.mean(v)) ** 2).sum() for v in groups.values()) / 3
    n0 = (6 - (9 + 4 + 1) / 6) / 2
    got = variance_components(table, [("agent",)])["variance"].to_list()
    assert got == pytest.approx([(between - within) / n0, within])


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_unbiased(missing: float) -> None:
    tables = [
        variance_components(simulated((8, 15, 4), seed, missing))["variance"].to_numpy()
        for seed in range(150)
    ]
    error = np.std(tables, axis=0) / np.sqrt(len(tables))
    assert (np.abs(np.mean(tables, axis=0) - list(TRUE.values())) < 3.5 * error).all()


def test_a_shift_changes_nothing() -> None:
    table = simulated((4, 6, 3), 0, 0.2)
    shifted = table.with_columns(pl.col("points") + 1000)
    a, b = (variance_components(x)["variance"].to_numpy() for x in (table, shifted))
    assert a == pytest.approx(b)


def test_intervals_by_jackknife() -> None:
    table = simulated((5, 60, 3), 4)

    def rest(boards: np.ndarray) -> float:
        part = table.filter(pl.col("board").is_in(boards))
        return float(variance_components(part)["variance"][-1])

    interval = jackknife_interval(np.arange(60), rest, 10)
    assert interval.low < TRUE["rest"] < interval.high
    assert interval.mean == rest(np.arange(60))


def test_a_decision_study_by_hand() -> None:
    table = pl.DataFrame({"component": list(TRUE), "variance": list(TRUE.values())})
    got = decision_study(table, boards=10, seats=4)
    relative = 1.5 / 10 + 4 / 40
    absolute = relative + 3 / 10 + 1 / 4 + 5 / 40
    assert got == pytest.approx((2, relative, absolute, 2 / (2 + relative), 2 / (2 + absolute)))
    assert decision_study(table, 10, 4, 2).relative_error == pytest.approx(1.5 / 10 + 4 / 80)
    negative = table.with_columns(
        pl.when(component="agent×board").then(-1.0).otherwise("variance").alias("variance")
    )
    assert decision_study(negative, 10, 4).relative_error == pytest.approx(4 / 40)


def test_what_cannot_be_told_apart_is_refused() -> None:
    fresh = simulated((1, 40, 1), 1)
    for terms in (TERMS, [("board",)], [("agent",), ("agent",)]):
        with pytest.raises(ValueError, match="cannot tell apart"):
            variance_components(fresh, terms)
    with pytest.raises(ValueError, match="1 rows"):
        variance_components(fresh[:1])
    with pytest.raises(ValueError, match="missing"):
        variance_components(fresh.with_columns(points=pl.lit(None, pl.Float64)))
    table = variance_components(crossed(RATINGS), TWO)
    with pytest.raises(ValueError, match="above 0"):
        decision_study(table, 0)
    with pytest.raises(ValueError, match="with agent"):
        decision_study(table.filter(pl.col("component") != "agent"), 1)
    with pytest.raises(ValueError, match="got judge"):
        decision_study(table.with_columns(pl.col("component").replace("board", "judge")), 1)
