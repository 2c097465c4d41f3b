//! The inputs of a kernel: which values the host must put where before a launch.

use gw_exec::random::Role;
use gw_ir::source::Name;
use gw_ir::types::Scalar;
use gw_schedule::Feature;

/// Where an input comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// First cell of a global vector.
    GlobalVector(Name),
    /// Words of the numbers of a global vector and of the rounds of their last changes.
    GlobalWords(Name),
    /// Number of entries of a global vector.
    GlobalLength(Name),
    /// First cell of a vector that is a parameter of the kernel.
    LocalVector(Name),
    /// Its number of entries.
    LocalLength(Name),
    /// Number of entries of a row of a global vector.
    GlobalRow(Name),
    /// Number of entries of a row of a vector that is a parameter of the kernel.
    LocalRow(Name),
    /// A global scalar that operators do not write.
    GlobalScalar(Name),
    /// The cell of a global scalar that operators write.
    GlobalCell(Name),
    /// A scalar parameter of the kernel.
    LocalScalar(Name),
    /// Number of vertices of an element.
    Vertices(Name),
    /// Number of members of a global set.
    Members(Name),
    /// The arrays of a graph.
    Graph(GraphInput),
    /// Where faults are noted.
    Fault,
    /// What the random draws of a function begin with, by its role in the operator.
    DrawKey(Role),
    /// Round counters of deduplication.
    Counters,
    /// A map for deduplication: bits or bytes.
    SeenMap,
    /// A map of the destinations that operators have claimed in a vector: a bit per vertex.
    VisitedMap(Name),
    /// A shared piece of memory for balancers.
    Scratch,
    /// Tables in which blocks group the neighbours of vertices of this graph with long lists.
    GroupTables(Name),
    /// A priority queue: global or parameter.
    Queue(Name),
    /// A list that is a parameter of the kernel.
    List(Name),
    /// An argument of the command line as a threshold: schedules may name them.
    Threshold(u32),
    /// A feature of a graph that adaptive schedules look at.
    GraphFeature(Name, Feature),
    /// Threads that can be on the device at once.
    ResidentThreads,
    /// Whether bad advice of trees is guarded against.
    Guard,
}

/// A graph that a kernel reads, with the types that its code was made for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct GraphInput {
    /// The variable.
    pub(crate) name: Name,
    /// Offsets are 64 bits wide.
    pub(crate) wide: bool,
    /// Type of the stored weights.
    pub(crate) weight: Option<Scalar>,
    /// Which lists stand apart.
    pub(crate) apart: Apart,
}

/// Lists of a graph that stand apart, as those of a graph that changes: ranges say where, and offsets are the running
/// sums of their lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Apart {
    pub(crate) out: bool,
    pub(crate) incoming: bool,
}

/// The parts of a graph that must be on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct GraphParts {
    /// Out-neighbours.
    pub(crate) out: bool,
    /// In-neighbours.
    pub(crate) incoming: bool,
    /// Offsets as pairs, of either.
    pub(crate) out_ranges: bool,
    pub(crate) in_ranges: bool,
    /// Positions of out-edges among all, where lists stand apart.
    pub(crate) positions: bool,
    /// Out-neighbours with the classes of their edges.
    pub(crate) marked: bool,
    /// List of edges.
    pub(crate) list: Option<EdgeList>,
    /// Weights of the parts that are walked.
    pub(crate) weights: bool,
}

/// Which list of edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct EdgeList {
    /// In order of the destination.
    pub(crate) by_destination: bool,
    /// Endpoints as pairs.
    pub(crate) pairs: bool,
    /// Ids of the far end per block, from the schedule.
    pub(crate) block: Option<gw_schedule::Number>,
}

/// A member of the struct of inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Input {
    pub(crate) source: Source,
    /// Type in C++.
    pub(crate) ty: String,
    /// Name of the member.
    pub(crate) name: String,
}

/// The inputs of one kernel, each once, in the order of the struct.
#[derive(Debug, Clone, Default)]
pub(crate) struct Inputs {
    pub(crate) members: Vec<Input>,
    /// Per graph variable, what is needed.
    pub(crate) parts: Vec<(Name, GraphParts)>,
}

impl Inputs {
    /// The member for a source, new or known, as code: `in.name`.
    pub(crate) fn member(&mut self, source: Source, ty: &str, name: &str) -> String {
        if let Some(known) = self.members.iter().find(|m| m.source == source) {
            return format!("in.{}", known.name);
        }
        let mut unique = name.to_string();
        let mut n = 1;
        while self.members.iter().any(|m| m.name == unique) {
            n += 1;
            unique = format!("{name}_{n}");
        }
        self.members.push(Input { source, ty: ty.to_string(), name: unique.clone() });
        format!("in.{unique}")
    }

    /// Notes parts of a graph that the code reads.
    pub(crate) fn need(&mut self, graph: &Name, note: impl FnOnce(&mut GraphParts)) {
        let at = match self.parts.iter().position(|(name, _)| name == graph) {
            Some(at) => at,
            None => {
                self.parts.push((graph.clone(), GraphParts::default()));
                self.parts.len() - 1
            }
        };
        note(&mut self.parts[at].1);
    }
}
