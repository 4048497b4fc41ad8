"""Does it help or hurt in loop_boards that every hand comes from the same neighbour?"""

from __future__ import annotations

from experiments.fairness.answers import Answer, Finding, finding, shown
from experiments.fairness.games.loop_boards.memory import memory
from experiments.fairness.games.loop_boards.movements import movements
from experiments.fairness.games.loop_boards.order import order_effects
from experiments.fairness.study import Study
from loop_envs.duplicate import Interval


def travel(study: Study) -> Answer:
    """Travelling hands: neighbours, memory, and other movements."""
    answer = Answer(
        "travel",
        "Travelling hands",
        "Everybody inherits every hand from the same neighbour: whom does it help or hurt, by the "
        "knowledge of hands and of results, and would a balanced movement be fairer?",
    )
    inherited = order_effects(study, answer)
    worth = memory(study, answer)
    movements(study, answer)
    answer.findings.insert(0, _verdict(inherited, worth, study.ladder[0]))
    return answer


def _verdict(inherited: Interval, worth: Interval, best: str) -> Finding:
    """The answer in a sentence: whether the neighbour matters, and whether memory does."""
    if inherited.low > 0 or inherited.high < 0:
        word = "helps" if inherited.mean > 0 else "hurts"
        text = (
            f"That hands come from one and the same neighbour **{word}** those who sit behind a "
            "strong player"
        )
    else:
        text = (
            "That hands come from one and the same neighbour neither helps nor hurts those who "
            "sit behind a strong player, as far as is seen"
        )
    text += f" (memory of hands adds {shown(inherited)} points a match to what that is worth)"
    if worth.low > 0:
        text += f"; memory of hands **helps those who have it**: **{best}** by {shown(worth)}."
    elif worth.high < 0:
        text += f"; to remember hands even costs **{best}** something: {shown(worth)}."
    else:
        text += f"; that **{best}** gains by remembering hands is not seen either: {shown(worth)}."
    return finding("in a sentence: due to memory", inherited, "points a match", text)
