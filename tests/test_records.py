"""Game records: golden files, puzzles by hand, damage of every kind, and the command line."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loop_envs import load_game, records
from loop_envs.__main__ import main
from loop_envs.errors import LoopEnvsError, RecordError
from tests.reference.loop_boards import check_record

ID = "loop_boards-v0"
GOLDEN = Path(__file__).with_name("golden")
SMALL: dict[str, Any] = {
    "num_players": 3,
    "hand_size": 4,
    "deck": {"colours": 3, "values": 5},
    "eight": 3,
    "rounds": 2,
}


def small_record(seed: int = 1, legal: bool = False) -> dict[str, Any]:
    """A fresh record of a short match, as read from a line."""
    record = records.record_match(load_game(ID, **SMALL), seed, 3, legal=legal)
    return records.loads(records.dumps(record))


# Golden records -----------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [4, 5, 6])
def test_golden_records_are_reproduced_byte_for_byte(num_players: int) -> None:
    """If this fails the same seed and board no longer give the same match: the version rises."""
    text = (GOLDEN / f"{ID}-{num_players}.jsonl").read_text(encoding="utf-8")
    record = records.record_match(load_game(ID, num_players=num_players), 2026, 0)
    assert records.dumps(record) + "\n" == text


@pytest.mark.parametrize("num_players", [4, 5, 6])
def test_golden_records_replay_and_pass_the_reference(num_players: int) -> None:
    with open(GOLDEN / f"{ID}-{num_players}.jsonl", encoding="utf-8") as lines:
        (record,) = records.read(lines)
    game = records.game_of(record)
    final = records.replay(record)
    assert game.is_over(final)
    assert game.points(final).tolist() == record["scores"]
    assert check_record(record) == sum("move" in event for event in record["events"])


# What a record holds ------------------------------------------------------------------------------


def test_a_record_has_the_documented_shape() -> None:
    record = records.record_match(
        load_game(ID, num_players=5, eight=None), 7, 9, agents=list("abcde")
    )
    assert list(record) == [
        "format", "env", "options", "seed", "board", "agents", "events", "scores", "winners", "end",
    ]  # fmt: skip
    assert record["format"] == "loop-envs-record/1"
    assert record["env"] == ID
    assert (record["seed"], record["board"]) == (7, 9)
    assert record["agents"] == list("abcde")
    assert record["end"] == "terminated"
    assert record["options"]["eight"] is None
    assert record["options"]["rounds"] == 5, "options are resolved"
    assert set(record["events"][0]) == {"deal"}
    assert set(record["events"][0]["deal"]) == {"hands", "unseen", "golden"}
    for event in record["events"][1:]:
        assert set(event) in ({"player", "move"}, {"round_end"})
    assert record["events"][-1].keys() == {"round_end"}
    assert sum("round_end" in event for event in record["events"]) == 5
    assert record["winners"] == sorted(
        p for p in range(5) if record["scores"][p] == max(record["scores"])
    )
    assert "\n" not in records.dumps(record)
    assert json.loads(records.dumps(record)) == record


def test_legal_moves_are_listed_sorted_as_text() -> None:
    for event in small_record(legal=True)["events"]:
        if "move" in event:
            assert event["legal"] == sorted(event["legal"])
            assert event["move"] in event["legal"]
            assert len(set(event["legal"])) == len(event["legal"])


def test_cards_are_written_in_ascending_order() -> None:
    order = {c: i for i, c in enumerate("RGBYPO")}

    def key(card: str) -> tuple[int, int]:
        return int(card[:-1]), order[card[-1]]

    record = records.record_match(load_game(ID, deck="fifteen"), 3)
    deal = record["events"][0]["deal"]
    for pile in (*deal["hands"], deal["unseen"]):
        assert pile == sorted(pile, key=key)
    for event in record["events"]:
        if event.get("move", "").startswith("play"):
            cards = event["move"].split()[1:]
            assert cards == sorted(cards, key=key)


def test_changing_a_record_does_not_change_the_game() -> None:
    game = load_game(ID)
    before = copy.deepcopy(game.options)
    record = records.record_match(game, 0)
    record["options"]["num_players"] = 6
    record["options"].clear()
    assert game.options == before


def test_a_choosers_own_moves_are_recorded() -> None:
    game = load_game(ID, **SMALL)
    record = records.record_match(game, 1, choose=lambda state: game.legal_actions(state)[-1])
    records.replay(records.loads(records.dumps(record)))
    assert record != records.record_match(game, 1)


def test_random_play_is_a_function_of_seed_and_board() -> None:
    game = load_game(ID, **SMALL)
    assert records.record_match(game, 4, 5) == records.record_match(game, 4, 5)
    assert records.record_match(game, 4, 5)["events"] != records.record_match(game, 5, 4)["events"]


# Records by hand ----------------------------------------------------------------------------------

PUZZLE: dict[str, Any] = {
    "format": "loop-envs-record/1",
    "env": ID,
    "options": {
        "num_players": 2,
        "hand_size": 4,
        "set_aside": 1,
        "rounds": None,
        "deck": {"colours": 2, "values": 4},
        "eight": 2,
        "golden": None,
    },
    "events": [
        {"deal": {"hands": [["1R", "2R", "3R", "4R"], ["4G", "2G", "3G", "1G"]],
                  "unseen": [], "golden": 1}},
        {"player": 1, "move": "aside 2G"},
        {"player": 0, "move": "aside 1R"},
        {"player": 1, "move": "play 4G"},
        {"player": 0, "move": "pass"},
        {"player": 1, "move": "reveal", "legal": ["play 1G", "play 3G", "reveal"]},
        {"player": 1, "move": "play 3G"},
        {"player": 0, "move": "play 2R"},
    ],
    "scores": [0, 0],
    "winners": [],
    "end": None,
}  # fmt: skip


def test_a_puzzle_by_hand_stops_in_mid_match() -> None:
    state = records.replay(PUZZLE)
    game = records.game_of(PUZZLE)
    assert not game.is_over(state)
    assert game.current_player(state) == 0, "the 2 has the powers of the 8 here"
    assert sorted(game.action_text(state, a) for a in game.legal_actions(state)) == [
        "play 3R",
        "play 3R 4R",
        "play 4R",
    ]
    assert records.replay(json.loads(records.dumps(PUZZLE))).tobytes() == state.tobytes()
    check_record(PUZZLE)


def test_a_puzzle_played_to_its_end() -> None:
    puzzle = copy.deepcopy(PUZZLE)
    puzzle["options"]["rounds"] = 1
    puzzle["events"] += [
        {"player": 0, "move": "play 3R 4R"},
        {"round_end": {"ranks": [1, 2]}},
    ]
    puzzle.update(scores=[1, 1], winners=[0, 1], end="terminated")
    game = records.game_of(puzzle)
    assert game.is_over(records.replay(puzzle))
    check_record(puzzle)


def test_a_deal_alone_is_a_record() -> None:
    puzzle = dict(PUZZLE, events=PUZZLE["events"][:1])
    state = records.replay(puzzle)
    assert records.game_of(puzzle).current_player(state) == 1


def test_deals_without_a_seed_come_from_the_event() -> None:
    record = small_record()
    final = records.replay(record)
    for gone in (["seed"], ["seed", "board"], ["seed", "board", "agents"]):
        by_hand = {key: value for key, value in record.items() if key not in gone}
        again = records.replay(by_hand)
        for name in ("hands", "ranks", "points"):
            assert (again[name] == final[name]).all()


def test_deals_that_are_not_those_of_the_seed_are_refused() -> None:
    record = small_record()
    for change in ({"seed": record["seed"] + 1}, {"board": record["board"] + 1}):
        with pytest.raises(RecordError, match="event 0"):
            records.replay(record | change)
    hands = record["events"][0]["deal"]["hands"]
    hands[0], hands[1] = hands[1], hands[0]
    with pytest.raises(RecordError, match="event 0"):
        records.replay(record)


def test_the_order_within_hands_is_free() -> None:
    record = small_record()
    final = records.replay(record).tobytes()
    for hand in record["events"][0]["deal"]["hands"]:
        hand.reverse()
    record["events"][0]["deal"]["unseen"].reverse()
    assert records.replay(record).tobytes() == final


# Refused ------------------------------------------------------------------------------------------


def refused(record: Any, event: int | None = None, words: str = "") -> None:
    """Asserts that a record is refused, with the event's index and these words."""
    with pytest.raises(RecordError) as caught:
        records.replay(record)
    if event is not None:
        assert caught.value.event == event
        assert str(caught.value).startswith(f"event {event}: ")
    assert words in str(caught.value)
    assert len(str(caught.value)) < 5_000


def test_an_illegal_move_names_event_player_move_and_what_is_legal() -> None:
    record = small_record()
    index = next(i for i, e in enumerate(record["events"]) if e.get("move", "").startswith("play"))
    record["events"][index]["move"] = "pass"
    with pytest.raises(RecordError) as caught:
        records.replay(record)
    message = str(caught.value)
    player = record["events"][index]["player"]
    for part in (f"event {index}:", f"player {player}", "pass", "legal: ", "play "):
        assert part in message
    assert caught.value.event == index


def test_damaged_events_are_refused_where_they_are() -> None:
    record = small_record(legal=True)
    events = record["events"]
    move = 5
    assert "move" in events[move]
    end = next(i for i, e in enumerate(events) if "round_end" in e)
    changes: list[tuple[int, Any]] = [
        (move, {**events[move], "player": (events[move]["player"] + 1) % 3}),
        (move, {**events[move], "player": float(events[move]["player"])}),
        (move, {**events[move], "player": str(events[move]["player"])}),
        (move, {**events[move], "player": None}),
        (move, {**events[move], "player": True}),
        (move, {**events[move], "player": 10**100}),
        (move, {**events[move], "player": [0]}),
        (move, {**events[move], "move": ["pass"]}),
        (move, {**events[move], "move": 3}),
        (move, {**events[move], "move": None}),
        (move, {**events[move], "move": events[move]["move"] + " "}),
        (move, {**events[move], "move": events[move]["move"].upper()}),
        (move, {**events[move], "move": ""}),
        (move, {**events[move], "legal": events[move]["legal"][1:]}),
        (move, {**events[move], "legal": [*events[move]["legal"][::-1], "x"]}),
        (move, {**events[move], "legal": "all"}),
        (move, {**events[move], "legal": None}),
        (move, {**events[move], "why": "a good move"}),
        (move, {"player": events[move]["player"]}),
        (move, {"move": events[move]["move"]}),
        (move, {}),
        (move, []),
        (move, None),
        (move, "pass"),
        (move, events[0]),
        (move, events[end]),
        (end, {"round_end": {"ranks": [3, 2, 1]}}),
        (end, {"round_end": {"ranks": [float(r) for r in events[end]["round_end"]["ranks"]]}}),
        (end, {"round_end": {"ranks": events[end]["round_end"]["ranks"], "points": []}}),
        (end, {"round_end": None}),
        (end, {**events[end], "player": 0}),
        (end, events[1]),
        (0, events[1]),
        (0, {"deal": None}),
        (0, {"deal": events[0]["deal"], "player": 0}),
        (0, {"deal": {**events[0]["deal"], "turn_up": "1R"}}),
        (0, {"deal": {k: v for k, v in events[0]["deal"].items() if k != "unseen"}}),
        (0, {"deal": {**events[0]["deal"], "golden": 3}}),
        (0, {"deal": {**events[0]["deal"], "golden": True}}),
        (0, {"deal": {**events[0]["deal"], "golden": 1.0}}),
        (0, {"deal": {**events[0]["deal"], "golden": None}}),
        (0, {"deal": {**events[0]["deal"], "hands": events[0]["deal"]["hands"][:2]}}),
        (0, {"deal": {**events[0]["deal"], "hands": {"0": []}}}),
        (0, {"deal": {**events[0]["deal"], "hands": ["1R2R3R4R"] * 3}}),
        (0, {"deal": {**events[0]["deal"], "unseen": ["1R"] * 3}}),
        (0, {"deal": {**events[0]["deal"], "unseen": [["1R"]] * 3}}),
        (0, {"deal": {**events[0]["deal"], "unseen": ["0R", "1R", "2R"]}}),
        (0, {"deal": {**events[0]["deal"], "unseen": ["1Y", "01R", " 2R"]}}),
    ]  # fmt: skip
    for index, event in changes:
        damaged = copy.deepcopy(record)
        damaged["events"][index] = event
        if damaged["events"][index] != record["events"][index]:
            refused(damaged, index)
    for index in range(len(events)):
        damaged = copy.deepcopy(record)
        del damaged["events"][index]
        refused(damaged)
    refused(dict(record, events=[*events, events[-1]]), len(events))
    refused(dict(record, events=[*events, {"player": 0, "move": "pass"}]), len(events), "over")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "loop-envs-record/2"}, "format"),
        ({"format": None}, "format"),
        ({"env": "loop_board-v0"}, "did you mean"),
        ({"env": "chess-v0"}, "no environment"),
        ({"env": None}, "env"),
        ({"env": ["loop_boards-v0"]}, "env"),
        ({"env": ID.upper()}, "no environment"),
        ({"options": None}, "options"),
        ({"options": []}, "options"),
        ({"options": {"num_player": 4}}, "num_player"),
        ({"options": {"num_players": "4"}}, "num_players"),
        ({"options": {"env_id": "x"}}, "env_id"),
        ({"options": {"self": "x"}}, "self"),
        ({"options": {"deck": {"colours": 10**40, "values": 1}}}, "deck"),
        ({"options": {}}, "agents"),
        ({"events": None}, "events"),
        ({"events": {}}, "events"),
        ({"events": []}, "event 0"),
        ({"events": ["deal"]}, "event 0"),
        ({"events": "deal"}, "events"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**63}, "seed"),
        ({"seed": 1.0}, "seed"),
        ({"seed": True}, "seed"),
        ({"seed": "1"}, "seed"),
        ({"seed": []}, "seed"),
        ({"board": -1}, "board"),
        ({"board": None}, "board"),
        ({"board": 3.0}, "board"),
        ({"board": 2**63}, "board"),
        ({"agents": ["a", "b"]}, "agents"),
        ({"agents": ["a", "b", 3]}, "agents"),
        ({"agents": "abc"}, "agents"),
        ({"scores": [0, 0, 0]}, "scores"),
        ({"scores": None}, "scores"),
        ({"scores": {}}, "scores"),
        ({"winners": []}, "winners"),
        ({"winners": [2, 1, 0]}, "winners"),
        ({"winners": 0}, "winners"),
        ({"end": None}, "end"),
        ({"end": "truncated"}, "end"),
        ({"end": True}, "end"),
        ({"comment": "a fine match"}, "comment"),
    ],
)
def test_damaged_records_are_refused_with_the_reason(change: dict[str, Any], words: str) -> None:
    refused(small_record() | change, words=words)


@pytest.mark.parametrize("key", ["format", "env", "options", "events", "scores", "winners", "end"])
def test_missing_keys_are_refused(key: str) -> None:
    record = small_record()
    del record[key]
    refused(record, words=key)


def test_scores_are_integers_not_floats() -> None:
    record = small_record()
    refused(record | {"scores": [float(s) for s in record["scores"]]}, words="scores")
    refused(record | {"winners": [bool(w) for w in record["winners"]]}, words="winners")


@pytest.mark.parametrize(
    "line",
    [
        "", " ", "{", "[]", "null", "3", '"x"', "NaN", '{"a": NaN}', '{"a": Infinity}',
        '{"a": -Infinity}', "{'a': 1}", "[" * 100_000, '{"a":' * 50_000, "1" * 10_000,
        '{"a": 1} {"b": 2}', "\x00", "\ufeff{}", '{"a": "\\ud800"', "{" + "}" * 5,
    ],
    ids=lambda line: repr(line[:20]),
)  # fmt: skip
def test_lines_that_are_no_records_are_refused(line: str) -> None:
    with pytest.raises(RecordError):
        records.loads(line)


def test_reading_names_the_line() -> None:
    good = records.dumps(small_record())
    with pytest.raises(RecordError, match="line 4"):
        list(records.read([good, "\n", good, "{"]))
    assert len(list(records.read([good, "\n", "", "  \n", good]))) == 2


def test_a_record_error_is_a_value_error_of_the_library() -> None:
    assert issubclass(RecordError, ValueError)
    assert issubclass(RecordError, LoopEnvsError)
    assert RecordError("because").event is None


def nested(depth: int) -> Any:
    """Lists in lists."""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def deepest() -> int:
    """The deepest nesting that Python's own reader takes here."""
    depth = 100
    while True:
        try:
            json.loads("[" * depth + "]" * depth)
        except RecursionError:
            return depth - 1
        depth += 1


@pytest.mark.parametrize(
    "path",
    [
        ("format",), ("env",), ("options",), ("options", "deck"), ("options", "deck", "values"),
        ("options", "reveal"), ("options", "golden"), ("options", "hand_size"), ("seed",),
        ("agents",), ("events",), ("events", 0), ("events", 0, "deal"),
        ("events", 0, "deal", "hands"),
        ("events", 0, "deal", "hands", 1), ("events", 0, "deal", "hands", 1, 2),
        ("events", 0, "deal", "unseen"), ("events", 0, "deal", "golden"), ("events", 2, "player"),
        ("events", 2, "move"), ("events", 5, "legal"), ("events", 5, "why"), ("events", 7),
        ("scores",), ("scores", 0), ("winners",), ("end",), ("comment",),
    ],
    ids=str,
)  # fmt: skip
def test_deep_nesting_is_refused_like_anything_else(path: tuple[Any, ...]) -> None:
    # What can just be read may be too deep to be shown in the error.
    record = copy.deepcopy(PUZZLE)
    inner: Any = record
    for key in path[:-1]:
        inner = inner.setdefault(key, {}) if isinstance(inner, dict) else inner[key]
    inner[path[-1]] = "@@"
    line = records.dumps(record)
    most = deepest()
    for depth in (10, most // 2, 19, 20, 21, 22, *range(most - 80, most + 3, 4), 5 * most):
        for opening, closing in (("[", "]"), ('{"":', "}")):
            deep = opening * depth + ("1" if closing == "}" else "") + closing * depth
            with pytest.raises(RecordError):
                records.replay(records.loads(line.replace('"@@"', deep)))


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to everything in a JSON value."""
    found = [path]
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        found += paths(inner, (*path, key))
    return found


def replaced(value: Any, path: tuple[Any, ...], change: Callable[[Any], Any]) -> Any:
    """A copy with what lies at a path changed."""
    value = copy.deepcopy(value)
    if not path:
        return change(value)
    inner = value
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = change(inner[path[-1]])
    return value


STRANGE: list[Any] = [
    None, True, False, 0, 1, -1, 3, 2**31, 2**63, 2**64, -(2**63), 10**400, 0.0, 1.5, -0.0, 1e308,
    "", "0", "pass", "reveal", "play", "play 1R", "aside", "aside 1R", "1R", "0R", "8R", "é",
    "\x00", "\ud800", [], {}, [[]], [0], [None], ["1R"], {"": None}, {"deal": {}}, {"player": 0},
    {"player": 0, "move": "pass"}, {"round_end": {"ranks": [1, 2, 3]}}, nested(50), "x" * 10_000,
    list(range(1_000)),
]  # fmt: skip
BASES = [small_record(legal=False), small_record(2, legal=True), PUZZLE]


def survives(record: Any) -> bool:
    """Whether a record is accepted; anything but acceptance and RecordError fails the test."""
    line = json.dumps(record)
    try:
        records.replay(records.loads(line))
    except RecordError as error:
        reason, event = str(error), error.event
    else:
        return True
    assert reason
    assert event is None or 0 <= event <= len(record["events"])
    return False


@given(st.integers(0, 2), st.integers(0, 2**32), st.integers(1, 3))
def test_random_replacements_never_raise_anything_else(base: int, seed: int, times: int) -> None:
    rng = random.Random(seed)
    record: Any = BASES[base]
    for _ in range(times):
        places = [p for p in paths(record) if p]
        record = replaced(record, rng.choice(places), lambda _: copy.deepcopy(rng.choice(STRANGE)))
    survives(record)


@given(st.integers(0, 2), st.integers(0, 2**32))
def test_random_structural_damage_never_raises_anything_else(base: int, seed: int) -> None:
    rng = random.Random(seed)
    record = copy.deepcopy(BASES[base])
    events = record["events"]
    kind = rng.choice(["swap", "delete", "repeat", "cut", "key", "move", "cards"])
    i, j = rng.randrange(len(events)), rng.randrange(len(events))
    if kind == "swap":
        events[i], events[j] = events[j], events[i]
    elif kind == "delete":
        del events[i]
    elif kind == "repeat":
        events.insert(i, copy.deepcopy(events[j]))
    elif kind == "cut":
        del events[i:]
    elif kind == "key":
        target = rng.choice([record, record["options"], events[i], events[0].get("deal", {})])
        target[rng.choice(["legal", "player", "deal", "comment", "seed", ""])] = rng.choice(STRANGE)
    elif kind == "move":
        texts = [e["move"] for e in events if "move" in e]
        if "move" in events[i]:
            events[i]["move"] = rng.choice(texts)
    else:
        hands = events[0]["deal"]["hands"]
        hands[0][0], hands[-1][-1] = rng.choice(
            [(hands[1][0], hands[-1][-1]), (hands[-1][-1], hands[0][0]), (hands[0][0], "16R")]
        )
    unchanged = json.dumps(record) == json.dumps(BASES[base])
    if survives(record) and not unchanged:
        # What is still accepted must be a match by the rules, by somebody else's reckoning.
        check_record(record)


@given(st.integers(0, 2), st.integers(0, 2**32), st.integers(1, 5))
def test_random_damage_to_the_text_never_raises_anything_else(
    base: int, seed: int, times: int
) -> None:
    rng = random.Random(seed)
    line = records.dumps(BASES[base])
    for _ in range(times):
        at = rng.randrange(len(line))
        kind = rng.randrange(4)
        if kind == 0:
            line = line[:at]
        elif kind == 1:
            line = line[:at] + line[at + 1 :]
        elif kind == 2:
            line = (
                line[:at] + rng.choice('{}[],:"0123456789.eE-+ntfRGBYPO \\/\x00é') + line[at + 1 :]
            )
        else:
            other = rng.randrange(len(line))
            line = line[:at] + line[other : other + 20] + line[at:]
        line = line or "x"
    with contextlib.suppress(RecordError):
        records.replay(records.loads(line))


def test_what_the_reference_accepts_and_refuses_the_library_does_too() -> None:
    """One wrong move in a match, or none: both judge alike."""
    rng = np.random.default_rng(0)
    game = load_game(ID, **SMALL)
    verdicts = set()
    for board in range(60):
        record = records.loads(records.dumps(records.record_match(game, 5, board)))
        moves = [i for i, event in enumerate(record["events"]) if "move" in event]
        event = record["events"][int(rng.choice(moves))]
        event["move"] = str(rng.choice(game.action_names))
        # What follows is cut off, so that only this move can be wrong.
        index = record["events"].index(event)
        record["events"] = record["events"][: index + 1]
        record.update(end=None, winners=[])
        verdict = []
        for judge in (records.replay, check_record):
            try:
                judge(record)
                verdict.append("")
            except (RecordError, AssertionError) as error:
                verdict.append("event" if f"event {index}" in str(error) else "end")
        # A last move of a round lacks its round_end, and scores may have changed: both say so.
        assert bool(verdict[0]) == bool(verdict[1]), verdict
        verdicts.add(verdict[0])
    assert "event" in verdicts
    assert len(verdicts) > 1


# Command line -------------------------------------------------------------------------------------


def run(*arguments: str, stdin: str | bytes = b"", **environment: str) -> tuple[int, str, str]:
    """(exit status, output, errors) of the command in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "loop_envs", *arguments],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        env={**os.environ, **environment},
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace")


def command(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """The same in this process."""
    try:
        status = main(list(arguments))
    except SystemExit as exit_:
        status = exit_.code if isinstance(exit_.code, int) else 1
    output = capsys.readouterr()
    return status, output.out, output.err


def test_record_prints_what_replay_takes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    arguments = ["record", ID, "--seed", "4", "--board", "2", "--matches", "3", "--legal"]
    for option in ("num_players=5", "reveal=off", "rounds=2"):
        arguments += ["--option", option]
    status, out, err = command(capsys, *arguments)
    assert status == 0
    assert not err
    lines = out.splitlines()
    assert len(lines) == 3
    game = load_game(ID, num_players=5, reveal="off", rounds=2)
    for board, line in enumerate(lines, 2):
        assert line == records.dumps(records.record_match(game, 4, board, legal=True))
    file = tmp_path / "matches.jsonl"
    file.write_text(out + "\n")
    status, told, _ = command(capsys, "replay", str(file))
    assert status == 0
    moves = sum("move" in event for line in lines for event in json.loads(line)["events"])
    assert told == f"3 records replayed, {moves} moves, all by the rules\n"


def test_record_options_are_json_or_bare_words(capsys: pytest.CaptureFixture[str]) -> None:
    options = ['deck={"colours":3,"values":5}', "num_players=3", "hand_size=4", "eight=null",
               "run_wrap=true", "on_exit=clear", 'reveal="off"']  # fmt: skip
    status, out, _ = command(
        capsys, "record", ID, *[x for option in options for x in ("--option", option)]
    )
    assert status == 0
    found = json.loads(out)["options"]
    assert found["deck"] == {"colours": 3, "values": 5}
    assert found["eight"] is None
    assert found["run_wrap"] is True
    assert (found["on_exit"], found["reveal"]) == ("clear", "off")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["record", "chess-v0"], "chess-v0"),
        (["record", "loop_board-v0"], "did you mean"),
        (["record", ID, "--option", "num_players=9"], "num_players"),
        (["record", ID, "--option", "num_player=4"], "did you mean"),
        (["record", ID, "--option", "num_players=four"], "four"),
        (["record", ID, "--option", "num_players"], "NAME=VALUE"),
        (["record", ID, "--option", "=4"], "option"),
        (["record", ID, "--option", "deck=" + "[" * 50_000], "deck"),
        (["record", ID, "--option", "deck=NaN"], "deck"),
        (["record", ID, "--option", "hand_size=" + "9" * 5_000], "hand_size"),
        (["record", ID, "--seed", "-1"], "seed"),
        (["record", ID, "--seed", "x"], "seed"),
        (["record", ID, "--seed", "1.5"], "seed"),
        (["record", ID, "--seed", str(2**63)], "seed"),
        (["record", ID, "--board", str(2**63)], "board"),
        (["record", ID, "--matches", "-1"], "matches"),
        (["record"], "env"),
        (["replay"], "file"),
        (["info", "nothing"], "nothing"),
        (["info", ID, "--option", "deck=exact12"], "exact12"),
        (["play"], "play"),
        ([], "verb"),
    ],
    ids=lambda a: " ".join(a)[:60] if isinstance(a, list) else "",
)
def test_bad_usage_is_status_2_and_says_why(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    status, out, err = command(capsys, *arguments)
    assert status == 2
    assert words in err
    assert not out


def test_no_matches_are_no_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(capsys, "record", ID, "--matches", "0") == (0, "", "")


def test_refused_records_are_status_1_and_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    good, bad = small_record(), small_record()
    bad["events"][3]["move"] = "pass"
    file = tmp_path / "matches.jsonl"
    file.write_text("\n".join(records.dumps(r) for r in (good, good, bad, good)))
    status, out, err = command(capsys, "replay", str(file))
    assert (status, out) == (1, "")
    assert "record 3" in err
    assert "event 3" in err
    assert "legal" in err
    file.write_text(records.dumps(good) + "\n{")
    status, _, err = command(capsys, "replay", str(file))
    assert status == 1
    assert "line 2" in err
    file.write_text(records.dumps(good)[:-30])
    assert command(capsys, "replay", str(file))[0] == 1


def test_files_that_are_none_are_status_2(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for path in (tmp_path, tmp_path / "missing.jsonl", tmp_path / "a" / "b"):
        status, out, err = command(capsys, "replay", str(path))
        assert (status, out) == (2, "")
        assert err.startswith("error: ")


def test_an_empty_file_holds_no_records(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "empty.jsonl"
    file.write_text("")
    assert command(capsys, "replay", str(file))[:2] == (
        0,
        "0 records replayed, 0 moves, all by the rules\n",
    )


GARBAGE = [
    bytes(range(256)) * 20,
    b"\xff\xfe" * 500,
    b"\x00" * 1000,
    b"{\xff}",
    b"\xed\xa0\x80",
    '{"format": "loop-envs-record/1", "env": "\ud800"}'.encode("utf-8", "surrogatepass"),
    b'{"format": "\\ud800"}',
    b"[" * 200_000,
]


@pytest.mark.parametrize("garbage", GARBAGE, ids=[str(i) for i in range(len(GARBAGE))])
def test_garbage_in_a_file_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, garbage: bytes
) -> None:
    file = tmp_path / "garbage"
    file.write_bytes(garbage)
    status, out, err = command(capsys, "replay", str(file))
    assert (status, out) == (1, "")
    assert err.startswith("error: ")


@pytest.mark.parametrize("encoding", ["utf-8:strict", "ascii:strict", "utf-8:surrogateescape"])
def test_garbage_on_standard_input_is_refused_without_a_traceback(encoding: str) -> None:
    status, out, err = run("replay", "-", stdin=GARBAGE[0], PYTHONIOENCODING=encoding)
    assert "Traceback" not in err
    assert (status, out) == (1, "")
    assert "error: " in err


def test_replay_reads_standard_input() -> None:
    status, out, err = run("replay", "-", stdin=records.dumps(small_record()))
    assert (status, err) == (0, "")
    assert out.startswith("1 records replayed")


def test_a_reader_who_has_seen_enough_is_no_error() -> None:
    writer = subprocess.Popen(
        [sys.executable, "-m", "loop_envs", "record", ID, "--matches", "50"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert writer.stdout is not None
    assert writer.stderr is not None
    assert len(writer.stdout.read(100)) == 100
    writer.stdout.close()
    err = writer.stderr.read().decode()
    writer.stderr.close()
    assert writer.wait(60) == 0
    assert not err


def test_the_process_returns_the_status_too() -> None:
    status, shown = run("list")[:2]
    assert status == 0
    assert "loop_boards-v0  Loop, boards edition\n" in shown
    assert run("record", "chess-v0")[0] == 2
    status, _, err = run("replay", "/")
    assert status == 2
    assert "Traceback" not in err
    assert run("replay", "-", stdin="{}")[0] == 1


def test_info_shows_options_fields_and_actions(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["--option", "num_players=6"], ["--option", "run_same_colour=false"]):
        status, out, _ = command(capsys, "info", ID, *arguments)
        assert status == 0
        game = load_game(ID, **({"num_players": 6} if "num_players=6" in arguments else {}))
        assert all(f"`{option.name}`" in out for option in game.rules.options)
        assert all(f"`{field.name}`" in out for field in game.layout)
        if arguments != ["--option", "run_same_colour=false"]:
            assert f"int8 [{game.layout.size}]" in out
            assert f"## Actions: {game.num_actions}" in out
