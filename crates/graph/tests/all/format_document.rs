//! GraphML, GEXF and node-link JSON: what other programs write, and mistakes with their line and column.

use crate::format_support;

use format_support::{Folder, edges, load_file, write_file};
use gw_graph::format::{Format, ReadOptions, TableColumns, load};
use gw_graph::progress::Silent;
use gw_graph::{BuildOptions, Graph, GraphSpec, WeightKind};
use proptest::prelude::*;

/// Edges between names.
fn named(graph: &Graph) -> Vec<(String, String, f64)> {
    let name = |v: u32| graph.names().map_or_else(|| v.to_string(), |names| names.get(v).to_string());
    edges(graph).into_iter().map(|(s, t, w)| (name(s), name(t), w)).collect()
}

fn list(edges: &[(&str, &str, f64)]) -> Vec<(String, String, f64)> {
    edges.iter().map(|&(s, t, w)| (s.to_string(), t.to_string(), w)).collect()
}

/// As `networkx.write_graphml` writes it, with a default, a description and what yEd adds.
const GRAPHML: &str = r#"<?xml version='1.0' encoding='utf-8'?>
<!DOCTYPE graphml SYSTEM "graphml.dtd">
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
  <key id="d1" for="edge" attr.name="since" attr.type="long" />
  <key id="d0" for="edge" attr.name="weight" attr.type="double"><desc>in km</desc><default>7.5</default></key>
  <key id="d2" for="node" attr.name="weight" attr.type="string" />
  <graph edgedefault="directed">
    <desc>people</desc>
    <node id="ann &amp; &#x42;ob"><data key="d2">9</data><port name="x"/></node>
    <node id="cem"><data key="d9"><y:ShapeNode><y:Fill color="red"/></y:ShapeNode></data></node>
    <node id="alone" />
    <edge source="ann &amp; &#x42;ob" target="cem"><data key="d1">2001</data><data key="d0"> 3.25 </data></edge>
    <!-- <edge source="cem" target="alone"/> -->
    <edge source="cem" target="cem"/>
    <edge directed="false" source="cem" target="dee"><data key="d0"><![CDATA[1]]></data></edge>
    <edge source="dee" target="ann &amp; Bob" />
    <node id="dee"></node>
  </graph>
</graphml>
"#;

#[test]
fn graphml_of_other_programs_is_read() {
    let folder = Folder::new();
    let graph = folder.load("g.graphml", GRAPHML).unwrap();
    let expected =
        list(&[("ann & Bob", "cem", 3.25), ("cem", "dee", 1.0), ("dee", "ann & Bob", 7.5), ("dee", "cem", 1.0)]);
    assert_eq!((graph.vertices(), named(&graph)), (4, expected));
    let names: Vec<String> = graph.names().unwrap().iter().map(|name| name.to_string()).collect();
    assert_eq!(names, ["ann & Bob", "cem", "alone", "dee"], "in the order of their declaration");
    // Another attribute as the weight, and a file whose name tells nothing.
    let path = folder.file("noname", GRAPHML);
    let spec = |text: &str| GraphSpec::parse(&format!("{}{text}", path.display())).unwrap();
    let graph = spec(":weight=since:missing=skip").load(&Silent).unwrap().graph;
    assert_eq!(named(&graph), list(&[("ann & Bob", "cem", 2001.0)]));
    assert_eq!(graph.skipped_edges().unwrap().count, 3);
    let error = folder.message(&spec(":weight=since").load(&Silent).unwrap_err());
    let missing = "an edge has no `since`, and others have one; add it, or leave such edges out with --missing skip";
    assert_eq!(error, format!("noname:14:5: {missing}"));
    let error = folder.message(&spec(":weight=km").load(&Silent).unwrap_err());
    assert_eq!(error, "noname: no edge has a weight `km`; attributes of edges are since, weight");
    let error = spec(":source=a").load(&Silent).unwrap_err().to_string();
    assert!(error.contains("source, target and header are for tables"), "{error}");
}

#[test]
fn undirected_documents_have_each_edge_once() {
    let folder = Folder::new();
    let graphml = "<graphml><key id=\"w\" for=\"edge\" attr.name=\"weight\"/><graph edgedefault=\"undirected\">\
                   <node id=\"2\"/><node id=\"0\"/><node id=\"1\"/>\
                   <edge source=\"0\" target=\"1\"><data key=\"w\">4</data></edge></graph></graphml>";
    let gexf = "<?xml version=\"1.0\"?><g:gexf xmlns:g=\"http://www.gexf.net/1.2draft\"><g:graph>\
                <g:nodes><g:node id=\"2\" label=\"x\"/><g:node id=\"0\"/><g:node id=\"1\"/></g:nodes>\
                <g:edges><g:edge id=\"0\" source=\"0\" target=\"1\" weight=\"4\"/></g:edges></g:graph></g:gexf>";
    let json = "\u{feff}{\"nodes\": [{\"id\": 2}, {\"id\": 0, \"x\": [1, {}]}, {\"id\": 1}], \"multigraph\": true, \
                \"links\": [{\"weight\": 4, \"source\": 0, \"target\": 1, \"key\": 0}]}";
    for (name, text) in [("a.graphml", graphml), ("a.gexf", gexf), ("a.json", json)] {
        let graph = folder.load(name, text).unwrap();
        assert!(graph.is_symmetric() && graph.names().is_none(), "{name}");
        assert_eq!((graph.vertices(), edges(&graph)), (3, vec![(0, 1, 4.0), (1, 0, 4.0)]), "{name}");
        assert_eq!(graph.weight_kind(), WeightKind::Int, "{name}");
    }
}

#[test]
fn gexf_of_gephi_is_read() {
    let folder = Folder::new();
    let text = r#"<gexf xmlns="http://gexf.net/1.3" version="1.3"><meta><creator>Gephi</creator></meta>
<graph defaultedgetype="directed" mode="static">
  <attributes class="edge"><attribute id="k" title="km" type="float"><default>1.0</default></attribute></attributes>
  <nodes count="3"><node id="a" label="Ann"><attvalues/><viz:size value="3"/></node><node id="b"/><node id="c"/></nodes>
  <edges><edge source="a" target="b"><attvalues><attvalue for="k" value="2.5"/></attvalues></edge>
  <edge source="b" target="c" type="undirected" weight="3"/></edges>
</graph></gexf>"#;
    let graph = folder.load("g.gexf", text).unwrap();
    // An edge without a weight weighs 1, as the format says.
    assert_eq!(named(&graph), list(&[("a", "b", 1.0), ("b", "c", 3.0), ("c", "b", 3.0)]));
    let path = folder.path("g.gexf");
    let columns =
        TableColumns { weight: Some("km".into()), missing: gw_graph::format::Missing::Skip, ..Default::default() };
    let options = ReadOptions { columns, ..Default::default() };
    let graph = load(&path, &options, &BuildOptions::default(), &Silent).unwrap().graph;
    assert_eq!(named(&graph), list(&[("a", "b", 2.5)]));
}

#[test]
fn node_link_json_of_networkx_is_read() {
    let folder = Folder::new();
    for key in ["links", "edges"] {
        let text = format!(
            "{{\"directed\": true, \"multigraph\": false, \"graph\": {{}}, \"{key}\": [\n\
             {{\"source\": \"a\\u00e9\\n\", \"target\": 7, \"weight\": 0.5}},\n\
             {{\"source\": 7, \"target\": \"x\", \"weight\": null}}],\n\
             \"nodes\": [{{\"id\": \"a\u{e9}\\n\"}}, {{\"id\": 7, \"club\": \"b\"}}, {{\"id\": \"x\"}}]}}"
        );
        let path = folder.file("g.json", &text);
        let graph = GraphSpec::parse(&format!("{}:missing=skip", path.display())).unwrap().load(&Silent).unwrap().graph;
        assert_eq!((graph.vertices(), named(&graph)), (3, list(&[("a\u{e9}\n", "7", 0.5)])), "{key}");
        assert_eq!(graph.skipped_edges().unwrap().to_string().split(", in ").last(), Some("line 3"));
        let message = folder.refusal("g.json", &text);
        assert!(message.starts_with("g.json:3:12: an edge has no `weight`, and others have one"), "{message}");
    }
}

#[test]
fn mistakes_are_told_with_line_and_column() {
    let folder = Folder::new();
    let graphml = |inside: &str| format!("<graphml>\n<graph edgedefault=\"directed\">{inside}</graph></graphml>");
    let two = "<node id=\"a\"/><node id=\"b\"/>";
    let mut wrong = Vec::new();
    for (text, message) in [
        (graphml("\n<node/>"), "3:1: a node has no `id`; give every node an id of its own"),
        (
            graphml("<node id=\"a\"/>\n <node id='a'/>"),
            "3:2: a second node has the id `a`; give every node an id of its own",
        ),
        (
            graphml(&format!("{two}\n<edge source='a' target='c'/>")),
            "3:1: an edge ends at `c`, but no node has this id",
        ),
        (
            graphml(&format!("{two}\n<edge source='a'/>")),
            "3:1: an edge has no `target`; add it, or leave such edges out with --missing skip",
        ),
        (
            graphml(&format!("{two}\n<edge source='a' target='b' directed='so'/>")),
            "3:1: `directed` is `true` or `false`, but it is `so`",
        ),
        (graphml("\n  <hyperedge/>"), "3:3: hyperedges are not read: an edge has two ends"),
        (graphml("\n<node id='a'><graph/></node>"), "3:14: a graph within a node is not read; write a flat graph"),
        (graphml("<node id='&lol;'/>"), "2:31: the attribute `id`: "),
        (graphml("\n<node id='a'></edge>"), "3:14: ill-formed document: expected `</node>`, but `</edge>` was found"),
        ("<graphml>\n<graph/></graphml>".into(), "2:1: `edgedefault` is `directed` or `undirected`, but it is missing"),
        ("<graphml>\n</graphml>".into(), "1:1: there is no `graph` in the document"),
        ("<graphml><graph edgedefault=\"directed\">".into(), "1:40: the file ends before its last element does"),
        ("<html></html>".into(), "1:1: the document is `html`, not `graphml`"),
        (
            "<?xml version=\"1.0\" encoding=\"latin1\"?><graphml/>".into(),
            "1:1: the document is in latin1; save it as UTF-8",
        ),
        (
            "<!DOCTYPE x [<!ENTITY a \"aa\"><!ENTITY b \"&a;&a;\">]>\n<graphml/>".into(),
            "1:1: the document declares entities, which are not expanded; remove the declaration",
        ),
    ] {
        let found = folder.refusal("f.graphml", &text);
        if !found.starts_with(&format!("f.graphml:{message}")) {
            wrong.push(format!("{text}\n{found}\n{message}"));
        }
    }
    for (text, message) in [
        (
            "{\"nodes\": [{\"id\": 1}],\n\"links\": [{\"source\": 1, \"target\": 2}]}",
            "2:22: an edge ends at `2`, but no node has this id",
        ),
        (
            "{\"nodes\": [{\"id\": 1},\n{\"id\": 1.5}], \"links\": []}",
            "2:8: `1.5` is no id: ids are texts or whole numbers of 64 bits",
        ),
        ("{\"nodes\": [{\"id\": null}], \"links\": []}", "1:19: a node has no `id`; give every node an id of its own"),
        (
            "{\"nodes\": [],\n \"links\": [], \"edges\": []}",
            "2:21: both `links` and `edges` are there; keep one of them",
        ),
        ("{\"links\": []}", "1:13: there are no `nodes` in the object"),
        ("{\"nodes\": []", "1:12: EOF while parsing an object"),
        ("[1, 2]", "1:0: invalid type: sequence, expected an object with `nodes` and `links` or `edges`"),
        (
            "{\"nodes\": [{\"id\": 1}], \"links\": [{\"source\": 1,\n\"target\": 1, \"weight\": \"x\"}]}",
            "2:24: `weight`: expected a number, found `\"x\"`",
        ),
    ] {
        let found = folder.refusal("f.json", text);
        if !found.starts_with(&format!("f.json:{message}")) {
            wrong.push(format!("{text}\n{found}\n{message}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let gexf = "<gexf><graph mode=\"dynamic\"/></gexf>";
    assert!(folder.refusal("f.gexf", gexf).starts_with("f.gexf:1:7: the graph is dynamic"));
    let nested = "<gexf><graph><nodes><node id=\"a\"><nodes/></node></nodes></graph></gexf>";
    assert!(folder.refusal("f.gexf", nested).starts_with("f.gexf:1:34: nodes within a node are not read"));
}

#[test]
fn deep_nesting_is_survived() {
    let folder = Folder::new();
    let deep = "<data>".repeat(100_000) + &"</data>".repeat(100_000);
    let text = format!("<graphml><graph edgedefault=\"directed\"><node id=\"a\">{deep}</node></graph></graphml>");
    assert_eq!(folder.load("d.graphml", text).unwrap().vertices(), 1);
    let text = format!("{{\"nodes\": {}{}, \"links\": []}}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(!folder.refusal("d.json", text).is_empty());
}

#[test]
fn what_xml_cannot_hold_is_refused_and_json_holds_it() {
    let folder = Folder::new();
    let graph = folder.load("g.csv", "source,target\n\"a\u{1}\",b\n").unwrap();
    for name in ["g.graphml", "g.gexf"] {
        let error = folder.message(&write_file(&graph, &folder.path(name)).unwrap_err());
        assert!(error.contains("a character that XML cannot hold"), "{error}");
        assert!(!folder.path(name).exists());
    }
    write_file(&graph, &folder.path("g.json")).unwrap();
    let back = load_file(&folder.path("g.json")).unwrap().graph;
    assert!(back == graph && back.names() == graph.names());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn written_documents_keep_names(
        rows in prop::collection::vec(("[ -~äé\n\t\r]{1,5}", "[a-c<&\"'> #]{1,3}"), 1..30),
        symmetric: bool,
    ) {
        let quote = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let text: String = rows.iter().map(|(s, t)| format!("{},{}\n", quote(s), quote(t))).collect();
        let folder = Folder::new();
        let graph = folder.load("a.csv", format!("source,target\n{text}")).unwrap();
        let graph = if symmetric { graph.symmetrised().unwrap() } else { graph };
        for format in Format::ALL.into_iter().filter(|format| format.is_document()) {
            let path = folder.path(&format!("b.{format}.gz"));
            write_file(&graph, &path).unwrap();
            let back = load_file(&path).unwrap().graph;
            prop_assert!(back == graph && back.names() == graph.names(), "{}", format);
        }
    }
}
