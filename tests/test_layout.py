"""Layouts: named fields without gaps, and what is made from them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loop_envs import env_ids, load_game
from loop_envs.layout import Field, Layout, turned, write_number

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


@given(st.integers(-2_000_000, 2_000_000), st.integers(1, 3), st.integers(1, 4))
def test_numbers_are_written_in_digits(value: int, digits: int, apart: int) -> None:
    out = np.full(12, 7, np.int8)
    write_number(out, 1, np.int64(apart), np.int64(digits), np.int64(value))
    places = [1 + i * apart for i in range(digits)]
    read = sum(int(out[p]) * 100**i for i, p in enumerate(places))
    most = 127 * 100 ** (digits - 1) + 100 ** (digits - 1) - 1
    if abs(value) <= most:
        assert read == value
    else:
        assert abs(int(out[places[-1]])) == 127
    assert all(np.sign(out[p]) in (0, np.sign(value)) for p in places)
    assert all(out[i] == 7 for i in range(12) if i not in places)


def test_places_are_counted_from_another() -> None:
    assert [[turned(s, b, 3) for s in range(3)] for b in range(3)] == [
        [0, 1, 2],
        [2, 0, 1],
        [1, 2, 0],
    ]


def test_the_layout_of_the_games_is_pinned() -> None:
    # Checkpoints carry these hashes: they must not change by accident. If the observation was
    # changed on purpose, the environment's version rises, and these with it.
    assert set(PINNED) == set(env_ids())
    for env_id, hashes in PINNED.items():
        assert {n: load_game(env_id, num_players=n).layout.hash for n in hashes} == hashes


PINNED: dict[str, dict[int, str]] = {
    "loo-v0": {3: "5ccf48394fa6061a", 5: "d3279197e19ca23e", 8: "591b037fac1e7d71"},
    "loop_boards-v0": {4: "8db50ee74e6efec7", 5: "ddd126929eed8719", 6: "3d47ec349908a10e"},
    "loop_seats-v0": {2: "c2c99a2b9ec54d87", 3: "771c61a7173c7339", 4: "0dc2cb50eb681ce3"},
    "loopla-v0": {2: "fa345d5761024213", 4: "94ebd1a7a831f917", 6: "79fee1c1c726b44a"},
}
