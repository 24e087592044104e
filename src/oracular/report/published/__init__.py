"""Published results about guessing games, and ours beside them: the rows, their comparison, the page."""
