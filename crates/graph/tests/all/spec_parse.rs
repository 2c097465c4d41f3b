//! Specifications: the round trip through the canonical text, files against generators, and helpful errors.

use std::path::Path;

use gw_graph::progress::Silent;
use gw_graph::spec::Source;
use gw_graph::{GraphError, GraphSpec, Weights};
use proptest::prelude::*;

fn parse(text: &str) -> Result<GraphSpec, GraphError> {
    GraphSpec::parse_with(text, |_| false)
}

fn message(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn canonical_texts() {
    for (text, canonical) in [
        ("kron:20", "kron:20"),
        ("kron:20:16", "kron:20"),
        ("kron:20:16:seed=7:weights=1..1000", "kron:20:seed=7:weights=1..1000"),
        ("kron:weights=1..1000:seed=7:20:8", "kron:20:8:seed=7:weights=1..1000"),
        ("kron:10:c=0.2:a=0.5", "kron:10:a=0.5:c=0.2"),
        ("urand:18", "urand:18"),
        ("grid:1000x1000", "grid:1000x1000"),
        ("grid:2x3x4:reorder=random:loops", "grid:2x3x4:loops:reorder=random"),
        ("road:10x10:drop=0.05", "road:10x10"),
        ("star:1000:directed", "star:1000:directed"),
        ("smallworld:100", "smallworld:100:10:0.1"),
        ("tree:10:2", "tree:10"),
        ("powerlaw:10000", "powerlaw:10000:2.5"),
        ("powerlaw:10000:2.5:max=100", "powerlaw:10000:2.5"),
        ("degrees:100:uniform:0..100:p=0.2", "degrees:100:uniform:0..100:p=0.20"),
        ("evolve:100:normal:50:10:crossover=edge:insert=3", "evolve:100:normal:50:10:crossover=edge:insert=3"),
        ("urand:8:seed=1", "urand:8"),
        ("urand:8:weights=0..1.0", "urand:8:weights=0.0..1.0"),
        ("./kron:sym", "./kron:sym"),
        ("a/b.mtx:reorder=degree:sym", "a/b.mtx:sym:reorder=degree"),
        ("web.mtx:format=mtx:parallel", "web.mtx:parallel:format=mtx"),
        ("f.csv:weight=w:target=b:source=a", "f.csv:source=a:target=b:weight=w"),
        ("f.csv:noheader:sym:source=2", "f.csv:sym:source=2:noheader"),
        ("f.csv:source=a%3Ab=%25:target=", "f.csv:source=a%3Ab=%25:target="),
    ] {
        let spec = parse(text).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(spec.to_string(), canonical);
        assert_eq!(parse(canonical).unwrap(), spec);
    }
}

fn generator_text() -> impl Strategy<Value = String> {
    prop_oneof![
        (0u32..30, 1u64..40).prop_map(|(s, f)| format!("kron:{s}:{f}")),
        (0u32..30, 0.0f64..0.3, 0.0f64..0.3).prop_map(|(s, a, b)| format!("kron:{s}:a={a}:b={b}")),
        (0u32..30, 1u64..40).prop_map(|(s, f)| format!("urand:{s}:{f}")),
        (1u64..99, 1u64..99, 1u64..9).prop_map(|(w, h, d)| format!("grid:{w}x{h}x{d}")),
        (1u64..99, 1u64..99, 0.0f64..0.5, 0.0f64..1.0)
            .prop_map(|(w, h, d, g)| format!("road:{w}x{h}:diagonals={g}:drop={d}")),
        (50u64..999, 1u64..20, 0.0f64..1.0).prop_map(|(n, k, p)| format!("smallworld:{n}:{}:{p}", 2 * k)),
        (100u64..999, 0u64..20).prop_map(|(n, k)| format!("regular:{}:{k}", 2 * n)),
        (100u64..9999, 1.1f64..4.0, 1u64..5, 50u64..90)
            .prop_map(|(n, e, low, high)| format!("powerlaw:{n}:{e}:max={high}:min={low}")),
        (1u64..99, 1u64..99, prop::option::of(0u64..999))
            .prop_map(|(l, r, m)| format!("bipartite:{l}:{r}{}", m.map_or(String::new(), |m| format!(":{m}")))),
        (0u64..999, 1u64..5).prop_map(|(n, k)| format!("tree:{n}:{k}")),
        (1u64..999, 0.01f64..9.0).prop_map(|(n, r)| format!("degrees:{n}:exponential:{r}:unconnected:p=0.01")),
        (1u64..999, 1.0f64..9.0, 2usize..50)
            .prop_map(|(n, r, p)| format!("evolve:{n}:normal:{r}:{r}:population={p}:delete={r}")),
    ]
}

proptest! {
    #[test]
    fn canonical_text_parses_to_the_same_spec(
        generator in generator_text(), options in prop::sample::subsequence(vec![
            "directed", "loops", "parallel", "seed=77", "weights=-3..9", "weights=0.5..1.5", "reorder=pessimal",
        ], 0..=7).prop_shuffle(),
    ) {
        prop_assume!(options.iter().filter(|o| o.starts_with("weights")).count() < 2);
        let text = std::iter::once(generator.as_str()).chain(options.iter().copied()).collect::<Vec<_>>().join(":");
        let spec = parse(&text).unwrap();
        let again = parse(&spec.to_string()).unwrap();
        prop_assert_eq!(spec.to_string(), again.to_string());
        prop_assert_eq!(&spec.options, &again.options);
        let (Source::Generator(a), Source::Generator(b)) = (&spec.source, &again.source) else {
            panic!("a generator became a file");
        };
        // The fields, not only the text.
        prop_assert_eq!(format!("{a:?}"), format!("{b:?}"));
    }

    #[test]
    fn no_text_panics(text in "[a-z0-9:=.x/-]{0,40}") {
        let _ = parse(&text);
        let _ = GraphSpec::parse(&text);
    }

    #[test]
    fn no_parameters_panic(name in 0usize..15, rest in "[a-z0-9:=.x-]{0,30}") {
        let name = gw_graph::generate::generators()[name].name;
        if let Ok(spec) = parse(&format!("{name}:{rest}")) {
            prop_assert_eq!(parse(&spec.to_string()).unwrap(), spec);
        }
    }
}

#[test]
fn files_win_over_generators_and_the_longest_wins() {
    let exists = |names: &'static [&'static str]| move |path: &Path| names.iter().any(|n| Path::new(n) == path);
    let file = |text: &str, names| match GraphSpec::parse_with(text, exists(names)).unwrap().source {
        Source::File(path) => Some(path.display().to_string()),
        Source::Generator(_) => None,
    };
    assert_eq!(file("kron:20", &[]), None);
    assert_eq!(file("kron:20", &["kron:20"]).as_deref(), Some("kron:20"));
    assert_eq!(file("kron:sym", &["kron"]).as_deref(), Some("kron"));
    assert_eq!(file("a:b.el:sym", &["a:b.el"]).as_deref(), Some("a:b.el"));
    assert_eq!(file("a:sym", &["a", "a:sym"]).as_deref(), Some("a:sym"));
    // A file that is not there keeps the colons that are no options.
    assert_eq!(file("dir/a:b:sym:seed=3", &[]).as_deref(), Some("dir/a:b"));
    // And a file called like a generator stays a file when printed.
    let spec = GraphSpec::parse_with("kron:sym", exists(&["kron"])).unwrap();
    assert_eq!(spec.to_string(), "./kron:sym");
}

#[test]
fn mistakes_are_explained() {
    for (text, parts) in [
        ("kronn:20", &["did you mean `kron`", "generators: kron, urand, grid"][..]),
        ("banana", &["no file and no generator `banana`", "generators:"]),
        ("kron:20:weigths=1..9", &["did you mean `weights`", "weights=LOW..HIGH"]),
        ("kron:20:16:99", &["`99` is not understood", "EDGE_FACTOR"]),
        ("kron:20:x=3", &["`x` is not understood"]),
        ("kron", &["SCALE is missing"]),
        ("kron:20:directd", &["is no valid EDGE_FACTOR; did you mean `directed`?"]),
        ("kron:many", &["`many` is no valid SCALE"]),
        ("kron:20:a=0.9:b=0.3", &["a + b + c"]),
        ("kron:20:seed=-1", &["`-1` is no seed"]),
        ("kron:20:seed=1:seed=2", &["`seed` is given twice"]),
        ("kron:20:weights=9..1", &["range 9..1 is empty"]),
        ("kron:20:weights=0.0..inf", &["finite"]),
        ("kron:20:weights=5", &["1..1000"]),
        ("kron:20:weights", &["`weights` needs a value"]),
        ("kron:20:reorder=degre", &["did you mean `degree`"]),
        ("kron:20:directed:sym", &["contradict"]),
        ("kron:20:format=mtx", &["is for files"]),
        ("a.x:format=nonsense:sym", &["unknown format `nonsense`"]),
        ("grid:10", &["two or three extents"]),
        ("grid:0x5", &["at least 1"]),
        ("grid:10xx5", &["is no valid extent"]),
        ("road:10x10:drop=0.9", &["between 0 and 0.5"]),
        ("smallworld:100:5", &["must be even"]),
        ("regular:5:3", &["must be even"]),
        ("regular:5:9", &["below the number of vertices"]),
        ("cycle:2", &["at least 3"]),
        ("degrees:100:gaussian:1:2", &["`gaussian` is no distribution", "normal:MEAN:DEVIATION"]),
        ("degrees:100:norml:1:2", &["did you mean `normal`"]),
        ("degrees:100:uniform:5..2", &["empty"]),
        ("degrees:100:uniform:0..9:p=0.3", &["`0.3` is no valid p"]),
        ("evolve:1000000:uniform:0..9", &["too many to evolve", "degrees"]),
        ("evolve:100:uniform:0..9:crossover=both", &["`both` is no valid crossover"]),
    ] {
        // A format that is no format makes the text a path when the file is not there; give it one.
        let exists = |path: &Path| path == Path::new("a.x");
        let error = GraphSpec::parse_with(text, exists).unwrap_err();
        assert!(error.is_usage(), "{text}");
        let found = error.to_string();
        for part in parts {
            assert!(found.contains(part), "{text}: `{part}` is not in: {found}");
        }
    }
    assert!(message("kron:20:16:banana").contains("options: directed, sym"));
}

#[test]
fn sizes_beyond_the_machine_are_refused_with_an_estimate() {
    for text in [
        "kron:32",
        "kron:64",
        "kron:4000000000",
        "urand:50:1000000",
        "grid:18446744073709551615x18446744073709551615x2",
        "road:4000000x4000000",
        "complete:18446744073709551615",
        "star:100000000000000",
        "bipartite:18446744073709551615:5",
        "regular:1000000000000:1000",
        "smallworld:18446744073709551615",
        "powerlaw:1000000000000000",
        "degrees:1000000000000000:uniform:0..100",
        "evolve:60000:uniform:0..59999",
    ] {
        let error = parse(text).unwrap().load(&Silent).unwrap_err();
        let expected = match error {
            GraphError::Memory(_) => " of memory, but only ",
            _ => "vertices are too many: a graph has at most 2147483647",
        };
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
}

#[test]
fn files_take_options() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.el");
    std::fs::write(&path, "0 1\n1 2\n2 2\n0 1\n0 3\n").unwrap();
    let load = |options: &str| {
        GraphSpec::parse(&format!("{}{options}", path.display())).unwrap().load(&Silent).map(|l| l.graph)
    };
    assert_eq!(load("").unwrap().edges(), 3);
    assert_eq!(load(":loops:parallel").unwrap().edges(), 5);
    let symmetric = load(":sym:weights=1..10").unwrap();
    assert_eq!(symmetric.edges(), 6);
    assert!(symmetric.is_symmetric() && symmetric.out().is_symmetric());
    assert!(matches!(symmetric.out().weights(), Weights::Int(w) if w.iter().all(|w| (1..=10).contains(w))));
    assert_eq!(load(":sym:reorder=degree").unwrap().out().degree(0), 2);
    assert_eq!(load(":format=el").unwrap().edges(), 3);
    assert!(load("x").is_err());

    // Listed at both ends: taken as directed when told so. Declared symmetric: `directed` contradicts the file.
    let metis = folder.path().join("small.graph");
    std::fs::write(&metis, "2 1\n2\n1\n").unwrap();
    let directed = |path: &Path| GraphSpec::parse(&format!("{}:directed", path.display())).unwrap().load(&Silent);
    assert!(!directed(&metis).unwrap().graph.is_symmetric());
    let matrix = folder.path().join("small.mtx");
    std::fs::write(&matrix, "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n").unwrap();
    assert!(directed(&matrix).unwrap_err().to_string().contains("undirected"));
}

#[test]
fn the_story_of_loading_is_told() {
    let loaded = parse("kron:8:weights=1..5:reorder=degree").unwrap().load(&Silent).unwrap();
    let names: Vec<_> = loaded.phases.iter().map(|p| p.name).collect();
    assert_eq!(names, ["generate", "build", "weigh", "reorder"]);
    assert_eq!(loaded.description, "kron:8:weights=1..5:reorder=degree");
}
