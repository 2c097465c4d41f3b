"""Centralities."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np

from .._graph import Graph
from .run import BEFORE_3_5, algorithm, everyone, no_function, outcome, packaged, reach, standard, sweep


def _betweenness_can_run(G, k=None, normalized=True, weight=None, endpoints=False, seed=None):
    if weight is not None and k is not None and k != len(G):
        return "weights with samples"
    if k is not None and BEFORE_3_5:
        return "samples, which this version of NetworkX scales otherwise"
    return "endpoints" if endpoints else no_function(weight)


@algorithm(_betweenness_can_run)
def betweenness_centrality(G, k=None, normalized=True, weight=None, endpoints=False, seed=None):
    n = len(G)
    if k == n:
        k = None
    if k is None:
        numbers = everyone(G)
    else:
        numbers = np.array([G.numbers[node] for node in seed.sample(G.nodes, k)], dtype=np.uint32)
    total = sweep(G.structure, "bc", "dependency", numbers, "sum") if weight is None else _weighted_betweenness(G, weight)
    targets = n - 1
    if targets < 2:
        return dict.fromkeys(G.nodes, 0.0)
    # An unordered pair counts once; sources of a sample are no targets of themselves.
    pairs = 1 / (targets - 1) if normalized else targets / (1 if G.directed else 2)
    if k is None:
        return G.by_node(total * (pairs / targets))
    scale = np.full(n, pairs / k)
    scale[numbers] = pairs / (k - 1) if k > 1 else math.nan
    return G.by_node(total * scale)


def _weighted_betweenness(G, weight) -> np.ndarray:
    """Betweenness by the lengths of paths, not normalised, over all ordered pairs."""
    graph, _ = G.weighted(weight)
    if not graph._native.edges:
        return np.zeros(len(G))
    if graph._native.least_weight <= 0:
        raise NotImplementedError("weights that are not above 0, for which NetworkX promises nothing")
    if G.has_loops():
        sources, targets, weights = graph._edge_arrays()
        kept = sources != targets
        graph = Graph.from_edges((sources[kept], targets[kept], weights[kept]), directed=True, vertices=len(G))
    found = outcome(standard("bc-weighted"), graph, sources=len(G))
    if found.get("too_long") or found.get("too_short"):
        raise NotImplementedError("lengths that 64 bits do not tell apart")
    return found.get("centrality")


def _closeness_can_run(G, u=None, distance=None, wf_improved=True, sp=None):
    return "sp is given" if sp is not None else no_function(distance)


@algorithm(_closeness_can_run)
def closeness_centrality(G, u=None, distance=None, wf_improved=True, sp=None):
    n = len(G)
    if u is not None and u not in G:
        raise nx.NodeNotFound(f"Source {u} is not in G" if distance is None else f"Node {u} not found in graph")
    numbers = everyone(G) if u is None else np.array([G.numbers[u]], dtype=np.uint32)
    graph = G.structure if distance is None else G.weighted(distance)[0]
    figures = reach(graph.transpose(), numbers, distance is not None)
    others, total = figures[:, 0].astype(np.float64) - 1, figures[:, 1].astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = others / total
        if wf_improved and n > 1:
            values *= others / (n - 1)
    values[(total <= 0) | (n <= 1)] = 0.0
    return float(values[0]) if u is not None else G.by_node(values)


def _harmonic_can_run(G, nbunch=None, distance=None, sources=None):
    if nbunch is not None or sources is not None:
        return "nbunch or sources"
    return no_function(distance)


@algorithm(_harmonic_can_run)
def harmonic_centrality(G, nbunch=None, distance=None, sources=None):
    graph = G.structure if distance is None else G.weighted(distance)[0]
    return G.by_node(reach(graph.transpose(), everyone(G), distance is not None)[:, 2].astype(np.float64))


def _vector(G, values, default=None):
    """A dict of values by node as an array."""
    try:
        if default is None and set(values) != set(G.nodes):
            raise NotImplementedError("not a value for every node")
        return np.array([values.get(node, default) for node in G.nodes], dtype=np.float64)
    except (TypeError, ValueError, AttributeError) as error:
        raise NotImplementedError(str(error)) from None


def _share(values):
    """Values scaled to sum 1; as NumPy divides, also by 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return values / values.sum()


def _pagerank_can_run(
    G, alpha=0.85, personalization=None, max_iter=100, tol=1.0e-6, nstart=None, weight="weight", dangling=None
):
    return no_function(weight)


@algorithm(_pagerank_can_run)
def pagerank(
    G, alpha=0.85, personalization=None, max_iter=100, tol=1.0e-6, nstart=None, weight="weight", dangling=None
):
    n = len(G)
    if n == 0:
        return {}
    even = np.full(n, 1.0 / n)
    personal = even
    if personalization is not None:
        personal = _vector(G, personalization, 0)
        if personal.sum() == 0:
            raise ZeroDivisionError
        personal = _share(personal)
    start = even if nstart is None else _share(_vector(G, nstart, 0))
    spread = personal if dangling is None else _share(_vector(G, dangling, 0))
    graph = G.summed(weight)
    inverse, weighted = G.derived(("inverse", weight), lambda: _inverse(graph))
    program = packaged("pagerank-weighted" if weighted else "pagerank")
    found = outcome(
        program, graph, alpha=alpha, limit=max(int(max_iter), 0), tolerance=n * tol,
        rank=start, personal=personal, dangling=spread, inverse=inverse,
    )  # fmt: skip
    _converged(found, n * tol, max_iter)
    return G.by_node(found.get("rank"))


def _inverse(graph):
    """1 / (sum of the weights of out-edges) of every vertex, 0 without; and whether weights differ from 1."""
    indptr, _, weights = graph.to_numpy()
    counts = np.diff(indptr.astype(np.int64)).astype(np.float64)
    weighted = weights is not None and bool((weights != 1).any())
    if weighted:
        running = np.concatenate(([0.0], np.cumsum(weights, dtype=np.float64)))
        counts = running[indptr[1:]] - running[indptr[:-1]]
        if graph._native.weight_kind != "int":
            rows = np.repeat(np.arange(len(counts)), np.diff(indptr.astype(np.int64)))
            counts = np.bincount(rows, weights=weights, minlength=len(counts))
    inverse = np.zeros(len(counts))
    np.divide(1.0, counts, out=inverse, where=counts != 0)
    return inverse, weighted


def _converged(found, tolerance, max_iter):
    if max_iter <= 0 or not found.get("change") < tolerance:
        raise nx.PowerIterationFailedConvergence(max_iter)


def _iteration_can_run(G, *args, weight=None, **kwargs):
    return no_function(weight)


@algorithm(lambda G, max_iter=100, tol=1.0e-6, nstart=None, weight=None: no_function(weight))
def eigenvector_centrality(G, max_iter=100, tol=1.0e-6, nstart=None, weight=None):
    n = len(G)
    if n == 0:
        raise nx.NetworkXPointlessConcept("cannot compute centrality for the null graph")
    start = np.ones(n) if nstart is None else _vector(G, nstart)
    if not start.any():
        raise nx.NetworkXError("initial vector cannot have all zero values")
    if start.sum() == 0:
        raise ZeroDivisionError("division by zero")
    graph = G.structure if weight is None else G.summed(weight)
    program = packaged("eigenvector" if weight is None else "eigenvector-weighted")
    found = outcome(
        program, graph, limit=max(int(max_iter), 0), tolerance=n * tol, centrality=start / start.sum()
    )
    _converged(found, n * tol, max_iter)
    return G.by_node(found.get("centrality"))


def _katz_can_run(G, alpha=0.1, beta=1.0, max_iter=1000, tol=1.0e-6, nstart=None, normalized=True, weight=None):
    return no_function(weight)


@algorithm(_katz_can_run)
def katz_centrality(G, alpha=0.1, beta=1.0, max_iter=1000, tol=1.0e-6, nstart=None, normalized=True, weight=None):
    n = len(G)
    if n == 0:
        return {}
    start = np.zeros(n) if nstart is None else _vector(G, nstart)
    try:
        betas = np.full(n, float(beta))
    except (TypeError, ValueError, AttributeError):
        if set(beta) != set(G.nodes):
            raise nx.NetworkXError("beta dictionary must have a value for every node") from None
        betas = _vector(G, beta)
    graph = G.structure if weight is None else G.summed(weight)
    program = packaged("katz" if weight is None else "katz-weighted")
    found = outcome(
        program, graph, alpha=alpha, limit=max(int(max_iter), 0), tolerance=n * tol, centrality=start, beta=betas
    )
    _converged(found, n * tol, max_iter)
    values = found.get("centrality")
    if normalized:
        length = np.linalg.norm(values)
        values = values / length if length else values
    return G.by_node(values)


def _degree_shares(g, counts) -> dict:
    if len(g) <= 1:
        return dict.fromkeys(g.nodes, 1)
    return g.by_node(counts * (1.0 / (len(g) - 1.0)))


def _edges_at(graph, g) -> np.ndarray:
    """Edges out of every vertex, parallel ones counted."""
    indptr, _, counts = graph.to_numpy()
    if not g.multigraph:
        return np.diff(indptr.astype(np.int64))
    running = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
    return running[indptr[1:]] - running[indptr[:-1]]


def _out_degrees(g) -> np.ndarray:
    return _edges_at(g.summed(None), g)


def _in_degrees(g) -> np.ndarray:
    return _edges_at(g.summed(None).transpose(), g)


@algorithm()
def degree_centrality(G):
    degrees = _out_degrees(G)
    if G.directed:
        degrees = degrees + _in_degrees(G)
    elif G.has_loops():
        degrees = degrees + G.loops()
    return _degree_shares(G, degrees)


@algorithm()
def in_degree_centrality(G):
    return _degree_shares(G, _in_degrees(G))


@algorithm()
def out_degree_centrality(G):
    return _degree_shares(G, _out_degrees(G))


@algorithm()
def hits(G, max_iter=100, tol=1.0e-8, nstart=None, normalized=True):
    from scipy.sparse.linalg import ArpackNoConvergence, svds

    if len(G) == 0:
        return {}, {}
    # The method of NetworkX, over arrays that need not be made of dictionaries again.
    matrix = G.derived("hits", lambda: G.summed("weight").to_scipy().astype(np.float64))
    if nstart is not None:
        nstart = np.array(list(nstart.values()))
    if max_iter <= 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    try:
        _, _, vectors = svds(matrix, k=1, v0=nstart, maxiter=max_iter, tol=tol)
    except ArpackNoConvergence as error:
        raise nx.PowerIterationFailedConvergence(max_iter) from error
    authorities = vectors.flatten().real
    hubs = matrix @ authorities
    if normalized:
        hubs /= hubs.sum()
        authorities /= authorities.sum()
    return G.by_node(hubs), G.by_node(authorities)
