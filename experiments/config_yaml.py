"""Configuration files as plain values, and overrides of single values."""

from __future__ import annotations

import copy
import difflib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from experiments.errors import ConfigError

CONFIGS = Path(__file__).resolve().parent.parent / "configs"


class _Loader(yaml.SafeLoader):
    """YAML as people expect it: 3e-4 is a number, and no key may appear twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for i, key in enumerate(keys):
            if key in keys[:i]:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key {key!r} appears twice", node.value[i][0].start_mark
                )
        return super().construct_mapping(node, deep)


_Loader.add_implicit_resolver(  # YAML 1.1 wants a dot and a sign: 3.0e-4
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(\d[\d_]*)(\.\d*)?[eE][-+]?\d+$"),
    list("-+0123456789"),
)


def parse_yaml(text: str) -> Any:
    """A YAML text as plain values.

    Raises:
        yaml.YAMLError: If it is none.
    """
    return yaml.load(text, _Loader)  # a SafeLoader


def dump_yaml(values: Any) -> str:
    """Plain values as YAML, in the given order."""
    text: str = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=100)
    return text


def known_configs() -> list[str]:
    """The configurations that come with the project, as paths relative to its root."""
    return sorted(path.relative_to(CONFIGS.parent).as_posix() for path in CONFIGS.rglob("*.yaml"))


def read_yaml(path: str | Path) -> Any:
    """Reads a YAML file.

    Raises:
        ConfigError: If it cannot be read or is no YAML.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        return parse_yaml(text)
    except FileNotFoundError:
        near = difflib.get_close_matches(str(path), known_configs(), 1)
        hint = f"did you mean {near[0]}? " if near else ""
        listed = ", ".join(known_configs()) or "none"
        raise ConfigError(
            str(path), [("", f"no such file; {hint}Configurations: {listed}")]
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(str(path), [("", f"cannot be read: {error}")]) from None
    except yaml.YAMLError as error:
        raise ConfigError(str(path), [("", f"is no valid YAML: {_one_line(error)}")]) from None


def apply_overrides(data: Any, overrides: Sequence[str]) -> Any:
    """Sets single values of a configuration.

    Args:
        data: Plain values; not changed.
        overrides: ``dotted.key=value`` each. Elements of lists are named by number, sections
            that are absent are made, and the value is YAML.

    Returns:
        A changed copy.

    Raises:
        ConfigError: If an override is malformed or leads nowhere.
    """
    result = copy.deepcopy(data)
    problems: list[tuple[str, str]] = []
    for override in overrides:
        key, equals, text = override.partition("=")
        try:
            if not equals or not all(key.split(".")):
                raise ValueError("overrides are written key=value, such as train.steps=100000")
            _set(result, key.split("."), parse_yaml(text))
        except ValueError as error:
            problems.append((key if equals else repr(override), str(error)))
        except yaml.YAMLError as error:
            problems.append((key, f"got {text!r}, which is no valid YAML: {_one_line(error)}"))
    if problems:
        raise ConfigError("command line", problems)
    return result


def _set(data: Any, keys: list[str], value: Any) -> None:
    node = data
    for depth, key in enumerate(keys):
        last = depth == len(keys) - 1
        at = ".".join(keys[:depth]) or "the configuration"
        place: Any
        if isinstance(node, dict):
            place = key
            if not last and node.get(key) is None:
                node[key] = {}
        elif isinstance(node, list):
            if not key.isdecimal() or int(key) >= len(node):
                allowed = f"0..{len(node) - 1}" if node else "nothing, it is empty"
                raise ValueError(f"{at} is a list: got {key!r}, allowed: {allowed}")
            place = int(key)
        else:
            raise ValueError(f"{at} is {node!r}, which has no parts")
        if last:
            node[place] = value
        else:
            node = node[place]


def _one_line(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError):
        what = " ".join(part for part in (error.context, error.problem) if part)
        mark = error.problem_mark or error.context_mark
        return f"{what} (line {mark.line + 1}, column {mark.column + 1})" if mark else what
    return " ".join(str(error).split())
