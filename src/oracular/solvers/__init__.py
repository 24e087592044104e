"""Algorithms that find strategies near equilibrium, one a file."""
