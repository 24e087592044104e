"""The result to share, the word that is told, the daily game, and what games are called."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracular
from oracular.errors import HistoryError, MoveError
from oracular.games.jotto import jotto_rules
from oracular.games.offensive import is_offensive
from oracular.play.deductions import answer_to
from oracular.play.match import Match, daily_match, new_match
from oracular.play.opponent import matchup_by_name
from oracular.play.wording import DEFAULT_GAME, share_text, short_title_of, title_of
from oracular.web.matches import TITLES


def _match(name: str, secret: str, *guesses: str) -> Match:
    """A match in which the person has made these guesses."""
    matchup = matchup_by_name(name)
    match = replace(new_match(matchup, "guess", rng=np.random.default_rng(0)), secret=secret)
    for guess in guesses:
        match = match.guess(guess)
    return match


@pytest.mark.parametrize(
    ("name", "secret", "guesses", "text"),
    [
        ("jotto-3", "fog", ["cab", "ego", "fog"], "Jotto (3 letters): found in 3\n○○○ 0\n"),
        ("mastermind-2x3", "12", ["12"], "Mastermind (2x3): found in 1\n⚫⚫"),
        (DEFAULT_GAME, "crane", ["hello", "nacre", "crane"], "Jotto: found in 3\n●○○○○ 1\n●●●●● 5\n●●●●●"),
        ("wordle", "crane", ["slate", "crane"], "Wordle: found in 2 of 6\n⬜⬜🟩⬜🟩\n🟩🟩🟩🟩🟩"),
        ("mastermind-4x6", "1234", ["1256", "1243", "1234"], "Mastermind: found in 3\n⚫⚫➖➖"),
        ("bulls-4x10", "0123", ["0132", "0123"], "Bulls and Cows: found in 2\n🐂🐂🐄🐄\n🐂🐂🐂🐂"),
    ],
)
def test_a_result_has_a_line_for_each_guess_and_no_letter_of_a_word(name, secret, guesses, text):
    match = _match(name, secret, *guesses)
    shared = share_text(match)
    assert shared.startswith(text)
    lines = shared.splitlines()
    assert len(lines) == 1 + len(guesses)
    assert not any(guess in line for guess in guesses for line in lines[1:])


def test_a_result_says_how_the_match_ended():
    match = _match("jotto-3", "fog", "cab")
    assert share_text(match) is None
    assert share_text(match.give_up()).splitlines()[0].endswith(": given up after 1 guess")
    again = match.guess("ego").undo().guess("fog")
    assert share_text(again).splitlines()[0].endswith(": found in 2 (1 taken back)")
    lost = _match("wordle", "crane", *["slate"] * 6)
    assert lost.result == "lost" and share_text(lost).startswith("Wordle: not found in 6\n")
    hidden = new_match(match.matchup, "hide", rng=np.random.default_rng(0)).give_up()
    assert share_text(hidden) is None


@pytest.mark.parametrize(
    ("result", "yours", "computers", "words"),
    [
        ("you", (("cab", "0"), ("fog", "3")), (("fix", "0"),), "I won in 2 guesses"),
        ("computer", (("cab", "0"),), (("fix", "0"), ("ego", "3")), "the computer won in 2 guesses"),
        ("computer", (), (("ego", "3"),), "the computer won in 1 guess"),
    ],
)
def test_a_duel_shares_the_persons_guesses_and_counts_those_of_the_winner(result, yours, computers, words):
    duel = new_match(matchup_by_name("jotto-3"), "duel", own="ego", rng=np.random.default_rng(0), begins="computer")
    ended = replace(duel, yours=yours, computers=computers, result=result)
    first, *lines = share_text(ended).splitlines()
    assert first == f"Jotto (3 letters) duel: {words}" and lines == ["○○○ 0", "●●●"][: len(yours)]


def test_wordle_has_six_rows_for_a_person_who_guesses_alone():
    match = _match("wordle", "crane", *["slate"] * 5)
    assert match.result is None and match.rows == 6
    assert match.guess("crane").result == "found" and match.guess("stole").result == "lost"
    assert matchup_by_name("jotto-3").rows is None
    assert replace(match, mode="duel").rows is None


def test_what_is_told_ends_the_match_and_mistakes_are_named():
    matchup = matchup_by_name("jotto-3")
    match = new_match(matchup, "hide", rng=np.random.default_rng(0))
    first = match.pending
    right = answer_to(matchup.guessing.game, first, "fog")
    wrong = next(label for label in ("0", "1", "2") if label != right)
    assert match.told is None
    told = match.answer(right).tell("FOG").told
    assert (told.in_list, told.mistakes) == (True, ()) and "would have found FOG" in told.note
    mistaken = match.answer(wrong).tell("fog")
    assert (mistaken.result, mistaken.own, mistaken.pending, mistaken.to_move) == ("told", "fog", None, None)
    assert mistaken.told.note == f"{first.upper()} should have been answered {right}, not {wrong}."
    assert Match.from_record(matchup, mistaken.to_record()) == mistaken
    assert match.tell("fog").told.note == "FOG is in the computer's list."
    assert match.tell("eye").told.note.startswith("EYE repeats a letter, so it is not among the 421 words that")
    for word in ("four", "a b", "ab1", "", "äöü"):
        with pytest.raises(HistoryError, match="not a word of 3 letters"):
            match.tell(word)
    with pytest.raises(MoveError, match="only a person who hides"):
        new_match(matchup, "guess", rng=np.random.default_rng(0)).tell("fog")
    with pytest.raises(MoveError, match="over"):
        mistaken.tell("fog")


@given(guess=st.integers(0, 10**4), secret=st.integers(0, 10**4), name=st.sampled_from(["jotto-3", "wordle-3"]))
def test_the_answer_for_any_word_is_that_of_the_game_where_it_has_the_word(guess, secret, name):
    game = matchup_by_name(name).guessing.game
    guess, secret = guess % len(game.guesses), secret % len(game.secrets)
    of_table = game.labels[game.answers(np.array([guess], np.int32), np.array([secret], np.int32))[0, 0]]
    assert answer_to(game, game.guesses[guess], game.secrets[secret]) == of_table


def test_the_daily_game_follows_from_the_date_alone_and_is_drawn_from_the_strategy():
    start = date(2026, 1, 1)
    days = [daily_match(start + timedelta(days=number)) for number in range(200)]
    weights = days[0].matchup.hiding.hider.probability
    assert all(match.daily and weights(match.secret) > 0 and not is_offensive(match.secret) for match in days)
    assert daily_match(start).secret == days[0].secret and days[0].mode == "guess"


def fewest_days_apart(name: str) -> int:
    """Return after how many days a daily secret comes again at the earliest, among 800 days that begin in 2026."""
    matchup, start = matchup_by_name(name), date(2026, 1, 1)
    last: dict[str, int] = {}
    apart = 800
    for number in range(800):
        secret = daily_match(start + timedelta(days=number), matchup).secret
        apart = min(apart, number - last.get(secret, -800))
        last[secret] = number
    return apart


@pytest.mark.parametrize("name", [DEFAULT_GAME, "jotto-3", "jotto-4-familiar", "wordle"])
def test_no_daily_secret_comes_again_within_a_year(name):
    assert fewest_days_apart(name) >= 366


@pytest.mark.slow
@pytest.mark.parametrize("name", TITLES)
def test_no_daily_secret_of_any_game_comes_again_before_it_must(name):
    hider = matchup_by_name(name).hiding.hider
    words = [word for word, weight in zip(hider.game.secrets, hider.weights, strict=True) if weight]
    assert fewest_days_apart(name) >= min(366, sum(not is_offensive(word) for word in words))


def test_games_are_called_what_people_call_them():
    assert title_of("jotto-5-repeats-anagrams-familiar") == "Jotto"
    assert title_of("jotto-4-repeats-familiar") == "Jotto, four letters, no anagrams"
    assert title_of("wordle-4") == "Wordle, four letters" and title_of("own") == "own"
    assert title_of("wordle-hard") == "Wordle, hard mode" and title_of("wordle-twl06") == "Wordle, words of TWL06"
    assert title_of("jotto-4-repeats-familiar-possible") == "Jotto, four letters, no anagrams, only possible guesses"
    assert [short_title_of(name) for name in ("wordle", "wordle-hard", "wordle-3-hard", "wordle-twl06")] == [
        *("Wordle", "Wordle (hard mode)", "Wordle (3 letters, hard mode)", "Wordle (TWL06)")
    ]
    assert [short_title_of(name) for name in ("jotto-5", "jotto-4-possible", "bulls-3x5", "mastermind-4x6")] == [
        *("Jotto", "Jotto (4 letters, only possible guesses)", "Bulls and Cows (3x5)", "Mastermind")
    ]
    for own in ("mastermind-axb", "mastermind-4", "bulls-x", "wordle-of-mine", "jotto-mine", "mine-hard"):
        assert title_of(own) == short_title_of(own) == own
    assert jotto_rules("wordle") is None
    assert jotto_rules("jotto-12-anagrams").letters == 12
    assert oracular.game(DEFAULT_GAME).name == DEFAULT_GAME
