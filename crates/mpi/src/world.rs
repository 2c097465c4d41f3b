//! The ranks of this computation: beginning, end in good order, and end for a reason.
//!
//! MPI belongs to the process: it is opened once, by one thread, and never again after its end. A failure is the end of
//! all ranks (fail-stop): what one rank finds alone, the others would wait for without end. What all ranks find, such
//! as a wrong argument, is told by one of them.

use std::ffi::c_int;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::abi::{self, Api, Comm, Handle};
use crate::cores::{self, Cores};
use crate::error::MpiError;
use crate::exchange::Mpi;
use crate::{launcher, library};

/// How long a rank that has failed waits for the others to fail as well.
const PATIENCE: Duration = Duration::from_millis(400);
/// How much longer each further rank waits before it speaks for itself.
const LADDER: Duration = Duration::from_millis(150);
/// The rank from which on all wait equally long.
const LADDER_TOP: usize = 10;
/// How long a rank waits for the one that ends all of them.
const LAST: Duration = Duration::from_secs(5);
/// Time between two looks at ranks that are still at work, which may need the core.
const PERIOD: Duration = Duration::from_micros(200);

/// MPI in this process.
#[derive(Clone, Copy)]
pub(crate) struct World {
    pub(crate) api: &'static Api,
    /// For messages of a run.
    pub(crate) comm: Comm,
    /// For the end, at which some ranks may be in the midst of a run.
    farewell: Comm,
    pub(crate) rank: usize,
    pub(crate) size: usize,
    /// Calls may come from any thread, if one at a time.
    pub(crate) any_thread: bool,
}

static WORLD: OnceLock<World> = OnceLock::new();
/// Somebody has opened MPI, or is about to.
static OPENED: AtomicBool = AtomicBool::new(false);
/// MPI has ended in this process.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Joins the ranks that were started together; the thread that calls this makes all later calls. Also says which cores
/// this rank can use.
pub fn open() -> Result<(Mpi, Cores), MpiError> {
    if OPENED.swap(true, Ordering::AcqRel) {
        return Err(MpiError::Twice);
    }
    let api: &'static Api = Box::leak(Box::new(library::open()?));
    if api.is_initialized()? {
        return Err(MpiError::Twice);
    }
    let provided = api.init()?;
    let (comm, farewell) = (api.world()?, api.world()?);
    let (rank, size) = api.place(comm)?;
    let world = World { api, comm, farewell, rank, size, any_thread: provided >= abi::THREAD_SERIALIZED };
    if provided < abi::THREAD_FUNNELED {
        return Err(MpiError::NoThreads { library: api.path.clone() });
    }
    if let Some(wanted) = launcher::launched().and_then(|launched| launched.size).filter(|&wanted| wanted != size) {
        // What it sees is no use to anybody; it ends with the process.
        return Err(MpiError::Mismatch { wanted, found: size, library: api.path.clone() });
    }
    // There was no other.
    let _ = WORLD.set(world);
    let mut mpi = Mpi::new(world);
    let cores = cores::agree(&mut mpi)?;
    mpi.is_crowded = cores.here > cores.in_all;
    Ok((mpi, cores))
}

fn world() -> Option<&'static World> {
    WORLD.get().filter(|_| !CLOSED.load(Ordering::Acquire))
}

/// The number of this rank, and of all; `None` where no MPI is open.
pub fn place() -> Option<(usize, usize)> {
    world().map(|world| (world.rank, world.size))
}

/// Leaves the ranks in good order, after waiting for all of them. Does nothing where no MPI is open.
pub fn finish() -> Result<(), MpiError> {
    let Some(world) = world() else { return Ok(()) };
    if world.least(world.size, None)?.is_some_and(|failed| failed < world.size) {
        // The rank that has failed ends all of them.
        std::thread::sleep(LAST);
    }
    CLOSED.store(true, Ordering::Release);
    world.api.finalize()
}

/// After a failure of this rank: finds out which rank tells of it. True for the rank that is to speak, and then to end
/// all of them by [`abort`]. One rank speaks if all fail within a moment; else each speaks that finds something, the
/// first of which ends all.
pub fn speaker() -> bool {
    let Some(world) = world() else { return true };
    let patience = PATIENCE + LADDER * world.rank.min(LADDER_TOP) as u32;
    match world.least(world.rank, Some(patience)) {
        Ok(Some(first)) if first != world.rank => {
            std::thread::sleep(LAST);
            false
        }
        _ => true,
    }
}

/// Ends all ranks with an exit code. Does nothing where no MPI is open.
pub fn abort(code: u8) {
    if let Some(world) = world() {
        CLOSED.store(true, Ordering::Release);
        world.api.abort(c_int::from(code));
    }
}

impl World {
    /// The least of the numbers of all ranks; `None` where not all have said theirs in time.
    fn least(&self, number: usize, patience: Option<Duration>) -> Result<Option<usize>, MpiError> {
        // They may be written to after this call.
        let values: &'static mut [u64; 2] = Box::leak(Box::new([number as u64, 0]));
        let (said, least) = values.split_at_mut(1);
        // SAFETY: both places live as long as the process, and are looked at when the request is complete.
        let request = unsafe { self.api.reduce(said, least, abi::MIN, self.farewell) }?;
        let mut requests: [Handle; 1] = [request];
        let since = Instant::now();
        while !self.api.are_complete(&mut requests)? {
            if patience.is_some_and(|patience| since.elapsed() > patience) {
                return Ok(None);
            }
            std::thread::sleep(PERIOD);
        }
        Ok(usize::try_from(values[1]).ok())
    }
}
