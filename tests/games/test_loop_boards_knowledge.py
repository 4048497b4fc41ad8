"""What a player of loop_boards can know: no leak, perfect recall, and honest resampling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from loop_envs import records
from loop_envs.envs.aec import LoopAECEnv
from loop_envs.game import Game, State

from .positions import COLOURS, cards, loop_boards, small, words

CHOOSING = 0
Cards = frozenset[str]

VARIANTS: list[dict[str, Any]] = [
    {"num_players": 4},
    {"num_players": 5},
    {"num_players": 6},
    {"num_players": 4, "deck": "fifteen"},
    {"num_players": 6, "deck": "fifteen", "eight": 7, "rounds": 3},
    {"num_players": 4, "set_aside": 1, "eight": 3},
    {"num_players": 5, "set_aside": 0, "rounds": 3},
    {"num_players": 4, "run_same_colour": False, "rounds": 3},
    {"num_players": 4, "reveal": "stuck_only", "golden_travels": False},
    small(3, 5, 4, 5, eight=3),
    small(2, 4, 3, 4, eight=2),
]


def hand(words_: Any) -> Cards:
    """A row of words as a set of card texts."""
    return frozenset(cards(words_).split())


def keen_states(game: Game, seed: int, matches: int) -> Iterator[tuple[State, int]]:
    """States of matches of players who like 8s, with the action that follows (-1 at the end)."""
    rng = np.random.default_rng(seed)
    eight = f"aside {game.options['eight']}"
    for board in range(matches):
        state = game.new_state(seed, board)
        while not game.is_over(state):
            actions = game.legal_actions(state)
            texts = [game.action_text(state, a) for a in actions]
            liked = [
                a for a, text in zip(actions, texts, strict=True)
                if text == "reveal" or text[:-1] == eight
            ]  # fmt: skip
            action = int(rng.choice(liked if liked and rng.random() < 0.7 else actions))
            yield state, action
            game.step(state, action)
        yield state, -1


class Memory:
    """What one player remembers, told the events of a record one by one.

    Boards are numbered by their first holder. The moves of others are heard, but not which cards
    they set aside.
    """

    def __init__(self, game: Game, me: int, dealt: list[list[str]]) -> None:
        self.n, self.me, self.round = game.num_players, me, 0
        self.eight = game.options["eight"]
        self.dealt = dealt
        self.of_board: list[set[str]] = [set() for _ in dealt]
        self.of_board[me] |= set(dealt[me])
        self.start_round()

    def start_round(self) -> None:
        self.played: list[set[str]] = [set() for _ in range(self.n)]
        self.aside: list[set[str]] = [set() for _ in range(self.n)]
        self.revealed: list[list[str]] = [[] for _ in range(self.n)]

    def board(self, player: int) -> int:
        return (player - self.round) % self.n

    def hear(self, event: dict[str, Any]) -> None:
        if "round_end" in event:
            for p in range(self.n):
                self.of_board[self.board(p)] |= self.played[p] | set(self.revealed[p])
            self.round += 1
            self.start_round()
            # The hand that comes from the right is looked through.
            self.of_board[self.board(self.me)] |= set(self.dealt[self.board(self.me)])
            return
        player, move = event["player"], event["move"].split()
        if move[0] == "aside":
            self.aside[player].add(move[1])
        elif move[0] == "play":
            self.played[player] |= set(move[1:])
        elif move[0] == "reveal":
            eights = sorted(
                (c for c in self.aside[player] if c[:-1] == str(self.eight)),
                key=lambda c: COLOURS.index(c[-1]),
            )
            self.revealed[player].append(next(c for c in eights if c not in self.revealed[player]))

    def known(self, player: int) -> Cards:
        """Cards known to lie in an opponent's hand or set-asides, without those shown."""
        shown = self.played[player] | set(self.revealed[player])
        return frozenset(self.of_board[self.board(player)] - shown)


def as_cards(planes: npt.NDArray[np.int8]) -> Cards:
    """Planes [colours, values] as a set of card texts."""
    return frozenset(f"{v + 1}{COLOURS[c]}" for c, v in np.argwhere(planes))


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_observations_are_what_a_player_with_perfect_recall_knows(options: dict[str, Any]) -> None:
    game = loop_boards(**options)
    n = game.num_players
    matches = 1 if n > 3 else 5
    tell = iter(keen_states(game, 5, matches))
    for _ in range(matches):
        state, action = next(tell)
        deal = game.rules.deal_event(game, state)
        minds = [Memory(game, p, deal["hands"]) for p in range(n)]
        while True:
            for me, mind in enumerate(minds):
                seen = game.layout.split(game.observe(state, me))
                for k in range(1, n):
                    other = (me + k) % n
                    expected = mind.known(other)
                    if action < 0:
                        # The last round's end is heard, but no hands are passed on any more.
                        expected = frozenset(as_cards(seen["known"][k - 1]))
                        truth = hand(state["left"][0, other]) | hand(state["aside"][0, other])
                        assert expected <= truth
                    assert as_cards(seen["known"][k - 1]) == expected, (me, other)
                if action >= 0:
                    for k in range(n):
                        other = (me + k) % n
                        assert as_cards(seen["played"][k]) == mind.played[other]
                        revealed = {COLOURS.index(card[-1]) for card in mind.revealed[other]}
                        assert set(np.flatnonzero(seen["revealed"][k])) == revealed
                    own = (
                        as_cards(seen["hand"])
                        | as_cards(seen["aside"])
                        | as_cards(seen["played"][0])
                    )
                    assert own == set(deal["hands"][mind.board(me)])
                    assert as_cards(seen["aside"]) == mind.aside[me]
            if action < 0:
                break
            before = state.copy()
            event = {
                "player": game.current_player(before),
                "move": game.action_text(before, action),
            }
            following, next_action = next(tell)
            for heard in [event, *game.rules.events(game, before, following)]:
                if not game.is_over(following):
                    for mind in minds:
                        mind.hear(heard)
            state, action = following, next_action


def knowledge(game: Game, state: State, me: int) -> tuple[list[Cards], list[Cards]]:
    """(by board: cards of it that `me` knows, by player: cards shown this round), from the record
    alone: the cards as dealt, who held what, what was seen."""
    n, round_ = game.num_players, int(state["rounds_done"][0])
    s = state[0]
    known, shown = [], []
    for p in range(n):
        eight = game.options["eight"]
        dealt = hand(s["hands"][(p - round_) % n])
        played = dealt - hand(s["left"][p]) - hand(s["aside"][p])
        eights = {f"{eight}{COLOURS[c]}" for c in range(6) if s["revealed"][p] >> c & 1}
        shown.append(played | eights)
    for b in range(n):
        holder = (b + round_) % n
        everything = hand(s["hands"][b])
        held = any((b + r) % n == me for r in range(round_ + 1))
        known.append(everything if held else (hand(s["seen"][b]) & everything) | shown[holder])
    return known, shown


def shuffled(game: Game, state: State, me: int, rng: np.random.Generator) -> State:
    """A copy in which all cards that `me` has not seen are shuffled among all places they could be
    in; written without `resample`."""
    n, round_ = game.num_players, int(state["rounds_done"][0])
    colours = int(game.record["colours"][0])
    values = int(game.record["values"][0])
    deck = [f"{v + 1}{COLOURS[c]}" for c in range(colours) for v in range(values)]
    known, shown = knowledge(game, state, me)
    pool = sorted(set(deck) - set().union(*known))
    rng.shuffle(pool)
    other = state.copy()
    for b in range(n):
        p = (b + round_) % n
        missing = game.options["hand_size"] - len(known[b])
        dealt = set(known[b]) | {pool.pop() for _ in range(missing)}
        other["hands"][0, b] = words(" ".join(sorted(dealt)))
        if p == me:
            continue
        played = shown[p] - hand(state["aside"][0, p])
        revealed = shown[p] & hand(state["aside"][0, p])
        hidden = sorted(dealt - played - revealed)
        rng.shuffle(hidden)
        number = len(hand(state["aside"][0, p])) - len(revealed)
        aside = revealed | set(hidden[:number])
        other["aside"][0, p] = words(" ".join(sorted(aside)))
        other["left"][0, p] = words(" ".join(hidden[number:]))
    other["seed"] = rng.integers(2**63)
    return other


def all_cards(game: Game, state: State) -> list[str]:
    """All cards in hands, set aside or played."""
    found = []
    for b in range(game.num_players):
        found += cards(state["hands"][0, b]).split()
    return found


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_cards_that_were_not_seen_change_nothing_that_is_shown(options: dict[str, Any]) -> None:
    game = loop_boards(**options)
    n = game.num_players
    rng = np.random.default_rng(1)
    env, twin = LoopAECEnv(game), LoopAECEnv(game)
    env.reset(seed=0)
    changed = tested = 0
    for state, action in keen_states(game, 9, 1 if n > 3 else 5):
        if rng.random() > 0.15 and action >= 0:
            continue
        for me in range(n):
            other = shuffled(game, state, me, rng)
            assert len(set(all_cards(game, other))) == n * game.options["hand_size"]
            assert game.observe(other, me).tobytes() == game.observe(state, me).tobytes()
            assert game.state_text(other, me) == game.state_text(state, me)
            mine = game.current_player(state) == me
            if mine:
                assert game.action_mask(other).tobytes() == game.action_mask(state).tobytes()
            shown = []
            for one, match in ((env, state), (twin, other)):
                one.set_state(
                    {**env.get_state(), "match": match.copy(), "agents": env.possible_agents}
                )
                agent = one.possible_agents[me]
                seen = one.observe(agent)
                info = one.infos[agent]["action_mask"]
                shown.append(
                    (seen["observation"].tobytes(), seen["action_mask"].tobytes(), info.tobytes())
                )
            if action >= 0:
                assert shown[0] == shown[1]
            changed += other["hands"].tobytes() != state["hands"].tobytes()
            changed += other["aside"].tobytes() != state["aside"].tobytes()
            tested += 1
    assert tested > 5 * n
    assert changed > tested / 10, "the shuffles must move cards for this test to mean something"


def test_what_differs_for_the_player_is_shown() -> None:
    """The reverse: moving a card that the player can see changes the observation."""
    game = loop_boards()
    for state, action in keen_states(game, 2, 1):
        if action < 0 or state["rounds_done"][0] < 1:
            continue
        me = game.current_player(state)
        own = cards(state["left"][0, me]).split()
        for p in range(4):
            if p == me or not state["left"][0, p].any():
                continue
            theirs = cards(state["left"][0, p]).split()
            other = state.copy()
            boards = [(q - int(state["rounds_done"][0])) % 4 for q in (me, p)]
            for board, row, lost, got in (
                (boards[0], me, own[0], theirs[0]),
                (boards[1], p, theirs[0], own[0]),
            ):
                for field, index in (("hands", board), ("left", row)):
                    held = set(cards(other[field][0, index]).split()) - {lost} | {got}
                    other[field][0, index] = words(" ".join(held))
            assert game.observe(other, me).tobytes() != game.observe(state, me).tobytes()


# Resampling -------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_resampled_states_keep_everything_the_player_knows(options: dict[str, Any]) -> None:
    game = loop_boards(**options)
    n, size = game.num_players, game.options["hand_size"]
    rng = np.random.default_rng(3)
    assert game.rules.dtype.names is not None
    same = set(game.rules.dtype.names) - {"hands", "seed"}
    for state, action in keen_states(game, 4, 1 if n > 3 else 5):
        if rng.random() > 0.1 or action < 0:
            continue
        for me in range(n):
            known, shown = knowledge(game, state, me)
            before = state.tobytes()
            other = game.resample(state, me, rng)
            assert state.tobytes() == before, "the original must not change"
            assert game.observe(other, me).tobytes() == game.observe(state, me).tobytes()
            held = [hand(other["hands"][0, b]) for b in range(n)]
            assert [len(h) for h in held] == [size] * n
            assert len(frozenset().union(*held)) == n * size, "no card twice"
            for b in range(n):
                assert known[b] <= held[b]
            for p in range(n):
                b = (p - int(state["rounds_done"][0])) % n
                left, aside = hand(other["left"][0, p]), hand(other["aside"][0, p])
                assert not left & aside
                assert left | aside <= held[b]
                assert len(left) == len(hand(state["left"][0, p]))
                assert len(aside) == len(hand(state["aside"][0, p]))
                played = shown[p] - hand(state["aside"][0, p])
                assert held[b] - left - aside == played
                assert shown[p] - played <= aside
            for field in same:
                mine = other[field], state[field]
                if field in ("left", "aside"):
                    mine = other[field][0, me], state[field][0, me]
                assert (mine[0] == mine[1]).all(), field
            own = (me - int(state["rounds_done"][0])) % n
            assert held[own] == hand(state["hands"][0, own]), "the own hand never changes"
            if game.current_player(state) == me:
                assert game.action_mask(other).tobytes() == game.action_mask(state).tobytes()
            # The alternative is one that can be played to its end, and resampled again.
            again = game.resample(other, me, rng)
            assert game.observe(again, me).tobytes() == game.observe(state, me).tobytes()


def consistent(game: Game, state: State, me: int) -> dict[bytes, int]:
    """Numbers every alternative (hands, left, aside) that `me` cannot tell from a state."""
    n, round_, s = game.num_players, int(state["rounds_done"][0]), state[0]
    size, eight = game.options["hand_size"], game.options["eight"]
    colours, values = int(game.record["colours"][0]), int(game.record["values"][0])
    deck = [f"{v + 1}{COLOURS[c]}" for v in range(values) for c in range(colours)]
    number_of = {card: i for i, card in enumerate(deck)}  # card order: value, then colour
    known, shown = knowledge(game, state, me)
    pool = frozenset(deck) - frozenset().union(*known)

    def deals(boards: list[int], rest: Cards) -> Iterator[list[Cards]]:
        if not boards:
            yield []
            return
        missing = size - len(known[boards[0]])
        for drawn in combinations(sorted(rest), missing):
            for others in deals(boards[1:], rest - set(drawn)):
                yield [known[boards[0]] | set(drawn), *others]

    def splits(p: int, dealt: Cards) -> Iterator[tuple[Cards, Cards]]:
        """(left, aside) of a player."""
        if p == me:
            yield hand(s["left"][p]), hand(s["aside"][p])
            return
        truth = hand(s["aside"][p])
        revealed = shown[p] & truth
        played = shown[p] - truth
        picked = len(truth)
        for hidden in combinations(sorted(dealt - played - revealed), picked - len(revealed)):
            aside = revealed | set(hidden)
            left = dealt - played - aside
            # Of two 8s the lower colour is revealed first.
            eights = sorted((c for c in aside if c[:-1] == str(eight)), key=lambda c: number_of[c])
            if set(eights[: len(revealed)]) != set(revealed):
                continue
            # A first pick leaves a later card.
            if s["phase"] == CHOOSING and 0 < picked < game.options["set_aside"]:
                last = max(number_of[c] for c in aside)
                if not any(number_of[c] > last for c in left):
                    continue
            yield frozenset(left), frozenset(aside)

    def playable(lefts: list[Cards]) -> bool:
        """Who has just revealed has a play now and, if only the stuck may reveal, had none."""
        if not s["must_play"] or s["player"] == me:
            return True
        after, before = state.copy(), state.copy()
        for one in (after, before):
            one["left"][0, s["player"]] = words(" ".join(lefts[s["player"]]))
            one["must_play"] = 0
        before["inverted"] = 1 - before["inverted"]
        plays = [
            [a for a in game.legal_actions(one) if game.action_text(one, a).startswith("play")]
            for one in (after, before)
        ]
        stuck = game.options["reveal"] == "stuck_only"
        return bool(plays[0]) and not (stuck and plays[1])

    found: dict[bytes, int] = {}
    for dealt in deals(list(range(n)), pool):
        for choice in product(*(list(splits(p, dealt[(p - round_) % n])) for p in range(n))):
            if playable([left for left, _ in choice]):
                other = state.copy()
                for b in range(n):
                    other["hands"][0, b] = words(" ".join(dealt[b]))
                for p, (left, aside) in enumerate(choice):
                    other["left"][0, p] = words(" ".join(left))
                    other["aside"][0, p] = words(" ".join(aside))
                found[key_of(other)] = len(found)
    return found


def key_of(state: State) -> bytes:
    """What resampling may change, as bytes."""
    return b"".join(state[name].tobytes() for name in ("hands", "left", "aside"))


def check_uniform(game: Game, state: State, me: int, rng: np.random.Generator) -> int:
    """χ² of many resampled states over all consistent ones; returns their number."""
    numbers = consistent(game, state, me)
    assert key_of(state) in numbers, "the truth is one of the alternatives"
    draws = max(20_000, 8 * len(numbers))
    drawn = Counter(key_of(game.resample(state, me, rng)) for _ in range(draws))
    strange = [key for key in drawn if key not in numbers]
    assert not strange, f"{sum(drawn[k] for k in strange)} of {draws} are impossible"
    counts = np.array([drawn[key] for key in numbers])
    assert counts.sum() == draws
    if len(counts) > 1:
        assert 1e-4 < stats.chisquare(counts).pvalue < 1 - 1e-4
    return len(numbers)


SMALL: list[dict[str, Any]] = [
    small(2, 4, 3, 3, eight=2),
    small(2, 3, 2, 4, eight=2, set_aside=1),
    small(2, 4, 2, 5, set_aside=0),
    small(3, 3, 2, 5, eight=2, set_aside=1),
    small(3, 3, 3, 3, eight=2, set_aside=2),
]


@pytest.mark.parametrize("options", SMALL, ids=str)
def test_resampling_is_uniform_over_everything_consistent(options: dict[str, Any]) -> None:
    game = loop_boards(**options)
    rng = np.random.default_rng(12)
    tested = most = 0
    for state, action in keen_states(game, 31, 30):
        if action < 0 or rng.random() > 0.12:
            continue
        me = int(rng.integers(game.num_players))
        number = len(consistent(game, state, me))
        if 5 < number <= 2_500:
            check_uniform(game, state, me, rng)
            most = max(most, number)
            tested += 1
            if tested == 5:
                break
    assert tested == 5
    assert most >= 10


def find_states(game: Game, wanted: Any, number: int) -> Iterator[tuple[State, int]]:
    """States of keen matches of which a condition holds for a player, with that player."""
    found = 0
    for state, action in keen_states(game, 77, 3_000):
        for me in range(game.num_players):
            if action >= 0 and wanted(state, me):
                yield state.copy(), me
                found += 1
                if found == number:
                    return
    raise AssertionError("no such states")


def test_resampling_with_revealed_8s_is_uniform() -> None:
    game = loop_boards(num_players=2, hand_size=5, deck={"colours": 3, "values": 4}, eight=2)
    rng = np.random.default_rng(5)

    def wanted(state: State, me: int) -> bool:
        return bool(state["revealed"][0, 1 - me]) and not state["must_play"][0]

    assert [check_uniform(game, s, me, rng) for s, me in find_states(game, wanted, 4)]


def test_of_two_set_aside_8s_the_lower_was_revealed() -> None:
    game = loop_boards(num_players=2, hand_size=5, deck={"colours": 3, "values": 4}, eight=2)
    rng = np.random.default_rng(6)
    highest = 0b100

    def wanted(state: State, me: int) -> bool:
        return bool(state["revealed"][0, 1 - me] == highest)

    for state, me in find_states(game, wanted, 3):
        check_uniform(game, state, me, rng)
        for _ in range(200):
            other = game.resample(state, me, rng)
            eights = [c for c in cards(other["aside"][0, 1 - me]).split() if c[0] == "2"]
            assert eights == ["2B"], "another 8 set aside would have been revealed first"


@pytest.mark.parametrize("reveal", ["allowed", "stuck_only"])
def test_who_has_just_revealed_has_a_play_and_was_stuck_if_need_be(reveal: str) -> None:
    game = loop_boards(
        num_players=2, hand_size=5, deck={"colours": 3, "values": 5}, eight=2, reveal=reveal
    )
    rng = np.random.default_rng(7)

    def wanted(state: State, me: int) -> bool:
        few = len(cards(state["left"][0, 1 - me]).split()) <= 2
        return bool(state["must_play"][0] and state["player"][0] != me and few)

    for state, me in find_states(game, wanted, 3):
        check_uniform(game, state, me, rng)


def test_a_first_pick_always_leaves_a_later_card() -> None:
    game = loop_boards(num_players=2, hand_size=3, deck={"colours": 2, "values": 4}, eight=2)
    rng = np.random.default_rng(8)

    def wanted(state: State, me: int) -> bool:
        picked = len(cards(state["aside"][0, 1 - me]).split())
        return bool(state["phase"][0] == CHOOSING and picked == 1)

    for state, me in find_states(game, wanted, 4):
        check_uniform(game, state, me, rng)


def test_resampling_depends_on_the_generator_alone() -> None:
    game = loop_boards()
    state = game.new_state(0)
    for _ in range(30):
        game.step(state, records.random_choice(game, state))
    first = [game.resample(state, 1, np.random.default_rng(s)).tobytes() for s in range(20)]
    again = [game.resample(state, 1, np.random.default_rng(s)).tobytes() for s in range(20)]
    assert first == again
    assert len(set(first)) == 20


def test_the_seed_of_the_future_is_unknown_too() -> None:
    game = loop_boards()
    state = game.new_state(5)
    rng = np.random.default_rng(0)
    seeds = {int(game.resample(state, 0, rng)["seed"][0]) for _ in range(100)}
    assert len(seeds) == 100
    assert int(state["seed"][0]) not in seeds
    assert max(seeds) < 2**63
