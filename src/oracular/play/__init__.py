"""Playing against the computer: matches, what is certain, advice and reviews."""
