//! Columns of tables: the values of the right edges and vertices on every machine, and what is said of wrong ones.

use std::path::Path;

use crate::common::{failure, gw, success, success_of};

const PROGRAM: &str = include_str!("../../../exec/tests/all/columns.gt");
const PAYMENTS: &str = include_str!("../../../exec/tests/all/payments.csv");
const PEOPLE: &str = include_str!("../../../exec/tests/all/people.csv");

/// What the program finds in the table with all parallel edges, from `ann` on.
const FOUND: [(&str, &str); 7] = [
    ("spent", "first 60 3 7.25 1"),
    ("got", "first 0 2 1 1"),
    ("cards", "first 0 2 1 0"),
    ("dist", "first 0 28.25 20 27.25"),
    ("age", "first 30 18 41 25"),
    ("city", "first 1 0 1 3"),
    ("far", "first 0 2 2 1"),
];

fn write_tables(at: &Path) {
    for (name, text) in [("columns.gt", PROGRAM), ("payments.csv", PAYMENTS), ("people.csv", PEOPLE)] {
        std::fs::write(at.join(name), text).unwrap();
    }
}

/// The results of the program, checked against what is known.
fn assert_found(results: &str, of: &str) {
    for (name, values) in FOUND {
        let line = results.lines().find(|line| line.starts_with(&format!("{name}:")));
        assert!(line.is_some_and(|line| line.ends_with(values)), "{of}: {name} is not `{values}`: {results}");
    }
    for line in ["5", "card = 0", "unknown = -1", "bern = 1", "since = 1793491200"] {
        assert!(results.lines().any(|found| found == line), "{of}: no line `{line}`: {results}");
    }
}

#[test]
fn every_machine_sees_the_values_of_each_edge() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_tables(at);
    let run = ["run", "columns.gt", "payments.csv", "0", "--parallel", "keep", "--vertices", "people.csv"];
    for machine in [
        &["reference"][..],
        &["cpu", "--threads", "1"],
        &["cpu", "--threads", "3"],
        &["swarm"],
        &["flow", "--workers", "1"],
        &["flow", "--workers", "3"],
        &["cpu", "--schedule", "s1:s2@pull"],
    ] {
        let args = [&run[..], &["--target"], machine].concat();
        assert_found(&success_of(gw(at, &args)), &machine.join(" "));
    }
}

#[test]
fn weights_of_parallel_edges_beside_their_columns() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_tables(at);
    std::fs::write(at.join("weights.gt"), include_str!("../../../exec/tests/all/weights_of_rows.gt")).unwrap();
    let run = ["run", "weights.gt", "payments.csv", "ann", "--parallel", "keep", "--weight-column", "amount"];
    for machine in [&["reference"][..], &["cpu", "--threads", "3"], &["swarm"], &["flow", "--workers", "3"]] {
        let args = [&run[..], &["--target"], machine].concat();
        let found = success_of(gw(at, &args));
        for result in
            ["paid: 4 entries from 0 to 60, first 60 3 7.25 0", "dist: 4 entries from 0 to 40, first 0 40 20 27.25"]
        {
            assert!(found.contains(result), "{machine:?}: {found}");
        }
        assert!(found.contains("84.25 4"), "{machine:?}: {found}");
    }
    let errors = failure(at, &["run", "weights.gt", "payments.csv:weight=amount", "eve"], 1);
    assert!(errors.contains("no vertex has the id `eve`: the graph has 4, such as ann, bob, carl"), "{errors}");
}

#[test]
fn a_gwg_file_keeps_ids_and_columns() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_tables(at);
    let convert = ["graph", "convert", "payments.csv", "pay.gwg", "--parallel", "keep", "--vertices", "people.csv"];
    let said = String::from_utf8(gw(at, &convert).stdout).unwrap();
    assert!(said.contains("columns of edges that are kept: `amount` (reals), `when` (points in time)"), "{said}");
    assert_found(&success_of(gw(at, &["run", "columns.gt", "pay.gwg", "0"])), "gwg");
    let info = success(at, &["graph", "info", "pay.gwg"]);
    assert!(info.contains("columns of edges   `amount` (reals)") && info.contains("columns of vertices"), "{info}");
    let ranks = success(at, &["run", "pagerank", "pay.gwg", "--top", "rank:1"]);
    assert!(ranks.contains("bob") || ranks.contains("carl") || ranks.contains("dora"), "{ranks}");
    // Another order of the vertices and the undirected graph keep rows and edges together.
    let amounts = "element Vertex end\nelement Edge end\n\
                   const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);\n\
                   const amount : vector{Edge}(double) = edges.column(\"amount\");\n\
                   const touched : vector{Vertex}(double) = 0.0;\n\
                   func add(src : Vertex, dst : Vertex, e : Edge)\n touched[dst] += amount[e];\nend\n\
                   func main()\n edges.apply(add);\n print touched.sum();\n print touched.max();\nend\n";
    std::fs::write(at.join("amounts.gt"), amounts).unwrap();
    for graph in ["payments.csv:parallel", "pay.gwg", "payments.csv:parallel:reorder=degree", "pay.gwg:reorder=random"]
    {
        let printed = success(at, &["run", "amounts.gt", graph]);
        assert!(printed.starts_with("84.25\n53.5\n"), "{graph}: {printed}");
    }
    for graph in ["payments.csv:parallel:sym", "pay.gwg:sym:parallel"] {
        let printed = success(at, &["run", "amounts.gt", graph]);
        assert!(printed.starts_with("168.5\n"), "{graph}: {printed}");
    }
    // Of parallel edges the one with the least weight, the greatest, the first of the file; or their sum.
    for (choice, sum) in [("min", "33.75"), ("max", "71.75"), ("first", "42.25"), ("sum", "42.25")] {
        let args = ["run", "amounts.gt", "payments.csv", "--weight-column", "amount", "--parallel", choice];
        let printed = success(at, &args);
        assert!(printed.starts_with(&format!("{sum}\n")), "{choice}: {printed}");
    }
}

#[test]
fn mistakes_name_the_column_and_the_mend() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_tables(at);
    let program = |column: &str, more: &str| {
        let text = format!(
            "element Vertex end\nelement Edge end\n\
             const edges : edgeset{{Edge}}(Vertex,Vertex) = load(argv[1]);\n\
             const vertices : vertexset{{Vertex}} = edges.getVertices();\n{column}\n{more}\nfunc main()\nend\n"
        );
        std::fs::write(at.join("wrong.gt"), text).unwrap();
    };
    let told = |graph: &str| failure(at, &["run", "wrong.gt", graph, "--vertices", "people.csv"], 1);
    for (column, said) in [
        ("const x : vector{Edge}(double) = edges.column(\"amuont\");", "no column `amuont`; did you mean `amount`?"),
        ("const x : vector{Edge}(int) = edges.column(\"amount\");", "holds reals, and the program wants values of the"),
        ("const x : vector{Edge}(double) = edges.column(\"kind\", 0);", "declare it `vector{Edge}(int)`"),
        ("const x : vector{Edge}(int) = edges.column(\"kind\");", "no value for 1 of the edges, the first in row 4"),
        ("const x : vector{Edge}(bool) = edges.column(\"when\");", "declare it `vector{Edge}(int_64)`"),
        ("const x : vector{Vertex}(int) = vertices.column(\"age\");", "no value for 1 of the vertices"),
        ("const x : int = edges.code(\"amount\", \"3\");", "holds reals, not texts"),
        ("const x : int_64 = date(\"tomorrow\");", "`tomorrow` is no point in time"),
        (
            "const x : vector{Vertex}(double) = edges.column(\"amount\");",
            "a column of `Edge` is a vector of numbers over",
        ),
    ] {
        program(column, "");
        let errors = told("payments.csv");
        assert!(errors.contains(said), "{column}: {errors}");
    }
    // A slip makes numbers texts, which are not numbered without a word.
    for (cells, ty, said) in [
        (["2026-01-01", "2026-13-02", "2026-01-03"], "int_64", "holds points in time, but `2026-13-02` in row 2"),
        (["1", "2.5", "abc"], "double", "holds numbers, but `abc` in row 3: correct it, or leave the cell empty"),
        (["true", "0", "false"], "bool", "holds truth values, but `0` in row 2"),
    ] {
        let rows: String = cells.iter().enumerate().map(|(v, cell)| format!("{v},{},{cell}\n", v + 1)).collect();
        std::fs::write(at.join("slip.csv"), format!("from,to,x\n{rows}")).unwrap();
        program(&format!("const x : vector{{Edge}}({ty}) = edges.column(\"x\");"), "");
        let errors = failure(at, &["run", "wrong.gt", "slip.csv"], 1);
        assert!(errors.contains(said), "{cells:?}: {errors}");
    }
    // A graph without a table, a table with a name twice, and one vertex with two rows.
    program("const x : vector{Edge}(double) = edges.column(\"amount\");", "");
    let errors = failure(at, &["run", "wrong.gt", "path:4"], 1);
    assert!(errors.contains("is one of edges, and the graph has none; load a table of edges"), "{errors}");
    std::fs::write(at.join("twice.csv"), "from,to,amount,amount\n1,2,3,4\n").unwrap();
    let errors = failure(at, &["run", "wrong.gt", "twice.csv"], 1);
    assert!(errors.contains("two columns are called `amount`; name the column by its number, such as 4"), "{errors}");
    std::fs::write(at.join("rows.csv"), "id,age\nann,1\nann,2\n").unwrap();
    let errors = failure(at, &["run", "wrong.gt", "payments.csv", "--vertices", "rows.csv"], 1);
    assert!(errors.contains("the vertex `ann` has two rows, 1 and 2"), "{errors}");
    // An edge that is found by its ends is the first of parallel ones only.
    let search = "func f(src : Vertex, dst : Vertex)\n var e : Edge = edgeIndex(edges, src, dst);\nend";
    program("const x : vector{Edge}(double) = edges.column(\"amount\");", search);
    let errors = failure(at, &["run", "wrong.gt", "payments.csv:parallel"], 1);
    assert!(errors.contains("the graph has parallel edges (at vertex `ann`)"), "{errors}");
}
