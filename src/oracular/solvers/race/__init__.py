"""The blind race: its solver, the exact answer for tiny games, and the measure of what a deviation gains."""
