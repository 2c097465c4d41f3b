//! The choosing loop: a machine's table of rules gives every place of a program a schedule.
//!
//! A machine keeps only its table, an array of [`Rule`]s. The loop labels the operators, finds out what is known
//! about each place, takes the first rule that applies and whose schedule is legal there, and leaves a place to the
//! defaults of the machine where the schedule is not legal at every place of the same label or beyond the machine's
//! capabilities.

use gw_graph::Graph;
use gw_ir::analysis::operator::EdgeFacts;
use gw_ir::module::Module;
use gw_ir::operator::{EdgeSetIterator, Operator};
use gw_ir::points::{self, Point};
use gw_ir::walk;
use gw_schedule::{
    Capabilities, Direction, Family, Fraction, FrontierForm, Hybrid, Intersection, Parallelism, Param, PointKind,
    PriorityChange, ProgramPoint, Schedule, SimpleSchedule, Sources,
};

use crate::choice::{Choice, Reason, label_operators};

/// What rules know about a graph. Cheap to find out, whatever the size of the graph.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphFacts {
    /// Vertices.
    pub vertices: usize,
    /// Stored edges.
    pub edges: usize,
    /// The greatest out-degree.
    pub greatest_degree: usize,
    /// Every edge is stored in both directions.
    pub symmetric: bool,
    /// Mean weight of a sample; `None` without weights, 0 without edges.
    pub mean_weight: Option<f64>,
    /// Gini coefficient of the out-degrees; `None` where nobody looked at all degrees.
    pub gini: Option<f64>,
}

impl GraphFacts {
    /// The facts about a graph.
    pub fn of(graph: &Graph) -> GraphFacts {
        const SAMPLE: usize = 1 << 12;
        let stride = (graph.edges() / SAMPLE).max(1);
        let mean = |sum: f64| Some(sum / graph.edges().div_ceil(stride).max(1) as f64);
        let sampled = || (0..graph.edges()).step_by(stride).filter_map(|edge| graph.out().weight_of(edge));
        let mean_weight = if graph.is_weighted() { mean(sampled().sum()) } else { None };
        GraphFacts {
            vertices: graph.vertices(),
            edges: graph.edges(),
            greatest_degree: graph.greatest_out_degree(),
            symmetric: graph.is_symmetric(),
            mean_weight,
            gini: None,
        }
    }

    /// Edges per vertex.
    pub fn mean_degree(&self) -> f64 {
        self.edges as f64 / self.vertices.max(1) as f64
    }

    /// The mean weight; 1 where there are no weights or no edges.
    pub fn mean_weight(&self) -> f64 {
        self.mean_weight.filter(|_| self.edges > 0).unwrap_or(1.0)
    }
}

/// A place that takes a schedule, as rules see it.
pub struct ChoicePoint<'a> {
    /// What stands there.
    pub point: &'a ProgramPoint,
    /// The graph of the run.
    pub graph: &'a GraphFacts,
    /// What the edge operator does that stands there.
    pub edges: Option<&'a EdgeFacts>,
}

impl ChoicePoint<'_> {
    /// An edge operator that starts from these vertices.
    pub fn starts_from(&self, sources: Sources) -> bool {
        self.point.kind == PointKind::EdgeOperator && self.edges.is_some() && self.point.from == sources
    }

    /// A search: an edge operator from a set with a filter on destinations. Without such a filter a set may begin with
    /// all vertices.
    pub fn is_search(&self) -> bool {
        self.starts_from(Sources::Set) && self.point.has_to
    }

    /// An operator over all edges that writes destinations only.
    pub fn owns_destinations(&self) -> bool {
        self.starts_from(Sources::All) && self.edges.is_some_and(|edges| edges.writes_destination_only)
    }

    /// An edge operator that may write an entry of its destination, or add it to a set.
    pub fn changes_destination(&self) -> bool {
        self.edges.is_some_and(|edges| edges.changes_destination)
    }

    /// An operator that changes priorities in this way.
    pub fn changes_priorities(&self, change: PriorityChange) -> bool {
        self.point.kind == PointKind::PriorityOperator && self.point.priority_change == Some(change)
    }
}

/// The rule of every machine for intersections of lists.
pub const INTERSECTIONS_BY_LENGTH: Rule = Rule {
    applies: |p| p.point.kind == PointKind::Intersection,
    schedule: |_| SimpleSchedule { intersection: Some(Intersection::Combined), ..SimpleSchedule::default() }.into(),
    because: |_| "merge lists of similar length, search the longer one otherwise".into(),
};

/// The rule for operators that change nothing at destinations: a pull would look at all edges for what it does not own.
/// The schedule is that of machines with cores, here and below; other machines put their own in its place.
pub const PUSH_WHERE_DESTINATIONS_STAY: Rule = Rule {
    applies: |p| p.starts_from(Sources::Set) && !p.point.has_to && !p.changes_destination(),
    schedule: |_| push_in_chunks().into(),
    because: |_| "nothing is written at destinations: pushing visits the edges of the set only".into(),
};

/// The rule for searches of flat graphs.
pub const PUSH_FLAT_SEARCHES: Rule = Rule {
    applies: |p| p.is_search() && p.graph.mean_degree() < FLAT_DEGREE,
    schedule: |_| push_in_chunks().into(),
    because: |p| {
        let degree = p.graph.mean_degree();
        format!("mean degree {degree:.1}: frontiers of a search stay small, so it always pushes")
    },
};

/// The rule for sets of vertices where a push is all that is legal.
pub const PUSH_SETS: Rule = Rule {
    applies: |p| p.starts_from(Sources::Set),
    schedule: |_| push_in_chunks().into(),
    because: |_| "pulling is not possible here".into(),
};

/// The rule for operators over all edges that do not own what they write.
pub const PUSH_ALL_EDGES: Rule = Rule {
    applies: |p| p.starts_from(Sources::All),
    schedule: |_| push_in_chunks().into(),
    because: |_| "its writes are not owned by destinations".into(),
};

/// The rule for priorities that no other rule is for.
pub const LAZY_BUCKETS: Rule = Rule {
    applies: |p| p.point.kind == PointKind::PriorityOperator,
    schedule: |_| push_in_chunks().into(),
    because: |_| "lazy buckets".into(),
};

/// Below this mean degree frontiers of a search stay small. Not measured.
const FLAT_DEGREE: f64 = 4.0;

/// A direction whose work is shared out among cores in this way.
pub fn shared_out(direction: Direction, parallelism: Parallelism) -> SimpleSchedule {
    SimpleSchedule { parallelism: Some(parallelism), ..SimpleSchedule::with_direction(direction) }
}

/// A push whose vertices are shared out in chunks while it goes on.
pub fn push_in_chunks() -> SimpleSchedule {
    shared_out(Direction::Push, Parallelism::Dynamic)
}

/// The schedule of machines with cores for sets: a push in chunks, and a pull over a bitmap where more than this share
/// of the edges lies ahead.
pub fn push_or_pull(share: Fraction) -> Hybrid {
    let second =
        SimpleSchedule { frontier: Some(FrontierForm::Bitmap), ..shared_out(Direction::Pull, Parallelism::Dynamic) };
    Hybrid { threshold: Param::Value(share), first: push_in_chunks(), second, ..Hybrid::push_pull() }
}

/// The reason for a change of direction where at least this share of the edges lies ahead.
pub fn because_it_pulls(place: &ChoicePoint<'_>, share: Fraction) -> String {
    let (degree, percent) = (place.graph.mean_degree(), 100.0 * share.get());
    format!("mean degree {degree:.1}: pulls while more than {percent} % of the edges lie ahead")
}

/// The reason for a bucket width that follows from both.
pub fn because_of_weight_and_degree(place: &ChoicePoint<'_>) -> String {
    let (weight, degree) = (place.graph.mean_weight(), place.graph.mean_degree());
    format!("mean weight {weight:.0}, mean degree {degree:.1}: bucket width from both")
}

/// One line of a machine's table.
pub struct Rule {
    /// The places that the rule is for.
    pub applies: fn(&ChoicePoint<'_>) -> bool,
    /// The schedule for such a place.
    pub schedule: fn(&ChoicePoint<'_>) -> Schedule,
    /// Why, in words for the user.
    pub because: fn(&ChoicePoint<'_>) -> String,
}

/// What a machine chooses by.
pub struct RuleTable<'r> {
    /// The family of the schedules; `None` leaves it to the machine.
    pub family: Option<Family>,
    /// What the machine can execute.
    pub capabilities: Capabilities,
    /// The rules; the first that applies and is legal wins.
    pub rules: &'r [Rule],
}

/// Chooses a schedule for a module as lowered, before any pass. Returns the module with a label on every operator.
pub fn choose_by_rules(table: &RuleTable<'_>, mut module: Module, graph: &GraphFacts) -> (Module, Choice) {
    label_operators(&mut module);
    let places = points::program_points(&module);
    let mut choice = Choice::default();
    choice.schedule.set_family(table.family);
    for place in &places {
        let Some(path) = place.path.as_deref() else { continue };
        // Functions may use a label again: the first place decides for all of them.
        if choice.schedule.get(path).is_some() {
            continue;
        }
        let edges = operator_at(&module, place).map(|op| EdgeFacts::of(&module, op));
        let point = ChoicePoint { point: &place.point, graph, edges: edges.as_ref() };
        let Some((schedule, rule)) = table.rules.iter().find_map(|rule| {
            let schedule = (rule.applies)(&point).then(|| (rule.schedule)(&point))?;
            schedule.legal(&place.point).is_ok().then_some((schedule, rule))
        }) else {
            continue;
        };
        // What a place of this path or this machine forbids leaves the path to the defaults.
        let legal = places.iter().filter(|p| p.path == place.path).all(|p| schedule.legal(&p.point).is_ok());
        if schedule.is_default() || !legal || !table.capabilities.unsupported(&schedule).is_empty() {
            continue;
        }
        let reason = Reason {
            path: path.to_string(),
            line: place.span.line,
            what: place.point.kind.phrase(),
            schedule: schedule.to_string(),
            because: (rule.because)(&point),
        };
        if choice.schedule.set(path, schedule).is_ok() {
            choice.reasons.push(reason);
        }
    }
    (module, choice)
}

/// The edge operator of the statement at a place; `None` where something else stands there.
pub fn operator_at<'m>(module: &'m Module, place: &Point) -> Option<&'m EdgeSetIterator> {
    let label = place.path.as_deref()?.rsplit(':').next();
    walk::bodies(module).find_map(|body| {
        let mut found = None;
        walk::walk_stmts(body, &mut |stmt| {
            // Spans are all equal to `==`.
            let here = (stmt.span.start, stmt.span.end) == (place.span.start, place.span.end);
            if here && stmt.label.as_deref() == label && found.is_none() {
                found = stmt.operator().and_then(Operator::edges);
            }
        });
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "\
element Node;
element Link;
global links : edgeset{Link}(Node, Node) = EdgeSetLoad(edgeset{Link}(Node, Node), \"kron:4\");
global depth : vector{Node}(int);

func inward(src : Node, dst : Node) {
    Reduce(MAX, depth[dst], src);
}

func outward(src : Node, dst : Node) {
    Reduce(MAX, depth[src], dst);
}

main func main() {
    #inward# EdgeSetIterator<is_all_edges=true>(links, apply=inward);
    #outward# EdgeSetIterator<is_all_edges=true>(links, apply=outward);
}
";

    fn directed(direction: Direction) -> Schedule {
        SimpleSchedule::with_direction(direction).into()
    }

    fn choose(rules: &[Rule]) -> Choice {
        let module = gw_ir::parse(MODULE).unwrap_or_else(|e| panic!("{e}"));
        let graph =
            GraphFacts { vertices: 4, edges: 8, greatest_degree: 2, symmetric: true, mean_weight: None, gini: None };
        let table = RuleTable { family: None, capabilities: Capabilities::everything("test"), rules };
        choose_by_rules(&table, module, &graph).1
    }

    const PULL_DESTINATIONS: Rule = Rule {
        applies: |p| p.edges.is_some_and(|e| e.writes_destination_only),
        schedule: |_| directed(Direction::Pull),
        because: |p| format!("degree {}", p.graph.mean_degree()),
    };
    const PUSH: Rule = Rule {
        applies: |p| p.point.kind == PointKind::EdgeOperator,
        schedule: |_| directed(Direction::Push),
        because: |_| "what is left".into(),
    };

    #[test]
    fn the_first_rule_that_applies_wins() {
        let choice = choose(&[PULL_DESTINATIONS, PUSH]);
        let chosen: Vec<_> = choice.reasons.iter().map(|r| (&*r.path, &*r.schedule, &*r.because)).collect();
        assert_eq!(chosen, [("inward", "pull", "degree 2"), ("outward", "push", "what is left")]);
        assert!(choose(&[PUSH, PULL_DESTINATIONS]).reasons.iter().all(|r| r.schedule == "push"));
    }

    #[test]
    fn an_illegal_schedule_leaves_the_place_to_the_next_rule() {
        const ILLEGAL: Rule = Rule {
            applies: |_| true,
            schedule: |_| "update=constant-sum".parse().unwrap_or_else(|e| panic!("{e}")),
            because: |_| String::new(),
        };
        assert_eq!(choose(&[ILLEGAL, PUSH]).reasons.len(), 2);
        assert_eq!(choose(&[ILLEGAL]).reasons.len(), 0);
    }
}
