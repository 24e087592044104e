"""How kernels that allocate nothing are compiled."""

from __future__ import annotations

from typing import Any

import numba

allocation_free: Any = numba.njit(cache=True, nogil=True, _nrt=False)
"""Compiles a function that allocates nothing.

Without reference counts (`_nrt`) a search is more than twice as fast: counting the views of arrays held in tuples takes
much of its time. Numba then refuses, at compile time, whatever would allocate.
"""
