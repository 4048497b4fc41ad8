"""How many boards it takes: power, errors of sign, and where skill overtakes luck."""

from __future__ import annotations

import math

from scipy import special


def power(difference: float, deviation: float, boards: float, level: float = 0.95) -> float:
    """Probability that a paired test over boards finds a difference.

    Two-sided t test, by the noncentral t distribution with noncentrality
    ``|difference| √boards / deviation`` (Cohen 1988).

    Args:
        difference: True mean difference of a board.
        deviation: Standard deviation of a board's difference, above 0.
        boards: Number of boards, at least 2.
        level: Confidence level, between 0 and 1.

    Raises:
        ValueError: If an argument is out of range.
    """
    if not deviation > 0:
        raise ValueError(f"deviation: got {deviation}, allowed: a number above 0")
    if not boards >= 2:
        raise ValueError(f"boards: got {boards}, allowed: a number ≥ 2")
    if not 0 < level < 1:
        raise ValueError(f"level: got {level!r}, allowed: a number between 0 and 1")
    shift = abs(difference) / deviation * math.sqrt(boards)
    if shift > 37:  # beyond what the noncentral distribution can be computed for
        return 1.0
    critical = float(special.stdtrit(boards - 1, (1 + level) / 2))
    above = 1 - float(special.nctdtr(boards - 1, shift, critical))
    below = float(special.nctdtr(boards - 1, shift, -critical))
    return above + (0.0 if math.isnan(below) else below)


def boards_needed(
    difference: float, deviation: float, wanted: float = 0.8, level: float = 0.95
) -> int:
    """Smallest number of boards with which a paired test finds a difference often enough.

    Args:
        difference: True mean difference of a board, not 0.
        deviation: Standard deviation of a board's difference, above 0.
        wanted: Wanted power, above ``1 - level`` and below 1.
        level: Confidence level, between 0 and 1.

    Raises:
        ValueError: If an argument is out of range.
    """
    if difference == 0 or not math.isfinite(difference):
        raise ValueError(f"difference: got {difference}, allowed: a number other than 0")
    if not 1 - level < wanted < 1:
        raise ValueError(f"wanted: got {wanted}, allowed: between {1 - level:g} and 1")
    low, high = 1, 2  # too few; perhaps enough
    while power(difference, deviation, high, level) < wanted:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if power(difference, deviation, middle, level) < wanted:
            low = middle
        else:
            high = middle
    return high


def reversal_probability(difference: float, deviation: float, boards: float) -> float:
    """Probability that the mean over boards has the wrong sign.

    ``Φ(-|difference| √boards / deviation)``, for means that are normal. `reversal_table` counts
    reversals among resampled boards instead.

    Args:
        difference: True mean difference of a board.
        deviation: Standard deviation of a board's difference, above 0.
        boards: Number of boards, above 0.

    Raises:
        ValueError: If an argument is out of range.
    """
    if not deviation > 0 or not boards > 0:
        raise ValueError(f"deviation, boards: got {deviation}, {boards}, allowed: numbers above 0")
    return float(special.ndtr(-abs(difference) * math.sqrt(boards) / deviation))


def critical_repetition_frequency(skill: float, luck: float, factor: float = 1.0) -> float:
    """Number of repetitions of a game from which on skill outweighs luck.

    Over n repetitions skill adds up to ``n · skill`` while luck grows only as ``√n · luck``;
    the two are level at ``n = (factor · luck / skill)²``. The idea and the name are those of
    Fiedler and Rock (2009), "Quantifying skill in games", Gaming Law Review and Economics 13,
    50–57. With the standard deviation between agents as the skill and a factor of 1, the
    reliability of n repetitions is exactly 1/2.

    Args:
        skill: What skill moves in one repetition: one agent's mean advantage, or the standard
            deviation of the agents' true means.
        luck: Standard deviation of one repetition's result, at least 0.
        factor: How many standard deviations of luck skill has to outweigh, above 0; 1.96 asks
            for a result that is told from chance at the level of 95 %.

    Returns:
        The number, infinite if there is no skill.

    Raises:
        ValueError: If an argument is out of range.
    """
    if not luck >= 0 or not factor > 0:
        raise ValueError(f"luck, factor: got {luck}, {factor}, allowed: ≥ 0 and above 0")
    if skill == 0:
        return math.inf
    return (factor * luck / skill) ** 2
