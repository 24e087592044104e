"""What the commands share: options, output as text and as JSON, and the progress display."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from oracular.system.files import counted

if TYPE_CHECKING:
    from oracular.cluster import Cluster
    from oracular.games.game import Game
    from oracular.runs.drive import Progress as Step
    from oracular.search.proofs import WrittenProof

Command = TypeVar("Command", bound=Callable[..., Any])

ROOM_FOR_A_BAR = 90
"""With fewer terminal columns than this, the progress display has no bar."""
ROOM_FOR_TWO_COLUMNS = 56
"""With fewer terminal columns than this, a result has its names above its values."""
USUAL_WIDTH = 120
"""How wide a result is that is not shown on a terminal, unless COLUMNS says so."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
_LISTS = {
    "words": "Jotto with a dictionary of your own, one word a line, instead of TWL06.",
    "secrets": "Wordle with a list of your own for what may be hidden, one word a line.",
    "guesses": "Wordle with a list of your own for what may be guessed besides the secrets, one word a line.",
}


def path_option(name: str, metavar: str, text: str, default: Path | None = None) -> Callable[[Command], Command]:
    """Return an option whose value is a path."""
    return click.option(name, type=click.Path(path_type=Path), metavar=metavar, default=default, help=text)


def lists_options(command: Command) -> Command:
    """Add the options for a user's own word lists to a command."""
    for name, text in reversed(_LISTS.items()):
        command = path_option(f"--{name}", "FILE", text)(command)
    return command


proof_option = path_option("--proof", "FILE", "Write a proof of the result, which 'oracular verify FILE' checks.")
"""Both sides of the bounds as a file that the independent checker reads."""

familiar_option = click.option(
    "--familiar", is_flag=True, help="Jotto in which only words that people know are hidden: GAME-familiar."
)


def cluster_options(command: Command) -> Command:
    """Add the options for a cluster to a command."""
    command = click.option(
        "--workers",
        type=int,
        metavar="N",
        help="Processes of a local cluster [default: one a core]; they never change a result.",
    )(command)
    return click.option(
        "--cluster",
        metavar="local|ADDRESS",
        help="Spread the work over Dask workers: 'local' ones, or those of a scheduler, tls://host:8786 or tcp://host:8786.",
    )(command)


def connected(cluster: str | None, workers: int | None) -> AbstractContextManager[Cluster | None]:
    """Return the context of the cluster that is asked for; it yields None if none is."""
    if cluster is None:
        if workers is not None:
            raise click.UsageError("--workers is for a cluster: add --cluster local")
        return nullcontext()
    from oracular.cluster import check_address, connect, exposure

    check_address(cluster, workers)
    if (warning := exposure(cluster)) is not None:
        click.echo(f"note: {warning}", err=True)
    return connect(cluster, workers)


def game_of_options(name: str, familiar: bool, lists: dict[str, Path | None]) -> Game:
    """Return the game that a name and the options beside it stand for."""
    from oracular.games.names import familiar_name, game

    return game(familiar_name(name) if familiar else name, **lists)


def described(game: Game) -> str:
    """Return a game in a few words, with the hash of its words if they are a user's own."""
    own = f", words of one's own, sha256 {game.words_sha256[:12]}" if game.own_lists else ""
    return f"{game.name}, {counted(len(game.secrets), 'secret')}{own}"


def print_of_game(as_json: bool, game: Game, data: dict[str, Any], pairs: dict[str, str]) -> None:
    """Print a result that is of a game, with the game before it."""
    named = {"game": game.name, "words_sha256": game.words_sha256}
    print_result(as_json, {**named, **data}, {"game": described(game), **pairs})


def print_json(data: Any) -> None:
    """Print data as JSON on stdout."""
    click.echo(json.dumps(data, indent=2))


def print_result(as_json: bool, data: dict[str, Any], pairs: dict[str, str]) -> None:
    """Print a result on stdout: its data as JSON, or names and values in two columns."""
    if as_json:
        print_json(data)
        return
    console = result_console()
    if console.width < ROOM_FOR_TWO_COLUMNS:
        for name, value in pairs.items():
            console.print(name, style="dim", markup=False)
            console.print(Padding(Text(value, overflow="fold"), (0, 0, 0, 2)))
        return
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in pairs.items():
        table.add_row(name, Text(value))
    console.print(table)


def print_text(text: str) -> None:
    """Print sentences on stdout, in lines that fit the terminal."""
    result_console().print(text, markup=False)


def command_line(*words: str | Path) -> str:
    """Return an `oracular` command as one can paste it into a shell: words with spaces are quoted."""
    texts = ["oracular", *map(str, words)]
    return subprocess.list2cmdline(texts) if os.name == "nt" else shlex.join(texts)


def lists_given(lists: Mapping[str, Path | None]) -> list[str]:
    """Return the options for a user's own word lists as they were given."""
    return [word for name, path in lists.items() if path is not None for word in (f"--{name}", str(path))]


def proof_data(written: WrittenProof | None, path: Path | None) -> dict[str, str | int]:
    """Return a proof file as data; nothing if none was written."""
    if written is None:
        return {}
    return {"proof_file": str(path), "lemmas": written.lemmas, "proof_bytes": written.size}


def proof_pairs(written: WrittenProof | None, path: Path | None) -> dict[str, str]:
    """Return a proof file in words, by name; nothing if none was written."""
    if written is None:
        return {}
    return {"proof file": f"{path}: {counted(written.lemmas, 'lemma')}, {written.size / 1e6:.3f} MB"}


def print_next(as_json: bool, *words: str | Path) -> None:
    """Print the one next step after a command, as a command to paste; nothing beside JSON.

    It must work in the state that the command has left, with what is installed. It is one line however long it is:
    a terminal wraps it, and it can still be pasted.
    """
    if not as_json:
        click.echo(f"{click.style('next', dim=True)}  {command_line(*words)}")


def picture_or_guess(folder: Path) -> tuple[str, Path]:
    """Return the command to look at a run with: a picture of it where matplotlib is there, else a guess of it."""
    return ("plot" if importlib.util.find_spec("matplotlib") else "guess"), folder


class ResultConsole(Console):
    """A console that ends no line in blanks if it writes to a file: a table fills its columns with them."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print objects as rich does."""
        if self.is_terminal:
            super().print(*objects, **options)
            return
        with self.capture() as captured:
            super().print(*objects, **options)
        self.file.write(re.sub(" +\n", "\n", captured.get()))
        self.file.flush()


def result_console(stderr: bool = False, width: int = USUAL_WIDTH) -> Console:
    """Return the console for results; it has that width if it is not a terminal and COLUMNS does not say another."""
    console = ResultConsole(stderr=stderr, highlight=False)
    told = console.is_terminal or os.environ.get("COLUMNS", "").isdecimal()
    return console if told else ResultConsole(stderr=stderr, highlight=False, width=width)


class Interrupted(Exception):  # noqa: N818 - nothing has gone wrong
    """Raised by a command after Ctrl-C, with what the user can do then."""


class SolvingDisplay:
    """A live display of progress on stderr, which is silent if stderr is not a terminal."""

    def __init__(self) -> None:
        console = ResultConsole(stderr=True)
        spinner = SpinnerColumn("line" if console.options.ascii_only else "dots")
        bar = [BarColumn(bar_width=12)] if console.width >= ROOM_FOR_A_BAR else []
        self._progress = Progress(
            spinner,
            TextColumn("{task.description}"),
            *bar,
            TextColumn("{task.fields[figures]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
            refresh_per_second=8,
        )

    def __enter__(self) -> SolvingDisplay:
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()

    def print_above(self, text: str) -> None:
        """Print a text above the display, if stderr is a terminal."""
        if not self._progress.disable:
            self._progress.console.print(text, style="dim", highlight=False, soft_wrap=True)

    def add(self, title: str, note: str = "") -> Line:
        """Return a new line of the display."""
        return Line(self._progress, self._progress.add_task(title, start=False, total=None, figures=note))


@contextmanager
def progress_line(title: str, note: str = "loading compiled code (the first time: compiling it)") -> Iterator[Line]:
    """Yield the only line of a display, with a first note."""
    with SolvingDisplay() as display:
        line = display.add(title)
        line(note)
        yield line


class Line:
    """One line of the display, for one run or another task."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task

    def __call__(self, at: Step | str) -> None:
        """Show a step of a solver, or a text; the line's clock starts with its first text."""
        if isinstance(at, str):
            self._progress.start_task(self._task)
            self._progress.update(self._task, figures=at)
            return
        made = at.iteration - at.first_iteration + 1
        rate = made / at.seconds if at.seconds else 0.0
        total, completed = _extent(at)
        reached = at.best.reached(at.objective)
        self._progress.update(
            self._task,
            total=total,
            completed=completed,
            figures=f"t {at.iteration}  ε {at.best.epsilon:.3f} measured  {reached}  {rate:.0f}/s",
        )

    def done(self, text: str) -> None:
        """Mark the line's work as finished."""
        self._progress.update(self._task, total=1, completed=1, figures=text)


def _extent(step: Step) -> tuple[float | None, float]:
    """Return the extent of the work and how much of it is done, by the limit that is given."""
    if step.limits.iterations is not None:
        return step.limits.iterations + 1, step.iteration + 1
    if step.limits.seconds is not None:
        return step.limits.seconds, min(step.seconds, step.limits.seconds)
    return None, step.iteration
