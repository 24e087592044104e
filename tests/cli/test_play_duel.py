"""A person plays a duel in a terminal, with the chance to win."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest
from rich.console import Console

from oracular.cli.play_session import chance_line
from oracular.play import opponent
from oracular.play.duel_review import Chance
from oracular.play.match import new_match
from oracular.play.opponent import matchup_by_name

pytest.importorskip("pty", reason="this system has no pseudo-terminals")

from typing_moves import AGAIN, GUESS, SEED

from pseudo_terminal import CTRL_D


def test_a_duel(terminal_of):
    matchup = matchup_by_name("jotto-2")
    match = new_match(matchup, "duel", own="of", rng=np.random.default_rng(SEED), begins="computer")
    terminal = terminal_of("play", "jotto-2", "--mode", "duel", "--begins", "computer")
    terminal.read_until("(?s)The computer begins this duel.*the word you hide")
    assert "ZZ is not in the dictionary: take another word." in terminal.type("zz", "the word you hide")
    shown = " ".join(terminal.type("of", GUESS).split())
    assert "The computer began. Whoever finds the other's word first wins at once." in shown
    assert "sees the answers and nothing else" in shown
    other = next(word for word in match.matchup.game.guesses if word != match.secret)
    assert "(yours)" in terminal.type(other, GUESS)
    assert "the computer, for of" in terminal.type("sheet", rf"(?s)left.*{GUESS}")
    chance = r"your chance to win: (about |[<>])\d+% [█░]{10}"
    terminal.type("chance", rf"(?s)shown after each turn.*{chance}.*if both guess well.*{GUESS}")
    undone = terminal.type("undo", rf"(?s){chance}.*{GUESS}")
    assert "taken back" in undone and "guess well" not in undone, "what the figure means is said once"
    match = match.guess(match.secret)
    shown = " ".join(terminal.type(match.secret, "Review").split())
    assert "You win: you found its word first, in 1 guess." in shown and match.result == "you"
    shown = " ".join(terminal.type("y", AGAIN).split())
    assert "before and after each guess" in shown and shown.count("The turning point was") == 1
    assert "'4' is neither yes nor no" in terminal.type("4", AGAIN)
    assert "You begin this duel." in terminal.type("", "the word you hide"), "who begins alternates"
    terminal.type("of", rf"(?s)You begin\. .*{chance}.*{GUESS}")  # and it is still shown
    assert terminal.finish(CTRL_D) == 0


def test_the_chance_to_win_fits_narrow_screens_and_plain_ones(typed, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    shown = typed("jotto-2", "--mode", "duel", "--chance", lines=["of", "ai", "chance", "ox", "give up", "y"]).out
    bars = [line for line in shown.splitlines() if line.startswith("your chance to win")]
    assert 1 <= len(bars) <= 2 and all(len(line) <= 60 and line[-1] in "█░" for line in bars)
    assert max(map(len, shown.splitlines())) <= 60 and re.search(r"who +guess +answer +before +after", shown)
    console = Console(file=io.TextIOWrapper(io.BytesIO(), encoding="ascii"), width=60)
    assert chance_line(Chance(0.57, 400), console) == "your chance to win: about 57% ######----"
    assert chance_line(Chance(0.001, 4000), console) == "your chance to win: <1% ----------"
    refused = typed("jotto-2", "--mode", "guess", "--chance", lines=[])
    assert refused.code == 2 and "--chance is for a duel" in refused.err


def test_the_terminal_says_once_that_there_is_no_chance(typed, monkeypatch):
    monkeypatch.setattr(opponent, "LARGEST_VALUED", 10)
    shown = " ".join(
        typed("jotto-2", "--mode", "duel", "--chance", lines=["of", "ai", "chance", "give up", "y"]).out.split()
    )
    assert shown.count("too large for an estimate") == 2, "at the start, and when it is asked for"
    assert "after each turn" not in shown and "turning point" not in shown


def test_a_hint_in_a_duel_says_what_it_aims_at(typed):
    shown = typed("jotto-2", "--mode", "duel", "--begins", "you", lines=["of", "hint", "quit"]).out
    assert "They aim at few guesses" in " ".join(shown.split())
    assert "They aim" not in typed("jotto-2", "--mode", "guess", lines=["hint", "quit"]).out
