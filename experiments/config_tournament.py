"""The section of a configuration that describes a tournament."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag
from pydantic_core import PydanticCustomError

from experiments.config_values import (
    Board,
    CheckpointAgent,
    Int,
    Model,
    Name,
    NoisyPlayer,
    Size,
    agent_kind,
)

Movement = Literal[
    "lineups", "permutations", "circular", "williams", "cyclic", "travelling", "latin",
    "mitchell", "howell", "whist",
]  # fmt: skip


def _lineups(value: Any) -> Any:
    ok = value in ("all", "pairs") or (
        isinstance(value, list)
        and all(isinstance(seats, list) for seats in value)
        and all(isinstance(name, str) for seats in value for name in seats)
    )
    if not ok:
        raise PydanticCustomError("lineups", "neither a name nor a list of line-ups")
    return value


def _looks(value: Any) -> Any:
    given = value if isinstance(value, list) else [value]
    if not given or not all(type(n) is int and n >= 1 for n in given):
        raise PydanticCustomError("looks", "neither a number nor a list of numbers")
    return value


def _pairs(value: Any) -> Any:
    ok = value == "all" or (
        isinstance(value, list)
        and len(value) > 0
        and all(isinstance(pair, list) and len(pair) == 2 for pair in value)
        and all(isinstance(name, str) for pair in value for name in pair)
    )
    if not ok:
        raise PydanticCustomError("pairs", "neither all nor a list of pairs")
    return value


class StopConfig(Model):
    """A sequential rule: play stops as soon as the differences of agents are decided."""

    level: float = Field(
        0.95, gt=0, lt=1, description="confidence level, of all pairs and looks together"
    )
    looks: Annotated[int | list[int], BeforeValidator(_looks)] = Field(
        10,
        description="numbers of boards at which to look; or how many looks, at equal distances",
        json_schema_extra={"allowed": "an integer ≥ 1, or a list of ascending numbers of boards"},
    )
    pairs: Annotated[Literal["all"] | list[list[str]], BeforeValidator(_pairs)] = Field(
        "all",
        description="pairs of agents whose differences have to be decided",
        json_schema_extra={"allowed": '"all" or a list of pairs of names'},
    )
    spending: Literal["obrien_fleming", "pocock"] = Field(
        "obrien_fleming", description="how the error is spent: hardly anything early, or evenly"
    )
    margin: float = Field(
        0.0, ge=0, description="a difference that does not matter; 0: every difference does"
    )

    def at(self, boards: int) -> list[int]:
        """Numbers of boards at which to look, the last one all boards of the tournament."""
        if isinstance(self.looks, list):
            return self.looks if self.looks[-1] >= boards else [*self.looks, boards]
        return [round(boards * (k + 1) / self.looks) for k in range(self.looks)]


TournamentAgent = Annotated[
    Annotated[Name, Tag("<name>")]
    | Annotated[CheckpointAgent, Tag("<checkpoint>")]
    | Annotated[NoisyPlayer, Tag("<noisy>")],
    Discriminator(agent_kind),
]


class TournamentConfig(Model):
    """A duplicate tournament: several tables of agents play every board."""

    agents: list[TournamentAgent] = Field(
        description="names of agents, names of learners of this run, {name, checkpoint}, or "
        "{name, noisy, epsilon}"
    )
    boards: Int = Field(200, ge=2, le=2**31, description="number of boards, at most if it stops")
    first_board: Board = Field(2**31, description="number of the first board")
    movement: Movement = Field(
        "lineups",
        description="who plays a board in which seat; lineups: every line-up in all its cyclic "
        "seatings",
    )
    lineups: Annotated[Literal["all", "pairs"] | list[list[str]], BeforeValidator(_lineups)] = (
        Field("all", description="which agents meet, where the movement is lineups")
    )
    stop: StopConfig | None = Field(None, description="when to stop before all boards are played")
    chunk: Size = Field(50, description="boards in one shard of work")
    num_matches: Int = Field(
        1024, ge=1, le=2**20, description="matches played at once when an agent is not compiled"
    )

    @property
    def agent_names(self) -> list[str]:
        """Names of all agents, in order."""
        return [agent if isinstance(agent, str) else agent.name for agent in self.agents]

    @property
    def players(self) -> list[str | CheckpointAgent]:
        """Who plays behind each agent's name: itself, or the inner one of a noisy agent."""
        return [a.noisy if isinstance(a, NoisyPlayer) else a for a in self.agents]
