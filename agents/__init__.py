"""Players: random, rule-based and learned; all of them act on observations and masks alone."""

from agents.base import Agent, CompiledAgent, Decisions
from agents.named import agent_names, make_agent
from agents.zoo import load

__all__ = ["Agent", "CompiledAgent", "Decisions", "agent_names", "load", "make_agent"]
