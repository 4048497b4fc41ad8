"""Loo, or Lanterloo: win a trick or pay the pool, in four variants; 3 to 8 players."""

from __future__ import annotations

from typing import Any

from loop_envs.game import Built, Rules
from loop_envs.games.loo import events, text
from loop_envs.games.loo.actions import build_tables
from loop_envs.games.loo.observation import build_layout
from loop_envs.games.loo.options import NAME, OPTIONS, resolve_options
from loop_envs.games.loo.state import DTYPE


def _build(options: dict[str, Any]) -> Built:
    tables, record = build_tables(options)
    return Built(record, tables, build_layout(options), options["num_players"])


_TINY = {"num_players": 2, "hand_size": 2, "bold_stand": "off"}
RULES = Rules(
    name=NAME,
    title="Loo",
    module="loop_envs.games.loo.rules",
    dtype=DTYPE,
    options=OPTIONS,
    resolve=resolve_options,
    build=_build,
    action_texts=text.action_texts,
    action_groups=text.action_groups,
    action_cards=text.action_cards,
    action_text=text.action_text,
    state_text=text.state_text,
    deal_name=events.deal_name,
    deal_event=events.deal_event,
    deck_of=events.deck_from_event,
    events=events.events,
    round_counter="deals_done",
    presets={
        "tiny": _TINY | {"ranks": 3, "num_deals": 1},
        "tiny_deals": _TINY | {"ranks": 3, "num_deals": 2},
        "tiny_pam": _TINY | {"variant": "five_card", "ranks": 4, "num_deals": 1},
    },
)
