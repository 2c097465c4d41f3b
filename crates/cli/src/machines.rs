//! The machines that `--target` names, and which of them `auto` is.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use graphwright::{AUTO, Machine, MachineKind, MachineOptions, Machines};
use gw_schedule::Family;

use crate::error::CliError;

/// The name of a machine, or `auto`.
#[derive(Clone, PartialEq, Eq)]
pub struct Target(String);

/// Reads the name of a machine.
pub fn target() -> impl TypedValueParser<Value = Target> {
    let machines = Machines::standard();
    let known = machines.iter().map(|kind| PossibleValue::new(kind.name()).help(kind.about()));
    let auto = PossibleValue::new(AUTO).help("The GPU where there is one and the graph fits, else the processor");
    PossibleValuesParser::new(known.chain([auto]).collect::<Vec<_>>()).map(Target)
}

/// A machine that was opened.
pub struct Opened {
    /// The machine.
    pub machine: Machine,
    /// It was chosen and not asked for: the CPU may take over from it.
    pub replaceable: bool,
}

impl Target {
    /// Its name in records and its family, without opening it.
    pub fn name_and_family(&self) -> Result<(&'static str, Family), CliError> {
        if self.0 == AUTO {
            let names: Vec<&str> = Machines::standard().iter().map(MachineKind::name).collect();
            let message = format!("--target {AUTO}: name the machine here: {}", names.join(", "));
            return Err(CliError::Usage(message));
        }
        let machines = Machines::standard();
        let kind: &dyn MachineKind = machines.find(&self.0)?;
        Ok((kind.name(), kind.family()))
    }

    /// Opens the machine; `threads` is 0 for all cores.
    pub fn open(&self, threads: usize) -> Result<Opened, CliError> {
        let (machines, options) = (Machines::standard(), MachineOptions { threads });
        if self.0 != AUTO {
            return Ok(Opened { machine: machines.open(&self.0, &options)?, replaceable: false });
        }
        let (machine, failed) = machines.open_auto(&options)?;
        // No GPU is nothing to talk about; one that is there and fails is.
        for missing in failed {
            eprintln!("gw: {}: {}; running on {}", missing.machine, missing.lacks, machine.name());
        }
        let replaceable = machine.name() != CPU;
        Ok(Opened { machine, replaceable })
    }
}

/// The machine that can run everything that fits into the memory of the host.
const CPU: &str = "cpu";

/// The CPU; `threads` is 0 for all cores.
pub fn cpu(threads: usize) -> Result<Machine, CliError> {
    Ok(Machines::standard().open(CPU, &MachineOptions { threads })?)
}
