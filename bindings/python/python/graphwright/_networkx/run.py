"""Runs for the functions of the backend."""

from __future__ import annotations

import networkx as nx
import numpy as np

from .. import _native
from .._graph import Graph
from .._native import ProgramError
from .._program import packaged, run_native, standard
from ..algorithms import good_delta, is_overflow
from ..algorithms import sweep as _sweep
from .graph import BackendGraph, config


#: NetworkX before 3.5 scales sampled betweenness otherwise, and gives an iterator of lengths to a target.
BEFORE_3_5 = tuple(int(part) for part in nx.__version__.split(".")[:2] if part.isdigit()) < (3, 5)


def algorithm(can_run=None):
    """Declares a function of the backend; ``can_run`` says why it cannot take arguments, or True."""

    def declared(function):
        function.can_run = can_run or (lambda *args, **kwargs: True)
        return function

    return declared


def options() -> dict:
    """Options of every run."""
    return {"device": getattr(config(), "device", "auto"), "trace": False}


def outcome(program, graph: Graph, **arguments):
    """Runs a program: a standard one by its name, or one of this package."""
    return run_native(program, graph._native, arguments, options())[0]


def levels(graph: Graph, source: int) -> np.ndarray:
    """Hops from a vertex, -1 out of reach."""
    return outcome(standard("bfs-levels"), graph, source=source).get("level")


def is_negative(graph: Graph) -> bool:
    """Whether an edge has a negative weight."""
    return (graph._native.least_weight or 0) < 0


def distances(graph: Graph, sources, negative: bool = False, targets=None, end=None, cutoff=None):
    """Lengths of shortest paths from the nearest of some vertices as an array, and a mask of what is in reach.

    Negative weights mean what they mean in the method of Bellman and Ford with ``negative``, else in Dijkstra's, which
    finds a contradiction or not depending on the order of visits: ``targets`` are the targets of all edges in the order of
    NetworkX, ``end`` is the vertex at which it ends, ``cutoff`` the length beyond which it does not go."""
    if is_negative(graph) and not negative:
        return _dijkstra(graph, sources, targets, end, cutoff)
    lengths, inside = _from_one(graph, sources[0])
    for source in sources[1:]:
        others, there = _from_one(graph, source)
        lengths = np.where(inside & there, np.minimum(lengths, others), np.where(there, others, lengths))
        inside = inside | there
    return lengths, inside


def _from_one(graph: Graph, source: int):
    program, arguments = ("sssp", {}) if is_negative(graph) else ("sssp-delta", {"delta": good_delta(graph)})
    found = outcome(standard(program), graph, source=source, **arguments)
    if program == "sssp" and found.get("negative_cycle"):
        raise nx.NetworkXUnbounded("Negative cycle detected.")
    if found.get("too_long"):
        if graph._native.weight_kind != "int":
            raise NotImplementedError("lengths that do not fit 64 bits")
        return _from_one(long_weights(graph), source)
    lengths = found.get("dist")
    whole = lengths.dtype.kind == "i"
    return lengths, (lengths != np.iinfo(lengths.dtype).max) if whole else np.isfinite(lengths)


def long_weights(graph: Graph) -> Graph:
    """The graph with weights of 64 bits."""
    return Graph(_native.with_long_weights(graph._native))


def _dijkstra(graph: Graph, sources, targets, end, cutoff):
    """Dijkstra's search with negative weights: a ValueError where NetworkX has one, else shortest paths."""
    whole = graph._native.weight_kind in ("int", "int64")
    numbers = np.array(sources, dtype=np.uint32)
    try:
        order, found, _ = _native.ordered_dijkstra(graph._native, targets, numbers, end, cutoff, whole)
    except OverflowError as error:
        raise NotImplementedError(str(error)) from None
    lengths = np.zeros(graph.num_vertices, dtype=found.dtype)
    inside = np.zeros(graph.num_vertices, dtype=bool)
    lengths[order], inside[order] = found, True
    return lengths, inside


def sweep(graph: Graph, program, output: str, numbers: np.ndarray, form: str, arguments=None) -> np.ndarray:
    """Runs a program from many vertices."""
    return _sweep(graph, program, output, numbers, options(), arguments, form, numbered=True)


def reach(graph: Graph, numbers: np.ndarray, weights: bool) -> np.ndarray:
    """Per source: vertices reached, sum of distances, sum of their reciprocals, greatest distance; integers as they are
    where reals do not hold them."""
    if not weights:
        return sweep(graph, "bfs-levels", "level", numbers, "reach")
    if not is_negative(graph) and graph._native.weight_kind != "int64":
        try:
            return sweep(graph, "sssp-delta", "dist", numbers, "reach", {"delta": good_delta(graph)})
        except ProgramError as error:
            if not is_overflow(error):
                raise
    return np.array([_figures(*distances(graph, [number])) for number in numbers.tolist()], dtype=object)


def _figures(lengths, inside) -> tuple:
    found = lengths[inside]
    # Integers of Python: sums of many may be beyond 64 bits.
    total = sum(found.tolist()) if found.dtype.kind == "i" else found.sum().item()
    return len(found), total, (1.0 / found[found != 0]).sum().item(), found.max().item()


def everyone(g: BackendGraph) -> np.ndarray:
    """The numbers of all nodes."""
    return np.arange(len(g), dtype=np.uint32)


def no_function(weight) -> bool | str:
    """Whether weights are an attribute, which can be converted, rather than a function."""
    return "weights are a function" if callable(weight) else True


__all__ = [
    "BEFORE_3_5", "algorithm", "distances", "everyone", "is_negative", "levels", "no_function", "outcome", "packaged",
    "reach", "standard", "sweep",
]  # fmt: skip
