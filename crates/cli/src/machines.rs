//! The machines that `--target` names, and which of them `auto` is.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use graphwright::{AUTO, Machine, MachineKind, MachineOptions, Machines, Swarm};
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

/// The parameters of a simulated machine.
#[derive(Args, Clone, Default)]
pub struct Simulated {
    /// Cores of the simulated machine; with --target swarm
    #[arg(long, value_name = "N")]
    pub cores: Option<usize>,
    #[command(flatten)]
    pub parameters: Parameters,
}

/// Where the parameters of a simulated machine come from.
#[derive(Args, Clone, Default)]
pub struct Parameters {
    /// Parameters of the simulated machine: thesis, t4 or sample, or a TOML file; with --target swarm
    #[arg(long, value_name = "NAME|FILE")]
    machine: Option<String>,
}

impl Parameters {
    /// The parameters.
    pub fn config(&self) -> Result<gw_swarm::Config, CliError> {
        let usage = |error: gw_swarm::ConfigError| CliError::Usage(format!("--machine: {error}"));
        match self.machine.as_deref() {
            None => Ok(gw_swarm::Config::default()),
            Some(file) if std::path::Path::new(file).is_file() => {
                let text = std::fs::read_to_string(file)
                    .map_err(|error| CliError::Usage(format!("--machine: {file}: {error}")))?;
                gw_swarm::Config::from_toml(&text).map_err(usage)
            }
            Some(name) => gw_swarm::Config::preset(name).map_err(usage),
        }
    }
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

    /// Opens the machine with what was said about a simulated one; `threads` is 0 for all cores.
    pub fn open_simulated(&self, simulated: &Simulated, threads: usize) -> Result<Opened, CliError> {
        if simulated.cores.is_none() && simulated.parameters.machine.is_none() {
            return self.open(threads);
        }
        if self.0 != SWARM {
            return Err(CliError::Usage(format!("--cores and --machine go with --target {SWARM}")));
        }
        let config = simulated.parameters.config()?;
        let cores = simulated.cores.unwrap_or(config.cores);
        let mut machines = Machines::none();
        machines.register(Swarm(config.with_cores(cores)));
        let machine = machines.open(SWARM, &MachineOptions { threads })?;
        Ok(Opened { machine, replaceable: false })
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

/// The simulated machine.
const SWARM: &str = "swarm";
/// The machine that can run everything that fits into the memory of the host.
const CPU: &str = "cpu";

/// The CPU; `threads` is 0 for all cores.
pub fn cpu(threads: usize) -> Result<Machine, CliError> {
    Ok(Machines::standard().open(CPU, &MachineOptions { threads })?)
}
