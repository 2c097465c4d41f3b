//! Runs candidates over a trace on all cores of the processor.
//!
//! Work is divided into blocks of instants that fit a core's cache, so that a column is read from memory once for all
//! candidates. Rounds of growing size come first few instants, which kill most candidates, then the rest; the dead
//! are taken out between rounds.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use rayon::prelude::*;

use super::kernel::scan;
use super::{Candidate, Checker, Rules};
use crate::error::most_in_memory;
use crate::ranges::{Range, ranges};
use crate::source::Source;
use crate::trace::{Block, Trace};
use crate::{MineError, Result};

/// Instants of a block.
const BLOCK: usize = 2048;

/// Instants of the first round; each further round has four times as many, up to the last number.
const ROUNDS: (usize, usize) = (8 * BLOCK, 512 * BLOCK);

/// Instants of the head of a trace.
pub(crate) const HEAD: usize = 16 * BLOCK;

/// Candidates of one piece of parallel work.
const GROUP: usize = 2048;

/// Memory of a candidate: twice, while lists of several threads are joined, and with its seen bits.
const CANDIDATE_BYTES: u64 = 3 * size_of::<Candidate>() as u64;

/// The cores of the processor, with the trace that they read.
pub struct Cores<'a> {
    source: &'a mut dyn Source,
}

impl<'a> Cores<'a> {
    /// The cores with a trace.
    pub fn new(source: &'a mut dyn Source) -> Cores<'a> {
        Cores { source }
    }
}

impl Checker for Cores<'_> {
    fn source(&mut self) -> &mut dyn Source {
        self.source
    }

    fn prune(&mut self, candidates: &mut Vec<Candidate>, rules: &Rules) -> Result<()> {
        prune(candidates, self.source, rules)
    }

    fn prune_by_head(&mut self, candidates: &mut Vec<Candidate>, rules: &Rules) -> Result<()> {
        prune_by_head(candidates, self.source, rules)
    }

    fn ranges(&mut self, variables: &[u32], is_asked: &[bool]) -> Result<Vec<Range>> {
        ranges(variables, is_asked, self.source)
    }
}

/// Takes the candidates that die over the whole trace out of the list. The trace is not read further than it must be.
pub(crate) fn prune(candidates: &mut Vec<Candidate>, source: &mut dyn Source, rules: &Rules) -> Result<()> {
    if candidates.is_empty() {
        return Ok(());
    }
    source.rewind()?;
    while let Some(part) = source.next()? {
        prune_part(candidates, part, part.instants, rules);
        if candidates.is_empty() {
            break;
        }
    }
    Ok(())
}

/// [`prune`] by the first instants only. What was seen is forgotten, so that a further [`prune`] looks at all instants.
pub(crate) fn prune_by_head(candidates: &mut Vec<Candidate>, source: &mut dyn Source, rules: &Rules) -> Result<()> {
    if candidates.is_empty() {
        return Ok(());
    }
    source.rewind()?;
    if let Some(part) = source.next()? {
        prune_part(candidates, part, HEAD.min(part.instants), rules);
    }
    candidates.iter_mut().for_each(|candidate| candidate.seen = 0);
    Ok(())
}

fn prune_part(candidates: &mut Vec<Candidate>, part: &Trace, end: usize, rules: &Rules) {
    let (mut from, mut size) = (0, ROUNDS.0);
    while from < end && !candidates.is_empty() {
        let to = (from + size).min(end);
        let seen: Vec<AtomicU8> = candidates.iter().map(|candidate| AtomicU8::new(candidate.seen)).collect();
        let (blocks, groups) = ((to - from).div_ceil(BLOCK), candidates.len().div_ceil(GROUP));
        (0..blocks * groups).into_par_iter().for_each(|task| {
            let (block, group) = (task / groups, task % groups);
            let start = from + block * BLOCK;
            let block = Block::new(part, start..(start + BLOCK).min(to));
            let end = ((group + 1) * GROUP).min(candidates.len());
            for at in group * GROUP..end {
                // Bits that another thread is about to add are missed here; the thread adds them itself.
                let before = seen[at].load(Ordering::Relaxed);
                if rules.is_dead(candidates[at].question, before) {
                    continue;
                }
                let after = scan(&candidates[at], before, &block, rules);
                if after != before {
                    seen[at].fetch_or(after, Ordering::Relaxed);
                }
            }
        });
        candidates.iter_mut().zip(seen).for_each(|(candidate, seen)| candidate.seen = seen.into_inner());
        candidates.retain(|candidate| rules.is_alive(candidate));
        (from, size) = (to, (4 * size).min(ROUNDS.1));
    }
}

/// The candidates that live through the first instants of a trace, in the order of `make`: for each number below
/// `count`, a function that gives its candidates. An error where there is no memory for them.
pub fn survivors<I: Iterator<Item = Candidate>>(
    count: u32,
    probe: &Trace,
    rules: &Rules,
    make: impl Fn(u32) -> I + Sync,
) -> Result<Vec<Candidate>> {
    let block = Block::new(probe, 0..probe.instants);
    let first = Block::new(probe, 0..probe.instants.min(64));
    let lives = |candidate: &Candidate| {
        [&first, &block].iter().all(|block| !rules.is_dead(candidate.question, scan(candidate, 0, block, rules)))
    };
    let (most, taken) = (most_in_memory(CANDIDATE_BYTES), AtomicU64::new(0));
    let has_room = |_: &Candidate| taken.fetch_add(1, Ordering::Relaxed) < most;
    let found: Vec<Candidate> =
        (0..count).into_par_iter().flat_map_iter(|number| make(number).filter(lives).take_while(has_room)).collect();
    if taken.into_inner() > most {
        let bytes = most.saturating_mul(CANDIDATE_BYTES);
        return Err(MineError::TooMany { what: "candidates", variables: count, most, bytes });
    }
    Ok(found)
}
