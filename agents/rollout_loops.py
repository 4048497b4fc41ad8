"""The compiled loop of `rollout.py`, over a game's rules.

Loaded once per game by `rollout.py`, which binds the ``rules_…`` names below, as
`loop_envs.kernels` does with the loops of the library; it is not imported by itself.
"""

from __future__ import annotations

from typing import Any

from loop_envs.bits import row
from loop_envs.deals import combine, decision_key, match_key
from loop_envs.jit_policies import policies_at

RUNNING = 0

rules_deal: Any = None
rules_start: Any = None
rules_legal: Any = None
rules_step: Any = None
rules_observe: Any = None
rules_resample: Any = None


def play_moves(
    addresses: Any, tables_of: Any, keys: Any, seating: Any, options: Any, tables: Any,
    state_of: Any, raw: Any, player: Any, key: Any, moves: Any, observation: Any, mask: Any,
    deck: Any, points: Any,
) -> None:  # fmt: skip
    """Plays moves out in states that a player cannot tell apart.

    Args:
        addresses: Policies, see `loop_envs.policies.policy_arguments`, as the next two.
        tables_of: Tables of the policies.
        keys: Keys of the policies.
        seating: By player, the index of the policy that plays on, int8 [n].
        options: Options record, array of length 1.
        tables: Action table.
        state_of: Three states: the real one or one like it, and two to work with.
        raw: Their bytes, uint8 [3, itemsize].
        player: Who is to move.
        key: Random word.
        moves: Legal actions, int64 [M].
        observation: Scratch, int8 [D].
        mask: Scratch, int8 [A].
        deck: Scratch for a deck.
        points: Final points are written here, int32 [M, samples, n].
    """
    policies = policies_at(addresses)
    for k in range(points.shape[1]):
        for at in range(raw.shape[1]):
            raw[1, at] = raw[0, at]
        drawn = state_of[1]
        rules_resample(options[0], tables, drawn, player, combine(key, k))
        for m in range(points.shape[0]):
            for at in range(raw.shape[1]):
                raw[2, at] = raw[1, at]
            state = state_of[2]
            match = match_key(state.seed, state.board)
            action = moves[m]
            while True:
                rules_step(options[0], tables, state, action)
                while state.player < 0 and state.status == RUNNING:
                    rules_deal(options[0], state.seed, state.board, state.deals, deck)
                    state.deals += 1
                    rules_start(options[0], state, deck)
                if state.status != RUNNING:
                    break
                rules_legal(options[0], tables, state, mask)
                rules_observe(options[0], tables, state, state.player, observation)
                i = seating[state.player]
                own = decision_key(match, keys[i], state.ply)
                action = policies[i](row(tables_of, i), observation, mask, own)
            for p in range(points.shape[2]):
                points[m, k, p] = state.points[p]
