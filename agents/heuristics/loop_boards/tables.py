"""What the players of loop_boards need to know of a game, as one vector of integers.

The vector begins with a header (sizes, options, places of observation fields), then come the
numbers of the colour subsets, four numbers for every action, and the planner's weights.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from loop_envs.climbing.tables import EIGHTS, KIND, SIZE, STRENGTH
from loop_envs.game import Game
from loop_envs.games.loop_boards.actions import MAX_COMBINATION, combinations_of
from loop_envs.jit import inlined

# The header, entry by entry.
PLAYERS, COLOURS, VALUES, HAND_SIZE, SET_ASIDE, EIGHT, CAN_REVEAL = range(7)
WRAP, SAME_COLOUR, NUM_SUBSETS, ASIDE_ACTION, PASS_ACTION = range(7, 12)
RUN_ACTION = 12  # first action of the runs of each length, at RUN_ACTION + length
RUN_STARTS = RUN_ACTION + MAX_COMBINATION + 1  # number of such runs of one colour (or colouring)
HAND, ASIDE, KNOWN, PLAYED = range(RUN_STARTS + MAX_COMBINATION + 1, RUN_STARTS + 9)
CURRENT_KIND, CURRENT_SIZE, OWNER, PASSED = range(PLAYED + 1, PLAYED + 5)
REVEALED, CARDS_LEFT, PHASE, INVERTED, CURRENT = range(PASSED + 1, PASSED + 6)
SUBSETS = CURRENT + 1  # by colours held, as bits: number of that subset among the sets
SUBSETS_SIZE = 64
ACTIONS = SUBSETS + SUBSETS_SIZE

# Columns of an action's row.
ROW_KIND, ROW_SIZE, ROW_STRENGTH, ROW_CLEARS, ROW = range(5)


def build(game: Game, weights: Sequence[int] = ()) -> npt.NDArray[np.int32]:
    """Builds the vector.

    Args:
        game: The game.
        weights: The planner's weights, see `weights.py`; they end the vector.
    """
    record, offsets = game.record[0], game.layout.offsets
    deck = combinations_of(game.options)
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
    ):
        header[entry] = record[name]
    header[CAN_REVEAL] = record["reveal"] != 0
    header[WRAP] = deck.wrap
    for length in range(2, MAX_COMBINATION + 1):
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
