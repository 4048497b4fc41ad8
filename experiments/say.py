"""What a command says when it ends otherwise than well, and its exit status then."""

from __future__ import annotations

import sys

REFUSED, FAILED, INTERRUPTED = 2, 1, 130


def say(message: str, status: int = REFUSED) -> int:
    """Prints a message to standard error.

    Args:
        message: What to say.
        status: Exit status.

    Returns:
        The exit status.
    """
    print(message if status == INTERRUPTED else f"error: {message}", file=sys.stderr)
    return status
