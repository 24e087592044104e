"""What every guess costs at least by counting: the compiled twin of `checker.ProofGame.guess_costs`.

For each guess a counter per answer gives the rank of a secret among those with the same answer. The secrets come sorted
by rise, the largest first, so a secret's rank says how often it pays. Guesses are taken in blocks: the answers of one
secret to a block are neighbours in memory.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import allocating_entry_point

BLOCK = 64


@allocating_entry_point
def guess_costs(answers, found, width, states, start, ordered, paid, times, costs, splits):
    """Fill `costs` and `splits` [states, guesses]: what each guess costs at least, and whether it splits the state.

    Args:
        answers: uint8 [secrets, guesses].
        found: the answer that ends the game.
        width: more than the largest answer.
        states: the secrets of each state, int32 [states, secrets].
        start: what each guess costs all secrets of a state, int64 [states].
        ordered: the secrets by falling rise, for each column that is paid, int32 [columns, states, secrets].
        paid: what these secrets pay each time, int64 [columns, states, secrets].
        times: how often the secret of a rank pays, int64 [columns, secrets].
        costs: int64 [states, guesses].
        splits: uint8 [states, guesses].
    """
    seen = np.zeros((BLOCK, width), np.int32)
    guesses, size = answers.shape[1], states.shape[1]
    for row in range(len(states)):
        for first in range(0, guesses, BLOCK):
            block = min(BLOCK, guesses - first)
            costs[row, first : first + block] = start[row]
            for column in range(len(times)):
                for place in range(size):
                    secret, rise = ordered[column, row, place], paid[column, row, place]
                    for i in range(block):
                        answer = answers[secret, first + i]
                        rank = seen[i, answer]
                        seen[i, answer] = rank + 1
                        if answer != found:
                            costs[row, first + i] += rise * times[column, rank]
                for place in range(size):
                    for i in range(block):
                        seen[i, answers[ordered[column, row, place], first + i]] = 0
            for i in range(block):
                own = answers[states[row, 0], first + i]
                whole = own != found
                for place in range(1, size):
                    if not whole:
                        break
                    whole = answers[states[row, place], first + i] == own
                splits[row, first + i] = not whole
