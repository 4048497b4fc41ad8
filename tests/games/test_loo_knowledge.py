"""What a player of Loo can know: no leak, perfect recall, and honest resampling."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from scipy import stats

from loop_envs import records
from loop_envs.game import Game, State

from .loo_positions import bits, cards, deck_of, five, generator, loo
from .loo_witness import Story, Witness, stories
from .test_loo_reference import keen

SHORT: dict[str, Any] = {"num_deals": 3}
VARIANTS: list[dict[str, Any]] = [
    *({"num_players": n} for n in (3, 5, 8)),
    {"variant": "mississippi", "lead_rule": "hoyle", "dealer_defends": False},
    {"variant": "irish", "num_players": 6, "lead_rule": "peel"},
    {"variant": "irish", "irish_exchange": True, "irish_turnup": True, "undertrump": False},
    *({"variant": "five_card", "num_players": n} for n in (3, 5, 8)),
    {"variant": "five_card", "num_players": 4, "lead_rule": "hoyle", "civil": "choice"},
    {"variant": "five_card", "num_players": 7, "lead_rule": "peel", "exchange_phase": "after_all"},
    {"variant": "five_card", "num_players": 6, "ranks": 8, "pam_free": True, "limit_draw": True},
    {"variant": "five_card", "num_players": 8, "ranks": 11, "civil_exception": True},
    {"variant": "five_card", "pam": "jack_of_trumps", "civil": "off", "lead_rule": "none"},
]


def witnessed(
    game: Game, seed: int, matches: int, first: int = 0
) -> Iterator[tuple[State, int, Witness]]:
    """States of matches of keen players, what has been seen, and the action that follows."""
    for board in range(first, first + matches):
        choose = keen(game, seed + board)
        witness = Witness(game)
        state = game.undealt(seed, board)
        while not game.is_over(state):
            if game.deal_is_due(state):
                name = game.rules.deal_name(game, state)
                game.deal(state)
                told = game.rules.deal_event(game, state)
                if name == "deal":
                    witness.deal(told)
                else:
                    witness.reshuffle(told)
            else:
                action = choose(state)
                yield state, action, witness
                witness.move(state, game.current_player(state), action)
                game.play(state, action)
            if state["deals_done"][0] > witness.deals:
                witness.deals += 1
                witness.carry = int(state["carry"][0])


def shown(game: Game, witness: Witness, state: State, me: int) -> dict[str, Any]:
    """What the fields of an observation should say; only chips are taken from the state."""
    n, w, size = game.num_players, witness, game.options["hand_size"]
    turned = [(me + k) % n for k in range(n)]
    deck = [card for suit in "CDHS" for card in deck_of(game) if card[1] == suit]
    player = game.current_player(state)
    phase = int(state["phase"][0])

    def planes(held: Any) -> list[int]:
        return [int(card in held) for card in deck]

    def seat(p: int | None) -> list[int]:
        return [int(q == p) for q in turned]

    def suit(name: str | None) -> list[int]:
        return [int(name == s) for s in (*"CDHS", None)]

    def amount(name: str, values: list[int]) -> dict[str, list[int]]:
        return {
            name: [int(np.sign(v)) * (abs(v) % 100) for v in values],
            f"{name}_hundreds": [int(np.sign(v)) * (abs(v) // 100 % 100) for v in values],
            f"{name}_10000s": [int(np.sign(v)) * (abs(v) // 10_000) for v in values],
        }

    playing = phase == 2
    leader = w.table[0][0] if w.table else player
    expected: dict[str, Any] = {
        "hand": planes(w.hands[me]),
        "discards": planes(w.given[me]),
        "turn_up": planes([w.turn_up]),
        "table": planes([card for _, card in w.table]),
        "played": [x for p in turned for x in planes(w.played[p])],
        "trick": [w.trick_of.get(card, 0) for card in deck],
        "trump": suit(w.trump),
        "led": suit(w.led),
        "leader": seat(leader if playing else None),
        "winning": seat(w.winning if w.table else None),
        "dealer": seat(w.dealer),
        "turn": seat(player),
        "phase": [int(phase == k) for k in range(3)],
        "declared": [int(w.declared[p] == d) for p in turned for d in range(4)],
        "tricks_won": [w.tricks_won[p] for p in turned],
        "civil": [int(w.civil), int(w.was_civil)],
        "single": [int(w.single)],
        "deals_left": [game.options["num_deals"] - w.deals - 1],
        **amount("points", [int(game.points(state)[p]) for p in turned]),
        **amount("pool", [w.pool]),
        **amount("carry", [w.carry]),
    }
    if "exchanged" in game.layout.offsets:
        expected["drawn"] = planes(w.drawn[me])
        numbers = range(size + 1)
        expected["exchanged"] = [int(w.exchanged[p] == k) for p in turned for k in numbers]
        expected["stock"] = [len(w.stock)]
    return expected


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_observations_say_what_was_seen(options: dict[str, Any]) -> None:
    game = loo(**{**SHORT, **options})
    for state, _, witness in witnessed(game, 5, 2):
        me = int(state["ply"][0]) % game.num_players
        seen = game.layout.split(game.observe(state, me))
        expected = shown(game, witness, state, me)
        assert {*expected, "barred"} == set(seen)
        for name, right in expected.items():
            assert seen[name].ravel().tolist() == right, (name, me, game.state_text(state))


def test_large_amounts_are_shown_exactly() -> None:
    game = loo(stack=10_000_000, ante=1_000_000)
    state = game.new_state(0)
    for chips in (0, 99, 100, 123_456, 999_999, 10_000_000 - 1_279_999, 11_279_999):
        state["chips"][0, 1] = chips
        seen = game.layout.split(game.observe(state, 0))
        parts = [seen[f"points{part}"][1] for part in ("", "_hundreds", "_10000s")]
        value = int(parts[0]) + 100 * int(parts[1]) + 10_000 * int(parts[2])
        points = chips - 10_000_000
        assert value == points if abs(points) < 1_280_000 else abs(value) >= 1_270_000


# Cards that are known not to be held --------------------------------------------------------------


def told_by(game: Game, state: State, player: int, action: int) -> set[str]:
    """The cards beside which a play would not have been allowed."""
    card = game.action_text(state, action).split()[1]
    found = set()
    for other in deck_of(game):
        if other != card:
            copy = state.copy()
            copy["hands"][0, player] = _bits(game, [card, other])
            if action not in game.legal_actions(copy):
                found.add(other)
    return found


def _bits(game: Game, held: Iterable[str]) -> int:
    return bits(game, " ".join(held))


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_cards_are_barred_that_would_have_had_to_be_played(options: dict[str, Any]) -> None:
    game = loo(**{**SHORT, **options})
    exact = game.options["lead_rule"] in ("ace", "none")
    told: dict[int, set[str]] = {}
    checked = 0
    for state, action, witness in witnessed(game, 8, 3):
        if not witness.plays:
            told = {p: set() for p in range(game.num_players)}
        for p in range(game.num_players):
            barred = set(cards(game, state["barred"][0, p]).split())
            held = witness.hands[p]
            assert not barred & held, "a card that is held is barred"
            if held and witness.plays:
                # Under the other lead rules a lead may tell of two cards at once.
                assert barred == told[p] or not exact
                checked += bool(barred)
        if state["phase"][0] == 2:
            p = game.current_player(state)
            if exact:
                told[p] |= told_by(game, state, p, action)
    assert checked > 5


def test_one_trump_at_most_is_remembered_until_it_is_played() -> None:
    for rule in ("hoyle", "peel"):
        game = five(num_players=3, lead_rule=rule, num_deals=40)
        found = 0
        for state, _, witness in witnessed(game, 2, 2):
            s = state[0]
            for p in range(3):
                trumps = cards(game, s["trumps"]).split()
                held = witness.hands[p] & set(trumps)
                if s["few_trumps"] >> p & 1:
                    assert len(held) <= 1
                    if set(witness.played[p]) & set(trumps) and len(witness.played[p]) > 1:
                        found += 1
        assert found > 0


# Nothing else is shown ----------------------------------------------------------------------------


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_cards_that_were_not_seen_change_nothing_that_is_shown(options: dict[str, Any]) -> None:
    game = loo(**{**SHORT, **options})
    n = game.num_players
    by_number = sorted(deck_of(game), key=lambda card: "CDHS".index(card[1]))
    rng = generator(4)
    changed = 0
    for state, _, witness in witnessed(game, 9, 1):
        # Any permutation of the hidden cards, wherever they lie or are remembered.
        me = int(state["ply"][0]) % n
        seen = witness.hands[me] | witness.given[me] | set(witness.trick_of) | {witness.turn_up}
        hidden = [card for card in deck_of(game) if card not in seen]
        moved = dict(zip(hidden, rng.permutation(hidden), strict=True))
        other = state.copy()
        for name in ("hands", "kept", "discards"):
            for p in range(n):
                if p != me:
                    held = cards(game, state[name][0, p]).split()
                    other[name][0, p] = _bits(game, [moved.get(c, c) for c in held])
        for name in ("miss", "waste"):
            held = cards(game, state[name][0]).split()
            other[name] = _bits(game, [moved.get(c, c) for c in held])
        for i in range(int(state["stock_size"][0])):
            card = by_number[state["stock"][0, i]]
            other["stock"][0, i] = by_number.index(moved.get(card, card))
        other["seed"] += 1
        changed += int(other["hands"].tobytes() != state["hands"].tobytes())
        assert (game.observe(other, me) == game.observe(state, me)).all()
        assert game.state_text(other, me) == game.state_text(state, me)
    assert changed > 10


# Resampling ---------------------------------------------------------------------------------------


def story_of(game: Game, state: State) -> Story:
    """The hidden part of a state."""
    n, s = game.num_players, state[0]
    by_number = sorted(deck_of(game), key=lambda card: "CDHS".index(card[1]))

    def sets(name: str) -> tuple[frozenset[str], ...]:
        return tuple(frozenset(cards(game, word).split()) for word in s[name][:n])

    left = s["stock"][int(s["stock_at"]) : int(s["stock_size"])]
    return Story(
        sets("hands"), sets("kept"), sets("discards"),
        frozenset(cards(game, s["miss"]).split()),
        frozenset(by_number[i] for i in left),
        frozenset(cards(game, s["waste"]).split()),
    )  # fmt: skip


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_resampled_states_keep_everything_the_player_knows(options: dict[str, Any]) -> None:
    game = loo(**{**SHORT, **options})
    n = game.num_players
    rng = generator(1)
    for state, _, witness in witnessed(game, 21, 2):
        me = int(rng.integers(n))
        other = game.resample(state, me, rng)
        assert (game.observe(other, me) == game.observe(state, me)).all()
        was, now = story_of(game, state), story_of(game, other)
        for name in ("hands", "kept", "given"):
            before, after = getattr(was, name), getattr(now, name)
            assert before[me] == after[me]
            assert list(map(len, before)) == list(map(len, after))
        played = [frozenset(cards) for cards in witness.played]
        places = [*now.hands, *played, now.miss, now.stock, now.waste]
        places.append(frozenset({witness.turn_up} - {None}))
        assert sorted(c for place in places for c in place) == sorted(deck_of(game))
        for p in range(n):
            assert now.kept[p] <= now.hands[p] | played[p]
            assert not now.given[p] & (now.hands[p] | played[p])
            assert not set(cards(game, state["barred"][0, p]).split()) & now.hands[p]
        if not any(witness.given) or game.options["variant"] in ("five_card", "irish"):
            dealt = [c for p in range(n) for c in now.kept[p] | now.given[p]]
            assert len(dealt) == len(set(dealt)) == n * game.options["hand_size"]
        # Nothing but what is hidden has changed.
        for name in ("hands", "kept", "discards", "miss", "waste", "stock", "seed"):
            other[name] = state[name]
        assert other.tobytes() == state.tobytes()


def check_uniform(game: Game, state: State, witness: Witness, me: int, seed: int) -> int:
    """Resampled states come as often as they should, by a chi-square test over some classes."""
    classes = 40

    def class_of(story: Story) -> int:
        text = repr(
            [sorted(part) for parts in (story.hands, story.kept, story.given) for part in parts]
        )
        return crc32((text + repr([sorted(story.miss), sorted(story.stock)])).encode()) % classes

    possible: Counter[Story] = Counter(stories(witness, me))
    weights = np.zeros(classes)
    for story, ways in possible.items():
        weights[class_of(story)] += ways
    assert story_of(game, state) in possible, "the truth itself"
    rng = generator(seed)
    draws = 1500
    counts = np.zeros(classes)
    for _ in range(draws):
        story = story_of(game, game.resample(state, me, rng))
        assert story in possible, (story, game.state_text(state))
        counts[class_of(story)] += 1
    kept = weights > 0
    if kept.sum() > 1:
        expected = draws * weights[kept] / weights.sum()
        assert stats.chisquare(counts[kept], expected).pvalue > 1e-5
    return len(possible)


SMALL: list[dict[str, Any]] = [
    {"num_players": 3, "ranks": 3, "hand_size": 2},
    {"num_players": 2, "ranks": 4, "hand_size": 3, "lead_rule": "hoyle"},
    {"num_players": 2, "ranks": 4, "hand_size": 3, "lead_rule": "peel"},
    {"variant": "irish", "num_players": 3, "ranks": 3, "hand_size": 3, "lead_rule": "peel"},
    {"variant": "five_card", "num_players": 3, "ranks": 3, "hand_size": 2},
    {"variant": "five_card", "num_players": 4, "ranks": 3, "hand_size": 2},
    {"variant": "five_card", "num_players": 2, "ranks": 4, "hand_size": 3, "lead_rule": "peel"},
    {"variant": "five_card", "num_players": 2, "ranks": 4, "hand_size": 3, "lead_rule": "hoyle",
     "pam_free": True, "civil_exception": True},
]  # fmt: skip
EXCHANGES: list[dict[str, Any]] = [
    {"variant": "irish", "num_players": 4, "ranks": 3, "hand_size": 2, "irish_exchange": True,
     **more}
    for more in ({}, {"exchange_phase": "after_all", "lead_rule": "hoyle"})
]  # fmt: skip
"""With new stocks; there are too many stories before three cards are played."""


def positions(
    game: Game, boards: int, least: int = 0, first: int = 0
) -> Iterator[tuple[State, Witness, int]]:
    """One position of each kind: after so many plays, reshuffles, with own discards in a stock."""
    seen = set()
    for board in range(first, first + boards):
        for state, _, witness in witnessed(game, 7, 1, board):
            me = (int(state["ply"][0]) + board) % game.num_players
            reshuffles = int(state["reshuffles"][0])
            kind = (len(witness.plays), reshuffles, reshuffles > 0 and bool(witness.given[me]))
            if kind not in seen and len(witness.plays) >= least:
                seen.add(kind)
                yield state, witness, me


@pytest.mark.parametrize("options", [*SMALL, *EXCHANGES], ids=str)
def test_resampling_is_uniform_over_every_story(options: dict[str, Any]) -> None:
    game = loo(**{"num_deals": 1, "bold_stand": "off", "stack": 100, **options})
    least = 3 if options in EXCHANGES else 0
    for state, witness, me in positions(game, 3, least):
        check_uniform(game, state, witness, me, 1)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(3, 30, 3))
@pytest.mark.parametrize("options", [*SMALL, *EXCHANGES], ids=str)
def test_resampling_is_uniform_in_more_positions(options: dict[str, Any], first: int) -> None:
    game = loo(**{"num_deals": 1, "bold_stand": "off", "stack": 100, **options})
    least = 3 if options in EXCHANGES else 0
    for state, witness, me in positions(game, 3, least, first):
        check_uniform(game, state, witness, me, first)


def test_the_largest_count_there_is() -> None:
    game = five(num_players=8, num_deals=1)
    rng = generator(0)
    longest = 0.0
    for board in range(6):
        state = game.new_state(1, board)
        while not game.is_over(state):
            texts = {game.action_text(state, a): a for a in game.legal_actions(state)}
            if "in" in texts:
                action = texts["in"]
            elif "draw none" in texts:
                action = list(texts.values())[int(rng.integers(1, min(9, len(texts))))]
            else:
                action = records.random_choice(game, state)
            game.step(state, action)
            if not game.is_over(state):
                begin = time.perf_counter()
                game.resample(state, int(rng.integers(8)), rng)
                longest = max(longest, time.perf_counter() - begin)
    assert longest < 5.0


def test_resampling_depends_on_the_generator_alone() -> None:
    game = loo()
    state = game.new_state(4)
    first, again, third = (game.resample(state, 1, generator(seed)) for seed in (1, 1, 2))
    assert first.tobytes() == again.tobytes() != third.tobytes()
    seeds = {int(game.resample(state, 0, generator(i))["seed"][0]) for i in range(20)}
    assert len(seeds) == 20
