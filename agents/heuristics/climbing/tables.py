"""What the players of a climbing game need to know of it, as one vector of integers.

The vector begins with a header (sizes, options, places of observation fields), then come the
numbers of the colour subsets, four numbers for every action, and the planner's weights.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from loop_envs.climbing.tables import EIGHTS, KIND, MAX_RUN, OTHER, SIZE, STRENGTH, Deck
from loop_envs.game import Game
from loop_envs.jit import inlined

# The header, entry by entry.
PLAYERS, COLOURS, VALUES, HAND_SIZE, SET_ASIDE, EIGHT, CAN_REVEAL = range(7)
WRAP, SAME_COLOUR, NUM_SUBSETS, ASIDE_ACTION, PASS_ACTION = range(7, 12)
MAX_SET, SHORTEST_RUN, LONGEST_RUN = range(12, 15)
FLIPS = 15  # what a played 8 does: 0 clears, 1 turns the order, 2 turns it once for each 8
SEAT_ACTION = 16  # the action that chooses a seat where there is such a choice, else -1
RUN_ACTION = 17  # first action of the runs of each length, at RUN_ACTION + length
RUN_STARTS = RUN_ACTION + MAX_RUN + 1  # number of such runs of one colour (or colouring)
HAND, ASIDE, KNOWN, PLAYED = range(RUN_STARTS + MAX_RUN + 1, RUN_STARTS + MAX_RUN + 5)
CURRENT_KIND, CURRENT_SIZE, OWNER, PASSED = range(PLAYED + 1, PLAYED + 5)
REVEALED, CARDS_LEFT, PHASE, INVERTED, CURRENT = range(PASSED + 1, PASSED + 6)
SUBSETS = CURRENT + 1  # by colours held, as bits: number of that subset among the sets
SUBSETS_SIZE = 64
ACTIONS = SUBSETS + SUBSETS_SIZE

# Columns of an action's row.
ROW_KIND, ROW_SIZE, ROW_STRENGTH, ROW_EIGHTS, ROW = range(5)


def build(
    game: Game, deck: Deck, weights: Sequence[int] = (), flips: int = 0, seat: int = -1
) -> npt.NDArray[np.int32]:
    """Builds the vector.

    Args:
        game: The game.
        deck: Its combinations.
        weights: The planner's weights, see `weights.py`; they end the vector.
        flips: See `FLIPS`.
        seat: Which of the game's own actions to choose where there is a choice, -1 for none.
    """
    record, offsets = game.record[0], game.layout.offsets
    header = np.zeros(ACTIONS, np.int32)
    for entry, name in (
        (PLAYERS, "players"),
        (COLOURS, "colours"),
        (VALUES, "values"),
        (HAND_SIZE, "hand_size"),
        (SET_ASIDE, "set_aside"),
        (EIGHT, "eight"),
        (SAME_COLOUR, "same_colour"),
        (NUM_SUBSETS, "num_subsets"),
        (ASIDE_ACTION, "aside_offset"),
        (PASS_ACTION, "pass_action"),
        (SHORTEST_RUN, "shortest_run"),
        (LONGEST_RUN, "longest_run"),
    ):
        header[entry] = record[name]
    header[CAN_REVEAL] = record["reveal"] != 0
    header[WRAP] = deck.wrap
    header[MAX_SET] = deck.max_set
    header[FLIPS] = flips
    others = np.flatnonzero(game.tables[:, KIND] == OTHER)
    header[SEAT_ACTION] = others[seat] if seat >= 0 and len(others) else -1
    for length in deck.run_lengths:
        header[RUN_ACTION + length] = record["run_offset"][length]
        header[RUN_STARTS + length] = len(deck.run_starts(length))
    for entry, name in (
        (HAND, "hand"),
        (ASIDE, "aside"),
        (KNOWN, "known"),
        (PLAYED, "played"),
        (CURRENT, "current"),
        (CURRENT_KIND, "kind"),
        (CURRENT_SIZE, "size"),
        (OWNER, "owner"),
        (PASSED, "passed"),
        (REVEALED, "revealed"),
        (CARDS_LEFT, "cards_left"),
        (PHASE, "phase"),
        (INVERTED, "inverted"),
    ):
        header[entry] = offsets[name]
    for number, subset in enumerate(deck.colour_subsets()):
        header[SUBSETS + sum(1 << colour for colour in subset)] = number
    rows = game.tables[:, [KIND, SIZE, STRENGTH, EIGHTS]].astype(np.int32)
    return np.concatenate([header, rows.reshape(-1), np.array(weights, np.int32)])


@inlined
def weights_at(tables):
    """Where the weights begin, behind the rows of all actions up to PASS and REVEAL."""
    return ACTIONS + ROW * (np.int64(tables[PASS_ACTION]) + 2)
