"""Small trained players for every game, each with the configuration that made it.

`index.json` says of each file what it plays, what it cost to train, and its SHA-256. They are made
and remade by `python -m experiments zoo --retrain NAME`.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agents.base import Agent
from loop_envs import load_game
from loop_envs.errors import LoopEnvsError
from loop_envs.game import Game

FOLDER = Path(__file__).parent
INDEX = FOLDER / "index.json"


class ZooError(LoopEnvsError, ValueError):
    """A trained player that does not exist or is not what the index says."""


@dataclass(frozen=True)
class Entry:
    """A trained player.

    Attributes:
        name: Such as "loop_boards-v0/ppo_all".
        config: The configuration that makes it, relative to the repository.
        learner: Its name there.
        kind: Kind of the learner.
        env: What it plays.
        options: The game's options where they are not the defaults.
        decisions: Decisions of all players that its training took.
        minutes: How long that was.
        cores: On how many cores.
        sha256: Of the file.
    """

    name: str
    config: str
    learner: str
    kind: str
    env: str
    options: dict[str, Any]
    decisions: int
    minutes: float
    cores: int
    sha256: str

    @property
    def path(self) -> Path:
        """The checkpoint."""
        return file_of(self.name)

    def verify(self) -> None:
        """Checks that the file is the one that was indexed.

        Raises:
            ZooError: If it is missing or another one.
        """
        if not self.path.is_file():
            raise ZooError(f"{self.name}: the file {self.path} is missing")
        found = sha256_of(self.path)
        if found != self.sha256:
            raise ZooError(
                f"{self.name}: the file's SHA-256 is {found}, but the index says {self.sha256}"
            )


def file_of(name: str) -> Path:
    """Where the checkpoint of a trained player lies."""
    return FOLDER / f"{name.replace('/', '_')}.zip"


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def entries() -> dict[str, Entry]:
    """All trained players by name."""
    listed = json.loads(INDEX.read_text(encoding="utf-8"))
    return {one["name"]: Entry(**one) for one in listed}


def write_index(listed: dict[str, Entry]) -> None:
    """Replaces the index."""
    rows = [asdict(listed[name]) for name in sorted(listed)]
    INDEX.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


def entry(name: str) -> Entry:
    """A trained player by its name.

    Raises:
        ZooError: If there is none.
    """
    known = entries()
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        raise ZooError(f"no trained player {name!r}{hint} Known: {', '.join(known)}")
    return known[name]


def load(name: str, game: Game | None = None, seed: int = 0, sample: bool = False) -> Agent:
    """Loads a trained player.

    Args:
        name: One of `entries`, such as "loop_boards-v0/ppo_all".
        game: What it shall play; None is what it was trained for.
        seed: Of its choices, where it draws.
        sample: Draw from the policy; otherwise take the best action.

    Raises:
        ZooError: If there is none, or its file is not the one that was indexed.
        CheckpointError: If it was trained for another game, version or options.
    """
    from agents.checkpoints import load_agent  # imports torch

    found = entry(name)
    found.verify()
    if game is None:
        game = load_game(found.env, **found.options)
    return load_agent(found.path, game, name, seed, sample)
