"""Executes notebooks the same way for the tests and for `make notebooks`.

``python -m tests.notebooks.executing [FILE ...]`` replaces the outputs of the given notebooks, or
of all. What is written besides does not depend on when, where or in which version it was done.
"""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode
from traitlets import default

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTICE = "compiling for first use"
"""Begins what a process with an empty cache says on standard error."""
TIMEOUT = 600
"""Seconds that one cell may take, compilation included."""


class _OwnKernel(AsyncKernelManager):
    """The kernel of the running interpreter, whichever kernels are installed elsewhere."""

    @default("kernel_spec_manager")
    def _kernel_spec_manager_default(self) -> KernelSpecManager:
        return KernelSpecManager(kernel_dirs=[])

    @default("transport_encryption")
    def _transport_encryption_default(self) -> str:
        return "auto"  # without it newer kernels print a warning


def notebooks() -> list[Path]:
    """All notebooks, in order."""
    return sorted(FOLDER.glob("*.ipynb"))


def read(path: Path) -> NotebookNode:
    """A notebook as it is in its file."""
    with path.open(encoding="utf-8") as file:
        notebook = nbformat.read(file, as_version=4)  # type: ignore[no-untyped-call]
    return cast(NotebookNode, notebook)


def execute(given: NotebookNode) -> NotebookNode:
    """Executes a notebook in a fresh kernel, in the folder in which Jupyter would start it.

    Args:
        given: The notebook; it is not changed.

    Returns:
        The same with new outputs.

    Raises:
        CellExecutionError: If a cell fails.
    """
    notebook = copy.deepcopy(given)
    client = NotebookClient(
        notebook,
        timeout=TIMEOUT,
        kernel_manager_class=_OwnKernel,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(FOLDER)}},
    )
    with TemporaryDirectory() as empty:
        environment = os.environ | {
            "IPYTHONDIR": empty,  # nobody's start-up files, and no history
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        }
        client.execute(env=environment)
    # What the kernel says about itself changes with every version of Python.
    notebook.metadata = given.metadata
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if not _is_notice(output)]
    return notebook


def _is_notice(output: NotebookNode) -> bool:
    if output.output_type != "stream" or output.name != "stderr":
        return False
    return all(line.startswith(NOTICE) for line in output.text.splitlines())


def main(files: Sequence[str]) -> int:
    """Executes notebooks in place.

    Args:
        files: The notebooks; all of them if there are none.

    Returns:
        Exit status 0.
    """
    for path in [Path(file) for file in files] or notebooks():
        done = execute(read(path))
        with path.open("w", encoding="utf-8") as file:
            nbformat.write(done, file)  # type: ignore[no-untyped-call]
        print(path.name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
