"""What a run gives back."""

from __future__ import annotations

from functools import cache

import numpy as np

from . import _native
from ._kept import KeptOutcome


@cache
def _not_over_vertices() -> frozenset:
    """The results of standard programs without an entry per vertex, as pairs of program and result."""
    programs = _native.standard_programs()
    pairs = ((program["name"], name, kind) for program in programs for name, kind, _ in program["results"])
    return frozenset((program, name) for program, name, kind in pairs if kind.startswith(("edge vector", "list")))


@cache
def _of_edges() -> frozenset:
    """The results of standard programs with an entry per edge, as pairs of program and result."""
    programs = _native.standard_programs()
    pairs = ((program["name"], name, kind) for program in programs for name, kind, _ in program["results"])
    return frozenset((program, name) for program, name, kind in pairs if kind.startswith("edge vector"))


#: Results of edges that differ between the two directions of an undirected edge.
_DIRECTED = {("maxflow", "flow"), ("bc-edges", "centrality"), ("bc-weighted", "edge_centrality")}


def as_lengths(value):
    """Lengths of paths as ``float64``, out of reach as ``inf``."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f":
            return value if value.dtype == np.float64 else _locked(value.astype(np.float64))
        made = value.astype(np.float64)
        made[value == np.iinfo(value.dtype).max] = np.inf
        return _locked(made)
    if isinstance(value, int):
        return float("inf") if value in (2**31 - 1, 2**63 - 1) else float(value)
    return value


def _locked(array):
    array.flags.writeable = False
    return array


def _as_column(values) -> np.ndarray:
    """A list of ids as an array: numbers as numbers, others as objects."""
    if all(type(value) is int for value in values):
        try:
            return np.array(values, dtype=np.int64)
        except OverflowError:
            pass
    if values and all(isinstance(value, (np.datetime64, np.timedelta64)) for value in values):
        return np.array(values)
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


class Result:
    """The results of a run: arrays and numbers by name, and how the run went.

    Results are attributes and entries: ``r.rank``, ``r["rank"]``. Arrays have one entry per vertex in the order of
    ``r.graph.ids``, or one per stored edge in the order of ``r.graph.to_numpy()``, and are read-only; entries that are vertices are
    their numbers. :meth:`to_dict` and :meth:`to_pandas` use the ids of the user for all of them, and name the ends of edges. Lengths of
    paths are ``float64``, out of reach is ``inf``, whatever the type of the weights; :meth:`exact` has them as they were computed.

    >>> import graphwright as gw
    >>> r = gw.bfs_levels(gw.read("path:4"), 0)
    >>> r.level.tolist(), r.depth, r.seconds >= 0
    ([0, 1, 2, 3], 3, True)
    """

    def __init__(self, graph, outcome, names, vertex_valued=(), edge_valued=(), lengths=()):
        self.graph = graph
        self._outcome = outcome
        self._names = names
        self._vertex_valued = vertex_valued
        self._edge_valued = edge_valued
        self._lengths = lengths
        self._values: dict = {}

    def __reduce__(self):
        kept = KeptOutcome.of(self._outcome, self._names)
        return Result, (self.graph, kept, self._names, self._vertex_valued, self._edge_valued, self._lengths)

    def _with_lengths(self, *names) -> Result:
        """The result, these of its values shown as lengths."""
        self._lengths = frozenset(names)
        self._values.clear()
        return self

    def __getitem__(self, name):
        if name not in self._names:
            raise KeyError(f"{name!r} is no result of {self.program}; the results are {', '.join(self._names)}")
        if name not in self._values:
            value = self._outcome.get(name)
            if isinstance(value, np.ndarray) and self._is_over_vertices(name):
                vertices = self.graph.num_vertices
                if vertices and len(value) != vertices and len(value) % vertices == 0:
                    value = value.reshape(vertices, -1)
            self._values[name] = as_lengths(value) if name in self._lengths else value
        return self._values[name]

    def exact(self, name: str):
        """A value as it was computed: lengths over whole weights are integers, the greatest of their type out of reach.

        >>> import graphwright as gw
        >>> G = gw.Graph.from_edges([(0, 1, 4), (2, 3, 1)])
        >>> gw.sssp(G, 0).dist.tolist(), gw.sssp(G, 0).exact("dist").tolist()
        ([0.0, 4.0, inf, inf], [0, 4, 2147483647, 2147483647])
        """
        return self._outcome.get(name) if name in self._lengths else self[name]

    def _is_over_vertices(self, name) -> bool:
        return name not in self._edge_valued and (self.program, name) not in _not_over_vertices()

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(str(error.args[0])) from None

    def __dir__(self):
        return sorted({*super().__dir__(), *self._names})

    def keys(self) -> list[str]:
        """The names of the results."""
        return list(self._names)

    def __iter__(self):
        return iter(self._names)

    def __len__(self):
        return len(self._names)

    @property
    def values(self) -> np.ndarray:
        """The first array among the results."""
        for name in self._names:
            value = self[name]
            if isinstance(value, np.ndarray):
                return value
        raise AttributeError(f"{self.program} has no array among its results")

    def __array__(self, dtype=None, copy=None):
        array = self.values
        if dtype is not None and dtype != array.dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    @property
    def seconds(self) -> float:
        """Seconds that the run took; choosing a schedule and compiling are in :attr:`times`."""
        times = self._outcome.times
        return times["run"] if times["device"] is None else times["device"]

    @property
    def times(self) -> dict:
        """Seconds by part: load, compile, run, device."""
        return self._outcome.times

    @property
    def steps(self) -> int:
        """Calls of operators."""
        return self._outcome.steps

    @property
    def schedule(self) -> str:
        """The schedule of the run."""
        return self._outcome.schedule

    @property
    def program(self) -> str:
        """The name of the program."""
        return self._outcome.program

    @property
    def device(self) -> str:
        """The device of the run."""
        return self._outcome.machine

    @property
    def notes(self) -> list[str]:
        """What was not as given, such as a directed graph taken as undirected."""
        return self._outcome.notes

    @property
    def printed(self) -> str:
        """What the program printed."""
        return self._outcome.printed

    @property
    def trace(self) -> list[dict]:
        """A record per step, for a run with ``trace=True`` (the default in notebooks)."""
        names = ("label", "operator", "vertices_in", "vertices_out", "edges", "schedule", "seconds")
        return [dict(zip(names, step)) for step in self._outcome.trace]

    def verify(self) -> Result:
        """Checks the result of a standard program; VerificationError when it is wrong."""
        self._outcome.verify()
        return self

    def path_to(self, target) -> tuple | None:
        """A shortest path from the source of a search to a vertex, as its length and the ids of its vertices; None where there is
        none. Of several it is the one with the fewest edges, then the one with the least vertex numbers from the source on.

        >>> import graphwright as gw
        >>> roads = gw.Graph.from_edges([("a", "b", 3), ("b", "c", 4), ("a", "c", 9)])
        >>> gw.sssp(roads, "a").path_to("c")
        (7, ['a', 'b', 'c'])
        """
        found = self._outcome.path(self.graph.vertex(target))
        return None if found is None else (found[0], self._ids_of(found[1]))

    def parents(self) -> np.ndarray:
        """The vertex before each on a shortest path from the source of a search; the source is its own parent, vertices out of
        reach have -1."""
        return self._outcome.parents()

    def paths(self) -> list[tuple]:
        """The paths of :func:`k_shortest_paths`, as pairs of a length and the ids of the vertices."""
        return [(length, self._ids_of(vertices)) for length, vertices in self._outcome.paths()]

    def _ids_of(self, vertices) -> list:
        found = self.graph.ids[np.asarray(vertices, dtype=np.int64)]
        return list(found) if found.dtype.kind in "mM" else found.tolist()

    def to_dict(self, name: str | None = None) -> dict:
        """A result as ``{id: value}``, one of edges as ``{(source, target): value}``; the first array without a name.

        >>> import graphwright as gw
        >>> G = gw.Graph.from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
        >>> gw.ktruss(G).to_dict()
        {('a', 'b'): 3, ('a', 'c'): 3, ('b', 'c'): 3, ('c', 'd'): 2}
        """
        name = name or next((key for key in self._names if isinstance(self[key], np.ndarray)), None)
        values = self.values if name is None else self[name]
        if not isinstance(values, np.ndarray):
            raise TypeError(f"{name!r} is the number {values!r}, with nothing to name its entries by")
        if name in self._edge_valued:
            sources, targets, (values,) = self._edge_rows([name])
            return dict(zip(zip(sources, targets), values.tolist()))
        if not self._is_over_vertices(name):
            raise TypeError(f"{name!r} is a list, neither of vertices nor of edges")
        return dict(zip(self.graph._listed_ids(), self._by_id(name, values).tolist()))

    def to_pandas(self, of: str | None = None):
        """All arrays of vertices as a pandas DataFrame indexed by their ids. Rows of numbers become a column per number. With
        ``of="edges"``, and for results that have arrays of edges alone, the arrays of edges beside the columns ``source`` and ``target``:
        an undirected edge stands there once, but where its two directions may differ (flows and betweenness) twice.

        >>> import graphwright as gw
        >>> gw.ktruss(gw.Graph.from_edges([("a", "b"), ("b", "c")])).to_pandas().values.tolist()
        [['a', 'b', 2], ['b', 'c', 2]]
        """
        import pandas

        if self._wants(of) == "edges":
            return pandas.DataFrame(self._edge_table())
        columns: dict = {}
        for name, values in self._columns().items():
            flat = {name: values} if values.ndim == 1 else {f"{name}_{at}": part for at, part in enumerate(values.T)}
            columns.update(flat)
        return pandas.DataFrame(columns, index=pandas.Index(self.graph.ids, name="vertex"))

    def to_arrow(self, of: str | None = None):
        """As :meth:`to_pandas`, as a ``pyarrow.Table`` with the ids in the column ``vertex``; rows of numbers are lists."""
        import pyarrow

        return pyarrow.table(self._table(of))

    def to_polars(self, of: str | None = None):
        """As :meth:`to_pandas`, as a polars DataFrame with the ids in the column ``vertex``; rows of numbers are lists."""
        import polars

        return polars.DataFrame(self._table(of))

    def __arrow_c_stream__(self, requested_schema=None):
        """The table of :meth:`to_arrow` for any library that reads Arrow, without pyarrow: ``polars.DataFrame(r)``."""
        from ._arrow import stream

        return stream(self._edge_table() if self._wants(None) == "edges" else {"vertex": self.graph.ids, **self._columns()})

    def _table(self, of) -> dict:
        from ._graph import for_arrow

        if self._wants(of) == "edges":
            return for_arrow(self._edge_table())
        columns = {name: values if values.ndim == 1 else values.tolist() for name, values in self._columns().items()}
        ids = for_arrow({"vertex": self.graph.ids})["vertex"]
        return {"vertex": ids, **{n: v.tolist() if getattr(v, "dtype", None) == object else v for n, v in columns.items()}}

    def _wants(self, of) -> str:
        if of not in (None, "vertices", "edges"):
            raise ValueError(f'of: {of!r} is none of "vertices" and "edges"')
        if of == "edges" and not self._edge_valued:
            raise ValueError(f"{self.program} has no result of edges")
        return of or ("edges" if self._edge_valued and not self._columns() else "vertices")

    def _edge_table(self) -> dict:
        names = [name for name in self._names if name in self._edge_valued]
        sources, targets, columns = self._edge_rows(names)
        return {"source": _as_column(sources), "target": _as_column(targets), **dict(zip(names, columns))}

    def _edge_rows(self, names):
        """The ids of both ends of edges as lists, and the values of these results, in the order of the CSR arrays."""
        graph, count = self.graph, len(self[names[0]])
        if graph._native.edges != count:
            # The program took a directed graph as undirected.
            graph = type(graph)(graph._native.symmetrised(), graph._ids, False)
        sources, targets = graph._sources(), graph.to_numpy()[1]
        if len(sources) != count:
            raise ValueError(f"{self.program} has {count} values for the {len(sources)} edges of the graph")
        keep = slice(None)
        if not graph.is_directed and not _DIRECTED & {(self.program, name) for name in names} and self._is_standard():
            keep = sources <= targets
        ends = [graph._to_ids(end[keep]) for end in (sources, targets)]
        ends = [list(end) if end.dtype.kind in "mM" else end.tolist() for end in ends]
        return *ends, [self[name][keep] for name in names]

    def _is_standard(self) -> bool:
        return any(program == self.program for program, _ in _of_edges())

    def _columns(self) -> dict:
        sets = {name for name, kind in self._outcome.names if kind == "set"}
        arrays = {name: self[name] for name in self._names if name not in sets and isinstance(self[name], np.ndarray)}
        count = self.graph.num_vertices
        fitting = {name: array for name, array in arrays.items() if self._is_over_vertices(name) and len(array) == count}
        return {name: self._by_id(name, array) for name, array in fitting.items()}

    def _by_id(self, name, array):
        if name not in self._vertex_valued or self.graph._ids is None:
            return array
        ids = self.graph.ids
        found = np.empty(array.shape, dtype=object)
        inside = array >= 0
        found[inside] = ids[array[inside]]
        found[~inside] = None
        return found

    def __repr__(self) -> str:
        parts = []
        for name in self._names:
            value = self[name]
            shown = f"{value.dtype}{list(value.shape)}" if isinstance(value, np.ndarray) else f"{value!r}"
            parts.append(f"{name}={shown}")
        how = f"{self.seconds * 1e3:.3g} ms, {self.steps} steps, {self.device}"
        return f"<{self.program}: {', '.join(parts)}; {how}>"

    def _repr_html_(self) -> str:
        from ._html import result_html

        return result_html(self)
