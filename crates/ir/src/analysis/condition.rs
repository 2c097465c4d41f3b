//! Conditions around whole edge functions, and whether they may be asked before the operator.
//!
//! An operator over a view (`edges.where(f)`) applies a function that is `if f(...) ... end` and nothing else. Where
//! nothing changes what `f` reads while the loops around the operator run, `f` may as well be asked once for all edges,
//! before these loops, and the operator walks a graph of the edges for which it is true. Edges are then asked that the
//! operator may never walk: so `f` must not be able to end a run.

use std::collections::{BTreeMap, BTreeSet};

use super::effects::Effects;
use super::operator::{EdgeOrder, assigns};
use crate::builtin::Builtin;
use crate::expr::{BinaryOp, Expr, ExprKind, FunctionRef};
use crate::module::{Function, FunctionKind, GlobalInit, Module};
use crate::operator::{EdgeSetIterator, Operator};
use crate::source::Name;
use crate::stmt::{Block, Stmt, StmtKind};
use crate::types::{Domain, Scalar, Type};
use crate::walk::{bodies, walk_block_exprs, walk_stmts, walk_stmts_mut};

/// Functions that call each other deeper than this are not looked into.
const DEPTH: usize = 8;

/// The condition around an edge function, taken apart.
#[derive(Debug, Clone)]
pub struct Condition {
    /// Variables that the function begins with, such as the number of the edge.
    pub before: Block,
    /// What must be true.
    pub tests: Vec<Expr>,
    /// What is done where it is.
    pub rest: Block,
    /// Global variables that the condition reads, the graph among them.
    pub reads: BTreeSet<Name>,
    /// Captures of the function that the condition reads.
    pub captures: Vec<Name>,
}

impl Condition {
    /// The longest condition around the function of an operator that may be asked before a piece of code runs, in which
    /// the operator stands, and which has these effects.
    pub fn before(module: &Module, edges: &EdgeSetIterator, code: &Effects) -> Option<Condition> {
        let function = module.function(&edges.apply.name)?;
        let body = function.body.as_deref()?;
        let (last, before) = body.split_last()?;
        let mut judge = Judge::new(module, function, edges)?;
        if !before.iter().all(|stmt| judge.declares(stmt)) {
            return None;
        }
        let (mut tests, mut rest): (Vec<Expr>, &[Stmt]) = (Vec::new(), std::slice::from_ref(last));
        let mut found = None;
        while let [Stmt { kind: StmtKind::If { condition, then, otherwise }, label: None, .. }] = rest
            && otherwise.is_empty()
            && judge.fits(condition)
            && judge.stays(&edges.apply, code)
        {
            tests.push(condition.clone());
            rest = then;
            found = Some((judge.reads.clone(), judge.captured.clone()));
        }
        let (reads, captured) = found?;
        let captures = function.captures.iter().map(|c| c.name.clone()).filter(|c| captured.contains(c)).collect();
        Some(Condition { before: before.to_vec(), tests, rest: rest.to_vec(), reads, captures })
    }
}

/// Notes at every edge operator whether a condition of its function may be asked before the loops around it.
pub fn note(module: &mut Module) {
    for at in 0..module.functions.len() {
        let Some(mut body) = module.functions[at].body.clone() else { continue };
        each_region(&mut body, &mut |region| {
            if !walk_finds(region, &|op| could_have_one(module, op)) {
                return;
            }
            let effects = Effects::of(module, std::slice::from_ref(region));
            walk_stmts_mut(std::slice::from_mut(region), &mut |stmt| {
                if let Some(edges) = stmt.operator_mut().and_then(Operator::edges_mut) {
                    edges.meta.has_condition =
                        could_have_one(module, edges) && Condition::before(module, edges, &effects).is_some();
                }
            });
        });
        module.functions[at].body = Some(body);
    }
}

/// Calls `f` with the statements before which conditions of the operators inside are asked: the outermost loops, and
/// operators outside of loops.
pub fn each_region(block: &mut [Stmt], f: &mut dyn FnMut(&mut Stmt)) {
    for stmt in block {
        match stmt.kind {
            StmtKind::If { .. } | StmtKind::Scope(_) => {
                stmt.blocks_mut().into_iter().for_each(|block| each_region(block, f));
            }
            _ => f(stmt),
        }
    }
}

fn walk_finds(stmt: &Stmt, is: &dyn Fn(&EdgeSetIterator) -> bool) -> bool {
    let mut found = false;
    walk_stmts(std::slice::from_ref(stmt), &mut |stmt| {
        found |= stmt.operator().and_then(Operator::edges).is_some_and(is);
    });
    found
}

/// Whether the function ends with an `if` without `else`, and not one that machines answer by the order of lists.
fn could_have_one(module: &Module, edges: &EdgeSetIterator) -> bool {
    let last = module.function(&edges.apply.name).and_then(|function| function.body.as_ref()?.last());
    let is_if = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::If { otherwise, .. } if otherwise.is_empty());
    last.is_some_and(is_if) && EdgeOrder::of(module, &edges.apply) == EdgeOrder::Any
}

/// What a condition reads, and whether it can change something or end a run.
struct Judge<'m> {
    module: &'m Module,
    edges: &'m EdgeSetIterator,
    /// Variables that hold a member of an element, with the element.
    members: BTreeMap<Name, Name>,
    captures: BTreeSet<Name>,
    /// Globals that were read so far.
    reads: BTreeSet<Name>,
    /// Captures that were read so far.
    captured: BTreeSet<Name>,
    depth: usize,
}

impl<'m> Judge<'m> {
    fn new(module: &'m Module, function: &'m Function, edges: &'m EdgeSetIterator) -> Option<Judge<'m>> {
        let graph = edges.graph.as_var()?;
        let Type::EdgeSet { edge, source, target, .. } = &edges.graph.ty else { return None };
        // What an extern function changes is unknown.
        if module.global(graph).is_none() || module.functions.iter().any(|f| f.kind == FunctionKind::Extern) {
            return None;
        }
        let [src, dst, weight @ ..] = function.params.as_slice() else { return None };
        let mut members = BTreeMap::from([(src.name.clone(), source.clone()), (dst.name.clone(), target.clone())]);
        if let [number] = weight
            && weighs_numbers(module, graph)
        {
            members.insert(number.name.clone(), edge.clone());
        }
        members.retain(|name, element| !assigns(function, name) && has_one_length(module, element));
        Some(Judge {
            module,
            edges,
            members,
            captures: function.captures.iter().map(|c| c.name.clone()).collect(),
            reads: BTreeSet::from([graph.clone()]),
            captured: BTreeSet::new(),
            depth: 0,
        })
    }

    /// A variable at the beginning of the function, which is noted where it holds an edge.
    fn declares(&mut self, stmt: &Stmt) -> bool {
        let StmtKind::VarDecl { name, init: Some(init), .. } = &stmt.kind else { return false };
        if let Some(element) = self.member(init) {
            self.members.insert(name.clone(), element);
        }
        self.fits(init)
    }

    /// The element that a value is known to be a member of.
    fn member(&self, value: &Expr) -> Option<Name> {
        match &value.kind {
            ExprKind::Var(name) => self.members.get(name).cloned(),
            ExprKind::Builtin(Builtin::EdgeIndex, args) => match (args.as_slice(), &self.edges.graph.ty) {
                ([graph, src, dst], Type::EdgeSet { edge, .. })
                    if graph.as_var() == self.edges.graph.as_var()
                        && self.member(src).is_some()
                        && self.member(dst).is_some()
                        && has_one_length(self.module, edge) =>
                {
                    Some(edge.clone())
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether code with these effects leaves everything alone that was read so far.
    fn stays(&self, apply: &FunctionRef, code: &Effects) -> bool {
        let function = self.module.function(&apply.name);
        let given = |name: &Name| {
            let at = function.and_then(|f| f.captures.iter().position(|c| c.name == *name))?;
            apply.captures.get(at)
        };
        let is_same = |name: &Name| match given(name).map(|value| &value.kind) {
            Some(ExprKind::Var(name)) => !code.writes.contains(name),
            Some(ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_)) => true,
            _ => false,
        };
        self.reads.iter().all(|name| !code.writes.contains(name) && !is_prioritised(self.module, name))
            && self.captured.iter().all(is_same)
    }

    /// Whether a value changes nothing and cannot end a run.
    fn fits(&mut self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Str(_) => true,
            ExprKind::Var(name) => {
                self.read(name);
                true
            }
            ExprKind::Element { vector, index, .. } => {
                let ExprKind::Var(name) = &vector.kind else { return false };
                self.read(name);
                let is_there = match (&vector.ty, &index.kind) {
                    (Type::Vector { domain: Domain::Fixed(n), .. }, ExprKind::Int(i)) => (0..i64::from(*n)).contains(i),
                    (Type::Vector { domain: Domain::Element(of), .. }, _) => self.member(index).as_ref() == Some(of),
                    _ => false,
                };
                is_there && expr.ty.scalar().is_some()
            }
            ExprKind::Unary(_, a) => self.fits(a),
            ExprKind::Convert(a) => expr.ty.scalar().is_some() && self.fits(a),
            ExprKind::Binary(op, a, b) => {
                let divides = *op == BinaryOp::Div && may_be_zero(expr, b);
                !divides && self.fits(a) && self.fits(b)
            }
            ExprKind::Builtin(builtin, args) => {
                let is_plain = match builtin {
                    Builtin::Mod => args.get(1).is_some_and(|b| !may_be_zero(expr, b)),
                    Builtin::OutDegree | Builtin::EdgeIndex => {
                        args[1..].iter().all(|v| self.member(v).is_some()) && args.first().is_some_and(is_variable)
                    }
                    _ => PLAIN.contains(builtin),
                };
                is_plain && args.iter().all(|arg| self.fits(arg))
            }
            ExprKind::Call { function, args } => self.call(function, args),
            _ => false,
        }
    }

    fn read(&mut self, name: &Name) {
        if self.module.global(name).is_some() {
            self.reads.insert(name.clone());
        } else if self.depth == 0 && self.captures.contains(name) {
            self.captured.insert(name.clone());
        }
    }

    fn call(&mut self, called: &FunctionRef, args: &[Expr]) -> bool {
        let Some(function) = self.module.function(&called.name) else { return false };
        let Some(body) = &function.body else { return false };
        if self.depth == DEPTH || !called.captures.iter().chain(args).all(|arg| self.fits(arg)) {
            return false;
        }
        let members = function.params.iter().zip(args).filter(|(param, _)| !assigns(function, &param.name));
        let members = members.filter_map(|(param, arg)| Some((param.name.clone(), self.member(arg)?))).collect();
        let caller = std::mem::replace(&mut self.members, members);
        self.depth += 1;
        let fits = self.block(body);
        self.depth -= 1;
        self.members = caller;
        fits
    }

    /// Whether statements of a function that is called change nothing but its own variables, and end.
    fn block(&mut self, block: &[Stmt]) -> bool {
        block.iter().all(|stmt| match &stmt.kind {
            StmtKind::VarDecl { init, ty, .. } => {
                ty.scalar().is_some() && init.as_ref().is_none_or(|init| self.fits(init))
            }
            StmtKind::Assign { target, value } => self.is_own(target) && self.fits(value),
            StmtKind::Eval(Expr { kind: ExprKind::Reduce { target, value, .. }, .. }) => {
                self.is_own(target) && self.fits(value)
            }
            StmtKind::If { condition, then, otherwise } => {
                self.fits(condition) && self.block(then) && self.block(otherwise)
            }
            StmtKind::For { low, high, body, .. } => self.fits(low) && self.fits(high) && self.block(body),
            StmtKind::Break => true,
            StmtKind::Scope(body) => self.block(body),
            _ => false,
        })
    }

    fn is_own(&self, target: &Expr) -> bool {
        target.as_var().is_some_and(|name| self.module.global(name).is_none()) && target.ty.scalar().is_some()
    }
}

/// Built-ins of numbers.
const PLAIN: &[Builtin] = &[
    Builtin::Abs,
    Builtin::Floor,
    Builtin::Log,
    Builtin::Exp,
    Builtin::Sqrt,
    Builtin::Pow,
    Builtin::Max,
    Builtin::Min,
    Builtin::BitAnd,
    Builtin::BitOr,
    Builtin::BitXor,
    Builtin::BitNot,
    Builtin::ShiftLeft,
    Builtin::ShiftRight,
    Builtin::PopCount,
    Builtin::RandomBits,
];

fn is_variable(expr: &Expr) -> bool {
    expr.as_var().is_some()
}

/// Whether a quotient or remainder can be one of whole numbers by zero.
fn may_be_zero(quotient: &Expr, divisor: &Expr) -> bool {
    let float = quotient.ty.scalar().is_some_and(Scalar::is_float);
    !float && !matches!(divisor.kind, ExprKind::Int(n) if n != 0)
}

/// Whether a vector holds the priorities of a queue, which change without an assignment.
fn is_prioritised(module: &Module, name: &Name) -> bool {
    let mut found = false;
    let mut look = |e: &Expr| found |= matches!(&e.kind, ExprKind::PriorityQueueAlloc(queue) if queue.vector == *name);
    bodies(module).for_each(|body| walk_block_exprs(body, &mut look));
    for global in &module.globals {
        if let Some(GlobalInit::Value(value)) = &global.init {
            crate::walk::walk_expr(value, &mut look);
        }
    }
    found
}

/// The values that a global is given, at first and by statements.
fn values_of<'m>(module: &'m Module, global: &Name) -> Vec<&'m Expr> {
    let init = match module.global(global).and_then(|g| g.init.as_ref()) {
        Some(GlobalInit::Value(value)) => Some(value),
        _ => None,
    };
    let mut values: Vec<&Expr> = init.into_iter().collect();
    for body in bodies(module) {
        walk_stmts(body, &mut |stmt| match &stmt.kind {
            StmtKind::Assign { target, value } if target.as_var() == Some(global) => values.push(value),
            _ => {}
        });
    }
    values
}

/// Whether the edges of a global graph weigh their numbers, whatever it is given.
pub fn weighs_numbers(module: &Module, graph: &Name) -> bool {
    let values = values_of(module, graph);
    !values.is_empty() && values.iter().all(|value| is_by_number(value))
}

fn is_by_number(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Builtin(Builtin::ByNumber, _) => true,
        ExprKind::Convert(inner) => is_by_number(inner),
        _ => false,
    }
}

/// Whether all vectors over an element are sure to have an entry for each of its members: one graph says how many there
/// are, and says so once, before `main`.
fn has_one_length(module: &Module, element: &Name) -> bool {
    let mut graphs = 0;
    let mut one = true;
    for global in &module.globals {
        if global.universe && global.ty == Type::VertexSet(element.clone()) {
            // A universe of its own size.
            one &= values_of(module, &global.name).iter().all(|value| match &value.kind {
                ExprKind::Universe(Some(count)) => matches!(count.kind, ExprKind::Builtin(Builtin::VertexCount, _)),
                _ => true,
            });
        }
        let Type::EdgeSet { edge, source, target, .. } = &global.ty else { continue };
        let of_edges = edge == element;
        if of_edges || source == element || target == element {
            for value in values_of(module, &global.name) {
                match follows(value, of_edges) {
                    true => {}
                    false => graphs += 1,
                }
            }
        }
    }
    // Graphs that functions hold or assign may have other vertices.
    for function in &module.functions {
        walk_stmts(function.body.as_deref().unwrap_or_default(), &mut |stmt| match &stmt.kind {
            StmtKind::Assign { target, value } if matches!(target.ty, Type::EdgeSet { .. }) => {
                one &= follows(value, false);
            }
            StmtKind::VarDecl { ty: Type::EdgeSet { edge, .. }, init: Some(value), .. } => {
                one &= edge != element && follows(value, false);
            }
            _ => {}
        });
    }
    one && graphs == 1
}

/// Whether a graph is a form of another one with the same vertices, and, where edges count, as many edges.
fn follows(value: &Expr, of_edges: bool) -> bool {
    match &value.kind {
        ExprKind::Var(_) => true,
        ExprKind::Convert(inner) => follows(inner, of_edges),
        ExprKind::Builtin(Builtin::ByNumber | Builtin::Weigh | Builtin::Transpose, _) => true,
        ExprKind::Builtin(
            Builtin::Both
            | Builtin::Links
            | Builtin::Undirected
            | Builtin::Upward
            | Builtin::SelectEdges
            | Builtin::InsertEdges
            | Builtin::DeleteEdges,
            _,
        ) => !of_edges,
        _ => false,
    }
}
