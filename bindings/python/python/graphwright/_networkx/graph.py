"""Graphs of NetworkX as the backend keeps them."""

from __future__ import annotations

import networkx as nx
import numpy as np

from .. import _native
from .._graph import Graph, has_own_edges
from .._ids import Ids


class BackendGraph:
    """A graph of NetworkX, converted: CSR arrays per weight, and the nodes in their order."""

    __networkx_backend__ = "graphwright"

    def __init__(self, graph, edge_attrs, keep=False):
        if has_own_edges(graph):
            raise NotImplementedError(f"{type(graph).__name__} tells its edges in its own way")
        #: The graph of NetworkX, for functions that give parts of it.
        self._original = graph if keep else None
        self.nodes = list(graph)
        self.numbers = dict(zip(self.nodes, range(len(self.nodes))))
        self.directed = graph.is_directed()
        self.multigraph = graph.is_multigraph()
        self.graph_attributes = dict(graph.graph)
        self._plain = all(type(node) is int and node == number for node, number in self.numbers.items())
        self._node_array = None
        self._derived: dict = {}
        #: Attribute of edges to (graph, whether all weights are integers of Python, the same with parallel edges added up).
        self._weighted: dict = {}
        #: The targets of all edges in the order of NetworkX, None where that is the order of the CSR arrays.
        self.ordered_targets = None
        adjacency = _plain_adjacency(graph)
        self._structure = None
        for attribute, default in (edge_attrs or {}).items():
            self._weighted[attribute] = self._walk(adjacency, attribute, default)
        if not self._weighted:
            walked = _native.walk_adjacency(self.numbers, adjacency, None, 1.0, self.multigraph, False, True)
            self._structure, self.ordered_targets = self._graph(walked[0]), walked[2]
        #: Parallel edges as weights, for the functions that count them.
        self._multiplicity = None
        if self.multigraph:
            counted = _native.walk_adjacency(self.numbers, adjacency, None, 1.0, True, True)[0]
            self._multiplicity = self._graph(counted)

    def _walk(self, adjacency, attribute, default):
        try:
            native, whole, self.ordered_targets = _native.walk_adjacency(
                self.numbers, adjacency, attribute, default, self.multigraph, False, True
            )
            summed = self._graph(native)
            if self.multigraph:
                total = _native.walk_adjacency(self.numbers, adjacency, attribute, default, True, True)[0]
                summed = self._graph(total)
        except (TypeError, ValueError, OverflowError) as error:
            raise NotImplementedError(f"weights {attribute!r}: {error}") from None
        return self._graph(native), whole, summed

    def _graph(self, native) -> Graph:
        return Graph(native, None if self._plain else Ids(self.nodes, self.numbers), self.directed)

    # What NetworkX asks of a graph

    def is_directed(self) -> bool:
        return self.directed

    def is_multigraph(self) -> bool:
        return self.multigraph

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self):
        return iter(self.nodes)

    def __contains__(self, node) -> bool:
        try:
            return node in self.numbers
        except TypeError:
            return False

    def number_of_nodes(self) -> int:
        return len(self.nodes)

    order = number_of_nodes

    # What the functions of the backend ask

    @property
    def structure(self) -> Graph:
        """The graph; its weights, if it has some, mean nothing."""
        if self._structure is None:
            self._structure = next(iter(self._weighted.values()))[0]
        return self._structure

    def weighted(self, attribute):
        """The graph with the weights of an attribute, the least of parallel edges; and whether all are integers of Python."""
        graph, whole, _ = self._entry(attribute)
        return graph, whole

    def summed(self, attribute) -> Graph:
        """The graph with the weights of an attribute, those of parallel edges added up."""
        if attribute is None:
            return self._multiplicity if self.multigraph else self.structure
        return self._entry(attribute)[2]

    def _entry(self, attribute):
        if attribute not in self._weighted:
            if self._original is None:
                raise NotImplementedError(f"weights {attribute!r} were not converted")
            # Converted with all attributes, of which none was named then.
            self._weighted[attribute] = self._walk(_plain_adjacency(self._original), attribute, 1)
        return self._weighted[attribute]

    def original(self):
        """The graph of NetworkX with all its attributes."""
        if self._original is None:
            raise NotImplementedError("the graph was converted without its attributes")
        return self._original

    def derived(self, name, make):
        """Something made of the graph, kept for the next call."""
        if name not in self._derived:
            self._derived[name] = make()
        return self._derived[name]

    def number(self, node):
        """The number of a node, None when it is not in the graph."""
        try:
            return self.numbers.get(node)
        except TypeError:
            return None

    def degrees(self) -> np.ndarray:
        """Edges out of every node as they are kept: parallel edges once, a loop once."""
        return self.derived("degrees", lambda: np.diff(self.structure.to_numpy()[0].astype(np.int64)))

    def loops(self) -> np.ndarray:
        """How many loops every node has; parallel ones count."""
        graph = self._multiplicity if self.multigraph else self.structure
        sources, targets, counts = graph._edge_arrays()
        kept = sources == targets
        weights = counts[kept] if self.multigraph else None
        return np.bincount(sources[kept], weights=weights, minlength=len(self)).astype(np.int64)

    def has_loops(self) -> bool:
        """Whether an edge leads from a node to itself."""
        return self.derived("loops", self.structure._native.loops) > 0

    def nodes_at(self, numbers: np.ndarray) -> list:
        """The nodes with these numbers."""
        if self._plain:
            return numbers.tolist()
        if self._node_array is None:
            self._node_array = np.empty(len(self.nodes), dtype=object)
            self._node_array[:] = self.nodes
        return self._node_array[numbers].tolist()

    def by_node(self, values: np.ndarray) -> dict:
        """A value per node."""
        return dict(zip(self.nodes, values.tolist()))

    def to_networkx(self):
        """The graph as one of NetworkX: nodes, edges and the weights that were converted."""
        kinds = {(False, False): nx.Graph, (True, False): nx.DiGraph}
        kinds.update({(False, True): nx.MultiGraph, (True, True): nx.MultiDiGraph})
        made = kinds[self.directed, self.multigraph]()
        made.graph.update(self.graph_attributes)
        made.add_nodes_from(self.nodes)
        sources, targets, _ = self.structure._edge_arrays()
        pairs = list(zip(self.nodes_at(sources), self.nodes_at(targets)))
        if self.multigraph:
            counts = self._multiplicity._edge_arrays()[2].tolist()
            made.add_edges_from(pair for pair, count in zip(pairs, counts) for _ in range(int(count)))
            return made
        made.add_edges_from(pairs)
        for attribute, (graph, whole, _) in self._weighted.items():
            kind = int if whole else float
            weights = map(kind, graph._edge_arrays()[2].tolist())
            nx.set_edge_attributes(made, dict(zip(pairs, weights)), attribute)
        return made


def _plain_adjacency(graph) -> dict:
    adjacency = graph._adj
    if type(adjacency) is dict and all(type(inner) is dict for inner in adjacency.values()):
        if not graph.is_multigraph() or all(type(keys) is dict for inner in adjacency.values() for keys in inner.values()):
            return adjacency
    if graph.is_multigraph():
        return {
            node: {other: {key: dict(data) for key, data in keys.items()} for other, keys in inner.items()}
            for node, inner in graph.adjacency()
        }
    return {node: {other: dict(data) for other, data in inner.items()} for node, inner in graph.adjacency()}


def config():
    """The settings of the backend in ``networkx.config.backends.graphwright``."""
    return getattr(nx.config.backends, "graphwright", None)
