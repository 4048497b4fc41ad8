"""Binds the generic loops of `loops.py` to one game's compiled rules.

A loop that is made by a factory, or that takes functions as arguments, misses numba's on-disk
cache in every new process; a loop that finds its functions in its module's globals does not.
So `loops.py` is loaded once per game under a name of its own, with the game's functions put into
its globals and a cache folder to itself.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from loop_envs import jit
from loop_envs.jit_policies import PolicyLoop

RULES = ("deal", "start", "legal", "step", "observe", "resample", "places")
MAX_POLICIES = 8

log = logging.getLogger("loop_envs")


@lru_cache(maxsize=None)
def _load(name: str, rules_module: str) -> ModuleType:
    rules = importlib.import_module(rules_module)
    module_name = f"loop_envs.loops_of_{name}"
    module = jit.load_copy(Path(__file__).with_name("loops.py"), module_name)
    for function in RULES:
        module.__dict__[f"rules_{function}"] = getattr(rules, function)
    return module


class Kernels:
    """The compiled loops of one game, by name; see `loops.py` for what each does."""

    def __init__(self, name: str, rules_module: str) -> None:
        self._name = name
        self._module = _load(name, rules_module)
        self._with_policies: dict[str, PolicyLoop] = {}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or not hasattr(self._module, name):
            raise AttributeError(f"no loop {name!r}")
        function: Callable[..., Any] = getattr(self._module, name)
        self.__dict__[name] = function
        return function

    def with_policies(self, name: str, *arguments: Any) -> Any:
        """Calls a loop whose arguments include a tuple of policies."""
        if name not in self._with_policies:
            function = getattr(self._module, name)
            self._with_policies[name] = PolicyLoop(function, self._module.__name__)
        return self._with_policies[name](*arguments)


@lru_cache(maxsize=None)
def _kernels(name: str, rules_module: str) -> Kernels:
    return Kernels(name, rules_module)


def bind(name: str, rules_module: str) -> Kernels:
    """The loops of a game; one set serves every option, since all states share a dtype."""
    kernels = _kernels(name, rules_module)
    if jit.is_new_cache():
        log.warning("compiling for first use; this takes some seconds once")
    return kernels
