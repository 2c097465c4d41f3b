"""Graphs that change by batches of edges, and results that are kept up to date with them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import _native
from ._graph import Graph, as_graph, narrow_weights
from ._ids import Ids
from ._options import check_threads
from ._program import Program, argument_text, declared_results, standard
from ._progress import progress as progress_line
from ._result import Result


#: The arrays of weights of graphs that change.
_TYPES = {"int": np.int32, "float": np.float32, "int64": np.int64, "double": np.float64}


class Applied(NamedTuple):
    """What a batch did: edges that came, that went, and that have another weight."""

    inserted: int
    deleted: int
    reweighted: int


class DynamicGraph:
    """A graph whose edges come and go in batches.

    Begins without edges, or with those of a graph (:meth:`from_graph`). ``weights`` is None, "int", "float", "int64" or
    "double". Vertices are the numbers 0, 1, 2, ..., and the graph grows to the greatest number that is inserted; with
    ``ids=True`` they have ids of any kind. :meth:`snapshot` gives the graph of the moment, :meth:`follow` a result that is brought up to date.

    >>> import graphwright as gw
    >>> D = gw.DynamicGraph(4)
    >>> D.insert([0, 2], [1, 3])
    Applied(inserted=2, deleted=0, reweighted=0)
    >>> parts = D.follow("cc")
    >>> parts.update().label.tolist()
    [0, 0, 2, 2]
    >>> D.insert([1], [2]).inserted
    1
    >>> parts.update().label.tolist(), parts.how
    ([0, 0, 0, 0], 'updated')
    """

    def __init__(self, vertices: int = 0, *, directed: bool = False, weights: str | None = None, ids: bool = False):
        vertices = _count(vertices)
        if weights is not None and weights not in _TYPES:
            raise ValueError(f'weights: {weights!r} is none of None, "int", "float", "int64" and "double"')
        if ids and vertices:
            raise ValueError("with ids=True vertices come with their edges: leave vertices out")
        self._set(_native.NativeDynamic(vertices, bool(directed), weights or "none"), directed, {} if ids else None)

    def _set(self, native, directed, known):
        self._native = native
        self._directed = bool(directed)
        #: Id to number, in the order of numbers; None where vertices are numbers.
        self._known = known
        #: Batches before the pickle that this graph comes from.
        self._before = 0

    @classmethod
    def from_graph(cls, graph) -> DynamicGraph:
        """A graph that changes, with the vertices, edges and ids of another one, which stays as it is.

        >>> import graphwright as gw
        >>> D = gw.DynamicGraph.from_graph(gw.Graph.from_edges([("ann", "bob"), ("bob", "cyd")]))
        >>> D.delete(["bob"], ["ann"]).deleted, D.insert(["cyd"], ["dan"]).inserted
        (1, 1)
        >>> D.snapshot().ids.tolist()
        ['ann', 'bob', 'cyd', 'dan']
        """
        graph = as_graph(graph)
        made = cls.__new__(cls)
        known = None if graph._ids is None else dict(zip(graph._listed_ids(), range(graph.num_vertices)))
        made._set(_native.NativeDynamic.from_graph(graph._native, graph.is_directed), graph.is_directed, known)
        return made

    # Changes

    def insert(self, source, target, weight=None, *, on_repeat: str = "replace") -> Applied:
        """Inserts edges in one batch: arrays or lists of their ends, and of their weights where the graph has some.
        ``on_repeat`` says what becomes of the weight of an edge that is there: "keep", "replace", "least" or "sum".

        >>> import graphwright as gw
        >>> D = gw.DynamicGraph(weights="int")
        >>> D.insert([0, 0], [1, 2], [5, 7])
        Applied(inserted=2, deleted=0, reweighted=0)
        >>> D.insert([0], [1], [2], on_repeat="sum").reweighted
        1
        """
        kind = self._native.weight_kind
        if (weight is None) != (kind == "none"):
            raise ValueError("the graph has no weights" if kind == "none" else f"the graph needs {kind} weights: weight=")
        weights = None
        if weight is not None:
            weights = narrow_weights(np.atleast_1d(np.asarray(weight)))
            if kind in ("int", "int64") and weights.dtype.kind == "f":
                raise ValueError('the graph has whole weights, and these have fractions: DynamicGraph(weights="double")')
            if kind == "int" and weights.dtype != np.int32:
                raise ValueError('these weights have more than 32 bits: DynamicGraph(weights="int64")')
            weights = np.ascontiguousarray(weights, dtype=_TYPES[kind])
            weights.flags.writeable = False
        sources, targets = self._ends(source, target, grow=True, weights=weights)
        return Applied(*self._native.insert(sources, targets, weights, on_repeat))

    def delete(self, source, target) -> Applied:
        """Deletes edges in one batch; those that are not there are passed over."""
        return Applied(*self._native.delete(*self._ends(source, target, grow=False)))

    def isolate(self, vertex) -> Applied:
        """Takes all edges of a vertex away."""
        return Applied(*self._native.isolate(self.vertex(vertex)))

    def grow(self, vertices: int) -> None:
        """Adds vertices without edges until there are so many."""
        if self._known is not None:
            raise ValueError("vertices with ids come with their edges")
        self._native.grow(_count(vertices))

    def _ends(self, source, target, grow, weights=None):
        """The numbers of both ends of edges; new ids get numbers where the graph may grow."""
        if self._known is None:
            ends = [_numbers(source, "source"), _numbers(target, "target")]
            most = max((int(end.max()) for end in ends if len(end)), default=-1)
            if not grow and most >= self.num_vertices:
                raise KeyError(f"{most} is not a vertex of the graph: it has {self.num_vertices}, numbered from 0")
        else:
            ends = [_listed(source), _listed(target)]
        if len(ends[0]) != len(ends[1]):
            raise ValueError(f"there are {len(ends[0])} sources but {len(ends[1])} targets")
        if weights is not None and len(weights) != len(ends[0]):
            raise ValueError(f"there are {len(ends[0])} edges but {len(weights)} weights")
        if self._known is None:
            return [np.ascontiguousarray(end, dtype=np.uint32) for end in ends]
        if not grow:
            return [np.array([self.vertex(id) for id in ids], dtype=np.uint32) for ids in ends]
        before = len(self._known)
        try:
            # Both ends of an edge before those of the next, as in Graph.from_edges.
            both = [None] * (2 * len(ends[0]))
            both[0::2], both[1::2] = ends
            numbered = _native.number_objects(both, self._known)
            self._native.grow(len(self._known))
        except BaseException:
            while len(self._known) > before:
                self._known.popitem()
            raise
        return [np.ascontiguousarray(numbered[first::2]) for first in (0, 1)]

    # What it is

    @property
    def num_vertices(self) -> int:
        """Number of vertices."""
        return self._native.vertices

    @property
    def num_edges(self) -> int:
        """Number of edges; an undirected edge counts once."""
        stored, loops = self._native.edges
        return stored if self._directed else (stored - loops) // 2 + loops

    @property
    def is_directed(self) -> bool:
        """Whether edges have a direction."""
        return self._directed

    @property
    def is_weighted(self) -> bool:
        """Whether edges carry weights."""
        return self._native.weight_kind != "none"

    @property
    def version(self) -> int:
        """Number of batches so far."""
        return self._before + self._native.version

    @property
    def nbytes(self) -> int:
        """Bytes of memory held."""
        return self._native.bytes

    def vertex(self, id) -> int:
        """The number of the vertex with this id; KeyError when there is none."""
        if self._known is None:
            try:
                number = id.__index__()
            except (AttributeError, TypeError):
                raise KeyError(f"{id!r} is not a vertex of the graph") from None
            if 0 <= number < self.num_vertices:
                return number
            raise KeyError(f"{id!r} is not a vertex of the graph: it has {self.num_vertices}, numbered from 0")
        try:
            return self._known[id]
        except (KeyError, TypeError):
            raise KeyError(f"{id!r} is not a vertex of the graph") from None

    def snapshot(self) -> Graph:
        """The graph as it is now, for every algorithm; later batches do not change it. Costs no copy of edges."""
        return self._graph(self._native.snapshot())

    def _graph(self, native) -> Graph:
        ids = None
        if self._known is not None:
            values = list(self._known)[: native.vertices]
            ids = Ids(values, dict(zip(values, range(len(values)))))
        return Graph(native, ids, self._directed)

    def follow(
        self, program, *, update: Program | None = None, device: str = "cpu", schedule: str | None = None, threads: int = 0,
        **arguments,
    ) -> Follower:  # fmt: skip
        """A result that is brought up to date when asked for: of the standard programs "cc", "bfs", "bfs-levels", "sssp",
        "pagerank-delta", "tc", "triangles", "kcore" and "ktruss", or of a :class:`Program` with an ``update`` of your own.
        ``arguments`` are those of the program, such as ``source=``.

        >>> import graphwright as gw
        >>> D = gw.DynamicGraph.from_graph(gw.read("path:5"))
        >>> hops = D.follow("bfs-levels", source=0)
        >>> hops.update().level.tolist()
        [0, 1, 2, 3, 4]
        >>> _ = D.insert([0], [4])
        >>> hops.update().level.tolist()
        [0, 1, 2, 2, 1]
        """
        return Follower(self, program, update, device, schedule, threads, arguments)

    def __reduce__(self):
        # Batches count on from here; followers stay with the graph that they follow.
        return _restored, (self.snapshot(), self._native.weight_kind, self._known, self.version)

    def __len__(self) -> int:
        return self.num_vertices

    def __repr__(self) -> str:
        kind = "directed" if self._directed else "undirected"
        weights = ", weighted" if self.is_weighted else ""
        counts = f"{self.num_vertices:,} vertices, {self.num_edges:,} {kind} edges{weights}"
        return f"<graphwright.DynamicGraph: {counts}, version {self.version}>"


class Follower:
    """A result of a :class:`DynamicGraph` that is kept up to date; made by :meth:`DynamicGraph.follow`."""

    def __init__(self, graph, program, update, device, schedule, threads, arguments):
        native = program._native if isinstance(program, Program) else standard(str(program).replace("_", "-"))
        about = _about(native.name) if native.is_standard else None
        if about is not None and about["needs_symmetric"] and graph.is_directed:
            raise ValueError(f"{native.name} needs an undirected graph")
        if about is not None and about["needs_weights"] and not graph.is_weighted:
            raise ValueError(f"{native.name} needs a graph with weights")
        if update is not None and not isinstance(update, Program):
            raise TypeError(f"update: a graphwright.Program is needed, not {type(update).__name__}")
        threads = check_threads(threads)
        self._graph = graph
        self._program = native
        texts = _positions(native, about, graph, arguments)
        given = None if update is None else update._native
        self._native = _native.NativeFollower(graph._native, native, given, texts, device, threads, schedule)
        #: How the last result came about: "updated" from the one before, "first", or "again" from scratch.
        self.how: str | None = None

    def update(self, *, verify: bool = False, timeout: float | None = None, progress: bool | None = None) -> Result:
        """The result on the graph as it is now. The first call, and one after a failed or interrupted update, runs the program
        from scratch. Its arrays are copies, which later updates do not change."""
        shown = progress_line(self._program.name, progress)
        try:
            outcome, self.how, native = self._native.update(timeout, verify, shown)
        finally:
            if shown is not None:
                shown.close()
        names, vertex_valued, edge_valued = declared_results(self._program)
        if names is None:
            names = tuple(name for name, _ in outcome.names)
        lengths = ("dist",) if self._program.name in ("sssp", "sssp-delta", "sssp-real") else ()
        return Result(self._graph._graph(native), outcome, names, vertex_valued, edge_valued, lengths)

    def __repr__(self) -> str:
        return f"<graphwright.Follower: {self._program.name} of {self._graph!r}>"


def _restored(graph, kind, known, version) -> DynamicGraph:
    """A graph from a pickle."""
    made = DynamicGraph.__new__(DynamicGraph)
    native = _native.NativeDynamic.from_graph(graph._native, graph.is_directed)
    if native.weight_kind != kind:
        # A graph without edges does not show the type of its weights.
        native = _native.NativeDynamic(graph.num_vertices, graph.is_directed, kind)
    made._set(native, graph.is_directed, known)
    made._before = version - native.version
    return made


def _about(name):
    return next(program for program in _native.standard_programs() if program["name"] == name)


def _positions(native, about, graph, arguments) -> list[str]:
    """Arguments by name as the texts behind the graph, in their order."""
    if about is None:
        if arguments:
            raise TypeError(f"a program of your own takes no arguments here, but {next(iter(arguments))!r} is given")
        return []
    known = [(name, default) for name, _, default in about["arguments"] if name != "graph"]
    unknown = arguments.keys() - {name for name, _ in known}
    if unknown:
        names = ", ".join(name for name, _ in known) or "none"
        raise TypeError(f"{native.name} has no argument {sorted(unknown)[0]!r}; it has {names}")
    texts = []
    for name, default in known:
        if name not in arguments:
            if default is None:
                raise TypeError(f"{native.name} needs the argument {name}=")
            texts.append(default)
        elif name in ("source", "target", "landmark"):
            texts.append(str(graph.vertex(arguments[name])))
        else:
            texts.append(argument_text(arguments[name]))
    return texts


def _count(vertices) -> int:
    try:
        number = vertices.__index__()
    except (AttributeError, TypeError):
        raise TypeError(f"vertices: a whole number is needed, not {vertices!r}") from None
    if number < 0:
        raise ValueError(f"vertices: {number} is negative")
    return number


def _listed(ids) -> list:
    if isinstance(ids, str):
        raise TypeError("a list of ids is needed, not one text: put it into a list")
    return ids.tolist() if hasattr(ids, "tolist") else list(ids)


def _numbers(values, what) -> np.ndarray:
    array = np.atleast_1d(np.asarray(values))
    if not len(array):
        return np.empty(0, dtype=np.uint32)
    if array.ndim != 1:
        raise ValueError(f"{what}: one dimension is needed, not {array.ndim}")
    if array.dtype.kind not in "iu":
        raise TypeError(f"{what}: numbers of vertices are needed, not {array.dtype}; DynamicGraph(ids=True) takes any ids")
    if array.min() < 0:
        raise ValueError(f"{what}: {array.min()} is negative")
    if int(array.max()) > 2**31 - 2:
        raise ValueError(f"{what}: {array.max()} is too large for a vertex")
    return array
