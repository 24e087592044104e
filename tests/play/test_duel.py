"""The computer in a duel: it sees what it may see, plays to be first, and beats a player who does not watch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import oracular
from oracular.games.offensive import is_offensive
from oracular.play.deductions import answer_to
from oracular.play.duel import DuelView, duel_guess, duel_half
from oracular.play.duel_model import EVENLY, duel_model
from oracular.play.duel_review import winning_chance
from oracular.play.match import Match, Side, new_match
from oracular.play.opponent import matchup_by_name

from conftest import module_at

benchmark = module_at(Path(__file__).parents[2] / "benchmarks" / "duels.py")

THREE = matchup_by_name("jotto-3").guessing
GAMES = ["jotto-2", "jotto-3-familiar", "jotto-3-repeats", "mastermind-2x4", "bulls-2x4", "wordle-2"]


def turns_of(guesses: str, secret: str) -> tuple[tuple[str, str], ...]:
    """Return guesses with their answers."""
    return tuple((guess, answer_to(THREE.game, guess, secret)) for guess in guesses.split())


def view_of(mine: str, theirs: str, others: str, own: str, begins: bool = True) -> DuelView:
    """Return what a side knows that has guessed `mine` for `theirs`, whose secret `own` was sought with `others`."""
    return DuelView(THREE, THREE, turns_of(mine, theirs), turns_of(others, own), own, begins)


def a_duel(name: str = "jotto-3", begins: Side = "you", moves: int = 0, seed: int = 0) -> Match:
    """Return a duel after some moves of the person, each a word that the person could do with."""
    pair = matchup_by_name(name)
    own = pair.guessing.game.secrets[7]
    match = new_match(pair, "duel", own=own, rng=np.random.default_rng(seed), begins=begins)
    for _ in range(moves):
        if match.result is None:
            match = match.guess(pair.game.guesses[pair.game.guess_of_secret[match.view("you").possible[-1]]])
    return match


@pytest.mark.parametrize("begins", ["you", "computer"])
def test_the_computer_makes_the_same_move_whatever_word_the_person_has(begins):
    """Every word that gives the same answers to its guesses leads to the same next guess."""
    match = a_duel(begins=begins, moves=2)
    assert match.result is None
    possible = match.view("computer").possible
    moves = set()
    for secret in possible[:: max(1, len(possible) // 8)]:
        other = replace(match, own=THREE.game.secrets[secret])
        moves.add(duel_guess(other.view("computer"), match.draw))
    assert len(possible) > 1 and len(moves) == 1


@pytest.mark.parametrize("begins", ["you", "computer"])
def test_the_persons_chance_is_the_same_whatever_word_the_computer_has(begins):
    match = a_duel(begins=begins, moves=2)
    possible = match.view("you").possible
    words = [match.matchup.game.secrets[secret] for secret in possible[:: max(1, len(possible) // 8)]]
    chances = {winning_chance(replace(match, secret=word)) for word in words}
    assert len(words) > 1 and len(chances) == 1 and winning_chance(match) in chances
    (chance,) = chances
    assert 0 < chance.chance < 1 and 0 < chance.margin <= 0.03 and "percentage point" in chance.note


@pytest.mark.parametrize("begins", ["you", "computer"])
def test_the_computers_guess_is_the_same_for_every_secret_of_its_own(begins):
    """Public history and draw decide: whoever has the code learns nothing of the secret from a guess."""
    match = a_duel(begins=begins, moves=1)
    game = match.matchup.game
    words = [game.secrets[secret] for secret in match.view("you").possible]
    guess = game.guesses[0]
    replies: dict[str, list[str]] = {}
    for word in words:
        replies.setdefault(answer_to(game, guess, word), []).append(word)
    alike = max(replies.values(), key=len)
    assert len(alike) > 20
    record = match.to_record()
    matches = [Match.from_record(match.matchup, record | {"secret": word}).guess(guess) for word in alike[::5]]
    assert len({after.secret for after in matches}) > 4 and len({after.computers for after in matches}) == 1
    assert len(matches[0].computers) == len(match.computers) + 1


def test_the_chances_of_both_sides_sum_to_one_on_average():
    """Over all secrets that fit what both sides see, as likely as their hiders make them."""
    view = view_of("cab jet", "fix", "red fob", "hen")
    ours, theirs = view.duel, replace(view.duel, seeker=view.duel.other, other=view.duel.seeker, is_next=False)
    sums = [
        sum(
            weight * duel.chance(int(secret))[0]
            for weight, secret in zip(duel.other.weights, duel.other.possible, strict=True)
        )
        for duel in (ours, theirs)
    ]
    assert sums[0] > 0.4 and sum(sums) == pytest.approx(1, abs=0.02)


def test_finding_now_wins_and_later_only_where_the_other_side_is_not_first():
    """Whoever is next may still take the guess at which the other side finds; the other side may not."""
    first = view_of("", "fix", "", "ego", begins=True)
    second = view_of("", "fix", "", "ego", begins=False)
    assert first.is_next and not second.is_next
    chances = first.duel.other.pace(EVENLY).at_least
    assert chances[0] == 1.0 and list(chances) == sorted(chances, reverse=True)
    now, later = first.duel.utilities, second.duel.utilities
    assert now[0] == 1.0 and list(now) == sorted(now, reverse=True) and later[0] < 1 and len(later) < len(now)
    assert first.chance() > second.chance()


def test_it_is_bold_when_behind_and_safe_when_ahead():
    """With one guess left the likeliest word is guessed; with many, whatever ends the game for certain in time."""
    model = duel_model(THREE)
    game = model.game
    possible = np.array(
        [
            game.secrets.index(word)
            for word in sorted("ban can fan man pan ran tan van wan".split())
            if word in game.secrets
        ],
        dtype=np.int32,
    )
    made = np.array([], dtype=np.int32)
    behind = model.valued_guesses(made, possible, np.array([1.0, 0.0]))[0]
    assert game.secret_of_guess[behind.guess] in possible
    assert behind.worth == pytest.approx(model.shares[possible].max() / model.shares[possible].sum(), abs=1e-4)
    ahead = model.valued_guesses(made, possible, np.array([1.0, 1.0, 1.0, 1.0, 0.0]))[0]
    assert ahead.worth > 0.99 and game.secret_of_guess[ahead.guess] not in possible


def test_worths_are_those_of_a_plain_search():
    """On small states the lookahead finds what trying every guess to the end finds."""
    model = duel_model(THREE)
    game, rng = model.game, np.random.default_rng(5)

    def best(possible, utilities, level):
        if len(possible) == 1:
            return model.shares[possible[0]] * utilities[min(level, len(utilities) - 1)]
        if level >= len(utilities) - 1:
            return model.shares[possible].sum() * utilities[-1]
        worths = []
        for guess in guesses:
            answers = game.table[guess][possible]
            parts = [possible[answers == answer] for answer in np.unique(answers) if answer != game.found]
            if len(parts) == 1 and len(parts[0]) == len(possible):
                continue
            found = model.shares[possible[answers == game.found]].sum() * utilities[level]
            worths.append(found + sum(best(part, utilities, level + 1) for part in parts))
        return max(worths)

    for _ in range(4):
        possible = np.sort(rng.choice(len(game.secrets), 4, replace=False)).astype(np.int32)
        utilities = np.append(np.sort(rng.random(3))[::-1], 0.0)
        rows = {game.table[guess][possible].tobytes(): guess for guess in range(len(game.guesses))}
        guesses = list(rows.values())
        found = model.valued_guesses(np.array([], dtype=np.int32), possible, utilities)[0].worth
        assert found == pytest.approx(best(possible, utilities, 0) / model.shares[possible].sum(), abs=2e-3)


def test_a_guesser_who_follows_a_shipped_tree_is_seen_through():
    """After three guesses of a tree, that tree's next guesses are nearly all that is expected."""
    tree = THREE.guesser.oracles[3]
    own = "fix"
    others: list[tuple[str, str]] = []
    for _ in range(4):
        guess = THREE.game.guesses[tree.guess(THREE.game.possible_after(others))]
        others.append((guess, answer_to(THREE.game, guess, own)))
    view = DuelView(THREE, THREE, (), tuple(others), own, begins=False)
    left = int(tree.depths()[THREE.game.secrets.index(own)]) - 4
    at_least = np.append(view.duel.other.pace(EVENLY, secret=THREE.game.secrets.index(own)).at_least, 0.0)
    assert left > 0 and at_least[left - 1] - at_least[left] > 0.5


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("begins", ["you", "computer"])
def test_a_duel_of_every_kind_of_game_is_played_to_its_end(name, begins):
    match = a_duel(name, begins, moves=40)
    assert match.result in ("you", "computer") and winning_chance(match).chance == (match.result == "you")


def test_secrets_come_from_the_race_where_it_has_been_solved():
    pair = matchup_by_name("jotto-3")
    race = oracular.load_race("jotto-3")
    for begins, mix in ((True, race.first), (False, race.second)):
        assert (duel_half(pair.hiding, begins=begins).hider.weights == mix.secret_weights).all()
    hiding = matchup_by_name("mastermind-2x4").hiding
    assert duel_half(hiding, begins=True) is hiding
    drawn = [a_duel(seed=seed).secret for seed in range(40)]
    assert not any(map(is_offensive, drawn)) and len(set(drawn)) > 5


def test_watching_wins_on_the_same_deals():
    """A small form of `benchmarks/duels.py`, whose deals are the same at every run."""
    deals = [benchmark.play_deal("jotto-2", number, 1, True) for number in range(150)]
    figures = benchmark.summary("jotto-2", deals, True)
    assert figures["duels"] == 300 and figures["adjusted_rate"] > 0.5  # the rate itself is mostly luck
    assert benchmark.play_deal("jotto-2", 3, 1, True)[0].won == deals[3][0].won


def test_chances_near_one_are_not_called_wrong_because_all_their_positions_were_won():
    duels = [[benchmark.Forecast(number, 0.95, 0.05, True, ((), ()))] for number in range(30)]
    rows = benchmark.calibration("jotto-2", duels)["deciles"]
    assert [difference / error for *_, difference, error in rows] == pytest.approx([1.257, -1.257], abs=1e-3)


def test_luck_is_zero_on_average_whatever_is_guessed():
    """Over all that may be drawn, weighed as it is drawn: so what is left of the rate has no favourite."""
    half = matchup_by_name("jotto-2").guessing
    odds, pool = benchmark.odds_of(half, True), duel_model(half).pool
    shares = half.hider.probabilities
    needed = np.bincount(pool.depths.ravel(), weights=np.outer(pool.shares, shares).ravel())
    for begins in (True, False):
        lucks = [odds.luck_of_draw(max(0, number - (not begins)), begins) for number in range(len(needed))]
        assert needed @ lucks == pytest.approx(0, abs=1e-9)
    guesses = [half.game.guesses[number] for number in (3, 30, 17)]
    for last in (0, 1, 2, 3, 20):
        lucks = [odds.luck_of_answers(guesses, secret, last) for secret in half.game.secrets]
        assert shares @ lucks == pytest.approx(0, abs=1e-9)
    assert odds.mean[True] + odds.mean[False] == pytest.approx(1)
