"""The double oracle [McMahan, Gordon and Blum 2003], with a small side that answers smoothly.

At every step both sides play on the responses so far: the large side mixes them by regret matching+, and the small side
answers the mix y with weights that fall off smoothly from what costs it most,

    w_i about in proportion to exp(-s (max_j y_j - y_i)),

so that the mix makes the smooth maximum of y small. The next response is to these weights. With the sharpest answer,
which is a best response, the weights would jump from step to step, and responses to them would be of little use; with a
smooth one they are near the equilibrium from the start, and s grows with the steps.

Regret matching moves its weights by a payoff a step. Where a few pure strategies of the small side need far more weight
than others (in Wordle, *jazzy*), that takes it thousands of steps; here they have it as soon as the mix says so.

Responses to smooth weights alone end at a mix that is only nearly right. So some responses are to the equilibrium of
the game restricted to the responses so far, as in the paper: every second one if responses are exact, and else the one
after a response that was not new. Exact responses to it are new until the bounds meet, which ends the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.problem import rounded
from oracular.settings import DOUBLE_ORACLE, REGRET_MATCHING, DoubleOracleSettings, check_all
from oracular.solvers.regret_matching import RESOLUTION, RegretMatching, Reweighted, guarantee_of, reweighted, solved
from oracular.solvers.solver import Arrays, Record
from oracular.system.checking import check_array, damaged_arrays
from oracular.system.control import NEVER, Deadline

REWEIGHTING = 1000
"""The rounds of self-play by which the restricted game is solved where responses are not exact."""


@dataclass(eq=False)
class DoubleOracle(RegretMatching):
    """The solver's state; `step` makes one iteration.

    It has the attributes of regret matching, and beside them:

    Attributes:
        mix_regrets: the large side's regrets of not having played each kept response [strategies].
        mix: how the large side mixes them, in whole numbers [strategies].
    """

    rounds: int = DoubleOracleSettings.rounds
    sharpness: int = DoubleOracleSettings.sharpness
    sharper_every: int = DoubleOracleSettings.sharper_every
    sharpest: int = DoubleOracleSettings.sharpest

    name = "double-oracle"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_all(DOUBLE_ORACLE, self, self.problem.size)
        self.mix_regrets: NDArray[np.float64] = np.zeros(0)
        self.mix: NDArray[np.int64] = np.zeros(0, dtype=np.int64)

    @property
    def settings(self) -> dict[str, Any]:
        """What a run was begun with, as plain data."""
        own = {setting.name: getattr(self, setting.name) for setting in (*REGRET_MATCHING, *DOUBLE_ORACLE)}
        return self.problem.settings | own

    def warm_up(self) -> None:
        """Load or compile what responses, steps and conclusions need."""
        from oracular.kernels.smooth_play import play_smoothly

        super().warm_up()
        if self.problem.exact:
            solved(np.zeros((1, 1)))
        play_smoothly(np.zeros((1, 1), dtype=np.float32), np.zeros(1), 1.0, 1)

    def _next_weights(
        self, regrets: NDArray[Any], payoffs: list[NDArray[Any]], used: Sequence[int], deadline: Deadline
    ) -> NDArray[np.int64]:
        """Return the smooth answer to the mix of the kept responses, which is made meanwhile [size]."""
        from oracular.kernels.smooth_play import play_smoothly

        steps, kept = self.iteration + 2, list(used)
        sharpness = self.sharpness * min(float(self.sharpest), 1.0 + steps / self.sharper_every)
        before = np.append(self.mix_regrets[kept], 0.0)
        matrix = np.array(payoffs, dtype=np.float32)
        played = play_smoothly(matrix, before, sharpness / self.problem.payoff_unit, self.rounds, deadline)
        mix, weights = np.rint(played.mixture * RESOLUTION).astype(np.int64), played.hider
        if self.problem.exact:
            mix, prices = self._equilibrium(np.array(payoffs), np.append(self.mix[kept], 0), deadline)
            weights = prices if steps % 2 else weights
        elif any(np.array_equal(payoffs[-1], row) for row in payoffs[:-1]):
            weights = reweighted(matrix, REWEIGHTING, deadline).prices
            deadline.check()
        self.mix_regrets, self.mix = played.regrets, mix
        return rounded(weights, self.problem.most_weight)

    def _equilibrium(
        self, payoffs: NDArray[Any], mix: NDArray[np.int64], deadline: Deadline
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return both sides' best mixes if the large side has only responses with these payoffs [strategies, size].

        The large side's is the given one if rounding would make the new one worse.
        """
        found = solved(payoffs, deadline)
        worse = mix.any() and guarantee_of(payoffs, mix) <= found.guarantee
        return mix if worse else found.weights, found.prices

    def _best_mix(self, payoffs: NDArray[Any], deadline: Deadline) -> Reweighted:
        """Return the best mix of responses with these payoffs, or nearly the best if responses are not exact."""
        return solved(payoffs, deadline) if self.problem.exact else super()._best_mix(payoffs, deadline)

    @property
    def finished(self) -> bool:
        """Whether the bounds meet, up to what the rounding of the mix may come to."""
        if self.lower is None:
            return False
        totals, count = self._mixed_totals()
        spread = max(int(row.max()) for row in self.payoffs) - min(int(row.min()) for row in self.payoffs)
        rounding = Fraction(int(np.count_nonzero(self.mix)) * spread, RESOLUTION)
        return Fraction(int(totals.max()), count) - self.lower <= rounding

    def _mixed_totals(self) -> tuple[NDArray[Any], int]:
        """Return the payoffs of the mix of the kept responses, added up [size], and the sum of its weights."""
        return self._totals_of(self.mix), int(self.mix.sum())

    def _mix_weights(self) -> NDArray[np.int64]:
        """Return a weight for each kept response: as was concluded, before that as they are mixed."""
        return self.mix if self.conclusion is None else self.conclusion.mix

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all of the state but its small part."""
        return super().arrays() | {"mix_regrets": self.mix_regrets, "mix": self.mix}

    def restore(
        self, checkpoint: Record, arrays: Arrays, history: Sequence[Record], deadline: Deadline = NEVER
    ) -> None:
        """Take up what `checkpoint` and `arrays` returned; see `RegretMatching.restore`."""
        super().restore(checkpoint, arrays, history, deadline)
        kept = (len(self.strategies),)
        check_array(arrays, "mix_regrets", np.float64, kept)
        check_array(arrays, "mix", np.int64, kept)
        regrets, mix = arrays["mix_regrets"].copy(), arrays["mix"].copy()
        if not np.isfinite(regrets).all() or regrets.min() < 0:
            raise damaged_arrays("mix_regrets are out of range")
        if mix.min() < 0 or mix.max() > RESOLUTION or not mix.any():
            raise damaged_arrays("mix has not one weight for each response")
        self.mix_regrets, self.mix = regrets, mix

    def _restored_weights(self, arrays: Arrays, regrets: NDArray[Any]) -> NDArray[np.int64]:
        """Return the weights that were saved, or raise an error unless they can be weights of this problem [size]."""
        if arrays["weights"].min() < 1 or sum(arrays["weights"].tolist()) > self.problem.most_weight:
            raise damaged_arrays("weights are out of range")
        return arrays["weights"].copy()
