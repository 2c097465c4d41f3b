//! Running programs: the contract of machines, the host executor and the reference machine.
//!
//! A [`GraphVm`] prepares a GraphIR module; [`Program`] holds the result and runs it. The executor walks `main`, owns
//! scalars, arguments, timers, lists and prints, and hands every operator to the machine. [`ReferenceVm`] interprets
//! operators one edge at a time and defines what programs mean.
//!
//! Nothing here is parallel, and nothing here is specific to one machine but the reference machine itself.

mod adaptive;
mod call;
mod cells;
mod changing;
mod checkpoint;
mod choice;
mod code;
mod columns;
pub mod conformance;
mod edge_change;
mod env;
mod error;
mod externs;
mod format;
mod frontier;
mod given;
mod graphs;
mod interp;
mod intrinsics;
mod links;
mod list;
mod made;
mod needs;
mod observe;
mod options;
mod program;
mod queue;
pub mod random;
mod ranks;
mod reference;
mod remote;
mod rules;
pub mod scalar;
mod set;
mod sites;
mod trace;
mod usage;
mod value;
mod vector;
mod vertex_values;
mod vm;
mod watch;

pub use adaptive::{PerGraph, graph_features};
pub use call::{Captures, Condition, EdgeCall, OperatorCall, OperatorOutcome, Selection, VertexCall};
pub use cells::Cell;
pub use checkpoint::{Checkpoint, Resume};
pub use choice::{
    Choice, GraphText, Reason, RunChoice, choose_for_run, choose_for_run_by, graph_text, label_operators,
};
pub use edge_change::EdgeChange;
pub use env::Environment;
pub use error::{ErrorKind, ExecError, Result, VertexAt};
pub use externs::{ExternCall, ExternResult, Externs};
pub use format::format_float;
pub use frontier::FrontierCosts;
pub use given::Given;
pub use graphs::{GraphSource, GraphStore, SpecGraphs, fit_weights, know_stores, shown_graph, stored_weights};
pub use gw_ir::types::Scalar;
pub use list::List;
pub use needs::{Need, Needs, host_needs, renumbered_bytes, vector_bytes};
pub use observe::{Observer, StepRecord};
pub use options::{Output, RunOptions, Stop};
pub use program::{Globals, Program, RunResult, Timings};
pub use queue::{Queue, QueueSpec, QueueState, bucket_of_real};
pub use reference::{ReferenceVm, TracedVm};
pub use remote::{Reduction, RemoteMemory};
pub use rules::{
    ChoicePoint, GraphFacts, INTERSECTIONS_BY_LENGTH, LAZY_BUCKETS, PUSH_ALL_EDGES, PUSH_FLAT_SEARCHES, PUSH_SETS,
    PUSH_WHERE_DESTINATIONS_STAY, Rule, RuleTable, because_it_pulls, because_of_weight_and_degree, choose_by_rules,
    operator_at, push_in_chunks, push_or_pull, shared_out,
};
pub use set::{MachineSet, SetForm, VertexSet};
pub use sites::{OperatorId, Site, Sites, StatementId};
pub use trace::{SharedTrace, Trace, TraceAccess, TraceFilter, TracedCall};
pub use usage::{DeviceFacts, MachineUsage, StartStep};
pub use value::Value;
pub use vector::{Derived, Origin, Vector, VectorId};
pub use vm::{AsyncWork, Executable, GraphVm, Locals, MachineReport, Shortfall, StatementOutcome, Statements};
