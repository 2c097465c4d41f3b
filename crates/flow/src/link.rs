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
use std::ops::{Deref, Range};
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

/// The most bytes that go through timely's buffers at a time. These are of 1 MiB; larger ones are made anew for every
/// message, by doubling.
const CHUNK: usize = 1 << 19;

/// The most bytes that room is made for before they have arrived.
const MOST_AHEAD: u64 = 1 << 30;

/// Bytes for another process, in pieces.
pub(crate) type Pieces = Vec<Arc<Vec<u8>>>;

/// A part of the bytes from one process to another.
enum Chunk {
    /// To be sent: the number of this process, how many bytes of the parcel are still to come behind these, and slices
    /// of pieces.
    Sent { from: u32, left: u64, slices: Vec<(Arc<Vec<u8>>, Range<usize>)> },
    /// As it arrived, in timely's buffer.
    Arrived(Bytes),
}

/// Bytes in front of the content of a chunk.
const HEAD: usize = 12;

impl Bytesable for Chunk {
    fn from_bytes(bytes: Bytes) -> Chunk {
        Chunk::Arrived(bytes)
    }

    fn length_in_bytes(&self) -> usize {
        match self {
            Chunk::Sent { slices, .. } => HEAD + slices.iter().map(|(_, range)| range.len()).sum::<usize>(),
            Chunk::Arrived(bytes) => bytes.len(),
        }
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let written = match self {
            Chunk::Sent { from, left, slices } => {
                let head = writer.write_all(&from.to_le_bytes()).and_then(|()| writer.write_all(&left.to_le_bytes()));
                let mut slices = slices.iter();
                head.and_then(|()| slices.try_for_each(|(piece, range)| writer.write_all(&piece[range.clone()])))
            }
            Chunk::Arrived(bytes) => writer.write_all(bytes),
        };
        // Timely's buffer has as much room as it was told; what is missing is noticed by the reader.
        debug_assert!(written.is_ok());
    }
}

/// Every piece behind its length, cut into chunks.
fn chunks(from: u32, pieces: Pieces) -> Vec<Chunk> {
    let with_lengths = pieces.into_iter().flat_map(|piece| {
        let length = Arc::new((piece.len() as u64).to_le_bytes().to_vec());
        [length, piece]
    });
    let (mut chunks, mut slices, mut room) = (Vec::new(), Vec::new(), CHUNK);
    for piece in with_lengths {
        let mut at = 0;
        while at < piece.len() {
            let end = piece.len().min(at + room);
            slices.push((Arc::clone(&piece), at..end));
            room -= end - at;
            at = end;
            if room == 0 {
                chunks.push(std::mem::take(&mut slices));
                room = CHUNK;
            }
        }
    }
    // The last chunk is the one behind which nothing is to come, so that there is no empty one but of an empty parcel.
    if !slices.is_empty() || chunks.is_empty() {
        chunks.push(slices);
    }
    let mut left = 0;
    let mut all: Vec<Chunk> = Vec::with_capacity(chunks.len());
    for slices in chunks.into_iter().rev() {
        let chunk = Chunk::Sent { from, left, slices };
        left += (chunk.length_in_bytes() - HEAD) as u64;
        all.push(chunk);
    }
    all.reverse();
    all
}

/// A parcel as it arrived.
pub(crate) enum Parcel {
    /// In one chunk, where timely has put it.
    One(Bytes),
    /// Put together.
    Many(Vec<u8>),
}

impl Deref for Parcel {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Parcel::One(bytes) => bytes,
            Parcel::Many(bytes) => bytes,
        }
    }
}

/// What has arrived from a process.
#[derive(Default)]
struct Inbox {
    /// Whole parcels: another process may be one exchange ahead.
    whole: VecDeque<Parcel>,
    /// A parcel of which more is to come.
    begun: Option<Vec<u8>>,
}

impl Inbox {
    fn take(&mut self, content: Bytes, left: u64) {
        match (self.begun.take(), left) {
            (None, 0) => self.whole.push_back(Parcel::One(content)),
            (begun, _) => {
                let room = left.min(MOST_AHEAD) as usize;
                let mut begun = begun.unwrap_or_else(|| Vec::with_capacity(content.len() + room));
                begun.extend_from_slice(&content);
                match left {
                    0 => self.whole.push_back(Parcel::Many(begun)),
                    _ => self.begun = Some(begun),
                }
            }
        }
    }
}

/// Timely's channels between the processes.
struct Channels {
    senders: Vec<Box<dyn Push<Chunk>>>,
    receiver: Box<dyn Pull<Chunk>>,
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
    /// By process.
    inboxes: Vec<Inbox>,
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
        let inboxes = pipes.iter().map(|_| Inbox::default()).collect();
        let hooks = Hooks::default();
        let local = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), hooks.spill.clone());
        let connected = initialize_networking_from_sockets(local, pipes, process, 1, hooks);
        let (mut builders, guard) = connected.map_err(no_thread)?;
        let builder = builders.pop().ok_or_else(|| format!("process {process} has no place in timely"))?;
        let mut allocator = Allocator::Tcp(builder.build());
        let (senders, receiver) = allocator.allocate(0);
        let channels = Some(Channels { senders, receiver, allocator });
        Ok(Link { process, channels, guard: Some(guard), inboxes, pipes: kept, end: Arc::clone(end), pulse })
    }

    /// Sends one parcel to every other process and returns those of the others, in their order; that of this process
    /// is `None`. `None` when the run is over.
    pub(crate) fn exchange(&mut self, parcels: Vec<Pieces>) -> Option<Vec<Option<Parcel>>> {
        let (own, channels) = (self.process, self.channels.as_mut()?);
        for (to, pieces) in parcels.into_iter().enumerate().filter(|(to, _)| *to != own) {
            let sender = channels.senders.get_mut(to)?;
            for chunk in chunks(own as u32, pieces) {
                sender.push(&mut Some(chunk));
                sender.push(&mut None);
                // Timely's threads send and receive meanwhile.
                channels.allocator.release();
            }
        }
        loop {
            channels.allocator.receive();
            channels.allocator.events().borrow_mut().clear();
            while let Some(chunk) = channels.receiver.pull().take() {
                let Chunk::Arrived(mut content) = chunk else { continue };
                let head = <[u8; HEAD]>::try_from(content.get(..HEAD)?).ok()?;
                content.extract_to(HEAD);
                let number =
                    |range: Range<usize>| head[range].iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
                let (from, left) = (number(0..4), number(4..HEAD));
                self.inboxes.get_mut(from as usize)?.take(content, left);
            }
            let is_there = |(from, inbox): (usize, &Inbox)| from == own || !inbox.whole.is_empty();
            if self.inboxes.iter().enumerate().all(is_there) {
                return Some(self.inboxes.iter_mut().map(|inbox| inbox.whole.pop_front()).collect());
            }
            self.end.look_at_caller();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parcels_are_cut_and_put_together() {
        for sizes in [&[][..], &[0], &[5, 0, 7], &[CHUNK - 8], &[CHUNK], &[3 * CHUNK + 1, 0, 9, CHUNK]] {
            let pieces: Pieces = sizes.iter().map(|&size| Arc::new(vec![size as u8; size])).collect();
            let wanted: Vec<u8> =
                pieces.iter().flat_map(|p| [&(p.len() as u64).to_le_bytes()[..], &p[..]].concat()).collect();
            let mut inbox = Inbox::default();
            for chunk in chunks(3, pieces) {
                let mut bytes = Vec::new();
                chunk.into_bytes(&mut bytes);
                assert_eq!(bytes.len(), chunk.length_in_bytes());
                assert!(bytes.len() <= HEAD + CHUNK && bytes[..4] == [3, 0, 0, 0]);
                let left = u64::from_le_bytes(bytes[4..HEAD].try_into().unwrap());
                let mut content = timely::bytes::arc::BytesMut::from(bytes).freeze();
                content.extract_to(HEAD);
                inbox.take(content, left);
            }
            assert!(inbox.begun.is_none() && inbox.whole.len() == 1);
            assert!(*inbox.whole[0] == *wanted, "{sizes:?}");
        }
    }
}
