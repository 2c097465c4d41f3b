//! Models: decision trees learned from the lab, and models of workload.
//!
//! A model looks at what is known before a step (sizes of graph and frontier, summaries of degrees) and names the
//! schedule that the step should run under. It is learned from a [`StepTable`](gw_lab::StepTable): the times of many
//! schedules at the same steps.
//!
//! | file | concept |
//! |---|---|
//! | `sample` | which rows train, drawn by a seed; folds of graphs |
//! | `data` | the rows: features, and what every candidate would lose |
//! | `candidates` | few implementations that together come close to all |
//! | `path` | which candidate runs at each step when switching costs something |
//! | `alternate` | models that alternate: their runs show what switching costs |
//! | `grow`, `prune` | CART by Gini or by cost; how much of the tree is kept |
//! | `cost` | the expected seconds of a candidate |
//! | `train`, `model` | from a table to a model; the model file |
//! | `predict` | what a model would choose, and how long that would take |
//! | `evaluate`, `cross`, `curve` | against the optimum, on graphs not seen; by the amount of training data |
//! | `validate`, `show` | how often it names the fastest; what it chooses and why |
//! | `store` | measurements from a lab, models in a lab |
//! | `export` | JSON, Rust and CUDA source |
//! | `choice` | which schedule of a portfolio suits an operator on a graph, from surveys of the tuner |
//! | `workload`, `rank` | memory operations from the sizes of a graph; do two measures agree about an order? |
//!
//! It runs nothing: measurements come from the lab, choices at run time are made by [`gw_schedule::Tree`].

mod alternate;
mod candidates;
pub mod choice;
mod cost;
mod cross;
mod curve;
mod data;
mod error;
mod evaluate;
mod export;
mod grow;
mod model;
mod path;
mod predict;
mod prune;
mod rank;
mod sample;
mod show;
mod store;
mod train;
mod validate;
mod workload;

pub use alternate::alternating;
pub use cross::{CrossValidation, cross_validate};
pub use curve::{CurveFigures, CurvePoint, curve, curve_sheet};
pub use error::{ModelError, Result};
pub use evaluate::{Conduct, Evaluation, GraphFigures, Scope, evaluate, graph_sheet, guarded_name};
pub use export::{Export, export};
pub use grow::Criterion;
pub use model::{Candidate, FeatureUse, Figures, Model, Tie};
pub use predict::{Choice, Guard, Places, choices};
pub use rank::spearman;
pub use sample::{Fractions, Grain, Split};
pub use show::{Rule, ShownStep, show, show_sheet};
pub use store::{Measured, load, measured, record};
pub use train::{Ambiguous, Learning, Naming, train};
pub use validate::{Accuracy, validate};
pub use workload::{Detail, Kernel, Operations, predicted_operations, predicted_round};
