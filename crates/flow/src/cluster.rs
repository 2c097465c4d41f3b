//! Who takes part: workers in one process, or in several processes that find each other by a list of addresses.
//!
//! A process listens at its own address and calls those before it in the list. Both sides say a greeting first, and
//! hang up on a process of another version or with another list. Nothing is encrypted and nobody is authenticated.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use thiserror::Error;

/// How long a process waits for the others.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often it tries again.
const PAUSE: Duration = Duration::from_millis(20);
/// How long the greeting of a process that has called may take.
const GREETING: Duration = Duration::from_secs(5);
/// The first bytes of a greeting.
const MAGIC: u64 = u64::from_be_bytes(*b"gw-flow1");
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
    #[error("process {process} cannot listen at {address}: {error}")]
    CannotListen {
        /// This process.
        process: usize,
        /// Its address.
        address: String,
        /// Why.
        error: std::io::Error,
    },
    /// Another process did not come.
    #[error("process {process} at {address} did not answer within {} s{}", PATIENCE.as_secs(), detail)]
    Absent {
        /// The process that is missing.
        process: usize,
        /// Its address.
        address: String,
        /// The last failure, after a colon.
        detail: String,
    },
    /// Another process is of another kind.
    #[error(
        "process {process} runs another version, has another hosts file or another number of workers; start all \
         processes with the same `gw`, hosts and --workers"
    )]
    Stranger {
        /// That process.
        process: usize,
    },
}

/// The workers of a run and where they are.
#[derive(Debug, Clone)]
pub struct Cluster {
    workers: usize,
    process: usize,
    /// One address per process; none for a single process.
    addresses: Vec<String>,
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
        let mut addresses = Vec::new();
        for (i, line) in text.lines().map(str::trim).enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let port = line.rsplit_once(':').filter(|(host, _)| !host.is_empty()).map(|(_, port)| port.parse::<u16>());
            if !matches!(port, Some(Ok(1..))) {
                let (path, text) = (path.to_path_buf(), line.to_string());
                return Err(ClusterError::NotAnAddress { path, line: i + 1, text });
            }
            addresses.push(line.to_string());
        }
        Cluster::processes(workers, process, addresses)
    }

    fn new(workers: usize, process: usize, addresses: Vec<String>) -> Result<Cluster, ClusterError> {
        let processes = addresses.len().max(1);
        if workers == 0 || workers.saturating_mul(processes) > MOST_WORKERS {
            return Err(ClusterError::Workers { workers, processes });
        }
        Ok(Cluster { workers, process, addresses })
    }

    /// Workers of this process.
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// Workers of all processes.
    pub fn workers_in_all(&self) -> usize {
        self.workers * self.addresses.len().max(1)
    }

    /// The number of this process.
    pub fn process(&self) -> usize {
        self.process
    }

    /// A socket to every other process, in their order; none for this one.
    pub(crate) fn connect(&self) -> Result<Vec<Option<TcpStream>>, ClusterError> {
        if self.addresses.len() < 2 {
            return Ok(Vec::new());
        }
        let deadline = Instant::now() + PATIENCE;
        let own = &self.addresses[self.process];
        let cannot = |error| ClusterError::CannotListen { process: self.process, address: own.clone(), error };
        // Listening begins first, so that those behind this process in the list need not try twice.
        let listener = TcpListener::bind(own).map_err(cannot)?;
        listener.set_nonblocking(true).map_err(cannot)?;
        let mut sockets: Vec<Option<TcpStream>> = self.addresses.iter().map(|_| None).collect();
        for (other, socket) in sockets.iter_mut().enumerate().take(self.process) {
            *socket = Some(self.call(other, deadline)?);
        }
        while let Some(missing) = (self.process + 1..sockets.len()).find(|&other| sockets[other].is_none()) {
            match listener.accept() {
                Ok((socket, _)) => {
                    // Whoever does not greet properly is not one of us: there may be others on this network.
                    if let Some((other, socket)) = self.greeted(socket)? {
                        sockets[other] = Some(socket);
                    }
                }
                Err(_) if Instant::now() >= deadline => return Err(self.absent(missing, None)),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                    std::thread::sleep(PAUSE);
                }
                Err(error) => return Err(cannot(error)),
            }
        }
        Ok(sockets)
    }

    /// Calls a process that is before this one in the list.
    fn call(&self, other: usize, deadline: Instant) -> Result<TcpStream, ClusterError> {
        loop {
            let failed = match self.try_call(other) {
                Ok((socket, greeting)) if greeting == self.greeting(other) => return Ok(socket),
                Ok(_) => return Err(ClusterError::Stranger { process: other }),
                Err(error) => error,
            };
            if Instant::now() >= deadline {
                return Err(self.absent(other, Some(failed)));
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn try_call(&self, other: usize) -> std::io::Result<(TcpStream, [u64; 3])> {
        let address = self.addresses[other].to_socket_addrs()?.next().ok_or(ErrorKind::AddrNotAvailable)?;
        let mut socket = TcpStream::connect_timeout(&address, GREETING)?;
        socket.set_nodelay(true)?;
        write_greeting(&mut socket, self.greeting(self.process))?;
        let greeting = read_greeting(&mut socket)?;
        Ok((socket, greeting))
    }

    /// A process that has called, after both have greeted.
    fn greeted(&self, mut socket: TcpStream) -> Result<Option<(usize, TcpStream)>, ClusterError> {
        let greeting = socket.set_nonblocking(false).and_then(|()| socket.set_nodelay(true));
        let Ok(greeting) = greeting.and_then(|()| read_greeting(&mut socket)) else { return Ok(None) };
        if greeting[0] != MAGIC {
            return Ok(None);
        }
        // The other side shall know why nothing comes of it.
        let answered = write_greeting(&mut socket, self.greeting(self.process));
        let other = greeting[1] as usize;
        if other <= self.process || other >= self.addresses.len() || greeting != self.greeting(other) {
            return Err(ClusterError::Stranger { process: other });
        }
        Ok(answered.is_ok().then_some((other, socket)))
    }

    /// What a process of this cluster says first: who it is, and what all of them must agree on.
    fn greeting(&self, process: usize) -> [u64; 3] {
        let agreed = format!("{} {} {}", env!("CARGO_PKG_VERSION"), self.workers, self.addresses.join(" "));
        // FNV-1a: the same on every machine.
        let hash = agreed.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        [MAGIC, process as u64, hash]
    }

    fn absent(&self, process: usize, error: Option<std::io::Error>) -> ClusterError {
        let detail = error.map(|error| format!(": {error}")).unwrap_or_default();
        ClusterError::Absent { process, address: self.addresses[process].clone(), detail }
    }
}

fn write_greeting(socket: &mut TcpStream, greeting: [u64; 3]) -> std::io::Result<()> {
    let bytes: Vec<u8> = greeting.iter().flat_map(|word| word.to_le_bytes()).collect();
    socket.write_all(&bytes)
}

fn read_greeting(socket: &mut TcpStream) -> std::io::Result<[u64; 3]> {
    socket.set_read_timeout(Some(GREETING))?;
    let mut words = [0; 3];
    for word in &mut words {
        let mut bytes = [0; 8];
        socket.read_exact(&mut bytes)?;
        *word = u64::from_le_bytes(bytes);
    }
    socket.set_read_timeout(None)?;
    Ok(words)
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
        assert!(read("a:1\n", 1).unwrap_err().contains("process 1 is not in the list of 1 addresses"));
        assert!(Cluster::threads(0).is_err() && Cluster::threads(MOST_WORKERS + 1).is_err());
        let missing = Cluster::from_hosts(1, 0, Path::new("/no/such/file")).unwrap_err().to_string();
        assert!(missing.contains("cannot read the hosts file /no/such/file"), "{missing}");
    }

    #[test]
    fn a_process_with_another_list_is_refused() {
        let free = || TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).unwrap().to_string();
        let (a, b) = (free(), free());
        let first = Cluster::processes(1, 0, vec![a.clone(), b.clone()]).unwrap();
        let second = Cluster::processes(2, 1, vec![a, b]).unwrap();
        let waiting = std::thread::spawn(move || first.connect().map(|_| ()).map_err(|e| e.to_string()));
        let refused = second.connect().map(|_| ()).map_err(|e| e.to_string());
        for refused in [refused, waiting.join().unwrap()] {
            assert!(refused.as_ref().is_err_and(|e| e.contains("another number of workers")), "{refused:?}");
        }
    }
}
