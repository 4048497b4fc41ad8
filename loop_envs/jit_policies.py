"""Policies as compiled code: made so that loops can call them by their addresses, and called.

A policy is compiled by itself, and loops know nothing of it but where its machine code is. So a new
policy costs no new loop, and calling a loop costs microseconds, whoever plays.
"""

from __future__ import annotations

import contextlib
import inspect
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba import types
from numba.core import cgutils

from loop_envs.jit import DISABLED, compile_function, compiled_in, load_copy

F = TypeVar("F", bound=Callable[..., Any])


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
        own["decide"] = compile_function(
            own["decide"], subfolder=module.__name__, memory=True, package=package
        )
    return compile_policy(own["choose"], module.__name__, package)


def compile_policy(function: F, subfolder: str = "", package: Path | None = None) -> F:
    """Compiles `choose(tables, observation, mask, key) -> action` so that loops can call it.

    Args:
        function: The function.
        subfolder: See `jit.compiled_in`.
        package: File of a module of another package whose code it calls, so that a change there
            compiles it afresh.
    """
    if DISABLED:
        return function
    dispatcher: Any = compile_function(function, subfolder=subfolder, package=package)
    with _quiet():
        dispatcher.compile(POLICY.signature)
    return cast(F, dispatcher)


@lru_cache(maxsize=4096)
def _address_of(policy: Any) -> int:
    """Where the machine code of a compiled policy is, for calls from compiled code."""
    if not hasattr(policy, "get_compile_result"):
        raise TypeError(f"policy: got {policy!r}, allowed: what compile_policy has made")
    version = policy.get_compile_result(POLICY.signature)
    return int(version.library.get_pointer_to_function(version.fndesc.llvm_func_name))


def _functions_at(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    found = []
    for k in range(signature.return_type.count):
        function = cgutils.create_struct_proxy(POLICY)(context, builder)
        null = context.get_constant_null(types.voidptr)
        address = builder.extract_value(arguments[0], k)
        function.c_addr, function.py_addr = null, null
        function.jit_addr = builder.inttoptr(address, null.type)
        found.append(function._getvalue())
    return context.make_tuple(builder, signature.return_type, found)


def _type_policies_at(context: Any, addresses: Any) -> Any:
    return types.UniTuple(POLICY, addresses.count)(addresses), _functions_at


def _same(policies: Any) -> Any:
    return policies


policies_at: Any = _same if DISABLED else numba.extending.intrinsic(_type_policies_at)
"""In a loop that is called as a `PolicyLoop`: its policies as functions, from its first argument.

Numba can take functions as arguments, too, but finds their addresses again at every call, which
takes longer than many a loop."""


class PolicyLoop:
    """A function whose first argument is a tuple of policies, compiled on its first call.

    It is compiled for addresses of functions, not for the functions themselves, so that one
    compiled and cached version serves all policies.

    Args:
        function: The function; it uses `policies_at`.
        subfolder: See `jit.compiled_in`.
    """

    def __init__(self, function: Callable[..., Any], subfolder: str = "") -> None:
        self._function = function
        self._subfolder = subfolder
        self._compiled: Callable[..., Any] | None = None

    def __call__(self, policies: tuple[Any, ...], *arguments: Any) -> Any:
        """Calls the function."""
        if DISABLED:
            return self._function(policies, *arguments)
        addresses = tuple(map(_address_of, policies))
        if self._compiled is None:
            with _quiet():
                signature = tuple(numba.typeof(x) for x in (addresses, *arguments))
                loop: Any = compiled_in(self._subfolder, self._function, signature)
            # The entry point itself: it checks its arguments, but does not look for a version
            # that fits them.
            (version,) = loop.overloads.values()
            self._compiled = version.entry_point
        assert self._compiled is not None
        return self._compiled(addresses, *arguments)
