//! The schedule that this machine takes when nobody gives one: a rule per place, from the program and from cheap facts about
//! the graph. Every choice comes with its reason.
//!
//! | place | choice |
//! |---|---|
//! | loop that can run on the device | one kernel for the whole loop |
//! | edge operator from a set | push; pull where much work lies ahead and the mean degree is not tiny |
//! | edge operator over all edges that writes destinations | pull |
//! | other edge operators | push |
//! | priority updates | lazy buckets; width from mean weight and mean degree |
//! | balance | edges split over block, warp and thread; a few lanes or one per vertex where degrees are tiny |

use gw_exec::{Choice, Reason, label_operators};
use gw_graph::{Graph, Weights};
use gw_ir::expr::ExprKind;
use gw_ir::module::Module;
use gw_ir::operator::{EdgeSetIterator, Operator, VertexFilter};
use gw_ir::points::{self, Point};
use gw_ir::stmt::StmtKind;
use gw_ir::walk;
use gw_schedule::{
    Criterion, Direction, Family, Fraction, FrontierCreation, FrontierForm, Hybrid, Intersection, Lanes, LoadBalance,
    LoopForm, Param, PointKind, PriorityChange, ProgramPoint, Schedule, SimpleSchedule, Sources,
};

use crate::capability::capabilities;

/// Below this mean degree frontiers of a search stay small, and lists are too short to be shared out.
const FLAT_DEGREE: f64 = 5.0;
/// The share of the edges ahead from which on an operator pulls.
const PULL_SHARE: Fraction = Fraction::ratio(1, 20);

/// What the rule knows about a graph.
struct Facts {
    mean_degree: f64,
    mean_weight: f64,
}

impl Facts {
    fn of(graph: &Graph) -> Facts {
        const SAMPLE: usize = 1 << 12;
        let stride = (graph.edges() / SAMPLE).max(1);
        let mean = |sum: f64| sum / graph.edges().div_ceil(stride).max(1) as f64;
        let mean_weight = match graph.out().weights() {
            Weights::None => 1.0,
            Weights::Int(w) => mean(w.iter().step_by(stride).map(|&w| f64::from(w)).sum()),
            Weights::Float(w) => mean(w.iter().step_by(stride).map(|&w| f64::from(w)).sum()),
        };
        Facts { mean_degree: graph.edges() as f64 / graph.vertices().max(1) as f64, mean_weight }
    }
}

/// Whether lists are so short that steps of a search stay small.
pub(crate) fn is_flat(graph: &Graph) -> bool {
    (graph.edges() as f64) < FLAT_DEGREE * graph.vertices().max(1) as f64
}

/// Chooses a schedule for a module as lowered, before any pass. Returns the module with a label on every operator.
pub(crate) fn choose(mut module: Module, graph: &Graph) -> (Module, Choice) {
    label_operators(&mut module);
    let facts = Facts::of(graph);
    let places = points::program_points(&module);
    let mut choice = Choice::default();
    choice.schedule.set_family(Some(Family::Gpu));
    for place in &places {
        let Some(path) = place.path.as_deref() else { continue };
        if choice.schedule.get(path).is_some() {
            continue;
        }
        let Some((schedule, because)) = rule(&module, place, &facts) else { continue };
        let legal = places.iter().filter(|p| p.path == place.path).all(|p| schedule.legal(&p.point).is_ok());
        if schedule.is_default() || !legal || !capabilities().unsupported(&schedule).is_empty() {
            continue;
        }
        let reason = Reason {
            path: path.to_string(),
            line: place.span.line,
            what: place.point.kind.phrase(),
            schedule: schedule.to_string(),
            because,
        };
        if choice.schedule.set(path, schedule).is_ok() {
            choice.reasons.push(reason);
        }
    }
    (module, choice)
}

fn rule(module: &Module, place: &Point, facts: &Facts) -> Option<(Schedule, String)> {
    match place.point.kind {
        PointKind::EdgeOperator => Some(edge_rule(&place.point, operator_at(module, place)?, module, facts)),
        PointKind::PriorityOperator => Some(priority_rule(&place.point, facts)),
        PointKind::WhileLoop => {
            if place.point.body_obstacle.is_some() || !crate::codegen::can_fuse(module, place) {
                return None;
            }
            let schedule = SimpleSchedule { loop_form: Some(LoopForm::Fused), ..SimpleSchedule::default() };
            Some((schedule.into(), "the whole loop is one kernel: no launch and no wait per step".to_string()))
        }
        PointKind::Intersection => {
            let schedule = SimpleSchedule { intersection: Some(Intersection::Combined), ..SimpleSchedule::default() };
            Some((schedule.into(), "merge lists of similar length, search the longer one otherwise".to_string()))
        }
        _ => None,
    }
}

fn push(facts: &Facts) -> SimpleSchedule {
    let load_balance = match Lanes::new(4) {
        Some(lanes) if facts.mean_degree < FLAT_DEGREE => LoadBalance::virtual_warp(lanes),
        _ => LoadBalance::Etwc,
    };
    SimpleSchedule { load_balance: Some(load_balance), ..SimpleSchedule::with_direction(Direction::Push) }
}

fn edge_rule(point: &ProgramPoint, op: &EdgeSetIterator, module: &Module, facts: &Facts) -> (Schedule, String) {
    let degree = facts.mean_degree;
    let push = push(facts);
    match point.from {
        Sources::Set if degree < FLAT_DEGREE && point.has_to => {
            (push.into(), format!("mean degree {degree:.1}: frontiers of a search stay small, so it always pushes"))
        }
        Sources::Set => {
            // A pull that stops at its first find reads an edge or two per vertex; others read whole lists.
            let balance = if stops_early(module, op) { LoadBalance::VertexBased } else { LoadBalance::Etwc };
            let mut pull = SimpleSchedule {
                load_balance: Some(balance),
                frontier: Some(FrontierForm::Bitmap),
                ..SimpleSchedule::with_direction(Direction::Pull)
            };
            if point.requires_output {
                pull.creation = Some(FrontierCreation::UnfusedBitmap);
            }
            let hybrid = Schedule::from(Hybrid {
                criterion: Criterion::InputWork,
                threshold: Param::Value(PULL_SHARE),
                first: push,
                second: pull,
            });
            match hybrid.legal(point) {
                Ok(()) => (
                    hybrid,
                    format!("mean degree {degree:.1}: pulls while more than a twentieth of the edges lies ahead"),
                ),
                Err(_) => (push.into(), "pulling is not possible here".to_string()),
            }
        }
        Sources::All if writes_destination(module, op) => {
            let balance = if degree < FLAT_DEGREE { LoadBalance::VertexBased } else { LoadBalance::Etwc };
            let pull =
                SimpleSchedule { load_balance: Some(balance), ..SimpleSchedule::with_direction(Direction::Pull) };
            (pull.into(), "all edges: sums of a destination are gathered before they are stored".to_string())
        }
        Sources::All => (push.into(), "its writes are not owned by destinations".to_string()),
        Sources::Filter => (push.into(), "sources are tested, a lane each; what they have is shared out".to_string()),
    }
}

fn priority_rule(point: &ProgramPoint, facts: &Facts) -> (Schedule, String) {
    let push = push(facts);
    if point.priority_change != Some(PriorityChange::Min) {
        return (push.into(), "lazy buckets".to_string());
    }
    // Wide buckets waste work, narrow ones leave the device idle: about a frontier's worth of edges per bucket.
    let width = (facts.mean_weight * if facts.mean_degree < FLAT_DEGREE { 32.0 } else { 0.35 }).round().max(1.0);
    let schedule = SimpleSchedule { delta: Some(Param::Value(width as u64)), ..push };
    let because =
        format!("mean weight {:.0}, mean degree {:.1}: bucket width from both", facts.mean_weight, facts.mean_degree);
    (schedule.into(), because)
}

/// Whether a visit of an edge can make its destination not want more.
fn stops_early(module: &Module, op: &EdgeSetIterator) -> bool {
    let VertexFilter::Function(to) = &op.to else { return false };
    let effects = |name: &gw_ir::source::Name| {
        let body = module.function(name).and_then(|f| f.body.as_ref());
        body.map(|body| gw_ir::analysis::effects::Effects::of(module, body)).unwrap_or_default()
    };
    let (reads, writes) = (effects(&to.name).reads, effects(&op.apply.name).writes);
    reads.intersection(&writes).any(|name| module.global(name).is_some())
}

/// Whether an edge function writes entries of its destination only.
fn writes_destination(module: &Module, op: &EdgeSetIterator) -> bool {
    let Some(function) = module.function(&op.apply.name) else { return false };
    let Some(destination) = function.params.get(1) else { return false };
    let body = function.body.as_deref().unwrap_or_default();
    let mut only = true;
    let mut look = |target: &gw_ir::expr::Expr| {
        if let ExprKind::Element { index, .. } = &target.kind {
            only &= index.as_var() == Some(&destination.name);
        }
    };
    walk::walk_stmts(body, &mut |stmt| {
        if let StmtKind::Assign { target, .. } = &stmt.kind {
            look(target);
        }
    });
    walk::walk_block_exprs(body, &mut |e| {
        if let ExprKind::Reduce { target, .. } | ExprKind::CompareAndSwap { target, .. } = &e.kind {
            look(target);
        }
    });
    let mut calls = false;
    walk::walk_block_exprs(body, &mut |e| calls |= matches!(e.kind, ExprKind::Call { .. }));
    only && !calls
}

/// The edge operator of the statement at a place.
fn operator_at<'m>(module: &'m Module, place: &Point) -> Option<&'m EdgeSetIterator> {
    let label = place.path.as_deref()?.rsplit(':').next();
    walk::bodies(module).find_map(|body| {
        let mut found = None;
        walk::walk_stmts(body, &mut |stmt| {
            let here = (stmt.span.start, stmt.span.end) == (place.span.start, place.span.end);
            if here && stmt.label.as_deref() == label && found.is_none() {
                found = stmt.operator().and_then(Operator::edges);
            }
        });
        found
    })
}
