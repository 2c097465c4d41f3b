"""Options that every run takes, and the devices that runs can be on."""

from __future__ import annotations

import sys
from operator import index

from . import _native

#: Options of a run and their defaults. ``device``: "auto", "cpu", "cuda" or "reference"; ``schedule``: "auto" (the machine
#: chooses for the graph), "adaptive", a schedule text or file, None for the program's own; ``verify``: check the result;
#: ``timeout``: seconds; ``threads``: 0 for all cores; ``trace``: keep a record of every step, None for "in notebooks".
DEFAULTS = {
    "device": "auto",
    "schedule": "auto",
    "verify": False,
    "timeout": None,
    "threads": 0,
    "trace": None,
    "progress": None,
}

#: More threads than any machine has cores.
_MOST_THREADS = 1024

#: Without a wish of the caller.
_USUAL, _IN_NOTEBOOKS = {**DEFAULTS, "trace": False}, {**DEFAULTS, "trace": True}


def settle(options: dict) -> dict:
    """All options of a run; TypeError for one that does not exist."""
    if not options:
        return _IN_NOTEBOOKS if in_notebook() else _USUAL
    unknown = options.keys() - DEFAULTS.keys()
    if unknown:
        raise TypeError(f"unknown option {sorted(unknown)[0]!r}; the options of every run are {', '.join(DEFAULTS)}")
    settled = {**DEFAULTS, **options}
    if settled["device"] == "gpu":
        raise ValueError('device: "gpu" is called "cuda" here')
    if settled["trace"] is None:
        settled["trace"] = in_notebook()
    settled["threads"] = check_threads(settled["threads"])
    return settled


def check_threads(threads) -> int:
    """The number of threads as an integer of Python; ValueError for one that nobody can have."""
    try:
        number = index(threads)
    except TypeError:
        number = -1
    if not 0 <= number <= _MOST_THREADS:
        raise ValueError(f"threads: a whole number from 0 (all cores) to {_MOST_THREADS} is needed, not {threads!r}")
    return number


def in_notebook() -> bool:
    """Whether results are shown by Jupyter."""
    return "ipykernel" in sys.modules


def devices() -> dict[str, str]:
    """The devices that runs can be on: what each is, or why it cannot be used here.

    >>> import graphwright as gw
    >>> "cpu" in gw.devices()
    True
    """
    return {name: about if lacks is None else f"not usable: {lacks}" for name, about, lacks in _native.devices()}
