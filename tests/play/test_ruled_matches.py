"""Matches, advice and reviews where only some guesses are allowed: nobody breaks the rule, and everybody hears why."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import oracular
from oracular import advise, review
from oracular.errors import HistoryError, MoveError
from oracular.play.deductions import answer_to
from oracular.play.duel_review import recorded_duel, review_duel, winning_chance
from oracular.play.match import Match, new_match
from oracular.play.opponent import Matchup, matchup, matchup_by_name
from oracular.play.wording import check_word, share_text

HARD = "wordle-3-hard"
NAMES = [HARD, "wordle-3-possible", "jotto-2-possible", "jotto-3-familiar-possible", "mastermind-2x3-possible"]
SECRETS = "ant ate bat cat eat eta fat hat hen mat net pat pea rat sat sea tea ten toe".split()
OTHERS = "bfh bog cmp fly tee too".split()  # some would tell more than hard mode allows


@cache
def played(name: str) -> Matchup:
    """Return both halves of a match; Wordle has few words, so that games are short."""
    if name.startswith("wordle"):
        return matchup(oracular.game(name, secrets=SECRETS, guesses=[*SECRETS, *OTHERS]))
    return matchup_by_name(name)


def begun(name: str, mode: str, seed: int, **given: str) -> Match:
    return new_match(played(name), mode, rng=np.random.default_rng(seed), **given)


def allowed_by_the_rules(game: oracular.Game, turns: object) -> set[str]:
    """Return the guesses that the rules allow after some turns, worked out plainly."""
    turns = game.parse_history(turns)
    possible = game.all_secrets
    for turn in turns:
        possible = game.narrow(possible, turn)
    if game.guessing.rule == "possible":
        return {game.secrets[secret] for secret in possible}
    words = set(game.guesses)
    for guess, answer in turns:
        word, marks = game.guesses[guess], game.labels[answer]
        shown = [letter for letter, mark in zip(word, marks, strict=True) if mark != "-"]
        words = {
            other
            for other in words
            if all(other.count(letter) >= shown.count(letter) for letter in shown)
            and all(mark != "g" or other[place] == word[place] for place, mark in enumerate(marks))
        }
    return words


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(2))
def test_a_person_may_guess_just_what_the_rule_allows(name, seed):
    match = begun(name, "guess", seed)
    game, rng = match.matchup.game, np.random.default_rng(seed)
    for _ in range(4):
        allowed = allowed_by_the_rules(game, match.yours)
        forbidden = sorted(set(game.guesses) - allowed)
        for word in rng.choice(forbidden, min(5, len(forbidden)), replace=False) if forbidden else ():
            with pytest.raises(HistoryError, match=f"'{word}' .*(not allowed|only what)"):
                match.guess(str(word))
        match = match.guess(str(rng.choice(sorted(allowed - {match.secret}))))
        assert Match.from_record(match.matchup, match.to_record()) == match
        if allowed_by_the_rules(game, match.yours) == {match.secret} or match.result:
            break


@pytest.mark.parametrize("name", NAMES)
def test_the_computer_keeps_to_the_rule_when_it_guesses(name):
    game = played(name).guessing.game
    for seed, secret in enumerate(game.secrets[:: max(1, len(game.secrets) // 6)]):
        match = begun(name, "hide", seed)
        while match.to_move == "answer":
            assert match.pending in allowed_by_the_rules(game, match.computers)
            match = match.answer(answer_to(game, match.pending, secret))
        assert match.result == "found" and match.computers[-1][0] == secret
        assert review(game, match.computers).guesses == len(match.computers)


@pytest.mark.parametrize("name", NAMES)
def test_both_sides_of_a_duel_keep_to_the_rule(name):
    pair = played(name)
    own = pair.guessing.game.secrets[3]
    match = begun(name, "duel", 5, own=own, begins="computer")
    game = pair.game
    while match.result is None:
        allowed = allowed_by_the_rules(game, match.yours)
        for word in sorted(set(game.guesses) - allowed)[:1]:
            with pytest.raises(HistoryError):
                match.guess(word)
        assert 0 < winning_chance(match).chance <= 1
        match = match.guess(max(allowed))
    for number, (guess, _) in enumerate(match.computers):
        assert guess in allowed_by_the_rules(pair.guessing.game, match.computers[:number])
    assert len(review_duel(match).turns) == len(match.in_order)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("objective", ["mean", "within-4"])
def test_advice_and_reviews_name_allowed_guesses_alone(name, objective):
    match = begun(name, "guess", 2)
    game = match.matchup.game
    while match.result is None:
        allowed = allowed_by_the_rules(game, match.yours)
        if objective == "mean" or len(match.yours) < 4:
            advice = advise(game, match.yours, match.matchup.hiding.hider, objective=objective)
            assert {one.guess for one in advice.suggestions} <= allowed
            assert any(one.possible for one in advice.suggestions)
        match = match.guess(min(allowed))
    result = review(game, match.yours, match.secret, match.matchup.hiding.hider)
    assert all(
        turn.best in allowed_by_the_rules(game, match.yours[:number]) and turn.cost >= 0
        for number, turn in enumerate(result.turns)
    )
    assert result.guesses + result.to_come == pytest.approx(result.start + result.cost - result.luck)


def test_an_answer_may_be_amended_though_the_guesses_after_it_would_not_have_been_allowed():
    match = begun(HARD, "hide", 1)
    game = match.matchup.guessing.game
    other = {label for label in game.labels if label != match.answer("ggg").computers[0][1]}
    match = match.answer(answer_to(game, match.pending, "eat"))
    match = match.answer(answer_to(game, match.pending, "eat")) if match.result is None else match
    for label in sorted(other):
        amended = match.amend(0, label) if match.result is None else match
        if amended.to_move == "answer":
            assert amended.pending in allowed_by_the_rules(game, amended.computers)


def test_a_stored_match_is_believed_only_where_its_game_takes_it():
    match = begun(HARD, "guess", 0)
    secret = match.secret
    wrong = next(word for word in SECRETS if answer_to(match.matchup.game, word, secret).count("g") == 1)
    match = match.guess(wrong)
    broken = next(word for word in SECRETS if word not in allowed_by_the_rules(match.matchup.game, match.yours))
    record = match.to_record()
    for change in (
        {"yours": [*record["yours"], [broken, answer_to(match.matchup.game, broken, secret)]]},
        {"yours": [["zzz", "---"]]},
        {"secret": "bog"},
        {"secret": "zzz"},
    ):
        with pytest.raises((HistoryError, MoveError)):
            Match.from_record(match.matchup, record | change)


def test_a_duel_that_was_played_elsewhere_is_refused_where_a_guess_was_not_allowed():
    pair = played(HARD)
    game = pair.game
    first = f"cat:{answer_to(game, 'cat', 'hat')}"
    with pytest.raises(HistoryError, match="'fly' is not allowed in hard mode: letter 2 must be A"):
        recorded_duel(pair, f"{first} fly:---", f"hen:{answer_to(game, 'hen', 'toe')}", "hat", "toe", "you")
    with pytest.raises(HistoryError, match="'fly' is not allowed in hard mode"):
        review(game, f"{first} fly:---", "hat")


def test_people_are_told_the_rule():
    hard, possible = played(HARD), played("jotto-3-familiar-possible")
    assert "Hard mode: " in hard.summary and "only" not in hard.lists
    assert possible.summary.endswith("familiar words. Only a word that may still be the secret may be guessed.")
    assert matchup_by_name("jotto-3").rule == ""
    rare = next(word for word in possible.guessing.game.secrets if word not in possible.game.secrets)
    assert check_word(possible, rare).may_hide and not check_word(possible, rare).may_guess
    over = begun(HARD, "guess", 0)
    assert share_text(over.guess(over.secret)).startswith("Wordle (3 letters, hard mode): found in 1 of 6")
