//! The machines that `--target` names, and which of them `auto` is.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use graphwright::machine::{self, Begun, Family, MachineKind, MachineOptions, Machines, Swarm, Work};
use graphwright::schedule::AUTO;
use graphwright::{Machine, Note};

use crate::error::CliError;

/// The name of a machine, or `auto`.
#[derive(Clone, PartialEq, Eq)]
pub struct Target(String);

/// Reads the name of a machine.
pub fn target() -> impl TypedValueParser<Value = Target> {
    let machines = Machines::standard();
    let known = machines.iter().map(|kind| PossibleValue::new(kind.name()).help(kind.about()));
    let auto = PossibleValue::new(AUTO)
        .help("The GPU where there is one, the graph fits, and the run is expected to end sooner; else the processor");
    PossibleValuesParser::new(known.chain([auto]).collect::<Vec<_>>()).map(Target)
}

/// The parameters of a simulated machine.
#[derive(Args, Clone, Default)]
pub struct Simulated {
    /// Cores of the simulated machine; with --target swarm
    #[arg(long, value_name = "N")]
    pub cores: Option<usize>,
    /// All other parameters.
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

impl Target {
    /// Whether the machine is to be chosen for the run.
    pub fn is_auto(&self) -> bool {
        self.0 == AUTO
    }

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

    /// Whether the machine is the distributed one.
    pub fn is_flow(&self) -> bool {
        self.0 == FLOW
    }

    /// Whether the machine is the GPU.
    pub fn is_cuda(&self) -> bool {
        self.0 == CUDA
    }

    /// Begins to open a machine that takes time to start; `graph` is the text of the graph, where one is named. For
    /// `auto` that is done only where the graph is large.
    pub fn begin(&self, threads: usize, graph: Option<&str>) -> Begun {
        let begun = machine::Target::named(&self.0).threads(threads).begin(graph);
        if begun.is_starting() {
            // Whatever happens from here on: a driver that another thread has just called is not tidied up.
            crate::stop::hurry();
        }
        begun
    }

    /// The machine that was begun, or the simulated one where its parameters are given.
    pub fn finish(
        &self,
        begun: Begun,
        simulated: &Simulated,
        threads: usize,
        work: Option<&Work<'_>>,
    ) -> Result<Machine, CliError> {
        match simulated.is_given() {
            true => simulated.open(&self.0, threads),
            false => Ok(begun.finish(work)?),
        }
    }

    /// Opens the machine; `threads` is 0 for all cores. The failure of a machine that exists is reported.
    pub fn open(&self, threads: usize) -> Result<Machine, CliError> {
        let machine = self.begin(threads, None).finish(None)?;
        for missing in machine.start().failed.clone() {
            eprintln!("gw: {}", Note::MachineFailed { missing, instead: machine.name().to_string() });
        }
        Ok(machine)
    }
}

impl Simulated {
    fn is_given(&self) -> bool {
        self.cores.is_some() || self.parameters.machine.is_some()
    }

    /// Opens the simulated machine that the parameters describe.
    fn open(&self, name: &str, threads: usize) -> Result<Machine, CliError> {
        if name != SWARM {
            return Err(CliError::Usage(format!("--cores and --machine go with --target {SWARM}")));
        }
        let config = self.parameters.config()?;
        let cores = self.cores.unwrap_or(config.cores);
        let mut machines = Machines::none();
        machines.register(Swarm(config.with_cores(cores)));
        Ok(machines.open(SWARM, &MachineOptions { threads })?)
    }
}

/// The simulated machine.
const SWARM: &str = "swarm";
/// The distributed machine.
pub const FLOW: &str = "flow";
/// The GPU.
const CUDA: &str = "cuda";
