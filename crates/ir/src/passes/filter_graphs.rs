//! Graphs in place of views: `filter=graph` makes a graph of the edges for which the condition of an operator is true,
//! and the operator walks that graph without asking.
//!
//! The graph is made in front of the loops around the operator, or at the beginning of the function where nothing in it
//! changes what the condition reads; operators with the same condition share it. An operator over all edges, each
//! weighing its number, marks those for which the condition is true. Functions see the numbers of the edges of the
//! first graph: they have them as weights, or look them up there.

use std::collections::{HashMap, HashSet};

use super::binding::bind_made;
use super::{PassContext, PassError};
use crate::analysis::condition::{Condition, weighs_numbers};
use crate::analysis::effects::Effects;
use crate::builtin::Builtin;
use crate::expr::{BinaryOp, Expr, ExprKind, FunctionRef};
use crate::meta::{EdgeMeta, Extra, GlobalMeta};
use crate::module::{Context, Function, FunctionKind, Global, Module, Param};
use crate::operator::{EdgeOutput, EdgeSetIterator, Operator, VertexFilter};
use crate::rewrite::{fresh, rename, taken};
use crate::source::{Name, Span};
use crate::stmt::{Block, Stmt, StmtKind};
use crate::types::{Domain, Type};
use crate::walk::{block_mentions, walk_stmts, walk_stmts_mut};
use gw_lang::DERIVED;
use gw_schedule::EdgeFilter;

const PASS: &str = "filter-graphs";

/// Makes the graphs that schedules ask for.
pub fn filter_graphs(mut module: Module, context: &PassContext) -> Result<Module, PassError> {
    let names: Vec<Name> = module.functions.iter().map(|function| function.name.clone()).collect();
    for name in names {
        let Some(function) = module.function(&name) else { continue };
        let Some(body) = function.body.as_deref().filter(|body| wants_graph(body)) else { continue };
        let effects = Effects::of(&module, body);
        let names = taken(&module, Some(function));
        let body = body.to_vec();
        let mut maker =
            Maker { module: &mut module, context, effects, names, made: HashMap::new(), front: Block::new() };
        let body = maker.block(body)?;
        let mut whole = maker.front;
        whole.extend(body);
        if let Some(function) = module.function_mut(&name) {
            function.body = Some(whole);
        }
    }
    Ok(module)
}

fn wants_graph(block: &[Stmt]) -> bool {
    let mut found = false;
    walk_stmts(block, &mut |stmt| found |= stmt.operator().and_then(Operator::edges).is_some_and(asks_for_graph));
    found
}

fn asks_for_graph(edges: &EdgeSetIterator) -> bool {
    let schedule = edges.meta.schedule.as_ref().and_then(|schedule| schedule.as_simple());
    schedule.is_some_and(|schedule| schedule.filter == Some(EdgeFilter::Graph))
}

/// Makes graphs for the operators of one function.
struct Maker<'m, 'c> {
    module: &'m mut Module,
    context: &'c PassContext<'c>,
    /// What the whole function reads and writes.
    effects: Effects,
    /// Names that new variables of the function must not take.
    names: HashSet<Name>,
    /// The graphs made at the beginning of the function, by what they are made of.
    made: HashMap<String, Expr>,
    /// What makes them.
    front: Block,
}

impl Maker<'_, '_> {
    /// A block with the statements that make graphs in front of its outermost loops and operators.
    fn block(&mut self, block: Block) -> Result<Block, PassError> {
        let mut out = Block::with_capacity(block.len());
        for mut stmt in block {
            match stmt.kind {
                StmtKind::If { .. } | StmtKind::Scope(_) => {
                    for inner in stmt.blocks_mut() {
                        *inner = self.block(std::mem::take(inner))?;
                    }
                }
                _ => out.extend(self.region(&mut stmt)?),
            }
            out.push(stmt);
        }
        Ok(out)
    }

    /// Lets the operators in a statement walk graphs; returns what makes these.
    fn region(&mut self, region: &mut Stmt) -> Result<Block, PassError> {
        let mut before = Block::new();
        if !wants_graph(std::slice::from_ref(region)) {
            return Ok(before);
        }
        let effects = Effects::of(self.module, std::slice::from_ref(region));
        let mut made = HashMap::new();
        let mut failed = None;
        walk_stmts_mut(std::slice::from_mut(region), &mut |stmt| {
            let span = stmt.span;
            if let Some(edges) = stmt.operator_mut().and_then(Operator::edges_mut).filter(|e| asks_for_graph(e))
                && !self.operator(edges, &effects, &mut made, &mut before, span)
            {
                failed = Some(span);
            }
        });
        match failed {
            Some(span) => Err(PassError::transform(
                PASS,
                span,
                "`filter=graph` cannot be combined with these transforms: they change the condition of the operator",
            )),
            None => Ok(before),
        }
    }

    /// Lets an operator walk a graph of the edges for which its condition is true; false where it has none.
    fn operator(
        &mut self,
        edges: &mut EdgeSetIterator,
        region: &Effects,
        made: &mut HashMap<String, Expr>,
        before: &mut Block,
        span: Span,
    ) -> bool {
        let Some(condition) = Condition::before(self.module, edges, region) else { return false };
        let Some(marking) = self.marking(edges, &condition) else { return false };
        let key = format!("{:?} {:?} {:?}", edges.graph.as_var(), marking.given, marking.body);
        let stays = marking.given.is_empty() && condition.reads.iter().all(|name| !self.effects.writes.contains(name));
        let known = if stays { self.made.get(&key) } else { made.get(&key) };
        let graph = match known.cloned() {
            Some(graph) => graph,
            None => {
                let (graph, statements) = self.statements(edges, marking, span);
                if stays {
                    self.front.extend(statements);
                    self.made.insert(key, graph.clone());
                } else {
                    before.extend(statements);
                    made.insert(key, graph.clone());
                }
                graph
            }
        };
        edges.graph = graph;
        // What is a leaf of this graph need not be one of others.
        edges.meta.bears_missing_leaves = false;
        if let Some(function) = self.module.function_mut(&edges.apply.name) {
            let mut body = condition.before;
            body.extend(condition.rest);
            function.body = Some(body);
        }
        true
    }

    /// The function that marks edges, under names that do not depend on those of the applied function.
    fn marking(&self, edges: &EdgeSetIterator, condition: &Condition) -> Option<Marking> {
        let function = self.module.function(&edges.apply.name)?;
        let mut names = taken(self.module, None);
        let test = condition.tests.iter().cloned().reduce(|a, b| Expr::binary(BinaryOp::And, a, b))?;
        let mut body = condition.before.clone();
        body.push(Stmt::eval(test));
        let weight = function.params.get(2).filter(|weight| block_mentions(&body, &weight.name));
        let mut renamed = HashMap::new();
        let mut params = Vec::new();
        for (param, name) in function.params.iter().zip(["src", "dst"]) {
            let name = fresh(&mut names, name);
            renamed.insert(param.name.clone(), name.clone());
            params.push(Param { name, ty: param.ty.clone() });
        }
        let number = fresh(&mut names, "number");
        params.push(Param { name: number.clone(), ty: Type::INT });
        let weight = weight.map(|weight| {
            let name = fresh(&mut names, "weight");
            renamed.insert(weight.name.clone(), name.clone());
            Param { name, ty: weight.ty.clone() }
        });
        let mut captures = Vec::new();
        let mut given = Vec::new();
        for (capture, value) in function.captures.iter().zip(&edges.apply.captures) {
            if condition.captures.contains(&capture.name) {
                let name = fresh(&mut names, "given");
                renamed.insert(capture.name.clone(), name.clone());
                captures.push(Param { name, ty: capture.ty.clone() });
                given.push(value.clone());
            }
        }
        for stmt in &condition.before {
            if let StmtKind::VarDecl { name, .. } = &stmt.kind {
                renamed.insert(name.clone(), fresh(&mut names, "before"));
            }
        }
        rename(&mut body, &renamed);
        let marks = fresh(&mut names, "marks");
        let weights = fresh(&mut names, "weights");
        Some(Marking { params, captures, given, number, weight, marks, weights, body })
    }

    /// A new graph of the marked edges, and the statements that make it.
    fn statements(&mut self, edges: &EdgeSetIterator, marking: Marking, span: Span) -> (Expr, Block) {
        let (module, graph) = (&mut *self.module, &edges.graph);
        let base = graph.as_var().map_or("graph", |name| name.trim_start_matches(DERIVED)).to_string();
        // 1. The chosen edges are an element of their own: their number is not that of the edges of the graph.
        let element = module.fresh_name(&format!("{DERIVED}Of_{base}"));
        module.elements.push(element.clone());
        let of = |weight| match &graph.ty {
            Type::EdgeSet { source, target, .. } => {
                Type::EdgeSet { edge: element.clone(), source: source.clone(), target: target.clone(), weight }
            }
            other => other.clone(),
        };
        let (plain, numbered) = (of(graph.ty.weight()), of(Type::INT.scalar()));
        let mut global = |stem: &str, ty: &Type| {
            let name = module.fresh_name(&format!("{DERIVED}{base}_{stem}"));
            let meta = GlobalMeta::default();
            module.globals.push(Global { name: name.clone(), ty: ty.clone(), universe: false, init: None, span, meta });
            Expr::var(name, ty.clone())
        };
        let (form, chosen) = (global("by_number", &numbered), global("where", &plain));
        // 2. Every edge with its number, where it does not weigh its number already.
        let weighs = graph.as_var().is_some_and(|name| weighs_numbers(module, name));
        let every = match weighs {
            true => graph.clone(),
            false => {
                let Type::EdgeSet { edge, source, target, .. } = &graph.ty else { return (chosen, Block::new()) };
                let (edge, source, target) = (edge.clone(), source.clone(), target.clone());
                let ty = Type::EdgeSet { edge, source, target, weight: Type::INT.scalar() };
                Expr::new(ExprKind::Builtin(Builtin::ByNumber, vec![graph.clone()]), ty)
            }
        };
        let as_own = |graph: Expr, ty: &Type| Expr::new(ExprKind::Convert(Box::new(graph)), ty.clone());
        let mut out = vec![Stmt::assign(form.clone(), as_own(every, &numbered))];
        // 3. A mark per edge, and its weight where the condition asks for it.
        let vector = |item: Type| Type::Vector { domain: Domain::Element(element.clone()), item: Box::new(item) };
        let mut local = |stem: &str, ty: Type, value: ExprKind| {
            let name = fresh(&mut self.names, stem);
            let init = Some(Expr::new(value, ty.clone()));
            out.push(Stmt::new(StmtKind::VarDecl { name: name.clone(), ty: ty.clone(), init }));
            Expr::var(name, ty)
        };
        let marks = local("marks", vector(Type::BOOL), ExprKind::VectorAlloc);
        let weight = marking.weight.as_ref().filter(|_| !weighs);
        let weights = weight.and(graph.ty.weight()).map(|scalar| {
            let own = as_own(graph.clone(), &plain);
            let value = ExprKind::Builtin(Builtin::EdgeWeights, vec![own]);
            local("weights", vector(Type::Scalar(scalar)), value)
        });
        // 4. The operator that marks.
        let function = marking.function(module, marks.ty.clone(), weights.as_ref().map(|w| w.ty.clone()), span);
        let mut captures = marking.given;
        captures.push(marks.clone());
        captures.extend(weights.clone());
        let apply = FunctionRef { name: function.name.clone(), captures };
        let behind = module.functions.iter().position(|f| f.name == edges.apply.name).map_or(0, |at| at + 1);
        module.functions.insert(behind, function);
        let meta = EdgeMeta { is_weighted: true, is_all_edges: true, visits_once: true, ..EdgeMeta::default() };
        let (from, to, output) = (VertexFilter::All, VertexFilter::All, EdgeOutput::None);
        let mark = Operator::EdgeSetIterator(EdgeSetIterator { graph: form.clone(), from, to, apply, output, meta });
        let mark = Stmt::eval(mark.into_expr()).at(span);
        out.extend(bind_made(module, mark, self.context.family));
        // 5. The graph of the marked edges; nothing else is needed any more.
        let own = as_own(graph.clone(), &plain);
        let select = Expr::new(ExprKind::Builtin(Builtin::SelectEdges, vec![own, marks.clone()]), plain.clone());
        out.push(Stmt::assign(chosen.clone(), select));
        out.extend([Some(marks), weights, Some(form)].into_iter().flatten().map(|e| Stmt::new(StmtKind::Delete(e))));
        (chosen, out.into_iter().map(|stmt| stmt.at(span)).collect())
    }
}

/// A function that marks the edges for which a condition is true.
struct Marking {
    /// Source, destination and number of the edge.
    params: Vec<Param>,
    /// What the condition captures, and the values.
    captures: Vec<Param>,
    given: Vec<Expr>,
    number: Name,
    /// The weight of the edge, where the condition reads it.
    weight: Option<Param>,
    /// Names of the vectors of marks and of weights.
    marks: Name,
    weights: Name,
    /// Variables before the condition, and the condition.
    body: Block,
}

impl Marking {
    fn function(&self, module: &Module, marks: Type, weights: Option<Type>, span: Span) -> Function {
        let number = Expr::var(self.number.clone(), Type::INT);
        let mut captures = self.captures.clone();
        captures.push(Param { name: self.marks.clone(), ty: marks.clone() });
        let mut body = Block::new();
        if let Some(Param { name, ty }) = &self.weight {
            let value = match &weights {
                Some(weights) => Expr::element(Expr::var(self.weights.clone(), weights.clone()), number.clone()),
                None => number.clone(),
            };
            let init = Some(value.convert(ty.clone()));
            body.push(Stmt::new(StmtKind::VarDecl { name: name.clone(), ty: ty.clone(), init }));
        }
        captures.extend(weights.map(|ty| Param { name: self.weights.clone(), ty }));
        let mark = Expr::element(Expr::var(self.marks.clone(), marks), number);
        body.extend(self.body.iter().cloned());
        if let Some(Stmt { kind: StmtKind::Eval(test), .. }) = body.pop() {
            body.push(Stmt::assign(mark, test));
        }
        Function {
            name: module.fresh_name(&format!("{DERIVED}mark")),
            kind: FunctionKind::User,
            context: Context::None,
            captures,
            params: self.params.clone(),
            result: None,
            body: Some(body.into_iter().map(|stmt| stmt.at(span)).collect()),
            span,
            extra: Extra::default(),
        }
    }
}
