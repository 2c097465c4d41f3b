//! Checking one case: the reference machine first, then every trial.

use std::sync::Arc;
use std::time::Duration;

use gw_graph::Graph;
use gw_ir::module::Module;
use serde::{Deserialize, Serialize};

use crate::case::{Case, Machine, Trial};
use crate::compare::{Difference, Kind, compare};
use crate::execute::{Machines, Outcome, lower, reference};
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
        let (module, graphs) = match prepare(case) {
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
        for trial in trials {
            starting(&trial);
            let found = self.machines.run(case, &module, &graphs, &trial, settings.limit(trial.machine));
            report.runs += 1;
            if let Outcome::Refused(_) = found {
                report.refused += 1;
            }
            if let Some(difference) = compare(&case.program, &judgement, &expected, &found) {
                report.failures.push(Failure { trial, difference });
            }
        }
        report
    }
}

impl Default for Checker {
    fn default() -> Self {
        Checker::new()
    }
}

fn prepare(case: &Case) -> Result<(Module, Vec<Arc<Graph>>), String> {
    let module = lower(&case.program)?;
    let graphs = case.graphs.iter().map(|graph| graph.build()).collect::<Result<_, _>>()?;
    Ok((module, graphs))
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
    let found = machines.run(case, module, graphs, &trial, limit);
    let difference = compare(&case.program, judgement, expected, &found)?;
    Some(Failure { trial, difference: Difference { kind: Kind::Rule, ..difference } })
}
