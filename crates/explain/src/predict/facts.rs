//! What a prediction knows of a step beside its counts.

use gw_ir::meta::Direction;
use gw_schedule::Parallelism;
use serde::{Deserialize, Serialize};

use crate::machine::{InputForm, OperatorMachine};
use crate::sink::Mapping;

/// How an operator is carried out, beyond the counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OperatorFacts {
    /// Barriers of the grid inside the load balancer.
    pub barriers: u32,
    /// Lanes look for the vertex of their edge.
    pub searches: bool,
    /// Destinations gather from their in-edges.
    pub pull: bool,
    /// One core does it all, however many there are.
    pub serial: bool,
    /// Cores share the edges of one vertex.
    pub shares_lists: bool,
    /// The output set is a map.
    pub output_map: bool,
    /// The operator walks edges.
    pub edges: bool,
    /// Vertices come in the order of their numbers, not from a list.
    pub scans: bool,
    /// Vertices of a chunk of work on a processor.
    pub grain: u64,
}

impl OperatorFacts {
    /// The facts of an operator machine.
    pub fn of(machine: &OperatorMachine) -> OperatorFacts {
        OperatorFacts {
            barriers: Mapping::barriers(machine.load_balance),
            searches: Mapping::searches(machine.load_balance),
            pull: machine.direction == Some(Direction::Pull),
            serial: machine.parallelism == Some(Parallelism::Serial),
            shares_lists: machine.parallelism == Some(Parallelism::EdgeParallel),
            output_map: machine.output_map_bits.is_some(),
            edges: machine.direction.is_some(),
            scans: machine.input != InputForm::List || machine.direction == Some(Direction::Pull),
            grain: machine.grain,
        }
    }
}

/// How a step is carried out, beyond the counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepFacts {
    /// Threads of a processor.
    pub threads: usize,
    /// The step runs inside a loop that is one kernel: a barrier instead of a launch.
    pub fused: bool,
    /// Of its operator.
    pub operator: OperatorFacts,
}
