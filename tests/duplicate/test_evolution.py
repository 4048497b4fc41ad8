import numpy as np
import pytest

from loop_envs.duplicate.evolution import alpha_rank

ROCK = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
BIASED = np.array([[0, -1, 2], [1, 0, -1], [-2, 1, 0]])


def test_a_transitive_table_has_one_best_agent() -> None:
    rating = np.array([0.5, 2.0, 1.0, -1.0])
    for alpha in (None, 5.0, 1e6):
        share = alpha_rank(rating[:, None] - rating, alpha)
        assert share == pytest.approx([0, 1, 0, 0], abs=1e-6)


def test_a_cycle_shares() -> None:
    for alpha in (None, 0.1, 10.0):
        assert alpha_rank(ROCK, alpha) == pytest.approx([1 / 3] * 3)
    # A fourth agent that loses to all gets nothing, one that beats all gets everything.
    for value in (-1, 1):
        table = np.full((4, 4), value)
        table[:3, :3] = ROCK
        table[:3, 3] = -value
        table[3, :3] = value
        table[3, 3] = 0
        expected = [0, 0, 0, 1] if value > 0 else [1 / 3] * 3 + [0]
        assert alpha_rank(table) == pytest.approx(expected, abs=1e-6)


def test_published_implementation() -> None:
    # OpenSpiel 2.0.2, one population of 50, constant-sum selection.
    assert alpha_rank(BIASED, 0.1) == pytest.approx([0.39651041, 0.39525034, 0.20823925], abs=1e-8)


def test_agreement_with_open_spiel() -> None:
    theirs = pytest.importorskip("open_spiel.python.egt.alpharank")
    rng = np.random.default_rng(1)
    for alpha in (0.01, 0.1, 1.0):
        for n in (2, 3, 6):
            table = rng.normal(size=(n, n))
            table -= table.T
            expected = theirs.compute([table], alpha=alpha, use_local_selection_model=False)[2]
            assert alpha_rank(table, alpha) == pytest.approx(expected, abs=1e-10)


def test_equal_agents_share_and_one_has_all() -> None:
    assert alpha_rank(np.zeros((4, 4))) == pytest.approx([0.25] * 4)
    assert alpha_rank(np.zeros((4, 4)), 2.0) == pytest.approx([0.25] * 4)
    assert alpha_rank([[0.0]]).tolist() == [1.0]


def test_bad_input_is_refused() -> None:
    for table in ([[0, 1]], [[0, 1], [1, 0]], [[0, np.nan], [np.nan, 0]], np.zeros((0, 0))):
        with pytest.raises(ValueError, match="differences"):
            alpha_rank(table)
    with pytest.raises(ValueError, match="alpha"):
        alpha_rank(ROCK, 0)
    with pytest.raises(ValueError, match="population"):
        alpha_rank(ROCK, 1, population=1)
