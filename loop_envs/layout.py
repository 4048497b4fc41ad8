"""Named fields over a flat `int8` observation; all documentation of it is made from here."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from loop_envs.jit import Int, inlined


@inlined
def turned(seat: Int, back: Int, seats: Int) -> Int:
    """A seat counted clockwise from another: ``(seat - back) mod seats``."""
    places = np.int64(seat) - np.int64(back)
    return places if places >= 0 else places + np.int64(seats)


@inlined
def write_number(out: npt.NDArray[np.int8], at: Int, apart: Int, digits: Int, value: Int) -> None:
    """Writes a number that can pass eight bits as digits to base 100, the lowest first.

    Every digit carries the sign; the last one takes what is left and stops at 127, so two are
    exact within ±12,799 and three within ±1,279,999.

    Args:
        out: int8 vector.
        at: Where the lowest digit goes.
        apart: Entries from one digit to the next.
        digits: Number of digits.
        value: The number.
    """
    sign = np.int64(1) if value >= 0 else np.int64(-1)
    rest = np.uint64(abs(np.int64(value)))  # unsigned, which divides faster
    for i in range(digits - 1):
        higher = rest // np.uint64(100)
        out[at + i * apart] = sign * np.int64(rest - higher * np.uint64(100))
        rest = higher
    out[at + (digits - 1) * apart] = sign * np.int64(min(rest, np.uint64(127)))


@dataclass(frozen=True)
class Field:
    """One named part of an observation.

    Attributes:
        name: Public name.
        shape: Shape of the field, row-major in the flat vector.
        high: Largest value.
        text: What it says, in one sentence.
        low: Smallest value.
    """

    name: str
    shape: tuple[int, ...]
    high: int
    text: str
    low: int = 0

    @property
    def size(self) -> int:
        """Number of entries."""
        return int(np.prod(self.shape, dtype=np.int64))


class Layout:
    """An ordered list of fields that fill a flat vector without gaps.

    Args:
        fields: The fields, in order.
    """

    def __init__(self, fields: list[Field]) -> None:
        names = [field.name for field in fields]
        if len(set(names)) != len(names):
            raise ValueError(f"field names must differ, got {names}")
        self.fields = tuple(fields)
        self.offsets: dict[str, int] = {}
        offset = 0
        for field in self.fields:
            self.offsets[field.name] = offset
            offset += field.size
        self.size = offset

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __getitem__(self, name: str) -> Field:
        for field in self.fields:
            if field.name == name:
                return field
        raise KeyError(f"no field {name!r}; there are {list(self.offsets)}")

    @cached_property
    def high(self) -> npt.NDArray[np.int8]:
        """Largest value of every entry, int8 of shape (size,)."""
        return np.concatenate([np.full(f.size, f.high, np.int8) for f in self.fields])

    @cached_property
    def low(self) -> npt.NDArray[np.int8]:
        """Smallest value of every entry, int8 of shape (size,)."""
        return np.concatenate([np.full(f.size, f.low, np.int8) for f in self.fields])

    @cached_property
    def hash(self) -> str:
        """A short digest of names, shapes and ranges; checkpoints carry it."""
        text = repr([(f.name, f.shape, f.low, f.high) for f in self.fields])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def split(self, observation: npt.NDArray[np.int8]) -> dict[str, npt.NDArray[np.int8]]:
        """Views of the fields of one or many observations.

        Args:
            observation: int8 array of shape (..., size).

        Returns:
            For each field a view of shape (..., *field.shape).

        Raises:
            ValueError: If the last axis has another length.
        """
        if observation.shape[-1] != self.size:
            raise ValueError(
                f"an observation has {self.size} entries, got shape {observation.shape}"
            )
        lead = observation.shape[:-1]
        return {
            f.name: observation[..., self.offsets[f.name] : self.offsets[f.name] + f.size].reshape(
                (*lead, *f.shape)
            )
            for f in self.fields
        }

    def table(self) -> str:
        """The fields as a Markdown table."""
        rows = ["| field | offset | shape | values | meaning |", "|---|---|---|---|---|"]
        for f in self.fields:
            shape = " × ".join(map(str, f.shape))
            rows.append(
                f"| `{f.name}` | {self.offsets[f.name]} | {shape} | {f.low}–{f.high} | {f.text} |"
            )
        return "\n".join(rows)
