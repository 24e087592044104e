"""The planner's graph of states, compiled."""
