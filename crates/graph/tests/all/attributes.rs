//! Values of vertices and edges in every form, read back where something here reads the form.

use crate::format_support;

use std::path::Path;

use format_support::{Folder, edges, load_file};
use gw_graph::attributes::{Cells, Column, Form, Rows, Table};
use gw_graph::format::write_graph;
use gw_graph::{Graph, GraphSpec};

fn people(folder: &Folder) -> Graph {
    folder.load("people.csv", "source,target,weight\nann,\"bob, 2\",3\n\"bob, 2\",cem,0.5\ncem,ann,1\n").unwrap()
}

fn columns(graph: &Graph) -> Vec<Column<'_>> {
    let parents = Column { vertices_of: Some(graph), ..Column::new("parent", vec![1, -1, 0].into()) };
    let rows = Column { width: 2, ..Column::new("row", vec![1u32, 2, 3, 4, 5, u32::MAX].into()) };
    vec![
        Column::new("rank", vec![0.1f32, f32::INFINITY, 2.0].into()),
        parents,
        Column::new("count", vec![i64::MIN, 0, 1 << 60].into()),
        Column::new("is \"hub\"", vec![true, false, true].into()),
        rows,
        Column::new("exact", Cells::from(vec![1e300, -0.25, f64::NAN])),
    ]
}

fn written(table: &Table<'_>, folder: &Folder, name: &str) -> Vec<u8> {
    let path = folder.path(name);
    table.write(&path, Form::of_path(&path).unwrap()).unwrap();
    std::fs::read(&path).unwrap()
}

#[test]
fn texts_have_ids_and_all_digits() {
    let folder = Folder::new();
    let graph = people(&folder);
    let table = Table { rows: Rows::Vertices(&graph), columns: columns(&graph) };
    let text = |name: &str| String::from_utf8(written(&table, &folder, name)).unwrap();
    let huge = "1".to_string() + &"0".repeat(300);
    assert_eq!(
        text("a.csv"),
        format!(
            "vertex,rank,parent,count,\"is \"\"hub\"\"\",row_0,row_1,exact\n\
             ann,0.1,\"bob, 2\",-9223372036854775808,1,1,2,{huge}\n\
             \"bob, 2\",inf,,0,0,3,4,-0.25\n\
             cem,2,ann,1152921504606846976,1,5,4294967295,NaN\n"
        )
    );
    assert!(text("a.tsv").starts_with("vertex\trank\tparent\t") && text("a.tsv").contains("\nbob, 2\tinf\t\t0\t0\t3"));
    let lines: Vec<serde_json::Value> =
        text("a.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[1]["vertex"], "bob, 2");
    assert_eq!((&lines[1]["rank"], &lines[1]["parent"]), (&"inf".into(), &serde_json::Value::Null));
    assert_eq!((&lines[2]["count"], &lines[2]["is \"hub\""]), (&(1i64 << 60).into(), &true.into()));
    assert_eq!((&lines[0]["row_1"], &lines[0]["exact"]), (&2.into(), &1e300.into()));
    let array: serde_json::Value = serde_json::from_str(&text("a.json")).unwrap();
    assert_eq!(array.as_array().unwrap(), &lines);
    // One result as lines: vertices are numbers.
    let parents = Table { columns: vec![table.columns[1].clone()], ..table.clone() };
    assert_eq!(written(&parents, &folder, "p.txt"), b"1\n-1\n0\n");
    assert_eq!(written(&parents, &folder, "p"), b"1\n-1\n0\n");
    assert!(table.write(&folder.path("a.txt"), Form::Lines).is_err());
    // Packed.
    let packed = written(&table, &folder, "a.csv.gz");
    assert!(packed.starts_with(&[0x1f, 0x8b]), "{packed:?}");
}

#[test]
fn rows_may_be_edges_places_or_everything() {
    let folder = Folder::new();
    let graph = people(&folder);
    let flow = || vec![Column::new("flow", Cells::from(vec![5i32, 6, 7]))];
    let text = |rows, columns, name: &str| String::from_utf8(written(&Table { rows, columns }, &folder, name)).unwrap();
    assert_eq!(
        text(Rows::Edges(&graph), flow(), "e.csv"),
        "source,target,flow\nann,\"bob, 2\",5\n\"bob, 2\",cem,6\ncem,ann,7\n"
    );
    assert_eq!(text(Rows::Places(3), flow(), "p.csv"), "index,flow\n0,5\n1,6\n2,7\n");
    let scalars = vec![Column::new("rounds", vec![7].into()), Column::new("name", Cells::Text("a\"b".into()))];
    assert_eq!(text(Rows::One, scalars.clone(), "s.csv"), "rounds,name\n7,\"a\"\"b\"\n");
    assert_eq!(text(Rows::One, scalars, "s.json"), "{\"rounds\":7,\"name\":\"a\\\"b\"}\n");
    // Wrong lengths and equal names are refused, and no file appears.
    let refused = |columns: Vec<Column<'_>>, name: &str| {
        let path = folder.path(name);
        let error = Table { rows: Rows::Vertices(&graph), columns }.write(&path, Form::Csv).unwrap_err();
        assert!(!path.exists());
        folder.message(&error)
    };
    let short = vec![Column::new("x", vec![1].into())];
    assert_eq!(refused(short, "x.csv"), "x.csv: the column `x` has 1 values for 3 rows");
    let twice = vec![Column::new("vertex", vec![1, 2, 3].into())];
    assert_eq!(refused(twice, "x.csv"), "x.csv: two columns are called `vertex`");
}

/// Large enough for many blocks.
#[test]
fn long_tables_are_made_of_blocks() {
    let folder = Folder::new();
    let rows = 100_000;
    let column = || vec![Column::new("x", Cells::from((0..rows as i32).collect::<Vec<_>>()))];
    let table = Table { rows: Rows::Places(rows), columns: column() };
    let bytes = |threads: usize, name: &str| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| written(&table, &folder, name))
    };
    for name in ["x.csv", "x.json", "x.jsonl.zst", "x.arrow", "x.npy"] {
        assert!(bytes(1, name) == bytes(3, name), "{name}");
    }
    let text = String::from_utf8(bytes(2, "x.csv")).unwrap();
    assert!(text.lines().skip(1).enumerate().all(|(at, line)| line == format!("{at},{at}")));
    let array: serde_json::Value = serde_json::from_slice(&bytes(2, "x.json")).unwrap();
    assert_eq!((array.as_array().unwrap().len(), &array[99_999]["x"]), (rows, &99_999.into()));
}

#[test]
fn graphs_with_attributes_are_graphs_again() {
    let folder = Folder::new();
    let graph = people(&folder);
    let nodes = Table { rows: Rows::Vertices(&graph), columns: columns(&graph) };
    let flow = Table { rows: Rows::Edges(&graph), columns: vec![Column::new("flow", Cells::from(vec![5i32, 6, 7]))] };
    for name in ["g.graphml", "g.gexf", "g.graphml.zst"] {
        let path = folder.path(name);
        let form = Form::of_path(&path).unwrap();
        write_graph(&graph, Some(&nodes), Some(&flow), &path, form).unwrap();
        let back = load_file(&path).unwrap().graph;
        assert!(back == graph && back.names() == graph.names(), "{name}");
        // A value of edges as the weight.
        let spec = GraphSpec::parse(&format!("{}:weight=flow", path.display())).unwrap();
        let by_flow = spec.load(&gw_graph::progress::Silent).unwrap().graph;
        assert_eq!(edges(&by_flow).iter().map(|edge| edge.2).collect::<Vec<_>>(), [5.0, 6.0, 7.0], "{name}");
    }
    let text = std::fs::read_to_string(folder.path("g.graphml")).unwrap();
    for expected in [
        "<key id=\"n0\" for=\"node\" attr.name=\"rank\" attr.type=\"float\"/>",
        "<key id=\"n3\" for=\"node\" attr.name=\"is &quot;hub&quot;\" attr.type=\"boolean\"/>",
        "<key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"float\"/>",
        "<node id=\"bob, 2\"><data key=\"n0\">Infinity</data><data key=\"n2\">0</data><data key=\"n3\">false</data>",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    // An undirected graph has each edge once; values of edges differ between directions.
    let grid = GraphSpec::parse("grid:3x2").unwrap().load(&gw_graph::progress::Silent).unwrap().graph;
    let path = folder.path("grid.gexf");
    write_graph(&grid, None, None, &path, Form::Gexf).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("defaultedgetype=\"undirected\"") && text.matches("<edge ").count() == 7, "{text}");
    let values =
        Table { rows: Rows::Edges(&grid), columns: vec![Column::new("x", Cells::from((0..14).collect::<Vec<i32>>()))] };
    write_graph(&grid, None, Some(&values), &path, Form::Gexf).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("defaultedgetype=\"directed\"") && text.matches("<edge ").count() == 14, "{text}");
    assert!(load_file(&path).unwrap().graph == grid);
    let wrong = write_graph(&grid, Some(&nodes), None, &path, Form::Gexf);
    assert!(wrong.is_err_and(|error| error.to_string().contains("are not those of the graph's vertices")));
}

/// The file in `data` was read back by pyarrow 26 as the types and values of [`columns`], in the test's order.
#[test]
fn arrow_files_are_those_that_pyarrow_has_read() {
    let folder = Folder::new();
    let graph = people(&folder);
    let table = Table { rows: Rows::Vertices(&graph), columns: columns(&graph) };
    let bytes = written(&table, &folder, "a.arrow");
    assert!(bytes.starts_with(b"ARROW1\0\0") && bytes.ends_with(b"ARROW1"));
    let known = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/attributes.arrow");
    if std::env::var_os("GW_WRITE_ARROW").is_some() {
        std::fs::write(&known, &bytes).unwrap();
    }
    assert!(bytes == std::fs::read(&known).unwrap(), "the file has changed: let pyarrow read it again");
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_columns_have_the_types_of_their_values() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    let folder = Folder::new();
    let graph = people(&folder);
    let table = Table { rows: Rows::Vertices(&graph), columns: columns(&graph) };
    written(&table, &folder, "a.parquet");
    let reader = SerializedFileReader::new(std::fs::File::open(folder.path("a.parquet")).unwrap()).unwrap();
    let rows: Vec<Vec<Field>> = reader
        .get_row_iter(None)
        .unwrap()
        .map(|row| row.unwrap().get_column_iter().map(|(_, field)| field.clone()).collect())
        .collect();
    let text = |text: &str| Field::Str(text.to_string());
    let second = [
        text("bob, 2"),
        Field::Float(f32::INFINITY),
        Field::Null,
        Field::Long(0),
        Field::Bool(false),
        Field::UInt(3),
        Field::UInt(4),
        Field::Double(-0.25),
    ];
    assert_eq!(rows[1], second);
    assert_eq!((&rows[0][2], &rows[2][6]), (&text("bob, 2"), &Field::UInt(u32::MAX)));
    // A table of edges is a graph again.
    let flow = Table { rows: Rows::Edges(&graph), columns: vec![Column::new("weight", vec![5i32, 6, 7].into())] };
    written(&flow, &folder, "e.parquet");
    let back = load_file(&folder.path("e.parquet")).unwrap().graph;
    assert_eq!(back.names(), graph.names());
    assert_eq!(edges(&back).iter().map(|edge| edge.2).collect::<Vec<_>>(), [5.0, 6.0, 7.0]);
}
