//! The link between processes: one exchange of bytes at a time, on timely's channels. The only file, beside
//! [`pipe`](crate::pipe), that knows timely.
//!
//! Workers walk one program in step, so that every process sends exactly one parcel to every other in every exchange,
//! and an exchange is complete when a parcel of each is there. That is all the progress there is to know. Timely's
//! dataflows would track it again, with messages of their own to everybody: an exchange took 0.2 ms with them, most of
//! it waking threads, and a parcel was copied six times. So the link stands on the layer below, timely's channels: the
//! thread that exchanges puts parcels into timely's buffers itself and reads them where timely's reader has put them.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use timely::bytes::arc::Bytes;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::{CommsGuard, initialize_networking_from_sockets};
use timely::communication::{Allocator, Bytesable, Hooks, Pull, Push};

use crate::end::End;
use crate::pipe::{Pipe, Pulse};

/// How long a thread sleeps at most before it looks whether the run is over.
const LOOK: Duration = Duration::from_millis(20);
/// How often the end of a run looks whether the others have come to theirs.
const GLANCE: Duration = Duration::from_micros(100);

/// Bytes for another process, in pieces.
pub(crate) type Pieces = Vec<Arc<Vec<u8>>>;

/// Bytes from one process to another.
enum Parcel {
    /// To be sent: the number of this process, then every piece behind its length.
    Sent { from: u32, pieces: Pieces },
    /// As it arrived, in timely's buffer.
    Arrived(Bytes),
}

impl Bytesable for Parcel {
    fn from_bytes(bytes: Bytes) -> Parcel {
        Parcel::Arrived(bytes)
    }

    fn length_in_bytes(&self) -> usize {
        match self {
            Parcel::Sent { pieces, .. } => 4 + pieces.iter().map(|piece| 8 + piece.len()).sum::<usize>(),
            Parcel::Arrived(bytes) => bytes.len(),
        }
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let written = match self {
            Parcel::Sent { from, pieces } => writer.write_all(&from.to_le_bytes()).and_then(|()| {
                pieces.iter().try_for_each(|piece| {
                    writer.write_all(&(piece.len() as u64).to_le_bytes())?;
                    writer.write_all(piece)
                })
            }),
            Parcel::Arrived(bytes) => writer.write_all(bytes),
        };
        // Timely's buffer has as much room as it was told; what is missing is noticed by the reader.
        debug_assert!(written.is_ok());
    }
}

/// Timely's channels between the processes.
struct Channels {
    senders: Vec<Box<dyn Push<Parcel>>>,
    receiver: Box<dyn Pull<Parcel>>,
    allocator: Allocator,
}

// SAFETY: channels and allocator share counters and buffers by `Rc`. All of these references are in this one value,
// none of them leaves it, and it is used by `&mut` alone: whoever has it is the only one who touches the counters.
unsafe impl Send for Channels {}

/// The place of this process among several.
pub(crate) struct Link {
    process: usize,
    /// `None` once the run has ended.
    channels: Option<Channels>,
    guard: Option<CommsGuard>,
    /// By process, parcels that arrived and were not asked for yet: another process may be one exchange ahead.
    arrived: Vec<VecDeque<Bytes>>,
    pipes: Vec<Pipe>,
    end: Arc<End>,
    #[expect(dead_code, reason = "gives signs of life until it is dropped")]
    pulse: Pulse,
}

impl Link {
    /// Connects this process with others by one pipe per process in their order, none for this one, whose number is
    /// `process`. The thread that calls this is woken when something arrives; others look now and then.
    pub(crate) fn new(process: usize, pipes: Vec<Option<Pipe>>, end: &Arc<End>) -> Result<Link, String> {
        let handles = || pipes.iter().flatten().map(Pipe::handle).collect::<Vec<_>>();
        let no_thread = |error: std::io::Error| format!("process {process} cannot start a thread: {error}");
        let (kept, pulse) = (handles(), Pulse::on(handles()).map_err(no_thread)?);
        let arrived = pipes.iter().map(|_| VecDeque::new()).collect();
        let hooks = Hooks::default();
        let local = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), hooks.spill.clone());
        let connected = initialize_networking_from_sockets(local, pipes, process, 1, hooks);
        let (mut builders, guard) = connected.map_err(no_thread)?;
        let builder = builders.pop().ok_or_else(|| format!("process {process} has no place in timely"))?;
        let mut allocator = Allocator::Tcp(builder.build());
        let (senders, receiver) = allocator.allocate(0);
        let channels = Some(Channels { senders, receiver, allocator });
        Ok(Link { process, channels, guard: Some(guard), arrived, pipes: kept, end: Arc::clone(end), pulse })
    }

    /// Sends one parcel to every other process and returns those of the others, in their order; that of this process
    /// is `None`. `None` when the run is over.
    pub(crate) fn exchange(&mut self, parcels: Vec<Pieces>) -> Option<Vec<Option<Bytes>>> {
        let channels = self.channels.as_mut()?;
        for (to, pieces) in parcels.into_iter().enumerate().filter(|(to, _)| *to != self.process) {
            let sender = channels.senders.get_mut(to)?;
            sender.push(&mut Some(Parcel::Sent { from: self.process as u32, pieces }));
            sender.push(&mut None);
        }
        channels.allocator.release();
        loop {
            channels.allocator.receive();
            channels.allocator.events().borrow_mut().clear();
            while let Some(parcel) = channels.receiver.pull().take() {
                let Parcel::Arrived(mut bytes) = parcel else { continue };
                let from = <[u8; 4]>::try_from(bytes.get(..4)?).ok()?;
                bytes.extract_to(4);
                self.arrived.get_mut(u32::from_le_bytes(from) as usize)?.push_back(bytes);
            }
            let own = self.process;
            let is_there = |(from, parcels): (usize, &VecDeque<Bytes>)| from == own || !parcels.is_empty();
            if self.arrived.iter().enumerate().all(is_there) {
                return Some(self.arrived.iter_mut().map(VecDeque::pop_front).collect());
            }
            if self.end.is_told() {
                return None;
            }
            channels.allocator.await_events(Some(LOOK));
        }
    }

    /// Tells all other processes why this one gives up.
    pub(crate) fn fail(&mut self, reason: &str) {
        self.pipes.drain(..).for_each(|pipe| pipe.fail(reason));
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // Without senders timely's threads send what they still have, say farewell and wait for that of the others,
        // for ever where one is lost. So they are waited for elsewhere, and here no longer than there is hope.
        self.channels = None;
        let Some(guard) = self.guard.take() else { return };
        let rest = std::thread::Builder::new().name("gw-flow-end".into());
        let Ok(rest) = rest.spawn(move || drop(guard)) else { return };
        while !rest.is_finished() && !self.end.is_told() {
            std::thread::sleep(GLANCE);
        }
    }
}
