//! Schedule binding: operators and loops get the schedule of their label path, and with it their direction,
//! parallelism, frontier forms and deduplication. Hybrid schedules are split here ([`super::hybrid`]).

use super::{PassContext, PassError, hybrid};
use crate::bound::BoundSchedule;
use crate::meta::{Dedup, Direction, EdgeMeta, Representation};
use crate::module::Module;
use crate::operator::{EdgeOutput, EdgeSetIterator, Operator, VertexFilter, VertexSetDedup};
use crate::points::{rewrite_block, stmt_points};
use crate::source::Name;
use crate::stmt::{Block, Stmt, StmtKind};
use gw_schedule::{
    DedupBy, DedupPlan, Family, FrontierCreation, FrontierForm, LoadBalance, Parallelism, PointKind, ProgramPoint,
    Schedule, SetForm, SimpleSchedule, Transform,
};

const PASS: &str = "binding";

/// Binds the schedule of every operator and loop.
pub fn binding(mut module: Module, context: &PassContext) -> Result<Module, PassError> {
    // Copies of functions come in at the end: the places of functions stand still while they are visited.
    let mut clones = Vec::new();
    for at in 0..module.functions.len() {
        let Some(body) = module.functions[at].body.take() else { continue };
        let body = rewrite_block(body, "", &mut |stmt, path| bind(&mut module, stmt, path, context, &mut clones))?;
        module.functions[at].body = Some(body);
    }
    // Start-up operators have no labels; they take the defaults of the machine.
    let startup = std::mem::take(&mut module.startup);
    module.startup = rewrite_block(startup, "", &mut |stmt, _| {
        let default = gw_schedule::ProgramSchedule::new();
        let context = PassContext { schedule: &default, ..*context };
        bind(&mut module, stmt, None, &context, &mut clones)
    })?;
    hybrid::insert_clones(&mut module, clones);
    Ok(module)
}

fn bind(
    module: &mut Module,
    mut stmt: Stmt,
    path: Option<&str>,
    context: &PassContext,
    clones: &mut Vec<hybrid::Clone>,
) -> Result<Block, PassError> {
    // Ordered processing was only made where the loop allowed it, so its schedule is judged as eager.
    for point in stmt_points(module, &stmt, true) {
        let schedule = match point.kind {
            PointKind::ParFor | PointKind::Intersection => continue,
            _ => {
                let binding = context.schedule.bind(path, &point);
                binding.map_err(|reasons| PassError::illegal(PASS, stmt.span, path, reasons))?.schedule
            }
        };
        if let StmtKind::While { meta, .. } = &mut stmt.kind {
            meta.path = path.map(Name::from);
            meta.schedule = (!schedule.is_default()).then(|| BoundSchedule::new(schedule.clone()));
            continue;
        }
        let form = set_form(&stmt, context);
        return match schedule {
            Schedule::Simple(simple) => Ok(simple_operator(stmt, path, &simple, &point, form, context.family)),
            many => hybrid::split(module, stmt, path, &many, context.schedule, clones, &mut |stmt, path, simple| {
                simple_operator(stmt, path, simple, &point, form, context.family)
            }),
        };
    }
    Ok(vec![stmt])
}

/// Binds a schedule to an operator over all edges that a pass made: on all cores, and lists of a GPU by their lengths.
pub(super) fn bind_made(module: &Module, stmt: Stmt, family: Family) -> Block {
    let schedule = match family {
        Family::Cpu => SimpleSchedule { parallelism: Some(Parallelism::Dynamic), ..SimpleSchedule::default() },
        Family::Gpu => SimpleSchedule { load_balance: Some(LoadBalance::Etwc), ..SimpleSchedule::default() },
        _ => SimpleSchedule::default(),
    };
    match stmt_points(module, &stmt, false).first() {
        Some(point) => simple_operator(stmt, None, &schedule, point, None, family),
        None => vec![stmt],
    }
}

/// The form that `setVertexSet` asks for the set this statement stores.
fn set_form(stmt: &Stmt, context: &PassContext) -> Option<SetForm> {
    let stored = match &stmt.kind {
        StmtKind::VarDecl { name, .. } => name,
        StmtKind::Assign { target, .. } => target.as_var()?,
        _ => return None,
    };
    context.schedule.transforms().iter().rev().find_map(|t| match t {
        Transform::SetVertexSet { name, form } if name.as_str() == &**stored => Some(*form),
        _ => None,
    })
}

/// Writes a simple schedule into the operator of a statement, and adds a deduplication pass behind it when needed.
fn simple_operator(
    mut stmt: Stmt,
    path: Option<&str>,
    schedule: &SimpleSchedule,
    point: &ProgramPoint,
    form: Option<SetForm>,
    family: Family,
) -> Block {
    let resolved = schedule.resolve(family, point);
    let bound = (!schedule.is_default()).then(|| BoundSchedule::new(*schedule));
    let mut dedup_pass = None;
    match stmt.operator_mut() {
        Some(Operator::VertexSetIterator(v)) => {
            v.meta.is_parallel = Some(!resolved.is_serial());
            v.meta.path = path.map(Name::from);
            v.meta.schedule = bound;
        }
        Some(Operator::VertexSetFilter(v)) => {
            v.meta.is_parallel = Some(!resolved.is_serial());
            v.meta.path = path.map(Name::from);
            v.meta.schedule = bound;
        }
        Some(op) => {
            let ordered = matches!(op, Operator::OrderedProcessing(_));
            if let Some(edges) = op.edges_mut() {
                let mut resolved = resolved;
                if schedule.creation.is_none() {
                    resolved.creation = match form {
                        Some(SetForm::Dense) => Some(FrontierCreation::UnfusedBoolmap),
                        Some(SetForm::Sparse) => Some(FrontierCreation::Fused),
                        None => resolved.creation,
                    };
                }
                // The rounds of an ordered loop run from a set that the operator itself dequeues.
                let from_set = ordered || matches!(edges.from, VertexFilter::Set(_));
                fill(edges, &resolved, schedule.dedup, from_set, family);
                edges.meta.path = path.map(Name::from);
                edges.meta.schedule = bound;
                dedup_pass = separate_pass(&edges.meta);
            }
        }
        None => {}
    }
    let stored = match &stmt.kind {
        StmtKind::VarDecl { name, ty, .. } => Some(crate::expr::Expr::var(name.clone(), ty.clone())),
        StmtKind::Assign { target, .. } if target.as_var().is_some() => Some(target.clone()),
        _ => None,
    };
    let span = stmt.span;
    let mut out = vec![stmt];
    if let (Some(perfect), Some(set)) = (dedup_pass, stored) {
        let dedup = Operator::VertexSetDedup(VertexSetDedup { set, perfect, extra: Default::default() });
        out.push(Stmt::eval(dedup.into_expr()).at(span));
    }
    out
}

/// Whether a pass over the output removes repeats, and whether it must find all.
fn separate_pass(meta: &EdgeMeta) -> Option<bool> {
    (meta.dedup != Dedup::None && !meta.dedup_inline).then_some(meta.dedup == Dedup::Perfect)
}

/// `asked` is the deduplication that the schedule itself names: repeats that the algorithm bears are not removed by
/// default.
fn fill(
    edges: &mut EdgeSetIterator,
    schedule: &SimpleSchedule,
    asked: Option<gw_schedule::Dedup>,
    from_set: bool,
    family: Family,
) {
    let meta = &mut edges.meta;
    let direction = match schedule.direction() {
        gw_schedule::Direction::Push => Direction::Push,
        gw_schedule::Direction::Pull => Direction::Pull,
        gw_schedule::Direction::DensePush => Direction::DensePush,
    };
    meta.direction = Some(direction);
    meta.is_parallel = Some(!schedule.is_serial());
    meta.is_edge_parallel = Some(schedule.is_edge_parallel());
    if from_set && direction != Direction::Push {
        meta.pull_input_frontier = Some(match schedule.pull_frontier() {
            FrontierForm::Boolmap => Representation::Boolmap,
            FrontierForm::Bitmap => Representation::Bitmap,
            FrontierForm::LevelMask => Representation::LevelMask,
        });
    }
    let unique = match &edges.output {
        EdgeOutput::None => return,
        EdgeOutput::Modified { duplicates, .. } | EdgeOutput::Accepted { duplicates } => !duplicates,
    };
    // A CPU pull or dense push writes a map, which holds each vertex once.
    let mapped = family == Family::Cpu && direction != Direction::Push && !schedule.creation().is_map();
    let creation = if mapped { FrontierCreation::UnfusedBoolmap } else { schedule.creation() };
    meta.output_representation = Some(match creation {
        FrontierCreation::Fused | FrontierCreation::SlidingQueue => Representation::Sparse,
        FrontierCreation::UnfusedBitmap => Representation::Bitmap,
        FrontierCreation::UnfusedBoolmap => Representation::Boolmap,
        FrontierCreation::LevelMask => Representation::LevelMask,
    });
    let plan = SimpleSchedule { creation: Some(creation), dedup: asked, ..*schedule }.dedup_plan(unique);
    (meta.dedup, meta.dedup_inline) = match plan {
        DedupPlan::None | DedupPlan::ByMap => (Dedup::None, false),
        DedupPlan::BestEffort(by) => (Dedup::BestEffort, by != DedupBy::Counters),
        DedupPlan::Exact(by) => (Dedup::Perfect, by != DedupBy::Counters),
    };
}
