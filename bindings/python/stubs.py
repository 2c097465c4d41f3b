"""Writes what type checkers know of the functions of the package: `python stubs.py` writes `algorithms.pyi` and `__init__.pyi`.

A class per result says which fields it has and of which types; options of every run are named, so that a checker refuses a
misspelt one. A test compares the files with what this script makes of the package.
"""

import importlib
import inspect
import keyword
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "python" / "graphwright"

#: The types of entries and numbers.
ENTRIES = {
    "int": "np.int32", "uint": "np.uint32", "int_64": "np.int64", "uint_64": "np.uint64", "float": "np.float32",
    "double": "np.float64", "bool": "np.bool_", "weight": "Any",
}  # fmt: skip
NUMBERS = {"int": "int", "uint": "int", "int_64": "int", "uint_64": "int", "float": "float", "double": "float", "bool": "bool", "weight": "float",
           "weight_64": "float"}  # fmt: skip

#: Values that functions show as lengths, whatever the type of the weights.
LENGTHS = {"dist": "NDArray[np.float64]", "distance": "float"}

#: The types of arguments by name, and of those without a better one by their defaults.
ARGUMENTS = {
    "G": "GraphLike", "source": "Any", "target": "Any", "landmark": "Any", "sink": "Any", "sources": "Iterable[Any] | None",
    "weights": "bool | None", "k": "int | None", "seed": "int", "delta": "float | None", "pivots": "int | None", "tail": "int | None",
    "since": "Any", "until": "Any", "duration": "Any", "hops": "int", "count": "int", "tolerance": "float", "damping": "float",
    "resolution": "float", "alpha": "float", "p": "float", "q": "float", "output": "str", "options": "Unpack[Options]",
}  # fmt: skip

#: Functions that give arrays.
ARRAYS = {"betweenness": "NDArray[np.float64]"}

#: Functions under other names than their programs.
PROGRAMS = {"components": "cc-fast"}

#: Functions that give a matrix for several sources.
MATRICES = {"bfs": "NDArray[np.int32]", "bfs_levels": "NDArray[np.int32]", "sssp": "NDArray[np.float64]"}

HEAD = '''"""Types of the functions of the package; written by stubs.py."""

import os
from collections.abc import Iterable
from typing import Any, TypedDict, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Unpack

from ._graph import Graph
from ._result import Result

GraphLike = Graph | str | os.PathLike[str] | Any

class Options(TypedDict, total=False):
    """The options of every run."""

    device: str
    schedule: str | None
    verify: bool
    timeout: float | None
    threads: int
    trace: bool | None
    progress: bool | None

def programs() -> list[dict[str, Any]]: ...
'''


def field(name: str, kind: str) -> str:
    if name in LENGTHS:
        return LENGTHS[name]
    if kind.startswith(("vector of ", "edge vector of ", "list of ", "rows of ")):
        return f"NDArray[{ENTRIES.get(kind.split()[-1], 'Any')}]"
    return NUMBERS.get(kind, "Any")


def result_class(name: str, program: dict) -> str:
    import graphwright

    lines = [f"class {name}(Result):", f'    """What `{program["name"]}` gives."""', ""]
    for output, kind, _ in program["results"]:
        # What a result has itself comes first: such fields are entries only, as in `r["steps"]`.
        if not keyword.iskeyword(output) and not hasattr(graphwright.Result, output):
            lines.append(f"    {output}: {field(output, kind)}")
    return "\n".join(lines) + "\n"


def argument(parameter: inspect.Parameter) -> str:
    default = parameter.default
    known = ARGUMENTS.get(parameter.name)
    if known is None:
        known = {bool: "bool", int: "int", float: "float", str: "str"}.get(type(default), "Any")
    if default is None and "None" not in known and known != "Any":
        known += " | None"
    star = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
    return f"{star}{parameter.name}: {known}" + ("" if default is parameter.empty else f" = {default!r}")


def signature(name: str, function, leave_out=(), required=()) -> str:
    parts, starred = [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in leave_out:
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        if parameter.name in required:
            parameter = parameter.replace(default=parameter.empty)
        parts.append(argument(parameter))
    return f"def {name}({', '.join(parts)})"


def algorithms_stub() -> str:
    import graphwright

    about = {program["name"]: program for program in graphwright.programs()}
    classes, functions = [], []
    for name in graphwright._ALGORITHMS:
        if name == "programs":
            continue
        function = getattr(graphwright, name)
        program = about.get(PROGRAMS.get(name, name.replace("_", "-")))
        made = ARRAYS.get(name)
        if made is None:
            made = "".join(part.capitalize() for part in name.split("_")) + "Result"
            classes.append(result_class(made, program))
        if name in MATRICES:
            one = signature(name, function, {"sources"}, {"source"}).replace("source: Any", "source: Any")
            many = signature(name, function, {"source"}, {"sources"}).replace("Iterable[Any] | None", "Iterable[Any]")
            functions += [f"@overload\n{one} -> {made}: ...", f"@overload\n{many} -> {MATRICES[name]}: ..."]
        else:
            functions.append(f"{signature(name, function)} -> {made}: ...")
    return HEAD + "\n" + "\n".join(classes) + "\n" + "\n".join(functions) + "\n"


def package_stub() -> str:
    import graphwright

    lines = ['"""What ``import graphwright`` offers; the names are loaded when they are first used. Written by stubs.py."""', ""]
    modules = sorted(name for name, place in graphwright._PLACES.items() if place == f".{name}")
    lines += [f"from . import {name} as {name}" for name in modules]
    places = sorted((place, name) for name, place in graphwright._PLACES.items() if place != f".{name}")
    lines += [f"from {place} import {name} as {name}" for place, name in places]
    lines += ["", "__all__ = [", *(f'    "{name}",' for name in graphwright.__all__), "]"]
    return "\n".join(lines) + "\n"


#: Classes and functions of modules beside the algorithms.
MODULES = {
    "_graph": (["Graph"], ["read"]),
    "_result": (["Result"], []),
    "_dynamic": (["Applied", "DynamicGraph", "Follower"], []),
    "_program": (["Program"], []),
    "_options": ([], ["devices"]),
    "cluster": (["Leiden", "Louvain"], []),
    "scanpy": ([], ["leiden", "louvain"]),
    "lab": (["Lab"], ["open"]),
}

#: Methods with a name of Python's own that users call.
SPECIAL = (
    "__init__", "__len__", "__contains__", "__getitem__", "__getattr__", "__iter__", "__array__", "__arrow_c_stream__", "__enter__",
    "__exit__",
)  # fmt: skip

#: What is given where no annotation says it.
GIVEN = {
    "from_numpy": "Graph", "from_scipy": "Graph", "from_edges": "Graph", "from_networkx": "Graph", "from_igraph": "Graph",
    "with_vertices": "Graph", "write": "None", "__init__": "None",
    "to_numpy": "tuple[NDArray[Any], NDArray[np.uint32], NDArray[Any] | None]",
    "__array__": "NDArray[Any]", "__iter__": "Iterator[str]", "__len__": "int", "__exit__": "None",
}  # fmt: skip

#: Annotations of the source that name too little.
FULLER = {
    "np.ndarray": "NDArray[Any]", "list": "list[Any]", "dict": "dict[Any, Any]", "tuple | None": "tuple[float, list[Any]] | None",
    "list[tuple]": "list[tuple[float, list[Any]]]", "list[dict]": "list[dict[str, Any]]", "_Communities": "Self",
}  # fmt: skip

MODULE_HEAD = '''"""Types of this module; written by stubs.py."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

'''


def annotated(name: str, function, indent: str = "", first: str = "") -> str:
    """A function with its annotations, and with those of this script where it has none."""
    parts, kinds = [], set()
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in ("self", "cls"):
            parts.append(parameter.name)
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not kinds & {parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL}:
            parts.append("*")
        kinds.add(parameter.kind)
        kind = parameter.annotation if isinstance(parameter.annotation, str) else "Any"
        star = {parameter.VAR_KEYWORD: "**", parameter.VAR_POSITIONAL: "*"}.get(parameter.kind, "")
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        parts.append(f"{star}{parameter.name}: {FULLER.get(kind, kind)}{default}")
    given = inspect.signature(function).return_annotation
    given = given if isinstance(given, str) else GIVEN.get(name, "Any")
    return f"{first}{indent}def {name}({', '.join(parts)}) -> {FULLER.get(given, given)}: ...\n"


def class_text(kind: type) -> str:
    if issubclass(kind, tuple):
        fields = "".join(f"    {name}: int\n" for name in kind._fields)
        return f"class {kind.__name__}(NamedTuple):\n{fields}\n"
    members: dict = {}
    for each in reversed(kind.__mro__[:-1]):
        members.update(vars(each))
    lines = [f"class {kind.__name__}:\n"]
    if kind.__name__ in ("Leiden", "Louvain"):
        lines.append("    labels_: NDArray[np.int64]\n    n_clusters_: int\n    modularity_: float\n")
    if kind.__name__ == "Result":
        lines.append("    graph: Graph\n")
    if kind.__name__ == "Follower":
        lines.append("    how: str | None\n")
    for name, member in members.items():
        if name.startswith("_") and name not in SPECIAL:
            continue
        if isinstance(member, property):
            lines.append(annotated(name, member.fget, "    ", "    @property\n"))
        elif isinstance(member, classmethod):
            lines.append(annotated(name, member.__func__, "    ", "    @classmethod\n"))
        elif inspect.isfunction(member):
            lines.append(annotated(name, member, "    "))
    return "".join(lines) + "\n"


def module_stub(name: str) -> str:
    module = importlib.import_module(f"graphwright.{name}")
    classes, functions = MODULES[name]
    text = "".join(class_text(getattr(module, one)) for one in classes)
    text += "".join(annotated(one, getattr(module, one)) for one in functions)
    text = text.replace("Ids | None", "Any")
    others = [(place, one) for place, (own, _) in MODULES.items() for one in own if place != name]
    imports = "".join(f"from .{place} import {one}\n" for place, one in others if re.search(rf"\b{one}\b", text))
    return MODULE_HEAD + (imports + "\n" if imports else "") + text + "\ndef __getattr__(name: str) -> Any: ...\n"


def stubs() -> dict[str, str]:
    """The files and their texts."""
    made = {"algorithms.pyi": algorithms_stub(), "__init__.pyi": package_stub()}
    return made | {f"{name}.pyi": module_stub(name) for name in MODULES}


if __name__ == "__main__":
    for file, text in stubs().items():
        (FOLDER / file).write_text(text)
        print(f"{file}: {len(text.splitlines())} lines", file=sys.stderr)
