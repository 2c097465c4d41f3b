//! The operators of a module with their plans, made once before the first run.

use std::sync::Arc;

use gw_exec::{ErrorKind, Result, Sites};
use gw_ir::analysis::closure::closing_operators;
use gw_ir::module::Module;
use gw_ir::operator::Operator;
use gw_ir::source::{Name, Span};
use gw_ir::types::Type;

use crate::obstacle::Obstacle;
use crate::plan::Plan;
use crate::shares;

/// Why lists of other vertices cannot be looked at in a part of a graph.
const ELSEWHERE: &str = "they may be in the part of another process";

/// What is said when there is nothing to drain.
const NOTHING_TO_DRAIN: &str = "no loop of this program can be drained: a `while` directly in a function that ends when its \
                                frontier is empty, with a push by `min=` or `max=` of one vector and nothing else; \
                                --sync step runs it";

/// An operator and its plan.
pub(crate) struct Prepared {
    pub(crate) plan: Plan,
    pub(crate) span: Span,
    /// The element of the set of a vertex operator.
    pub(crate) element: Option<Name>,
    /// The operator returns a set.
    pub(crate) yields: bool,
    /// A worker follows what it reaches before it tells the others.
    pub(crate) drains: bool,
}

/// What needs more of a graph than the part of a process, and where it stands.
type NeedsWhole = (Obstacle, Span);

/// The operators of a module, and what needs more of a graph than the part of a process, with the place of the operator
/// that needs it. A worker that is `alone` runs what workers cannot share; one that `drains` follows what it reaches.
pub(crate) fn prepare(module: &Arc<Module>, alone: bool, drains: bool) -> Result<(Vec<Prepared>, Option<NeedsWhole>)> {
    let mut operators = Vec::new();
    let closing = if drains { closing_operators(module) } else { Vec::new() };
    let looks = shares::looks_around(module);
    let mut needs_whole = looks.map(|(does, span)| (Obstacle::new(does, ELSEWHERE, span), span));
    for (site, operator) in Sites::of(module).operators {
        let plan = match Plan::of(module, operator) {
            Ok(plan) => plan,
            Err(_) if alone => Plan::default(),
            Err(obstacle) if obstacle.is_for_one() => {
                needs_whole.get_or_insert((obstacle, site.span));
                Plan::for_one(module, operator)
            }
            Err(obstacle) => return Err(obstacle.error(site.span)),
        };
        if let Some(span) = plan.lists_elsewhere {
            let obstacle = Obstacle::new("reads the neighbours of another vertex", ELSEWHERE, span);
            needs_whole.get_or_insert((obstacle, site.span));
        }
        let set = match operator {
            Operator::VertexSetIterator(op) => Some(&op.set),
            Operator::VertexSetFilter(op) => Some(&op.set),
            _ => None,
        };
        let element = set.and_then(|set| match &set.ty {
            Type::VertexSet(element) => Some(element.clone()),
            _ => None,
        });
        let yields = operator.result_type() != Type::Void;
        let drains = plan.can_be_settled() && closing.iter().any(|closing| std::ptr::eq(*closing, operator));
        operators.push(Prepared { plan, span: site.span, element, yields, drains });
    }
    if drains && !operators.iter().any(|op| op.drains) {
        return Err(ErrorKind::Unsupported(NOTHING_TO_DRAIN.to_string()).into());
    }
    Ok((operators, needs_whole))
}
