"""Rule-based players of loop_boards: `greedy` is simple, `planner` strong."""

from agents.heuristics.loop_boards.greedy import GREEDY
from agents.heuristics.loop_boards.planner import PLANNER
from loop_envs.policies import Policy

POLICIES: tuple[Policy, ...] = (GREEDY, PLANNER)

__all__ = ["GREEDY", "PLANNER", "POLICIES"]
