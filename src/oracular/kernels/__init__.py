"""Compiled inner loops; everything outside this folder is plain Python."""

import os
import tempfile
from pathlib import Path

# Threads that wait for each other at every level of a tree must sleep, not spin: where another process holds a core,
# spinning makes a tree slower than on one thread alone. OpenMP reads this, for the whole process, when it is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

# Numba keeps compiled code beside the source or below the user's home; where neither can be written it would give up.
if not any(os.access(folder, os.W_OK) for folder in (Path(__file__).parent, Path.home())):
    os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"oracular-numba-{os.getuid()}"))
