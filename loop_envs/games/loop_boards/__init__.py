"""Loop, boards edition: hands and score boards travel around the table; 4 to 6 players."""

from __future__ import annotations

from typing import Any

from loop_envs.game import Built, Rules
from loop_envs.games.loop_boards import text
from loop_envs.games.loop_boards.actions import build_tables
from loop_envs.games.loop_boards.observation import build_layout
from loop_envs.games.loop_boards.options import NAME, OPTIONS, resolve_options
from loop_envs.games.loop_boards.state import DTYPE


def _build(options: dict[str, Any]) -> Built:
    tables, record = build_tables(options)
    return Built(record, tables, build_layout(options), options["num_players"])


_TINY = {
    "num_players": 2,
    "deck": {"colours": 2, "values": 5},
    "hand_size": 3,
    "set_aside": 0,
    "eight": 3,
}
RULES = Rules(
    name=NAME,
    title="Loop, boards edition",
    module="loop_envs.games.loop_boards.rules",
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
        "tiny": _TINY | {"rounds": 1},
        "tiny_rounds": _TINY,
    },
)
