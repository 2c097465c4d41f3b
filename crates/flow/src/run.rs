//! A run on all workers of this process: the one that the caller walks, and its followers.
//!
//! Every worker walks the same program with the same arguments. The first worker of a process is the caller's own run.
//! When it meets its first operator, it connects the workers and starts a thread per further worker, which runs the
//! program from its beginning and catches up. Their programs are compiled once and stay for later runs.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use gw_exec::{Environment, ErrorKind, ExecError, Program, Result, RunOptions};
use gw_fabric::{End, Fabric, Place, places};
use gw_ir::module::Module;

use crate::cluster::{Cluster, Manners};
use crate::session::{Session, Traffic};
use crate::worker::WorkerVm;

/// How long the followers of a run that has ended may take to end, too.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where a follower finds its place in the next run.
pub(crate) type Seat = Arc<Mutex<Option<Place>>>;

/// A further worker of this process: its program, while it does not run, and its seat.
pub(crate) struct Follower {
    program: Arc<Mutex<Option<Program>>>,
    seat: Seat,
}

impl Follower {
    /// Compiles a module for a worker with this many threads.
    pub(crate) fn new(
        module: &Arc<Module>,
        traffic: &Arc<Traffic>,
        threads: usize,
        manners: Manners,
    ) -> Result<Follower> {
        let seat = Seat::default();
        let vm = WorkerVm::new(Arc::clone(&seat), Arc::clone(traffic), threads, manners);
        let program = Program::prepare(&vm, Arc::clone(module))?;
        Ok(Follower { program: Arc::new(Mutex::new(Some(program))), seat })
    }

    /// Runs the program on a thread of its own.
    fn start(&self, place: Place, options: RunOptions) -> Result<JoinHandle<()>> {
        let machine = |reason: String| ErrorKind::Machine(reason);
        let (index, end) = (place.rank(), Arc::clone(place.end()));
        let program = self.program.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut program = program.ok_or_else(|| machine(format!("worker {index} is still at work")))?;
        *self.seat.lock().unwrap_or_else(PoisonError::into_inner) = Some(place);
        let kept = Arc::clone(&self.program);
        let run = move || {
            if let Err(error) = program.run(&options) {
                if is_found_by_all(&error) {
                    wait_for(&end);
                }
                let line = match error.span().line {
                    0 => String::new(),
                    line => format!("line {line}: "),
                };
                end.tell(&format!("worker {index}: {line}{error}"));
            }
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(program);
        };
        let thread = std::thread::Builder::new().name(format!("worker {index}")).spawn(run);
        Ok(thread.map_err(|error| machine(format!("no thread for worker {index}: {error}")))?)
    }
}

/// Whether the leader finds the same at the same place of the program, where the words are its own and not those of a
/// worker: what the program or the checkpoint is like, and not what is among the edges of one worker.
fn is_found_by_all(error: &ExecError) -> bool {
    matches!(error.kind(), ErrorKind::Unsupported(_) | ErrorKind::Checkpoint { .. })
}

/// Waits until another worker has ended the run, but not for ever.
fn wait_for(end: &End) {
    let since = Instant::now();
    while !end.is_told() && since.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// How an executable begins its runs.
pub(crate) enum Start {
    /// It connects the workers.
    Leader { cluster: Arc<Cluster>, traffic: Arc<Traffic>, followers: Vec<Follower>, threads: usize },
    /// Its leader has connected it before.
    Follower { seat: Seat, traffic: Arc<Traffic>, manners: Manners },
}

impl Start {
    /// There is one worker.
    pub(crate) fn is_alone(&self) -> bool {
        match self {
            Start::Leader { cluster, .. } => cluster.workers_in_all() == 1,
            Start::Follower { .. } => false,
        }
    }

    /// There are several workers in this process.
    pub(crate) fn has_replicas(&self) -> bool {
        match self {
            Start::Leader { followers, .. } => !followers.is_empty(),
            Start::Follower { .. } => true,
        }
    }

    /// How the workers deal with each other.
    pub(crate) fn manners(&self) -> Manners {
        match self {
            Start::Leader { cluster, .. } => cluster.manners(),
            Start::Follower { manners, .. } => *manners,
        }
    }

    pub(crate) fn begin(&mut self, env: &Environment) -> Result<Run> {
        let (cluster, traffic, followers, threads) = match self {
            Start::Follower { seat, traffic, .. } => {
                let alone = || ErrorKind::Machine("a follower runs behind its leader only".to_string());
                let place = seat.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or_else(alone)?;
                place.end().raises(env.stop.flag());
                return Ok(Run {
                    session: Session::new(place, None, Arc::clone(traffic)),
                    team: None,
                    finished: false,
                });
            }
            Start::Leader { cluster, traffic, followers, threads } => (cluster, traffic, followers, threads),
        };
        let no_replica = || {
            let message = "export functions run on one worker: their arguments are in the memory of one process";
            ErrorKind::Unsupported(message.to_string())
        };
        let mut options = env.replica_options().ok_or_else(no_replica)?;
        // Followers hear of the caller through their leader: the caller raises its flag when the run of the leader is
        // over, and followers may be a statement behind.
        options.cancel = Arc::default();
        let end = Arc::new(End::default());
        end.raises(env.stop.flag());
        let caller = env.stop.clone();
        end.listens_to(move || caller.check().err().map(|error| error.to_string()));
        let mut places = places(cluster.workers(), *threads, cluster.outer(), &end).into_iter();
        let own = places.next().ok_or_else(|| ErrorKind::Machine("a run without workers".to_string()))?;
        let start = |(follower, place): (&Follower, Place)| follower.start(place, options.clone());
        let followers = followers.iter().zip(places).map(start).collect::<Result<Vec<_>>>();
        let followers = followers.inspect_err(|error| end.tell(&error.to_string()))?;
        let session = Session::new(own, Some(env.stop.clone()), Arc::clone(traffic));
        Ok(Run { session, team: Some(Team { followers, end }), finished: false })
    }
}

/// A run of one worker.
pub(crate) struct Run {
    session: Session,
    team: Option<Team>,
    finished: bool,
}

/// The other workers of the process.
struct Team {
    followers: Vec<JoinHandle<()>>,
    end: Arc<End>,
}

impl Run {
    /// The worker's place.
    pub(crate) fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// The program has come to its end; its results may still be fetched.
    pub(crate) fn finish(&mut self) {
        self.finished = true;
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if !self.finished {
            self.session.fail("the run was given up");
        }
        let Some(mut team) = self.team.take() else { return };
        let since = Instant::now();
        let running = |team: &Team| team.followers.iter().any(|follower| !follower.is_finished());
        while self.finished && running(&team) && since.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_micros(50));
        }
        if running(&team) {
            team.end.tell("the run was given up");
        }
        for follower in team.followers.drain(..) {
            // A follower that panicked has told so on standard error.
            let _ = follower.join();
        }
    }
}
