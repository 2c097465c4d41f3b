"""Functions that follow from counts of nodes, edges and components, and the matrix of a graph."""

from __future__ import annotations

import networkx as nx
import numpy as np

from .run import algorithm, everyone, no_function, outcome, reach, standard


def _edge_count(g) -> int:
    """Edges as NetworkX counts them: parallel ones each, an undirected one once."""
    graph = g.summed(None)
    sources, targets, counts = graph._edge_arrays()
    return int(counts.sum()) if g.multigraph else len(targets)


def _component_count(g) -> int:
    label = outcome(standard("cc-fast"), g.structure).get("label")
    return int((label == np.arange(len(label))).sum())


def _in_degrees(g) -> np.ndarray:
    indptr, _, counts = g.summed(None).transpose().to_numpy()
    if not g.multigraph:
        return np.diff(indptr.astype(np.int64))
    running = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
    return running[indptr[1:]] - running[indptr[:-1]]


def _is_forest(g) -> bool:
    if not len(g):
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    # A component without a circle has an edge less than nodes; others have more.
    return _edge_count(g) == len(g) - _component_count(g)


@algorithm()
def is_forest(G):
    return _is_forest(G)


@algorithm()
def is_tree(G):
    return _is_forest(G) and _edge_count(G) == len(G) - 1


def _one_in(g) -> bool:
    return int(_in_degrees(g).max()) <= 1


@algorithm()
def is_branching(G):
    return _is_forest(G) and _one_in(G)


@algorithm()
def is_arborescence(G):
    return _is_forest(G) and _edge_count(G) == len(G) - 1 and _one_in(G)


def _alone(g) -> np.ndarray:
    lonely = g.degrees() == 0
    return np.flatnonzero(lonely & (_in_degrees(g) == 0) if g.directed else lonely)


@algorithm()
def isolates(G):
    return iter(G.nodes_at(_alone(G)))


@algorithm()
def number_of_isolates(G):
    return len(_alone(G))


@algorithm()
def number_of_selfloops(G):
    return int(G.loops().sum())


@algorithm(lambda G: "the graph is a multigraph" if G.is_multigraph() else True)
def overall_reciprocity(G):
    sources, targets, _ = G.structure._edge_arrays()
    count, size = len(targets), max(len(G), 1)
    if not count:
        raise nx.NetworkXError("Not defined for empty graphs")
    keys = sources.astype(np.int64) * size + targets
    loops = int((sources == targets).sum())
    both = int(np.isin(targets.astype(np.int64) * size + sources, keys, assume_unique=True).sum())
    # A loop is one edge of the undirected graph, too, and so has no partner.
    return (both - loops) / count


@algorithm()
def global_efficiency(G):
    n = len(G)
    return float(reach(G.structure, everyone(G), False)[:, 2].sum()) / (n * (n - 1)) if n > 1 else 0


def _edge_betweenness_can_run(G, k=None, normalized=True, weight=None, seed=None):
    if G.is_multigraph():
        return "the graph is a multigraph"
    return "samples" if k is not None and k != len(G) else no_function(weight)


@algorithm(_edge_betweenness_can_run)
def edge_betweenness_centrality(G, k=None, normalized=True, weight=None, seed=None):
    n = len(G)
    graph = G.structure if weight is None else G.weighted(weight)[0]
    if not graph._native.edges:
        return {}
    if G.has_loops():
        raise NotImplementedError("loops")
    if weight is not None and graph._native.least_weight <= 0:
        raise NotImplementedError("weights that are not above 0, for which NetworkX promises nothing")
    program, output = ("bc-edges", "centrality") if weight is None else ("bc-weighted", "edge_centrality")
    found = outcome(standard(program), graph, sources=n)
    if weight is not None and (found.get("too_long") or found.get("too_short")):
        raise NotImplementedError("lengths that 64 bits do not tell apart")
    values, sources, targets = found.get(output), graph._sources().astype(np.int64), graph.to_numpy()[1].astype(np.int64)
    keys = sources * n + targets
    told = targets if G.ordered_targets is None else G.ordered_targets.astype(np.int64)
    if not G.directed:
        # Both directions of an edge are one edge of NetworkX, which tells it at the node that comes first.
        values = values + values[np.searchsorted(keys, targets * n + sources)]
        first = sources <= told
        sources, told = sources[first], told[first]
    values = values[np.searchsorted(keys, sources * n + told)]
    scale = 1 / (n * (n - 1)) if normalized else 1 if G.directed else 0.5
    return dict(zip(zip(G.nodes_at(sources), G.nodes_at(told)), (values * scale).tolist()))


def _matrix_can_run(G, nodelist=None, dtype=None, weight="weight", format="csr"):
    return no_function(weight)


@algorithm(_matrix_can_run)
def to_scipy_sparse_array(G, nodelist=None, dtype=None, weight="weight", format="csr"):
    if not len(G):
        raise nx.NetworkXError("Graph has no nodes or edges")
    if weight is None:
        raise NotImplementedError("the attribute None")
    whole = G.weighted(weight)[1]
    matrix = G.summed(weight).to_scipy()
    if nodelist is not None:
        numbers = [G.number(node) for node in nodelist]
        if not numbers or None in numbers or len(set(numbers)) != len(numbers):
            raise NotImplementedError("nodes that NetworkX refuses")
        if not whole and len(numbers) < len(G):
            raise NotImplementedError("the type of some of the weights")
        matrix = matrix[numbers][:, numbers]
    kind = dtype if dtype is not None else np.int64 if whole and matrix.nnz else np.float64
    try:
        return matrix.astype(kind, copy=True).asformat(format)
    except ValueError as error:
        raise nx.NetworkXError(f"Unknown sparse matrix format: {format}") from error
