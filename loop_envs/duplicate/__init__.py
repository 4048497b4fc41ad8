"""Duplicate scoring: the same deals played by several line-ups, and what the scores say.

Pure functions of numbers and tables; nothing here knows a game. Needs the `train` extra (scipy).
"""

from loop_envs.duplicate.movements import cyclic
from loop_envs.duplicate.statistics import Interval, mean_interval

__all__ = ["Interval", "cyclic", "mean_interval"]
