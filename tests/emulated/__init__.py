"""A package, so that its `conftest.py` is told apart from that of all tests."""
