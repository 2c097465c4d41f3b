//! Priorities of queues in tasks: updates, and the bucket of a vertex.

use gw_exec::bucket_of_real;
use gw_exec::scalar::{self, Register};
use gw_ir::expr::{BinaryOp, PriorityOp};
use gw_ir::source::Name;
use gw_ir::types::{Scalar, Type};

use super::body::{Body, fail};
use super::build::{Build, Built, ObjectRef, Ops, ParamRef, Unsupported};
use crate::sim::code::{Op, Reg};

impl Body<'_, '_, '_> {
    /// Updates the priority of a vertex with a value of a type; the result says whether it changed.
    pub fn update_priority(
        &mut self,
        op: PriorityOp,
        queue: &Name,
        vertex: Reg,
        bound: Option<Reg>,
        (value, given): (Reg, Option<Scalar>),
    ) -> Built<Reg> {
        let scalar = priority_scalar(self.build, queue)?;
        let object = self.build.object(ObjectRef::Priorities(queue.clone()));
        let old = self.ops.load(object, vertex);
        let changed = self.ops.constant(0);
        let mut outs = Vec::new();
        let new = match op {
            PriorityOp::Min | PriorityOp::Max => {
                if let Some(fits) = fits(scalar).filter(|_| op == PriorityOp::Min) {
                    // A value that is no priority is a sum that did not fit: an error only where nothing is stored yet.
                    let fits = self.ops.unary(fits, "fits", value);
                    let good = self.ops.jump(Some((fits, true)));
                    let unset = self.ops.count_by(BinaryOp::Eq, old, scalar::largest(scalar));
                    let known = self.ops.jump(Some((unset, false)));
                    self.ops.push(Op::Fail { code: fail::PRIORITY_OVERFLOW, value: vertex });
                    self.ops.land(known);
                    outs.push(self.ops.jump(None));
                    self.ops.land(good);
                }
                let better = if op == PriorityOp::Min { BinaryOp::Lt } else { BinaryOp::Gt };
                let better = self.ops.binary(better, scalar, value, old)?;
                outs.push(self.ops.jump(Some((better, false))));
                value
            }
            PriorityOp::Sum => {
                if given != Some(scalar) || scalar != Scalar::Int {
                    return Err(Unsupported("sums of priorities that are no int".into()));
                }
                if let Some(floor) = bound {
                    let above = self.ops.binary(BinaryOp::Lt, scalar, floor, old)?;
                    outs.push(self.ops.jump(Some((above, false))));
                }
                let sum = self.ops.binary(BinaryOp::Add, scalar, old, value)?;
                let new = match (bound, scalar::extremum(scalar, true)) {
                    (Some(floor), Some(f)) => self.ops.apply(f, "max", sum, floor),
                    _ => sum,
                };
                let differs = self.ops.binary(BinaryOp::Ne, scalar, new, old)?;
                outs.push(self.ops.jump(Some((differs, false))));
                new
            }
        };
        self.ops.push(Op::Store { object, index: vertex, from: new });
        self.ops.push(Op::Const { to: changed, bits: 1 });
        self.ops.land_all(outs);
        Ok(changed)
    }
}

/// The bucket of a vertex, and whether its priority says that it is in none.
pub struct Bucket {
    /// The bucket.
    pub bucket: Reg,
    /// Not zero when the vertex is in no bucket.
    pub unset: Reg,
    /// The priority.
    pub priority: Reg,
}

/// The type of the priorities of a queue.
pub fn priority_scalar(build: &Build<'_>, queue: &Name) -> Built<Scalar> {
    match build.module.global(queue).map(|g| &g.ty) {
        Some(Type::PriorityQueue { priority, .. }) => Ok(*priority),
        _ => Err(Unsupported(format!("`{queue}` is no global priority queue"))),
    }
}

/// Which values of a whole type can be priorities.
pub fn fits(scalar: Scalar) -> Option<scalar::Unary> {
    match scalar {
        Scalar::Int => Some(|v| u64::from((0..i32::MAX).contains(&i32::of(v)))),
        Scalar::Uint => Some(|v| u64::from(v != u64::from(u32::MAX))),
        Scalar::Int64 => Some(|v| u64::from((0..i64::MAX).contains(&i64::of(v)))),
        Scalar::Uint64 => Some(|v| u64::from(v != u64::MAX)),
        _ => None,
    }
}

/// Which values of a real type have a bucket.
pub fn finite(scalar: Scalar) -> Option<scalar::Unary> {
    match scalar {
        Scalar::Float => Some(|v| u64::from((0.0..f32::MAX).contains(&f32::of(v)))),
        Scalar::Double => Some(|v| u64::from((0.0..f64::MAX).contains(&f64::of(v)))),
        _ => None,
    }
}

/// Reads the priority of a vertex and works out its bucket.
pub fn bucket_of(build: &mut Build<'_>, ops: &mut Ops, queue: &Name, vertex: Reg) -> Built<Bucket> {
    let scalar = priority_scalar(build, queue)?;
    let object = build.object(ObjectRef::Priorities(queue.clone()));
    let priority = ops.load(object, vertex);
    if scalar.is_signed() {
        let zero = ops.constant(0);
        let good = ops.binary(BinaryOp::Ge, scalar, priority, zero)?;
        let over = ops.jump(Some((good, true)));
        ops.push(Op::Fail { code: fail::NEGATIVE_PRIORITY, value: vertex });
        ops.land(over);
    }
    let unset = match scalar {
        Scalar::Float => ops.unary(|p| u64::from(f32::of(p) >= f32::MAX), "is unset", priority),
        Scalar::Double => ops.unary(|p| u64::from(f64::of(p) >= f64::MAX), "is unset", priority),
        _ => ops.count_by(BinaryOp::Eq, priority, scalar::largest(scalar)),
    };
    let bucket = bucket_of_value(build, ops, queue, priority)?;
    Ok(Bucket { bucket, unset, priority })
}

/// The bucket of a priority that is none of those that mean "in no bucket".
pub fn bucket_of_value(build: &mut Build<'_>, ops: &mut Ops, queue: &Name, priority: Reg) -> Built<Reg> {
    let delta = ops.param(build, ParamRef::Delta(queue.clone()));
    Ok(match priority_scalar(build, queue)? {
        Scalar::Float => ops.apply(|p, delta| bucket_of_real(f32::of(p).into(), delta), "bucket", priority, delta),
        Scalar::Double => ops.apply(|p, delta| bucket_of_real(f64::of(p), delta), "bucket", priority, delta),
        _ => ops.divide(Scalar::Uint64, false, priority, delta),
    })
}
