"""What a study knows of loo: places after the dealer, declarations, pools, and its questions."""

from __future__ import annotations

import numpy as np

from experiments.fairness.games import Columns, GameStudy, Ints, Role, States
from experiments.fairness.games.loo.ahead import ahead
from experiments.fairness.games.loo.dealer import dealer
from experiments.fairness.games.loo.miss import miss
from experiments.fairness.games.loo.reading import place_label
from experiments.fairness.games.loo.stakes import stakes
from loop_envs.game import Game
from loop_envs.games.loo.options import antes, has_miss
from loop_envs.games.loo.state import PLAYS, TOOK_MISS


def columns(game: Game, match: Ints, states: States) -> Columns:
    """Columns of the table of rounds; a round is a deal.

    Of a player: `after`: place after the dealer, 0 for the eldest, n - 1 for the dealer;
    `declared`: 1 passed, 2 plays, 3 took the Miss, 4 defends, 0 was not asked; `ahead`: how many
    were in before; `offered`: whether the Miss could be taken; `took_miss`; `forced`: whether the
    rules forbade to pass for a bold stand; `tricks`; `looed`.

    Of a deal, the same for all: `pool`: chips in the pool when the cards were dealt, antes
    included; `carry`: chips that the deal leaves to the next; `single`: whether earlier deals had
    left none.
    """
    n = game.num_players
    players = np.arange(n)
    dealer = states["dealer"].astype(np.int64)[:, None]
    after = (players - dealer - 1) % n
    declared = states["declared"][:, :n]
    by_place = np.take_along_axis(declared, (players + dealer + 1) % n, axis=1)

    def before(chosen: Ints) -> Ints:
        """Among the players who declared earlier, how many did so; by player."""
        found: Ints = np.take_along_axis(chosen.cumsum(axis=1) - chosen, after, axis=1)
        return found

    entered = (by_place >= PLAYS).astype(np.int64)
    taken = before((by_place == TOOK_MISS).astype(np.int64)) > 0
    asked = declared != 0
    all_play = states["all_play"][:, None] != 0
    single = states["single"][:, None] != 0
    last_two = np.zeros_like(all_play)
    if game.options["bold_stand"] == "last_two":
        last_two = single & (entered[:, : n - 2].sum(axis=1) == 0)[:, None]
    first = np.append(True, match[1:] != match[:-1])
    carry = states["carry"].astype(np.int64)
    dealer_ante, other_ante = antes(game.options)
    pool = np.where(first, 0, np.roll(carry, 1)) + dealer_ante + (n - 1) * other_ante
    whole = np.ones((1, n), np.int64)
    return {
        "after": after.astype(np.int8),
        "declared": declared.astype(np.int8),
        "ahead": before(entered).astype(np.int8),
        "offered": asked & ~taken & ~all_play & has_miss(game.options),
        "took_miss": declared == TOOK_MISS,
        "forced": asked & (all_play | (last_two & (after >= n - 2))),
        "tricks": states["tricks_won"][:, :n].astype(np.int8),
        "looed": (states["looed"][:, None] >> players & 1).astype(bool),
        "pool": (pool[:, None] * whole).astype(np.int32),
        "carry": (carry[:, None] * whole).astype(np.int32),
        "single": single & (whole > 0),
    }


STUDY = GameStudy(
    columns,
    roles=(Role("after", "place after the dealer", place_label),),
    questions=(dealer, miss, stakes, ahead),
    score_unit="chips",
)
