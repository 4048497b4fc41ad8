"""What a run has used of the machine."""

from __future__ import annotations

import sys

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]


def peak_memory() -> float | None:
    """The most memory that this process has held at a time, in MiB; None if nobody tells."""
    if resource is None:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2 ** (20 if sys.platform == "darwin" else 10)
