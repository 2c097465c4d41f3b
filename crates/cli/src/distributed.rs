//! The processes and workers that `--target flow` runs on: found, started, and told of in one message.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use clap::Args;
use graphwright::Machine;
use graphwright::machine::{Flow, MachineOptions, Machines};
use gw_flow::{Cluster, ClusterError, Ended, Exchange, Launch, LaunchError, Launched, Sync};

use crate::error::CliError;
use crate::machines::{FLOW, Target};
use crate::stop;

/// The variable with the token of a run.
const TOKEN: &str = "GW_FLOW_TOKEN";

/// The workers of the distributed machine.
#[derive(Args, Clone, Default)]
pub struct Distributed {
    /// Workers of every process, each with a part of the graph; with --target flow [default: 2, of several processes 1]
    #[arg(long, value_name = "N")]
    workers: Option<usize>,
    /// Start this many processes here, which share the work; with --target flow
    #[arg(long, value_name = "N", conflicts_with = "hosts")]
    processes: Option<usize>,
    /// A file with the addresses of all processes, one HOST:PORT per line; with --target flow. Processes that know the
    /// same word in the variable GW_FLOW_TOKEN accept each other
    #[arg(long, value_name = "FILE", requires = "process")]
    hosts: Option<PathBuf>,
    /// The number of this process among the --hosts, from 0 on
    #[arg(long, value_name = "I", requires = "hosts")]
    process: Option<usize>,
    /// Who is told of values and changes: those who need them, where there are several processes, and else everybody;
    /// everybody; or owners of vertices and those who have them at the end of an edge
    #[arg(long, value_name = "auto|all|mirrors", value_parser = exchange)]
    exchange: Option<Exchange>,
    /// When workers tell each other: after every operator; or, in loops that go on until nothing changes by `min=` or
    /// `max=`, when a worker has followed what it reached as far as its own vertices go, for deep graphs [default:
    /// step]
    #[arg(long, value_name = "step|drain", value_parser = sync)]
    sync: Option<Sync>,
    /// How many seconds the other --hosts are waited for [default: 8]
    #[arg(long, value_name = "SECONDS", requires = "hosts", value_parser = seconds)]
    wait: Option<Duration>,
}

/// This process, where another one has started it.
static LAUNCHED: OnceLock<Launched> = OnceLock::new();

impl Distributed {
    /// Whether anything was said about workers.
    pub fn is_given(&self) -> bool {
        let counts = [self.workers, self.processes, self.process];
        counts.iter().any(Option::is_some) || self.exchange.is_some() || self.sync.is_some()
    }

    /// Whether several processes share the work.
    pub fn is_spread(&self) -> bool {
        self.processes.is_some() || self.hosts.is_some()
    }

    /// Whether this process is to start others rather than to run the program.
    pub fn launches(&self) -> bool {
        self.processes.is_some() && !Launched::is_here()
    }

    /// Starts the processes and waits for their end; `limit` is the time limit of the run.
    pub fn launch(&self, target: &Target, limit: Option<Duration>, cancel: &AtomicBool) -> Result<(), CliError> {
        let processes = self.processes.unwrap_or(1);
        self.check(target)?;
        // What the processes would refuse is refused here, once.
        let addresses = (0..processes).map(|process| format!("127.0.0.1:{process}")).collect();
        if processes > 0 {
            Cluster::processes(self.workers(), 0, addresses).map_err(usage)?;
        }
        let program = std::env::current_exe()?;
        let launch = Launch { program, arguments: std::env::args_os().skip(1).collect(), processes, limit };
        stop::wait_for_others();
        cancel.store(false, Ordering::Relaxed);
        let ended = launch.run(cancel).map_err(|error| match error {
            LaunchError::Number(_) => CliError::Usage(error.to_string()),
            error => CliError::NoResult(error.to_string()),
        })?;
        cancel.store(true, Ordering::Relaxed);
        match ended {
            Ended { code: 0, .. } => Ok(()),
            ended if ended.stopped => {
                let code = u8::try_from(stop::interrupted()).unwrap_or(1);
                Err(CliError::Processes(Ended { code, ..ended }))
            }
            ended => Err(CliError::Processes(ended)),
        }
    }

    /// Meets the other processes, where there are any; `None` when nothing was said about workers. `cancel` is set when
    /// the process that has started this one asks it to end.
    pub fn gather(&self, target: &Target, cancel: &Arc<AtomicBool>) -> Result<Option<Cluster>, CliError> {
        if !self.is_given() {
            return Ok(None);
        }
        self.check(target)?;
        let cluster = match (&self.hosts, self.process, LAUNCHED.get()) {
            (Some(hosts), Some(process), _) => {
                let cluster = Cluster::from_hosts(self.workers(), process, hosts).map_err(usage)?;
                let cluster = cluster.with_token(std::env::var(TOKEN).unwrap_or_default());
                cluster.with_patience(self.wait.unwrap_or(gw_flow::PATIENCE))
            }
            (_, _, Some(launched)) => {
                let cancel = Arc::clone(cancel);
                let stop = move || stop::stop(&cancel);
                launched.cluster(self.workers(), stop, || stop::end_process(1)).map_err(usage)?
            }
            _ => Cluster::threads(self.workers()).map_err(usage)?,
        };
        let cluster = cluster.with_exchange(self.exchange.unwrap_or_default()).with_sync(self.sync.unwrap_or_default());
        let lost = |reason: &str| {
            if !tell_launcher(1, &format!("gw: {reason}")) {
                eprintln!("gw: {reason}");
            }
            stop::end_process(1)
        };
        cluster.meet(lost).map_err(|error| CliError::NoResult(error.to_string()))?;
        Ok(Some(cluster))
    }

    fn check(&self, target: &Target) -> Result<(), CliError> {
        match target.is_flow() {
            true => Ok(()),
            false => {
                let message = format!("--workers, --processes, --hosts, --exchange and --sync go with --target {FLOW}");
                Err(CliError::Usage(message))
            }
        }
    }

    /// Whether this process is the first or only one.
    pub fn is_first(&self) -> bool {
        self.process.or(LAUNCHED.get().map(|launched| launched.process)).unwrap_or(0) == 0
    }

    fn workers(&self) -> usize {
        self.workers.unwrap_or(if self.hosts.is_some() || self.processes.is_some() { 1 } else { 2 })
    }
}

fn usage(error: ClusterError) -> CliError {
    CliError::Usage(error.to_string())
}

/// The number of this process and of all, where another process has started it. The first call answers to that.
pub fn launched() -> Result<Option<(usize, usize)>, CliError> {
    if Launched::is_here() {
        stop::wake_without_parent();
    }
    if let Some(launched) = Launched::begin()? {
        // The only call comes first.
        let _ = LAUNCHED.set(launched);
    }
    Ok(LAUNCHED.get().map(|launched| (launched.process, launched.processes)))
}

/// Tells the process that has started this one why it fails; false where there is none, or it cannot be told.
pub fn tell_launcher(code: u8, text: &str) -> bool {
    LAUNCHED.get().is_some_and(|launched| launched.fail(code, text))
}

/// Opens the machine on a cluster; `threads` is 0 for all cores.
pub fn open(cluster: Cluster, threads: usize) -> Result<Machine, CliError> {
    let mut machines = Machines::none();
    machines.register(Flow(Some(cluster)));
    Ok(machines.open(FLOW, &MachineOptions { threads })?)
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.filter(|wait| !wait.is_zero()).ok_or_else(|| "a positive number of seconds is expected".to_string())
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
