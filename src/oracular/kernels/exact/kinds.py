"""Names for the arrays' types, and the one way in which this search is compiled."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[Any]
Counts = NDArray[np.int32]
Bounds = NDArray[np.int64]
Keys = NDArray[np.uint64]

compiled: Any = numba.njit(cache=True, nogil=True, _nrt=False)
"""Compiles a function that allocates nothing.

Without reference counts (`_nrt`) the search is more than twice as fast: counting the views of arrays held in tuples
took much of its time. Numba then refuses, at compile time, whatever would allocate.
"""
