//! The wires between workers: one exchange of bytes at a time, on timely dataflow. The only file that knows timely.
//!
//! The dataflow is an input, an exchange by receiver and a sink. In every epoch each worker sends exactly one parcel to
//! every worker, itself left out, so that an exchange is complete when all parcels of its epoch are there. Parcels of
//! the next epoch may arrive before: they are kept by epoch. Timely's workers cannot move between threads, so each has
//! a thread of its own, and a [`Wires`] is the handle of one of them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::TcpStream;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::communication::{Hooks, WorkerGuards};
use timely::dataflow::InputHandle;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::core::Input;
use timely::dataflow::operators::generic::operator::Operator;
use timely::worker::Worker;
use timely::{CommunicationConfig, WorkerConfig};

/// How long a worker sleeps at most before it looks whether the run is over.
const LOOK: Duration = Duration::from_millis(20);

/// Bytes from one worker to another.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Parcel {
    to: u32,
    from: u32,
    bytes: Vec<u8>,
}

/// What a handle asks its worker for.
enum Order {
    /// One parcel per worker, in the order of the workers; the own one comes back.
    Exchange(Vec<Vec<u8>>),
    /// The last parcels of this worker, for which nothing comes back.
    Last(Vec<Vec<u8>>),
}

/// The place of one worker in a cluster.
pub(crate) struct Wires {
    /// The number of this worker.
    pub(crate) index: usize,
    /// The number of workers.
    pub(crate) peers: usize,
    orders: Sender<Order>,
    answers: Receiver<Option<Vec<Vec<u8>>>>,
    end: Arc<End>,
}

/// Why a run ends before its time, told by the first worker of this process that knows.
#[derive(Debug, Default)]
pub(crate) struct End {
    over: AtomicBool,
    reason: Mutex<Option<String>>,
}

impl End {
    /// Ends the run of all workers of this process. The first reason counts.
    pub(crate) fn tell(&self, reason: &str) {
        let mut known = self.reason.lock().unwrap_or_else(PoisonError::into_inner);
        known.get_or_insert_with(|| reason.to_string());
        self.over.store(true, Ordering::Release);
    }

    /// Why the run ends.
    pub(crate) fn reason(&self) -> String {
        let known = self.reason.lock().unwrap_or_else(PoisonError::into_inner);
        known.clone().unwrap_or_else(|| "the connection to another worker was lost".to_string())
    }

    fn is_told(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }
}

/// The threads of timely in this process. Dropping it waits for them, and they wait until all handles are dropped.
pub(crate) struct Threads(#[expect(dead_code, reason = "joins the threads when it is dropped")] WorkerGuards<()>);

/// The workers of this process: their handles, and what keeps them running.
pub(crate) struct Wired {
    pub(crate) wires: Vec<Wires>,
    pub(crate) threads: Threads,
    pub(crate) end: Arc<End>,
}

impl Wires {
    /// Sends one parcel to every worker and returns the parcels of all workers, in their order. The own parcel comes
    /// back as it is. The error says why the run is over.
    pub(crate) fn exchange(&mut self, parcels: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, String> {
        let asked = self.orders.send(Order::Exchange(parcels)).is_ok();
        let answer = if asked { self.answers.recv().ok().flatten() } else { None };
        answer.ok_or_else(|| self.end.reason())
    }

    /// Sends the last parcels of this worker. Nobody waits for those of others.
    pub(crate) fn last(&mut self, parcels: Vec<Vec<u8>>) {
        // A worker that is gone needs to tell nobody.
        let _ = self.orders.send(Order::Last(parcels));
    }
}

/// Connects `workers` threads of this process with each other and, by `sockets`, with those of other processes: one
/// socket per process in their order, none for this one, whose number is `process`.
pub(crate) fn connect(workers: usize, process: usize, sockets: Vec<Option<TcpStream>>) -> Result<Wired, String> {
    let peers = workers * sockets.len().max(1);
    let first = workers * process;
    let end = Arc::new(End::default());
    let (mut wires, mut ends) = (Vec::new(), Vec::new());
    for index in first..first + workers {
        let (orders, received) = channel();
        let (answer, answers) = channel();
        wires.push(Wires { index, peers, orders, answers, end: Arc::clone(&end) });
        ends.push(Mutex::new(Some((received, answer))));
    }
    let (builders, others): (Vec<AllocatorBuilder>, Box<dyn std::any::Any + Send>) = if sockets.len() < 2 {
        CommunicationConfig::Process(workers).try_build()?
    } else {
        let hooks = Hooks::default();
        let local = ProcessBuilder::new_typed_vector(workers, hooks.refill.clone(), hooks.spill.clone());
        let connected = initialize_networking_from_sockets(local, sockets, process, workers, hooks);
        let (builders, guard) = connected.map_err(|error| error.to_string())?;
        (builders.into_iter().map(AllocatorBuilder::Tcp).collect(), Box::new(guard))
    };
    let over = Arc::clone(&end);
    let guards = timely::execute::execute_from(builders, others, WorkerConfig::default(), move |worker| {
        let taken = ends.get(worker.index() - first).and_then(|end| {
            let mut end = end.lock().unwrap_or_else(PoisonError::into_inner);
            end.take()
        });
        if let Some((orders, answers)) = taken {
            serve(worker, &orders, &answers, &over);
        }
    })?;
    Ok(Wired { wires, threads: Threads(guards), end })
}

/// The loop of one of timely's workers: exchanges until its handle is dropped.
fn serve(worker: &mut Worker, orders: &Receiver<Order>, answers: &Sender<Option<Vec<Vec<u8>>>>, over: &End) {
    let (index, peers) = (worker.index(), worker.peers());
    let arrived: Rc<RefCell<BTreeMap<u64, Vec<Parcel>>>> = Rc::default();
    let sink = Rc::clone(&arrived);
    let mut input = worker.dataflow::<u64, _, _>(|scope| {
        let (input, stream) = scope.new_input::<Vec<Parcel>>();
        stream.sink(Exchange::new(|parcel: &Parcel| u64::from(parcel.to)), "parcels", move |(input, _)| {
            input.for_each(|time, parcels| sink.borrow_mut().entry(*time.time()).or_default().append(parcels));
        });
        input
    });
    let mut epoch = 0;
    while let Ok(order) = orders.recv() {
        let (parcels, answered) = match order {
            Order::Exchange(parcels) => (parcels, true),
            Order::Last(parcels) => (parcels, false),
        };
        let mut all = parcels;
        send(&mut input, &mut all, index);
        epoch += 1;
        input.advance_to(epoch);
        worker.step();
        if !answered {
            continue;
        }
        let complete = || arrived.borrow().get(&(epoch - 1)).map_or(0, Vec::len) + 1 == peers;
        worker.step_or_park_while(Some(LOOK), || !complete() && !over.is_told());
        let answer = complete().then(|| {
            for parcel in arrived.borrow_mut().remove(&(epoch - 1)).unwrap_or_default() {
                if let Some(place) = all.get_mut(parcel.from as usize) {
                    *place = parcel.bytes;
                }
            }
            all
        });
        if answers.send(answer).is_err() {
            break;
        }
    }
}

/// Hands the parcels for all other workers to timely; the own one stays.
fn send(
    input: &mut InputHandle<u64, timely::container::CapacityContainerBuilder<Vec<Parcel>>>,
    parcels: &mut [Vec<u8>],
    index: usize,
) {
    for (to, bytes) in parcels.iter_mut().enumerate().filter(|(to, _)| *to != index) {
        input.send(Parcel { to: to as u32, from: index as u32, bytes: std::mem::take(bytes) });
    }
    input.flush();
}
