"""The study of loop_boards: travelling hands, the marker rule, and what hurting others is worth."""

from experiments.fairness.games.loop_boards.study import STUDY

__all__ = ["STUDY"]
