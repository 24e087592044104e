"""Strategies of both sides: hiders, oracles, trees, mixtures, and the files that hold them."""
