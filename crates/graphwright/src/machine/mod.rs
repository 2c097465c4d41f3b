//! Machines: what authors of machines need, and how a machine is opened, started ahead, and chosen for a run.
//!
//! | file | concept |
//! |---|---|
//! | `kinds` | the registry of machines; machines that come with Graphwright |
//! | `opening` | a machine that starts while a graph is read |
//! | `worth` | what a device saves against what it costs to start it; all numbers of this choice |
//! | `target` | a machine by name; `auto` weighs the machines for a run |
//!
//! A machine of one's own implements [`GraphVm`]; a [`MachineKind`] says how it is opened, and
//! [`Machines::register`] makes it known. `docs/new-machine.md` is the guide.

mod kinds;
mod opening;
mod target;
mod worth;

pub use gw_exec::{GraphVm, Needs, RunOptions, StartStep};
pub use gw_flow::Cluster;
pub use gw_schedule::Family;
pub use gw_swarm::Config;
pub use kinds::{Flow, Machine, MachineKind, MachineOptions, Machines, Missing, Start, Swarm};
pub use opening::{Opened, Opening};
pub use target::{Begun, Target, Work};
pub use worth::Worth;
