"""The public options of loop_seats; rule numbers are those of the game's README."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loop_envs.cards import MAX_RANKS, MAX_SUITS
from loop_envs.errors import OptionError
from loop_envs.options import Option, boolean, choice, integer, is_int, refuse, resolve

NAME = "loop_seats"
MAX_SEATS = 4
MOST_POINTS = 10_000
"""Largest base points and threshold: far beyond use, and no sum of them passes 32 bits."""
_BASE = {2: [1, 0], 3: [2, 1, 0], 4: [4, 2, 1, 0]}
_THRESHOLD = {2: 7, 3: 10, 4: 12}


def _is_base(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(
        is_int(v) and -MOST_POINTS <= v <= MOST_POINTS for v in value
    )


OPTIONS: tuple[Option, ...] = (
    Option("num_players", 4, *integer(2, MAX_SEATS), "number of players"),
    Option("colours", 3, *integer(1, MAX_SUITS), "colours of the deck (rule 2)", research=True),
    Option("values", 15, *integer(3, MAX_RANKS), "values of the deck (rule 2)", research=True),
    Option("hand_size", 11, *integer(2, 13), "cards of each seat (rule 3)", research=True),
    Option("set_aside", 2, *integer(0, 2), "cards set aside each round (rule 5)", research=True),
    Option(
        "eight",
        8,
        "an integer ≥ 1, or null for none",
        lambda v: is_int(v) and v >= 1,
        "the value that has the powers of the 8 (rule 10)",
        research=True,
        nullable=True,
    ),
    Option(
        "eight_mode",
        "flip_on_play",
        *choice("flip_on_play", "published"),
        "what an 8 does: turns the order when played, or clears the trick when played and turns "
        "the order when revealed from the cards set aside (rule 10)",
    ),
    Option("flip_per_card", False, *boolean(), "every 8 of a play turns the order (rule 10)"),
    Option("min_run", 2, *integer(2, 3), "fewest cards in a run (rule 6)"),
    Option("hard_pass", False, *boolean(), "who passes is out of the trick (rule 8)"),
    Option(
        "base_points",
        None,
        f"a list of num_players integers from {-MOST_POINTS} to {MOST_POINTS}, best place first; "
        "null for 4-2-1-0, 2-1-0 or 1-0",
        _is_base,
        "points of each place (rule 14)",
    ),
    Option("rank_step", 1, *integer(0, 4), "points for each rank gained or lost (rule 15)"),
    Option(
        "reference",
        "seat",
        *choice("seat", "player"),
        "the rank that counts as before: that of the seat's hand, or the player's own (rule 15)",
    ),
    Option(
        "later_rounds",
        "base_and_change",
        *choice("base_and_change", "change_only"),
        "whether base points count after the first round (rule 15)",
    ),
    Option("fourth_chooses", True, *boolean(), "the fourth of four chooses a seat (rule 18)"),
    Option(
        "winner_seats",
        "1to4",
        *choice("1to4", "1to3"),
        "where the first of four goes: to the fourth's seat or to the third's (rule 18)",
    ),
    Option(
        "start",
        "fixed",
        *choice("fixed", "last", "winner", "last_seat"),
        "who starts a later round (rule 20)",
    ),
    Option(
        "threshold",
        None,
        f"an integer 1..{MOST_POINTS}, or null for 7, 10 or 12",
        lambda v: is_int(v) and 1 <= v <= MOST_POINTS,
        "total that ends the match (rule 22)",
    ),
    Option(
        "threshold_check",
        "round_end",
        *choice("round_end", "immediate"),
        "when totals are tested (rule 22)",
    ),
    Option("floor_zero", False, *boolean(), "no total falls below 0 (rule 16)"),
    Option("keep_order", False, *boolean(), "a new round keeps the order of values (rule 11)"),
    Option("max_rounds", 40, *integer(1, 10_000), "rounds after which a match is truncated"),
)
_BY_NAME = {option.name: option for option in OPTIONS}


def resolve_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Validates options, also in combination, and returns all of them without stand-ins.

    Raises:
        OptionError: If one is refused.
    """
    values = resolve(NAME, OPTIONS, given)
    n, size = values["num_players"], values["hand_size"]
    if values["base_points"] is None:
        values["base_points"] = _BASE[n]
    values["base_points"] = list(values["base_points"])
    if len(values["base_points"]) != n:
        refuse(_BY_NAME["base_points"], values["base_points"], f"num_players is {n}")
    if values["threshold"] is None:
        values["threshold"] = _THRESHOLD[n]
    if size <= values["set_aside"]:
        refuse(_BY_NAME["hand_size"], size, f"set_aside is {values['set_aside']}, none is left")
    cards = values["colours"] * values["values"]
    if cards < n * size:
        raise OptionError(
            f"options 'colours' and 'values': got {values['colours']}×{values['values']} = {cards} "
            f"cards, allowed: at least num_players·hand_size = {n * size} cards"
        )
    return values
