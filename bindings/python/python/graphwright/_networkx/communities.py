"""Communities."""

from __future__ import annotations

import inspect
import random

import networkx as nx
import numpy as np

from .. import _native
from .run import algorithm, no_function, outcome, standard
from .structure import colored

#: The threshold of NetworkX, which stops where little is gained; here a method goes on while something is.
_THRESHOLD = 1e-7


def _simple(G, weight, resolution, max_level) -> bool | str:
    if G.is_directed():
        return "the graph is directed"
    if resolution != 1:
        return "another resolution than 1"
    return "max_level is given" if max_level is not None else no_function(weight)


def _louvain_can_run(G, weight="weight", resolution=1, threshold=_THRESHOLD, max_level=None, seed=None):
    if threshold != _THRESHOLD:
        return "a threshold is given"
    # NetworkX puts its shared generator where no seed is given.
    if seed is not None and seed is not getattr(random, "_inst", None):
        return "a seed is given"
    return _simple(G, weight, resolution, max_level)


@algorithm(_louvain_can_run)
def louvain_communities(G, weight="weight", resolution=1, threshold=_THRESHOLD, max_level=None, seed=None):
    return _communities("louvain", G, weight, seed)


#: What Leiden's method raises when nothing is said: later versions of NetworkX can choose, and have another default.
_LEIDEN = getattr(nx.community, "leiden_communities", None)
_KNOWN = {} if _LEIDEN is None else inspect.signature(_LEIDEN).parameters
_METRIC = _KNOWN["metric"].default if "metric" in _KNOWN else "modularity"
_THETA = 0.01


def _leiden_can_run(G, weight="weight", resolution=1, max_level=None, seed=None, metric=_METRIC, theta=_THETA):
    if metric != "modularity":
        return f"metric {metric}"
    return "theta is given" if theta != _THETA else _simple(G, weight, resolution, max_level)


@algorithm(_leiden_can_run)
def leiden_communities(
    G, weight="weight", resolution=1, max_level=None, seed=None, metric="modularity", theta=_THETA
):
    return _communities("leiden", G, weight, seed)


def _communities(program, g, weight, seed) -> list[set]:
    if not len(g):
        return []
    if g.has_loops():
        raise NotImplementedError("loops, which NetworkX counts twice")
    graph = g.summed(weight)
    native = graph._native
    if native.weight_kind != "none" and native.weight_kind != "int" or (native.least_weight or 0) < 0:
        raise NotImplementedError("weights that are no whole numbers from 0 on")
    found = outcome(standard(program), graph, seed=seed.getrandbits(30))
    if found.get("too_heavy"):
        raise NotImplementedError("weights whose sum is too large")
    labels = found.get("label")
    order = np.argsort(labels, kind="stable")
    return [set(g.nodes_at(part)) for part in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)]


def _propagation_can_run(G):
    return "the graph is a multigraph" if G.is_multigraph() else True


@algorithm(_propagation_can_run)
def label_propagation_communities(G):
    clusters: dict[int, set] = {}
    if len(G):
        labels = _native.propagate_labels(G.structure._native, np.ascontiguousarray(colored(G)[1], dtype=np.int32))
        for node, label in zip(G.nodes, labels.tolist()):
            clusters.setdefault(label, set()).add(node)
    return clusters.values()
