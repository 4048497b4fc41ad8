"""Exceptions of the library. Every one says what was given and what is allowed."""

from __future__ import annotations


class LoopEnvsError(Exception):
    """Base class of all errors that the library raises on purpose."""


class OptionError(LoopEnvsError, ValueError):
    """An option's name, type or value is refused; nothing was built."""


class UnknownEnvError(LoopEnvsError, KeyError):
    """No environment has this id."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument, which garbles a sentence.
        return str(self.args[0]) if self.args else ""


class IllegalActionError(LoopEnvsError, ValueError):
    """An action that the rules do not allow now; the match has not changed."""


class ResetNeededError(LoopEnvsError, RuntimeError):
    """The environment was used before `reset`, or after the match was over."""


class SeedError(LoopEnvsError, ValueError):
    """A seed or a board number outside its range."""


class RecordError(LoopEnvsError, ValueError):
    """A game record that is malformed or does not follow the rules.

    Attributes:
        event: Index of the offending event, or None if the record as a whole is at fault.
    """

    def __init__(self, reason: str, event: int | None = None) -> None:
        super().__init__(reason if event is None else f"event {event}: {reason}")
        self.event = event
