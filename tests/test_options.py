"""Options: what is refused, with which words, and what null means."""

from __future__ import annotations

from typing import Any

import pytest

from loop_envs import load_game
from loop_envs.errors import LoopEnvsError, OptionError
from loop_envs.options import Option, boolean, choice, integer, is_int, refuse, resolve, table

DECLARED = (
    Option("players", 4, *integer(2, 6), "number of players"),
    Option("rounds", None, "an integer ≥ 1", integer(1)[1], "rounds played"),
    Option("eight", 8, *integer(1), "value or none", research=True, nullable=True),
    Option("wrap", False, *boolean(), "wraps"),
    Option("mode", "soft", *choice("soft", "hard"), "mode"),
)


def test_defaults_are_filled_in_in_declared_order() -> None:
    values = resolve("toy", DECLARED, {"mode": "hard"})
    assert list(values.items()) == [
        ("players", 4),
        ("rounds", None),
        ("eight", 8),
        ("wrap", False),
        ("mode", "hard"),
    ]


def test_null_is_the_default_unless_it_is_a_value_of_its_own() -> None:
    nothing = dict.fromkeys(("players", "rounds", "eight", "wrap", "mode"))
    assert resolve("toy", DECLARED, nothing) == {
        "players": 4,
        "rounds": None,
        "eight": None,
        "wrap": False,
        "mode": "soft",
    }


def test_an_unknown_name_is_refused_with_a_hint() -> None:
    with pytest.raises(OptionError, match=r"toy has no option 'playres'; did you mean 'players'\?"):
        resolve("toy", DECLARED, {"playres": 4})
    with pytest.raises(OptionError, match="Options: players, rounds, eight, wrap, mode") as caught:
        resolve("toy", DECLARED, {"zzzzzz": 4})
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("players", True),
        ("players", 4.0),
        ("players", "4"),
        ("players", 1),
        ("players", 7),
        ("players", [4]),
        ("rounds", 0),
        ("rounds", False),
        ("rounds", 10.5),
        ("eight", 0),
        ("eight", "8"),
        ("eight", True),
        ("wrap", 0),
        ("wrap", 1),
        ("wrap", "true"),
        ("mode", "Soft"),
        ("mode", ""),
        ("mode", 1),
        ("mode", True),
        ("mode", ["soft"]),
        ("mode", {}),
    ],
)
def test_wrong_types_and_ranges_name_option_value_and_what_is_allowed(
    name: str, value: Any
) -> None:
    allowed = next(o.allowed for o in DECLARED if o.name == name)
    with pytest.raises(OptionError) as caught:
        resolve("toy", DECLARED, {name: value})
    message = str(caught.value)
    assert repr(name) in message
    assert repr(value) in message
    assert allowed in message


def test_an_option_error_is_a_value_error_of_the_library() -> None:
    with pytest.raises(ValueError, match="because"):
        refuse(DECLARED[0], 9, "because")
    assert issubclass(OptionError, LoopEnvsError)


def test_is_int_does_not_take_bools_for_numbers() -> None:
    assert is_int(0)
    assert is_int(-5)
    assert is_int(10**30)
    for value in (True, False, 1.0, "1", None):
        assert not is_int(value)


def test_the_table_documents_every_option() -> None:
    rows = table(DECLARED).splitlines()[2:]
    assert rows == [
        "| `players` | 4 | an integer 2..6 | number of players |",
        "| `rounds` | null | an integer ≥ 1 | rounds played |",
        "| `eight` | 8 | research: an integer ≥ 1 | value or none |",
        "| `wrap` | false | true, false | wraps |",
        '| `mode` | "soft" | "soft", "hard" | mode |',
    ]


def test_options_of_a_game_cannot_be_changed_from_outside() -> None:
    deck = {"colours": 4, "values": 13}
    game = load_game("loop_boards-v0", deck=deck)
    deck["values"] = 15
    assert game.options["deck"] == {"colours": 4, "values": 13}
    assert not game.record.flags.writeable
    assert not game.tables.flags.writeable


def test_an_option_that_is_an_array_is_refused_like_any_other_wrong_type() -> None:
    import numpy as np

    for name in ("golden", "num_players", "deck", "reveal", "run_wrap"):
        with pytest.raises(OptionError, match=name):
            load_game("loop_boards-v0", **{name: np.array([1, 2])})
