"""What NetworkX is told about this backend. Read at every import of NetworkX: imports nothing of the package."""

#: The functions that the backend runs, and what it does not take over.
FUNCTIONS = {
    "all_pairs_bellman_ford_path_length": "weights that 32 bits hold exactly",
    "all_pairs_dijkstra_path_length": "weights from 0 on that 32 bits hold exactly",
    "all_pairs_shortest_path_length": "",
    "ancestors": "",
    "average_shortest_path_length": "methods unweighted and dijkstra",
    "bellman_ford_path_length": "weights that 32 bits hold exactly",
    "betweenness_centrality": "without weights and endpoints",
    "closeness_centrality": "",
    "clustering": "undirected, without weights",
    "connected_components": "",
    "core_number": "undirected",
    "descendants": "",
    "descendants_at_distance": "",
    "dijkstra_path_length": "weights from 0 on that 32 bits hold exactly",
    "eccentricity": "without sp",
    "eigenvector_centrality": "",
    "greedy_color": "undirected, strategy largest_first without interchange",
    "harmonic_centrality": "for all nodes",
    "is_bipartite": "",
    "is_connected": "",
    "is_weakly_connected": "",
    "katz_centrality": "",
    "maximal_independent_set": "without seed and nodes; the set is another valid one",
    "multi_source_dijkstra_path_length": "weights from 0 on that 32 bits hold exactly",
    "node_connected_component": "",
    "number_connected_components": "",
    "number_weakly_connected_components": "",
    "pagerank": "",
    "single_source_bellman_ford_path_length": "weights that 32 bits hold exactly",
    "single_source_dijkstra_path_length": "weights from 0 on that 32 bits hold exactly",
    "single_source_shortest_path_length": "",
    "single_target_shortest_path_length": "",
    "transitivity": "undirected",
    "triangles": "",
    "weakly_connected_components": "",
}


def get_info():
    """The entry point ``networkx.backend_info``."""
    functions = {}
    for name, limits in FUNCTIONS.items():
        functions[name] = {"additional_docs": f"Taken over: {limits}." if limits else ""}
    return {
        "backend_name": "graphwright",
        "project": "graphwright",
        "package": "graphwright",
        "short_summary": "Compiled graph algorithms for CPUs and GPUs.",
        "functions": functions,
        "default_config": {"device": "auto", "round_weights": False, "least_edges": 2000},
    }
