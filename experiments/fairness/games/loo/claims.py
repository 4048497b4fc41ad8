"""Effects that are tested together, and their sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from experiments.fairness.answers import Finding, finding, p_text, shown
from experiments.fairness.boards import p_value
from loop_envs.duplicate import Interval, holm

LEVEL = 0.05


class Claim(NamedTuple):
    """An effect that is tested together with others.

    Attributes:
        name: What it is.
        interval: Its estimate.
        unit: Its unit.
        boards: Number of boards.
        words: A sentence without its full stop, with `{}` for "more" or "less" or that neither is
            seen, and with `{}` for the estimate.
    """

    name: str
    interval: Interval
    unit: str
    boards: int
    words: str


def judged(claims: Sequence[Claim]) -> list[Finding]:
    """Findings of claims; whether one is clear is decided after Holm's adjustment."""
    adjusted = holm([p_value(claim.interval) for claim in claims])
    found = []
    for claim, p in zip(claims, adjusted.tolist(), strict=True):
        word = direction(claim.interval, p < LEVEL)
        text = claim.words.format(word, shown(claim.interval))
        text += f" ({p_text(p)} after Holm's adjustment)."
        if math.isnan(claim.interval.mean):
            text = f"Nothing can be told of **{claim.name}**: there were no such deals."
        found.append(finding(claim.name, claim.interval, claim.unit, text, claim.boards))
    return found


def direction(interval: Interval, clear: bool | None = None) -> str:
    """ "more", "less", or that neither is seen.

    Args:
        interval: An estimate that is above 0 for more.
        clear: Whether it is clear; None: if its interval excludes 0.
    """
    if clear is None:
        clear = interval.low > 0 or interval.high < 0
    if not clear:
        # Where rules never matter, matches come out the same to the last chip.
        same = interval.mean == interval.low == interval.high == 0
        return "neither more nor less" if same else "neither clearly more nor less"
    return "more" if interval.mean > 0 else "less"
