//! Programs and schedules of a suite: checked before anything runs, compiled for a machine.

use std::path::Path;

use graphwright::schedule::{Compiled, Wanted};
use graphwright::{Error, Program};
use gw_exec::{GraphVm, RunOptions};
use gw_graph::Graph;
use gw_ir::types::Type;
use gw_programs::Program as StandardProgram;
use gw_schedule::{LoopForm, ProgramSchedule, Schedule, SimpleSchedule};

use crate::builtin;
use crate::error::Result;
use crate::suite::Suite;

/// The name of the schedule that a program has without one being given.
pub(crate) const DEFAULT: &str = "default";

/// A checked program.
pub(crate) struct PlannedProgram {
    /// The name as in the suite.
    pub(crate) name: String,
    program: Program,
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
        let program = match builtin::program(name).filter(|_| suite.folder.is_none()) {
            Some(text) => Program::parse(name, text)?,
            None => Program::find_in(name, |path| suite.path(path))?,
        };
        Ok(PlannedProgram { name: program.name().to_string(), program })
    }

    /// With rows of results as long as these arguments say.
    pub(crate) fn with_rows(self, args: &[String]) -> Result<Self> {
        let program = self.program.with_rows(args)?;
        Ok(PlannedProgram { program, ..self })
    }

    /// Whether this is the same program with the same text.
    pub(crate) fn is_same(&self, other: &PlannedProgram) -> bool {
        self.name == other.name && self.program.file().text == other.program.file().text
    }

    /// The program for the weights of a graph, where its text follows them and they are not those that it was read for.
    pub(crate) fn for_weights(&self, graph: &Graph) -> Option<Result<PlannedProgram, String>> {
        let program = self.program.for_weights_of(graph)?.map_err(|error| error.to_string());
        Some(program.map(|program| PlannedProgram { name: self.name.clone(), program }))
    }

    /// Whether runs see the graph with weights.
    pub(crate) fn needs_weights(&self) -> bool {
        self.standard().is_some_and(|program| program.needs_weights)
    }

    /// The standard program, when it is one.
    pub(crate) fn standard(&self) -> Option<&'static StandardProgram> {
        self.program.as_standard()
    }

    /// The schedule that a suite or a person names: the usual one, the machine's choice, one of the suite's, a file
    /// or a text.
    pub(crate) fn schedule(&self, suite: &Suite, name: &str) -> Result<Wanted> {
        let front = self.program.front();
        if name == DEFAULT {
            return Ok(Wanted::usual(front));
        }
        let text = suite.schedules.get(name).map_or(name, String::as_str);
        let title = format!("schedule of {}", self.name);
        Ok(Wanted::read(front, &self.name, text, &title, |path: &Path| suite.path(path))?.wanted)
    }

    /// Compiles the program for a machine and, where the schedule is to be chosen, for runs with these options. The
    /// error says in words why the machine cannot run it.
    pub(crate) fn prepare(
        &self,
        wanted: &Wanted,
        machine: &dyn GraphVm,
        options: &RunOptions,
    ) -> Result<Prepared, String> {
        let settled = self.program.settle(wanted, machine, options);
        if let Some(reason) = settled.decision.not_adaptive {
            return Err(format!("the schedule is not adaptive: {reason}"));
        }
        let stepwise = host_loops(&settled.decision.schedule).and_then(|schedule| {
            let mut stepwise = settled.clone();
            stepwise.decision.schedule = schedule;
            Some(stepwise.compile(machine).ok()?.program)
        });
        let Compiled { program, decision } = settled.compile(machine).map_err(|error| match error {
            Error::Refused(reasons) => reasons.join("; "),
            error => error.to_string(),
        })?;
        let globals = &program.module().globals;
        let weighted = globals.iter().any(|g| matches!(g.ty, Type::EdgeSet { weight: Some(_), .. }));
        Ok(Prepared { program, schedule: decision.schedule, weighted, stepwise })
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
