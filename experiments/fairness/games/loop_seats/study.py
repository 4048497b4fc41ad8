"""What a study knows of loop_seats: hands that stay, players who move, and what a rank counts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from experiments.fairness.games import Columns, GameStudy, Ints, Role, States
from experiments.fairness.games.loop_seats.changes import changes
from experiments.fairness.games.loop_seats.movement import movement
from loop_envs.game import RUNNING, Game
from loop_envs.games.loop_seats.state import SEATING


def columns(game: Game, match: Ints, states: States) -> Columns:
    """Columns of the table of rounds, each int8 [K, n] by player.

    `rank`: the rank taken, 1 best; 0 for who still held cards when the match ended in mid-round.
    `seat_at`: the seat whose hand the player held. `turn`: place in turn order, 0 for who started
    the round. `reference`: the rank card of that seat, which is the rank that was taken with its
    hand in the round before; 0 in the first round. `base` and `change`: what the round counted for
    the rank (rule 14) and for its difference to the reference (rule 15); `gain` is their sum unless
    totals have a floor.

    Where players have moved already, the state tells of the round that is over only by whose rank
    lies at which seat: a player held the hand where their own rank now lies.
    """
    n = game.num_players
    options = game.options
    starts = np.append(True, match[1:] != match[:-1])
    moved = (states["status"] == RUNNING) & (states["phase"] != SEATING)
    rank = np.where(moved[:, None], states["before"][:, :n], states["rank"][:, :n])
    left = (states["card"][:, None, :n] == rank[:, :, None]).argmax(axis=2)
    seat_at = np.where(moved[:, None], left, states["seat_of"][:, :n])
    # After the move a state names who starts the next round.
    named = np.where(starts, states["start_seat"], np.roll(states["first"], 1))
    first = np.where(moved, named, states["first"])
    taken = np.zeros_like(rank)
    np.put_along_axis(taken, seat_at, rank, axis=1)
    card = np.where(starts[:, None], 0, np.take_along_axis(np.roll(taken, 1, 0), seat_at, axis=1))
    if options["reference"] == "player":
        compared = np.where(starts[:, None], 0, np.roll(rank, 1, axis=0))
    else:
        compared = card
    return {
        "rank": rank.astype(np.int8),
        "seat_at": seat_at.astype(np.int8),
        "turn": ((seat_at - first[:, None]) % n).astype(np.int8),
        "reference": card.astype(np.int8),
        "base": _base(options["base_points"], options["later_rounds"], rank, starts),
        "change": np.where(
            (rank > 0) & (compared > 0), options["rank_step"] * (compared - rank), 0
        ).astype(np.int32),
    }


def _base(
    points: list[int], later: str, rank: npt.NDArray[np.int8], starts: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int32]:
    counts = (rank > 0) & (starts[:, None] | (later == "base_and_change"))
    base: npt.NDArray[np.int32] = np.where(counts, np.array(points, np.int32)[rank - 1], 0)
    return base


def _turn(value: int, n: int) -> str:
    return "first to start" if value == 0 else f"{value} after the first"


def _card(value: int, n: int) -> str:
    if value == 0:
        return "no rank yet"
    return f"rank {value}" + (" (came first)" if value == 1 else " (came last)" * (value == n))


STUDY = GameStudy(
    columns,
    roles=(
        Role("turn", "turn after the seat that starts", _turn),
        # In the first round nobody has one.
        Role("reference", "rank card of the inherited hand", _card, match=False),
    ),
    questions=(changes, movement),
)
