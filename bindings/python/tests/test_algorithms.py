"""Every function, against simple truths and its own check."""

import numpy as np
import pytest

import graphwright as gw

GRAPH = "kron:8:seed=3"
WEIGHTED = "kron:8:seed=3:weights=1..9"

CALLS = {
    "astar": lambda: gw.astar(WEIGHTED, 0, 1, 2, verify=True),
    "bc": lambda: gw.bc(GRAPH, 0, verify=True),
    "bc_all": lambda: gw.bc_all(GRAPH, sources=4, verify=True),
    "bc_edges": lambda: gw.bc_edges(GRAPH, sources=4, verify=True),
    "bc_weighted": lambda: gw.bc_weighted(WEIGHTED, sources=4, verify=True),
    "bfs": lambda: gw.bfs(GRAPH, 0, verify=True),
    "bfs_levels": lambda: gw.bfs_levels(GRAPH, 0, verify=True),
    "bipartite": lambda: gw.bipartite(GRAPH, verify=True),
    "biconnected": lambda: gw.biconnected(GRAPH, verify=True),
    "bridges": lambda: gw.bridges(GRAPH, verify=True),
    "cc": lambda: gw.cc(GRAPH, verify=True),
    "cc_fast": lambda: gw.cc_fast(GRAPH, verify=True),
    "cdlp": lambda: gw.cdlp(GRAPH, verify=True),
    "cf": lambda: gw.cf(WEIGHTED, verify=True),
    "closeness": lambda: gw.closeness(GRAPH, pivots=4, verify=True),
    "coloring": lambda: gw.coloring(GRAPH, verify=True),
    "earliest_arrival": lambda: gw.earliest_arrival(WEIGHTED, 0, verify=True),
    "eccentricity": lambda: gw.eccentricity(GRAPH, verify=True),
    "eigenvector": lambda: gw.eigenvector(GRAPH, verify=True),
    "fastrp": lambda: gw.fastrp(GRAPH, verify=True),
    "harmonic": lambda: gw.harmonic(GRAPH, pivots=4, verify=True),
    "hits": lambda: gw.hits(GRAPH, verify=True),
    "k_shortest_paths": lambda: gw.k_shortest_paths(WEIGHTED, 0, 1, verify=True),
    "katz": lambda: gw.katz(GRAPH, verify=True),
    "kcore": lambda: gw.kcore(GRAPH, verify=True),
    "kcore_unordered": lambda: gw.kcore_unordered(GRAPH, verify=True),
    "khop": lambda: gw.khop(GRAPH, 0, 2, verify=True),
    "ktruss": lambda: gw.ktruss(GRAPH, verify=True),
    "lcc": lambda: gw.lcc(GRAPH, verify=True),
    "leiden": lambda: gw.leiden(GRAPH, verify=True),
    "louvain": lambda: gw.louvain(GRAPH, verify=True),
    "matching": lambda: gw.matching(GRAPH, verify=True),
    "matching_weighted": lambda: gw.matching_weighted(WEIGHTED, verify=True),
    "maxflow": lambda: gw.maxflow(WEIGHTED, 0, 1, verify=True),
    "mis": lambda: gw.mis(GRAPH, verify=True),
    "msbfs": lambda: gw.msbfs(GRAPH, pivots=4, verify=True),
    "msf": lambda: gw.msf(WEIGHTED, verify=True),
    "node2vec": lambda: gw.node2vec(GRAPH, p=0.5, verify=True),
    "pagerank": lambda: gw.pagerank(GRAPH, verify=True),
    "pagerank_delta": lambda: gw.pagerank_delta(GRAPH, verify=True),
    "pagerank_div": lambda: gw.pagerank_div(GRAPH, verify=True),
    "pagerank_gs": lambda: gw.pagerank_gs(GRAPH, tolerance=1e-5, verify=True),
    "ppr": lambda: gw.ppr(GRAPH, {0: 1, 2: 0.5}, verify=True),
    "ppsp": lambda: gw.ppsp(WEIGHTED, 0, 1, verify=True),
    "scc": lambda: gw.scc(GRAPH, verify=True),
    "setcover": lambda: gw.setcover(GRAPH, verify=True),
    "similar": lambda: gw.similar(GRAPH, entries=3, verify=True),
    "similarity_edges": lambda: gw.similarity_edges(GRAPH, verify=True),
    "similarity": lambda: gw.similarity(GRAPH, 0, verify=True),
    "spmv": lambda: gw.spmv(WEIGHTED, verify=True),
    "sssp": lambda: gw.sssp(WEIGHTED, 0, verify=True),
    "sssp_delta": lambda: gw.sssp_delta(WEIGHTED, 0, verify=True),
    "sssp_real": lambda: gw.sssp_real(WEIGHTED, 0, verify=True),
    "tc": lambda: gw.tc(GRAPH, verify=True),
    "temporal_reach": lambda: gw.temporal_reach(WEIGHTED, 0, until=500, duration=1, verify=True),
    "topo": lambda: gw.topo(GRAPH, verify=True),
    "triangles": lambda: gw.triangles(GRAPH, verify=True),
    "walks": lambda: gw.walks(GRAPH, length=9, verify=True),
}


def test_values_of_edges_are_one_row():
    # Twice as many edges as vertices: no rows of two.
    cycle = gw.read("cycle:6:weights=2..2")
    assert gw.biconnected(cycle).block.shape == gw.bc_edges(cycle).centrality.shape == (12,)
    assert gw.bc_edges(cycle).centrality.tolist() == gw.bc_weighted(cycle).edge_centrality.tolist() == [4.5] * 12
    flow = gw.maxflow(cycle, 0, 3)
    assert (flow.value, flow.flow.shape, flow.source_side[[0, 3]].tolist()) == (4, (12,), [True, False])
    assert gw.msbfs(cycle, pivots=2).hops.shape == (6, 2)


def test_rows_are_as_long_as_asked_for():
    G = gw.read("kron:8:seed=3")
    for _ in range(2):
        for length in (3, 100, 80):
            assert gw.walks(G, length=length, verify=True).walk.shape == (256, length)
    assert gw.msbfs(G, pivots=130, verify=True).hops.shape == (256, 130)
    assert gw.similar(G, entries=40, verify=True).similar.shape == (256, 40)


def test_ranks_by_weights():
    G = gw.Graph.from_edges([(0, 1, 1), (0, 2, 9), (1, 0, 1), (2, 0, 1)], directed=True)
    plain, weighted = gw.pagerank(G, weights=False, verify=True), gw.pagerank(G, verify=True)
    assert plain.rank[1] == plain.rank[2] and weighted.rank[2] > 4 * weighted.rank[1]
    assert gw.pagerank(G, damping=0.0).rank.tolist() == pytest.approx([1 / 3] * 3)
    assert gw.ppr(G, 0, verify=True).rank[2] > gw.ppr(G, 0, weights=False, verify=True).rank[2]
    for function in (gw.hits, gw.katz, gw.eigenvector):
        function(G, weights=True, verify=True)
        with pytest.raises(ValueError, match="has none"):
            function("path:3", weights=True)


@pytest.mark.parametrize("name", CALLS)
def test_the_result_passes_its_check(name):
    result = CALLS[name]()
    assert result.seconds >= 0 and result.steps > 0 and isinstance(result.schedule, str)
    assert result.program.replace("-", "_").startswith(name.split("_")[0])
    assert all(result[key] is not None for key in result.keys())
    assert name in repr(result).replace("-", "_") or name == "sssp"


def test_there_is_a_function_per_standard_program():
    names = {program["name"].replace("-", "_") for program in gw.programs()}
    # Those are the functions without the ending, with `weights=True`.
    forms = {f"{name}_weighted" for name in ("eigenvector", "hits", "katz", "pagerank", "ppr")}
    assert names - forms <= set(CALLS)
    assert all(getattr(gw, name).__doc__ for name in CALLS)


def test_results_are_read_only_views():
    result = gw.bfs_levels("path:5", 0)
    level = result.level
    assert not level.flags.writeable
    del result
    assert level.tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(AttributeError, match="the results are"):
        gw.bfs_levels("path:5", 0).nothing


def test_many_sources_give_a_matrix():
    G = gw.read(WEIGHTED)
    sources = list(range(0, 200, 7))
    for function, name in ((gw.bfs_levels, "level"), (gw.sssp, "dist")):
        rows = function(G, sources=sources)
        assert rows.shape == (len(sources), G.num_vertices)
        for source, row in zip(sources, rows):
            assert (row == function(G, source)[name]).all()
    named = gw.Graph.from_edges([("a", "b"), ("b", "c")])
    assert gw.bfs(named, sources=["c", "a"]).tolist() == [[2, 1, 0], [0, 1, 2]]
    assert gw.bfs(named, sources=[]).shape[0] == 0
    with pytest.raises(TypeError, match="both"):
        gw.bfs(named, "a", sources=["b"])


def test_weights_choose_the_program():
    whole = gw.Graph.from_edges([(0, 1, 2), (1, 2, 3)], directed=True)
    negative = gw.Graph.from_edges([(0, 1, 2), (1, 2, -1)], directed=True)
    real = gw.Graph.from_edges([(0, 1, 0.5), (1, 2, -0.25)], directed=True)
    cycle = gw.Graph.from_edges([(0, 1, -2), (1, 0, 1)], directed=True)
    assert gw.sssp(whole, 0).program == "sssp-delta"
    assert gw.sssp(negative, 0).dist.tolist() == [0, 2, 1]
    assert gw.sssp(real, 0).dist.tolist() == [0.0, 0.5, 0.25]
    with pytest.raises(ValueError, match="negative length"):
        gw.sssp(cycle, 0)
    with pytest.raises(ValueError, match="no weights"):
        gw.sssp("path:3", 0)


def test_long_paths_do_not_wrap_around():
    n = 40
    ends = np.arange(n - 1)
    G = gw.Graph.from_edges((ends, ends + 1, np.full(n - 1, 10**8)), directed=True)
    for call in (lambda: gw.sssp(G, 0), lambda: gw.sssp_delta(G, 0), lambda: gw.sssp(G, sources=[30, 0])):
        with pytest.raises(OverflowError, match="sssp_real"):
            call()
    assert gw.sssp_real(G, 0).dist[-1] == (n - 1) * 10**8
    # A path too long for a vertex that a short one reaches.
    G = gw.Graph.from_edges([(0, 1, 1), (1, 3, 2**31 - 2), (0, 2, 100), (2, 3, 1)], directed=True)
    assert gw.sssp_delta(G, 0, delta=1, verify=True).dist.tolist() == [0, 1, 100, 101]


def test_betweenness_is_that_of_a_path():
    assert gw.betweenness("path:5").tolist() == [0, 0.5, 2 / 3, 0.5, 0]
    assert gw.betweenness("path:5", normalized=False).tolist() == [0, 3, 4, 3, 0]
    assert gw.betweenness("path:5", k=3, seed=1).shape == (5,)


def test_directed_graphs_are_told_apart():
    G = gw.Graph.from_edges([(0, 1), (1, 2)], directed=True)
    assert gw.bfs_levels(G, 2).level.tolist() == [-1, -1, 0]
    assert gw.bfs_levels(G.transpose(), 2).level.tolist() == [2, 1, 0]
    assert "taken as undirected" in gw.cc(G).notes[0]


def test_results_by_id():
    G = gw.Graph.from_edges([("x", "y"), ("y", "z"), ("p", "q")])
    assert gw.cc_fast(G).to_dict() == {"x": "x", "y": "x", "z": "x", "p": "p", "q": "p"}
    assert gw.bfs(G, "x").to_dict()["p"] is None
    assert np.asarray(gw.bfs_levels(G, "x")).tolist() == [0, 1, 2, -1, -1]
    pytest.importorskip("pandas")
    assert gw.bfs_levels(G, "x").to_pandas().loc["z", "level"] == 2
    pytest.importorskip("pyarrow")
    assert gw.bfs_levels(G, "x").to_arrow().column_names == ["vertex", "level"]


def test_traces_become_charts():
    result = gw.bfs(GRAPH, 0, trace=True)
    assert result.trace and result.trace[0]["seconds"] >= 0
    assert "<svg" in result._repr_html_() and "<svg" not in gw.bfs(GRAPH, 0, trace=False)._repr_html_()


def test_schedules_and_devices():
    G = gw.read(GRAPH)
    wanted = gw.bfs_levels(G, 0).level
    for schedule in ("s0:s1@push", "s0:s1@pull", None, "adaptive"):
        assert (gw.bfs_levels(G, 0, schedule=schedule).level == wanted).all()
    assert (gw.bfs_levels(G, 0, device="reference").level == wanted).all()
    assert (gw.bfs_levels(G, 0, threads=1).level == wanted).all()
    assert "cpu" in gw.devices()
    with pytest.raises(gw.DeviceError, match="did you mean"):
        gw.bfs(G, 0, device="cup")
    with pytest.raises(gw.ProgramError):
        gw.bfs(G, 0, schedule="s0:s1@nonsense")
    with pytest.raises(TypeError, match="unknown option 'shedule'"):
        gw.bfs(G, 0, shedule="auto")


def test_a_vertex_that_is_not_there():
    for vertex in (-1, 10**9, "x", 1.5, None, [1]):
        with pytest.raises((KeyError, TypeError)):
            gw.bfs("path:3", vertex)
    with pytest.raises(TypeError, match="a graph is needed"):
        gw.bfs(17, 0)


def test_paths_by_ids():
    roads = gw.Graph.from_edges([("a", "b", 3), ("b", "c", 4), ("a", "c", 9), ("d", "a", 1)], directed=True)
    found = gw.sssp(roads, "a")
    assert found.path_to("c") == (7, ["a", "b", "c"])
    assert found.path_to("a") == (0, ["a"])
    assert found.path_to("d") is None
    assert [roads.ids[v] if v >= 0 else None for v in found.parents()] == ["a", "a", "b", None]
    assert gw.bfs(roads, "a").path_to("c") == (1, ["a", "c"])
    assert gw.ppsp(roads, "a", "c").path_to("c") == (7, ["a", "b", "c"])
    with pytest.raises(ValueError, match="finds the path to its target"):
        gw.ppsp(roads, "a", "c").path_to("b")
    with pytest.raises(ValueError, match="finds no paths"):
        gw.pagerank(roads).path_to("b")
    found = gw.k_shortest_paths(roads, "a", "c", verify=True)
    assert found.paths() == [(7, ["a", "b", "c"]), (9, ["a", "c"])]
    assert (found.found, found.length.tolist(), found.begin.tolist()) == (2, [7, 9], [0, 3])


def test_communities_begin_where_told():
    graph = gw.Graph.from_edges([("a", "b"), ("b", "c"), ("c", "d")], directed=False)
    for find in (gw.leiden, gw.louvain):
        assert find(graph, start=["x", "x", "y", "y"], verify=True).label.tolist() == [0, 0, 2, 2]
        assert find(graph, start={"a": 1, "b": 1}, verify=True).communities == 2
        with pytest.raises(ValueError, match="3 labels for 4 vertices"):
            find(graph, start=[1, 2, 3])
