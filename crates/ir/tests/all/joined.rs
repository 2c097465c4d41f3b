//! Which vertex operators can be carried out together with the pull before them.

use gw_ir::analysis::joined::joined;
use gw_ir::module::Module;

const HEAD: &str = "\
element Node;
element Link;
global links : edgeset{Link}(Node, Node);
universe nodes : vertexset{Node};
global rank : vector{Node}(float);
global share : vector{Node}(float);
global incoming : vector{Node}(double);
global base : double;
global change : double;

startup {
    nodes = Universe(vertexset{Node}, VertexCount(links));
    incoming = VectorAlloc(vector{Node}(double));
    VertexSetIterator<is_all_vertices=true, is_parallel=true>(nodes, apply=fill);
}

startup func fill<context=DEVICE>(v : Node) {
    incoming[v] = 0.0;
}

";
const GATHER: &str = "Reduce(SUM, incoming[dst]<LOCAL, READ_WRITE>, Convert(double, share[src]<SHARED, READ>));";
const UPDATE: &str = "\
    rank[v] = Convert(float, base + incoming[v]);
    incoming[v] = 0.0;
    share[v] = rank[v] * 0.5f;
    Reduce<atomic=true>(SUM, change, Convert(double, share[v]));";
const PULL: &str = "EdgeSetIterator<direction=PULL, is_parallel=true, is_edge_parallel=false, is_all_edges=true>\
                    (links, apply=gather);";
const BETWEEN: &str = "base = (1.0 - change) / Convert(double, VertexCount(nodes));\n    change = 0.0;";
const VISIT: &str = "VertexSetIterator<is_all_vertices=true, is_parallel=true>(nodes, apply=update);";

/// A module whose `main` runs these three parts.
fn module(gather: &str, update: &str, main: [&str; 3]) -> Module {
    let [pull, between, visit] = main;
    let text = format!(
        "{HEAD}func gather<context=DEVICE>(src : Node, dst : Node) {{\n    {gather}\n}}\n\n\
         func update<context=DEVICE>(v : Node) {{\n{update}\n}}\n\n\
         main func main<context=HOST>() {{\n    {pull}\n    {between}\n    {visit}\n}}\n"
    );
    let module = gw_ir::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    if let Err(problems) = gw_ir::validate(&module) {
        panic!("{problems:?}\n{text}");
    }
    module
}

/// Exchanged and resting vectors of the one pair; `None` without a pair.
fn pair(module: &Module) -> Option<(Vec<String>, Vec<String>)> {
    let pairs = joined(module);
    assert!(pairs.len() < 2, "{pairs:?}");
    pairs.first().map(|pair| {
        let resting = pair.resting.iter().map(|(name, _)| name.to_string()).collect();
        (pair.exchanged.iter().map(ToString::to_string).collect(), resting)
    })
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

#[test]
fn a_round_of_pagerank_is_one_pass() {
    let module = module(GATHER, UPDATE, [PULL, BETWEEN, VISIT]);
    assert_eq!(pair(&module), Some((strings(&["share"]), strings(&["incoming"]))));
}

#[test]
fn a_vector_that_is_not_set_back_rests_nowhere() {
    let kept = UPDATE.replace("incoming[v] = 0.0;", "incoming[v] = 1.0;");
    assert_eq!(pair(&module(GATHER, &kept, [PULL, BETWEEN, VISIT])), Some((strings(&["share"]), Vec::new())));
    let perhaps = UPDATE.replace("incoming[v] = 0.0;", "if (base > 0.5) {\n        incoming[v] = 0.0;\n    }");
    assert_eq!(pair(&module(GATHER, &perhaps, [PULL, BETWEEN, VISIT])), Some((strings(&["share"]), Vec::new())));
    let negative = UPDATE.replace("incoming[v] = 0.0;", "incoming[v] = -0.0;");
    assert!(pair(&module(GATHER, &negative, [PULL, BETWEEN, VISIT])).is_none_or(|(_, resting)| resting.is_empty()));
    // Somebody else looks.
    let looked_at = [PULL, BETWEEN, &format!("{VISIT}\n    print VectorSum(incoming);")];
    assert_eq!(pair(&module(GATHER, UPDATE, looked_at)), Some((strings(&["share"]), Vec::new())));
}

#[test]
fn what_the_pull_would_notice_is_not_done_in_one_pass() {
    // The vertex function reads the shares of the round before, or overwrites them only sometimes.
    for update in [
        UPDATE.replace("share[v] = rank", "share[v] = share[v] + rank"),
        UPDATE.replace("share[v] = rank[v] * 0.5f;", "if (base > 0.5) {\n        share[v] = rank[v];\n    }"),
        format!("    rank[v] = share[v];\n{UPDATE}"),
    ] {
        assert_eq!(pair(&module(GATHER, &update, [PULL, BETWEEN, VISIT])), None, "{update}");
    }
    // The edge function looks at a scalar that changes between the two.
    let gather = GATHER.replace("Convert(double, share[src]<SHARED, READ>)", "base");
    assert_eq!(pair(&module(&gather, UPDATE, [PULL, BETWEEN, VISIT])), None);
    // Host code between the two that is more than arithmetic on scalars.
    for between in ["print change;", "change = VectorSum(incoming);", "rank[0] = 1.0f;"] {
        assert_eq!(pair(&module(GATHER, UPDATE, [PULL, between, VISIT])), None, "{between}");
    }
}

#[test]
fn only_pulls_over_all_vertices_are_joined() {
    let push = PULL.replace("PULL", "PUSH");
    let shared = PULL.replace("is_edge_parallel=false", "is_edge_parallel=true");
    let alone = VISIT.replace("is_parallel=true", "is_parallel=false");
    assert_eq!(pair(&module(GATHER, UPDATE, [&push, BETWEEN, VISIT])), None);
    assert_eq!(pair(&module(GATHER, UPDATE, [&shared, BETWEEN, VISIT])), None);
    assert_eq!(pair(&module(GATHER, UPDATE, [PULL, BETWEEN, &alone])), None);
    assert!(pair(&module(GATHER, UPDATE, [PULL, VISIT, BETWEEN])).is_some());
}
