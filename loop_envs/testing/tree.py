"""Full game trees of small variants, counted."""

from __future__ import annotations

from dataclasses import dataclass

from loop_envs.game import Game, State


@dataclass(frozen=True)
class TreeSize:
    """Size of the game tree of one deal.

    Attributes:
        states: Distinct states, the first and the last ones included.
        histories: Ways to play the match to its end.
        longest: Decisions in the longest of them.
    """

    states: int
    histories: int
    longest: int


def count_states(game: Game, limit: int, seed: int = 0, board: int = 0) -> TreeSize:
    """Plays every legal move of every state that can be reached from one deal.

    Args:
        game: The game; small variants are named in `loop_envs.registry`.
        limit: Most states to look at.
        seed: Seed of the match; later deals follow from seed and board too.
        board: Board of the match.

    Returns:
        The size of the tree.

    Raises:
        ValueError: If there are more states than `limit`.
    """
    # Histories from a state to the end, and the longest of them, by the state's bytes.
    sizes: dict[bytes, tuple[int, int]] = {}
    first = game.new_state(seed, board)
    pending: list[tuple[State, list[bytes] | None]] = [(first, None)]
    while pending:
        state, following = pending.pop()
        key = state.tobytes()
        if following is not None:
            below = [sizes[k] for k in following]
            sizes[key] = sum(h for h, _ in below), 1 + max(longest for _, longest in below)
            continue
        if key in sizes:
            continue
        if len(sizes) >= limit:
            raise ValueError(f"{game!r}, seed {seed}, board {board}: more than {limit} states")
        if game.is_over(state):
            sizes[key] = 1, 0
            continue
        sizes[key] = 0, 0  # counted; filled in once everything below it is
        keys: list[bytes] = []
        pending.append((state, keys))
        for action in game.legal_actions(state):
            other = state.copy()
            game.step(other, action)
            keys.append(other.tobytes())
            if keys[-1] not in sizes:
                pending.append((other, None))
    histories, longest = sizes[first.tobytes()]
    return TreeSize(len(sizes), histories, longest)
