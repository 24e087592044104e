"""The exact solver: equilibria that it proves."""
