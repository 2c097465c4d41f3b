//! Global scalars that all workers write in one operator.

use gw_exec::{Environment, ErrorKind, Result, Value, scalar};
use gw_ir::expr::ReduceOp;
use gw_ir::source::Name;

use crate::message::{Reader, Writer};
use crate::plan::{Merge, Plan};

/// Global scalars that an operator writes, as they were before.
pub(crate) struct Scalars(Vec<(Name, Merge, Value)>);

impl Scalars {
    /// Notes the scalars. Sums start at 0 on all workers but the first.
    pub(crate) fn begin(plan: &Plan, own: usize, env: &mut Environment) -> Result<Scalars> {
        let mut noted = Vec::new();
        for (name, merge) in &plan.scalars {
            let value = env.global(name).ok_or_else(|| ErrorKind::Unset { name: name.to_string() })?;
            if own > 0 && *merge == Merge::Reduce(ReduceOp::Sum) {
                env.set_global(name, with_bits(&value, 0));
            }
            noted.push((name.clone(), *merge, value));
        }
        Ok(Scalars(noted))
    }

    /// Messages to so many workers that begin with the edges that this one has visited and its scalars.
    pub(crate) fn messages(&self, count: usize, edges: u64, env: &Environment) -> Vec<Writer> {
        let mut message = Writer::default();
        message.u64(edges);
        for (name, _, before) in &self.0 {
            message.u64(env.global(name).unwrap_or_else(|| before.clone()).bits().unwrap_or(0));
        }
        vec![message; count]
    }

    /// Reads the beginnings of such messages of all workers: sets the scalars, and returns the edges of all.
    pub(crate) fn read(&self, readers: &mut [Reader<'_>], env: &mut Environment) -> Result<u64> {
        let edges = readers.iter_mut().map(Reader::u64).sum();
        for (name, merge, before) in &self.0 {
            let found: Vec<u64> = readers.iter_mut().map(Reader::u64).collect();
            let old = before.bits().unwrap_or(0);
            let kind = before.scalar().ok_or_else(|| ErrorKind::Malformed(format!("`{name}` is not a number")))?;
            let reduced = |op: ReduceOp| {
                found.iter().copied().reduce(|a, b| scalar::reduce(op, kind, a, b).unwrap_or(a)).unwrap_or(old)
            };
            let new = match merge {
                Merge::Reduce(op) => reduced(*op),
                Merge::First => found.iter().copied().find(|&bits| bits != old).unwrap_or(old),
            };
            env.set_global(name, with_bits(before, new));
        }
        Ok(edges)
    }
}

fn with_bits(like: &Value, bits: u64) -> Value {
    like.scalar().map_or(Value::Nothing, |scalar| Value::from_bits(scalar, bits))
}
