"""What tests of `oracular play` share: the seed of every game, and what a person is asked."""

from __future__ import annotations

SEED = 7
GUESS, AGAIN = r"your guess \(", r"Play again\? \[Y/n\]"
