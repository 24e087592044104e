"""Best responses: the search for a tree that costs least, and what is proved on the way."""
