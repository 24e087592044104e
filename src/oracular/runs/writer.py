"""Who writes a run on disk: makes its folder, appends steps, commits them, and takes over what a worker made of it.

One process writes: it holds the locks of the folder and of the history. A checkpoint never changes what an earlier one
vouches for, and the arrays of the one before are kept. So a reader finds what its checkpoint names, or else a newer
checkpoint.
"""

from __future__ import annotations

import errno
import json
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NoReturn

from numpy.typing import NDArray

from oracular.errors import RunError
from oracular.problem import FullProblem
from oracular.runs import layout
from oracular.runs.folder import Run, damaged, is_run, unreadable
from oracular.runs.history import lines
from oracular.runs.layout import (
    CERTIFICATE,
    CERTIFYING,
    CHECKPOINT,
    FORMAT,
    HISTORY,
    MANIFEST,
    OBJECTIVE,
    PICTURE,
    STRATEGIES,
    Checkpoint,
    Promise,
    bounds_file,
    is_arrays,
    list_file,
    objective_files,
)
from oracular.system import files
from oracular.system.control import NEVER, Deadline
from oracular.system.files import quoted

BESIDE = (bounds_file("uniform"), bounds_file("run"), CERTIFYING, PICTURE, STRATEGIES)
"""What is kept in a run's folder beside it: bounds that were proved of it, its picture, measured strategies."""


class RunWriter:
    """Appends steps to a run and commits them; one process at a time has it.

    After an error it is of no more use: what is on disk is good to go on from with a new one.
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
        """Say in a sentence what cannot be written; the first time, drop what lies beyond the last checkpoint."""
        folder = self.run.folder
        if self._broken:
            raise RunError(f"the run in {quoted(folder)} could not be written before: mend that, then resume it")
        self._broken = True
        try:
            if not self._begun:
                self._check_place()
                files.sweep_temporary(folder, layout.is_name)
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
        """Raise an error where the history is no longer the file that is locked and written."""
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
                data = layout.write_arrays(arrays)
                promised = layout.promise(data)
                name = self._arrays_name(promised)
                if self._last.get(name) != promised:
                    files.write_whole(folder / name, data)
                promises[name] = promised
            self._replace(layout.write_checkpoint(Checkpoint(promises, solver, seconds, stopped)), promises)

    def _arrays_name(self, promised: Promise) -> str:
        """Return a name for arrays under which no other ones are kept: the older ones stay good."""
        number = self.run.history.length
        while True:
            name = f"arrays-{number}.npz"
            if all(kept.get(name, promised) == promised for kept in (self._last, self._before_last)):
                return name
            number += 1

    def _replace(self, checkpoint: bytes, promises: dict[str, Promise]) -> None:
        """Replace the checkpoint, and remove arrays that neither it nor the one before vouches for."""
        self._check_place()
        files.write_whole(self.run.folder / CHECKPOINT, checkpoint)
        self._last, self._before_last = promises, self._last
        kept = {*self._last, *self._before_last}
        files.remove_files(self.run.folder, lambda name: is_arrays(name) and name not in kept)

    def receive(self, sent: Mapping[str, bytes], check: Callable[[Run], None] = lambda run: None) -> None:
        """Take over a later state of this run, whose files were worked on elsewhere; the checkpoint comes last.

        `check` is called with the run as it was sent before anything is written, and may raise an error of its own.

        Of the folder's other files none is touched: they may have changed meanwhile.
        """
        folder = self.run.folder
        try:
            promises, later = self._checked(sent)
            if later.solver is not None:
                check(later)
        except (ValueError, KeyError):
            raise RunError(
                f"what was sent back is no later state of the run in {quoted(folder)}: sweep again"
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
        """Return what is promised of the files that were sent, and the run, unless it is no later state of this one."""
        promises = layout.read_checkpoint(sent[CHECKPOINT]).files
        if sent.keys() - {CERTIFICATE} != promises.keys() | {CHECKPOINT}:
            raise ValueError("other files than promised")
        for name, promised in promises.items():
            if layout.promise(sent[name]) != promised or self._fixed.get(name, promised) != promised:
                raise ValueError("other content than promised")
            if is_arrays(name) and self._last.get(name, promised) != promised:
                raise ValueError("other arrays of a name that is taken")
        ours = self.run.history.promise
        if layout.promise(sent[HISTORY][: ours["length"]]) != ours:
            raise ValueError("another history")
        return promises, Run.of(self.run.folder, sent)


def write_files(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write the files of a run into a new folder."""
    for name in contents:
        if not layout.is_name(name):
            raise RunError(f"{quoted(name)} is no file of a run: nothing is written, so send the run again")
    try:
        files.write_folder(folder, contents)
    except OSError as error:
        raise RunError(f"run folder {quoted(folder)} cannot be made ({error.strerror}): make room there") from None


def create(
    folder: Path, problem: FullProblem, solver: str, settings: dict[str, Any], in_place_of_another: bool = False
) -> None:
    """Make a new run in a folder that is empty or does not exist yet; it appears whole or not at all.

    A run that the folder holds is an error, or is removed where the new one comes in its place.
    """
    if is_run(folder):
        if not in_place_of_another:
            raise RunError(
                f"{quoted(folder)} holds a run already: resume it (--resume), begin anew (--fresh), or choose another "
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
    promises = {name: layout.promise(data) for name, data in contents.items()}
    contents[CHECKPOINT] = layout.write_checkpoint(Checkpoint(promises, None, 0.0, None))
    try:
        if files.in_the_way(folder):
            raise RunError(f"{quoted(folder)} is in the way (it is no run of ours): choose another folder")
        files.write_folder(folder, contents)
    except OSError as error:
        raise RunError(
            f"run folder {quoted(folder)} cannot be made ({error.strerror}): choose another folder"
        ) from None


def discard(folder: Path) -> None:
    """Remove the run in a folder, be it damaged, and the folder, unless another process is writing it.

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
            raise RunError(f"the run in {quoted(folder)} cannot be removed ({error.strerror}): mend that") from None


def _is_of_run(name: str) -> bool:
    """Tell whether it is us who make files of this name in a run's folder: state, bounds, picture, their leftovers."""
    name = files.final_name(name) or name
    return layout.is_name(name) or name in BESIDE


@contextmanager
def writing(folder: Path, deadline: Deadline = NEVER) -> Iterator[RunWriter]:
    """Give a writer for the run in a folder; the run is read only once no other process can write it.

    Raises `DeadlinePassed` where that takes too long.
    """
    if not is_run(folder):
        Run.open(folder)  # says so
    with _locked(folder) as history:
        assert history is not None
        yield RunWriter(Run.open(folder, deadline=deadline), history)


@contextmanager
def _locked(folder: Path, damaged_too: bool = False) -> Iterator[int | None]:
    """Give the descriptor of a run's history while no other process can write the run; None if it has no history."""
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
        f"the run in {quoted(folder)} cannot be written ({error.strerror}): mend that, then resume it"
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
    from oracular.bounds.file import not_written

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
