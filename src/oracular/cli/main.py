"""The command `oracular`: its subcommands, and how errors are shown.

Bad input of any kind becomes one sentence on stderr and exit code 2. Numba and compiled code are loaded only by the
commands that need them, so that help texts come at once.
"""

from __future__ import annotations

import io
import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any

import click

from oracular.cli.arguments import set_types
from oracular.cli.games import games, review, show, suggest
from oracular.cli.output import Interrupted, json_option, print_json
from oracular.cli.play import play, serve
from oracular.cli.proofs import certify, verify
from oracular.cli.respond import respond
from oracular.cli.runs import evaluate, guess, plot
from oracular.cli.solve import race, solve, sweep
from oracular.cli.table import leaderboard, published, table
from oracular.errors import OracularError, WordListWarning
from oracular.system import starting
from oracular.system.files import cut
from oracular.system.memory import check_room_for_compiled_code
from oracular.system.starting import INTERRUPTED

BAD_INPUT = 2
WITHOUT_COMPILED_CODE = ("games", "completion")
CHOICE = re.compile(r"'([^']{1,60})' is not one of")
LONG_QUOTE = re.compile(r"'([^']{60})[^']+'")


PROGRAM = "oracular"
VARIABLE = "_ORACULAR_COMPLETE"
"""The environment variable by which the script asks the program for completions."""

INSTALLED = {
    "bash": (
        "mkdir -p ~/.local/share/bash-completion/completions",
        "oracular completion bash > ~/.local/share/bash-completion/completions/oracular",
    ),
    "zsh": ("""echo 'eval "$(oracular completion zsh)"' >> ~/.zshrc""",),
    "fish": (
        "mkdir -p ~/.config/fish/completions",
        "oracular completion fish > ~/.config/fish/completions/oracular.fish",
    ),
}
"""How each shell loads the script in every session."""


@click.command(epilog="Example: oracular completion bash")
@click.argument("shell", required=False, type=click.Choice(list(INSTALLED)))
@json_option
@click.pass_context
def completion(ctx: click.Context, shell: str | None, as_json: bool) -> None:
    """Print a script that completes commands, options, games and runs.

    SHELL is bash, zsh or fish; by default the one that $SHELL names. The script says how to install it.
    """
    shell = shell or _own_shell()
    script = script_for(ctx.find_root().command, shell)
    if as_json:
        print_json({"shell": shell, "script": script, "install": list(INSTALLED[shell])})
        return
    click.echo(script, nl=False)
    if sys.stdout.isatty():
        click.echo("\n".join(["", *_instructions(shell)]), err=True)


def script_for(program: click.Command, shell: str) -> str:
    """Return the script that completes a program in a shell, with how to install it as comments."""
    from click.shell_completion import get_completion_class

    made_by = get_completion_class(shell)
    assert made_by is not None
    first, newline, rest = made_by(program, {}, PROGRAM, VARIABLE).source().lstrip("\n").partition("\n")
    comments = "".join(f"# {line}\n" for line in _instructions(shell))
    if first.startswith("#compdef"):  # zsh wants this line first
        return f"{first}{newline}{comments}{rest}"
    return f"{comments}{first}{newline}{rest}"


def _instructions(shell: str) -> list[str]:
    """Return how the script is installed, as lines of text."""
    here = "oracular completion fish | source" if shell == "fish" else f'eval "$(oracular completion {shell})"'
    return [
        f"Completion of oracular for {shell}. For every new shell, type:",
        *(f"  {line}" for line in INSTALLED[shell]),
        "For this shell alone, type:",
        f"  {here}",
    ]


def _own_shell() -> str:
    """Return the shell that the user works in, or raise an error if it is not a known one."""
    name = PurePath(os.environ.get("SHELL", "")).name
    if name not in INSTALLED:
        raise click.UsageError("name the shell: bash, zsh or fish")
    return name


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: oracular play, or oracular solve jotto-3 --iterations 500 --out runs/first",
)
@click.version_option(package_name="oracular")
@click.pass_context
def cli(context: click.Context) -> None:
    """Compute and use strong game-theoretic strategies for Jotto and other guessing games."""
    if context.invoked_subcommand not in WITHOUT_COMPILED_CODE:
        check_room_for_compiled_code()


for command in (
    games, show, play, suggest, review, solve, race, sweep, evaluate, guess, plot, respond, verify, certify,
    leaderboard, table, published, serve, completion,
):  # fmt: skip
    set_types(command)
    cli.add_command(command)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    try:
        starting.raise_on_interrupt()
        with _notes_of_word_lists():
            code = _run(arguments)
        starting.ignore_interrupt()
        return code
    except KeyboardInterrupt:  # also one that came while another error was being printed
        starting.ignore_interrupt()
        click.echo("interrupted", err=True)
        return INTERRUPTED


def _run(arguments: list[str] | None) -> int:
    """Run the command line, print its errors, and return its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # a sign that its encoding lacks is escaped, as it is on stderr
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        result = cli.main(args=arguments, prog_name="oracular", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else "", err=True)
        return BAD_INPUT
    except click.ClickException as error:
        return _fail(_usage(error))
    except OracularError as error:
        return _fail(str(error))
    except Interrupted as error:
        click.echo(f"interrupted; {error}", err=True)
        return INTERRUPTED
    except click.Abort:  # how click raises Ctrl-C
        raise KeyboardInterrupt from None
    except SystemExit:  # how click and rich exit when the reader of our output is gone
        return 0
    except MemoryError:
        return _fail("there is not enough memory for this game: choose a smaller one")
    except OSError as error:
        return _fail(f"{error.strerror} ({cut(error.filename or 'output')}): fix that, then try again")
    return result if isinstance(result, int) else 0


def _fail(sentence: str) -> int:
    """Print one sentence on stderr and return the exit code for bad input."""
    click.echo(f"error: {' '.join(sentence.split())}", err=True)
    return BAD_INPUT


def _usage(error: click.ClickException) -> str:
    """Return a usage error as one sentence that says where help is, or what may have been meant."""
    if near := getattr(error, "possibilities", None):
        return f"{error.message.rstrip('.')}: did you mean {near[0]!r}?"
    message = LONG_QUOTE.sub(r"'\1…'", error.format_message().rstrip("."))
    context = getattr(error, "ctx", None)
    if (choice := _near_choice(error)) is not None:
        return f"{message}: did you mean {choice!r}?"
    return f"{message}: see '{context.command_path} --help'" if context else message


def _near_choice(error: click.ClickException) -> str | None:
    """Return the choice of an option that is nearest to the value given, where the error is that it is none."""
    from difflib import get_close_matches

    wrong = CHOICE.match(error.message)
    if wrong is None or not isinstance(error, click.BadParameter) or error.param is None:
        return None
    choices = getattr(error.param.type, "choices", ())
    return next(iter(get_close_matches(wrong[1], map(str, choices), n=1)), None)


@contextmanager
def _notes_of_word_lists() -> Iterator[None]:
    """While this lasts, print the library's warnings about word lists as notes, each of them once."""
    told: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("always", WordListWarning)
        show_others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if not issubclass(category, WordListWarning):
                show_others(message, category, *place, **more)
            elif str(message) not in told:
                told.add(str(message))
                click.echo(f"note: {message}", err=True)

        warnings.showwarning = show
        yield
