"""Many runs at once: games × solvers × settings, each in a folder of its own, one after another or on a cluster."""

from oracular.runs.sweep.drive import sweep
from oracular.runs.sweep.plan import PlannedRun, plan

__all__ = ["PlannedRun", "plan", "sweep"]
