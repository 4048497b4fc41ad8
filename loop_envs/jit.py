"""Compilation: the decorators and their on-disk cache.

All compiling goes through this module. Numba's own cache looks at the time stamp of one
file and does not notice that a function which was inlined from another file has changed. Here
the cache folder is named by a hash of all sources of the function's top-level package and of
this library, the numba version, the Python version and the processor: any change starts afresh.

Environment variables:
    LOOP_ENVS_CACHE_DIR: where compiled code is kept (default: the user's cache folder; a
        temporary folder where that cannot be written).
    NUMBA_DISABLE_JIT=1: everything runs as plain Python, for debugging and coverage.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

import llvmlite.binding as llvm
import numba
import numpy as np

Int = int | np.integer[Any]
"""Integers as compiled functions take them: the width matters to the machine, not to a reader."""
F = TypeVar("F", bound=Callable[..., Any])

ZERO, ONE = np.int64(0), np.int64(1)
"""For arguments: numba compiles a function once more for every literal that it is given."""
DISABLED: bool = bool(numba.config.DISABLE_JIT)
KEPT_CACHES = 8
"""How many older cache folders survive; each is a few megabytes."""

_LIBRARY = Path(__file__).resolve().parent
_new_caches: set[bool] = set()


def is_new_cache() -> bool:
    """Whether this process made a new cache folder; says so once, for a notice to the user."""
    new = True in _new_caches
    _new_caches.discard(True)
    return new


def cache_root() -> Path:
    """Returns the folder that holds all compiled code, created if need be."""
    named = os.environ.get("LOOP_ENVS_CACHE_DIR")
    choices = [Path(named)] if named else []
    if not named:
        with contextlib.suppress(RuntimeError):  # a user without a home
            base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
            choices.append(Path(base) / "loop_envs")
    # A folder of one's own: what lies in it is run.
    user = os.getuid() if hasattr(os, "getuid") else "user"
    choices.append(Path(tempfile.gettempdir()) / f"loop_envs-{user}")
    for folder in choices:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    raise OSError(f"no folder for compiled code can be written: tried {choices}")


def _hash_sources(digest: Any, root: Path) -> None:
    files = sorted(root.rglob("*.py")) if root.is_dir() else [root]
    for file in files:
        digest.update(str(file.relative_to(root)).encode())
        digest.update(file.read_bytes())


def _package_root(file: Path) -> Path:
    """The outermost package folder that holds `file`, or the file itself for a script."""
    root = file
    while (root.parent / "__init__.py").exists():
        root = root.parent
    return root


@lru_cache(maxsize=None)
def _cache_folder(package: Path) -> Path:
    digest = hashlib.sha256()
    for root in sorted({_LIBRARY, package}):
        _hash_sources(digest, root)
    processor = (llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    digest.update(repr((numba.__version__, sys.version, platform.machine(), processor)).encode())
    folder = cache_root() / f"{package.stem}-{digest.hexdigest()[:20]}"
    _new_caches.add(not folder.exists())
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    _forget_old(folder)
    return folder


def _forget_old(current: Path) -> None:
    """Removes the caches of long-gone versions; another process may do the same meanwhile."""
    with contextlib.suppress(OSError):
        # Only what has the name of such a folder: the place may hold other things as well.
        others = [
            f
            for f in current.parent.iterdir()
            if re.fullmatch(r".+-[0-9a-f]{20}", f.name) and f.is_dir() and f != current
        ]
        others.sort(key=lambda f: f.stat().st_mtime, reverse=True)
        for old in others[KEPT_CACHES:]:
            shutil.rmtree(old, ignore_errors=True)


@contextlib.contextmanager
def _numba_cache(folder: Path) -> Iterator[None]:
    # A dispatcher fixes its cache folder when it is made, so the setting is changed for just
    # that moment, and other people's numba code keeps its own.
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


def compiled(function: F) -> F:
    """Compiles a function on first use, without the GIL, and caches it on disk.

    Args:
        function: A function in numba's nopython subset. Functions it calls must be found in its
            module's globals (closures and functions passed as arguments miss the cache).

    Returns:
        The compiled function, or `function` itself under ``NUMBA_DISABLE_JIT=1``.
    """
    return compile_function(function)


def inlined(function: F) -> F:
    """Like `compiled`, for small functions that must not cost a call: arrays are passed by value,
    member by member, so a call can cost more than what is done in it."""
    return compile_function(function, inline=True)


def allocating(function: F) -> F:
    """Like `compiled`, for functions that make arrays."""
    return compile_function(function, memory=True)


def compile_function(
    function: F,
    signature: Any = None,
    subfolder: str = "",
    inline: bool = False,
    memory: bool = False,
    package: Path | None = None,
) -> F:
    """Like `compiled`, with everything that can be chosen.

    Args:
        function: The function.
        signature: Compile at once for exactly these types.
        subfolder: See `compiled_in`.
        inline: See `inlined`.
        memory: See `allocating`.
        package: A file of the package whose changes compile it afresh, if not the function's own.
    """
    if DISABLED:
        return function
    file = package or Path(function.__code__.co_filename)
    folder = _cache_folder(_package_root(file.resolve()))
    with _numba_cache(folder / subfolder if subfolder else folder):
        arguments = () if signature is None else (signature,)
        decorate = numba.njit(
            *arguments,
            cache=True,
            nogil=True,
            error_model="numpy",
            forceinline=inline,
            _nrt=memory,
            no_cfunc_wrapper=True,  # an address for C, which costs compile time
        )
        return cast(F, decorate(function))


def load_copy(file: Path, name: str) -> ModuleType:
    """Loads a module once more under a name of its own, to put functions into its globals.

    A compiled function keeps its place in the on-disk cache only if it finds the functions that it
    calls in its module's globals.

    Args:
        file: The module's file.
        name: Dotted name of the copy; also the name for its cache, see `compiled_in`.
    """
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def compiled_in(subfolder: str, function: F, signature: Any = None, inline: bool = False) -> F:
    """Compiles a function of a module that is loaded several times under different names.

    Args:
        subfolder: A name of its own for each loaded copy, so that their caches do not meet.
        function: The function.
        signature: Compile at once for exactly these types.
        inline: See `inlined`.
    """
    return compile_function(function, signature, subfolder, inline)
