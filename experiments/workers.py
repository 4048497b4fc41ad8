"""Processes that play shards.

A worker makes game and agents by itself and writes its shards itself; only which ones it plays,
and how far it is, goes through its pipe. Which worker plays a shard makes no difference.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import TracebackType
from typing import Any

from experiments.config import Config
from experiments.errors import ExperimentError
from experiments.shards import Shard, play_group
from loop_envs.errors import LoopEnvsError


class WorkerError(ExperimentError):
    """A worker that failed; what it had not finished is played when the run is resumed."""


class Workers:
    """Processes that are started when they are needed; used in a ``with`` statement.

    Args:
        config: A configuration with a tournament.
        folder: The run's folder.
        count: Most processes.
    """

    def __init__(self, config: Config, folder: Path, count: int) -> None:
        self._config, self._folder, self._count = config, folder, count
        self._running: dict[Connection, BaseProcess] = {}

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for pipe, process in self._running.items():
            process.terminate()
            pipe.close()
        for process in self._running.values():
            process.join()

    def play(self, groups: Sequence[Sequence[Shard]], tick: Callable[[int, int], None]) -> None:
        """Plays groups of shards.

        Args:
            groups: Shards that one worker plays together.
            tick: Called with the numbers of matches and decisions finished since the last call.

        Raises:
            WorkerError: If a worker fails or dies.
        """
        left = list(groups)[::-1]
        while len(self._running) < min(self._count, len(left)):
            self._start()
        idle = list(self._running)
        busy: set[Connection] = set()
        while left or busy:
            while left and idle:
                pipe = idle.pop()
                pipe.send(left.pop())
                busy.add(pipe)
            ready = set(wait(busy))
            for pipe in [pipe for pipe in busy if pipe in ready]:
                kind, *rest = self._receive(pipe)
                if kind == "tick":
                    tick(*rest)
                else:
                    busy.remove(pipe)
                    idle.append(pipe)

    def _start(self) -> None:
        # Spawned: a forked copy of a process that has threads, as polars and torch have, may hang.
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(
            target=_work, args=(there, self._config, self._folder), daemon=True
        )
        with _ignoring_interrupts():
            process.start()
        there.close()  # else the end of the worker would not be noticed
        self._running[here] = process

    def _receive(self, pipe: Connection) -> tuple[Any, ...]:
        try:
            message: tuple[Any, ...] = pipe.recv()
        except (EOFError, ConnectionError):
            process = self._running[pipe]
            process.join()
            raise WorkerError(f"a worker died with exit status {process.exitcode}") from None
        if message[0] == "failed":
            raise WorkerError(message[1])
        return message


@contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """For starting a process that ignores Ctrl-C, from its very first moment.

    A terminal interrupts all processes alike; the parent ends its workers by itself.
    """
    if threading.current_thread() is not threading.main_thread():  # only that one may
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _work(pipe: Connection, config: Config, folder: Path) -> None:
    """What a worker does: plays what it is sent until there is no more."""
    from experiments.players import load_agents
    from experiments.runfolder import RunFolder

    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, ConnectionError):  # the parent is gone
        try:
            game = config.make_game()
            agents = load_agents(config, game, RunFolder(folder))
            while True:
                group: Sequence[Shard] = pipe.recv()
                play_group(game, agents, group, config, lambda *n: pipe.send(("tick", *n)))
                pipe.send(("done",))
        except (EOFError, ConnectionError):
            raise
        except (ExperimentError, LoopEnvsError) as error:
            pipe.send(("failed", str(error)))
        except Exception:
            pipe.send(("failed", f"a worker failed:\n{traceback.format_exc()}"))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
