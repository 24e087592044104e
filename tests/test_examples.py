"""The examples run as they stand in the docs, and come to the values that are known."""

from __future__ import annotations

import re
import runpy
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import oracular

ROOT = Path(__file__).parent.parent
EXAMPLES = ("search_of_boxes", "path_interdiction")


def example(name: str) -> dict:
    return runpy.run_path(str(ROOT / "examples" / f"{name}.py"))


def solved_problem(name: str) -> tuple[oracular.Problem, Fraction]:
    """An example's problem, with its value."""
    parts = example(name)
    if name == "search_of_boxes":
        return parts["SearchOfBoxes"](parts["COSTS"]), parts["known_value"](parts["COSTS"])
    graph = parts["town"]()
    return parts["PathInterdiction"](graph, parts["START"], parts["END"]), Fraction(1, 3)


def test_the_docs_show_the_example_as_it_is():
    code = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "problems.md").read_text(), flags=re.DOTALL)
    assert code == [(ROOT / "examples" / "search_of_boxes.py").read_text()]


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_prints_bounds_around_the_known_value(name, capsys):
    example(name)["main"]()
    printed = capsys.readouterr().out
    lower, upper = map(float, re.findall(r"between ([0-9.]+) and ([0-9.]+)", printed)[0])
    known = float(re.findall(r"known: ([0-9.]+)", printed)[0])
    assert lower <= known <= upper <= 1.01 * lower


@pytest.mark.parametrize(
    ("name", "solver", "iterations"),
    [
        ("search_of_boxes", "regret-matching", 300),
        ("search_of_boxes", "fictitious-play", 12_000),
        ("path_interdiction", "regret-matching", 300),
        pytest.param("path_interdiction", "fictitious-play", 20_000, marks=pytest.mark.slow),
    ],
)
def test_a_solver_comes_within_one_per_cent_of_the_known_value(name, solver, iterations):
    problem, value = solved_problem(name)
    solution = oracular.solve(problem, solver=solver, iterations=iterations)
    assert solution.lower <= value <= solution.upper
    assert solution.upper - solution.lower < value / 100
    answer = problem.respond(np.array(solution.weights, dtype=np.int64))
    assert Fraction(int(answer.payoffs @ solution.weights), int(sum(solution.weights))) <= value


def test_the_town_has_more_than_a_thousand_million_paths_and_a_smallest_cut_of_three():
    parts = example("path_interdiction")
    import networkx as nx

    graph, start, end = parts["town"](), parts["START"], parts["END"]
    assert parts["number_of_paths"]() > 10**9
    assert len(nx.minimum_edge_cut(graph, start, end)) == 3


def test_the_number_of_paths_is_right_for_a_smaller_town():
    import networkx as nx

    parts = example("path_interdiction")
    globals_of_it = parts["town"].__globals__
    globals_of_it.update(LENGTH=3, WIDTH=5, END=(3, 0))
    paths = nx.all_simple_paths(parts["town"](), (-1, 0), (3, 0))
    assert sum(1 for _ in paths) == parts["number_of_paths"]()
