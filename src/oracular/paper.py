"""The paper's algorithms as the paper writes them: slow, readable, a measure for the fast engine.

Sam Ganzfried, "Computing Strong Game-Theoretic Strategies in Jotto". The guesser is never written out: at a
state, GuesserGBR names the guess that is expected to eliminate most words under the hider's strategy h.
CompNumGuesses plays that oracle against every word, HiderBR answers with the words that take longest, and
SolveJotto repeats the two (fictitious play) and keeps the iteration whose epsilon is least. A word is its
index in the dictionary, the state S a boolean vector `possible` [words], h and s_h float vectors [words]. The
functions keep the paper's names.

Slips of the pseudocode, put right:

- answers run from 0 to L, not from 1 to L: no letter in common is an answer too;
- a single possible word is simply guessed: every guess eliminates nothing there, and the loop would never
  end;
- SolveJotto compares with an epsilon* that nothing has set: it starts as the epsilon of iteration 0;
- ObtainGuesserStrategy draws from 0 to t*, not from 1: ANG is the average over iterations 0 to t*. It draws
  once a game, so it returns a guesser to be asked at each state and takes no state itself.

And one addition, since a hider's strategy may rule out every word of a state that play can reach: where h
sums to zero over the possible words, they count as equally likely. It never happens in SolveJotto.

The benchmark row of the paper's Table 1 comes out to the digit when the floats are rounded in this order: the
total is the sum of h over the possible words in dictionary order; each A_j is summed in the same order; the
score is the sum over j = 0..L, in that order, of (A_j / total) * (n - c_j), n being the possible words and
c_j those that give answer j; the first word with a strictly larger score wins. Every sum runs one by one:
numpy's `sum` adds in pairs, a matrix product in blocks, Python's own `sum` carries a correction from 3.12 on,
and each of them breaks ties its own way.

ANG is the whole number of guesses so far, divided once by t + 1. It is what the paper's running average comes
to, but that one is rounded at every step, so that words which took equally many guesses come out unequal and
HiderBR does not share among them: with two letters, in 165 of the first 4000 iterations. Where a long run
ends depends on such ties (docs/algorithms.md, "Whole numbers instead of floats").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError, WordListError
from oracular.system.control import NEVER, Deadline
from oracular.system.files import quoted

Floats: TypeAlias = NDArray[np.float64]
"""A number for each word [words]: h, s_h, ING or ANG."""

Possible: TypeAlias = NDArray[np.bool_]
"""The state S [words]: which words are consistent with the answers so far."""


@dataclass(frozen=True, eq=False)
class Dictionary:
    """The words of the game and the paper's table of common letters; made by `Dictionary.of(words)`.

    Attributes:
        words: w_1 .. w_D, in dictionary order.
        letters: L, the letters of each word.
        common: NumCommLetts of every pair, uint8 [guesses, secrets].
    """

    words: tuple[str, ...]
    letters: int
    common: NDArray[np.uint8]

    @classmethod
    def of(cls, words: Sequence[str]) -> Dictionary:
        """Return the dictionary of words of one length, all letters different, no two of them anagrams."""
        if not words:
            raise WordListError("the word list is empty: give at least one word")
        letters = len(words[0])
        for word in words:
            if len(word) != letters or len(set(word)) != letters:
                raise WordListError(f"{quoted(word)} is not a word of {letters} different letters: leave it out")
        common = np.zeros((len(words), len(words)), dtype=np.uint8)
        for letter in sorted(set("".join(words))):
            has = np.array([letter in word for word in words])
            common += np.outer(has, has)
        alike = np.argwhere(np.triu(common == letters, k=1))
        if len(alike):
            first, second = (words[index] for index in alike[0])
            raise WordListError(f"{quoted(first)} and {quoted(second)} have the same letters: leave one out")
        return cls(tuple(words), letters, common)

    def every_word(self) -> Possible:
        """Return the state at the start of a game: all ones."""
        return np.ones(len(self.words), dtype=np.bool_)

    def uniform(self) -> Floats:
        """Return the strategy HiderUniform: 1/D for each word."""
        return np.full(len(self.words), 1 / len(self.words))


def num_comm_letts(first: str, second: str) -> int:
    """Return the number of letters that two words have in common: Algorithm 5, NumCommLetts.

    `Dictionary.common` holds it for every pair.
    """
    counter = 0
    for one in first:
        for other in second:
            if one == other:
                counter += 1
    return counter


def answer_probs(dictionary: Dictionary, guess: int, h: Floats, possible: Possible) -> list[float]:
    """Return the probability A_0 .. A_L of each answer to a guess: Algorithm 4, AnswerProbs."""
    h = _not_all_zero(h, possible)
    probabilities = [0.0] * (dictionary.letters + 1)
    total = 0.0
    for secret in range(len(dictionary.words)):
        if possible[secret]:
            probabilities[dictionary.common[guess, secret]] += float(h[secret])
            total += float(h[secret])
    return [probability / total for probability in probabilities]


def num_elims(dictionary: Dictionary, guess: int, possible: Possible, answer: int) -> int:
    """Return how many possible words are eliminated if a guess is answered so: Algorithm 3, NumElims."""
    counter = 0
    for secret in range(len(dictionary.words)):
        if possible[secret] and dictionary.common[guess, secret] != answer:
            counter += 1
    return counter


def exp_num_elims(dictionary: Dictionary, guess: int, h: Floats, possible: Possible) -> float:
    """Return how many possible words a guess is expected to eliminate: Algorithm 2, ExpNumElims."""
    probabilities = answer_probs(dictionary, guess, h, possible)
    expected = 0.0
    for answer in range(dictionary.letters + 1):
        expected += probabilities[answer] * num_elims(dictionary, guess, possible, answer)
    return expected


def exp_num_elims_of_all(dictionary: Dictionary, h: Floats, possible: Possible) -> Floats:
    """Return `exp_num_elims` of every word of the dictionary at once, bit for bit [words]."""
    shares = _not_all_zero(h, possible)[possible]
    size, answers = len(dictionary.words), dictionary.letters + 1
    by_secret = dictionary.common[possible]  # words have as many letters in common in either order
    cells = (by_secret + answers * np.arange(size)).ravel()
    counts = np.bincount(cells, minlength=size * answers).reshape(size, answers)
    sums = np.bincount(cells, weights=np.repeat(shares, size), minlength=size * answers).reshape(size, answers)
    total = _sum_in_order(shares)
    expected = np.zeros(size)
    for answer in range(answers):
        expected += sums[:, answer] / total * (len(shares) - counts[:, answer])
    return expected


def guesser_gbr(dictionary: Dictionary, h: Floats, possible: Possible) -> int:
    """Return the word that is expected to eliminate most words: Algorithm 1, GuesserGBR.

    Of equally good words the first; a single possible word is simply guessed.
    """
    left = np.flatnonzero(possible)
    if len(left) == 0:
        raise SettingsError("the state has no possible word: there is nothing to guess")
    if len(left) == 1:
        return int(left[0])
    return int(np.argmax(exp_num_elims_of_all(dictionary, h, possible)))


def update_state(dictionary: Dictionary, possible: Possible, guess: int, answer: int) -> Possible:
    """Return which words are still possible after a guess and its answer: Algorithm 7, UpdateState."""
    fits: Possible = dictionary.common[guess] == answer
    return possible & fits


@dataclass(frozen=True, eq=False)
class GreedyGuesser:
    """A pure oracular strategy: at a state, GuesserGBR against one hider's strategy, scored once.

    Attributes:
        dictionary: the words of the game.
        h: the hider's strategy that it answers [words].
    """

    dictionary: Dictionary
    h: Floats
    _guesses: dict[bytes, int] = field(default_factory=dict, repr=False)

    def __call__(self, possible: Possible) -> int:
        """Return the guess at a state."""
        key = possible.tobytes()
        if key not in self._guesses:
            self._guesses[key] = guesser_gbr(self.dictionary, self.h, possible)
        return self._guesses[key]


def comp_num_guesses(dictionary: Dictionary, s_h: Floats, deadline: Deadline = NEVER) -> NDArray[np.int64]:
    """Return ING, the guesses that GuesserGBR needs for each word: Algorithm 6, CompNumGuesses.

    Raises `DeadlinePassed` where that takes too long.
    """
    guesser = GreedyGuesser(dictionary, s_h)
    ing = np.zeros(len(dictionary.words), dtype=np.int64)
    for secret in range(len(dictionary.words)):
        deadline.check()
        possible = dictionary.every_word()
        while True:
            ing[secret] += 1
            guess = guesser(possible)
            answer = int(dictionary.common[guess, secret])
            if answer == dictionary.letters:
                break
            possible = update_state(dictionary, possible, guess, answer)
    return ing


def hider_br(ang: Floats) -> Floats:
    """Return equal shares of the words with the largest ANG: Algorithm 8, HiderBR."""
    tied = ang == ang.max()
    return np.where(tied, 1 / np.count_nonzero(tied), 0.0)


def hider_br_payoff(ang: Floats) -> float:
    """Return what the hider's best response earns against the average guesser: Algorithm 9, HiderBRPayoff."""
    return float(ang.max())


def hider_actual_payoff(ang: Floats, s_h: Floats) -> float:
    """Return what s_h earns against the average guesser: Algorithm 10, HiderActualPayoff."""
    return _sum_in_order(ang * s_h)


def guesser_br_payoff(ing: NDArray[np.int64], s_h: Floats) -> float:
    """Return what the guesser's greedy best response earns against s_h: Algorithm 11, GuesserBRPayoff."""
    return -_sum_in_order(ing * s_h)


def guesser_actual_payoff(ang: Floats, s_h: Floats) -> float:
    """Return what the average guesser earns against s_h: Algorithm 12, GuesserActualPayoff."""
    return -hider_actual_payoff(ang, s_h)


def compute_epsilon(ing: NDArray[np.int64], ang: Floats, s_h: Floats) -> float:
    """Return the most that a side gains by its best response, the guesser's greedy: section 5, epsilon_t."""
    hider_gains = hider_br_payoff(ang) - hider_actual_payoff(ang, s_h)
    guesser_gains = guesser_br_payoff(ing, s_h) - guesser_actual_payoff(ang, s_h)
    return max(hider_gains, guesser_gains)


@dataclass(frozen=True, eq=False)
class JottoSolution:
    """What SolveJotto returns.

    Attributes:
        strategy_file: s_{h,t} for every iteration, the first being uniform [iterations + 1, words].
        epsilons: epsilon_t for every iteration [iterations + 1].
        t_star: the iteration with the least epsilon, the first of equals.
        ang: ANG after iteration t*, the average over iterations 0 to t* [words].
    """

    strategy_file: Floats
    epsilons: Floats
    t_star: int
    ang: Floats

    @property
    def hider(self) -> Floats:
        """The hider's strategy s_{h,t*} [words]."""
        strategy: Floats = self.strategy_file[self.t_star]
        return strategy

    @property
    def epsilon(self) -> float:
        """The epsilon of iteration t*."""
        return float(self.epsilons[self.t_star])

    @property
    def self_play(self) -> float:
        """The guesses that the average guesser needs against the hider, both of iteration t*."""
        return hider_actual_payoff(self.ang, self.hider)


def solve_jotto(dictionary: Dictionary, iterations: int, deadline: Deadline = NEVER) -> JottoSolution:
    """Return the strategies after T iterations of smoothed fictitious play: Algorithm 13, SolveJotto.

    Iteration 0, uniform against greedy, comes before the T iterations. ANG is worked out as the mean that it
    is, not as (1 - 1/(t+1)) ANG + 1/(t+1) ING: see the module's last paragraph.
    """
    if iterations < 0:
        raise SettingsError(f"{iterations} iterations cannot be run: give 0 or more")
    s_h = dictionary.uniform()
    strategy_file = [s_h]
    ing = comp_num_guesses(dictionary, s_h, deadline)
    guesses_so_far = ing
    ang = ing.astype(np.float64)
    epsilons = [compute_epsilon(ing, ang, s_h)]
    t_star, best_ang = 0, ang
    for t in range(1, iterations + 1):
        step = 1 / (t + 1)
        s_h = (1 - step) * s_h + step * hider_br(ang)
        strategy_file.append(s_h)
        ing = comp_num_guesses(dictionary, s_h, deadline)
        guesses_so_far = guesses_so_far + ing
        ang = guesses_so_far / (t + 1)
        epsilons.append(compute_epsilon(ing, ang, s_h))
        if epsilons[t] < epsilons[t_star]:
            t_star, best_ang = t, ang
    return JottoSolution(np.array(strategy_file), np.array(epsilons), t_star, best_ang)


def obtain_guesser_strategy(
    dictionary: Dictionary, strategy_file: Floats, t_star: int, generator: np.random.Generator
) -> GreedyGuesser:
    """Return the guesser for one game, drawn from iterations 0 to t*: Algorithm 14, ObtainGuesserStrategy.

    Ask it at every state of that game. To draw again at each move would be another, behavioural strategy.
    """
    drawn = generator.integers(0, t_star, endpoint=True)
    return GreedyGuesser(dictionary, strategy_file[drawn])


@dataclass(frozen=True, eq=False)
class Benchmark:
    """The paper's benchmark (section 3): HiderUniform against GuesserGBRUniform.

    Attributes:
        self_play: the guesses needed on average, "benchmark self-play hider payoff" in Table 1.
        epsilon: what the hider gains by a best response, "benchmark epsilon" in Table 1.
        depths: the guesses needed for each word [words].
        dictionary: the words.
    """

    self_play: float
    epsilon: float
    depths: NDArray[np.int64]
    dictionary: Dictionary

    @property
    def opening(self) -> str:
        """The first guess."""
        every_word = self.dictionary.every_word()
        return self.dictionary.words[guesser_gbr(self.dictionary, self.dictionary.uniform(), every_word)]


def benchmark(words: Sequence[str], deadline: Deadline = NEVER) -> Benchmark:
    """Return how the paper's benchmark does with some words: iteration 0 of SolveJotto."""
    dictionary = Dictionary.of(words)
    start = solve_jotto(dictionary, 0, deadline)
    return Benchmark(start.self_play, start.epsilon, start.ang.astype(np.int64), dictionary)


def _not_all_zero(h: Floats, possible: Possible) -> Floats:
    """Return h, or all ones where h leaves no possible word any probability."""
    return h if h[possible].any() else np.ones_like(h)


def _sum_in_order(numbers: Floats) -> float:
    """Return the sum, added one by one from the first to the last."""
    return float(np.cumsum(numbers)[-1])
