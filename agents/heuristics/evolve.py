"""Finds the weights of a rule-based player by evolution in matches.

``python -m agents.heuristics.evolve loop_seats-v0 --minutes 30``

A plain evolution strategy: every generation draws pairs of opposite changes of all weights, plays
each against the middle of the population and against the simple rule-based player, on the same
boards, and moves the middle towards what scored best (rank weights as in Hansen, "The CMA
Evolution Strategy: A Tutorial", 2016, equation 53, without covariances). Prints the weights now
and then.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from loop_envs import load_game
from loop_envs.envs.matches import play_matches
from loop_envs.errors import UnknownEnvError
from loop_envs.game import Game
from loop_envs.policies import Policy
from loop_envs.registry import rules_of

Weights = npt.NDArray[np.float64]


def margin(game: Game, one: Policy, other: Policy, boards: npt.NDArray[np.int64]) -> float:
    """Mean margin of the seats of `one`, every second seat, and with the seats exchanged."""
    first = np.arange(game.num_players) % 2
    seating = np.tile(np.array([first, 1 - first], np.int8), (len(boards), 1))
    points, _, _ = play_matches(game, [one, other], seating, 0, np.repeat(boards, 2))
    margins = points - points.mean(axis=1, keepdims=True)
    return float(margins[seating == 0].mean() - margins[seating == 1].mean())


def _players_of(parser: argparse.ArgumentParser, env_id: str) -> Any:
    """The module of a game's rule-based players."""
    try:
        return importlib.import_module(f"agents.heuristics.{rules_of(env_id).name}")
    except UnknownEnvError as error:
        parser.error(str(error))
    except ModuleNotFoundError:
        parser.error(f"{env_id} has no rule-based players in agents.heuristics")


def _start(parser: argparse.ArgumentParser, text: str, module: Any) -> Weights:
    """The weights to begin with."""
    if not text:
        return np.array(module.WEIGHTS, np.float64)
    try:
        weights = np.array([float(part) for part in text.split(",")])
    except ValueError:
        parser.error(f"--start: got {text!r}, allowed: numbers, comma by comma")
    if len(weights) != len(module.W) or not np.isfinite(weights).all():
        names = ", ".join(w.name for w in module.W)
        parser.error(f"--start: got {text!r}, allowed: {len(module.W)} finite numbers: {names}")
    return weights


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the search.

    Args:
        arguments: Those of the command line; None takes the process's own.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("env", help="environment id, such as loop_seats-v0")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--pairs", type=int, default=8, help="pairs of changes in a generation")
    parser.add_argument("--boards", type=int, default=48, help="boards for each comparison")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--spread", type=float, default=0.25, help="size of the changes at first")
    parser.add_argument("--start", default="", help="weights to begin with, comma by comma")
    asked = parser.parse_args(arguments)
    for name, least in (("pairs", 1), ("boards", 1), ("seed", 0), ("minutes", 0), ("spread", 0)):
        if not least <= getattr(asked, name) < float("inf"):
            parser.error(f"--{name}: got {getattr(asked, name)}, allowed: a number from {least} on")
    module = _players_of(parser, asked.env)
    games = [load_game(asked.env, **options) for options in module.EVOLVED_ON]
    rng = np.random.default_rng(asked.seed)
    middle = _start(parser, asked.start, module)

    def policy(weights: Weights) -> Policy:
        changes = {w: round(float(value)) for w, value in zip(module.W, weights, strict=True)}
        made: Policy = module.with_weights("changed", changes)
        return made

    scale = np.maximum(np.abs(middle), 300.0)
    ranks = np.maximum(0.0, np.log(asked.pairs + 0.5) - np.log(np.arange(1, 2 * asked.pairs + 1)))
    ranks /= ranks.sum()
    began, generation = time.monotonic(), 0
    while time.monotonic() - began < 60 * asked.minutes:
        share = (time.monotonic() - began) / (60 * asked.minutes)
        step = asked.spread * (1 - 0.8 * share)
        game = games[generation % len(games)]
        boards = rng.integers(0, 2**40, asked.boards)
        half = rng.normal(size=(asked.pairs, len(middle)))
        changes = np.concatenate([half, -half])
        now = policy(middle)
        scores = []
        for change in changes:
            other = policy(middle + step * scale * change)
            scores.append(
                margin(game, other, now, boards) + margin(game, other, module.POLICIES[0], boards)
            )
        order = np.argsort(scores)[::-1]
        middle = middle + step * scale * (ranks @ changes[order])
        generation += 1
        if generation % 30 == 0:
            print(
                f"# {generation}: {np.mean(scores):.3f}",
                ",".join(f"{v:.0f}" for v in middle),
                flush=True,
            )
    print(",\n".join(f"W.{w.name}: {v:.0f}" for w, v in zip(module.W, middle, strict=True)))


if __name__ == "__main__":
    main()
