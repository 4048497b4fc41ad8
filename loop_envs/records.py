"""Game records: one match as one JSON object on one line, written, read and replayed.

A record holds everything that happened, every card face up, so that a match can be read by a
person, replayed here, checked by another program, or written by hand as a puzzle.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from loop_envs.deals import MAX_BOARD, MAX_SEED, decision_key, draw, match_key
from loop_envs.errors import IllegalActionError, OptionError, RecordError, UnknownEnvError
from loop_envs.game import TERMINATED, TRUNCATED, Game, State
from loop_envs.registry import load_game

FORMAT = "loop-envs-record/1"
MOST_NESTED = 20
"""Nothing in a record is nested half as deep; deeper ones could not even be shown in an error."""
ENDS = {TERMINATED: "terminated", TRUNCATED: "truncated"}

_REQUIRED = ("format", "env", "options", "events", "scores", "winners", "end")
_OPTIONAL = ("seed", "board", "agents")

Choose = Callable[[State], int]


def random_choice(game: Game, state: State) -> int:
    """A uniformly random legal action: a function of the match and the ply."""
    legal = game.legal_actions(state)
    match = np.uint64(match_key(state["seed"][0], state["board"][0]))
    key = np.uint64(decision_key(match, np.uint64(0), state["ply"][0]))
    return legal[int(draw(key, 0, len(legal)))]


def record_match(
    game: Game,
    seed: int,
    board: int = 0,
    choose: Choose | None = None,
    agents: list[str] | None = None,
    legal: bool = False,
) -> dict[str, Any]:
    """Plays a match and records it.

    Args:
        game: The rules.
        seed: Seed of the match.
        board: Board of the match.
        choose: Chooses an action from a state with all cards face up; None plays at random.
        agents: Names of the players; None is "random" for all.
        legal: Whether every move lists what was legal.

    Returns:
        The record as a JSON-ready dictionary.
    """
    choose = choose or (lambda state: random_choice(game, state))
    state = game.undealt(seed, board)
    events: list[dict[str, Any]] = []
    while not game.is_over(state):
        before = state.copy()
        if game.deal_is_due(state):
            game.deal(state)
            name = game.rules.deal_name(game, before)
            events.append({name: game.rules.deal_event(game, state)})
        else:
            moves = game.legal_actions(state)
            action = choose(state)
            game.play(state, action)
            move: dict[str, Any] = {
                "player": game.current_player(before),
                "move": game.action_text(before, action),
            }
            if legal:
                move["legal"] = sorted(game.action_text(before, a) for a in moves)
            events.append(move)
        events += game.rules.events(game, before, state)
    return {
        "format": FORMAT,
        "env": game.env_id,
        "options": copy.deepcopy(game.options),
        "seed": seed,
        "board": board,
        "agents": agents or ["random"] * game.num_players,
        "events": events,
        "scores": _scores(game, state),
        "winners": _winners(game, state),
        "end": ENDS[int(state["status"][0])],
    }


def _scores(game: Game, state: State) -> list[int]:
    return [int(points) for points in game.points(state)]


def _winners(game: Game, state: State) -> list[int]:
    return [player for player, place in enumerate(game.places(state)) if place == 0]


def dumps(record: dict[str, Any]) -> str:
    """A record as one line of JSON."""
    return json.dumps(record, ensure_ascii=False, separators=(", ", ": "))


def loads(line: str) -> dict[str, Any]:
    """Reads one line.

    Raises:
        RecordError: If it is no JSON object.
    """
    try:
        record = json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"not JSON: {error}") from None
    if _depth(record) > MOST_NESTED:
        raise RecordError(f"nested more than {MOST_NESTED} levels deep")
    if not isinstance(record, dict):
        raise RecordError(f"a record is a JSON object, got {_shown(record)}")
    return record


def _depth(value: Any) -> int:
    """How deep lists and objects are nested, without recursion."""
    depth, level = 0, [value]
    while level and depth <= MOST_NESTED:
        inner = [
            v.values() if isinstance(v, dict) else v for v in level if isinstance(v, dict | list)
        ]
        level = [part for parts in inner for part in parts]
        depth += 1
    return depth


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number of this format")


def read(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Reads JSON Lines; empty lines are skipped.

    Raises:
        RecordError: If a line is no record; names the line.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield loads(line)
            except RecordError as error:
                raise RecordError(f"line {number}: {error}") from None


def game_of(record: dict[str, Any]) -> Game:
    """The game of a record, after a check of its outermost shape.

    Raises:
        RecordError: If keys are missing, unknown or of the wrong type, or options are refused.
    """
    missing = [key for key in _REQUIRED if key not in record]
    unknown = [key for key in record if key not in _REQUIRED + _OPTIONAL]
    if missing or unknown:
        raise RecordError(
            f"a record has the keys {', '.join(_REQUIRED)} and may have {', '.join(_OPTIONAL)}; "
            f"missing: {missing}, unknown: {unknown}"
        )
    if record["format"] != FORMAT:
        raise RecordError(f"'format' must be {FORMAT!r}, got {_shown(record['format'])}")
    if not isinstance(record["env"], str) or not isinstance(record["options"], dict):
        raise RecordError("'env' must be a string and 'options' an object")
    try:
        game = load_game(record["env"], **record["options"])
    except (UnknownEnvError, OptionError) as error:
        raise RecordError(str(error)) from None
    if not isinstance(record["events"], list):
        raise RecordError(f"'events' must be a list, got {_shown(record['events'])}")
    agents = record.get("agents")
    if agents is not None and not (
        isinstance(agents, list)
        and len(agents) == game.num_players
        and all(isinstance(name, str) for name in agents)
    ):
        raise RecordError(f"'agents' must be {game.num_players} names, got {_shown(agents)}")
    return game


def replay(record: dict[str, Any]) -> State:
    """Plays a record through the rules.

    Args:
        record: As read from a line. Without a seed, deals are taken from its events; with one,
            they must be those of seed and board.

    Returns:
        The final state.

    Raises:
        RecordError: If it does not follow the rules; names the event, the player, the move and
            what would have been legal.
    """
    game = game_of(record)
    events = record["events"]
    for index, event in enumerate(events):
        if not isinstance(event, dict):
            raise RecordError(f"an event is an object, got {_shown(event)}", index)
    state = _undealt(game, record)
    index = 0
    while index < len(events) or not index:
        before = state.copy()
        if game.deal_is_due(state):
            _deal(game, state, events, index, "seed" in record and record["seed"] is not None)
        else:
            _play_move(game, state, events[index], index)
        index += 1
        for expected in game.rules.events(game, before, state):
            if index == len(events) or not _same(events[index], expected):
                found = "the end" if index == len(events) else _shown(events[index])
                raise RecordError(f"the rules give {_shown(expected)}, found {found}", index)
            index += 1
    if game.deal_is_due(state):
        name = game.rules.deal_name(game, state)
        raise RecordError(f"the rules give a {name}, found the end", index)
    _check_end(game, record, state)
    return state


def _undealt(game: Game, record: dict[str, Any]) -> State:
    seed, board = record.get("seed"), record.get("board", 0)
    for name, value, most in (("seed", seed, MAX_SEED), ("board", board, MAX_BOARD)):
        absent = value is None and (name == "seed" or seed is None)
        if not absent and (type(value) is not int or not 0 <= value <= most):
            raise RecordError(f"{name!r} must be an integer 0..{most}, got {_shown(value)}")
    return game.undealt(0, 0) if seed is None else game.undealt(seed, board)


def _deal(game: Game, state: State, events: list[Any], index: int, seeded: bool) -> None:
    """Makes the deal of an event; of a seeded match it must be that of seed and board."""
    name = game.rules.deal_name(game, state)
    if index == len(events) or set(events[index]) != {name}:
        which = "the first event must be" if index == 0 else f"a {name} is due:"
        raise RecordError(f"{which} {{{name!r}: …}}", index)
    by_seed = state.copy()
    try:
        deck = game.rules.deck_of(game, state, events[index][name])
    except RecordError as error:
        raise RecordError(str(error), index) from None
    game.deal(state, deck)
    if seeded:
        game.deal(by_seed)
        if by_seed.tobytes() != state.tobytes():
            seed, board = int(state["seed"][0]), int(state["board"][0])
            expected = game.rules.deal_event(game, by_seed)
            raise RecordError(f"seed {seed}, board {board} give {_shown(expected)}", index)


def _play_move(game: Game, state: State, event: dict[str, Any], index: int) -> None:
    if not {"player", "move"} <= set(event) <= {"player", "move", "legal"}:
        raise RecordError(
            f"a move has 'player', 'move' and perhaps 'legal', got {_shown(event)}", index
        )
    player, move = event["player"], event["move"]
    if game.is_over(state):
        raise RecordError(f"player {player!r}: {_shown(move)}: the match is over", index)
    legal = sorted(game.action_text(state, a) for a in game.legal_actions(state))
    if type(player) is not int or player != game.current_player(state):
        turn = game.current_player(state)
        raise RecordError(f"player {_shown(player)}: it is player {turn}'s turn", index)
    if not isinstance(move, str) or move not in legal:
        raise RecordError(
            f"player {player}: {_shown(move)} is illegal; legal: {', '.join(legal)}", index
        )
    if "legal" in event and event["legal"] != legal:
        raise RecordError(f"player {player}: 'legal' must be {legal}", index)
    try:
        game.play(state, game.parse_action(state, move))
    except IllegalActionError as error:
        raise RecordError(f"player {player}: {error}", index) from None


def _check_end(game: Game, record: dict[str, Any], state: State) -> None:
    over = game.is_over(state)
    expected = {
        "end": ENDS[int(state["status"][0])] if over else None,
        "scores": _scores(game, state),
        "winners": _winners(game, state) if over else [],
    }
    for key, value in expected.items():
        if not _same(record[key], value):
            raise RecordError(f"{key!r} must be {_shown(value)}, got {_shown(record[key])}")


def _same(given: Any, expected: Any) -> bool:
    """Equality that tells 1 from True and 1.0: JSON's types matter."""
    return json.dumps(given, sort_keys=True) == json.dumps(expected, sort_keys=True)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= 200 else text[:200] + "…"
