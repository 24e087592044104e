"""Arguments of the wrong type, in one sentence: what every public function and class of the package is wrapped in.

Arguments are compared with their annotations only after something other than an `OracularError` was raised: a call that
succeeds costs nothing, and an error that is not the arguments' fault is passed on as it is.
"""

from __future__ import annotations

import collections.abc
import functools
import inspect
import numbers
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oracular.errors import OracularError, RunError, SettingsError
from oracular.system.files import cut

T = TypeVar("T")

WIDER: Mapping[Any, tuple[type, ...]] = {
    int: (int, np.integer),
    float: (numbers.Real,),
    bool: (bool, np.bool_),
}
"""What else is taken where a type is asked for, as type checkers and NumPy have it."""

LISTED = (list, tuple, set, frozenset, dict, str, bytes, np.ndarray)
"""Types whose elements can be looked at without using them up."""

_ALIASES = vars(collections.abc) | {"np": np}
"""The names in aliases that are written as texts, wherever they are read."""


class WrongTypeError(SettingsError):
    """An argument of a wrong type."""


def checked(target: T) -> T:
    """Return a function that raises an `OracularError` where an argument of a wrong type made it fail.

    Of a class that is so for its constructor and its public methods, which are changed in place.
    """
    if not isinstance(target, type):
        return typing.cast(T, _checked_function(typing.cast(Callable[..., Any], target)))
    for name, member in list(vars(target).items()):
        made_here = name == "__init__" and is_dataclass(target)
        if name.startswith("_") and not made_here:
            continue
        if isinstance(member, classmethod | staticmethod):
            setattr(target, name, type(member)(_checked_function(member.__func__)))
        elif made_here or getattr(member, "__qualname__", "") == f"{target.__qualname__}.{name}":
            setattr(target, name, _checked_function(member, target.__name__ if made_here else member.__name__))
    return target


def _checked_function(function: Callable[..., Any], called: str = "") -> Callable[..., Any]:
    """Return a function that raises an `OracularError` where an argument of a wrong type made it fail."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if isinstance(error, OracularError) and not isinstance(error, WrongTypeError):
                raise
            complaint = _complaint(function, called or function.__name__, args, kwargs)
            if complaint is None:
                raise
            raise WrongTypeError(complaint) from error

    return call


def _complaint(function: Callable[..., Any], called: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """Return what is wrong with the first argument of a wrong type, or None if all are right."""
    try:
        given = inspect.signature(function).bind(*args, **kwargs).arguments
    except TypeError:  # an argument too many or too few
        return None
    scope = function.__globals__
    for name, value in given.items():
        hint = function.__annotations__.get(name, Any)
        if not fits(value, hint, scope):
            written = hint if isinstance(hint, str) else getattr(hint, "__name__", hint)
            return f"{name} of {called} is {cut(_written(value))}: give {written}"
    return None


def _written(value: object) -> str:
    """Return a value as it is written in Python, on one line, or its type's name if that fails."""
    try:
        return " ".join(repr(value).split())
    except Exception:
        return f"a {type(value).__name__}"


def fits(value: object, hint: Any, scope: Mapping[str, Any]) -> bool:
    """Return whether a value is of an annotated type; what cannot be looked up or known fits."""
    if isinstance(hint, str):
        try:
            hint = eval(hint, {**_ALIASES, **scope})
        except Exception:  # a name for type checkers alone, or what cannot be evaluated
            return True
        if isinstance(hint, str):
            return fits(value, hint, scope)
    if isinstance(hint, typing.ForwardRef):
        return fits(value, hint.__forward_arg__, scope)
    if hint is None:
        return value is None
    if hint == ArrayLike:
        return _is_array_of_numbers(value)
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, part, scope) for part in parts)
    if origin is typing.Annotated:
        return fits(value, parts[0], scope)
    if origin is typing.Literal:
        return any(type(value) is type(part) and value == part for part in parts)
    if origin is np.ndarray:
        return isinstance(value, np.ndarray) and _has_numbers(value, parts)
    if origin is None:
        return _is_instance(value, hint)
    if not _is_instance(value, origin):
        return False
    return not isinstance(value, LISTED) or _elements_fit(value, origin, parts, scope)


def _is_instance(value: object, kind: Any) -> bool:
    """Return whether a value is of a type, or has the members of a protocol."""
    if kind is Any or not isinstance(kind, type):
        return True
    if getattr(kind, "_is_protocol", False) and kind.__module__ not in ("collections.abc", "typing"):
        return all(_has(value, name) for name in dir(kind) if not name.startswith("_"))
    if isinstance(value, np.ndarray) and value.ndim == 0 and kind is collections.abc.Iterable:
        return False
    if kind is int and isinstance(value, bool):
        return False
    return isinstance(value, WIDER.get(kind, (kind,)))


def _has(value: object, name: str) -> bool:
    """Return whether a value has an attribute; one that raises an error of its own is there."""
    try:
        return hasattr(value, name)
    except Exception:
        return True


def _elements_fit(value: Any, origin: Any, parts: tuple[Any, ...], scope: Mapping[str, Any]) -> bool:
    """Return whether the elements of a collection, or its keys, are of the annotated type."""
    if origin is tuple and parts[-1:] != (Ellipsis,):
        return len(value) == len(parts) and all(map(lambda one, part: fits(one, part, scope), value, parts))
    return not parts or all(fits(one, parts[0], scope) for one in value)


def _has_numbers(value: Any, parts: tuple[Any, ...]) -> bool:
    """Return whether an array has numbers, whole ones if the annotation asks for them."""
    wanted = typing.get_args(parts[-1]) if parts else ()
    whole = bool(wanted) and isinstance(wanted[0], type) and issubclass(wanted[0], np.integer)
    return value.dtype.kind in ("biu" if whole else "biufO")


def _is_array_of_numbers(value: object) -> bool:
    """Return whether a value is what NumPy makes a list of numbers of."""
    try:
        array = np.asarray(value)
    except Exception:
        return False
    return array.ndim > 0 and array.dtype.kind in "biu"


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
    """Return a copy of an array that cannot be changed."""
    copy = np.array(array)
    copy.flags.writeable = False
    return copy
