"""Training: learners play each other on one batch, and each learns from all its seats.

An iteration plays until every learner has its rollout, then all learn. Everything that the next
iteration depends on is saved at the end of some iterations, so that a run that was killed goes
on from there to the same weights (one process, CPU).
"""

from __future__ import annotations

import math
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import polars as pl
import torch
from torch.utils.tensorboard import SummaryWriter

from agents import checkpoints
from agents.learners.ppo import PPOLearner, PPOSettings
from agents.learners.self_play import SelfPlay
from agents.learners.trajectories import Samples
from experiments.config import Config, LearnerConfig, TrainConfig
from experiments.errors import ExperimentError
from experiments.progress import Progress
from experiments.runfolder import RunFolder, write_atomically
from loop_envs.deals import combine
from loop_envs.envs.batch import Batch
from loop_envs.game import Game


class TrainingError(ExperimentError):
    """Training that cannot go on; the last saved state is intact."""


def train(config: Config, game: Game, folder: RunFolder, progress: Progress) -> None:
    """Trains the configured learners; goes on where an earlier process stopped.

    Args:
        config: With a `train` section.
        game: The game under the configured options.
        folder: Gets checkpoints, metrics and the state to go on from.
        progress: Shows speed and time left.

    Raises:
        TrainingError: If a loss or a weight is not finite, or if no update was made.
    """
    assert config.train is not None
    trainer = Trainer(config, config.train, game, folder)
    trainer.restore()
    total = config.train.steps
    with progress.task("training", total, min(trainer.decisions, total)) as task, trainer.logs():
        while trainer.decisions < total:
            before = trainer.decisions
            trainer.iterate()
            task.advance(min(trainer.decisions, total) - before, trainer.decisions - before)
            task.note(trainer.summary())
    if any(learner.updates == 0 for learner in trainer.learners):
        raise TrainingError(
            f"train.steps = {total} ended before every learner had made an update; give more steps"
        )


def make_learner(config: LearnerConfig, game: Game, run_seed: int, number: int) -> PPOLearner:
    """Makes the learner that a configuration describes."""
    names = set(PPOSettings.__dataclass_fields__)
    values = {key: value for key, value in config.model_dump().items() if key in names}
    settings = PPOSettings(**{**values, "network": tuple(values["network"])})
    seed = config.seed
    if seed is None:
        seed = int(combine(np.uint64(run_seed), number))
    return PPOLearner(config.name, game, settings, seed % 2**31)


class Trainer:
    """State and steps of one training run; see the module.

    Attributes:
        learners: Who learns.
        decisions: Decisions made so far, over all matches.
    """

    def __init__(self, config: Config, train: TrainConfig, game: Game, folder: RunFolder) -> None:
        self._config, self._train, self._game, self._folder = config, train, game, folder
        # Learners update side by side, each with its share of the threads.
        count = len(train.learners)
        torch.set_num_threads(max(1, config.threads // count))
        self._workers = min(config.threads, count)
        self.learners = [
            make_learner(learner, game, config.seed, number)
            for number, learner in enumerate(train.learners)
        ]
        batch = Batch(game, train.num_matches, train.reward)
        batch.reset(config.seed, train.first_board + np.arange(train.num_matches))
        self._play = SelfPlay(batch, self.learners)
        self.decisions = 0
        self._iteration = 0
        self._rows: list[dict[str, Any]] = []
        self._started = time.perf_counter()
        self._seconds_before = 0.0
        self._writers: list[SummaryWriter] = []

    @property
    def _state_path(self) -> Any:
        return self._folder.checkpoints / "training.pt"

    def logs(self) -> _Writers:
        """Opens TensorBoard logs for the length of a ``with`` statement."""
        return _Writers(self)

    def iterate(self) -> None:
        """One iteration: play, learn, log, and now and then save."""
        play, train = self._play, self._train
        play.seconds.clear()
        wanted = [learner.rollout for learner in train.learners]
        while any(len(s) < w for s, w in zip(play.stores, wanted, strict=True)):
            play.play_ply()
            self.decisions += train.num_matches
        samples = [
            store.take(learner.gamma, learner.gae_lambda)
            for store, learner in zip(play.stores, train.learners, strict=True)
        ]
        start = time.perf_counter()
        done = min(1.0, self.decisions / train.steps)
        if self._workers > 1:
            with ThreadPoolExecutor(self._workers) as pool:
                metrics = list(
                    pool.map(self._update, self.learners, samples, [done] * len(samples))
                )
        else:
            metrics = [
                self._update(*pair, done) for pair in zip(self.learners, samples, strict=True)
            ]
        play.seconds["update"] = time.perf_counter() - start
        self._iteration += 1
        self._log(samples, metrics)
        if self._iteration % train.save_every == 0 or self.decisions >= train.steps:
            self.save()

    def _update(self, learner: PPOLearner, samples: Samples, done: float) -> dict[str, float]:
        where = f"learner {learner.name}, update {learner.updates + 1}, step {self.decisions}"
        try:
            metrics = learner.update(samples, done)
        except ValueError as error:
            # Torch's distributions are the first to notice weights that are not finite.
            raise TrainingError(f"{where}: {error}") from error
        wrong = [name for name, value in metrics.items() if not math.isfinite(value)]
        wrong += [
            f"weights of {name}"
            for name, weights in learner.policy.named_parameters()
            if not torch.isfinite(weights).all()
        ]
        if wrong:
            raise TrainingError(f"{where}: not finite: {', '.join(wrong)}")
        return metrics

    def _log(self, samples: list[Samples], metrics: list[dict[str, float]]) -> None:
        seconds = self._play.seconds
        whole = sum(seconds.values())
        wall = self._seconds_before + time.perf_counter() - self._started
        margins = self._play.take_margins()
        for number, learner in enumerate(self.learners):
            row: dict[str, Any] = {
                "learner": learner.name,
                "iteration": self._iteration,
                "decisions": self.decisions,
                "samples": learner.samples,
                "seconds": wall,
                "samples_per_second": len(samples[number]) / whole,
                **{f"share_{part}": seconds[part] / whole for part in seconds},
                "matches": len(margins[number]),
                "margin": float(np.mean(margins[number])) if margins[number] else None,
                **metrics[number],
            }
            self._rows.append(row)
            for name, value in row.items():
                if isinstance(value, float) and self._writers:
                    self._writers[number].add_scalar(name, value, self.decisions)

    def summary(self) -> str:
        """The newest numbers in a few words."""
        rows = self._rows[-len(self.learners) :]
        return ", ".join(
            f"{row['learner']} entropy {-row['entropy_loss']:.2f} "
            f"explained {row['explained_variance']:.2f}"
            for row in rows
        )

    def save(self) -> None:
        """Writes checkpoints, metrics and the state to go on from, the state last."""
        for learner in self.learners:
            checkpoints.save(
                self._folder.checkpoint(learner.name), learner.kind, self._game, learner.frozen(),
                samples=learner.samples, updates=learner.updates, seed=learner.seed,
            )  # fmt: skip
        frame = pl.DataFrame(self._rows, infer_schema_length=None)
        write_atomically(self._folder.results / "metrics.parquet", frame.write_parquet)
        checkpoints.write_atomically(
            self._state_path,
            {
                "decisions": self.decisions,
                "iteration": self._iteration,
                "seconds": self._seconds_before + time.perf_counter() - self._started,
                "rows": self._rows,
                "learners": [learner.get_state() for learner in self.learners],
                "play": _to_tensors(self._play.get_state()),
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
        self._seconds_before, self._rows = state["seconds"], state["rows"]
        for learner, kept in zip(self.learners, state["learners"], strict=True):
            learner.set_state(kept)
        self._play.set_state(_to_arrays(state["play"]))


class _Writers:
    """TensorBoard writers of a trainer, one for each learner, while a ``with`` block lasts."""

    def __init__(self, trainer: Trainer) -> None:
        self._trainer = trainer

    def __enter__(self) -> None:
        trainer = self._trainer
        trainer._writers = [
            SummaryWriter(
                str(trainer._folder.tensorboard / learner.name), purge_step=trainer.decisions + 1
            )
            for learner in trainer.learners
        ]

    def __exit__(self, *_: object) -> None:
        for writer in self._trainer._writers:
            writer.close()


def _to_tensors(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _to_tensors(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_to_tensors(part) for part in value]
    return torch.from_numpy(np.ascontiguousarray(value))


def _to_arrays(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _to_arrays(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_to_arrays(part) for part in value]
    return value.numpy()
