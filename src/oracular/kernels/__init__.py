"""Compiled inner loops; everything outside this folder is plain Python."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent

# Threads that wait for each other at every level of a tree must sleep, not spin: where another process holds a core,
# spinning makes a tree slower than on one thread alone. OpenMP reads this, for the whole process, when it is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

# Numba keeps compiled code beside the source or below the user's home; where neither can be written it would give up.
if not any(os.access(folder, os.W_OK) for folder in (FOLDER, Path.home())):
    os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"oracular-numba-{os.getuid()}"))


def _forget_stale_code() -> None:
    """Remove compiled code that was kept before any kernel changed.

    Numba notices a change in a function's own file, not one in a file it calls into: after an update of the sources a
    kernel could go on calling what another used to do.
    """
    sources = hashlib.sha256()
    for path in sorted(FOLDER.rglob("*.py")):
        sources.update(path.read_bytes())
    stamp = FOLDER / "__pycache__" / "kernels.sha256"
    try:
        if stamp.exists() and stamp.read_text(encoding="utf-8") == sources.hexdigest():
            return
        for kept in FOLDER.rglob("__pycache__/*.nb[ic]"):
            kept.unlink(missing_ok=True)
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(sources.hexdigest(), encoding="utf-8")
    except OSError:  # sources that cannot be written do not change either
        return


_forget_stale_code()
