"""Compilation: the one decorator, its on-disk cache, and a few one-instruction helpers.

This is the only module that talks to numba. Numba's own cache looks at the time stamp of one
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
import os
import platform
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

Int = int | np.integer[Any]
"""Integers as compiled functions take them: the width matters to the machine, not to a reader."""
F = TypeVar("F", bound=Callable[..., Any])

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
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    choices = [Path(named)] if named else [Path(base) / "loop_envs"]
    choices.append(Path(tempfile.gettempdir()) / f"loop_envs-{os.getuid()}")
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
        others = [f for f in current.parent.iterdir() if f.is_dir() and f != current]
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
) -> F:
    if DISABLED:
        return function
    folder = _cache_folder(_package_root(Path(function.__code__.co_filename).resolve()))
    with _numba_cache(folder / subfolder if subfolder else folder):
        arguments = () if signature is None else (signature,)
        decorate = numba.njit(
            *arguments,
            cache=True,
            nogil=True,
            error_model="numpy",
            forceinline=inline,
            _nrt=memory,
        )
        return cast(F, decorate(function))


def compiled_in(subfolder: str, function: F, signature: Any = None) -> F:
    """Compiles a function of a module that is loaded several times under different names.

    Args:
        subfolder: A name of its own for each loaded copy, so that their caches do not meet.
        function: The function.
        signature: Compile at once for exactly these types; needed where policies are arguments.
    """
    return _compile(function, signature, subfolder)


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


def compile_policy(function: F) -> F:
    """Compiles `choose(tables, observation, mask, key) -> action` so that loops can call it."""
    if DISABLED:
        return function
    dispatcher: Any = _compile(function)
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


if DISABLED:

    def write64(array: np.ndarray, index: Int, word: Int) -> None:
        """Writes the 64 bits of a word as 64 bytes of 0 or 1 at `index` of an int8 vector."""
        array[index : index + 64] = np.uint64(word) >> np.arange(64, dtype=np.uint64) & np.uint64(1)

    def write16(array: np.ndarray, index: Int, word: Int) -> None:
        """Writes the low 16 bits of a word as 16 bytes of 0 or 1 at `index` of an int8 vector."""
        array[index : index + 16] = int(word) >> np.arange(16) & 1

    def load8(array: np.ndarray, index: Int) -> np.uint64:
        """Reads 8 bytes (little-endian) at `index` of an int8 vector."""
        return cast(np.uint64, array[index : index + 8].copy().view(np.uint64)[0])

    def row(array: np.ndarray, index: Int) -> np.ndarray:
        """A row of a C-contiguous matrix, borrowed."""
        return cast(np.ndarray, array[index])

    def word64(array: np.ndarray, index: Int) -> np.uint64:
        """The 64-bit word number `index` of an array's memory, whatever its element type."""
        return cast(np.uint64, array.reshape(-1).view(np.uint64)[index])

    def ones(word: Int) -> int:
        """Number of one bits of a word of at most 64 bits."""
        return int(word).bit_count()

    def lowest_bit(word: Int) -> int:
        """Index of the lowest one bit of a non-zero word."""
        return (int(word) & -int(word)).bit_length() - 1

    def highest_bit(word: Int) -> int:
        """Index of the highest one bit of a non-zero word."""
        return int(word).bit_length() - 1

else:

    def _bits_to_bytes(width: int) -> Any:
        # A vector of single bits, widened: a few instructions on any processor.
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = cgutils.create_struct_proxy(signature.args[0])(
                context, builder, arguments[0]
            ).data
            spot = builder.gep(data, [arguments[1]])
            bits = arguments[2]
            if width < 64:
                bits = builder.trunc(bits, ir.IntType(width))
            lanes = builder.bitcast(bits, ir.VectorType(ir.IntType(1), width))
            values = builder.zext(lanes, ir.VectorType(ir.IntType(8), width))
            builder.store(values, builder.bitcast(spot, values.type.as_pointer()), align=1)
            return context.get_dummy_value()

        return generate

    @intrinsic  # type: ignore[untyped-decorator]
    def write64(typingctx: Any, array: Any, index: Any, word: Any) -> Any:
        """Writes the 64 bits of a word as 64 bytes of 0 or 1 at `index` of an int8 vector.

        Not bounds-checked.
        """
        return types.none(array, types.intp, types.uint64), _bits_to_bytes(64)

    @intrinsic  # type: ignore[untyped-decorator]
    def write16(typingctx: Any, array: Any, index: Any, word: Any) -> Any:
        """Writes the low 16 bits of a word as 16 bytes of 0 or 1 at `index` of an int8 vector.

        Not bounds-checked.
        """
        return types.none(array, types.intp, types.uint64), _bits_to_bytes(16)

    @intrinsic  # type: ignore[untyped-decorator]
    def load8(typingctx: Any, array: Any, index: Any) -> Any:
        """Reads 8 bytes (little-endian) at `index` of an int8 vector; not bounds-checked."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = cgutils.create_struct_proxy(signature.args[0])(
                context, builder, arguments[0]
            ).data
            spot = builder.gep(data, [arguments[1]])
            return builder.load(builder.bitcast(spot, ir.IntType(64).as_pointer()), align=1)

        return types.uint64(array, types.intp), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def row(typingctx: Any, array: Any, index: Any) -> Any:
        """A row of a C-contiguous matrix, borrowed: no reference is counted.

        ``array[index]`` counts two references, atomically; with two threads on one array that
        costs more than a whole observation. The matrix must outlive the row.
        """
        result = types.Array(array.dtype, 1, "C")

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            whole = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0])
            _, length = cgutils.unpack_tuple(builder, whole.shape)
            start = builder.mul(arguments[1], length)
            part = cgutils.create_struct_proxy(result)(context, builder)
            part.data = builder.gep(whole.data, [start])
            part.nitems = length
            part.itemsize = whole.itemsize
            part.shape = cgutils.pack_array(builder, [length])
            part.strides = cgutils.pack_array(builder, [whole.itemsize])
            part.meminfo = ir.Constant(part.meminfo.type, None)
            part.parent = ir.Constant(part.parent.type, None)
            return part._getvalue()

        return result(array, types.intp), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def word64(typingctx: Any, array: Any, index: Any) -> Any:
        """The 64-bit word number `index` of an array's memory, whatever its element type."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array_type, array = signature.args[0], arguments[0]
            data = cgutils.create_struct_proxy(array_type)(context, builder, array).data
            words = builder.bitcast(data, ir.IntType(64).as_pointer())
            return builder.load(builder.gep(words, [arguments[1]]), align=1)

        return types.uint64(array, types.intp), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def ones(typingctx: Any, word: Any) -> Any:
        """Number of one bits of a word of at most 64 bits."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.int64(types.uint64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def lowest_bit(typingctx: Any, word: Any) -> Any:
        """Index of the lowest one bit of a non-zero word."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.uint64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def highest_bit(typingctx: Any, word: Any) -> Any:
        """Index of the highest one bit of a non-zero word."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            zeros = builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 1))
            return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)

        return types.int64(types.uint64), generate
