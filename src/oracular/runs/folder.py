"""A run on disk: a folder that holds a solution in the making.

    manifest.json    what is solved: the game, the hashes of its words and answers, the solver and its settings
    words.txt        the words, where they are the user's own (or secrets.txt and guesses.txt)
    objective.json   the utilities, where the objective is a table of them
    history.jsonl    a line a step: what the solver did (which secrets tied, say) and the figures of that iteration
    arrays-N.npz     the larger part of the solver's state, where it has one, as of the last checkpoints
    checkpoint.json  the solver's state, and the committed length and checksum of each other file
    certificate.json what proves the value of the game, where the solver has proved it

A folder appears whole, with an empty history and a first checkpoint. A line is appended at every step. About once a
second (once a minute where there are arrays to write) the history is flushed to disk and the checkpoint is replaced by
a new one, at once. A kill at any moment therefore loses no more than that: bytes beyond the committed length are
dropped at a resume, and the solver goes on from the checkpoint to the same bits as if it had never stopped. A file
that is shorter than was committed, or whose checksum differs, is an error that names it.

Any number of processes may read a run while one writes it (`writer.py`). What is in the files is checked in
`layout.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from oracular.errors import OracularError, RunError, UnknownGameError
from oracular.games.game import Game
from oracular.games.names import game as game_of_name
from oracular.games.names import present_name
from oracular.games.wordle import commonest
from oracular.games.words import checked_words
from oracular.objectives import Objective, mean, objective_of_data, parse_table
from oracular.problem import FullProblem
from oracular.runs import layout
from oracular.runs.history import KeptHistory
from oracular.runs.layout import (
    CERTIFICATE,
    CHECKPOINT,
    FORMAT,
    HISTORY,
    MANIFEST,
    OBJECTIVE,
    TABLE,
    Checkpoint,
    Promise,
    is_arrays,
    list_file,
    named_objective,
    objective_files,
)
from oracular.solvers.solver import Solver
from oracular.system import files
from oracular.system.control import NEVER, Deadline
from oracular.system.files import quoted
from oracular.system.memory import available_memory

REMEDY = "restore it from a copy, or solve again in another folder"

LARGE = 1 << 28
"""A file of more bytes than this is read only where there is memory for it."""


@dataclass(frozen=True)
class Run:
    """A run as its last checkpoint vouches for it; all files have been verified.

    Attributes:
        arrays: the larger part of it, by name.
        history: the records up to that state; those of a long history are read when they are asked for.
        lists: the user's own word lists by name.
        promises: of each file its committed length and checksum.
        table: the file of the utilities, where the objective is a table of them.
    """

    folder: Path
    manifest: dict[str, Any]
    solver: dict[str, Any] | None
    arrays: dict[str, NDArray[Any]]
    history: KeptHistory
    seconds: float
    stopped: str | None
    lists: dict[str, tuple[str, ...]]
    promises: dict[str, Promise]
    table: bytes | None = None

    @classmethod
    def open(
        cls, folder: Path, command: str = "solve", deadline: Deadline = NEVER, *, with_history: bool = True
    ) -> Run:
        """Return the run in a folder, or say what is wrong with it and with which command one is made.

        Raises `DeadlinePassed` where its history is too long to be verified in time. Without its history the run only
        says what is solved and how.
        """
        if not is_run(folder):
            raise RunError(f"{quoted(folder)} holds no run: make one with 'oracular {command} GAME --out DIR'")
        return cls.of(folder, *_state(folder, deadline, with_history))

    @classmethod
    def of(cls, folder: Path, contents: Mapping[str, bytes], history: KeptHistory | None = None) -> Run:
        """Return the run that these files are, verified as they are; the folder is for the sentences.

        The history is among them unless it is given; without one the run only says what is solved and how.
        """
        last = _checkpoint_of(folder, contents[CHECKPOINT])
        with _naming(folder / MANIFEST):
            manifest, its_format = layout.read_format(contents[MANIFEST])
            if its_format != FORMAT:
                raise RunError(f"the run in {quoted(folder)} is of format {its_format}: this version reads {FORMAT}")
            layout.check_manifest(manifest)
        own = {list_file(name): name for name in manifest["own_lists"]}
        with _naming(folder / CHECKPOINT):
            expected = {MANIFEST, HISTORY, *own, *objective_files(manifest)}
            if {name for name in last.files if not is_arrays(name)} != expected:
                raise ValueError("its files are not those of the manifest")
        with _naming(folder / HISTORY):
            if history is None and HISTORY in contents:
                history = KeptHistory.of(folder / HISTORY, contents[HISTORY])
            if history is not None:
                history.figures = layout.figures_of(manifest["solver"])
                history.check()
                if bool(history) != (last.solver is not None):
                    raise ValueError("it is not the history of the checkpoint")
        lists, arrays = {}, {}
        for name, data in contents.items():
            with _naming(folder / name):
                if name in own:
                    lists[own[name]] = checked_words(data.decode("utf-8").split("\n"), "the list")
                elif is_arrays(name):
                    arrays = layout.read_arrays(data)
        if history is None:
            history = KeptHistory(folder / HISTORY)
        state = last.solver, arrays, history, last.seconds, last.stopped
        table = contents[OBJECTIVE] if objective_files(manifest) else None
        return cls(folder, manifest, *state, lists, last.files, table)

    @cached_property
    def game_name(self) -> str:
        """The name of the run's game, as it is today."""
        return present_name(self.manifest["game"], self.manifest["words_sha256"], self.lists)

    def game(self) -> Game:
        """Return the game that the run solves, with the words it was begun with."""
        if "problem" in self.manifest:
            raise RunError(
                f"{quoted(self.folder)} is a run of a problem of one's own, {quoted(self.manifest['problem'])}: "
                "open it from Python with that problem, oracular.load_run(folder, problem)"
            )
        try:
            game = game_of_name(self.game_name, **self.lists)
            if self.lists.keys() == {"guesses"} and game.words_sha256 != self.manifest["words_sha256"]:
                secrets = commonest(self.lists["guesses"])  # earlier versions took them from a list of guesses alone
                return game_of_name(self.game_name, secrets=secrets, guesses=self.lists["guesses"])
            return game
        except UnknownGameError:
            raise RunError(
                f"{quoted(self.folder)} is a run of a game of one's own, {quoted(self.manifest['game'])}: "
                "open it from Python with that game, oracular.load_run(folder, game)"
            ) from None

    def objective(self, game: Game) -> Objective:
        """Return the objective of the run, which is one of this game."""
        with _naming(self.folder / (OBJECTIVE if self.table is not None else MANIFEST)):
            name = self.manifest.get("objective")
            return (
                mean()
                if name is None
                else objective_of_data(parse_table(self.table) if self.table is not None else name, game)
            )

    def check_objective(self, objective: Objective, game: Game) -> None:
        """Raise an error unless the run, which is one of this game, has this objective."""
        theirs = self.objective(game)
        if theirs.identity != objective.identity:
            how = f"the objective {named_objective(theirs)}, not {named_objective(objective)}"
            if theirs.name == objective.name == TABLE:
                how = "another table of utilities"
            raise RunError(f"{quoted(self.folder)} was begun with {how}: give the same, or choose another folder")

    def check_problem(self, problem: FullProblem) -> None:
        """Raise an error unless the run is one of this problem."""
        if problem.game is not None and problem.is_usual_for(self.manifest["solver"]):
            self.check_game(problem.game)
        elif self.manifest.get("problem") != problem.identity:
            raise RunError(f"{quoted(self.folder)} is no run of {quoted(problem.identity)}: choose another folder")

    def check_game(self, game: Game) -> None:
        """Raise an error unless the run is one of this game and word list."""
        if "problem" in self.manifest:
            raise RunError(f"{quoted(self.folder)} is a run of no guessing game: choose another folder")
        if game.name != self.game_name:
            raise RunError(
                f"{quoted(self.folder)} is a run of {quoted(self.game_name)[1:-1]}, not of {game.name}: "
                "choose another folder"
            )
        if game.words_sha256 != self.manifest["words_sha256"]:
            raise RunError(
                f"{quoted(self.folder)} is a run with another word list: give that list, or choose another folder"
            )
        if game.answers_sha256 != self.manifest["answers_sha256"]:
            raise RunError(f"{quoted(self.folder)} is a run of a game with other answers: choose another folder")
        if game.untold_rule != self.manifest.get("guessing", ""):
            raise RunError(
                f"{quoted(self.folder)} is a run of a game with another rule of guessing: choose another folder"
            )

    def check_settings(self, solver: str, settings: dict[str, Any]) -> None:
        """Raise an error unless the run has this solver and these settings."""
        theirs = {"solver": self.manifest["solver"], **self.manifest["settings"]}
        for key, value in {"solver": solver, **settings}.items():
            if theirs.get(key) != value:
                raise RunError(
                    f"{quoted(self.folder)} was begun with {key} {quoted(theirs.get(key))}, not {quoted(value)}: "
                    "give the same, or choose another folder"
                )

    def restore(self, solver: Solver, deadline: Deadline = NEVER) -> None:
        """Give the state that is kept to a solver of the run's game and settings, or say that it is none of it."""
        assert self.solver is not None
        try:
            solver.restore(self.solver, self.arrays, self.history, deadline)
        except OracularError:
            raise
        except ValueError as error:
            raise RunError(
                f"the run in {quoted(self.folder)} holds no state of {solver.name} in its checkpoint and history "
                f"({error}): {REMEDY}"
            ) from None


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the files of a run by name, verified: those that its checkpoint vouches for, and its certificate.

    Whatever else is in the folder (bounds that were proved of the run, a user's notes) is no part of its state.
    """
    contents, history = _state(folder)
    run = Run.of(folder, contents, history)  # says what is wrong with it
    contents[HISTORY] = verified(folder / HISTORY, run.promises[HISTORY])
    if files.is_file(folder / CERTIFICATE):
        contents[CERTIFICATE] = _read(folder / CERTIFICATE, files.MOST_BYTES)
    return contents


def is_run(folder: Path) -> bool:
    """Tell whether the folder holds a run, be it damaged."""
    return files.is_file(folder / MANIFEST) or files.is_file(folder / CHECKPOINT)


def _state(
    folder: Path, deadline: Deadline = NEVER, with_history: bool = True
) -> tuple[dict[str, bytes], KeptHistory | None]:
    """Return the files of a run by name as one checkpoint vouches for them, and its history, all verified.

    A writer may replace that checkpoint meanwhile, and later remove what it vouches for; then the next one is read.
    """
    data = _read(folder / CHECKPOINT, layout.MOST_OF_CHECKPOINT)
    for _ in range(files.MOST_ATTEMPTS):
        try:
            promises = dict(_checkpoint_of(folder, data).files)
            promised = promises.pop(HISTORY)
            contents = {name: verified(folder / name, kept) for name, kept in promises.items()}
            history = _history(folder / HISTORY, promised, deadline) if with_history else None
            return {**contents, CHECKPOINT: data}, history
        except RunError:
            before, data = data, _read(folder / CHECKPOINT, layout.MOST_OF_CHECKPOINT)
            if data == before:
                raise
    raise RunError(f"the run in {quoted(folder)} is written faster than it can be read: try again later")


def _history(path: Path, promised: Promise, deadline: Deadline) -> KeptHistory:
    """Return a history as it was committed, or say that it is not what the checkpoint promises."""
    try:
        history = KeptHistory.read(path, promised["length"], deadline)
    except OSError as error:
        raise unreadable(path, error) from None
    except ValueError as error:
        raise damaged(path, f" ({error})") from None
    if history.length < promised["length"]:
        raise RunError(f"{quoted(path)} is truncated: {REMEDY}")
    if history.promise != promised:
        raise damaged(path)
    return history


def _checkpoint_of(folder: Path, data: bytes) -> Checkpoint:
    """Return what the bytes of a checkpoint say."""
    with _naming(folder / CHECKPOINT):
        return layout.read_checkpoint(data)


def _read(path: Path, most: int) -> bytes:
    """Return the content of one of a run's files."""
    try:
        return files.read_bytes(path, most)
    except OSError as error:
        raise unreadable(path, error) from None


def verified(path: Path, promised: Promise) -> bytes:
    """Return the committed bytes of a file, or say that they are not what the checkpoint promises."""
    length = promised["length"]
    if length > LARGE and length > available_memory():
        raise RunError(
            f"{quoted(path)} has {length:,} bytes, more than there is memory for: open it on a larger machine"
        )
    try:
        data = files.read_beginning(path, length + 1)
    except OSError as error:
        raise unreadable(path, error) from None
    if len(data) < length:
        raise RunError(f"{quoted(path)} is truncated: {REMEDY}")
    committed = data[:length] if path.name == HISTORY else data  # only the history may go on
    if layout.promise(committed) != promised:
        raise damaged(path)
    return committed


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Turn what is wrong in a file's content into a sentence that names the file."""
    try:
        yield
    except RunError:
        raise
    except ValueError as error:
        raise damaged(path, f" ({error})") from None


def unreadable(path: Path, error: OSError) -> RunError:
    """Return the error for a file that cannot be read."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return damaged(path)
    return RunError(f"{quoted(path)} cannot be read ({error.strerror}): {REMEDY}")


def damaged(path: Path, why: str = "") -> RunError:
    """Return the error for a file that is not what it was when it was written."""
    return RunError(f"{quoted(path)} is missing, damaged or was edited{why}: {REMEDY}")
