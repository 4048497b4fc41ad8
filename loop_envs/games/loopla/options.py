"""The public options of LOOPLA!; rule numbers are those of the game's README."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loop_envs.errors import OptionError
from loop_envs.options import Option, boolean, choice, integer, refuse, resolve

NAME = "loopla"
MAX_SEATS = 6
MAX_COPIES = 4

OPTIONS: tuple[Option, ...] = (
    Option("num_players", 4, *integer(2, MAX_SEATS), "number of players"),
    Option("values", 13, *integer(5, 13), "values of the cards, from 1 (rule 2)", research=True),
    Option("copies", 4, *integer(1, MAX_COPIES), "cards of each value (rule 2)", research=True),
    Option("hand_size", 8, *integer(2, 8), "cards dealt to each player (rule 3)", research=True),
    Option(
        "target",
        200,
        "an integer ≥ 1, or null for none (only together with rounds)",
        integer(1)[1],
        "points that end the match after a round (rule 27)",
        nullable=True,
    ),
    Option(
        "rounds",
        None,
        "an integer ≥ 1, or null for any number",
        integer(1)[1],
        "rounds played, unless the target is reached before (rule 27)",
        nullable=True,
    ),
    Option(
        "whoop_size",
        7,
        *integer(3, 7),
        "different values in a collection that end the round (rule 22)",
        research=True,
    ),
    Option(
        "first_instruction",
        "free",
        *choice("free", "random", "starter"),
        "what binds the first play: nothing, a drawn instruction, or the starter's own (rule 6)",
    ),
    Option("start_card_power", False, *boolean(), "the start card has its power (rule 7)"),
    Option("seven_on_seven_double", False, *boolean(), "a 7 on a 7 is a double (rule 14)"),
    Option(
        "after_fall",
        "persist",
        *choice("persist", "free"),
        "whether the constraint binds the next player after a fall (rule 20)",
    ),
    Option("last_card_pickup", True, *boolean(), "the last card has its pick-up too (rule 23)"),
    Option(
        "bonuses",
        "both",
        *choice("both", "larger"),
        "whether both bonuses of one turn count, or only the larger (rule 25)",
    ),
    Option("bust_leaves", False, *boolean(), "a bust puts its player out of the round (rule 18)"),
    Option(
        "reverse_with_two",
        "none",
        *choice("none", "again"),
        "what a 1 does with two players in the round: nothing, or one more turn (rule 15)",
    ),
    Option(
        "starter",
        "rotate",
        *choice("rotate", "winner", "loser"),
        "who plays first in later rounds (rule 5)",
    ),
    Option("max_rounds", 100, *integer(1), "rounds after which a match is cut off (rule 28)"),
)
_BY_NAME = {option.name: option for option in OPTIONS}


def resolve_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Validates options, also in combination, and returns all of them.

    Raises:
        OptionError: If one is refused.
    """
    values = resolve(NAME, OPTIONS, given)
    if values["target"] is None and values["rounds"] is None:
        refuse(_BY_NAME["target"], None, "rounds is null too")
    n, size = values["num_players"], values["hand_size"]
    cards = values["values"] * values["copies"]
    if n * size + 1 > cards:
        raise OptionError(
            f"option 'hand_size': got {size} ({n} players and the start card take {n * size + 1} "
            f"cards), allowed: num_players·hand_size + 1 ≤ values·copies = {cards}"
        )
    return values
