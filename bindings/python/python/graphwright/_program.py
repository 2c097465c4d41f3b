"""Programs: the standard ones and those of the user."""

from __future__ import annotations

import os
from functools import cache

import numpy as np

from . import _native
from ._graph import Graph, as_graph
from ._options import settle
from ._progress import progress
from ._result import Result


class Program:
    """A program in Graphwright's language: a text, or the path of a ``.gt`` file (``Program(path=...)``).

    Arguments of :meth:`run` have the names of the variables that the program reads from ``argv``; the graph is ``argv[1]``.
    A NumPy array as argument fills the global vector of its name when the program calls ``receive()``, which it declares with
    ``extern func receive();``. Errors show the line.

    Paths in ``use "moves.gt";`` begin at the folder of the file; for a text they begin at ``folder=``. Modules of the standard
    library, as in ``use std.search;``, can be used everywhere.

    >>> import graphwright as gw
    >>> degrees = gw.Program('''
    ... element Vertex end
    ... element Edge end
    ... const edges : edgeset{Edge}(Vertex, Vertex) = load(argv[1]);
    ... const degree : vector{Vertex}(int) = edges.getOutDegrees();
    ... func main() end
    ... ''')
    >>> degrees.run(gw.read("star:4")).degree.tolist()
    [3, 1, 1, 1]
    """

    def __init__(self, text: str | None = None, *, path=None, name: str = "program", folder=None):
        if (text is None) == (path is None):
            raise TypeError("a program is given by its text or by path=, one of the two")
        if path is not None and folder is not None:
            raise TypeError("folder= goes with a text: what a file uses begins at the folder of the file")
        if path is not None:
            self._native = _native.NativeProgram.open(os.path.basename(path), os.fspath(path))
        else:
            self._native = _native.NativeProgram.parse(name, text, None if folder is None else os.fspath(folder))

    @property
    def name(self) -> str:
        """The name in messages."""
        return self._native.name

    @property
    def text(self) -> str:
        """The text."""
        return self._native.text

    def run(self, graph, *, seed: int = 1, **arguments) -> Result:
        """Runs the program on a graph. Options of every run (``device=``, ``schedule=``, ``verify=``, ``timeout=``,
        ``threads=``, ``trace=``, ``progress=``) can be given beside the arguments of the program."""
        from ._options import DEFAULTS

        options = {name: arguments.pop(name) for name in list(arguments) if name in DEFAULTS}
        options.setdefault("schedule", None)
        return run(self._native, as_graph(graph), arguments, options, seed)

    def __repr__(self) -> str:
        return f"<graphwright.Program {self.name}>"


@cache
def standard(name: str):
    """A standard program."""
    return _native.NativeProgram.find(name)


@cache
def packaged(name: str):
    """A program that comes with this package: the file ``programs/NAME.gt``."""
    path = os.path.join(os.path.dirname(__file__), "programs", name + ".gt")
    return _native.NativeProgram.open(name, path)


def run(program, graph: Graph, arguments: dict, options: dict, seed: int = 1) -> Result:
    """Runs a native program; vertices among the arguments are numbers already."""
    return Result(graph, *run_native(program, graph._native, arguments, options, seed))


def run_native(program, native, arguments: dict, options: dict, seed: int = 1):
    """As :func:`run` for a native graph: the outcome, the names of its results, those whose entries are vertices, and those with an
    entry per edge."""
    options = settle(options)
    texts: list[tuple[str, str | _native.NativeGraph]] = []
    inputs: dict[str, np.ndarray] = {}
    for name, value in arguments.items():
        if isinstance(value, np.ndarray):
            inputs[name] = np.ascontiguousarray(value, dtype=np.float64).ravel()
        elif isinstance(value, Graph):
            texts.append((name, value._native))
        else:
            texts.append((name, argument_text(value)))
    shown = progress(program.name, options["progress"])
    try:
        outcome = native.run(
            program, texts, inputs, options["device"], options["schedule"], options["timeout"], options["threads"],
            seed, bool(options["trace"]), bool(options["verify"]), shown,
        )  # fmt: skip
    finally:
        if shown is not None:
            shown.close()
    names, vertex_valued, edge_valued = declared_results(program)
    if names is None:
        order = ("vector", "scalar", "set")
        names = [name for name, _ in sorted(outcome.names, key=lambda found: order.index(found[1]))]
    return outcome, names, vertex_valued, edge_valued


def declared_results(program):
    """The names of the results of a standard program (None for others), those whose entries are vertices, and those with an entry per
    edge."""
    return _results_of(program.name) if program.is_standard else (None, frozenset(), frozenset(program.edge_valued))


@cache
def _results_of(name: str):
    results = standard(name).results
    over_edges = frozenset(name for name, kind, *_ in results if kind.startswith("edge vector"))
    return tuple(name for name, *_ in results), frozenset(name for name, *_, holds in results if holds), over_edges


def argument_text(value) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "1" if value else "0"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return format(number, ".17f").rstrip("0") if 1e-15 < abs(number) < 1e15 else repr(number)
    if isinstance(value, str):
        return value
    raise TypeError(f"an argument of a program is a number, a text, a graph or an array, not {type(value).__name__}")
