"""Graphs in and out."""

import numpy as np
import pytest

import graphwright as gw

INDPTR = np.array([0, 2, 3, 4], dtype=np.int32)
INDICES = np.array([1, 2, 0, 0], dtype=np.int32)


def test_csr_arrays_are_used_in_place_and_locked():
    indptr, indices = INDPTR.copy(), INDICES.copy()
    G = gw.Graph.from_numpy(indptr, indices)
    assert (G.num_vertices, G.num_edges, G.is_directed) == (3, 2, False)
    own_indptr, own_indices, _ = G.to_numpy()
    assert np.shares_memory(own_indices, indices) and np.shares_memory(own_indptr, indptr)
    with pytest.raises(ValueError, match="read-only"):
        indices[0] = 2
    del indices, indptr
    assert own_indices.tolist() == [1, 2, 0, 0]


def test_a_view_of_a_writable_array_is_copied():
    base = np.concatenate((INDICES, [0])).astype(np.int32)
    G = gw.Graph.from_numpy(INDPTR.copy(), base[:4])
    base[0] = 99
    assert G.to_numpy()[1].tolist() == [1, 2, 0, 0]
    base[0] = 1
    gw.Graph.from_numpy(INDPTR.copy(), base[:4], copy=False)
    with pytest.raises(ValueError, match="read-only"):
        base[0] = 2
    with pytest.raises(ValueError, match="copy=False"):
        gw.Graph.from_numpy(INDPTR.copy(), INDICES.astype(np.int64), copy=False)


def test_copies_leave_the_arrays_of_the_user_alone():
    indices = INDICES.copy()
    gw.Graph.from_numpy(INDPTR.copy(), indices, copy=True)
    indices[0] = 7
    assert indices[0] == 7


@pytest.mark.parametrize("kind", [np.int64, np.uint64, np.int16, np.uint32])
def test_other_integers_are_converted(kind):
    G = gw.Graph.from_numpy(INDPTR.astype(kind), INDICES.astype(kind))
    assert G.to_numpy()[1].tolist() == INDICES.tolist()


def test_no_memory_is_taken_for_arrays():
    n = 8_000_000
    gw.read("path:100000")  # starts the threads
    indptr = np.arange(n + 1, dtype=np.uint32)
    indices = np.roll(np.arange(n, dtype=np.uint32), -1)
    psutil = pytest.importorskip("psutil")
    before = psutil.Process().memory_info().rss
    G = gw.Graph.from_numpy(indptr, indices, directed=True)
    assert psutil.Process().memory_info().rss - before < (indptr.nbytes + indices.nbytes) / 4
    assert G.num_edges == n


def test_unsorted_lists_are_sorted_in_a_copy():
    G = gw.Graph.from_numpy(np.array([0, 2, 2, 2], dtype=np.int32), np.array([2, 1], dtype=np.int32))
    assert G.to_numpy()[1].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("arrays", "error", "message"),
    [
        (([0, 1.5], [0]), TypeError, "integers"),
        (([0, 1], [-1]), ValueError, "negative"),
        (([0, 1], [5]), ValueError, "vertex 5"),
        (([0, 3], [0]), ValueError, "offsets end at 3"),
        (([[0, 1]], [0]), ValueError, "one dimension"),
        (([0, 1], [0], [float("nan")]), ValueError, "finite"),
        (([0, 1], [0], [1, 2]), ValueError, "2 weights"),
        (([0, 1], [0], ["a"]), TypeError, "numbers"),
    ],
)
def test_bad_arrays_are_refused(arrays, error, message):
    with pytest.raises(error, match=message):
        gw.Graph.from_numpy(*map(np.array, arrays))


def test_scipy_there_and_back():
    sp = pytest.importorskip("scipy.sparse")
    matrix = sp.random_array((50, 50), density=0.1, rng=np.random.default_rng(1), format="csr")
    matrix.data[:] = np.round(matrix.data * 100) + 1
    back = gw.Graph.from_scipy(matrix).to_scipy()
    assert (abs(matrix - back)).max() == 0
    matrix.data[0] = 3  # still the user's own
    own = sp.csr_array((np.ones(4), INDICES.copy(), INDPTR.copy()), shape=(3, 3))
    assert np.shares_memory(gw.Graph.from_scipy(own, copy=False).to_numpy()[1], own.indices)
    with pytest.raises(ValueError, match="square"):
        gw.Graph.from_scipy(sp.csr_array((2, 3)))


EDGES = [("ann", "bob", 2.5), ("bob", "cyd", 1.0), ("cyd", "ann", 4.0)]


def tables():
    columns = {name: [edge[at] for edge in EDGES] for at, name in enumerate(("a", "b", "w"))}
    yield "rows", EDGES
    yield "dict", columns
    for module, make in (
        ("pandas", lambda m: m.DataFrame(columns)),
        ("polars", lambda m: m.DataFrame(columns)),
        ("pyarrow", lambda m: m.table(columns)),
    ):
        try:
            yield module, make(__import__(module))
        except ImportError:
            continue


@pytest.mark.parametrize(("kind", "table"), [pytest.param(*case, id=case[0]) for case in tables()])
def test_tables_of_edges(kind, table):
    names = {} if kind == "rows" else {"source": "a", "target": "b", "weight": "w"}
    G = gw.Graph.from_edges(table, **names)
    assert G.ids.tolist() == ["ann", "bob", "cyd"]
    assert G.is_weighted and not G.is_directed and G.num_edges == 3
    assert gw.sssp(G, "ann").to_dict() == {"ann": 0.0, "bob": 2.5, "cyd": 3.5}


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int32, np.int64, np.uint64])
def test_integer_ids_of_any_width(kind):
    G = gw.Graph.from_edges((np.array([5, 7], dtype=kind), np.array([7, 90], dtype=kind)))
    assert G.ids.tolist() == [5, 7, 90]
    assert gw.bfs_levels(G, 90).to_dict() == {5: 2, 7: 1, 90: 0}


def test_ids_far_apart_and_beyond_64_bits():
    G = gw.Graph.from_edges([(-(2**62), 2**62), (2**62, 3)])
    assert G.ids.tolist() == [-(2**62), 3, 2**62]
    huge = gw.Graph.from_edges(np.array([[2**64 - 1, 1], [1, 2]], dtype=np.uint64))
    assert gw.bfs_levels(huge, 2**64 - 1).to_dict() == {2**64 - 1: 0, 1: 1, 2: 2}


def test_vertices_by_number_may_be_isolated():
    G = gw.Graph.from_edges(np.array([[0, 1]]), vertices=4)
    assert G.num_vertices == 4
    with pytest.raises(ValueError, match="is not a vertex"):
        gw.Graph.from_edges(np.array([[0, 4]]), vertices=4)
    with pytest.raises(ValueError, match="-1"):
        gw.Graph.from_edges(np.array([[0, -1]]), vertices=4)


def test_bad_edges_are_refused():
    with pytest.raises(TypeError, match="floating-point"):
        gw.Graph.from_edges(np.array([[0.5, 1.0]]))
    with pytest.raises(KeyError, match="no column 'x'"):
        gw.Graph.from_edges({"a": [1], "b": [2]}, source="x")
    with pytest.raises(ValueError, match="1 sources but 2"):
        gw.Graph.from_edges(np.array([1]), np.array([1, 2]))
    with pytest.raises(ValueError, match="pairs"):
        gw.Graph.from_edges([(1, 2, 3, 4)])
    with pytest.raises(TypeError):
        gw.Graph()


def test_an_empty_graph_is_a_graph():
    G = gw.Graph.from_edges([])
    assert (G.num_vertices, G.num_edges) == (0, 0)
    assert gw.cc_fast(G).label.tolist() == []
    with pytest.raises(KeyError):
        gw.bfs(G, 0)


def test_networkx_there_and_back():
    nx = pytest.importorskip("networkx")
    for graph in (nx.karate_club_graph(), nx.gnp_random_graph(30, 0.1, seed=3, directed=True)):
        back = gw.Graph.from_networkx(graph).to_networkx()
        assert set(back) == set(graph) and set(back.edges) == set(graph.edges)
        assert back.is_directed() == graph.is_directed()
    named = nx.Graph([("a", "b"), ("b", (1, 2))])
    assert gw.Graph.from_networkx(named).ids.tolist() == ["a", "b", (1, 2)]


def test_arrow_tables_come_back_with_the_ids_of_the_user():
    pyarrow = pytest.importorskip("pyarrow")
    table = gw.Graph.from_edges(EDGES, directed=True).to_arrow()
    assert isinstance(table, pyarrow.Table)
    assert sorted(zip(*(table[name].to_pylist() for name in ("source", "target", "weight")))) == sorted(EDGES)


def test_files_and_specs(tmp_path):
    G = gw.read("grid:4x5:weights=1..9")
    G.write(tmp_path / "grid.gwg")
    H = gw.read(tmp_path / "grid.gwg")
    assert all((a == b).all() for a, b in zip(G.to_numpy(), H.to_numpy()))
    (tmp_path / "named.csv").write_text("source,target\nx,y\ny,z\n")
    assert gw.read(tmp_path / "named.csv").ids.tolist() == ["x", "y", "z"]
    with pytest.raises(ValueError, match="nonsense"):
        gw.read("nonsense:7")
    with pytest.raises((FileNotFoundError, ValueError)):
        gw.read(str(tmp_path / "missing.mtx"))


def test_graphs_are_shown_to_people():
    G = gw.read("star:5")
    assert "5 vertices" in repr(G) and "<svg" in G._repr_html_()
    assert 3 in G and 9 not in G and "x" not in G and len(G) == 5
