//! Hybrid splitting: an operator with a hybrid or adaptive schedule becomes a `HybridStmt` with one variant per part,
//! each with its own copy of the edge function (`f`, `f_v2`, ...) and its own path (`path:hybrid1`, ...).

use super::PassError;
use crate::bound::BoundSchedule;
use crate::expr::Expr;
use crate::module::Module;
use crate::operator::VertexFilter;
use crate::source::Name;
use crate::stmt::{Block, Decision, HybridStmt, Stmt, StmtKind};
use gw_schedule::{Adaptive, Chooser, ProgramSchedule, Schedule, SimpleSchedule};

/// A function to be added: a copy of the first under the name of the second.
pub(super) struct Clone {
    original: Name,
    copy: Name,
}

/// Writes one simple schedule into one variant.
type BindVariant<'a> = dyn FnMut(Stmt, Option<&str>, &SimpleSchedule) -> Block + 'a;

/// Splits the operator of a statement into one variant per part of the schedule. Choosers find their trees in `trees`.
pub(super) fn split(
    module: &Module,
    stmt: Stmt,
    path: Option<&str>,
    schedule: &Schedule,
    trees: &ProgramSchedule,
    clones: &mut Vec<Clone>,
    bind: &mut BindVariant,
) -> Result<Block, PassError> {
    let mut out = Block::new();
    let Stmt { label, span, kind } = stmt;
    // A declaration moves in front, so that every variant can assign.
    let action = match kind {
        StmtKind::VarDecl { name, ty, init: Some(value) } => {
            out.push(Stmt::new(StmtKind::VarDecl { name: name.clone(), ty: ty.clone(), init: None }).at(span));
            Stmt::assign(Expr::var(name, ty), value)
        }
        other => Stmt::new(other),
    }
    .at(span);
    let Some(edges) = action.operator().and_then(|op| op.edges()) else { return Ok(vec![action.labelled(label)]) };
    let frontier = match &edges.from {
        VertexFilter::Set(set) => Some(set.clone()),
        _ => None,
    };
    let graph = edges.graph.clone();
    let function = edges.apply.name.clone();
    let decision = match schedule {
        Schedule::Hybrid(h) => Decision::Threshold { criterion: h.criterion, threshold: h.threshold },
        other => {
            let tree = match other {
                Schedule::Adaptive(Adaptive { chooser: Chooser::Tree(name) | Chooser::Oracle(name), .. }) => {
                    trees.tree(name).cloned()
                }
                _ => None,
            };
            Decision::Chooser { schedule: BoundSchedule::new(other.clone()), tree }
        }
    };
    let mut variants = Vec::new();
    for (i, part) in schedule.parts().into_iter().enumerate() {
        let mut variant = action.clone();
        if i > 0 && module.function(&function).is_some_and(|f| f.body.is_some()) {
            let copy = fresh_copy(module, clones, &format!("{function}_v{}", i + 1));
            clones.push(Clone { original: function.clone(), copy: copy.clone() });
            if let Some(edges) = variant.operator_mut().and_then(|op| op.edges_mut()) {
                edges.apply.name = copy;
            }
        }
        let path = path.map(|p| format!("{p}:hybrid{}", i + 1));
        variants.push(bind(variant, path.as_deref(), part));
    }
    let hybrid = HybridStmt { decision, frontier, graph, variants, extra: Default::default() };
    out.push(Stmt { label, span, kind: StmtKind::Hybrid(hybrid) });
    Ok(out)
}

fn fresh_copy(module: &Module, clones: &[Clone], base: &str) -> Name {
    let mut name = module.fresh_name(base);
    while clones.iter().any(|c| c.copy == name) {
        name = module.fresh_name(&format!("{name}_"));
    }
    name
}

/// Adds the copies behind their originals.
pub(super) fn insert_clones(module: &mut Module, clones: Vec<Clone>) {
    for Clone { original, copy } in clones.into_iter().rev() {
        if let Some(at) = module.functions.iter().position(|f| f.name == original) {
            let mut function = module.functions[at].clone();
            function.name = copy;
            module.functions.insert(at + 1, function);
        }
    }
}
