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
use crate::module::{Function, Module};
use crate::source::Name;
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
    pub read: Vec<Place>,
    /// Entries that are written, and how.
    pub written: Vec<(Place, Change)>,
}

/// How a function uses a global scalar.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScalarUse {
    /// It is read. What an update reads of it does not count.
    pub read: bool,
    /// What is done to it.
    pub changes: Vec<Change>,
}

/// What a function and everything it calls touch.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Uses {
    /// Vectors that outlive the call.
    pub vectors: BTreeMap<VectorName, EntryUse>,
    /// Global scalars.
    pub scalars: BTreeMap<Name, ScalarUse>,
    /// Why something cannot be told: the function prints, calls an extern function, changes a set, ...
    pub unknown: Option<String>,
    /// It draws random neighbours.
    pub draws: bool,
    /// The vertices whose lists of edges it looks at, beside the edge that it is called with.
    pub lists: Vec<Place>,
}

impl Uses {
    /// What the function does when it is called with these vertices as its first parameters.
    pub fn of(module: &Module, function: &FunctionRef, vertices: &[Place]) -> Uses {
        let mut uses = Uses::default();
        let Some(called) = module.function(&function.name) else {
            uses.unknown = Some(format!("there is no function `{}`", function.name));
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
        Walker { module, uses: &mut uses, depth: 0 }.function(called, names);
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
}

type Names = BTreeMap<Name, Meaning>;

impl<'m> Walker<'m, '_> {
    fn function(&mut self, function: &'m Function, mut names: Names) {
        let Some(body) = function.body.as_deref() else {
            return self.unknown(format!("it calls the extern function `{}`", function.name));
        };
        if self.depth == DEPTH {
            return self.unknown(format!("`{}` calls itself or is nested too deeply", function.name));
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
        self.block(body, &names);
        self.depth -= 1;
    }

    fn unknown(&mut self, reason: String) {
        self.uses.unknown.get_or_insert(reason);
    }

    fn block(&mut self, block: &'m [Stmt], names: &Names) {
        walk_stmts(block, &mut |stmt| match &stmt.kind {
            StmtKind::VarDecl { ty: Type::Vector { .. }, init: Some(init), .. } if !is_new(init) => {
                self.unknown("it gives a vector another name".to_string());
            }
            StmtKind::Assign { target, value } => {
                if matches!(target.ty, Type::Vector { .. }) && !is_new(value) {
                    self.unknown("it gives a vector another name".to_string());
                }
                let change = match value.kind {
                    ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) => Change::Constant(value.clone()),
                    _ => Change::Assign,
                };
                self.write(target, change, names);
                self.expr(value, names);
            }
            StmtKind::Print(_) => self.unknown("it prints".to_string()),
            _ => stmt_exprs(stmt, &mut |e| self.expr(e, names)),
        });
    }

    fn expr(&mut self, expr: &'m Expr, names: &Names) {
        match &expr.kind {
            ExprKind::Var(name) => match self.meaning(name, names) {
                Meaning::Own | Meaning::Vertex(_) => {}
                Meaning::Vector(vector) => self.vector(vector).read.push(Place::Other),
                Meaning::Scalar(name) => self.uses.scalars.entry(name).or_default().read = true,
            },
            ExprKind::Element { .. } => {
                if let Some((vector, place)) = self.entry(expr, names) {
                    self.vector(vector).read.push(place);
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
                        self.vector(VectorName::Global(vector)).written.push((place, change));
                    }
                    None => self.unknown("it updates priorities of a queue that is not known".to_string()),
                }
                [Some(vertex), bound.as_ref(), Some(value)].into_iter().flatten().for_each(|e| self.expr(e, names));
            }
            ExprKind::Call { function, args } => self.call(function, args, names),
            ExprKind::Builtin(Builtin::RandomOutNeighbor | Builtin::RandomInNeighbor, args) => {
                self.uses.draws = true;
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
                self.uses.lists.extend(places);
                args.iter().for_each(|arg| self.expr(arg, names));
            }
            ExprKind::Builtin(builtin, _) if builtin.has_effect() => {
                self.unknown("it changes a set, a list, a queue or the timer".to_string());
            }
            ExprKind::Operator(_) => self.unknown("it runs an operator".to_string()),
            _ => children(expr, &mut |child| self.expr(child, names)),
        }
    }

    fn call(&mut self, function: &'m FunctionRef, args: &'m [Expr], names: &Names) {
        let Some(called) = self.module.function(&function.name) else {
            return self.unknown(format!("there is no function `{}`", function.name));
        };
        let mut inner = Names::new();
        let given = called.params.iter().zip(args).chain(called.captures.iter().zip(&function.captures));
        for (param, arg) in given {
            let meaning = arg.as_var().map_or(Meaning::Own, |name| self.meaning(name, names));
            let passed_on = matches!(meaning, Meaning::Vertex(_) | Meaning::Vector(_));
            if !passed_on {
                self.expr(arg, names);
                if matches!(param.ty, Type::Vector { .. }) {
                    self.unknown("it passes a row of a vector on".to_string());
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
                Meaning::Vector(_) => self.unknown("it replaces a vector".to_string()),
                Meaning::Scalar(name) => self.uses.scalars.entry(name).or_default().changes.push(change),
            },
            _ => {
                if let Some((vector, place)) = self.entry(target, names) {
                    self.vector(vector).written.push((place, change));
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

    fn vector(&mut self, name: VectorName) -> &mut EntryUse {
        self.uses.vectors.entry(name).or_default()
    }
}
