"""A study: what questions are asked of, and the arms that are played for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

from agents.base import Agent
from experiments.config import Config
from experiments.config_fairness import FairnessConfig, name_of
from experiments.config_tournament import TournamentAgent
from experiments.fairness.arms import Arm, Player
from experiments.fairness.games import GameStudy, game_study
from experiments.fairness.played import Played
from experiments.fairness.playing import play_arm
from experiments.lineups import label, rotations
from experiments.players import make_players
from experiments.progress import Progress
from experiments.runfolder import RunFolder
from experiments.schedule import Table
from loop_envs.duplicate.movements import circular_orders, williams
from loop_envs.game import Game
from loop_envs.registry import rules_of

Lineups = Sequence[Sequence[str]]
ALL_ORDERS = 5
"""Up to as many seats all circular orders are played; beyond, those of Williams squares."""


class Study:
    """What questions are asked of: a configuration, and arms that are played when wanted.

    Attributes:
        config: The configuration.
        settings: Its section on fairness.
        game: The rules.
        about: What is known of the game.
        ladder: Names of the agents of known strength, best first.
    """

    def __init__(
        self, config: Config, game: Game, folder: RunFolder, progress: Progress | None = None
    ) -> None:
        if config.fairness is None:
            raise ValueError(f"{config.name} has no fairness study")
        self.config = config
        self.settings: FairnessConfig = config.fairness
        self.game = game
        self.about: GameStudy = game_study(game)
        self.ladder = [name_of(agent) for agent in self.settings.ladder]
        self._folder = folder
        self._progress = progress or Progress()
        self._played: dict[str, Played] = {}

    @property
    def num_players(self) -> int:
        """Number of seats."""
        return self.game.num_players

    @property
    def num_matches(self) -> int:
        """Matches of all arms that have been asked for."""
        return sum(one.num_matches for one in self._played.values())

    # Players -------------------------------------------------------------------------------------

    def player(self, agent: TournamentAgent, seed: int = 0) -> Player:
        """Who plays as an agent of the configuration.

        Args:
            agent: The agent.
            seed: Added to the run's seed, so that equal agents make random choices of their own.
        """
        config = self.config.model_copy(update={"seed": self.config.seed + seed})

        def make(game: Game) -> Agent:
            return make_players(config, [agent], game, "fairness")[name_of(agent)]

        return Player(f"{agent!r} with seed {config.seed}", make)

    def made(self, what: str, make: Callable[[Game], Agent]) -> Player:
        """Who plays as an agent that is made for a question.

        Args:
            what: Says what it is; results of something else are not used.
            make: Makes it for a game.
        """
        return Player(f"{what} with seed {self.config.seed}", make)

    def players(self) -> dict[str, Player]:
        """The ladder's players by name."""
        return {name_of(agent): self.player(agent) for agent in self.settings.ladder}

    # Arms ----------------------------------------------------------------------------------------

    def play(self, arm: Arm) -> Played:
        """Plays what is left of an arm; of an arm of the same name, that one's results."""
        if arm.name not in self._played:
            options = self.game.options | dict(arm.options)
            game = Game(self.game.env_id, rules_of(self.game.env_id), options)
            with self._progress.task(arm.name, arm.num_matches, 0, "matches") as task:
                self._played[arm.name] = play_arm(
                    game, arm, self._folder.results / "arms" / arm.name, self.config.seed,
                    self.settings.first_board, self.config.threads, task,
                )  # fmt: skip
        return self._played[arm.name]

    def identical(self, options: Mapping[str, Any] | None = None, name: str = "") -> Played:
        """Boards played by the ladder's best agent in all seats, one match each.

        Args:
            options: What differs from the game's options.
            name: Tells arms with different options apart.
        """
        best = self.ladder[0]
        n = self.num_players if not options else options.get("num_players", self.num_players)
        table = Table(label([best] * n), 0, (best,) * n)
        players = {best: self.player(self.settings.ladder[0])}
        boards = self.settings.identical if not options else self.settings.variants
        return self.play(Arm(_joined("identical", name), players, [[table]], boards, options or {}))

    def ladders(self, options: Mapping[str, Any] | None = None, name: str = "") -> Played:
        """Boards played by the ladder: all line-ups in all rotations, in changing orders.

        On every board each line-up sits in one circular order, which is another one on the next
        board, until all have come: so over some boards everybody sits equally often after
        everybody else.

        Args:
            options: What differs from the game's options.
            name: Tells arms with different options apart.
        """
        boards = self.settings.boards if not options else self.settings.variants
        lineups = list(combinations(self.ladder, self.num_players))
        tables = ordered_tables(lineups)
        arm = Arm(_joined("ladder", name), self.players(), tables, boards, options or {})
        return self.play(arm)


def ordered_tables(lineups: Lineups) -> list[list[Table]]:
    """By board: every line-up in the rotations of one circular order, the next one each time."""
    n = len(lineups[0])
    orders = circular_orders(n) if n <= ALL_ORDERS else williams(n)
    return [
        [
            Table(label(lineup), k, seats)
            for lineup in lineups
            for k, seats in enumerate(rotations([lineup[i] for i in order]))
        ]
        for order in orders.tolist()
    ]


def _joined(*parts: str) -> str:
    return "-".join(part for part in parts if part)
