//! Keeping an entry of a vector in a register while the edges of its owner are visited.
//!
//! A pull that sums into `x[dst]` would otherwise load and store the same cell once per edge. It is safe when the
//! function touches the vector at that one entry only, no filter touches it, and no other worker does.

use cranelift::prelude::*;
use gw_ir::expr::{Expr, ExprKind};
use gw_ir::meta::{Direction, Sharing};
use gw_ir::module::{Function, Module};
use gw_ir::operator::{EdgeSetIterator, VertexFilter};
use gw_ir::source::Name;
use gw_ir::types::{Domain, Type as IrType};
use gw_ir::walk;

use super::Refusal;
use super::memory::Place;
use super::translate::{Translator, clif_type};
use crate::abi::Fault;

/// A vector whose owned entry can live in a register.
#[derive(Debug, Clone)]
pub(crate) struct Promoted {
    pub(crate) vector: Name,
    ty: IrType,
}

/// The vectors of an operator that can be promoted.
pub(crate) fn candidates(module: &Module, op: &EdgeSetIterator, direction: Direction) -> Vec<Promoted> {
    let Some(function) = module.function(&op.apply.name) else { return Vec::new() };
    let owned = match direction {
        Direction::Push | Direction::DensePush => function.params.first(),
        Direction::Pull => function.params.get(1),
    };
    // A captured vector may be any global under another name, and a called function may touch anything.
    let plain = function.captures.iter().all(|c| !c.ty.is_reference()) && !calls(function);
    let (Some(owned), true, Some(false)) = (owned, plain, op.meta.is_edge_parallel) else { return Vec::new() };
    let filters: Vec<&Function> = [&op.from, &op.to]
        .into_iter()
        .filter_map(|filter| match filter {
            VertexFilter::Function(f) => module.function(&f.name),
            _ => None,
        })
        .collect();

    let mut vectors: Vec<Promoted> = Vec::new();
    let mut spoiled: Vec<Name> = Vec::new();
    walk::walk_block_exprs(function.body.as_deref().unwrap_or_default(), &mut |expr| {
        if let ExprKind::Element { vector, index, access } = &expr.kind {
            let Some(root) = vector.place_root() else { return };
            let local = access.is_some_and(|a| a.sharing == Sharing::Local);
            let simple = vector.as_var().is_some()
                && matches!(&vector.ty, IrType::Vector { domain: Domain::Element(_), item } if item.scalar().is_some());
            match simple && local && index.as_var() == Some(&owned.name) && module.global(root).is_some() {
                true => vectors.push(Promoted { vector: root.clone(), ty: expr.ty.clone() }),
                false => spoiled.push(root.clone()),
            }
        }
        // Compare-and-swap and priority updates work on memory.
        match &expr.kind {
            ExprKind::CompareAndSwap { target, .. } => spoiled.extend(target.place_root().cloned()),
            ExprKind::PriorityUpdate { .. }
            | ExprKind::Reduce { meta: gw_ir::meta::UpdateMeta { atomic: true, .. }, .. } => {
                spoil_target(expr, &mut spoiled);
            }
            _ => {}
        }
    });
    let written = |name: &Name| {
        let mut found = false;
        walk::walk_stmts(function.body.as_deref().unwrap_or_default(), &mut |stmt| {
            if let gw_ir::stmt::StmtKind::Assign { target, .. } = &stmt.kind {
                found |= target.place_root() == Some(name);
            }
        });
        walk::walk_block_exprs(function.body.as_deref().unwrap_or_default(), &mut |e| {
            if let ExprKind::Reduce { target, .. } = &e.kind {
                found |= target.place_root() == Some(name);
            }
        });
        found
    };
    let in_filters = |name: &Name| {
        filters.iter().any(|f| walk::block_mentions(f.body.as_deref().unwrap_or_default(), name) || calls(f))
    };
    vectors.sort_by(|a, b| a.vector.cmp(&b.vector));
    vectors.dedup_by(|a, b| a.vector == b.vector);
    vectors.retain(|p| !spoiled.contains(&p.vector) && written(&p.vector) && !in_filters(&p.vector));
    vectors
}

fn spoil_target(expr: &Expr, spoiled: &mut Vec<Name>) {
    walk::walk_expr(expr, &mut |e| {
        if let ExprKind::Element { vector, .. } = &e.kind {
            spoiled.extend(vector.place_root().cloned());
        }
    });
}

fn calls(function: &Function) -> bool {
    let mut found = false;
    walk::walk_block_exprs(function.body.as_deref().unwrap_or_default(), &mut |e| {
        found |= matches!(e.kind, ExprKind::Call { .. } | ExprKind::PriorityUpdate { .. });
    });
    found
}

/// A promoted entry: its register, its place and its type.
pub(crate) struct Saved {
    vector: Name,
    register: Variable,
    place: Place,
}

impl Translator<'_, '_> {
    /// Loads the entries of `owner` into registers.
    pub(crate) fn promote(&mut self, promoted: &[Promoted], owner: Value) -> Result<Vec<Saved>, Refusal> {
        let mut saved = Vec::new();
        for p in promoted {
            let scalar = self.scalar_of(&p.ty)?;
            let ty = clif_type(scalar);
            let vector_ty = self.module.global(&p.vector).map(|g| g.ty.clone());
            let vector_ty = vector_ty.ok_or_else(|| self.refuse("a promoted vector vanished"))?;
            let vector = self.vector_named(&p.vector, &vector_ty)?;
            let index = self.b.ins().uextend(types::I64, owner);
            let length = vector.length.clone().ok_or_else(|| self.refuse("a vector without length"))?;
            let reason = self.entry(owner, index, &length, &vector.name, Fault::Index);
            let place = self.place_at(vector.base, index, ty.bytes(), reason);
            let value = self.load(ty, &place);
            let register = self.variable(ty, value);
            self.registers.push((p.vector.clone(), register));
            saved.push(Saved { vector: p.vector.clone(), register, place });
        }
        Ok(saved)
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
