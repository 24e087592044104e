"""`oracular completion SHELL`: the script that completes commands, options, games and runs in a shell."""

from __future__ import annotations

import os
import sys
from pathlib import PurePath

import click

from oracular.cli.output import json_option, print_json

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
"""How each shell is told of the script for good."""


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
    """Return the shell that the user works in, or raise an error where it is none of those that are known."""
    name = PurePath(os.environ.get("SHELL", "")).name
    if name not in INSTALLED:
        raise click.UsageError("name the shell: bash, zsh or fish")
    return name
