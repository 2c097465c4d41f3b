//! Where a function touches memory, seen from the vertices it is called with, and what its writes do there.
//!
//! The question of machines that share out vertices among workers with memories of their own: an entry of the vertex
//! that a worker owns is at hand, the entry of the other end of an edge may be elsewhere. Vertices and vectors are
//! followed through calls, as long as they are passed on under a name.

use std::collections::BTreeMap;

use super::operator::{End, assigns};
use super::priority::priority_vector;
use crate::builtin::Builtin;
use crate::expr::{Expr, ExprKind, FunctionRef, PriorityOp, ReduceOp};
use crate::groups::{GroupChoice, NeighbourGroups};
use crate::module::{Function, Module};
use crate::source::{Name, Span};
use crate::stmt::{Stmt, StmtKind};
use crate::types::Type;
use crate::walk::{children, stmt_exprs, walk_stmts};

/// The calls that are followed into each other; functions of the language may be recursive.
const DEPTH: usize = 16;

/// A vector as the operator that calls the function knows it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum VectorName {
    /// A global.
    Global(Name),
    /// A capture of the function, by its position.
    Capture(usize),
}

/// Which entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// That of the source; of a vertex function, that of its vertex.
    Source,
    /// That of the destination.
    Destination,
    /// Any.
    Other,
}

impl Place {
    /// The entry of one end of an edge.
    pub fn of(end: End) -> Place {
        match end {
            End::Source => Place::Source,
            End::Destination => Place::Destination,
        }
    }
}

/// What a write does.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Stores a value.
    Assign,
    /// Stores this literal.
    Constant(Expr),
    /// Stores a value where another one is found.
    Claim,
    /// Updates the entry.
    Reduce(ReduceOp),
    /// Updates the priority of the vertex.
    Priority(PriorityOp),
}

/// How a function uses a vector.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EntryUse {
    /// Entries that are read. What an update reads of the entry it changes does not count.
    pub read: Vec<Read>,
    /// Entries that are written.
    pub written: Vec<Write>,
}

/// A statement that reads an entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Read {
    /// Which entry.
    pub place: Place,
    /// The statement.
    pub span: Span,
}

/// A statement that writes an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Write {
    /// Which entry.
    pub place: Place,
    /// What is done to it.
    pub change: Change,
    /// The statement.
    pub span: Span,
}

/// How a function uses a global scalar.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScalarUse {
    /// The first statement that reads it. What an update reads of it does not count.
    pub read: Option<Span>,
    /// What is done to it, and by which statements.
    pub changes: Vec<(Change, Span)>,
}

/// What a function and everything it calls touch.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Uses {
    /// Vectors that outlive the call.
    pub vectors: BTreeMap<VectorName, EntryUse>,
    /// Global scalars.
    pub scalars: BTreeMap<Name, ScalarUse>,
    /// Why something cannot be told, and by which statement: the function changes a set, runs an operator, ... The
    /// reason begins with a verb, its subject is the function.
    pub unknown: Option<(String, Span)>,
    /// The first effect outside of the program's own values, and the statement: the function prints, or calls an extern
    /// function with numbers.
    pub outside: Option<(String, Span)>,
    /// The first statement that draws random neighbours.
    pub draws: Option<Span>,
    /// The vertices whose lists of edges it looks at, beside the edge that it is called with, and the statements.
    pub lists: Vec<(Place, Span)>,
}

impl Uses {
    /// What the function does when it is called with these vertices as its first parameters.
    pub fn of(module: &Module, function: &FunctionRef, vertices: &[Place]) -> Uses {
        let mut uses = Uses::default();
        let Some(called) = module.function(&function.name) else {
            uses.unknown = Some((format!("calls `{}`, which is not there", function.name), Span::NONE));
            return uses;
        };
        let mut names = BTreeMap::new();
        for (param, place) in called.params.iter().zip(vertices) {
            names.insert(param.name.clone(), Meaning::Vertex(*place));
        }
        for (i, capture) in called.captures.iter().enumerate() {
            let meaning = match capture.ty {
                Type::Vector { .. } => Meaning::Vector(VectorName::Capture(i)),
                _ => Meaning::Own,
            };
            names.insert(capture.name.clone(), meaning);
        }
        Walker { module, uses: &mut uses, depth: 0, at: Span::NONE }.function(called, names);
        uses
    }
}

/// Whether the value of an expression is a vector that nothing else names.
fn is_new(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::VectorAlloc | ExprKind::VectorFill(_) | ExprKind::VectorLiteral(_))
}

/// What a name stands for inside a function.
#[derive(Debug, Clone, PartialEq)]
enum Meaning {
    Own,
    Vertex(Place),
    Vector(VectorName),
    Scalar(Name),
}

struct Walker<'m, 'u> {
    module: &'m Module,
    uses: &'u mut Uses,
    depth: usize,
    /// The statement that is walked through.
    at: Span,
}

type Names = BTreeMap<Name, Meaning>;

impl<'m> Walker<'m, '_> {
    fn function(&mut self, function: &'m Function, mut names: Names) {
        let Some(body) = function.body.as_deref() else {
            let reason = format!("calls the extern function `{}`", function.name);
            let mut given = function.params.iter().chain(&function.captures);
            if given.all(|param| param.ty.scalar().is_some()) {
                self.uses.outside.get_or_insert((reason, self.at));
                return;
            }
            return self.unknown(reason);
        };
        if self.depth == DEPTH {
            return self.unknown(format!("calls `{}`, which calls itself or is nested too deeply", function.name));
        }
        // A parameter that is assigned no longer stands for the vertex.
        for param in &function.params {
            if names.get(&param.name).is_none_or(|m| matches!(m, Meaning::Vertex(_)) && assigns(function, &param.name))
            {
                names.insert(param.name.clone(), Meaning::Own);
            }
        }
        for local in function.locals().into_iter().chain(function.result.clone()) {
            names.insert(local.name, Meaning::Own);
        }
        self.depth += 1;
        let caller = self.at;
        self.block(body, &names);
        self.at = caller;
        self.depth -= 1;
    }

    fn unknown(&mut self, reason: String) {
        self.uses.unknown.get_or_insert((reason, self.at));
    }

    fn block(&mut self, block: &'m [Stmt], names: &Names) {
        walk_stmts(block, &mut |stmt| {
            // Statements that passes have made stand for the one before.
            if stmt.span.line > 0 {
                self.at = stmt.span;
            }
            self.stmt(stmt, names);
        });
    }

    fn stmt(&mut self, stmt: &'m Stmt, names: &Names) {
        match &stmt.kind {
            StmtKind::VarDecl { ty: Type::Vector { .. }, init: Some(init), .. } if !is_new(init) => {
                self.unknown("gives a vector another name".to_string());
            }
            StmtKind::Assign { target, value } => {
                if matches!(target.ty, Type::Vector { .. }) && !is_new(value) {
                    self.unknown("gives a vector another name".to_string());
                }
                let change = match value.kind {
                    ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) => Change::Constant(value.clone()),
                    _ => Change::Assign,
                };
                self.write(target, change, names);
                self.expr(value, names);
            }
            StmtKind::Print(_) => {
                self.uses.outside.get_or_insert(("prints".to_string(), self.at));
                stmt_exprs(stmt, &mut |e| self.expr(e, names));
            }
            _ => stmt_exprs(stmt, &mut |e| self.expr(e, names)),
        }
    }

    fn expr(&mut self, expr: &'m Expr, names: &Names) {
        match &expr.kind {
            ExprKind::Var(name) => match self.meaning(name, names) {
                Meaning::Own | Meaning::Vertex(_) => {}
                Meaning::Vector(vector) => self.read(vector, Place::Other),
                Meaning::Scalar(name) => {
                    self.uses.scalars.entry(name).or_default().read.get_or_insert(self.at);
                }
            },
            ExprKind::Element { .. } => {
                if let Some((vector, place)) = self.entry(expr, names) {
                    self.read(vector, place);
                }
            }
            ExprKind::Reduce { op, target, value, .. } => {
                self.write(target, Change::Reduce(*op), names);
                self.expr(value, names);
            }
            ExprKind::CompareAndSwap { target, expect, value, .. } => {
                self.write(target, Change::Claim, names);
                self.expr(expect, names);
                self.expr(value, names);
            }
            ExprKind::PriorityUpdate { op, queue, vertex, bound, value, .. } => {
                match queue.as_var().and_then(|queue| priority_vector(self.module, queue)) {
                    Some(vector) => {
                        let place = self.place(vertex, names);
                        let change = Change::Priority(*op);
                        self.note(VectorName::Global(vector), place, change);
                    }
                    None => self.unknown("updates priorities of a queue that is not known".to_string()),
                }
                [Some(vertex), bound.as_ref(), Some(value)].into_iter().flatten().for_each(|e| self.expr(e, names));
            }
            ExprKind::Call { function, args } => self.call(function, args, names),
            ExprKind::Builtin(Builtin::RandomOutNeighbor | Builtin::RandomInNeighbor, args) => {
                self.uses.draws.get_or_insert(self.at);
                args.iter().for_each(|arg| self.expr(arg, names));
            }
            ExprKind::Builtin(builtin, args)
                if *builtin != Builtin::EdgeCount && args.iter().any(|arg| matches!(arg.ty, Type::EdgeSet { .. })) =>
            {
                let vertices = args.iter().filter(|arg| !matches!(arg.ty, Type::EdgeSet { .. }));
                let places: Vec<Place> = match builtin {
                    // The position of the vertex in its own list is a number.
                    Builtin::OutNeighbor | Builtin::OutWeight => {
                        vertices.take(1).map(|vertex| self.place(vertex, names)).collect()
                    }
                    // Positions of edges are those in the whole graph.
                    Builtin::EdgeIndex => vec![Place::Other],
                    _ => vertices.map(|vertex| self.place(vertex, names)).collect(),
                };
                let at = self.at;
                self.uses.lists.extend(places.into_iter().map(|place| (place, at)));
                args.iter().for_each(|arg| self.expr(arg, names));
            }
            ExprKind::Groups(groups) => self.groups(groups, names),
            ExprKind::Builtin(builtin, _) if builtin.has_effect() => {
                self.unknown("changes a set, a list, a queue or the timer".to_string());
            }
            ExprKind::Operator(_) => self.unknown("runs an operator".to_string()),
            _ => children(expr, &mut |child| self.expr(child, names)),
        }
    }

    /// The functions of groups are called with the vertex and with neighbours, or with keys, which may be any vertex.
    fn groups(&mut self, groups: &'m NeighbourGroups, names: &Names) {
        let vertex = self.place(&groups.vertex, names);
        self.uses.lists.push((vertex, self.at));
        if let GroupChoice::Best { own: Some(own), .. } = &groups.choice {
            self.expr(own, names);
        }
        for function in groups.functions() {
            self.call(function, std::slice::from_ref(&groups.vertex), names);
        }
    }

    fn call(&mut self, function: &'m FunctionRef, args: &'m [Expr], names: &Names) {
        let Some(called) = self.module.function(&function.name) else {
            return self.unknown(format!("calls `{}`, which is not there", function.name));
        };
        let mut inner = Names::new();
        let given = called.params.iter().zip(args).chain(called.captures.iter().zip(&function.captures));
        for (param, arg) in given {
            let meaning = arg.as_var().map_or(Meaning::Own, |name| self.meaning(name, names));
            let passed_on = matches!(meaning, Meaning::Vertex(_) | Meaning::Vector(_));
            if !passed_on {
                self.expr(arg, names);
                if matches!(param.ty, Type::Vector { .. }) {
                    self.unknown("passes a row of a vector on".to_string());
                }
            }
            inner.insert(param.name.clone(), if passed_on { meaning } else { Meaning::Own });
        }
        self.function(called, inner);
    }

    fn write(&mut self, target: &'m Expr, change: Change, names: &Names) {
        match &target.kind {
            ExprKind::Var(name) => match self.meaning(name, names) {
                Meaning::Own | Meaning::Vertex(_) => {}
                Meaning::Vector(_) => self.unknown("replaces a vector".to_string()),
                Meaning::Scalar(name) => self.uses.scalars.entry(name).or_default().changes.push((change, self.at)),
            },
            _ => {
                if let Some((vector, place)) = self.entry(target, names) {
                    self.note(vector, place, change);
                }
            }
        }
    }

    /// The vector of an access `x[i]` or `x[i][j]` and which entry `i` is; indices are read.
    fn entry(&mut self, target: &'m Expr, names: &Names) -> Option<(VectorName, Place)> {
        let ExprKind::Element { vector, index, .. } = &target.kind else {
            self.expr(target, names);
            return None;
        };
        self.expr(index, names);
        match vector.as_var().map(|name| self.meaning(name, names)) {
            Some(Meaning::Vector(vector)) => Some((vector, self.place(index, names))),
            Some(_) => None,
            None => self.entry(vector, names),
        }
    }

    fn place(&self, index: &Expr, names: &Names) -> Place {
        match index.as_var().map(|name| self.meaning(name, names)) {
            Some(Meaning::Vertex(place)) => place,
            _ => Place::Other,
        }
    }

    fn meaning(&self, name: &Name, names: &Names) -> Meaning {
        if let Some(meaning) = names.get(name) {
            return meaning.clone();
        }
        match self.module.global(name).map(|global| &global.ty) {
            Some(Type::Vector { .. }) => Meaning::Vector(VectorName::Global(name.clone())),
            Some(ty) if ty.scalar().is_some() => Meaning::Scalar(name.clone()),
            _ => Meaning::Own,
        }
    }

    fn read(&mut self, vector: VectorName, place: Place) {
        self.uses.vectors.entry(vector).or_default().read.push(Read { place, span: self.at });
    }

    fn note(&mut self, vector: VectorName, place: Place, change: Change) {
        self.uses.vectors.entry(vector).or_default().written.push(Write { place, change, span: self.at });
    }
}
