"""The actions of Loo and the record of its options.

Actions in order: `play` for every card; where the leader chooses to bar Pam, `play A… civil` for
the four aces; `pass`, `in`; with a Miss `miss` and `defend`; with an exchange a `draw` for every
subset of the own hand.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from loop_envs.games.loo.options import (
    SUITS,
    antes,
    has_exchange,
    has_miss,
    has_pam,
    has_turn_up,
)

# Columns of the action table.
KIND, CARD, BIT, SUBSET, COLUMNS = 0, 1, 2, 3, 4
PLAY, CIVIL, PASS, IN, MISS, DEFEND, DRAW = 1, 2, 3, 4, 5, 6, 7

ACE_RULE, NO_RULE, HOYLE, PEEL = 0, 1, 2, 3
LAST_TWO, ALL, OFF = 0, 1, 2
UNLIMITED, LIMITED, CAPPED = 0, 1, 2
NO_PAM, OF_CLUBS, OF_TRUMPS = 0, 1, 2
AUTO, CHOICE = 0, 1
NAMES: dict[str, dict[str, int]] = {
    "lead_rule": {"ace": ACE_RULE, "none": NO_RULE, "hoyle": HOYLE, "peel": PEEL},
    "bold_stand": {"last_two": LAST_TWO, "all": ALL, "off": OFF},
    "loo": {"unlimited": UNLIMITED, "limited": LIMITED, "capped": CAPPED},
    "pam": {"none": NO_PAM, "jack_of_clubs": OF_CLUBS, "jack_of_trumps": OF_TRUMPS},
    "civil": {"auto": AUTO, "choice": CHOICE, "off": 2},
}
"""Options with several values, as numbers."""
FLAGS = {
    "peel_flushes": ("flush_order", "peel"),
    "split_flushes": ("flush_tie", "split"),
    "odd_stays": ("odd_chips", "stay"),
    "after_all": ("exchange_phase", "after_all"),
    "split_final": ("final_pool", "split"),
}
"""Options with two names, as flags: (option, the name that sets the flag)."""
BOOLEANS = (
    "dealer_defends", "club_law", "undertrump", "pam_free", "civil_exception", "pam_wild",
    "pam_exempts", "flush_loos_passers", "allow_debt", "limit_draw",
)  # fmt: skip
NUMBERS = ("ranks", "hand_size", "num_deals", "stack", "loo_amount")
FIRSTS = ("first_civil", "first_pass", "first_miss", "first_draw")

RECORD = np.dtype(
    [
        ("card_bits", np.uint64, (64,)),  # by card number: its bit in a set
        ("deck", np.uint64),  # all cards
        ("players", np.int64),
        *((name, np.int64) for name in NUMBERS),
        ("dealer_ante", np.int64),
        ("other_ante", np.int64),
        *((name, np.int64) for name in FIRSTS),  # actions; -1: there are none
        *((name, np.int8) for name in NAMES),
        *((name, np.int8) for name in FLAGS),
        *((name, np.int8) for name in BOOLEANS),
        ("has_miss", np.int8),
        ("has_turn_up", np.int8),
        ("exchange", np.int8),
        ("flushes", np.int8),
    ]
)


def bit_of(card: int, ranks: int) -> int:
    """The place of a card in the 64 bits of a set: four suits of 16."""
    return card // ranks * 16 + card % ranks


def build_tables(options: dict[str, Any]) -> tuple[npt.NDArray[np.uint16], npt.NDArray[Any]]:
    """Builds the action table, uint16 of shape (actions, COLUMNS), and the options record."""
    ranks, size = options["ranks"], options["hand_size"]
    cards = SUITS * ranks
    rows = [(PLAY, card, bit_of(card, ranks), 0) for card in range(cards)]
    firsts = dict.fromkeys(FIRSTS, -1)
    if has_pam(options) and options["civil"] == "choice":
        firsts["first_civil"] = len(rows)
        aces = [suit * ranks + ranks - 1 for suit in range(SUITS)]
        rows += [(CIVIL, ace, bit_of(ace, ranks), 0) for ace in aces]
    firsts["first_pass"] = len(rows)
    rows += [(PASS, 0, 0, 0), (IN, 0, 0, 0)]
    if has_miss(options):
        firsts["first_miss"] = len(rows)
        rows += [(MISS, 0, 0, 0), (DEFEND, 0, 0, 0)]
    if has_exchange(options):
        firsts["first_draw"] = len(rows)
        rows += [(DRAW, 0, 0, subset) for subset in range(1 << size)]

    record = np.zeros(1, RECORD)
    r = record[0]
    for card in range(cards):
        r["card_bits"][card] = 1 << bit_of(card, ranks)
    r["deck"] = sum(1 << bit_of(card, ranks) for card in range(cards))
    r["players"] = options["num_players"]
    r["dealer_ante"], r["other_ante"] = antes(options)
    for name in NUMBERS:
        r[name] = options[name]
    for name, first in firsts.items():
        r[name] = first
    for name, numbers in NAMES.items():
        r[name] = numbers[options[name]]
    if not has_pam(options):
        r["pam"] = NO_PAM
    for name, (option, value) in FLAGS.items():
        r[name] = options[option] == value
    for name in BOOLEANS:
        r[name] = options[name]
    r["has_miss"] = has_miss(options)
    r["has_turn_up"] = has_turn_up(options)
    r["exchange"] = has_exchange(options)
    r["flushes"] = options["variant"] == "five_card"
    return np.array(rows, np.uint16), record
