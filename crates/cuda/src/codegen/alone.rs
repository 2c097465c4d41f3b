//! Rounds that one block runs alone (`alone.cuh`): which loops have them, and what the other blocks learn afterwards.
//!
//! A loop that begins every round with a set or with the near set of a queue, and whose operators reach nothing but
//! that and what they make of it, has rounds as small as that set. Then a barrier of the grid takes longer than the
//! work between two.

use gw_ir::analysis::region::Frontiers;
use gw_ir::builtin::Builtin;
use gw_ir::expr::ExprKind;
use gw_ir::meta::Direction;
use gw_ir::operator::{EdgeSetIterator, Operator, VertexFilter};
use gw_ir::source::Name;
use gw_ir::stmt::{Decision, Stmt, StmtKind};
use gw_ir::walk;

use super::access::Requirement;
use super::refusal::Refusal;
use super::text::{Code, c_name};
use super::uniform::Uniform;
use super::uniform_results::Word;

/// Where in the results the words for the other blocks begin. Nobody else writes there: a block may still be reading
/// them when the loop has ended.
pub(crate) const ALONE_AT: usize = 256;

impl Uniform<'_, '_> {
    /// Whether a round of a loop has little to do, as code; nothing where that cannot be told from its sets.
    pub(super) fn has_little(&mut self, body: &[Stmt]) -> Result<Option<String>, Refusal> {
        let frontiers = Frontiers::of(self.region.module, body);
        if frontiers.all || !self.steps.is_empty() || !is_plain(body) || !follows_frontiers(body) {
            return Ok(None);
        }
        let mut tests: Vec<String> = Vec::new();
        for name in &frontiers.sets {
            let list = popped(body, name).filter(|list| self.lists.contains(list));
            // Sets that are neither handed in nor taken off a list are made in the round.
            let handed_in = self.region.params.contains_key(name) && self.sets.contains(name);
            if !handed_in && list.is_none() {
                continue;
            }
            let Some(graph) = graph_walked_from(body, Some(name)) else { return Ok(None) };
            let lists = self.out_lists(&graph)?;
            tests.push(match list.map(|list| c_name(&list)) {
                Some(l) => format!("gw::has_few_edges({l}, {l}_depth, {l}_used, {lists})"),
                None => format!("gw::has_few_edges(run, {}, {lists})", c_name(name)),
            });
        }
        for name in &frontiers.queues {
            let Some(graph) = graph_walked_from(body, None) else { return Ok(None) };
            let (queue, near, lists) = (self.queue(name)?, self.near(name), self.out_lists(&graph)?);
            tests.push(format!("gw::has_near(run, {queue}, {near}) && gw::has_few_edges(run, {near}, {lists})"));
        }
        Ok((!tests.is_empty()).then(|| tests.join(" && ")))
    }

    /// The array that says where the out-lists of a graph are.
    fn out_lists(&mut self, name: &Name) -> Result<String, Refusal> {
        let graph = self.region.graph(name).map_err(|reason| self.refuse(reason))?;
        self.region.inputs.need(name, |parts| parts.out = true);
        self.region.require(Requirement::Walked(name.clone()));
        let apart = self.region.shape(name).map_err(|reason| self.refuse(reason))?.apart.out;
        Ok(format!("{graph}.{}", if apart { "out_ranges" } else { "out_offsets" }))
    }

    /// The beginning of a round, where `more` is known: the first block goes on alone, or the others come back.
    pub(super) fn choose_blocks(&mut self, turns: &str, little: &str, most_turns: u32) {
        self.region.include("alone.cuh");
        self.region.cooperative = true;
        self.code.line(format!("const bool little = more && {turns} % {most_turns} != 0 && {little};"));
        self.code.open("if (gw::is_alone())");
        self.code.open("if (!little)");
        self.code.line(format!("if (run.grid.first()) save_rounds(more, {turns});"));
        self.code.line("gw::end_alone(run);");
        self.code.close("");
        self.code.close(" else if (little && gridDim.x > 1 && !gw::begin_alone(run)) {");
        self.code.nest();
        self.code.line(format!("load_rounds(more, {turns});"));
        self.code.close("");
        self.alone = Some(turns.to_string());
    }

    /// Defines what the first block writes and the others read when rounds of one block end.
    pub(super) fn write_rounds(&mut self, words: &[Word]) {
        let Some(turns) = self.alone.clone() else { return };
        let mut more: Vec<String> = vec!["more".into(), turns.clone()];
        for name in self.queues.clone() {
            if let Ok(queue) = self.region.queue(&name) {
                more.extend([format!("{queue}.best"), format!("{queue}.best_known")]);
            }
        }
        let mut saves: Vec<String> = Vec::new();
        let mut loads: Vec<String> = Vec::new();
        for (i, word) in words.iter().enumerate() {
            saves.push(word.put(ALONE_AT + i));
            loads.push(word.take(ALONE_AT + i));
        }
        let mut slot = ALONE_AT + words.len();
        for name in more {
            saves.push(format!("gw::put(args.results + {slot}, {name});"));
            loads.push(format!("gw::take(args.results + {slot}, {name});"));
            slot += 1;
        }
        saves.push(format!("run.save(args.results + {slot});"));
        loads.push(format!("run.restore(args.results + {slot});"));
        let mut code = Code::at_depth(1);
        code.line("// What the first block writes, and the others take up, when it has run rounds alone.");
        for (name, reference, lines) in [("save_rounds", "", &saves), ("load_rounds", "&", &loads)] {
            code.open(format!("auto {name} = [&](bool{reference} more, unsigned{reference} {turns})"));
            lines.iter().for_each(|line| code.line(line));
            code.close(";");
        }
        self.definitions = code.into_text();
    }
}

/// No loops in it, and no way out but its condition.
fn is_plain(body: &[Stmt]) -> bool {
    let mut plain = true;
    walk::walk_stmts(body, &mut |s| {
        plain &= !matches!(
            s.kind,
            StmtKind::Break | StmtKind::While { .. } | StmtKind::DoWhile { .. } | StmtKind::For { .. }
        );
    });
    plain
}

fn edge_operators<'s>(body: &'s [Stmt], found: &mut Vec<&'s EdgeSetIterator>) {
    walk::walk_block_exprs(body, &mut |e| {
        if let ExprKind::Operator(op) = &e.kind
            && let Operator::EdgeSetIterator(edges) = &**op
        {
            found.push(edges);
        }
    });
}

/// Whether all edge operators push from sets, where a set is small. Of a choice by the size of the set one variant
/// must.
fn follows_frontiers(body: &[Stmt]) -> bool {
    let pushes =
        |e: &&EdgeSetIterator| e.meta.direction == Some(Direction::Push) && matches!(e.from, VertexFilter::Set(_));
    let mut all: Vec<&EdgeSetIterator> = Vec::new();
    edge_operators(body, &mut all);
    let mut excused: Vec<*const EdgeSetIterator> = Vec::new();
    walk::walk_stmts(body, &mut |s| {
        let StmtKind::Hybrid(hybrid) = &s.kind else { return };
        let mut of_choice: Vec<&EdgeSetIterator> = Vec::new();
        hybrid.variants.iter().for_each(|variant| edge_operators(variant, &mut of_choice));
        if matches!(hybrid.decision, Decision::Threshold { .. }) && of_choice.iter().any(pushes) {
            excused.extend(of_choice.iter().map(|e| std::ptr::from_ref::<EdgeSetIterator>(e)));
        }
    });
    !all.is_empty() && all.iter().all(|e| pushes(e) || excused.contains(&std::ptr::from_ref::<EdgeSetIterator>(e)))
}

/// The list from which a round takes a set.
fn popped(body: &[Stmt], set: &Name) -> Option<Name> {
    body.iter().find_map(|s| {
        let (name, value) = match &s.kind {
            StmtKind::VarDecl { name, init: Some(value), .. } => (name, value),
            StmtKind::Assign { target, value } => (target.as_var()?, value),
            _ => return None,
        };
        match &value.kind {
            ExprKind::Builtin(Builtin::ListPop, args) if name == set => args.first()?.as_var().cloned(),
            _ => None,
        }
    })
}

/// The graph whose edges the operators of a loop walk from a set, or from any.
fn graph_walked_from(body: &[Stmt], set: Option<&Name>) -> Option<Name> {
    let mut all: Vec<&EdgeSetIterator> = Vec::new();
    edge_operators(body, &mut all);
    let from = |e: &&&EdgeSetIterator| match &e.from {
        VertexFilter::Set(from) => set.is_none() || from.as_var() == set,
        _ => false,
    };
    all.iter().find(from).and_then(|e| e.graph.as_var().cloned())
}
