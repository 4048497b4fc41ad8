"""Players: random, rule-based and learned; all of them act on observations and masks alone."""

from agents.base import Agent, CompiledAgent, Decisions
from agents.named import agent_names, make_agent

__all__ = ["Agent", "CompiledAgent", "Decisions", "agent_names", "make_agent"]
