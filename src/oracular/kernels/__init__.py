"""Compiled inner loops; everything outside this folder is plain Python."""

import os

# Threads that wait for each other at every level of a tree must sleep, not spin: where another process holds a core,
# spinning made a tree of five letters eight times slower. OpenMP reads this when it is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
