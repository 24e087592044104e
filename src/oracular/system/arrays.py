"""Arrays: how large sums may get, copies that nobody can change, and arrays out of a run's files, checked first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.errors import RunError

SUM_LIMIT = 2**62
"""Sums that may reach this are kept in Python's whole numbers instead of 64 bits."""


def check_array(arrays: Mapping[str, NDArray[Any]], name: str, dtype: Any, shape: tuple[int, ...]) -> None:
    """Raise a `RunError` unless a run's arrays have one of this name, kind of number and shape."""
    if name not in arrays:
        raise damaged_arrays(f"{name} is missing")
    array = arrays[name]
    if array.dtype != dtype or array.shape != shape:
        raise damaged_arrays(
            f"{name} is {array.dtype} {list(array.shape)}, and {np.dtype(dtype)} {list(shape)} is expected"
        )


def damaged_arrays(what: str) -> RunError:
    """Return the error for arrays of a run that were damaged or edited."""
    return RunError(
        f"the arrays of the run are damaged ({what}): restore them from a copy, or solve again in another folder"
    )


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a copy of an array that nobody can change."""
    copy = np.array(array)
    copy.flags.writeable = False
    return copy
