//! Carrying out a check: compiling, running, validating, entering.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use graphwright::Error;
use graphwright::schedule::{AUTO, Origin, Settled, Wanted};
use gw_exec::{ErrorKind, ExecError, GraphVm, RunOptions};
use gw_programs::Run;
use gw_schedule::ProgramSchedule;
use rayon::prelude::*;

use super::plan::{Cell, Graphs, Plan};
use super::report::{CheckReport, CheckedProgram, Failure, Verdict};
use super::{Check, CheckListener};

/// Carries out plans.
pub(super) struct Runner<'a> {
    check: &'a Check<'a>,
    graphs: &'a Graphs,
    listener: &'a mut dyn CheckListener,
    pub(super) report: CheckReport,
}

/// A program under a schedule on the machine, or why not.
type Prepared = std::result::Result<gw_exec::Program, Verdict>;

impl<'a> Runner<'a> {
    pub(super) fn new(
        check: &'a Check<'a>,
        graphs: &'a Graphs,
        listener: &'a mut dyn CheckListener,
        report: CheckReport,
    ) -> Self {
        Runner { check, graphs, listener, report }
    }

    /// All runs of a program.
    pub(super) fn program(&mut self, plan: &Plan) {
        let row = CheckedProgram { program: plan.program.name.to_string(), ..CheckedProgram::default() };
        self.report.programs.push(row);
        for trials in plan.trials.chunks(self.check.ahead.max(1)) {
            if self.interrupted() {
                return;
            }
            for (trial, prepared) in trials.iter().zip(self.prepare_all(plan, trials)) {
                match (trial, prepared) {
                    (Wanted::Fixed(schedule, origin), Some(prepared)) => {
                        self.fixed(plan, schedule, *origin, prepared);
                    }
                    _ => self.chosen(plan),
                }
            }
        }
    }

    fn interrupted(&mut self) -> bool {
        self.report.interrupted |= self.check.cancel.load(Ordering::Relaxed);
        self.report.interrupted
    }

    /// Compiles fixed schedules, side by side when there are several.
    fn prepare_all(&mut self, plan: &Plan, trials: &[Wanted]) -> Vec<Option<Prepared>> {
        let machine = self.check.machine;
        let prepare = |trial: &Wanted| match trial {
            Wanted::Chosen | Wanted::Rule | Wanted::Tuned(..) | Wanted::Preset(_) | Wanted::Adaptive(..) => (None, 0.0),
            fixed => {
                let settled = fixed.settle(machine, plan.module.clone(), &RunOptions::default());
                let (prepared, seconds) = prepare(machine, settled);
                (Some(prepared), seconds)
            }
        };
        let all: Vec<(Option<Prepared>, f64)> = match trials {
            [one] => vec![prepare(one)],
            many => many.par_iter().map(prepare).collect(),
        };
        self.report.compile_seconds += all.iter().map(|(_, seconds)| seconds).sum::<f64>();
        all.into_iter().map(|(prepared, _)| prepared).collect()
    }

    /// One schedule on all graphs.
    fn fixed(&mut self, plan: &Plan, schedule: &ProgramSchedule, origin: Origin, mut prepared: Prepared) {
        let text = schedule.to_string();
        self.listener.trying(plan.program.name, &text);
        self.count_schedule();
        let given = (origin == Origin::Given).then_some(text.as_str());
        for cell in &plan.cells {
            if self.interrupted() {
                return;
            }
            self.run(plan, cell, &mut prepared, &text, given);
        }
    }

    /// The machine's choice for each graph; equal choices are compiled once.
    fn chosen(&mut self, plan: &Plan) {
        self.listener.trying(plan.program.name, AUTO);
        let mut known: HashMap<String, Prepared> = HashMap::new();
        for cell in &plan.cells {
            if self.interrupted() {
                return;
            }
            let settled = Wanted::Chosen.settle(self.check.machine, plan.module.clone(), &self.options(cell));
            let text = settled.decision.schedule.to_string();
            let mut prepared = match known.remove(&text) {
                Some(prepared) => prepared,
                None => {
                    self.count_schedule();
                    let (prepared, seconds) = prepare(self.check.machine, settled);
                    self.report.compile_seconds += seconds;
                    prepared
                }
            };
            self.run(plan, cell, &mut prepared, &text, Some(AUTO));
            known.insert(text, prepared);
        }
    }

    fn count_schedule(&mut self) {
        if let Some(row) = self.report.programs.last_mut() {
            row.schedules += 1;
        }
    }

    fn options(&self, cell: &Cell) -> RunOptions {
        RunOptions {
            graphs: Arc::clone(&self.graphs.source) as _,
            timeout: Some(self.check.timeout),
            cancel: Arc::clone(&self.check.cancel),
            ..RunOptions::with_args(cell.args.iter().cloned())
        }
    }

    /// One run, validated and entered.
    fn run(&mut self, plan: &Plan, cell: &Cell, prepared: &mut Prepared, schedule: &str, given: Option<&str>) {
        let verdict = match prepared {
            Err(verdict) => verdict.clone(),
            Ok(program) => match self.attempt(plan, cell, program) {
                Attempt::Done(verdict) => verdict,
                Attempt::Broken(problem) => {
                    let later = format!("not run, because a run before did not come to its end: {problem}");
                    *prepared = Err(Verdict::Failed(later));
                    Verdict::Failed(problem)
                }
                Attempt::Cancelled => {
                    self.report.interrupted = true;
                    return;
                }
            },
        };
        let loaded = &self.graphs.all[cell.graph];
        let schedule_option = given.map(|text| format!(" --schedule '{text}'")).unwrap_or_default();
        let (name, args, options) = (plan.program.name, cell.args.join(" "), &self.check.options);
        let failure = || Failure {
            program: name.to_string(),
            class: loaded.example.class.to_string(),
            graph: loaded.spec.clone(),
            schedule: schedule.to_string(),
            problem: verdict.reason().to_string(),
            command: format!("gw run {name} {args} {options}{schedule_option} --verify"),
        };
        self.report.enter(&verdict, loaded.example.class, failure);
        self.listener.advance(1);
    }

    fn attempt(&self, plan: &Plan, cell: &Cell, program: &mut gw_exec::Program) -> Attempt {
        let options = self.options(cell);
        let attempt = guarded(|| {
            let ran = match program.run(&options) {
                Ok(ran) => ran,
                Err(error) => {
                    return match error.kind() {
                        ErrorKind::Cancelled => Attempt::Cancelled,
                        // Who hangs once hangs again, and a device that failed may be in any state.
                        ErrorKind::TimedOut { .. } | ErrorKind::Machine(_) => Attempt::Broken(error.to_string()),
                        _ => Attempt::Done(verdict(&error)),
                    };
                }
            };
            let graph = &self.graphs.all[cell.graph].graph;
            let valid = plan.program.validate(&Run { graph, args: &cell.args, results: &ran.globals });
            Attempt::Done(valid.map_or_else(|problem| Verdict::Failed(problem.to_string()), |()| Verdict::Passed))
        });
        attempt.unwrap_or_else(Attempt::Broken)
    }
}

/// How a run ended for the executable that it used.
enum Attempt {
    Done(Verdict),
    /// The executable cannot be used again.
    Broken(String),
    Cancelled,
}

/// Compiles a program, and tells the seconds it took.
fn prepare(machine: &dyn GraphVm, settled: Settled) -> (Prepared, f64) {
    let start = Instant::now();
    let prepared = guarded(|| {
        settled.compile(machine).map(|compiled| compiled.program).map_err(|error| match error {
            Error::Refused(reasons) => Verdict::Refused(reasons.join("; ")),
            Error::Prepare(error) => verdict(&error),
            error => Verdict::Refused(format!("the compiler: {error}")),
        })
    });
    (prepared.unwrap_or_else(|panic| Err(Verdict::Failed(panic))), start.elapsed().as_secs_f64())
}

/// What an error means for the check.
fn verdict(error: &ExecError) -> Verdict {
    match error.kind() {
        ErrorKind::Unsupported(reason) => Verdict::Refused(reason.clone()),
        _ => Verdict::Failed(error.to_string()),
    }
}

/// A panic of the machine is a failure like any other: its message comes back.
fn guarded<T>(run: impl FnOnce() -> T) -> std::result::Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        format!("panicked: {}", text.unwrap_or("without a message"))
    })
}
