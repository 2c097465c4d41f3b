//! What tasks read and write: variables, entries of vectors, cells of rows, global scalars.

use gw_ir::expr::{BinaryOp, Expr, ExprKind, ReduceOp};
use gw_ir::types::{Domain, Scalar, Type};

use super::body::{Body, Slot, fail};
use super::build::{Built, ObjectRef, ParamRef, Unsupported, scalar_of};
use crate::sim::code::{ObjectId, Op, Reg};

/// Where a value is.
pub(super) enum Place {
    Reg(Reg),
    Cell(ObjectId, Reg),
}

impl Body<'_, '_, '_> {
    /// Where a variable or an element is.
    pub(super) fn place(&mut self, e: &Expr) -> Built<Place> {
        match &e.kind {
            ExprKind::Var(name) => {
                if let Some(slot) = self.names.get(name) {
                    return match slot {
                        Slot::Reg(reg) => Ok(Place::Reg(*reg)),
                        _ => Err(Unsupported(format!("`{name}` is no number"))),
                    };
                }
                scalar_of(&e.ty)?;
                if let Some(&reg) = self.build.carried.get(name) {
                    return Ok(Place::Reg(reg));
                }
                if self.build.written.contains(name) || self.build.reductions.iter().any(|(n, _)| n == name) {
                    let object = self.build.object(ObjectRef::Scalar(name.clone()));
                    let zero = self.ops.constant(0);
                    return Ok(Place::Cell(object, zero));
                }
                Ok(Place::Reg(self.ops.param(self.build, ParamRef::Scalar(name.clone()))))
            }
            ExprKind::Element { vector, index, .. } => {
                let (object, cell) = self.cell(vector, index)?;
                Ok(Place::Cell(object, cell))
            }
            _ => Err(Unsupported("a place that is neither a variable nor an element".into())),
        }
    }

    /// The object and cell of `vector[index]`; rows lie side by side.
    fn cell(&mut self, vector: &Expr, index: &Expr) -> Built<(ObjectId, Reg)> {
        match &vector.kind {
            ExprKind::Var(name) => {
                let object = self.object_named(name)?;
                let object = self.build.object(object);
                if scalar_of(vector.ty.item().unwrap_or(&Type::Void)).is_err() {
                    return Err(Unsupported("a whole row of a vector".into()));
                }
                Ok((object, self.expr(index)?))
            }
            ExprKind::Element { vector: outer, index: row, .. } => {
                let Type::Vector { domain, item } = &vector.ty else {
                    return Err(Unsupported("a row that is no vector".into()));
                };
                scalar_of(item)?;
                let (ExprKind::Var(name), Some(Type::Vector { .. })) = (&outer.kind, outer.ty.item()) else {
                    return Err(Unsupported("vectors nested more than twice".into()));
                };
                let named = self.object_named(name)?;
                let object = self.build.object(named.clone());
                let (row, column) = (self.expr(row)?, self.expr(index)?);
                let width = match domain {
                    Domain::Fixed(width) => self.ops.constant(u64::from(*width)),
                    // Known when the run begins.
                    Domain::Element(_) | Domain::Counted(_) => self.ops.param(self.build, ParamRef::Row(named)),
                };
                let fits = self.ops.count(BinaryOp::Lt, column, width);
                let over = self.ops.jump(Some((fits, true)));
                self.ops.push(Op::Fail { code: fail::ROW_INDEX, value: column });
                self.ops.land(over);
                let start = self.ops.count(BinaryOp::Mul, row, width);
                Ok((object, self.ops.count(BinaryOp::Add, start, column)))
            }
            _ => Err(Unsupported("an element of a value without a name".into())),
        }
    }

    pub(super) fn read(&mut self, place: &Place) -> Reg {
        match *place {
            Place::Reg(reg) => reg,
            Place::Cell(object, cell) => self.ops.load(object, cell),
        }
    }

    pub(super) fn store(&mut self, place: &Place, value: Reg) {
        match *place {
            Place::Reg(to) => self.ops.push(Op::Copy { to, from: value }),
            Place::Cell(object, index) => self.ops.push(Op::Store { object, index, from: value }),
        }
    }

    /// `target op= value`; the result says whether the target changed.
    pub(super) fn reduce(&mut self, op: ReduceOp, target: &Expr, value: &Expr) -> Built<Reg> {
        let scalar = scalar_of(&target.ty)?;
        let value = self.expr(value)?;
        let partial = target.as_var().filter(|name| !self.names.contains_key(*name)).cloned();
        let partial = partial.filter(|name| self.build.reductions.contains(&(name.clone(), op)));
        let place = match partial {
            Some(name) => {
                let object = self.build.object(ObjectRef::Partial(name, op));
                let core = self.ops.reg();
                self.ops.push(Op::Core { to: core });
                Place::Cell(object, core)
            }
            None => self.place(target)?,
        };
        let old = self.read(&place);
        match op {
            ReduceOp::Sum if scalar == Scalar::Bool => {
                let either = self.ops.apply(|a, b| a | b, "or", old, value);
                self.store(&place, either);
                Ok(self.ops.constant(1))
            }
            ReduceOp::Sum => {
                let sum = self.ops.binary(BinaryOp::Add, scalar, old, value)?;
                self.store(&place, sum);
                Ok(self.ops.constant(1))
            }
            ReduceOp::Or | ReduceOp::And => {
                let new = match op {
                    ReduceOp::Or => self.ops.apply(|a, b| a | b, "or", old, value),
                    _ => self.ops.apply(|a, b| a & b, "and", old, value),
                };
                let differs = self.ops.apply(|a, b| u64::from(a != b), "!=", new, old);
                let over = self.ops.jump(Some((differs, false)));
                self.store(&place, new);
                self.ops.land(over);
                Ok(differs)
            }
            ReduceOp::Min | ReduceOp::Max => {
                let op = if op == ReduceOp::Min { BinaryOp::Lt } else { BinaryOp::Gt };
                let better = self.ops.binary(op, scalar, value, old)?;
                let over = self.ops.jump(Some((better, false)));
                self.store(&place, value);
                self.ops.land(over);
                Ok(better)
            }
        }
    }
}
