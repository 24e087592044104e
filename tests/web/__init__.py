"""The tests of the server: a package, so that its fixtures do not stand in the way of the others."""
