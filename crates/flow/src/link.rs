//! The link between processes: one exchange of bytes at a time, on timely dataflow. The only file that builds
//! dataflows.
//!
//! The dataflow is an input, an exchange by receiver and a sink, with one of timely's workers per process. In every
//! epoch each process sends exactly one parcel to every other process, so that an exchange is complete when all parcels
//! of its epoch are there. Parcels of the next epoch may arrive before: they are kept by epoch. Timely's workers cannot
//! move between threads, so it has a thread of its own, and a [`Link`] is its handle.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use timely::WorkerConfig;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::communication::{Hooks, WorkerGuards};
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::core::Input;
use timely::dataflow::operators::generic::operator::Operator;
use timely::worker::Worker;

use crate::end::End;
use crate::pipe::{Pipe, Pulse};

/// How long a thread sleeps at most before it looks whether the run is over.
const LOOK: Duration = Duration::from_millis(20);
/// How often the end of a run looks whether timely has come to its end.
const GLANCE: Duration = Duration::from_micros(100);

/// Bytes from one process to another.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Parcel {
    to: u32,
    from: u32,
    bytes: Bytes,
}

/// Bytes that are serialised as one piece.
#[derive(Debug, Clone)]
struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        struct Piece;
        impl<'de> Visitor<'de> for Piece {
            type Value = Vec<u8>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
                Ok(bytes.to_vec())
            }

            fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
                Ok(bytes)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<u8>, A::Error> {
                let mut bytes = Vec::new();
                while let Some(byte) = seq.next_element()? {
                    bytes.push(byte);
                }
                Ok(bytes)
            }
        }
        deserializer.deserialize_byte_buf(Piece).map(Bytes)
    }
}

/// One parcel per process, in the order of the processes; that of the process itself is not looked at.
type Parcels = Vec<Vec<u8>>;

/// The place of this process among several.
pub(crate) struct Link {
    orders: Option<Sender<Parcels>>,
    answers: Receiver<Option<Parcels>>,
    guards: Option<WorkerGuards<()>>,
    pipes: Vec<Pipe>,
    end: Arc<End>,
    #[expect(dead_code, reason = "gives signs of life until it is dropped")]
    pulse: Pulse,
}

impl Link {
    /// Connects this process with others by one pipe per process in their order, none for this one, whose number is
    /// `process`.
    pub(crate) fn new(process: usize, pipes: Vec<Option<Pipe>>, end: &Arc<End>) -> Result<Link, String> {
        let handles = || pipes.iter().flatten().map(Pipe::handle).collect::<Vec<_>>();
        let no_thread = |error: std::io::Error| format!("process {process} cannot start a thread: {error}");
        let (kept, pulse) = (handles(), Pulse::on(handles()).map_err(no_thread)?);
        let hooks = Hooks::default();
        let local = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), hooks.spill.clone());
        let connected = initialize_networking_from_sockets(local, pipes, process, 1, hooks);
        let (builders, guard) = connected.map_err(no_thread)?;
        let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
        let (orders, received) = channel();
        let (answer, answers) = channel();
        let ends = std::sync::Mutex::new(Some((received, answer)));
        let over = Arc::clone(end);
        let serve = move |worker: &mut Worker| {
            let taken = ends.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
            if let Some((orders, answers)) = taken {
                serve(worker, &orders, &answers, &over);
            }
        };
        let guards = timely::execute::execute_from(builders, Box::new(guard), WorkerConfig::default(), serve)?;
        Ok(Link { orders: Some(orders), answers, guards: Some(guards), pipes: kept, end: Arc::clone(end), pulse })
    }

    /// Sends one parcel to every other process and returns those of the others, in their order. `None` when the run
    /// is over.
    pub(crate) fn exchange(&mut self, parcels: Parcels) -> Option<Parcels> {
        self.orders.as_ref()?.send(parcels).ok()?;
        self.answers.recv().ok().flatten()
    }

    /// Tells all other processes why this one gives up.
    pub(crate) fn fail(&mut self, reason: &str) {
        self.pipes.drain(..).for_each(|pipe| pipe.fail(reason));
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.orders = None;
        let Some(guards) = self.guards.take() else { return };
        // Timely ends when all processes have come to their end. Where one is lost, it waits for ever.
        while guards.guards().iter().any(|guard| !guard.is_finished()) {
            if self.end.is_told() {
                std::mem::forget(guards);
                return;
            }
            std::thread::sleep(GLANCE);
        }
        let mut guards = Some(guards);
        // Its threads that read and write end one after the other. They are waited for elsewhere, since nothing depends
        // on them any more and one of them may have lost its process meanwhile.
        let rest = std::thread::Builder::new().name("gw-flow-end".into());
        let _ = rest.spawn(move || drop(guards.take()));
    }
}

/// The loop of timely's worker: exchanges until its handle is dropped.
fn serve(worker: &mut Worker, orders: &Receiver<Parcels>, answers: &Sender<Option<Parcels>>, over: &End) {
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
    while let Ok(mut all) = orders.recv() {
        for (to, bytes) in all.iter_mut().enumerate().filter(|(to, _)| *to != index) {
            input.send(Parcel { to: to as u32, from: index as u32, bytes: Bytes(std::mem::take(bytes)) });
        }
        input.flush();
        epoch += 1;
        input.advance_to(epoch);
        worker.step();
        let complete = || arrived.borrow().get(&(epoch - 1)).map_or(0, Vec::len) + 1 == peers;
        worker.step_or_park_while(Some(LOOK), || !complete() && !over.is_told());
        let answer = complete().then(|| {
            for parcel in arrived.borrow_mut().remove(&(epoch - 1)).unwrap_or_default() {
                if let Some(place) = all.get_mut(parcel.from as usize) {
                    *place = parcel.bytes.0;
                }
            }
            all
        });
        if answers.send(answer).is_err() {
            break;
        }
    }
}
