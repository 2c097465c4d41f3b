//! Messages between ranks.
//!
//! An exchange is one message from each rank to each other, which has the length in front and the content behind where
//! that is short; longer content follows as a message of its own, into a place of the length that was told. So a small
//! exchange is one message each way, and nobody is asked before. Messages rather than MPI's collective operations,
//! since a wait for them can be ended, sleeps where there are more ranks than cores, and copies nothing.

use std::ffi::c_int;
use std::sync::Arc;
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use gw_fabric::{End, Fabric, Message, Neighbours, Op, Outgoing, Over};

use crate::abi::{self, Handle};
use crate::error::MpiError;
use crate::world::World;

/// Bytes of a length.
const LENGTH: usize = size_of::<u64>();
/// The most content, in bytes, that rides along with its length.
const SHORT: usize = 4096 - LENGTH;
/// Room for a length and short content.
const SLOT: usize = LENGTH + SHORT;
/// Lengths and short content.
const HEAD: c_int = 1;
/// Longer content, and what was planned.
const BODY: c_int = 2;
/// How often a rank looks at its messages before it lets others have its core between looks: about 50 us. Where no
/// other process wants the core, that is as fast; where one does, it may be the rank that is waited for.
const LOOKS: u32 = 500;
/// The same where there are more ranks than cores.
const LOOKS_IN_A_CROWD: u32 = 20;
/// How long a rank gives way to others before it sleeps between looks.
const GIVES_WAY: Duration = Duration::from_millis(20);
/// Time between two looks of a rank that sleeps.
const NAP: Duration = Duration::from_micros(50);
/// Looks between two questions whether the run is over.
const ASKS: u32 = 64;

/// The place of this process among ranks.
pub struct Mpi {
    world: World,
    home: ThreadId,
    end: Arc<End>,
    /// A slot per rank for what comes in, and for what goes out.
    incoming: Vec<u8>,
    outgoing: Vec<u8>,
    requests: Requests,
    /// There are more ranks on this host than cores.
    pub(crate) is_crowded: bool,
}

/// What was begun and is not complete.
#[derive(Default)]
struct Requests(Vec<Handle>);

// SAFETY: requests are names for something in the library; they are used by the thread that may call it.
unsafe impl Send for Requests {}

impl Mpi {
    pub(crate) fn new(world: World) -> Mpi {
        Mpi {
            world,
            home: std::thread::current().id(),
            end: Arc::default(),
            incoming: vec![0; SLOT * world.size],
            outgoing: vec![0; SLOT * world.size],
            requests: Requests::default(),
            is_crowded: false,
        }
    }

    /// The other ranks, the next one first, so that not all begin with the same.
    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let World { rank, size, .. } = self.world;
        (1..size).map(move |step| (rank + step) % size)
    }

    fn begin(&self) -> Result<(), Over> {
        if self.end.is_told() {
            return Err(Over(self.end.reason()));
        }
        match self.world.any_thread || std::thread::current().id() == self.home {
            true => Ok(()),
            false => Err(Over("this MPI is called by the thread that opened it, and no other".to_string())),
        }
    }

    /// Waits until all that was begun is complete. An error when the run is over: what was begun is never looked at
    /// again then.
    fn wait(&mut self) -> Result<(), Over> {
        let (mut looks, mut since) = (0u32, None);
        let patience = if self.is_crowded { LOOKS_IN_A_CROWD } else { LOOKS };
        loop {
            let complete = self.world.api.are_complete(&mut self.requests.0).map_err(over);
            if complete? {
                self.requests.0.clear();
                return Ok(());
            }
            looks = looks.saturating_add(1);
            if looks.is_multiple_of(ASKS) {
                self.end.look_at_caller();
                if self.end.is_told() {
                    return Err(Over(self.end.reason()));
                }
            }
            if looks < patience {
                std::hint::spin_loop();
            } else if since.get_or_insert_with(Instant::now).elapsed() < GIVES_WAY {
                std::thread::yield_now();
            } else {
                std::thread::sleep(NAP);
            }
        }
    }

    /// After a failure: what the library may still write to, or read, stays where it is.
    fn give_up(&mut self, over: Over, kept: Vec<Arc<Vec<u8>>>, places: Vec<Vec<u8>>) -> Over {
        std::mem::forget(std::mem::take(&mut self.incoming));
        std::mem::forget(std::mem::take(&mut self.outgoing));
        std::mem::forget((kept, places));
        self.requests.0.clear();
        self.end.tell(&over.0);
        over
    }

    /// Sends content as it is.
    fn send(&mut self, bytes: &[u8], to: usize, tag: c_int) -> Result<(), Over> {
        let World { api, comm, .. } = self.world;
        // SAFETY: all that is sent is kept by the exchange until everything is complete, or for ever.
        self.requests.0.push(unsafe { api.send(bytes, to, tag, comm) }.map_err(over)?);
        Ok(())
    }

    /// Makes a place for content and begins to receive it.
    fn receive(&mut self, length: usize, from: usize, places: &mut Vec<Vec<u8>>) -> Result<(), Over> {
        let mut place: Vec<u8> = Vec::new();
        let no_room = |_| Over(format!("there is no memory for a message of {length} bytes of rank {from}"));
        place.try_reserve_exact(length).map_err(no_room)?;
        place.resize(length, 0);
        let World { api, comm, .. } = self.world;
        // SAFETY: the bytes of a vector stay where they are when the vector is moved; they are kept by the exchange
        // until everything is complete, or for ever.
        let request = unsafe { api.receive(&mut place, from, BODY, comm) };
        places.push(place);
        self.requests.0.push(request.map_err(over)?);
        Ok(())
    }

    /// Sends heads and what is too long for them, and receives heads; then what is too long for these. The places are
    /// in the order of the other ranks, of those whose content is long.
    fn carry_out(&mut self, parts: &[&Arc<Vec<u8>>], places: &mut Vec<Vec<u8>>) -> Result<(), Over> {
        let World { api, comm, .. } = self.world;
        for from in self.others() {
            let slot = &mut self.incoming[SLOT * from..SLOT * (from + 1)];
            // SAFETY: slots stay where they are and are looked at when everything is complete; after a failure they are
            // left to the library.
            self.requests.0.push(unsafe { api.receive(slot, from, HEAD, comm) }.map_err(over)?);
        }
        let mut sent = Vec::new();
        for to in self.others() {
            let part = parts[to];
            let slot = &mut self.outgoing[SLOT * to..SLOT * (to + 1)];
            slot[..LENGTH].copy_from_slice(&(part.len() as u64).to_le_bytes());
            let is_short = part.len() <= SHORT;
            let length = LENGTH + if is_short { part.len() } else { 0 };
            if is_short {
                slot[LENGTH..length].copy_from_slice(part);
            }
            // SAFETY: as above; nothing is written to a slot until everything is complete.
            sent.push(unsafe { api.send(&slot[..length], to, HEAD, comm) }.map_err(over)?);
        }
        // Heads of others first: what follows them can then begin.
        self.wait()?;
        self.requests.0.append(&mut sent);
        for to in self.others().filter(|&to| parts[to].len() > SHORT) {
            self.send(parts[to], to, BODY)?;
        }
        for from in self.others() {
            let length = self.told(from)?;
            if length > SHORT {
                self.receive(length, from, places)?;
            }
        }
        self.wait()
    }

    /// Receives from neighbours, in their order, and sends to neighbours.
    fn carry_out_planned(
        &mut self,
        plan: &Neighbours,
        unit: usize,
        parts: &[Arc<Vec<u8>>],
        places: &mut Vec<Vec<u8>>,
    ) -> Result<(), Over> {
        for &(from, entries) in plan.take() {
            self.receive(entries * unit, from, places)?;
        }
        for (&(to, _), part) in plan.give().iter().zip(parts) {
            self.send(part, to, BODY)?;
        }
        self.wait()
    }

    /// The length that a rank has told.
    fn told(&self, from: usize) -> Result<usize, Over> {
        let length = self.incoming.get(SLOT * from..SLOT * from + LENGTH).and_then(|bytes| bytes.try_into().ok());
        let length = length.and_then(|bytes| usize::try_from(u64::from_le_bytes(bytes)).ok());
        length.ok_or_else(|| Over(format!("rank {from} tells of a message that no memory has room for")))
    }
}

fn over(error: MpiError) -> Over {
    Over(error.to_string())
}

impl Fabric for Mpi {
    fn rank(&self) -> usize {
        self.world.rank
    }

    fn size(&self) -> usize {
        self.world.size
    }

    fn watch(&mut self, end: &Arc<End>) {
        // A fabric that has failed stays so.
        match self.end.is_told() {
            true => end.tell(&self.end.reason()),
            false => self.end = Arc::clone(end),
        }
    }

    fn exchange(&mut self, outgoing: Outgoing) -> Result<Vec<Message>, Over> {
        self.begin()?;
        let World { rank, size, .. } = self.world;
        let parts: Vec<&Arc<Vec<u8>>> = match &outgoing {
            Outgoing::All(bytes) => vec![bytes; size],
            Outgoing::Each(each) if each.len() == size => each.iter().collect(),
            Outgoing::Each(each) => return Err(Over(format!("{} messages for {size} ranks", each.len()))),
        };
        let mut places = Vec::new();
        if let Err(over) = self.carry_out(&parts, &mut places) {
            let kept = parts.into_iter().map(Arc::clone).collect();
            return Err(self.give_up(over, kept, places));
        }
        // Short content is copied out of the slots, all of it into one piece.
        let mut short = Vec::new();
        let mut ranges = Vec::with_capacity(size);
        for from in self.others() {
            let length = self.told(from)?;
            let start = short.len();
            if length <= SHORT {
                short.extend_from_slice(&self.incoming[SLOT * from + LENGTH..SLOT * from + LENGTH + length]);
            }
            ranges.push((from, length, start));
        }
        let (short, mut places) = (Arc::new(short), places.into_iter());
        let mut messages = vec![Message::whole(Arc::clone(parts[rank])); size];
        for (from, length, start) in ranges {
            let message = match length <= SHORT {
                true => Message::part(&short, start..start + length),
                false => places.next().map(|place| Message::whole(Arc::new(place))),
            };
            messages[from] = message.ok_or_else(|| Over("a message was lost".to_string()))?;
        }
        Ok(messages)
    }

    fn exchange_neighbours(
        &mut self,
        plan: &Neighbours,
        unit: usize,
        parts: Vec<Arc<Vec<u8>>>,
    ) -> Result<Vec<Message>, Over> {
        self.begin()?;
        let fits = |((_, entries), part): (&(usize, usize), &Arc<Vec<u8>>)| part.len() == entries * unit;
        if parts.len() != plan.give().len() || !plan.give().iter().zip(&parts).all(fits) {
            return Err(Over("what is to be said is not what was planned".to_string()));
        }
        let mut places = Vec::with_capacity(plan.take().len());
        if let Err(over) = self.carry_out_planned(plan, unit, &parts, &mut places) {
            return Err(self.give_up(over, parts, places));
        }
        Ok(places.into_iter().map(|place| Message::whole(Arc::new(place))).collect())
    }

    fn allreduce(&mut self, values: &mut [u64], op: Op) -> Result<(), Over> {
        self.begin()?;
        let (said, mut reduced) = (values.to_vec(), vec![0; values.len()]);
        let op = match op {
            Op::Sum => abi::SUM,
            Op::Min => abi::MIN,
            Op::Max => abi::MAX,
        };
        let World { api, comm, .. } = self.world;
        // SAFETY: both places are kept until the request is complete, or for ever.
        let begun = unsafe { api.reduce(&said, &mut reduced, op, comm) }.map_err(over);
        let done = begun.map(|request| self.requests.0.push(request)).and_then(|()| self.wait());
        if let Err(over) = done {
            std::mem::forget((said, reduced));
            return Err(self.give_up(over, Vec::new(), Vec::new()));
        }
        values.copy_from_slice(&reduced);
        Ok(())
    }

    fn abort(&mut self, reason: &str) {
        eprintln!("gw: rank {}: {reason}", self.world.rank);
        crate::world::abort(1);
    }
}
