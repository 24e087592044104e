"""The trees of both sides of a race weighed anew, at the end of a run.

*All secrets share their trees.* The weights of the secrets stay as they are. Player 1's trees w are good if no pair
(s2, T2) of player 2 wins often against them. By what T2 finds of player 1's secrets, it wins with some chance l(c)
where player 1 needs c guesses for s2. So against one T2 the best w solves a matrix game of trees against secrets with
payoffs l(D[T1, s2]). Which T2 is best depends on w: those of earlier rounds stay in the game, as further columns.

*Each secret has trees of its own.* Then a strategy is any mix of pairs, and the game over pairs is solved as such: by
self-play on the pairs that matter, to which the best pairs against the mixes so far are added round by round (a double
oracle). That changes the weights of the secrets as well. It is good where all trees are known, in tiny games. With
some of the trees it rests on few pairs, against which new trees gain much; then the average over the steps is better.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from oracular.games.game import Game
from oracular.solvers.race.trees import different_trees
from oracular.solvers.race.values import WHOLE, RaceOpponent
from oracular.strategies.race import SECRET_UNIT, TREE_UNIT, RaceMix, product_mix, shared_out
from oracular.strategies.tree import Tree
from oracular.system.deadline import NEVER, Deadline, DeadlinePassed

Mixes = tuple[RaceMix, RaceMix]
Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Own secrets, and trees by index, of some pairs."""

ROUNDS, ITERATIONS = 4, 600
"""How often the trees of both sides are weighed anew, and how long each matrix game is played."""

PAIR_ROUNDS, PAIR_ITERATIONS, PAIRS_A_ROUND, MOST_PAIRS = 40, 600, 60, 2500
"""How often pairs are added, how long each game of them is played, how many come at a time, how many there may be."""

CLOSE = 5e-4
"""Where both sides together lose no more than this to the best pairs, there is nothing left to weigh."""

SCALE = 10_000
"""A chance of 1, as a payoff of a matrix game."""

NEGLIGIBLE = 1e-3
"""A tree or pair with less than this part of an equal share is left out."""

SECONDS_A_PAYOFF = 1.5e-9
"""About how long one payoff takes in one iteration of self-play."""


def reweighed(mixes: Mixes, deadline: Deadline = NEVER) -> Mixes:
    """Return mixes of the same trees, of both sides together, that lose less to the best pair among them.

    Where the deadline passes, they are the best so far.
    """
    trees = different_trees([*mixes[0].trees, *mixes[1].trees])
    shared = len(mixes[0].tree_weights) == 1
    depths = np.array([tree.depths() for tree in trees])
    best = mixes
    with suppress(DeadlinePassed):
        for now in (_by_trees if shared else _by_pairs)(mixes, trees, depths, deadline):
            lost = lost_to(now, depths)
            if lost < lost_to(best, depths):
                best = now
            if lost - WHOLE < CLOSE * WHOLE:
                break
    return best


def with_fewer_trees(mixes: Mixes, most: int, deadline: Deadline = NEVER) -> Mixes:
    """Return mixes of only the likeliest trees of each, at most so many a side, weighed anew.

    Where each secret has trees of its own, nothing changes.
    """
    if len(mixes[0].tree_weights) > 1 or max(len(mix.trees) for mix in mixes) <= most:
        return mixes
    fewer = []
    for mix in mixes:
        kept = np.sort(np.argsort(-mix.tree_weights[0], kind="stable")[:most]).tolist()
        weights = mix.tree_weights[0, kept]
        fewer.append(product_mix(mix.game, mix.secret_weights, [mix.trees[i] for i in kept], weights))
    return reweighed((fewer[0], fewer[1]), deadline)


def seen_by(mixes: Mixes) -> tuple[RaceOpponent, RaceOpponent]:
    """Return what player 1 sees of player 2, and player 2 of player 1."""
    return RaceOpponent.of(mixes[1], moves_first=False), RaceOpponent.of(mixes[0], moves_first=True)


def lost_to(mixes: Mixes, depths: NDArray[np.int32]) -> int:
    """Return what the best pairs with these trees win against both mixes together."""
    return sum(int(other.values(depths).max()) for other in seen_by(mixes))


def _by_trees(mixes: Mixes, trees: list[Tree], depths: NDArray[np.int32], deadline: Deadline) -> Iterator[Mixes]:
    """Yield mixes in which all secrets share their trees, round by round."""
    columns: tuple[list[NDArray[np.int16]], list[NDArray[np.int16]]] = ([], [])
    for _ in range(ROUNDS):
        weighed = []
        for player, other in enumerate(reversed(seen_by(mixes))):  # what player 1 plays is seen by player 2
            deadline.check()
            worst = depths[int(other.values(depths).max(axis=0).argmax())]  # the tree of the other's best pair
            wins = _wins_of(worst, mixes[player].secret_weights, int(depths.max()), moves_first=player == 1)
            columns[player].append(wins[depths])
            weighed.append(_shares(np.concatenate(columns[player], axis=1), ITERATIONS, deadline)[0])
        mixes = _product(mixes[0], trees, weighed[0]), _product(mixes[1], trees, weighed[1])
        yield mixes


def _wins_of(
    depths: NDArray[np.int32], weights: NDArray[np.int64], deepest: int, *, moves_first: bool
) -> NDArray[np.int16]:
    """Return how often a tree with these depths wins against secrets by weights, if the other needs c guesses [c].

    Where the tree's player moves first, it wins with up to c guesses, else with fewer.
    """
    found = np.zeros(deepest + 1, dtype=np.int64)
    np.add.at(found, depths, weights)
    within = np.cumsum(found) * SCALE // SECRET_UNIT
    return (within if moves_first else np.append(0, within[:-1])).astype(np.int16)


def _product(mix: RaceMix, trees: list[Tree], shares: NDArray[np.float64]) -> RaceMix:
    """Return the mix with other trees, the negligible ones left out."""
    kept = np.flatnonzero(shares > NEGLIGIBLE / len(shares)).tolist()
    return product_mix(mix.game, mix.secret_weights, [trees[i] for i in kept], shares[kept])


def _shares(
    payoffs: NDArray[np.int16], iterations: int, deadline: Deadline
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return nearly optimal shares of the rows, which want little, and of the columns, which want much."""
    from oracular.kernels.matrix_game import solve_matrix

    shares = solve_matrix(payoffs, iterations, deadline)
    deadline.check()
    return shares


def _by_pairs(mixes: Mixes, trees: list[Tree], depths: NDArray[np.int32], deadline: Deadline) -> Iterator[Mixes]:
    """Yield mixes of any pairs: round by round the best pairs against the last mixes come to the game."""
    places = {tree.depths().tobytes(): place for place, tree in enumerate(trees)}
    pairs = [
        _joined(_likeliest_pairs(mix, places), _best_pairs(other.values(depths)))
        for mix, other in zip(mixes, seen_by(mixes), strict=True)
    ]
    for _ in range(PAIR_ROUNDS):
        (first_secrets, first_trees), (second_secrets, second_trees) = pairs
        wins = depths[first_trees][:, second_secrets] <= depths[second_trees][:, first_secrets].T
        second, first = _shares(wins.T.astype(np.int16), PAIR_ITERATIONS, deadline)
        mixes = pair_mix(mixes[0].game, pairs[0], first, trees), pair_mix(mixes[1].game, pairs[1], second, trees)
        yield mixes
        for player, (other, shares) in enumerate(zip(seen_by(mixes), (first, second), strict=True)):
            kept = np.arange(len(shares))
            if len(kept) > MOST_PAIRS - PAIRS_A_ROUND:
                kept = np.argsort(-shares, kind="stable")[: 2 * MOST_PAIRS // 3]
            pairs[player] = _joined([part[kept] for part in pairs[player]], _best_pairs(other.values(depths)))


def _likeliest_pairs(mix: RaceMix, places: Mapping[bytes, int]) -> Pairs:
    """Return the pairs that a mix plays most, their trees by the place that trees of such depths have."""
    joint = mix.secret_weights[:, None] * mix.tree_weights[mix.group_of]
    chosen = np.argsort(-joint, axis=None, kind="stable")[: min(MOST_PAIRS // 2, int(np.count_nonzero(joint)))]
    secrets, trees = np.unravel_index(chosen, joint.shape)
    number = np.array([places[tree.depths().tobytes()] for tree in mix.trees])
    return secrets, number[trees]


def _best_pairs(values: NDArray[np.int64]) -> Pairs:
    """Return the best tree for each of the best own secrets, by the values of all pairs [secrets, trees]."""
    secrets = np.argsort(-values.max(axis=1), kind="stable")[:PAIRS_A_ROUND]
    return secrets, values[secrets].argmax(axis=1)


def _joined(some: Sequence[NDArray[np.int64]], more: Pairs) -> Pairs:
    """Return both lists of pairs as one, each pair once."""
    rows = np.unique(np.concatenate([np.stack(some, axis=1), np.stack(more, axis=1)]), axis=0)
    return rows[:, 0], rows[:, 1]


def pair_mix(game: Game, pairs: Pairs, shares: NDArray[np.float64], trees: Sequence[Tree]) -> RaceMix:
    """Return the mix of pairs with these shares; a secret that is never hidden plays the first of the trees."""
    secrets = len(game.secrets)
    used = np.where(shares > NEGLIGIBLE / len(shares), shares, 0.0)
    joint = np.zeros((secrets, len(trees)))
    np.add.at(joint, pairs, used)
    totals = joint.sum(axis=1)
    kept = np.flatnonzero(joint.any(axis=0)).tolist()
    weights = np.zeros((secrets, len(kept)), dtype=np.int64)
    weights[:, 0] = TREE_UNIT
    for secret in np.flatnonzero(totals):
        weights[secret] = shared_out(joint[secret, kept], TREE_UNIT)
    groups = np.arange(secrets, dtype=np.int64)
    return RaceMix(game, shared_out(totals, SECRET_UNIT), [trees[i] for i in kept], groups, weights)


def seconds_to_reweigh(mixes_trees: int, secrets: int, groups: int) -> float:
    """Return about how long `reweighed` takes for so many trees of both sides together."""
    if groups == 1:
        return 2 * ITERATIONS * ROUNDS * (ROUNDS + 1) / 2 * mixes_trees * secrets * 2 * SECONDS_A_PAYOFF
    pairs = min(MOST_PAIRS, secrets * mixes_trees, min(secrets, PAIRS_A_ROUND) * PAIR_ROUNDS)
    return PAIR_ROUNDS * PAIR_ITERATIONS * pairs * pairs * 2 / 3 * SECONDS_A_PAYOFF
