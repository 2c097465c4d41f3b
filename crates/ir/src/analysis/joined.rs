//! Vertex operators that can be carried out together with the pull before them, vertex by vertex.
//!
//! A round of PageRank pulls what arrives at every vertex, then visits every vertex to take it. Done one after the
//! other, what arrived goes through memory twice. Both can be done in one pass over the vertices where nobody sees the
//! difference:
//!
//! - between the two operators stand only assignments of scalars that the edge function does not look at;
//! - the edge function writes single entries of its destination, the vertex function those of its vertex;
//! - the edge function cannot fault, so that the faults of the vertex function stay the only ones.
//!
//! The vertex function may overwrite a vector that the edge function reads at other vertices. The pass then reads the
//! old vector and writes a second one ([`Joined::exchanged`]). A vector that holds one constant whenever the pair
//! begins and ends need not be touched at all ([`Joined::resting`]): its entries live in registers.

use std::collections::BTreeSet;

use super::calls::{closure, uses_in};
use super::operator::{EdgeFacts, End, Enqueued, FunctionFacts, Places, each_write};
use crate::builtin::Builtin;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::meta::Direction;
use crate::module::{Function, Module};
use crate::operator::{EdgeOutput, EdgeSetIterator, Operator, VertexFilter, VertexSetIterator};
use crate::source::Name;
use crate::stmt::{Stmt, StmtKind};
use crate::types::{Domain, Scalar, Type};
use crate::walk::{block_mentions, bodies, mentions, stmt_exprs, walk_block_exprs, walk_expr, walk_stmts};

/// A pull over all vertices and the vertex operator behind it that can be done in the same pass.
#[derive(Debug, Clone, PartialEq)]
pub struct Joined<'m> {
    /// The operator of the pull.
    pub edges: &'m Operator,
    /// The vertex operator.
    pub vertices: &'m Operator,
    /// All vectors that the two functions touch. Each must be an object of its own.
    pub vectors: Vec<Name>,
    /// Vectors that the edge function reads at other vertices and the vertex function overwrites before it reads
    /// them: the pass reads one copy and writes another.
    pub exchanged: Vec<Name>,
    /// Vectors that hold one constant between any two passes, and the constant.
    pub resting: Vec<(Name, Expr)>,
    /// What the vertex function does with its entries, by vector.
    pub visits: Vec<Visit>,
}

/// What the vertex function of a pair does with the entry of its vertex in one vector.
#[derive(Debug, Clone, PartialEq)]
pub struct Visit {
    /// The vector.
    pub vector: Name,
    /// The type of the entry.
    pub ty: Type,
    /// The function overwrites the entry before it reads it.
    pub overwritten: bool,
    /// The function may write the entry.
    pub written: bool,
}

/// All pairs of a module.
pub fn joined(module: &Module) -> Vec<Joined<'_>> {
    let mut found = Vec::new();
    for body in bodies(module) {
        pairs(module, body, &mut found);
    }
    found
}

/// The pairs of a block and of the blocks nested in it.
fn pairs<'m>(module: &'m Module, block: &'m [Stmt], found: &mut Vec<Joined<'m>>) {
    for (i, stmt) in block.iter().enumerate() {
        stmt.blocks().into_iter().for_each(|inner| pairs(module, inner, found));
        let (StmtKind::Eval(_), Some(first @ Operator::EdgeSetIterator(edges))) = (&stmt.kind, stmt.operator()) else {
            continue;
        };
        let mut between = Vec::new();
        let mut rest = block[i + 1..].iter();
        let second = rest.find(|stmt| match scalar_assignment(stmt) {
            Some(name) => {
                between.push(name.clone());
                false
            }
            None => true,
        });
        if let Some(stmt) = second
            && let (StmtKind::Eval(_), Some(second @ Operator::VertexSetIterator(vertices))) =
                (&stmt.kind, stmt.operator())
        {
            found.extend(join(module, (first, edges), (second, vertices), &between));
        }
    }
}

/// The scalar that a statement assigns by arithmetic that cannot fault.
fn scalar_assignment(stmt: &Stmt) -> Option<&Name> {
    let (name, ty, value) = match &stmt.kind {
        StmtKind::Assign { target, value } => (target.as_var()?, &target.ty, value),
        StmtKind::VarDecl { name, ty, init: Some(value) } => (name, ty, value),
        _ => return None,
    };
    (ty.scalar().is_some() && is_plain(value, &|_, _| false)).then_some(name)
}

/// Whether an expression is arithmetic that cannot fault, on scalars and on the vector entries that `is_entry` accepts.
fn is_plain(expr: &Expr, is_entry: &dyn Fn(&Expr, &Expr) -> bool) -> bool {
    let plain = |e: &Expr| is_plain(e, is_entry);
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) => true,
        ExprKind::Var(_) => expr.ty.scalar().is_some(),
        ExprKind::Element { vector, index, .. } => is_entry(vector, index),
        ExprKind::Unary(_, a) | ExprKind::Convert(a) => plain(a),
        ExprKind::Binary(BinaryOp::Div, a, b) => is_fractional(expr) && plain(a) && plain(b),
        ExprKind::Binary(_, a, b) => plain(a) && plain(b),
        ExprKind::Builtin(Builtin::VertexCount, _) => true,
        ExprKind::Builtin(Builtin::Abs | Builtin::Floor | Builtin::Sqrt | Builtin::Max | Builtin::Min, args) => {
            args.iter().all(plain)
        }
        _ => false,
    }
}

fn is_fractional(expr: &Expr) -> bool {
    matches!(expr.ty.scalar(), Some(Scalar::Float | Scalar::Double))
}

/// The pair, if the two operators can be carried out together. `between` are the scalars assigned between them.
fn join<'m>(
    module: &'m Module,
    (first, edges): (&'m Operator, &EdgeSetIterator),
    (second, vertices): (&'m Operator, &VertexSetIterator),
    between: &[Name],
) -> Option<Joined<'m>> {
    let Type::EdgeSet { source, target: element, .. } = &edges.graph.ty else { return None };
    let everywhere = source == element
        && vertices.set.ty == Type::VertexSet(element.clone())
        && vertices.set.as_var().is_some_and(|set| module.global(set).is_some_and(|g| g.universe));
    if !everywhere || vertices.meta.is_parallel != Some(true) || vertices.meta.schedule.is_some() {
        return None;
    }
    let pulled = Pulled::of(module, edges)?;
    let visited = Visited::of(module, vertices, element)?;
    // The edge function must not notice that scalars get their new values earlier.
    if between.iter().chain(&visited.scalars).any(|name| pulled.mentions(name)) {
        return None;
    }
    let mut exchanged: Vec<Name> = Vec::new();
    for name in &visited.written {
        if !pulled.elsewhere.contains(name) {
            continue;
        }
        if visited.first_access(module, name) != Some(First::Overwritten) {
            return None;
        }
        exchanged.push(name.clone());
    }
    let resting = pulled.written.iter().filter_map(|name| rest(module, name, edges, vertices)).collect();
    let vectors: BTreeSet<Name> = pulled.vectors.iter().chain(&visited.vectors).cloned().collect();
    let visits = visited.vectors.iter().map(|name| {
        let global = module.global(name)?;
        Some(Visit {
            vector: name.clone(),
            ty: global.ty.leaf().clone(),
            overwritten: visited.first_access(module, name) == Some(First::Overwritten),
            written: visited.written.contains(name),
        })
    });
    let visits = visits.collect::<Option<_>>()?;
    let vectors = vectors.into_iter().collect();
    Some(Joined { edges: first, vertices: second, vectors, exchanged, resting, visits })
}

/// What a pull does that may be part of a pair.
struct Pulled<'m> {
    function: &'m Function,
    /// Vectors it touches.
    vectors: BTreeSet<Name>,
    /// Vectors it writes: entries of the destination that it may keep in registers.
    written: BTreeSet<Name>,
    /// Vectors it reads at other entries than that of the destination.
    elsewhere: BTreeSet<Name>,
}

impl<'m> Pulled<'m> {
    fn of(module: &'m Module, op: &EdgeSetIterator) -> Option<Pulled<'m>> {
        let takes_all = matches!((&op.from, &op.to), (VertexFilter::All, VertexFilter::All));
        let meta = &op.meta;
        let is_pull = meta.direction == Some(Direction::Pull) && meta.is_edge_parallel == Some(false);
        let function = module.function(&op.apply.name)?;
        if !takes_all || !is_pull || op.output != EdgeOutput::None || !op.apply.captures.is_empty() {
            return None;
        }
        let facts = EdgeFacts::of(module, op);
        let quiet = facts.functions.written_scalars.is_empty()
            && facts.enqueues.vertices == Enqueued::Nothing
            && facts.priorities.is_none();
        if !quiet || !is_plain_edge_function(module, function) {
            return None;
        }
        let owned = facts.owned_entries.at(End::Destination);
        let names = |keep: &dyn Fn(&Places, &Places) -> bool| -> BTreeSet<Name> {
            facts.vectors.iter().filter(|(_, u)| keep(&u.read, &u.written)).map(|(name, _)| name.clone()).collect()
        };
        let written = names(&|_, written| *written != Places::NONE);
        let elsewhere = names(&|read, _| read.source || read.other);
        let registers = written.iter().all(|name| owned.iter().any(|entry| entry.vector == *name));
        let vectors = names(&|_, _| true);
        registers.then_some(Pulled { function, vectors, written, elsewhere })
    }

    fn mentions(&self, name: &Name) -> bool {
        block_mentions(body(self.function), name)
    }
}

/// Whether an edge function is straight arithmetic on entries of its ends, so that it cannot fault.
fn is_plain_edge_function(module: &Module, function: &Function) -> bool {
    let ends: Vec<&Name> = function.params.iter().take(2).map(|p| &p.name).collect();
    let is_entry = |vector: &Expr, index: &Expr| {
        vector.as_var().is_some_and(|name| module.global(name).is_some())
            && index.as_var().is_some_and(|name| ends.contains(&name))
    };
    let mut plain = function.captures.is_empty();
    walk_stmts(body(function), &mut |stmt| {
        plain &= matches!(
            stmt.kind,
            StmtKind::VarDecl { .. } | StmtKind::Assign { .. } | StmtKind::Eval(_) | StmtKind::If { .. }
        );
        stmt_exprs(stmt, &mut |e| {
            plain &= match &e.kind {
                ExprKind::Reduce { target, value, .. } => is_plain(target, &is_entry) && is_plain(value, &is_entry),
                _ => is_plain(e, &is_entry),
            }
        });
    });
    plain
}

/// What a vertex operator does that may be part of a pair.
struct Visited<'m> {
    function: &'m Function,
    /// Vectors it touches, at the entry of its vertex only.
    vectors: BTreeSet<Name>,
    /// Vectors it writes.
    written: BTreeSet<Name>,
    /// Global scalars it writes.
    scalars: BTreeSet<Name>,
}

impl<'m> Visited<'m> {
    fn of(module: &'m Module, op: &VertexSetIterator, element: &Name) -> Option<Visited<'m>> {
        let function = module.function(&op.apply.name).filter(|f| f.captures.is_empty())?;
        let facts = FunctionFacts::of(module, [op.apply.name.clone()]);
        let mut visited =
            Visited { function, vectors: BTreeSet::new(), written: BTreeSet::new(), scalars: facts.written_scalars };
        for name in &facts.functions {
            visited.add(module, module.function(name)?, element)?;
        }
        Some(visited)
    }

    /// Notes what one of the functions does; `None` when it looks at more than the entries of its vertex.
    fn add(&mut self, module: &Module, function: &Function, element: &Name) -> Option<()> {
        let [vertex] = &function.params[..] else { return None };
        function.body.as_ref()?;
        let own = |index: &Expr| index.as_var() == Some(&vertex.name);
        let per_vertex = |ty: &Type| match ty {
            Type::Vector { domain: Domain::Element(of), item } => of == element && item.scalar().is_some(),
            _ => false,
        };
        // Every mention of a vector must be one of these entries.
        let (mut entries, mut vectors, mut fits) = (0, 0, !super::operator::assigns(function, &vertex.name));
        walk_block_exprs(body(function), &mut |e| match &e.kind {
            ExprKind::Element { vector, index, .. } => {
                let name = vector.as_var().filter(|name| module.global(name).is_some());
                match name.filter(|_| own(index) && per_vertex(&vector.ty)) {
                    Some(name) => {
                        self.vectors.insert(name.clone());
                        entries += 1;
                    }
                    None => fits = false,
                }
            }
            ExprKind::Var(_) if matches!(e.ty, Type::Vector { .. }) => vectors += 1,
            ExprKind::Call { function, args } => {
                fits &= function.captures.is_empty() && matches!(&args[..], [arg] if own(arg));
            }
            ExprKind::CompareAndSwap { .. }
            | ExprKind::PriorityUpdate { .. }
            | ExprKind::EnqueueVertex { .. }
            | ExprKind::Builtin(Builtin::RandomOutNeighbor | Builtin::RandomInNeighbor, _)
            | ExprKind::Operator(_) => fits = false,
            _ => {}
        });
        each_write(body(function), &mut |write| {
            if let ExprKind::Element { vector, .. } = &write.target.kind {
                self.written.extend(vector.as_var().cloned());
            }
        });
        (fits && entries == vectors).then_some(())
    }

    /// How the vertex function first comes across a vector; `None` when it does not.
    fn first_access(&self, module: &Module, name: &Name) -> Option<First> {
        first_access(module, body(self.function), name)
    }
}

/// How a function first comes across a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    /// By an assignment that is always carried out.
    Overwritten,
    /// In any other way.
    Read,
}

fn first_access(module: &Module, block: &[Stmt], name: &Name) -> Option<First> {
    block.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Assign { target, value } if writes_entry_of(target, name) => match reaches(module, value, name) {
            true => Some(First::Read),
            false => Some(First::Overwritten),
        },
        StmtKind::Eval(Expr { kind: ExprKind::Call { function, .. }, .. }) => {
            first_access(module, body(module.function(&function.name)?), name)
        }
        _ => {
            let mut found = false;
            walk_stmts(std::slice::from_ref(stmt), &mut |stmt| {
                stmt_exprs(stmt, &mut |e| found |= reaches(module, e, name));
            });
            found.then_some(First::Read)
        }
    })
}

fn writes_entry_of(target: &Expr, name: &Name) -> bool {
    matches!(&target.kind, ExprKind::Element { vector, .. } if vector.as_var() == Some(name))
}

/// Whether an expression or a function that it calls mentions a name.
fn reaches(module: &Module, expr: &Expr, name: &Name) -> bool {
    let (mut called, mut found) = (Vec::new(), false);
    walk_expr(expr, &mut |e| {
        found |= mentions(e, name);
        if let ExprKind::Call { function, .. } = &e.kind {
            called.push(function.name.clone());
        }
    });
    let functions = closure(module, called);
    found || functions.iter().filter_map(|f| module.function(f)).any(|f| block_mentions(body(f), name))
}

/// The vector and its constant, if all entries hold the constant whenever the pair begins: a start-up operator stores
/// the constant, the vertex function stores it again behind every use, and nothing else in the module touches the
/// vector.
fn rest(module: &Module, name: &Name, edges: &EdgeSetIterator, vertices: &VertexSetIterator) -> Option<(Name, Expr)> {
    let (pulls, visits) = (module.function(&edges.apply.name)?, module.function(&vertices.apply.name)?);
    // The last mention in the vertex function is an assignment of a constant that is always carried out.
    let last = body(visits).iter().rev().find(|stmt| block_mentions(std::slice::from_ref(stmt), name))?;
    let constant = constant_assigned(last, name)?;
    // Start-up: a new vector, and an operator over all vertices that stores the same constant.
    let mut stores = None;
    for stmt in &module.startup {
        match (&stmt.kind, stmt.operator()) {
            (StmtKind::Assign { target, value }, _) if target.as_var() == Some(name) => {
                matches!(value.kind, ExprKind::VectorAlloc).then_some(())?;
            }
            (_, Some(Operator::VertexSetIterator(op))) if op.set == vertices.set && stores.is_none() => {
                let function = module.function(&op.apply.name)?;
                let [stmt] = body(function) else { continue };
                if constant_assigned(stmt, name).is_some_and(|first| same_constant(first, constant)) {
                    stores = Some(&op.apply.name);
                }
            }
            _ if block_mentions(std::slice::from_ref(stmt), name) => return None,
            _ => {}
        }
    }
    // Nobody else: each of the three functions is used once, and no other body knows the vector.
    let known = [stores?, &pulls.name, &visits.name];
    let used_once = |name: &Name| bodies(module).flat_map(|b| uses_in(b)).filter(|(_, used)| used == name).count() == 1;
    let others = module.functions.iter().filter(|f| !known.contains(&&f.name));
    let alone = others.into_iter().all(|f| !block_mentions(body(f), name));
    (alone && known.into_iter().all(used_once)).then(|| (name.clone(), constant.clone()))
}

/// The constant that a statement `name[i] = constant` stores.
fn constant_assigned<'m>(stmt: &'m Stmt, name: &Name) -> Option<&'m Expr> {
    match &stmt.kind {
        StmtKind::Assign { target, value } if writes_entry_of(target, name) => {
            matches!(value.kind, ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_)).then_some(value)
        }
        _ => None,
    }
}

fn same_constant(a: &Expr, b: &Expr) -> bool {
    let same = match (&a.kind, &b.kind) {
        // 0.0 and -0.0 are equal, but not the same.
        (ExprKind::Float(a), ExprKind::Float(b)) => a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    };
    same && a.ty == b.ty
}

fn body(function: &Function) -> &[Stmt] {
    function.body.as_deref().unwrap_or_default()
}
