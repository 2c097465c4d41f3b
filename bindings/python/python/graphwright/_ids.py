"""The ids of a user and the numbers 0, 1, 2, ... of vertices."""

from __future__ import annotations

import numpy as np

from . import _native


class Ids:
    """The id of every vertex. Without ids of their own, vertices are their numbers."""

    def __init__(self, values, numbers: dict | None = None):
        self.values = values
        self._numbers = numbers

    @property
    def numbers(self) -> dict:
        """The number of each id."""
        if self._numbers is None:
            listed = self.values.tolist() if isinstance(self.values, np.ndarray) else self.values
            self._numbers = dict(zip(listed, range(len(listed))))
        return self._numbers

    def number(self, vertex) -> int:
        """The number of a vertex; KeyError when there is none."""
        try:
            return self.numbers[vertex]
        except (KeyError, TypeError):
            raise KeyError(f"{vertex!r} is not a vertex of the graph") from None

    def array(self) -> np.ndarray:
        """All ids as an array."""
        if isinstance(self.values, np.ndarray):
            return self.values
        made = np.empty(len(self.values), dtype=object)
        made[:] = self.values
        return made


def number_pairs(source, target):
    """Numbers for the two ends of edges, and the ids (None when ids are 0, 1, ..., n - 1)."""
    if source.dtype.kind in "iub" and target.dtype.kind in "iub":
        for ends in (source, target):
            if ends.dtype == np.uint64 and len(ends) and ends.max() > np.iinfo(np.int64).max:
                return _by_objects(source, target)
        numbered = _native.number_integers(
            np.ascontiguousarray(source, dtype=np.int64), np.ascontiguousarray(target, dtype=np.int64)
        )
        source, target, ids = numbered
        plain = len(ids) == 0 or (ids[0] == 0 and ids[-1] == len(ids) - 1)
        return source, target, len(ids), None if plain else Ids(ids)
    if source.dtype.kind == "f" or target.dtype.kind == "f":
        raise TypeError("ids of vertices are floating-point numbers; convert the columns to integers or strings first")
    return _by_objects(source, target)


def _by_objects(source, target):
    numbers: dict = {}
    ends = [None] * (2 * len(source))
    ends[0::2], ends[1::2] = source.tolist(), target.tolist()
    numbered = _native.number_objects(ends, numbers)
    ids = Ids(list(numbers), numbers)
    return np.ascontiguousarray(numbered[0::2]), np.ascontiguousarray(numbered[1::2]), len(numbers), ids
