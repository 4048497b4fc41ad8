"""Timing of repeated play."""

from __future__ import annotations

import time
from collections.abc import Callable


def rate(play: Callable[[], int], seconds: float) -> float:
    """Times a chunk of play, repeated for a while.

    Args:
        play: Plays one chunk (an episode or a compiled scan) and returns its decisions.
        seconds: How long to measure; a quarter of it is spent on a warm-up first.

    Returns:
        Decisions per second.
    """
    # The first call may compile or fill caches for longer than the whole warm-up, so the warm-up's
    # clock starts after it.
    play()
    warm_until = time.perf_counter() + seconds / 4
    while time.perf_counter() < warm_until:
        play()
    decisions = 0
    start = time.perf_counter()
    while True:
        decisions += play()
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            return decisions / elapsed
