"""Whatever is given to the public functions and methods, they answer or raise an `OracularError`, and nothing else."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import oracular
from oracular.system import checking

WRONG: list[Any] = [
    None, 7, 1.5, float("nan"), True, "x", "", b"x", [], [None], [[1], [2]], ["x", 1], (1,), {}, {"x": None}, {1},
    object(), np.array(2.0), np.zeros((2, 2)), np.array(["x"]),
]  # fmt: skip


def compared(guess: str, secret: str) -> bool:
    return guess == secret


@cache
def game() -> oracular.Game:
    return oracular.game("mastermind-2x2")


@cache
def solution() -> oracular.Solution:
    return oracular.solve(game(), solver="regret-matching", iterations=3)


@cache
def good() -> dict[str, Any]:
    """Return an argument that will do by the name of the parameter, where there is no default."""
    hider, guesser, whole = oracular.hider_uniform(game()), solution().guesser, game().all_secrets
    texts = ["a", "b", "c"]
    return {
        "game": game(), "other": game(), "problem": game(), "solution": solution(), "hider": hider, "guesser": guesser,
        "weights": [1, 1, 1, 1], "guesses": whole, "secrets": texts, "answer": compared, "history": "", "given": "mean",
        "name": "mastermind-2x2", "folder": "nowhere", "possible": whole, "guess": 0, "turn": (0, 0), "label": "2.0",
        "word": game().guesses[0], "rows": slice(0, 2), "mixture": guesser, "oracles": [guesser.oracles[0]],
        "depths": np.ones(4, np.int64), "loss": 1, "value": 1, "lower_loss": 1, "upper_loss": 2, "columns": 2,
        "totals": np.ones(4), "what": hider, "numbers": [0], "iterations": 2, "seconds": 0.1,
    }  # fmt: skip


def members(name: str, subject: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the public methods of an object, bound."""
    for each, _ in inspect.getmembers(type(subject), callable):
        if not each.startswith("_") and callable(getattr(subject, each)):
            yield f"{name}.{each}", getattr(subject, each)


def calls() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield every public function, constructor and method."""
    for name in oracular.__all__:
        found = getattr(oracular, name)
        if callable(found) and not getattr(found, "_is_protocol", False) and name != "OracularError":
            yield name, found
    yield "Game.from_function", oracular.Game.from_function
    yield "GreedyOracle.against", oracular.GreedyOracle.against
    hider, guesser = oracular.hider_uniform(game()), solution().guesser
    best = oracular.best_response(game(), hider)
    for name, subject in {
        "game": game(),
        "hider": hider,
        "mixture": guesser,
        "behavioural": oracular.Behavioural(guesser),
        "player": guesser.new_game(),
        "tree": best.tree,
        "oracle": oracular.guesser_gbr_uniform(game()),
        "solution": solution(),
        "objective": oracular.objective("within-2", game()),
        "advice": oracular.advise(game()),
        "review": oracular.review(game(), f"{game().guesses[0]}:2.0"),
        "shipped": oracular.load("jotto-2"),
        "mix": oracular.MixedStrategy([0, 1], [1, 1], np.array([1, 2])),
    }.items():
        yield from members(name, subject)


def arguments(call: Callable[..., Any]) -> tuple[dict[str, Any], list[str]]:
    """Return arguments for a call, good ones where it matters, and the names of all its parameters."""
    parameters = [entry for entry in inspect.signature(call).parameters.values() if entry.name != "self"]
    needed = [entry.name for entry in parameters if entry.default is entry.empty]
    names = [entry.name for entry in parameters]
    return {name: good().get(name) for name in names if name in needed or name == "iterations"}, names


COMPILING = ("behavioural.guess_distribution", "oracle.guess", "solve_race")
"""Calls that compile kernels for types that no program uses, or that make new kernels ready."""


@pytest.mark.parametrize("compiling", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_wrong_types_are_one_sentence(compiling, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    foreign, tried = [], 0
    for name, call in calls():
        if (name in COMPILING) != compiling:
            continue
        arguments_of, names = arguments(call)
        for parameter in names:
            for wrong in WRONG:
                tried += 1
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        call(**{**arguments_of, parameter: wrong})
                except oracular.OracularError as error:
                    if "\n" in str(error):
                        foreign.append(f"{name}({parameter}={wrong!r}): two lines: {error}")
                except Exception as error:
                    foreign.append(f"{name}({parameter}={wrong!r}): {type(error).__name__}: {error}")
    assert tried > 100
    assert not foreign, f"{len(foreign)}\n" + "\n".join(foreign)


def test_the_function_that_was_called_is_named_and_not_one_that_it_calls():
    @checking.checked
    def inner(number: int) -> int:
        return abs(number)

    @checking.checked
    def outer(text: str) -> int:
        return inner(text)  # type: ignore[arg-type]

    @checking.checked
    def at_fault() -> int:
        return inner("x")  # type: ignore[arg-type]

    with pytest.raises(oracular.OracularError, match=r"^text of outer is \[\]: give str"):
        outer([])  # type: ignore[arg-type]
    with pytest.raises(oracular.OracularError, match="number of inner is 'x': give int"):
        at_fault()
