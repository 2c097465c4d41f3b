"""One function per standard program.

All take a graph (:class:`graphwright.Graph`, a graph of NetworkX, a sparse matrix of SciPy, a file name) and the options of
every run: ``device="auto" | "cpu" | "cuda"``, ``schedule=``, ``verify=``, ``timeout=`` (seconds), ``threads=``, ``trace=``,
``progress=``. All give a :class:`graphwright.Result`, with ``sources=`` a matrix.
"""

from __future__ import annotations

import numpy as np

from . import _native
from ._graph import Graph, as_graph
from ._kept import KeptOutcome
from ._options import settle
from ._program import run, standard
from ._progress import progress
from ._result import Result, as_lengths

#: Mean degree up to which a graph is taken for a road network when a width of buckets is chosen.
_ROAD_DEGREE = 4.0

#: The greatest degree of a graph that is taken for a road network.
_MOST_ROADS = 32


def programs() -> list[dict]:
    """What is known about each standard program: name, summary, arguments, results.

    >>> import graphwright as gw
    >>> "pagerank" in [p["name"] for p in gw.programs()]
    True
    """
    return _native.standard_programs()


def bfs(G, source=None, *, sources=None, **options):
    """Breadth-first search. From one ``source``: a Result with ``parent``, the vertex before on a path with fewest hops (the
    source is its own parent, -1 out of reach). From many ``sources``: the matrix of hops, a row per source, -1 out of reach.

    >>> import graphwright as gw
    >>> gw.bfs(gw.read("path:4"), 1).parent.tolist()
    [1, 1, 1, 2]
    >>> gw.bfs(gw.read("path:4"), sources=[0, 3]).tolist()
    [[0, 1, 2, 3], [3, 2, 1, 0]]
    """
    G = as_graph(G)
    if sources is not None:
        _one_of(source, sources)
        return sweep(G, "bfs-levels", "level", sources, options)
    return run(standard("bfs"), G, {"source": _source(G, source)}, options)


def bfs_levels(G, source=None, *, sources=None, **options):
    """Hops from ``source``: a Result with ``level`` (-1 out of reach) and ``depth``, the greatest level. With ``sources``: as
    :func:`bfs`.

    >>> import graphwright as gw
    >>> gw.bfs_levels(gw.read("path:4"), 1).level.tolist()
    [1, 0, 1, 2]
    """
    G = as_graph(G)
    if sources is not None:
        return bfs(G, source, sources=sources, **options)
    return run(standard("bfs-levels"), G, {"source": _source(G, source)}, options)


def sssp(G, source=None, *, sources=None, delta=None, **options):
    """Lengths of shortest paths from ``source`` over weighted edges: a Result with ``dist``, ``float64`` and ``inf`` out of reach for all
    kinds of weights (:meth:`Result.exact` has whole numbers as such). The program follows from the weights: delta-stepping from 0 on,
    Bellman-Ford where some are negative. ``delta`` is the width of a bucket for delta-stepping. With ``sources``: a matrix.

    NetworkX: ``single_source_dijkstra_path_length``, whose dictionary leaves out what is out of reach.

    >>> import graphwright as gw
    >>> G = gw.Graph.from_edges([(0, 1, 4), (1, 2, 3), (0, 2, 9)])
    >>> gw.sssp(G, 0).dist.tolist()
    [0.0, 4.0, 7.0]
    """
    G = _weighted(as_graph(G))
    program, arguments = _sssp_program(G, delta)
    if sources is not None:
        _one_of(source, sources)
        try:
            return as_lengths(sweep(G, program, "dist", sources, options, arguments))
        except _native.ProgramError as error:
            if is_overflow(error):
                raise OverflowError(_TOO_LONG) from None
            raise
    result = run(standard(program), G, {"source": _source(G, source), **arguments}, options)
    _no_negative_cycle(result)
    return result._with_lengths("dist")


def sssp_delta(G, source=None, *, delta=None, **options) -> Result:
    """Shortest paths by delta-stepping: a Result with ``dist``; weights from 0 on.

    >>> import graphwright as gw
    >>> gw.sssp_delta(gw.Graph.from_edges([(0, 1, 4), (1, 2, 3)]), 0, delta=2).dist.tolist()
    [0.0, 4.0, 7.0]
    """
    G = _weighted(as_graph(G))
    arguments = {"source": _source(G, source), "delta": delta or good_delta(G)}
    result = run(standard("sssp-delta"), G, arguments, options)
    _no_negative_cycle(result)
    return result._with_lengths("dist")


def sssp_real(G, source=None, **options) -> Result:
    """Shortest paths with real weights, also negative ones: a Result with ``dist`` and ``negative_cycle``.

    >>> import graphwright as gw
    >>> gw.sssp_real(gw.Graph.from_edges([(0, 1, 0.5), (1, 2, 0.25)]), 0).dist.tolist()
    [0.0, 0.5, 0.75]
    """
    G = _weighted(as_graph(G))
    return run(standard("sssp-real"), G, {"source": _source(G, source)}, options)._with_lengths("dist")


def ppsp(G, source, target, *, delta=None, **options) -> Result:
    """The length of a shortest path between two vertices: ``distance``, a float, ``inf`` when there is none.

    NetworkX: ``dijkstra_path_length``, which raises ``NetworkXNoPath`` when there is none.

    >>> import graphwright as gw
    >>> gw.ppsp(gw.Graph.from_edges([("a", "b", 4), ("b", "c", 3)]), "a", "c").distance
    7.0
    """
    G = _weighted(as_graph(G))
    ends = {"source": G.vertex(source), "target": G.vertex(target), "delta": delta or good_delta(G)}
    return _unless_too_long(run(standard("ppsp"), G, ends, options))._with_lengths("distance")


def astar(G, source, target, landmark=None, *, delta=None, **options) -> Result:
    """As :func:`ppsp` by A* search, guided by the distances from a ``landmark``; one behind the source is found when left out.

    >>> import graphwright as gw
    >>> roads = gw.Graph.from_edges([("a", "b", 4), ("b", "c", 3), ("a", "c", 9)])
    >>> gw.astar(roads, "a", "c", landmark="b").distance
    7.0
    """
    G = _weighted(as_graph(G))
    ends = {"source": G.vertex(source), "target": G.vertex(target)}
    if landmark is not None:
        ends["landmark"] = G.vertex(landmark)
    found = _unless_too_long(run(standard("astar"), G, {**ends, "delta": delta or good_delta(G)}, options))
    return found._with_lengths("distance")


def bc(G, source, **options) -> Result:
    """The share of one source in betweenness: ``dependency``, with ``r["paths"]`` and ``level``. :func:`betweenness` adds shares up.

    NetworkX adds these shares up in ``betweenness_centrality``.

    >>> import graphwright as gw
    >>> gw.bc(gw.read("path:4"), 0).dependency.tolist()
    [0.0, 2.0, 1.0, 0.0]
    """
    G = as_graph(G)
    return run(standard("bc"), G, {"source": G.vertex(source)}, options)


def betweenness(G, k=None, *, normalized=True, sources=None, seed=None, weights=False, **options) -> np.ndarray:
    """Betweenness centrality of every vertex as an array: exact, from ``k`` random sources, or from given ``sources``.

    Sampled values are scaled up to estimate those of all sources. ``normalized`` divides by the number of pairs, as NetworkX does.
    Without ``weights`` paths are counted by their edges, with them by their length, exactly from all sources: weights are above 0.
    The values and the defaults are those of ``networkx.betweenness_centrality``.

    >>> import graphwright as gw
    >>> gw.betweenness(gw.read("path:3")).tolist()
    [0.0, 1.0, 0.0]
    """
    G = as_graph(G)
    n = G.num_vertices
    if weights:
        if sources is not None or k is not None and k < n:
            raise ValueError("betweenness by weights is that of all sources: leave k and sources out")
        total = bc_weighted(G, **options).centrality
        return total * (1 / max((n - 1) * (n - 2), 1) if normalized else 1 if G.is_directed else 0.5)
    if sources is not None:
        numbers = np.array([G.vertex(source) for source in sources], dtype=np.uint32)
    elif k is None or k >= n:
        numbers = np.arange(n, dtype=np.uint32)
    else:
        numbers = np.random.default_rng(seed).choice(n, size=k, replace=False).astype(np.uint32)
    total = sweep(G, "bc", "dependency", numbers, options, form="sum", numbered=True)
    scale = n / len(numbers) if len(numbers) else 1.0
    if normalized:
        scale /= max((n - 1) * (n - 2), 1)
    elif not G.is_directed:
        scale /= 2
    return total * scale


def cc(G, **options) -> Result:
    """Connected components by label propagation: ``label``, the least vertex of the component. See :func:`components`.

    NetworkX: ``connected_components``, as sets.

    >>> import graphwright as gw
    >>> gw.cc(gw.Graph.from_edges([(0, 1), (2, 3)])).label.tolist()
    [0, 0, 2, 2]
    """
    return run(standard("cc"), as_graph(G), {}, options)


def cc_fast(G, **options) -> Result:
    """Connected components (weakly, for directed graphs): ``label``, the least vertex of the component.

    >>> import graphwright as gw
    >>> gw.cc_fast(gw.Graph.from_edges([(0, 1), (2, 3)])).label.tolist()
    [0, 0, 2, 2]
    """
    return run(standard("cc-fast"), as_graph(G), {}, options)


components = cc_fast


def cf(G, rounds=10, **options) -> Result:
    """Collaborative filtering: ``latent``, a row of 8 numbers per vertex, and the errors ``rmse_before`` and ``rmse``. Weights
    are ratings from 1 on.

    >>> import graphwright as gw
    >>> r = gw.cf(gw.Graph.from_edges([(0, 2, 5), (0, 3, 1), (1, 2, 4)]), rounds=5)
    >>> r.latent.shape, r.rmse < r.rmse_before
    ((4, 8), True)
    """
    return run(standard("cf"), _weighted(as_graph(G)), {"rounds": rounds}, options)


def closeness(G, pivots=None, *, weights=False, **options) -> Result:
    """Closeness centrality: ``closeness``, exact or estimated from so many ``pivots``. The values are those of
    ``networkx.closeness_centrality``; with ``weights`` those for ``distance="weight"``, exact from all vertices.

    >>> import graphwright as gw
    >>> gw.closeness(gw.read("star:4")).closeness.tolist()[0]
    1.0
    """
    G = as_graph(G)
    if weights:
        figures = _reach_by_weights(G, pivots, options)
        others, total, n = figures[:, 0] - 1, figures[:, 1], G.num_vertices
        with np.errstate(divide="ignore", invalid="ignore"):
            values = others / total * others / (n - 1)
        values[(total <= 0) | (n <= 1)] = 0.0
        return _made(G, "closeness", values)
    return run(standard("closeness"), G, {"pivots": G.num_vertices if pivots is None else pivots}, options)


def coloring(G, **options) -> Result:
    """Vertex coloring, largest degree first: ``color``, numbers from 0 on that differ between neighbours.

    NetworkX: ``greedy_color(strategy="largest_first")``.

    >>> import graphwright as gw
    >>> gw.coloring(gw.read("cycle:4")).color.tolist()
    [1, 0, 1, 0]
    """
    return run(standard("coloring"), as_graph(G), {}, options)


def eigenvector(G, rounds=100, tolerance=1e-6, *, weights=False, **options) -> Result:
    """Eigenvector centrality: ``centrality`` (length 1), ``lambda`` (as ``r["lambda"]``) and ``change`` of the last round.
    With ``weights``, edges count by theirs; without them they do not, which is the default of
    ``networkx.eigenvector_centrality``, too.

    >>> import graphwright as gw
    >>> [round(x, 3) for x in gw.eigenvector(gw.read("path:3")).centrality.tolist()]
    [0.5, 0.707, 0.5]
    """
    G = as_graph(G)
    arguments = {"rounds": rounds, "tolerance": tolerance, "weights": _weighing(G, weights)}
    return run(standard("eigenvector"), G, arguments, options)


def kcore(G, **options) -> Result:
    """Core numbers: ``core``.

    NetworkX: ``core_number``.

    >>> import graphwright as gw
    >>> gw.kcore(gw.Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3)])).core.tolist()
    [2, 2, 2, 1]
    """
    return run(standard("kcore"), as_graph(G), {}, options)


def kcore_unordered(G, **options) -> Result:
    """Core numbers by rounds, without a priority queue: ``core``.

    NetworkX: ``core_number``.

    >>> import graphwright as gw
    >>> gw.kcore_unordered(gw.Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3)])).core.tolist()
    [2, 2, 2, 1]
    """
    return run(standard("kcore-unordered"), as_graph(G), {}, options)


def mis(G, **options) -> Result:
    """A maximal independent set: ``state``, 1 for members and 2 for the others.

    NetworkX: ``maximal_independent_set``, another one of such sets.

    >>> import graphwright as gw
    >>> gw.mis(gw.read("star:4")).state.tolist()
    [2, 1, 1, 1]
    """
    return run(standard("mis"), as_graph(G), {}, options)


def pagerank(G, rounds=100, tolerance=1e-6, *, damping=0.85, weights=None, **options) -> Result:
    """PageRank: ``rank`` (sum 1), ``rounds`` done and the ``change`` of the last one. ``damping`` is the probability of a step
    along an edge. Edges are drawn by their weights where the graph has some, as in ``networkx.pagerank``; ``weights=False`` draws all
    alike. The run ends when ranks change by less than ``tolerance`` in all (NetworkX: n times its ``tol``).

    >>> import graphwright as gw
    >>> [round(rank, 3) for rank in gw.pagerank(gw.read("path:3")).rank.tolist()]
    [0.257, 0.486, 0.257]
    """
    G = as_graph(G)
    arguments = {"rounds": rounds, "tolerance": tolerance, "damping": damping, "weights": _weighing(G, weights)}
    return run(standard("pagerank"), G, arguments, options)


def pagerank_delta(G, tolerance=1e-6, *, damping=0.85, **options) -> Result:
    """PageRank that passes on changes only: ``rank`` and ``rounds``.

    NetworkX: ``pagerank(weight=None)``, up to the tolerance.

    >>> import graphwright as gw
    >>> [round(rank, 3) for rank in gw.pagerank_delta(gw.read("path:3")).rank.tolist()]
    [0.257, 0.486, 0.257]
    """
    return run(standard("pagerank-delta"), as_graph(G), {"tolerance": tolerance, "damping": damping}, options)


def pagerank_div(G, rounds=100, tolerance=1e-6, *, damping=0.85, **options) -> Result:
    """PageRank in the form of textbooks, which divides at every edge: ``rank``, ``rounds``, ``change``.

    NetworkX: ``pagerank(weight=None)``, up to the tolerance.

    >>> import graphwright as gw
    >>> [round(rank, 3) for rank in gw.pagerank_div(gw.read("path:3")).rank.tolist()]
    [0.257, 0.486, 0.257]
    """
    arguments = {"rounds": rounds, "tolerance": tolerance, "damping": damping}
    return run(standard("pagerank-div"), as_graph(G), arguments, options)


def pagerank_gs(G, tolerance=1e-6, *, damping=0.85, **options) -> Result:
    """PageRank with ranks updated in place: ``rank``, ``rounds``, ``change``.

    NetworkX: ``pagerank(weight=None)``, up to the tolerance.

    >>> import graphwright as gw
    >>> [round(rank, 3) for rank in gw.pagerank_gs(gw.read("path:3")).rank.tolist()]
    [0.257, 0.486, 0.257]
    """
    return run(standard("pagerank-gs"), as_graph(G), {"tolerance": tolerance, "damping": damping}, options)


def setcover(G, **options) -> Result:
    """Set cover, approximate: ``chosen`` sets (a vertex stands for the set of its out-neighbours) and ``covered`` vertices.

    >>> import graphwright as gw
    >>> gw.setcover(gw.read("star:4")).chosen.tolist()
    [True, False, True, False]
    """
    return run(standard("setcover"), as_graph(G), {}, options)


def spmv(G, **options) -> Result:
    """Sparse matrix times vector, a benchmark: ``y`` and the factor ``x``.

    >>> import graphwright as gw
    >>> gw.spmv(gw.Graph.from_edges([(0, 1, 2), (1, 2, 3)])).y.shape
    (3,)
    """
    return run(standard("spmv"), _weighted(as_graph(G)), {}, options)


def tc(G, **options) -> Result:
    """Triangle counting: ``triangles``, the number of triangles of the graph.

    NetworkX: ``sum(triangles(G).values()) // 3``.

    >>> import graphwright as gw
    >>> gw.tc(gw.read("complete:5")).triangles
    10
    """
    return run(standard("tc"), as_graph(G), {}, options)


def bc_all(G, sources=None, **options) -> Result:
    """Betweenness of all vertices in one run: ``centrality``, not normalised, pairs counted in both directions; from so many
    ``sources``, all when left out. :func:`betweenness` has NetworkX's scales.

    NetworkX: ``betweenness_centrality(normalized=False)``, for undirected graphs half of these values.

    >>> import graphwright as gw
    >>> gw.bc_all(gw.read("path:3")).centrality.tolist()
    [0.0, 2.0, 0.0]
    """
    G = as_graph(G)
    return run(standard("bc-all"), G, {"sources": G.num_vertices if sources is None else sources}, options)


def bc_edges(G, sources=None, **options) -> Result:
    """Betweenness of all edges in the order of the CSR arrays: ``centrality``, not normalised; from so many ``sources``, all when
    left out.

    NetworkX: ``edge_betweenness_centrality(normalized=False)``, for undirected graphs half the sum of both directions.

    >>> import graphwright as gw
    >>> gw.bc_edges(gw.Graph.from_edges([("a", "b"), ("b", "c")])).to_dict()
    {('a', 'b'): 2.0, ('b', 'a'): 2.0, ('b', 'c'): 2.0, ('c', 'b'): 2.0}
    """
    G = as_graph(G)
    return run(standard("bc-edges"), G, {"sources": G.num_vertices if sources is None else sources}, options)


def bc_weighted(G, sources=None, **options) -> Result:
    """Betweenness by the lengths of paths: ``centrality`` of vertices, pairs counted in both directions, and ``edge_centrality`` of
    edges in the order of the CSR arrays; from so many ``sources``, all when left out. Weights are greater than 0; paths with
    weights that have fractions are equally long when the sums of their weights, added up from the source, are the same double.

    NetworkX: as for :func:`bc_all` and :func:`bc_edges`, with ``weight="weight"``.

    >>> import graphwright as gw
    >>> r = gw.bc_weighted(gw.Graph.from_edges([(0, 1, 1.5), (1, 2, 2.0), (0, 2, 9.0)]))
    >>> r.centrality.tolist()
    [0.0, 2.0, 0.0]
    """
    G = _weighted(as_graph(G))
    arguments = {"sources": G.num_vertices if sources is None else sources}
    return _unless_too_long(run(standard("bc-weighted"), G, arguments, options))


def maxflow(G, source, sink, **options) -> Result:
    """A maximum flow with weights as capacities: its ``value``, the ``flow`` along every edge in the order of the CSR arrays, and
    ``source_side``, the source's side of a minimum cut.

    NetworkX: ``maximum_flow_value(capacity="weight")``.

    >>> import graphwright as gw
    >>> gw.maxflow(gw.Graph.from_edges([("a", "b", 4), ("b", "c", 3)]), "a", "c").value
    3
    """
    G = _weighted(as_graph(G))
    ends = {"source": G.vertex(source), "sink": G.vertex(sink)}
    return _unless_too_long(run(standard("maxflow"), G, ends, options))


def k_shortest_paths(G, source, target, count=3, **options) -> Result:
    """The ``count`` shortest paths that visit no vertex twice, or as many as there are: ``found``, their ``length``, and the
    vertices of all paths in ``path``, of which path i begins at ``begin[i]``. :meth:`Result.paths` gives them one by one. Without
    weights, edges are counted.

    NetworkX: the first paths of ``shortest_simple_paths``.

    >>> import graphwright as gw
    >>> roads = gw.Graph.from_edges([("a", "b", 3), ("b", "c", 4), ("a", "c", 9)])
    >>> gw.k_shortest_paths(roads, "a", "c").paths()
    [(7, ['a', 'b', 'c']), (9, ['a', 'c'])]
    """
    G = as_graph(G)
    arguments = {"source": G.vertex(source), "target": G.vertex(target), "count": count}
    return run(standard("k-shortest-paths"), G, arguments, options)


def bipartite(G, **options) -> Result:
    """Whether the graph is bipartite: ``bipartite``, the sides ``side`` (0 or 1), and ``conflicts``, edges within a side.

    NetworkX: ``is_bipartite``.

    >>> import graphwright as gw
    >>> gw.bipartite(gw.read("cycle:4")).bipartite, gw.bipartite(gw.read("cycle:5")).bipartite
    (True, False)
    """
    return run(standard("bipartite"), as_graph(G), {}, options)


def biconnected(G, **options) -> Result:
    """Biconnected components: ``block``, the component of every edge in the order of the CSR arrays (named by its least
    edge), ``cut``, whether a vertex is a cut vertex, and ``blocks``, their number.

    NetworkX: ``biconnected_components`` and ``articulation_points``.

    >>> import graphwright as gw
    >>> r = gw.biconnected(gw.Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)]))
    >>> r.blocks, r.cut.tolist()
    (2, [False, False, True, False, False])
    """
    return run(standard("biconnected"), as_graph(G), {}, options)


def bridges(G, **options) -> Result:
    """Bridges: ``bridge_to`` (the other end of the bridge kept at a vertex, -1 if none), ``bridges`` and ``part``, the
    2-edge-connected component.

    NetworkX: ``bridges``.

    >>> import graphwright as gw
    >>> r = gw.bridges(gw.Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3)]))
    >>> r.bridges, r.bridge_to.tolist()
    (1, [-1, -1, -1, 2])
    """
    return run(standard("bridges"), as_graph(G), {}, options)


def cdlp(G, rounds=10, **options) -> Result:
    """Communities by label propagation as LDBC Graphalytics defines it: ``label``, and ``changed`` by the last round.

    >>> import graphwright as gw
    >>> gw.cdlp(gw.Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4)])).label.tolist()
    [0, 0, 0, 3, 4]
    """
    return run(standard("cdlp"), as_graph(G), {"rounds": rounds}, options)


def eccentricity(G, searches=2**31 - 1, **options) -> Result:
    """``eccentricity`` within components, ``diameter`` and ``radius``, exact unless ``searches`` are too few: then ``upper``
    has upper bounds, and ``open`` is the number of vertices whose bounds differ.

    NetworkX: ``eccentricity``, which refuses graphs of several components.

    >>> import graphwright as gw
    >>> r = gw.eccentricity(gw.read("path:4"))
    >>> r.eccentricity.tolist(), r.diameter, r.radius
    ([3, 2, 2, 3], 3, 2)
    """
    return run(standard("eccentricity"), as_graph(G), {"searches": searches}, options)


def fastrp(G, rounds=3, seed=1, **options) -> Result:
    """Embeddings by fast random projection: ``embedding``, 64 numbers per vertex, alike where neighbourhoods are.

    >>> import graphwright as gw
    >>> gw.fastrp(gw.read("path:4")).embedding.shape
    (4, 64)
    """
    return run(standard("fastrp"), as_graph(G), {"rounds": rounds, "seed": seed}, options)


def harmonic(G, pivots=None, *, weights=False, **options) -> Result:
    """Harmonic centrality: ``harmonic``, exact or estimated from so many ``pivots``. The values are those of
    ``networkx.harmonic_centrality``; with ``weights`` those for ``distance="weight"``, exact from all vertices.

    >>> import graphwright as gw
    >>> gw.harmonic(gw.read("path:3")).harmonic.tolist()
    [1.5, 2.0, 1.5]
    """
    G = as_graph(G)
    if weights:
        return _made(G, "harmonic", _reach_by_weights(G, pivots, options)[:, 2].copy())
    return run(standard("harmonic"), G, {"pivots": G.num_vertices if pivots is None else pivots}, options)


def hits(G, rounds=100, tolerance=1e-6, *, weights=None, **options) -> Result:
    """Hubs and authorities: ``hub`` and ``authority`` (sum 1), ``rounds`` and ``change``. Edges count by their weights where the
    graph has some, as in ``networkx.hits``; with ``weights=False`` all alike.

    >>> import graphwright as gw
    >>> r = gw.hits(gw.Graph.from_edges([("a", "c"), ("b", "c")], directed=True))
    >>> r.hub.tolist(), r.authority.tolist()
    ([0.5, 0.0, 0.5], [0.0, 1.0, 0.0])
    """
    G = as_graph(G)
    arguments = {"rounds": rounds, "tolerance": tolerance, "weights": _weighing(G, weights)}
    return run(standard("hits"), G, arguments, options)


def katz(G, alpha=0.0, rounds=100, tolerance=1e-6, *, weights=False, **options) -> Result:
    """Katz centrality: ``centrality`` (length 1). An ``alpha`` of 0 stands for 0.85 / (greatest in-degree); that of
    ``networkx.katz_centrality`` is 0.1. With ``weights``, edges count by theirs; without them, the default of NetworkX, they do not.

    >>> import graphwright as gw
    >>> [round(x, 3) for x in gw.katz(gw.read("path:3"), alpha=0.1).centrality.tolist()]
    [0.56, 0.611, 0.56]
    """
    G = as_graph(G)
    arguments = {"alpha": alpha, "rounds": rounds, "tolerance": tolerance, "weights": _weighing(G, weights)}
    return run(standard("katz"), G, arguments, options)


def khop(G, source, hops, **options) -> Result:
    """The vertices within some ``hops``: ``level`` (-1 outside) and ``reached``.

    >>> import graphwright as gw
    >>> gw.khop(gw.read("path:4"), 0, 2).level.tolist()
    [0, 1, 2, -1]
    """
    G = as_graph(G)
    return run(standard("khop"), G, {"source": G.vertex(source), "hops": hops}, options)


def _window(since, until, duration):
    """The arguments of a window of time; points in time with a calendar are given as texts."""
    def text(time):
        return "any" if time is None else time.isoformat() if hasattr(time, "isoformat") else time

    return {"since": text(since), "until": text(until), "duration": duration}


def earliest_arrival(G, source, *, since=None, until=None, duration=0, **options) -> Result:
    """The earliest ``arrival`` at every vertex of what leaves ``source`` along edges whose weights are the times at which
    they are there, and how many are ``reached``. Only edges from ``since`` to ``until`` are taken, numbers or points in
    time; each takes ``duration``. Parallel edges are trips at several times: keep them (``parallel="keep"``).

    >>> import graphwright as gw
    >>> G = gw.Graph.from_edges([("a", "b", 8), ("b", "c", 7), ("b", "d", 9)])
    >>> gw.earliest_arrival(G, "a").to_dict("arrival")["d"]
    9
    """
    G = _weighted(as_graph(G))
    arguments = {"source": G.vertex(source), **_window(since, until, duration)}
    return run(standard("earliest-arrival"), G, arguments, options)


def temporal_reach(G, source, *, since=None, until=None, duration=0, **options) -> Result:
    """The vertices that edges taken in the order of their times lead to: the fewest steps, ``r["steps"]``, -1 out of reach, and how
    many are ``reached``. Arguments are those of :func:`earliest_arrival`.

    >>> import graphwright as gw
    >>> G = gw.Graph.from_edges([("a", "b", 8), ("b", "c", 7), ("b", "d", 9)])
    >>> gw.temporal_reach(G, "a").reached
    3
    """
    G = _weighted(as_graph(G))
    arguments = {"source": G.vertex(source), **_window(since, until, duration)}
    return run(standard("temporal-reach"), G, arguments, options)


def ktruss(G, k=0, **options) -> Result:
    """k-trusses: ``truss``, a number per edge in the order of the CSR arrays, and ``kmax``. With ``k`` only the edges of
    this truss have it, all others 2, which takes a fraction of the time.

    NetworkX: ``k_truss(G, k)`` keeps the edges whose number is at least k.

    >>> import graphwright as gw
    >>> G = gw.Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3)])
    >>> gw.ktruss(G, 3)["truss"].tolist()
    [3, 3, 3, 3, 3, 3, 2, 2]
    >>> gw.ktruss(G).to_dict()
    {(0, 1): 3, (0, 2): 3, (1, 2): 3, (2, 3): 2}
    """
    return run(standard("ktruss"), as_graph(G), {"k": k}, options)


def leiden(G, seed=1, *, resolution=1.0, start=None, **options) -> Result:
    """Communities by Leiden's method, each of them connected: ``label``, ``communities`` and ``modularity``. The greater the
    ``resolution``, the smaller the communities. ``start`` has the communities to begin with, a label per vertex or a
    dictionary; vertices that a dictionary lacks begin alone, as all do without ``start``.

    NetworkX: ``leiden_communities``, and ``modularity`` for the number.

    >>> import graphwright as gw
    >>> G = gw.read("path:4")
    >>> gw.leiden(G, start=["a", "a", "b", "b"]).label.tolist()
    [0, 0, 2, 2]
    >>> r = gw.leiden(gw.Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)]))
    >>> r.label.tolist(), r.communities, round(r.modularity, 3)
    ([0, 0, 0, 3, 3, 3], 2, 0.357)
    """
    G = as_graph(G)
    return run(standard("leiden"), G, {"seed": seed, "resolution": resolution, "start": _numbers(G, start)}, options)


def louvain(G, seed=1, *, resolution=1.0, start=None, **options) -> Result:
    """Communities by Louvain's method: ``label``, ``communities`` and ``modularity``. The greater the ``resolution``, the
    smaller the communities. ``start`` as for :func:`leiden`.

    NetworkX: ``louvain_communities``, and ``modularity`` for the number.

    >>> import graphwright as gw
    >>> r = gw.louvain(gw.Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)]))
    >>> r.label.tolist(), r.communities, round(r.modularity, 3)
    ([0, 0, 0, 3, 3, 3], 2, 0.357)
    """
    G = as_graph(G)
    return run(standard("louvain"), G, {"seed": seed, "resolution": resolution, "start": _numbers(G, start)}, options)


def node2vec(G, p=1.0, q=1.0, length=80, seed=1, **options) -> Result:
    """A walk of node2vec from every vertex: ``walk``, rows of ``length`` vertices, -1 behind the end, and ``draws``.

    >>> import graphwright as gw
    >>> gw.node2vec(gw.read("path:4"), length=5).walk.shape
    (4, 5)
    """
    return run(standard("node2vec"), as_graph(G), {"p": p, "q": q, "length": length, "seed": seed}, options)


def walks(G, length=80, seed=1, **options) -> Result:
    """A random walk from every vertex: ``walk``, rows of ``length`` vertices, -1 behind the end, and ``visits``.

    >>> import graphwright as gw
    >>> gw.walks(gw.read("path:4"), length=5).walk.shape
    (4, 5)
    """
    return run(standard("walks"), as_graph(G), {"length": length, "seed": seed}, options)


def lcc(G, **options) -> Result:
    """Local clustering coefficients as LDBC Graphalytics defines them, for directed graphs too: ``clustering``.

    NetworkX: ``clustering`` for undirected graphs.

    >>> import graphwright as gw
    >>> [round(x, 3) for x in gw.lcc(gw.Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)])).clustering.tolist()]
    [1.0, 1.0, 0.333, 1.0, 1.0]
    """
    return run(standard("lcc"), as_graph(G), {}, options)


def matching(G, **options) -> Result:
    """A maximal matching: ``mate`` (-1 without) and ``pairs``.

    NetworkX: ``maximal_matching``, another one of such matchings.

    >>> import graphwright as gw
    >>> gw.matching(gw.read("path:4")).pairs
    1
    """
    return run(standard("matching"), as_graph(G), {}, options)


def matching_weighted(G, **options) -> Result:
    """A matching of at least half the greatest weight: ``mate`` (-1 without), ``pairs`` and ``weight``.

    NetworkX: ``max_weight_matching`` has the greatest weight.

    >>> import graphwright as gw
    >>> r = gw.matching_weighted(gw.Graph.from_edges([(0, 1, 2), (1, 2, 5), (2, 3, 2)]))
    >>> r.mate.tolist(), r.weight
    ([-1, 2, 1, -1], 5)
    """
    return run(standard("matching-weighted"), _weighted(as_graph(G)), {}, options)


def msbfs(G, pivots=64, **options) -> Result:
    """Hops from many ``pivots`` at once: a row per vertex with an entry per pivot, -1 out of reach; pivot i is vertex
    i * n // pivots.

    >>> import graphwright as gw
    >>> gw.msbfs(gw.read("path:4"), pivots=2).values.tolist()
    [[0, 2], [1, 1], [2, 0], [3, 1]]
    """
    _at_least_1(pivots, "pivots")
    return run(standard("msbfs"), as_graph(G), {"pivots": pivots}, options)


def msf(G, **options) -> Result:
    """A minimum spanning forest: at each vertex but one per tree an edge, ``one_end``, ``other_end`` and ``length``; ``weight``
    and ``trees`` in all.

    NetworkX: ``minimum_spanning_edges``, whose weights have the same sum.

    >>> import graphwright as gw
    >>> r = gw.msf(gw.Graph.from_edges([(0, 1, 2), (1, 2, 3), (0, 2, 9)]))
    >>> r.weight, r.trees
    (5, 1)
    """
    return run(standard("msf"), _weighted(as_graph(G)), {}, options)


def ppr(G, source, rounds=100, tolerance=1e-6, *, damping=0.85, weights=None, **options) -> Result:
    """Personalised PageRank from one vertex, from several, or from a dictionary of vertices and weights: ``rank`` (sum 1),
    ``rounds`` and ``change``. Weights of edges count as in :func:`pagerank`. NetworkX: ``pagerank(G, personalization=...)``.

    >>> import graphwright as gw
    >>> gw.ppr(gw.read("path:4"), {0: 1, 3: 1}).rank.tolist() == gw.ppr(gw.read("path:4"), [0, 3]).rank.tolist()
    True
    """
    G = as_graph(G)
    arguments = {"source": _sources(G, source), "rounds": rounds, "tolerance": tolerance}
    arguments |= {"damping": damping, "weights": _weighing(G, weights)}
    return run(standard("ppr"), G, arguments, options)


def scc(G, tail=None, **options) -> Result:
    """Strongly connected components: ``component``, the least vertex of the component, and their number ``components``. One
    thread does the last ``tail`` vertices, which is faster on deep graphs; without a number, all vertices of graphs like road networks
    and none of others.

    NetworkX: ``strongly_connected_components``, as sets.

    >>> import graphwright as gw
    >>> gw.scc(gw.Graph.from_edges([(0, 1), (1, 0), (1, 2)], directed=True)).component.tolist()
    [0, 0, 2]
    """
    G = as_graph(G)
    if tail is None:
        tail = G.num_vertices if _is_like_roads(G) else 0
    return run(standard("scc"), G, {"tail": tail}, options)


def similar(G, entries=10, **options) -> Result:
    """The vertices most similar to each vertex: rows of ``entries`` vertices, ``similar`` (best first, -1 behind the end) with
    their ``jaccard``.

    >>> import graphwright as gw
    >>> gw.similar(gw.read("star:4"), entries=2).similar.tolist()
    [[-1, -1], [2, 3], [1, 3], [1, 2]]
    """
    _at_least_1(entries, "entries")
    return run(standard("similar"), as_graph(G), {"entries": entries}, options)


def similarity(G, source, **options) -> Result:
    """Similarity to one vertex: ``common`` out-neighbours, ``jaccard``, ``overlap`` and ``cosine``.

    NetworkX: ``jaccard_coefficient`` for the pairs of the vertex with all others.

    >>> import graphwright as gw
    >>> gw.similarity(gw.read("star:4"), 1).jaccard.tolist()
    [0.0, 1.0, 1.0, 1.0]
    """
    G = as_graph(G)
    return run(standard("similarity"), G, {"source": G.vertex(source)}, options)


def similarity_edges(G, **options) -> Result:
    """Similarity of the ends of every edge, in the order of the CSR arrays: ``common`` out-neighbours, ``jaccard``,
    ``overlap`` and ``cosine``.

    NetworkX: ``jaccard_coefficient(G, G.edges)``.

    >>> import graphwright as gw
    >>> gw.similarity_edges(gw.Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)])).to_pandas().common.tolist()
    [1, 1, 1, 1, 1, 1]
    """
    return run(standard("similarity-edges"), as_graph(G), {}, options)


def topo(G, **options) -> Result:
    """Topological levels: ``level`` (-1 on and behind cycles), ``levels`` and ``acyclic``.

    NetworkX: ``topological_generations``, as lists.

    >>> import graphwright as gw
    >>> gw.topo(gw.Graph.from_edges([(0, 1), (1, 2), (0, 2)], directed=True)).level.tolist()
    [0, 1, 2]
    """
    return run(standard("topo"), as_graph(G), {}, options)


def triangles(G, **options) -> Result:
    """``triangles`` and ``clustering`` of every vertex; ``total``, ``average`` and ``transitivity`` of the graph.

    NetworkX: ``triangles``, ``clustering``, ``average_clustering`` and ``transitivity``.

    >>> import graphwright as gw
    >>> r = gw.triangles(gw.Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)]))
    >>> r.triangles.tolist(), r.total, r.transitivity
    ([1, 1, 2, 1, 1], 2, 0.6)
    """
    return run(standard("triangles"), as_graph(G), {}, options)


def sweep(
    G: Graph, program, output: str, sources, options: dict, arguments: dict | None = None, form="rows", numbered=False
):
    """Runs a program from many sources, the cores sharing the sources: rows, their sum ("sum"), or per source the number of
    vertices reached, the sum of distances, the sum of their reciprocals and the greatest ("reach"). With ``numbered``,
    sources are an array of the numbers of vertices (``uint32``), else ids."""
    options = settle(options)
    numbers = sources
    if not numbered:
        numbers = np.array([G.vertex(source) for source in sources], dtype=np.uint32)
    native = standard(program) if isinstance(program, str) else program
    texts = [(name, str(value)) for name, value in (arguments or {}).items()]
    device = options["device"]
    if device == "auto":
        device = auto_device()
    shown = progress(f"{native.name}, {len(numbers)} sources", options["progress"])
    try:
        return _native.sweep(
            G._native, native, np.ascontiguousarray(numbers), output, form, texts, device, options["timeout"],
            options["threads"], shown,
        )  # fmt: skip
    finally:
        if shown is not None:
            shown.close()


def _is_like_roads(G: Graph) -> bool:
    """Whether all vertices have few edges, so that searches are expected to be deep."""
    if G._native.edges > _ROAD_DEGREE * max(G.num_vertices, 1):
        return False
    degrees = G.degrees
    return not len(degrees) or int(degrees.max()) <= _MOST_ROADS


def auto_device() -> str:
    """The device that "auto" stands for: "cuda" where one can be used, else "cpu"."""
    global _AUTO
    if _AUTO is None:
        usable = {name for name, _, lacks in _native.devices() if lacks is None}
        _AUTO = "cuda" if "cuda" in usable else "cpu"
    return _AUTO


_AUTO: str | None = None


def good_delta(G: Graph) -> float:
    """A width of buckets for delta-stepping: about the mean weight, and a hundred times that on graphs like road networks."""
    _, _, weights = G.to_numpy()
    if weights is None or not len(weights):
        return 1
    sample = weights[:: max(1, len(weights) // 65536)]
    mean = float(np.abs(sample).mean())
    sparse = G._native.edges <= _ROAD_DEGREE * max(G.num_vertices, 1)
    width = mean * (100 if sparse else 1)
    if G._native.weight_kind in _REAL:
        return float(f"{width:.2e}") if width > 0 and np.isfinite(width) else 1.0
    return int(min(max(width, 1), 2**30))


#: Kinds of weights that may have fractions.
_REAL = ("float", "double")

_TOO_LONG = "a path is longer than 2147483646; sssp_real takes such lengths"
_BEYOND = "a sum of weights does not fit their type; weights of 64 bits, int64 or float64, have greater sums"
_LOST = "an edge is so short beside the path before it that the sum of their lengths is that of the path: change the weights"


def is_overflow(error: Exception) -> bool:
    """Whether runs from many sources failed because a path is too long for 32 bits."""
    return "does not fit the type int" in str(error)


def _sssp_program(G: Graph, delta):
    if (G._native.least_weight or 0) < 0:
        return "sssp", {}
    return "sssp-delta", {"delta": delta or good_delta(G)}


def _no_negative_cycle(result):
    if "negative_cycle" in result.keys() and result["negative_cycle"]:
        raise ValueError("a cycle of negative length can be reached: there are no shortest paths")
    if "too_long" in result.keys() and result["too_long"]:
        raise OverflowError(_TOO_LONG)


def _unless_too_long(result: Result) -> Result:
    """The result, unless lengths do not fit their type."""
    if result["too_long"]:
        raise OverflowError(_BEYOND)
    if "too_short" in result.keys() and result["too_short"]:
        raise ArithmeticError(_LOST)
    return result


def _weighing(G: Graph, weights: bool | None) -> str:
    """The argument ``weights`` of programs that can count edges by their weights; None uses them where they make a difference."""
    if weights is None:
        weights = G.is_weighted and not G._weighs_one()
    return "use" if weights else "ignore"


def _reach_by_weights(G: Graph, pivots, options) -> np.ndarray:
    """Per vertex: vertices that reach it, the sum of their distances, that of the reciprocals, the greatest distance."""
    if pivots is not None:
        raise ValueError("with weights there are no pivots: all vertices are taken")
    if (_weighted(G)._native.least_weight or 0) < 0:
        raise ValueError("an edge has a negative weight: distances are those of weights from 0 on")
    sources = np.arange(G.num_vertices, dtype=np.uint32)
    backwards = G.transpose()
    arguments = {"delta": good_delta(G)}
    return sweep(backwards, "sssp-delta", "dist", sources, options, arguments, form="reach", numbered=True)


def _made(G: Graph, name: str, values: np.ndarray) -> Result:
    """A result of several runs."""
    values.flags.writeable = False
    return Result(G, KeptOutcome(name, {name: values}), (name,))


def _weighted(G: Graph) -> Graph:
    if not G.is_weighted:
        raise ValueError("the graph has no weights: name a column or attribute with weight=, or give weights")
    return G


def _source(G: Graph, source) -> int:
    if source is None:
        raise TypeError("a source vertex is needed: source=, or sources= for many")
    return G.vertex(source)


def _sources(G: Graph, source) -> str:
    """Vertices with or without weights as the text that programs take."""
    if isinstance(source, dict):
        return ",".join(f"{G.vertex(vertex)}={float(weight)!r}" for vertex, weight in source.items())
    if isinstance(source, (list, tuple, set, frozenset, np.ndarray)):
        return ",".join(str(G.vertex(vertex)) for vertex in source)
    return str(G.vertex(source))


def _numbers(G: Graph, labels) -> str:
    """Labels of vertices as the text that programs take: a number from 0 on for each label, -1 for vertices without."""
    if labels is None:
        return "none"
    if isinstance(labels, dict):
        vertices, labels = [G.vertex(vertex) for vertex in labels], list(labels.values())
    else:
        labels = list(labels)
        vertices = range(len(labels))
        if len(labels) != G.num_vertices:
            raise ValueError(f"start: {len(labels)} labels for {G.num_vertices} vertices")
    known: dict = {}
    numbers = {vertex: known.setdefault(label, len(known)) for vertex, label in zip(vertices, labels)}
    return ",".join(f"{vertex}={numbers.get(vertex, -1)}" for vertex in range(G.num_vertices)) or "none"


def _at_least_1(value, what: str) -> None:
    if not value > 0:
        raise ValueError(f"{what}: a number from 1 on is needed, not {value!r}")


def _one_of(source, sources):
    if source is not None:
        raise TypeError("source and sources are both given")
