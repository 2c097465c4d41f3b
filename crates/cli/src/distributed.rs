//! The workers and ranks that `--target flow` runs on: threads of this process, and processes that an MPI has started.

use std::io::Write;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use clap::Args;
use graphwright::Machine;
use graphwright::machine::{Flow, MachineOptions, Machines};
use gw_flow::{Cluster, ClusterError, Exchange, Sync};
use gw_graph::GraphSpec;
use gw_mpi::{Cores, Mpi, MpiError};

use crate::error::CliError;
use crate::machines::{FLOW, Target};
use crate::silence;

/// The workers of the distributed machine.
#[derive(Args, Clone, Default)]
pub struct Distributed {
    /// Workers of every process, each with a part of the graph; with --target flow [default: 2, of several processes 1]
    #[arg(long, value_name = "N")]
    workers: Option<usize>,
    /// Run as this many processes, which share the work, as `mpiexec -n N gw run ...` does; with --target flow
    #[arg(long, value_name = "N")]
    processes: Option<usize>,
    /// Who is told of values and changes: those who need them, where there are several processes, and else everybody;
    /// everybody; or owners of vertices and those who have them at the end of an edge
    #[arg(long, value_name = "auto|all|mirrors", value_parser = exchange)]
    exchange: Option<Exchange>,
    /// When workers tell each other: after every operator; or, in loops that go on until nothing changes by `min=` or
    /// `max=`, when a worker has followed what it reached as far as its own vertices go, for deep graphs [default:
    /// step]
    #[arg(long, value_name = "step|drain", value_parser = sync)]
    sync: Option<Sync>,
    /// Gone: what replaced it is told.
    #[arg(long, hide = true)]
    hosts: Option<String>,
    /// As `hosts`.
    #[arg(long, hide = true)]
    process: Option<String>,
    /// As `hosts`.
    #[arg(long, hide = true)]
    wait: Option<String>,
}

/// The place of this process among the ranks that were started together.
struct Joined {
    rank: usize,
    size: usize,
    /// Until the machine is opened.
    fabric: Mutex<Option<Mpi>>,
}

/// How long a launcher may take to hand on what a rank has said, before the rank ends all of them: it may leave behind
/// what it has not read by then.
const DELIVERY: Duration = Duration::from_millis(200);

static JOINED: OnceLock<Joined> = OnceLock::new();

impl Distributed {
    /// Whether several processes share the work.
    pub fn is_spread(&self, target: &Target) -> bool {
        self.processes.is_some() || (target.is_flow() && gw_mpi::launched().is_some())
    }

    /// Refuses arguments that the processes cannot all read.
    pub fn check_inputs(&self, target: &Target, arguments: &[String]) -> Result<(), CliError> {
        let several = self.is_spread(target) && self.processes != Some(1);
        if several && arguments.iter().any(|argument| GraphSpec::is_standard_input(argument)) {
            leave_it_to_the_first();
            let message = "several processes cannot share standard input; give the graph as a file, which all can read";
            return Err(CliError::Usage(message.to_string()));
        }
        Ok(())
    }

    /// Refuses what does not go with the machine, and what is gone.
    pub fn check(&self, target: &Target) -> Result<(), CliError> {
        self.checked(target).inspect_err(|_| leave_it_to_the_first())
    }

    fn checked(&self, target: &Target) -> Result<(), CliError> {
        let gone = [("--hosts", &self.hosts), ("--process", &self.process), ("--wait", &self.wait)];
        if let Some((name, _)) = gone.into_iter().find(|(_, given)| given.is_some()) {
            let message = format!(
                "{name} is gone: MPI starts the processes of several hosts, as in `mpirun -hostfile FILE -n 4 gw run \
                 PROGRAM GRAPH --target {FLOW}` or `srun -n 4 gw run ...`"
            );
            return Err(CliError::Usage(message));
        }
        let is_given = self.workers.is_some() || self.processes.is_some();
        if (is_given || self.exchange.is_some() || self.sync.is_some()) && !target.is_flow() {
            let message = format!("--workers, --processes, --exchange and --sync go with --target {FLOW}");
            return Err(CliError::Usage(message));
        }
        if self.processes == Some(0) {
            return Err(CliError::Usage("--processes 0: there must be 1 process at least".to_string()));
        }
        Ok(())
    }

    /// Joins the ranks that a launcher has started, or starts ranks in the place of this process where that is asked
    /// for. Returns the threads that this process may use, of `threads`, 0 for all cores.
    pub fn join(&self, target: &Target, threads: usize) -> Result<usize, CliError> {
        if !self.is_spread(target) {
            return Ok(threads);
        }
        let Some(launched) = gw_mpi::launched() else {
            // What the processes would refuse is refused here, once.
            Cluster::threads(self.workers(target)).map_err(usage)?;
            let error = gw_mpi::replace_by_ranks(self.processes.unwrap_or(1));
            return Err(CliError::NoResult(error.to_string()));
        };
        if launched.rank > 0 {
            silence::begin();
        }
        let unopened = |error: MpiError| {
            leave_it_to_the_first();
            CliError::NoResult(error.to_string())
        };
        let (fabric, cores) = gw_mpi::open().map_err(unopened)?;
        let (rank, size) = gw_mpi::place().unwrap_or((0, 1));
        // There is one command.
        let _ = JOINED.set(Joined { rank, size, fabric: Mutex::new(Some(fabric)) });
        if let Some(processes) = self.processes.filter(|&processes| processes != size) {
            return Err(CliError::Usage(format!("--processes {processes}, but {size} ranks were started")));
        }
        let wanted = cores.here * self.workers(target);
        if rank == 0 && wanted > cores.in_all {
            let Cores { in_all, here, .. } = cores;
            eprintln!(
                "gw: warning: {here} processes here want {wanted} cores and have {in_all}: an exchange takes many \
                 times as long; start fewer, each has threads"
            );
        }
        Ok(if threads == 0 { cores.own } else { threads })
    }

    /// The workers, where something was said about them or a launcher has started several processes.
    pub fn cluster(&self, target: &Target) -> Result<Option<Cluster>, CliError> {
        let fabric =
            JOINED.get().and_then(|joined| joined.fabric.lock().unwrap_or_else(PoisonError::into_inner).take());
        let workers = self.workers(target);
        let cluster = match fabric {
            Some(fabric) => Cluster::ranks(workers, fabric),
            None if self.workers.is_none() && self.exchange.is_none() && self.sync.is_none() => return Ok(None),
            None => Cluster::threads(workers),
        };
        let cluster = cluster.map_err(usage)?.with_exchange(self.exchange.unwrap_or_default());
        Ok(Some(cluster.with_sync(self.sync.unwrap_or_default())))
    }

    fn workers(&self, target: &Target) -> usize {
        self.workers.unwrap_or(if self.is_spread(target) { 1 } else { 2 })
    }
}

fn usage(error: ClusterError) -> CliError {
    CliError::Usage(error.to_string())
}

/// Before ranks are connected: all of them find the same, and the first one tells of it.
fn leave_it_to_the_first() {
    if gw_mpi::launched().is_some_and(|launched| launched.rank > 0) {
        silence::begin();
        silence::forever();
    }
}

/// Whether this process is the first or only one.
pub fn is_first() -> bool {
    JOINED.get().is_none_or(|joined| joined.rank == 0)
}

/// Leaves the other ranks in good order, where there are any.
pub fn leave() -> Result<(), CliError> {
    gw_mpi::finish().map_err(|error| CliError::NoResult(error.to_string()))
}

/// Tells of a failure by `tell`, and ends all ranks. Of several that have failed at the same time, one tells. Returns
/// where this process is alone.
pub fn fail(code: u8, tell: impl FnOnce()) {
    if gw_mpi::speaker() {
        silence::end();
        if let Some(joined) = JOINED.get().filter(|joined| joined.rank > 0) {
            eprintln!("gw: process {} of {} failed:", joined.rank, joined.size);
        }
        tell();
    }
    // The reader of the output may have gone.
    let _ = std::io::stdout().flush();
    if gw_mpi::place().is_some() {
        // All was said; the library would add that it was asked to end.
        silence::begin();
        std::thread::sleep(DELIVERY);
        gw_mpi::abort(code);
    }
}

/// Opens the machine on a cluster; `threads` is 0 for all cores.
pub fn open(cluster: Cluster, threads: usize) -> Result<Machine, CliError> {
    let mut machines = Machines::none();
    machines.register(Flow(Some(cluster)));
    Ok(machines.open(FLOW, &MachineOptions { threads })?)
}

fn sync(text: &str) -> Result<Sync, String> {
    match text {
        "step" => Ok(Sync::Step),
        "drain" => Ok(Sync::Drain),
        _ => Err("step or drain is expected".to_string()),
    }
}

fn exchange(text: &str) -> Result<Exchange, String> {
    match text {
        "auto" => Ok(Exchange::Auto),
        "all" => Ok(Exchange::All),
        "mirrors" => Ok(Exchange::Mirrors),
        _ => Err("auto, all or mirrors is expected".to_string()),
    }
}
