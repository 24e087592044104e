"""Compiled code is kept where nobody else can write, under the name of its sources, and written by one at a time."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import oracular.kernels
from oracular.kernels import IN_USE, cache_folder, is_guarded, is_private

NAME = "oracular-kernels-1-of-these"
INNER = "from numba import njit\n@njit(cache=True)\ndef times(x):\n    return 2 * x\n"
OUTER = (
    "from numba import njit\nfrom oracular.kernels.inner import times\n"
    "@njit(cache=True)\ndef more(x):\n    return times(x) + 1\n"
)
RUN = """
from oracular.kernels import KEPT
from oracular.kernels.outer import more
print(more(20), sum(more.stats.cache_hits.values()), KEPT, flush=True)
"""
HOLD = f"{RUN}\ninput()"
SAVE_MANY = """
import sys
from numba.core.caching import IndexDataCacheFile
from oracular.kernels import KEPT
kept = IndexDataCacheFile(str(KEPT), "shared", "stamp")
print("ready", flush=True)
input()
for number in range(60):
    kept.save((sys.argv[1], number), f"{sys.argv[1]} {number}")
"""
READ_MANY = """
from numba.core.caching import IndexDataCacheFile
from oracular.kernels import KEPT
kept = IndexDataCacheFile(str(KEPT), "shared", "stamp")
print(all(kept.load((who, number)) == f"{who} {number}" for who in "ab" for number in range(60)))
"""
pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system has other rights")


@pytest.fixture
def small(tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Give a function that runs a script beside a package of two small kernels, in a home of its own."""
    kernels = tmp_path / "source" / "oracular" / "kernels"
    kernels.mkdir(parents=True)
    shutil.copy(oracular.kernels.__file__, kernels)
    (kernels.parent / "__init__.py").touch()
    (kernels / "inner.py").write_text(INNER)
    (kernels / "outer.py").write_text(OUTER)
    for folder in ("home", "temporary"):
        (tmp_path / folder).mkdir(mode=0o700)
    own = {
        "PYTHONPATH": str(kernels.parent.parent),
        "HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path / "temporary"),
    }
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "XDG_"))}

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


def test_only_a_folder_of_our_own_that_others_cannot_write_will_do(tmp_path, monkeypatch):
    place = tmp_path / "place"
    found = cache_folder([place], NAME)
    assert found == place / NAME and found.stat().st_mode & 0o777 == 0o700
    assert cache_folder([place], NAME) == found, "it is there again"

    found.chmod(0o750)
    assert cache_folder([place], NAME) is None, "others may look into it, and who knows what they could before"
    found.chmod(0o700)
    place.chmod(0o775)
    assert cache_folder([place], NAME) is None, "others may put another folder in its place"
    place.chmod(0o1777)
    assert cache_folder([place], NAME) == found, "nobody may remove what others have among the temporary files"
    monkeypatch.setattr(os, "getuid", lambda: 4711)
    assert cache_folder([place], NAME) is None, "it is somebody else's"
    monkeypatch.undo()

    other = tmp_path / "other"
    other.mkdir()
    (other / NAME).symlink_to(found)
    assert cache_folder([other], NAME) is None, "a link may lead elsewhere tomorrow"
    (tmp_path / "file").touch()
    assert cache_folder([other, tmp_path / "file", place], NAME) == found, "the next place is tried"
    monkeypatch.delattr(os, "getuid")
    assert is_private(found) and not is_private(tmp_path / "file"), "systems with other rights have no such number"


@pytest.fixture
def given_away(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Give a function that makes a folder somebody else's, or look like it where that is not allowed."""

    def give(folder: Path) -> None:
        if os.getuid() == 0:
            os.chown(folder, 4711, -1)
            return
        truly = os.stat

        def look(path: Any, *more: Any, **options: Any) -> os.stat_result:
            status = truly(path, *more, **options)
            return os.stat_result([*status[:4], 4711, *status[5:]]) if Path(path) == folder else status

        monkeypatch.setattr(os, "stat", look)

    return give


@pytest.mark.parametrize("mode", [0o755, 0o1777])
@pytest.mark.parametrize("whose", ["above", "above/place"])
def test_no_folder_above_may_be_somebody_elses(tmp_path, given_away, mode, whose):
    place = tmp_path / "above" / "place"
    place.mkdir(parents=True)
    (tmp_path / whose).chmod(mode)
    assert is_guarded(place) and cache_folder([place], NAME) is not None
    given_away(tmp_path / whose)
    assert not is_guarded(place) and cache_folder([place], NAME) is None, "its owner may put another in its place"


def test_code_of_other_sources_is_removed_once_nobody_has_it(tmp_path):
    old = cache_folder([tmp_path], "oracular-kernels-1-old")
    assert old is not None
    strange = tmp_path / "oracular-kernels-1-strange"
    strange.mkdir(mode=0o755)
    (strange / IN_USE).touch()
    cache_folder([tmp_path], "oracular-kernels-2-another")
    cache_folder([tmp_path], "oracular-kernels-1-new")
    assert old.exists(), "this process has it"
    abandoned = tmp_path / "oracular-kernels-1-abandoned"
    abandoned.mkdir(mode=0o700)
    (abandoned / IN_USE).touch()
    cache_folder([tmp_path], "oracular-kernels-1-new")
    names = {path.name.removeprefix("oracular-kernels-") for path in tmp_path.iterdir()}
    assert names == {"1-old", "1-new", "1-strange", "2-another"}


def test_changed_sources_have_another_folder_and_the_old_one_stays_while_it_is_read(small, tmp_path):
    first = said(small(RUN))
    assert first[:2] == ["41", "0"]
    folder = Path(first[2])
    assert folder.parent == tmp_path / "source" / "oracular" / "kernels" / "__pycache__"
    reader = small(HOLD)
    assert reader.stdout is not None
    assert reader.stdout.readline().split() == ["41", "1", str(folder)], "compiled code is used again"
    inner = tmp_path / "source" / "oracular" / "kernels" / "inner.py"
    inner.write_text(INNER.replace("2 * x", "3 * x"))
    second = said(small(RUN))
    assert second[:2] == ["61", "0"] and Path(second[2]) != folder
    assert any(folder.rglob("*.nbc")), "a process still has it"
    reader.communicate("\n")
    assert said(small(RUN)) == ["61", "1", second[2]]
    assert not folder.exists()


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


def test_where_others_can_write_everywhere_nothing_is_kept_and_nothing_read(small, tmp_path):
    for folder in ("source", "home", "temporary"):
        (tmp_path / folder).chmod(0o777)
    named = tmp_path / "named"
    named.mkdir()
    named.chmod(0o777)
    assert said(small(RUN, NUMBA_CACHE_DIR=str(named))) == ["41", "0", "None"]
    assert not any(tmp_path.rglob("*.nb[ic]"))
    assert not any((tmp_path / "temporary").iterdir())
    named.chmod(0o700)
    answer, hits, where = said(small(RUN, NUMBA_CACHE_DIR=str(named)))
    assert (answer, hits, Path(where).parent) == ("41", "0", named)
    assert any(named.rglob("*.nbc"))


def test_a_link_is_followed_once_and_for_all(tmp_path):
    """Whoever can exchange the link later must not be able to lead us elsewhere."""
    (tmp_path / "good").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "good")
    folder = cache_folder([tmp_path / "link"], NAME)
    assert folder == (tmp_path / "good").resolve() / NAME
