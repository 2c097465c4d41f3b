//! Runs of a program: on one machine, and on another when that has too little memory.

use std::sync::atomic::Ordering;
use std::time::Instant;

use graphwright::{Compiled, Decision, Program, Wanted};
use gw_exec::{GraphVm, MachineUsage, RunOptions, RunResult};
use gw_schedule::{Family, Transform};

use super::explain;
use crate::error::CliError;
use crate::machines::{self, Opened};
use crate::stop;

/// A program and how it is to be run, on whatever machine.
pub struct Attempt<'a> {
    /// The program.
    pub program: &'a Program,
    /// The schedule asked for.
    pub wanted: &'a Wanted,
    /// Print the schedule with its reasons.
    pub explain: bool,
}

/// A run that came to its end.
pub struct Finished {
    /// The schedule.
    pub decision: Decision,
    /// Seconds for choosing the schedule, the passes and the code of the machine.
    pub compile_seconds: f64,
    /// The run.
    pub ran: RunResult,
    /// The name of the machine.
    pub machine: String,
    /// What the machine counted during the run, fetching its results included.
    pub usage: Option<MachineUsage>,
}

impl Attempt<'_> {
    /// Runs the program on a machine. When that was chosen and not asked for, and has too little memory, the CPU begins
    /// again; `threads` is 0 for all its cores. `options` makes the options of each run, told whether the run may be
    /// given up.
    pub fn run(
        &self,
        opened: &Opened,
        threads: usize,
        options: &mut dyn FnMut(bool) -> RunOptions,
    ) -> Result<Finished, CliError> {
        let finished = self.on(opened.machine.vm(), &options(opened.replaceable));
        match finished {
            Err(error) if opened.replaceable && error.is_out_of_memory() => {
                eprintln!("gw: {}: {error}; running on the CPU", opened.machine.name());
                Ok(self.on(machines::cpu(threads)?.vm(), &options(false))?)
            }
            Err(error) if error.is_out_of_memory() && opened.machine.vm().family() == Family::Gpu => {
                crate::output::error(&error.into());
                let mend = "--target cpu runs it in the memory of the host, --target auto does so by itself";
                Err(CliError::NoResult(mend.to_string()))
            }
            finished => Ok(finished?),
        }
    }

    fn on(&self, machine: &dyn GraphVm, options: &RunOptions) -> graphwright::Result<Finished> {
        // Loading a graph for the choice of a schedule is not compiling.
        let start = Instant::now();
        let settled = self.program.settle(self.wanted, machine, options);
        let decision = &settled.decision;
        // A section for another family of machines is nothing to tell of: every standard program has one for CPUs.
        if let Some(reason) = decision.own_refused.as_ref().filter(|_| self.explain) {
            let name = machine.name();
            eprintln!("gw: {name} chooses the schedule, since it cannot run the program's own: {reason}");
        }
        if let Some(reason) = &decision.not_adaptive {
            eprintln!("gw: the schedule is not adaptive: {reason}");
        }
        if let Some(reason) = &decision.tuned_ignored {
            eprintln!("gw: the rule of the machine chooses, since what was tuned cannot be used: {reason}");
        }
        if let Some(reason) = &decision.model_ignored {
            eprintln!(
                "gw: the rule of the machine chooses, since the model of the learned choice cannot be used: {reason}"
            );
        }
        for word in &decision.left_to_defaults {
            eprintln!("gw: {word}");
        }
        if self.explain {
            eprint!("{}", explain::explain(&settled, machine.name()));
        }
        warn_of_fields(decision, machine);
        for word in &decision.without_effect {
            eprintln!("warning: {word}");
        }
        let Compiled { mut program, decision } = settled.compile(machine)?;
        let compile_seconds = (start.elapsed().as_secs_f64() - decision.load_seconds).max(0.0);

        options.cancel.store(false, Ordering::Relaxed);
        let before = machine.usage();
        let ran = program.run(options);
        options.cancel.store(true, Ordering::Relaxed);
        let usage = machine.usage().zip(before).map(|(after, before)| after - before);
        let file = self.program.file();
        let ran = ran.map_err(|error| graphwright::Error::Run { error, file: file.clone() })?;
        if !machine.start_steps().is_empty() {
            stop::leave_to_the_system(program);
        }
        Ok(Finished { decision, compile_seconds, ran, machine: machine.name().to_string(), usage })
    }
}

/// No machine stores vectors side by side.
fn warn_of_fields(decision: &Decision, machine: &dyn GraphVm) {
    for transform in decision.schedule.transforms() {
        if let Transform::FuseFields(vectors) = transform {
            let names: Vec<&str> = vectors.iter().map(|name| name.as_str()).collect();
            eprintln!(
                "warning: fuseFields({}) changes nothing on {}: vectors are stored apart",
                names.join(", "),
                machine.name()
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use graphwright::Machine;
    use gw_exec::{ErrorKind, Executable, ReferenceVm};
    use gw_ir::Module;

    use super::*;
    use crate::program::source;

    /// A machine on which nothing fits.
    struct Small;

    impl GraphVm for Small {
        fn name(&self) -> &str {
            "small"
        }

        fn family(&self) -> gw_schedule::Family {
            gw_schedule::Family::Cpu
        }

        fn capabilities(&self) -> gw_schedule::Capabilities {
            ReferenceVm::new().capabilities()
        }

        fn prepare(&self, _: Arc<Module>) -> gw_exec::Result<Box<dyn Executable>> {
            Err(ErrorKind::OutOfMemory { what: "the graph".into() }.into())
        }
    }

    #[test]
    fn the_cpu_takes_over_from_a_machine_that_was_not_asked_for() {
        let program = source::find("bfs").unwrap();
        let wanted = source::schedule(&program, None).unwrap();
        let attempt = Attempt { program: &program, wanted: &wanted, explain: false };
        let run = |replaceable: bool| {
            let opened = Opened { machine: Machine::new(Small, 1), replaceable, worth: None, seconds: 0.0 };
            let mut given_up = Vec::new();
            let finished = attempt.run(&opened, 1, &mut |may_be_given_up| {
                given_up.push(may_be_given_up);
                RunOptions::with_args(["path:9", "0"])
            });
            (finished, given_up)
        };
        let (finished, given_up) = run(true);
        let finished = finished.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((finished.machine.as_str(), &given_up[..]), ("cpu", &[true, false][..]));
        assert!(finished.ran.steps > 0);
        let (finished, given_up) = run(false);
        assert!(finished.is_err_and(|error| matches!(error, CliError::Prepare(_))));
        assert_eq!(given_up, [false]);
    }
}
