"""Training: learners play each other and others at once, and learn from all their seats.

An iteration plays until every learner has its rollout, then all learn. Everything that the next
iteration depends on is saved at the end of some iterations, so that a run that was killed goes
on from there to the same weights (one process, CPU, a length in steps).
"""

from __future__ import annotations

import math
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import torch

from agents import checkpoints
from agents.learners.base import Learner
from agents.learners.sizes import Sizes
from agents.learners.trajectories import Trajectories
from experiments.config import Config
from experiments.config_train import TrainConfig
from experiments.errors import ExperimentError
from experiments.evaluation import evaluate
from experiments.learners import make_learner, make_play
from experiments.progress import Progress
from experiments.runfolder import RunFolder
from experiments.train_log import TrainingLog, to_arrays, to_tensors
from loop_envs.game import Game


class TrainingError(ExperimentError):
    """Training that cannot go on; the last saved state is intact."""


def train(config: Config, game: Game, folder: RunFolder, progress: Progress) -> None:
    """Trains the configured learners; goes on where an earlier process stopped.

    Args:
        config: With a `train` section.
        game: The game under the configured options, in the first of its sizes.
        folder: Gets checkpoints, metrics and the state to go on from.
        progress: Shows speed and time left.

    Raises:
        TrainingError: If a loss or a weight is not finite, or if no update was made.
    """
    assert config.train is not None
    trainer = Trainer(config, config.train, game, folder)
    trainer.restore()
    steps, minutes = config.train.steps, config.train.minutes
    total, unit = (steps, "decisions") if steps is not None else (round(60 * minutes), "seconds")  # type: ignore[operator]
    amount = trainer.decisions if steps is not None else round(trainer.seconds)
    with progress.task("training", total, min(amount, total), unit) as task, trainer.curves():
        while trainer.progress < 1:
            before = trainer.decisions
            trainer.iterate()
            new = min(trainer.decisions if steps is not None else round(trainer.seconds), total)
            task.advance(new - amount, trainer.decisions - before)
            amount = new
            task.note(trainer.summary())
        trainer.finish()
    idle = [learner.name for learner in trainer.learners if learner.updates == 0]
    if idle:
        raise TrainingError(
            f"train.steps = {steps}, train.minutes = {minutes} ended before every learner had "
            f"made an update ({', '.join(idle)} had not); give more"
        )


class Trainer:
    """State and steps of one training run; see the module.

    Attributes:
        learners: Who learns.
        decisions: Decisions made so far, over all matches.
    """

    def __init__(self, config: Config, train: TrainConfig, game: Game, folder: RunFolder) -> None:
        self._config, self._train, self._folder = config, train, folder
        self._games = [game, *config.make_games()[1:]]
        self._spaces = game if len(self._games) == 1 else Sizes(self._games)
        # Learners update side by side, each with its share of the threads.
        count = len(train.learners)
        torch.set_num_threads(max(1, config.threads // count))
        self._workers = min(config.threads, count)
        self.learners: list[Learner] = [
            make_learner(learner, self._spaces, config.seed, number)
            for number, learner in enumerate(train.learners)
        ]
        self._play = make_play(config, self._spaces, self.learners)
        self.decisions = 0
        self._iteration = 0
        self._log = TrainingLog(folder, [learner.name for learner in self.learners])
        self._best = [-math.inf for _ in self.learners]
        self._started = time.perf_counter()
        self._seconds_before = 0.0

    @property
    def seconds(self) -> float:
        """How long the training has taken, in all processes that worked on it."""
        return self._seconds_before + time.perf_counter() - self._started

    @property
    def progress(self) -> float:
        """Share of the training that is done, 1 at its end."""
        steps, minutes = self._train.steps, self._train.minutes
        done = 0.0 if steps is None else self.decisions / steps
        if minutes is not None:
            done = max(done, self.seconds / (60 * minutes))
        return min(1.0, done)

    @property
    def _state_path(self) -> Any:
        return self._folder.checkpoints / "training.pt"

    def curves(self) -> AbstractContextManager[None]:
        """Writes TensorBoard curves as long as a ``with`` statement lasts."""
        return self._log.curves(self.decisions)

    def iterate(self) -> None:
        """One iteration: play, learn, log, and now and then save."""
        play, train = self._play, self._train
        play.seconds.clear()
        wanted = [learner.rollout for learner in train.learners]
        done = self.progress
        while any(play.num_ready(i) < w for i, w in enumerate(wanted)):
            play.play_ply(done)
            self.decisions += train.num_matches
        lots = [play.take(i) for i in range(len(self.learners))]
        start = time.perf_counter()
        if self._workers > 1:
            with ThreadPoolExecutor(self._workers) as pool:
                metrics = list(pool.map(self._update, self.learners, lots, [done] * len(lots)))
        else:
            metrics = [self._update(*pair, done) for pair in zip(self.learners, lots, strict=True)]
        play.seconds["update"] = time.perf_counter() - start
        self._iteration += 1
        self._note(lots, metrics)
        play.matchmaker.take_snapshots(play.seating)
        if train.evaluate is not None and self._iteration % train.evaluate.every == 0:
            self._evaluate()
        if self._iteration % train.save_every == 0:
            self.save()

    def finish(self) -> None:
        """Evaluates and saves the end of the training, unless that has been done."""
        evaluations = self._log.tables["evaluation"]
        judged = bool(evaluations) and evaluations[-1]["decisions"] == self.decisions
        if self._train.evaluate is not None and not judged and self._iteration:
            self._evaluate()
        self.save()

    def _update(self, learner: Learner, lot: Trajectories, done: float) -> dict[str, float]:
        where = f"learner {learner.name}, update {learner.updates + 1}, step {self.decisions}"
        try:
            metrics = learner.update(lot, done)
        except ValueError as error:
            # Torch's distributions are the first to notice weights that are not finite.
            raise TrainingError(f"{where}: {error}") from error
        wrong = [name for name, value in metrics.items() if not math.isfinite(value)]
        wrong += [
            f"weights of {name}"
            for name, weights in learner.module.named_parameters()
            if not torch.isfinite(weights).all()
        ]
        if wrong:
            raise TrainingError(f"{where}: not finite: {', '.join(wrong)}")
        return metrics

    def _evaluate(self) -> None:
        """Compares every learner with the agents it is judged by, in every size, and keeps its best
        checkpoint: that of the largest mean."""
        given, seed = self._train.evaluate, self._config.seed
        assert given is not None
        for number, learner in enumerate(self.learners):
            rows = [row for game in self._games for row in evaluate(learner, game, given, seed)]
            about = {"learner": learner.name, "decisions": self.decisions, "seconds": self.seconds}
            for row in rows:
                self._log.evaluation(about | row, len(self._games) > 1)
            score = float(np.mean([row["difference"] for row in rows]))
            if score > self._best[number]:
                self._best[number] = score
                self._checkpoint(learner, self._folder.checkpoint(learner.name, best=True))

    def _checkpoint(self, learner: Learner, path: Any) -> None:
        checkpoints.save(
            path, learner.kind, self._spaces, learner.frozen(),
            samples=learner.samples, updates=learner.updates, seed=learner.seed,
            decisions=self.decisions, seconds=self.seconds,
        )  # fmt: skip

    def _note(self, lots: list[Trajectories], metrics: list[dict[str, float]]) -> None:
        seconds = self._play.seconds
        whole = sum(seconds.values())
        margins = self._play.take_margins()
        for number, learner in enumerate(self.learners):
            row: dict[str, Any] = {
                "learner": learner.name,
                "iteration": self._iteration,
                "decisions": self.decisions,
                "samples": learner.samples,
                "seconds": self.seconds,
                "samples_per_second": lots[number].num_ready / whole,
                **{f"share_{part}": seconds[part] / whole for part in seconds},
                "matches": len(margins[number]),
                "margin": float(np.mean(margins[number])) if margins[number] else None,
                **metrics[number],
            }
            self._log.metrics(row)
        about = {"iteration": self._iteration, "decisions": self.decisions}
        self._log.tables["opponents"] += [about | row for row in self._play.take_results()]

    def summary(self) -> str:
        """The newest numbers in a few words."""
        rows = self._log.tables["metrics"][-len(self.learners) :]
        words = []
        for row in rows:
            words.append(f"{row['learner']} explained {row['explained_variance']:.2f}")
        return ", ".join(words)

    def save(self) -> None:
        """Writes checkpoints, tables and the state to go on from, the state last.

        Raises:
            TrainingError: If a snapshot is no longer what it was.
        """
        matchmaker = self._play.matchmaker
        try:
            matchmaker.check()
        except ValueError as error:
            raise TrainingError(f"step {self.decisions}: {error}") from None
        self._log.tables["snapshots"] = matchmaker.pools()
        for learner in self.learners:
            self._checkpoint(learner, self._folder.checkpoint(learner.name))
        self._log.save()
        checkpoints.write_atomically(
            self._state_path,
            {
                "decisions": self.decisions,
                "iteration": self._iteration,
                "seconds": self.seconds,
                "tables": self._log.tables,
                "best": self._best,
                "learners": [learner.get_state() for learner in self.learners],
                "play": to_tensors(self._play.get_state()),
            },
        )

    def restore(self) -> None:
        """Goes on from the state that an earlier process saved, if there is one."""
        if not self._state_path.exists():
            return
        try:
            state = torch.load(self._state_path, weights_only=True)
        except Exception as error:
            raise TrainingError(f"{self._state_path} cannot be read: {error}") from error
        self.decisions, self._iteration = state["decisions"], state["iteration"]
        self._seconds_before, self._started = state["seconds"], time.perf_counter()
        self._log.tables, self._best = state["tables"], state["best"]
        for learner, kept in zip(self.learners, state["learners"], strict=True):
            learner.set_state(kept)
        self._play.set_state(to_arrays(state["play"]))
