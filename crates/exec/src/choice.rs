//! The schedule that a machine takes when nobody gives one: what is chosen, for which graph, and why.
//!
//! The rules belong to the machine ([`GraphVm::choose`]); [`choose_by_rules`](crate::choose_by_rules) applies them.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use gw_graph::Graph;
use gw_ir::analysis::numbering::free_of_numbers;
use gw_ir::builtin::Builtin;
use gw_ir::expr::{Expr, ExprKind};
use gw_ir::module::{GlobalInit, Module};
use gw_ir::stmt::{Block, Stmt};
use gw_ir::types::Scalar;
use gw_ir::{points, walk};
use gw_schedule::{ProgramSchedule, VertexOrder};
use serde::Serialize;

use crate::intrinsics::is_skewed;
use crate::options::RunOptions;
use crate::vm::GraphVm;

/// A chosen schedule and why.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// The schedule, by label. Operators without a label of their own were given one.
    pub schedule: ProgramSchedule,
    /// One entry per place that got a schedule.
    pub reasons: Vec<Reason>,
    /// Why nothing was chosen and the machine's defaults hold; `None` when a rule was asked.
    pub defaults_because: Option<String>,
}

impl Choice {
    /// No choice: the defaults of the machine, for this reason.
    pub fn defaults(because: impl Into<String>) -> Choice {
        Choice { defaults_because: Some(because.into()), ..Choice::default() }
    }

    /// What a machine chooses that has no rule.
    pub fn without_rule() -> Choice {
        Choice::defaults("this machine has no rule for choosing a schedule")
    }
}

/// Why a place got its schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// Label path.
    pub path: String,
    /// The line of the statement.
    pub line: u32,
    /// What stands there.
    pub what: &'static str,
    /// The schedule in canonical text.
    pub schedule: String,
    /// The reason, in words.
    pub because: String,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{} ({}): {}\n    {}", self.path, self.what, self.schedule, self.because),
            line => write!(f, "line {line}, `{}` ({}): {}\n    {}", self.path, self.what, self.schedule, self.because),
        }
    }
}

/// A choice for one run, and the time that loading its graph took.
#[derive(Debug)]
pub struct RunChoice {
    /// The module, with a label on every operator that takes a schedule.
    pub module: Module,
    /// The schedule and the reasons.
    pub choice: Choice,
    /// Seconds spent on loading the graph, which the run then finds in the same source.
    pub load_seconds: f64,
    /// The graph, where it is known before the run.
    pub graph: Option<Arc<Graph>>,
}

/// Lets a machine choose the schedule of a module as lowered, for a run with these options.
///
/// The graph is loaded from the source of the run, so it is loaded once. Where it cannot be known beforehand or
/// cannot be loaded, the defaults hold; the run itself reports what is wrong with a graph, with its line.
pub fn choose_for_run(machine: &dyn GraphVm, module: Module, options: &RunOptions) -> RunChoice {
    choose_for_run_by(module, options, |module, graph| {
        let (module, mut choice) = machine.choose(module, graph);
        if let Some(reason) = order_by_degree(machine, &module, graph, options.runs) {
            choice.schedule.set_order(Some(VertexOrder::Degree));
            choice.reasons.insert(0, reason);
        }
        (module, choice)
    })
}

/// As [`choose_for_run`], by rules that are not those of a machine.
pub fn choose_for_run_by(
    module: Module,
    options: &RunOptions,
    choose: impl FnOnce(Module, &Graph) -> (Module, Choice),
) -> RunChoice {
    let start = Instant::now();
    let graph = match graph_text(&module, &options.argv) {
        Some(wanted) => options.graphs.load(&wanted.text, wanted.weight).map_err(|_| "its graph cannot be loaded"),
        None => Err("the program names no graph that is known before it runs"),
    };
    let load_seconds = start.elapsed().as_secs_f64();
    let (module, choice) = match &graph {
        Ok(graph) => choose(module, graph),
        Err(because) => (module, Choice::defaults(*because)),
    };
    RunChoice { module, choice, load_seconds, graph: graph.ok() }
}

/// Why the vertices should be numbered by degree; `None` where they should not.
fn order_by_degree(machine: &dyn GraphVm, module: &Module, graph: &Graph, runs: u32) -> Option<Reason> {
    let enough = machine.renumbers_from()?;
    if runs < enough || !is_skewed(graph) || graph.is_degree_ordered() || free_of_numbers(module).is_err() {
        return None;
    }
    let because = format!("skewed degrees, and at least {enough} runs: what is read most shall lie together");
    let (path, what) = ("the program".to_string(), "numbers of vertices");
    Some(Reason { path, line: 0, what, schedule: "order=degree".into(), because })
}

/// A graph that a program loads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphText {
    /// The file or spec.
    pub text: String,
    /// The type of weights that the program wants.
    pub weight: Option<Scalar>,
}

/// The first graph that a module loads, given its command line; `None` when there is none or its name is computed.
pub fn graph_text(module: &Module, argv: &[String]) -> Option<GraphText> {
    let mut first: Option<Option<GraphText>> = None;
    let mut look = |expr: &Expr| {
        if let (ExprKind::EdgeSetLoad(file), None) = (&expr.kind, &first) {
            let text = match &file.kind {
                ExprKind::Str(path) => Some(path.to_string()),
                ExprKind::Builtin(Builtin::Argv, args) => match args.first().map(|a| &a.kind) {
                    Some(ExprKind::Int(k)) => usize::try_from(*k).ok().and_then(|k| argv.get(k).cloned()),
                    _ => None,
                },
                _ => None,
            };
            first = Some(text.map(|text| GraphText { text, weight: expr.ty.weight() }));
        }
    };
    for global in &module.globals {
        if let Some(GlobalInit::Value(init) | GlobalInit::PerEntry(init)) = &global.init {
            walk::walk_expr(init, &mut look);
        }
    }
    for body in walk::bodies(module) {
        walk::walk_block_exprs(body, &mut look);
    }
    first.flatten()
}

/// Gives every statement with an edge operator or an intersection, but without a label, a label of its own (`op1`,
/// `op2`, ...), so that a schedule can name it. Labels change nothing of what a module computes.
pub fn label_operators(module: &mut Module) {
    let mut taken: Vec<String> = points::label_paths(module);
    let mut next = 0;
    let mut fresh = || loop {
        next += 1;
        let label = format!("op{next}");
        if !taken.iter().any(|path| path.split(':').any(|part| part == label)) {
            taken.push(label.clone());
            return label;
        }
    };
    fn visit(block: &mut Block, fresh: &mut dyn FnMut() -> String) {
        for stmt in block {
            if stmt.label.is_none() && takes_schedule(stmt) {
                stmt.label = Some(fresh().as_str().into());
            }
            for inner in stmt.blocks_mut() {
                visit(inner, fresh);
            }
        }
    }
    for body in walk::bodies_mut(module) {
        visit(body, &mut fresh);
    }
}

fn takes_schedule(stmt: &Stmt) -> bool {
    let mut intersects = false;
    walk::stmt_exprs(stmt, &mut |e| {
        walk::walk_expr(e, &mut |e| {
            intersects |= matches!(e.kind, ExprKind::Intersection { .. } | ExprKind::IntersectNeighbor { .. });
        });
    });
    intersects || stmt.operator().is_some_and(|op| op.edges().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "\
element Node;
element Link;
global links : edgeset{Link}(Node, Node, int) = EdgeSetLoad(edgeset{Link}(Node, Node, int), GRAPH);
global depth : vector{Node}(int);

func deepen(src : Node, dst : Node, weight : int) {
    Reduce(MAX, depth[dst], depth[src] + weight);
}

main func main() {
    EdgeSetIterator<is_all_edges=true>(links, apply=deepen);
    #op1# EdgeSetIterator<is_all_edges=true>(links, apply=deepen);
    EdgeSetIterator<is_all_edges=true>(links, apply=deepen);
}
";

    fn module(graph: &str) -> Module {
        gw_ir::parse(&MODULE.replace("GRAPH", graph)).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn the_graph_of_a_run_is_found_where_its_name_is_plain() {
        let argv: Vec<String> = ["gw", "kron:4", "7"].map(String::from).into();
        let text = |graph: &str| graph_text(&module(graph), &argv);
        let wanted = GraphText { text: "kron:4".to_string(), weight: Some(Scalar::Int) };
        assert_eq!(text("Argv(1)"), Some(wanted.clone()));
        assert_eq!(text("\"kron:4\""), Some(wanted));
        assert_eq!(text("Argv(9)"), None);
    }

    #[test]
    fn every_operator_gets_a_label_and_keeps_the_one_it_has() {
        let mut module = module("Argv(1)");
        label_operators(&mut module);
        assert_eq!(points::label_paths(&module), ["op2", "op1", "op3"]);
    }

    #[test]
    fn a_machine_without_a_rule_and_a_missing_graph_leave_the_defaults() {
        let machine = crate::ReferenceVm::new();
        let because = |graph: &str| {
            let options = RunOptions::with_args([graph]);
            let chosen = choose_for_run(&machine, module("Argv(1)"), &options);
            assert!(chosen.choice.schedule.is_default() && chosen.choice.reasons.is_empty());
            assert_eq!(chosen.module, module("Argv(1)"));
            chosen.choice.defaults_because.unwrap_or_default()
        };
        assert!(because("path:4:weights=1..2").contains("no rule"));
        assert!(because("nothing.mtx").contains("cannot be loaded"));
    }
}
