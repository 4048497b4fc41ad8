"""Arms are read in parts: what comes out does not depend on how they are cut."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from experiments.fairness import playing
from experiments.fairness.arms import Arm
from experiments.fairness.boards import FOLDS, by_board, each_board, folded, rounds_of
from experiments.fairness.played import Part, Piece, Played
from experiments.fairness.study import ordered_tables
from loop_envs import load_game
from loop_envs.duplicate import jackknife_interval
from tests.experiments.fairness.studies import make_study, whole

BOARDS = 103


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Played:
    """An arm in pieces of 7 boards with 4 matches each."""
    monkeypatch.setattr(playing, "PIECE", 30)
    study = make_study(tmp_path)
    tables = ordered_tables([tuple(study.ladder)])
    return study.play(Arm("cut", study.players(), tables, BOARDS))


def test_parts_have_every_board_once(played: Played) -> None:
    assert len(played.pieces) == 15
    assert played.boards == BOARDS
    assert played.num_matches == 4 * BOARDS
    frame = whole(played).matches.collect()
    assert frame.height == 16 * BOARDS
    for some in (BOARDS, 50, 7, 1):
        few = played.some(some)
        parts = list(few.parts())
        assert few.boards == sum(part.boards for part in parts) == some
        assert max(part.boards for part in parts) <= 7
        for name in ("matches", "rounds"):
            found = pl.concat(getattr(part, name).collect() for part in parts)
            assert found.equals(getattr(whole(few), name).collect())
        assert found["board"].n_unique() == some
        assert found["board"].max() == played.numbers[some - 1]


def test_groups_of_boards_are_not_parted(played: Played) -> None:
    for group in (1, 4, 5):
        parts = list(played.parts(group))
        assert [part.boards % group for part in parts[:-1]] == [0] * (len(parts) - 1)
        assert max(part.boards for part in parts) <= 7 + group
        numbers = [board for part in parts for board in part.numbers]
        assert numbers == list(played.numbers)
        for part in parts:
            assert part.matches.collect()["board"].unique().sort().to_list() == list(part.numbers)
    # A piece that is smaller than a group gives no part of its own.
    pieces = [Piece(Path(f"{k}"), range(100 + 4 * k, 104 + 4 * k)) for k in range(4)]
    parts = list(Played(load_game("loo-v0"), range(100, 116), 1, pieces).parts(5))
    assert [part.numbers for part in parts] == [range(100, 105), range(105, 110), range(110, 116)]
    files = [[piece.path.name for piece in part.pieces] for part in parts]
    assert files == [["0", "1"], ["1", "2"], ["2", "3"]]


def test_values_by_board_are_those_of_the_whole(played: Played) -> None:
    kept = (pl.col("turn") != 2) | (pl.col("board") % 20 == 3)  # a turn of some parts only
    frame = whole(played).rounds.filter(kept).collect()
    for by in (["agent"], ["turn", "seat"]):
        keys, values = by_board(played, by, "gain", lambda part: part.rounds.filter(kept))
        wanted = frame.group_by("board", *by).agg(pl.col("gain").mean())
        assert keys == frame.select(by).unique().sort(by).rows()
        assert np.isfinite(values).sum() == wanted.height
        for board, *key, gain in wanted.iter_rows():
            found = values[board - played.numbers.start, keys.index(tuple(key))]
            assert found == pytest.approx(gain, abs=1e-12)
    _, ranks = by_board(played, ["hand"], "rank", rounds_of)
    parts = each_board(played, lambda part: np.array(part.numbers, np.float64)[:, None])
    assert parts[:, 0].tolist() == list(played.numbers)
    assert ranks.shape == (BOARDS, 4)


def test_a_statistic_of_sums_has_the_same_interval_from_folds(played: Played) -> None:
    def sums(part: Part) -> dict[str, np.ndarray]:
        values = by_board(played.some(BOARDS), ["agent"], "margin")[1]
        first = part.numbers.start - played.numbers.start
        return {"sums": np.stack([values, values**2], axis=2)[first : first + part.boards]}

    found = folded(played, sums)["sums"]
    assert found.shape == (FOLDS, 4, 2)
    boards = np.concatenate([sums(part)["sums"] for part in played.parts()])

    def statistic(x: np.ndarray) -> float:
        total = x.sum(axis=0)
        return float(total[0, 0] / total[1, 1])

    of_folds, of_boards = (jackknife_interval(x, statistic) for x in (found, boards))
    assert of_folds == pytest.approx(of_boards)
    assert of_boards.n == FOLDS


def test_tables_of_boards_are_equally_many(tmp_path: Path) -> None:
    study = make_study(tmp_path)
    tables = ordered_tables([tuple(study.ladder)])
    with pytest.raises(ValueError, match="allowed: equally many"):
        Arm("uneven", study.players(), [tables[0], tables[1][:2]], 4)


def test_no_question_can_read_an_arm_at_once(played: Played) -> None:
    for name in ("matches", "rounds"):
        assert not hasattr(played, name)


@pytest.mark.slow
@pytest.mark.parametrize("config", ["loop_boards", "loop_seats", "loopla", "loo_three_card"])
def test_memory_does_not_grow_with_the_boards(config: str, tmp_path: Path) -> None:
    """Four times the boards, where the smaller study has full pieces already."""
    name = "cautious" if config.startswith("loo_") else "greedy"
    agents = [name, *(f"{{name: n{e}, noisy: {name}, epsilon: 0.{e}}}" for e in (1, 2, 4, 6))]
    peaks = []
    for times in (1, 4):
        sizes = {"identical": 5000, "boards": 1000, "variants": 1000}
        command = [
            *(sys.executable, "-m", "experiments", "fairness", f"configs/fairness/{config}.yaml"),
            f"fairness.ladder=[{', '.join(agents)}]", "fairness.others=[]",
            *(f"fairness.{key}={times * size}" for key, size in sizes.items()),
            f"output={tmp_path / str(times)}", "threads=1",
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=True)
        found = re.search(r"at most ([\d,]+) MiB of memory", done.stdout)
        assert found is not None
        peaks.append(int(found[1].replace(",", "")))
    assert peaks[1] < 1.15 * peaks[0], peaks
