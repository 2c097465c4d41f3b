//! A fuzzer for the whole of Graphwright: random well-typed programs, graphs and schedules, on which all machines
//! must agree with the reference machine.
//!
//! | module | concept |
//! |---|---|
//! | [`dice`] | decisions, from a seed or from bytes |
//! | [`generate`] | programs as text, one file per part of the language |
//! | [`graphs`] | random graphs |
//! | [`schedules`] | random legal schedules |
//! | [`order`] | the rule that tells results which depend on an order |
//! | [`execute`], [`compare`], [`check`] | running a case on machines and comparing |
//! | [`guard`] | an allocator with a guard page behind every block |
//! | [`worker`], [`session`] | child processes, and seeds shared among them |
//! | [`sequences`] | sequences of runs of the standard programs, on all machines |
//! | [`classify`], [`reduce`] | what a failure has to do with, and a smaller case that shows it |
//!
//! The guide is `docs/fuzzing.md`.

pub mod case;
pub mod check;
pub mod classify;
pub mod compare;
mod device;
pub mod dice;
pub mod execute;
pub mod generate;
pub mod graphs;
pub mod guard;
pub mod order;
pub mod reduce;
pub mod schedules;
pub mod sequences;
pub mod session;
pub mod worker;

use check::{Checker, Report, Settings};
use schedules::Targets;

/// Checks the case that bytes decide, in this process: the entry for fuzzers that are guided by coverage. A `cargo
/// fuzz` target is `fuzz_target!(|data: &[u8]| { assert!(gw_fuzz::run_bytes(data).failures.is_empty()) });`.
pub fn run_bytes(bytes: &[u8]) -> Report {
    let targets = Targets { cpu: true, emulator: false, cuda: false };
    let settings = Settings { schedules: 3, targets, limit_ms: 10_000 };
    Checker::new().check(&generate::case_of_bytes(bytes), &settings, &mut |_| {})
}
