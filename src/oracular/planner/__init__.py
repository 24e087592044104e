"""The guesser's planner: good trees by lookahead, and such trees as the start of an exact search."""
