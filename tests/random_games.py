"""Random small games for property tests: any table of answers in which each secret has its one finding guess."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from oracular import Game
from oracular.costs import Costs
from oracular.planner.planner import Planner
from oracular.settings import PLANNER


@dataclass(frozen=True, eq=False)
class TableRules:
    table: np.ndarray

    def answers(self, guesses: np.ndarray, secrets: np.ndarray) -> np.ndarray:
        return self.table[np.ix_(guesses, secrets)]


@dataclass(frozen=True, eq=False)
class LetterRules(TableRules):
    tokens: np.ndarray

    def refusal(self, word: str) -> str:
        return "is no guess"


def game_of_table(table: list[list[int]], answers: int, found: int, tokens: list[list[int]] | None = None) -> Game:
    """Return the game with this table [guesses, secrets]; guess g finds the secret in whose column `found` stands.

    If an answer is how many tokens (letters) are in common, the tokens of each guess can be given.
    """
    array = np.array(table, dtype=np.uint8)
    finders = [int(np.flatnonzero(array[:, secret] == found)[0]) for secret in range(array.shape[1])]
    guesses = tuple(f"g{number}" for number in range(len(table)))
    return Game(
        name="random",
        secrets=tuple(guesses[finder] for finder in finders),
        guesses=guesses,
        labels=tuple(str(answer) for answer in range(answers)),
        found=found,
        rules=TableRules(array) if tokens is None else LetterRules(array, np.array(tokens, np.uint16)),
    )


@st.composite
def random_games(draw: st.DrawFn, most_secrets: int = 9) -> Game:
    """Draw a game: some secrets, perhaps guesses that are no secrets, two to six answers."""
    secrets = draw(st.integers(1, most_secrets))
    guesses = secrets + draw(st.integers(0, 4))
    answers = draw(st.integers(2, 6))
    found = draw(st.integers(0, answers - 1))
    others = [answer for answer in range(answers) if answer != found]
    table = [[draw(st.sampled_from(others)) for _ in range(secrets)] for _ in range(guesses)]
    finders = draw(st.permutations(range(guesses)))[:secrets]
    for secret, finder in enumerate(sorted(finders)):
        table[finder][secret] = found
    return game_of_table(table, answers, found)


@st.composite
def letter_games(draw: st.DrawFn, most_words: int = 24) -> Game:
    """Draw a game of words of two to four letters, perhaps with anagrams: an answer is how many letters are in common.

    The words that may be hidden are some of them, in another order.
    """
    letters = draw(st.integers(2, 4))
    alphabet = draw(st.integers(letters + 2, 9))
    sets = st.sets(st.integers(0, alphabet - 1), min_size=letters, max_size=letters).map(sorted)
    words = draw(st.lists(sets, min_size=3, max_size=most_words, unique_by=draw(st.sampled_from((tuple, None)))))
    hidden = draw(st.permutations(range(len(words))))[: draw(st.integers(3, len(words)))]
    found = letters + (len({tuple(word) for word in words}) < len(words))
    table = [
        [found if guess == secret else len(set(words[guess]) & set(words[secret])) for secret in hidden]
        for guess in range(len(words))
    ]
    return game_of_table(table, found + 1, found, words)


def weights_for(game: Game) -> st.SearchStrategy[np.ndarray]:
    """Draw whole-number weights, zeros among them, small ones so that ties are many."""
    return st.lists(st.integers(0, 3), min_size=len(game.secrets), max_size=len(game.secrets)).map(
        lambda weights: np.array(weights if any(weights) else [1] * len(weights), dtype=np.int64)
    )


def table_costs(table: np.ndarray) -> Costs:
    """Return the costs of a table of what finding each secret at guess 1, 2, … costs [secrets, guesses]."""
    return Costs.of_table(table, np.ones(len(table), np.int64))


def assert_restorable(planner: Planner) -> None:
    """See that restoring a planner's states and guesses gives the graph that it has."""
    again = Planner(planner.game, **{setting.name: getattr(planner, setting.name) for setting in PLANNER})
    again.restore(planner.as_arrays())
    nodes, edges, children = planner.graph.counters[:3].tolist()
    lengths = {"counters": 8, "node_name": nodes, "node_begin": nodes, "node_kind": nodes, "node_edge": nodes}
    lengths |= {"edge_found": edges, "edge_next": edges, "edge_begin": edges + 1, "child": children}
    for name, length in lengths.items():
        assert np.array_equal(getattr(planner.graph, name)[:length], getattr(again.graph, name)[:length]), name
