"""What the Miss is worth: an agent that may take it and the same one that never does."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.base import Agent
from experiments import plots
from experiments.fairness.answers import Answer
from experiments.fairness.arms import Arm
from experiments.fairness.boards import Floats, triples
from experiments.fairness.games.loo.claims import Claim
from experiments.fairness.games.loo.reading import Deals, ratio, ratio_change, read_deals, spoken
from experiments.fairness.study import Study
from experiments.html_sections import Plot
from experiments.lineups import label, lineups, rotations
from experiments.schedule import Table
from loop_envs.duplicate import Interval
from loop_envs.game import Game
from loop_envs.games.loo.state import PLAYS

NEVER = "no-miss"
_EFFECTS = {
    "mean pool": ("pool", "the mean pool holds {}", "chips"),
    "loos": ("looed", "players are looed {} often", "of them a deal"),
    "players in": ("declared", "players come in {} often", "of them a deal"),
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
    played = read_deals(study, study.play(arm))
    worth = head_to_head(played)
    table = Table(label([NEVER] * n), 0, (NEVER,) * n)
    nobody = read_deals(study, study.play(Arm("miss-nobody", {NEVER: never}, [[table]], few)))
    everybody = read_deals(study, study.identical(), nobody.boards)
    claims = [
        Claim(
            "may take the Miss − never does",
            worth,
            "chips a deal",
            arm.boards,
            f"**Who may take the Miss gains** {{}} than who never does: {best} against itself "
            "without the Miss, at the same tables, {} chips a deal",
        )
    ]
    boards = min(nobody.boards, everybody.boards)
    for name, (column, what, unit) in _EFFECTS.items():
        change = ratio_change(_mean(nobody, column, boards), _mean(everybody, column, boards))
        words = f"Where **nobody takes the Miss** {what} than where all may: {{}} {unit}"
        claims.append(Claim(f"{name}: nobody takes it − all may", change, unit, boards, words))
    kinds = {"all deals": None, "single pools": played.single, "looed pools": ~played.single}
    values = [head_to_head(played, chosen) for chosen in kinds.values()]
    alt = f"Chips a deal that the Miss is worth: {spoken(list(kinds), values)}"
    svg = plots.intervals("miss-worth", alt, list(kinds), triples(values), "chips a deal")
    answer.plots.append(Plot(svg, f"{best} that may take the Miss minus {best} that never does."))
    return claims


def _mean(deals: Deals, column: str, boards: int) -> tuple[Floats, Floats]:
    """Sums of a number of every deal, and numbers of deals, by board."""
    if column == "pool":
        values = deals.pool
    else:
        chosen = deals.of["looed"] if column == "looed" else deals.of["declared"] >= PLAYS
        values = chosen.sum(axis=1).astype(np.float64)
    return deals.sums(values)[:boards], deals.sums(np.ones(len(values)))[:boards]


def head_to_head(deals: Deals, chosen: npt.NDArray[np.bool_] | None = None) -> Interval:
    """Difference of the mean margins of an arm's two agents in a deal, in chips.

    Args:
        deals: The arm's deals.
        chosen: Which of them count, bool [K]; None for all.
    """
    margins = deals.by_agent("margin", 2)
    some = np.ones(len(margins)) if chosen is None else chosen.astype(np.float64)
    return ratio(deals.sums((margins[:, 0] - margins[:, 1]) * some), deals.sums(some))
