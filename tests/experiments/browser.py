"""Looks at pages in a headless Chromium."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
BROWSER = next((path for path in map(shutil.which, _NAMES) if path), None)

needs_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")

# The page's own policy forbids scripts, so a page around it does the looking.
_AROUND = """<!DOCTYPE html><meta charset="utf-8"><title>around</title>
<iframe id="page" style="width: 1000px; height: 800px" srcdoc="{page}"></iframe>
<pre id="found"></pre>
<script>
addEventListener("load", () => {{
  const inner = document.getElementById("page").contentDocument;
  const found = [...inner.querySelectorAll("svg")].map((svg) => {{
    const box = svg.getBoundingClientRect();
    const drawn = [...svg.querySelectorAll("path, use, rect")].filter((part) => {{
      const own = part.getBoundingClientRect();
      return own.width + own.height > 0;
    }});
    return {{width: box.width, height: box.height, drawn: drawn.length,
             texts: svg.querySelectorAll("text").length}};
  }});
  document.getElementById("found").textContent = JSON.stringify(found);
}});
</script>
"""


def picture_of(page: Path, folder: Path) -> Path:
    """A screenshot of a page; fails on any message on the console."""
    picture = folder / "page.png"
    done = _run(folder, "--window-size=1000,6000", f"--screenshot={picture}", page)
    assert done.returncode == 0, done.stderr
    assert "CONSOLE" not in done.stderr, done.stderr
    return picture


def plots_of(page: Path, folder: Path) -> list[dict[str, Any]]:
    """Size, number of visible parts, and number of texts of every plot, as they are drawn."""
    around = folder / "around.html"
    around.write_text(_AROUND.format(page=html.escape(page.read_text(encoding="utf-8"))), "utf-8")
    done = _run(folder, "--virtual-time-budget=5000", "--dump-dom", around)
    assert done.returncode == 0, done.stderr
    match = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
    assert match, done.stderr
    found: list[dict[str, Any]] = json.loads(html.unescape(match[1]))
    return found


def _run(folder: Path, *options: object) -> subprocess.CompletedProcess[str]:
    *given, page = options
    assert BROWSER is not None
    assert isinstance(page, Path)
    return subprocess.run(
        [
            BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
            f"--user-data-dir={folder / 'profile'}", *map(str, given), page.resolve().as_uri(),
        ],
        capture_output=True, text=True, timeout=100,
    )  # fmt: skip
