"""Imports point one way, and the library needs no more than it says."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import loop_envs

LIBRARY = Path(loop_envs.__file__).parent
REPOSITORY = LIBRARY.parent

# What each layer may import of the library when it is loaded; a package stands for its modules.
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "jit": {"errors"},
    "jit_policies": {"jit"},
    "bits": {"errors", "jit"},
    "cards": {"errors", "jit", "bits"},
    "deals": {"errors", "jit"},
    "assignments": {"errors", "jit", "deals"},
    "layout": {"errors", "jit"},
    "options": {"errors"},
    "kernels": {"errors", "jit", "jit_policies", "cards", "deals", "layout"},
    "policies": {"errors", "jit", "jit_policies", "bits", "cards", "deals", "layout", "kernels"},
    "loops": {"errors", "jit", "jit_policies", "bits", "cards", "deals"},
    "noise": {"jit", "jit_policies", "bits", "deals", "policies"},
    "noise_choice": {"noise", "policies"},
    "handicap": {"jit", "jit_policies", "bits", "policies"},
    "handicap_choice": {"handicap", "policies"},
    "game": {"errors", "jit", "cards", "deals", "layout", "options", "kernels", "policies"},
    "registry": {"errors", "game"},
    "climbing": {"errors", "jit", "bits", "cards", "deals"},
    "games": {
        "assignments", "climbing", "errors", "bits", "cards", "deals", "jit", "layout", "options",
        "game",
    },
    "records": {"errors", "jit", "deals", "layout", "options", "game", "registry"},
    "render": {"errors", "cards", "layout", "options", "game", "registry"},
    "duplicate": {"errors"},
}  # fmt: skip
MAY_IMPORT["envs"] = {*MAY_IMPORT["records"], "kernels", "policies"}
MAY_IMPORT["testing"] = {*MAY_IMPORT["envs"], "envs", "records"}
MAY_IMPORT["__main__"] = {*MAY_IMPORT["envs"], "envs", "records"}
MAY_IMPORT["__init__"] = {*MAY_IMPORT["envs"], "envs", "records"}

# Packages of others that each part may import at all, wherever the import stands.
OTHERS = {"numpy"}
MAY_USE: dict[str, set[str]] = {
    "jit": OTHERS | {"numba", "llvmlite"},
    "jit_policies": OTHERS | {"numba"},
    "bits": OTHERS | {"numba", "llvmlite"},
    "registry": OTHERS | {"gymnasium", "pettingzoo"},
    "envs": OTHERS | {"gymnasium", "pettingzoo"},
    "testing": OTHERS | {"gymnasium", "pettingzoo"},
    "duplicate": OTHERS | {"scipy", "polars", "openskill"},
    "render": OTHERS | {"matplotlib", "pygame"},
}


def modules() -> Iterator[tuple[str, Path, ast.Module]]:
    """(dotted name below the library, file, syntax tree) of every module."""
    for file in sorted(LIBRARY.rglob("*.py")):
        parts = file.relative_to(LIBRARY).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)
        yield name, file, ast.parse(file.read_text(encoding="utf-8"))


def imported(tree: ast.AST, loading: bool) -> Iterator[str]:
    """Dotted names that a module imports; `loading`: only those imported when it is loaded."""
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            pending += node.orelse
            continue
        if loading and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written in full"
            assert node.module is not None
            # What follows may be a module or a name in one; as a dotted name both are told apart.
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        pending += ast.iter_child_nodes(node)


def layers(tree: ast.Module, loading: bool) -> set[str]:
    """Layers of the library that a module imports."""
    found = set()
    for name in imported(tree, loading):
        parts = name.split(".")
        if parts[0] == "loop_envs":
            found.add(parts[1] if len(parts) > 1 else "__init__")
    return found


NAMES = [name for name, _, _ in modules()]
TREES = {name: tree for name, _, tree in modules()}
GAMES = sorted({name.split(".")[1] for name in NAMES if name.startswith("games.")})


def test_the_search_finds_what_there_is() -> None:
    assert {"errors", "jit", "__init__", "games.loop_boards.rules", "envs.aec"} <= set(NAMES)
    assert "loop_boards" in GAMES
    assert "deals" in layers(TREES["policies"], True)


@pytest.mark.parametrize("name", NAMES)
def test_imports_point_one_way(name: str) -> None:
    layer = name.split(".")[0]
    assert layer in MAY_IMPORT, f"{name}: a new layer needs a line in this test"
    allowed = MAY_IMPORT[layer] | ({layer} if "." in name or layer in TREES else set())
    wrong = layers(TREES[name], True) - allowed
    assert not wrong, f"{name} imports {sorted(wrong)}, which lie above it"


@pytest.mark.parametrize("name", NAMES)
def test_the_lowest_layers_do_not_import_upwards_even_in_functions(name: str) -> None:
    layer = name.split(".")[0]
    wrong = layers(TREES[name], False) - MAY_IMPORT[layer] - {layer}
    # A game that is unpickled finds its rules by name.
    assert wrong <= ({"registry"} if name == "game" else set())


@pytest.mark.parametrize("game", GAMES)
def test_games_do_not_import_each_other(game: str) -> None:
    for name in NAMES:
        if f"{name}.".startswith(f"games.{game}."):
            for other in imported(TREES[name], False):
                if other.startswith("loop_envs.games"):
                    assert other.startswith(f"loop_envs.games.{game}."), f"{name} imports {other}"


@pytest.mark.parametrize("name", [n for n in NAMES if not n.startswith("games.")])
def test_games_are_named_by_strings_only(name: str) -> None:
    for other in imported(TREES[name], False):
        assert not other.startswith("loop_envs.games."), f"{name} imports {other}"


@pytest.mark.parametrize("name", NAMES)
def test_packages_of_others_stay_in_their_places(name: str) -> None:
    layer = name.split(".")[0]
    allowed = MAY_USE.get(layer, OTHERS)
    for other in imported(TREES[name], False):
        top = other.split(".")[0]
        if top != "loop_envs" and top not in sys.stdlib_module_names:
            assert top in allowed, f"{name} imports {other}"


def test_few_modules_touch_numba() -> None:
    for name, tree in TREES.items():
        if name not in ("jit", "jit_policies", "bits"):
            for other in imported(tree, False):
                assert other.split(".")[0] not in ("numba", "llvmlite"), name


def test_the_library_knows_neither_agents_nor_experiments() -> None:
    for name, tree in TREES.items():
        tops = {other.split(".")[0] for other in imported(tree, False)}
        assert not tops & {"agents", "experiments", "tests"}, name


def test_agents_do_not_import_experiments() -> None:
    for file in sorted((REPOSITORY / "agents").rglob("*.py")):
        tops = {other.split(".")[0] for other in imported(ast.parse(file.read_text()), False)}
        assert not tops & {"experiments", "tests"}, file


def test_importing_the_library_loads_nothing_heavy() -> None:
    script = """
import sys
import loop_envs
loop_envs.load_game("loop_boards-v0")
heavy = ("torch", "stable_baselines3", "sb3_contrib", "pygame", "matplotlib", "polars", "pandas",
         "tensorboard", "jax", "pydantic", "rich", "agents", "experiments", "loop_envs.duplicate",
         "loop_envs.testing")
print([name for name in heavy if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=REPOSITORY
    )
    assert done.stdout == "[]\n"


def test_every_module_can_be_imported_first() -> None:
    # No hidden order of imports: each module alone, in one process after another.
    names = [f"loop_envs.{name}" for name in NAMES if name not in ("__init__", "__main__", "loops")]
    script = f"""
import importlib, sys
for name in {names!r}:
    for known in [m for m in sys.modules if m.split(".")[0] == "loop_envs"]:
        del sys.modules[known]
    importlib.import_module(name)
"""
    subprocess.run([sys.executable, "-c", script], check=True, cwd=REPOSITORY, capture_output=True)
