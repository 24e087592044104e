"""Advice is what its oracle makes of each guess: compiled code against a slow twin, and what people rely on."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracular
from oracular import Game, Hider, advise
from oracular.errors import FinishedGameError, HistoryError, InconsistentHistoryError, SettingsError
from oracular.games.jotto import widened
from oracular.games.offensive import is_offensive
from oracular.planner.planner import Score, score_of_name
from oracular.play import adviser
from oracular.play.adviser import Adviser, is_uniform, stored_opening
from oracular.play.opponent import opponent

from objective_twin import BestPlay
from random_games import random_games, weights_for
from ruled_twin import random_ruled_game, random_weights


class SlowOracle:
    """The oracle that plays guesses out, as its description says, in plain Python."""

    def __init__(self, game: Game, weights: np.ndarray, score: Score, small: int, width: int) -> None:
        self.game, self.weights, self.score, self.small, self.width = game, weights, score, small, width

    def weigh(self, state: list[int]) -> dict[int, int]:
        weights = {secret: int(self.weights[secret]) for secret in state}
        return weights if any(weights.values()) else dict.fromkeys(state, 1)

    def parts(self, state: list[int], guess: int) -> dict[int, list[int]]:
        parts: dict[int, list[int]] = {}
        for secret in state:
            parts.setdefault(int(self.game.table[guess, secret]), []).append(secret)
        return parts

    def key(self, state: list[int], guess: int) -> tuple[int, bool, int]:
        weights, cost = self.weigh(state), 0
        for answer, part in self.parts(state, guess).items():
            each = self.score.found_value if answer == self.game.found else int(self.score.table[len(part)])
            cost += each * sum(weights[secret] for secret in part)
        return cost, guess not in self.game.guess_of_secret[state], guess

    def by_score(self, state: list[int], want: int) -> list[int]:
        kept: list[int] = []
        for guess in sorted(range(len(self.game.guesses)), key=lambda guess: self.key(state, guess)):
            parts = self.parts(state, guess)
            split = {frozenset(part): answer == self.game.found for answer, part in parts.items()}
            alike = [
                self.key(state, other)[:2] == self.key(state, guess)[:2]
                and {frozenset(p): a == self.game.found for a, p in self.parts(state, other).items()} == split
                for other in kept
            ]
            if (len(parts) > 1 or self.game.found in parts) and not any(alike):
                kept.append(guess)
        return kept[:want]

    def guess(self, state: list[int], plain: bool) -> int:
        weights = self.weigh(state)
        if len(state) <= 2:
            return int(self.game.guess_of_secret[max(state, key=lambda secret: (self.weights[secret], -secret))])
        best = self.by_score(state, 1)[0]
        cost, impossible, _ = self.key(state, best)
        enough = sum(weights.values()) * int(self.score.table[1])
        at_once = not impossible and cost <= enough and len(state) <= len(self.game.labels)
        if plain or len(state) > self.small or at_once:
            return best
        tried = self.by_score(state, self.width)
        costs = [sum(weights[s] * d for s, d in self.depths(state, guess, plain=True).items()) for guess in tried]
        return tried[costs.index(min(costs))]

    def depths(self, state: list[int], guess: int, plain: bool = False) -> dict[int, int]:
        depths = {}
        for answer, part in self.parts(state, guess).items():
            if answer == self.game.found:
                depths[part[0]] = 1
            else:
                below = self.depths(part, self.guess(part, plain), plain)
                depths |= {secret: 1 + depth for secret, depth in below.items()}
        return depths


@given(data=st.data(), game=random_games())
@settings(max_examples=60)
def test_suggestions_are_ranked_by_what_they_are_worth(data, game):
    hider = Hider(game, data.draw(weights_for(game)))
    asked = Adviser(game, hider)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adviser, "EXACT_SECRETS", 0)
        check_estimates(game, hider, asked)


def check_estimates(game: Game, hider: Hider, asked: Adviser) -> None:
    advice = advise(game, "", hider, count=4)
    expected = [suggestion.expected for suggestion in advice.suggestions]
    assert advice.left == len(game.secrets) and advice.words == game.secrets
    assert any(suggestion.possible for suggestion in advice.suggestions)
    assert expected == sorted(expected)
    score = score_of_name("log", len(game.secrets))
    slow = SlowOracle(game, hider.weights, score, 60, 3)
    for suggestion in advice.suggestions:
        guess = game.guess_index(suggestion.guess)
        depths = slow.depths(game.all_secrets.tolist(), guess)
        weighted = Fraction(sum(depths[s] * int(hider.weights[s]) for s in depths), hider.total)
        assert asked.value(game.all_secrets, guess).expected == weighted
        assert not suggestion.exact and suggestion.expected == float(weighted)
        assert sum(suggestion.parts.values()) == advice.left
        assert suggestion.possible == (suggestion.guess in game.secrets)


def check_exact(game: Game, hider: Hider, history: list[tuple[str, str]]) -> None:
    """Compare advice on a small state with the best play there is."""
    advice = advise(game, history, hider, count=50)
    possible, turns = game.possible_after(history), game.parse_history(history)
    weights = hider.weights.tolist() if hider.weights[possible].any() else [1] * len(game.secrets)
    slow, state, made = BestPlay.mean(game, weights), tuple(possible.tolist()), frozenset(turns)
    weight = sum(weights[secret] for secret in state)
    assert advice.exact and all(suggestion.exact for suggestion in advice.suggestions)
    assert advice.suggestions[0].expected == slow.least(state, made) / weight, history
    for suggestion in advice.suggestions:
        total = slow.with_guess(game.guess_index(suggestion.guess), state, made)
        assert total is None or suggestion.expected == total / weight, (history, suggestion.guess)


@given(data=st.data(), game=random_games())
@settings(max_examples=60)
def test_advice_is_exact_where_few_secrets_are_left(data, game):
    check_exact(game, Hider(game, data.draw(weights_for(game))), [])


@pytest.mark.parametrize("seed", range(30))
def test_advice_is_exact_by_the_rules_of_guessing(seed):
    game = random_ruled_game(seed)
    hider, rng = Hider(game, random_weights(seed, len(game.secrets))), np.random.default_rng(seed)
    check_exact(game, hider, [])
    turn = (int(game.guess_of_secret[0]), int(rng.integers(len(game.secrets))))
    answer = game.labels[game.table[turn]]
    if answer != game.labels[game.found]:
        check_exact(game, hider, [(game.guesses[turn[0]], answer)])


def test_advice_is_exact_in_games_of_words(jotto):
    game, rng, sizes = widened(jotto(3)), np.random.default_rng(3), set()
    while len(sizes) < 8:
        secret, history = int(rng.integers(421)), []
        state = game.all_secrets
        while len(state) > 10:
            guess = int(rng.choice(game.guess_of_secret[state]))
            history.append((guess, int(game.table[guess, secret])))
            state = game.narrow(state, history[-1])
        if len(state) > 2 and len(state) not in sizes:
            sizes.add(len(state))
            spelled = [(game.guesses[guess], game.labels[answer]) for guess, answer in history]
            check_exact(game, oracular.hider_uniform(game), spelled)


@pytest.mark.parametrize("history", [["hep:2", "aid:0", "fub:0"], ["pot:2", "sap:1"]])
def test_advice_is_exact_among_all_words_that_may_be_guessed(jotto, history):
    game = widened(jotto(3))
    assert len(game.guesses) > len(jotto(3).guesses)
    check_exact(game, oracular.hider_uniform(game), [(turn[:3], turn[4]) for turn in history])


def test_advice_on_wordle_assumes_that_all_secrets_are_equally_likely():
    for history in ("", "crane:-y---"):
        assert advise("wordle", history) == advise("wordle", history, oracular.hider_uniform(oracular.game("wordle")))
    best = advise("wordle", "crane:-y---").suggestions[0]
    assert best.guess == "shout" and best.expected < 2.479
    hard = advise("wordle-hard", "crane:-y---")
    assert hard.assumption == advise("wordle").assumption == "Assumes that all secrets are equally likely."
    computers = advise("wordle", "crane:-y---", oracular.load("wordle").hider)
    assert computers.suggestions[0].guess != "shout"
    assert computers.assumption.startswith("Assumes that the computer chose the secret with care")
    own = advise("jotto-2", "", Hider(oracular.game("jotto-2"), np.arange(51)))
    assert own.assumption.startswith("Assumes that the secret was chosen by the weights given")


def test_words_that_are_never_hidden_are_found_if_no_secret_fits():
    for history, words in (
        ("crane:--gg- guava:ggg--", ("guano", "guans")),
        ("crane:--gg- guava:ggg-- guans:gggg-", ("guano",)),
    ):
        advice = advise("wordle", history)
        assert advice.unlisted and advice.words == words and advice.left == len(words)
        assert {suggestion.guess for suggestion in advice.suggestions if suggestion.possible} == set(words)
    assert not advise("wordle", "crane:-y---").unlisted
    with pytest.raises(InconsistentHistoryError):
        advise("wordle", "crane:--yy- guava:ggg--")
    with pytest.raises(FinishedGameError):
        advise("wordle", "guano:ggggg")
    with pytest.raises(HistoryError, match="only what can is allowed"):
        advise("wordle-possible", "crane:--gg- guava:ggg--")


def test_in_jotto_words_that_are_never_hidden_may_be_anagrams():
    advice = advise("jotto-3", "eat:3")  # EAT, ATE, ETA, TAE and TEA have anagrams, so none of them is hidden
    assert advice.unlisted and advice.words == ("ate", "eta", "tae", "tea")
    assert advice.suggestions[0].parts.get("found") == 1
    with pytest.raises(FinishedGameError):
        advise("jotto-3", "eye:3")
    with pytest.raises(InconsistentHistoryError):
        advise("jotto-3", "eat:3 tea:2")


def test_all_letters_of_a_word_without_anagrams_end_the_game():
    with pytest.raises(FinishedGameError):
        advise("jotto-5-repeats-anagrams", "vixen:5")
    assert advise("jotto-5-repeats-anagrams", "siren:5").words == ("reins", "resin", "rinse", "risen", "serin")


def test_contradictions_the_end_and_other_hiders_are_reported(jotto):
    hider = oracular.hider_uniform(jotto(2))
    with pytest.raises(InconsistentHistoryError, match="contradicts"):
        advise(jotto(2), "ai:0 ai:1", hider)
    with pytest.raises(FinishedGameError, match="nothing left to guess"):
        advise(jotto(2), "ai:2", hider)
    with pytest.raises(SettingsError, match="give one of the same game"):
        advise(jotto(3), "", hider)
    with pytest.raises(SettingsError, match="1 or more"):
        advise(jotto(2), "", hider, count=0)


def test_the_opening_of_a_symmetric_game_shows_one_code_a_kind():
    game = oracular.game("mastermind-3x4")
    advice = advise(game, "", oracular.hider_uniform(game))
    assert {suggestion.guess for suggestion in advice.suggestions} == {"111", "112", "123"}


def test_the_opening_of_jotto_5_is_as_strong_as_the_oracle_table_says():
    shipped = opponent(oracular.game("jotto-5"))
    advice = advise(shipped.game, "", shipped.hider)
    assert len(advice.suggestions) == 10
    assert 6.5 < advice.suggestions[0].expected < 6.66
    assert advice.to_record()["note"].startswith("Estimates: ") and len(advice.to_record()["words"]) == 40


def test_guesses_that_are_anagrams_of_each_other_are_shown_once():
    game = oracular.game("jotto-3-anagrams")
    shown = [suggestion.guess for suggestion in advise(game, "", oracular.hider_uniform(game)).suggestions]
    assert len({"".join(sorted(word)) for word in shown}) == len(shown) == 10


@pytest.mark.parametrize(
    "name",
    [
        "jotto-5-familiar",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("jotto-5", "jotto-5-repeats", "jotto-5-anagrams", "jotto-5-repeats-anagrams")
        ),
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("wordle", "wordle-hard", "wordle-possible")),
        pytest.param("bulls-4x10", marks=pytest.mark.slow),
    ],
)
def test_openings_that_are_stored_are_what_would_be_computed(name):
    computer = opponent(oracular.game(name))
    start = computer.game.all_secrets
    for hider in (computer.hider, oracular.hider_uniform(computer.game)):
        asked = Adviser(computer.game, hider)
        ready = stored_opening(hider, asked.settings)
        computed = asked.valued(start, asked.likely(start))
        if name in ("wordle", "wordle-hard") and is_uniform(hider):  # proved, so the values are smaller
            estimates = {one.guess: one.expected for one in computed}
            assert all(one.exact and one.expected <= estimates.pop(one.guess) for one in ready) and not estimates
        else:
            assert ready == computed
        assert asked.candidates(start) == [one for one in ready if not is_offensive(computer.game.guesses[one.guess])]


def test_the_openings_of_wordle_have_their_proved_values():
    openings = {one.guess: one for one in advise("wordle").suggestions}
    assert next(iter(openings)) == "salet" and advise("wordle").exact
    for word, total in (("salet", 7920), ("reast", 7923), ("crate", 7926), ("trace", 7926)):
        assert openings[word].expected == total / 2315
    hard = advise("wordle-hard").suggestions[0]
    assert hard.exact and (hard.guess, hard.expected) == ("salet", 8116 / 2315)


def test_a_game_may_be_given_by_name_and_equal_chances_are_assumed():
    by_name = advise("jotto-5", "giant:2 pecan:3")
    game = oracular.game("jotto-5")
    assert (by_name.left, len(by_name.suggestions)) == (98, 10)
    assert by_name == advise(game, "giant:2 pecan:3")
    assert by_name == advise(game, "giant:2 pecan:3", oracular.hider_uniform(game))
    assert by_name.assumption == by_name.to_record()["assumption"] == "Assumes that all secrets are equally likely."
    game = oracular.game("mastermind-3x4")
    assert advise("mastermind-3x4") == advise(game, "", oracular.hider_uniform(game))
