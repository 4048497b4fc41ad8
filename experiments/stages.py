"""The stages of a run, training, tournament and study, and the status they leave."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.config import Config
from experiments.errors import ConfigError
from experiments.progress import Progress
from experiments.runfolder import RunFolder
from loop_envs.game import Game

STAGES = ("train", "tournament", "fairness")


def stages_of(config: Config, verb: str, folder: RunFolder | None) -> list[str]:
    """What a verb does with a configuration.

    Args:
        config: The configuration.
        verb: "run", "train", "tournament" or "fairness".
        folder: The run's folder, or None if the run is new.

    Raises:
        ConfigError: If it cannot be done.
    """
    present = [stage for stage in STAGES if getattr(config, stage) is not None]
    if verb == "run":
        return present
    if verb not in present:
        raise ConfigError(config.name, [(verb, f"missing, but the verb {verb!r} needs it")])
    if verb == "tournament" and config.tournament is not None:
        own = [one for one in config.tournament.players if one in config.learner_names]
        if own and not _is_trained(folder):
            how = "run" if folder is None else f"run --resume {folder.path}"
            text = f"{own[0]!r} is a learner of this run, which is not trained yet: use {how}"
            raise ConfigError(config.name, [("tournament.agents", text)])
    return [verb]


def _is_trained(folder: RunFolder | None) -> bool:
    if folder is None:
        return False
    status = folder.status()
    finished = status["state"] == "finished" and status["stage"] == "train"
    return finished or bool(status["stage"] == "tournament")


def run_stages(
    stages: Sequence[str], config: Config, game: Game, folder: RunFolder, progress: Progress
) -> None:
    """Runs stages one after the other; whatever happens is noted in the folder's status.

    Args:
        stages: From `stages_of`.
        config: The configuration.
        game: Its game.
        folder: The run's folder, locked.
        progress: Shows how far it is.
    """
    stage = stages[0]
    try:
        for stage in stages:
            folder.set_status("running", stage)
            _run(stage, config, game, folder, progress)
    except KeyboardInterrupt:
        folder.set_status("interrupted", stage)
        raise
    except BaseException:
        folder.set_status("failed", stage)
        raise
    folder.set_status("finished", stage)


def _run(stage: str, config: Config, game: Game, folder: RunFolder, progress: Progress) -> None:
    # Imported when needed: torch takes seconds.
    if stage == "train":
        from experiments.train import train

        train(config, game, folder, progress)
    elif stage == "tournament":
        from experiments.tournament import play

        play(config, game, folder, progress)
    else:
        from experiments.fairness.run import run_study

        run_study(config, game, folder, progress)
