//! Which vectors an edge function touches, and at which entries.

use std::collections::BTreeMap;

use super::End;
use super::enqueues::{Enqueued, Enqueues};
use super::touched::{Access, Meaning, Names, each_access};
use super::writes::{assigns, body};
use crate::analysis::calls::{called_in, closure};
use crate::analysis::places::{EntryUse, Place, Uses};
use crate::analysis::priority::priority_vector;
use crate::expr::{Expr, ExprKind, FunctionRef};
use crate::meta::AccessMode;
use crate::module::Module;
use crate::source::Name;
use crate::types::Scalar;

/// At which entries a vector is touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Places {
    /// At the entry of the source.
    pub source: bool,
    /// At the entry of the destination.
    pub destination: bool,
    /// At any other entry.
    pub other: bool,
}

impl Places {
    /// At no entry.
    pub const NONE: Places = Places { source: false, destination: false, other: false };

    /// Whether no entry but that of one end is touched.
    pub fn only(self, end: End) -> bool {
        match end {
            End::Source => !self.destination && !self.other,
            End::Destination => !self.source && !self.other,
        }
    }

    fn add(&mut self, end: Option<End>) {
        match end {
            Some(End::Source) => self.source = true,
            Some(End::Destination) => self.destination = true,
            None => self.other = true,
        }
    }
}

/// How an edge function uses a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VectorUse {
    /// The type of an entry; `None` where an entry is a row.
    pub entry: Option<Scalar>,
    /// Entries that are read, those of updates included.
    pub read: Places,
    /// Entries that are written.
    pub written: Places,
}

/// The vectors that outlive a call of the function, by the names they have outside of it. A vector of unknown origin
/// has the name that the function gives it.
pub(super) fn uses(module: &Module, apply: &FunctionRef) -> BTreeMap<Name, VectorUse> {
    let mut found: BTreeMap<Name, VectorUse> = BTreeMap::new();
    for name in closure(module, [apply.name.clone()]) {
        let Some(function) = module.function(&name) else { continue };
        let applied = name == apply.name;
        let names = Names::of(module, function, Some(apply).filter(|_| applied));
        // Only the parameters of the applied function itself are ends of the edge.
        let end_of = |index: &Expr| {
            let is = |end: End| {
                let param = function.params.get(end.parameter()).map(|p| &p.name);
                param.is_some() && index.as_var() == param && param.is_some_and(|name| !assigns(function, name))
            };
            [End::Source, End::Destination].into_iter().find(|end| applied && is(*end))
        };
        let mut note = |name: Name, entry: Option<Scalar>, end: Option<End>, mode: AccessMode| {
            let vector = found.entry(name).or_default();
            vector.entry = entry;
            if mode != AccessMode::Write {
                vector.read.add(end);
            }
            if mode != AccessMode::Read {
                vector.written.add(end);
            }
        };
        each_access(body(function), &mut |access| match access {
            Access::Entry(expr, mode) => {
                let Some((root, index, entry)) = first_entry(expr) else { return };
                match names.meaning(root) {
                    Meaning::Own => {}
                    Meaning::Global(name) => note(name, entry, end_of(index), mode),
                    Meaning::Unknown => note(root.clone(), entry, end_of(index), mode),
                }
            }
            Access::Priority { queue, vertex } => {
                let vector = queue.as_var().and_then(|queue| priority_vector(module, queue));
                if let Some(vector) = vector {
                    let entry = module.global(&vector).and_then(|g| g.ty.leaf().scalar());
                    note(vector, entry, end_of(vertex), AccessMode::ReadWrite);
                }
            }
            Access::Variable(..) => {}
        });
    }
    found
}

/// The vector of an access `x[i]` or `x[i][j]`, the index `i` of its entry, and the type of the entry.
pub(super) fn first_entry(mut expr: &Expr) -> Option<(&Name, &Expr, Option<Scalar>)> {
    while let ExprKind::Element { vector, index, .. } = &expr.kind {
        if let Some(name) = vector.as_var() {
            return Some((name, index, expr.ty.scalar()));
        }
        expr = vector;
    }
    None
}

/// Whether an edge function writes at most single entries of its destination, and scalars. A function that calls others
/// or writes rows does not.
pub(super) fn writes_destination_only(module: &Module, apply: &FunctionRef) -> bool {
    let Some(function) = module.function(&apply.name).filter(|f| f.params.len() >= 2) else { return false };
    let single = |used: &VectorUse| {
        used.written == Places::NONE || (used.written.only(End::Destination) && used.entry.is_some())
    };
    called_in(body(function)).is_empty() && uses(module, apply).values().all(single)
}

/// Whether an edge function or something it calls may write an entry of its destination, or enqueue it. Entries of
/// other vertices and of edges are not the destination's.
pub(super) fn changes_destination(module: &Module, apply: &FunctionRef) -> bool {
    let uses = Uses::of(module, apply, &[Place::Source, Place::Destination]);
    let written = |used: &EntryUse| used.written.iter().any(|write| write.place == Place::Destination);
    let enqueued = Enqueues::of(module, apply).vertices;
    uses.unknown.is_some()
        || uses.outside.is_some()
        || uses.vectors.values().any(written)
        || matches!(enqueued, Enqueued::Destination | Enqueued::Anything)
}
