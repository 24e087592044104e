"""What holds of every command: its next step can be pasted, it fits narrow terminals, plurals agree."""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from oracular.cli.main import cli, main
from oracular.cli.output import command_line, print_next

COMMANDS = """
games
show jotto-2
show jotto-3 --words 'my words.txt'
solve jotto-2 --iterations 1 --out 'my runs/one' --fresh
solve mastermind-2x3 --solver exact --out exact-too --fresh
solve jotto-2 --iterations 21 --out 'my runs/first' --resume
evaluate 'my runs/first'
evaluate chances
evaluate small --objective worst
plot 'my runs/first'
guess 'my runs/first'
guess 'my runs/first' ai:2
respond mastermind-2x3
respond mastermind-2x3 --greedy
respond mastermind-2x3 --proof 'my runs/best.proof'
verify 'my runs/best.proof'
solve mastermind-2x3 --solver exact --proof 'my runs/exact.proof' --out exact-proved --fresh
respond mastermind-2x3 --objective worst
respond mastermind-2x3 --objective within-2 --greedy
respond jotto-3 --words 'my words.txt'
respond jotto-2 --hider 'my runs/first' --states 500
certify small
certify chances
verify chances
solve mastermind-2x3 --solver regret-matching --objective within-2 --iterations 21 --out chances --resume
certify exact
verify small
verify exact/certificate.json
race jotto-2 --show
race mastermind-2x2 --exact
leaderboard mastermind-2x3
table --letters 2 --iterations 20 --out 'my runs/table'
published number-2 bulls-2x3
published mastermind-2x3 --list
sweep jotto-2 --solver fictitious-play --solver regret-matching --set ties=first --iterations 5 --out 'my runs/sweep'
suggest jotto-2 ai:0
suggest jotto-2 ai:2
review jotto-2 'ai:0 of:2' --secret of
play jotto-2 --mode guess
"""
"""One call of every command, and several of some."""

CALLS = COMMANDS.strip().splitlines()

NEXT = re.compile(r"^next +(oracular .*)$", flags=re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a run and a word list in it, as the current one."""
    path = tmp_path_factory.mktemp("commands")
    (path / "my words.txt").write_text("cab\nfix\nhum\njot\nzed\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        for made in ("jotto-2 --out 'my runs/first'", "mastermind-2x3 --out small"):
            assert called(f"solve {made} --iterations 20", 60)[0] == 0
        assert called("solve mastermind-2x3 --solver exact --out exact", 60)[0] == 0
        chances = "--solver regret-matching --objective within-2 --iterations 5 --out chances"
        assert called(f"solve mastermind-2x3 {chances}", 60)[0] == 0
        yield path


def called(command: str, columns: int, encoding: str = "utf-8") -> tuple[int, str, str]:
    """Return the exit code of a command and what it wrote, on a terminal of so many columns."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(columns))
        patch.setattr("sys.stdin", io.StringIO(""))
        patch.setattr("sys.stdout", streams[0])
        patch.setattr("sys.stderr", streams[1])
        code = main(shlex.split(command))
        for stream in streams:
            stream.flush()
    return code, *(stream.buffer.getvalue().decode(encoding) for stream in streams)  # type: ignore[attr-defined]


@cache
def on_sixty_columns(command: str) -> str:
    """Return what a command writes to a terminal of 60 columns."""
    code, out, err = called(command, 60)
    assert code == 0, err
    return out


def check_widths(shown: str, columns: int) -> None:
    """Assert that no line is too long or ends in blanks, and nothing is cut; a command to paste is one line."""
    for line in shown.splitlines():
        assert line == line.rstrip(" ") or line.endswith(": "), repr(line)  # a question ends in one
        assert len(line) <= columns or NEXT.match(line), line
    assert "…" not in re.sub(r"… and [\d,]+\s+more", "", shown), shown


def test_every_command_is_here():
    assert {call.split()[0] for call in CALLS} >= set(cli.commands) - {"serve", "completion"}


@pytest.mark.parametrize("call", CALLS)
def test_sixty_columns_are_enough(folder, call):
    check_widths(on_sixty_columns(call), 60)


@pytest.mark.parametrize("call", CALLS)
def test_forty_columns_are_enough(folder, call):
    code, out, err = called(call, 40)
    assert code == 0, err
    check_widths(out, 40)


@pytest.mark.parametrize("call", CALLS)
def test_a_stream_that_lacks_our_signs_is_no_trouble(folder, call):
    assert called(call, 80, "latin-1")[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 200])
@pytest.mark.parametrize("call", CALLS)
def test_wide_terminals_are_no_trouble(folder, call, columns):
    code, out, err = called(call, columns)
    assert code == 0, err
    check_widths(out, columns)


@pytest.mark.parametrize("call", CALLS)
def test_plurals_agree(folder, call):
    assert not re.search(r"(?<![\d.,])1 (?!is\b|was\b|has\b)[a-z]*[a-rt-z]s\b", on_sixty_columns(call))


@pytest.mark.parametrize("call", [call for call in CALLS if not call.startswith("play")])
def test_the_next_step_can_be_pasted(folder, call):
    steps = NEXT.findall(on_sixty_columns(call))
    assert len(steps) == 1, on_sixty_columns(call)
    assert run_once(steps[0]) == 0


@cache
def run_once(step: str) -> int:
    """Return the exit code of a next step."""
    program, *arguments = shlex.split(step)
    assert program == "oracular"
    return called(shlex.join(arguments), 60)[0]


@pytest.mark.parametrize("call", ["show jotto-2", "evaluate 'my runs/first'", "leaderboard mastermind-2x3"])
def test_json_has_no_next_step(folder, call):
    assert "next" not in called(f"{call} --json", 60)[1]


def test_words_with_spaces_are_quoted(capsys):
    assert command_line("evaluate", Path("my runs/first")) == "oracular evaluate 'my runs/first'"
    print_next(True, "games")
    assert capsys.readouterr().out == ""
