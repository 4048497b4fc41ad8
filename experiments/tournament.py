"""A duplicate tournament: shards of work in, tables of results and a report out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

import polars as pl

from agents.base import Agent
from experiments.config import Config
from experiments.config_tournament import TournamentConfig
from experiments.html_report import html_report
from experiments.match_runner import SLICE
from experiments.players import identities, load_agents
from experiments.progress import Progress, Task
from experiments.report import print_report, report_text
from experiments.runfolder import RunFolder, write_atomically, write_text
from experiments.schedule import schedule
from experiments.shards import Shard, groups, play_group, shards, tables_of
from experiments.stopping import StoppingRule, reason
from experiments.summary import summarise
from experiments.workers import Workers
from loop_envs.game import Game


def play(
    config: Config,
    game: Game,
    folder: RunFolder,
    progress: Progress,
    agents: Mapping[str, Agent] | None = None,
) -> pl.LazyFrame:
    """Plays what is left of a tournament and writes tables and report.

    Args:
        config: A configuration with a tournament.
        game: Its game.
        folder: The run's folder.
        progress: Shows how far it is.
        agents: Agents by name, which play in this process; None makes those of the configuration.

    Returns:
        The table of results, see `loop_envs.duplicate.tables`, and with the columns margin
        (points minus their mean in the match), place (0 best) and decisions (of the match). It is
        read from its file.
    """
    t = _tournament(config)
    who = identities(config, folder) if agents is None else {name: name for name in agents}
    where = folder.results / "shards"
    where.mkdir(exist_ok=True)
    for scrap in where.glob(".*.tmp"):  # of processes that were killed while they wrote
        scrap.unlink(missing_ok=True)
    parts = schedule(t, game.num_players, config.seed)
    rule = None if t.stop is None else StoppingRule(t)
    looks = [t.boards] if t.stop is None else t.stop.at(t.boards)
    stages = [
        shards(config, game, parts, who, where, range(t.first_board + lo, t.first_board + hi))
        for lo, hi in zip([0, *looks], looks, strict=False)
    ]
    left = [shard for work in stages for shard in work if not shard.file.exists()]
    total = sum(shard.num_matches for work in stages for shard in work)
    done = total - sum(shard.num_matches for shard in left)
    played: list[Shard] = []
    with ExitStack() as stack:
        # Nothing is started or loaded before there is something to play.
        task = progress.task("tournament", total, done, "matches")
        player = _Player(config, game, folder, agents, task, stack)
        for work in stages:
            player.play([shard for shard in work if not shard.file.exists()])
            played += work
            if rule is not None and rule.look(tables_of(work)):
                break
    summary = summarise(tables_of(played), folder.results / "matches.parquet")
    facts = summary.facts()
    tables = summary.tables(config.seed, game.num_players)
    tables.write(folder.results)
    decided = None
    if rule is not None:
        decided = rule.table()
        write_atomically(folder.results / "stop.parquet", decided.write_parquet)
        progress.print(reason(decided, facts.boards, t.boards))
    write_text(folder.path / "report.md", report_text(config, game, facts, tables, decided))
    page = html_report(config, game, facts, tables, summary.margins, decided, summary.cycles())
    write_text(folder.path / "report.html", page)
    print_report(progress, tables.agents, tables.pairs)
    return pl.scan_parquet(folder.results / "matches.parquet")


def _tournament(config: Config) -> TournamentConfig:
    if config.tournament is None:
        raise ValueError(f"{config.name} has no tournament")
    return config.tournament


class _Player:
    """Plays shards in this process or in others."""

    def __init__(
        self,
        config: Config,
        game: Game,
        folder: RunFolder,
        agents: Mapping[str, Agent] | None,
        task: Task,
        stack: ExitStack,
    ) -> None:
        self._config, self._game, self._folder = config, game, folder
        self._agents, self._task, self._stack = agents, task, stack
        self._is_shown = False
        self._workers: Workers | None = None

    def play(self, left: Sequence[Shard]) -> None:
        """Plays shards and writes them."""
        config = self._config
        if not left:
            return
        if not self._is_shown:
            self._stack.enter_context(self._task)
            self._is_shown = True
        size = 2 * max(_tournament(config).num_matches, SLICE * config.threads)
        if config.workers > 1 and self._agents is None:
            if self._workers is None:
                made = Workers(config, self._folder.path, config.workers)
                self._workers = self._stack.enter_context(made)
            # So that all have something to do until the end.
            share = sum(shard.num_matches for shard in left) // (4 * config.workers)
            self._workers.play(list(groups(left, min(size, share))), self._task.advance)
            return
        if self._agents is None:
            self._agents = load_agents(config, self._game, self._folder)
        for group in groups(left, size):
            play_group(self._game, self._agents, group, config, self._task.advance)
