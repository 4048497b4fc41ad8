"""The typed configuration of an experiment.

`load_config` reads YAML, applies ``dotted.key=value`` overrides and checks everything that can be
checked before anything is created.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_core import PydanticCustomError

from experiments.config_fairness import FairnessConfig
from experiments.config_tournament import TournamentConfig
from experiments.config_train import TrainConfig
from experiments.config_values import Int, Model, Name, Seed
from experiments.config_yaml import apply_overrides, read_yaml
from experiments.errors import ConfigError
from loop_envs import env_ids
from loop_envs.game import Game
from loop_envs.registry import rules_of


def _one_of_envs(value: Any) -> Any:
    if value not in env_ids():
        raise PydanticCustomError("env", "no such environment")
    return value


class GameConfig(Model):
    """Which game is played."""

    env: Annotated[str, BeforeValidator(_one_of_envs)] = Field(
        description="environment id", json_schema_extra={"enum": list(env_ids())}
    )
    options: dict[str, Any] = Field(
        {},
        description="the game's options, see its README; num_players may be a list of different "
        "numbers for training",
    )


class Config(Model):
    """An experiment: training, a tournament, or both; or a fairness study."""

    name: Name = Field(description="name of the experiment, which begins its run folders' names")
    game: GameConfig = Field(description="the game")
    seed: Seed = Field(1, description="seed of all deals and agents")
    threads: Int = Field(1, ge=1, le=1024, description="threads of environments and networks")
    workers: Int = Field(
        1,
        ge=1,
        le=1024,
        description="processes that play a tournament; results do not depend on it",
    )
    output: str | None = Field(
        None, min_length=1, description="the run's folder, new or empty, instead of one in --runs"
    )
    train: TrainConfig | None = Field(None, description="training")
    tournament: TournamentConfig | None = Field(None, description="tournament")
    fairness: FairnessConfig | None = Field(None, description="fairness study")

    @property
    def sizes(self) -> list[Any]:
        """The numbers of players as they are given; [None] if that is left to the game."""
        given = self.game.options.get("num_players")
        return given if isinstance(given, list) else [given]

    def make_game(self, number: int = 0) -> Game:
        """The rules under the configured options.

        Args:
            number: Which of `sizes`, where there are several.

        Raises:
            OptionError: If an option is refused.
        """
        options = self.game.options | {"num_players": self.sizes[number]}
        return Game(self.game.env, rules_of(self.game.env), options)

    def make_games(self) -> list[Game]:
        """The rules for each of `sizes`."""
        return [self.make_game(number) for number in range(len(self.sizes))]

    @property
    def learner_names(self) -> list[str]:
        """Names of the learners of this run; empty without training."""
        return [learner.name for learner in self.train.learners] if self.train else []

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as they are written to YAML; sections that are absent are left out."""
        values = self.model_dump(mode="json")
        return {key: value for key, value in values.items() if value is not None}


def load_config(path: str | Path, overrides: Sequence[str] = ()) -> Config:
    """Reads and checks a configuration.

    Args:
        path: A YAML file.
        overrides: ``dotted.key=value`` each; elements of lists by number.

    Returns:
        The configuration with the game's options resolved and checkpoint paths made absolute.

    Raises:
        ConfigError: If anything is wrong with it; all problems are named.
    """
    return parse_config(apply_overrides(read_yaml(path), overrides), str(path))


def parse_config(data: Any, source: str = "config") -> Config:
    """Checks a configuration given as plain values.

    Args:
        data: A mapping, as YAML would give it.
        source: Where it comes from, for error messages.

    Raises:
        ConfigError: If anything is wrong with it; all problems are named.
    """
    # Imported here because both need the models above.
    from experiments.config_checks import check
    from experiments.config_errors import problems

    try:
        config = Config.model_validate(data)
    except ValidationError as error:
        raise ConfigError(source, problems(error, Config.model_json_schema())) from None
    return check(config, source)
