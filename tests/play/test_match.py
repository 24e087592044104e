"""Matches between a person and the computer: whole games each way, undo, contradictions, and who sees what."""

from __future__ import annotations

import weakref
from collections import Counter
from datetime import date
from itertools import product

import numpy as np
import pytest

import oracular
from oracular.errors import HistoryError, MoveError
from oracular.play import opponent
from oracular.play.deductions import answer_to, is_consistent
from oracular.play.match import Match, Side, daily_match, new_match
from oracular.play.opponent import matchup, matchup_by_name
from oracular.play.wording import check_word


def test_a_person_finds_a_secret_that_the_hider_may_hide():
    matchup = matchup_by_name("jotto-3")
    match = new_match(matchup, "guess", rng=np.random.default_rng(5))
    assert match.secret in matchup.game.secrets and match.to_move == "guess"
    match = match.guess("Ego")
    assert match.yours == (("ego", answer_to(matchup.game, "ego", match.secret)),)
    assert match.result is None
    match = match.guess(match.secret)
    assert match.result == "found" and match.to_move is None
    with pytest.raises(MoveError, match="over"):
        match.guess("ego")


@pytest.mark.parametrize("name", ["jotto-3", "jotto-3-familiar", "mastermind-2x4", "bulls-2x4", "wordle-2"])
def test_the_computer_finds_every_kind_of_secret(name):
    matchup = matchup_by_name(name)
    game = matchup.guessing.game
    for number, secret in enumerate(game.secrets[:: len(game.secrets) // 7]):
        match = new_match(matchup, "hide", rng=np.random.default_rng(number))
        while match.result is None:
            match = match.answer(answer_to(game, match.pending, secret))
        assert match.result == "found" and match.computers[-1][0] == secret


def test_a_contradiction_is_reported_at_once_and_one_answer_mends_it():
    matchup = matchup_by_name("jotto-3")
    game = matchup.guessing.game
    match = new_match(matchup, "hide", rng=np.random.default_rng(1))
    wrong_turns: list[tuple[int, str]] = []
    while not wrong_turns:
        match = match.answer(answer_to(game, match.pending, "fix"))
        changes = product(range(len(match.computers)), game.labels[:-1])
        wrong_turns = [change for change in changes if match.amend(*change).to_move == "amend"]
    wrong_turn = wrong_turns[0]
    broken = match.amend(*wrong_turn)
    assert broken.to_move == "amend" and broken.pending is None
    right = match.computers[wrong_turn[0]][1]
    assert any(c.turn == wrong_turn[0] and right in c.could_be for c in broken.contradiction)
    with pytest.raises(MoveError, match="contradict"):
        broken.answer("0")
    assert broken.amend(wrong_turn[0], right) == match
    while broken.computers:
        broken = broken.undo()
        assert broken.to_move == ("answer" if is_consistent(game, broken.computers) else "amend")


@pytest.mark.parametrize("begins", ["you", "computer"])
def test_in_a_duel_the_first_to_find_wins_at_once(begins):
    match = _duel(begins=begins)
    assert match.starter == begins and len(match.computers) == (begins == "computer")
    won = match.guess(match.secret)
    assert won.result == "you" and won.computers == match.computers  # no last reply
    words = iter(word for word in match.matchup.game.guesses if word != match.secret)
    while match.result is None:
        match = match.guess(next(words))
    assert match.result == "computer" and match.computers[-1] == ("fix", "3")
    assert len(match.computers) - len(match.yours) == (begins == "computer")
    order = match.in_order
    assert [side for side, *_ in order[:2]] == [begins, match.next_begins]
    assert order[-1] == ("computer", "fix", "3") and len(order) == len(match.yours) + len(match.computers)


def test_who_begins_alternates_and_is_drawn_where_nobody_says():
    assert {_duel(seed=seed).starter for seed in range(12)} == {"you", "computer"}
    first = _duel(begins="you")
    assert first.next_begins == "computer" and _duel(begins=first.next_begins).next_begins == "you"
    with pytest.raises(MoveError, match="'nobody' cannot begin: choose one of you, computer"):
        _duel(begins="nobody")
    with pytest.raises(MoveError, match="only in a duel either side can begin"):
        new_match(matchup_by_name("jotto-3"), "guess", begins="you")


def _duel(seed: int = 0, begins: Side | None = None, own: str = "fix") -> Match:
    return new_match(matchup_by_name("jotto-3"), "duel", own=own, rng=np.random.default_rng(seed), begins=begins)


def test_duels_of_earlier_versions_are_taken_up_by_the_rule_of_today_or_refused():
    """They gave both sides equal turns: the computer could have found the word and wait for a last reply."""
    match = _duel(begins="computer")
    waiting = match.to_record() | {"computers": [["ego", "0"], ["fix", "3"]], "yours": [["ego", "0"]]}
    waiting["secret"] = "fix"
    assert Match.from_record(match.matchup, waiting).result == "computer"
    assert Match.from_record(match.matchup, match.to_record()) == match
    with pytest.raises(MoveError, match="ended in a draw"):
        Match.from_record(match.matchup, waiting | {"result": "draw"})


def test_what_the_computer_sees_has_nothing_of_the_persons_word():
    first, other = _duel(own="ego", seed=2, begins="you"), _duel(own="gym", seed=2, begins="you")
    assert (first.draw, first.secret) == (other.draw, other.secret)
    assert first.view("computer") == other.view("computer") and first.view("you") != other.view("you")
    assert (first.view("computer").own, first.view("you").own) == (first.secret, "ego")


@pytest.mark.parametrize("mode", ["guess", "hide", "duel"])
@pytest.mark.parametrize("seed", range(4))
def test_undo_brings_back_the_position_before(mode, seed):
    matchup = matchup_by_name("jotto-3")
    match = new_match(matchup, mode, own="fix" if mode == "duel" else None, rng=np.random.default_rng(seed))
    with pytest.raises(MoveError, match="no move"):
        match.undo()
    for number in range(3):
        if mode == "hide":
            after = match.answer(answer_to(matchup.game, match.pending, "fix"))
        else:
            after = match.guess(matchup.game.guesses[7 * number])
        if after.result is not None:
            break
        taken_back = after.undo()
        assert taken_back.to_record() | {"undone": 0} == match.to_record()
        assert taken_back.undone == 1
        match = after


@pytest.mark.parametrize("mode", ["guess", "hide", "duel"])
def test_a_match_is_taken_up_from_its_record(mode):
    matchup = matchup_by_name("jotto-3")
    match = new_match(matchup, mode, own="fix" if mode == "duel" else None, rng=np.random.default_rng(9))
    match = match.answer("0") if mode == "hide" else match.guess("ego")
    assert Match.from_record(matchup, match.to_record()) == match


def test_with_familiar_words_the_computer_hides_less_and_takes_any_word_of_yours():
    matchup = matchup_by_name("jotto-3-familiar")
    assert matchup.game.name == "jotto-3-familiar" and matchup.guessing.game.name == "jotto-3"
    rare = next(w for w in matchup.guessing.game.secrets if w not in matchup.game.secrets)
    match = new_match(matchup, "duel", own=rare, rng=np.random.default_rng(0))
    assert match.secret in matchup.game.secrets
    assert match.guess(rare).yours[-1][0] == rare
    assert "familiar" in matchup.lists


@pytest.mark.parametrize(
    ("mode", "own", "error", "sentence"),
    [
        ("duel", None, MoveError, "needs your secret"),
        ("guess", "ego", MoveError, "needs your secret"),
        ("race", None, MoveError, "not a way to play"),
        ("duel", "eggs", HistoryError, "4 letters"),
    ],
)
def test_a_match_that_cannot_begin_is_refused(mode, own, error, sentence):
    with pytest.raises(error, match=sentence):
        new_match(matchup_by_name("jotto-3"), mode, own=own)


def test_without_shipped_strategies_the_computer_opens_differently_where_codes_are_alike():
    matchup = matchup_by_name("bulls-2x4")
    openings = {new_match(matchup, "hide", rng=np.random.default_rng(seed)).pending for seed in range(12)}
    assert len(openings) > 3


def test_the_computer_plays_the_shipped_trees_of_a_code_game_under_random_exchanges():
    matchup = matchup_by_name("mastermind-4x6")
    assert "takes 4.341 guesses" in matchup.description("guess") and "with care" in matchup.description("duel")
    never = {code for code in matchup.game.secrets if len(set(code)) == 1}
    assert not never & {new_match(matchup, "guess", rng=np.random.default_rng(seed)).secret for seed in range(99)}
    openings = [new_match(matchup, "hide", rng=np.random.default_rng(seed)).pending for seed in range(12)]
    assert len(set(openings)) > 3
    trees = [tree.guess(matchup.game.all_secrets) for tree in oracular.load("mastermind-4x6").guesser.oracles]
    shapes = {tuple(sorted(Counter(matchup.game.guesses[tree]).values())) for tree in trees}
    assert {tuple(sorted(Counter(opening).values())) for opening in openings} <= shapes


def test_each_guess_counts_in_the_daily_game_and_where_rows_are_limited():
    daily = daily_match(date(2026, 11, 16)).guess("hello")
    wordle = new_match(matchup_by_name("wordle"), "guess", rng=np.random.default_rng(0)).guess("slate")
    for match, where in ((daily, "the daily game"), (wordle, "a game of 6 guesses")):
        assert not match.may_undo
        with pytest.raises(MoveError, match=f"each guess counts in {where}, so none can be taken back: guess on"):
            match.undo()
    duel = new_match(matchup_by_name("wordle"), "duel", own="crane", rng=np.random.default_rng(0)).guess("slate")
    assert duel.may_undo and duel.undo().yours == ()
    with pytest.raises(HistoryError, match="'aahed' may not be hidden in wordle: begin a new match"):
        Match.from_record(duel.matchup, duel.to_record() | {"own": "aahed"})  # as lists of an earlier version had it
    free = new_match(matchup_by_name("jotto-3"), "guess", rng=np.random.default_rng(0))
    assert not free.may_undo and free.guess("ego").may_undo and not free.guess(free.secret).may_undo


def test_games_whose_tables_take_too_much_memory_are_dropped_and_made_again(monkeypatch):
    monkeypatch.setattr(opponent, "MOST_TABLES", 2_000_000)
    answers = {name: matchup_by_name(name).game.by_secret.copy() for name in ("mastermind-4x6", "jotto-3")}
    dropped = weakref.ref(matchup_by_name("mastermind-4x6").game)
    assert matchup_by_name("mastermind-4x6").game.by_secret.nbytes < 2_000_000  # alone it fits
    assert matchup_by_name("jotto-4").game.by_secret.nbytes > 2_000_000
    kept = matchup_by_name("jotto-2")
    assert dropped() is None
    assert matchup_by_name("jotto-2") is kept
    for name, before in answers.items():
        assert np.array_equal(matchup_by_name(name).game.by_secret, before)


LISTED = ["crane", "caner", "hello", "fjord", "vixen", "light"]


@pytest.mark.parametrize("name", ["jotto-5", "jotto-5-familiar"])
def test_the_whole_of_a_list_of_ones_own_may_be_guessed_and_is_checked(name):
    own = matchup(oracular.game(name, words=LISTED))
    assert set(own.game.guesses) == set(LISTED)
    notes = {word: check_word(own, word) for word in [*LISTED, "zebra"]}
    assert (
        notes["crane"].note() == "CRANE has an anagram (CANER), so it may be guessed but not hidden: take another word."
    )
    assert notes["hello"].note("switch it on").endswith("not hidden: switch it on, or take another word.")
    assert (notes["hello"].broken, notes["crane"].broken) == (("repeats",), ("anagrams",))
    assert notes["fjord"].note() == "FJORD is in the list." and notes["fjord"].broken == ()
    assert notes["zebra"].note() == "ZEBRA is not in your lists: take another word."
