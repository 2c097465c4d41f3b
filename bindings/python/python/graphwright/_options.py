"""Options that every run takes, and the devices that runs can be on."""

from __future__ import annotations

import sys

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


def settle(options: dict) -> dict:
    """All options of a run; TypeError for one that does not exist."""
    unknown = options.keys() - DEFAULTS.keys()
    if unknown:
        raise TypeError(f"unknown option {sorted(unknown)[0]!r}; the options are {', '.join(DEFAULTS)}")
    settled = {**DEFAULTS, **options}
    if settled["trace"] is None:
        settled["trace"] = in_notebook()
    if not isinstance(settled["threads"], int) or settled["threads"] < 0:
        raise ValueError(f"threads: a whole number from 0 on is needed, not {settled['threads']!r}")
    return settled


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
