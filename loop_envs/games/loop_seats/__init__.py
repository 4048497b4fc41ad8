"""Loop, seats edition: hands stay, players change seats; 2 to 4 players."""

from __future__ import annotations

from typing import Any

from loop_envs.game import Built, Rules
from loop_envs.games.loop_seats import text
from loop_envs.games.loop_seats.actions import build_tables
from loop_envs.games.loop_seats.observation import build_layout
from loop_envs.games.loop_seats.options import NAME, OPTIONS, resolve_options
from loop_envs.games.loop_seats.state import DTYPE


def _build(options: dict[str, Any]) -> Built:
    tables, record = build_tables(options)
    return Built(record, tables, build_layout(options), options["num_players"])


_TINY = {"num_players": 2, "colours": 2, "values": 5, "hand_size": 3, "set_aside": 0, "eight": 3}
RULES = Rules(
    name=NAME,
    title="Loop, seats edition",
    module="loop_envs.games.loop_seats.rules",
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
        "tiny": _TINY | {"max_rounds": 1},
        "tiny_race": _TINY | {"max_rounds": 3, "threshold": 2},
        "tiny_aside": _TINY | {"hand_size": 4, "set_aside": 1, "max_rounds": 1},
    },
)
