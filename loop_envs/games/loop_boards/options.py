"""The public options of loop_boards; rule numbers are those of the game's README."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loop_envs.cards import MAX_RANKS, MAX_SUITS
from loop_envs.errors import OptionError
from loop_envs.options import Option, boolean, choice, integer, is_int, refuse, resolve

NAME = "loop_boards"
MAX_SEATS = 6
_DECKS = {"exact13": 13, "fifteen": 15}


def _is_deck(value: Any) -> bool:
    if isinstance(value, str):
        return value in _DECKS
    return (
        isinstance(value, Mapping)
        and set(value) == {"colours", "values"}
        and is_int(value["colours"])
        and is_int(value["values"])
        and 1 <= value["colours"] <= MAX_SUITS
        and 1 <= value["values"] <= MAX_RANKS
    )


def _is_golden(value: Any) -> bool:
    return value == "random" if isinstance(value, str) else is_int(value) and 0 <= value < MAX_SEATS


OPTIONS: tuple[Option, ...] = (
    Option(
        "num_players",
        4,
        "4, 5, 6; 2 and 3 only together with a research option",
        lambda v: is_int(v) and 2 <= v <= MAX_SEATS,
        "number of players",
    ),
    Option(
        "deck",
        "exact13",
        '"exact13" (n colours × 1..13), "fifteen" (n colours × 1..15), or {"colours": c, '
        '"values": v} with c ≤ 6, v ≤ 15 and c·v ≥ n·hand_size',
        _is_deck,
        "the cards in the game (rule 2)",
    ),
    Option("hand_size", 13, *integer(3, 13), "cards dealt to each hand", research=True),
    Option("set_aside", 2, *integer(0, 2), "cards set aside each round (rule 8)", research=True),
    Option(
        "rounds",
        None,
        "an integer 1..num_players, or null for num_players",
        lambda v: is_int(v) and 1 <= v <= MAX_SEATS,
        "rounds played (rule 6); boards score with the markers they carry",
    ),
    Option(
        "eight",
        8,
        "an integer ≥ 1, or null for none",
        lambda v: is_int(v) and v >= 1,
        "the value that has the powers of the 8 (rules 19, 20)",
        research=True,
        nullable=True,
    ),
    Option("run_same_colour", True, *boolean(), "runs must be of one colour (rule 11)"),
    Option("run_wrap", False, *boolean(), "the lowest value follows the highest (rule 12)"),
    Option(
        "reveal",
        "allowed",
        *choice("allowed", "stuck_only", "off"),
        "when a set-aside 8 may be revealed (rule 20)",
    ),
    Option("reveal_on_lead", True, *boolean(), "whether a leader may reveal (rule 20)"),
    Option(
        "on_exit",
        "play_on",
        *choice("play_on", "clear"),
        "whether the last combination of a player who goes out may be beaten (rule 24)",
    ),
    Option(
        "golden",
        "random",
        '"random" or a seat 0..num_players-1',
        _is_golden,
        "who holds the golden board in the first round (rule 4)",
    ),
    Option("golden_travels", True, *boolean(), "the golden board moves with its hand (rule 9)"),
    Option("count_self", True, *boolean(), "a marker counts itself (rule 30)"),
    Option(
        "tie_break",
        "shared",
        *choice("shared", "placings"),
        "equal totals share the win, or most first places, then seconds, … (rule 31)",
    ),
)
_BY_NAME = {option.name: option for option in OPTIONS}


def deck_of(options: Mapping[str, Any]) -> tuple[int, int]:
    """Number of colours and of values of the deck."""
    deck = options["deck"]
    if isinstance(deck, str):
        return options["num_players"], _DECKS[deck]
    return deck["colours"], deck["values"]


def resolve_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Validates options, also in combination, and returns all of them without stand-ins.

    Raises:
        OptionError: If one is refused.
    """
    values = resolve(NAME, OPTIONS, given)
    if isinstance(values["deck"], Mapping):
        values["deck"] = {key: values["deck"][key] for key in ("colours", "values")}
    n = values["num_players"]
    research = any(o.research and values[o.name] != o.default for o in OPTIONS)
    if n < 4 and not research:
        names = ", ".join(o.name for o in OPTIONS if o.research)
        refuse(_BY_NAME["num_players"], n, f"research options: {names}")
    if values["rounds"] is None:
        values["rounds"] = n
    if values["rounds"] > n:
        refuse(_BY_NAME["rounds"], values["rounds"], f"num_players is {n}")
    if values["golden"] != "random" and values["golden"] >= n:
        refuse(_BY_NAME["golden"], values["golden"], f"num_players is {n}")
    colours, deck_values = deck_of(values)
    if colours * deck_values < n * values["hand_size"]:
        raise OptionError(
            f"option 'deck': got {values['deck']!r} ({colours * deck_values} cards), "
            f"allowed: at least num_players·hand_size = {n * values['hand_size']} cards"
        )
    return values
