"""The public options of Loo; rule numbers are those of the game's README."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loop_envs.errors import OptionError
from loop_envs.options import Option, boolean, choice, integer, refuse, resolve

NAME = "loo"
MAX_SEATS = 8
MAX_HAND = 5
SUITS = 4
MOST_CHIPS = 10_000_000

OPTIONS: tuple[Option, ...] = (
    Option(
        "num_players", 5, "3..8, and 2 together with a research option", integer(2, MAX_SEATS)[1],
        "number of players",
    ),
    Option(
        "variant", "three_card", *choice("three_card", "five_card", "irish", "mississippi"),
        "which of the games of the family (rules 7-10)",
    ),
    Option("ranks", 13, *integer(3, 13), "the highest ranks of each suit (rule 1)", research=True),
    Option(
        "hand_size", None, "1..5, or null for the variant's 3 or 5", integer(1, MAX_HAND)[1],
        "cards dealt to each player, and tricks (rule 7)", research=True,
    ),
    Option("num_deals", 20, *integer(1, 1_000_000), "deals in a match (rule 3)"),
    Option(
        "stack", 1000, f"an integer 0..{MOST_CHIPS:,}, at least the dearest ante unless allow_debt",
        integer(0, MOST_CHIPS)[1], "chips each player starts with (rule 3)",
    ),
    Option(
        "ante", None, "1..1,000,000, or null for 3, in five_card 5", integer(1, 1_000_000)[1],
        "chips of an ante (rule 4)",
    ),
    Option(
        "ante_mode", "all", *choice("all", "dealer", "all_dealer_double"),
        "who pays an ante before a deal (rule 4)",
    ),
    Option(
        "loo", "unlimited", *choice("unlimited", "limited", "capped"),
        "what a looed player pays: the pool, a fixed amount, or the pool up to a cap (rule 27)",
    ),
    Option(
        "loo_amount", None, "1..1,000,000, or null for one ante, with capped ten antes",
        integer(1, 1_000_000)[1], "the fixed amount, or the cap (rule 27)",
    ),
    Option(
        "bold_stand", "last_two", *choice("last_two", "all", "off"),
        "who may not pass on a single pool (rule 14)",
    ),
    Option(
        "dealer_defends", True, *boolean(),
        "the dealer does not pass opposite a lone player without the Miss (rule 15)",
    ),
    Option("club_law", False, *boolean(), "clubs turned up: all must play (rule 16)"),
    Option(
        "lead_rule", "ace", *choice("ace", "none", "hoyle", "peel"), "what must be led (rule 18)"
    ),
    Option(
        "undertrump", True, *boolean(),
        "who cannot beat the best trump must still play a lower one (rule 19)",
    ),
    Option(
        "pam", "jack_of_clubs", *choice("jack_of_clubs", "jack_of_trumps", "none"),
        "the highest card of five_card (rule 21)",
    ),
    Option("pam_free", False, *boolean(), "Pam may always be played, and is no duty (rule 21)"),
    Option(
        "civil", "auto", *choice("auto", "choice", "off"),
        "whether a led trump ace bars Pam from its trick (rule 22)",
    ),
    Option(
        "civil_exception", False, *boolean(),
        "a barred Pam must be played if it is the only trump (rule 22)",
    ),
    Option("pam_wild", True, *boolean(), "Pam completes a flush of any suit (rule 23)"),
    Option("pam_exempts", False, *boolean(), "a flush does not loo the holder of Pam (rule 24)"),
    Option(
        "flush_loos_passers", False, *boolean(),
        "a flush loos who has passed too, and its winner gets what is paid (rule 24)",
    ),
    Option("flush_order", "seed", *choice("seed", "peel"), "which flush is better (rule 25)"),
    Option("flush_tie", "elder", *choice("elder", "split"), "who wins of equal ones (rule 25)"),
    Option(
        "odd_chips", "first_tricks", *choice("first_tricks", "stay"),
        "where chips go that the tricks cannot share (rule 26)",
    ),
    Option("allow_debt", False, *boolean(), "chips may become fewer than none (rule 28)"),
    Option(
        "exchange_phase", "with_declaration", *choice("with_declaration", "after_all"),
        "when cards are exchanged (rule 12)",
    ),
    Option("limit_draw", False, *boolean(), "the stock is not made anew (rule 13)"),
    Option("irish_exchange", False, *boolean(), "irish: cards are exchanged (rule 9)"),
    Option("irish_turnup", False, *boolean(), "irish: a card is turned for trumps (rule 9)"),
    Option(
        "final_pool", "split", *choice("split", "unclaimed"),
        "what becomes of the pool when the match is over (rule 3)",
    ),
)  # fmt: skip
_BY_NAME = {option.name: option for option in OPTIONS}


def variant_hand_size(options: Mapping[str, Any]) -> int:
    """The hand size of the full game."""
    return 5 if options["variant"] == "five_card" else 3


def has_miss(options: Mapping[str, Any]) -> bool:
    """Whether a spare hand is dealt."""
    return options["variant"] in ("three_card", "mississippi")


def has_turn_up(options: Mapping[str, Any]) -> bool:
    """Whether a card is turned for trumps."""
    return bool(options["variant"] != "irish" or options["irish_turnup"])


def has_exchange(options: Mapping[str, Any]) -> bool:
    """Whether players may exchange cards with the stock."""
    irish = options["variant"] == "irish" and options["irish_exchange"]
    return bool(options["variant"] == "five_card" or irish)


def has_pam(options: Mapping[str, Any]) -> bool:
    """Whether there is a Pam; with fewer than four ranks there is no jack."""
    return bool(
        options["variant"] == "five_card" and options["pam"] != "none" and options["ranks"] >= 4
    )


def antes(options: Mapping[str, Any]) -> tuple[int, int]:
    """What the dealer pays before a deal, and what everybody else does."""
    ante = options["ante"]
    return {"all": (ante, ante), "dealer": (ante, 0), "all_dealer_double": (2 * ante, ante)}[
        options["ante_mode"]
    ]


def resolve_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Validates options, also in combination, and returns all of them.

    Raises:
        OptionError: If one is refused.
    """
    values = resolve(NAME, OPTIONS, given)
    if values["hand_size"] is None:
        values["hand_size"] = variant_hand_size(values)
    if values["ante"] is None:
        values["ante"] = 5 if values["variant"] == "five_card" else 3
    if values["loo_amount"] is None:
        values["loo_amount"] = values["ante"] * (10 if values["loo"] == "capped" else 1)
    n, size = values["num_players"], values["hand_size"]
    full = values["ranks"] == 13 and size == variant_hand_size(values)
    if n == 2 and full:
        refuse(_BY_NAME["num_players"], n, "no research option is used")
    taken = n * size + (size if has_miss(values) else 0) + has_turn_up(values)
    deck = SUITS * values["ranks"]
    if taken > deck:
        raise OptionError(
            f"option 'hand_size': got {size} (hands, Miss and turn-up take {taken} cards), "
            f"allowed: at most the 4·ranks = {deck} cards of the deck"
        )
    dearest = max(antes(values))
    if values["stack"] < dearest and not values["allow_debt"]:
        refuse(_BY_NAME["stack"], values["stack"], f"the dearest ante is {dearest}")
    return values
