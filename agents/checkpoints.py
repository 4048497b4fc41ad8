"""Checkpoints: frozen players on disk, which play only what they were trained for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch

from agents.base import Agent
from agents.learners.kinds import KINDS, make_frozen
from loop_envs.errors import LoopEnvsError
from loop_envs.game import Game

FORMAT = "loop-envs-checkpoint/2"


class CheckpointError(LoopEnvsError, ValueError):
    """A checkpoint that cannot be read or was made for something else."""


def identity(game: Game) -> dict[str, Any]:
    """What a player must agree with to play a game."""
    return {
        "env": game.env_id,
        "options": game.options,
        "layout": game.layout.hash,
        "observation_size": game.layout.size,
        "num_actions": game.num_actions,
    }


def save(path: Path, kind: str, game: Game, frozen: dict[str, Any], **about: Any) -> None:
    """Writes a checkpoint; an older one at the same place is replaced whole or not at all.

    Args:
        path: Where.
        kind: Kind of the learner, such as "ppo".
        game: What it plays.
        frozen: Settings and weights.
        **about: Plain values to keep with it, such as the number of samples.
    """
    content = {"format": FORMAT, "kind": kind, **identity(game), "about": about, "frozen": frozen}
    write_atomically(path, content)


def write_atomically(path: Path, content: dict[str, Any]) -> None:
    """Saves with torch under a temporary name and moves it into place."""
    partial = path.with_suffix(path.suffix + ".partial")
    torch.save(content, partial)
    os.replace(partial, path)


def read(path: Path) -> dict[str, Any]:
    """Reads a checkpoint's content; nothing in it is executed.

    Raises:
        CheckpointError: If it is none.
    """
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise CheckpointError(f"no checkpoint at {path}") from None
    except Exception as error:
        raise CheckpointError(f"{path} is no checkpoint: {error}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise CheckpointError(f"{path} is no checkpoint of format {FORMAT!r}")
    return content


def load_agent(
    path: str | Path, game: Game, name: str | None = None, seed: int = 0, sample: bool = False
) -> Agent:
    """Loads a frozen player.

    Args:
        path: Of the checkpoint.
        game: What it shall play.
        name: Name in tables; None is the file's.
        seed: Of its choices, where it draws.
        sample: Draw from the policy; otherwise take the most likely action.

    Raises:
        CheckpointError: If it was made for another game, version, options or layout; the
            message names each difference.
    """
    path = Path(path)
    content = read(path)
    differences = [
        f"{key}: made for {content.get(key)!r}, asked for {value!r}"
        for key, value in identity(game).items()
        if content.get(key) != value
    ]
    if differences:
        raise CheckpointError(f"{path} does not fit: {'; '.join(differences)}")
    if content["kind"] not in KINDS:
        raise CheckpointError(f"{path}: kind {content['kind']!r}, known: {', '.join(KINDS)}")
    return make_frozen(content["kind"], name or path.stem, game, content["frozen"], seed, sample)
