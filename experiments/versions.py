"""What the results of a run may depend on besides its configuration."""

from __future__ import annotations

import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "numba", "polars", "scipy", "pydantic", "torch", "gymnasium", "pettingzoo")


def versions() -> dict[str, Any]:
    """Python, platform, packages, and the commit if there is one."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": found,
        "commit": _commit(),
    }


def differences(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """What differs between two results of `versions`, as texts."""
    old, new = ({**v, **v.get("packages", {})} for v in (before, now))
    keys = [key for key in new if key != "packages" and old.get(key) != new[key]]
    return [f"{key} {old.get(key)} → {new[key]}" for key in keys]


def _commit() -> str | None:
    """The checkout's commit, marked as dirty if files differ from it."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        done = subprocess.run(
            command,
            cwd=Path(__file__).resolve().parent,
            capture_output=True,
            text=True,
            timeout=20,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
