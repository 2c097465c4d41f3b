"""Weights of 64 bits: against SciPy and NetworkX, on graphs whose weights 32 bits do not hold."""

import os

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import graphwright as gw

DEVICES = ("cpu", "reference")
NIGHTLY = os.environ.get("GW_NIGHTLY") == "1"
EXACT = 1e-12
ROUNDED = 1e-9


def uniform(rng, count):
    return rng.random(count) + 0.01


def wide(rng, count):
    return 10.0 ** rng.uniform(-9, 12, count)


def cents(rng, count):
    return rng.integers(1, 100_000, count) / 100


def tiny(rng, count):
    return rng.random(count) * 1e-3 + 1e-6


def long_integers(rng, count):
    return rng.integers(2**33, 2**40, count)


KINDS = (uniform, wide, cents, tiny, long_integers)
#: Twenty graphs: four shapes with weights of five kinds; a few of them unless this is a nightly run.
GRAPHS = [(shape, kind) for shape in ("random", "sparse", "grid", "both ways") for kind in KINDS]
CHOSEN = GRAPHS if NIGHTLY else GRAPHS[::3]


def edges(shape, kind):
    """Sources, targets and weights, every pair once."""
    rng = np.random.default_rng(GRAPHS.index((shape, kind)))
    if shape == "grid":
        at = np.arange(144).reshape(12, 12)
        pairs = [(at[:, :-1], at[:, 1:]), (at[:-1], at[1:]), (at[:, 1:], at[:, :-1]), (at[1:], at[:-1])]
        sources, targets = (np.concatenate([pair[end].ravel() for pair in pairs]) for end in (0, 1))
    else:
        sources, targets = rng.integers(0, 120, (2, 300 if shape == "sparse" else 1500))
    ends = np.unique(np.stack([sources, targets], 1)[sources != targets], axis=0)
    weights = kind(rng, len(ends))
    if shape == "both ways":
        low = {tuple(sorted(pair)): weight for pair, weight in zip(ends.tolist(), weights)}
        both = {pair: weight for (u, v), weight in low.items() for pair in ((u, v), (v, u))}
        ends, weights = np.array(list(both)), np.array(list(both.values()))
    return ends[:, 0], ends[:, 1], weights


def graph(shape, kind):
    sources, targets, weights = edges(shape, kind)
    found = gw.Graph.from_edges((sources, targets, weights), directed=True, vertices=144)
    return found, sp.csr_matrix((weights.astype(float), (sources, targets)), shape=(144, 144))


def near(found, right, tolerance):
    np.testing.assert_allclose(found, right, rtol=tolerance, atol=0)


def lengths(found):
    """Distances as reals, inf out of reach."""
    if found.dtype.kind == "f":
        return found
    return np.where(found == np.iinfo(found.dtype).max, np.inf, found.astype(float))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape, kind", CHOSEN)
def test_distances_are_those_of_scipy(shape, kind, device):
    G, matrix = graph(shape, kind)
    right = csgraph.dijkstra(matrix, indices=3)
    near(lengths(gw.sssp(G, 3, device=device).dist), right, EXACT)
    near(lengths(gw.sssp_delta(G, 3, device=device, verify=True).dist), right, EXACT)
    near(gw.sssp_real(G, 3, device=device, verify=True).dist, right, EXACT)
    for delta in (float(np.mean(matrix.data)) / 7, float(np.max(matrix.data)) * 3):
        if kind is not long_integers:
            near(gw.sssp_delta(G, 3, delta=delta, device=device).dist, right, EXACT)


@pytest.mark.parametrize("device", DEVICES)
def test_negative_weights_are_those_of_scipy(device):
    rng = np.random.default_rng(5)
    sources, targets = np.sort(rng.integers(0, 90, (2, 600)), axis=0)
    ends = np.unique(np.stack([sources, targets], 1)[sources != targets], axis=0)
    weights = rng.integers(-500, 10_000, len(ends)) / 100
    G = gw.Graph.from_edges((ends[:, 0], ends[:, 1], weights), directed=True, vertices=90)
    matrix = sp.csr_matrix((weights, (ends[:, 0], ends[:, 1])), shape=(90, 90))
    # SciPy takes a stored 0 for no edge.
    assert (weights != 0).all()
    near(gw.sssp(G, 0, device=device, verify=True).dist, csgraph.bellman_ford(matrix, indices=0), ROUNDED)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", KINDS)
def test_spanning_forests_weigh_as_much_as_those_of_scipy(kind, device):
    G, matrix = graph("both ways", kind)
    right = csgraph.minimum_spanning_tree(matrix).sum()
    found = gw.msf(G, device=device, verify=True)
    near(float(found["weight"]), right, ROUNDED)


@pytest.mark.parametrize("kind", (uniform, cents, tiny))
def test_networkx_runs_here_and_says_the_same(nx_backend, kind):
    sources, targets, weights = edges("random", kind)
    plain = nx.DiGraph()
    plain.add_weighted_edges_from(zip(sources.tolist(), targets.tolist(), weights.tolist()))
    calls = {
        "single_source_dijkstra_path_length": lambda g, b: nx.single_source_dijkstra_path_length(g, 3, backend=b),
        "single_source_bellman_ford_path_length": lambda g, b: nx.single_source_bellman_ford_path_length(g, 3, backend=b),
        "dijkstra_path_length": lambda g, b: {0: nx.dijkstra_path_length(g, 3, 5, backend=b)},
        "closeness_centrality": lambda g, b: nx.closeness_centrality(g, distance="weight", backend=b),
        "harmonic_centrality": lambda g, b: nx.harmonic_centrality(g, distance="weight", backend=b),
        "pagerank": lambda g, b: nx.pagerank(g, tol=1e-12, max_iter=500, backend=b),
    }
    for name, call in calls.items():
        # A backend that is named does not fall back.
        ours, theirs = call(plain, "graphwright"), call(plain, "networkx")
        assert list(ours) == list(theirs) or set(ours) == set(theirs), name
        keys = list(theirs)
        near([ours[key] for key in keys], [theirs[key] for key in keys], EXACT if "length" in name else ROUNDED)


def test_the_narrowest_exact_type_is_kept():
    ends = np.array([0, 1]), np.array([1, 2])
    kind = lambda weights: gw.Graph.from_edges((*ends, np.asarray(weights)))._native.weight_kind  # noqa: E731
    assert [kind(w) for w in ([1.0, 2.0], [0.5, 2.0], [0.1, 2.0], [1, 2**40])] == ["int", "float", "double", "int64"]
    indptr, indices = np.array([0, 1, 2], dtype=np.int32), np.array([1, 0], dtype=np.int32)
    G = gw.Graph.from_numpy(indptr, indices, np.array([0.1, 0.2]), copy=False)
    assert G.to_numpy()[2].dtype == np.float64 and G.to_numpy()[2].tolist() == [0.1, 0.2]


def test_graphs_that_change_have_weights_of_64_bits():
    D = gw.DynamicGraph(3, directed=True, weights="double")
    D.insert([0, 1], [1, 2], [0.1, 0.2])
    assert gw.sssp(D.snapshot(), 0).dist.tolist() == [0.0, 0.1, 0.1 + 0.2]
    follower = D.follow("sssp", source=0)
    follower.update()
    D.insert([0], [2], [0.15])
    assert follower.update().dist.tolist() == [0.0, 0.1, 0.15]
    wide = gw.DynamicGraph(2, directed=True, weights="int64")
    wide.insert([0], [1], [2**40])
    assert gw.sssp(wide.snapshot(), 0).dist.tolist() == [0, 2**40]
