r"""What a game must supply (`Rules`), and the object that users hold (`Game`).

A game is a package under `loop_envs/games/`. Its module `rules` holds these compiled functions
over one state record; `options` is a record too, `tables` a uint16 matrix of actions:

| function | does |
|---|---|
| ``deal(options, seed, board, index, deck)`` | writes the shuffled deck of deal `index`, \
    and behind the cards whatever else the deal decides |
| ``start(options, state, deck)`` | sets up a deal: the first in a zeroed state whose header is \
    filled, or a later one |
| ``legal(options, tables, state, mask)`` | writes the mask of the player to move |
| ``step(options, tables, state, action)`` | plays; never checks legality; where a further \
    deal is due it leaves `player` at -1, and the loops deal |
| ``observe(options, tables, state, player, out)`` | writes one player's observation |
| ``resample(options, tables, state, player, key)`` | a uniformly random alternative that fits \
    what the player knows |
| ``places(options, state, out)`` | every player's final place, 0 best, ties shared |
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from loop_envs.deals import MAX_SEED, check_board, check_seed
from loop_envs.errors import IllegalActionError
from loop_envs.jit import DISABLED
from loop_envs.kernels import Kernels, bind
from loop_envs.layout import Layout
from loop_envs.options import Option

MAX_PLAYERS = 8
DECK_SIZE = 128
RUNNING, TERMINATED, TRUNCATED = 0, 1, 2

State = npt.NDArray[Any]
"""A match: a structured array of shape (1,) of the game's state dtype."""

# The header that every state begins with; the adapters read nothing else of a state.
_HEADER: list[tuple[Any, ...]] = [
    ("seed", np.uint64),
    ("board", np.int64),
    ("variant", np.uint32),  # Game.variant: states of other options look alike otherwise
    ("ply", np.int32),
    ("deals", np.int32),  # index of the next deal; the loops count it, a game may set it
    ("points", np.int32, (MAX_PLAYERS,)),
    ("player", np.int8),
    ("status", np.int8),
]


def state_dtype(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """A state's dtype: the common header, the game's fields, and no hidden gaps.

    Args:
        fields: NumPy field descriptions, with names that NumPy's records do not have already.
            They are laid out by falling item size, and zero bytes fill the record up to a
            multiple of 8, so that every field lies aligned and equality of states is equality of
            bytes.
    """
    taken = [f[0] for f in _HEADER + fields if hasattr(np.record, f[0])]
    if taken:
        raise ValueError(f"fields {taken} are names that NumPy's records have already")
    everything = sorted(_HEADER + fields, key=lambda f: -np.dtype(f[1]).itemsize)
    gap = -np.dtype(everything).itemsize % 8
    return np.dtype(everything + ([("unused", np.uint8, (gap,))] if gap else []))


@dataclass(frozen=True)
class Built:
    """What a game makes of resolved options.

    Attributes:
        record: Structured array of shape (1,), read-only, handed to the compiled functions.
        tables: uint16 matrix with a row per action.
        layout: The observation's fields.
        num_players: 2 to 8.
    """

    record: npt.NDArray[Any]
    tables: npt.NDArray[np.uint16]
    layout: Layout
    num_players: int


@dataclass(frozen=True)
class Rules:
    r"""What a game must supply; one instance, `RULES`, in the game's package.

    Attributes:
        name: Name without version.
        title: Name for people.
        module: Dotted name of the module with the compiled functions named above.
        dtype: Dtype of a state, from `state_dtype`.
        options: The declared options.
        resolve: Validates given options and returns all of them.
        build: Makes records, tables and layout of resolved options.
        action_texts: All actions' texts by number, as in game records.
        action_groups: (name, first action, number of actions, meaning) of each kind of action.
        action_cards: ``(game) -> int8 [A, C]``: 1 for each card that an action takes out of the
            hand; what else distinguishes actions of one kind may follow as further columns.
        state_text: ``(game, state, player or None) -> str``: the match as one player sees it, or
            with every card face up.
        deal_event: ``(game, state) -> value``: what the record's deal event says of a state right
            after `start`.
        deck_of: ``(game, state, value) -> deck`` for `start`, of a state in which a deal is due;
            raises `RecordError`.
        events: ``(game, before, after) -> list``: what happened by itself in a step or, after its
            deal event, in a `start`.
        presets: Options of small variants for solvers, by name.
        deal_name: ``(game, state) -> str``: the key of the event of a deal that is due, where it
            is not always "deal".
        action_text: ``(game, state, action) -> str``: the text in records of an action of the
            player to move, where it is not always that of `action_texts`.
        round_counter: Field of the state that counts the rounds, or deals, that are over; where
            it stops before the last one, the end of the match is that round's end.
    """

    name: str
    title: str
    module: str
    dtype: np.dtype[Any]
    options: tuple[Option, ...]
    resolve: Callable[[Mapping[str, Any]], dict[str, Any]]
    build: Callable[[dict[str, Any]], Built]
    action_texts: Callable[[Game], list[str]]
    action_groups: Callable[[Game], list[tuple[str, int, int, str]]]
    action_cards: Callable[[Game], npt.NDArray[np.int8]]
    state_text: Callable[[Game, State, int | None], str]
    deal_event: Callable[[Game, State], Any]
    deck_of: Callable[[Game, State, Any], npt.NDArray[np.int16]]
    events: Callable[[Game, State, State], list[dict[str, Any]]]
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    deal_name: Callable[[Game, State], str] = lambda game, state: "deal"
    action_text: Callable[[Game, State, int], str] | None = None
    round_counter: str = "rounds_done"


def as_records(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array as it is; where nothing is compiled, one whose elements have attributes."""
    return array.view(np.recarray) if DISABLED else array


class Game:
    """The rules of one game under fixed options. Immutable; safe to share between threads.

    Args:
        env_id: Id with version, such as "loop_boards-v0".
        rules: What the game supplies.
        options: Given options by name.

    Raises:
        OptionError: If an option is refused.
    """

    def __init__(self, env_id: str, rules: Rules, options: Mapping[str, Any]) -> None:
        self.env_id = env_id
        self.rules = rules
        self.options: dict[str, Any] = rules.resolve(options)
        built = rules.build(self.options)
        self.record = as_records(built.record)
        self.tables = np.ascontiguousarray(built.tables, np.uint16)
        self.record.flags.writeable = False
        self.tables.flags.writeable = False
        self.layout = built.layout
        self.num_players = built.num_players
        self.num_actions = len(self.tables)
        digest = hashlib.sha256(repr((env_id, self.options)).encode()).digest()
        self.variant = int.from_bytes(digest[:4], "little")
        self.kernels: Kernels = bind(rules.name, rules.module)

    def __reduce__(self) -> tuple[Any, ...]:
        # Rules hold functions without a name, so they are looked up again.
        package = self.rules.module.rpartition(".")[0]
        return (_load, (self.env_id, package, self.options))

    def __deepcopy__(self, memo: Any) -> Game:
        return self

    def __repr__(self) -> str:
        changed = {
            o.name: self.options[o.name]
            for o in self.rules.options
            if self.options[o.name] != o.default
        }
        return f"Game({self.env_id!r}, {changed})"

    # States -----------------------------------------------------------------------------------

    def empty_states(self, number: int) -> State:
        """Zeroed state records, shape (number,)."""
        return as_records(np.zeros(number, self.rules.dtype))

    def new_state(self, seed: int, board: int = 0) -> State:
        """The beginning of a match, a structured array of shape (1,).

        Args:
            seed: 0 to 2^63-1.
            board: Number of the deal, 0 to 2^63-1.

        Raises:
            SeedError: If one is out of range.
        """
        state = self.undealt(seed, board)
        self.kernels.deal_on(self.record, state, self.kernels.new_scratch())
        return state

    def undealt(self, seed: int, board: int = 0) -> State:
        """A match before its first deal, for `deal`."""
        state = self.empty_states(1)
        state["variant"] = self.variant
        state["seed"], state["board"] = check_seed(seed), check_board(board)
        state["player"] = -1
        return state

    def deal_is_due(self, state: State) -> bool:
        """Whether a match waits for a deal; only after `undealt`, `deal` and `play`."""
        return bool(state["player"][0] < 0 and state["status"][0] == RUNNING)

    def deal(self, state: State, deck: npt.NDArray[np.int16] | None = None) -> None:
        """Makes one deal that is due: that of seed and board, or one given by hand.

        Args:
            state: Changed in place. Another deal may be due afterwards.
            deck: As `Rules.deck_of` makes it.
        """
        if deck is None:
            self.kernels.deal_once(self.record, state, self.kernels.new_scratch())
        else:
            self.kernels.deal_given(self.record, state, deck)

    def current_player(self, state: State) -> int:
        """The player to move, or -1 when the match is over."""
        return int(state["player"][0])

    def is_over(self, state: State) -> bool:
        """Whether the match has terminated or was truncated."""
        return bool(state["status"][0] != RUNNING)

    def points(self, state: State) -> npt.NDArray[np.int32]:
        """The game's own score so far, int32 of shape (num_players,)."""
        return np.array(state["points"][0, : self.num_players])

    def places(self, state: State) -> npt.NDArray[np.int64]:
        """Places by the score so far, 0 best, ties shared, int64 of shape (num_players,)."""
        out = np.zeros(self.num_players, np.int64)
        self.kernels.places(self.record, state, out)
        return out

    # Playing ----------------------------------------------------------------------------------

    def action_mask(self, state: State) -> npt.NDArray[np.int8]:
        """int8 of shape (num_actions,): 1 where the player to move may; all 0 when over."""
        self._own(state)
        mask = np.zeros(self.num_actions, np.int8)
        self.kernels.legal(self.record, self.tables, state, mask)
        return mask

    def legal_actions(self, state: State) -> list[int]:
        """The legal actions of the player to move, ascending; empty when over."""
        return [int(a) for a in np.flatnonzero(self.action_mask(state))]

    def step(self, state: State, action: int) -> None:
        """Plays an action in place, and makes the deals that are due then.

        Raises:
            IllegalActionError: If the rules do not allow it; the state has not changed.
        """
        self.play(state, action)
        if self.deal_is_due(state):
            self.kernels.deal_on(self.record, state, self.kernels.new_scratch())

    def play(self, state: State, action: int) -> None:
        """Like `step`, but leaves a deal that is due to the caller, see `deal`."""
        mask = self.action_mask(state)
        if not self.is_action(action) or not mask[int(action)]:
            raise self.illegal(state, action, mask)
        self.kernels.step(self.record, self.tables, state, int(action))

    def is_action(self, action: Any) -> bool:
        """Whether a value is an integer from 0 to num_actions - 1."""
        return (
            isinstance(action, int | np.integer)
            and not isinstance(action, bool)
            and 0 <= int(action) < self.num_actions
        )

    def illegal(self, state: State, action: Any, mask: npt.NDArray[np.int8]) -> IllegalActionError:
        """The error that names the match, the player, the action and what is legal."""
        seed, board, ply = (int(state[name][0]) for name in ("seed", "board", "ply"))
        match = f"{self.env_id} seed {seed} board {board} ply {ply}"
        if self.is_over(state):
            return IllegalActionError(f"{match}: the match is over, no action is legal")
        if self.is_action(action):
            given = f"action {int(action)} ({self.action_text(state, int(action))})"
        else:
            given = f"action {action!r}, which is no integer 0..{self.num_actions - 1},"
        legal = [self.action_text(state, int(a)) for a in np.flatnonzero(mask)]
        shown = ", ".join(legal[:20]) + (f", … ({len(legal)} in all)" if len(legal) > 20 else "")
        player = self.current_player(state)
        return IllegalActionError(f"{match}: player {player}: {given} is illegal; legal: {shown}")

    @cached_property
    def action_features(self) -> npt.NDArray[np.float32]:
        """What each action is, for learners that take actions as inputs, float32 [A, F], read-only.

        Columns: the cards that leave the hand (`Rules.action_cards`), their number divided by
        the largest one, and the kind of action, one-hot.
        """
        cards = self.rules.action_cards(self).astype(np.float32)
        number = cards.sum(axis=1, keepdims=True)
        groups = self.rules.action_groups(self)
        kinds = np.zeros((self.num_actions, len(groups)), np.float32)
        for k, (_, first, count, _) in enumerate(groups):
            kinds[first : first + count, k] = 1
        features = np.concatenate([cards, number / max(number.max(), 1), kinds], axis=1)
        features.flags.writeable = False
        return features

    # Seeing -----------------------------------------------------------------------------------

    def observe(self, state: State, player: int) -> npt.NDArray[np.int8]:
        """What one player sees and remembers, int8 of shape (layout.size,)."""
        self._own(state)
        out = np.zeros(self.layout.size, np.int8)
        self.kernels.observe(self.record, self.tables, state, self._player(player), out)
        return out

    def resample(self, state: State, player: int, rng: np.random.Generator) -> State:
        """A new state that the player cannot tell from `state`, uniformly random among those."""
        self._own(state)
        other = state.copy()
        key = rng.integers(0, MAX_SEED, dtype=np.int64, endpoint=True)
        self.kernels.resample(self.record, self.tables, other, self._player(player), np.uint64(key))
        return other

    def _own(self, state: State) -> None:
        """Raises ValueError for a state of other rules: compiled code would misread it."""
        if state["variant"][0] != self.variant:
            raise ValueError(f"the state is of another game or variant than {self!r}")

    def _player(self, player: int) -> int:
        if not 0 <= player < self.num_players:
            raise ValueError(f"player must be 0..{self.num_players - 1}, got {player}")
        return int(player)

    # Text -------------------------------------------------------------------------------------

    @cached_property
    def action_names(self) -> list[str]:
        """All actions as texts, by number."""
        return self.rules.action_texts(self)

    @cached_property
    def _actions_by_name(self) -> dict[str, int]:
        return {text: action for action, text in enumerate(self.action_names)}

    def action_text(self, state: State, action: int) -> str:
        """An action as it is written in game records."""
        if self.rules.action_text is not None:
            return self.rules.action_text(self, state, action)
        return self.action_names[action]

    def parse_action(self, state: State, text: str) -> int:
        """The action that a text names.

        Raises:
            IllegalActionError: If no action is written so.
        """
        if self.rules.action_text is None:
            action = self._actions_by_name.get(text)
        else:
            named = (a for a in range(self.num_actions) if self.action_text(state, a) == text)
            action = next(named, None)
        if action is None:
            legal = [self.action_text(state, a) for a in self.legal_actions(state)]
            raise IllegalActionError(f"{text!r} is no move of {self.env_id}; legal: {legal}")
        return action

    def state_text(self, state: State, player: int | None = None) -> str:
        """The match as text: as one player sees it, or (None) with every card face up."""
        return self.rules.state_text(self, state, player)


def _load(env_id: str, package: str, options: dict[str, Any]) -> Game:
    return Game(env_id, importlib.import_module(package).RULES, options)
