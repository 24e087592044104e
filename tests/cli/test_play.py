"""A person plays in a real terminal: a whole game each way, with slips, second thoughts and ways out."""

from __future__ import annotations

import io
import json
import re
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from oracular import Game, game
from oracular.cli.play_session import COMMANDS, commands_of, turn_text
from oracular.play.match import daily_match, new_match
from oracular.play.opponent import matchup_by_name

pytest.importorskip("pty", reason="this system has no pseudo-terminals")

from typing_moves import AGAIN, GUESS, SEED

from pseudo_terminal import CTRL_C, CTRL_D

ROOT = Path(__file__).parents[2]


def answer(of: Game, guess: str, secret: str) -> str:
    """Return the answer to a guess, as people write it."""
    return of.labels[of.table[of.guess_index(guess), of.secret_of_guess[of.guess_index(secret)]]]


def drawn_secret(name: str) -> str:
    """Return what the computer hides when it draws with the seed."""
    return new_match(matchup_by_name(name), "guess", rng=np.random.default_rng(SEED)).secret


def test_a_person_guesses(terminal_of):
    secret = drawn_secret("jotto-3")
    other = "ego" if secret != "ego" else "zas"
    terminal = terminal_of("play", "jotto-3")
    terminal.read_until("Which way")
    assert "If the word were HEN, NET would be answered 2: N and E are in both." in terminal.type("", GUESS)
    assert "'qqq' is not in the dictionary" in terminal.type("qqq", GUESS)
    assert f"1  {other}  {answer(game('jotto-3'), other, secret)}" in terminal.type(other, GUESS)
    assert "Type a guess (3 letters), or:" in terminal.type("?", rf"(?s)quit.*{GUESS}")
    assert "open:" in terminal.type("sheet", rf"(?s)left.*{GUESS}")
    assert "words left:" in terminal.type("words", GUESS)
    assert "Estimates" in terminal.type("hint", rf"(?s)Estimates.*{GUESS}")
    assert "taken back" in terminal.type("undo", GUESS)
    assert "no move to take back" in terminal.type("undo", GUESS)
    shown = terminal.type(secret.upper(), "Review your guesses")
    assert "Found in 1 guess." in shown and f"The computer's word was {secret}." in shown
    assert "Moves taken back: 1" in shown
    assert "found in 1 (1 taken back)\r\n●●●\r\n" in shown
    assert "given away" in terminal.type("y", AGAIN)
    terminal.type("", GUESS)
    terminal.type("give up", AGAIN)
    terminal.press("n\r")
    assert terminal.finish() == 0
    assert "Traceback" not in terminal.seen


def test_a_person_hides_and_mends_an_answer(terminal_of):
    of, secret = game("jotto-3"), "fix"
    match = new_match(matchup_by_name("jotto-3"), "hide", rng=np.random.default_rng(SEED))
    terminal = terminal_of("play", "jotto-3", "--mode", "hide")
    terminal.read_until(rf"your answer to {match.pending.upper()} \(0-3\): ")
    assert "'9' is not an answer here" in terminal.type("9", "your answer to")
    assert "is not a command of this way to play" in terminal.type("hint", "your answer to")
    assert "HEN is in the list" in terminal.type("check hen", r"(?s)in the list.*your answer to")
    checked = " ".join(terminal.type("check ebb", r"(?s)another word.*your answer to").split())
    assert "EBB repeats a letter, so it may be guessed but not hidden: play jotto-3-repeats, or take" in checked
    first = match.pending
    match = match.answer(answer(of, first, secret))
    terminal.type(answer(of, first, secret), rf"to {match.pending.upper()} ")
    assert "taken back" in terminal.type("undo", rf"to {first.upper()} ")
    terminal.type(answer(of, first, secret), rf"to {match.pending.upper()} ")
    true = answer(of, match.pending, secret)
    typed, contradicted = "1" if true == "0" else "0", False  # a slip, and nothing but true answers after it
    while match.result is None:
        match = match.answer(typed)
        if match.to_move == "amend":
            shown = terminal.type(typed, "number and answer")
            assert "contradict each other" in shown and not contradicted
            assert all(f"{c.guess}  {c.answer}, which could be" in shown for c in match.contradiction)
            assert 1 in [correction.turn for correction in match.contradiction]
            example = f"{match.contradiction[0].turn + 1} {match.contradiction[0].could_be[0]}"
            assert f"the right answer, like {example}, or undo" in shown
            helped = terminal.type("?", rf"(?s)leave.*number and answer \(like {example}\)")
            assert f"Type the number of a guess and its right answer, like {example}, or:" in helped
            refused = terminal.type("change", r"(?s)like '.*number and answer")
            assert f"write it like 'change {example}'" in " ".join(refused.split())
            match, typed, contradicted = match.amend(1, true), f"2 {true}", True
        terminal.type(typed, "Review" if match.result else rf"to {match.pending.upper()} ")
        typed = match.pending and answer(of, match.pending, secret)
    assert contradicted and "The computer found fix in" in terminal.seen
    terminal.type("n", AGAIN)
    assert terminal.finish(CTRL_D) == 0


def test_ctrl_c_and_ctrl_d_leave_cleanly(terminal_of):
    for keys, code in ((CTRL_C, 130), (CTRL_D, 0)):
        terminal = terminal_of("play", "jotto-2", "--mode", "guess")
        terminal.read_until(GUESS)
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
    assert duel.code == 0 and ("You win" in duel.out or "The computer wins" in duel.out)


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
    shown = " ".join(shown.split())  # lines may wrap
    assert "'4' is not a way to play: type 1, 2 or 3" in shown
    assert "'/dance' is not a command: type help for a list" in shown
    assert "'1' is not the number of a guess and its right answer: write it like 'change 1 0'" in shown
    assert "there is no answer 9 to change" in shown


def test_asking_for_help_never_costs_a_guess(typed):
    shown = typed("jotto-4", "--mode", "guess", lines=["help", "guess help", "undo", "quit"])
    assert "1  help" in shown.out and "2  " not in shown.out
    assert "quit" in game("jotto-4").guesses and shown.code == 0
    duel = typed("jotto-4", "--mode", "duel", lines=["?", "help", "hint", "fact", "give up"])
    assert duel.out.count("Type a word of your own (4 letters)") == 2 and "'hint' is a command" in duel.out
    assert "The game is given up" in duel.out


def test_a_person_who_names_no_game_is_asked(typed):
    shown = typed(lines=["", "", "hello", "crane", "quit"])
    assert shown.code == 0
    assert "1  Jotto" in shown.out and "(jotto-5-repeats-anagrams-familiar)" in shown.out
    assert re.search(r"1  hello  \d", shown.out) and re.search(r"2  crane  \d", shown.out)
    assert max(len(line) for line in shown.out.split("Which way")[0].splitlines()) <= 60
    by_name = typed(lines=["chess", "0", "99", "wordl", "MASTERMIND", "1", "quit"])
    assert by_name.out.count("is not a game") == 4 and "did you mean 'wordle'?" in by_name.out
    assert "Mastermind, four pegs of six colours (mastermind-4x6)" in by_name.out
    assert json.loads(typed("--json", lines=[]).out) == {"game": None, "result": None}
    for lines in (["?", "q"], ["1", "?", "quit"], ["1", "duel", "?", "exit"], ["1", "2", "?", "q"]):
        left = typed(lines=lines)
        assert (left.code, left.err) == (0, "") and "is not a" not in left.out
        assert re.search("Type (a|1|an) ?", left.out)


def test_a_mistyped_game_is_taken_after_a_yes_at_a_terminal(terminal_of, typed):
    terminal = terminal_of("play", "jotto", "2", "--mode", "guess")
    terminal.read_until(GUESS)
    assert terminal.finish(CTRL_D) == 0
    terminal = terminal_of("play", "joto-2", "--mode", "guess")
    terminal.read_until(r"did you mean 'jotto-2'\? \[Y/n\]")
    assert "(jotto-2)" in terminal.type("", GUESS)
    assert terminal.finish(CTRL_D) == 0
    refused = typed("joto-2", lines=["y"])
    assert (refused.code, refused.err) == (2, "error: 'joto-2' is not a game: did you mean 'jotto-2'?\n")


def test_a_word_that_is_not_in_the_list_is_told_and_ends_the_game(typed):
    of = game("jotto-3")
    match, lines = new_match(matchup_by_name("jotto-3"), "hide", rng=np.random.default_rng(SEED)), []
    while match.to_move == "answer":  # 0 to every guess: sooner or later no word is left
        lines.append("0")
        match = match.answer("0")
    shown = typed("jotto-3", "--mode", "hide", "--json", lines=[*lines, "tell", "zzz"])
    assert "My word is not in your list? Type tell and the word." in shown.err
    assert f"is not among the {len(of.secrets)} words that the computer knows." in " ".join(shown.err.split())
    assert json.loads(shown.out)["result"] == "told"
    early = typed("jotto-3", "--mode", "hide", lines=["tell zz", "tell fix"])
    assert "'zz' is not a word of 3 letters" in early.out and "FIX is in the computer's list." in early.out
    assert "Review" not in early.out


def test_the_commands_are_those_of_the_documentation():
    rows = re.findall(r"(?m)^\| `([a-z ]+)`[^|]*\| ([^|]+?) \|", (ROOT / "docs/play.md").read_text(encoding="utf-8"))
    assert [command for command, _ in rows] == list(COMMANDS)
    modes = {"guess": "always|you guess|unless each guess counts", "hide": "always|you hide|unless each guess counts"}
    for mode, when in modes.items():
        match = new_match(matchup_by_name("jotto-2"), mode)
        assert [command for command, told in rows if re.fullmatch(when, told)] == commands_of(match)
    daily = commands_of(daily_match(date(2026, 11, 16)))
    assert [command for command, told in rows if told in ("always", "you guess")] == daily


def test_wordle_has_six_rows(typed):
    secret = drawn_secret("wordle-3")
    wrong = next(word for word in game("wordle-3").guesses if word != secret)
    shown = typed("wordle-3", "--mode", "guess", lines=[wrong] * 6)
    assert "your guess 6 of 6 (3 letters): " in shown.out and "Not found in 6 guesses" in shown.out
    assert f"The computer's word was {secret}." in shown.out
    assert shown.out.count(f"  {wrong}  ") == 6 and "Wordle (3 letters): not found in 6\n" in shown.out
    assert len(re.findall(r"(?m)^[🟩🟨⬜]{3}$", shown.out)) == 6


def test_the_game_of_the_day_is_the_same_for_everybody(typed, oracular, monkeypatch):
    day = date(2026, 11, 16)
    monkeypatch.setattr("oracular.play.match.today", lambda: day)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{daily_match(day).secret}\nn\n"))
    shown = oracular("play", "--daily").out
    assert "Jotto of 2026-11-16" in shown and "Jotto 16 Nov 2026: found in 1\n●●●●●\n" in shown
    own = [["wordle"], ["--mode", "hide"], ["--seed", "1"], ["--familiar"], ["--words", "words.txt"]]
    for options in own:
        refused = oracular("play", "--daily", *options)
        assert refused.code == 2 and f"for everybody: leave {' '.join(options[:1])}" in refused.err, options


@pytest.mark.parametrize(
    ("settings", "colours", "signs"),
    [
        ({"force_terminal": True, "color_system": "standard"}, True, True),
        ({"force_terminal": True, "color_system": "standard", "no_color": True}, False, True),
        ({"force_terminal": True, "color_system": "standard", "file": "ascii"}, True, False),
        ({}, False, True),
    ],
    ids=["colours", "NO_COLOR", "ASCII", "a file"],
)
def test_tiles_and_pegs_are_coloured_where_they_can_be_and_say_all_without(settings, colours, signs):
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding="ascii" if settings.pop("file", "") else "utf-8")
    console = Console(file=file, width=80, highlight=False, **settings)
    wordle, mastermind = game("wordle-3", secrets=["cab", "bad"]), game("mastermind-4x6")
    console.print(turn_text(wordle, 1, "cab", "gy-", console))
    console.print(turn_text(mastermind, 2, "1166", "1.2", console))
    file.flush()
    text = raw.getvalue().decode()
    assert ("\x1b[1;30;42m C \x1b" in text) == colours and ("\x1b[37;41m 1 \x1b" in text) == colours
    assert ("●○○" in text) == (colours and signs)
    assert "gy-" in text and "1 black, 2 white" in text
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert ("  1  cab  gy-" in plain) == (not colours) and (" C  A  B " in plain) == colours


@pytest.mark.parametrize("name", ["jotto-3", "wordle-3", "mastermind-3x3", "bulls-3x5"])
def test_players_read_plain_words(typed, name):
    of = game(name)
    texts = [
        typed(name, "--mode", "guess", lines=["help", of.guesses[0], "sheet", "hint", "give up", "y"]).out,
        typed(name, "--mode", "hide", lines=["help", "words", "give up"]).out,
        typed(name, "--mode", "duel", lines=[of.secrets[0], of.guesses[0], "give up"]).out,
    ]
    for text in texts:
        assert not re.search(r"oracle|equilibri|greedy|played out|logarithm|\bstrateg", text), text


def test_a_code_may_be_typed_with_spaces_and_answered_in_any_notation(typed):
    shown = typed("mastermind-3x3", "--mode", "guess", lines=["1 1 2", "1,1,2", "quit"]).out
    assert shown.count("  112  ") == 2
    match = new_match(matchup_by_name("mastermind-3x3"), "hide", rng=np.random.default_rng(SEED))
    answers = typed("mastermind-3x3", "--mode", "hide", lines=["0b1w", "undo", "1w", "quit"]).out
    assert answers.count(f"  1  {match.pending}  0 black, 1 white") == 2


def test_all_letters_may_be_meant_as_the_word_itself(terminal_of):
    name = "jotto-3-anagrams"
    match = new_match(matchup_by_name(name), "hide", rng=np.random.default_rng(SEED))
    terminal = terminal_of("play", name, "--mode", "hide")
    terminal.read_until(r"\(0-3, or found\): ")
    assert "give one of 0, 1, 2, 3, found" in terminal.type("4", r"or found\): ")
    question = rf"All 3 letters: is {match.pending.upper()} your word\? \[Y/n\]"
    terminal.type("3", question)
    assert "'3' is neither yes nor no: type y or n" in terminal.type("3", question)
    assert f"The computer found {match.pending} in 1 guess." in terminal.type("", "Review")
    assert terminal.finish(CTRL_D) == 0
