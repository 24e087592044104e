"""The paper's greedy tree, compiled: scoring states, and tree after tree."""
