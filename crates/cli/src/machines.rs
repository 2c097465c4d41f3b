//! The machines that `--target` names, and which of them `auto` is.

use std::time::Instant;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use graphwright::{AUTO, Machine, MachineKind, MachineOptions, Machines, Opening, Swarm, Worth};
use gw_graph::Graph;
use gw_schedule::Family;

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
    /// Why `auto` is this machine, where that was weighed.
    pub worth: Option<Worth>,
    /// Seconds that opening it took, waited for or not.
    pub seconds: f64,
}

/// A machine that may be on its way already, while the graph is read.
pub struct Begun<'a> {
    target: &'a Target,
    opening: Option<Opening>,
}

/// A run that a machine is chosen for.
pub struct Work<'a> {
    /// The name of the program.
    pub program: &'a str,
    /// Its graph, where that is known before the run.
    pub graph: Option<&'a Graph>,
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
    pub fn begin(&self, threads: usize, graph: Option<&str>) -> Begun<'_> {
        let name = match self.0.as_str() {
            AUTO if graph.is_some_and(graphwright::is_worth_starting) => Some(CUDA),
            AUTO => None,
            name => Some(name),
        };
        let opening = name.and_then(|name| Machines::begin(name, &MachineOptions { threads }));
        if opening.is_some() {
            // Whatever happens from here on: nobody tidies up after a driver that another thread has just called.
            crate::stop::hurry();
        }
        Begun { target: self, opening }
    }

    /// Opens the machine with what was said about a simulated one; `threads` is 0 for all cores.
    pub fn open_simulated(&self, simulated: &Simulated, threads: usize) -> Result<Opened, CliError> {
        self.begin(threads, None).finish(simulated, threads, None)
    }

    /// Opens the machine; `threads` is 0 for all cores.
    pub fn open(&self, threads: usize) -> Result<Opened, CliError> {
        self.open_simulated(&Simulated::default(), threads)
    }
}

impl Begun<'_> {
    /// The machine, opened with what was said about a simulated one; `threads` is 0 for all cores. `auto` is the
    /// machine that is expected to be done first with `work`, and without work the best one at hand.
    pub fn finish(self, simulated: &Simulated, threads: usize, work: Option<&Work<'_>>) -> Result<Opened, CliError> {
        let name = self.target.0.as_str();
        if simulated.cores.is_some() || simulated.parameters.machine.is_some() {
            return simulated.open(name, threads);
        }
        let options = MachineOptions { threads };
        if name != AUTO {
            return self.open(name, &options);
        }
        let cores = if threads == 0 { std::thread::available_parallelism().map_or(1, usize::from) } else { threads };
        let started = self.opening.as_ref().map_or(0.0, Opening::elapsed);
        let worth = work.and_then(|work| Some(graphwright::worth(work.program, work.graph?, cores, started)));
        if worth.as_ref().is_some_and(|worth| !worth.on_device) {
            // A device that was started in vain is not waited for.
            let machine = Machines::standard().open(CPU, &options)?;
            return Ok(Opened { machine, replaceable: false, worth, seconds: 0.0 });
        }
        let start = Instant::now();
        let (machine, failed, seconds) = match self.opening.map(Opening::finish) {
            Some(graphwright::Opened { machine: Ok(machine), seconds }) => (machine, Vec::new(), seconds),
            Some(graphwright::Opened { machine: Err(missing), .. }) if !missing.is_absent => {
                (cpu(threads)?, vec![missing], start.elapsed().as_secs_f64())
            }
            Some(_) | None => {
                let (machine, failed) = Machines::standard().open_auto(&options)?;
                (machine, failed, start.elapsed().as_secs_f64())
            }
        };
        // No GPU is nothing to talk about; one that is there and fails is.
        for missing in failed {
            eprintln!("gw: {}: {}; running on {}", missing.machine, missing.lacks, machine.name());
        }
        let replaceable = machine.name() != CPU;
        Ok(Opened { machine, replaceable, worth: worth.filter(|_| replaceable), seconds })
    }

    fn open(self, name: &str, options: &MachineOptions) -> Result<Opened, CliError> {
        let start = Instant::now();
        let (machine, seconds) = match self.opening.map(Opening::finish) {
            Some(opened) => (opened.machine.map_err(graphwright::Error::from)?, opened.seconds),
            None => (Machines::standard().open(name, options)?, start.elapsed().as_secs_f64()),
        };
        Ok(Opened { machine, replaceable: false, worth: None, seconds })
    }
}

impl Simulated {
    /// Opens the simulated machine that the parameters describe.
    fn open(&self, name: &str, threads: usize) -> Result<Opened, CliError> {
        if name != SWARM {
            return Err(CliError::Usage(format!("--cores and --machine go with --target {SWARM}")));
        }
        let config = self.parameters.config()?;
        let cores = self.cores.unwrap_or(config.cores);
        let mut machines = Machines::none();
        machines.register(Swarm(config.with_cores(cores)));
        let machine = machines.open(SWARM, &MachineOptions { threads })?;
        Ok(Opened { machine, replaceable: false, worth: None, seconds: 0.0 })
    }
}

/// The simulated machine.
const SWARM: &str = "swarm";
/// The distributed machine.
pub const FLOW: &str = "flow";
/// The machine that can run everything that fits into the memory of the host.
const CPU: &str = "cpu";
/// The machine that takes time to start.
const CUDA: &str = "cuda";

/// The CPU; `threads` is 0 for all cores.
pub fn cpu(threads: usize) -> Result<Machine, CliError> {
    Ok(Machines::standard().open(CPU, &MachineOptions { threads })?)
}
