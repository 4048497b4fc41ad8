"""Layouts: named fields without gaps, and what is made from them."""

from __future__ import annotations

import numpy as np
import pytest

from loop_envs import load_game
from loop_envs.layout import Field, Layout

FIELDS = [
    Field("hand", (2, 3), 1, "cards"),
    Field("count", (), 9, "how many"),
    Field("ranks", (2, 2, 2), 3, "ranks"),
]


def test_fields_follow_each_other_without_gaps() -> None:
    layout = Layout(FIELDS)
    assert layout.offsets == {"hand": 0, "count": 6, "ranks": 7}
    assert layout.size == 15
    assert [f.size for f in layout] == [6, 1, 8]
    assert layout["ranks"] is FIELDS[2]


def test_high_is_the_largest_value_of_every_entry() -> None:
    high = Layout(FIELDS).high
    assert high.dtype == np.int8
    assert high.tolist() == [1] * 6 + [9] + [3] * 8


def test_split_gives_views_of_one_or_many_observations() -> None:
    layout = Layout(FIELDS)
    one = np.arange(15, dtype=np.int8)
    parts = layout.split(one)
    assert list(parts) == ["hand", "count", "ranks"]
    assert parts["hand"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert int(parts["count"]) == 6
    assert np.shares_memory(parts["ranks"], one)
    many = np.stack([one, one + 1]).reshape(1, 2, 15)
    assert layout.split(many)["ranks"].shape == (1, 2, 2, 2, 2)
    assert layout.split(many)["hand"][0, 1, 0, 0] == 1


def test_wrong_sizes_unknown_fields_and_repeated_names_are_refused() -> None:
    layout = Layout(FIELDS)
    with pytest.raises(ValueError, match="15 entries"):
        layout.split(np.zeros(14, np.int8))
    with pytest.raises(KeyError, match="hand"):
        layout["hnad"]
    with pytest.raises(ValueError, match="differ"):
        Layout([FIELDS[0], FIELDS[0]])


def test_the_hash_follows_names_shapes_and_ranges_but_not_texts() -> None:
    base = Layout(FIELDS).hash
    assert base == Layout([Field(f.name, f.shape, f.high, "other words") for f in FIELDS]).hash
    others = [
        [Field("hand2", (2, 3), 1, ""), *FIELDS[1:]],
        [Field("hand", (3, 2), 1, ""), *FIELDS[1:]],
        [Field("hand", (2, 3), 2, ""), *FIELDS[1:]],
        FIELDS[::-1],
        FIELDS[:2],
    ]
    hashes = {Layout(fields).hash for fields in others}
    assert len(hashes | {base}) == len(others) + 1


def test_the_table_has_a_row_for_every_field() -> None:
    rows = Layout(FIELDS).table().splitlines()
    assert len(rows) == 2 + 3
    assert rows[2] == "| `hand` | 0 | 2 × 3 | 0–1 | cards |"
    assert rows[4] == "| `ranks` | 7 | 2 × 2 × 2 | 0–3 | ranks |"
    assert len({row.count("|") for row in rows}) == 1


def test_the_layout_of_the_games_is_pinned() -> None:
    # Checkpoints carry these hashes: they must not change by accident. If the observation was
    # changed on purpose, the environment's version rises, and these with it.
    hashes = {n: load_game("loop_boards-v0", num_players=n).layout.hash for n in (4, 5, 6)}
    assert hashes == {4: "8db50ee74e6efec7", 5: "ddd126929eed8719", 6: "3d47ec349908a10e"}
