"""Fast graph algorithms: NumPy arrays in and out, a NetworkX backend, and programs of your own.

>>> import graphwright as gw
>>> G = gw.Graph.from_edges([("ann", "bob"), ("bob", "cyd"), ("cyd", "ann"), ("cyd", "dan")])
>>> gw.tc(G).triangles
1
>>> gw.bfs_levels(G, "ann").to_dict()
{'ann': 0, 'bob': 1, 'cyd': 1, 'dan': 2}

The names below are loaded when they are first used, so that importing this package takes no time.
"""

from importlib import import_module as _import_module

#: Where each public name lives.
_PLACES = {
    "Graph": "._graph",
    "read": "._graph",
    "DynamicGraph": "._dynamic",
    "Follower": "._dynamic",
    "Program": "._program",
    "Result": "._result",
    "devices": "._options",
    "Leiden": ".cluster",
    "Louvain": ".cluster",
    "cluster": ".cluster",
    "lab": ".lab",
    "scanpy": ".scanpy",
    "GraphwrightError": "._native",
    "ProgramError": "._native",
    "DeviceError": "._native",
    "VerificationError": "._native",
    "InternalError": "._native",
    "__version__": "._native",
}
_ALGORITHMS = (
    "astar", "bc", "bc_all", "bc_edges", "bc_weighted", "betweenness", "bfs", "bfs_levels", "biconnected", "bipartite", "bridges", "cc", "cc_fast", "cdlp",
    "cf", "closeness", "coloring", "components", "earliest_arrival", "eccentricity", "eigenvector", "fastrp", "harmonic", "hits", "k_shortest_paths", "katz", "kcore",
    "kcore_unordered", "khop", "ktruss", "lcc", "leiden", "louvain", "matching", "matching_weighted", "maxflow", "mis", "msbfs", "msf", "node2vec", "pagerank", "pagerank_delta",
    "pagerank_div", "pagerank_gs", "ppr", "ppsp", "programs", "scc", "setcover", "similar", "similarity", "similarity_edges", "spmv", "sssp",
    "sssp_delta", "sssp_real", "tc", "temporal_reach", "topo", "triangles", "walks",
)  # fmt: skip
_PLACES.update(dict.fromkeys(_ALGORITHMS, ".algorithms"))

#: Names that other libraries have for what is here.
_ELSEWHERE = {
    "betweenness_centrality": "betweenness", "closeness_centrality": "closeness", "connected_components": "components",
    "core_number": "kcore", "coreness": "kcore", "dijkstra": "sssp", "greedy_color": "coloring",
    "k_core": "kcore", "k_truss": "ktruss", "max_independent_set": "mis", "maximal_independent_set": "mis",
    "maximal_matching": "matching", "minimum_spanning_tree": "msf", "shortest_path": "ppsp", "shortest_paths": "sssp",
    "strongly_connected_components": "scc", "topological_sort": "topo", "weakly_connected_components": "components",
}  # fmt: skip

__all__ = sorted(name for name in _PLACES if not name.startswith("_"))


def __getattr__(name):
    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{_advice(name)}", name=name)
    module = _import_module(place, __name__)
    value = module if place == f".{name}" else getattr(module, name)
    globals()[name] = value
    return value


def _advice(name):
    if name.startswith("_"):
        return ""
    from difflib import get_close_matches

    known = _ELSEWHERE.get(name) or next(iter(get_close_matches(name, __all__, 1, 0.75)), None)
    return f"; did you mean {known!r}?" if known else "; graphwright.__all__ has the names"


def __dir__():
    return sorted({*globals(), *__all__})
