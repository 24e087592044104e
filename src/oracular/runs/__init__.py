"""Runs: the loop that drives a solver, its limits, and what is kept on disk."""
