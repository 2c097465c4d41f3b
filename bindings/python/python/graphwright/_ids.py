"""The ids of a user and the numbers 0, 1, 2, ... of vertices."""

from __future__ import annotations

import numpy as np

from . import _native


class Ids:
    """The id of every vertex. Without ids of their own, vertices are their numbers."""

    def __init__(self, values, numbers: dict | None = None):
        if isinstance(values, np.ndarray) and values.flags.writeable:
            # The look-up table stands on this array: nobody else may write to it.
            values = values.copy() if values.base is not None else values
            values.flags.writeable = False
        self.values = values
        self._numbers = numbers
        self._array: np.ndarray | None = None

    @classmethod
    def given(cls, ids) -> Ids:
        """The ids that a user gives, one per vertex and each once."""
        values = ids.copy() if isinstance(ids, np.ndarray) else list(ids)
        if isinstance(values, np.ndarray) and values.ndim != 1:
            raise ValueError(f"ids: one dimension is needed, not {values.ndim}")
        made = cls(values)
        if len(made.numbers) != len(values):
            seen: set = set()
            twice = next(id for id in made.listed() if id in seen or seen.add(id))
            raise ValueError(f"ids: {twice!r} is given twice")
        return made

    def __len__(self) -> int:
        return len(self.values)

    def __reduce__(self):
        return Ids, (self.values,)

    @property
    def is_time(self) -> bool:
        """Whether ids are points in time or lengths of time, of one unit."""
        return isinstance(self.values, np.ndarray) and self.values.dtype.kind in "mM"

    @property
    def numbers(self) -> dict:
        """The number of each id; of ids in time by their count of units."""
        if self._numbers is None:
            listed = self.values.view(np.int64).tolist() if self.is_time else self.listed()
            self._numbers = dict(zip(listed, range(len(listed))))
        return self._numbers

    def number(self, vertex) -> int:
        """The number of a vertex; KeyError when there is none."""
        found = self.find(vertex)
        if found is None:
            raise KeyError(f"{vertex!r} is not a vertex of the graph")
        return found

    def find(self, vertex) -> int | None:
        """The number of a vertex, None when there is none."""
        try:
            return self.numbers.get(self._units(vertex) if self.is_time else vertex)
        except TypeError:
            return None

    def _units(self, vertex):
        kind = self.values.dtype
        try:
            time = vertex.to_datetime64() if hasattr(vertex, "to_datetime64") else kind.type(vertex)
            units = time.astype(kind)
        except (TypeError, ValueError, AttributeError):
            return None
        return int(units.astype(np.int64)) if units == time else None

    def listed(self) -> list:
        """All ids as a list."""
        if self.is_time:
            return list(self.values)
        return self.values.tolist() if isinstance(self.values, np.ndarray) else self.values

    def array(self) -> np.ndarray:
        """All ids as an array that cannot be written to."""
        if isinstance(self.values, np.ndarray):
            return self.values
        if self._array is None:
            made = np.empty(len(self.values), dtype=object)
            made[:] = self.values
            made.flags.writeable = False
            self._array = made
        return self._array


class Coded:
    """A column as numbers of its distinct values: what categorical columns and dictionaries of Arrow are."""

    def __init__(self, codes, labels):
        self.codes = np.asarray(codes)
        self.labels = labels if isinstance(labels, list) else list(labels)

    def __len__(self) -> int:
        return len(self.codes)

    def objects(self) -> np.ndarray:
        """The column as an array of objects; None where a value is missing."""
        made = np.empty(len(self.labels) + 1, dtype=object)
        made[:-1] = self.labels
        return made[self.codes]


def number_pairs(source, target):
    """Numbers for the two ends of edges, their count, and the ids (None when ids are 0, 1, ..., n - 1)."""
    if isinstance(source, Coded) and isinstance(target, Coded):
        return _by_codes(source, target)
    source, target = (end.objects() if isinstance(end, Coded) else end for end in (source, target))
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
    if source.dtype.kind == target.dtype.kind and source.dtype.kind in "mM":
        return _by_time(source, target)
    return _by_objects(source, target)


def _by_time(source, target):
    kind = np.result_type(source, target)
    for what, ends in (("source", source), ("target", target)):
        if np.isnat(ends).any():
            raise ValueError(f"the {what} of edge {int(np.flatnonzero(np.isnat(ends))[0])} is missing: NaT")
    units = [np.ascontiguousarray(ends.astype(kind)).view(np.int64) for ends in (source, target)]
    source, target, ids = _native.number_integers(*units)
    return source, target, len(ids), Ids(ids.view(kind).copy())


def _by_codes(source: Coded, target: Coded):
    """Vertices in the order in which their ids occur, the source of an edge before its target; unused labels are none."""
    for what, ends in (("source", source), ("target", target)):
        missing = np.flatnonzero(ends.codes < 0) if ends.codes.dtype.kind == "i" else ()
        if len(missing):
            raise ValueError(f"the {what} of edge {int(missing[0])} is missing")
    known: dict = {}
    places = [
        np.array([known.setdefault(label, len(known)) for label in ends.labels], dtype=np.int64) for ends in (source, target)
    ]
    codes = [places[at][ends.codes] if len(ends) else np.empty(0, dtype=np.int64) for at, ends in enumerate((source, target))]
    labels, count = list(known), len(codes[0])
    never = 2 * count
    first = np.full(len(labels), never, dtype=np.int64)
    for end in (1, 0):
        own = np.full(len(labels), never, dtype=np.int64)
        # Backwards: what is assigned last stays, and that is the first edge with this label.
        own[codes[end][::-1]] = np.arange(count - 1, -1, -1) * 2 + end
        first = np.minimum(first, own)
    order = np.argsort(first, kind="stable")[: int((first < never).sum())]
    number = np.zeros(len(labels), dtype=np.uint32)
    number[order] = np.arange(len(order), dtype=np.uint32)
    ids = [labels[at] for at in order.tolist()]
    return number[codes[0]], number[codes[1]], len(ids), Ids(ids)


def _by_objects(source, target):
    listed = source.tolist(), target.tolist()
    if len(listed[0]) == len(listed[1]):
        texts = _native.number_texts(*listed)
        if texts is not None:
            return texts[0], texts[1], len(texts[2]), Ids(texts[2])
    numbers: dict = {}
    ends = [None] * (2 * len(source))
    ends[0::2], ends[1::2] = listed
    numbered = _native.number_objects(ends, numbers)
    ids = Ids(list(numbers), numbers)
    return np.ascontiguousarray(numbered[0::2]), np.ascontiguousarray(numbered[1::2]), len(numbers), ids


def number_among(source, target, vertices):
    """As :func:`number_pairs`, where the vertices are these ids, isolated ones too."""
    ids = Ids.given(vertices)
    found = []
    for what, ends in (("source", source), ("target", target)):
        listed = (ends.objects() if isinstance(ends, Coded) else ends).tolist()
        numbers = [ids.find(id) for id in listed]
        if None in numbers:
            raise ValueError(f"the {what} {listed[numbers.index(None)]!r} is not among vertices=")
        found.append(np.array(numbers, dtype=np.uint32))
    plain = ids.values.dtype.kind in "iu" if isinstance(ids.values, np.ndarray) else all(type(id) is int for id in ids.values)
    plain = plain and ids.listed() == list(range(len(ids)))
    return found[0], found[1], len(ids), None if plain else ids
