"""Compilation: the decorators and their on-disk cache.

This is the only module that compiles. Numba's own cache looks at the time stamp of one
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
import inspect
import os
import platform
import re
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

import llvmlite.binding as llvm
import numba
import numpy as np
from numba import types

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
    return _compile(function)


def inlined(function: F) -> F:
    """Like `compiled`, for small functions that must not cost a call: arrays are passed by value,
    member by member, so a call can cost more than what is done in it."""
    return _compile(function, inline=True)


def allocating(function: F) -> F:
    """Like `compiled`, for functions that make arrays."""
    return _compile(function, memory=True)


def _compile(
    function: F,
    signature: Any = None,
    subfolder: str = "",
    inline: bool = False,
    memory: bool = False,
    pointer: bool = False,
    package: Path | None = None,
) -> F:
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
            # Only functions that are called by their address need one; each costs compile time.
            no_cfunc_wrapper=not pointer,
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
        signature: Compile at once for exactly these types; needed where policies are arguments.
        inline: See `inlined`.
    """
    return _compile(function, signature, subfolder, inline)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    # Numba calls function pointers experimental; that is not the user's concern.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", numba.errors.NumbaExperimentalFeatureWarning)
        yield


# Types of a policy `choose(tables, observation, mask, key) -> action`, see policies.py.
TABLES = types.Array(types.int32, 1, "C")
POLICY = types.FunctionType(
    types.int64(
        TABLES, types.Array(types.int8, 1, "C"), types.Array(types.int8, 1, "C"), types.uint64
    )
)


def policy_around(file: Path, kind: str, inner: Any) -> Any:
    """The compiled `choose` of a module that calls another policy's choice, `inner_choose`.

    The module is loaded once for every inner choice. If it has a function `decide`, which `choose`
    calls, that one may make arrays.

    Args:
        file: The module's file; nothing in it is compiled when it is loaded, for the copies'
            caches would meet.
        kind: What tells its copies from those of other modules.
        inner: The compiled inner choice.
    """
    of = f"{inner.__module__}.{inner.__qualname__}".replace(".", "_")
    module = load_copy(file, f"{__package__}.{kind}_of_{of}")
    own = module.__dict__
    own["inner_choose"] = inner
    package = Path(inspect.getfile(getattr(inner, "py_func", inner)))
    if "decide" in own:
        own["decide"] = _compile(
            own["decide"], subfolder=module.__name__, memory=True, package=package
        )
    return compile_policy(own["choose"], module.__name__, package)


def compile_policy(function: F, subfolder: str = "", package: Path | None = None) -> F:
    """Compiles `choose(tables, observation, mask, key) -> action` so that loops can call it.

    Args:
        function: The function.
        subfolder: See `compiled_in`.
        package: File of a module of another package whose code it calls, so that a change there
            compiles it afresh.
    """
    if DISABLED:
        return function
    dispatcher: Any = _compile(function, subfolder=subfolder, pointer=True, package=package)
    with _quiet():
        dispatcher.compile(POLICY.signature)
    return cast(F, dispatcher)


class PolicyLoop:
    """A function one of whose arguments is a tuple of policies, compiled on its first call.

    It is compiled for function pointers, not for the functions themselves, so that one compiled
    and cached version serves all policies.

    Args:
        function: The function.
        subfolder: See `compiled_in`.
    """

    def __init__(self, function: Callable[..., Any], subfolder: str = "") -> None:
        self._function = function
        self._subfolder = subfolder
        self._compiled: Callable[..., Any] | None = function if DISABLED else None

    def __call__(self, *arguments: Any) -> Any:
        """Calls the function."""
        if self._compiled is None:
            with _quiet():
                signature = tuple(_argument_type(argument) for argument in arguments)
                loop: Any = compiled_in(self._subfolder, self._function, signature)
            # The entry point itself: it checks its arguments, but does not look for a version
            # that fits them, which would warn at every call.
            (version,) = loop.overloads.values()
            self._compiled = version.entry_point
        assert self._compiled is not None
        return self._compiled(*arguments)


def _argument_type(argument: Any) -> Any:
    if isinstance(argument, tuple) and callable(argument[0]):
        return types.UniTuple(POLICY, len(argument))
    return numba.typeof(argument)
