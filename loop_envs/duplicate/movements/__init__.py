"""Movements: who sits where when the same deals are played again.

Every movement is made from the names of its agents and the number of seats, and is a table: see
`Movement`. `MOVEMENTS` finds them by name. Their balance tells how fairly seats, opponents,
neighbours and boards are shared out.

| name | tables for each board | balanced |
|---|---|---|
| permutations | n! for every n agents | everything |
| circular | (n - 1)! for every n agents | all but seats, over n boards everything |
| williams | n or 2n for every n agents | seats, opponents, neighbours nearly |
| cyclic | n for every n agents | seats, opponents |
| travelling | n for every n agents | as cyclic; `balanced`: also who hands on to whom |
| latin | as many as agents | seats; the rest on average over boards |
| mitchell | one for each n agents | boards; between lines opponents |
| howell | one for every two agents | boards, opponents |
| whist | one for each n agents | boards, opponents, nearly or exactly seats and neighbours |
"""

from collections.abc import Callable

from loop_envs.duplicate.movements.howell import howell_movement
from loop_envs.duplicate.movements.lineups import (
    circular_movement,
    cyclic_movement,
    latin_movement,
    line_ups,
    permutation_movement,
    travelling_movement,
    williams_movement,
)
from loop_envs.duplicate.movements.mitchell import mitchell_movement
from loop_envs.duplicate.movements.movement import Movement
from loop_envs.duplicate.movements.seatings import (
    circular_orders,
    cyclic,
    latin_square,
    permutations,
    williams,
)
from loop_envs.duplicate.movements.whist import whist_movement

MOVEMENTS: dict[str, Callable[..., Movement]] = {
    "permutations": permutation_movement,
    "circular": circular_movement,
    "williams": williams_movement,
    "cyclic": cyclic_movement,
    "travelling": travelling_movement,
    "latin": latin_movement,
    "mitchell": mitchell_movement,
    "howell": howell_movement,
    "whist": whist_movement,
}
"""Every movement by name; called as ``(agents, n, *, fill_ins=(), ...)``."""

__all__ = [
    "MOVEMENTS",
    "Movement",
    "circular_movement",
    "circular_orders",
    "cyclic",
    "cyclic_movement",
    "howell_movement",
    "latin_movement",
    "latin_square",
    "line_ups",
    "mitchell_movement",
    "permutation_movement",
    "permutations",
    "travelling_movement",
    "whist_movement",
    "williams",
    "williams_movement",
]
