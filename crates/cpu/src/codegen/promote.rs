//! Keeping an entry of a vector in a register while the edges of its owner are visited.
//!
//! A pull that sums into `x[dst]` would otherwise load and store the same cell once per edge. The analysis of operators
//! says for which vectors this is safe ([`OwnedEntry`]).

use cranelift::prelude::*;
use gw_ir::analysis::operator::OwnedEntry;
use gw_ir::expr::{Expr, ExprKind};
use gw_ir::source::Name;

use super::Refusal;
use super::memory::Place;
use super::translate::{Translator, clif_type};
use crate::abi::Fault;

/// A promoted entry: its register, its place and its type.
pub(crate) struct Saved {
    vector: Name,
    register: Variable,
    place: Place,
}

impl Translator<'_, '_> {
    /// Loads the entries of `owner` into registers, unless they are in one already.
    pub(crate) fn promote(&mut self, promoted: &[OwnedEntry], owner: Value) -> Result<Vec<Saved>, Refusal> {
        let mut saved = Vec::new();
        for p in promoted {
            if self.registers.iter().any(|(name, _)| *name == p.vector) {
                continue;
            }
            let scalar = self.scalar_of(&p.ty)?;
            let ty = clif_type(scalar);
            let place = self.entry_of(&p.vector, owner, ty)?;
            let value = self.load(ty, &place);
            let register = self.variable(ty, value);
            self.registers.push((p.vector.clone(), register));
            saved.push(Saved { vector: p.vector.clone(), register, place });
        }
        Ok(saved)
    }

    /// The place of a vertex's entry in a global vector.
    pub(super) fn entry_of(&mut self, name: &Name, vertex: Value, ty: types::Type) -> Result<Place, Refusal> {
        let vector_ty = self.module.global(name).map(|g| g.ty.clone());
        let vector_ty = vector_ty.ok_or_else(|| self.refuse("a promoted vector vanished"))?;
        let vector = self.vector_named(name, &vector_ty)?;
        let index = self.b.ins().uextend(types::I64, vertex);
        let length = vector.length.clone().ok_or_else(|| self.refuse("a vector without length"))?;
        let reason = self.entry(vertex, index, &length, &vector.name, Fault::Index);
        Ok(self.place_at(vector.base, index, ty.bytes(), reason))
    }

    /// Stores the registers back.
    pub(crate) fn demote(&mut self, saved: Vec<Saved>) {
        for entry in saved {
            let value = self.b.use_var(entry.register);
            self.store(value, &entry.place);
            self.registers.retain(|(name, _)| *name != entry.vector);
        }
    }

    /// The register of a vector entry, when it is promoted. All accesses to a promoted vector are to the owned entry.
    pub(crate) fn register(&self, expr: &Expr) -> Option<Variable> {
        let ExprKind::Element { vector, .. } = &expr.kind else { return None };
        let name = vector.as_var()?;
        self.registers.iter().find(|(n, _)| n == name).map(|(_, register)| *register)
    }
}
