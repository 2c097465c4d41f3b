"""What a run gives back."""

from __future__ import annotations

from functools import cache

import numpy as np

from . import _native


@cache
def _not_over_vertices() -> frozenset:
    """The results of standard programs without an entry per vertex, as pairs of program and result."""
    programs = _native.standard_programs()
    pairs = ((program["name"], name, kind) for program in programs for name, kind, _ in program["results"])
    return frozenset((program, name) for program, name, kind in pairs if kind.startswith(("edge vector", "list")))


class Result:
    """The results of a run: arrays and numbers by name, and how the run went.

    Results are attributes and entries: ``r.rank``, ``r["rank"]``. Arrays have one entry per vertex in the order of
    ``r.graph.ids`` and are read-only; entries that are vertices are their numbers. :meth:`to_dict` and :meth:`to_pandas` use the ids
    of the user for both.

    >>> import graphwright as gw
    >>> r = gw.bfs_levels(gw.read("path:4"), 0)
    >>> r.level.tolist(), r.depth, r.seconds >= 0
    ([0, 1, 2, 3], 3, True)
    """

    def __init__(self, graph, outcome, names, vertex_valued=()):
        self.graph = graph
        self._outcome = outcome
        self._names = names
        self._vertex_valued = vertex_valued
        self._values: dict = {}

    def __getitem__(self, name):
        if name not in self._names:
            raise KeyError(f"{name!r} is no result of {self.program}; the results are {', '.join(self._names)}")
        if name not in self._values:
            value = self._outcome.get(name)
            if isinstance(value, np.ndarray) and (self.program, name) not in _not_over_vertices():
                vertices = self.graph.num_vertices
                if vertices and len(value) != vertices and len(value) % vertices == 0:
                    value = value.reshape(vertices, -1)
            self._values[name] = value
        return self._values[name]

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
        return self.graph.ids[np.asarray(vertices, dtype=np.int64)].tolist()

    def to_dict(self, name: str | None = None) -> dict:
        """A result as ``{id: value}``; the first array without a name."""
        values = self.values if name is None else self[name]
        name = name or next(key for key in self._names if isinstance(self[key], np.ndarray))
        return dict(zip(self.graph._listed_ids(), self._by_id(name, values).tolist()))

    def to_pandas(self):
        """All arrays as a pandas DataFrame indexed by the ids of vertices."""
        import pandas

        return pandas.DataFrame(self._columns(), index=pandas.Index(self.graph.ids, name="vertex"))

    def to_arrow(self):
        """All arrays as a ``pyarrow.Table`` with the ids in the column ``vertex``."""
        import pyarrow

        return pyarrow.table({"vertex": self.graph.ids, **self._columns()})

    def _columns(self) -> dict:
        sets = {name for name, kind in self._outcome.names if kind == "set"}
        arrays = {name: self[name] for name in self._names if name not in sets and isinstance(self[name], np.ndarray)}
        fitting = {name: array for name, array in arrays.items() if array.shape == (self.graph.num_vertices,)}
        return {name: self._by_id(name, array) for name, array in fitting.items()}

    def _by_id(self, name, array):
        if name not in self._vertex_valued or self.graph._ids is None:
            return array
        ids = self.graph.ids
        found = np.empty(len(array), dtype=object)
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
