"""What a player of LOOPLA! can know: no leak, perfect recall, and honest resampling."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np
import pytest
from scipy import stats

from loop_envs.game import Game, State
from tests.reference.loopla import Match

from .loopla_positions import cards, generator, legal, loopla, play, position, small, words
from .test_loopla_reference import keen

SHORT: dict[str, Any] = {"target": None, "rounds": 3}
VARIANTS: list[dict[str, Any]] = [
    *({"num_players": n, **SHORT} for n in (2, 3, 4, 5, 6)),
    {"num_players": 6, "after_fall": "free", "bust_leaves": True, **SHORT},
    {"num_players": 5, "first_instruction": "random", "start_card_power": True, **SHORT},
    {"num_players": 4, "first_instruction": "starter", "seven_on_seven_double": True, **SHORT},
    {"num_players": 2, "reverse_with_two": "again", **SHORT},
    {**small(4, 3, 6, 3, target=None, rounds=12), "after_fall": "free"},
    small(3, 2, 5, 2, target=None, rounds=12),
]


def keen_states(game: Game, seed: int, matches: int) -> Iterator[tuple[State, int]]:
    """States of matches of keen players, with the action that follows (-1 at the end)."""
    for board in range(matches):
        choose = keen(game, random.Random(seed + board))
        state = game.new_state(seed, board)
        while not game.is_over(state):
            action = choose(state)
            yield state, action
            game.step(state, action)
        yield state, -1


class Memory(Match):
    """The reference, which also remembers what those who fell cannot have held, and all cards
    that were face up; both are public."""

    def start_round(
        self, hands: list[list[int]], top: int, first: int, instruction: str | None = None
    ) -> None:
        self.lacks: list[set[int]] = [set() for _ in hands]
        self.seen = Counter([top])
        self.fallen: set[int] = set()
        super().start_round(hands, top, first, instruction)

    def playable(self) -> list[int]:
        found = super().playable()
        if self.phase == "play" and not found and self.to_move is not None:
            values = range(1, self.options["values"] + 1)
            self.lacks[self.to_move] = {v for v in values if self.fits(v)}
            self.fallen.add(self.to_move)
        return found

    def play_card(self, value: int) -> None:
        self.seen[value] += 1
        super().play_card(value)


def shown(game: Game, memory: Memory, me: int) -> dict[str, Any]:
    """What the fields of an observation should say."""
    n, values = game.num_players, game.options["values"]
    turned = [(me + k) % n for k in range(n)]
    constraints = ["free", "up", "down", "doubled", "sovereign"]
    phases = ["play", "pick", "instruction", "opening"]
    assert memory.to_move is not None

    def planes(held: Counter[int]) -> list[list[int]]:
        return [
            [int(held[v] > k) for v in range(1, values + 1)] for k in range(game.options["copies"])
        ]

    def members(of: set[int]) -> list[int]:
        return [int(v in of) for v in range(1, values + 1)]

    covered = {memory.covered} if memory.phase == "pick" and memory.covered else set()
    return {
        "hand": planes(Counter(memory.hands[me])),
        "seen": planes(memory.seen),
        "collections": [members(memory.collections[p]) for p in turned],
        "lacks": [members(memory.lacks[p]) for p in turned[1:]],
        "top": members({memory.top}),
        "covered": members(covered),
        "constraint": [int(memory.constraint == name) for name in constraints],
        "reversed": [int(memory.direction < 0)],
        "phase": [int(memory.phase == name) for name in phases],
        "cards_left": [len(memory.hands[p]) for p in turned],
        "active": [int(p in memory.inside) for p in turned],
        "fallen": [int(p in memory.fallen) for p in turned],
        "starter": [int(p == memory.starter) for p in turned],
        "turn": [int(p == memory.to_move) for p in turned],
        "points": [memory.totals[p] % 100 for p in turned],
        "hundreds": [memory.totals[p] // 100 for p in turned],
        "rounds_left": [game.options["rounds"] - memory.rounds_played],
    }


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_observations_are_what_a_player_with_perfect_recall_knows(options: dict[str, Any]) -> None:
    game = loopla(**options)
    memory = Memory(game.options)
    for state, action in keen_states(game, 3, 3):
        while memory.phase == "deal":
            event = deal_of(game, state, memory)
            memory.start_round(
                event["hands"], event["top"], event["first"], event.get("instruction")
            )
        if action < 0:
            assert memory.phase == "over"
            for p in range(game.num_players):
                seen = game.layout.split(game.observe(state, p))
                assert not seen["turn"].any()
                assert not seen["phase"].any()
            memory = Memory(game.options)
            continue
        for me in range(game.num_players):
            seen = game.layout.split(game.observe(state, me))
            for name, expected in shown(game, memory, me).items():
                assert seen[name].tolist() == expected, (name, me, game.state_text(state))
        memory.play(game.action_text(state, action))


def deal_of(game: Game, state: State, memory: Memory) -> dict[str, Any]:
    """The deal of the next round: a function of seed, board and index."""
    fresh = game.undealt(int(state["seed"][0]), int(state["board"][0]))
    fresh["deals"] = memory.rounds_played
    fresh["next_starter"] = -1 if memory.next_starter is None else memory.next_starter
    game.deal(fresh)
    told: dict[str, Any] = game.rules.deal_event(game, fresh)
    return told


def test_who_gave_the_constraint_and_who_had_a_bust_are_shown() -> None:
    game = loopla(num_players=3)
    state = position(game, ["9 2 3", "9 10 11", "2 3 9"], 5, "up", collections=["5"])
    play(game, state, "0 play 9, 0 take, 0 up")
    seen = game.layout.split(game.observe(state, 1))
    assert seen["giver"].tolist() == [0, 0, 1]
    assert seen["busted"].tolist() == [0, 0, 1]
    play(game, state, "1 play 9, 1 leave")
    seen = game.layout.split(game.observe(state, 1))
    assert seen["giver"].tolist() == [1, 0, 0]
    play(game, state, "2 play 9")
    assert game.layout.split(game.observe(state, 2))["giver"].tolist() == [1, 0, 0]
    state = position(game, ["9 2 3", "9 10 11", "2 3 9"], 5, "up")
    play(game, state, "0 play 9")
    assert not game.layout.split(game.observe(state, 2))["giver"].any()


def unseen(game: Game, state: State, me: int) -> Counter[int]:
    """The cards that a player has not seen."""
    deck = Counter(dict.fromkeys(range(1, game.options["values"] + 1), game.options["copies"]))
    return deck - Counter(cards(state["left"][0, me])) - Counter(cards(state["seen"][0, 0]))


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_cards_that_were_not_seen_change_nothing_that_is_shown(options: dict[str, Any]) -> None:
    game = loopla(**options)
    n = game.num_players
    rng = generator(4)
    changed = 0
    for state, action in keen_states(game, 9, 2):
        if action < 0:
            continue
        for me in range(n):
            pool = [int(v) for v in rng.permutation(sorted(unseen(game, state, me).elements()))]
            other = state.copy()
            for p in range(n):
                if p != me:
                    size = int(state["cards_left"][0, p])
                    other["left"][0, p] = words([pool.pop() for _ in range(size)])
            changed += int((other["left"] != state["left"]).any())
            other["seed"] += 1
            other["board"] += 1
            assert (game.observe(other, me) == game.observe(state, me)).all()
            assert game.state_text(other, me) == game.state_text(state, me)
    assert changed > 10


# Resampling -------------------------------------------------------------------------------------


def legal_values(state: State, game: Game) -> set[int]:
    """The values that the constraint of a state allows, by the reference."""
    match = Match(game.options)
    match.top = int(state["top"][0]) + 1
    match.constraint = ["free", "up", "down", "doubled", "sovereign"][int(state["constraint"][0])]
    return {v for v in range(1, game.options["values"] + 1) if match.fits(v)}


def consistent(game: Game, state: State, hands: list[list[int]]) -> bool:
    """Whether these hands fit what is known of falls and of the player to play."""
    for p, hand in enumerate(hands):
        lacks = int(state["lacks"][0, p])
        if any(lacks >> v - 1 & 1 for v in hand):
            return False
    mover = int(state["player"][0])
    if mover >= 0 and state["phase"][0] == 0:
        return bool(legal_values(state, game) & set(hands[mover]))
    return True


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_resampled_states_keep_everything_the_player_knows(options: dict[str, Any]) -> None:
    game = loopla(**options)
    n, copies = game.num_players, game.options["copies"]
    rng = generator(1)
    for state, action in keen_states(game, 21, 2):
        if action < 0 or rng.random() < 0.5:
            continue
        me = int(rng.integers(n))
        other = game.resample(state, me, rng)
        assert (game.observe(other, me) == game.observe(state, me)).all()
        hands = [cards(other["left"][0, p]) for p in range(n)]
        assert hands[me] == cards(state["left"][0, me])
        assert [len(hand) for hand in hands] == state["cards_left"][0, :n].tolist()
        assert consistent(game, state, hands)
        dealt = Counter(v for hand in hands for v in hand) + Counter(cards(state["seen"][0, 0]))
        assert max(dealt.values()) <= copies
        assert other["seed"] != state["seed"]
        # Nothing but hands and seed has changed.
        other["left"], other["seed"] = state["left"], state["seed"]
        assert other.tobytes() == state.tobytes()


def all_deals(game: Game, state: State, me: int) -> dict[tuple[tuple[int, ...], ...], int]:
    """Every way to deal what a player has not seen, with the number of ways in single cards."""
    n = game.num_players
    found: dict[tuple[tuple[int, ...], ...], int] = {}

    def deal_to(p: int, hands: list[list[int]], rest: Counter[int], ways: int) -> None:
        if p == n:
            if consistent(game, state, hands):
                found[tuple(map(tuple, hands))] = ways
            return
        if p == me:
            deal_to(p + 1, [*hands, cards(state["left"][0, me])], rest, ways)
            return
        size = int(state["cards_left"][0, p])
        for hand in sorted(set(combinations(sorted(rest.elements()), size))):
            held = Counter(hand)
            more = prod(comb(rest[v], number) for v, number in held.items())
            deal_to(p + 1, [*hands, list(hand)], rest - held, ways * more)

    deal_to(0, [], unseen(game, state, me), 1)
    return found


def check_uniform(game: Game, state: State, me: int, seed: int) -> None:
    """Resampled deals come as often as they should, by a chi-square test."""
    expected = all_deals(game, state, me)
    draws = 12 * len(expected) + 200
    rng = generator(seed)
    found: Counter[tuple[tuple[int, ...], ...]] = Counter()
    for _ in range(draws):
        other = game.resample(state, me, rng)
        found[tuple(tuple(cards(other["left"][0, p])) for p in range(game.num_players))] += 1
    assert set(found) <= set(expected)
    if len(expected) > 1:
        total = sum(expected.values())
        frequencies = [draws * ways / total for ways in expected.values()]
        counts = [found[deal] for deal in expected]
        assert stats.chisquare(counts, frequencies).pvalue > 1e-5


@pytest.mark.parametrize(
    "options",
    [
        small(2, 3, 5, 2), small(3, 2, 6, 2, after_fall="free"), small(3, 3, 5, 2),
        small(4, 2, 5, 2), small(4, 2, 6, 2, after_fall="free"), small(5, 2, 7, 2),
    ],
    ids=str,
)  # fmt: skip
def test_resampling_is_uniform_over_everything_consistent(options: dict[str, Any]) -> None:
    game = loopla(target=None, rounds=40, **options)
    checked: Counter[tuple[int, bool]] = Counter()
    for state, action in keen_states(game, 5, 3):
        if action < 0:
            continue
        me = int(state["ply"][0]) % game.num_players
        fallen = int(state["fallen"][0]) & ~(1 << me)
        kind = (fallen.bit_count(), state["phase"][0] == 0 and state["player"][0] != me)
        hidden = sum(int(x) for p, x in enumerate(state["cards_left"][0]) if p != me)
        if checked[kind] < 2 and hidden <= 5 and 1 < len(all_deals(game, state, me)) <= 120:
            check_uniform(game, state, me, sum(checked.values()))
            checked[kind] += 1
    for fallen in range(min(3, game.num_players - 1)):
        assert checked[fallen, True] + checked[fallen, False] > 0, checked


def test_two_fallen_players_and_the_player_to_play() -> None:
    # All conditions at once: two hands barred from different values, and a rare legal card.
    game = loopla(**small(4, 2, 7, 2))
    state = position(game, ["1 2", "3 4", "4 6", "5 7"], 6, "up", player=3, played="7")
    state["lacks"][0, 1] = words([1, 5, 7])[0]
    state["lacks"][0, 2] = words([2, 7])[0]
    state["fallen"], state["active"] = 0b0110, 0b1001
    assert len(all_deals(game, state, 0)) > 20
    check_uniform(game, state, 0, 1)
    check_uniform(game, state, 3, 2)


def test_a_rare_card_is_found_quickly() -> None:
    # One card of 46 unseen ones is legal, and the player to play holds a single card.
    game = loopla(num_players=2)
    state = position(game, ["1 2 3 4 5", "13"], 13, "sovereign", player=1, played="7 7 7 7 13 13")
    rng = generator(0)
    for _ in range(200):
        assert legal(game, game.resample(state, 0, rng)) == "13"


def test_the_most_fallen_players() -> None:
    # Five hands of eight that are barred from different values: the largest count there is.
    game = loopla(num_players=6)
    hands = ["1 1 1 2 2 2 3 3", "1 3 4 4 5 5 6 6", "2 3 4 4 5 5 6 6", "8 8 8 9 9 9 10 10",
             "8 9 10 10 11 11 12 12", "11 11 12 12 13 13 13 7"]  # fmt: skip
    state = position(game, hands, 13)
    for p, lacks in enumerate([[], [7, 13], [7, 8, 9], [7, 3, 4, 5], [1, 7], [1, 2]]):
        state["lacks"][0, p] = sum(1 << v - 1 for v in lacks)
    state["fallen"] = 0b111110
    rng = generator(0)
    for _ in range(3):
        other = game.resample(state, 0, rng)
        assert (game.observe(other, 0) == game.observe(state, 0)).all()
        assert consistent(game, state, [cards(other["left"][0, p]) for p in range(6)])


def test_resampling_depends_on_the_generator_alone() -> None:
    game = loopla()
    state = game.new_state(4)
    first, again, third = (game.resample(state, 1, generator(seed)) for seed in (1, 1, 2))
    assert first.tobytes() == again.tobytes() != third.tobytes()


def test_the_seed_of_the_future_is_unknown_too() -> None:
    game = loopla()
    state = game.new_state(4)
    seeds = {int(game.resample(state, 0, generator(i))["seed"][0]) for i in range(20)}
    assert len(seeds) == 20
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert np.uint64(4) not in seeds
