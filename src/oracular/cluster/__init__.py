"""Work on Dask workers, on this machine or on many; needs `pip install "oracular[cluster]"`.

Nothing here imports Dask before a cluster is asked for. Tasks return whole numbers that do not depend on who works them
out or when, so results are the same bit for bit with a cluster and without.
"""

from oracular.cluster.address import check_address, exposure
from oracular.cluster.connection import Cluster, connect

__all__ = ["Cluster", "check_address", "connect", "exposure"]
