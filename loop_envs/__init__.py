"""Loop Envs: reinforcement-learning environments for Loop, LOOPLA! and Loo."""

from loop_envs.registry import env_ids, load_game

__all__ = ["env_ids", "load_game"]
