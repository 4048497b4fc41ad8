"""Compiled code: a change anywhere is noticed, what did not change is not compiled again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from loop_envs import jit

LIBRARY = Path(jit.__file__).parent

# A compiled function that inlines a helper of another module.
PROBE = """
from loop_envs.cards import write_bits
from loop_envs.jit import compiled

@compiled
def probe(out, word):
    write_bits(out, 0, word)
"""
SCRIPT = """
import numpy as np
from loop_envs.probe import probe
out = np.zeros(32, np.int8)
probe(out, np.uint64(5))
stats = probe.stats
print(out[:4].tolist(), sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


class Copy:
    """A copy of the library in a folder of its own, with a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.cache = folder / "cache"
        self.package = folder / "loop_envs"
        shutil.copytree(LIBRARY, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        (self.package / "probe.py").write_text(PROBE)
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(folder),
            "LOOP_ENVS_CACHE_DIR": str(self.cache),
            # Python's own cache of bytecode does look at time stamps; it is not what is tested.
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def run(self) -> tuple[str, str, str]:
        """(what the probe wrote, cache hits, cache misses) in a new process."""
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env=self.environment, cwd=self.package.parent,
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        written, hits, misses = done.stdout.rsplit(maxsplit=2)
        return written, hits, misses

    def replace(self, old: str, new: str) -> None:
        """Changes cards.py, but neither its size nor its time stamp."""
        file = self.package / "cards.py"
        before = file.stat()
        source = file.read_text()
        assert source.count(old) == 1
        assert len(old) == len(new)
        file.write_text(source.replace(old, new))
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        after = file.stat()
        assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)


def test_a_change_in_an_inlined_helper_of_another_file_is_noticed(tmp_path: Path) -> None:
    copy = Copy(tmp_path)
    assert copy.run() == ("[1, 0, 1, 0]", "0", "1")
    copy.replace("write16(out, at, word)", "write16(out, at,~word)")
    assert copy.run() == ("[0, 1, 0, 1]", "0", "1"), "last week's rules"
    files = sorted(copy.cache.rglob("*.nb?"))
    stamps = [file.stat().st_mtime_ns for file in files]
    assert copy.run() == ("[0, 1, 0, 1]", "1", "0"), "what did not change must come from the cache"
    assert sorted(copy.cache.rglob("*.nb?")) == files
    assert [file.stat().st_mtime_ns for file in files] == stamps
    copy.replace("write16(out, at,~word)", "write16(out, at, word)")
    assert copy.run() == ("[1, 0, 1, 0]", "1", "0"), "the old version's cache is still good"


def test_old_caches_are_removed_and_the_newest_kept(tmp_path: Path) -> None:
    for age in range(20):
        folder = tmp_path / f"loop_envs-{age:020x}"
        folder.mkdir()
        (folder / "index.nbi").write_text("compiled")
        os.utime(folder, (10**9 - age, 10**9 - age))
    current = tmp_path / ("loop_envs-" + "f" * 20)
    current.mkdir()
    jit._forget_old(current)
    kept = sorted(folder.name for folder in tmp_path.iterdir())
    assert kept == [*(f"loop_envs-{age:020x}" for age in range(jit.KEPT_CACHES)), current.name]


def test_folders_that_are_no_caches_are_never_removed(tmp_path: Path) -> None:
    # LOOP_ENVS_CACHE_DIR may name a folder that holds other things as well: somebody's home.
    names = [f"photos {year}" for year in range(2000, 2020)]
    names += ["my-project", "loop_envs-backup", "loop_envs", f"thesis-{'a' * 19}", ".ssh"]
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("dear")
        os.utime(tmp_path / name, (10**9, 10**9))
    current = tmp_path / ("loop_envs-" + "f" * 20)
    current.mkdir()
    jit._forget_old(current)
    assert sorted(f.name for f in tmp_path.iterdir()) == sorted([*names, current.name])


def test_the_named_folder_is_used_and_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOP_ENVS_CACHE_DIR", str(tmp_path / "a" / "b"))
    assert jit.cache_root() == tmp_path / "a" / "b"
    assert (tmp_path / "a" / "b").is_dir()


def test_without_a_name_the_users_cache_folder_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOOP_ENVS_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert jit.cache_root() == tmp_path / "loop_envs"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert jit.cache_root() == tmp_path / "home" / ".cache" / "loop_envs"


@pytest.mark.parametrize("variable", ["LOOP_ENVS_CACHE_DIR", "XDG_CACHE_HOME"])
def test_a_folder_that_cannot_be_written_falls_back_to_a_temporary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    file = tmp_path / "a file, so nothing can be made in it"
    file.write_text("")
    (tmp_path / "tmp").mkdir()
    monkeypatch.delenv("LOOP_ENVS_CACHE_DIR", raising=False)
    monkeypatch.setenv(variable, str(file / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    assert jit.cache_root().parent == tmp_path / "tmp"


def test_a_user_without_a_home_falls_back_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("LOOP_ENVS_CACHE_DIR", raising=False)
    assert jit.cache_root().parent == tmp_path
    monkeypatch.setenv("LOOP_ENVS_CACHE_DIR", str(tmp_path / "named"))
    assert jit.cache_root() == tmp_path / "named"


def test_a_system_without_user_numbers_has_a_folder_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "getuid", raising=False)
    monkeypatch.setenv("LOOP_ENVS_CACHE_DIR", str(tmp_path))
    assert jit.cache_root() == tmp_path


def test_a_read_only_home_does_not_stop_a_match(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    (tmp_path / "tmp").mkdir()
    environment = {
        **os.environ,
        "LOOP_ENVS_CACHE_DIR": str(file / "cache"),
        "TMPDIR": str(tmp_path / "tmp"),
    }
    script = """
import numpy as np
from loop_envs import cards
print(cards.count(np.array([7, 1], np.uint16), 2))
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "4\n"
    assert list((tmp_path / "tmp").rglob("*.nbi")), "compiled code is kept in the temporary folder"


def test_numba_settings_of_others_are_left_alone() -> None:
    import numba

    before = numba.config.CACHE_DIR
    jit.compiled(lambda x: x)
    assert before == numba.config.CACHE_DIR


# Plain Python -----------------------------------------------------------------------------------

MATCHES = """
import hashlib
import numpy as np
import loop_envs
from loop_envs import records

def digest_of(seed, board, **options):
    game = loop_envs.load_game("loop_boards-v0", **options)
    digest = hashlib.sha256()
    state = game.new_state(seed, board)
    rng = np.random.default_rng(seed)
    while not game.is_over(state):
        digest.update(state.tobytes())
        digest.update(game.action_mask(state).tobytes())
        for player in range(game.num_players):
            digest.update(game.observe(state, player).tobytes())
        if rng.random() < 0.1:
            other = game.resample(state, int(rng.integers(game.num_players)), rng)
            digest.update(other.tobytes())
        game.step(state, records.random_choice(game, state))
    digest.update(state.tobytes())
    digest.update(repr((game.points(state).tolist(), game.places(state).tolist())).encode())
    batch = loop_envs.make_batch("loop_boards-v0", 2, **options)
    batch.reset(seed)
    for key in range(40):
        batch.step(batch.sample_actions(key))
        digest.update(batch.get_states().tobytes() + batch.reward.tobytes())
    batch.run(20)
    digest.update(batch.get_states().tobytes() + batch.observation.tobytes())
    return digest.hexdigest()

VARIANTS = [
    (1, 0, dict(rounds=2)),
    (2, 5, dict(rounds=1, num_players=6, deck="fifteen", on_exit="clear")),
    (3, 2**63 - 1, dict(rounds=2, num_players=5, run_wrap=True, reveal="stuck_only")),
    (4, 0, dict(num_players=2, hand_size=4, set_aside=1, run_same_colour=False,
                deck=dict(colours=3, values=5), eight=2, tie_break="placings")),
    (5, 1, dict(num_players=3, hand_size=5, set_aside=0, eight=None)),
]
for seed, board, options in VARIANTS:
    print(digest_of(seed, board, **options))
"""


def test_plain_python_plays_exactly_what_compiled_code_plays() -> None:
    printed: dict[str, Any] = {}
    for disabled in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-W", "error::RuntimeWarning", "-c", MATCHES],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled}, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
        printed[disabled] = done.stdout.split()
    assert len(printed["0"]) == 5
    assert printed["1"] == printed["0"]
