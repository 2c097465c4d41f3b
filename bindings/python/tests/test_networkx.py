"""The backend against NetworkX itself, on random graphs of every kind."""

import inspect
import math
import random

import hypothesis.strategies as st
import networkx as nx
import numpy as np
import pytest
from hypothesis import given

import graphwright
from graphwright._networkx.interface import backend
from graphwright._networkx_info import FUNCTIONS

KINDS = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
WEIGHTS = {"whole": st.integers(0, 9), "real": st.integers(0, 40).map(lambda w: w / 8), "negative": st.integers(-2, 9),
           "decimal": st.integers(0, 4000).map(lambda w: w / 100), "apart": st.integers(-9, 12).map(lambda e: 10.0**e)}


@st.composite
def graphs(draw, kinds=KINDS):
    """A graph with nodes of any type, loops, parallel edges, isolated nodes, and weights on some edges."""
    graph = draw(st.sampled_from(kinds))()
    count = draw(st.integers(0, 12))
    nodes = draw(st.sampled_from([list(range(count)), [f"n{i}" for i in range(count)], [(i, -i) for i in range(count)],
                                  [i * 1000 - 7 for i in range(count)], [*map(str, range(count // 2)), *range(count - count // 2)]]))
    graph.add_nodes_from(draw(st.permutations(nodes)))
    weight = WEIGHTS[draw(st.sampled_from(sorted(WEIGHTS)))]
    if nodes:
        ends = st.sampled_from(nodes)
        for u, v, w in draw(st.lists(st.tuples(ends, ends, st.none() | weight), max_size=30)):
            graph.add_edge(u, v, **({} if w is None else {"weight": w}))
    return graph


def some(graph, rng):
    return rng.choice(list(graph)) if len(graph) else "none"


def pairs(graph, rng):
    """Pairs of nodes; None for all without an edge."""
    return rng.choice([None, [(some(graph, rng), some(graph, rng)) for _ in range(rng.randrange(9))]])


ARGUMENTS = {
    "single_source_shortest_path_length": lambda g, r: [some(g, r), r.choice([None, 0, 1, 1.5, 3])],
    "single_target_shortest_path_length": lambda g, r: [some(g, r), r.choice([None, 0, 2])],
    "all_pairs_shortest_path_length": lambda g, r: [r.choice([None, 2])],
    "descendants": lambda g, r: [some(g, r)],
    "ancestors": lambda g, r: [some(g, r)],
    "descendants_at_distance": lambda g, r: [some(g, r), r.randrange(4)],
    "single_source_dijkstra_path_length": lambda g, r: [some(g, r), r.choice([None, 3]), r.choice(["weight", None, "nope"])],
    "multi_source_dijkstra_path_length": lambda g, r: [{some(g, r), some(g, r)}],
    "dijkstra_path_length": lambda g, r: [some(g, r), some(g, r)],
    "dijkstra_path": lambda g, r: [some(g, r), some(g, r), r.choice(["weight", None])],
    "single_source_dijkstra": lambda g, r: [some(g, r), r.choice([None, some(g, r)]), r.choice([None, 3]), r.choice(["weight", None])],
    "single_source_dijkstra_path": lambda g, r: [some(g, r), r.choice([None, 0, 2.5]), r.choice(["weight", None, "nope"])],
    "multi_source_dijkstra": lambda g, r: [{some(g, r), some(g, r)}, r.choice([None, some(g, r)])],
    "multi_source_dijkstra_path": lambda g, r: [{some(g, r), some(g, r)}],
    "all_pairs_dijkstra": lambda g, r: [r.choice([None, 4])],
    "all_pairs_dijkstra_path": lambda g, r: [None, r.choice(["weight", None])],
    "bellman_ford_path": lambda g, r: [some(g, r), some(g, r)],
    "single_source_bellman_ford": lambda g, r: [some(g, r), r.choice([None, some(g, r)])],
    "single_source_bellman_ford_path": lambda g, r: [some(g, r)],
    "has_path": lambda g, r: [some(g, r), some(g, r)],
    "single_target_shortest_path": lambda g, r: [some(g, r), r.choice([None, 0, 2])],
    "edge_betweenness_centrality": lambda g, r: [None, r.random() < 0.5, r.choice([None, "weight"])],
    "to_scipy_sparse_array": lambda g, r: [r.choice([None, list(g)[::2]]), None, "weight", r.choice(["csr", "coo"])],
    "bellman_ford_path_length": lambda g, r: [some(g, r), some(g, r)],
    "single_source_bellman_ford_path_length": lambda g, r: [some(g, r)],
    "node_connected_component": lambda g, r: [some(g, r)],
    "betweenness_centrality": lambda g, r: [r.choice([None, min(3, len(g)) or None]), r.random() < 0.5, None, False, 7],
    "closeness_centrality": lambda g, r: [r.choice([None, some(g, r)]), r.choice([None, "weight"]), r.random() < 0.5],
    "harmonic_centrality": lambda g, r: [None, r.choice([None, "weight"])],
    "eccentricity": lambda g, r: [r.choice([None, some(g, r)]), None, r.choice([None, "weight"])],
    "average_shortest_path_length": lambda g, r: [r.choice([None, "weight"])],
    "pagerank": lambda g, r: [r.choice([0.85, 0.5]), r.choice([None, {n: 1 + i for i, n in enumerate(g)}]), 200, 1e-8, None,
                              r.choice(["weight", None])],
    "eigenvector_centrality": lambda g, r: [1000, 1e-8, None, r.choice([None, "weight"])],
    "katz_centrality": lambda g, r: [0.01, 1.0, 1000, 1e-8, None, True, r.choice([None, "weight"])],
    "bfs_edges": lambda g, r: [some(g, r), False, r.choice([None, 0, 1, 2.5])],
    "bfs_tree": lambda g, r: [some(g, r), False, r.choice([None, 1])],
    "bfs_layers": lambda g, r: [r.choice([some(g, r), [some(g, r), some(g, r)], []])],
    "single_source_shortest_path": lambda g, r: [some(g, r), r.choice([None, 0, 1.5, 3])],
    "adamic_adar_index": lambda g, r: [pairs(g, r)],
    "common_neighbor_centrality": lambda g, r: [pairs(g, r), 1],
    "jaccard_coefficient": lambda g, r: [pairs(g, r)],
    "preferential_attachment": lambda g, r: [pairs(g, r)],
    "resource_allocation_index": lambda g, r: [pairs(g, r)],
    "square_clustering": lambda g, r: [r.choice([None, some(g, r), [some(g, r), "none"]])],
    "triangles": lambda g, r: [r.choice([None, some(g, r)])],
    "clustering": lambda g, r: [r.choice([None, some(g, r)])],
    "k_truss": lambda g, r: [r.randrange(6)],
    "minimum_spanning_edges": lambda g, r: ["kruskal", "weight", True, r.random() < 0.5],
}

#: What is promised of an answer, where it leaves something open.
PROMISED = {
    "bfs_tree": lambda found, graph: (type(found), list(found.nodes), list(found.edges)),
    "all_pairs_bellman_ford_path": lambda found, graph: {node: shortest(paths, graph) for node, paths in found},
    "bellman_ford_path": lambda found, graph: length_of(found, graph),
    "single_source_bellman_ford": lambda found, graph: (found[0], shortest(found[1], graph)),
    "single_source_bellman_ford_path": lambda found, graph: shortest(found, graph),
    "to_scipy_sparse_array": lambda found, graph: (found.format, found.dtype, found.shape, found.toarray().tolist()),
    "bridges": lambda found, graph: set(map(frozenset, found)),
    "k_truss": lambda found, graph: (list(found.nodes(data=True)), list(found.edges(data=True))),
    "maximal_matching": lambda found, graph: nx.is_maximal_matching(graph, found, backend="networkx"),
    "minimum_spanning_edges": lambda found, graph: spanned(found, graph),
    "strongly_connected_components": lambda found, graph: set(map(frozenset, found)),
    "topological_generations": lambda found, graph: list(map(set, found)),
}

#: Functions that NetworkX 3.4 does not have.
LATER = {"leiden_communities"}

#: Functions with tests of their own.
APART = {"hits", "maximal_independent_set", "louvain_communities", "leiden_communities"}

#: Dictionaries that come in the order of the nodes or of a search, not only with the same entries.
IN_ORDER = {"degree_centrality", "edge_betweenness_centrality", "single_source_dijkstra_path", "single_source_shortest_path", "square_clustering"}


def length_of(path, graph):
    """The ends of a path and its length, the least of parallel edges taken: the path itself is left open among shortest ones."""
    def least(u, v):
        edges = graph[u][v].values() if graph.is_multigraph() else [graph[u][v]]
        return min(data.get("weight", 1) for data in edges)

    return path[0], path[-1], sum(least(u, v) for u, v in zip(path, path[1:]))


def shortest(found, graph):
    """As :func:`length_of`, for one path or a dictionary of them."""
    return {node: length_of(path, graph) for node, path in found.items()} if isinstance(found, dict) else length_of(found, graph)


def spanned(edges, graph):
    """What all minimum spanning forests of a graph have in common: their weights, and the components."""
    forest = nx.Graph()
    forest.add_nodes_from(graph)
    forest.add_edges_from(edge[:2] for edge in edges)
    assert all(edge[2] is graph[edge[0]][edge[1]] for edge in edges if len(edge) == 3)
    assert nx.is_forest(forest, backend="networkx") if len(forest) else not edges
    parts = set(map(frozenset, nx.connected_components(forest, backend="networkx")))
    return [graph[edge[0]][edge[1]].get("weight", 1) for edge in edges] if not graph.is_multigraph() else None, parts


def public(name):
    """The function of NetworkX; a test is skipped where this version does not have it."""
    for place in (nx, nx.bipartite, nx.community):
        if hasattr(place, name):
            return getattr(place, name)
    assert name in LATER
    pytest.skip(f"this version of NetworkX has no {name}")


VALUES = type({}.values())


def answer(function, graph, arguments, **how):
    """What a function gives, iterators read; or the exception."""
    try:
        found = function(graph, *arguments, **how)
        return "value", list(found) if hasattr(found, "__next__") or isinstance(found, VALUES) else found
    except Exception as error:  # noqa: BLE001
        return "error", error


def alike(ours, theirs):
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and ours.keys() == theirs.keys() and all(alike(ours[k], theirs[k]) for k in theirs)
    if isinstance(theirs, (list, tuple)):
        return len(ours) == len(theirs) and all(map(alike, ours, theirs))
    if isinstance(theirs, float) or isinstance(ours, float):
        return ours == theirs or math.isclose(ours, theirs, rel_tol=1e-6, abs_tol=1e-7) or (ours != ours and theirs != theirs)
    return ours == theirs


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - APART))
@given(data=st.data())
def test_the_answer_is_that_of_networkx(name, data):
    graph = data.draw(graphs())
    rng = random.Random(data.draw(st.integers(0, 999)))
    arguments = ARGUMENTS.get(name, lambda g, r: [])(graph, rng)
    function = public(name)
    kind, theirs = answer(function, graph, arguments, backend="networkx")
    with nx.config(fallback_to_nx=False):
        our_kind, ours = answer(function, graph, arguments, backend="graphwright")
    if our_kind == "error" and isinstance(ours, NotImplementedError) and not isinstance(ours, nx.NetworkXNotImplemented):
        return  # NetworkX runs such a call by itself
    if kind == "error":
        assert our_kind == "error" and type(ours) is type(theirs), f"{ours!r} instead of {theirs!r}"
        if not isinstance(theirs, (KeyError, nx.PowerIterationFailedConvergence)):
            assert str(ours) == str(theirs)
    else:
        assert our_kind == "value", f"{ours!r} instead of {theirs!r}"
        if name in PROMISED:
            ours, theirs = (PROMISED[name](found, graph) for found in (ours, theirs))
        assert alike(ours, theirs), f"{ours} instead of {theirs}"
        if name in IN_ORDER and isinstance(theirs, dict):
            assert list(ours) == list(theirs)


@given(graph=graphs(), normalized=st.booleans())
def test_hubs_and_authorities_are_singular_vectors(graph, normalized):
    # Where two singular values are equal, NetworkX itself draws one of many answers.
    kind, theirs = answer(nx.hits, graph, [], normalized=normalized, backend="networkx")
    with nx.config(fallback_to_nx=False):
        our_kind, ours = answer(nx.hits, graph, [], normalized=normalized, backend="graphwright")
    if our_kind == "error" and isinstance(ours, NotImplementedError):
        return
    assert our_kind == kind, f"{ours!r} instead of {theirs!r}"
    if kind == "error":
        assert type(ours) is type(theirs) and str(ours) == str(theirs)
        return
    if not len(graph):
        assert ours == ({}, {})
        return
    matrix = nx.to_numpy_array(graph, nodelist=list(graph), backend="networkx")
    sizes = np.linalg.svd(matrix, compute_uv=False)
    if len(sizes) > 1 and sizes[0] - sizes[1] < 1e-3 * max(sizes[0], 1):
        return
    for our, their in zip(ours, theirs):
        assert list(our) == list(their)
        one, other = np.array(list(our.values())), np.array(list(their.values()))
        if not normalized and np.dot(one, other) < 0:
            one = -one
        assert np.allclose(one, other, rtol=1e-4, atol=1e-5) or abs(matrix.sum()) == 0 or np.abs(other).max() > 1e3


@given(graph=graphs((nx.Graph, nx.MultiGraph)))
def test_independent_sets_are_maximal(graph):
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    if not len(graph):
        return
    members = nx.maximal_independent_set(graph, backend="graphwright")
    assert not any(v in graph[u] for u in members for v in members)
    assert all(node in members or any(v in members for v in graph[node]) for node in graph)


def communities(name, graph, **arguments):
    """The communities of a graph by modularity, which later versions of NetworkX want to be told."""
    if "metric" in inspect.signature(public(name)).parameters:
        arguments["metric"] = "modularity"
    return public(name)(graph, **arguments, backend="graphwright")


@pytest.mark.parametrize("name", ["louvain_communities", "leiden_communities"])
@given(graph=graphs((nx.Graph, nx.MultiGraph)))
def test_communities_are_good_ones(name, graph):
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    if any(data.get("weight", 1) < 0 for *_, data in graph.edges(data=True)):
        return  # left to NetworkX
    found = communities(name, graph)
    assert sum(map(len, found)) == len(graph) and set().union(*found) == set(graph)
    if sum(data.get("weight", 1) for *_, data in graph.edges(data=True)):
        alone = nx.community.modularity(graph, [{node} for node in graph])
        assert nx.community.modularity(graph, found) >= alone - 1e-9
    if name == "leiden_communities":
        assert communities(name, graph, seed=3) == communities(name, graph, seed=3)


@pytest.mark.parametrize("name", ["louvain_communities", "leiden_communities"])
def test_communities_of_a_known_graph(name):
    graph = nx.karate_club_graph()
    found = communities(name, graph, weight=None)
    assert nx.community.modularity(graph, found, weight=None) > 0.38


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_no_function_is_always_left_to_networkx(name):
    """A call that is refused falls back without a word, so a plain graph must be taken by every function."""
    plain = nx.path_graph(9)
    nx.add_cycle(plain, [0, 4, 8])
    nx.set_edge_attributes(plain, {edge: 1 + sum(edge) % 3 for edge in plain.edges}, "weight")
    turned = nx.DiGraph([(u, v, dict(data)) for u, v, data in plain.edges(data=True)])
    found = []
    for graph in (plain, turned):
        arguments = ARGUMENTS.get(name, lambda g, r: [])(graph, random.Random(3))
        with nx.config(fallback_to_nx=False):
            found.append(answer(public(name), graph, arguments, backend="graphwright"))
    assert any(kind == "value" for kind, _ in found), found


def test_attributes_are_converted_when_a_function_asks(nx_backend):
    graph = nx.cycle_graph(5)
    graph.add_edge(0, 1, weight=7)
    assert nx.k_truss(graph, 2).number_of_edges() == 5  # converts with all attributes
    assert nx.dijkstra_path_length(graph, 0, 1) == 4
    assert sorted(nx.minimum_spanning_edges(graph, data=False)) == [(0, 4), (1, 2), (2, 3), (3, 4)]


def test_nothing_of_the_backend_is_missing():
    for name in FUNCTIONS:
        assert callable(getattr(backend, name))
        assert name in LATER or public(name)


def test_calls_without_a_change_of_code_run_here(nx_backend, monkeypatch):
    called = []
    ours = backend.pagerank
    monkeypatch.setattr(backend, "pagerank", lambda *args, **kwargs: called.append(1) or ours(*args, **kwargs))
    assert sum(nx.pagerank(nx.karate_club_graph()).values()) == pytest.approx(1)
    assert called


def test_what_is_not_there_falls_back(nx_backend):
    graph = nx.karate_club_graph()
    assert nx.density(graph) == pytest.approx(0.139, abs=1e-3)
    assert len(nx.single_source_dijkstra_path_length(graph, 0, weight=lambda u, v, d: 1)) == 34
    graph.add_edge(0, 1, weight="heavy")
    with pytest.raises(TypeError):
        nx.single_source_dijkstra_path_length(graph, 0)
    assert nx.k_core(graph, 4).number_of_nodes() == 10


def test_a_changed_graph_is_converted_again(nx_backend):
    graph = nx.path_graph(4)
    assert nx.number_connected_components(graph) == 1
    assert graph.__networkx_cache__["backends"]["graphwright"]
    graph.remove_edge(1, 2)
    assert nx.number_connected_components(graph) == 2
    graph.add_edge(1, 2, weight=5)
    assert nx.dijkstra_path_length(graph, 0, 3) == 7
    graph.add_edge(1, 2, weight=1)
    assert nx.dijkstra_path_length(graph, 0, 3) == 3
    graph.add_node("new")
    assert nx.number_connected_components(graph) == 2


def test_conversions_are_used_again(nx_backend):
    graph = nx.gnm_random_graph(50, 100, seed=1)
    nx.number_connected_components(graph)
    converted = next(iter(graph.__networkx_cache__["backends"]["graphwright"].values()))
    nx.core_number(graph)
    assert next(iter(graph.__networkx_cache__["backends"]["graphwright"].values())) is converted


def test_small_graphs_are_left_to_networkx():
    graph = nx.path_graph(10)
    assert isinstance(backend.should_run("pagerank", (graph,), {}), str)
    assert backend.should_run("pagerank", (nx.path_graph(5000),), {}) is True
    assert backend.should_run("betweenness_centrality", (nx.path_graph(100),), {}) is True


def test_views_and_subclasses_are_converted(nx_backend):
    graph = nx.gnm_random_graph(30, 60, seed=2)
    part = graph.subgraph(range(15))
    assert nx.number_connected_components(part) == nx.number_connected_components(part.copy(), backend="networkx")
    turned = nx.gnm_random_graph(30, 60, seed=2, directed=True).reverse(copy=False)
    assert nx.descendants(turned, 3) == nx.descendants(turned.copy(), 3, backend="networkx")


def test_classes_with_edges_of_their_own_are_left_to_networkx(nx_backend):
    from networkx.algorithms.approximation.kcomponents import _AntiGraph

    graph = nx.path_graph(5, create_using=_AntiGraph)
    assert nx.core_number(graph) == nx.core_number(nx.complement(nx.path_graph(5)))
    assert graphwright.Graph.from_networkx(graph).num_edges == 6


def test_backend_graphs_go_back():
    graph = nx.karate_club_graph()
    graph.add_edge(0, 0, weight=3)
    made = backend.convert_from_nx(graph, {"weight": 1})
    back = backend.convert_to_nx(made)
    assert set(back.edges) == set(graph.edges) and nx.get_edge_attributes(back, "weight") == nx.get_edge_attributes(graph, "weight")
    assert backend.convert_to_nx({"a": 1}) == {"a": 1}
    multi = nx.MultiDiGraph([(0, 1), (0, 1), (1, 1)])
    assert sorted(backend.convert_to_nx(backend.convert_from_nx(multi)).edges()) == sorted(multi.edges())


def test_searches_follow_the_order_of_the_dictionaries(nx_backend):
    graph = nx.Graph([(0, 9), (0, 3), (0, 7), (9, 8), (3, 8), (7, 1), (1, 8)])
    assert list(nx.bfs_edges(graph, 0)) == [(0, 9), (0, 3), (0, 7), (9, 8), (7, 1)]
    assert list(nx.bfs_layers(graph, [0])) == [[0], [9, 3, 7], [8, 1]]
    assert dict(nx.bfs_successors(graph, 0)) == {0: [9, 3, 7], 9: [8], 7: [1]}
    assert dict(nx.bfs_predecessors(graph, 0)) == {9: 0, 3: 0, 7: 0, 8: 9, 1: 7}
    big = nx.gnm_random_graph(3000, 9000, seed=5)
    for name, arguments in (("bfs_edges", [7]), ("bfs_layers", [[7, 5]]), ("single_source_shortest_path", [7])):
        ours, theirs = (answer(public(name), big, arguments, backend=b)[1] for b in ("graphwright", "networkx"))
        assert ours == theirs and list(ours) == list(theirs)


@pytest.mark.parametrize("name", ["jaccard_coefficient", "adamic_adar_index", "resource_allocation_index", "square_clustering",
                                  "label_propagation_communities"])  # fmt: skip
def test_larger_graphs_with_hubs(name):
    graph = nx.barabasi_albert_graph(400, 6, seed=3)
    graph.add_edges_from((0, node) for node in range(0, 400, 2))  # a loop too
    ours, theirs = (answer(public(name), graph, [], backend=b)[1] for b in ("graphwright", "networkx"))
    assert alike(ours, theirs)


def test_cheap_functions_wait_for_a_conversion():
    graph = nx.gnm_random_graph(3000, 9000, seed=1)
    assert isinstance(backend.should_run("degree_centrality", (graph,), {}), str)
    nx.number_connected_components(graph, backend="graphwright")
    assert backend.should_run("degree_centrality", (graph,), {}) is True
