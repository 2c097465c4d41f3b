//! Checking one case: the reference machine first, then every trial.

use std::sync::Arc;
use std::time::Duration;

use gw_graph::Graph;
use gw_ir::module::Module;
use serde::{Deserialize, Serialize};

use crate::case::{Case, GraphData, Machine, Trial};
use crate::compare::{Difference, Kind, compare};
use crate::execute::{Machines, Outcome, lower, reference, same_in_files};
use crate::order::{Judgement, judge};
use crate::schedules::{Schedules, Targets};

/// What is done with each case.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Settings {
    /// Schedules per program and machine.
    pub schedules: usize,
    /// The machines.
    pub targets: Targets,
    /// Milliseconds for one run.
    pub limit_ms: u64,
}

impl Settings {
    /// Time for one run on a machine. Those of GPUs compile kernels while they run.
    pub fn limit(&self, machine: Machine) -> Duration {
        let factor = match machine {
            Machine::Emulator(_) | Machine::Cuda => 12,
            Machine::Cpu(_) | Machine::Shuffled(_) => 1,
        };
        Duration::from_millis(self.limit_ms * factor)
    }
}

/// A trial that failed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Failure {
    /// The trial.
    pub trial: Trial,
    /// What differs.
    pub difference: Difference,
}

/// What checking a case found.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Report {
    /// Trials run.
    pub runs: usize,
    /// Trials refused by the machine or the passes.
    pub refused: usize,
    /// Results may depend on an order: compared for crashes alone.
    pub dependent: Option<String>,
    /// Compared with tolerance.
    pub inexact: bool,
    /// The reference machine reports an error.
    pub faulty: Option<String>,
    /// The reference machine did not end in time; nothing was compared.
    pub slow: bool,
    /// What failed.
    pub failures: Vec<Failure>,
}

/// Checks cases, one after the other.
pub struct Checker {
    machines: Machines,
    schedules: Schedules,
}

impl Checker {
    /// A checker with no machine opened yet.
    pub fn new() -> Checker {
        Checker { machines: Machines::new(), schedules: Schedules::new() }
    }

    /// Checks a case. `starting` hears of every trial before it runs, so that a crash can be attributed.
    pub fn check(&mut self, case: &Case, settings: &Settings, starting: &mut dyn FnMut(&Trial)) -> Report {
        let mut report = Report::default();
        let limit = Duration::from_millis(settings.limit_ms);
        let own = Trial { machine: Machine::Shuffled(0), schedule: None };
        let broken = |kind, detail| Failure { trial: own.clone(), difference: Difference { kind, detail } };
        let (module, graphs, others) = match prepare(case) {
            Ok(prepared) => prepared,
            Err(detail) => {
                report.failures.push(broken(Kind::Generator, detail));
                return report;
            }
        };
        let judgement = judge(&module);
        report.dependent = judgement.dependent.clone();
        report.inexact = judgement.inexact;
        starting(&own);
        // What takes the reference machine long is not worth the wait: other programs find more in that time.
        let expected = reference(case, &module, &graphs, limit / 5);
        match &expected {
            Outcome::Stopped => {
                report.slow = true;
                return report;
            }
            Outcome::Panicked(message) => {
                report.failures.push(broken(Kind::Panic, format!("the reference machine: {message}")));
                return report;
            }
            Outcome::Refused(reason) => {
                report.failures.push(broken(Kind::Generator, format!("the reference machine: {reason}")));
                return report;
            }
            Outcome::Fault(fault) => report.faulty = Some(fault.kind.clone()),
            Outcome::Done { .. } => {}
        }
        report.failures.extend(rule(case, &module, &graphs, &judgement, &expected, limit, &mut self.machines));
        let trials = match case.trials.is_empty() {
            true => self.schedules.trials(case.seed, &module, settings.schedules, settings.targets),
            false => case.trials.clone(),
        };
        // The same executable once more on other graphs, and on these again: what a run leaves behind must not matter.
        let mut rounds = vec![&graphs[..]];
        let mut wanted = vec![&expected];
        let elsewhere;
        if !others.is_empty() {
            elsewhere = reference(case, &module, &others, limit / 5);
            if let Outcome::Fault(_) | Outcome::Done { .. } = &elsewhere {
                rounds.extend([&others[..], &graphs]);
                wanted.extend([&elsewhere, &expected]);
            }
        }
        for trial in trials {
            starting(&trial);
            let found = self.machines.run(case, &module, &rounds, &trial, settings.limit(trial.machine));
            report.runs += found.len();
            report.refused += usize::from(matches!(found.last(), Some(Outcome::Refused(_))));
            let differs = found.iter().zip(&wanted).enumerate().find_map(|(round, (found, wanted))| {
                let mut difference = compare(&case.program, &judgement, wanted, found)?;
                if round > 0 {
                    difference.detail = format!("run {} of the executable: {}", round + 1, difference.detail);
                }
                Some(difference)
            });
            report.failures.extend(differs.map(|difference| Failure { trial, difference }));
        }
        report
    }
}

impl Default for Checker {
    fn default() -> Self {
        Checker::new()
    }
}

/// The module, its graphs, and those of the second run.
type Prepared = (Module, Vec<Arc<Graph>>, Vec<Arc<Graph>>);

fn prepare(case: &Case) -> Result<Prepared, String> {
    let module = lower(&case.program)?;
    same_in_files(&case.program, case.seed)?;
    let build = |graphs: &[GraphData]| graphs.iter().map(GraphData::build).collect::<Result<_, _>>();
    Ok((module, build(&case.graphs)?, build(&case.others)?))
}

/// Tests the rule itself: where it finds no dependence on an order, the reference machine must give the same in
/// another.
fn rule(
    case: &Case,
    module: &Module,
    graphs: &[Arc<Graph>],
    judgement: &Judgement,
    expected: &Outcome,
    limit: Duration,
    machines: &mut Machines,
) -> Option<Failure> {
    if judgement.dependent.is_some() || !case.seed.is_multiple_of(4) {
        return None;
    }
    let trial = Trial { machine: Machine::Shuffled(case.seed), schedule: Some("default".to_string()) };
    let found = machines.run(case, module, &[graphs], &trial, limit).pop()?;
    let difference = compare(&case.program, judgement, expected, &found)?;
    Some(Failure { trial, difference: Difference { kind: Kind::Rule, ..difference } })
}
