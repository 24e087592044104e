"""Shipped strategies: trees by index with the word list's hash, no words."""
