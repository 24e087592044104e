"""Best responses of either side."""
