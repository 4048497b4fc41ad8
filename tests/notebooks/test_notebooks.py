"""Notebooks run, and the outputs in their files are those of their code."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from tests.notebooks.executing import FOLDER, execute, notebooks, read

MOST_BYTES = 400_000
AGAIN = "; `make notebooks` executes all of them in place"
ABSOLUTE = re.compile(r"""(?<![\w.:/<)\]*~-])/(?!/)[A-Za-z_][\w.-]*/|\b[A-Za-z]:\\""")
"""What looks like an absolute path: /a/b, but neither a relative one nor a part of an address."""
ALL = pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)


def _code(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _texts(cell: NotebookNode) -> dict[str, str]:
    """What a cell shows, by kind of output; all but pictures as text."""
    shown: dict[str, str] = {}
    for output in cell.outputs:
        if output.output_type == "stream":
            found = {output.name: output.text}
        elif output.output_type == "error":
            found = {"error": output.evalue}
        else:
            found = dict(output.data)
        for kind, text in found.items():
            shown[kind] = shown.get(kind, "") + ("" if kind.startswith("image/") else str(text))
    return shown


def test_there_are_notebooks_and_the_folder_s_readme_names_all() -> None:
    assert notebooks()
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\(([^)]+\.ipynb)\)", readme)) == {path.name for path in notebooks()}


@ALL
def test_files_are_small_and_of_the_present_format(path: Path) -> None:
    notebook = read(path)
    assert path.stat().st_size < MOST_BYTES
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    nbformat.validate(notebook)
    assert set(notebook.metadata) == {"kernelspec"}
    assert notebook.metadata.kernelspec.name == "python3"
    assert all(set(cell.metadata) <= {"tags"} for cell in notebook.cells)


@ALL
def test_committed_outputs_are_those_of_one_execution_without_complaints(path: Path) -> None:
    cells = _code(read(path))
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        assert not {"stderr", "error"} & set(_texts(cell)), cell.id
        results = [o for o in cell.outputs if o.output_type == "execute_result"]
        assert all(o.execution_count == cell.execution_count for o in results), cell.id


@ALL
def test_nothing_tells_where_it_was_executed(path: Path) -> None:
    for cell in read(path).cells:
        texts = [cell.source]
        if cell.cell_type == "code":
            texts += _texts(cell).values()
        for text in texts:
            assert not ABSOLUTE.search(text), (cell.id, text)
            assert str(FOLDER.parent) not in text, cell.id
            assert "\x1b" not in text, cell.id


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("saved to /home/somebody/run", True),
        ("['/tmp/x/run']", True),
        ("C:\\Users\\somebody", True),
        ("https://example.org/a/b", False),
        ("../docs/training.md", False),
        ("</div><br/>", False),
        ("1,000 decisions/s", False),
    ],
)
def test_what_is_taken_for_an_absolute_path(text: str, found: bool) -> None:
    assert bool(ABSOLUTE.search(text)) == found


@ALL
def test_notebook_runs_and_shows_what_its_file_says(path: Path) -> None:
    committed = read(path)
    for old, new in zip(_code(committed), _code(execute(committed)), strict=True):
        expected, shown = _texts(old), _texts(new)
        assert set(shown) == set(expected), f"{path.name}, cell {old.id}{AGAIN}"
        # Measured times, and what trained networks do, differ from one processor to the next.
        if "varies" not in old.metadata.get("tags", []):
            assert shown == expected, f"{path.name}, cell {old.id}{AGAIN}"
