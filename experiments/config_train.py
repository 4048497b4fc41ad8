"""The part of a configuration that says who learns, how, and against whom."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, Discriminator, Field, Tag
from pydantic_core import PydanticCustomError

from experiments.config_values import Board, CheckpointAgent, Int, Model, Name, Seed, Size


def _scale(value: Any) -> Any:
    ok = value == "auto" or (isinstance(value, int | float) and not isinstance(value, bool))
    if not ok or (value != "auto" and not 0 < value < float("inf")):
        raise PydanticCustomError("scale", "neither auto nor a positive number")
    return value if value == "auto" else float(value)


Scale = Annotated[Literal["auto"] | float, BeforeValidator(_scale)]


class SnapshotConfig(Model):
    """How copies of the learner are kept as opponents."""

    size: Size = Field(10, description="most snapshots; the oldest goes first")
    every: Size = Field(20, description="updates between two snapshots")
    sampling: Literal["uniform", "latest", "prioritised"] = Field(
        "uniform", description="how they are drawn; prioritised: more often those that win more"
    )
    latest: Size = Field(3, description="number of the newest ones that `latest` draws from")


class OpponentConfig(Model):
    """One part of a learner's mixture of opponents."""

    play: Name | CheckpointAgent = Field(
        description="self, snapshots, the name of a learner or an agent, or {name, checkpoint}"
    )
    weight: float = Field(1.0, gt=0, description="share of the matches, relative to the others")
    pool: SnapshotConfig = Field(
        default_factory=lambda: SnapshotConfig.model_validate({}),
        description="for snapshots: how they are kept",
    )

    @property
    def name(self) -> str:
        """Whom it names."""
        return self.play if isinstance(self.play, str) else self.play.name


class _LearnerConfig(Model):
    """What all learners have."""

    several_sizes: ClassVar[bool] = False
    """Whether one learner can play matches of different numbers of players."""

    name: Name = Field(description="name in tables, and of its checkpoint")
    network: list[Size] = Field([256, 256], min_length=1, description="widths of the hidden layers")
    rollout: Size = Field(16384, description="decisions of this learner in each update")
    reward_scale: Scale = Field(
        "auto",
        description="what rewards are divided by; auto: the spread of returns so far",
        json_schema_extra={"allowed": '"auto" or a number > 0'},
    )
    max_grad_norm: float = Field(0.5, gt=0, description="clipping of the gradient's norm")
    opponents: list[OpponentConfig] | None = Field(
        None,
        min_length=1,
        description="mixture of opponents; null: every other learner, or itself if alone",
    )
    seed: Seed | None = Field(
        None, description="seed of weights and sampling; null takes one from the run's seed"
    )


class PPOConfig(_LearnerConfig):
    """MaskablePPO of sb3-contrib."""

    model_config = ConfigDict(json_schema_extra={"tag": "<ppo>"})
    kind: Literal["ppo"] = Field(description="learning method")
    learning_rate: float = Field(3e-4, gt=0, description="step size of the optimiser")
    batch_size: Size = Field(2048, description="decisions in each gradient step")
    epochs: Size = Field(3, description="passes over the decisions of an update")
    gamma: float = Field(0.995, gt=0, le=1, description="discount")
    gae_lambda: float = Field(0.95, ge=0, le=1, description="lambda of the advantage estimate")
    clip_range: float = Field(0.2, gt=0, description="clipping of the probability ratio")
    entropy: float = Field(0.01, ge=0, description="weight of the entropy bonus")
    value_coefficient: float = Field(0.5, ge=0, description="weight of the value loss")


class _TorchConfig(_LearnerConfig):
    """What the learners in plain torch have."""

    several_sizes: ClassVar[bool] = True
    learning_rate: float = Field(5e-4, gt=0, description="step size of the optimiser at first")
    learning_rate_end: float = Field(
        0.1, ge=0, le=1, description="share of it at the end; falls linearly"
    )
    combinations: bool = Field(
        False,
        description="tell the network which combinations of several cards are in hand",
    )
    precision: Literal["float32", "bfloat16"] = Field(
        "float32", description="of matrix products; bfloat16 is fast on processors that have it"
    )


class PPOAllConfig(_TorchConfig):
    """A compact PPO in which every seat of every match learns."""

    model_config = ConfigDict(json_schema_extra={"tag": "<ppo_all>"})
    kind: Literal["ppo_all"] = Field(description="learning method")
    critic: Literal["shared", "observation", "state"] = Field(
        "shared", description="what values are estimated from; state: all players' observations"
    )
    legal: bool = Field(False, description="tell the actor which actions are legal")
    forced: bool = Field(True, description="learn from decisions without a choice too")
    batch_size: Size = Field(4096, description="decisions in each gradient step")
    epochs: Size = Field(1, description="passes over the decisions of an update")
    gamma: float = Field(0.995, gt=0, le=1, description="discount")
    gae_lambda: float = Field(0.95, ge=0, le=1, description="lambda of the advantage estimate")
    clip_range: float = Field(0.2, gt=0, description="clipping of the probability ratio")
    entropy: float = Field(0.01, ge=0, description="weight of the entropy bonus")
    value_coefficient: float = Field(0.5, ge=0, description="weight of the value loss")
    teacher: Name | None = Field(None, description="name of an agent to imitate first")
    lessons: Size = Field(1_000_000, description="decisions of the teacher to learn from")


class DMCConfig(_TorchConfig):
    """Deep Monte-Carlo."""

    model_config = ConfigDict(json_schema_extra={"tag": "<dmc>"})
    kind: Literal["dmc"] = Field(description="learning method")
    max_grad_norm: float = Field(10.0, gt=0, description="clipping of the gradient's norm")
    batch_size: Size = Field(2048, description="decisions in each gradient step")
    epochs: Size = Field(1, description="passes over the decisions of an update")
    gamma: float = Field(0.99, gt=0, le=1, description="discount")
    epsilon: float = Field(0.1, ge=0, le=1, description="share of random actions at first")
    epsilon_end: float = Field(
        0.02, ge=0, le=1, description="share of random actions at the end; falls linearly"
    )
    temperature: float = Field(0.05, gt=0, description="of a frozen player that draws")


class DQNConfig(_LearnerConfig):
    """DQN of Stable-Baselines3, with masks and double targets."""

    model_config = ConfigDict(json_schema_extra={"tag": "<dqn>"})
    kind: Literal["dqn"] = Field(description="learning method")
    max_grad_norm: float = Field(10.0, gt=0, description="clipping of the gradient's norm")
    learning_rate: float = Field(5e-4, gt=0, description="step size of the optimiser at first")
    learning_rate_end: float = Field(
        0.1, ge=0, le=1, description="share of it at the end; falls linearly"
    )
    batch_size: Size = Field(1024, description="decisions in each gradient step")
    replays: float = Field(2.0, gt=0, description="times a decision is learned from, on average")
    buffer_size: Size = Field(100_000, description="most decisions kept to learn from")
    target_update_interval: Size = Field(
        20, description="gradient steps between updates of the target network"
    )
    tau: float = Field(1.0, gt=0, le=1, description="share of new weights in each of them")
    gamma: float = Field(0.99, gt=0, le=1, description="discount")
    epsilon: float = Field(0.1, ge=0, le=1, description="share of random actions at first")
    epsilon_end: float = Field(
        0.02, ge=0, le=1, description="share of random actions at the end; falls linearly"
    )
    temperature: float = Field(0.05, gt=0, description="of a frozen player that draws")


def _kind(value: Any) -> str | None:
    # The angle brackets keep these tags apart from keys in error paths.
    kind = value.get("kind") if isinstance(value, dict) else getattr(value, "kind", None)
    return f"<{kind}>" if kind in ("ppo", "ppo_all", "dmc", "dqn") else None


LearnerConfig = Annotated[
    Annotated[PPOConfig, Tag("<ppo>")]
    | Annotated[PPOAllConfig, Tag("<ppo_all>")]
    | Annotated[DMCConfig, Tag("<dmc>")]
    | Annotated[DQNConfig, Tag("<dqn>")],
    Discriminator(_kind),
]


class EvaluateConfig(Model):
    """Duplicate matches on boards that are not trained on, now and then during training."""

    every: Size = Field(50, description="iterations between two evaluations")
    boards: Int = Field(50, ge=2, le=2**30, description="number of boards")
    first_board: Board = Field(2**30, description="number of the first board")
    against: list[Name] = Field(min_length=1, description="names of agents to be compared with")


class TrainConfig(Model):
    """Training: learners play matches against each other and others."""

    steps: Size | None = Field(
        None, description="decisions over all matches and learners; null: no limit"
    )
    minutes: float | None = Field(None, gt=0, description="length; null: no limit")
    num_matches: Int = Field(256, ge=1, le=2**20, description="matches played at once")
    reward: Literal["margin", "points", "win", "place"] = Field(
        "margin", description="what is learned to be maximised"
    )
    first_board: Board = Field(0, description="board on which the first match starts")
    save_every: Size = Field(10, description="iterations between checkpoints")
    evaluate: EvaluateConfig | None = Field(None, description="evaluation during training")
    learners: list[LearnerConfig] = Field(min_length=1, description="who learns")
