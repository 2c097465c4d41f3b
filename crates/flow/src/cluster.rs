//! Who takes part in a run: workers of one process, or of each of several processes that are connected.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use gw_fabric::{Fabric, Outer};
use thiserror::Error;

/// Workers in all that can take part.
const MOST_WORKERS: usize = 1 << 16;
/// Workers of one process.
const MOST_HERE: usize = 1024;

/// Why a cluster cannot be formed.
#[derive(Debug, Error)]
pub enum ClusterError {
    /// There must be workers, and not too many of them.
    #[error(
        "{workers} workers per process in {processes} processes: there must be 1 to {MOST_HERE} workers in a process, \
         and {MOST_WORKERS} in all at most"
    )]
    Workers {
        /// Workers per process.
        workers: usize,
        /// Processes.
        processes: usize,
    },
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

/// The workers of a run. Clones are the same cluster.
#[derive(Clone)]
pub struct Cluster {
    workers: usize,
    process: usize,
    processes: usize,
    exchange: Exchange,
    sync: Sync,
    /// The place of this process among several.
    outer: Arc<Mutex<Option<Outer>>>,
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cluster { workers, process, processes, .. } = self;
        write!(f, "Cluster {{ workers: {workers}, process: {process} of {processes} }}")
    }
}

impl Cluster {
    /// Workers in this process alone.
    pub fn threads(workers: usize) -> Result<Cluster, ClusterError> {
        Cluster::new(workers, None)
    }

    /// Workers in this process and in each of the others that a fabric connects.
    pub fn ranks(workers: usize, fabric: impl Fabric + 'static) -> Result<Cluster, ClusterError> {
        Cluster::new(workers, Some(Box::new(fabric)))
    }

    fn new(workers: usize, outer: Option<Outer>) -> Result<Cluster, ClusterError> {
        let (process, processes) = outer.as_ref().map_or((0, 1), |fabric| (fabric.rank(), fabric.size()));
        if workers == 0 || workers > MOST_HERE || workers.saturating_mul(processes) > MOST_WORKERS {
            return Err(ClusterError::Workers { workers, processes });
        }
        let (exchange, sync, outer) = (Exchange::default(), Sync::default(), Arc::new(Mutex::new(outer)));
        Ok(Cluster { workers, process, processes, exchange, sync, outer })
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
            Exchange::Auto => self.processes > 1,
            Exchange::All => false,
            Exchange::Mirrors => true,
        };
        Manners { to_mirrors, drains: self.sync == Sync::Drain }
    }

    /// The place of this process among several, while nobody else uses it.
    pub(crate) fn outer(&self) -> &Arc<Mutex<Option<Outer>>> {
        &self.outer
    }

    /// Ends the run of all processes for a reason. Returns where this process is alone.
    pub fn abort(&self, reason: &str) {
        if let Some(outer) = &mut *self.outer.lock().unwrap_or_else(PoisonError::into_inner) {
            outer.abort(reason);
        }
    }

    /// Workers of this process.
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// Workers of all processes.
    pub fn workers_in_all(&self) -> usize {
        self.workers * self.processes
    }

    /// The number of this process.
    pub fn process(&self) -> usize {
        self.process
    }

    /// The number of processes.
    pub fn number(&self) -> usize {
        self.processes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_workers_are_checked() {
        for workers in [0, MOST_HERE + 1] {
            let refused = Cluster::threads(workers).unwrap_err().to_string();
            assert!(refused.contains("there must be 1 to 1024 workers in a process"), "{refused}");
        }
        let cluster = Cluster::threads(3).unwrap();
        assert_eq!((cluster.workers_in_all(), cluster.process(), cluster.number()), (3, 0, 1));
    }
}
