"""Compiled code is saved in a folder named after all kernels, and written by one process at a time."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import oracular.kernels

INNER = "from oracular.kernels.compiling import entry_point\n@entry_point\ndef times(x):\n    return 2 * x\n"
OUTER = (
    "from oracular.kernels.compiling import entry_point\nfrom oracular.kernels.inner import times\n"
    "@entry_point\ndef more(x):\n    return times(x) + 1\n"
)
RUN = """
from oracular.kernels import CACHE_FOLDER
from oracular.kernels.outer import more
print(more(20), sum(more.stats.cache_hits.values()), CACHE_FOLDER, flush=True)
"""
SAVE_MANY = """
import sys
from numba.core.caching import IndexDataCacheFile
from oracular.kernels import CACHE_FOLDER
saved = IndexDataCacheFile(str(CACHE_FOLDER), "shared", "stamp")
print("ready", flush=True)
input()
for number in range(60):
    saved.save((sys.argv[1], number), f"{sys.argv[1]} {number}")
"""
READ_MANY = """
from numba.core.caching import IndexDataCacheFile
from oracular.kernels import CACHE_FOLDER
saved = IndexDataCacheFile(str(CACHE_FOLDER), "shared", "stamp")
print(all(saved.load((who, number)) == f"{who} {number}" for who in "ab" for number in range(60)))
"""


@pytest.fixture
def small(tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Give a function that runs a script beside a package of two small kernels, with a home of its own."""
    kernels = tmp_path / "source" / "oracular" / "kernels"
    kernels.mkdir(parents=True)
    for name in ("__init__.py", "compiling.py"):
        shutil.copy(Path(oracular.kernels.__file__).parent / name, kernels)
    (kernels.parent / "__init__.py").touch()
    (kernels / "inner.py").write_text(INNER)
    (kernels / "outer.py").write_text(OUTER)
    own = {"PYTHONPATH": str(kernels.parent.parent), "HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": ""}
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}

    def start(script: str, *arguments: str, **more: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", script, *arguments],
            env=inherited | own | more,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
        )

    return start


def said(process: subprocess.Popen[str]) -> list[str]:
    """What a process prints until it ends."""
    out, _ = process.communicate()
    assert process.returncode == 0
    return out.split()


def test_changed_sources_have_another_folder(small, tmp_path):
    first = said(small(RUN))
    assert first[:2] == ["41", "0"] and Path(first[2]).is_relative_to(tmp_path / "home")
    assert said(small(RUN)) == ["41", "1", first[2]], "compiled code is used again"
    (tmp_path / "source" / "oracular" / "kernels" / "inner.py").write_text(INNER.replace("2 * x", "3 * x"))
    second = said(small(RUN))
    assert second[:2] == ["61", "0"] and second[2] != first[2]


def test_a_folder_that_was_not_used_for_long_is_removed_and_others_stay(small, tmp_path):
    used = Path(said(small(RUN))[2])
    (tmp_path / "source" / "oracular" / "kernels" / "inner.py").write_text(INNER.replace("2 * x", "3 * x"))
    said(small(RUN))
    assert used.exists()
    os.utime(used / "used", (0, 0))
    said(small(RUN))
    assert not used.exists()


def test_two_processes_that_save_at_once_do_not_mix_up_their_code(small):
    savers = [small(SAVE_MANY, name) for name in "ab"]
    for saver in savers:
        assert saver.stdout is not None
        assert saver.stdout.readline() == "ready\n"
    for saver in savers:
        assert saver.stdin is not None
        saver.stdin.write("\n")
        saver.stdin.flush()
    for saver in savers:
        saver.communicate()
        assert saver.returncode == 0
    assert said(small(READ_MANY)) == ["True"]


def test_where_nothing_can_be_saved_code_is_compiled_all_the_same(small, tmp_path):
    (tmp_path / "file").touch()
    assert said(small(RUN, NUMBA_CACHE_DIR=str(tmp_path / "file"))) == ["41", "0", "None"]
    named = tmp_path / "named"
    answer, hits, where = said(small(RUN, NUMBA_CACHE_DIR=str(named)))
    assert (answer, hits, Path(where).parent) == ("41", "0", named)
    assert any(named.rglob("*.nbc"))


def test_without_a_home_code_is_compiled_all_the_same(small):
    nobody = "import pwd, os\nos.environ.pop('HOME')\npwd.getpwuid = lambda _: {}['nobody']\n"
    answer, hits, where = said(small(nobody + RUN))
    assert (answer, hits, where) == ("41", "0", "None")
