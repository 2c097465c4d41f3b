"""Twenty graphs with weights of 64 bits x every program with weights x machines, beside SciPy and NetworkX.

``python test_real_weights.py`` prints the table of ``bench/weights64.md``: cells and the greatest error of every program.
"""

import itertools
import os

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import graphwright as gw

DEVICES = ("cpu", "reference", "flow")
NIGHTLY = os.environ.get("GW_NIGHTLY") == "1"
#: Where sums are those of the other library, and where their terms come in another order.
EXACT, ROUNDED = 1e-12, 1e-9
N = 48


def uniform(rng, count):
    return rng.random(count) + 0.01


def wide(rng, count):
    return 10.0 ** rng.uniform(-9, 12, count)


def cents(rng, count):
    return rng.integers(1, 100_000, count) / 100


def powers(rng, count):
    return 2.0 ** rng.integers(-20, 20, count)


def zeros(rng, count):
    return np.where(rng.random(count) < 0.25, 0.0, rng.random(count))


def tenths(rng, count):
    return rng.integers(1, 4, count) / 10


def small(rng, count):
    return rng.random(count) * 1e-3 + 1e-6


def long(rng, count):
    return 2**53 + 1 + rng.integers(0, 2**40, count)


def negative(rng, count):
    return rng.integers(-20_000, 80_000, count) / 100


#: Name, shape, weights, whether every edge has its reverse.
GRAPHS = [
    ("uniform", "random", uniform, False),
    ("1e-9 to 1e12", "random", wide, False),
    ("cents", "random", cents, False),
    ("powers of two", "random", powers, False),
    ("zeros", "random", zeros, False),
    ("few edges", "sparse", uniform, False),
    ("grid of cents", "grid", cents, True),
    ("undirected uniform", "random", uniform, True),
    ("undirected 1e-9 to 1e12", "random", wide, True),
    ("undirected cents", "random", cents, True),
    ("undirected powers of two", "random", powers, True),
    ("loops and parallel edges", "multi", cents, True),
    ("parts", "sparse", uniform, True),
    ("integers beyond 2^53", "random", long, False),
    ("undirected integers beyond 2^53", "random", long, True),
    ("negative cents", "forward", negative, False),
    ("negative uniform", "forward", lambda rng, count: rng.random(count) - 0.25, False),
    ("chain of small ones", "chain", small, True),
    ("star", "star", uniform, True),
    ("ties of tenths", "random", tenths, True),
]


class Case:
    """A graph here, in SciPy's form and in NetworkX's."""

    def __init__(self, number):
        self.name, shape, draw, self.both = GRAPHS[number]
        rng = np.random.default_rng(number)
        ends = shaped(shape, rng)
        weights = draw(rng, len(ends))
        pairs = {}
        # Loops are dropped and the least of parallel edges is kept, as files and arrays are read.
        for (u, v), weight in zip(ends.tolist(), weights.tolist()):
            for pair in ((u, v), (v, u)) if self.both else ((u, v),):
                if u != v:
                    pairs[pair] = min(weight, pairs.get(pair, weight))
        self.pairs = dict(sorted(pairs.items()))
        self.graph = gw.Graph.from_edges(
            (ends[:, 0], ends[:, 1], weights), directed=not self.both, vertices=N
        )
        sources, targets = np.array(list(self.pairs)).T
        self.weights = np.array(list(self.pairs.values()))
        self.matrix = sp.csr_matrix((self.weights.astype(float), (sources, targets)), shape=(N, N))
        self.nx = nx.Graph() if self.both else nx.DiGraph()
        self.nx.add_nodes_from(range(N))
        self.nx.add_weighted_edges_from((u, v, w) for (u, v), w in self.pairs.items())
        self.source = int(sources[0])
        self.target = self._farthest()

    def _farthest(self):
        hops = nx.single_source_shortest_path_length(self.nx, self.source)
        return max(hops, key=lambda v: (hops[v], -v))

    @property
    def is_negative(self):
        return self.weights.min() < 0

    @property
    def is_positive(self):
        return self.weights.min() > 0


def shaped(shape, rng):
    if shape == "grid":
        at = np.arange(N - N % 6).reshape(-1, 6)
        return np.concatenate([np.stack([a.ravel(), b.ravel()], 1) for a, b in ((at[:, :-1], at[:, 1:]), (at[:-1], at[1:]))])
    if shape == "chain":
        return np.stack([np.arange(N - 1), np.arange(1, N)], 1)
    if shape == "star":
        return np.stack([np.zeros(N - 1, dtype=int), np.arange(1, N)], 1)
    ends = rng.integers(0, N, (60 if shape == "sparse" else 260, 2))
    if shape == "forward":
        ends = np.sort(ends, axis=1)
        return ends[ends[:, 0] != ends[:, 1]]
    return ends if shape == "multi" else np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)


def error(found, right):
    """The greatest relative difference; nothing may be out of reach on one side only."""
    found, right = np.asarray(found), np.asarray(right)
    assert found.shape == right.shape, (found.shape, right.shape)
    if found.dtype.kind == "i" and right.dtype.kind == "i":
        return 0.0 if (found == right).all() else float("inf")
    found, right = found.astype(float), right.astype(float)
    same = (found == right) | (np.isnan(found) & np.isnan(right))
    with np.errstate(invalid="ignore", divide="ignore"):
        wrong = np.abs(found - right) / np.abs(right)
    return float(np.where(same, 0.0, wrong).max(initial=0.0))


def by_size(found, right):
    """The greatest difference in parts of the greatest entry: for values that are sums of terms of either sign, or zero."""
    found, right = np.asarray(found, dtype=float), np.asarray(right, dtype=float)
    return float(np.abs(found - right).max(initial=0.0) / max(np.abs(right).max(initial=0.0), 1e-300))


def reals(dist):
    """Lengths as reals, inf out of reach."""
    if dist.dtype.kind == "f":
        return dist
    return np.where(dist == np.iinfo(dist.dtype).max, np.inf, dist.astype(float))


def shortest(case):
    """Lengths by NetworkX, which adds integers up exactly, as an array; its sums begin at the source, as ours do."""
    method = nx.single_source_bellman_ford_path_length if case.is_negative else nx.single_source_dijkstra_path_length
    lengths = method(case.nx, case.source)
    return np.array([float(lengths.get(v, np.inf)) for v in range(N)])


# A function per program: the error, or None where the program does not take the graph.


def sssp(case, device):
    found = reals(gw.sssp(case.graph, case.source, device=device, verify=True).dist)
    # SciPy takes a stored 0 for an edge of length 0 in these functions.
    method = csgraph.bellman_ford if case.is_negative else csgraph.dijkstra
    return max(error(found, shortest(case)), error(found, method(case.matrix, indices=case.source)))


def sssp_delta(case, device):
    if case.is_negative:
        return None
    return error(reals(gw.sssp_delta(case.graph, case.source, device=device, verify=True).dist), shortest(case))


def sssp_real(case, device):
    return error(gw.sssp_real(case.graph, case.source, device=device, verify=True).dist, shortest(case))


def to_target(program):
    def run(case, device):
        if case.is_negative:
            return None
        found = program(case.graph, case.source, case.target, device=device, verify=True).distance
        return error([float(found)], [float(nx.dijkstra_path_length(case.nx, case.source, case.target))])

    return run


def k_shortest_paths(case, device):
    if case.is_negative:
        return None
    found = gw.k_shortest_paths(case.graph, case.source, case.target, 6, device=device, verify=True)
    right = itertools.islice(nx.shortest_simple_paths(case.nx, case.source, case.target, weight="weight"), 6)
    lengths = sorted(sum(case.pairs[pair] for pair in zip(path, path[1:])) for path in right)
    return error([float(length) for length in found.length], [float(length) for length in lengths])


def bc_weighted(case, device):
    if not case.is_positive:
        return None
    found = gw.bc_weighted(case.graph, device=device, verify=True)
    right = nx.betweenness_centrality(case.nx, weight="weight", normalized=False)
    of_edges = nx.edge_betweenness_centrality(case.nx, weight="weight", normalized=False)
    edges = [of_edges.get((u, v), of_edges.get((v, u))) for u, v in case.pairs]
    vertices = np.array([right[v] for v in range(N)]) * (2 if case.both else 1)
    ours = dict(zip(case.pairs, found.edge_centrality))
    if case.both:
        # An edge of NetworkX has half of what both directions have, which rounding may tell apart.
        ours = {(u, v): (value + ours[v, u]) / 2 for (u, v), value in ours.items()}
    return max(by_size(found.centrality, vertices), by_size(list(ours.values()), edges))


def maxflow(case, device):
    if case.is_negative:
        return None
    found = gw.maxflow(case.graph, case.source, case.target, device=device, verify=True).value
    right = nx.maximum_flow_value(case.nx, case.source, case.target, capacity="weight")
    return error([float(found)], [float(right)])


def msf(case, device):
    if not case.both:
        return None
    found = gw.msf(case.graph, device=device, verify=True)
    tree = nx.minimum_spanning_tree(case.nx)
    return error([float(found["weight"])], [float(tree.size(weight="weight"))])


def matching_weighted(case, device):
    if not case.both or len(np.unique(case.weights)) < len(case.weights) / 2:
        return None
    found = gw.matching_weighted(case.graph, device=device, verify=True)
    taken, total = set(), 0
    for weight, u, v in sorted(((w, u, v) for (u, v), w in case.pairs.items() if u < v), reverse=True):
        if u not in taken and v not in taken:
            taken |= {u, v}
            total += weight
    return error([float(found["weight"])], [float(total)])


def spmv(case, device):
    found = gw.spmv(case.graph, device=device, verify=True)
    return by_size(found.y, case.matrix @ found.x)


def cf(case, device):
    if not case.both or case.is_negative:
        return None
    found = gw.cf(case.graph, 3, device=device, verify=True)
    # The vectors are floats of 32 bits: what is compared is the error that they make, added up in double.
    latent = np.asarray(found.latent, dtype=np.float64)
    matrix = case.matrix.tocoo()
    products = (latent[matrix.row] * latent[matrix.col]).sum(axis=1)
    rmse = np.sqrt(np.mean((matrix.data / matrix.data.max() - products) ** 2))
    assert error([found.scale], [matrix.data.max()]) == 0
    return error([found.rmse], [rmse])


def pagerank_weighted(case, device):
    if case.is_negative:
        return None
    found = gw.pagerank(case.graph, 2000, 1e-15, weights=True, device=device).rank
    right = nx.pagerank(case.nx, tol=1e-16, max_iter=5000)
    return by_size(found, [right[v] for v in range(N)])


def ppr_weighted(case, device):
    if case.is_negative:
        return None
    found = gw.ppr(case.graph, case.source, 2000, 1e-15, weights=True, device=device).rank
    # A walk that ends begins anew at the source.
    right = nx.pagerank(case.nx, personalization={case.source: 1}, dangling={case.source: 1}, tol=1e-16, max_iter=5000)
    return by_size(found, [right[v] for v in range(N)])


def hits_weighted(case, device):
    if case.is_negative or case.name not in HITS:
        return None
    found = gw.hits(case.graph, 20_000, 1e-15, weights=True, device=device)
    matrix = case.matrix.toarray()
    hub = np.ones(N) / N
    for _ in range(20_000):
        authority = matrix.T @ hub
        authority /= authority.sum()
        hub = matrix @ authority
        hub /= hub.sum()
    return max(by_size(found.hub, hub), by_size(found.authority, authority))


#: Graphs whose greatest singular value is not shared, nearly, by another: elsewhere rounds do not tell vectors apart.
HITS = ("uniform", "cents", "undirected uniform", "integers beyond 2^53", "undirected integers beyond 2^53", "ties of tenths")


def katz_weighted(case, device):
    if case.is_negative:
        return None
    found = gw.katz(case.graph, 0.0, 5000, 1e-16, weights=True, device=device)
    alpha = found["alpha"]
    right = np.linalg.solve(np.eye(N) - alpha * case.matrix.toarray().T, np.ones(N))
    return by_size(found.centrality, right / np.linalg.norm(right))


def eigenvector_weighted(case, device):
    if case.name not in HITS:
        return None
    found = gw.eigenvector(case.graph, 20_000, 1e-16, weights=True, device=device).centrality
    values, vectors = np.linalg.eig(case.matrix.toarray().T)
    right = np.abs(vectors[:, np.argmax(values.real)].real)
    return by_size(found, right / np.linalg.norm(right))


def communities(program):
    def run(case, device):
        if not case.both or case.is_negative:
            return None
        found = program(case.graph, device=device, verify=True)
        groups = [set(np.flatnonzero(found.label == label).tolist()) for label in np.unique(found.label)]
        return error([found.modularity], [nx.community.modularity(case.nx, groups)])

    return run


def update_sssp(case, device):
    """A follower of a graph that changes, after the heaviest edge came last."""
    if case.both or device == "flow":
        return None
    kind = "int64" if case.weights.dtype.kind == "i" else "double"
    last = int(np.argmax(case.weights))
    pairs = np.array(list(case.pairs))
    changing = gw.DynamicGraph(N, directed=True, weights=kind)
    keep = np.arange(len(pairs)) != last
    changing.insert(pairs[keep, 0], pairs[keep, 1], case.weights[keep])
    follower = changing.follow("sssp", source=case.source, device=device)
    follower.update()
    changing.insert(pairs[last:, 0][:1], pairs[last:, 1][:1], case.weights[last:][:1])
    return error(reals(follower.update().dist), shortest(case))


#: Program to the function that runs it, and the greatest error.
PROGRAMS = {
    "sssp": (sssp, EXACT),
    "sssp-delta": (sssp_delta, EXACT),
    "sssp-real": (sssp_real, EXACT),
    "ppsp": (to_target(gw.ppsp), EXACT),
    "astar": (to_target(gw.astar), EXACT),
    "k-shortest-paths": (k_shortest_paths, EXACT),
    "update/sssp": (update_sssp, EXACT),
    "bc-weighted": (bc_weighted, ROUNDED),
    "maxflow": (maxflow, ROUNDED),
    "msf": (msf, ROUNDED),
    "matching-weighted": (matching_weighted, ROUNDED),
    "spmv": (spmv, ROUNDED),
    # Products of 32-bit floats, as the vectors are.
    "cf": (cf, 1e-6),
    "pagerank-weighted": (pagerank_weighted, ROUNDED),
    "ppr-weighted": (ppr_weighted, ROUNDED),
    "hits-weighted": (hits_weighted, ROUNDED),
    "katz-weighted": (katz_weighted, ROUNDED),
    "eigenvector-weighted": (eigenvector_weighted, ROUNDED),
    "louvain": (communities(gw.louvain), ROUNDED),
    "leiden": (communities(gw.leiden), ROUNDED),
}

CASES: dict = {}


def case(number):
    if number not in CASES:
        CASES[number] = Case(number)
    return CASES[number]


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_says_what_other_libraries_say(program):
    run, most = PROGRAMS[program]
    for number, device in itertools.product(range(len(GRAPHS)), DEVICES):
        # Every machine on every third graph, others for each machine, unless this is a nightly run.
        if not NIGHTLY and (number + DEVICES.index(device)) % 3:
            continue
        found = run(case(number), device)
        assert found is None or found <= most, (case(number).name, device, found)


def test_sums_beyond_64_bits_are_errors():
    G = gw.Graph.from_edges([(0, 1, 2**62), (1, 2, 2**62), (2, 3, 1)])
    for call in (lambda: gw.ppsp(G, 0, 3), lambda: gw.astar(G, 0, 3), lambda: gw.bc_weighted(G), lambda: gw.sssp(G, 0)):
        with pytest.raises(OverflowError):
            call()
    with pytest.raises(ArithmeticError, match="so short beside the path"):
        gw.bc_weighted(gw.Graph.from_edges([(0, 1, 1e12), (1, 2, 1e-9)]))
    assert gw.k_shortest_paths(G, 0, 3).too_long


# NetworkX: no call is left to it for its weights


def _dict(found):
    return {key: dict(value) for key, value in found} if not isinstance(found, dict) else found


#: Functions with weights: a call with a backend, and the greatest error.
FUNCTIONS = {
    "single_source_dijkstra_path_length": (lambda c, b: nx.single_source_dijkstra_path_length(c.nx, c.source, backend=b), EXACT),
    "dijkstra_path_length": (lambda c, b: {0: nx.dijkstra_path_length(c.nx, c.source, c.target, backend=b)}, EXACT),
    "multi_source_dijkstra_path_length": (
        lambda c, b: nx.multi_source_dijkstra_path_length(c.nx, {c.source, c.target}, backend=b),
        EXACT,
    ),
    "all_pairs_dijkstra_path_length": (lambda c, b: _dict(nx.all_pairs_dijkstra_path_length(c.nx, backend=b)), EXACT),
    "single_source_bellman_ford_path_length": (
        lambda c, b: nx.single_source_bellman_ford_path_length(c.nx, c.source, backend=b),
        EXACT,
    ),
    "bellman_ford_path_length": (lambda c, b: {0: nx.bellman_ford_path_length(c.nx, c.source, c.target, backend=b)}, EXACT),
    "all_pairs_bellman_ford_path_length": (lambda c, b: _dict(nx.all_pairs_bellman_ford_path_length(c.nx, backend=b)), EXACT),
    "closeness_centrality": (lambda c, b: nx.closeness_centrality(c.nx, distance="weight", backend=b), ROUNDED),
    "harmonic_centrality": (lambda c, b: nx.harmonic_centrality(c.nx, distance="weight", backend=b), ROUNDED),
    "eccentricity": (lambda c, b: nx.eccentricity(c.nx, weight="weight", backend=b), EXACT),
    "average_shortest_path_length": (
        lambda c, b: {0: nx.average_shortest_path_length(c.nx, weight="weight", backend=b)},
        ROUNDED,
    ),
    "betweenness_centrality": (lambda c, b: nx.betweenness_centrality(c.nx, weight="weight", backend=b), ROUNDED),
    "pagerank": (lambda c, b: nx.pagerank(c.nx, tol=1e-13, max_iter=2000, backend=b), ROUNDED),
    "clustering": (lambda c, b: nx.clustering(nx.Graph(c.nx), weight="weight", backend=b), ROUNDED),
}


def answer(call, case, backend):
    """What a call gives, or the class and the words of its error."""
    try:
        return call(case, backend)
    except (nx.NetworkXException, ValueError, ZeroDivisionError) as problem:
        return type(problem), problem.args


def flat(found):
    """Nodes and values of a dictionary of values or dictionaries."""
    for key, value in found.items():
        if isinstance(value, dict):
            yield from (((key, *inner), number) for inner, number in flat(value))
        else:
            yield (key,), value


@pytest.mark.parametrize("name", FUNCTIONS)
def test_networkx_leaves_no_weights_out(name):
    call, most = FUNCTIONS[name]
    for number in range(len(GRAPHS)):
        if not NIGHTLY and (number + list(FUNCTIONS).index(name)) % 2:
            continue
        # What NetworkX itself promises nothing for.
        if name == "betweenness_centrality" and not case(number).is_positive:
            continue
        if name == "pagerank" and case(number).is_negative:
            continue
        with nx.config(fallback_to_nx=False):
            ours = answer(call, case(number), "graphwright")
        right = answer(call, case(number), "networkx")
        if isinstance(right, tuple):
            assert ours == right, (case(number).name, ours, right)
            continue
        ours, right = dict(flat(ours)), dict(flat(right))
        assert ours.keys() == right.keys(), case(number).name
        if most == EXACT:
            assert all(type(ours[key]) is type(right[key]) or ours[key] == 0 for key in right), case(number).name
        values = [ours[key] for key in right], [right[key] for key in right]
        found = error(*(np.array(numbers) for numbers in values)) if most == EXACT else by_size(*values)
        assert found <= most, (case(number).name, found)


def test_negative_weights_contradict_where_they_do_in_networkx():
    outcomes = set()
    for seed in range(40):
        rng = np.random.default_rng(seed)
        graph = nx.DiGraph()
        graph.add_nodes_from(range(12))
        draw = (lambda: int(rng.integers(-2, 9))) if seed % 2 else (lambda: round(float(rng.random()) - 0.05, 3))
        for u, v in rng.integers(0, 12, (26, 2)).tolist():
            graph.add_edge(u, v, weight=draw())
        calls = {
            "one": lambda b: nx.single_source_dijkstra_path_length(graph, 0, backend=b),  # noqa: B023
            "cut": lambda b: nx.single_source_dijkstra_path_length(graph, 0, cutoff=3, backend=b),  # noqa: B023
            "to": lambda b: nx.dijkstra_path_length(graph, 0, 5, backend=b),  # noqa: B023
            "two": lambda b: nx.multi_source_dijkstra_path_length(graph, [0, 7], backend=b),  # noqa: B023
        }
        for name, call in calls.items():
            with nx.config(fallback_to_nx=False):
                ours = answer(lambda _, b: call(b), None, "graphwright")  # noqa: B023
            right = answer(lambda _, b: call(b), None, "networkx")  # noqa: B023
            assert ours == right or isinstance(right, dict) and ours == pytest.approx(right), (seed, name)
            outcomes.add((name, isinstance(right, dict)))
    assert len(outcomes) >= 6, outcomes


def test_integers_are_integers_up_to_64_bits():
    graph = nx.path_graph(5)
    nx.set_edge_attributes(graph, 2**53 + 1, "weight")
    with nx.config(fallback_to_nx=False):
        lengths = nx.single_source_dijkstra_path_length(graph, 0, backend="graphwright")
        far = nx.eccentricity(graph, weight="weight", backend="graphwright")
    assert lengths[4] == 4 * (2**53 + 1) and type(lengths[4]) is int and far[0] == 4 * (2**53 + 1)
    # Lengths that 32 bits do not hold, of weights that they hold.
    nx.set_edge_attributes(graph, 2**30, "weight")
    with nx.config(fallback_to_nx=False):
        assert dict(nx.all_pairs_dijkstra_path_length(graph, backend="graphwright"))[0][4] == 2**32
        assert nx.closeness_centrality(graph, distance="weight", backend="graphwright")[0] == pytest.approx(4 / (10 * 2**30))
        # Of NumPy, and none.
        graph.add_edge(0, 1, weight=np.int64(2**60))
        del graph[1][2]["weight"]
        assert nx.dijkstra_path_length(graph, 0, 2, backend="graphwright") == 2**60 + 1


def table():
    """Cells and greatest errors as a table of a page."""
    print("| program | cells | greatest error | allowed |\n|---|---|---|---|")
    cells, worst = 0, 0.0
    for name, (run, most) in PROGRAMS.items():
        found = [run(case(number), device) for number in range(len(GRAPHS)) for device in DEVICES]
        found = [error for error in found if error is not None]
        cells, worst = cells + len(found), max(worst, max(found))
        print(f"| `{name}` | {len(found)} | {max(found):.1e} | {most:.0e} |", flush=True)
    print(f"| all | {cells} | {worst:.1e} | |")


if __name__ == "__main__":
    table()
