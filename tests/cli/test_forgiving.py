"""What the command line forgives and completes: near names, histories without quotes, and completion in shells."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys

import pytest
from click.shell_completion import get_completion_class

from oracular.cli.main import INSTALLED, PROGRAM, VARIABLE, cli


@pytest.mark.parametrize(
    "written", [["of:0 ai:1"], ["of:0", "ai:1"], ["of:0,", "ai:1"], ["of", "0", "ai", "1"], ["of:", "0", "ai:", "1"]]
)
def test_a_history_needs_no_quotes(oracular, written):
    suggested = oracular("suggest", "JOTTO2", *written, "--json")
    assert suggested.code == 0 and json.loads(suggested.out)["left"] == 20
    reviewed = oracular("review", "Jotto 2", *written, "--secret", "ad", "--json")
    assert reviewed.code == 0 and json.loads(reviewed.out)["guesses"] == 2
    oracular("solve", "jotto2", "--iterations", "20", "--out", "run")
    guessed = oracular("guess", "run", *written, "--json")
    assert guessed.code == 0 and json.loads(guessed.out)["possible"] == 20


@pytest.mark.parametrize("written", [["hen", "--g"], ["hen:", "--g"], ["hen", "--g", "oak", "---"], ["hen", "–-g"]])
def test_marks_that_begin_with_a_hyphen_are_not_options(oracular, written):
    shown = oracular("suggest", "wordle-3", *written, "--count", "1")
    assert shown.code == 0 and "after hen:--g" in shown.out


def test_a_guess_that_offends_is_drawn_again_unless_it_is_asked_for_as_data(oracular, tmp_path):
    (tmp_path / "words.txt").write_text("boat\nfuck\nlynx\nshit\n")
    oracular("solve", "jotto-4", "--words", "words.txt", "--solver", "exact", "--out", "run")
    own = {json.loads(oracular("guess", "run", "--game-seed", str(n), "--json").out)["guess"] for n in range(20)}
    said = [oracular("guess", "run", "--game-seed", str(n)).out for n in range(20)]
    assert own & {"fuck", "shit"} and {text.split()[0] for text in said} <= {"boat", "lynx"}
    assert any("may offend, so this is another one" in text for text in said)
    assert oracular("guess", "run", "lynx:0", "boat:1").out.startswith("shit\n")  # nothing else is left
    shown = oracular("show", "jotto-4", "--words", "words.txt").out
    assert "from boat to lynx" in shown and "shit" not in shown and "fuck" not in shown


def test_the_last_word_is_suggested_even_if_it_may_offend(oracular, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("abet\nboat\ncunt\nshit\nlynx\n")
    shown = oracular("suggest", "jotto-4", "lynx:0", "boat:1", "--words", str(words))
    assert shown.code == 0 and "1 word left" in shown.out and "more" not in shown.out
    assert "not listed" in shown.out and "--secret shit" in shown.out


def test_the_next_step_works(oracular):
    oracular("solve", "jotto-2", "--iterations", "20", "--out", "a run")
    for command in (["suggest", "jotto 2", "of:0, ai:1"], ["guess", "a run", "of 0 ai 1"]):
        shown = oracular(*command)
        for _ in range(20):  # more turns than any game of two letters takes
            if "ended the game" in shown.out or shown.out.endswith("next  oracular play jotto-2\n"):
                break
            shown = oracular(*shlex.split(shown.out.splitlines()[-1].removeprefix("next  oracular ")))
            assert shown.code == 0
        else:
            pytest.fail(f"the game does not end: {shown.out}")


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("solve wordl", "error: 'wordl' is not a game: did you mean 'wordle'?"),
        ("sweep jotto-2 joto-3", "error: 'joto-3' is not a game: did you mean 'jotto-3'?"),
        ("slove jotto-2", "error: No such command 'slove': did you mean 'solve'?"),
        ("solve jotto-2 --iteration 5", "error: No such option '--iteration': did you mean '--iterations'?"),
        ("play jotto-5 --secrets none.txt", "error: jotto-5 takes no list of secrets: it takes words"),
        ("suggest jotto-2 of:0 --cuont 3", "No such option '--cuont'"),
        ("solve jotto-2 --solver exakt", "did you mean 'exact'?"),
        ("completion tcsh", "is not one of 'bash', 'zsh', 'fish'"),
    ],
)
def test_a_mistyped_command_is_told_what_may_be_meant(oracular, command, sentence):
    outcome = oracular(*command.split())
    assert outcome.code == 2 and sentence in outcome.err


@pytest.mark.parametrize("shell", INSTALLED)
def test_the_script_of_each_shell_says_how_to_install_it(oracular, shell):
    outcome = oracular("completion", shell)
    assert outcome.code == 0 and outcome.err == ""
    assert VARIABLE in outcome.out and f"oracular completion {shell}" in outcome.out
    assert outcome.out.startswith("#compdef oracular") == (shell == "zsh")
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=outcome.out, text=True, check=True)


def test_the_shell_is_that_of_the_user_unless_it_is_named(oracular, monkeypatch):
    monkeypatch.setenv("SHELL", "/usr/local/bin/fish")
    assert oracular("completion").out == oracular("completion", "fish").out
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    assert "name the shell: bash, zsh or fish" in oracular("completion").err


@pytest.mark.parametrize("shell", INSTALLED)
def test_commands_options_games_and_runs_are_completed(shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("mine", "more", ".hidden"):
        (tmp_path / folder).mkdir()
    (tmp_path / "mine" / "manifest.json").write_text("{}")
    completer = get_completion_class(shell)(cli, {}, PROGRAM, VARIABLE)

    def completed(*words: str) -> list[str]:
        return [item.value for item in completer.get_completions(list(words[:-1]), words[-1])]

    assert completed("s") == ["serve", "show", "solve", "suggest", "sweep"]
    assert "--iterations" in completed("solve", "jotto-2", "--it")
    assert completed("solve", "jotto-2", "--solver", "e") == ["exact"]
    assert completed("show", "MAST") == ["mastermind-4x6", "mastermind-4x6-possible"]
    assert "jotto-3-familiar" in completed("play", "jotto-3") and "wordle" in completed("sweep", "jotto-2", "w")
    assert completed("evaluate", "m")[:3] == ["mine", f"more{os.sep}", "mastermind-3x6"]
    assert completed("evaluate", "jotto-2") == ["jotto-2"]
    assert completed("evaluate", "none/m") == []


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_a_real_bash_completes_without_loading_the_compiler(tmp_path):
    program = tmp_path / "oracular"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -X importtime -m oracular "$@" 2>>"{tmp_path}/imports"\n')
    program.chmod(0o755)
    typed = 'eval "$(oracular completion bash)"; COMP_WORDS=(oracular play word); COMP_CWORD=2; '
    shown = subprocess.run(
        ["bash", "-c", f'{typed}_oracular_completion oracular; echo "${{COMPREPLY[@]}}"'],
        env={**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        check=True,
        text=True,
    )
    assert (shown.stdout, shown.stderr) == (
        "wordle wordle-hard wordle-twl06 wordle-possible wordle-twl06-possible\n",
        "",
    )
    imported = (tmp_path / "imports").read_text()
    assert "click" in imported and "numba" not in imported
