//! The operator machine: a graph operator as a network of servers that vertices and edges pass through.
//!
//! After Pai, Hassaan and Pingali (AGP 2017): a vertex is handed out by the input server, passes a filter, has its edge
//! range looked up; each edge has its destination looked up, passes a filter and reaches the operator proper. Here the
//! machine is derived from GraphIR and the schedule: the operator says which servers there are, the schedule how each
//! of them is implemented ([`derive`]).

mod derive;
mod server;

pub use derive::{EdgeLists, InputForm, OperatorMachine, ServerPlan};
pub use server::{PerServer, Server};
