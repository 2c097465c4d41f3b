"""Columns as Arrow wants them, out of arrays of NumPy: what `__arrow_c_stream__` gives."""

from __future__ import annotations

import numpy as np

from . import _native

#: The formats of Arrow for the types of NumPy.
_FORMATS = {
    "int8": "c", "uint8": "C", "int16": "s", "uint16": "S", "int32": "i", "uint32": "I", "int64": "l", "uint64": "L",
    "float32": "f", "float64": "g",
}  # fmt: skip
_UNITS = {"s": "s", "ms": "m", "us": "u", "ns": "n"}


def stream(columns: dict):
    """The capsule of a table: arrays by name, of numbers, truth values, points in time, texts, or rows of numbers."""
    parts = [_column(str(name), values) for name, values in columns.items()]
    count = parts[0][2] if parts else 0
    return _native.arrow_stream(("", "+s", count, 0, [None], parts))


def _column(name: str, values) -> tuple:
    values = np.asarray(values)
    if values.ndim == 2:
        rows, width = values.shape
        return name, f"+w:{width}", rows, 0, [None], [_column("item", np.ascontiguousarray(values).reshape(-1))]
    kind, count = values.dtype, len(values)
    if kind == bool:
        return name, "b", count, 0, [None, _locked(np.packbits(values, bitorder="little"))], []
    if kind.name in _FORMATS and kind.isnative:
        return name, _FORMATS[kind.name], count, 0, [None, _locked(values)], []
    if kind.kind == "M":
        unit = np.datetime_data(kind)[0]
        if unit not in _UNITS:
            values, unit = values.astype("datetime64[s]"), "s"
        return name, f"ts{_UNITS[unit]}:", count, 0, [None, _locked(values.view(np.int64))], []
    return _objects(name, values.tolist())


def _objects(name: str, values: list) -> tuple:
    present = [value is not None for value in values]
    nulls = len(values) - sum(present)
    known = [value for value in values if value is not None]
    if all(type(value) is int for value in known) and known:
        numbers = np.array([0 if value is None else value for value in values], dtype=np.int64)
        return name, "l", len(values), nulls, [_bits(present, nulls), _locked(numbers)], []
    if not all(isinstance(value, str) for value in known):
        found = ", ".join(sorted({type(value).__name__ for value in known}))
        raise TypeError(f"column {name!r} holds {found}: Arrow takes columns of one type; to_pandas() takes any")
    texts = [b"" if value is None else value.encode() for value in values]
    ends = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in texts], out=ends[1:])
    data = np.frombuffer(b"".join(texts) or b"\0", dtype=np.uint8)
    return name, "U", len(values), nulls, [_bits(present, nulls), _locked(ends), _locked(data)], []


def _bits(present, nulls):
    return _locked(np.packbits(np.array(present, dtype=bool), bitorder="little")) if nulls else None


def _locked(array: np.ndarray) -> np.ndarray:
    """The array, contiguous, under a view that cannot be written to."""
    array = np.ascontiguousarray(array)
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array
