"""A guesser's tree: the guess at each state that it can come to, in one row of numbers.

A state comes before what follows from it, and the parts of a state in the order of their answers. States of one secret
are left out: the secret is guessed there. With the game's table the row is the whole tree, so it can be kept, shipped
and played again.

In certificates a tree is written out node by node, states of one secret included; see `Tree.to_list`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game, Indices
from oracular.games.guessing import FREE
from oracular.strategies.oracle import Oracle, ask
from oracular.system.checking import checked
from oracular.system.files import counted, quoted


class Visit(NamedTuple):
    """A state that a tree comes to, in the order of a walk through all of them.

    The parent is the visit, counted from 0, whose guess led here, by that answer; -1 and 0 for the first. The demand is
    what hard mode asks of the guess (`games/guessing.py`), `FREE` in all other games.
    """

    state: Indices
    guess: int
    parent: int
    answer: int
    demand: int


@checked
@dataclass(frozen=True, eq=False)
class Tree:
    """A pure oracle that is a whole tree.

    Attributes:
        guesses: the guess at every state of two or more secrets, int32 [states]; see above for their order.
        fallback: the oracle for states that the tree never comes to, because somebody else made the guesses before.
            Without one, the guess is that of the first state on the tree's way whose guess splits the possible secrets.
    """

    game: Game
    guesses: NDArray[np.int32]
    fallback: Oracle | None = None

    def __post_init__(self) -> None:
        row = np.asarray(self.guesses)
        if row.ndim != 1 or (row.size and row.dtype.kind not in "iu"):
            raise SettingsError(f"an array of {row.dtype} {list(row.shape)} is no row of guesses: give whole numbers")
        if row.size and not 0 <= int(row.min()) <= int(row.max()) < len(self.game.guesses):
            raise SettingsError(
                f"guesses from {row.min()} to {row.max()} are no tree of {self.game.name}: it has guesses 0 to "
                f"{len(self.game.guesses) - 1}"
            )
        object.__setattr__(self, "guesses", np.ascontiguousarray(row, dtype=np.int32))

    @classmethod
    def with_depths(cls, game: Game, guesses: NDArray[np.int32], depths: NDArray[np.int32]) -> Tree:
        """Return a tree whose depths have been worked out from the same guesses already."""
        tree = cls(game, guesses)
        tree.__dict__["_depths"] = depths
        return tree

    @cached_property
    def _depths(self) -> NDArray[np.int32]:
        from oracular.kernels.trees import replay

        depths, whole = replay(self.game.table, self.game.found, self.guesses)
        if not whole:
            raise self.not_whole
        if not self.game.guessing.is_any:
            self._check_allowed()
        return depths

    def _check_allowed(self) -> None:
        """Raise `SettingsError` where the tree guesses what the game's rule of guessing forbids."""
        from oracular.kernels.guessing import guessing_table
        from oracular.kernels.trees import forbidden_guess

        place = forbidden_guess(self.game.table, self.game.found, guessing_table(self.game), self.guesses)
        if place >= 0:
            word = quoted(self.game.guesses[self.guesses[place]])
            raise SettingsError(f"the tree guesses {word} where {self.game.name} does not allow it")

    @property
    def not_whole(self) -> SettingsError:
        """The error for guesses that are no whole tree of the game."""
        return SettingsError(
            f"{counted(len(self.guesses), 'guess', 'guesses')} make no tree of {self.game.name}: give one a state"
        )

    def depths(self) -> NDArray[np.int32]:
        """Return how many guesses it takes to find each secret [secrets].

        Nothing is believed of the guesses: the result is worked out by playing them, and where they are no whole tree
        of the game that is a `SettingsError`.
        """
        return self._depths

    def guess(self, possible: Indices, demand: int = FREE) -> int:
        """Return the guess at a state of one or more possible secrets, and in hard mode a demand."""
        from oracular.kernels.trees import guess_at

        if len(possible) == 1:
            return int(self.game.guess_of_secret[possible[0]])
        state = np.ascontiguousarray(possible, dtype=np.int32)
        guess, size = guess_at(self.game.table, self.game.found, self.guesses, state)
        if size == 0:
            raise self.not_whole
        allowed = self.game.allows(int(guess), possible, demand)  # not always, where other guesses led here
        if (size > len(state) or not allowed) and self.fallback is not None:
            return ask(self.fallback, possible, demand)
        return int(guess) if allowed else int(self.game.guess_of_secret[possible[0]])

    def visits(self) -> Iterator[Visit]:
        """Yield the states that the tree comes to, those of one secret included, in the order of its guesses."""
        self.depths()  # an error where it is no whole tree
        guesses = iter(self.guesses.tolist())

        def choose(state: Indices, parent: int, answer: int, demand: int) -> int:
            return next(guesses) if len(state) > 1 else int(self.game.guess_of_secret[state[0]])

        return walk(self.game, choose)

    def to_list(self) -> list[int]:
        """Return whole numbers that `from_list` takes back: of each node its guess, its parent, the answer between.

        Every node comes after its parent, and the last answer's node is the first to follow.
        """
        return self._nodes.tolist()

    @cached_property
    def _nodes(self) -> NDArray[np.int32]:
        """What `to_list` returns, kept since solvers write all of their trees again and again."""
        visits = list(self.visits())
        children: list[list[int]] = [[] for _ in visits]
        for number, visit in enumerate(visits[1:], start=1):
            children[visit.parent].append(number)
        numbers: list[int] = []
        pending = [(0, -1)]
        while pending:
            number, parent = pending.pop()
            node = len(numbers) // 3
            numbers += [visits[number].guess, parent, visits[number].answer]
            pending += [(child, node) for child in children[number]]
        return np.array(numbers, dtype=np.int32)

    @property
    def written(self) -> bool:
        """Whether `to_list` has been called before: then it takes no time."""
        return "_nodes" in vars(self)

    @staticmethod
    def from_list(game: Game, numbers: object) -> Tree:
        """Return the tree that `to_list` wrote, its nodes in any order that has every parent before its children.

        The numbers may come from a file: what is not a whole tree of the game is a `SettingsError`.
        """
        if not isinstance(numbers, list) or len(numbers) % 3 or not all(type(number) is int for number in numbers):
            raise SettingsError("a tree is three whole numbers a node: give what to_list returned")
        nodes = list(zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True))
        node_after = {(parent, answer): node for node, (_, parent, answer) in enumerate(nodes[1:], start=1)}
        if (
            not all(0 <= guess < len(game.guesses) and 0 <= answer <= 255 for guess, _, answer in nodes)
            or not all((0 if node else -1) <= parent < node for node, (_, parent, _) in enumerate(nodes))
            or len(node_after) != len(nodes) - 1
        ):
            raise SettingsError(
                "a node of a tree has a guess, a parent or an answer that there is not, or that is taken: give what "
                "to_list returned"
            )
        visited: list[int] = []

        def choose(state: Indices, parent: int, answer: int, demand: int) -> int:
            node = 0 if parent < 0 else node_after.get((visited[parent], answer))
            if node is None:
                raise SettingsError(f"the tree does not find secret {int(state[0])}: give what to_list returned")
            visited.append(node)
            return int(nodes[node][0])

        guesses = [visit.guess for visit in walk(game, choose) if len(visit.state) > 1]
        if len(visited) != len(nodes):
            raise SettingsError("a tree has nodes that no secret leads to: give what to_list returned")
        return Tree(game, np.array(guesses, dtype=np.int32))


def walk(game: Game, choose: Callable[[Indices, int, int, int], int]) -> Iterator[Visit]:
    """Yield the states that a guesser comes to, a state before what follows from it, parts in the order of answers.

    At a state, which is named by its secrets, the visit before it, the answer to that and its demand, a guess is
    chosen. One that eliminates nothing is a `SettingsError`, since the walk would never end.
    """
    pending: list[tuple[Indices, int, int, int]] = [(game.all_secrets, -1, 0, FREE)]
    after = game.guessing.demand_after
    number = 0
    while pending:
        state, parent, answer, demand = pending.pop()
        guess = choose(state, parent, answer, demand)
        yield Visit(state, guess, parent, answer, demand)
        replies = game.table[guess][state]
        answers = np.unique(replies)
        if len(answers) == 1 and answers[0] != game.found:
            raise SettingsError(f"the tree guesses {quoted(game.guesses[guess])} where it eliminates nothing: mend it")
        parts = [int(a) for a in answers[::-1] if a != game.found]
        pending += [(state[replies == a], number, a, after(demand, guess, a)) for a in parts]
        number += 1


def tree_by(game: Game, choose: Callable[[Indices, int], int]) -> Tree:
    """Return the tree that guesses, at every state of two or more secrets with its demand, what is chosen there."""

    def guess_at(state: Indices, parent: int, answer: int, demand: int) -> int:
        return choose(state, demand) if len(state) > 1 else int(game.guess_of_secret[state[0]])

    guesses = [visit.guess for visit in walk(game, guess_at) if len(visit.state) > 1]
    return Tree(game, np.array(guesses, dtype=np.int32))


def with_guesses(tree: Tree, others: Iterable[Mapping[bytes, int]]) -> Tree:
    """Return a tree that makes other guesses at some states, and from there on what the others say.

    A state is named by its secrets: sorted, int32, as bytes. No two states of one tree have the same.
    """
    better = {name: guess for some in others for name, guess in some.items()}
    if not better:
        return tree

    def choose(state: Indices, demand: int) -> int:
        known = better.get(np.asarray(state, np.int32).tobytes())
        return tree.guess(state, demand) if known is None else known

    return tree_by(tree.game, choose)


def tree_of(oracle: Oracle) -> Tree:
    """Return an oracle's play written out as a tree."""
    return (
        oracle if isinstance(oracle, Tree) else tree_by(oracle.game, lambda state, demand: ask(oracle, state, demand))
    )
