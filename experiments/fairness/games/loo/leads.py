"""Who is ahead after a number of deals, in long sessions of the ladder."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from experiments.fairness.arms import Arm
from experiments.fairness.boards import Floats
from experiments.fairness.games.loo.reading import Deals, loo_options, powers, read_deals
from experiments.fairness.study import Study, ordered_tables

LONG = 60
"""Deals of a session."""
FEWER = 2
"""Of so many boards of a variant one is played: sessions are long."""


class Ahead(NamedTuple):
    """How often the best player is ahead after 1 to LONG deals; ties are shared.

    Attributes:
        single: In one session, float64 [boards, LONG].
        duplicate: All rotations of a board added up, float64 [boards, LONG].
        fresh: As many sessions on different boards added up, float64 [groups of boards, LONG].
    """

    single: Floats
    duplicate: Floats
    fresh: Floats


class Sessions(NamedTuple):
    """What is kept of all boards with one kind of loo.

    Attributes:
        curves: By attribute of `Ahead`, sums of its `powers`, float64 [3, LONG].
        usual: The share in one session of usual length, float64 [boards].
        to_single: How much more it is in duplicate than in one session of the same cost, float64
            [boards].
        to_fresh: The same against sessions on fresh boards, float64 [groups of boards].
    """

    curves: Mapping[str, Floats]
    usual: Floats
    to_single: Floats
    to_fresh: Floats


def usual_deals(study: Study) -> int:
    """Deals of a session of usual length."""
    return min(LONG, int(study.game.options["num_deals"]))


def play_long(study: Study, loo: str) -> Sessions:
    """Long sessions of the ladder with one kind of loo."""
    n = study.num_players
    lineups = list(combinations(study.ladder, n))
    options = {**loo_options(study, loo), "num_deals": LONG, "allow_debt": True}
    boards = -(-study.settings.variants // FEWER)
    arm = Arm(f"long-{loo}", study.players(), ordered_tables(lineups), boards, options)
    each = max(1, LONG // n)
    sums, columns = [], []
    for part in study.play(arm).parts(n):
        one = shares_ahead(read_deals(part), len(study.ladder))
        # Sums of what is contiguous are the more exact ones.
        sums.append([powers(shares.T.copy()).sum(axis=2) for shares in one])
        duplicate = one.duplicate[:, each - 1]
        of_group = duplicate[: len(one.fresh) * n].reshape(-1, n).mean(axis=1)
        columns.append(
            (
                one.single[:, usual_deals(study) - 1],
                duplicate - one.single[:, each * n - 1],
                of_group - one.fresh[:, each - 1],
            )
        )
    curves = dict(zip(Ahead._fields, np.sum(sums, axis=0), strict=True))
    return Sessions(curves, *(np.concatenate(column) for column in zip(*columns, strict=True)))


def shares_ahead(deals: Deals, agents: int, long: int = LONG) -> Ahead:
    """How often the first agent is ahead.

    Args:
        deals: Deals of line-ups of different agents, each in all rotations on every board, of
            which `n` follow one another.
        agents: Number of agents.
        long: Number of deals of a session.
    """
    n = deals.n
    agent = deals.of["agent"]
    gains = np.zeros((int(deals.match[-1]) + 1, long, agents))
    # A session that was cut off stays as it is then.
    gains[deals.match[:, None], deals.number[:, None], agent] = deals.of["gain"]
    sits = np.zeros((len(gains), agents), np.bool_)
    np.put_along_axis(sits, agent[deals.number == 0].astype(np.int64), True, axis=1)
    chips = gains.cumsum(axis=1, out=gains).reshape(deals.boards, -1, n, long, agents)
    sits = sits.reshape(deals.boards, -1, n, agents)[:, :, 0]
    # The line-ups are the same on all boards.
    with_best = sits[0, :, 0]
    chips, sits = chips[:, with_best], sits[0, with_best]
    single = _lead(chips, sits[None, :, None, None]).mean(axis=(1, 2))
    duplicate = _lead(chips.sum(axis=2), sits[None, :, None]).mean(axis=1)
    groups = deals.boards // n
    together = chips[: groups * n].reshape(groups, n, *chips.shape[1:])
    mixed = []
    for shift in range(n):
        # One rotation of each board, every rotation once.
        one = [together[:, j, :, (j + shift) % n] for j in range(n)]
        mixed.append(_lead(np.sum(one, axis=0), sits[None, :, None]).mean(axis=1))
    return Ahead(single, duplicate, np.mean(mixed, axis=0))


def _lead(chips: Floats, sits: npt.NDArray[np.bool_]) -> Floats:
    """Share of the lead that the first agent has, by chips [..., agents]."""
    chips = np.where(sits, chips, -np.inf)
    leads = chips == chips.max(axis=-1, keepdims=True)
    share: Floats = leads[..., 0] / leads.sum(axis=-1)
    return share
