"""Strong components and orders of directed graphs."""

from __future__ import annotations

import networkx as nx
import numpy as np

from .run import algorithm, outcome, standard


def _found(g):
    return g.derived("strong", lambda: outcome(standard("scc"), g.structure, tail=0))


def _count(g) -> int:
    return int(_found(g).get("components")) if len(g) else 0


@algorithm()
def strongly_connected_components(G):
    if not len(G):
        return
    labels = _found(G).get("component")
    order = np.argsort(labels, kind="stable")
    for part in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1):
        yield set(G.nodes_at(part))


@algorithm()
def number_strongly_connected_components(G):
    return _count(G)


@algorithm()
def is_strongly_connected(G):
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return _count(G) == 1


def _levels(g):
    return g.derived("topo", lambda: outcome(standard("topo"), g.structure))


@algorithm()
def is_directed_acyclic_graph(G):
    return G.directed and (len(G) == 0 or bool(_levels(G).get("acyclic")))


@algorithm()
def topological_generations(G):
    if not G.directed:
        raise nx.NetworkXError("Topological sort not defined on undirected graphs.")
    if not len(G):
        return
    level = _levels(G).get("level")
    order = np.argsort(level, kind="stable")
    order = order[np.searchsorted(level[order], 0) :]
    for part in np.split(order, np.flatnonzero(np.diff(level[order])) + 1):
        if len(part):
            yield G.nodes_at(part)
    if len(order) < len(G):
        raise nx.NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration")
