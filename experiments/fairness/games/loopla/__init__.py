"""The study of loopla: first player, direction, target, and what follows a fall."""

from experiments.fairness.games.loopla.study import STUDY

__all__ = ["STUDY"]
