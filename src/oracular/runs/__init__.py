"""Runs: the loop that drives a solver, its limits, and the files on disk."""
