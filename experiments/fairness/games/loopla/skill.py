"""Loopla: how well rounds tell players apart, by readings of the rules."""

from __future__ import annotations

import math
from collections.abc import Mapping

from experiments.fairness.answers import Answer, finding, shown
from experiments.fairness.boards import Floats, folded
from experiments.fairness.games.loopla.compare import Telling, gaps, strength, summands, worth
from experiments.fairness.games.loopla.tables import FALLS, INSTRUCTIONS, per_round
from experiments.fairness.played import Part
from experiments.fairness.study import Study
from experiments.html_sections import Table

Key = tuple[str, str]
AFTER = {"persist": "constraints that persist after a fall", "free": "a free play after a fall"}
FIRST = {
    "free": "a free first play",
    "random": "a drawn first instruction",
    "starter": "a first instruction by the starter",
}


def skill(study: Study, answer: Answer) -> None:
    """What a round tells of neighbours on the ladder, compared with the rules as they are."""
    base = (str(study.game.options["after_fall"]), str(study.game.options["first_instruction"]))
    told = {(a, b): _told(study, (a, b)) for a in FALLS for b in INSTRUCTIONS}
    boards = study.settings.variants
    rows = [["after a fall", "first instruction", "d", "a round's worth", "a card's worth"]]
    level = 1 - 0.05 / (len(told) - 1)
    usual = _by_round(told[base])
    for key, one in told.items():
        d = shown(strength(one))
        if key == base:
            rows.append([*key, d, "1", "1"])
            continue
        a_round = worth(_by_round(one), usual, level)
        rows.append([*key, d, shown(a_round), shown(worth(one, told[base], level))])
        words = "neither clearly more nor clearly less"
        if a_round.low > 1 or a_round.high < 1:
            words = "**more**" if a_round.mean > 1 else "**less**"
        longer = one.mean_cost / told[base].mean_cost
        text = (
            f"With **{AFTER[key[0]]} and {FIRST[key[1]]}** a round tells {words} of who is better "
            f"than with {AFTER[base[0]]} and {FIRST[base[1]]}: {shown(a_round)} times as much; it "
            f"takes {longer:.2f} times as many cards."
        )
        if math.isnan(a_round.low):
            text = (
                f"With {AFTER[key[0]]} and {FIRST[key[1]]}, {boards:,} boards are too few to say "
                "what a round tells of who is better."
            )
        name = f"worth of a round, {' and '.join(key)} / {' and '.join(base)}"
        answer.findings.append(finding(name, a_round, "times", text))
    answer.tables.append(Table(rows, "How well a round tells neighbours apart", left=2))
    answer.notes.append(
        f"Skill: the ladder on the same {boards:,} boards by all readings, {study.num_players} "
        "rounds each. d is the mean difference of two neighbours in these rounds together over its "
        "standard deviation, averaged over neighbours; a round's worth is d² over that of the "
        "rules as they are, which is how many of their rounds tell as much, and a card's is that "
        "per card played; intervals by the jackknife over boards of the logarithm, for all "
        f"{len(told) - 1} comparisons together."
    )


def _told(study: Study, key: Key) -> Telling:
    """What some rounds together tell by a reading, and the cards that one takes."""
    options = {
        "after_fall": key[0],
        "first_instruction": key[1],
        "target": None,
        "rounds": study.num_players,
    }

    def sums(part: Part) -> Mapping[str, Floats]:
        return summands(gaps(part.matches, study.ladder), per_round(part, "plays"))

    return Telling(**folded(study.ladders(options, "-".join(key)), sums))


def _by_round(told: Telling) -> Telling:
    """The same where a round costs 1, however many cards it takes."""
    return told._replace(cost=told.boards)
