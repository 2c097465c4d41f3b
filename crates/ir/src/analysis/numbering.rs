//! Whether a program computes the same under any numbers of the vertices, and which of its arguments are such numbers.
//!
//! A program that never looks at the number of a vertex can be run on a renumbered graph: what it is told (a source) is
//! renumbered on the way in, and its vectors over the vertices on the way out. The answer is careful: where it is no, a
//! program may still be free of numbers.

use std::collections::HashMap;

use crate::analysis::calls::module_draws;
use crate::builtin::Builtin;
use crate::expr::{BinaryOp, Expr, ExprKind, FunctionRef, UnaryOp};
use crate::module::{Function, FunctionKind, GlobalInit, Module};
use crate::operator::Operator;
use crate::source::{Name, Span};
use crate::stmt::{Block, StmtKind};
use crate::types::{Domain, Type};
use crate::walk;

/// Why a program depends on the numbers of vertices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberUse {
    /// Where.
    pub span: Span,
    /// What the program does there, as the rest of a sentence: `takes a vertex for a number`.
    pub reason: &'static str,
}

/// What a program that does not depend on the numbers of vertices is told of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FreeOfNumbers {
    /// The arguments (`argv[k]`) that are vertices, ascending.
    pub arguments: Vec<u32>,
}

/// Looks for a place where the program depends on the numbers of vertices.
pub fn free_of_numbers(module: &Module) -> Result<FreeOfNumbers, NumberUse> {
    let mut look = Look::new(module);
    look.whole()?;
    let mut arguments: Vec<u32> =
        look.roles.iter().filter(|(_, role)| **role == Role::Vertex).map(|(k, _)| *k).collect();
    arguments.sort_unstable();
    Ok(FreeOfNumbers { arguments })
}

/// What an expression stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Vertex,
    Number,
}

struct Look<'m> {
    module: &'m Module,
    /// Globals, and locals of `main`, whose only value is `atoi(argv[k])`.
    from_argument: HashMap<Name, u32>,
    in_main: bool,
    roles: HashMap<u32, Role>,
    span: Span,
}

type Found = Result<(), NumberUse>;

impl<'m> Look<'m> {
    fn new(module: &'m Module) -> Look<'m> {
        let mut assigned: HashMap<Name, Vec<Option<u32>>> = HashMap::new();
        for global in &module.globals {
            if let Some(GlobalInit::Value(value)) = &global.init {
                assigned.entry(global.name.clone()).or_default().push(argument(value));
            }
        }
        for body in walk::bodies(module) {
            walk::walk_stmts(body, &mut |stmt| {
                let (name, value) = match &stmt.kind {
                    StmtKind::VarDecl { name, init: Some(value), .. } => (name, value),
                    StmtKind::Assign { target: Expr { kind: ExprKind::Var(name), .. }, value } => (name, value),
                    _ => return,
                };
                assigned.entry(name.clone()).or_default().push(argument(value));
            });
        }
        let only = assigned.into_iter().filter_map(|(name, values)| match values[..] {
            [Some(k)] => Some((name, k)),
            _ => None,
        });
        let (from_argument, roles) = (only.collect(), HashMap::new());
        Look { module, from_argument, in_main: false, roles, span: Span::NONE }
    }

    fn refuse(&self, reason: &'static str) -> Found {
        Err(NumberUse { span: self.span, reason })
    }

    fn whole(&mut self) -> Found {
        let module = self.module;
        if module_draws(module) {
            return self.refuse("draws random neighbours by the numbers of vertices");
        }
        let mut loads = 0;
        for global in &module.globals {
            self.span = global.span;
            match &global.ty {
                Type::Vertex(_) => self.refuse("has a global that is a vertex")?,
                Type::Vector { item, .. } if holds_vertices(item) => self.refuse("has a vector of vertices")?,
                ty if self.of_another_kind(ty) => {
                    self.refuse("has vertices of another kind than those of its graph")?
                }
                Type::VertexSet(_) if !global.universe => self.refuse("has a global set of vertices")?,
                Type::EdgeSet { source, target, .. } if source != target => {
                    self.refuse("has a graph with two kinds of vertices")?;
                }
                Type::List(_) => self.refuse("has a global list")?,
                _ => {}
            }
            match &global.init {
                Some(GlobalInit::Value(value)) => {
                    loads += count_loads(value);
                    self.assigned(&global.name, &global.ty, value)?;
                }
                Some(GlobalInit::PerEntry(value)) => self.value(value)?,
                None => {}
            }
        }
        walk::walk_block_exprs(&module.startup, &mut |e| {
            loads += u32::from(matches!(e.kind, ExprKind::EdgeSetLoad(_)))
        });
        self.block(&module.startup)?;
        for function in &module.functions {
            self.span = function.span;
            match function.kind {
                FunctionKind::Extern => self.refuse("has a function in another language")?,
                FunctionKind::Export => self.refuse("has functions that are called from outside")?,
                _ => {}
            }
            self.in_main = function.kind == FunctionKind::Main;
            if let Some(body) = &function.body {
                let mut inside = 0;
                walk::walk_block_exprs(body, &mut |e| inside += u32::from(matches!(e.kind, ExprKind::EdgeSetLoad(_))));
                if inside > 0 {
                    self.refuse("loads a graph while it runs")?;
                }
                self.block(body)?;
            }
        }
        match loads {
            1 => Ok(()),
            _ => self.refuse("does not load exactly one graph"),
        }
    }

    /// Whether a set or vector is over vertices that no graph has: their numbers stay as they are.
    fn of_another_kind(&self, ty: &Type) -> bool {
        let graphs = || self.module.globals.iter().map(|global| &global.ty);
        let of_graph =
            |element: &Name| graphs().any(|ty| matches!(ty, Type::EdgeSet { source, .. } if source == element));
        match ty {
            Type::VertexSet(element) => !of_graph(element),
            Type::Vector { domain, item } => {
                // Entries of a row do not move with their vertices.
                let has_rows = matches!(&**item, Type::Vector { domain: Domain::Element(_), .. });
                matches!(domain, Domain::Element(element) if !of_graph(element))
                    || has_rows
                    || self.of_another_kind(item)
            }
            _ => false,
        }
    }

    fn block(&mut self, block: &'m Block) -> Found {
        for stmt in block {
            self.span = stmt.span;
            match &stmt.kind {
                StmtKind::VarDecl { ty: Type::Vertex(_), init: None, .. } => {
                    self.refuse("has a vertex without a first value, which is number 0")?;
                }
                StmtKind::VarDecl { name, ty, init: Some(value) } => self.assigned(name, ty, value)?,
                StmtKind::Assign { target: Expr { kind: ExprKind::Var(name), ty }, value } => {
                    self.assigned(name, ty, value)?;
                }
                StmtKind::Assign { target, value } => {
                    self.value(target)?;
                    self.expect(value, &target.ty)?;
                }
                StmtKind::Print(value) if matches!(value.ty, Type::VertexSet(_) | Type::Vector { .. }) => {
                    self.refuse("prints vertices or a vector over them")?;
                }
                _ => {
                    let mut found = Ok(());
                    walk::stmt_exprs(stmt, &mut |e| found = found.clone().and_then(|()| self.value(e)));
                    found?;
                }
            }
            for inner in stmt.blocks() {
                self.block(inner)?;
            }
        }
        Ok(())
    }

    /// A variable gets a value. Where that is its only one and an argument, what the variable is used for decides.
    fn assigned(&mut self, name: &Name, ty: &Type, value: &'m Expr) -> Found {
        match argument(value) {
            Some(k) if self.from_argument.get(name) == Some(&k) => Ok(()),
            _ => self.expect(value, ty),
        }
    }

    /// A value that goes to a place of this type.
    fn expect(&mut self, value: &'m Expr, ty: &Type) -> Found {
        match ty {
            Type::Vertex(_) => self.vertex(value),
            Type::Scalar(_) => self.number(value),
            _ => self.value(value),
        }
    }

    /// An expression of which nobody says what it must be.
    fn value(&mut self, expr: &'m Expr) -> Found {
        match expr.ty {
            Type::Vertex(_) => self.refuse("takes a vertex for a number"),
            _ => self.number(expr),
        }
    }

    /// An expression that must be a vertex.
    fn vertex(&mut self, expr: &'m Expr) -> Found {
        match &expr.kind {
            ExprKind::Var(name) => match self.argument_of(name) {
                Some(k) => self.give_role(k, Role::Vertex),
                None if matches!(expr.ty, Type::Vertex(_)) => Ok(()),
                None => self.refuse("takes a number for a vertex"),
            },
            _ => self.refuse("takes a number for a vertex"),
        }
    }

    fn argument_of(&self, name: &Name) -> Option<u32> {
        let is_global = self.module.global(name).is_some();
        self.from_argument.get(name).copied().filter(|_| is_global || self.in_main)
    }

    fn give_role(&mut self, argument: u32, role: Role) -> Found {
        match *self.roles.entry(argument).or_insert(role) == role {
            true => Ok(()),
            false => self.refuse("uses an argument as a vertex and as a number"),
        }
    }

    /// An expression that must not be a vertex; its parts are what they must be.
    fn number(&mut self, expr: &'m Expr) -> Found {
        if matches!(expr.ty, Type::Vertex(_)) {
            return self.refuse("takes a vertex for a number");
        }
        match &expr.kind {
            ExprKind::Var(name) => match self.argument_of(name) {
                Some(k) => self.give_role(k, Role::Number),
                None => Ok(()),
            },
            ExprKind::Element { vector, index, .. } => {
                self.value(vector)?;
                match &vector.ty {
                    Type::Vector { domain: Domain::Element(_), .. } => self.vertex(index),
                    _ => self.number(index),
                }
            }
            ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b)
                if matches!(a.ty, Type::Vertex(_)) || matches!(b.ty, Type::Vertex(_)) =>
            {
                self.vertex(a)?;
                self.vertex(b)
            }
            ExprKind::Call { function, args } => {
                self.captures(function)?;
                match self.module.function(&function.name) {
                    Some(called) => self.arguments(called, args),
                    None => self.refuse("calls an unknown function"),
                }
            }
            ExprKind::Builtin(builtin, args) => self.builtin(*builtin, args),
            ExprKind::PriorityUpdate { queue, vertex, bound, value, .. } => {
                self.value(queue)?;
                self.vertex(vertex)?;
                bound.iter().try_for_each(|bound| self.number(bound))?;
                self.number(value)
            }
            ExprKind::EnqueueVertex { vertex, .. } => self.vertex(vertex),
            ExprKind::Intersection { .. } | ExprKind::IntersectNeighbor { .. } => {
                self.refuse("compares lists by the order of their numbers")
            }
            ExprKind::Groups(_) => self.refuse("chooses among groups by the numbers of their keys"),
            ExprKind::PriorityQueueAlloc(queue) => match &queue.start.kind {
                // No vertex at all.
                ExprKind::Int(start) if *start < 0 => Ok(()),
                ExprKind::Unary(UnaryOp::Neg, start) if matches!(start.kind, ExprKind::Int(_)) => Ok(()),
                _ => self.vertex(&queue.start),
            },
            ExprKind::Operator(operator) => self.operator(operator),
            _ => {
                let mut found = Ok(());
                walk::children(expr, &mut |child| found = found.clone().and_then(|()| self.value(child)));
                found
            }
        }
    }

    fn builtin(&mut self, builtin: Builtin, args: &'m [Expr]) -> Found {
        match (builtin, args) {
            // A use that is not the first value of a variable sees the text of the argument.
            (Builtin::Argv, [index]) => match index.kind {
                ExprKind::Int(k) => self.give_role(u32::try_from(k).unwrap_or(u32::MAX), Role::Number),
                _ => self.refuse("computes which of its arguments it reads"),
            },
            (Builtin::OutDegree | Builtin::AddVertex | Builtin::QueueFinishedNode, [first, vertex]) => {
                self.value(first)?;
                self.vertex(vertex)
            }
            (
                Builtin::Neighbors
                | Builtin::Links
                | Builtin::Undirected
                | Builtin::Upward
                | Builtin::Ranked
                | Builtin::LinkLoops
                | Builtin::RankedNumbers
                | Builtin::LinkNumbers
                | Builtin::EdgeSources
                | Builtin::EdgeTargets
                | Builtin::EdgeWeights
                | Builtin::FirstEdges
                | Builtin::Relabel
                | Builtin::EdgeIndex
                | Builtin::SelectEdges
                | Builtin::MakeEdges
                | Builtin::Contract
                | Builtin::InsertEdges
                | Builtin::DeleteEdges
                | Builtin::RandomOutNeighbor
                | Builtin::RandomInNeighbor
                | Builtin::OutNeighbor
                | Builtin::OutWeight
                | Builtin::SerialMinimumSpanningTree
                | Builtin::SerialSweepCut
                | Builtin::EdgeCode
                | Builtin::ByNumber,
                _,
            ) => self.refuse("depends on the order of neighbours"),
            (Builtin::FindVertex, _) => self.refuse("looks vertices up by their ids"),
            (Builtin::RandomBits, _) => {
                self.refuse("draws random numbers, which may depend on the numbers of vertices")
            }
            (Builtin::SetMembers | Builtin::VectorArgMax | Builtin::VectorArgMin | Builtin::VectorRanks, _) => {
                self.refuse("depends on the order of vertices")
            }
            _ => args.iter().try_for_each(|arg| self.value(arg)),
        }
    }

    fn operator(&mut self, operator: &'m Operator) -> Found {
        let mut found = Ok(());
        walk::operator_children(operator, &mut |child| found = found.clone().and_then(|()| self.value(child)));
        found?;
        walk::operator_functions(operator).into_iter().try_for_each(|(_, function)| self.captures(function))
    }

    /// Captured values must be what the function takes them for. A capture is a number here as well, so that an
    /// argument that is captured as a vertex is refused.
    fn captures(&mut self, function: &'m FunctionRef) -> Found {
        let Some(called) = self.module.function(&function.name) else {
            return self.refuse("calls an unknown function");
        };
        for (capture, param) in function.captures.iter().zip(&called.captures) {
            self.value(capture)?;
            self.expect(capture, &param.ty)?;
        }
        Ok(())
    }

    fn arguments(&mut self, called: &'m Function, args: &'m [Expr]) -> Found {
        args.iter().zip(&called.params).try_for_each(|(arg, param)| self.expect(arg, &param.ty))
    }
}

/// The `k` of `atoi(argv[k])`.
fn argument(expr: &Expr) -> Option<u32> {
    let ExprKind::Builtin(Builtin::Atoi, text) = &expr.kind else { return None };
    let ExprKind::Builtin(Builtin::Argv, index) = &text.first()?.kind else { return None };
    match index.first()?.kind {
        ExprKind::Int(k) => u32::try_from(k).ok(),
        _ => None,
    }
}

fn count_loads(expr: &Expr) -> u32 {
    let mut loads = 0;
    walk::walk_expr(expr, &mut |e| loads += u32::from(matches!(e.kind, ExprKind::EdgeSetLoad(_))));
    loads
}

fn holds_vertices(item: &Type) -> bool {
    match item {
        Type::Vertex(_) => true,
        Type::Vector { item, .. } => holds_vertices(item),
        _ => false,
    }
}
