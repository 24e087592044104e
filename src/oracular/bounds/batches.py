"""Lower bounds of many openings at a time, by questions about states that are answered in large batches.

The bounds are those of `UniformSearch`. Here second guesses are tried many at a time (`expansion.py`), and an
*evaluator* is asked for bounds of the states after two guesses: a GPU, or anything else that can work on thousands of
them at once. Each opening is a coroutine that waits for the answers to its questions; while some wait, others go on, so
that the evaluator always has enough to do.

A state that several openings ask about is worked on once, and for a while it is remembered what was answered.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from oracular.bounds.expansion import Answers, Expansion, Questions, Steps
from oracular.bounds.letters import FEW, LetterBoard
from oracular.bounds.parts import TotalBound, ask_parts

ALL_OF_IT = 1 << 30
"""A target that no bound reaches: no more than `MOST_SECRETS` secrets cost less."""

REMEMBERED = 1 << 20
"""So many answers are remembered at least, and twice as many at most."""


AT_A_TIME = 128
"""So many openings are searched at a time, so that there are always thousands of states to work on."""


class Unit(NamedTuple):
    """A unit of work: the bound of an opening to so many plies, two or more, cut at a ceiling."""

    opening: int
    plies: int
    ceiling: int


@dataclass(frozen=True, eq=False)
class Tasks:
    """States to be bounded.

    Attributes:
        tickets: a number for each state, by which its bound comes back, int32 [states].
        members: the secrets of all states, one state behind the other, each in rising order, uint16.
        ends: where the secrets of each state begin, and the last of them end, int64 [states + 1].
        plies: to how many guesses, int32 [states].
        targets: at which each bound is cut, int32 [states].
    """

    tickets: NDArray[np.int32]
    members: NDArray[np.uint16]
    ends: NDArray[np.int64]
    plies: NDArray[np.int32]
    targets: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.tickets)


@dataclass(frozen=True, eq=False)
class Bounds:
    """What was found of states: bounds, cut at their targets, and whether each is the optimum; all by ticket."""

    tickets: NDArray[np.int32]
    totals: NDArray[np.int32]
    exact: NDArray[np.bool_]


class Evaluator(Protocol):
    """Answers what states cost at least, many at a time, in any order."""

    @property
    def most_plies(self) -> int:
        """To how many guesses it can search at most."""

    def add(self, tasks: Tasks) -> None:
        """Take tasks into the queue; their states have three secrets or more."""

    def take(self, timeout: float) -> Bounds:
        """Return what was found since the last call, waiting up to `timeout` seconds where that is nothing."""


@dataclass(eq=False)
class _Search:
    """An opening being searched: its coroutine, the answers to its questions so far, and how many are missing."""

    unit: Unit
    steps: Steps
    answers: Answers | None = None
    missing: int = 0

    def answer(self, place: int, target: int, known: _Known) -> bool:
        """Fill in the answer to one question from what is known of the state, and tell whether that is enough."""
        assert self.answers is not None
        if known.total < target and not known.whole:
            return False
        totals, exact = self.answers
        totals[place] = min(target, known.total)
        exact[place] = known.exact and known.total < target
        return True


class _Known(NamedTuple):
    """A bound of a state to so many guesses, whether it is the whole bound, and whether it is the optimum."""

    total: int
    whole: bool
    exact: bool


class _Waiting(NamedTuple):
    """Who waits for the bound of a state: the place in a search's answers, and the target asked for there."""

    search: _Search
    place: int
    target: int


class _Asked(NamedTuple):
    """A state that the evaluator works on, to so many guesses and for this target."""

    plies: int
    key: bytes
    target: int
    waiting: list[_Waiting]


def opening_steps(board: LetterBoard, unit: Unit) -> Steps:
    """Search for the bound of an opening."""
    row = board.answers[unit.opening]
    states = [np.flatnonzero(row == answer).astype(np.int32) for answer in range(board.count)]
    states.sort(key=len, reverse=True)
    expansions = [Expansion(board, state) for state in states if len(state) > FEW]
    small = [TotalBound(len(state) * (len(state) + 1) // 2, True) for state in states if len(state) <= FEW]
    parts = ask_parts([*(part.first for part in expansions), *small], len(row), unit.plies, unit.ceiling)
    try:
        asked = next(parts)
        while True:
            asked = parts.send((yield from expansions[asked.part].search(asked.plies, asked.target)))
    except StopIteration as end:
        return end.value


class BatchSearch:
    """Searches openings, some at a time, with an evaluator.

    Add units with `begin`, and ask for results with `finished` while there are any left.
    """

    def __init__(self, board: LetterBoard, evaluator: Evaluator) -> None:
        self.board = board
        self._evaluator = evaluator
        self._ready: list[_Search] = []
        self._running = 0
        self._asked: dict[int, _Asked] = {}
        self._tickets: dict[tuple[int, bytes], int] = {}
        self._next_ticket = 0
        self._known: dict[tuple[int, bytes], _Known] = {}
        self._known_before: dict[tuple[int, bytes], _Known] = {}

    def __len__(self) -> int:
        return self._running

    @property
    def most_plies(self) -> int:
        """To how many plies an opening can be searched."""
        return self._evaluator.most_plies + 2

    def begin(self, unit: Unit) -> None:
        """Begin to search an opening."""
        assert unit.plies <= self.most_plies
        cut = unit._replace(ceiling=min(unit.ceiling, ALL_OF_IT))
        self._ready.append(_Search(unit, opening_steps(self.board, cut)))
        self._running += 1

    def finished(self, timeout: float) -> list[tuple[Unit, TotalBound]]:
        """Return what was finished since the last call, after about `timeout` seconds at most."""
        until = time.monotonic() + timeout
        if self._asked:
            self._take(self._evaluator.take(0.0 if self._ready else timeout))
        done: list[tuple[Unit, TotalBound]] = []
        fresh: dict[int, _Asked] = {}
        while self._ready and (not fresh or time.monotonic() < until):
            search = self._ready.pop()
            try:
                questions = next(search.steps) if search.answers is None else search.steps.send(search.answers)
            except StopIteration as stopped:
                self._running -= 1
                done.append((search.unit, stopped.value))
            else:
                self._ask(search, questions, fresh)
        if fresh:
            self._evaluator.add(_tasks_of(fresh))
        return done

    def answers(self, units: Iterable[Unit]) -> dict[Unit, TotalBound]:
        """Return the bounds of units, searched some at a time, in the order of the units."""
        order = list(dict.fromkeys(units))
        waiting, found = deque(order), dict[Unit, TotalBound]()
        while waiting or len(self):
            while waiting and len(self) < AT_A_TIME:
                self.begin(waiting.popleft())
            found |= dict(self.finished(0.1))
        return {unit: found[unit] for unit in order}

    def _ask(self, search: _Search, questions: Questions, fresh: dict[int, _Asked]) -> None:
        """Answer the questions of a search as far as the answers are known; put what is to be asked into `fresh`."""
        members, ends = self.board.after(questions.secrets, questions.guesses, questions.answers)
        places, plies = ends.tolist(), questions.plies
        search.answers = np.zeros(len(ends) - 1, np.int64), np.zeros(len(ends) - 1, np.bool_)
        search.missing = 0
        for place, target in enumerate(questions.targets.tolist()):
            key = plies, members[places[place] : places[place + 1]].tobytes()
            known = self._known.get(key) or self._known_before.get(key)
            if known is not None and search.answer(place, target, known):
                continue
            search.missing += 1
            ticket = self._tickets.get(key)
            if ticket is None or self._asked[ticket].target < target:
                ticket = self._tickets[key] = self._new_ticket()
                self._asked[ticket] = fresh[ticket] = _Asked(*key, target, [])
            self._asked[ticket].waiting.append(_Waiting(search, place, target))
        if not search.missing:
            self._ready.append(search)

    def _new_ticket(self) -> int:
        """Return a number that no state being worked on has."""
        while self._next_ticket in self._asked:
            self._next_ticket = (self._next_ticket + 1) & 0x7FFFFFFF
        return self._next_ticket

    def _take(self, bounds: Bounds) -> None:
        """Take in what the evaluator found: remember it, and answer whoever waits for it."""
        found = zip(bounds.tickets.tolist(), bounds.totals.tolist(), bounds.exact.tolist(), strict=True)
        for ticket, total, exact in found:
            asked = self._asked.pop(ticket)
            key = asked.plies, asked.key
            if self._tickets.get(key) == ticket:
                del self._tickets[key]
            known = _Known(total, exact or total < asked.target, exact)
            self._remember(key, known)
            for waiting in asked.waiting:
                waiting.search.answer(waiting.place, waiting.target, known)
                waiting.search.missing -= 1
                if not waiting.search.missing:
                    self._ready.append(waiting.search)

    def _remember(self, key: tuple[int, bytes], known: _Known) -> None:
        """Remember what was found of a state; the older half is forgotten where there is no room."""
        before = self._known.get(key)
        if before is None or known[:2] >= before[:2]:
            self._known[key] = known
        if len(self._known) >= REMEMBERED:
            self._known, self._known_before = {}, self._known


def _tasks_of(fresh: dict[int, _Asked]) -> Tasks:
    """Return states that are asked about as tasks."""
    sizes = [len(asked.key) // 2 for asked in fresh.values()]
    return Tasks(
        tickets=np.fromiter(fresh, np.int32, len(fresh)),
        members=np.frombuffer(b"".join(asked.key for asked in fresh.values()), np.uint16),
        ends=np.concatenate(([0], np.cumsum(sizes, dtype=np.int64))),
        plies=np.array([asked.plies for asked in fresh.values()], np.int32),
        targets=np.array([asked.target for asked in fresh.values()], np.int32),
    )
