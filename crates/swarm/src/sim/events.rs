//! Events in the order of their cycles; those of one cycle in the order in which they were scheduled.
//!
//! Nearly all events are due within some hundred cycles, so there is a list per cycle of the near future and a bit that
//! says whether it is empty; the few others wait in a heap.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::conflict::TaskId;
use super::task::VirtualTime;

/// Cycles of the near future; a power of two.
const NEAR: u64 = 1024;
const WORDS: usize = NEAR as usize / 64;

/// Something that happens at a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
    Core { core: u32, epoch: u32 },
    Arrive { task: TaskId, generation: u32, refusals: u32 },
    Ack { tile: u32 },
    Gvt,
    Commit { before: VirtualTime },
}

/// The events to come. The clock never goes beyond the first of them.
#[derive(Debug)]
pub(super) struct Events {
    /// The events of cycle `c` of the near future, at `c % NEAR`.
    near: Vec<VecDeque<Event>>,
    occupied: [u64; WORDS],
    /// Later ones, with the number in which they were scheduled. An event of a cycle that waits here was scheduled
    /// before all those of the same cycle in `near`: the cycle was still far away then.
    far: BinaryHeap<Reverse<(u64, u64, Event)>>,
    scheduled: u64,
}

impl Events {
    pub(super) fn new() -> Events {
        let near = (0..NEAR).map(|_| VecDeque::new()).collect();
        Events { near, occupied: [0; WORDS], far: BinaryHeap::new(), scheduled: 0 }
    }

    /// Schedules an event at a cycle that is not before `now`.
    #[inline]
    pub(super) fn push(&mut self, now: u64, cycle: u64, event: Event) {
        if cycle - now < NEAR {
            let slot = (cycle % NEAR) as usize;
            self.near[slot].push_back(event);
            self.occupied[slot / 64] |= 1 << (slot % 64);
        } else {
            self.scheduled += 1;
            self.far.push(Reverse((cycle, self.scheduled, event)));
        }
    }

    /// The next event and its cycle.
    pub(super) fn pop(&mut self, now: u64) -> Option<(u64, Event)> {
        let near = self.next_near(now);
        if self.next_far() <= near {
            let Reverse((cycle, _, event)) = self.far.pop()?;
            return Some((cycle, event));
        }
        let slot = (near % NEAR) as usize;
        let event = self.near[slot].pop_front()?;
        if self.near[slot].is_empty() {
            self.occupied[slot / 64] &= !(1 << (slot % 64));
        }
        Some((near, event))
    }

    /// The cycle of the next event; the last of all cycles if there is none.
    #[inline]
    pub(super) fn next(&self, now: u64) -> u64 {
        self.next_near(now).min(self.next_far())
    }

    #[inline]
    fn next_far(&self) -> u64 {
        self.far.peek().map_or(u64::MAX, |Reverse((cycle, ..))| *cycle)
    }

    /// The first cycle of the near future that has an event.
    #[inline]
    fn next_near(&self, now: u64) -> u64 {
        let start = (now % NEAR) as usize;
        let rest = self.occupied[start / 64] >> (start % 64);
        if rest != 0 {
            return now + u64::from(rest.trailing_zeros());
        }
        // Back at the first word, the bits before `start` are the last cycles of the near future.
        for step in 1..=WORDS {
            let word = (start / 64 + step) % WORDS;
            if self.occupied[word] != 0 {
                let slot = word as u64 * 64 + u64::from(self.occupied[word].trailing_zeros());
                return now + (slot + NEAR - start as u64) % NEAR;
            }
        }
        u64::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_by_cycle_and_then_as_they_were_scheduled() {
        let mut events = Events::new();
        let mut model: Vec<(u64, u64, u32)> = Vec::new();
        let (mut now, mut state) = (0, 1u64);
        for number in 0..20_000u32 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let ahead = match state >> 61 {
                0 => (state >> 33) % 5000,
                1 => NEAR - 2 + (state >> 33) % 4,
                _ => (state >> 33) % 40,
            };
            events.push(now, now + ahead, Event::Ack { tile: number });
            model.push((now + ahead, u64::from(number), number));
            assert_eq!(events.next(now), model.iter().min().unwrap().0);
            // Sometimes the clock goes on without an event, but not beyond the next one.
            if state & 7 == 0 {
                now = events.next(now) - (events.next(now) - now) / 2;
            }
            for _ in 0..if number < 300 { 0 } else { 1 + (state >> 40) % 2 } {
                let Some(first) = model.iter().copied().min() else { break };
                model.retain(|event| *event != first);
                assert_eq!(events.pop(now), Some((first.0, Event::Ack { tile: first.2 })));
                now = first.0;
            }
        }
    }
}
