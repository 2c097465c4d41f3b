//! A run on all workers of this process: the one that the caller walks, and its followers.
//!
//! Every worker walks the same program with the same arguments. The first worker of a process is the caller's own run.
//! When it meets its first operator, it connects the workers and starts a thread per further worker, which runs the
//! program from its beginning and catches up.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use gw_exec::{Environment, ErrorKind, Program, Result};
use gw_ir::module::Module;

use crate::cluster::Cluster;
use crate::session::{Session, Traffic};
use crate::wires::{self, End, Threads, Wires};
use crate::worker::WorkerVm;

/// How long the followers of a run that has ended may take to end, too.
const PATIENCE: Duration = Duration::from_secs(10);

/// How an executable begins its runs.
pub(crate) enum Start {
    /// It connects the workers.
    Leader { cluster: Arc<Cluster>, traffic: Arc<Traffic>, module: Arc<Module>, threads: usize },
    /// It is connected already, for its only run.
    Follower { wires: Option<Wires>, traffic: Arc<Traffic> },
}

impl Start {
    /// There is one worker.
    pub(crate) fn is_alone(&self) -> bool {
        match self {
            Start::Leader { cluster, .. } => cluster.workers_in_all() == 1,
            Start::Follower { .. } => false,
        }
    }

    pub(crate) fn begin(&mut self, env: &Environment) -> Result<Run> {
        let (cluster, traffic, module, threads) = match self {
            Start::Follower { wires, traffic } => {
                let again = || ErrorKind::Machine("a follower runs once".to_string());
                let session = Session::new(wires.take().ok_or_else(again)?, Arc::clone(traffic));
                return Ok(Run { session: Some(session), team: None, finished: false });
            }
            Start::Leader { cluster, traffic, module, threads } => (cluster, traffic, module, threads),
        };
        let no_replica = || {
            let message = "export functions run on one worker: their arguments are in the memory of one process";
            ErrorKind::Unsupported(message.to_string())
        };
        let options = env.replica_options().ok_or_else(no_replica)?;
        let machine = |reason: String| ErrorKind::Machine(reason);
        let sockets = cluster.connect().map_err(|error| machine(error.to_string()))?;
        let wired = wires::connect(cluster.workers(), cluster.process(), sockets).map_err(machine)?;
        let mut wires = wired.wires.into_iter();
        let first = wires.next().ok_or_else(|| machine("there is no worker".to_string()))?;
        let mut followers = Vec::new();
        for wires in wires {
            let (index, module, options) = (wires.index, Arc::clone(module), options.clone());
            let (end, vm) = (Arc::clone(&wired.end), WorkerVm::new(wires, Arc::clone(traffic), *threads));
            let name = format!("worker {index}");
            let thread = std::thread::Builder::new().name(name).spawn(move || {
                let ran = Program::prepare(&vm, module).and_then(|mut program| program.run(&options));
                if let Err(error) = ran {
                    end.tell(&format!("worker {index}: {error}"));
                }
            });
            followers.push(thread.map_err(|error| machine(format!("no thread for worker {index}: {error}")))?);
        }
        let session = Session::new(first, Arc::clone(traffic));
        let team = Team { followers, threads: Some(wired.threads), end: wired.end };
        Ok(Run { session: Some(session), team: Some(team), finished: false })
    }
}

/// A run of one worker.
pub(crate) struct Run {
    session: Option<Session>,
    team: Option<Team>,
    finished: bool,
}

/// The other workers of the process.
struct Team {
    followers: Vec<JoinHandle<()>>,
    threads: Option<Threads>,
    end: Arc<End>,
}

impl Run {
    /// The worker's place.
    pub(crate) fn session(&mut self) -> &mut Session {
        match &mut self.session {
            Some(session) => session,
            None => unreachable!("the session is taken when the run is dropped"),
        }
    }

    /// The program has come to its end; its results may still be fetched.
    pub(crate) fn finish(&mut self) {
        self.finished = true;
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if let (false, Some(session)) = (self.finished, &mut self.session) {
            session.fail("the run was given up");
        }
        let Some(mut team) = self.team.take() else { return };
        let since = Instant::now();
        let running = |team: &Team| team.followers.iter().any(|follower| !follower.is_finished());
        while self.finished && running(&team) && since.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_micros(50));
        }
        team.end.tell("the run was given up");
        self.session = None;
        for follower in team.followers.drain(..) {
            // A follower that panicked has told so on standard error.
            let _ = follower.join();
        }
        team.threads = None;
    }
}
