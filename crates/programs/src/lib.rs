//! The standard programs of Graphwright and the validators of their results.
//!
//! [`programs`] lists the `.gt` programs that come with Graphwright, embedded as text, each with its arguments and
//! results in words. [`Program::validate`] checks a *result* against the graph, not the way it was made: the same
//! check serves every machine and every schedule. A validator takes about linear time and says in one sentence what is
//! wrong and where.
//!
//! ```
//! use gw_graph::{BuildOptions, EdgeList, build};
//! use gw_programs::{ResultMap, Run, find};
//! let path = build(EdgeList::from_pairs(3, vec![(0, 1), (1, 2)]), &BuildOptions::default()).unwrap();
//! let bfs = find("bfs").unwrap();
//! let args = ["path.el".to_string(), "0".to_string()];
//! let wrong = ResultMap::new().with_vector("parent", vec![0, 0, 0]);
//! let error = bfs.validate(&Run { graph: &path, args: &args, results: &wrong }).unwrap_err();
//! assert_eq!(error.to_string(), "vertex 2: its parent is 0, but there is no edge from 0 to 2");
//! ```

mod arguments;
mod bind;
mod choose;
mod edges;
mod exact;
mod example;
mod example_graphs;
mod example_weights;
mod paths;
mod registry;
mod results;
mod rows;
mod run_results;
mod sources;
mod suit;
mod table;
mod update;
mod validate;
mod weighing;

pub use arguments::ArgumentError;
pub use bind::{Bound, Settled, find_vertex};
pub use edges::{OutOfReach, Reached};
pub use example::example_args;
pub use example_graphs::{ExampleGraph, example_graphs};
pub use example_weights::{WeightedExample, weighted_examples};
pub use paths::{PARENT, Path, PathError, PathKind};
pub use registry::{Arg, ArgKind, Output, Program, Remark, TimeBound, UnknownProgram, find, programs, weights_of};
pub use results::{Number, ResultMap, Results, Values};
pub use suit::{Suited, Unsuitable};
pub use update::{Update, with_update};
pub use validate::{Invalid, Run};
