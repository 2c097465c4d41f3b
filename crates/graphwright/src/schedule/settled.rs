//! A schedule that is settled for a machine, and the program compiled under it.
//!
//! This is the one place where a module goes from lowering through the passes to a machine: [`Wanted`](crate::Wanted)
//! settles a schedule, [`Settled::compile`] does the rest.

use std::sync::Arc;

use gw_exec::{GraphVm, Reason, Shortfall};
use gw_graph::Graph;
use gw_ir::{Module, Options, run_pipeline};
use gw_schedule::{ProgramSchedule, Schedule};

use crate::error::{Error, Result};
use crate::schedule::Origin;

/// The schedule of a run, and how it came about.
#[derive(Debug, Clone)]
pub struct Decision {
    /// The schedule.
    pub schedule: ProgramSchedule,
    /// Where it comes from.
    pub origin: Origin,
    /// Why the machine chose it, place by place.
    pub reasons: Vec<Reason>,
    /// Why the machine chose nothing.
    pub defaults_because: Option<String>,
    /// Why no model picks, where that was wanted.
    pub not_adaptive: Option<String>,
    /// Why the program's own schedule gave way to the machine's choice: the end of a sentence that begins with "since".
    pub own_refused: Option<String>,
    /// What the machine runs with less than all it has, or not at all.
    pub shortfalls: Vec<Shortfall>,
    /// Why a schedule that was tuned for this program and graph is not used.
    pub tuned_ignored: Option<String>,
    /// Why the model of the learned choice is not used.
    pub model_ignored: Option<String>,
    /// The settings that were dropped because they do nothing on the machine, with the reason.
    pub without_effect: Vec<String>,
    /// Edge operators for which a preset has nothing that is legal, and where the machine's defaults hold.
    pub left_to_defaults: Vec<String>,
    /// Seconds spent on loading the graph that the machine chose for.
    pub load_seconds: f64,
}

/// A module with the schedule that it will run under.
#[derive(Debug, Clone)]
pub struct Settled {
    /// The module as lowered, every label of the schedule in it.
    module: Module,
    /// Labels of the schedule that the program does not have are an error of the passes.
    strict: bool,
    /// The graph of the first run, where it is known before the run.
    graph: Option<Arc<Graph>>,
    /// The schedule.
    pub decision: Decision,
}

/// A program compiled for a machine.
pub struct Compiled {
    /// The program, ready to run any number of times.
    pub program: gw_exec::Program,
    /// The schedule that it was compiled under.
    pub decision: Decision,
}

impl Settled {
    /// A module as lowered under this schedule, whatever the machine.
    pub fn fixed(module: Module, schedule: ProgramSchedule, origin: Origin) -> Settled {
        Settled::new(module, Decision::fixed(schedule, origin))
    }

    pub(crate) fn new(module: Module, decision: Decision) -> Settled {
        Settled { module, strict: false, graph: None, decision }
    }

    /// The same, but refused where the schedule names a label that the program does not have: for schedules that no
    /// front end has looked at. Elsewhere such labels were warned of.
    #[must_use]
    pub fn strict(self) -> Settled {
        Settled { strict: true, ..self }
    }

    /// The same, with the graph that the first run is expected to be on.
    #[must_use]
    pub(crate) fn expecting(self, graph: Option<Arc<Graph>>) -> Settled {
        Settled { graph, ..self }
    }

    /// The graph of the first run, where it is known before the run.
    pub fn graph(&self) -> Option<&Arc<Graph>> {
        self.graph.as_ref()
    }

    /// The module as lowered, every label of the schedule in it.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Why the machine cannot run the schedule; empty when it can.
    pub fn refusals(&self, machine: &dyn GraphVm) -> Vec<String> {
        refusals(&self.decision.schedule, machine)
    }

    /// Asks the machine which operators it runs with less than all it has, or not at all.
    pub(crate) fn look_for_shortfalls(&mut self, machine: &dyn GraphVm) {
        let shortfalls = machine.shortfalls(&mut || Some(self.clone().optimised().ok()?.0));
        self.decision.shortfalls = shortfalls;
    }

    /// The module under its schedule, after all passes.
    pub fn optimised(self) -> Result<(Module, Decision)> {
        self.optimised_after(None)
    }

    /// As [`Settled::optimised`], but ending with the pass of this name.
    pub fn optimised_after(self, pass: Option<&str>) -> Result<(Module, Decision)> {
        let after = pass.map(str::to_string);
        let options = Options { after, allow_unknown_labels: !self.strict, ..Options::default() };
        Ok((run_pipeline(self.module, &self.decision.schedule, &options)?, self.decision))
    }

    /// Compiles the module for the machine that the schedule was settled for.
    pub fn compile(self, machine: &dyn GraphVm) -> Result<Compiled> {
        let refused = self.refusals(machine);
        if !refused.is_empty() {
            return Err(Error::Refused(refused));
        }
        let graph = self.graph.clone();
        let (module, decision) = self.optimised()?;
        let program =
            gw_exec::Program::prepare_for(machine, Arc::new(module), graph.as_deref()).map_err(Error::Prepare)?;
        Ok(Compiled { program, decision })
    }
}

impl Decision {
    /// This schedule, which nobody had to choose.
    pub(crate) fn fixed(schedule: ProgramSchedule, origin: Origin) -> Decision {
        Decision {
            schedule,
            origin,
            reasons: Vec::new(),
            defaults_because: None,
            not_adaptive: None,
            own_refused: None,
            shortfalls: Vec::new(),
            tuned_ignored: None,
            model_ignored: None,
            without_effect: Vec::new(),
            left_to_defaults: Vec::new(),
            load_seconds: 0.0,
        }
    }

    /// Operators that the machine does not run, and those that it runs with less than all it has.
    pub(crate) fn falls_short(&self) -> (usize, usize) {
        let refused = self.shortfalls.iter().filter(|shortfall| shortfall.refused).count();
        (refused, self.shortfalls.len() - refused)
    }

    /// Takes the settings away that the machine accepts and that do nothing on it, and notes them.
    pub(crate) fn drop_void(&mut self, machine: &dyn GraphVm) {
        let capabilities = machine.capabilities();
        let found = places(&self.schedule).flat_map(|(place, schedule)| {
            capabilities.without_effect(schedule).into_iter().map(move |word| format!("schedule of {place}: {word}"))
        });
        self.without_effect = found.collect();
        if self.without_effect.is_empty() {
            return;
        }
        let labels: Vec<String> = self.schedule.labels().map(|(label, _)| label.to_string()).collect();
        for label in labels {
            self.schedule.get_mut(&label).into_iter().for_each(|schedule| capabilities.drop_void(schedule));
        }
        let mut everywhere = self.schedule.everywhere().cloned();
        everywhere.iter_mut().for_each(|schedule| capabilities.drop_void(schedule));
        self.schedule.set_everywhere(everywhere);
    }
}

pub(crate) fn refusals(schedule: &ProgramSchedule, machine: &dyn GraphVm) -> Vec<String> {
    let capabilities = machine.capabilities();
    let refused = places(schedule).flat_map(|(place, schedule)| {
        let reasons = capabilities.unsupported(schedule).into_iter();
        reasons.map(move |reason| format!("schedule of {place}: {reason}"))
    });
    refused.collect()
}

/// The parts of a schedule, each with the place it is for.
fn places(schedule: &ProgramSchedule) -> impl Iterator<Item = (String, &Schedule)> {
    let everywhere = schedule.everywhere().map(|s| ("the program".to_string(), s));
    schedule.labels().map(|(label, s)| (label.to_string(), s)).chain(everywhere)
}
