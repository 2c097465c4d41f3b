//! Passes over a trace on a device.

use std::collections::BTreeMap;
use std::sync::Arc;

use gw_device::{Device, DeviceError, Usage};
use serde::Serialize;

use super::kernels::WORDS;
use super::launches::{Launches, Marked};
use super::segment::Segment;
use crate::check::{Candidate, Checker, HEAD, Rules, prune, prune_by_head};
use crate::ranges::{EMPTY, Range};
use crate::source::Source;
use crate::trace::Trace;
use crate::{MineError, Result};

/// Instants of a segment: 128 MiB of a column of 32-bit floats.
const SEGMENT: usize = 1 << 25;

/// A GPU with the trace that it reads. Columns stay on the device from pass to pass as long as its memory allows.
pub struct OnDevice<'a> {
    source: &'a mut dyn Source,
    launches: Launches,
    /// The first instants, on their own: they kill most candidates before whole columns are sent.
    head: Option<(Trace, Segment)>,
    segments: Segments,
    before: Usage,
    rechecked: usize,
}

/// Segments on the device, by the number of the part and of the segment in it.
struct Segments {
    kept: BTreeMap<(usize, usize), Segment>,
    instants: usize,
}

/// What mining took of a device.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Use {
    /// The device.
    pub device: String,
    /// Bytes sent to it.
    pub sent_bytes: u64,
    /// Seconds of transfers.
    pub transfer_seconds: f64,
    /// Seconds spent on compiling kernels and loading them.
    pub compile_seconds: f64,
    /// Kernels launched.
    pub launches: u64,
    /// Candidates that the cores looked at because rounding might decide.
    pub rechecked: usize,
}

impl<'a> OnDevice<'a> {
    /// A device with a trace.
    pub fn new(device: Arc<dyn Device>, source: &'a mut dyn Source) -> OnDevice<'a> {
        let before = device.usage();
        let segments = Segments { kept: BTreeMap::new(), instants: SEGMENT };
        OnDevice { source, launches: Launches::new(device), head: None, segments, before, rechecked: 0 }
    }

    /// The same with segments of so many instants, a multiple of 16384: for tests.
    #[doc(hidden)]
    pub fn with_segment(mut self, instants: usize) -> OnDevice<'a> {
        assert!(instants > 0 && instants.is_multiple_of(64 * WORDS), "segments are whole tiles");
        self.segments.instants = instants;
        self
    }

    /// What was taken of the device since this was last asked, or since the beginning.
    pub fn used(&mut self) -> Use {
        let (now, before) = (self.launches.device.usage(), self.before);
        self.before = now;
        Use {
            device: self.launches.device.facts().name.clone(),
            sent_bytes: now.uploaded - before.uploaded,
            transfer_seconds: now.transfer_seconds - before.transfer_seconds,
            compile_seconds: now.compile_seconds - before.compile_seconds,
            launches: now.launches - before.launches,
            rechecked: std::mem::take(&mut self.rechecked),
        }
    }

    /// Looks at the first instants. Returns how many these are.
    fn look_at_head(&mut self, marked: &mut Vec<Marked>, rules: &Rules) -> Result<usize> {
        if self.head.is_none() {
            self.source.rewind()?;
            let Some(part) = self.source.next()? else { return Ok(0) };
            let head = part.head(HEAD);
            let segment = Segment::new(&head, 0..head.instants);
            self.head = Some((head, segment));
        }
        let Some((trace, segment)) = &mut self.head else { return Ok(0) };
        self.launches.look(segment, trace, 0, marked, rules)?;
        marked.retain(|mark| rules.is_alive(&mark.candidate));
        Ok(trace.instants)
    }

    /// Looks at all instants behind the head.
    fn look_behind(&mut self, head: usize, marked: &mut Vec<Marked>, rules: &Rules) -> Result<()> {
        let OnDevice { source, launches, segments, .. } = self;
        source.rewind()?;
        let mut number = 0;
        while let Some(part) = source.next()? {
            let skipped = if number == 0 { head } else { 0 };
            segments.each(number, part, skipped, |segment, skip| {
                launches.look(segment, part, skip, marked, rules)?;
                marked.retain(|mark| rules.is_alive(&mark.candidate));
                Ok(!marked.is_empty())
            })?;
            if marked.is_empty() {
                break;
            }
            number += 1;
        }
        Ok(())
    }

    /// The candidates that are left, after the cores have looked at those that rounding might decide.
    fn decided(
        &mut self,
        marked: Vec<Marked>,
        look: impl FnOnce(&mut Vec<Candidate>, &mut dyn Source) -> Result<()>,
    ) -> Result<Vec<Candidate>> {
        let fresh = |mark: &Marked| Candidate { seen: 0, ..mark.candidate };
        let mut unsure: Vec<Candidate> = marked.iter().filter(|mark| mark.is_unsure).map(fresh).collect();
        self.rechecked += unsure.len();
        if !unsure.is_empty() {
            look(&mut unsure, self.source)?;
        }
        // Those that are left are in their old order.
        let mut left = unsure.into_iter().peekable();
        let stays = |mark: &Marked| {
            let same = |c: &Candidate| c.question == mark.candidate.question && c.variables == mark.candidate.variables;
            !mark.is_unsure || left.next_if(same).is_some()
        };
        Ok(marked.into_iter().filter(stays).map(|mark| mark.candidate).collect())
    }
}

impl Segments {
    /// Calls `look` with every segment of a part that does not end within the first `skipped` instants, and with the
    /// instants of the segment that are to be left out. `look` says whether to go on.
    fn each(
        &mut self,
        number: usize,
        part: &Trace,
        skipped: usize,
        mut look: impl FnMut(&mut Segment, usize) -> std::result::Result<bool, DeviceError>,
    ) -> std::result::Result<(), DeviceError> {
        for at in skipped / self.instants..part.instants.div_ceil(self.instants) {
            let from = at * self.instants;
            let instants = from..(from + self.instants).min(part.instants);
            let skip = skipped.saturating_sub(from);
            if skip >= instants.len() {
                continue;
            }
            let key = (number, at);
            let fresh = || Segment::new(part, instants.clone());
            let mut segment = self.kept.remove(&key).unwrap_or_else(fresh);
            let mut goes_on = look(&mut segment, skip);
            if let (Err(DeviceError::OutOfMemory { .. }), false) = (&goes_on, self.kept.is_empty()) {
                // The columns of other segments make room; they are sent again when they are needed.
                self.kept.clear();
                segment = fresh();
                goes_on = look(&mut segment, skip);
            }
            let goes_on = goes_on?;
            self.kept.insert(key, segment);
            if !goes_on {
                break;
            }
        }
        Ok(())
    }
}

fn marked(candidates: &mut Vec<Candidate>) -> Vec<Marked> {
    std::mem::take(candidates).into_iter().map(|candidate| Marked { candidate, is_unsure: false }).collect()
}

impl Checker for OnDevice<'_> {
    fn source(&mut self) -> &mut dyn Source {
        self.source
    }

    fn prune(&mut self, candidates: &mut Vec<Candidate>, rules: &Rules) -> Result<()> {
        if candidates.is_empty() {
            return Ok(());
        }
        let mut marked = marked(candidates);
        let head = self.look_at_head(&mut marked, rules)?;
        if !marked.is_empty() {
            self.look_behind(head, &mut marked, rules)?;
        }
        *candidates = self.decided(marked, |unsure, source| prune(unsure, source, rules))?;
        Ok(())
    }

    fn prune_by_head(&mut self, candidates: &mut Vec<Candidate>, rules: &Rules) -> Result<()> {
        if candidates.is_empty() {
            return Ok(());
        }
        let mut marked = marked(candidates);
        self.look_at_head(&mut marked, rules)?;
        *candidates = self.decided(marked, |unsure, source| prune_by_head(unsure, source, rules))?;
        candidates.iter_mut().for_each(|candidate| candidate.seen = 0);
        Ok(())
    }

    fn ranges(&mut self, variables: &[u32], is_asked: &[bool]) -> Result<Vec<Range>> {
        let unknown = Range { has_nan: true, ..EMPTY };
        let mut found: Vec<Range> = is_asked.iter().map(|&asked| if asked { EMPTY } else { unknown }).collect();
        let (places, asked): (Vec<usize>, Vec<u32>) =
            variables.iter().enumerate().filter(|&(at, _)| is_asked[at]).map(|(at, &v)| (at, v)).unzip();
        if asked.is_empty() {
            return Ok(found);
        }
        let OnDevice { source, launches, segments, .. } = self;
        source.rewind()?;
        let mut number = 0;
        while let Some(part) = source.next()? {
            segments.each(number, part, 0, |segment, _| {
                let here = launches.ranges(segment, part, &asked)?;
                places.iter().zip(here).for_each(|(&at, range)| found[at] = found[at].join(range));
                Ok(true)
            })?;
            number += 1;
        }
        Ok(found)
    }
}

impl From<DeviceError> for MineError {
    fn from(error: DeviceError) -> MineError {
        MineError::Device(error.to_string())
    }
}
