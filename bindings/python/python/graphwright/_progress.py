"""A line that tells people that a long run goes on; nothing where nobody looks."""

from __future__ import annotations

import sys

from ._options import in_notebook

#: Seconds before the line is shown, and between two changes of it.
_PATIENCE, _PERIOD = 1.0, 0.2


class Progress:
    """Called with the seconds so far while a run goes on."""

    def __init__(self, what: str, wanted: bool | None = True):
        self._what = what
        #: None: whether somebody looks is found out when there is something to see.
        self._wanted = wanted
        self._next = _PATIENCE
        self._turn = 0

    def __call__(self, seconds: float) -> None:
        if seconds < self._next:
            return
        if self._wanted is None:
            self._wanted = _is_seen()
        if not self._wanted:
            self._next = float("inf")
            return
        self._next = seconds + _PERIOD
        self._turn += 1
        place = self._turn % 18
        bar = "".join("#" if abs(at - min(place, 18 - place)) < 2 else "." for at in range(10))
        sys.stderr.write(f"\r{self._what} [{bar}] {seconds:.1f} s, Ctrl-C stops ")
        sys.stderr.flush()

    def close(self) -> None:
        """Wipes the line out."""
        if self._turn:
            sys.stderr.write("\r" + " " * 78 + "\r")
            sys.stderr.flush()


def progress(what: str, wanted: bool | None) -> Progress | None:
    """The line for a run, None where it is not wanted; without a wish it is shown in terminals and notebooks."""
    return None if wanted is False else Progress(what, wanted)


def _is_seen() -> bool:
    try:
        return sys.stderr.isatty() or in_notebook()
    except (AttributeError, ValueError):
        return False
