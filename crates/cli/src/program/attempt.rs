//! Runs of a program: on one machine, and on another when that has too little memory.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use gw_exec::{GraphVm, MachineUsage, Program, RunOptions, RunResult};
use gw_lab::{Settled, Source, Wanted};
use gw_lang::Front;
use gw_schedule::Transform;

use super::{explain, source};
use crate::error::CliError;
use crate::machines::{self, Machine};

/// A program and how it is to be run, on whatever machine.
pub struct Attempt<'a> {
    /// The program.
    pub program: &'a Source,
    /// The program, checked.
    pub front: &'a Front,
    /// The schedule asked for.
    pub wanted: &'a Wanted,
    /// Print the schedule with its reasons.
    pub explain: bool,
}

/// A run that came to its end.
pub struct Finished {
    /// The schedule; its module is used up.
    pub settled: Settled,
    /// Seconds for choosing the schedule, the passes and the code of the machine.
    pub compile_seconds: f64,
    /// The run.
    pub ran: RunResult,
    /// The program as the machine has it.
    pub prepared: Program,
    /// What the machine counted during the run, fetching its results included.
    pub usage: Option<MachineUsage>,
}

impl Attempt<'_> {
    /// Runs the program on a machine. When that was chosen and not asked for, and has too little memory, the CPU begins again; `threads` is 0
    /// for all its cores. `options` makes the options of each run, told whether the run may be given up.
    pub fn run(
        &self,
        machine: &Machine,
        threads: usize,
        options: &mut dyn FnMut(bool) -> RunOptions,
    ) -> Result<Finished, CliError> {
        let finished = self.on(&*machine.vm, &options(machine.replaceable));
        match finished.as_ref().err().and_then(machines::out_of_memory) {
            Some(cause) if machine.replaceable => {
                eprintln!("gw: {}: {cause}; running on the CPU", machine.vm.name());
                self.on(&*machines::cpu(threads).vm, &options(false))
            }
            _ => finished,
        }
    }

    fn on(&self, machine: &dyn GraphVm, options: &RunOptions) -> Result<Finished, CliError> {
        // Loading a graph for the choice of a schedule is not compiling.
        let start = Instant::now();
        let module = source::lowered(self.program, self.front)?;
        let (wanted, instead) = self.wanted.on(machine);
        // A section for another family of machines is nothing to tell of: every standard program has one for CPUs.
        if let Some(reason) = instead.filter(|_| self.explain) {
            let name = machine.name();
            eprintln!("gw: {name} chooses the schedule, since it cannot run the program's own: {reason}");
        }
        let mut settled = wanted.settle(machine, module, options);
        if let Some(reason) = &settled.not_adaptive {
            eprintln!("gw: the schedule is not adaptive: {reason}");
        }
        if self.explain {
            eprint!("{}", explain::explain(&settled, machine.name()));
        }
        warn_of_fields(&settled, machine);
        for word in &settled.without_effect {
            eprintln!("warning: {word}");
        }
        let refused = settled.refusals(machine);
        if !refused.is_empty() {
            return Err(CliError::Unsupported(refused.join("\n")));
        }
        let module = std::mem::take(&mut settled.module);
        let module = Arc::new(source::passes(module, &settled.schedule, None)?);
        let mut prepared = Program::prepare(machine, module)?;
        let compile_seconds = (start.elapsed().as_secs_f64() - settled.load_seconds).max(0.0);

        options.cancel.store(false, Ordering::Relaxed);
        let before = machine.usage();
        let ran = prepared.run(options);
        options.cancel.store(true, Ordering::Relaxed);
        let usage = machine.usage().zip(before).map(|(after, before)| after - before);
        let ran = ran.map_err(|error| CliError::Run { error, file: self.program.file.clone() })?;
        Ok(Finished { settled, compile_seconds, ran, prepared, usage })
    }
}

/// No machine stores vectors side by side.
fn warn_of_fields(settled: &Settled, machine: &dyn GraphVm) {
    for transform in settled.schedule.transforms() {
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
    use gw_exec::{ErrorKind, Executable, ReferenceVm};
    use gw_ir::Module;

    use super::*;

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
        let front = source::front(&program).unwrap();
        let wanted = source::schedule(&front, "bfs", None).unwrap();
        let attempt = Attempt { program: &program, front: &front, wanted: &wanted, explain: false };
        let run = |replaceable: bool| {
            let machine = Machine { vm: Box::new(Small), threads: 1, replaceable };
            let mut given_up = Vec::new();
            let finished = attempt.run(&machine, 1, &mut |may_be_given_up| {
                given_up.push(may_be_given_up);
                RunOptions::with_args(["path:9", "0"])
            });
            (finished, given_up)
        };
        let (finished, given_up) = run(true);
        let finished = finished.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((finished.prepared.machine(), &given_up[..]), ("cpu", &[true, false][..]));
        assert!(finished.ran.steps > 0);
        let (finished, given_up) = run(false);
        assert!(finished.is_err_and(|error| machines::out_of_memory(&error).is_some()));
        assert_eq!(given_up, [false]);
    }
}
