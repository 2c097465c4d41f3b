//! Models: decision trees learned from the lab, and models of workload.

mod rank;
mod workload;

pub use rank::spearman;
pub use workload::{Detail, Kernel, Operations, predicted_operations, predicted_round};
