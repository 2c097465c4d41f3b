//! GraphIR: Graphwright's intermediate representation and its hardware-independent passes.
//!
//! Every machine is compiled from GraphIR, so everything in it is typed, resolved and explicit: conversions are
//! nodes, conditions are `bool`, every built-in is an enum variant, and a name means one thing in its function. A
//! node keeps its **arguments**, which come from the algorithm, apart from its **metadata**, which comes from
//! schedules and passes. What a module computes depends on arguments alone.
//!
//! # By example
//! The program
//!
//! ```text
//! func travel(src : Town, dst : Town)  came_from[dst] = src;  end
//! ...
//! #walk# while (here.getVertexSetSize() != 0)
//!     #hop# var there : vertexset{Town} = roads.from(here).to(untouched).applyModified(travel, came_from, true);
//!     delete here;
//!     here = there;
//! end
//! ```
//!
//! is lowered to this text, in which arguments stand in `( )` and metadata in `< >`:
//!
//! ```text
//! func travel(src : Town, dst : Town) {
//!     came_from[dst] = src;
//! }
//! ...
//! #walk# while (VertexSetSize(here) != 0) {
//!     #hop# var there : vertexset{Town} = EdgeSetIterator<requires_output=true>(roads, from=here, to=where untouched,
//!         apply=travel, modified=came_from, duplicates);
//!     delete here;
//!     here = there;
//! }
//! ```
//!
//! Under the schedule `walk:hop@push,lb=etwc` the passes find that `here` dies after the operator, that two edges may
//! meet in `came_from[dst]`, and that test and assignment are one compare-and-swap; and they let the function fill the
//! output set:
//!
//! ```text
//! func travel<context=DEVICE>(src : Town, dst : Town, out : vertexset{Town}) {
//!     var changed : bool = CompareAndSwap<atomic=true>(came_from[dst]<SHARED, READ_WRITE>, -1, src);
//!     if (changed) {
//!         EnqueueVertex<format=SPARSE>(out, dst);
//!     }
//! }
//! ...
//! #walk# while (VertexSetSize(here) != 0) {
//!     #hop# var there : vertexset{Town} = EdgeSetIterator<direction=PUSH, is_edge_parallel=true, udf_enqueues=true,
//!         can_reuse_frontier=true, to_folded=true, ...>(roads, from=here, to=where untouched, apply=travel,
//!         modified=came_from, duplicates);
//!     here = there;
//! }
//! ```
//!
//! # From text to text
//! ```
//! let text = "\
//! element Node;
//! element Link;
//! global links : edgeset{Link}(Node, Node);
//! global depth : vector{Node}(int);
//!
//! func deepen(src : Node, dst : Node) {
//!     Reduce(MAX, depth[dst], depth[src] + 1);
//! }
//!
//! main func main() {
//!     #s1# EdgeSetIterator<is_all_edges=true>(links, apply=deepen);
//! }
//! ";
//! let module = gw_ir::parse(text).unwrap();
//! gw_ir::validate(&module).unwrap();
//! assert_eq!(gw_ir::parse(&gw_ir::print(&module)).unwrap(), module);
//!
//! let schedule = "s1@push,par=dynamic".parse().unwrap();
//! let compiled = gw_ir::run_pipeline(module, &schedule, &Default::default()).unwrap();
//! assert!(compiled.to_string().contains("Reduce<atomic=true>(MAX, depth[dst]<SHARED, READ_WRITE>"));
//! ```
//!
//! # Where things are
//! | what | where |
//! |---|---|
//! | nodes | [`module`], [`stmt`], [`expr`], [`operator`], [`builtin`], [`types`] |
//! | metadata | [`meta`], [`bound`] |
//! | text form | [`text`] |
//! | rules of well-formed modules | [`validate`](mod@validate) |
//! | from the checked program | [`lower`](mod@lower) |
//! | passes and their order | [`passes`], [`pipeline`] |
//! | label paths, places that take a schedule | [`points`] |
//! | visiting and rewriting nodes | [`walk`], [`rewrite`], [`analysis`] |
//!
//! # For machines
//! - An operator is the whole value of a statement; [`stmt::Stmt::operator`] finds it.
//! - Before the pass `tracking` a machine observes writes to the tracked vector itself; afterwards
//!   (`udf_enqueues`) the function enqueues into its last parameter.
//! - The edges of `UpdatePriorityEdgeSetIterator` and `OrderedProcessing` move vertices between buckets at once; a
//!   priority update marked `deferred` leaves that to the `UpdateBuckets` behind its operator.
//! - All variants of a `HybridStmt` compute the same.
//! - Whether an output set may hold repeats is the argument `duplicates`; `dedup` metadata, `VertexSetDedup` and
//!   `EnqueueVertex` say how a fast machine gets there. A simple machine looks at the argument alone.
//! - The names in [`meta::Extra`] belong to one machine; passes carry them along.

pub mod analysis;
pub mod bound;
pub mod builtin;
pub mod expr;
pub mod groups;
pub mod lower;
pub mod meta;
pub mod module;
pub mod operator;
pub mod passes;
pub mod pipeline;
pub mod points;
pub mod rewrite;
pub mod source;
pub mod stmt;
pub mod text;
pub mod types;
pub mod typing;
pub mod walk;

pub mod validate;

pub use lower::{LowerError, lower};
pub use module::Module;
pub use passes::{PassContext, PassError, PassProblem};
pub use pipeline::{Options, PipelineError, pass_names, run_pipeline};
pub use points::{Point, program_points};
pub use text::{ParseError, ParseProblem, parse, print};
pub use validate::{ValidateError, validate};
