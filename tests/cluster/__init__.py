"""The tests of clusters: a package, so that the cluster that they share ends with the last of them."""
