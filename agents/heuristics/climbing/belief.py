"""What the opponents may hold, and with what chance a combination is beaten.

A type of combination is a number: sets of 1 to 4 cards are 0..3, runs of k cards are k + 2.
"""

from __future__ import annotations

import math

import numpy as np

from agents.heuristics.climbing.tables import (
    ASIDE,
    CAN_REVEAL,
    CARDS_LEFT,
    COLOURS,
    EIGHT,
    FLIPS,
    HAND,
    HAND_SIZE,
    KNOWN,
    LONGEST_RUN,
    OWNER,
    PASSED,
    PLAYED,
    PLAYERS,
    REVEALED,
    SAME_COLOUR,
    SET_ASIDE,
    SHORTEST_RUN,
    VALUES,
    WRAP,
)
from agents.heuristics.climbing.weights import W
from loop_envs.jit import compiled

TYPES = 16
LANES = 16  # strengths, and one behind them
# Chance to win: a later trick; this one; this one but for the owner; that nobody goes out on it.
WIN, NOW, OTHERS, STAYS = range(4)
CHANCES = 4

_DANGER_DECAY = int(W.DANGER_DECAY)
_WILL_SINGLE, _WILL_SET, _WILL_RUN = int(W.WILL_SINGLE), int(W.WILL_SET), int(W.WILL_RUN)


@compiled
def unseen_cards(tables, observation, pool):
    """Marks in `pool` the cards whose place is unknown; returns their number."""
    cards = np.int64(tables[COLOURS]) * np.int64(tables[VALUES])
    n = np.int64(tables[PLAYERS])
    for i in range(cards):
        pool[i] = 1 - observation[tables[HAND] + i] - observation[tables[ASIDE] + i]
    for j in range(n - 1):
        at = tables[KNOWN] + j * cards
        for i in range(cards):
            pool[i] -= observation[at + i]
    for j in range(n):
        at = tables[PLAYED] + j * cards
        for i in range(cards):
            pool[i] -= observation[at + i]
    if tables[EIGHT] >= 0:
        for j in range(1, n):
            at = tables[REVEALED] + j * tables[COLOURS]
            for c in range(tables[COLOURS]):
                pool[c * tables[VALUES] + tables[EIGHT]] -= observation[at + c]
    size = 0
    for i in range(cards):
        size += pool[i]
    return size


@compiled
def fill_chances(tables, weights, observation, current, pool, holds, has, chances):
    """Fills `chances[inverted, which, type, strength]`: that no opponent beats a combination.

    Args:
        current: Type of the combination to beat, -1 for a lead. For other types no opponent's
            passes count and only `WIN` and `STAYS` are filled.
        pool: Scratch [cards].
        holds: Scratch [cards].
        has: Scratch [2, TYPES, LANES].
        chances: float64 [2, CHANCES, TYPES, LANES].

    Returns:
        Number of 8s of opponents not yet seen, for each colour.
    """
    cards = np.int64(tables[COLOURS]) * np.int64(tables[VALUES])
    unseen = unseen_cards(tables, observation, pool)
    chances[:] = 1.0
    eights = 0.0
    for j in range(1, tables[PLAYERS]):
        left = np.int64(observation[tables[CARDS_LEFT] + j])
        if left == 0:
            continue
        # Cards of this opponent that nobody has seen this round: in hand or set aside.
        hidden = np.int64(tables[HAND_SIZE])
        for i in range(cards):
            hidden -= observation[tables[PLAYED] + j * cards + i]
        aside = np.int64(tables[SET_ASIDE])
        for c in range(tables[COLOURS]):
            hidden -= observation[tables[REVEALED] + j * tables[COLOURS] + c]
            aside -= observation[tables[REVEALED] + j * tables[COLOURS] + c]
        known = 0
        at = tables[KNOWN] + (j - 1) * cards
        for i in range(cards):
            known += observation[at + i]
        in_hand = min(left, hidden - aside) / hidden
        drawn = (hidden - known) / unseen if unseen > 0 else 0.0
        if tables[EIGHT] >= 0 and (tables[FLIPS] != 0 or (tables[CAN_REVEAL] != 0 and aside > 0)):
            for i in range(tables[EIGHT], cards, tables[VALUES]):
                eights += 1.0 if observation[at + i] != 0 else drawn * pool[i]
        drawn *= in_hand
        for i in range(cards):
            holds[i] = in_hand if observation[at + i] != 0 else drawn * pool[i]
        _combinations(tables, holds, left, has[0])
        passed = observation[tables[PASSED] + j] != 0
        owner = observation[tables[OWNER] + j] != 0
        _count_in(tables, weights, has, current, left, passed, owner, chances)
    return eights / np.float64(tables[COLOURS])


@compiled
def _combinations(tables, holds, left, has):
    """Chance that an opponent has a combination of each type and strength."""
    values, colours = np.int64(tables[VALUES]), np.int64(tables[COLOURS])
    has[:] = 0.0
    for v in range(values):
        none, one, two, three = 1.0, 0.0, 0.0, 0.0  # chances of so many cards of this value
        for c in range(colours):
            p = holds[c * values + v]
            if p > 0.0:
                q = 1.0 - p
                three = three * q + two * p
                two = two * q + one * p
                one = one * q + none * p
                none = none * q
        has[0, v] = 1.0 - none
        if left > 1:
            has[1, v] = max(0.0, 1.0 - none - one)
        if left > 2:
            has[2, v] = max(0.0, 1.0 - none - one - two)
        if left > 3:
            has[3, v] = max(0.0, 1.0 - none - one - two - three)
    longest = min(left, np.int64(tables[LONGEST_RUN]))
    # Whether a colour has a run from here on is multiplied out card by card; where runs wrap,
    # several of them can share the highest strength.
    for start in range(values if tables[WRAP] != 0 else values - 1):
        if tables[SAME_COLOUR] != 0:
            for c in range(0, colours * values, values):
                _runs_from(tables, holds, c, start, longest, has)
        else:
            _runs_from(tables, has[0], 0, start, longest, has)


@compiled
def _runs_from(tables, holds, at, start, longest, has):
    """Counts in the runs of cards held with chances `holds[at:]`, from a value on."""
    values = np.int64(tables[VALUES])
    p = holds[at + start]
    v = start
    for length in range(2, longest + 1):
        v = v + 1 if v + 1 < values else 0
        if v <= start and (tables[WRAP] == 0 or length >= values):
            return
        p *= holds[at + v]
        if p == 0.0:
            return
        if length >= tables[SHORTEST_RUN]:
            end = v if v > start else values - 1
            has[length + 2, end] = 1.0 - (1.0 - has[length + 2, end]) * (1.0 - p)


@compiled
def danger(tables, weights, left):
    """How close to the end an opponent with so many cards is, at most 1."""
    return math.exp(-0.001 * (left - 1) * tables[weights + _DANGER_DECAY])


@compiled
def _count_in(tables, weights, has, current, left, passed, owner, chances):
    """Counts one opponent in: multiplies by the chance that this one does not beat."""
    values = np.int64(tables[VALUES])
    for kind in range(3 + np.int64(tables[LONGEST_RUN])):
        will = _WILL_SINGLE if kind == 0 else (_WILL_SET if kind < 4 else _WILL_RUN)
        willing = 0.001 * tables[weights + will]
        goes_out = left == (kind + 1 if kind < 4 else kind - 2)
        if goes_out:
            willing = 1.0
        none = 1.0
        for v in range(values):
            has[1, kind, v] = none
            none *= 1.0 - has[0, kind, v]
        none = 1.0
        for v in range(values - 1, -1, -1):
            low, high = has[1, kind, v], none
            none *= 1.0 - has[0, kind, v]
            if low == 1.0 and high == 1.0:
                continue
            up, down = willing * (1.0 - high), willing * (1.0 - low)
            chances[0, WIN, kind, v] *= 1.0 - up
            chances[1, WIN, kind, v] *= 1.0 - down
            # Who has passed in this trick could not or would not beat less than this.
            if kind == current and not passed:
                chances[0, NOW, kind, v] *= 1.0 - up
                chances[1, NOW, kind, v] *= 1.0 - down
                if not owner:
                    chances[0, OTHERS, kind, v] *= 1.0 - up
                    chances[1, OTHERS, kind, v] *= 1.0 - down
            if goes_out:
                chances[0, STAYS, kind, v] *= 1.0 - up
                chances[1, STAYS, kind, v] *= 1.0 - down
