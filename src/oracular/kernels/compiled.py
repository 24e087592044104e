"""The ways in which functions that allocate nothing are compiled.

Without reference counts (`_nrt`) the code is smaller, so it is compiled sooner, and faster: counting the views of
arrays that are held in tuples took much of the time. Numba then refuses, when it compiles, whatever would allocate.
"""

from __future__ import annotations

from typing import Any

from numba import njit

kernel: Any = njit(cache=True, nogil=True, _nrt=False)
"""Compiles a function that Python calls."""

helper: Any = njit(cache=True, nogil=True, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""Compiles a function that only compiled functions call: what would take its arguments from Python is left out."""

inlined: Any = njit(inline="always", cache=True, nogil=True, _nrt=False)
"""Compiles a short function into each that calls it; without reference counts no other can return part of an array."""
