"""Duplicate scoring: the same deals played by several line-ups, and what the scores say.

Pure functions of numbers and tables; nothing here knows a game. Needs the `train` extra (polars
and scipy).
"""

from loop_envs.duplicate.movements import cyclic
from loop_envs.duplicate.statistics import Interval, mean_interval
from loop_envs.duplicate.tables import agent_table, pair_table

__all__ = ["Interval", "agent_table", "cyclic", "mean_interval", "pair_table"]
