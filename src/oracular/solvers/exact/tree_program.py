"""The small linear program over whole trees, whose basis the certificate solves exactly."""

from __future__ import annotations

import highspy
import numpy as np

from oracular.kernels.exact.types import Bounds
from oracular.solvers.exact.flow_program import run_until
from oracular.system.deadline import NEVER, Deadline


def tree_basis(sums: list[Bounds], sizes: Bounds, deadline: Deadline = NEVER) -> tuple[list[int], list[int]]:
    """Return the basic trees and tight orbits of: min v, mixture's depth <= v at every orbit, shares add up to 1."""
    rows = len(sizes)
    model = highspy.Highs()  # type: ignore[no-untyped-call]
    model.setOptionValue("output_flag", False)
    model.setOptionValue("threads", 1)
    model.setOptionValue("primal_feasibility_tolerance", 1e-10)
    model.setOptionValue("dual_feasibility_tolerance", 1e-10)
    infinity = highspy.kHighsInf
    for lower, upper in [(0.0, infinity)] * rows + [(1.0, 1.0)]:
        model.addRow(lower, upper, 0, np.zeros(0, np.int32), np.zeros(0))
    model.addCol(1.0, -infinity, infinity, rows, np.arange(rows, dtype=np.int32), np.ones(rows))
    places = np.arange(rows + 1, dtype=np.int32)
    for tree in sums:
        model.addCol(0.0, 0.0, infinity, rows + 1, places, np.append(-tree / sizes, 1.0))
    run_until(model, deadline)
    basis = model.getBasis()
    basic = highspy.HighsBasisStatus.kBasic
    trees = [place - 1 for place, status in enumerate(basis.col_status) if place > 0 and status == basic]
    tight = [row for row in range(rows) if basis.row_status[row] != basic]
    return trees, tight
