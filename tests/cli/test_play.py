"""A person plays in a real terminal: a whole game each way, with slips, second thoughts and ways out."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from rich.console import Console

from oracular import Game, game, hider_uniform
from oracular.cli.advice_tables import print_review
from oracular.play.match import new_match
from oracular.play.opponent import matchup_by_name
from oracular.play.review import review

pytest.importorskip("pty", reason="this system has no pseudo-terminals")

from pseudo_terminal import CTRL_C, CTRL_D, Terminal

SEED = 7


def answer(of: Game, guess: str, secret: str) -> str:
    """Return the answer to a guess, as people write it."""
    return of.labels[of.table[of.guess_index(guess), of.secret_of_guess[of.guess_index(secret)]]]


def drawn_secret(name: str) -> str:
    """Return what the computer hides when it draws with the seed."""
    return new_match(matchup_by_name(name), "guess", rng=np.random.default_rng(SEED)).secret


@pytest.fixture
def terminal_of(tmp_path):
    """Give a function that starts a command in a terminal; whatever still runs at the end is stopped."""
    started = []

    def start(*arguments: str) -> Terminal:
        started.append(Terminal(*arguments, "--seed", str(SEED), cwd=tmp_path))
        return started[-1]

    yield start
    for terminal in started:
        terminal.process.kill()
        terminal.process.wait()


@pytest.fixture
def typed(oracular, monkeypatch):
    """Give a function that plays with lines from a pipe."""

    def play(*arguments: str, lines: list[str]):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return oracular("play", *arguments, "--seed", str(SEED))

    return play


def test_a_person_guesses(terminal_of):
    secret = drawn_secret("jotto-3")
    other = "ego" if secret != "ego" else "zas"
    terminal = terminal_of("play", "jotto-3")
    terminal.read_until("Which way")
    assert "picks its secret with care" in terminal.type("guess", "guess 1>")
    shown = terminal.type("qqq", "guess 1>")
    assert "'qqq' is not in the word list of jotto-3" in shown
    assert f"1  {other}  {answer(game('jotto-3'), other, secret)}" in terminal.type(other, "guess 2>")
    assert "open:" in terminal.type("?", r"(?s)left.*guess 2>")
    assert "words left:" in terminal.type("words", "guess 2>")
    assert "Estimates" in terminal.type("hint", r"(?s)Estimates.*guess 2>")
    assert "taken back" in terminal.type("undo", "guess 1>")
    assert "no move to take back" in terminal.type("undo", "guess 1>")
    shown = terminal.type(secret.upper(), "Review your guesses")
    assert "Found in 1 guess." in shown and f"The computer's word was {secret}." in shown
    assert "Moves taken back: 1" in shown
    terminal.press("y\r")
    assert terminal.finish() == 0
    assert "given away" in terminal.seen and "Traceback" not in terminal.seen


def test_a_person_hides_and_mends_an_answer(terminal_of):
    of, secret = game("jotto-3"), "fix"
    match = new_match(matchup_by_name("jotto-3"), "hide", rng=np.random.default_rng(SEED))
    terminal = terminal_of("play", "jotto-3", "--mode", "hide")
    terminal.read_until(rf"1  {match.pending}")
    assert "'9' is not an answer here" in terminal.type("9", rf"1  {match.pending}")
    assert "is not a command of this way to play" in terminal.type("hint", rf"1  {match.pending}")
    first = match.pending
    match = match.answer(answer(of, first, secret))
    terminal.type(answer(of, first, secret), rf"2  {match.pending}")
    assert "taken back" in terminal.type("undo", rf"1  {first}")
    terminal.type(answer(of, first, secret), rf"2  {match.pending}")
    true = answer(of, match.pending, secret)
    typed, contradicted = "1" if true == "0" else "0", False  # a slip, and nothing but true answers after it
    while match.result is None:
        match = match.answer(typed)
        if match.to_move == "amend":
            shown = terminal.type(typed, "change>")
            assert "contradict each other" in shown and not contradicted
            assert all(f"{c.guess}  {c.answer}, which could be" in shown for c in match.contradiction)
            assert 1 in [correction.turn for correction in match.contradiction]
            match, typed, contradicted = match.amend(1, true), f"2 {true}", True
        terminal.type(typed, "Review" if match.result else rf"{len(match.computers) + 1}  {match.pending}")
        typed = match.pending and answer(of, match.pending, secret)
    assert contradicted and "The computer found fix in" in terminal.seen
    terminal.press("n\r")
    assert terminal.finish() == 0


def test_a_duel(terminal_of):
    match = new_match(matchup_by_name("jotto-2"), "duel", own="of", rng=np.random.default_rng(SEED))
    terminal = terminal_of("play", "jotto-2", "--mode", "duel")
    terminal.read_until("your word>")
    assert "is not in the word list" in terminal.type("zz", "your word>")
    shown = " ".join(terminal.type("of", "guess 1>").split())
    assert ("You begin" if match.starter == "you" else "The computer begins") in shown
    assert "plays for fewest expected guesses" in shown
    other = next(word for word in match.matchup.game.guesses if word != match.secret)
    assert "(yours)" in terminal.type(other, "guess 2>")
    assert "the computer, for of" in terminal.type("sheet", r"(?s)left.*guess 2>")
    assert "taken back" in terminal.type("undo", "guess 1>")
    match = match.guess(match.secret)
    shown = terminal.type(match.secret, "Review")
    assert {"you": "You win", "draw": "A draw", "computer": "The computer wins"}[match.result] in shown
    terminal.press("\r")
    assert terminal.finish() == 0


def test_ctrl_c_and_ctrl_d_leave_cleanly(terminal_of):
    for keys, code in ((CTRL_C, 130), (CTRL_D, 0)):
        terminal = terminal_of("play", "jotto-2", "--mode", "guess")
        terminal.read_until("guess 1>")
        assert terminal.finish(keys) == code
        assert "Traceback" not in terminal.seen


@pytest.mark.parametrize("name", ["jotto-2", "mastermind-2x3", "bulls-2x4", "jotto-3-familiar"])
def test_every_game_is_won_through_a_pipe(typed, name):
    secret = drawn_secret(name)
    won = typed(name, "--mode", "guess", "--json", lines=[secret, "n"])
    assert won.code == 0 and "Found in 1 guess." in won.err
    record = json.loads(won.out)
    assert (record["game"], record["result"], record["secret"]) == (name, "found", secret)
    matchup = matchup_by_name(name)
    of = matchup.guessing.game
    match, lines = new_match(matchup, "hide", rng=np.random.default_rng(SEED)), []
    while match.result is None:
        label = answer(of, match.pending, of.secrets[3])
        lines.append(label.replace(".", " "))
        match = match.answer(label)
    hidden = typed(name, "--mode", "hide", lines=[*lines, "y"])
    assert hidden.code == 0 and f"The computer found {of.secrets[3]} in" in hidden.out
    assert "expected at the start" in " ".join(hidden.out.split())
    duel = typed(name, "--mode", "duel", lines=[of.secrets[3], secret, *([secret] * 9)])
    assert duel.code == 0 and ("You win" in duel.out or "A draw" in duel.out)


def test_wordle_with_lists_of_ones_own(typed, tmp_path):
    (tmp_path / "secrets.txt").write_text("crane\nbrick\njumpy\nsheet\nwords\n")
    (tmp_path / "guesses.txt").write_text("slate\nfloat\n")
    lists = ["--secrets", "secrets.txt", "--guesses", "guesses.txt"]
    shown = typed(
        "wordle", "--mode", "guess", *lists, lines=["help", "slate", "sheet", "guess sheet", "words", "give up"]
    )
    assert shown.code == 0
    assert "To guess the word sheet or words, type: guess sheet" in shown.out
    assert "1  slate" in shown.out and "2  sheet" in shown.out and "3  " not in shown.out
    assert "g in its place" in shown.out
    assert "The computer's word was" in shown.out


def test_a_pipe_that_ends_leaves_without_complaint(typed):
    for lines in ([], ["1"], ["guess", "ai"], ["3", "of"]):
        outcome = typed("jotto-2", lines=lines)
        assert (outcome.code, outcome.err) == (0, "")
    unfinished = typed("jotto-2", "--json", lines=["guess", "ai"])
    assert json.loads(unfinished.out)["yours"][0][0] == "ai"


def test_what_is_no_command_is_reported(typed):
    shown = typed("jotto-2", lines=["4", "2", "/dance", "change 1", "change 9 1", "", "QUIT"]).out
    assert "'4' is not a way to play: type 1, 2 or 3" in shown
    assert "'/dance' is not a command: type help for a list" in shown
    assert "'1' is not a number and an answer: write it like '2 1'" in shown
    assert "there is no answer 9 to change" in shown


def test_asking_for_help_never_costs_a_guess(typed):
    shown = typed("jotto-4", "--mode", "guess", lines=["help", "guess help", "undo", "quit"])
    assert "1  help" in shown.out and shown.out.count("guess 2>") == 1
    assert "quit" in game("jotto-4").guesses and shown.code == 0
    duel = typed("jotto-4", "--mode", "duel", lines=["help", "fact", "give up"])
    assert "'help' is a command" in duel.out and "The game is given up" in duel.out


def test_a_review_fits_a_narrow_screen():
    of = game("jotto-3")
    seen = review(of, "fog:1 gym:3", "gym", hider_uniform(of))
    shown = io.StringIO()
    print_review(Console(file=shown, width=40), seen)
    assert "…" not in shown.getvalue()
    assert all(word in shown.getvalue() for word in ("fog 1", "gym 3", "cost", "luck"))
    for turn in seen.turns:
        assert f"{turn.expected:.2f}" in shown.getvalue()
