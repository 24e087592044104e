"""The paper's algorithms do what the paper says they do, to the last printed digit where it prints one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracular import paper
from oracular.errors import SettingsError, WordListError
from oracular.games.words import playable_words, twl06
from oracular.paper import Dictionary

from exact_twin import UNIT, best_guess, depths, fictitious_play


@dataclass(frozen=True)
class PrintedColumn:
    """A column of the paper's Table 1, its benchmark rows, and what lies behind the rounded figures."""

    letters: int
    words: int
    guesses: int
    worst: int
    self_play: str
    epsilon: str
    opening: str


TABLE_1 = (
    PrintedColumn(2, 51, 338, 12, "6.627", "5.373", "ai"),
    PrintedColumn(3, 421, 3200, 11, "7.601", "3.399", "ego"),
    PrintedColumn(4, 1373, 10112, 9, "7.365", "1.635", "ions"),
    PrintedColumn(5, 2833, 20055, 9, "7.079", "1.921", "doyen"),
)
ITERATIONS = 300


@cache
def words_of(letters: int) -> tuple[str, ...]:
    return playable_words(twl06(), letters)


@cache
def benchmark_of(letters: int) -> paper.Benchmark:
    return paper.benchmark(words_of(letters))


@cache
def two_letters() -> Dictionary:
    return Dictionary.of(words_of(2))


@cache
def two_letters_solved() -> paper.JottoSolution:
    return paper.solve_jotto(two_letters(), ITERATIONS)


@pytest.mark.parametrize("printed", TABLE_1, ids=lambda printed: f"{printed.letters}-letters")
def test_the_benchmark_row_comes_out_to_every_printed_digit(printed):
    row = benchmark_of(printed.letters)
    assert len(row.depths) == printed.words
    assert int(row.depths.sum()) == printed.guesses
    assert int(row.depths.max()) == printed.worst
    assert row.self_play == pytest.approx(printed.guesses / printed.words, abs=1e-12)
    assert row.epsilon == pytest.approx(printed.worst - printed.guesses / printed.words, abs=1e-12)
    assert f"{row.self_play:.3f}" == printed.self_play
    assert f"{row.epsilon:.3f}" == printed.epsilon
    assert row.opening == printed.opening


def test_amped_takes_nine_guesses_and_doyen_one():
    depth_of = dict(zip(words_of(5), benchmark_of(5).depths, strict=True))
    assert depth_of["amped"] == 9
    assert depth_of["doyen"] == 1


def test_two_orders_of_the_same_guesses_lead_to_the_same_state():
    dictionary = Dictionary.of(words_of(5))
    giant, pecan = (dictionary.words.index(word) for word in ("giant", "pecan"))
    start = dictionary.every_word()
    one_way = paper.update_state(dictionary, paper.update_state(dictionary, start, giant, 2), pecan, 3)
    other_way = paper.update_state(dictionary, paper.update_state(dictionary, start, pecan, 3), giant, 2)
    assert np.array_equal(one_way, other_way)
    assert 0 < one_way.sum() < start.sum()
    assert start.all(), "a state is never changed in place"


def test_the_table_of_common_letters_is_num_comm_letts_of_every_pair():
    dictionary = two_letters()
    for guess, row in zip(dictionary.words, dictionary.common, strict=True):
        assert row.tolist() == [paper.num_comm_letts(guess, secret) for secret in dictionary.words]


@st.composite
def positions(draw):
    """A small dictionary, a hider's strategy with some words left out, and a state."""
    words = sorted(draw(st.sets(st.sampled_from(words_of(3)), min_size=2, max_size=25)))
    shares = st.one_of(st.just(0.0), st.floats(1e-6, 1.0), st.just(1 / 3))
    h = np.array(draw(st.lists(shares, min_size=len(words), max_size=len(words))))
    possible = np.array(draw(st.lists(st.booleans(), min_size=len(words), max_size=len(words))))
    possible[draw(st.integers(0, len(words) - 1))] = True
    return Dictionary.of(words), h, possible


@settings(max_examples=60, deadline=None)
@given(positions())
def test_scoring_all_words_at_once_equals_the_written_out_algorithms_bit_for_bit(position):
    dictionary, h, possible = position
    one_by_one = [paper.exp_num_elims(dictionary, i, h, possible) for i in range(len(dictionary.words))]
    assert paper.exp_num_elims_of_all(dictionary, h, possible).tolist() == one_by_one
    if possible.sum() > 1:
        assert paper.guesser_gbr(dictionary, h, possible) == one_by_one.index(max(one_by_one))


@settings(max_examples=60, deadline=None)
@given(positions())
def test_answers_run_from_none_to_all_letters_and_their_probabilities_sum_to_one(position):
    dictionary, h, possible = position
    for guess in range(len(dictionary.words)):
        probabilities = paper.answer_probs(dictionary, guess, h, possible)
        assert len(probabilities) == dictionary.letters + 1
        assert sum(probabilities) == pytest.approx(1)
        for answer in range(dictionary.letters + 1):
            left = paper.update_state(dictionary, possible, guess, answer).sum()
            assert paper.num_elims(dictionary, guess, possible, answer) == possible.sum() - left


def test_a_single_possible_word_is_simply_guessed():
    dictionary = two_letters()
    for word in range(len(dictionary.words)):
        only = np.arange(len(dictionary.words)) == word
        assert paper.guesser_gbr(dictionary, dictionary.uniform(), only) == word


def test_where_the_hider_rules_out_every_possible_word_they_count_as_equally_likely():
    dictionary = two_letters()
    possible = np.arange(len(dictionary.words)) < 20
    elsewhere = np.where(possible, 0.0, 1.0)
    assert paper.guesser_gbr(dictionary, elsewhere, possible) == paper.guesser_gbr(
        dictionary, np.ones(len(dictionary.words)), possible
    )


def test_the_hider_shares_equally_among_the_words_that_take_longest():
    assert paper.hider_br(np.array([3.0, 5.0, 4.0, 5.0])).tolist() == [0, 0.5, 0, 0.5]
    assert paper.hider_br(np.array([3.0, 5.5, 4.0])).tolist() == [0, 1, 0]
    assert paper.hider_br_payoff(np.array([3.0, 5.5, 4.0])) == 5.5


def test_the_hiders_best_response_earns_the_best_response_payoff():
    ang = two_letters_solved().ang
    response = paper.hider_br(ang)
    assert paper.hider_actual_payoff(ang, response) == pytest.approx(paper.hider_br_payoff(ang), abs=1e-12)


def test_what_one_side_gets_the_other_pays():
    solution = two_letters_solved()
    ing = paper.comp_num_guesses(two_letters(), solution.hider)
    assert paper.guesser_actual_payoff(solution.ang, solution.hider) == -solution.self_play
    assert paper.guesser_br_payoff(ing, solution.hider) == -paper.hider_actual_payoff(ing, solution.hider)


def test_at_iteration_0_the_guesser_has_nothing_to_gain():
    depths_at_start = benchmark_of(2).depths
    uniform = two_letters().uniform()
    ang = depths_at_start.astype(np.float64)
    assert paper.guesser_br_payoff(depths_at_start, uniform) == paper.guesser_actual_payoff(ang, uniform)
    assert two_letters_solved().epsilons[0] == benchmark_of(2).epsilon


def test_a_few_hundred_iterations_bring_epsilon_far_below_the_benchmarks():
    solution = two_letters_solved()
    assert solution.epsilon < benchmark_of(2).epsilon / 10
    assert solution.epsilon == solution.epsilons.min()
    assert solution.t_star == int(np.argmin(solution.epsilons))
    assert benchmark_of(2).self_play < solution.self_play < solution.ang.max() < benchmark_of(2).depths.max()


def test_the_average_guesser_is_the_mean_of_the_greedy_guessers_from_0_to_t_star():
    solution = two_letters_solved()
    file = solution.strategy_file[: solution.t_star + 1]
    each = np.array([paper.comp_num_guesses(two_letters(), s_h) for s_h in file])
    assert solution.ang.tolist() == (each.sum(axis=0) / len(file)).tolist(), "equal sums must tie"
    assert solution.epsilon == paper.compute_epsilon(each[-1], solution.ang, solution.hider)


def test_the_strategy_file_holds_one_distribution_an_iteration_and_the_first_is_uniform():
    file = two_letters_solved().strategy_file
    assert file.shape == (ITERATIONS + 1, 51)
    assert file[0].tolist() == two_letters().uniform().tolist()
    assert (file > 0).all()
    assert file.sum(axis=1) == pytest.approx(1)


def test_the_guesser_is_drawn_over_all_iterations_from_0_to_t_star():
    strategy_file = np.eye(6, 51)  # line t is recognised by its one word
    generator = np.random.default_rng(5)
    drawn = []
    for _ in range(400):
        guesser = paper.obtain_guesser_strategy(two_letters(), strategy_file, 3, generator)
        drawn.append(int(np.argmax(guesser.h)))
    assert set(drawn) == {0, 1, 2, 3}
    assert all(drawn.count(t) > 60 for t in range(4))


def test_the_draw_is_reproducible_for_a_seed_and_the_drawn_guesser_is_an_oracle():
    file, t_star = two_letters_solved().strategy_file, two_letters_solved().t_star
    first = paper.obtain_guesser_strategy(two_letters(), file, t_star, np.random.default_rng(9))
    second = paper.obtain_guesser_strategy(two_letters(), file, t_star, np.random.default_rng(9))
    assert first.h.tolist() == second.h.tolist()
    start = two_letters().every_word()
    assert first(start) == second(start) == paper.guesser_gbr(two_letters(), first.h, start)
    assert first(start) == first(start)


def test_words_that_the_game_cannot_tell_apart_are_refused():
    with pytest.raises(WordListError, match="'stare' and 'rates'"):
        Dictionary.of(["stare", "pecan", "rates"])
    with pytest.raises(WordListError, match="'eel'"):
        Dictionary.of(["ego", "eel"])
    with pytest.raises(WordListError, match="'giant'"):
        Dictionary.of(["ego", "giant"])
    with pytest.raises(WordListError, match="empty"):
        Dictionary.of([])


def test_impossible_requests_are_refused():
    with pytest.raises(SettingsError, match="-1 iterations"):
        paper.solve_jotto(two_letters(), -1)
    with pytest.raises(SettingsError, match="no possible word"):
        paper.guesser_gbr(two_letters(), two_letters().uniform(), np.zeros(51, dtype=bool))


@pytest.mark.parametrize(("letters", "ties", "guesses"), [
    (2, "first", 338), (2, "possible", 318), (3, "first", 3199), (3, "possible", 2995),
])  # fmt: skip
def test_without_rounding_the_benchmark_breaks_its_ties_otherwise(letters, ties, guesses):
    table = Dictionary.of(words_of(letters)).common.tolist()
    assert sum(depths(table, letters, [1] * len(table), ties)) == guesses


def test_the_exact_twin_first_plays_the_benchmark_and_then_gains_on_it():
    table = two_letters().common.tolist()
    played = fictitious_play(table, 2, 100, "first")
    assert len(played) == 101
    assert played[0].tied == list(range(51))
    assert played[0].depth_sums == benchmark_of(2).depths.tolist()
    assert (played[0].epsilon_hider, played[0].epsilon_guesser) == (12 - Fraction(338, 51), 0)
    assert played[1].tied == [i for i, depth in enumerate(played[0].depth_sums) if depth == 12]
    assert min(max(step.epsilon_hider, step.epsilon_guesser) for step in played) < 1


def test_the_exact_twin_plays_any_table_of_answers():
    table = [[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0], [1, 1, 2, 2]]  # guess 4 is no secret
    assert best_guess(table, 0, [1, 1, 1, 1], [0, 1, 2, 3], "first") == 4
    assert best_guess(table, 0, [0, 0, 0, 9], [0, 1, 2, 3], "first") == 3
    assert best_guess(table, 0, [0, 0, 0, 0], [0, 1, 2, 3], "first") == 4, "all zero: as if each were one"
    assert best_guess(table, 0, [5, 5, 5, 5], [3], "first") == 3
    assert depths(table, 0, [1, 1, 1, 1], "first") == [2, 3, 2, 3]
    reordered = [table[4], *table[:4]]
    assert best_guess(reordered, 0, [1, 1, 1, 1], [1, 2], "first") == 0
    assert best_guess(reordered, 0, [1, 1, 1, 1], [1, 2], "possible") == 2
    assert UNIT == 1_048_576
