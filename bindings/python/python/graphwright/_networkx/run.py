"""Runs for the functions of the backend."""

from __future__ import annotations

import networkx as nx
import numpy as np

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


def sssp(graph: Graph, negative: bool):
    """The program for shortest paths that fits the weights, and its arguments. With ``negative`` false, negative weights
    are refused."""
    least = graph._native.least_weight or 0
    if least < 0 and not negative:
        raise NotImplementedError("negative weights: NetworkX decides what they mean")
    if least < 0:
        return "sssp", {}
    return "sssp-delta", {"delta": good_delta(graph)}


def distances(graph: Graph, source: int, negative: bool = False):
    """Lengths of shortest paths as an array, ``inf`` or the greatest integer out of reach; and a mask of what is in
    reach."""
    program, arguments = sssp(graph, negative)
    found = outcome(standard(program), graph, source=source, **arguments)
    if program != "sssp-delta" and found.get("negative_cycle"):
        raise nx.NetworkXUnbounded("Negative cycle detected.")
    if found.get("too_long"):
        found = outcome(standard("sssp-real"), graph, source=source)
    lengths = found.get("dist")
    whole = lengths.dtype.kind == "i"
    return lengths, (lengths != np.iinfo(lengths.dtype).max) if whole else np.isfinite(lengths)


def sweep(graph: Graph, program, output: str, numbers: np.ndarray, form: str, arguments=None) -> np.ndarray:
    """Runs a program from many vertices."""
    return _sweep(graph, program, output, numbers, options(), arguments, form, numbered=True)


def reach(graph: Graph, numbers: np.ndarray, weights: bool) -> np.ndarray:
    """Per source: vertices reached, sum of distances, sum of their reciprocals, greatest distance."""
    if not weights:
        return sweep(graph, "bfs-levels", "level", numbers, "reach")
    program, arguments = sssp(graph, negative=False)
    try:
        return sweep(graph, program, "dist", numbers, "reach", arguments)
    except ProgramError as error:
        if not is_overflow(error):
            raise
        return sweep(graph, "sssp-real", "dist", numbers, "reach")


def everyone(g: BackendGraph) -> np.ndarray:
    """The numbers of all nodes."""
    return np.arange(len(g), dtype=np.uint32)


def no_function(weight) -> bool | str:
    """Whether weights are an attribute, which can be converted, rather than a function."""
    return "weights are a function" if callable(weight) else True


__all__ = ["BEFORE_3_5", "algorithm", "distances", "everyone", "levels", "no_function", "outcome", "packaged", "reach", "sssp", "standard", "sweep"]
