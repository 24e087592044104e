"""Strong game-theoretic strategies for guessing games, in oracular form."""
