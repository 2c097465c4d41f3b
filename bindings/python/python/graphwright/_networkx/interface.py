"""The object that NetworkX finds by the entry point ``networkx.backends``."""

from __future__ import annotations

from importlib import import_module

from .._networkx_info import FUNCTIONS

#: The modules with the functions of the backend.
_MODULES = (
    "centrality", "communities", "counts", "directed", "edges", "paths", "prediction", "searches", "structure", "weighted_paths",
)  # fmt: skip

#: Functions that cost far more than a conversion, already on small graphs.
_COSTLY = {
    "all_pairs_shortest_path_length", "all_pairs_dijkstra_path_length", "all_pairs_bellman_ford_path_length",
    "all_pairs_bellman_ford_path", "all_pairs_dijkstra", "all_pairs_dijkstra_path", "average_shortest_path_length",
    "betweenness_centrality", "closeness_centrality", "eccentricity", "edge_betweenness_centrality", "global_efficiency",
    "harmonic_centrality",
}  # fmt: skip
_LEAST_COSTLY_NODES = 50

#: Functions that cost NetworkX less than a conversion: they run here when the graph was converted already.
_CHEAP = {
    "adamic_adar_index", "common_neighbor_centrality", "degree_centrality", "has_path", "in_degree_centrality", "is_arborescence",
    "is_branching", "is_forest", "is_tree", "isolates", "jaccard_coefficient", "number_of_isolates", "number_of_selfloops",
    "out_degree_centrality", "overall_reciprocity", "preferential_attachment", "resource_allocation_index", "to_scipy_sparse_array",
}  # fmt: skip


class Backend:
    """The backend. Functions are loaded when one is first called."""

    def __getattr__(self, name):
        if name not in FUNCTIONS:
            raise AttributeError(name)
        for module in _MODULES:
            module = import_module(f".{module}", __package__)
            for known in FUNCTIONS:
                if hasattr(module, known):
                    setattr(self, known, getattr(module, known))
        return self.__dict__[name]

    @staticmethod
    def convert_from_nx(graph, edge_attrs=None, node_attrs=None, preserve_edge_attrs=False, **_):
        """A graph of NetworkX as one of the backend. NotImplementedError where weights cannot be kept."""
        from .graph import BackendGraph

        return BackendGraph(graph, edge_attrs, preserve_edge_attrs is True)

    @staticmethod
    def convert_to_nx(result, *, name=None):
        """A graph of the backend as one of NetworkX; anything else as it is."""
        from .graph import BackendGraph

        return result.to_networkx() if isinstance(result, BackendGraph) else result

    def can_run(self, name, args, kwargs):
        """True, or a sentence that says why NetworkX must run the function."""
        if name not in FUNCTIONS:
            return False
        check = getattr(getattr(self, name), "can_run", None)
        try:
            return True if check is None else check(*args, **kwargs)
        except TypeError as error:
            # A later version of NetworkX may have given the function more arguments.
            return f"arguments that are not known here: {error}"

    def should_run(self, name, args, kwargs):
        """Whether the time saved is likely to exceed that of converting the graph."""
        graph = args[0] if args else kwargs.get("G")
        cache = getattr(graph, "__networkx_cache__", None) or {}
        if cache.get("backends", {}).get("graphwright"):
            return True
        if name in _CHEAP:
            return "NetworkX is done sooner than the graph is converted"
        from .graph import config

        if name in _COSTLY and len(graph) >= _LEAST_COSTLY_NODES:
            return True
        least = getattr(config(), "least_edges", 2000)
        if len(graph) >= least or graph.number_of_edges() >= least:
            return True
        return f"the graph has fewer than {least} edges"

    @staticmethod
    def on_start_tests(items):
        """Marks the tests of NetworkX whose outcome is left open by the function, with the reason."""
        from .left_open import mark

        mark(items)


backend = Backend()
