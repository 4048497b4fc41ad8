"""Every option of Loo: what each value changes, what is refused, and the battery."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loop_envs import load_game, records
from loop_envs.errors import OptionError
from loop_envs.testing import CHECKS, run_battery

from .loo_positions import deal, deck_of, five, legal, loo, may, play

OPTIONS = {option.name: option for option in loo().rules.options}
VARIANTS = ["three_card", "five_card", "irish", "mississippi"]

# Every value that is not the default, or of many some.
VALUES: dict[str, list[Any]] = {
    "num_players": [3, 4, 6, 7, 8],
    "variant": ["five_card", "irish", "mississippi"],
    "ranks": [7, 8, 12],
    "hand_size": [1, 2, 4],
    "num_deals": [1, 3, 7],
    "stack": [12, 60, 10_000_000],
    "ante": [1, 4, 50],
    "ante_mode": ["dealer", "all_dealer_double"],
    "loo": ["limited", "capped"],
    "loo_amount": [1, 20, 1_000_000],
    "bold_stand": ["all", "off"],
    "dealer_defends": [False],
    "club_law": [True],
    "lead_rule": ["none", "hoyle", "peel"],
    "undertrump": [False],
    "pam": ["jack_of_trumps", "none"],
    "pam_free": [True],
    "civil": ["choice", "off"],
    "civil_exception": [True],
    "pam_wild": [False],
    "pam_exempts": [True],
    "flush_loos_passers": [True],
    "flush_order": ["peel"],
    "flush_tie": ["split"],
    "odd_chips": ["stay"],
    "allow_debt": [True],
    "exchange_phase": ["after_all"],
    "limit_draw": [True],
    "irish_exchange": [True],
    "irish_turnup": [True],
    "final_pool": ["unclaimed"],
}
NEEDED: dict[str, dict[str, Any]] = {
    "loo_amount": {"loo": "limited"},
    **{
        name: {"variant": "five_card"}
        for name in (
            "pam", "pam_free", "civil", "civil_exception", "pam_wild", "pam_exempts",
            "flush_loos_passers", "flush_order", "flush_tie", "exchange_phase", "limit_draw",
        )
    },
    "irish_exchange": {"variant": "irish"},
    "irish_turnup": {"variant": "irish"},
}  # fmt: skip
"""What goes with these values so that they matter."""
TINY: list[dict[str, Any]] = [
    {"num_players": 2, "ranks": 3},
    {"num_players": 2, "ranks": 4, "hand_size": 5, "variant": "five_card", "civil": "choice"},
    {"num_players": 8, "ranks": 4, "hand_size": 1, "bold_stand": "all", "lead_rule": "peel"},
    {"num_players": 6, "ranks": 8, "variant": "five_card", "exchange_phase": "after_all"},
    {"num_players": 3, "ranks": 5, "variant": "five_card", "pam_free": True, "lead_rule": "hoyle"},
    {"num_players": 7, "ranks": 10, "variant": "five_card", "limit_draw": True, "stack": 30},
    {"num_players": 4, "ranks": 6, "variant": "irish", "irish_exchange": True, "club_law": True,
     "irish_turnup": True, "lead_rule": "hoyle", "allow_debt": True, "stack": 0},
]  # fmt: skip


def with_value(name: str, value: Any, **more: Any) -> dict[str, Any]:
    """Options of a short match with this value."""
    return {"num_deals": 2, **NEEDED.get(name, {}), **more, name: value}


def test_every_option_has_its_values_here() -> None:
    assert set(VALUES) == set(OPTIONS)


def test_the_defaults_are_those_of_the_full_game() -> None:
    assert loo().options == {
        "num_players": 5,
        "variant": "three_card",
        "ranks": 13,
        "hand_size": 3,
        "num_deals": 20,
        "stack": 1000,
        "ante": 3,
        "ante_mode": "all",
        "loo": "unlimited",
        "loo_amount": 3,
        "bold_stand": "last_two",
        "dealer_defends": True,
        "club_law": False,
        "lead_rule": "ace",
        "undertrump": True,
        "pam": "jack_of_clubs",
        "pam_free": False,
        "civil": "auto",
        "civil_exception": False,
        "pam_wild": True,
        "pam_exempts": False,
        "flush_loos_passers": False,
        "flush_order": "seed",
        "flush_tie": "elder",
        "odd_chips": "first_tricks",
        "allow_debt": False,
        "exchange_phase": "with_declaration",
        "limit_draw": False,
        "irish_exchange": False,
        "irish_turnup": False,
        "final_pool": "split",
    }


def test_what_null_stands_for_depends_on_other_options() -> None:
    assert loo(**dict.fromkeys(OPTIONS, None)).options == loo().options
    assert (five().options["hand_size"], five().options["ante"]) == (5, 5)
    assert loo("irish").options["hand_size"] == loo("mississippi").options["hand_size"] == 3
    assert loo(loo="limited", ante=4).options["loo_amount"] == 4
    assert loo(loo="capped").options["loo_amount"] == 30
    assert five(loo="capped").options["loo_amount"] == 50


def test_resolved_options_resolve_to_themselves() -> None:
    for name, values in VALUES.items():
        for value in values:
            game = loo(**with_value(name, value))
            again = loo(**json.loads(json.dumps(game.options)))
            assert again.options == game.options
            assert again.record.tobytes() == game.record.tobytes()
            assert game.options[name] == value


# What values change; most are tested with the rules -----------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("num_players", [3, 4, 5, 6, 7, 8])
def test_what_is_dealt(variant: str, num_players: int) -> None:
    game = loo(variant, num_players=num_players)
    told = game.rules.deal_event(game, game.new_state(1))
    size = 5 if variant == "five_card" else 3
    assert [len(hand) for hand in told["hands"]] == [size] * num_players
    assert (told["miss"] is not None) == (variant in ("three_card", "mississippi"))
    assert (told["turn_up"] is not None) == (variant != "irish")
    dealt = [card for hand in told["hands"] for card in hand] + (told["miss"] or [])
    dealt += told["stock"] + ([told["turn_up"]] if told["turn_up"] else [])
    assert sorted(dealt) == sorted(deck_of(game))
    assert told["pool"] == num_players * (5 if variant == "five_card" else 3)


def test_mississippi_is_three_card_by_another_name() -> None:
    one, other = (records.record_match(loo(name), 5) for name in ("three_card", "mississippi"))
    assert one["events"] == other["events"]


def test_ranks_and_hand_size() -> None:
    game = loo(num_players=3, ranks=4, hand_size=2)
    assert deck_of(game) == [rank + suit for rank in "JQKA" for suit in "CDHS"]
    assert game.num_actions == 16 + 4
    assert len(game.rules.deal_event(game, game.new_state(0))["hands"][0]) == 2
    small = five(ranks=5, hand_size=2, num_players=3)
    assert small.num_actions == 20 + 2 + 4
    state = deal(small, ["JC AC"], "TS")
    assert play(small, state, "0 in, 0 draw none, 1 pass, 2 in, 2 draw none")[0]["flush"]
    assert small.layout["exchanged"].shape == (3, 3)


def test_the_actions() -> None:
    assert loo().num_actions == 52 + 4
    assert loo("irish").num_actions == 52 + 2
    assert loo("irish", irish_exchange=True).num_actions == 52 + 2 + 8
    assert five().num_actions == 52 + 2 + 32
    assert five(civil="choice").num_actions == 52 + 4 + 2 + 32
    assert five(civil="choice", pam="none").num_actions == 52 + 2 + 32
    assert five().action_names[-1] == "draw 1 2 3 4 5"
    assert five().action_names[-32:-29] == ["draw none", "draw 1", "draw 2"]
    assert five(civil="choice").action_names[52:56] == [f"play A{s} civil" for s in "CDHS"]
    assert loo().action_names[-4:] == ["pass", "in", "miss", "defend"]


@pytest.mark.parametrize("num_deals", [1, 3, 7])
def test_num_deals(num_deals: int) -> None:
    record = records.record_match(loo(num_deals=num_deals), 1)
    assert sum("round_end" in event for event in record["events"]) == num_deals
    assert record["end"] == "terminated"


def test_irish_with_turn_up_and_exchange() -> None:
    game = loo("irish", irish_turnup=True, irish_exchange=True, num_players=3)
    state = deal(game, ["9H 2D 3D"], "6S", stock="AS")
    play(game, state, "0 in, 0 draw 2D, 1 in, 1 draw none, 2 in, 2 draw none")
    assert legal(game, state) == "AS", "the trump ace is led"
    game = loo("irish", irish_exchange=True, num_players=3)
    assert "draw" not in legal(game, deal(game))
    assert may(loo("irish", irish_turnup=True), "6S", "9H", "2S 8S KC") == "2S 8S"


def test_an_exchange_without_effect_outside_its_variants() -> None:
    for options in ({"irish_exchange": True, "irish_turnup": True}, {"pam": "none"}):
        assert loo(**options).num_actions == 56


# Refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("num_players", 1), ("num_players", 2), ("num_players", 9), ("num_players", "5"),
        ("num_players", 5.0), ("num_players", True), ("variant", "six_card"), ("variant", 3),
        ("ranks", 2), ("ranks", 14), ("hand_size", 0), ("hand_size", 6), ("num_deals", 0),
        ("num_deals", 1.5), ("stack", -1), ("stack", 2), ("stack", 10_000_001), ("stack", "100"),
        ("ante", 0), ("ante", 10**30), ("ante_mode", "none"), ("loo", "double"),
        ("loo_amount", 0), ("loo_amount", True), ("bold_stand", True), ("dealer_defends", 1),
        ("club_law", "yes"), ("lead_rule", "queen"), ("undertrump", 0), ("pam", "jack"),
        ("pam_free", "no"), ("civil", False), ("civil_exception", 1), ("pam_wild", 2),
        ("pam_exempts", []), ("flush_loos_passers", "x"), ("flush_order", "trump"),
        ("flush_tie", "younger"), ("odd_chips", "lost"), ("allow_debt", 0),
        ("exchange_phase", "before"), ("limit_draw", 1), ("irish_exchange", 1),
        ("irish_turnup", 1), ("final_pool", "lost"),
    ],
    ids=str,
)  # fmt: skip
def test_refused_values_are_named_with_what_is_allowed(name: str, value: Any) -> None:
    with pytest.raises(OptionError) as caught:
        loo(**{name: value})
    assert repr(name) in str(caught.value)
    assert repr(value) in str(caught.value)
    assert OPTIONS[name].allowed in str(caught.value)


def test_combinations_are_refused_too() -> None:
    for options, words in (
        ({"num_players": 8, "ranks": 6}, r"'hand_size': got 3 .*take 28 cards.* = 24"),
        ({"variant": "five_card", "num_players": 8, "ranks": 10}, r"hand_size.*take 41 .* = 40"),
        ({"num_players": 2}, "num_players.*no research option"),
        ({"num_players": 2, "hand_size": 3}, "num_players.*no research option"),
        ({"num_players": 2, "variant": "five_card", "ranks": 13}, "num_players"),
        ({"stack": 5, "ante": 3, "ante_mode": "all_dealer_double"}, "stack.*dearest ante is 6"),
        ({"stack": 4, "variant": "five_card"}, "stack.*dearest ante is 5"),
    ):
        with pytest.raises(OptionError, match=words):
            loo(**options)
    assert loo(num_players=2, ranks=12).num_players == 2
    assert loo(num_players=2, hand_size=5).num_players == 2
    assert loo(stack=0, allow_debt=True).options["stack"] == 0
    assert loo("irish", num_players=8, ranks=6).num_players == 8, "neither Miss nor turn-up"
    with pytest.raises(OptionError):
        loo("irish", num_players=8, ranks=6, irish_turnup=True)


def test_unknown_options_are_refused() -> None:
    with pytest.raises(OptionError, match="did you mean 'hand_size'"):
        load_game("loo-v0", handsize=3)


# The battery --------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("num_players", [3, 4, 5, 6, 7, 8])
def test_battery(num_players: int, variant: str) -> None:
    run_battery(loo(variant, num_players=num_players, num_deals=2), num_players)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("num_players", [3, 4, 5, 6, 7, 8])
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_battery_of_full_matches(check: Any, num_players: int, variant: str) -> None:
    check(loo(variant, num_players=num_players), num_players)


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in VALUES.items() for value in values]
)
def test_battery_of_every_value(name: str, value: Any) -> None:
    run_battery(loo(**with_value(name, value)), 1)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("num_players", [3, 5, 8])
@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in VALUES.items() for value in values]
)
def test_battery_of_every_value_and_variant(
    name: str, value: Any, num_players: int, variant: str
) -> None:
    options = {**with_value(name, value), "variant": variant, "num_players": num_players}
    try:
        game = loo(**{**options, name: value})
    except OptionError:
        # Only sizes can be too much for the deck; no other value may be refused.
        assert name in ("ranks", "hand_size", "num_players"), name
        return
    run_battery(game, num_players)


@pytest.mark.parametrize("options", TINY, ids=str)
def test_battery_of_research_variants(options: dict[str, Any]) -> None:
    run_battery(loo(**{"num_deals": 4, **options}), 2)
