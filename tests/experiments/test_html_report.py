from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.console import Console

from experiments.config import Config, parse_config
from experiments.progress import Progress
from experiments.report import marked_up, plus_minus
from experiments.runfolder import RunFolder
from experiments.tournament import play
from tests.experiments.browser import needs_browser, picture_of, plots_of
from tests.experiments.helpers import config_values

SECTIONS = ["ranking", "ratings", "pairs", "cycles", "seats", "boards", "convergence"]
VOID = {"meta", "link", "br", "img", "hr", "input"}


class Page(HTMLParser):
    """Reads a page, and sees to it that every element is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


def make_config() -> Config:
    values = config_values(train=False)
    weak = {"name": "weak.$a_b^2$", "noisy": "greedy", "epsilon": 0.5}
    weak["name"] = "weak_1+2"
    values["tournament"] |= {"agents": ["random", "greedy", weak], "boards": 30}
    values["tournament"]["stop"] = {"looks": 1}
    return parse_config(values)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    config = make_config()
    made = RunFolder.create(tmp_path_factory.mktemp("html"), config, ["test"])
    play(config, config.make_game(), made, Progress(Console(quiet=True)))
    return made


@pytest.fixture(scope="module")
def text(folder: RunFolder) -> str:
    return (folder.path / "report.html").read_text(encoding="utf-8")


def test_every_section_is_there_with_plots_and_tables(text: str) -> None:
    page = Page(text)
    assert not page.open
    sections = [attributes["id"] for attributes in page.all("section")]
    assert sections == ["stopping", *SECTIONS]
    links = [attributes["href"] for attributes in page.all("a")]
    assert links == [f"#{name}" for name in sections]
    for name in SECTIONS:
        part = text[text.index(f'<section id="{name}"') :]
        part = part[: part.index("</section>")]
        assert "<svg" in part
        assert "<table>" in part
        assert "weak_1+2" in part
    assert len(page.all("svg")) == 11
    assert "nan" not in re.sub(r"<style.*?</style>", "", html.unescape(text)).split()


def test_plots_can_be_read_by_those_who_cannot_see_them(text: str) -> None:
    page = Page(text)
    for attributes in page.all("svg"):
        assert attributes["role"] == "img"
        assert len(attributes["aria-label"]) > 40
    labels = " ".join(attributes["aria-label"] for attributes in page.all("svg"))
    assert re.search(r"weak_1\+2 [+-]\d\.\d\d ± \d\.\d\d", labels)
    assert all("scope" in attributes for attributes in page.all("th"))
    assert len(page.all("caption")) == len(page.all("table"))
    assert page.all("html") == [{"lang": "en"}]


def test_nothing_is_referred_to_outside(text: str) -> None:
    assert "http:" not in text
    assert "https:" not in text
    assert "//" not in re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    page = Page(text)
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for tag, attributes in page.elements:
        assert tag not in ("script", "img", "iframe", "object", "embed", "base")
        for name, value in attributes.items():
            if name in ("href", "xlink:href", "src"):
                assert value == "data:," or value[1:] in ids
            for target in re.findall(r"url\((.*?)\)", value):
                assert target[0] == "#"
                assert target[1:] in ids


def test_texts_take_the_colour_of_the_page(text: str) -> None:
    assert "prefers-color-scheme: dark" in text
    assert "currentColor" in text
    assert "#010203" not in text
    for style in re.findall(r'<text[^>]* style="([^"]*)"', text):
        assert "fill: currentColor" in style
        assert "sans-serif" in style


def test_marks_become_elements_and_nothing_else_does() -> None:
    assert marked_up("**a** & *b* <i>") == "<strong>a</strong> &amp; <em>b</em> &lt;i&gt;"
    assert plus_minus(1, 0.5, 1.5) == "+1.00 ± 0.50"
    assert plus_minus(1, float("nan"), float("nan")) == "+1.00 ± –"


@needs_browser
def test_a_browser_draws_it_without_complaint(folder: RunFolder, tmp_path: Path) -> None:
    page = folder.path / "report.html"
    assert picture_of(page, tmp_path).stat().st_size > 100_000
    plots = plots_of(page, tmp_path)
    assert len(plots) == 11
    for plot in plots:
        assert plot["width"] > 200
        assert plot["height"] > 50
        assert plot["drawn"] > 3
        assert plot["texts"] > 3
