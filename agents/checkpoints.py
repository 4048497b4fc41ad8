"""Checkpoints: frozen players on disk, which play only what they were trained for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch

from agents.base import Agent
from agents.learners.kinds import KINDS, make_frozen
from agents.learners.sizes import Sizes, Spaces, for_one_size
from loop_envs.errors import LoopEnvsError
from loop_envs.game import Game
from loop_envs.registry import load_game

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


def save(path: Path, kind: str, spaces: Spaces, frozen: dict[str, Any], **about: Any) -> None:
    """Writes a checkpoint; an older one at the same place is replaced whole or not at all.

    Args:
        path: Where.
        kind: Kind of the learner, such as "ppo".
        spaces: What it plays: a game, or several sizes of one.
        frozen: Settings and weights.
        **about: Plain values to keep with it, such as the number of samples.
    """
    if isinstance(spaces, Sizes):
        plays: dict[str, Any] = {"sizes": [identity(game) for game in spaces.games]}
    else:
        plays = identity(spaces)
    content = {"format": FORMAT, "kind": kind, **plays, "about": about, "frozen": frozen}
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
    kind, frozen = content["kind"], content["frozen"]
    spaces: Spaces = game
    if "sizes" in content:
        spaces = _sizes(path, content["sizes"], game)
    else:
        _check(path, content, game)
    if kind not in KINDS:
        raise CheckpointError(f"{path}: kind {kind!r}, known: {', '.join(KINDS)}")
    agent = make_frozen(kind, name or path.stem, spaces, frozen, seed, sample)
    return for_one_size(spaces, agent, game)


def _check(path: Path, made_for: dict[str, Any], game: Game) -> None:
    differences = [
        f"{key}: made for {made_for.get(key)!r}, asked for {value!r}"
        for key, value in identity(game).items()
        if made_for.get(key) != value
    ]
    if differences:
        raise CheckpointError(f"{path} does not fit: {'; '.join(differences)}")


def _sizes(path: Path, made_for: list[dict[str, Any]], game: Game) -> Sizes:
    """What a player of several sizes was made for; the game is one of them, or it is refused."""
    if made_for[0]["env"] != game.env_id:
        _check(path, made_for[0], game)
    by_size = {one["options"]["num_players"]: one for one in made_for}
    if game.num_players not in by_size:
        sizes = ", ".join(str(size) for size in by_size)
        text = f"num_players: made for {sizes}, asked for {game.num_players}"
        raise CheckpointError(f"{path} does not fit: {text}")
    _check(path, by_size[game.num_players], game)
    games = [load_game(one["env"], **one["options"]) for one in made_for]
    for one, other in zip(made_for, games, strict=True):
        _check(path, one, other)
    return Sizes(games)
