"""Columns of tables: of edges and of vertices, from every kind of table, for programs that ask for them."""

import datetime

import numpy as np
import pytest

import graphwright as gw

PAID = """
element Vertex end
element Edge end
const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);
const vertices : vertexset{Vertex} = edges.getVertices();
const amount : vector{Edge}(double) = edges.column("amount");
const when : vector{Edge}(int_64) = edges.column("when");
const kind : vector{Edge}(int) = edges.column("kind", -1);
const wire : int = edges.code("kind", "wire");
const since : int_64 = date("2026-11-01");
const paid : vector{Vertex}(double) = 0.0;

func wanted(src : Vertex, dst : Vertex, e : Edge) -> yes : bool
    yes = when[e] >= since and kind[e] == wire;
end

func add(src : Vertex, dst : Vertex, e : Edge)
    paid[src] += amount[e];
end

func main()
    edges.where(wanted).apply(add);
end
"""

STAFF = """
element Vertex end
element Edge end
const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);
const vertices : vertexset{Vertex} = edges.getVertices();
const staff : vector{Vertex}(int) = vertices.column("staff", 0);
const doubled : vector{Vertex}(int) = 0;

func double_it(v : Vertex)
    doubled[v] = 2 * staff[v];
end

func main()
    vertices.apply(double_it);
end
"""

DAYS = ["2026-10-03", "2026-11-12", "2026-11-02", "2026-11-20"]
ROWS = {
    "payer": ["Acme", "Acme", "Bolt", "Acme"],
    "payee": ["Bolt", "Bolt", "Core", "Core"],
    "amount": [900.0, 40.0, 500.0, 7.5],
    "when": np.array(DAYS, dtype="datetime64[ns]"),
    "kind": ["card", "wire", "wire", None],
}
RIGHT = {"Acme": 40.0, "Bolt": 500.0, "Core": 0.0}


def tables():
    yield "dict", ROWS
    yield "dict of dates", {**ROWS, "when": [datetime.date.fromisoformat(day) for day in DAYS]}
    pandas = pytest.importorskip("pandas")
    yield "pandas", pandas.DataFrame(ROWS)
    yield "pandas in a zone", pandas.DataFrame(ROWS).assign(when=pandas.to_datetime(DAYS).tz_localize("UTC"))
    try:
        import polars

        yield "polars", polars.DataFrame(ROWS)
    except ImportError:
        pass
    try:
        import pyarrow

        yield "pyarrow", pyarrow.table(ROWS)
    except ImportError:
        pass


@pytest.mark.parametrize("device", ["cpu", "reference"])
@pytest.mark.parametrize("name, table", tables(), ids=lambda value: value if isinstance(value, str) else "")
def test_tables_of_every_kind(name, table, device):
    G = gw.Graph.from_edges(table, directed=True, parallel="keep", columns=True)
    assert G.columns == {"edges": ["amount", "when", "kind"], "vertices": []}
    assert G.num_edges == 4
    program = gw.Program(PAID)
    for _ in range(2):
        assert program.run(G, device=device).to_dict("paid") == RIGHT


def test_a_choice_of_columns_and_of_parallel_edges():
    G = gw.Graph.from_edges(ROWS, directed=True, parallel="first", columns=["amount", "when", "kind"])
    assert G.num_edges == 3
    assert gw.Program(PAID).run(G).to_dict("paid") == {"Acme": 0.0, "Bolt": 500.0, "Core": 0.0}
    assert gw.Graph.from_edges(ROWS, weight="amount", parallel="sum", directed=True).to_numpy()[2].tolist() == [940, 7.5, 500]
    assert gw.Graph.from_edges([("a", "b"), ("a", "b")], columns={"amount": [1, 2]}).columns["edges"] == ["amount"]


def test_undirected_edges_have_their_row_twice():
    G = gw.Graph.from_edges(ROWS, parallel="keep", columns=True)
    paid = gw.Program(PAID).run(G).to_dict("paid")
    assert paid == {"Acme": 40.0, "Bolt": 540.0, "Core": 500.0}


def test_columns_of_vertices():
    G = gw.Graph.from_edges(ROWS, directed=True)
    people = {"name": ["Core", "Acme", "Nobody"], "staff": [3, 5, 9]}
    named = G.with_vertices(people)
    assert named.columns == {"edges": [], "vertices": ["staff"]}
    assert gw.Program(STAFF).run(named).to_dict("doubled") == {"Acme": 10, "Bolt": 0, "Core": 6}
    numbers = gw.Graph.from_edges([(0, 1), (1, 2)]).with_vertices({"staff": [1, 2], "id": [2, 0]}, id="id")
    assert gw.Program(STAFF).run(numbers).doubled.tolist() == [4, 0, 2]
    with pytest.raises(ValueError, match="several rows for the vertex 'Acme'"):
        G.with_vertices({"name": ["Acme", "Acme"], "staff": [1, 2]})


def test_points_in_time_are_weights(tmp_path):
    G = gw.Graph.from_edges(ROWS, weight="when", directed=True, parallel="keep")
    arrival = gw.earliest_arrival(G, "Acme", since="2026-11-01").to_dict("arrival")
    day = 24 * 60 * 60
    first = 1793491200
    assert arrival == {"Acme": first + 11 * day, "Bolt": first + 11 * day, "Core": first + 19 * day}
    again = gw.earliest_arrival(G, "Acme", since=datetime.date(2026, 11, 1), until=datetime.datetime(2026, 11, 19))
    assert again.reached == 2
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    path = tmp_path / "payments.parquet"
    parquet.write_table(pyarrow.table(ROWS), path)
    found = gw.read(f"{path}:source=payer:target=payee:weight=when:parallel=keep")
    assert gw.earliest_arrival(found, "Acme", since="2026-11-01").to_dict("arrival") == arrival


def test_errors_name_the_column():
    with pytest.raises(KeyError, match="no column 'amuont'.*its columns are payer, payee, amount"):
        gw.Graph.from_edges(ROWS, columns=["amuont"])
    with pytest.raises(TypeError, match="'kind' holds Decimal"):
        from decimal import Decimal

        gw.Graph.from_edges([(0, 1)], columns={"kind": [Decimal(1)]})
    with pytest.raises(ValueError, match="column 'a' has 3 values for 1 rows"):
        gw.Graph.from_edges([(0, 1)], columns={"a": [1, 2, 3]})
    with pytest.raises(ValueError, match="use keep, first, min, max or sum"):
        gw.Graph.from_edges([(0, 1)], parallel="all")
    G = gw.Graph.from_edges(ROWS, columns=["amount"])
    with pytest.raises(gw.ProgramError, match="no column `(kind|when)`"):
        gw.Program(PAID).run(G)
