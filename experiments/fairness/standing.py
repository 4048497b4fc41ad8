"""Who plays: is the ladder in the order that was given, and where do the others stand?"""

from __future__ import annotations

from itertools import pairwise

from experiments import plots
from experiments.config_fairness import name_of
from experiments.config_tournament import TournamentAgent
from experiments.fairness.answers import Answer, Finding, finding, shown
from experiments.fairness.arms import Arm
from experiments.fairness.boards import by_board, over_boards, triples
from experiments.fairness.study import Study
from experiments.html_sections import Plot
from experiments.lineups import label, lineups, rotations
from experiments.schedule import Table
from loop_envs.duplicate import Interval


def standing(study: Study) -> Answer:
    """The ladder's agents and the others, by what they gain in a match."""
    answer = Answer(
        "ladder",
        "The agents",
        "Does the ladder stand in the order that was given, and where are the others?",
    )
    names, margins = by_board(study.ladders(), ["agent"], "margin")
    of = {str(name): margins[:, i] for i, (name,) in enumerate(names)}
    for better, worse in pairwise(study.ladder):
        interval = over_boards(of[better] - of[worse])
        clear = "as it should be" if interval.low > 0 else "not clearly in this order"
        answer.findings.append(
            finding(
                f"{better} before {worse}",
                interval,
                "points a match",
                f"**{better}** is ahead of **{worse}** by {shown(interval)} points a match among "
                f"the agents of the ladder: {clear}.",
            )
        )
    means = {name: over_boards(of[name]) for name in study.ladder}
    for agent in study.settings.others:
        answer.findings.append(_against_best(study, agent))
    labels = list(means)
    values = triples(list(means.values()))
    alt = "Mean margins of the ladder's agents: " + ", ".join(
        f"{name} {mean.mean:+.2f}" for name, mean in means.items()
    )
    svg = plots.intervals("ladder", alt, labels, values, "mean margin in points a match")
    answer.plots.append(Plot(svg, "Mean margin within the ladder, with 95 % intervals."))
    return answer


def _against_best(study: Study, agent: TournamentAgent) -> Finding:
    """How an agent does against the ladder's best one, the two by themselves."""
    name, best = name_of(agent), study.ladder[0]
    tables = [
        Table(label(lineup), k, seats)
        for lineup in lineups([best, name], study.num_players, "pairs")
        for k, seats in enumerate(rotations(lineup))
    ]
    players = {best: study.player(study.settings.ladder[0]), name: study.player(agent)}
    arm = Arm(f"other-{name}", players, [tables], study.settings.others_boards, rounds=False)
    # Sorted as the players are: best first.
    _, margins = by_board(study.play(arm), ["agent"], "margin")
    interval = over_boards(margins[:, 1] - margins[:, 0])
    if interval.low <= 0 <= interval.high:
        verdict = f"is level with **{best}**"
        text = f"**{name}** {verdict} where the two meet by themselves: {shown(interval)} points a"
    else:
        verdict = f"is {'ahead of' if interval.low > 0 else 'behind'} **{best}**"
        apart = interval if interval.low > 0 else Interval(*_turned(interval))
        text = f"**{name}** {verdict} where the two meet by themselves: by {shown(apart)} points a"
    return finding(f"{name} against {best}", interval, "points a match", f"{text} match.")


def _turned(interval: Interval) -> tuple[float, float, float, int]:
    """The interval of the same difference the other way round."""
    return -interval.mean, -interval.high, -interval.low, interval.n
