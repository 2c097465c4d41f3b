//! The memory that a run needs, told before it begins: graphs, their derived forms, vectors and sets.
//!
//! Everything follows from the module after the passes and from the sizes of the graph. Vectors and lists of edges are
//! exact; sets are taken at their largest.

use std::collections::HashSet;

use gw_graph::Graph;
use gw_ir::builtin::Builtin;
use gw_ir::expr::{Expr, ExprKind};
use gw_ir::meta::Direction;
use gw_ir::module::{GlobalInit, Module};
use gw_ir::operator::Operator;
use gw_ir::source::Name;
use gw_ir::stmt::StmtKind;
use gw_ir::types::{Domain, Scalar, Type};
use gw_ir::walk;
use serde::Serialize;

use crate::intrinsics::is_skewed;

/// Memory for one purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Need {
    /// What is kept there.
    pub what: String,
    /// Bytes in the memory of the host.
    pub host_bytes: u64,
    /// Bytes in the memory of the device.
    pub device_bytes: u64,
}

/// The memory of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Needs {
    /// What is needed, one entry per purpose.
    pub parts: Vec<Need>,
    /// Bytes of memory that the device has; `None` where there is no device.
    pub device_has: Option<u64>,
    /// Bytes of them that nobody uses.
    pub device_free: Option<u64>,
}

impl Needs {
    /// Adds memory for a purpose, unless there is none.
    pub fn add(&mut self, what: impl Into<String>, host_bytes: u64, device_bytes: u64) {
        if host_bytes + device_bytes > 0 {
            self.parts.push(Need { what: what.into(), host_bytes, device_bytes });
        }
    }

    /// All bytes in the memory of the host.
    pub fn host_bytes(&self) -> u64 {
        self.parts.iter().map(|need| need.host_bytes).sum()
    }

    /// All bytes in the memory of the device.
    pub fn device_bytes(&self) -> u64 {
        self.parts.iter().map(|need| need.device_bytes).sum()
    }
}

/// What a run of a module, after all passes, needs on a machine that computes in the memory of the host.
pub fn host_needs(module: &Module, graph: &Graph) -> Needs {
    let mut needs = Needs::default();
    needs.add("graph", graph.bytes() as u64, 0);
    if pulls(module) && !graph.is_symmetric() && !graph.has_incoming() {
        needs.add("in-edges", graph.out().bytes() as u64, 0);
    }
    needs.add("graph under other numbers", renumbered_bytes(module, graph), 0);
    needs.add("vectors", vector_bytes(module, graph), 0);
    needs.add("sets, at most", set_bytes(module, graph.vertices() as u64), 0);
    needs
}

/// Bytes of a second graph with numbers by degree, where a run has one: lists, and both directions of the numbering.
pub fn renumbered_bytes(module: &Module, graph: &Graph) -> u64 {
    let mut relabels = false;
    let mut look = |expr: &gw_ir::expr::Expr| relabels |= matches!(expr.kind, ExprKind::Builtin(Builtin::Relabel, _));
    walk::bodies(module).for_each(|body| walk::walk_block_exprs(body, &mut look));
    let renumbers = module.order.is_some() || (relabels && is_skewed(graph));
    match renumbers && !graph.is_degree_ordered() {
        true => graph.out().bytes() as u64 + 8 * graph.vertices() as u64,
        false => 0,
    }
}

/// Bytes of all vectors that a module makes, each counted once.
pub fn vector_bytes(module: &Module, graph: &Graph) -> u64 {
    let over_edges: HashSet<&Name> = module
        .globals
        .iter()
        .filter_map(|global| match &global.ty {
            Type::EdgeSet { edge, source, .. } if edge != source => Some(edge),
            _ => None,
        })
        .collect();
    let entries = |domain: &Domain| match domain {
        Domain::Element(element) if over_edges.contains(element) => graph.edges() as u64,
        Domain::Element(_) => graph.vertices() as u64,
        Domain::Fixed(count) => u64::from(*count),
        Domain::Counted(name) => initial_length(module, name, graph),
    };
    let mut bytes: u64 = module.globals.iter().map(|global| bytes_of(&global.ty, &entries)).sum();
    let mut look = |expr: &gw_ir::expr::Expr| {
        if matches!(expr.kind, ExprKind::VectorAlloc | ExprKind::VectorFill(_)) {
            bytes += bytes_of(&expr.ty, &entries);
        }
    };
    // Vectors of the start-up become globals.
    for function in &module.functions {
        function.body.iter().for_each(|body| walk::walk_block_exprs(body, &mut look));
    }
    bytes
}

/// The length that a global says where it is a number or the number of vertices or edges; 0 where the run alone can
/// tell. Such vectors are refused when they are made.
fn initial_length(module: &Module, name: &Name, graph: &Graph) -> u64 {
    let init = module.global(name).and_then(|global| global.init.as_ref());
    let mut value = match init {
        Some(GlobalInit::Value(value)) => Some(value),
        // The start-up has it.
        _ => module.startup.iter().find_map(|stmt| match &stmt.kind {
            StmtKind::Assign { target, value } if target.as_var() == Some(name) => Some(value),
            _ => None,
        }),
    };
    while let Some(Expr { kind: ExprKind::Convert(inner), .. }) = value {
        value = Some(inner);
    }
    match value.map(|value| &value.kind) {
        Some(ExprKind::Int(length)) => u64::try_from(*length).unwrap_or(0),
        Some(ExprKind::Builtin(Builtin::VertexCount, _)) => graph.vertices() as u64,
        Some(ExprKind::Builtin(Builtin::EdgeCount, _)) => graph.edges() as u64,
        _ => 0,
    }
}

/// Bytes of a vector of this type; 0 for other types.
fn bytes_of(ty: &Type, entries_of: &dyn Fn(&Domain) -> u64) -> u64 {
    match ty {
        Type::Vector { domain, item } => {
            let entries = entries_of(domain);
            let entry = match &**item {
                nested @ Type::Vector { .. } => bytes_of(nested, entries_of),
                Type::Scalar(Scalar::Bool) => 1,
                Type::Scalar(Scalar::Double | Scalar::Int64 | Scalar::Uint64) => 8,
                _ => 4,
            };
            entries.saturating_mul(entry)
        }
        _ => 0,
    }
}

/// Bytes of the sets and queues that a module makes: members as a list and as a map, for every vertex.
fn set_bytes(module: &Module, vertices: u64) -> u64 {
    let mut sets = 0;
    for body in walk::bodies(module) {
        walk::walk_block_exprs(body, &mut |expr| {
            let makes = matches!(expr.kind, ExprKind::VertexSetAlloc(_) | ExprKind::Operator(_));
            sets += u64::from(makes && matches!(expr.ty, Type::VertexSet(_)));
            sets += 2 * u64::from(matches!(expr.kind, ExprKind::PriorityQueueAlloc(_)));
        });
    }
    sets * (4 * vertices + vertices.div_ceil(8))
}

/// Whether an operator goes from destinations to their sources.
fn pulls(module: &Module) -> bool {
    let mut found = false;
    for body in walk::bodies(module) {
        walk::walk_block_exprs(body, &mut |expr| {
            if let ExprKind::Operator(operator) = &expr.kind {
                found |= direction(operator) == Some(Direction::Pull);
            }
        });
    }
    found
}

fn direction(operator: &Operator) -> Option<Direction> {
    operator.edges()?.meta.direction
}
