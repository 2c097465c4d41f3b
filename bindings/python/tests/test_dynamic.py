"""Graphs that change, and results that follow them."""

import threading

import numpy as np
import pytest

import graphwright as gw


def edges_of(graph):
    return set(zip(*(ends.tolist() for ends in graph._edge_arrays()[:2])))


@pytest.mark.parametrize("directed", [False, True])
def test_batches_do_what_a_set_of_edges_does(directed):
    rng = np.random.default_rng(3)
    graph, model = gw.DynamicGraph(directed=directed), set()
    for turn in range(40):
        sources, targets = rng.integers(0, 12 + turn, (2, 20))
        pairs = set(zip(sources.tolist(), targets.tolist()))
        if not directed:
            pairs = {(min(pair), max(pair)) for pair in pairs}
        if turn % 3 == 2:
            keep = (sources < graph.num_vertices) & (targets < graph.num_vertices)
            pairs = {pair for pair in pairs if max(pair) < graph.num_vertices}
            applied = graph.delete(sources[keep], targets[keep])
            assert applied == (0, len(model & pairs), 0)
            model -= pairs
        else:
            assert graph.insert(sources, targets) == (len(pairs - model), 0, 0)
            model |= pairs
        assert graph.num_edges == len(model) and graph.version == turn + 1
        assert edges_of(graph.snapshot()) == model


def test_snapshots_stay_as_they_were():
    graph = gw.DynamicGraph.from_graph(gw.read("path:4"))
    before = graph.snapshot()
    graph.insert([0, 4], [3, 0])
    graph.delete([1], [2])
    assert gw.bfs_levels(before, 0).level.tolist() == [0, 1, 2, 3]
    assert gw.bfs_levels(graph.snapshot(), 0).level.tolist() == [0, 1, 2, 1, 1]
    assert graph.isolate(0).deleted == 3
    assert repr(graph) == "<graphwright.DynamicGraph: 5 vertices, 1 undirected edges, version 3>"


def test_weights_and_repeated_edges():
    graph = gw.DynamicGraph(weights="int", directed=True)
    assert graph.insert([0, 1], [1, 2], [5, 5]).inserted == 2
    for on_repeat, weight in (("keep", 5), ("replace", 9), ("least", 2), ("sum", 4)):
        given = {"keep": 7, "replace": 9, "least": 2, "sum": 2}[on_repeat]
        graph.insert([0], [1], [given], on_repeat=on_repeat)
        assert gw.sssp(graph.snapshot(), 0).dist.tolist() == [0, weight, weight + 5]
    real = gw.DynamicGraph(weights="float")
    real.insert([0], [1], [0.5])
    real.insert([1], [2], [2])
    assert gw.sssp_real(real.snapshot(), 0).dist.tolist() == [0.0, 0.5, 2.5]


FOLLOWED = {
    "cc": ({}, lambda g: gw.cc(g), "label"),
    "bfs-levels": ({"source": 0}, lambda g: gw.bfs_levels(g, 0), "level"),
    "sssp": ({"source": 0}, lambda g: gw.sssp(g, 0), "dist"),
    "pagerank-delta": ({"tolerance": 1e-9}, lambda g: gw.pagerank_delta(g, tolerance=1e-9), "rank"),
    "tc": ({}, lambda g: gw.tc(g), "triangles"),
    "triangles": ({}, lambda g: gw.triangles(g), "triangles"),
    "kcore": ({}, lambda g: gw.kcore(g), "core"),
    "ktruss": ({}, lambda g: gw.ktruss(g), "truss"),
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_a_result_that_follows_is_that_of_a_run(name):
    arguments, scratch, output = FOLLOWED[name]
    rng = np.random.default_rng(5)
    weighted = name == "sssp"
    graph = gw.DynamicGraph.from_graph(gw.read("kron:8:4:seed=2" + (":weights=1..9" if weighted else "")))
    followed, results, hows = graph.follow(name, **arguments), [], []
    for turn in range(12):
        sources = rng.integers(0, 256, 3)
        targets = (sources + rng.integers(1, 255, 3)) % 256
        if turn % 4 == 3:
            graph.delete(sources, targets)
        elif turn:
            graph.insert(sources, targets, rng.integers(1, 9, 3) if weighted else None)
        found = followed.update(verify=True)
        hows.append(followed.how)
        wanted = scratch(graph.snapshot())[output]
        assert np.allclose(found[output], wanted, atol=1e-7)
        results.append((found, np.copy(found[output])))
    # Later updates leave earlier results alone.
    assert all((np.asarray(found[output]) == copy).all() for found, copy in results)
    assert hows[0] == "first" and "updated" in hows


def test_ids_grow_with_the_edges():
    graph = gw.DynamicGraph(ids=True)
    graph.insert(["ann", "cyd"], ["bob", "dan"])
    parts = graph.follow("cc")
    assert parts.update().to_dict() == {"ann": "ann", "bob": "ann", "cyd": "cyd", "dan": "cyd"}
    graph.insert(["dan", "eve"], ["ann", "eve"])
    assert parts.update().to_dict()["dan"] == "ann"
    assert graph.snapshot().ids.tolist() == ["ann", "bob", "cyd", "dan", "eve"]
    assert graph.delete(["bob"], ["ann"]).deleted == 1
    assert graph.isolate("cyd").deleted == 1
    with pytest.raises(KeyError, match="fay"):
        graph.delete(["fay"], ["ann"])
    with pytest.raises(TypeError):
        graph.insert(["gus"], [["no key"]])
    assert graph.num_vertices == 5 and len(graph._known) == 5


def test_an_update_of_ones_own():
    head = """
element Vertex end
element Edge end
element Change end
const edges : edgeset{Edge}(Vertex, Vertex) = load(argv[1]);
"""
    program = gw.Program(head + "const count : uint_64 = 0;\nfunc main()\n    count = edges.getEdges();\nend\n")
    update = gw.Program(
        head + "const inserted : edgeset{Change}(Vertex,Vertex);\nconst deleted : edgeset{Change}(Vertex,Vertex);\n"
        "const count : uint_64;\n"
        "func main()\n    count = count + inserted.getEdges() - deleted.getEdges();\nend\n"
    )
    graph = gw.DynamicGraph(5, directed=True)
    graph.insert([0, 1], [1, 2])
    edges = graph.follow(program, update=update)
    assert edges.update().count == 2
    graph.insert([2, 3], [3, 4])
    graph.delete([0], [1])
    assert (edges.update().count, edges.how) == (3, "updated")
    with pytest.raises(ValueError, match="without an update"):
        graph.follow(program)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda d: d.insert([-1], [0]), ValueError, "negative"),
        (lambda d: d.insert([0.5], [0]), TypeError, "numbers of vertices"),
        (lambda d: d.insert([0], [2**40]), ValueError, "too large"),
        (lambda d: d.insert([0, 1], [1]), ValueError, "2 sources but 1 targets"),
        (lambda d: d.insert([0], [1], [3]), ValueError, "no weights"),
        (lambda d: d.insert([0], [1], on_repeat="maybe"), ValueError, "maybe"),
        (lambda d: d.insert([[0, 1]], [[1, 0]]), ValueError, "one dimension"),
        (lambda d: d.delete([7], [0]), KeyError, "7 is not a vertex"),
        (lambda d: d.isolate("x"), KeyError, "x"),
        (lambda d: d.grow(-3), ValueError, "negative"),
        (lambda d: d.follow("pagerank"), ValueError, "without an update"),
        (lambda d: d.follow("sssp", source=0), ValueError, "weights"),
        (lambda d: d.follow("bfs"), TypeError, "needs the argument source"),
        (lambda d: d.follow("bfs", source=9), KeyError, "9 is not a vertex"),
        (lambda d: d.follow("cc", rounds=3), TypeError, "no argument 'rounds'"),
        (lambda d: d.follow("cc").update(timeout=-1), ValueError, "timeout"),
        (lambda d: gw.DynamicGraph(weights="long"), ValueError, "long"),
        (lambda d: gw.DynamicGraph(-1), ValueError, "negative"),
        (lambda d: gw.DynamicGraph(3, directed=True).follow("kcore"), ValueError, "undirected"),
        (lambda d: gw.DynamicGraph(weights="int").insert([0], [1], [0.5]), ValueError, "fractions"),
        (lambda d: gw.DynamicGraph(weights="float").insert([0], [1], [float("nan")]), ValueError, "finite"),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(call, error, message):
    graph = gw.DynamicGraph(3)
    with pytest.raises(error, match=message):
        call(graph)
    assert (graph.num_vertices, graph.num_edges, graph.version) == (3, 0, 0)


def test_threads_change_and_ask_at_the_same_time():
    graph, wrong = gw.DynamicGraph(100), []
    parts = graph.follow("cc")

    def change(first):
        for vertex in range(first, 99, 2):
            graph.insert([vertex], [vertex + 1])

    def ask():
        for _ in range(20):
            found = parts.update()
            if (found.label > np.arange(100)).any():
                wrong.append(found)

    threads = [threading.Thread(target=change, args=(first,)) for first in (0, 1)] + [threading.Thread(target=ask)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not wrong and not any(thread.is_alive() for thread in threads)
    assert parts.update().label.tolist() == [0] * 100
