"""Lower bounds on what any guesser needs against a hider."""
