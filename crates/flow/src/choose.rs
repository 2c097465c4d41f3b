//! The rules by which this machine takes a schedule when nobody gives one. All processes must choose alike, so that
//! they ask for nothing that a part of a graph knows otherwise than another.
//!
//! | place | choice |
//! |---|---|
//! | edge operator that several workers can only pull, or only push | that |
//! | edge operator from a set that changes nothing at destinations | push |
//! | search (`to` is given) at mean degrees below 4 | push |
//! | other edge operator from a set | push, and pull where much work lies ahead |
//! | edge operator over all edges that writes destinations | pull: owners write, and values go to those who read them |
//! | priority updates | lazy buckets; width from the mean weight where the whole graph is at hand |

use gw_exec::{
    Choice, ChoicePoint, GraphFacts, INTERSECTIONS_BY_LENGTH, Reason, Rule, RuleTable, choose_by_rules, operator_at,
};
use gw_graph::Graph;
use gw_ir::meta;
use gw_ir::module::Module;
use gw_ir::operator::{EdgeSetIterator, Operator};
use gw_ir::points::program_points;
use gw_schedule::{
    Direction, FrontierForm, Hybrid, Parallelism, Param, PointKind, PriorityChange, Schedule, SimpleSchedule, Sources,
};

use crate::capability::capabilities;
use crate::plan::Plan;

/// Below this mean degree frontiers of a search stay small.
const FLAT_DEGREE: f64 = 4.0;

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
    Rule {
        applies: |p| p.starts_from(Sources::Set) && !p.point.has_to && !changes_destination(p),
        schedule: |_| push().into(),
        because: |_| "nothing is written at destinations: pushing visits the edges of the set only".into(),
    },
    Rule {
        applies: |p| p.starts_from(Sources::Set) && p.point.has_to && p.graph.mean_degree() < FLAT_DEGREE,
        schedule: |_| push().into(),
        because: |p| {
            let degree = p.graph.mean_degree();
            format!("mean degree {degree:.1}: frontiers of a search stay small, so it always pushes")
        },
    },
    Rule {
        applies: |p| p.starts_from(Sources::Set),
        schedule: |_| {
            let bitmap = Some(FrontierForm::Bitmap);
            let second = SimpleSchedule { frontier: bitmap, ..parallel(Direction::Pull, Parallelism::Dynamic) };
            Hybrid { first: push(), second, ..Hybrid::push_pull() }.into()
        },
        because: |p| {
            let degree = p.graph.mean_degree();
            format!("mean degree {degree:.1}: pulls while a twentieth of the edges and more lies ahead")
        },
    },
    Rule {
        applies: |p| p.starts_from(Sources::Set),
        schedule: |_| push().into(),
        because: |_| "pulling is not possible here".into(),
    },
    Rule {
        applies: |p| p.owns_destinations(),
        schedule: |_| parallel(Direction::Pull, Parallelism::EdgeAware).into(),
        because: |_| "all edges: owners write their entries, and values go to those who read them".into(),
    },
    Rule {
        applies: |p| p.changes_priorities(PriorityChange::Min) && p.graph.mean_weight.is_some(),
        schedule: |p| {
            let width = (p.graph.mean_weight().round() as u64).max(1);
            SimpleSchedule { delta: Some(Param::Value(width)), ..push() }.into()
        },
        because: |p| {
            let weight = p.graph.mean_weight();
            format!("lazy buckets as wide as the mean weight {weight:.0}: few of them, since each is an exchange")
        },
    },
    Rule {
        applies: |p| p.point.kind == PointKind::PriorityOperator,
        schedule: |_| push().into(),
        because: |_| "lazy buckets".into(),
    },
    INTERSECTIONS_BY_LENGTH,
];

fn push() -> SimpleSchedule {
    parallel(Direction::Push, Parallelism::Dynamic)
}

fn parallel(direction: Direction, parallelism: Parallelism) -> SimpleSchedule {
    SimpleSchedule { parallelism: Some(parallelism), ..SimpleSchedule::with_direction(direction) }
}

fn changes_destination(place: &ChoicePoint<'_>) -> bool {
    place.edges.is_some_and(|edges| edges.changes_destination)
}

/// Turns operators into the direction that several workers can run, where they can run one of the two only.
fn turn(module: &Module, choice: &mut Choice) {
    for place in &program_points(module) {
        let (Some(path), Some(operator)) = (place.path.as_deref(), operator_at(module, place)) else { continue };
        let wanted = choice.schedule.get(path).map_or_else(|| vec![Direction::Push], directions);
        let refusal = |direction: &Direction| plan_of(module, operator, *direction).err();
        let Some(reason) = wanted.iter().find_map(refusal) else { continue };
        for direction in [Direction::Pull, Direction::Push] {
            let schedule = Schedule::from(parallel(direction, Parallelism::Dynamic));
            let runs = plan_of(module, operator, direction).is_ok() && schedule.legal(&place.point).is_ok();
            if runs && choice.schedule.set(path, schedule.clone()).is_ok() {
                choice.reasons.retain(|reason| reason.path != path);
                choice.reasons.push(Reason {
                    path: path.to_string(),
                    line: place.span.line,
                    what: place.point.kind.phrase(),
                    schedule: schedule.to_string(),
                    because: format!("several workers cannot do it the other way: {reason}"),
                });
                break;
            }
        }
    }
}

fn directions(schedule: &Schedule) -> Vec<Direction> {
    schedule.parts().iter().map(|part| part.direction.unwrap_or(Direction::Push)).collect()
}

/// The plan of an edge operator in a direction, or why several workers cannot go there.
pub(crate) fn plan_of(module: &Module, operator: &EdgeSetIterator, direction: Direction) -> Result<Plan, String> {
    let direction = match direction {
        Direction::Pull => meta::Direction::Pull,
        _ => meta::Direction::Push,
    };
    let mut operator = operator.clone();
    operator.meta.direction = Some(direction);
    Plan::of(module, &Operator::EdgeSetIterator(operator))
}
