//! What a plan is about in one call: the vectors that stand behind its names, and the members of a set that are a
//! worker's own.

use gw_exec::{Environment, ErrorKind, OperatorCall, Result, Value, Vector, VertexSet};

use crate::cut::Cut;
use crate::plan::{Plan, Role, Source, VectorPlan, Write};

/// The members of a set that a worker owns.
pub(crate) fn own_members(set: &VertexSet, cut: &Cut, own: usize, vertices: usize) -> Result<Vec<u32>> {
    let range = cut.range(own);
    set.with_ids(|ids| {
        if let Some(&vertex) = ids.iter().find(|&&v| v as usize >= vertices) {
            return Err(ErrorKind::VertexOutOfRange { vertex: i64::from(vertex), vertices }.into());
        }
        Ok(ids.iter().copied().filter(|v| range.contains(v)).collect())
    })?
}

/// The vectors of a plan as they are in this call, each once.
pub(crate) fn bound(plan: &Plan, call: &OperatorCall<'_>, env: &Environment) -> Result<Vec<(Vector, VectorPlan)>> {
    let captures = call.captures();
    let mut found: Vec<(Vector, VectorPlan)> = Vec::new();
    for (source, plan) in &plan.vectors {
        let value = match source {
            Source::Global(name) => env.global(name),
            Source::Capture(role, i) => {
                let values = match role {
                    Role::Apply => captures.apply,
                    Role::From => captures.from,
                    Role::To => captures.to,
                };
                values.get(*i).cloned()
            }
        };
        let Some(Value::Vector(vector)) = value else { continue };
        if vector.dims().len() != vector.storage().dims().len() {
            let message = "several workers cannot share a row of a vector that an operator is given; --workers 1 can";
            return Err(ErrorKind::Unsupported(message.to_string()).into());
        }
        let known = found.iter_mut().find(|(known, _)| known.id() == vector.id());
        let Some((_, known)) = known else {
            found.push((vector, *plan));
            continue;
        };
        if known.write != Write::Nothing && plan.write != Write::Nothing && known.write != plan.write {
            let message = "an operator writes the same vector under two names, in different ways";
            return Err(ErrorKind::Unsupported(message.to_string()).into());
        }
        let write = if known.write == Write::Nothing { plan.write } else { known.write };
        let (reads_far, reads_any) = (known.reads_far || plan.reads_far, known.reads_any || plan.reads_any);
        *known = VectorPlan { reads_far, reads_any, write };
    }
    Ok(found)
}
