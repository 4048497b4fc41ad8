"""LOOPLA!: play up or down as told, pick up what you cover, do not fall; 2 to 6 players."""

from __future__ import annotations

from typing import Any

from loop_envs.game import Built, Rules
from loop_envs.games.loopla import text
from loop_envs.games.loopla.actions import build_tables
from loop_envs.games.loopla.observation import build_layout
from loop_envs.games.loopla.options import NAME, OPTIONS, resolve_options
from loop_envs.games.loopla.state import DTYPE


def _build(options: dict[str, Any]) -> Built:
    tables, record = build_tables(options)
    return Built(record, tables, build_layout(options), options["num_players"])


_TINY = {"num_players": 2, "values": 8, "copies": 2, "whoop_size": 3, "target": None}
RULES = Rules(
    name=NAME,
    title="LOOPLA!",
    module="loop_envs.games.loopla.rules",
    dtype=DTYPE,
    options=OPTIONS,
    resolve=resolve_options,
    build=_build,
    action_texts=text.action_texts,
    action_groups=text.action_groups,
    action_cards=text.action_cards,
    state_text=text.state_text,
    deal_event=text.deal_event,
    deck_of=text.deck_from_event,
    events=text.events,
    presets={
        "tiny": _TINY | {"hand_size": 3, "rounds": 1},
        "tiny_rounds": _TINY | {"hand_size": 2, "rounds": 2},
    },
)
