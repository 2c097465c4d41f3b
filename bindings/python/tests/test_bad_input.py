"""Input that is wrong or empty: exceptions of Python of the right kind, never an abort or a mistake of ours."""

import math
import threading

import networkx as nx
import numpy as np
import pytest

import graphwright as gw

#: The arguments of functions that need more than a graph.
NEEDS = {
    "astar": {"source": 0, "target": 0, "landmark": 0},
    "bc": {"source": 0},
    "bfs": {"source": 0},
    "bfs_levels": {"source": 0},
    "k_shortest_paths": {"source": 0, "target": 0},
    "earliest_arrival": {"source": 0},
    "khop": {"source": 0, "hops": 2},
    "maxflow": {"source": 0, "sink": 0},
    "ppr": {"source": 0},
    "ppsp": {"source": 0, "target": 0},
    "similarity": {"source": 0},
    "sssp": {"source": 0},
    "sssp_delta": {"source": 0},
    "sssp_real": {"source": 0},
    "temporal_reach": {"source": 0},
}
WEIGHTED = {"astar", "bc_weighted", "cf", "earliest_arrival", "matching_weighted", "maxflow", "msf", "ppsp", "spmv", "sssp", "sssp_delta", "sssp_real", "temporal_reach"}
FORMS = {f"{name}_weighted" for name in ("eigenvector", "hits", "katz", "pagerank", "ppr")}
NAMES = sorted(({program["name"].replace("-", "_") for program in gw.programs()} | {"betweenness", "components"}) - FORMS)


def graph(vertices, name):
    weights = np.empty(0, dtype=np.int32) if name in WEIGHTED else None
    indptr = np.zeros(vertices + 1, dtype=np.int32)
    return gw.Graph.from_numpy(indptr, np.empty(0, dtype=np.int32), weights)


@pytest.mark.parametrize("name", NAMES)
def test_graphs_without_edges_and_without_vertices(name):
    function, arguments = getattr(gw, name), NEEDS.get(name, {})
    if "source" in arguments:
        with pytest.raises(KeyError):
            function(graph(0, name), **arguments)
    else:
        try:
            function(graph(0, name), timeout=60)
        except (ValueError, gw.ProgramError) as error:
            assert any(word in str(error) for word in ("vert", "edge", "entries"))
    for vertices in (1, 3):
        try:
            function(graph(vertices, name), **arguments, timeout=60)
        except (ValueError, gw.ProgramError) as error:
            assert any(word in str(error) for word in ("vert", "edge", "entries"))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: gw.Graph.from_edges([(0, -5)]), None),
        (lambda: gw.Graph.from_edges([(0, -5)], vertices=3), ValueError),
        (lambda: gw.Graph.from_edges((np.array([0.5]), np.array([1.5]))), TypeError),
        (lambda: gw.Graph.from_edges([(0, 1, math.nan)]), ValueError),
        (lambda: gw.Graph.from_edges([(0, 1, math.inf)]), ValueError),
        (lambda: gw.Graph.from_edges([(0, 1, 2**70)]), (ValueError, TypeError)),
        (lambda: gw.Graph.from_edges([(0, 1, "heavy")]), TypeError),
        (lambda: gw.Graph.from_edges([(0, 1), (2,)]), (ValueError, TypeError)),
        (lambda: gw.Graph.from_edges([(0, [1])]), (ValueError, TypeError)),
        (lambda: gw.Graph.from_edges(7), (ValueError, TypeError)),
        (lambda: gw.Graph.from_edges({"a": [0, 1], "b": [1]}), (ValueError, TypeError)),
        (lambda: gw.Graph.from_edges({"a": [0], "b": [1]}, weight="km"), KeyError),
        (lambda: gw.Graph.from_edges(np.zeros((3, 5))), (ValueError, TypeError)),
        (lambda: gw.Graph.from_numpy(np.array([0, 2, 1], dtype=np.int32), np.array([1], dtype=np.int32)), ValueError),
        (lambda: gw.Graph.from_numpy(np.array([], dtype=np.int32), np.array([], dtype=np.int32)), ValueError),
        (lambda: gw.Graph.from_numpy(np.array([0, 1], dtype=complex), np.array([0])), TypeError),
        (lambda: gw.Graph.from_numpy("ab", "cd"), (ValueError, TypeError)),
        (lambda: gw.Graph.from_networkx(nx.Graph([(0, 1, {"weight": "x"})]), weight="weight"), (TypeError, ValueError)),
        (lambda: gw.read("/nowhere/at.all"), FileNotFoundError),
        (lambda: gw.read("kron:99"), (ValueError, MemoryError)),
        (lambda: gw.read("kron:x"), ValueError),
        (lambda: gw.read(3), TypeError),
        (lambda: gw.bfs("path:3", 3), KeyError),
        (lambda: gw.bfs("path:3", True), None),
        (lambda: gw.bfs("path:3", sources=[0, 9]), KeyError),
        (lambda: gw.bfs("path:3", sources=5), TypeError),
        (lambda: gw.pagerank("path:3", tolerance="small"), (ValueError, TypeError)),
        (lambda: gw.pagerank("path:3", rounds=-1), ValueError),
        (lambda: gw.ppr("path:3", {}), ValueError),
        (lambda: gw.ppr("path:3", {0: math.nan}), ValueError),
        (lambda: gw.ppr("path:3", {0: -1.0}), ValueError),
        (lambda: gw.msbfs("path:3", pivots=0), ValueError),
        (lambda: gw.similar("path:3", entries=0), ValueError),
        (lambda: gw.pagerank("path:3", damping=1.0), ValueError),
        (lambda: gw.pagerank("path:3", weights=True), ValueError),
        (lambda: gw.betweenness("path:3", k=-1), ValueError),
        (lambda: gw.bfs("path:3", 0, device="gpu9"), gw.DeviceError),
        (lambda: gw.bfs("path:3", 0, timeout=math.nan), ValueError),
        (lambda: gw.bfs("path:3", 0, timeout="soon"), TypeError),
        (lambda: gw.bfs("path:3", 0, threads=2**40), (ValueError, OverflowError, RuntimeError)),
    ],
)
def test_wrong_input(call, error):
    if error is None:
        call()
        return
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value)


def test_threads_of_networkx_share_a_graph():
    shared = nx.gnm_random_graph(60, 150, seed=4)
    wanted = nx.pagerank(shared, backend="networkx")
    wrong = []

    def work():
        for _ in range(5):
            found = nx.pagerank(shared, backend="graphwright")
            if any(abs(found[node] - wanted[node]) > 1e-6 for node in wanted):
                wrong.append(found)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not wrong and not any(thread.is_alive() for thread in threads)


def test_names_of_other_libraries_lead_to_ours():
    for name, ours in (("connected_components", "components"), ("pagerankk", "pagerank")):
        with pytest.raises(AttributeError, match=f"did you mean '{ours}'"):
            getattr(gw, name)
    with pytest.raises(AttributeError, match="__all__"):
        gw.nothing_like_it
    with pytest.raises(ValueError, match="cuda"):
        gw.kcore(gw.read("path:3"), device="gpu")
    with pytest.raises(TypeError, match="from_edges"):
        gw.Graph()
    assert all(hasattr(gw, ours) for ours in gw._ELSEWHERE.values())
