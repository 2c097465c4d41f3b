"""Breadth-first searches in the order of NetworkX, whose dictionaries say which neighbour comes first."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np

from .. import _native
from .run import algorithm


def _search(g, numbers, limit=None):
    """Nodes in the order of the search as numbers, the nodes that they were found from, and where levels end."""
    depth = None if limit is None or limit == math.inf else max(math.ceil(limit), 0)
    return _native.ordered_bfs(g.structure._native, g.ordered_targets, np.array(numbers, dtype=np.uint32), depth)


def _edges_can_run(G, source, reverse=False, depth_limit=None, sort_neighbors=None):
    if sort_neighbors is not None:
        return "sort_neighbors is given"
    return "edges reversed, whose order is not converted" if reverse and G.is_directed() else True


def _edges(g, source, limit):
    number = g.number(source)
    if number is None:
        raise nx.NetworkXError(f"The node {source} is not in the {'di' if g.directed else ''}graph.")
    order, parents, ends = _search(g, [number], limit)
    first = int(ends[0])
    return zip(g.nodes_at(parents[first:]), g.nodes_at(order[first:]))


@algorithm(_edges_can_run)
def bfs_edges(G, source, reverse=False, depth_limit=None, sort_neighbors=None):
    yield from _edges(G, source, depth_limit)


@algorithm(_edges_can_run)
def bfs_tree(G, source, reverse=False, depth_limit=None, sort_neighbors=None):
    tree = nx.DiGraph()
    tree.add_node(source)
    tree.add_edges_from(_edges(G, source, depth_limit))
    return tree


@algorithm()
def bfs_layers(G, sources):
    # The first layer is in the order of a set, as in NetworkX.
    layer = list({sources} if sources in G else set(sources))
    numbers = []
    for source in layer:
        numbers.append(G.number(source))
        if numbers[-1] is None:
            raise nx.NetworkXError(f"The node {source} is not in the graph.")
    if not layer:
        return
    yield layer
    order, _, ends = _search(G, numbers)
    for begin, end in zip(ends[:-1].tolist(), ends[1:].tolist()):
        yield G.nodes_at(order[begin:end])


@algorithm()
def single_source_shortest_path(G, source, cutoff=None):
    number = G.number(source)
    if number is None:
        raise nx.NodeNotFound(f"Source {source} not in G")
    order, parents, ends = _search(G, [number], cutoff)
    paths = {source: [source]}
    for parent, node in zip(G.nodes_at(parents[1:]), G.nodes_at(order[1:])):
        paths[node] = [*paths[parent], node]
    return paths
