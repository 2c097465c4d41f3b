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
    "bridges": "simple graphs without root",
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
    "has_bridges": "simple graphs without root",
    "is_bipartite": "",
    "is_connected": "",
    "is_directed_acyclic_graph": "",
    "is_strongly_connected": "",
    "is_weakly_connected": "",
    "k_truss": "",
    "katz_centrality": "",
    "leiden_communities": "resolution 1, whole weights from 0 on, no loops",
    "louvain_communities": "undirected, without seed, resolution 1, whole weights from 0 on, no loops; the communities are other good ones",
    "maximal_independent_set": "without seed and nodes; the set is another valid one",
    "maximal_matching": "the matching is another maximal one",
    "minimum_spanning_edges": "simple graphs, algorithm kruskal; among edges of equal weight others may be taken",
    "multi_source_dijkstra_path_length": "weights from 0 on that 32 bits hold exactly",
    "node_connected_component": "",
    "number_connected_components": "",
    "number_strongly_connected_components": "",
    "number_weakly_connected_components": "",
    "pagerank": "",
    "single_source_bellman_ford_path_length": "weights that 32 bits hold exactly",
    "single_source_dijkstra_path_length": "weights from 0 on that 32 bits hold exactly",
    "single_source_shortest_path_length": "",
    "single_target_shortest_path_length": "",
    "strongly_connected_components": "",
    "topological_generations": "",
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
