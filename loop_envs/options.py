"""Declared options: one declaration validates, documents and resolves a public option."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from loop_envs.errors import OptionError

Check = Callable[[Any], bool]


@dataclass(frozen=True)
class Option:
    """One public option of a game.

    Attributes:
        name: Keyword, configuration key and record key.
        default: Value when nothing is given.
        allowed: What is allowed, in words, as shown in errors and tables.
        check: Whether a value is allowed by itself.
        text: What it does, in one sentence.
        research: Whether it makes another, smaller game than the full one.
        nullable: Whether None is a value of its own; elsewhere None stands for the default.
    """

    name: str
    default: Any
    allowed: str
    check: Check
    text: str
    research: bool = False
    nullable: bool = False


def is_int(value: Any) -> bool:
    """Whether a value is an integer and not a bool."""
    return isinstance(value, int) and not isinstance(value, bool)


def integer(low: int, high: int | None = None) -> tuple[str, Check]:
    """Allowed text and check of an integer range."""
    if high is None:
        return f"an integer ≥ {low}", lambda v: is_int(v) and v >= low
    return f"an integer {low}..{high}", lambda v: is_int(v) and low <= v <= high


def boolean() -> tuple[str, Check]:
    """Allowed text and check of a bool."""
    return "true, false", lambda v: isinstance(v, bool)


def choice(*values: str) -> tuple[str, Check]:
    """Allowed text and check of one of several names."""
    text = ", ".join(f'"{v}"' for v in values)
    return text, lambda v: isinstance(v, str) and v in values


def resolve(game: str, declared: tuple[Option, ...], given: Mapping[str, Any]) -> dict[str, Any]:
    """Checks given options one by one and fills in the defaults, in declared order.

    Args:
        game: The game's name, for messages.
        declared: All options of the game.
        given: Values by name.

    Returns:
        Every option's value by name.

    Raises:
        OptionError: Unknown name, wrong type or value out of range.
    """
    names = [option.name for option in declared]
    for name in given:
        if name not in names:
            near = difflib.get_close_matches(str(name), names, 1)
            hint = f"; did you mean {near[0]!r}?" if near else "."
            raise OptionError(f"{game} has no option {name!r}{hint} Options: {', '.join(names)}")
    values: dict[str, Any] = {}
    for option in declared:
        value = given.get(option.name, option.default)
        if value is None and not option.nullable:
            value = option.default
        if value is not option.default and not (
            (value is None and option.nullable) or option.check(value)
        ):
            refuse(option, value)
        values[option.name] = value
    return values


def refuse(option: Option, value: Any, why: str = "") -> None:
    """Raises the error that names an option, the value and what is allowed."""
    reason = f" ({why})" if why else ""
    raise OptionError(f"option {option.name!r}: got {value!r}{reason}, allowed: {option.allowed}")


def table(declared: tuple[Option, ...]) -> str:
    """The options as a Markdown table."""
    rows = ["| option | default | values | meaning |", "|---|---|---|---|"]
    for o in declared:
        default = "null" if o.default is None else str(o.default).lower()
        default = f'"{o.default}"' if isinstance(o.default, str) else default
        allowed = f"research: {o.allowed}" if o.research else o.allowed
        rows.append(f"| `{o.name}` | {default} | {allowed} | {o.text} |")
    return "\n".join(rows)
