"""Compiled questions to many trees of one game at once: what each guesses next after some guesses, how deep it goes.

A tree is a row of guesses as in `trees`. Beside it is kept, for each of them, where in the row the guesses below it
end, so that the way to one secret can be followed without walking through the rest.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import allocating_entry_point
from oracular.kernels.trees import LEVEL, new_walk, next_state, split


@allocating_entry_point
def measured(table, found, guesses):
    """Return a tree's depths [secrets], where the guesses below each guess end [guesses], and whether it is a tree."""
    walk = new_walk(table.shape[1])
    levels = np.zeros(len(guesses), np.int64)
    ends = np.zeros(len(guesses), np.int32)
    used = 0
    while next_state(walk):
        if used == len(guesses) or not split(walk, table, found, guesses[used]):
            return walk.depths, ends, False
        levels[used] = walk.place[LEVEL]
        used += 1
    for node in range(len(guesses) - 1, -1, -1):
        end = node + 1
        while end < len(guesses) and levels[end] > levels[node]:
            end = ends[end]
        ends[node] = end
    return walk.depths, ends, used == len(guesses)


@allocating_entry_point
def next_guesses(table, found, guess_of_secret, rows, ends, starts, secret, made):
    """Return what each tree guesses next if these guesses were made and the secret is this one, int32 [trees].

    It is -1 where the tree would have made other guesses, or has found the secret with them. The rows of all trees,
    one after the other, begin at `starts` [trees + 1]; they are whole trees, as `measured` has found.
    """
    secrets = table.shape[1]
    result = np.full(len(starts) - 1, -1, np.int32)
    state, counts = np.empty(secrets, np.int32), np.zeros(256, np.int32)
    for tree in range(len(result)):
        node, size, guess = starts[tree], secrets, np.int32(0)
        for a in range(secrets):
            state[a] = a
        for turn in range(len(made) + 1):
            guess = guess_of_secret[secret] if size == 1 else rows[node]
            if turn == len(made):
                result[tree] = guess
                break
            if guess != made[turn] or table[guess, secret] == found:
                break
            answer = table[guess, secret]
            counts[: answer + 1] = 0
            kept = 0
            for a in range(size):
                reply = table[guess, state[a]]
                if reply <= answer:
                    counts[reply] += 1
                    if reply == answer:
                        state[kept] = state[a]
                        kept += 1
            size, node = kept, node + 1
            for reply in range(answer):
                if counts[reply] > 1 and reply != found:
                    node = starts[tree] + ends[node]
    return result
