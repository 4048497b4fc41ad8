"""What goes wrong in experiments on purpose; the command line prints it without a traceback."""

from __future__ import annotations


class ExperimentError(Exception):
    """Base class; the message is for the person who started the experiment."""


class ConfigError(ExperimentError, ValueError):
    """A configuration that is refused; nothing was created.

    Attributes:
        problems: (dotted path, what is wrong) for every problem.
    """

    def __init__(self, source: str, problems: list[tuple[str, str]]) -> None:
        self.problems = problems
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        lines = [f"  {path}: {text}" if path else f"  {text}" for path, text in problems]
        super().__init__("\n".join([f"{source}: {count}", *lines]))


class RunFolderError(ExperimentError):
    """A run folder that does not exist, is damaged, or is in use."""
