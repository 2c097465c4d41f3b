"""Columns of edges out of whatever holds them: NumPy, pandas, polars, pyarrow, anything with an Arrow stream, or pairs."""

from __future__ import annotations

import datetime

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


def kept_columns(table, wanted, used):
    """The columns of a table that a graph keeps: name, kind, values, rows without a value, and texts. ``wanted`` is True for
    all columns but those that are ``used`` already, the names of some, or a dict of columns."""
    if wanted is None or wanted is False:
        return []
    if isinstance(wanted, dict):
        return [_kept(name, values) for name, values in wanted.items()]
    names = _names(table)
    if names is None:
        raise TypeError('the edges have no names of columns: give columns={"name": values}')
    if wanted is True:
        wanted = [name for name in names if name not in used]
    wanted = [wanted] if isinstance(wanted, str) else wanted
    return [_kept(name, _column_of(table, _pick(names, name, 0, "columns"))) for name in wanted]


def used_names(table, *given):
    """The names of the columns that are the ends of edges and their weight."""
    names = _names(table) or []
    return {names[place] if name is None and place < 2 else name for place, name in enumerate(given) if place < len(names)}


def id_column(table, name):
    """The name and the values of the column with the ids of vertices."""
    names = _names(table)
    if names is None:
        raise TypeError("a table of vertices has columns with names")
    picked = _pick(names, name, 0, "id")
    return picked, column(_column_of(table, picked))


def _kept(name, values):
    missing, present = _present(values)
    if present.dtype.kind in "fM":
        # What is no number, and no time, is a missing value too.
        nothing = np.isnat(present) if present.dtype.kind == "M" else np.isnan(present)
        missing[np.flatnonzero(~missing)[nothing]] = True
        present = present[~nothing]
    kind, present, texts = _typed(name, present)
    rows = np.zeros(len(missing), dtype=present.dtype)
    rows[~missing] = present
    return str(name), kind, rows, np.flatnonzero(missing).astype(np.uint32), texts


def _present(values):
    """Which rows have no value, and the values of the others."""
    for test, drop in (("is_null", "drop_nulls"), ("is_null", "drop_null"), ("isna", "dropna")):
        if hasattr(values, test) and hasattr(values, drop):
            missing, present = np.array(getattr(values, test)(), dtype=bool), getattr(values, drop)()
            if getattr(getattr(present, "dtype", None), "tz", None) is not None:
                present = present.dt.tz_convert("UTC").dt.tz_localize(None)
            return missing, column(present)
    made = column(values)
    missing = np.array([value is None for value in made.tolist()]) if made.dtype == object else np.zeros(len(made), dtype=bool)
    return missing, made[~missing]


def _typed(name, values):
    kind = values.dtype.kind
    if kind == "b":
        return "bool", values.astype(np.uint8), None
    if kind in "iu":
        if kind == "u" and len(values) and values.max() > np.iinfo(np.int64).max:
            raise OverflowError(f"column {name!r}: {values.max()} is more than 64 bits with a sign hold")
        return "int", values.astype(np.int64), None
    if kind == "f":
        return "double", values.astype(np.float64), None
    if kind == "M":
        # Fractions of seconds are cut off, as those of files are.
        return "time", values.astype("datetime64[s]").astype(np.int64), None
    listed = values.tolist()
    kinds = set(map(type, listed))
    if kinds <= {str}:
        texts = sorted(set(listed))
        codes = dict(zip(texts, range(len(texts))))
        return "text", np.fromiter(map(codes.__getitem__, listed), dtype=np.uint32, count=len(listed)), texts
    if kinds <= {datetime.date, datetime.datetime}:
        return _typed(name, np.array([_in_utc(value) for value in listed], dtype="datetime64[us]"))
    for alike in ({bool}, {int}, {int, float}):
        if kinds <= alike:
            return _typed(name, np.array(listed))
    shown = ", ".join(sorted(one.__name__ for one in kinds))
    raise TypeError(f"column {name!r} holds {shown}: columns are truth values, numbers, texts or points in time")


def _in_utc(time):
    if getattr(time, "tzinfo", None) is not None:
        return time.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return time
