"""Columns of edges out of whatever holds them: NumPy, pandas, polars, pyarrow, anything with an Arrow stream, or pairs."""

from __future__ import annotations

import datetime

import numpy as np

from ._ids import Coded


def edge_columns(edges, source, target, weight):
    """The columns (source, target, weight or None) of ``edges``: the ends as arrays or :class:`~._ids.Coded`, the weights as an
    array. ``weight`` is the name of a column, or the weights themselves."""
    weights = None
    if is_column(weight):
        weights, weight = column(weight), None
    if isinstance(edges, (tuple, list)) and len(edges) in (2, 3) and all(map(_is_array, edges)):
        _no_names("two or three arrays", source, target, weight)
        found = [*(end_column(one) for one in edges[:2]), *map(column, edges[2:])]
    elif (names := _names(edges)) is not None:
        picked = [_pick(names, source, 0, "source"), _pick(names, target, 1, "target")]
        found = [end_column(_column_of(edges, name)) for name in picked]
        if weight is not None:
            found.append(column(_column_of(edges, _pick(names, weight, 2, "weight"))))
    else:
        _no_names("pairs and arrays of shape (edges, 2)", source, target, weight)
        if isinstance(edges, np.ndarray):
            if edges.ndim != 2 or edges.shape[1] not in (2, 3):
                raise ValueError(f"an array of edges has the shape (edges, 2) or (edges, 3), not {edges.shape}")
            found = list(edges.T)
        else:
            found = _rows(edges)
    if weights is not None:
        if len(found) == 3:
            raise TypeError("weight= is given, and the edges have weights, too")
        found.append(weights)
    return found[0], found[1], found[2] if len(found) == 3 else None


def _no_names(what, source, target, weight):
    for name, given in (("source", source), ("target", target), ("weight", weight)):
        if given is not None:
            hint = " (or the weights themselves)" if name == "weight" else ""
            raise TypeError(f"{name}={given!r} names a column of a table{hint}, and {what} have no names")


def is_column(values) -> bool:
    """Whether this is a column or a list of values, and not the name of one."""
    if isinstance(values, (str, bytes, tuple)) or values is None:
        return False
    return isinstance(values, (list, range, np.ndarray)) or _is_array(values) or hasattr(values, "__array__")


def end_column(values):
    """The column of the ends of edges; categorical columns and dictionaries as they are, other texts by their codes where the
    library of the column makes these in parallel."""
    module, kind = type(values).__module__.partition(".")[0], getattr(values, "dtype", None)
    if module == "pandas":
        return _of_pandas(values, kind)
    if module == "polars" and kind is not None:
        name = type(kind).__name__ if not isinstance(kind, type) else kind.__name__
        if name in ("String", "Utf8", "Categorical", "Enum"):
            return _of_polars(values, name)
    if module == "pyarrow":
        return _of_pyarrow(values)
    return column(values)


def _of_pandas(values, kind):
    codes = getattr(values, "cat", values) if type(kind).__name__ == "CategoricalDtype" else None
    if codes is not None:
        return Coded(np.asarray(codes.codes), list(codes.categories))
    if type(kind).__name__ == "StringDtype" or "string" in str(kind):
        import pandas

        found, labels = pandas.factorize(values)
        return Coded(found, list(labels))
    if getattr(kind, "kind", "") in ("i", "u") and not isinstance(kind, np.dtype):
        # The nullable integers of pandas.
        if values.isna().any():
            row = int(np.flatnonzero(values.isna())[0])
            raise ValueError(f"a column has missing values, the first in row {row}")
        return values.to_numpy(dtype=np.uint64 if kind.kind == "u" else np.int64)
    return column(values)


def _of_polars(values, name):
    missing = values.null_count()
    if missing:
        row = int(np.flatnonzero(values.is_null().to_numpy())[0])
        raise ValueError(f"column {values.name!r} has {missing} missing values, the first in row {row}")
    if name in ("Categorical", "Enum"):
        codes = values.to_physical().to_numpy().astype(np.int64)
        if not len(codes):
            return Coded(codes, [])
        first = np.full(int(codes.max()) + 1, -1, dtype=np.int64)
        first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
        used = np.flatnonzero(first >= 0)
        return Coded((np.cumsum(first >= 0) - 1)[codes], values.gather(first[used]).to_list())
    labels = values.unique(maintain_order=True)
    return Coded(values.replace_strict(labels, range(len(labels))).to_numpy(), labels.to_list())


def _of_pyarrow(values):
    import pyarrow

    kind = values.type
    texts = [pyarrow.types.is_string, pyarrow.types.is_large_string, getattr(pyarrow.types, "is_string_view", lambda _: False)]
    if not pyarrow.types.is_dictionary(kind) and not any(test(kind) for test in texts):
        return column(values)
    if values.null_count:
        row = values.is_null().to_pylist().index(True)
        raise ValueError(f"a column has {values.null_count} missing values, the first in row {row}")
    if not pyarrow.types.is_dictionary(kind):
        values = values.dictionary_encode()
    if isinstance(values, pyarrow.ChunkedArray):
        if not values.num_chunks:
            return Coded(np.empty(0, dtype=np.int64), [])
        values = values.unify_dictionaries().combine_chunks()
    if isinstance(values, pyarrow.ChunkedArray):
        values = values.chunk(0)
    return Coded(values.indices.to_numpy(zero_copy_only=False), values.dictionary.to_pylist())


def column(values) -> np.ndarray:
    """One column as an array; without a copy where that is possible."""
    if isinstance(values, np.ndarray):
        made = values
    elif hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        made = _from_arrow(values)
    elif hasattr(values, "to_numpy"):
        made = values.to_numpy()
    elif isinstance(values, (list, tuple)):
        made = _of_list(values)
    else:
        made = np.asarray(values)
    if made.ndim != 1:
        raise ValueError(f"a column has one dimension, not {made.ndim}")
    return made


def _of_list(values) -> np.ndarray:
    """A list as an array. Where NumPy would change the types of values, they stay objects."""
    made = np.asarray(values)
    kinds = set(map(type, values))
    changed = made.dtype.kind in "US" and not kinds <= {str, np.str_, bytes}
    changed |= made.dtype.kind == "f" and kinds <= {int, np.int64, np.uint64}
    changed |= made.dtype.kind in "mM" and len(kinds) > 1
    if not changed:
        return made
    made = np.empty(len(values), dtype=object)
    made[:] = values
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


def _is_array(values) -> bool:
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
    if is_column(wanted) or wanted not in names:
        raise KeyError(f"the table has no column {wanted!r} ({what}=); its columns are {', '.join(map(str, names))}")
    return wanted


def _rows(edges):
    rows = [tuple(edge) for edge in edges]
    widths = set(map(len, rows))
    if not rows:
        empty = np.empty(0, dtype=np.int64)
        return [empty, empty]
    if len(widths) != 1 or not widths <= {2, 3}:
        raise ValueError("edges are pairs (source, target) or triples (source, target, weight), all alike")
    columns = list(zip(*rows))
    ends = [_object_column(part) for part in columns[:2]]
    return ends if len(columns) == 2 else [*ends, np.asarray(columns[2])]


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
