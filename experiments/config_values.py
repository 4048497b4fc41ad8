"""Types of single values in configurations, and the model that all sections are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag

from agents.zoo import file_of
from loop_envs.deals import MAX_SEED

ZOO = "zoo:"
"""What a checkpoint's path begins with where it is the name of a trained player of the zoo."""


def _whole(value: Any) -> Any:
    """Lets 1e6 stand for an integer; everything else is left to the strict check."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


Int = Annotated[int, BeforeValidator(_whole)]
Name = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.+-]*$",
        max_length=64,
        json_schema_extra={
            "allowed": "a name of up to 64 letters, digits and . _ + -, not beginning with . + -"
        },
    ),
]
Size = Annotated[int, Field(ge=1), BeforeValidator(_whole)]
Seed = Annotated[int, Field(ge=0, le=MAX_SEED), BeforeValidator(_whole)]
Board = Annotated[int, Field(ge=0, le=2**62), BeforeValidator(_whole)]
"""First boards end where a batch slot that goes on by 2^32 cannot come around at 2^63."""


class Model(BaseModel):
    """A section: no unknown keys, no conversions, immutable."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, allow_inf_nan=False, validate_default=True
    )


class CheckpointAgent(Model):
    """An agent from a checkpoint of some run."""

    name: Name = Field(description="name in tables")
    checkpoint: str = Field(
        min_length=1, description="path of the checkpoint file, or zoo:NAME of a trained player"
    )

    @property
    def path(self) -> Path:
        """The file."""
        if self.checkpoint.startswith(ZOO):
            return file_of(self.checkpoint.removeprefix(ZOO))
        return Path(self.checkpoint)


def agent_kind(value: Any) -> str | None:
    """Which way of naming an agent a value is, as a tag.

    The angle brackets keep these tags apart from keys in error paths.
    """
    if isinstance(value, str):
        return "<name>"
    if isinstance(value, NoisyPlayer) or (isinstance(value, dict) and "noisy" in value):
        return "<noisy>"
    return "<checkpoint>" if isinstance(value, dict | CheckpointAgent) else None


class NoisyPlayer(Model):
    """An agent that plays a random legal action in a share of its decisions."""

    name: Name = Field(description="name in tables")
    noisy: Annotated[
        Annotated[Name, Tag("<name>")] | Annotated[CheckpointAgent, Tag("<checkpoint>")],
        Discriminator(agent_kind),
    ] = Field(description="who plays otherwise: an agent, a learner, or {name, checkpoint}")
    epsilon: float = Field(ge=0, le=1, description="share of random actions")
