"""What the Miss is worth: an agent that may take it and the same one that never does."""

from __future__ import annotations

import numpy as np

from agents.base import Agent
from experiments import plots
from experiments.fairness.answers import Answer
from experiments.fairness.arms import Arm
from experiments.fairness.boards import triples
from experiments.fairness.games.loo.claims import Claim
from experiments.fairness.games.loo.reading import (
    Deals,
    Sums,
    counted,
    ratio,
    ratio_change,
    spoken,
)
from experiments.fairness.study import Study
from experiments.html_sections import Plot
from experiments.lineups import label, lineups, rotations
from experiments.schedule import Table
from loop_envs.game import Game
from loop_envs.games.loo.state import PLAYS

NEVER = "no-miss"
_EFFECTS = {
    "mean pool": ("pool", "the mean pool holds {}", "chips"),
    "loos": ("looed", "players are looed {} often", "of them a deal"),
    "players in": ("in", "players come in {} often", "of them a deal"),
}
"""By name: what is counted, what is said of it, and its unit."""


def miss_worth(answer: Answer, study: Study) -> list[Claim]:
    """Head to head, and all seats with and without the Miss; adds a plot.

    Args:
        answer: The answer on the Miss.
        study: The study.
    """
    best, agent = study.ladder[0], study.settings.ladder[0]

    def make(game: Game) -> Agent:
        from agents.handicapped import handicapped

        return handicapped(NEVER, study.player(agent).make(game), game, never=("miss",))

    never = study.made(f"{agent!r} that never takes the Miss", make)
    n, few = study.num_players, study.settings.variants
    tables = [
        Table(label(lineup), k, seats)
        for lineup in lineups([best, NEVER], n, "pairs")
        for k, seats in enumerate(rotations(lineup))
    ]
    players = {best: study.player(agent), NEVER: never}
    arm = Arm("miss-worth", players, [tables], few)
    worth = counted(study.play(arm), head_to_head)
    overall = ratio(worth["ahead"].sum(axis=1), worth["deals"].sum(axis=1))
    table = Table(label([NEVER] * n), 0, (NEVER,) * n)
    nobody = study.play(Arm("miss-nobody", {NEVER: never}, [[table]], few))
    boards = min(nobody.boards, study.identical().boards)
    new, old = (counted(one.some(boards), _effects) for one in (nobody, study.identical()))
    claims = [
        Claim(
            "may take the Miss − never does",
            overall,
            "chips a deal",
            arm.boards,
            f"**Who may take the Miss gains** {{}} than who never does: {best} against itself "
            "without the Miss, at the same tables, {} chips a deal",
        )
    ]
    for name, (column, what, unit) in _EFFECTS.items():
        change = ratio_change((new[column], new["deals"]), (old[column], old["deals"]))
        words = f"Where **nobody takes the Miss** {what} than where all may: {{}} {unit}"
        claims.append(Claim(f"{name}: nobody takes it − all may", change, unit, boards, words))
    labels = ["all deals", "single pools", "looed pools"]
    values = [overall, *(ratio(worth["ahead"][:, i], worth["deals"][:, i]) for i in range(2))]
    alt = f"Chips a deal that the Miss is worth: {spoken(labels, values)}"
    svg = plots.intervals("miss-worth", alt, labels, triples(values), "chips a deal")
    answer.plots.append(Plot(svg, f"{best} that may take the Miss minus {best} that never does."))
    return claims


def _effects(deals: Deals) -> Sums:
    """What is compared, and number of `deals`, on every board."""
    return {
        "pool": deals.sums(deals.pool),
        "looed": deals.sums(deals.of["looed"].sum(axis=1)),
        "in": deals.sums((deals.of["declared"] >= PLAYS).sum(axis=1)),
        "deals": deals.sums(np.ones(len(deals.board))),
    }


def head_to_head(deals: Deals) -> Sums:
    """What the first of an arm's two agents is ahead of the other, by kind of pool.

    Returns:
        Differences of their mean margins in a deal, `ahead`, and numbers of `deals`, each float64
        [boards, 2].
    """
    margins = deals.by_agent("margin", 2)
    return {
        "ahead": deals.by_kind(margins[:, 0] - margins[:, 1]),
        "deals": deals.by_kind(np.ones(len(margins))),
    }
