"""Columns of edges out of whatever holds them: NumPy, pandas, polars, pyarrow, anything with an Arrow stream, or pairs."""

from __future__ import annotations

import numpy as np


def edge_columns(edges, source, target, weight):
    """The columns (source, target, weight or None) of ``edges`` as arrays."""
    if isinstance(edges, (tuple, list)) and len(edges) in (2, 3) and all(map(_is_column, edges)):
        columns = [column(one) for one in edges]
        return columns[0], columns[1], columns[2] if len(columns) == 3 else None
    names = _names(edges)
    if names is not None:
        picked = [_pick(names, source, 0, "source"), _pick(names, target, 1, "target")]
        found = [column(_column_of(edges, name)) for name in picked]
        if weight is None:
            return found[0], found[1], None
        return found[0], found[1], column(_column_of(edges, _pick(names, weight, 2, "weight")))
    if isinstance(edges, np.ndarray):
        if edges.ndim != 2 or edges.shape[1] not in (2, 3):
            raise ValueError(f"an array of edges has the shape (edges, 2) or (edges, 3), not {edges.shape}")
        return edges[:, 0], edges[:, 1], edges[:, 2] if edges.shape[1] == 3 else None
    return _rows(edges)


def column(values) -> np.ndarray:
    """One column as an array; without a copy where that is possible."""
    if isinstance(values, np.ndarray):
        made = values
    elif hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        made = _from_arrow(values)
    elif hasattr(values, "to_numpy"):
        made = values.to_numpy()
    else:
        made = np.asarray(values)
    if made.ndim != 1:
        raise ValueError(f"a column has one dimension, not {made.ndim}")
    return made


def _from_arrow(values) -> np.ndarray:
    if hasattr(values, "to_numpy"):
        try:
            made = values.to_numpy()
        except (TypeError, ValueError):
            made = np.asarray(values)
    else:
        try:
            import pyarrow
        except ImportError:
            raise TypeError(f"{type(values).__name__} gives Arrow data, for which pyarrow is needed") from None
        stream = pyarrow.chunked_array(values) if hasattr(values, "__arrow_c_stream__") else pyarrow.array(values)
        made = stream.to_numpy()
    if made.dtype.kind == "f" and _has_nulls(values):
        raise ValueError("a column has missing values")
    return made


def _has_nulls(values) -> bool:
    count = getattr(values, "null_count", 0)
    return bool(count() if callable(count) else count)


def _is_column(values) -> bool:
    if isinstance(values, np.ndarray):
        return values.ndim == 1
    return hasattr(values, "to_numpy") or hasattr(values, "__arrow_c_array__")


def _names(table):
    for attribute in ("column_names", "columns"):
        names = getattr(table, attribute, None)
        if names is not None and not callable(names):
            return list(names)
    if isinstance(table, dict):
        return list(table)
    if hasattr(table, "__arrow_c_stream__") and not hasattr(table, "to_numpy"):
        import pyarrow

        return pyarrow.table(table).column_names
    return None


def _column_of(table, name):
    try:
        return table[name]
    except TypeError:
        import pyarrow

        return pyarrow.table(table)[name]


def _pick(names, wanted, place, what):
    if wanted is None:
        if len(names) <= place:
            raise ValueError(f"the table has {len(names)} columns: there is none for {what}")
        return names[place]
    if wanted not in names:
        raise KeyError(f"the table has no column {wanted!r} ({what}=); its columns are {', '.join(map(str, names))}")
    return wanted


def _rows(edges):
    rows = [tuple(edge) for edge in edges]
    widths = set(map(len, rows))
    if not rows:
        empty = np.empty(0, dtype=np.int64)
        return empty, empty, None
    if len(widths) != 1 or not widths <= {2, 3}:
        raise ValueError("edges are pairs (source, target) or triples (source, target, weight), all alike")
    columns = list(zip(*rows))
    ends = [_object_column(part) for part in columns[:2]]
    return ends[0], ends[1], np.asarray(columns[2]) if len(columns) == 3 else None


def _object_column(values) -> np.ndarray:
    if all(type(value) is int for value in values):
        try:
            return np.array(values, dtype=np.int64)
        except OverflowError:
            pass
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made
