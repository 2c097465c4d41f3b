"""Communities in the manner of scikit-learn: estimators over graphs and matrices of affinities.

>>> import scipy.sparse as sp
>>> from graphwright.cluster import Leiden
>>> two_pairs = sp.csr_array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
>>> Leiden(resolution=1.0, seed=0).fit_predict(two_pairs).tolist()
[0, 0, 1, 1]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import algorithms
from ._graph import as_graph

__all__ = ["Leiden", "Louvain"]


class _Communities:
    """An estimator whose parameters are its attributes."""

    _METHOD = "leiden"

    def __init__(self, resolution: float = 1.0, seed: int = 0, *, device: str = "auto", threads: int = 0):
        self.resolution = resolution
        self.seed = seed
        self.device = device
        self.threads = threads

    def fit(self, X, y=None) -> _Communities:
        """Finds the communities of a graph, or of a sparse matrix of affinities, whose two directions are added up where they
        differ. Leaves ``labels_``, ``n_clusters_`` and ``modularity_``."""
        result = find(X, self._METHOD, self.resolution, self.seed, device=self.device, threads=self.threads)
        self.labels_ = by_size(result.label)
        self.n_clusters_ = int(result.communities)
        self.modularity_ = float(result.modularity)
        self.n_features_in_ = len(self.labels_)
        return self

    def fit_predict(self, X, y=None) -> np.ndarray:
        """The community of every vertex: 0 for the largest one, and so on; communities of a size by their first vertices."""
        return self.fit(X).labels_

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in ("resolution", "seed", "device", "threads")}

    def set_params(self, **params) -> _Communities:
        """Changes parameters."""
        for name, value in params.items():
            if name not in self.get_params():
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(self.get_params())}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}(resolution={self.resolution!r}, seed={self.seed!r})"


class Leiden(_Communities):
    """Communities by Leiden's method. The labels follow from graph, resolution and seed alone, whatever the machine and its threads.

    >>> import graphwright as gw
    >>> gw.Leiden(seed=3).fit_predict(gw.Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4)])).tolist()
    [0, 0, 0, 1, 1]
    """


class Louvain(_Communities):
    """Communities by Louvain's method.

    >>> import graphwright as gw
    >>> gw.Louvain().fit_predict(gw.Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4)])).tolist()
    [0, 0, 0, 1, 1]
    """

    _METHOD = "louvain"


def find(graph, method: str, resolution: float, seed, **options):
    """The result of a method on a graph; a matrix is one of affinities."""
    if type(graph).__module__.startswith("scipy.sparse"):
        matrix = graph.tocsr().copy()
        matrix.setdiag(0)
        matrix.eliminate_zeros()
        if abs(matrix - matrix.T).nnz:
            matrix = (matrix + matrix.T).tocsr()
        graph = matrix
    elif isinstance(graph, np.ndarray):
        raise TypeError("a graph or a sparse matrix of affinities is needed: sklearn.neighbors.kneighbors_graph makes one of points")
    return getattr(algorithms, method)(as_graph(graph), _seed(seed), resolution=resolution, **options)


def _seed(seed) -> int:
    """The seed of a method: of None and of generators of NumPy a number that is drawn."""
    if seed is None:
        seed = np.random.default_rng()
    if isinstance(seed, np.random.RandomState):
        return int(seed.randint(2**31 - 1))
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**31 - 1))
    return int(seed)


def by_size(label: np.ndarray) -> np.ndarray:
    """Communities numbered from the largest one on; those of one size by their first vertices."""
    _, first, inverse, sizes = np.unique(label, return_index=True, return_inverse=True, return_counts=True)
    place = np.empty(len(sizes), dtype=np.int64)
    place[np.lexsort((first, -sizes))] = np.arange(len(sizes))
    return place[inverse]
