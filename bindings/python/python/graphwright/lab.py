"""Lab files from Python. A lab file holds measurements of ``gw lab`` and is an SQLite database.

>>> import graphwright as gw                                    # doctest: +SKIP
>>> gw.lab.open("my.lab").query("select * from runs limit 5")   # doctest: +SKIP
"""

from __future__ import annotations

import os
import sqlite3
from urllib.parse import quote


class Lab:
    """An open lab file. It is opened for reading only: ``gw lab`` writes."""

    def __init__(self, path):
        self.path = os.fspath(path)
        if not os.path.exists(self.path):
            raise FileNotFoundError(2, "there is no lab file", self.path)
        uri = f"file:{quote(os.path.abspath(self.path))}?mode=ro"
        self._db = sqlite3.connect(uri, uri=True, check_same_thread=False)
        try:
            self._db.execute("select count(*) from sqlite_master").fetchone()
        except sqlite3.DatabaseError as error:
            self._db.close()
            raise ValueError(f"{self.path} is no lab file: {error}") from None

    @property
    def tables(self) -> list[str]:
        """The tables and views."""
        found = self._db.execute("select name from sqlite_master where type in ('table', 'view') order by name")
        return [name for (name,) in found if not name.startswith("sqlite_")]

    def columns(self, table: str) -> list[str]:
        """The columns of a table or view."""
        found = [row[0] for row in self._db.execute("select name from pragma_table_info(?)", (table,))]
        if not found:
            raise KeyError(f"{self.path} has no table {table!r}; its tables are {', '.join(self.tables)}")
        return found

    def query(self, sql: str, parameters=(), *, form: str = "auto"):
        """The answer to a query: a pandas DataFrame, a ``pyarrow.Table`` (``form="arrow"``) or a list of dicts (``"rows"``).
        ``"auto"`` gives a DataFrame where pandas is installed, else rows."""
        if form not in ("auto", "pandas", "arrow", "rows"):
            raise ValueError(f"form: {form!r} is none of auto, pandas, arrow, rows")
        cursor = self._db.execute(sql, parameters)
        names = [column[0] for column in cursor.description or ()]
        rows = cursor.fetchall()
        if form == "auto":
            try:
                import pandas  # noqa: F401

                form = "pandas"
            except ImportError:
                form = "rows"
        if form == "pandas":
            import pandas

            return pandas.DataFrame.from_records(rows, columns=names)
        if form == "arrow":
            import pyarrow

            columns = list(zip(*rows)) or [()] * len(names)
            return pyarrow.table({name: list(column) for name, column in zip(names, columns)})
        return [dict(zip(names, row)) for row in rows]

    def close(self) -> None:
        """Closes the file."""
        self._db.close()

    def __enter__(self) -> Lab:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<graphwright.lab.Lab {self.path}>"


def open(path) -> Lab:
    """Opens a lab file."""
    return Lab(path)
