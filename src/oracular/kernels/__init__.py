"""Compiled inner loops; everything outside this folder is plain Python.

Compiling takes a minute or more, so Numba saves compiled code in `NUMBA_CACHE_DIR`, or in the user's cache folder if
that is not set. Numba notices a change in a function's own file but not in a file that it calls into, so the folder is
named after all of these sources and Numba's version. If no code can be saved there, it is compiled in each process.

The saved code is pickled: whoever can write to that folder can run code as the user.
"""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from filelock import FileLock
from numba.core.caching import IndexDataCacheFile
from platformdirs import user_cache_path

FOLDER = Path(__file__).parent
PREFIX = "kernels-"

UNUSED_SECONDS = 30 * 24 * 3600.0
"""Folders of other sources are removed when they have not been used for this long."""


def _sources_hash() -> str:
    content = hashlib.sha256(numba.__version__.encode())
    for path in sorted(FOLDER.rglob("*.py")):
        content.update(f"\n{path.relative_to(FOLDER)}\n".encode())
        content.update(path.read_bytes())
    return content.hexdigest()[:16]


def _cache_folder() -> Path | None:
    """Return the folder for compiled code of these sources, or None if nothing can be saved there."""
    named = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    try:
        place = Path(named).absolute() if named else user_cache_path("oracular", appauthor=False)
        if not place.is_absolute():  # the user has no home: code is never loaded from the working directory
            return None
        folder = place / f"{PREFIX}{_sources_hash()}"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / "used").touch()
    except (OSError, RuntimeError):
        return None
    unused = time.time() - UNUSED_SECONDS
    for other in folder.parent.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if (other / "used").stat().st_mtime < unused:
                shutil.rmtree(other, ignore_errors=True)
    return folder


def _one_process_at_a_time(save: Callable[..., None], lock: FileLock) -> Callable[..., None]:
    """Return Numba's method that saves a compiled function, wrapped in a lock.

    Numba reads an index, assigns the next number, and writes both. If two processes save different types of one
    function at once, both use the same number, and the index of one leads to the code of the other.
    """

    def save_alone(self: Any, key: Any, data: Any) -> None:
        with lock:
            save(self, key, data)

    return save_alone


CACHE_FOLDER = _cache_folder()
"""Where compiled code is saved, or None."""

if CACHE_FOLDER is not None:
    numba.config.CACHE_DIR = str(CACHE_FOLDER)  # type: ignore[attr-defined]
    IndexDataCacheFile.save = _one_process_at_a_time(IndexDataCacheFile.save, FileLock(CACHE_FOLDER / "saving.lock"))
