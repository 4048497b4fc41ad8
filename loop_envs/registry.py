"""Ids and versions of the environments, looked up lazily; also in PettingZoo and Gymnasium.

An id is ``<game>-v<N>``. The version rises when the same seed, board and actions no longer give
the same match, observations or rewards under default options.

Games name small variants for solvers and exact studies, such as "tiny": `presets` lists them, and
``load_game(env_id, **presets(env_id)["tiny"])`` is one. `loop_envs.testing.count_states` counts
their game trees.
"""

from __future__ import annotations

import difflib
import importlib
import re
import warnings
from typing import Any

from loop_envs.errors import UnknownEnvError
from loop_envs.game import Game, Rules

GAMES: dict[str, str] = {
    "loo-v0": "loop_envs.games.loo",
    "loop_boards-v0": "loop_envs.games.loop_boards",
    "loop_seats-v0": "loop_envs.games.loop_seats",
    "loopla-v0": "loop_envs.games.loopla",
}
"""Package of each environment id. A new game is one line here."""


def env_ids() -> list[str]:
    """All environment ids, sorted."""
    return sorted(GAMES)


def rules_of(env_id: str) -> Rules:
    """What a game supplies, by environment id.

    Raises:
        UnknownEnvError: If there is no such id.
    """
    if env_id not in GAMES:
        near = difflib.get_close_matches(str(env_id), GAMES, 1, 0.4)
        name = re.sub(r"-v\d+$", "", str(env_id))
        versions = [known for known in GAMES if known.startswith(f"{name}-v")]
        hint = f"; did you mean {(versions or near)[0]!r}?" if versions or near else "."
        raise UnknownEnvError(f"no environment {env_id!r}{hint} Known: {', '.join(env_ids())}")
    rules: Rules = importlib.import_module(GAMES[env_id]).RULES
    return rules


def presets(env_id: str) -> dict[str, dict[str, Any]]:
    """Options of the small variants of a game, by name.

    Raises:
        UnknownEnvError: If there is no such id.
    """
    return {name: dict(options) for name, options in rules_of(env_id).presets.items()}


def load_game(env_id: str, /, **options: Any) -> Game:
    """The rules of a game under options, without any environment around them.

    Args:
        env_id: Such as "loop_boards-v0".
        **options: Options by name; `Game.options` holds all of them, resolved.

    Raises:
        UnknownEnvError: If there is no such id.
        OptionError: If an option is refused.
    """
    return Game(env_id, rules_of(env_id), options)


def register_everywhere() -> None:
    """Puts all ids, as ``loop_envs/<id>``, into PettingZoo's and Gymnasium's registries."""
    import gymnasium
    from pettingzoo.env_registry import registration

    for env_id in GAMES:
        public = f"loop_envs/{env_id}"
        if public not in registration.aec_registry:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                registration.register(
                    "aec", public, "loop_envs.envs.aec:make_raw", kwargs={"env_id": env_id}
                )
        if public not in gymnasium.registry:
            gymnasium.register(public, "loop_envs.envs.seat:SeatEnv", kwargs={"env_id": env_id})
