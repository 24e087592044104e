"""Bounds of states, worked out on a GPU by `search.cu`, thousands of states at a time.

Each launch of the kernel works on what is in the queue, for a fraction of a second. What is finished by then is handed
out, and the next launch begins before it is looked at, so that the device is never idle for long. Searches that are not
finished stay where they are, on the device, and go on with the next launch. Each block of threads has memos of its own,
as large as the free memory allows; what is in them changes no bound.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.bounds.batches import Bounds, Tasks
from oracular.bounds.letters import LetterBoard
from oracular.system.device import compiled, device_errors, has_ended, open_device

SOURCE = Path(__file__).with_name("search.cu")

MOST_PLIES = 24
"""A state is searched to no more guesses than this: each level of the search takes some memory."""

TASKS_AT_A_TIME = 1 << 16
"""No more tasks than this are handed to the device at a time."""

SECONDS = 0.2
"""About how long a launch takes while there is enough to do."""

FIRST_WORK, MOST_WORK = 1 << 21, 1 << 40
"""How much work a block may do in the first launch, and in any; in between it follows from how long they take."""

SLOTS = 1 << 19
"""The most states that each of a block's two memos holds."""

SECRETS_A_SLOT = 16
"""Room in a memo for so many secrets a state, on average."""

MEMO_SHARE = 0.6
"""The part of the free memory that memos may take."""

ENTRY_BYTES = 24
SAVED_HEAD = 2


@dataclass(frozen=True)
class Shape:
    """The constants that the kernel is compiled with; a board of fewer guesses, letters or answers fits too.

    Attributes:
        threads: of a block, a multiple of 32.
        each: guesses that each thread scores, in its registers.
        letters: tokens of a guess.
        answers: those that do not end the game.
        blocks: that each multiprocessor is to hold at least, which limits the registers of a thread.
    """

    threads: int
    each: int
    letters: int
    answers: int
    blocks: int

    @classmethod
    def of(cls, board: LetterBoard) -> Shape:
        """Return the constants for a board: no more guesses to a thread than its registers can hold."""
        threads = 128
        while threads < 1024 and len(board.tokens) > 24 * threads:
            threads *= 2
        each = -(-len(board.tokens) // threads)
        return cls(threads, each, board.letters, max(2, board.count), (512 if each > 8 else 1024) // threads or 1)

    def fits(self, board: LetterBoard) -> bool:
        """Tell whether a board can be searched with these constants."""
        return len(board.tokens) <= self.guesses and board.letters <= self.letters and board.count <= self.answers

    @property
    def guesses(self) -> int:
        """The guesses of a board, filled up with such as tell nothing apart."""
        return self.threads * self.each

    @property
    def frame_words(self) -> int:
        """The size of what a search knows at one level, in words of 32 bits: `Frame` in the source."""
        return 32 + 6 * self.answers

    def shared_bytes(self, levels: int, secrets: int, stride: int) -> int:
        """Return the shared memory that a block needs beside a few words."""
        return 4 * (levels * self.frame_words + self.guesses // 32 + (secrets + 31) // 32 * stride)


class DeviceEvaluator:
    """Answers what states of a board cost at least, by the GPU; it is an `Evaluator`.

    Raises `DeviceError` where there is no GPU to be used, and whenever it fails.
    """

    most_plies = MOST_PLIES

    def __init__(self, board: LetterBoard, shape: Shape | None = None) -> None:
        self.shape = shape or Shape.of(board)
        assert self.shape.fits(board)
        self._cupy = cupy = open_device()
        with device_errors():
            properties = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.runtime.getDevice())
            self._blocks = int(properties["multiProcessorCount"]) * self.shape.blocks
            self._kernel = compiled(
                cupy, SOURCE, "search_states", {k.upper(): v for k, v in asdict(self.shape).items()}
            )
            self._set_game(board)
            self._set_scratch(len(board.finder))
            self._stop_memory = cupy.cuda.alloc_pinned_memory(4)  # which the device reads while the kernel runs
        self._stop = np.frombuffer(self._stop_memory, np.int32, 1)
        self._queue = _nothing_to_do()
        self._on_device = 0
        self._work = FIRST_WORK
        self._launched: _Launch | None = None

    def _set_game(self, board: LetterBoard) -> None:
        """Put the board on the device."""
        stride = int(board.tokens.max()) + 2  # the last token is in no word
        padded = np.full((self.shape.guesses, 8), stride - 1, np.uint8)
        padded[: len(board.tokens), : board.letters] = board.tokens
        answers = np.full((self.shape.guesses, len(board.finder)), 0, np.uint8)
        answers[: len(board.tokens)] = board.answers
        asarray = self._cupy.asarray
        self._game = (
            asarray(padded.view("<u8").ravel()),
            asarray(answers),
            asarray(board.finder),
            np.int32(len(board.finder)),
            np.int32(board.letters),
            np.int32(stride),
        )
        self._shared = self.shape.shared_bytes(MOST_PLIES, len(board.finder), stride)
        if self._shared > 48 << 10:
            self._kernel.max_dynamic_shared_size_bytes = self._shared

    def _set_scratch(self, secrets: int) -> None:
        """Make room on the device for what each block works on, and for its memos in part of what is left then."""
        zeros, blocks = self._cupy.zeros, self._blocks
        lists = zeros((blocks, MOST_PLIES, secrets), np.uint16)
        scores = zeros((blocks, MOST_PLIES, self.shape.guesses), np.uint16)
        saved = zeros((blocks, SAVED_HEAD + MOST_PLIES * self.shape.frame_words), np.int32)
        free = int(self._cupy.cuda.runtime.memGetInfo()[0])
        room = int(MEMO_SHARE * free) // (2 * blocks * (ENTRY_BYTES + 2 * SECRETS_A_SLOT))
        slots = 1 << max(4, min(SLOTS, room).bit_length() - 1)
        pool = slots * SECRETS_A_SLOT
        entries = zeros((blocks, 2, slots, ENTRY_BYTES), np.uint8)
        pools, written = zeros((blocks, 2, pool), np.uint16), zeros((blocks, 2), np.uint64)
        self._saved = saved
        self._scratch = (
            *(np.int32(MOST_PLIES), np.int32(secrets), lists, scores, saved),
            *(entries, pools, written, np.int32(slots), np.int32(pool)),
        )

    def add(self, tasks: Tasks) -> None:
        """Take tasks into the queue."""
        self._queue = _joined(self._queue, tasks)

    def take(self, timeout: float) -> Bounds:
        """Return what was found since the last call, waiting up to `timeout` seconds where that is nothing."""
        cupy, until = self._cupy, time.monotonic() + timeout
        with device_errors():
            if self._launched is None:
                self._launch()
            while self._launched is not None and not has_ended(cupy, self._launched.ended):
                if time.monotonic() >= until:
                    return _nothing_found()
                time.sleep(0.0005)
            found = self._collect()
            self._launch()  # so that the device works while the caller looks at what was found
        return found

    def forget(self) -> None:
        """Drop all tasks, those being worked on too; what the memos hold is kept."""
        with device_errors():
            if self._launched is not None:
                self._stop[0] = 1
                self._launched.ended.synchronize()
            self._launched = None
            self._queue, self._on_device = _nothing_to_do(), 0
            self._saved.set(np.zeros(self._saved.shape, np.int32))

    def _launch(self) -> None:
        """Begin to work on the queue and on what was not finished before, if there is any of it."""
        if not len(self._queue) and not self._on_device:
            return
        cupy, tasks = self._cupy, _first(self._queue, TASKS_AT_A_TIME)
        self._stop[0] = 0
        arrays = [tasks.members, tasks.ends, tasks.plies, tasks.targets, tasks.tickets]
        on_device = [cupy.asarray(array) for array in arrays]
        counters = cupy.zeros(2, np.int32)
        finished = cupy.empty((len(tasks) + self._blocks, 2), np.int32)
        launch = _Launch(len(tasks), counters, finished, on_device, cupy.cuda.Event(), cupy.cuda.Event())
        launch.began.record()
        self._kernel(
            (self._blocks,),
            (self.shape.threads,),
            (
                *(*self._game, *on_device, np.int32(len(tasks)), counters, finished, *self._scratch),
                *(np.int64(self._work), np.uint64(self._stop_memory.ptr)),
            ),
            shared_mem=self._shared,
        )
        launch.ended.record()
        self._launched = launch

    def _collect(self) -> Bounds:
        """Return what the launch that has ended found; what it did not begin with stays in the queue."""
        launch = self._launched
        if launch is None:
            return _nothing_found()
        self._launched = None
        begun, done = launch.counters.get().tolist()
        begun = min(begun, launch.tasks)
        found = launch.finished[:done].get()
        self._queue = _without(self._queue, begun)
        self._on_device += begun - done
        seconds = float(self._cupy.cuda.get_elapsed_time(launch.began, launch.ended)) / 1000
        if self._on_device:  # it was cut off
            self._work = int(min(MOST_WORK, max(1.0, self._work * min(2.0, max(0.5, SECONDS / max(seconds, 1e-6))))))
        return Bounds(found[:, 0], found[:, 1] >> 1, (found[:, 1] & 1).astype(np.bool_))


@dataclass(frozen=True, eq=False)
class _Launch:
    """A launch of the kernel: its arrays on the device, which must outlive it, and events at its two ends."""

    tasks: int
    counters: Any
    finished: Any
    arrays: list[Any]
    began: Any
    ended: Any


def _nothing_to_do() -> Tasks:
    no_numbers: NDArray[np.int32] = np.zeros(0, np.int32)
    return Tasks(no_numbers, np.zeros(0, np.uint16), np.zeros(1, np.int64), no_numbers, no_numbers)


def _nothing_found() -> Bounds:
    return Bounds(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.bool_))


def _joined(one: Tasks, other: Tasks) -> Tasks:
    """Return some tasks and behind them others."""
    return Tasks(
        np.concatenate((one.tickets, other.tickets)),
        np.concatenate((one.members, other.members)),
        np.concatenate((one.ends, other.ends[1:] + one.ends[-1])),
        np.concatenate((one.plies, other.plies)),
        np.concatenate((one.targets, other.targets)),
    )


def _first(tasks: Tasks, count: int) -> Tasks:
    """Return the first so many tasks, or all of them if there are fewer."""
    ends = tasks.ends[: count + 1]
    return Tasks(tasks.tickets[:count], tasks.members[: ends[-1]], ends, tasks.plies[:count], tasks.targets[:count])


def _without(tasks: Tasks, count: int) -> Tasks:
    """Return the tasks behind the first so many."""
    ends = tasks.ends[count:]
    members = tasks.members[ends[0] :]
    return Tasks(tasks.tickets[count:], members, ends - ends[0], tasks.plies[count:], tasks.targets[count:])
