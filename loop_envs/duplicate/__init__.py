"""Duplicate scoring: the same deals played by several line-ups, and what the scores say.

Pure functions of numbers and tables; nothing here knows a game. Needs the `train` extra (polars
and scipy; OpenSkill for its own view).

| modules | what they do |
|---|---|
| `movements`, `balance` | who sits where when a deal is played again, and how fair that is |
| `comparisons`, `imp_comparisons`, `bridge` | scores of a seat across the tables of a board |
| `tables`, `boards`, `statistics`, `seeds`, `sequential` | means and differences with intervals |
| `ratings`, `luce`, `rankings`, `online`, `evolution`, `cycles` | rankings of many agents |
| `components`, `reliability`, `planning`, `luck`, `seats` | what of a result was luck |
"""

from loop_envs.duplicate.balance import Balance, manning_quality
from loop_envs.duplicate.boards import agent_boards, complete, family_difference, pair_boards
from loop_envs.duplicate.bridge import imps, victory_points
from loop_envs.duplicate.comparisons import (
    COMPARISONS,
    board_scaled,
    difference_to_mean,
    loop_board,
    matchpoints,
    rank_normal,
)
from loop_envs.duplicate.components import Reliability, decision_study, variance_components
from loop_envs.duplicate.cycles import Transitivity, split_pairs, transitivity
from loop_envs.duplicate.evolution import alpha_rank
from loop_envs.duplicate.imp_comparisons import (
    butler,
    cross_imps,
    imps_to_mean,
    match_victory_points,
)
from loop_envs.duplicate.luce import PlackettLuce, plackett_luce
from loop_envs.duplicate.luck import match_differences, variance_reduction
from loop_envs.duplicate.movements import MOVEMENTS, Movement, cyclic
from loop_envs.duplicate.online import elo_change, elo_table, openskill_table
from loop_envs.duplicate.planning import (
    boards_needed,
    critical_repetition_frequency,
    power,
    reversal_probability,
)
from loop_envs.duplicate.rankings import Rankings, merge_rankings, rank_matches
from loop_envs.duplicate.ratings import elo, rate, rating_table
from loop_envs.duplicate.reliability import (
    icc,
    lengthening,
    reversal_table,
    spearman_brown,
    split_half_tau,
)
from loop_envs.duplicate.seats import SeatBias, bias_of_boards, holm, seat_bias
from loop_envs.duplicate.seeds import seed_interval
from loop_envs.duplicate.sequential import (
    SequentialPlan,
    SequentialResult,
    sequential_plan,
    sequential_test,
)
from loop_envs.duplicate.statistics import Interval, jackknife_interval, mean_interval
from loop_envs.duplicate.tables import (
    agent_summary,
    agent_table,
    board_differences,
    board_margins,
    pair_summary,
    pair_table,
)

__all__ = [
    "COMPARISONS",
    "MOVEMENTS",
    "Balance",
    "Interval",
    "Movement",
    "PlackettLuce",
    "Rankings",
    "Reliability",
    "SeatBias",
    "SequentialPlan",
    "SequentialResult",
    "Transitivity",
    "agent_boards",
    "agent_summary",
    "agent_table",
    "alpha_rank",
    "bias_of_boards",
    "board_differences",
    "board_margins",
    "board_scaled",
    "boards_needed",
    "butler",
    "complete",
    "critical_repetition_frequency",
    "cross_imps",
    "cyclic",
    "decision_study",
    "difference_to_mean",
    "elo",
    "elo_change",
    "elo_table",
    "family_difference",
    "holm",
    "icc",
    "imps",
    "imps_to_mean",
    "jackknife_interval",
    "lengthening",
    "loop_board",
    "manning_quality",
    "match_differences",
    "match_victory_points",
    "matchpoints",
    "mean_interval",
    "merge_rankings",
    "openskill_table",
    "pair_boards",
    "pair_summary",
    "pair_table",
    "plackett_luce",
    "power",
    "rank_matches",
    "rank_normal",
    "rate",
    "rating_table",
    "reversal_probability",
    "reversal_table",
    "seat_bias",
    "seed_interval",
    "sequential_plan",
    "sequential_test",
    "spearman_brown",
    "split_half_tau",
    "split_pairs",
    "transitivity",
    "variance_components",
    "variance_reduction",
    "victory_points",
]
