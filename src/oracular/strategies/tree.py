"""A guesser's tree written out: which guess at each node, and the node that each answer leads to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game, Indices
from oracular.strategies.oracle import Oracle
from oracular.system.deadline import NEVER, Deadline
from oracular.system.files import quoted

LARGEST = 1 << 31
"""Guesses are numbered below this."""


@dataclass(frozen=True, eq=False)
class Tree:
    """A pure strategy of the guesser; node 0 is the opening, and every node comes after its parent.

    Attributes:
        guess: the guess at each node, int32 [nodes].
        first: the edges out of node n are first[n] up to first[n + 1], int64 [nodes + 1].
        answer: the answer that each edge stands for, uint8 [edges]; none of them ends the game.
        child: the node that each edge leads to, int32 [edges].
    """

    guess: NDArray[np.int32]
    first: NDArray[np.int64]
    answer: NDArray[np.uint8]
    child: NDArray[np.int32]

    def to_list(self) -> list[int]:
        """Return whole numbers that `from_list` takes back: of each node its guess, its parent, the answer between."""
        parent = np.full(len(self.guess), -1)
        between = np.zeros(len(self.guess), int)
        parent[self.child] = np.repeat(np.arange(len(self.guess)), np.diff(self.first))
        between[self.child] = self.answer
        return [int(number) for row in zip(self.guess, parent, between, strict=True) for number in row]

    @staticmethod
    def from_list(numbers: Sequence[int]) -> Tree:
        """Return the tree that `to_list` wrote, or raise `ValueError` where the numbers are those of no tree."""
        if not isinstance(numbers, list) or len(numbers) % 3 or not all(type(number) is int for number in numbers):
            raise ValueError("a tree is three whole numbers a node")
        builder = TreeBuilder()
        for node in range(len(numbers) // 3):
            guess, parent, answer = numbers[3 * node : 3 * node + 3]
            if (
                not -LARGEST <= guess < LARGEST
                or not 0 <= answer <= 255
                or not (-1 if node == 0 else 0) <= parent < node
            ):
                raise ValueError("a node of a tree has a guess, an answer or a parent that there is not")
            builder.add(guess, parent, answer)
        return builder.build()


class TreeBuilder:
    """Collects a tree's nodes, parents before children."""

    def __init__(self) -> None:
        self.guess: list[int] = []
        self.parent: list[int] = []
        self.answer: list[int] = []

    def add(self, guess: int, parent: int, answer: int) -> int:
        """Add a node below its parent (the opening: -1) and return its number."""
        self.guess.append(guess)
        self.parent.append(parent)
        self.answer.append(answer)
        return len(self.guess) - 1

    def build(self) -> Tree:
        """Return the tree."""
        parent = np.array(self.parent[1:], np.int64)
        order = np.argsort(parent, kind="stable")
        return Tree(
            guess=np.array(self.guess, np.int32),
            first=np.searchsorted(parent[order], np.arange(len(self.guess) + 1)).astype(np.int64),
            answer=np.array(self.answer[1:], np.uint8)[order],
            child=(order + 1).astype(np.int32),
        )


def check_tree(tree: Tree, answers: NDArray[np.uint8], found: int) -> None:
    """Raise an error unless the tree is one of this game: guesses that exist, and one child for each answer at most."""
    nodes, edges_of = len(tree.guess), np.diff(tree.first)
    fits = len(edges_of) == nodes and bool((edges_of >= 0).all()) and edges_of.sum() == len(tree.child)
    parent = np.repeat(np.arange(nodes), edges_of) if fits else np.zeros(len(tree.child), np.int64)
    edges = set(zip(parent.tolist(), tree.answer.tolist(), strict=False))
    sound = (
        fits
        and nodes > 0
        and tree.guess.min() >= 0
        and tree.guess.max() < len(answers)
        and len(tree.child) == nodes - 1
        and sorted(tree.child.tolist()) == list(range(1, nodes))  # every node but the first has one parent
        and bool((tree.child > parent).all())  # which comes before it
        and len(edges) == len(tree.child)  # no answer leads to two nodes
        and not (tree.answer == found).any()  # and none on from the end of the game
    )
    if not sound:
        raise SettingsError("the tree is not one of this game: a node, a guess or an answer is wrong or there twice")


def depths(tree: Tree, answers: NDArray[np.uint8], found: int) -> NDArray[np.int32]:
    """Return how many guesses the tree needs for each secret [secrets], or say that it does not find one."""
    check_tree(tree, answers, found)
    result = np.zeros(answers.shape[1], np.int32)
    pending = [(0, np.arange(answers.shape[1]), 1)]
    while pending:
        node, state, depth = pending.pop()
        row = answers[tree.guess[node]][state]
        result[state[row == found]] = depth
        for edge in range(tree.first[node], tree.first[node + 1]):
            below = state[row == tree.answer[edge]]
            if len(below):
                pending.append((int(tree.child[edge]), below, depth + 1))
    if (result == 0).any():
        raise SettingsError(f"the tree does not find secret {int(np.argmin(result))}: it is damaged or of another game")
    return result


@dataclass(frozen=True, eq=False)
class TreeOracle:
    """A pure oracle that plays a tree; at a state the tree does not reach, the fallback is asked.

    Attributes:
        game: the game it plays.
        tree: the tree.
        fallback: the oracle for states off the tree's path.
    """

    game: Game
    tree: Tree
    fallback: Oracle

    @cached_property
    def _guess_at(self) -> dict[bytes, int]:
        """The guess at each state that the tree reaches, by the state's bytes."""
        guess_at = {}
        pending = [(0, self.game.all_secrets)]
        while pending:
            node, state = pending.pop()
            guess = int(self.tree.guess[node])
            guess_at[state.tobytes()] = guess
            row = self.game.table[guess][state]
            for edge in range(self.tree.first[node], self.tree.first[node + 1]):
                below = state[row == self.tree.answer[edge]]
                if len(below):
                    pending.append((int(self.tree.child[edge]), below))
        return guess_at

    def guess(self, possible: Indices) -> int:
        """Return the guess at a state of one or more possible secrets."""
        guess = self._guess_at.get(np.ascontiguousarray(possible, dtype=np.int32).tobytes())
        return self.fallback.guess(possible) if guess is None else guess

    def depths(self) -> NDArray[np.int32]:
        """Return how many guesses it takes to find each secret [secrets]."""
        return depths(self.tree, self.game.table, self.game.found)


def tree_of(oracle: Oracle, deadline: Deadline = NEVER) -> Tree:
    """Return an oracle's play written out as a tree; `DeadlinePassed` is raised where that takes too long."""
    game = oracle.game
    builder = TreeBuilder()
    pending: list[tuple[Indices, int, int]] = [(game.all_secrets, -1, 0)]
    while pending:
        deadline.check()
        state, parent, answer = pending.pop()
        guess = oracle.guess(state)
        node = builder.add(guess, parent, answer)
        row = game.table[guess][state]
        for reply in np.unique(row):
            below = state[row == reply]
            if reply != game.found and len(below) == len(state):
                raise SettingsError(
                    f"the oracle guesses {quoted(game.guesses[guess])} where it eliminates nothing: mend it"
                )
            if reply != game.found:
                pending.append((below, node, int(reply)))
    return builder.build()
