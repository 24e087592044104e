"""The games: words, rules by family, tables of answers, names."""
