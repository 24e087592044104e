"""Compiled lower bounds on the best total of a state, where every secret weighs the same and answers are few."""
