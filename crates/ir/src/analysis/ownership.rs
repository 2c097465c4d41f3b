//! Ownership: which vector entries a worker has to itself while an operator runs in parallel.
//!
//! An entry is local when its index is the end of the edge that a worker owns (or that end shifted or scaled by a
//! constant); everything else is shared. Vertex functions own their vertex. Helpers called by such functions do not
//! know who owns what, so they share everything. A vector with one shared write is shared as a whole: other workers
//! reach the owned entries through that write.

use std::collections::{HashMap, HashSet};

use gw_schedule::Owned;

use super::calls::{called_in, closure};
use super::operator::{assigns, each_write};
use super::priority::priority_vector;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::meta::{Direction, EdgeMeta, Sharing};
use crate::module::{Function, Module};
use crate::operator::Operator;
use crate::source::Name;
use crate::stmt::{Stmt, StmtKind};
use crate::walk::{bodies, walk_block_exprs};

/// How invocations of a function relate to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// One after another.
    Serial,
    /// At the same time; each owns the vertex in this parameter, if any.
    Parallel(Option<Name>),
}

impl Role {
    fn join(self, other: Role) -> Role {
        match (self, other) {
            (Role::Serial, role) | (role, Role::Serial) => role,
            (Role::Parallel(a), Role::Parallel(b)) => Role::Parallel(if a == b { a } else { None }),
        }
    }
}

/// The role of every function that runs inside operators or is called from `par_for` loops.
pub fn roles(module: &Module) -> HashMap<Name, Role> {
    let mut roles: HashMap<Name, Role> = HashMap::new();
    let mut add = |module: &Module, name: &Name, role: Role| {
        for reached in closure(module, [name.clone()]) {
            let role = match (&role, reached == *name) {
                (Role::Parallel(_), false) => Role::Parallel(None),
                (role, _) => role.clone(),
            };
            let joined = match roles.remove(&reached) {
                Some(old) => old.join(role),
                None => role,
            };
            roles.insert(reached, joined);
        }
    };
    for body in bodies(module) {
        visit(module, body, false, &mut add);
    }
    roles
}

fn visit(module: &Module, block: &[Stmt], in_par_for: bool, add: &mut dyn FnMut(&Module, &Name, Role)) {
    for stmt in block {
        if let Some(op) = stmt.operator() {
            operator_role(module, op, in_par_for, add);
        }
        let inside = in_par_for || matches!(stmt.kind, StmtKind::ParFor { .. });
        if inside && !in_par_for {
            for inner in stmt.blocks() {
                for called in called_in(inner) {
                    add(module, &called, Role::Parallel(None));
                }
            }
        }
        for inner in stmt.blocks() {
            visit(module, inner, inside, add);
        }
    }
}

fn operator_role(module: &Module, op: &Operator, in_par_for: bool, add: &mut dyn FnMut(&Module, &Name, Role)) {
    let param = |name: &Name, i: usize| module.function(name).and_then(|f| f.params.get(i)).map(|p| p.name.clone());
    let (name, role) = match op {
        Operator::VertexSetIterator(v) => (&v.apply.name, vertex_role(v.meta.is_parallel, param(&v.apply.name, 0))),
        Operator::VertexSetFilter(v) => (&v.filter.name, vertex_role(v.meta.is_parallel, param(&v.filter.name, 0))),
        other => match other.edges() {
            Some(edges) => {
                let name = &edges.apply.name;
                let role = match owned(&edges.meta) {
                    Owned::Both => Role::Serial,
                    Owned::Neither => Role::Parallel(None),
                    Owned::Source => Role::Parallel(param(name, 0)),
                    Owned::Destination => Role::Parallel(param(name, 1)),
                };
                (name, role)
            }
            None => return,
        },
    };
    // Iterations of a par_for may run the same operator on the same data, so nobody owns anything.
    add(module, name, if in_par_for { Role::Parallel(None) } else { role });
}

fn vertex_role(is_parallel: Option<bool>, vertex: Option<Name>) -> Role {
    if is_parallel == Some(false) { Role::Serial } else { Role::Parallel(vertex) }
}

/// The end of an edge that a worker has to itself under a bound operator; nothing before binding.
pub fn owned(meta: &EdgeMeta) -> Owned {
    match (meta.is_parallel, meta.is_edge_parallel, meta.direction) {
        (Some(false), _, _) => Owned::Both,
        (_, Some(false), Some(Direction::Pull)) => Owned::Destination,
        (_, Some(false), Some(_)) => Owned::Source,
        _ => Owned::Neither,
    }
}

/// Decides whether an access is shared.
pub struct Marker {
    serial: bool,
    owned: Option<Name>,
    /// Vectors declared in the function: private by construction.
    private: HashSet<Name>,
    /// Vectors that the function or its helpers write at entries it does not own.
    contested: HashSet<Name>,
    /// Some such write goes through a parameter or capture, which may stand for any vector.
    all_contested: bool,
}

impl Marker {
    /// What an invocation of `function` in this role owns.
    pub fn new(module: &Module, function: &Function, role: &Role) -> Marker {
        let (serial, owned) = match role {
            Role::Serial => (true, None),
            Role::Parallel(owned) => (false, owned.clone()),
        };
        // A reassigned parameter no longer names what the worker owns.
        let owned = owned.filter(|name| !assigns(function, name));
        let private = function.locals().into_iter().map(|l| l.name).collect();
        let mut marker = Marker { serial, owned, private, contested: HashSet::new(), all_contested: false };
        if !serial {
            marker.find_contested(module, function);
        }
        marker
    }

    fn find_contested(&mut self, module: &Module, function: &Function) {
        let is_global = |n: &Name| module.global(n).is_some();
        let mut contested: Vec<Name> = Vec::new();
        for name in closure(module, [function.name.clone()]) {
            let Some(f) = module.function(&name) else { continue };
            let helper = name != function.name;
            let locals: HashSet<Name> = f.locals().into_iter().map(|l| l.name).collect();
            let mut write = |target: &Expr| {
                let is_entry = matches!(target.kind, ExprKind::Element { .. });
                if let (true, Some(root)) = (is_entry, target.place_root())
                    && !locals.contains(root)
                    && (helper || !self.own_entry(target))
                {
                    contested.push(root.clone());
                }
            };
            let body = f.body.as_deref().unwrap_or_default();
            each_write(body, &mut |w| write(w.target));
            walk_block_exprs(body, &mut |e| {
                if let ExprKind::PriorityUpdate { queue, vertex, .. } = &e.kind
                    && (helper || !self.independent(vertex))
                {
                    let vector = queue.as_var().and_then(|q| priority_vector(module, q));
                    contested.extend(vector);
                }
            });
        }
        self.all_contested = contested.iter().any(|n| !is_global(n));
        self.contested = contested.into_iter().collect();
    }

    /// Whether the vector is written at entries that the worker does not own.
    pub fn is_contested(&self, vector: &str) -> bool {
        self.all_contested || self.contested.contains(vector)
    }

    /// Whether another invocation may touch the place at the same time.
    pub fn sharing(&self, place: &Expr) -> Sharing {
        let private = self.serial || place.place_root().is_some_and(|n| self.private.contains(n));
        let contested = place.place_root().is_none_or(|n| self.is_contested(n));
        if private || (self.own_entry(place) && !contested) { Sharing::Local } else { Sharing::Shared }
    }

    /// Whether the place is an entry of the owned vertex.
    fn own_entry(&self, place: &Expr) -> bool {
        let mut first = place;
        while let ExprKind::Element { vector, .. } = &first.kind {
            if vector.as_var().is_some() {
                break;
            }
            first = vector;
        }
        matches!(&first.kind, ExprKind::Element { index, .. } if self.independent(index))
    }

    /// Whether different owned vertices give different values of this index.
    pub fn independent(&self, index: &Expr) -> bool {
        if self.serial {
            return true;
        }
        let Some(owned) = &self.owned else { return false };
        match &index.kind {
            ExprKind::Var(name) => name == owned,
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => {
                (constant(a).is_some() && self.independent(b)) || (self.independent(a) && constant(b).is_some())
            }
            ExprKind::Binary(BinaryOp::Mul, a, b) => {
                (constant(a).is_some_and(|k| k != 0) && self.independent(b))
                    || (self.independent(a) && constant(b).is_some_and(|k| k != 0))
            }
            _ => false,
        }
    }
}

fn constant(expr: &Expr) -> Option<i64> {
    match expr.kind {
        ExprKind::Int(v) => Some(v),
        _ => None,
    }
}
