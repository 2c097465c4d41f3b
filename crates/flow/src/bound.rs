//! What a plan is about in one call: the vectors that stand behind its names.

use gw_exec::{Environment, ErrorKind, OperatorCall, Result, Value, Vector};

use crate::plan::{Plan, Role, Source, VectorPlan, Write};

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
        // What is written under another name is not among the modified entries.
        let is_noted = |plan: &VectorPlan| plan.tracked || plan.write == Write::Nothing;
        let tracked = is_noted(known) && is_noted(plan);
        *known = VectorPlan { reads_far, reads_any, write, tracked };
    }
    Ok(found)
}
