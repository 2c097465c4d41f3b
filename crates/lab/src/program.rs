//! Programs and schedules of a suite: checked before anything runs, compiled for a machine.

use std::path::Path;
use std::sync::Arc;

use gw_exec::{GraphVm, RunOptions};
use gw_ir::types::Type;
use gw_ir::{Options, lower, run_pipeline};
use gw_lang::Front;
use gw_programs::Program;
use gw_schedule::{LoopForm, ProgramSchedule, Schedule, SimpleSchedule};

use crate::error::Result;
use crate::source::{Source, Wanted};
use crate::suite::Suite;

/// The name of the schedule that a program has without one being given.
pub(crate) const DEFAULT: &str = "default";

/// A checked program.
pub(crate) struct PlannedProgram {
    /// The name as in the suite.
    pub(crate) name: String,
    source: Source,
    front: Front,
}

/// A program compiled under a schedule.
pub(crate) struct Prepared {
    pub(crate) program: gw_exec::Program,
    pub(crate) schedule: ProgramSchedule,
    /// Whether it loads a weighted graph.
    pub(crate) weighted: bool,
    /// The same with all loops on the host, where the schedule has others: step records tell of operators then.
    pub(crate) stepwise: Option<gw_exec::Program>,
}

impl PlannedProgram {
    /// Finds a standard program by name or a `.gt` file by path, and checks it.
    pub(crate) fn find(suite: &Suite, name: &str) -> Result<Self> {
        let source = Source::find(name, |path| suite.path(path))?;
        let front = source.front()?;
        Ok(PlannedProgram { name: source.name().to_string(), source, front })
    }

    /// The standard program, when it is one.
    pub(crate) fn standard(&self) -> Option<&'static Program> {
        self.source.standard
    }

    /// The schedule that a suite or a person names: the usual one, the machine's choice, one of the suite's, a file or a
    /// text.
    pub(crate) fn schedule(&self, suite: &Suite, name: &str) -> Result<Wanted> {
        if name == DEFAULT {
            return Ok(Wanted::usual(&self.front));
        }
        let text = suite.schedules.get(name).map_or(name, String::as_str);
        let title = format!("schedule of {}", self.name);
        Ok(Wanted::read(&self.front, &self.name, text, &title, |path: &Path| suite.path(path))?.wanted)
    }

    /// Compiles the program for a machine and, where the schedule is to be chosen, for runs with these options. The error
    /// says in words why the machine cannot run it.
    pub(crate) fn prepare(
        &self,
        wanted: &Wanted,
        machine: &dyn GraphVm,
        options: &RunOptions,
    ) -> Result<Prepared, String> {
        let module = lower(&self.front.typed, &self.source.file.text).map_err(|e| e.to_string())?;
        let settled = wanted.settle(machine, module, options);
        if let Some(reason) = settled.not_adaptive {
            return Err(format!("the schedule is not adaptive: {reason}"));
        }
        let refused = settled.refusals(machine);
        if !refused.is_empty() {
            return Err(refused.join("; "));
        }
        // The front end has warned of labels that a program's own schedule has in excess.
        let passes = Options { allow_unknown_labels: true, ..Options::default() };
        let stepwise = host_loops(&settled.schedule).and_then(|schedule| {
            let module = run_pipeline(settled.module.clone(), &schedule, &passes).ok()?;
            gw_exec::Program::prepare(machine, Arc::new(module)).ok()
        });
        let module = run_pipeline(settled.module, &settled.schedule, &passes).map_err(|e| e.to_string())?;
        let weighted = module.globals.iter().any(|g| matches!(g.ty, Type::EdgeSet { weight: Some(_), .. }));
        let program = gw_exec::Program::prepare(machine, Arc::new(module)).map_err(|e| e.to_string())?;
        Ok(Prepared { program, schedule: settled.schedule, weighted, stepwise })
    }
}

/// The schedule with every loop on the host; `None` where they are all there.
fn host_loops(schedule: &ProgramSchedule) -> Option<ProgramSchedule> {
    let mut changed = schedule.clone();
    let on_host = |schedule: &Schedule| match schedule.as_simple() {
        Some(simple) if simple.loop_form.is_some_and(|form| form != LoopForm::Host) => {
            Some(Schedule::from(SimpleSchedule { loop_form: Some(LoopForm::Host), ..*simple }))
        }
        _ => None,
    };
    for (label, loops) in schedule.labels().filter_map(|(label, schedule)| Some((label, on_host(schedule)?))) {
        changed.insert(label.clone(), loops);
    }
    if let Some(loops) = schedule.everywhere().and_then(on_host) {
        changed.set_everywhere(Some(loops));
    }
    (changed != *schedule).then_some(changed)
}
