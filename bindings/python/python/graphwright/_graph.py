"""Graphs: from arrays, tables, files and NetworkX, and back."""

from __future__ import annotations

import os
import sys
import tempfile

import numpy as np

from . import _native
from ._columns import edge_columns, id_column, is_column, kept_columns, used_names
from ._ids import Ids, number_among, number_pairs

#: The greatest weight that 32-bit integers hold with room for "out of reach".
_MOST = 2**31 - 2
_MOST_WIDE = 2**63 - 1


class Graph:
    """A graph that never changes: vertices 0, 1, ..., n - 1, with ids of the user where there are some.

    Make one with :meth:`from_edges`, :meth:`from_numpy`, :meth:`from_scipy`, :meth:`from_networkx` or
    :func:`graphwright.read`. Weights have the narrowest of the types ``int32``, ``float32``, ``int64`` and ``float64`` that
    holds all of them exactly.

    >>> import graphwright as gw
    >>> G = gw.Graph.from_edges([(10, 20), (20, 30)])
    >>> G
    <graphwright.Graph: 3 vertices, 2 undirected edges>
    >>> G.ids.tolist()
    [10, 20, 30]

    Graphs can be pickled, with their ids and columns, so that other processes get them as arguments.
    """

    __slots__ = ("_native", "_ids", "_directed", "_transposed", "_weighs", "__weakref__")

    def __init__(self, native=None, ids: Ids | None = None, directed: bool | None = None):
        if not isinstance(native, _native.NativeGraph):
            raise TypeError("make a graph with Graph.from_edges, from_numpy, from_scipy, from_networkx or graphwright.read")
        self._native = native
        self._ids = ids
        self._directed = not native.is_symmetric if directed is None else directed
        self._transposed: Graph | None = None
        self._weighs: bool | None = None

    def __reduce__(self):
        edges, vertices = self._native.columns()
        if edges or vertices:
            return _from_file, (_as_file(self._native), self._ids, self._directed)
        return _from_arrays, (*self.to_numpy(), self._ids, self._directed)

    def __copy__(self) -> Graph:
        return self

    def __deepcopy__(self, memo) -> Graph:
        # A graph never changes.
        return self

    # From other things

    @classmethod
    def from_numpy(cls, indptr, indices, weights=None, *, ids=None, directed=None, copy=None):
        """A graph over CSR arrays: the neighbours of vertex ``v`` are ``indices[indptr[v]:indptr[v + 1]]``.

        Arrays of 32-bit integers (``indptr`` also 64-bit, ``weights`` also ``float32``, ``int64`` and ``float64``) are used in place and locked: they
        can be read but no longer written to, since the graph is compiled against them. ``copy=True`` copies them first;
        ``copy=False`` raises ValueError where a copy cannot be avoided. An array that is a view of an array which others can write to is
        copied, as locking it would not protect its memory; with ``copy=False`` it is used, and you promise that nobody writes to
        the memory through another view.

        >>> import numpy as np, graphwright as gw
        >>> G = gw.Graph.from_numpy(np.array([0, 1, 2], dtype=np.int32), np.array([1, 0], dtype=np.int32))
        >>> G.num_vertices, G.num_edges
        (2, 1)
        """
        indptr = _in_place(indptr, "indptr", ("int32", "uint32", "int64", "uint64"), copy, np.int64)
        indices = _in_place(indices, "indices", ("int32", "uint32"), copy, np.uint32)
        if weights is not None:
            given = np.asarray(weights).dtype
            kinds = ("int32", "float32", "int64", "float64")
            if copy is False and given not in kinds:
                raise ValueError(f"weights: {given} must be converted, and copy=False forbids that")
            # Weights of 64 bits become narrower where they can.
            narrow = weights if copy is False or given in ("int32", "float32") else narrow_weights(weights)
            if np.asarray(narrow).dtype == given:
                weights = _in_place(weights, "weights", kinds, copy, np.float64)
            else:
                weights = narrow
                weights.flags.writeable = False
            if len(weights) != len(indices):
                raise ValueError(f"there are {len(indices)} edges but {len(weights)} weights")
        native = _native.NativeGraph.from_csr(indptr, indices, weights, directed)
        if directed is False and not native.is_symmetric:
            raise ValueError("directed=False: an edge of these arrays has no reverse edge of the same weight")
        if ids is not None and len(ids) != native.vertices:
            raise ValueError(f"there are {native.vertices} vertices but {len(ids)} ids")
        return cls(native, None if ids is None else Ids.given(ids), directed)

    @classmethod
    def from_scipy(cls, matrix, *, weighted=True, ids=None, directed=None, copy=True):
        """A graph from a sparse matrix of SciPy: an entry (i, j) is an edge from i to j.

        The arrays are copied, so that the matrix can still be changed; ``copy=False`` uses the arrays of a CSR matrix in place and
        locks them. The entries are the weights of the edges, also where all are 1; a matrix of truth values, and ``weighted=False``,
        give a graph without weights.

        >>> import scipy.sparse as sp, graphwright as gw
        >>> gw.Graph.from_scipy(sp.csr_array([[0, 2], [0, 0]])).is_directed
        True
        """
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"a graph needs a square matrix, not one of the shape {matrix.shape}")
        csr = matrix.tocsr()
        if csr is not matrix:
            copy = None
        elif copy is not True and not csr.has_sorted_indices and copy is False:
            raise ValueError("the column indices of the matrix are not sorted, and copy=False forbids to sort a copy")
        weights = csr.data if weighted and csr.data.dtype != bool else None
        return cls.from_numpy(csr.indptr, csr.indices, weights, ids=ids, directed=directed, copy=copy)

    @classmethod
    def from_edges(
        cls,
        edges,
        target=None,
        weight=None,
        *,
        source=None,
        vertices=None,
        directed=False,
        loops=False,
        parallel="min",
        columns=None,
    ):
        """A graph from edges: two or three arrays, a table with columns, or pairs and triples.

        ``edges`` may be a pandas or polars DataFrame, a pyarrow Table, a dict of columns, anything with an Arrow stream, an array
        of shape (edges, 2), a list of pairs, or a pair of arrays. ``source``, ``target`` and ``weight`` name columns; without
        names the first two columns are taken and no weight. With an array as ``target``, ``edges`` is the array of sources; ``weight``
        may be an array, too.

        Ids may be integers of any width, strings, points in time or anything hashable; a missing value is none and is refused. Integers
        and points in time become vertices in ascending order, other ids in the order in which they occur. Categorical columns and
        dictionaries of Arrow are taken by their codes. ``vertices=n`` says instead that ids are the numbers of vertices 0, ..., n - 1;
        ``vertices=[...]`` lists the ids of all vertices, also of those without edges, in their order. Loops are dropped
        unless ``loops=True``. Of parallel edges one stays, with the least weight; ``parallel`` may also be ``"max"``, ``"first"``,
        ``"sum"`` or ``"keep"``, which keeps all.

        ``columns`` keeps what programs of your own ask for with ``edges.column("name")``: the names of some columns, True for all,
        or a dict of them. They hold truth values, numbers, texts or points in time; None, NaN and NaT are missing values.

        >>> import graphwright as gw
        >>> G = gw.Graph.from_edges({"from": ["a", "b"], "to": ["b", "c"], "km": [2.5, 1.0]}, weight="km")
        >>> G.ids.tolist(), G.is_weighted
        (['a', 'b', 'c'], True)
        """
        edges = _as_table(edges)
        if is_column(target) or isinstance(target, tuple) and isinstance(edges, (tuple, list, np.ndarray)):
            if source is not None:
                raise TypeError(f"source={source!r} names a column of a table, and the ends of edges are given as arrays")
            edges, target = tuple(one if hasattr(one, "dtype") else _column(one) for one in (edges, target)), None
        kept = kept_columns(edges, columns, used_names(edges, source, target, None if is_column(weight) else weight))
        from_ends, to_ends, weights = edge_columns(edges, source, target, weight)
        if len(from_ends) != len(to_ends):
            raise ValueError(f"there are {len(from_ends)} sources but {len(to_ends)} targets")
        if vertices is None:
            sources, targets, vertices, ids = number_pairs(from_ends, to_ends)
        elif hasattr(vertices, "__len__"):
            sources, targets, vertices, ids = number_among(from_ends, to_ends, vertices)
        else:
            sources, targets, ids = _plain(from_ends, vertices), _plain(to_ends, vertices), None
        if weights is not None:
            weights = narrow_weights(weights)
            if len(weights) != len(sources):
                raise ValueError(f"there are {len(sources)} edges but {len(weights)} weights")
        native = _native.NativeGraph.from_edges(sources, targets, weights, vertices, directed, loops, parallel, kept)
        return cls(native, ids, directed)

    def with_vertices(self, table, id=None, columns=True):
        """The same graph with the columns of a table of its vertices, for programs that ask for ``vertices.column("name")``. The
        ids of vertices stand in the column ``id``, the first one without a name; rows of other ids are left out.

        >>> import graphwright as gw
        >>> G = gw.Graph.from_edges([("a", "b"), ("b", "c")])
        >>> G.with_vertices({"name": ["a", "c"], "staff": [4, 5]}).columns
        {'edges': [], 'vertices': ['staff']}
        """
        name, ids = id_column(table, id)
        known = self._numbers_of(ids.tolist() if ids.dtype.kind not in "mM" else list(ids))
        rows = np.full(self.num_vertices, 2**32 - 1, dtype=np.uint32)
        found = np.flatnonzero(known >= 0)
        rows[known[found]] = found
        if len(found) and np.bincount(known[found]).max() > 1:
            twice = ids[found][np.bincount(known[found])[known[found]] > 1][:1].tolist()[0]
            raise ValueError(f"the table has several rows for the vertex {twice!r}")
        native = self._native.with_vertex_columns(kept_columns(table, columns, {name}), rows)
        return Graph(native, self._ids, self._directed)

    def _numbers_of(self, ids: list) -> np.ndarray:
        """The number of the vertex with each of these ids, -1 where there is none."""
        if self._ids is None:
            size = self.num_vertices
            known = (vertex if type(vertex) is int and 0 <= vertex < size else -1 for vertex in ids)
        else:
            find = self._ids.find
            known = (-1 if (number := find(vertex)) is None else number for vertex in ids)
        return np.fromiter(known, dtype=np.int64, count=len(ids))

    @property
    def columns(self) -> dict:
        """The names of the columns that the graph keeps, of edges and of vertices."""
        return dict(zip(("edges", "vertices"), self._native.columns()))

    @classmethod
    def from_networkx(cls, graph, weight=None, default=1):
        """A graph from one of NetworkX, its nodes as ids. ``weight`` names the attribute of edges to use, ``default`` is
        the weight of edges without it. Parallel edges become one with the least weight.

        >>> import networkx as nx, graphwright as gw
        >>> gw.Graph.from_networkx(nx.path_graph(4)).num_edges
        3
        """
        nodes = dict(zip(graph, range(len(graph))))
        adjacency = graph._adj
        if has_own_edges(graph) or type(adjacency) is not dict or any(type(i) is not dict for i in adjacency.values()):
            adjacency = {node: dict(graph[node].items()) for node in graph}
        native = _native.walk_adjacency(nodes, adjacency, weight, default, graph.is_multigraph(), False)[0]
        plain = all(type(node) is int and node == number for node, number in nodes.items())
        return cls(native, None if plain else Ids(list(nodes), nodes), graph.is_directed())

    @classmethod
    def from_igraph(cls, graph, weight=None):
        """A graph from one of igraph. The vertices have their ``name`` as ids where they have names; ``weight`` names an attribute
        of edges.

        >>> import graphwright as gw
        >>> import igraph                                              # doctest: +SKIP
        >>> gw.Graph.from_igraph(igraph.Graph.Ring(5)).num_edges      # doctest: +SKIP
        5
        """
        ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
        weights = None if weight is None else graph.es[weight]
        made = cls.from_edges(ends, weight=weights, vertices=graph.vcount(), directed=graph.is_directed(), loops=True)
        if "name" not in graph.vs.attributes():
            return made
        return cls(made._native, Ids.given(graph.vs["name"]), made.is_directed)

    # To other things

    def to_igraph(self):
        """The graph as ``igraph.Graph``; ids become the attribute ``name``, weights the attribute ``weight``."""
        import igraph

        sources, targets, weights = self._edge_arrays()
        made = igraph.Graph(n=self.num_vertices, edges=np.stack([sources, targets], 1).tolist(), directed=self.is_directed)
        if self._ids is not None:
            made.vs["name"] = self._listed_ids()
        if weights is not None:
            made.es["weight"] = weights.tolist()
        return made

    def to_pandas(self):
        """The edges as a pandas DataFrame with the columns ``source``, ``target`` and, with weights, ``weight``; an undirected edge
        stands there once.

        >>> import graphwright as gw
        >>> gw.Graph.from_edges([("a", "b", 2)]).to_pandas().values.tolist()
        [['a', 'b', 2]]
        """
        import pandas

        return pandas.DataFrame(self._table())

    def to_polars(self):
        """As :meth:`to_pandas`, as a polars DataFrame."""
        import polars

        return polars.DataFrame(for_arrow(self._table()))

    def to_numpy(self):
        """The CSR arrays ``(indptr, indices, weights or None)``, read-only and not copied."""
        return self._native.out_arrays()

    def to_scipy(self):
        """The adjacency as a ``scipy.sparse.csr_array``; its arrays are those of the graph, read-only."""
        from scipy.sparse import csr_array

        indptr, indices, weights = self.to_numpy()
        if weights is None:
            weights = np.ones(len(indices), dtype=np.int8)
        signed = {"uint32": np.int32, "uint64": np.int64}
        fits = len(indices) < 2**31
        indptr = indptr.view(signed[indptr.dtype.name]) if fits or indptr.dtype == np.uint64 else indptr.astype(np.int64)
        size = self.num_vertices
        return csr_array((weights, indices.view(np.int32), indptr), shape=(size, size), copy=False)

    def to_networkx(self, weight="weight"):
        """The graph as ``networkx.Graph`` or ``DiGraph``; weights become the edge attribute ``weight``."""
        import networkx as nx

        graph = nx.DiGraph() if self.is_directed else nx.Graph()
        graph.add_nodes_from(self._listed_ids())
        sources, targets, weights = self._edge_arrays()
        ends = (self._to_ids(sources).tolist(), self._to_ids(targets).tolist())
        if weights is None:
            graph.add_edges_from(zip(*ends))
        else:
            graph.add_weighted_edges_from(zip(*ends, weights.tolist()), weight=weight)
        return graph

    def to_arrow(self):
        """The edges as a ``pyarrow.Table`` with the columns ``source``, ``target`` and, with weights, ``weight``; an
        undirected edge stands there once."""
        import pyarrow

        return pyarrow.table(for_arrow(self._table()))

    def __arrow_c_stream__(self, requested_schema=None):
        """The table of :meth:`to_arrow` for any library that reads Arrow, without pyarrow: ``polars.DataFrame(G)``."""
        from ._arrow import stream

        return stream(self._table())

    def _table(self) -> dict:
        sources, targets, weights = self._edge_arrays()
        columns = {"source": self._to_ids(sources), "target": self._to_ids(targets)}
        if weights is not None:
            columns["weight"] = weights
        return columns

    def write(self, path):
        """Writes the graph to a file; its suffix tells the format (``.gwg``, ``.mtx``, ``.el``, ``.csv``, ...). Vertices are
        written by number."""
        self._native.write(os.fspath(path))

    # What it is

    @property
    def num_vertices(self) -> int:
        """Number of vertices."""
        return self._native.vertices

    @property
    def num_edges(self) -> int:
        """Number of edges; an undirected edge counts once."""
        stored = self._native.edges
        if self._directed:
            return stored
        loops = self._native.loops()
        return (stored - loops) // 2 + loops

    @property
    def is_directed(self) -> bool:
        """Whether edges have a direction."""
        return self._directed

    @property
    def is_weighted(self) -> bool:
        """Whether edges carry weights."""
        return self._native.weight_kind != "none"

    @property
    def ids(self) -> np.ndarray:
        """The id of every vertex, in the order of all result arrays."""
        return np.arange(self.num_vertices) if self._ids is None else self._ids.array()

    @property
    def nbytes(self) -> int:
        """Bytes of memory held."""
        return self._native.bytes

    def vertex(self, id) -> int:
        """The number of the vertex with this id; KeyError when there is none."""
        if self._ids is not None:
            return self._ids.number(id)
        try:
            number = id.__index__()
        except (AttributeError, TypeError):
            raise KeyError(f"{id!r} is not a vertex of the graph") from None
        if not 0 <= number < self.num_vertices:
            raise KeyError(f"{id!r} is not a vertex of the graph: it has {self.num_vertices}, numbered from 0")
        return number

    def neighbors(self, id) -> np.ndarray:
        """The ids of the vertices that edges lead to from a vertex.

        >>> import graphwright as gw
        >>> gw.Graph.from_edges([("a", "b"), ("c", "a")]).neighbors("a").tolist()
        ['b', 'c']
        """
        vertex = self.vertex(id)
        indptr, targets, _ = self.to_numpy()
        return self._to_ids(targets[indptr[vertex] : indptr[vertex + 1]])

    def has_edge(self, source, target) -> bool:
        """Whether there is an edge from one vertex to another; False where one of them is no vertex.

        >>> import graphwright as gw
        >>> G = gw.Graph.from_edges([("a", "b")], directed=True)
        >>> G.has_edge("a", "b"), G.has_edge("b", "a")
        (True, False)
        """
        try:
            vertex, other = self.vertex(source), self.vertex(target)
        except KeyError:
            return False
        indptr, targets, _ = self.to_numpy()
        row = targets[indptr[vertex] : indptr[vertex + 1]]
        at = int(np.searchsorted(row, other))
        return at < len(row) and int(row[at]) == other

    def subgraph(self, ids) -> Graph:
        """The graph of some vertices and the edges between them. Vertices keep their ids; those of a graph without ids have their
        numbers as ids.

        >>> import graphwright as gw
        >>> H = gw.read("path:5").subgraph([1, 2, 4])
        >>> H.ids.tolist(), H.num_edges
        ([1, 2, 4], 1)
        """
        kept = np.unique(np.array([self.vertex(id) for id in ids], dtype=np.int64))
        number = np.full(self.num_vertices, -1, dtype=np.int64)
        number[kept] = np.arange(len(kept))
        indptr, targets, weights = self.to_numpy()
        starts = indptr.astype(np.int64)
        lengths = starts[kept + 1] - starts[kept]
        # The places of the edges of these vertices.
        places = np.repeat(starts[kept] - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
        inside = number[targets[places]] >= 0
        sources = np.repeat(np.arange(len(kept)), lengths)[inside]
        made_indptr = np.concatenate(([0], np.cumsum(np.bincount(sources, minlength=len(kept)))))
        made = Graph.from_numpy(
            made_indptr, number[targets[places]][inside], None if weights is None else weights[places][inside],
            directed=True if self._directed else None,
        )  # fmt: skip
        values = self.ids[kept]
        return Graph(made._native, Ids(values.copy() if self._ids is None or self._ids.is_time else values.tolist()), self._directed)

    @property
    def degrees(self) -> np.ndarray:
        """The out-degree of every vertex."""
        return np.diff(self.to_numpy()[0].astype(np.int64))

    def transpose(self) -> Graph:
        """The graph with all edges reversed; it shares the arrays of this one."""
        if not self._directed:
            return self
        if self._transposed is None:
            self._transposed = Graph(self._native.transposed(), self._ids, True)
        return self._transposed

    def __len__(self) -> int:
        return self.num_vertices

    def __contains__(self, id) -> bool:
        try:
            self.vertex(id)
        except KeyError:
            return False
        return True

    def __repr__(self) -> str:
        kind = "directed" if self._directed else "undirected"
        weights = ", weighted" if self.is_weighted else ""
        return f"<graphwright.Graph: {self.num_vertices:,} vertices, {self.num_edges:,} {kind} edges{weights}>"

    def _repr_html_(self) -> str:
        from ._html import graph_html

        return graph_html(self)

    # Used by the rest of the package

    def _listed_ids(self) -> list:
        return list(range(self.num_vertices)) if self._ids is None else self._ids.listed()

    def _to_ids(self, numbers: np.ndarray) -> np.ndarray:
        return numbers.astype(np.int64) if self._ids is None else self._ids.array()[numbers]

    def _weighs_one(self) -> bool:
        """Whether weights can be left out, since all are 1."""
        if self._weighs is None:
            self._weighs = self._native.weighs_one()
        return self._weighs

    def _sources(self) -> np.ndarray:
        """The source of every stored edge."""
        return np.repeat(np.arange(self.num_vertices, dtype=np.uint32), np.diff(self.to_numpy()[0].astype(np.int64)))

    def _edge_arrays(self):
        _, targets, weights = self.to_numpy()
        sources = self._sources()
        if not self._directed:
            once = sources <= targets
            sources, targets = sources[once], targets[once]
            weights = None if weights is None else weights[once]
        return sources, targets, weights


def read(text) -> Graph:
    """A graph file (``web.mtx.gz``, ``road.gr``, ``links.csv``, ``graph.gwg``, ...) or the spec of a generated graph.

    >>> import graphwright as gw
    >>> gw.read("grid:3x3")
    <graphwright.Graph: 9 vertices, 12 undirected edges>
    """
    native, ids = _native.NativeGraph.read(os.fspath(text))
    return Graph(native, None if ids is None else Ids(ids))


def for_arrow(columns: dict) -> dict:
    """Columns as Arrow takes them: objects as lists, so that what is no text keeps its type."""
    return {name: values.tolist() if values.dtype == object else values for name, values in columns.items()}


def _column(values):
    from ._columns import column

    return column(values)


def _as_table(edges):
    """Tables whose columns cannot be asked for one by one as dictionaries of columns."""
    if "duckdb" not in type(edges).__module__ or not hasattr(edges, "fetchnumpy"):
        return edges
    columns = edges.fetchnumpy()
    for name, values in columns.items():
        if isinstance(values, np.ma.MaskedArray):
            if values.mask.any():
                raise ValueError(f"column {name!r} has missing values, the first in row {int(np.flatnonzero(values.mask)[0])}")
            columns[name] = values.data
    return columns


def _from_arrays(indptr, indices, weights, ids, directed) -> Graph:
    """A graph from a pickle: arrays as :meth:`Graph.to_numpy` gives them, perhaps in memory that processes share."""
    for array in (indptr, indices, weights):
        if array is not None:
            array.flags.writeable = False
    return Graph(_native.NativeGraph.from_csr(indptr, indices, weights, True if directed else None), ids, directed)


def _as_file(native) -> bytes:
    """A graph with its columns as the bytes of a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "graph.gwg")
        native.write(path)
        with open(path, "rb") as file:
            return file.read()


def _from_file(data, ids, directed) -> Graph:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "graph.gwg")
        with open(path, "wb") as file:
            file.write(data)
        return Graph(_native.NativeGraph.read(path)[0].named("the graph"), ids, directed)


def as_graph(graph) -> Graph:
    """Any graph as a :class:`Graph`; one of NetworkX with the edge attribute ``weight``, where an edge has it."""
    if isinstance(graph, Graph):
        return graph
    if isinstance(graph, (str, os.PathLike)):
        return read(graph)
    module = type(graph).__module__
    if module.startswith("scipy.sparse"):
        return Graph.from_scipy(graph)
    if hasattr(graph, "_adj") and hasattr(graph, "is_multigraph"):
        weighted = any("weight" in data for _, _, data in graph.edges(data=True))
        return Graph.from_networkx(graph, weight="weight" if weighted else None)
    if type(graph).__module__.startswith("igraph") and hasattr(graph, "get_edgelist"):
        return Graph.from_igraph(graph, "weight" if "weight" in graph.es.attributes() else None)
    raise TypeError(
        f"a graph is needed, not {type(graph).__name__}: a graphwright.Graph, a graph of NetworkX or igraph, a sparse "
        "matrix of SciPy or the name of a file"
    )


def has_own_edges(graph) -> bool:
    """Whether a subclass of NetworkX's graphs overrides how edges are told, so that its dictionaries are not the graph."""
    import networkx as nx

    kinds = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
    kind = type(graph)
    return kind not in kinds and any(
        all(getattr(kind, name, None) is not getattr(known, name) for known in kinds) for name in ("__getitem__", "adj")
    )


def narrow_weights(weights):
    """Weights as the narrowest of int32, float32, int64 and float64 that holds all of them exactly."""
    weights = np.asarray(weights)
    if weights.dtype.kind == "M":
        # Points in time, in seconds.
        if np.isnat(weights).any():
            raise ValueError(f"the weight of edge {int(np.flatnonzero(np.isnat(weights))[0])} is no point in time")
        weights = weights.astype("datetime64[s]").astype(np.int64)
    if weights.dtype.kind not in "iufb":
        raise TypeError(f"weights must be numbers, not {weights.dtype}")
    if weights.dtype.kind == "f":
        if not np.isfinite(weights).all():
            place = int(np.flatnonzero(~np.isfinite(weights))[0])
            raise ValueError(f"the weight of edge {place} is {weights[place]}; weights must be finite")
        if len(weights) and ((weights == np.trunc(weights)) & (np.abs(weights) <= _MOST)).all():
            return weights.astype(np.int32)
        with np.errstate(all="ignore"):
            narrow = weights.astype(np.float32)
        return narrow if (narrow == weights).all() else weights.astype(np.float64)
    if len(weights) and int(weights.max()) > _MOST_WIDE:
        raise ValueError(f"a weight is larger than {_MOST_WIDE}; change the unit of the weights")
    fits = not len(weights) or max(abs(int(weights.max())), abs(int(weights.min()))) <= _MOST
    return weights.astype(np.int32 if fits else np.int64)


def _in_place(values, what, kinds, copy, otherwise):
    """An array of one of these types that nobody writes to: the array itself, locked, or a copy."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{what}: one dimension is needed, not {array.ndim}")
    usable = array.dtype.name in kinds and array.dtype.isnative and array.flags.c_contiguous and array.flags.aligned
    if not usable:
        if copy is False:
            raise ValueError(f"{what}: an array of {array.dtype} must be converted, and copy=False forbids that")
        if array.dtype.kind not in "iu":
            raise TypeError(f"{what}: integers are needed, not {array.dtype}")
        _check_range(array, what, otherwise)
        made = np.ascontiguousarray(array, dtype=otherwise)
        made = made.copy() if made is array or made.base is not None else made
    elif copy or (copy is None and not _lockable(array)):
        made = array.copy()
    else:
        made = array
        # With copy=False the caller promises that nobody writes: what the array is a view of is locked as well.
        while isinstance(array.base, np.ndarray):
            array = array.base
            array.flags.writeable = False
    if made.dtype.kind == "i" and what != "weights" and len(made) and made.min() < 0:
        raise ValueError(f"{what}: {made.min()} is negative")
    made.flags.writeable = False
    return made


def _check_range(array, what, kind):
    bounds = np.iinfo(kind)
    if len(array) and (array.min() < max(bounds.min, 0) or array.max() > bounds.max):
        found = array.min() if array.min() < 0 else array.max()
        raise ValueError(f"{what}: {found} is {'negative' if found < 0 else 'too large'}")


def _lockable(array) -> bool:
    """Whether nobody can write to the memory of an array once it is locked."""
    view = array
    while isinstance(view.base, np.ndarray):
        if view.base.flags.writeable and _base_references(view) > _ALONE:
            return False
        view = view.base
    return view.base is None or not array.flags.writeable


def _base_references(view) -> int:
    """References to the array that another one is a view of."""
    base = view.base
    return sys.getrefcount(base)


#: What is counted where nobody but the view has the array: versions of Python differ.
_ALONE = _base_references(np.zeros(2)[:1])


def _plain(ends, vertices) -> np.ndarray:
    if ends.dtype.kind not in "iu":
        raise TypeError(f"with vertices= the ids are the numbers of vertices, not {ends.dtype}")
    if len(ends) and (ends.min() < 0 or ends.max() >= vertices):
        wrong = ends.min() if ends.min() < 0 else ends.max()
        raise ValueError(f"{wrong} is not a vertex: vertices={vertices} numbers them from 0 to {vertices - 1}")
    return np.ascontiguousarray(ends, dtype=np.uint32)
