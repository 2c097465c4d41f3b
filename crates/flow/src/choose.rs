//! The rules by which this machine takes a schedule when nobody gives one. All processes must choose alike, so that
//! they ask for nothing that a part of a graph knows otherwise than another.
//!
//! | place | choice |
//! |---|---|
//! | edge operator that workers can share only as a pull, or only as a push | that |
//! | edge operator from a set that changes nothing at destinations | push |
//! | search (`to` is given) of a flat graph | push |
//! | other edge operator from a set | push, and pull where much work lies ahead |
//! | edge operator over all edges that writes destinations | pull: owners write, and values go to those who read them |
//! | priority updates | lazy buckets; width from the mean weight where the whole graph is at hand |

use gw_exec::{
    Choice, GraphFacts, INTERSECTIONS_BY_LENGTH, LAZY_BUCKETS, PUSH_FLAT_SEARCHES, PUSH_SETS,
    PUSH_WHERE_DESTINATIONS_STAY, Reason, Rule, RuleTable, because_it_pulls, choose_by_rules, operator_at,
    push_in_chunks, push_or_pull, shared_out,
};
use gw_graph::Graph;
use gw_ir::meta;
use gw_ir::module::Module;
use gw_ir::operator::{EdgeSetIterator, Operator};
use gw_ir::points::program_points;
use gw_schedule::{Direction, Hybrid, Parallelism, Param, PriorityChange, Schedule, SimpleSchedule, Sources};

use crate::capability::capabilities;
use crate::obstacle::Obstacle;
use crate::plan::Plan;

/// Chooses a schedule for a module as lowered, before any pass. Returns the module with a label on every operator.
pub(crate) fn choose(module: Module, graph: &Graph) -> (Module, Choice) {
    let mut facts = GraphFacts::of(graph);
    if graph.share().is_some() {
        facts = GraphFacts { greatest_degree: 0, mean_weight: None, gini: None, ..facts };
    }
    let table = RuleTable { family: None, capabilities: capabilities(), rules: RULES };
    let (module, mut choice) = choose_by_rules(&table, module, &facts);
    turn(&module, &mut choice);
    (module, choice)
}

const RULES: &[Rule] = &[
    PUSH_WHERE_DESTINATIONS_STAY,
    PUSH_FLAT_SEARCHES,
    Rule {
        applies: |p| p.starts_from(Sources::Set),
        schedule: |_| push_or_pull(Hybrid::CPU_THRESHOLD).into(),
        because: |p| because_it_pulls(p, Hybrid::CPU_THRESHOLD),
    },
    PUSH_SETS,
    Rule {
        applies: |p| p.owns_destinations(),
        schedule: |_| shared_out(Direction::Pull, Parallelism::EdgeAware).into(),
        because: |_| "all edges: owners write their entries, and values go to those who read them".into(),
    },
    Rule {
        applies: |p| p.changes_priorities(PriorityChange::Min) && p.graph.mean_weight.is_some(),
        schedule: |p| {
            let width = (p.graph.mean_weight().round() as u64).max(1);
            SimpleSchedule { delta: Some(Param::Value(width)), ..push_in_chunks() }.into()
        },
        because: |p| {
            let weight = p.graph.mean_weight();
            format!("lazy buckets as wide as the mean weight {weight:.0}: few of them, since each is an exchange")
        },
    },
    LAZY_BUCKETS,
    INTERSECTIONS_BY_LENGTH,
];

/// Turns operators into the direction that workers can share, where they can share one of the two only.
fn turn(module: &Module, choice: &mut Choice) {
    for place in &program_points(module) {
        let (Some(path), Some(operator)) = (place.path.as_deref(), operator_at(module, place)) else { continue };
        let wanted = choice.schedule.get(path).map_or_else(|| vec![Direction::Push], directions);
        let obstacle = |direction: &Direction| plan_of(module, operator, *direction).err();
        let Some(obstacle) = wanted.iter().find_map(obstacle) else { continue };
        for direction in [Direction::Pull, Direction::Push] {
            let schedule = Schedule::from(shared_out(direction, Parallelism::Dynamic));
            let runs = plan_of(module, operator, direction).is_ok() && schedule.legal(&place.point).is_ok();
            if runs && choice.schedule.set(path, schedule.clone()).is_ok() {
                choice.reasons.retain(|reason| reason.path != path);
                choice.reasons.push(Reason {
                    path: path.to_string(),
                    line: place.span.line,
                    what: place.point.kind.phrase(),
                    schedule: schedule.to_string(),
                    because: format!("workers cannot share it the other way: {}", obstacle.words(place.span)),
                });
                break;
            }
        }
    }
}

fn directions(schedule: &Schedule) -> Vec<Direction> {
    schedule.parts().iter().map(|part| part.direction.unwrap_or(Direction::Push)).collect()
}

/// The plan of an edge operator in a direction, or what is in the way of several workers there.
fn plan_of(module: &Module, operator: &EdgeSetIterator, direction: Direction) -> Result<Plan, Obstacle> {
    let direction = match direction {
        Direction::Pull => meta::Direction::Pull,
        _ => meta::Direction::Push,
    };
    let mut operator = operator.clone();
    operator.meta.direction = Some(direction);
    Plan::of(module, &Operator::EdgeSetIterator(operator))
}
