"""Nothing is lost or changed without a word: ends of edges, weights, missing values, types of ids, pickles."""

import copy
import datetime
import pickle
import warnings

import networkx as nx
import numpy as np
import pytest

import graphwright as gw

BOW = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]


# Results of edges name edges


def test_results_of_edges_name_their_ends():
    G = gw.Graph.from_edges(BOW)
    assert gw.ktruss(G).to_dict() == {("a", "b"): 3, ("a", "c"): 3, ("b", "c"): 3, ("c", "d"): 2}
    blocks = gw.biconnected(G)
    assert set(blocks.to_dict()) == set(gw.ktruss(G).to_dict())
    assert blocks.to_dict("cut") == {"a": False, "b": False, "c": True, "d": False}


def test_results_of_edges_are_tables_of_edges():
    pytest.importorskip("pandas")
    G = gw.Graph.from_edges(BOW)
    table = gw.ktruss(G).to_pandas()
    assert list(table.columns) == ["source", "target", "truss"]
    assert table.values.tolist() == [["a", "b", 3], ["a", "c", 3], ["b", "c", 3], ["c", "d", 2]]
    blocks = gw.biconnected(G)
    assert list(blocks.to_pandas().columns) == ["cut"] and list(blocks.to_pandas(of="edges").columns) == ["source", "target", "block"]
    with pytest.raises(ValueError, match="no result of edges"):
        gw.bfs_levels(G, "a").to_pandas(of="edges")
    with pytest.raises(ValueError, match="none of"):
        blocks.to_pandas(of="faces")


def test_as_many_edges_as_vertices_do_not_mix_them_up():
    C = gw.Graph.from_edges([(0, 1), (1, 2), (2, 0)], directed=True)
    assert gw.bc_edges(C).to_dict() == {(0, 1): 3.0, (1, 2): 3.0, (2, 0): 3.0}
    found = gw.bc_edges(gw.Graph.from_edges(BOW)).to_dict()
    wanted = nx.edge_betweenness_centrality(nx.Graph(BOW), normalized=False)
    assert len(found) == 8 and all(found[u, v] + found[v, u] == 2 * value for (u, v), value in wanted.items())


def test_edges_of_a_program_of_ones_own_are_edges():
    program = gw.Program("""
        element Vertex end
        element Edge end
        const edges : edgeset{Edge}(Vertex, Vertex) = load(argv[1]);
        const seven : vector{Edge}(int) = 7;
        func main() end
    """)
    cycle = gw.Graph.from_edges([("a", "b"), ("b", "c"), ("c", "a")], directed=True)
    assert program.run(cycle).to_dict() == {("a", "b"): 7, ("b", "c"): 7, ("c", "a"): 7}


def test_rows_of_numbers_stay_in_tables():
    pytest.importorskip("pandas")
    G = gw.Graph.from_edges([("a", "b"), ("b", "c")])
    assert list(gw.walks(G, length=2).to_pandas().columns)[:2] == ["walk_0", "walk_1"]
    assert gw.fastrp(G).to_pandas().shape == (3, 64)
    assert set(gw.walks(G, length=2).to_dict()["a"]) <= {"a", "b", None}
    assert gw.similar(G, entries=2).to_dict()["a"][0] in ("c", None)
    pyarrow = pytest.importorskip("pyarrow")
    assert pyarrow.types.is_list(gw.fastrp(G).to_arrow().schema.field("embedding").type)


# Weights


def test_weights_beside_pairs_and_arrays_are_taken():
    for edges in ([(1, 2), (2, 3)], np.array([[1, 2], [2, 3]]), (np.array([1, 2]), np.array([2, 3]))):
        G = gw.Graph.from_edges(edges, weight=[1.5, 2.5])
        assert G.to_networkx().edges[2, 3]["weight"] == 2.5
    assert gw.Graph.from_edges({"a": [1], "b": [2]}, weight=np.array([4])).to_arrow().column("weight").to_pylist() == [4]
    assert gw.Graph.from_edges([1, 2], [2, 3], [5, 6]).is_weighted


@pytest.mark.parametrize("names", [{"weight": "w"}, {"source": "a"}, {"target": "b"}, {"weight": "w", "source": "a", "target": "b"}])
def test_names_of_columns_without_columns_are_refused(names):
    for edges in ([(1, 2), (2, 3)], np.array([[1, 2], [2, 3]]), nx.path_graph(3).edges):
        with pytest.raises(TypeError, match="names a column"):
            gw.Graph.from_edges(edges, **names)
    with pytest.raises(TypeError, match="have weights, too"):
        gw.Graph.from_edges([(1, 2, 3)], weight=[4])


def test_graphs_of_networkx_keep_their_weights():
    H = nx.Graph()
    H.add_edge(0, 1, weight=2.5)
    H.add_edge(1, 2)
    assert gw.sssp(H, 0).to_dict() == {0: 0.0, 1: 2.5, 2: 3.5}
    assert gw.bfs_levels(nx.path_graph(3), 0).to_dict() == {0: 0, 1: 1, 2: 2}


def test_matrices_of_ones_have_weights():
    sp = pytest.importorskip("scipy.sparse")
    ones = sp.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert gw.sssp(gw.Graph.from_scipy(ones), 0).dist.tolist() == [0.0, 1.0]
    assert not gw.Graph.from_scipy(ones.astype(bool)).is_weighted and not gw.Graph.from_scipy(ones, weighted=False).is_weighted


def _weighted(directed):
    rng = np.random.default_rng(5)
    H = nx.gnm_random_graph(40, 160, seed=3, directed=directed)
    for _, _, data in H.edges(data=True):
        data["weight"] = int(rng.integers(1, 9))
    return H


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize(
    ("ours", "theirs", "output"),
    [
        (lambda G, w: gw.pagerank(G, weights=w, tolerance=1e-12), lambda H, w: nx.pagerank(H, weight=w, tol=1e-14, max_iter=1000), "rank"),
        (lambda G, w: gw.closeness(G, weights=bool(w)), lambda H, w: nx.closeness_centrality(H, distance=w), "closeness"),
        (lambda G, w: gw.harmonic(G, weights=bool(w)), lambda H, w: nx.harmonic_centrality(H, distance=w), "harmonic"),
        (lambda G, w: gw.betweenness(G, weights=bool(w)), lambda H, w: nx.betweenness_centrality(H, weight=w), None),
        (lambda G, w: gw.katz(G, 0.01, tolerance=1e-12, weights=w), lambda H, w: nx.katz_centrality(H, 0.01, tol=1e-12, weight=w), "centrality"),
        (lambda G, w: gw.eigenvector(G, 2000, 1e-12, weights=w), lambda H, w: nx.eigenvector_centrality(H, 2000, 1e-12, weight=w), "centrality"),
    ],
    ids=["pagerank", "closeness", "harmonic", "betweenness", "katz", "eigenvector"],
)
def test_weights_count_as_in_networkx(ours, theirs, output, directed):
    H = _weighted(directed)
    G = gw.Graph.from_networkx(H, weight="weight")
    for weights in (True, False):
        found = ours(G, weights)
        found = found if output is None else found[output]
        wanted = list(theirs(H, "weight" if weights else None).values())
        assert np.allclose(found, wanted, atol=1e-6), weights


def test_defaults_about_weights_are_those_of_networkx():
    H = _weighted(False)
    G = gw.Graph.from_networkx(H, weight="weight")
    for found, wanted in (
        (gw.pagerank(G, tolerance=1e-10).rank, nx.pagerank(H, tol=1e-12)),
        (gw.hits(G, 1000, 1e-12).authority, nx.hits(H)[1]),
        (gw.betweenness(G), nx.betweenness_centrality(H)),
        (gw.closeness(G).closeness, nx.closeness_centrality(H)),
    ):
        assert np.allclose(found, list(wanted.values()), atol=1e-6)
    assert (gw.pagerank(G).rank != gw.pagerank(G, weights=False).rank).any()


def test_lengths_have_one_type_and_one_mark():
    for weights in ([1, 2], [1.0, 2.0], [1.0, 2.5], [2**40, 2], [2**40 + 0.5, 1.0]):
        G = gw.Graph.from_edges({"a": [0, 2], "b": [1, 3], "w": weights}, weight="w")
        for found in (gw.sssp(G, 0), gw.sssp_delta(G, 0)):
            assert found.dist.dtype == np.float64 and found.dist.tolist() == [0.0, float(weights[0]), np.inf, np.inf]
        assert gw.ppsp(G, 0, 3).distance == np.inf and type(gw.ppsp(G, 0, 1).distance) is float
        assert gw.sssp(G, sources=[0, 2]).dtype == np.float64
    whole = gw.Graph.from_edges([(0, 1, 2**62 - 1)])
    assert gw.sssp(whole, 0).exact("dist").tolist() == [0, 2**62 - 1] and gw.sssp(whole, 0).path_to(1)[0] == 2**62 - 1


# Ids


def frames(columns):
    yield {name: list(values) for name, values in columns.items()}
    for module in ("pandas", "polars"):
        library = pytest.importorskip(module)
        yield library.DataFrame(columns)
    pyarrow = pytest.importorskip("pyarrow")
    yield pyarrow.table(columns)
    yield library.DataFrame(columns).with_columns(library.all().cast(library.Categorical))
    pandas = pytest.importorskip("pandas")
    yield pandas.DataFrame(columns).astype("category")
    yield pandas.DataFrame(columns).astype("string")
    yield pyarrow.table({name: pyarrow.array(values).dictionary_encode() for name, values in columns.items()})


def test_missing_ids_are_refused():
    for table in frames({"a": ["x", None, None], "b": ["y", "z", "u"]}):
        with pytest.raises(ValueError, match="missing"):
            gw.Graph.from_edges(table)
    for nothing in (None, float("nan"), np.datetime64("NaT")):
        with pytest.raises((ValueError, TypeError), match="missing|floating"):
            gw.Graph.from_edges([("a", "b"), (nothing, "c")])
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="missing"):
        gw.Graph.from_edges({"a": pandas.array([1, None], dtype="Int64"), "b": pandas.array([2, 3], dtype="Int64")})


def test_texts_are_numbered_alike_in_every_library():
    rng = np.random.default_rng(2)
    ends = rng.integers(0, 300, (2, 2000)).astype(str).tolist()
    wanted = list(dict.fromkeys(end for pair in zip(*ends) for end in pair))
    for table in frames({"a": ends[0], "b": ends[1]}):
        G = gw.Graph.from_edges(table, loops=True)
        assert G.ids.tolist() == wanted, type(table)
        assert all(G.has_edge(a, b) for a, b in zip(ends[0][:50], ends[1][:50]))
    assert gw.Graph.from_edges(list(zip(*ends)), loops=True).ids.tolist() == wanted


def test_labels_that_no_edge_has_are_no_vertices():
    pandas = pytest.importorskip("pandas")
    kind = pandas.CategoricalDtype(["c", "b", "a"])
    G = gw.Graph.from_edges(pandas.DataFrame({"s": ["a"], "t": ["b"]}).astype(kind))
    assert G.ids.tolist() == ["a", "b"]


def test_the_ids_of_a_graph_cannot_be_written_to():
    for edges in ([(10, 20), (20, 30)], [("a", "b")]):
        G = gw.Graph.from_edges(edges)
        with pytest.raises(ValueError, match="read-only"):
            G.ids[0] = G.ids[1]
    given = np.array([5, 7])
    H = gw.Graph.from_numpy(np.array([0, 1, 2]), np.array([1, 0]), ids=given)
    given += 1
    assert H.ids.tolist() == [5, 7] and H.vertex(7) == 1


def test_arrays_and_ids_are_checked():
    with pytest.raises(ValueError, match="no reverse edge"):
        gw.Graph.from_numpy(np.array([0, 1, 1]), np.array([1]), directed=False)
    with pytest.raises(ValueError, match="'a' is given twice"):
        gw.Graph.from_numpy(np.array([0, 1, 2]), np.array([1, 0]), ids=["a", "a"])


@pytest.mark.parametrize("unit", ["s", "us", "ns"])
def test_points_in_time_stay_points_in_time(unit):
    pandas = pytest.importorskip("pandas")
    days = pandas.Series(pandas.to_datetime(["2020-01-01", "2020-01-02"])).astype(f"datetime64[{unit}]")
    G = gw.Graph.from_edges({"a": days, "b": (days + pandas.Timedelta("1D")).astype(days.dtype)})
    assert G.ids.dtype == f"datetime64[{unit}]" and len(G) == 3
    for form in (np.datetime64("2020-01-03"), pandas.Timestamp("2020-01-03"), datetime.datetime(2020, 1, 3)):
        assert G.vertex(form) == 2
    assert np.datetime64("2020-01-03") in G and np.datetime64("2021-01-03") not in G and "x" not in G
    assert gw.bfs_levels(G, np.datetime64("2020-01-01")).to_dict()[np.datetime64("2020-01-03", unit)] == 2


def test_lists_keep_the_types_of_ids():
    assert gw.Graph.from_edges(["a", 1], [1, "c"]).ids.tolist() == ["a", 1, "c"]
    assert gw.Graph.from_edges({"a": ["a", 1], "b": [1, "c"]}).ids.tolist() == ["a", 1, "c"]
    assert gw.Graph.from_edges([2**63, 1], [1, 3]).ids.tolist() == [2**63, 1, 3]


def test_columns_may_be_named_by_numbers():
    pandas = pytest.importorskip("pandas")
    G = gw.Graph.from_edges(pandas.DataFrame([[1, 2, 3]]), source=0, target=1, weight=2)
    assert G.to_pandas().values.tolist() == [[1, 2, 3]]


def test_vertices_can_be_listed():
    G = gw.Graph.from_edges([("a", "b")], vertices=["c", "b", "a"])
    assert G.ids.tolist() == ["c", "b", "a"] and G.degrees.tolist() == [0, 1, 1]
    with pytest.raises(ValueError, match="'x' is not among"):
        gw.Graph.from_edges([("a", "x")], vertices=["a", "b"])
    with pytest.raises(ValueError, match="given twice"):
        gw.Graph.from_edges([("a", "b")], vertices=["a", "b", "a"])


# Parts of graphs


@pytest.mark.parametrize("directed", [False, True])
def test_neighbours_edges_and_parts(directed):
    H = _weighted(directed)
    H = nx.relabel_nodes(H, {node: f"n{node}" for node in H})
    G = gw.Graph.from_networkx(H, weight="weight")
    assert all(sorted(G.neighbors(node).tolist()) == sorted(H[node]) for node in H)
    assert all(G.has_edge(u, v) == H.has_edge(u, v) for u in list(H)[:9] for v in [*list(H)[:9], "nobody"])
    kept = list(H)[5:25]
    part, wanted = G.subgraph(kept).to_networkx(), H.subgraph(kept)
    assert set(part) == set(wanted) and part.is_directed() == directed
    assert {(u, v): w for u, v, w in part.edges(data="weight")}.keys() == {
        (u, v) if directed or list(part).index(u) < list(part).index(v) else (v, u) for u, v in wanted.edges
    }
    assert all(part[u][v]["weight"] == w for u, v, w in wanted.edges(data="weight"))
    assert len(G.subgraph([])) == 0


def test_arrow_streams_need_no_pyarrow():
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    G = gw.Graph.from_edges([("a", "b", 0.5), ("b", "ü", 2.25)])
    for read in (polars.DataFrame, pyarrow.table):
        table = read(G)
        assert list(table.to_pydict() if hasattr(table, "to_pydict") else table.to_dict()) == ["source", "target", "weight"]
        rows = polars.DataFrame(table).rows()
        assert rows == [("a", "b", 0.5), ("b", "ü", 2.25)]
    for found in (gw.bfs(G, "a"), gw.fastrp(G), gw.ktruss(G), gw.biconnected(G), gw.sssp(G, "b"), gw.walks(G, length=3)):
        streamed, made = pyarrow.table(found), found.to_arrow()
        assert streamed.column_names == made.column_names
        assert streamed.to_pylist() == made.to_pylist() or found.program == "walks"
        streamed.validate(full=True)
    times = np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[s]")
    assert pyarrow.table(gw.Graph.from_edges((times[:1], times[1:]))).column("source").to_pylist()[0].year == 2020
    for _ in range(50):
        pyarrow.table(G)


# Pickles


def graphs():
    yield gw.read("kron:8:weights=1..9")
    yield gw.Graph.from_edges(BOW)
    yield gw.Graph.from_edges([(10, 20, 0.1), (20, 30, 2.5)], directed=True)
    yield gw.Graph.from_edges([])
    yield gw.Graph.from_edges(np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"), np.array(["2020-01-02"] * 2, dtype="datetime64[D]"))


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_graphs_can_be_pickled(protocol):
    for G in graphs():
        H = pickle.loads(pickle.dumps(G, protocol))
        assert repr(H) == repr(G) and H.ids.tolist() == G.ids.tolist() and H.ids.dtype == G.ids.dtype
        for one, other in zip(G.to_numpy(), H.to_numpy()):
            assert one is other is None or (one.dtype == other.dtype and (one == other).all())
        assert gw.components(H).to_dict() == gw.components(G).to_dict()
        assert copy.deepcopy(G) is G and copy.copy(G) is G


def test_pickles_share_memory_where_they_can():
    G = gw.read("kron:10")
    buffers = []
    data = pickle.dumps(G, 5, buffer_callback=buffers.append)
    assert len(data) < 1000 and sum(memoryview(buffer).nbytes for buffer in buffers) > G.num_edges
    H = pickle.loads(data, buffers=buffers)
    assert np.shares_memory(H.to_numpy()[1], G.to_numpy()[1])


def test_pickles_keep_columns():
    table = {"a": ["x", "y"], "b": ["y", "z"], "km": [2, 3]}
    G = gw.Graph.from_edges(table, columns=True, directed=True).with_vertices({"name": ["x", "z"], "age": [4, 5]})
    H = pickle.loads(pickle.dumps(G))
    assert H.columns == G.columns == {"edges": ["km"], "vertices": ["age"]} and H.ids.tolist() == ["x", "y", "z"]


def test_results_can_be_pickled():
    G = gw.Graph.from_edges(BOW)
    for found in (gw.bfs(G, "a"), gw.ktruss(G), gw.pagerank(G), gw.closeness(G), gw.leiden(G)):
        again = pickle.loads(pickle.dumps(found))
        assert again.to_dict() == found.to_dict() and again.program == found.program and again.keys() == found.keys()
        assert copy.deepcopy(found).to_dict() == found.to_dict()
        with pytest.raises(ValueError, match="without its run"):
            again.verify()


def test_graphs_that_change_can_be_pickled():
    D = gw.DynamicGraph(ids=True, weights="double")
    again = pickle.loads(pickle.dumps(D))
    assert again.insert(["a"], ["b"], [0.5]).inserted == 1
    D.insert(["a", "b"], ["b", "c"], [0.5, 1.5])
    again = pickle.loads(pickle.dumps(D))
    assert again.version == D.version and again.snapshot().ids.tolist() == ["a", "b", "c"]
    again.delete(["a"], ["b"])
    assert again.num_edges == 1 and D.num_edges == 2 and again.version == D.version + 1
    assert copy.deepcopy(D).num_edges == 2


def _count(G, source):
    return int((gw.bfs_levels(G, source).level >= 0).sum())


def test_other_processes_get_graphs_as_arguments():
    import concurrent.futures
    import multiprocessing

    G = gw.Graph.from_edges(BOW)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(_count, [G] * 3, "abd")) == [4, 4, 4]


# Options and communities


def test_options_are_what_they_say():
    with pytest.raises(TypeError, match="rouns"):
        gw.pagerank("path:4", rouns=5)
    assert gw.bfs_levels("path:4", 0, threads=np.int64(1)).depth == 3
    with pytest.raises(ValueError, match="threads"):
        gw.bfs_levels("path:4", 0, threads=1.5)


def test_estimators_of_communities():
    sp = pytest.importorskip("scipy.sparse")
    A = sp.block_diag([np.ones((5, 5)), np.ones((3, 3)), np.ones((4, 4))]).tocsr()
    model = gw.Leiden(resolution=1.0, seed=0)
    assert model.fit_predict(A).tolist() == [0] * 5 + [2] * 3 + [1] * 4 and model.n_clusters_ == 3
    assert model.get_params()["seed"] == 0 and model.set_params(seed=4).seed == 4
    with pytest.raises(ValueError, match="no parameter"):
        model.set_params(sead=4)
    with pytest.raises(TypeError, match="kneighbors_graph"):
        model.fit(np.ones((3, 3)))
    labels = {tuple(gw.Leiden(seed=1, threads=threads).fit_predict("kron:9:seed=2").tolist()) for threads in (1, 2, 5)}
    assert len(labels) == 1
    assert gw.Louvain().fit_predict(A).tolist() == model.labels_.tolist()


def test_leiden_for_scanpy():
    sp = pytest.importorskip("scipy.sparse")
    pandas = pytest.importorskip("pandas")

    class Cells:
        """What the function asks of an AnnData."""

        def __init__(self, matrix):
            self.obs = pandas.DataFrame(index=range(matrix.shape[0]))
            self.uns, self.obsp = {"neighbors": {"connectivities_key": "near"}}, {"near": matrix}

    cells = Cells(sp.block_diag([np.ones((5, 5)), np.ones((3, 3)), np.ones((4, 4))]).tocsr() * 0.5)
    assert gw.scanpy.leiden(cells) is None
    assert cells.obs["leiden"].tolist() == list("000002221111") and list(cells.obs["leiden"].cat.categories) == ["0", "1", "2"]
    assert cells.uns["leiden"]["params"] == {"resolution": 1, "random_state": 0, "n_iterations": -1}
    gw.scanpy.leiden(cells, restrict_to=("leiden", ["1", "2"]), use_weights=False)
    assert cells.obs["leiden_R"].tolist()[0] == "0" and set(cells.obs["leiden_R"].cat.categories) == {"0", "1-2,0", "1-2,1"}
    for wrong in ({"directed": True}, {"restrict_to": ("leiden", ["9"])}, {"neighbors_key": "far"}):
        with pytest.raises(ValueError):
            gw.scanpy.leiden(cells, **wrong)
    with pytest.raises(TypeError, match="flavor"):
        gw.scanpy.leiden(cells, flavor="igraph")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        gw.scanpy.leiden(cells, n_iterations=2)
    assert "no limit" in str(told[0].message)


# Many small graphs


def test_small_graphs_share_compiled_programs():
    edges = list(nx.gnm_random_graph(50, 150, seed=1).edges)
    wanted = gw.components(gw.Graph.from_edges(edges, vertices=50)).label.tolist()
    for count in (50, 7, 200, 50):
        some = nx.gnm_random_graph(count, 2 * count, seed=count)
        G = gw.Graph.from_networkx(some)
        assert gw.components(G).to_dict() == {node: min(nx.node_connected_component(some, node)) for node in some}
        last = count - 1
        assert gw.bfs_levels(G, last).to_dict() == {
            node: nx.single_source_shortest_path_length(some, last).get(node, -1) for node in some
        }
        assert gw.tc(G).triangles == sum(nx.triangles(some).values()) // 3
    again = gw.components(gw.Graph.from_edges(edges, vertices=50))
    assert again.label.tolist() == wanted and again.times["compile"] < 2e-3
    with pytest.raises(KeyError):
        gw.bfs(gw.read("path:3"), 10)
    # Weights and directions have compiled programs of their own.
    for weight in (1, 0.5):
        for directed in (False, True):
            G = gw.Graph.from_edges([(0, 1, weight), (1, 2, 3 * weight)], directed=directed)
            assert gw.sssp(G, 0).dist.tolist() == [0, weight, 4 * weight]
