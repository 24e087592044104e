"""A run on disk: a folder that holds a solution in progress.

    manifest.json    what is solved: the game, the hashes of its words and answers, the solver and its settings
    words.txt        the words, if they are the user's own (or secrets.txt and guesses.txt)
    objective.json   the utilities, if the objective is a table of them
    history.jsonl    a line for each step: what the solver did (which secrets tied, say) and the figures of the step
    arrays-N.npz     the larger part of the solver's state, if it has one, as of the last checkpoints
    checkpoint.json  the solver's state, and the committed length and checksum of each other file
    certificate.json what proves the value of the game, once the solver has proved it

A folder appears whole, with an empty history and a first checkpoint. Every step appends a line. About once a second
(once a minute if there are arrays to write) the history is flushed to disk and the checkpoint is replaced by a new one,
at once. So a kill loses no more than that: a resume drops bytes beyond the committed length, and the solver continues
from the checkpoint to the same bits as if it had never stopped. A file that is shorter than was committed, or whose
checksum differs, is an error that names it.

One process writes a run: it holds the locks of the folder and of the history. Any number of processes may read it at
the same time, since a checkpoint never changes what an earlier one promises, and the arrays of the one before stay.
`format.py` checks what is in the files.
"""

from __future__ import annotations

import errno
import json
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NoReturn

from numpy.typing import NDArray

from oracular.errors import OracularError, RunError, UnknownGameError
from oracular.games.game import Game
from oracular.games.names import game as game_of_name
from oracular.games.names import present_name
from oracular.games.wordle import commonest
from oracular.games.words import WordList, checked_words
from oracular.objectives import Objective, mean, objective_of_data, parse_table
from oracular.problem import FullProblem
from oracular.runs.format import (
    CERTIFICATE,
    CERTIFYING,
    CHECKPOINT,
    FORMAT,
    HISTORY,
    MANIFEST,
    MOST_OF_CHECKPOINT,
    OBJECTIVE,
    PICTURE,
    STRATEGIES,
    TABLE,
    Checkpoint,
    History,
    Promise,
    bounds_file,
    check_manifest,
    figures_of,
    is_arrays,
    is_name,
    lines,
    list_file,
    named_objective,
    objective_files,
    promise,
    read_arrays,
    read_checkpoint,
    read_format,
    write_arrays,
    write_checkpoint,
)
from oracular.solvers.solver import Solver
from oracular.system import files
from oracular.system.control import NEVER, Deadline
from oracular.system.files import quoted
from oracular.system.memory import available_memory

_REMEDY = "restore it from a copy, or solve again in another folder"

_LARGE = 1 << 28
"""A file of more bytes than this is read only if there is memory for it."""


@dataclass(frozen=True)
class Run:
    """A run as of its last checkpoint; all files have been verified.

    Attributes:
        solver: the smaller part of the solver's state, or None before the first step.
        arrays: the larger part of it, by name.
        history: the records up to that state; those of a long history are read when they are needed.
        lists: the user's word lists by name.
        promises: the committed length and checksum of each file.
        table: the file of the utilities, if the objective is a table of them.
    """

    folder: Path
    manifest: dict[str, Any]
    solver: dict[str, Any] | None
    arrays: dict[str, NDArray[Any]]
    history: History
    seconds: float
    stopped: str | None
    lists: dict[str, tuple[str, ...]]
    promises: dict[str, Promise]
    table: bytes | None = None

    @classmethod
    def open(
        cls, folder: Path, command: str = "solve", deadline: Deadline = NEVER, *, with_history: bool = True
    ) -> Run:
        """Return the run in a folder; an error says what is wrong with it, or which command makes a run.

        Raises `DeadlinePassed` if its history is too long to be verified in time. Without its history the run only
        says what is solved and how.
        """
        if not is_run(folder):
            raise RunError(f"{quoted(folder)} holds no run: make one with 'oracular {command} GAME --out DIR'")
        return cls.of(folder, *_state(folder, deadline, with_history))

    @classmethod
    def of(cls, folder: Path, contents: Mapping[str, bytes], history: History | None = None) -> Run:
        """Return the run that these files make up, after checking them; the folder is for error messages.

        The history is among them unless it is given; without one the run only says what is solved and how.
        """
        last = _checkpoint_of(folder, contents[CHECKPOINT])
        with _naming(folder / MANIFEST):
            manifest, its_format = read_format(contents[MANIFEST])
            if its_format != FORMAT:
                raise RunError(f"the run in {quoted(folder)} is of format {its_format}: this version reads {FORMAT}")
            check_manifest(manifest)
        own = {list_file(name): name for name in manifest["own_lists"]}
        with _naming(folder / CHECKPOINT):
            expected = {MANIFEST, HISTORY, *own, *objective_files(manifest)}
            if {name for name in last.files if not is_arrays(name)} != expected:
                raise ValueError("its files are not those of the manifest")
        with _naming(folder / HISTORY):
            if history is None and HISTORY in contents:
                history = History.of(contents[HISTORY])
            if history is not None:
                history.figures = figures_of(manifest["solver"])
                history.check()
                if bool(history) != (last.solver is not None):
                    raise ValueError("it is not the history of the checkpoint")
        lists, arrays = {}, {}
        for name, data in contents.items():
            with _naming(folder / name):
                if name in own:
                    lists[own[name]] = checked_words(data.decode("utf-8").split("\n"), "the list")
                elif is_arrays(name):
                    arrays = read_arrays(data)
        if history is None:
            history = History(folder / HISTORY)
        state = last.solver, arrays, history, last.seconds, last.stopped
        table = contents[OBJECTIVE] if objective_files(manifest) else None
        return cls(folder, manifest, *state, lists, last.files, table)

    @cached_property
    def game_name(self) -> str:
        """The present name of the run's game."""
        return present_name(self.manifest["game"], self.manifest["words_sha256"], self.lists)

    def game(self) -> Game:
        """Return the game that the run solves, with the words it began with."""
        if "problem" in self.manifest:
            raise RunError(
                f"{quoted(self.folder)} is a run of a custom problem, {quoted(self.manifest['problem'])}: "
                "open it from Python with that problem, oracular.load_run(folder, problem)"
            )
        try:
            # What was taken once is not sifted again: a game made in Python may have words of other alphabets.
            lists = {key: WordList(words, "", f"the list of {key}", is_file=False) for key, words in self.lists.items()}
            game = game_of_name(self.game_name, **lists)
            if self.lists.keys() == {"guesses"} and game.words_sha256 != self.manifest["words_sha256"]:
                secrets = commonest(self.lists["guesses"])  # earlier versions took them from a list of guesses alone
                return game_of_name(self.game_name, secrets=secrets, guesses=self.lists["guesses"])
            return game
        except UnknownGameError:
            raise RunError(
                f"{quoted(self.folder)} is a run of a custom game, {quoted(self.manifest['game'])}: "
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
            raise RunError(f"{quoted(self.folder)} is not a run of {quoted(problem.identity)}: choose another folder")

    def check_game(self, game: Game) -> None:
        """Raise an error unless the run is one of this game and word list."""
        if "problem" in self.manifest:
            raise RunError(f"{quoted(self.folder)} is not a run of a guessing game: choose another folder")
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
        """Restore a solver of the run's game and settings to the saved state, or raise an error if that is invalid."""
        assert self.solver is not None
        try:
            solver.restore(self.solver, self.arrays, self.history, deadline)
        except OracularError:
            raise
        except ValueError as error:
            raise RunError(
                f"the run in {quoted(self.folder)} has no valid state of {solver.name} in its checkpoint and history "
                f"({error}): {_REMEDY}"
            ) from None


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the files of a run by name, verified: those that its checkpoint names, and its certificate.

    Whatever else is in the folder (bounds that were proved of the run, a user's notes) is not part of its state.
    """
    contents, history = _state(folder)
    run = Run.of(folder, contents, history)  # says what is wrong with it
    contents[HISTORY] = verified(folder / HISTORY, run.promises[HISTORY])
    if files.is_file(folder / CERTIFICATE):
        contents[CERTIFICATE] = _read(folder / CERTIFICATE, files.MOST_BYTES)
    return contents


def is_run(folder: Path) -> bool:
    """Return whether the folder holds a run, even a damaged one."""
    return files.is_file(folder / MANIFEST) or files.is_file(folder / CHECKPOINT)


def _state(
    folder: Path, deadline: Deadline = NEVER, with_history: bool = True
) -> tuple[dict[str, bytes], History | None]:
    """Return the files of a run by name as of one checkpoint, and its history, all verified.

    A writer may replace that checkpoint meanwhile, and later remove what it names; then the next one is read.
    """
    data = _read(folder / CHECKPOINT, MOST_OF_CHECKPOINT)
    for _ in range(files.MOST_ATTEMPTS):
        try:
            promises = dict(_checkpoint_of(folder, data).files)
            promised = promises.pop(HISTORY)
            contents = {name: verified(folder / name, promised_of) for name, promised_of in promises.items()}
            history = _history(folder / HISTORY, promised, deadline) if with_history else None
            return {**contents, CHECKPOINT: data}, history
        except RunError:
            before, data = data, _read(folder / CHECKPOINT, MOST_OF_CHECKPOINT)
            if data == before:
                raise
    raise RunError(f"the run in {quoted(folder)} is written faster than it can be read: try again later")


def _history(path: Path, promised: Promise, deadline: Deadline) -> History:
    """Return a history as it was committed, or raise an error if it is not what the checkpoint promises."""
    try:
        history = History.read(path, promised["length"], deadline)
    except OSError as error:
        raise unreadable(path, error) from None
    except ValueError as error:
        raise damaged(path, f" ({error})") from None
    if history.length < promised["length"]:
        raise RunError(f"{quoted(path)} is truncated: {_REMEDY}")
    if history.promise != promised:
        raise damaged(path)
    return history


def _checkpoint_of(folder: Path, data: bytes) -> Checkpoint:
    """Return what the bytes of a checkpoint say."""
    with _naming(folder / CHECKPOINT):
        return read_checkpoint(data)


def _read(path: Path, most: int) -> bytes:
    """Return the content of one of a run's files."""
    try:
        return files.read_bytes(path, most)
    except OSError as error:
        raise unreadable(path, error) from None


def verified(path: Path, promised: Promise) -> bytes:
    """Return the committed bytes of a file, or raise an error if they are not what the checkpoint promises."""
    length = promised["length"]
    if length > _LARGE and length > available_memory():
        raise RunError(
            f"{quoted(path)} has {length:,} bytes, more than there is memory for: open it on a larger machine"
        )
    try:
        data = files.read_beginning(path, length + 1)
    except OSError as error:
        raise unreadable(path, error) from None
    if len(data) < length:
        raise RunError(f"{quoted(path)} is truncated: {_REMEDY}")
    committed = data[:length] if path.name == HISTORY else data  # only the history may be longer
    if promise(committed) != promised:
        raise damaged(path)
    return committed


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Name the file in errors about its content."""
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
    return RunError(f"{quoted(path)} cannot be read ({error.strerror}): {_REMEDY}")


def damaged(path: Path, why: str = "") -> RunError:
    """Return the error for a file that is not what it was when it was written."""
    return RunError(f"{quoted(path)} is missing, damaged or was edited{why}: {_REMEDY}")


_BESIDE = (bounds_file("uniform"), bounds_file("run"), CERTIFYING, PICTURE, STRATEGIES)
"""Other files in a run's folder: bounds that were proved of it, its picture, measured strategies."""


class RunWriter:
    """Appends steps to a run and commits them; only one process at a time can have one.

    After an error it cannot be used: a new one continues from what is on disk.
    """

    def __init__(self, run: Run, descriptor: int) -> None:
        self.run = run
        self._descriptor = descriptor
        self._begun = False
        self._broken = False
        self._last = run.promises
        self._before_last: Mapping[str, Any] = {}

    @property
    def _fixed(self) -> dict[str, Any]:
        """What is promised of the files that never change."""
        return {name: kept for name, kept in self.run.promises.items() if name != HISTORY and not is_arrays(name)}

    def append(self, records: Sequence[dict[str, Any]]) -> None:
        """Append the records of some steps to the run's history."""
        with self._writing():
            self._add(lines(records))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Raise a `RunError` if something cannot be written; first drop what is beyond the last checkpoint."""
        folder = self.run.folder
        if self._broken:
            raise RunError(f"the run in {quoted(folder)} could not be written before: fix that, then resume it")
        self._broken = True
        try:
            if not self._begun:
                self._check_place()
                files.sweep_temporary(folder, is_name)
                files.cut_off(self._descriptor, self.run.history.length)
                self._begun = True
            yield
        except OSError as error:
            _not_written(folder, error)
        self._broken = False

    def _add(self, data: bytes) -> None:
        """Write to the end of the history."""
        files.write_all(self._descriptor, data)
        self.run.history.add(data)

    def _check_place(self) -> None:
        """Raise an error if the history is no longer the file that is locked and written."""
        path = self.run.folder / HISTORY
        if not files.is_same_file(path, self._descriptor):
            raise RunError(
                f"{quoted(path)} was removed or replaced while the run was being written: put it back, then resume it"
            )

    def commit(
        self, solver: dict[str, Any], arrays: dict[str, NDArray[Any]], seconds: float, stopped: str | None
    ) -> None:
        """Flush all to disk and replace the checkpoint."""
        folder = self.run.folder
        with self._writing():
            self._check_place()
            files.flush(self._descriptor)
            promises = {**self._fixed, HISTORY: self.run.history.promise}
            if arrays:
                data = write_arrays(arrays)
                promised = promise(data)
                name = self._arrays_name(promised)
                if self._last.get(name) != promised:
                    files.write_whole(folder / name, data)
                promises[name] = promised
            self._replace(write_checkpoint(Checkpoint(promises, solver, seconds, stopped)), promises)

    def _arrays_name(self, promised: Promise) -> str:
        """Return a name for arrays that no other saved arrays have: the older ones stay valid."""
        number = self.run.history.length
        while True:
            name = f"arrays-{number}.npz"
            if all(kept.get(name, promised) == promised for kept in (self._last, self._before_last)):
                return name
            number += 1

    def _replace(self, checkpoint: bytes, promises: dict[str, Promise]) -> None:
        """Replace the checkpoint, and remove arrays that neither it nor the one before names."""
        self._check_place()
        files.write_whole(self.run.folder / CHECKPOINT, checkpoint)
        self._last, self._before_last = promises, self._last
        kept = {*self._last, *self._before_last}
        files.remove_files(self.run.folder, lambda name: is_arrays(name) and name not in kept)

    def receive(self, sent: Mapping[str, bytes], check: Callable[[Run], None] = lambda run: None) -> None:
        """Take over a later state of this run, from files that were made elsewhere; the checkpoint comes last.

        `check` is called with the run as it was sent before anything is written, and may raise an error of its own.

        No other file of the folder is touched: it may have changed meanwhile.
        """
        folder = self.run.folder
        try:
            promises, later = self._checked(sent)
            if later.solver is not None:
                check(later)
        except (ValueError, KeyError):
            raise RunError(
                f"what was sent back is not a later state of the run in {quoted(folder)}: sweep again"
            ) from None
        with self._writing():
            self._check_place()
            self._add(sent[HISTORY][self.run.history.length :])
            files.flush(self._descriptor)
            for name in sorted(sent):
                if name == CERTIFICATE or (is_arrays(name) and self._last.get(name) != promises[name]):
                    files.write_whole(folder / name, sent[name])
            self._replace(sent[CHECKPOINT], promises)

    def _checked(self, sent: Mapping[str, bytes]) -> tuple[dict[str, Any], Run]:
        """Return what is promised of the files that were sent, and the run, if it is a later state of this one."""
        promises = read_checkpoint(sent[CHECKPOINT]).files
        if sent.keys() - {CERTIFICATE} != promises.keys() | {CHECKPOINT}:
            raise ValueError("other files than promised")
        for name, promised in promises.items():
            if promise(sent[name]) != promised or self._fixed.get(name, promised) != promised:
                raise ValueError("other content than promised")
            if is_arrays(name) and self._last.get(name, promised) != promised:
                raise ValueError("other arrays of a name that is taken")
        ours = self.run.history.promise
        if promise(sent[HISTORY][: ours["length"]]) != ours:
            raise ValueError("another history")
        return promises, Run.of(self.run.folder, sent)


def write_files(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write the files of a run into a new folder."""
    for name in contents:
        if not is_name(name):
            raise RunError(f"{quoted(name)} is not a file of a run: nothing is written, so send the run again")
    try:
        files.write_folder(folder, contents)
    except OSError as error:
        raise RunError(f"run folder {quoted(folder)} cannot be made ({error.strerror}): make room there") from None


def create(folder: Path, problem: FullProblem, solver: str, settings: dict[str, Any], fresh: bool = False) -> None:
    """Make a new run in a folder that is empty or does not exist yet; it appears whole or not at all.

    If the folder holds a run, that is an error, or with `fresh` it is removed.
    """
    if is_run(folder):
        if not fresh:
            raise RunError(
                f"{quoted(folder)} holds a run already: resume it (--resume), start again (--fresh), or choose another "
                "folder"
            )
        discard(folder)
    game = problem.game
    lists = {} if game is None else game.own_lists
    named = {"problem": problem.identity}
    if game is not None and problem.is_usual_for(solver):
        named = {"game": game.name, "words_sha256": game.words_sha256, "answers_sha256": game.answers_sha256}
        if game.untold_rule:
            named["guessing"] = game.untold_rule
    manifest = {
        "format": FORMAT,
        **named,
        "own_lists": sorted(lists),
        "solver": solver,
        "settings": settings,
        "versions": _versions(),
    }
    contents = {list_file(name): "".join(f"{w}\n" for w in words).encode() for name, words in lists.items()}
    if game is not None and "game" in named and not problem.objective.is_mean:
        manifest["objective"] = problem.objective.name
        if objective_files(manifest):
            contents[OBJECTIVE] = (json.dumps(problem.objective.to_data(game)) + "\n").encode()
    contents[MANIFEST] = (json.dumps(manifest, indent=2) + "\n").encode()
    contents[HISTORY] = b""
    promises = {name: promise(data) for name, data in contents.items()}
    contents[CHECKPOINT] = write_checkpoint(Checkpoint(promises, None, 0.0, None))
    try:
        if files.in_the_way(folder):
            raise RunError(f"{quoted(folder)} is in the way (it is not a run): choose another folder")
        files.write_folder(folder, contents)
    except OSError as error:
        raise RunError(
            f"run folder {quoted(folder)} cannot be made ({error.strerror}): choose another folder"
        ) from None


def discard(folder: Path) -> None:
    """Remove the run in a folder, even a damaged one, and the folder, unless another process is writing it.

    Bounds that were proved of the run and its picture go with it. A folder that holds anything else is left as it is.
    """
    others = sorted(path.name for path in folder.iterdir() if not _is_of_run(path.name))
    if others:
        raise RunError(
            f"{quoted(folder)} holds {quoted(others[0])} besides its run: move that away, or choose another folder"
        )
    with _locked(folder, damaged_too=True):
        try:
            files.remove_folder(folder)
        except OSError as error:
            raise RunError(f"the run in {quoted(folder)} cannot be removed ({error.strerror}): fix that") from None


def _is_of_run(name: str) -> bool:
    """Return whether this package writes files of this name in a run's folder, or leaves them when killed."""
    name = files.final_name(name) or name
    return is_name(name) or name in _BESIDE


@contextmanager
def writing(folder: Path, deadline: Deadline = NEVER) -> Iterator[RunWriter]:
    """Yield a writer for the run in a folder; the run is read only once no other process can write it.

    Raises `DeadlinePassed` if that takes too long.
    """
    if not is_run(folder):
        Run.open(folder)  # says so
    with _locked(folder) as history:
        assert history is not None
        yield RunWriter(Run.open(folder, deadline=deadline), history)


@contextmanager
def _locked(folder: Path, damaged_too: bool = False) -> Iterator[int | None]:
    """Yield the descriptor of a run's history while no other process can write the run; None if it has no history."""
    with ExitStack() as stack:
        history: int | None = None
        try:
            whole = files.open_folder(folder)
            stack.callback(files.close, whole)
            if not damaged_too or files.is_file(folder / HISTORY):
                history = files.open_to_write(folder / HISTORY)
                stack.callback(files.close, history)
            # the history can be replaced by another file, the folder with a run in it cannot
            free = (whole is None or stack.enter_context(files.locked(whole))) and (
                history is None or stack.enter_context(files.locked(history))
            )
        except (FileNotFoundError, IsADirectoryError):
            raise damaged(folder / HISTORY) from None
        except OSError as error:
            if error.errno == errno.EINVAL:
                raise unreadable(folder / HISTORY, error) from None
            _not_written(folder, error)
        if not free:
            raise RunError(f"{quoted(folder)} is in use by another process: wait for it, or choose another folder")
        yield history


def _not_written(folder: Path, error: OSError) -> NoReturn:
    raise RunError(
        f"the run in {quoted(folder)} cannot be written ({error.strerror}): fix that, then resume it"
    ) from None


def _versions() -> dict[str, str]:
    """Return the versions of what may matter to a result."""
    found = {"python": platform.python_version()}
    for package in ("oracular", "numpy", "numba", "wordsegment"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found


@contextmanager
def locked_folder(folder: Path, lock: str, written: str, busy: str) -> Iterator[None]:
    """Hold the lock of a folder, or raise an error if another process holds it.

    Args:
        folder: the folder, which exists.
        lock: the name of the lock's file.
        written: how the names of files begin that are written under this lock: what a killed writer left is removed.
        busy: what the other process is doing, for the error.
    """
    from oracular.system.files import not_written

    try:
        descriptor = files.open_to_write(folder / lock, make=True)
    except OSError as error:
        raise not_written(folder / lock, error) from None
    try:
        with files.locked(descriptor) as ours:
            if not ours:
                raise RunError(f"{busy}: wait for it")
            try:
                files.sweep_temporary(folder, lambda name: name.startswith(written))
            except OSError as error:
                raise not_written(folder, error) from None
            yield
    finally:
        files.close(descriptor)
