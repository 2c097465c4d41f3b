//! Who takes part: workers in one process, or in several processes that find each other by a list of addresses.

use std::fmt;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use thiserror::Error;

use crate::end::End;
use crate::meeting::Meeting;
use crate::pipe::Pipe;
use crate::vigil::Vigil;

/// How long a process waits for the others, unless somebody says otherwise.
pub const PATIENCE: Duration = Duration::from_secs(8);
/// Workers in all that can be connected.
const MOST_WORKERS: usize = 1024;

/// Why a cluster cannot be formed.
#[derive(Debug, Error)]
pub enum ClusterError {
    /// The file with the addresses cannot be read.
    #[error("cannot read the hosts file {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A line of the hosts file is not an address.
    #[error(
        "{} line {line}: `{text}` is not an address; write one HOST:PORT per line, as in 10.0.0.7:2101",
        path.display()
    )]
    NotAnAddress {
        /// The file.
        path: PathBuf,
        /// The line, from 1 on.
        line: usize,
        /// What stands there.
        text: String,
    },
    /// Two lines of the hosts file are the same.
    #[error("{} line {line}: `{text}` stands there twice; every process needs an address of its own", path.display())]
    SameAddress {
        /// The file.
        path: PathBuf,
        /// The line, from 1 on.
        line: usize,
        /// What stands there.
        text: String,
    },
    /// The number of this process is not one of the list.
    #[error("process {process} is not in the list of {processes} addresses: processes are numbered from 0 on")]
    NoSuchProcess {
        /// The number given.
        process: usize,
        /// Addresses in the list.
        processes: usize,
    },
    /// There must be workers, and not too many of them.
    #[error("{workers} workers per process in {processes} processes: there must be 1 to {MOST_WORKERS} workers in all")]
    Workers {
        /// Workers per process.
        workers: usize,
        /// Processes.
        processes: usize,
    },
    /// This process cannot listen at its own address.
    #[error(
        "process {process} cannot listen at {address}: {error}; is it already running here, or is this another host?"
    )]
    CannotListen {
        /// This process.
        process: usize,
        /// Its address.
        address: String,
        /// Why.
        error: std::io::Error,
    },
    /// Another process did not come.
    #[error("process {process} at {address} did not answer within {seconds} s{detail}")]
    Absent {
        /// The process that is missing.
        process: usize,
        /// Its address.
        address: String,
        /// How long it was waited for.
        seconds: f64,
        /// What was met instead, after a colon.
        detail: String,
    },
    /// Another process is of another kind.
    #[error("process {process} at {address} {how}; start all processes with the same `gw`, hosts and --workers")]
    Stranger {
        /// That process.
        process: usize,
        /// Where it is.
        address: String,
        /// What is different there.
        how: String,
    },
    /// Another process does not know the token.
    #[error(
        "process {process} at {address} does not have the token of this run: give all processes the same GW_FLOW_TOKEN"
    )]
    NoToken {
        /// That process.
        process: usize,
        /// Where it is.
        address: String,
    },
    /// The process that started this one is gone or says nonsense.
    #[error("the process that started this one does not answer: {0}")]
    Launcher(String),
}

/// Who is told of values and changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Exchange {
    /// Those who need them, where there are several processes; everybody in one process, where nothing is sent.
    #[default]
    Auto,
    /// Everybody.
    All,
    /// Owners, and whoever has the vertex at the end of an edge.
    Mirrors,
}

/// When workers tell each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sync {
    /// After every operator.
    #[default]
    Step,
    /// In loops that go on until nothing changes by `min=` or `max=`: when a worker has followed what it reached
    /// itself as far as its own vertices go.
    Drain,
}

/// How the workers of a run deal with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Manners {
    /// Values and changes go only to those who need them.
    pub(crate) to_mirrors: bool,
    /// Loops that can are drained.
    pub(crate) drains: bool,
}

/// The workers of a run and where they are. Clones are the same cluster.
#[derive(Clone)]
pub struct Cluster {
    pub(crate) workers: usize,
    pub(crate) process: usize,
    /// One address per process; none for a single process.
    pub(crate) addresses: Vec<String>,
    pub(crate) token: String,
    pub(crate) patience: Duration,
    exchange: Exchange,
    sync: Sync,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    listener: Option<TcpListener>,
    /// Connections for the next run.
    vigil: Option<Vigil>,
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cluster { workers, process, addresses, .. } = self;
        write!(f, "Cluster {{ workers: {workers}, process: {process}, addresses: {addresses:?} }}")
    }
}

impl Cluster {
    /// Workers in this process alone.
    pub fn threads(workers: usize) -> Result<Cluster, ClusterError> {
        Cluster::new(workers, 0, Vec::new())
    }

    /// Workers in processes at these addresses, of which this process is the one with number `process`.
    pub fn processes(workers: usize, process: usize, addresses: Vec<String>) -> Result<Cluster, ClusterError> {
        if process >= addresses.len() {
            return Err(ClusterError::NoSuchProcess { process, processes: addresses.len() });
        }
        Cluster::new(workers, process, addresses)
    }

    /// As [`Cluster::processes`], with the addresses in a file: one `HOST:PORT` per line, empty lines and those that
    /// begin with `#` left out.
    pub fn from_hosts(workers: usize, process: usize, path: &Path) -> Result<Cluster, ClusterError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| ClusterError::Unreadable { path: path.to_path_buf(), error })?;
        let mut addresses: Vec<String> = Vec::new();
        for (i, line) in text.lines().map(str::trim).enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (path, text, i) = (path.to_path_buf(), line.to_string(), i + 1);
            let port = line.rsplit_once(':').filter(|(host, _)| !host.is_empty()).map(|(_, port)| port.parse::<u16>());
            if !matches!(port, Some(Ok(1..))) {
                return Err(ClusterError::NotAnAddress { path, line: i, text });
            }
            if addresses.contains(&text) {
                return Err(ClusterError::SameAddress { path, line: i, text });
            }
            addresses.push(text);
        }
        Cluster::processes(workers, process, addresses)
    }

    fn new(workers: usize, process: usize, addresses: Vec<String>) -> Result<Cluster, ClusterError> {
        let processes = addresses.len().max(1);
        if workers == 0 || workers.saturating_mul(processes) > MOST_WORKERS {
            return Err(ClusterError::Workers { workers, processes });
        }
        let (token, patience, exchange, sync) = (String::new(), PATIENCE, Exchange::default(), Sync::default());
        Ok(Cluster { workers, process, addresses, token, patience, exchange, sync, state: Arc::default() })
    }

    /// With a word that all processes of the run must know.
    pub fn with_token(self, token: String) -> Cluster {
        Cluster { token, ..self }
    }

    /// With another time that the other processes are waited for.
    pub fn with_patience(self, patience: Duration) -> Cluster {
        Cluster { patience, ..self }
    }

    /// With another choice of who is told what.
    pub fn with_exchange(self, exchange: Exchange) -> Cluster {
        Cluster { exchange, ..self }
    }

    /// With another choice of when workers tell each other.
    pub fn with_sync(self, sync: Sync) -> Cluster {
        Cluster { sync, ..self }
    }

    pub(crate) fn manners(&self) -> Manners {
        let to_mirrors = match self.exchange {
            Exchange::Auto => self.number() > 1,
            Exchange::All => false,
            Exchange::Mirrors => true,
        };
        Manners { to_mirrors, drains: self.sync == Sync::Drain }
    }

    /// With a socket at which this process listens already.
    pub(crate) fn with_listener(self, listener: TcpListener) -> Cluster {
        self.state().listener = Some(listener);
        self
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Workers of this process.
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// Workers of all processes.
    pub fn workers_in_all(&self) -> usize {
        self.workers * self.number()
    }

    /// The number of this process.
    pub fn process(&self) -> usize {
        self.process
    }

    /// The number of processes.
    pub fn number(&self) -> usize {
        self.addresses.len().max(1)
    }

    /// Processes at the host of this one, itself included.
    pub fn processes_here(&self) -> usize {
        let host = |address: &String| address.rsplit_once(':').map_or(String::new(), |(host, _)| host.to_string());
        let own = self.addresses.get(self.process).map(host);
        self.addresses.iter().filter(|address| Some(host(address)) == own).count().max(1)
    }

    /// Meets the other processes, for the first run. Whoever is lost from then on until the run begins is told to
    /// `lost`, from another thread. A later run meets them anew, when it begins.
    pub fn meet(&self, lost: impl Fn(&str) + Send + 'static) -> Result<(), ClusterError> {
        if self.addresses.len() < 2 {
            return Ok(());
        }
        let mut state = self.state();
        let sockets = self.sockets(&mut state)?;
        let named = sockets.into_iter().enumerate().map(|(other, socket)| (self.named(other), socket)).collect();
        state.vigil = Some(Vigil::over(named, lost));
        Ok(())
    }

    /// A pipe to every other process, in their order; none for this one.
    pub(crate) fn connect(&self, end: &Arc<End>) -> Result<Vec<Option<Pipe>>, ClusterError> {
        if self.addresses.len() < 2 {
            return Ok(Vec::new());
        }
        let mut state = self.state();
        let sockets = match state.vigil.take() {
            Some(vigil) => vigil.end(),
            None => self.sockets(&mut state)?,
        };
        let pipe = |(other, socket): (usize, Option<TcpStream>)| {
            let pipe = socket.map(|socket| Pipe::new(socket, self.named(other), Arc::clone(end)));
            pipe.transpose().map_err(|error| self.absent(other, format!(": {error}")))
        };
        sockets.into_iter().enumerate().map(pipe).collect()
    }

    /// A socket to every other process, in their order; none for this one.
    fn sockets(&self, state: &mut State) -> Result<Vec<Option<TcpStream>>, ClusterError> {
        let own = &self.addresses[self.process];
        let cannot = |error| ClusterError::CannotListen { process: self.process, address: own.clone(), error };
        // Listening begins first, so that those behind this process in the list need not try twice.
        let listener = match state.listener.take() {
            Some(listener) => listener,
            None => TcpListener::bind(own).map_err(cannot)?,
        };
        listener.set_nonblocking(true).map_err(cannot)?;
        let sockets = Meeting::new(self).sockets(&listener);
        state.listener = Some(listener);
        sockets
    }

    /// A process in messages.
    fn named(&self, process: usize) -> String {
        format!("process {process} at {}", self.addresses[process])
    }

    pub(crate) fn absent(&self, process: usize, detail: String) -> ClusterError {
        let (address, seconds) = (self.addresses[process].clone(), self.patience.as_secs_f64());
        ClusterError::Absent { process, address, seconds, detail }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_files_are_read_and_bad_ones_named() {
        let path = std::env::temp_dir().join(format!("gw-flow-hosts-{}", std::process::id()));
        let read = |text: &str, process| {
            std::fs::write(&path, text).unwrap();
            let cluster = Cluster::from_hosts(2, process, &path);
            std::fs::remove_file(&path).unwrap();
            cluster.map_err(|e| e.to_string())
        };
        let cluster = read("# two\n\n10.0.0.1:2101\n[::1]:2102\n", 1).unwrap();
        assert_eq!((cluster.workers(), cluster.workers_in_all(), cluster.process()), (2, 4, 1));
        for bad in ["here\n", ":7\n", "here:0\n", "here:70000\n"] {
            let error = read(&format!("a:1\n{bad}"), 0).unwrap_err();
            assert!(error.contains("line 2: `") && error.contains("write one HOST:PORT per line"), "{error}");
        }
        assert!(read("a:1\na:1\n", 0).unwrap_err().contains("line 2: `a:1` stands there twice"));
        assert!(read("a:1\n", 1).unwrap_err().contains("process 1 is not in the list of 1 addresses"));
        let here = |process| read("a:1\na:2\nb:1\n", process).unwrap().processes_here();
        assert_eq!([here(0), here(1), here(2), Cluster::threads(3).unwrap().processes_here()], [2, 2, 1, 1]);
        assert!(Cluster::threads(0).is_err() && Cluster::threads(MOST_WORKERS + 1).is_err());
        let missing = Cluster::from_hosts(1, 0, Path::new("/no/such/file")).unwrap_err().to_string();
        assert!(missing.contains("cannot read the hosts file /no/such/file"), "{missing}");
    }
}
