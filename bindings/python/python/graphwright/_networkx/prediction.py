"""Measures of pairs of nodes that tell which edge may come next: what their neighbourhoods have in common."""

from __future__ import annotations

from itertools import islice

import networkx as nx
import numpy as np

from .. import _native
from .run import algorithm

#: Pairs that are measured at a time; the first block is small, so that the first answers come soon.
_FIRST, _BLOCK = 1 << 10, 1 << 17


def _non_edges(g):
    """Pairs without an edge, in the order of ``networkx.non_edges``."""
    indptr, targets, _ = g.structure.to_numpy()
    left = set(g.nodes)
    while left:
        node = left.pop()
        number = g.numbers[node]
        near = g.nodes_at(targets[indptr[number] : indptr[number + 1]])
        for other in left - set(near):
            yield node, other


def _predict(g, ebunch, measure):
    if ebunch is None:
        ebunch = _non_edges(g)
    else:
        for pair in ebunch:
            u, v = pair
            for node in (u, v):
                if node not in g:
                    raise nx.NodeNotFound(f"Node {node} not in G.")
    return _measured(g, ebunch, measure)


def _measured(g, ebunch, measure):
    pairs, size = iter(ebunch), _FIRST
    while block := [(u, v) for u, v in islice(pairs, size)]:
        numbers = np.array([(g.numbers[u], g.numbers[v]) for u, v in block], dtype=np.uint32)
        u, v = np.ascontiguousarray(numbers[:, 0]), np.ascontiguousarray(numbers[:, 1])
        for (one, other), value in zip(block, measure(u, v)):
            yield one, other, value
        size = _BLOCK


def _common(g, u, v, values=None) -> np.ndarray:
    return _native.common_neighbours(g.structure._native, u, v, values)


def _has_edge(g, u, v) -> np.ndarray:
    """Whether ``v`` is a neighbour of ``u``, pair by pair."""

    def keys():
        indptr, targets, _ = g.structure.to_numpy()
        rows = np.repeat(np.arange(len(g), dtype=np.int64), np.diff(indptr.astype(np.int64)))
        return rows * len(g) + targets

    known, wanted = g.derived("edge keys", keys), u.astype(np.int64) * len(g) + v
    at = np.searchsorted(known, wanted)
    at[at == len(known)] = 0
    return known[at] == wanted if len(known) else np.zeros(len(u), dtype=bool)


def _full_degrees(g) -> np.ndarray:
    """Degrees as NetworkX counts them: a loop twice."""
    return g.derived("full degrees", lambda: g.degrees() + g.loops() if g.has_loops() else g.degrees())


@algorithm()
def jaccard_coefficient(G, ebunch=None):
    degrees = G.degrees()

    def measure(u, v):
        common = _common(G, u, v)
        # The union has the two nodes too where they are neighbours, of each other or of themselves.
        shared = common
        if G.has_loops():
            ends = (_has_edge(G, u, u) & _has_edge(G, v, u)).astype(np.int64)
            ends += np.where(u == v, 0, _has_edge(G, u, v) & _has_edge(G, v, v))
            shared = common + ends
        union = np.where(u == v, degrees[u], degrees[u] + degrees[v] - shared)
        values = np.zeros(len(u))
        np.divide(common, union, out=values, where=union > 0)
        return (value if size else 0 for value, size in zip(values.tolist(), union.tolist()))

    return _predict(G, ebunch, measure)


def _weighed(g, ebunch, weigh):
    """The sum of weights of common neighbours, 0 as an integer where there are none."""

    def measure(u, v):
        with np.errstate(divide="ignore"):
            values = g.derived(weigh, lambda: weigh(_full_degrees(g).astype(np.float64)))
        for value in _common(g, u, v, values).tolist():
            yield value or 0

    return _predict(g, ebunch, measure)


def _reciprocal(degrees):
    return 1 / degrees


def _reciprocal_log(degrees):
    return 1 / np.log(degrees)


@algorithm()
def resource_allocation_index(G, ebunch=None):
    return _weighed(G, ebunch, _reciprocal)


@algorithm()
def adamic_adar_index(G, ebunch=None):
    def finite(found):
        for u, v, value in found:
            # A neighbour of degree 1, which only a node and itself can have in common.
            yield u, v, 1 / 0.0 if value == np.inf else value

    return finite(_weighed(G, ebunch, _reciprocal_log))


@algorithm()
def preferential_attachment(G, ebunch=None):
    degrees = _full_degrees(G)
    return _predict(G, ebunch, lambda u, v: (degrees[u] * degrees[v]).tolist())


@algorithm(lambda G, ebunch=None, alpha=0.8: True if alpha == 1 else "distances of all pairs, unless alpha is 1")
def common_neighbor_centrality(G, ebunch=None, alpha=0.8):
    def measure(u, v):
        for count, same in zip(_common(G, u, v).tolist(), (u == v).tolist()):
            if same:
                raise nx.NetworkXAlgorithmError("Self loops are not supported")
            yield int(count)

    return _predict(G, ebunch, measure)
