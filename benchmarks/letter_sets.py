"""Word lists of any size for measurements: random sets of letters, and what a process has used of memory."""

from __future__ import annotations

import itertools
import resource
import sys
from string import ascii_lowercase

import numpy as np


def random_words(count: int, letters: int = 5, seed: int = 0) -> list[str]:
    """Return so many different sets of letters, as words, sorted; the same for the same seed.

    Of five letters there are 65,780. No two sets are anagrams and none repeats a letter, so all are playable in Jotto.
    """
    sets = ["".join(letters_of) for letters_of in itertools.combinations(ascii_lowercase, letters)]
    if count > len(sets):
        sys.exit(f"{count:,} words asked for: there are {len(sets):,} sets of {letters} letters")
    chosen = np.random.default_rng(seed).choice(len(sets), count, replace=False)
    return [sets[index] for index in sorted(chosen)]


def uneven_weights(count: int, seed: int = 0) -> np.ndarray:
    """Return weights of a hider who hides some words far more often than others, int64 [words]."""
    return np.random.default_rng(seed).integers(1, 1 << 20, count)


def peak_memory() -> int:
    """Return the most memory that this process has held so far, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
