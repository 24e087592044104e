"""Path interdiction: an evader crosses a network, an inspector watches one road.

The inspector is the small side: she picks one road. The evader is the large side: he takes any of the more than a
thousand million paths. If the road is on the path he is caught, and the payoff is 1, otherwise 0. By the theorem of
max flow and min cut the value of the game is 1 / (roads in a smallest cut): the inspector watches one of a smallest
cut's roads at random, and the evader spreads over as many paths that share no road.

The evader's best response is the path with the least chance of being caught: a shortest path.
"""

from __future__ import annotations

import hashlib
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import oracular


class PathInterdiction:
    """The game on a directed graph, as a problem that `oracular.solve` takes."""

    exact = True  # a shortest path is a true best response
    largest_payoff = 1

    def __init__(self, graph: nx.DiGraph, start: Any, end: Any) -> None:
        self.graph, self.start, self.end = graph, start, end
        self.roads = list(graph.edges)
        self.number = {road: index for index, road in enumerate(self.roads)}
        self.size = len(self.roads)
        roads = hashlib.sha256(repr(self.roads).encode()).hexdigest()
        self.identity = f"path interdiction from {start} to {end} by roads {roads}"

    def respond(self, weights: NDArray[np.int64]) -> oracular.Response:
        """Return a path with the least chance of being caught, and the roads on it."""
        path = nx.shortest_path(self.graph, self.start, self.end, lambda a, b, _: int(weights[self.number[a, b]]))
        on_path = np.zeros(self.size, dtype=np.int64)
        on_path[[self.number[road] for road in nx.utils.pairwise(path)]] = 1
        return oracular.Response(on_path, path)

    def save(self, path: list[Any]) -> list[Any]:
        """Return a path as plain data."""
        return [list(place) for place in path]

    def load(self, data: list[Any]) -> list[Any]:
        """Return the path that `save` wrote."""
        path = [tuple(place) for place in data]
        if not nx.is_path(self.graph, path) or (path[0], path[-1]) != (self.start, self.end):
            raise ValueError("it is not a path from start to end")
        return path


LENGTH, WIDTH = 12, 6
START, END = (-1, 0), (LENGTH, 0)


def town() -> nx.DiGraph:
    """Return a town of six streets that lead east, with lanes across; three of the streets lead to the end."""
    graph = nx.DiGraph()
    for x in range(LENGTH):
        for y in range(WIDTH):
            if x + 1 < LENGTH:
                graph.add_edge((x, y), (x + 1, y))
            if y + 1 < WIDTH:
                graph.add_edge((x, y), (x, y + 1))
                graph.add_edge((x, y + 1), (x, y))
    for y in range(WIDTH):
        graph.add_edge(START, (0, y))
    for y in (0, 2, 4):
        graph.add_edge((LENGTH - 1, y), END)
    return graph


def number_of_paths() -> int:
    """Return how many paths there are: every lane may be left by any street, and the last one by three of them."""
    return WIDTH**LENGTH * 3


def main() -> None:
    """Solve the game, and compare its value with the smallest cut."""
    graph = town()
    problem = PathInterdiction(graph, START, END)
    solution = oracular.solve(problem, solver="regret-matching", iterations=400)
    known = 1 / len(nx.minimum_edge_cut(graph, START, END))
    print(f"{problem.size} roads, {number_of_paths():,} paths")
    print(f"value: between {float(solution.lower):.5f} and {float(solution.upper):.5f}, both proved")
    print(f"known: {known:.5f}")


if __name__ == "__main__":
    main()
