"""Certificates of equilibria in exact rational arithmetic: what they hold and how they are checked.

A certificate needs no linear program to be believed. The upper bound is the most guesses that the mixture of trees
needs for any secret, worked out from the trees. The lower bound is the best response to the hider's weights, whole
numbers, by the exact search. Where the two are equal they are the game's value.

In another objective than the mean the same holds of losses: the trees prove the most that is lost, the weights the
least.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.costs import Costs, fits_search
from oracular.errors import RunError, SettingsError
from oracular.games.game import Game, Indices
from oracular.games.names import present_name
from oracular.games.symmetry import orbits
from oracular.objectives import Objective, mean, objective_of_data
from oracular.search.trees import search
from oracular.strategies.tree import Tree
from oracular.system import files
from oracular.system.control import NEVER, UNLIMITED, Control, Deadline
from oracular.system.files import parse_fraction, quoted

MOST_BYTES = 1 << 26
"""A certificate's file is no larger than this."""

MOST_BITS = 200_000
"""The common denominator of a mixture's shares is no longer than this; of the largest games solved it is a tenth."""


MEAN = mean()


@dataclass(frozen=True)
class Certificate:
    """Strategies of both sides and the bounds they prove.

    weights: the hider's, one whole number a secret (a secret's chance is its weight over their sum)
    trees, shares: the guesser's mixture; where the game has symmetries, one of them is drawn first, all alike
    lower, upper: lower <= value of the game <= upper, in the objective
    objective: what the guesser is worth
    """

    weights: list[int]
    trees: list[Tree]
    shares: list[Fraction]
    lower: Fraction
    upper: Fraction
    objective: Objective = field(default_factory=mean)

    @classmethod
    def of_losses(
        cls,
        weights: list[int],
        mixture: tuple[list[Tree], list[Fraction]],
        losses: tuple[Fraction, Fraction],
        objective: Objective,
    ) -> Certificate:
        """Return the certificate of bounds on the loss, the lower first."""
        return cls(weights, *mixture, *objective.bounds(*losses), objective)

    @property
    def bound(self) -> Fraction:
        """What the hider's weights prove: no guesser does better against them."""
        return self.lower if self.objective.less_is_better else self.upper

    @property
    def guarantee(self) -> Fraction:
        """What the mixture of trees gets at worst."""
        return self.upper if self.objective.less_is_better else self.lower

    @property
    def complete(self) -> bool:
        """Whether the bounds are equal: then they are the value."""
        return self.lower == self.upper

    def to_data(self) -> dict[str, Any]:
        """Return numbers, lists and strings (fractions as "p/q") for a file; the mean is not named."""
        named = {} if self.objective.is_mean else {"objective": self.objective.to_data(self.trees[0].game)}
        return named | {
            "lower": str(self.lower),
            "upper": str(self.upper),
            "weights": [str(weight) for weight in self.weights],
            "shares": [str(share) for share in self.shares],
            "trees": [tree.to_list() for tree in self.trees],
        }

    @staticmethod
    def from_data(game: Game, data: dict[str, Any], deadline: Deadline = NEVER) -> Certificate:
        """Return the certificate that `to_data` wrote of a game, or raise an error where it wrote no such thing."""
        weights = [parse_fraction(weight) for weight in data["weights"]]
        if any(weight.denominator != 1 for weight in weights):
            raise ValueError("the weights are not whole numbers")
        return Certificate(
            weights=[weight.numerator for weight in weights],
            trees=trees_of(game, data["trees"], deadline),
            shares=[parse_fraction(share) for share in data["shares"]],
            lower=parse_fraction(data["lower"]),
            upper=parse_fraction(data["upper"]),
            objective=objective_of_data(data["objective"], game) if "objective" in data else mean(),
        )


def trees_of(game: Game, lists: list[Any], deadline: Deadline) -> list[Tree]:
    """Return the trees that `Tree.to_list` wrote, or raise `DeadlinePassed`."""
    trees = []
    for numbers in lists:
        deadline.check()
        try:
            trees.append(Tree.from_list(game, numbers))
        except SettingsError as error:  # the caller names the file
            raise ValueError(str(error)) from None
    return trees


def verify_certificate(game: Game, certificate: Certificate, control: Control[Any] = UNLIMITED) -> bool:
    """Return whether the lower bound could be proved before the control ended the work; the upper bound always is.

    Raises an error where a bound does not follow from the strategies, by the table of answers alone.
    """
    try:
        return _is_proved(game, certificate, control)
    except (ValueError, IndexError, ArithmeticError) as error:
        raise RunError(f"the certificate of {game.name} proves nothing ({error}): make it again") from None


def _is_proved(game: Game, certificate: Certificate, control: Control[Any]) -> bool:
    """Do what `verify_certificate` does, with a `ValueError` where it raises one for people."""
    secrets = len(game.secrets)
    if len(certificate.weights) != secrets:
        raise ValueError(f"{len(certificate.weights)} weights for {secrets} secrets")
    if not all(tree.game.is_same(game) for tree in certificate.trees):
        raise ValueError("its trees are of another game")
    objective = certificate.objective
    labels = orbits_for(game, objective)
    proved = objective.value(guarantee(certificate.trees, certificate.shares, labels, objective=objective))
    if proved != certificate.guarantee:
        raise ValueError(f"the mixture guarantees {_short(proved)}, not {_short(certificate.guarantee)}")
    if certificate.lower > certificate.upper:
        raise ValueError(
            f"the lower bound {_short(certificate.lower)} is above the upper bound {_short(certificate.upper)}"
        )
    total = sum(certificate.weights)
    if total == 0 or min(certificate.weights) < 0 or not fits_search(certificate.weights, objective):
        raise ValueError("the weights are negative, all zero or too large")
    weights = np.array(certificate.weights, np.int64)
    wanted = objective.loss(certificate.bound) * total
    target = -(-wanted.numerator // wanted.denominator)
    # only so far as to see that no tree needs less than the lower bound
    response = search(game, Costs.against(weights, objective), target=target, control=control.silent())
    if response.lower >= wanted:
        return True
    if response.upper < wanted:
        refuted = objective.value(Fraction(response.upper, total))
        verb = "needs" if objective.is_mean else "gets"
        raise ValueError(
            f"against the hider's weights a tree {verb} {_short(refuted)}, not {_short(certificate.bound)}"
        )
    return False


def _short(fraction: Fraction) -> str:
    """Return a fraction as it is written, or in decimals where that would be long."""
    written = str(fraction)
    return written if len(written) <= 40 else f"{float(fraction):.6f}"


def has_symmetries(game: Game, objective: Objective) -> bool:
    """Tell whether the guesser draws a symmetry of the game: if there are any, and all of them keep the losses."""
    found = game.checked_symmetries
    return bool(found) and all(objective.is_kept_by(symmetry.secrets) for symmetry in found)


def orbits_for(game: Game, objective: Objective) -> Indices:
    """Return the orbit of each secret under the symmetries that are drawn [secrets]."""
    drawn = game.checked_symmetries if has_symmetries(game, objective) else ()
    return orbits(len(game.secrets), [symmetry.secrets for symmetry in drawn])


def guarantee(
    trees: Sequence[Tree],
    shares: Sequence[Fraction],
    labels: Sequence[int] | Indices,
    deadline: Deadline = NEVER,
    objective: Objective = MEAN,
) -> Fraction:
    """Return the most guesses, over the orbits of secrets, that the mixture needs on average, or most loss; exact."""
    if not trees or len(trees) != len(shares):
        raise ValueError(f"{len(shares)} shares for {len(trees)} trees")
    common = 1
    for share in shares:
        common = lcm(common, share.denominator)
        if common.bit_length() > MOST_BITS:
            raise ValueError("the shares have no common denominator of a reasonable length")
    if any(share < 0 for share in shares) or sum(shares) != 1:
        raise ValueError("the trees' shares must not be negative and must add up to 1")
    _, orbit_of = np.unique(np.asarray(labels), return_inverse=True)
    sizes = np.bincount(orbit_of)
    expected = [0] * len(sizes)
    for tree, share in zip(trees, shares, strict=True):
        deadline.check()
        scaled = share.numerator * (common // share.denominator)
        sums = np.bincount(orbit_of, weights=objective.payoffs(tree.depths())).astype(np.int64)
        expected = [so_far + scaled * int(total) for so_far, total in zip(expected, sums, strict=True)]
    return max(Fraction(total, common * int(size)) for total, size in zip(expected, sizes, strict=True))


def solve_exactly(matrix: list[list[int]], right: list[int], deadline: Deadline = NEVER) -> list[Fraction]:
    """Return the solution of a square system in whole numbers, by elimination without fractions (Bareiss).

    Raises ValueError if the matrix is singular.
    """
    size = len(matrix)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    previous = 1
    for place in range(size):
        pivot = next((index for index in range(place, size) if rows[index][place] != 0), None)
        if pivot is None:
            raise ValueError("the basis is singular")
        rows[place], rows[pivot] = rows[pivot], rows[place]
        top = rows[place]
        for index in range(place + 1, size):
            deadline.check()
            row = rows[index]
            factor = row[place]
            rows[index] = [0] * (place + 1) + [
                (top[place] * row[column] - factor * top[column]) // previous for column in range(place + 1, size + 1)
            ]
        previous = top[place]
    solution = [Fraction(0)] * size
    for place in range(size - 1, -1, -1):
        deadline.check()
        row = rows[place]
        rest = sum((row[column] * solution[column] for column in range(place + 1, size)), Fraction(0))
        solution[place] = (row[size] - rest) / row[place]
    return solution


def solve_basis(
    sums: Sequence[NDArray[np.int64]], sizes: Sequence[int], tight: Sequence[int], deadline: Deadline = NEVER
) -> tuple[list[Fraction], list[Fraction]]:
    """Return the trees' shares, and the weight of a secret of each orbit, that a basis of the program stands for.

    Every tree has the same value under the weights, every tight orbit the same depth under the shares. There are as
    many tight orbits as basic trees, whose depths are added up by orbit.
    """
    count = len(tight)
    if count != len(sums):
        raise ValueError(f"{len(sums)} basic trees but {count} tight rows")
    by_orbit = [[int(tree[orbit]) for tree in sums] + [-sizes[orbit]] for orbit in tight]
    shares = solve_exactly([*by_orbit, [1] * count + [0]], [0] * count + [1], deadline)[:-1]
    by_tree = [[int(tree[orbit]) for orbit in tight] + [-1] for tree in sums]
    last = [sizes[orbit] for orbit in tight] + [0]
    solved = solve_exactly([*by_tree, last], [0] * count + [1], deadline)[:-1]
    weights = [Fraction(0)] * len(sizes)
    for orbit, weight in zip(tight, solved, strict=True):
        weights[orbit] = weight
    return shares, weights


def write_certificate(path: Path, game: Game, certificate: Certificate) -> None:
    """Write a certificate to a file, with the game it is of; fractions are strings."""
    identity = {"game": game.name, "words_sha256": game.words_sha256, "answers_sha256": game.answers_sha256}
    data = {**identity, **certificate.to_data()}
    try:
        files.write_whole(path, (json.dumps(data) + "\n").encode())
    except OSError as error:
        raise RunError(
            f"certificate {quoted(path)} cannot be written ({error.strerror}): fix that, then resume it"
        ) from None


@dataclass(frozen=True)
class WrittenCertificate:
    """What the file of a certificate says, before any of it is believed: see `write_certificate`."""

    path: Path
    game: str
    words_sha256: str
    data: dict[str, Any]

    def of(self, game: Game, deadline: Deadline = NEVER) -> Certificate:
        """Return the certificate, its strategies being ones of this game, or say why it is none."""
        if self.game != game.name:
            raise RunError(
                f"certificate {quoted(self.path)} is of {quoted(self.game)}, not of {game.name}: give one of this game"
            )
        if self.words_sha256 != game.words_sha256:
            raise RunError(f"the certificate is of {game.name} with another word list: give that list")
        game.table_by(deadline)  # a game that is too large for one is no fault of the file
        try:
            return Certificate.from_data(game, self.data, deadline)
        except (ValueError, KeyError, TypeError, IndexError, ArithmeticError):
            raise _damaged(self.path) from None


def read_certificate(path: Path) -> WrittenCertificate:
    """Return what the file of a certificate says."""
    try:
        data = files.parse_json(files.read_bytes(path, MOST_BYTES))
        name, sha256 = data["game"], data["words_sha256"]
    except OSError as error:
        raise RunError(
            f"certificate {quoted(path)} cannot be read ({error.strerror}): give a certificate's file"
        ) from None
    except (ValueError, KeyError, TypeError, IndexError):
        raise _damaged(path) from None
    if not isinstance(name, str) or not isinstance(sha256, str):
        raise _damaged(path)
    return WrittenCertificate(path, present_name(name, sha256), sha256, data)


def _damaged(path: Path) -> RunError:
    return RunError(f"{quoted(path)} is not a certificate, or is damaged: make it again with the exact solver")
