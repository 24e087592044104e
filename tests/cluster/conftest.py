"""Clusters of real processes: one that the tests share, and some that they may kill."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from oracular.cluster import Cluster, connect

from real_cluster import RealCluster, wait_for_workers


@pytest.fixture(scope="package")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealCluster]:
    """A cluster of two workers that no test harms."""
    cluster = RealCluster(tmp_path_factory.mktemp("cluster"))
    cluster.add_worker()
    cluster.add_worker()
    yield cluster
    cluster.close()


@pytest.fixture(scope="package")
def connected(shared: RealCluster) -> Iterator[Cluster]:
    with connect(shared.address) as cluster:
        wait_for_workers(cluster, 2)
        yield cluster


@pytest.fixture
def doomed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealCluster]:
    """A cluster without workers yet, for a test that may kill what it likes."""
    cluster = RealCluster(tmp_path_factory.mktemp("doomed"))
    yield cluster
    cluster.close()
