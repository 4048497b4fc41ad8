"""Whole studies by the committed configurations, with few boards, and their reports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from experiments.__main__ import main
from experiments.config import load_config, parse_config
from experiments.errors import ConfigError
from experiments.fairness.answers import findings_frame
from experiments.fairness.controls import REPEATS
from experiments.fairness.played import Part, Played
from experiments.fairness.run import answer_all
from experiments.fairness.study import Study
from experiments.runfolder import RunFolder
from tests.experiments.browser import needs_browser, picture_of, plots_of
from tests.experiments.fairness.studies import LADDER, QUIET
from tests.experiments.test_html_report import Page

CONFIGS = sorted(Path("configs/fairness").glob("*.yaml"))
SMALL = [
    "fairness.identical=400", "fairness.boards=100", "fairness.variants=100",
    "fairness.others_boards=10", "fairness.others=[]", "threads=2",
]  # fmt: skip
COMMON = {"ladder", "seats", "luck", "scoring", "controls"}


QUICK = ("loop_boards", "loo_three_card")
"""Played by default; every game's own questions have tests of their own besides."""
_PARAMS = [
    pytest.param(path, id=path.stem, marks=[] if path.stem in QUICK else pytest.mark.slow)
    for path in CONFIGS
]


@pytest.fixture(scope="module", params=_PARAMS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    config: Path = request.param
    out = tmp_path_factory.mktemp("study") / config.stem
    assert main(["fairness", str(config), *SMALL, f"output={out}"]) == 0
    return out


def test_every_question_is_answered_in_numbers_and_words(folder: Path) -> None:
    found = pl.read_parquet(folder / "results" / "findings.parquet")
    asked = set(found["question"])
    assert asked > COMMON
    assert found.height == found.unique(["question", "name"]).height
    for row in found.iter_rows(named=True):
        numbers = [row[name] for name in ("low", "estimate", "high")]
        finite = [x for x in numbers if x == x]  # nan where so few boards cannot tell
        assert finite == sorted(finite), row
        assert row["boards"] > 0, row
        assert row["sentence"].rstrip().endswith((".", "!")), row
        assert "nan" not in row["sentence"].split(), row
    text = (folder / "report.md").read_text(encoding="utf-8")
    for sentence in found["sentence"]:
        assert sentence in text


def test_the_controls_hold(folder: Path) -> None:
    found = pl.read_parquet(folder / "results" / "findings.parquet").filter(question="controls")
    of = {row["name"]: row for row in found.iter_rows(named=True)}
    zero = of["equal agents in duplicate"]
    assert zero["low"] == zero["estimate"] == zero["high"] == 0
    holds = of["95 % intervals that hold"]
    assert holds["low"] <= 0.95 <= holds["high"]
    planted = of["planted effect found"]
    assert planted["low"] <= 0.8 <= planted["high"]
    assert REPEATS == 200


def test_the_page_is_whole(folder: Path) -> None:
    text = (folder / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert not page.open
    sections = [attributes["id"] for attributes in page.all("section")]
    assert len(sections) == len(set(sections))
    assert set(sections) > COMMON
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for name in sections:
        part = text[text.index(f'<section id="{name}"') :]
        part = part[: part.index("</section>")]
        assert "<svg" in part
        assert "<table>" in part
    assert "//" not in re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    for attributes in page.all("svg"):
        assert len(attributes["aria-label"]) > 40


@needs_browser
def test_a_browser_draws_every_plot(folder: Path, tmp_path: Path) -> None:
    page = folder / "report.html"
    assert picture_of(page, tmp_path).stat().st_size > 100_000
    plots = plots_of(page, tmp_path)
    assert len(plots) == page.read_text(encoding="utf-8").count("<svg")
    for plot in plots:
        assert plot["width"] > 200
        assert plot["height"] > 50
        assert plot["drawn"] > 3
        assert plot["texts"] > 3


def test_a_study_that_was_interrupted_goes_on(folder: Path) -> None:
    before = (folder / "report.html").read_bytes()
    pieces = sorted((folder / "results" / "arms").glob("*/*.parquet"))
    pieces[0].unlink()
    assert main(["fairness", "--resume", str(folder)]) == 0
    assert (folder / "report.html").read_bytes() == before


def test_parts_of_any_size_give_the_same_findings(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = RunFolder.open(folder)
    study = Study(run.config(), run.config().make_game(), run, QUIET)

    def parts(played: Played, group: int = 1) -> Iterator[Part]:
        step = group * max(1, 17 // group)
        for k in range(0, played.boards, step):
            yield Part(played.game, played.numbers[k : k + step], played.tables, played.pieces)

    monkeypatch.setattr(Played, "parts", parts)
    found = findings_frame(answer_all(study))
    wanted = pl.read_parquet(folder / "results" / "findings.parquet")
    names, numbers = ["question", "name", "unit", "boards"], ["estimate", "low", "high"]
    assert_frame_equal(found.select(names), wanted.select(names))
    # Sums that are made in another order.
    assert_frame_equal(found.select(numbers), wanted.select(numbers), rel_tol=1e-8, abs_tol=1e-9)


def _config(**changes: object) -> dict[str, object]:
    fairness = {"ladder": LADDER, **changes}
    return {"name": "x", "game": {"env": "loop_boards-v0"}, "fairness": fairness}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ladder": LADDER[:3]}, "got 3 agents, allowed: at least 4, one for each seat"),
        ({"ladder": [*LADDER[:3], "gredy"]}, "no agent 'gredy'; did you mean 'greedy'?"),
        ({"ladder": [*LADDER, "greedy"]}, "'greedy' is there twice"),
        ({"others": ["random"]}, "'random' is there twice"),
        ({"boards": 5}, "fairness.boards: got 5, allowed"),
        (
            {"ladder": [*LADDER, {"name": "z", "checkpoint": "zoo:loop_boards-v0/dmc"}]},
            "got a checkpoint, allowed: named agents; 'others' takes checkpoints",
        ),
        ({"others": [{"name": "z", "checkpoint": "none.zip"}]}, "'none.zip', allowed: a file"),
        ({"others": [{"name": "planner", "noisy": "greedy", "epsilon": 0.1}]}, "no agent has"),
    ],
)
def test_what_cannot_be_studied_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        parse_config(_config(**changes))


def test_the_command_line_says_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fairness", "configs/loop_boards/heuristics.yaml"]) == 2
    assert "missing, but the verb 'fairness' needs it" in capsys.readouterr().err
    assert main(["fairness"]) == 2
    capsys.readouterr()


def test_a_game_that_gives_all_the_same_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # A board with a single marker is worth one point, whoever placed it.
    given = [
        *SMALL,
        "game.options.rounds=1",
        "fairness.ladder=[greedy, random, planner, {name: x, noisy: greedy, epsilon: 0.5}]",
        f"output={tmp_path / 'even'}",
    ]
    assert main(["fairness", "configs/fairness/loop_boards.yaml", *given]) == 1
    assert "nothing to study: all agents of the ladder have the same points" in (
        capsys.readouterr().err
    )


def test_committed_studies_are_whole() -> None:
    names = {path.stem for path in CONFIGS}
    assert names >= {"loop_boards", "loop_seats", "loopla", "loo_three_card", "loo_five_card"}
    for path in CONFIGS:
        assert load_config(path).fairness is not None
