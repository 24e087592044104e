"""How kernels are compiled: what Python calls, and what only other kernels call.

Most of the time that a function takes to compile goes into unpacking its arguments where Python calls it: hundreds of
numbers, where they are tuples of arrays. So only entry points can be called from Python. An inner function raises
`TypeError` there.

Without reference counts (`_nrt`) a search is more than twice as fast: counting the views of arrays held in tuples takes
much of its time. Numba then refuses, at compile time, whatever would allocate. So a kernel allocates nothing unless its
decorator says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from oracular.kernels import CACHE_FOLDER

_SAVED = CACHE_FOLDER is not None

entry_point: Any = numba.njit(cache=_SAVED, nogil=True, _nrt=False)
allocating_entry_point: Any = numba.njit(cache=_SAVED, nogil=True)


def _inner(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return the decorator of functions that compiled code alone can call."""
    compiled = numba.njit(cache=_SAVED, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)

    def decorate(function: Callable[..., Any]) -> Any:
        def refuse(*_: object, **__: object) -> None:
            raise TypeError(f"{function.__name__} is called from compiled code alone: call an entry point")

        dispatcher = compiled(function)
        # Without these two a call from Python would be a crash: there is no code for Python to call.
        dispatcher._compile_for_args = refuse  # noqa: SLF001 - what Numba asks when Python calls with new types
        dispatcher._insert = lambda *_: None  # noqa: SLF001 - so that all types stay new
        return dispatcher

    return decorate


inner: Any = _inner(_nrt=False)
allocating_inner: Any = _inner()

inlined: Any = numba.njit(inline="always", cache=_SAVED, nogil=True, _nrt=False)
"""Compiles a short function into each that calls it; without reference counts no other can return part of an array."""
