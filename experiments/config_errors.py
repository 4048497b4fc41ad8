"""Validation errors as texts: the dotted path, what was given, and what is allowed."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pydantic import ValidationError

Schema = dict[str, Any]


def shown(value: Any) -> str:
    """A given value as text, shortened."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def near(word: Any, words: Iterable[str]) -> str:
    """A hint at the most similar word, or nothing."""
    found = difflib.get_close_matches(str(word), list(words), 1, 0.6)
    return f"; did you mean {found[0]!r}?" if found else ""


def problems(error: ValidationError, schema: Schema) -> list[tuple[str, str]]:
    """All errors of a validation.

    Args:
        error: The error.
        schema: JSON Schema of the validated model.

    Returns:
        (dotted path, text) of each.
    """
    result = []
    for one in error.errors(include_url=False):
        # Tags of alternatives and pydantic's mark of a key are no part of the path that is shown.
        path = [part for part in one["loc"] if str(part)[:1] != "["]
        if one["type"].startswith("union_tag") and "kind" in _keys(schema, _node(schema, path)):
            given = one["input"]
            if isinstance(given, dict):
                path.append("kind")
                one["input"] = given.get("kind")
                one["type"] = "kind" if "kind" in given else "missing"
        dotted = ".".join(str(part) for part in path if str(part)[:1] != "<")
        node = _node(schema, path)
        if one["type"] in ("extra_forbidden", "invalid_key"):
            keys = _keys(schema, _node(schema, path[:-1]))
            text = f"unknown key{near(path[-1], keys) or '.'} Keys: {', '.join(keys)}"
        elif one["type"] == "missing":
            text = f"missing, allowed: {_allowed(schema, node)}"
        else:
            hint = near(one["input"], node.get("enum", ()))
            text = f"got {shown(one['input'])}, allowed: {_allowed(schema, node)}{hint}"
        result.append((dotted, text))
    return result


def _resolve(schema: Schema, node: Schema) -> Schema:
    """Follows references; keys beside a reference stay."""
    while "$ref" in node:
        rest = {key: value for key, value in node.items() if key != "$ref"}
        node = schema["$defs"][node["$ref"].rsplit("/", 1)[1]] | rest
    return node


def _choices(schema: Schema, node: Schema) -> Iterator[Schema]:
    """The alternatives that a node stands for."""
    node = _resolve(schema, node)
    alternatives = node.get("anyOf") or node.get("oneOf")
    if not alternatives:
        yield node
        return
    for one in alternatives:
        yield from _choices(schema, one)


def _node(schema: Schema, path: Sequence[int | str]) -> Schema:
    """The part of a schema that describes the value at a path; empty if there is none."""
    node = schema
    for part in path:
        choices = list(_choices(schema, node))
        if str(part)[:1] == "<":
            # A tag: of the alternatives, that one, where it says so.
            node = next((choice for choice in choices if choice.get("tag") == part), node)
            continue
        found = [
            choice["items"] if isinstance(part, int) else choice["properties"][part]
            for choice in choices
            if (isinstance(part, int) and "items" in choice) or part in choice.get("properties", {})
        ]
        if not found:
            return {}
        node = found[0] if len(found) == 1 else {"anyOf": found}
    return _resolve(schema, node)


def _keys(schema: Schema, node: Schema) -> list[str]:
    return [key for choice in _choices(schema, node) for key in choice.get("properties", {})]


def _allowed(schema: Schema, node: Schema, many: bool = False) -> str:
    """What a part of a schema allows, in words."""
    if "allowed" in node:
        return str(node["allowed"])
    parts = [_allowed_one(schema, choice, many) for choice in _choices(schema, node)]
    return " or ".join(dict.fromkeys(parts))


def _allowed_one(schema: Schema, node: Schema, many: bool) -> str:
    if "allowed" in node:
        return str(node["allowed"])
    if "const" in node or "enum" in node:
        values = node.get("enum", [node.get("const")])
        return ", ".join(json.dumps(value) for value in values)
    kind = node.get("type")
    if kind == "object":
        keys = ", ".join(node.get("properties", {}))
        return f"a mapping with the keys {keys}" if keys else "a mapping"
    if kind == "array":
        least = f", at least {node['minItems']}" if node.get("minItems") else ""
        items = list(_choices(schema, node["items"]))
        if len(items) > 1 or "allowed" in items[0] or items[0].get("type") == "object":
            return f"a list{least}, each {_allowed(schema, node['items'])}"
        return f"{'lists' if many else 'a list'} of {_allowed(schema, items[0], True)}{least}"
    names = {
        "integer": ("an integer", "integers"),
        "number": ("a number", "numbers"),
        "string": ("a text", "texts"),
        "null": ("null", "null"),
    }
    name = names[kind][many] if kind in names else "other values"
    return name + _bounds(node)


def _bounds(node: Schema) -> str:
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    found = [f" {sign} {json.dumps(node[key])}" for key, sign in signs.items() if key in node]
    return " and".join(found)
