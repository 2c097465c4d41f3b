//! Candidates and a segment of the trace become launches, and what kernels saw comes back.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use gw_device::{Buffer, Device, DeviceError, Kernel, Launch, Unit};

use super::kernels::{
    BLOCK, DeviceCandidate, FAILS, FoundRange, Group, NOTHING, NumberArguments, PatternArguments, RangeArguments, TILE,
    UNSURE, WORDS, Width, code, number, range_unit, unit, units_of,
};
use super::segment::Segment;
use crate::check::{Candidate, Question, Rules};
use crate::ranges::{EMPTY, Range};
use crate::trace::Trace;

/// A candidate on its way through the trace.
#[derive(Clone, Copy)]
pub(super) struct Marked {
    pub candidate: Candidate,
    /// The cores must look at it, because rounding might decide.
    pub is_unsure: bool,
}

/// A kernel by what it does.
#[derive(PartialEq, Eq, Hash)]
enum Task {
    Check(Group),
    Ranges,
}

/// A device with the kernels that were compiled for it.
pub(super) struct Launches {
    pub device: Arc<dyn Device>,
    kernels: HashMap<(Task, Width), Kernel>,
    has_begun: bool,
}

impl Launches {
    /// A device without kernels yet.
    pub fn new(device: Arc<dyn Device>) -> Launches {
        Launches { device, kernels: HashMap::new(), has_begun: false }
    }

    /// Looks at the instants of a segment from `skip` on.
    pub fn look(
        &mut self,
        segment: &mut Segment,
        trace: &Trace,
        skip: usize,
        marked: &mut [Marked],
        rules: &Rules,
    ) -> Result<(), DeviceError> {
        self.begin(segment.width);
        let mut groups: BTreeMap<Group, Vec<usize>> = BTreeMap::new();
        for (at, mark) in marked.iter_mut().enumerate() {
            match code(mark.candidate.question) {
                Some((group, ..)) => groups.entry(group).or_default().push(at),
                None => mark.is_unsure = true,
            }
        }
        // 1. All launches.
        let mut launched = Vec::new();
        for (group, members) in groups {
            let candidates: Vec<Candidate> = members.iter().map(|&at| marked[at].candidate).collect();
            let answer = self.check(group, &candidates, segment, trace, skip, rules)?;
            launched.push((group, members, answer));
        }
        // 2. All answers.
        for (group, members, answer) in launched {
            let mut bits = vec![0_u32; members.len()];
            self.device.download(bytemuck::cast_slice_mut(&mut bits), answer.address())?;
            for (at, bits) in members.into_iter().zip(bits) {
                let mark = &mut marked[at];
                match group {
                    Group::Order | Group::Patterns(_) => mark.candidate.seen |= bits as u8,
                    Group::Arithmetic | Group::Transcendental => {
                        mark.candidate.seen |= (bits & FAILS) as u8;
                        mark.is_unsure |= bits & UNSURE != 0;
                    }
                }
            }
        }
        Ok(())
    }

    /// Enqueues the kernel of a group; the seen bits, a word each, will be in the buffer.
    fn check(
        &mut self,
        group: Group,
        candidates: &[Candidate],
        segment: &mut Segment,
        trace: &Trace,
        skip: usize,
        rules: &Rules,
    ) -> Result<Buffer, DeviceError> {
        let device = Arc::clone(&self.device);
        let asked = candidates.iter().flat_map(|c| c.variables.into_iter().take(arity(c.question)));
        let columns = match group {
            Group::Patterns(_) => segment.booleans(&device, trace, asked)?,
            _ => segment.numbers(&device, trace, asked)?,
        };
        let written = |c: &Candidate| {
            let (_, question, constant) = code(c.question).unwrap_or((group, 0, 0.0));
            DeviceCandidate { question, variables: c.variables, constant }
        };
        let list: Vec<DeviceCandidate> = candidates.iter().map(written).collect();
        let seen: Vec<u32> = candidates.iter().map(|c| u32::from(c.seen)).collect();
        let columns = Buffer::with(&device, bytemuck::cast_slice(&columns))?;
        let list = Buffer::with(&device, bytemuck::cast_slice(&list))?;
        let seen = Buffer::with(&device, bytemuck::cast_slice(&seen))?;
        let kernel = self.kernel(Task::Check(group), segment.width, || unit(group, segment.width))?;
        let count = candidates.len() as u64;
        let (first, tiles) = match group {
            Group::Patterns(_) => (skip / (64 * WORDS), segment.word_tiles()),
            _ => (skip / TILE, segment.tiles()),
        };
        let (first, tiles) = (first as u64, tiles.saturating_sub(first) as u64);
        let (columns_at, list_at, seen_at) = (columns.address().0, list.address().0, seen.address().0);
        match group {
            Group::Patterns(_) => {
                let arguments = PatternArguments {
                    columns: columns_at,
                    candidates: list_at,
                    seen: seen_at,
                    count,
                    first,
                    tiles,
                    dead: dead_patterns(candidates[0].question, rules),
                };
                self.launch(&kernel, count * tiles, bytemuck::bytes_of(&arguments))?;
            }
            _ => {
                let arguments = NumberArguments {
                    columns: columns_at,
                    candidates: list_at,
                    seen: seen_at,
                    count,
                    first,
                    tiles,
                    dead: dead_numbers(group, rules),
                    tolerance: rules.tolerance,
                };
                self.launch(&kernel, count * tiles, bytemuck::bytes_of(&arguments))?;
            }
        }
        Ok(seen)
    }

    /// The ranges of some numbers over a segment.
    pub fn ranges(
        &mut self,
        segment: &mut Segment,
        trace: &Trace,
        variables: &[u32],
    ) -> Result<Vec<Range>, DeviceError> {
        self.begin(segment.width);
        let device = Arc::clone(&self.device);
        let columns = segment.numbers(&device, trace, variables.iter().copied())?;
        let mut found: Vec<FoundRange> = vec![NOTHING; variables.len()];
        let columns = Buffer::with(&device, bytemuck::cast_slice(&columns))?;
        let asked = Buffer::with(&device, bytemuck::cast_slice(variables))?;
        let answer = Buffer::with(&device, bytemuck::cast_slice(&found))?;
        let kernel = self.kernel(Task::Ranges, segment.width, || range_unit(segment.width))?;
        let (count, tiles) = (variables.len() as u64, segment.tiles() as u64);
        let arguments = RangeArguments {
            columns: columns.address().0,
            variables: asked.address().0,
            found: answer.address().0,
            count,
            tiles,
        };
        self.launch(&kernel, count * tiles, bytemuck::bytes_of(&arguments))?;
        device.download(bytemuck::cast_slice_mut(&mut found), answer.address())?;
        let range = |found: FoundRange| match found.least {
            u64::MAX => Range { has_nan: found.not_a_number != 0, ..EMPTY },
            _ => Range { least: number(found.least), most: number(found.most), has_nan: found.not_a_number != 0 },
        };
        Ok(found.into_iter().map(range).collect())
    }

    /// Begins to compile what a trace may need.
    fn begin(&mut self, width: Width) {
        if !self.has_begun {
            self.device.compile_ahead(units_of(width));
            self.has_begun = true;
        }
    }

    fn kernel(&mut self, task: Task, width: Width, unit: impl FnOnce() -> Unit) -> Result<Kernel, DeviceError> {
        let key = (task, width);
        if let Some(kernel) = self.kernels.get(&key) {
            return Ok(kernel.clone());
        }
        let kernel = self.device.compile(&unit())?;
        self.kernels.insert(key, kernel.clone());
        Ok(kernel)
    }

    /// Launches a kernel of which a warp takes one unit of work after the other.
    fn launch(&self, kernel: &Kernel, units: u64, arguments: &[u8]) -> Result<(), DeviceError> {
        if units == 0 {
            return Ok(());
        }
        let resident = u64::from(self.device.facts().processors) * u64::from(kernel.blocks_per_processor.max(1));
        let grid = units.div_ceil(u64::from(BLOCK / 32)).min(resident) as u32;
        self.device.launch(kernel, Launch { grid, block: BLOCK, cooperative: false }, arguments)
    }
}

/// How many variables a question is about.
fn arity(question: Question) -> usize {
    match question {
        Question::Order | Question::Patterns2 => 2,
        Question::Falsified(template) => template.arity(),
        Question::Patterns1 => 1,
        Question::Patterns3 => 3,
    }
}

/// The seen bits with which nothing is left to find, as bits of a word.
fn dead_numbers(group: Group, rules: &Rules) -> u64 {
    match group {
        Group::Order => bits((0..16).map(|seen| rules.is_dead(Question::Order, seen))),
        _ => bits((0..4).map(|seen| seen & FAILS != 0)),
    }
}

fn dead_patterns(question: Question, rules: &Rules) -> [u64; 4] {
    // Fewer variables have fewer patterns; no others are seen.
    let most: u16 = match question {
        Question::Patterns1 => 4,
        Question::Patterns2 => 16,
        _ => 256,
    };
    let dead = |seen: u16| seen < most && rules.is_dead(question, seen as u8);
    std::array::from_fn(|word| bits((0..64).map(|bit| dead(64 * word as u16 + bit))))
}

fn bits(values: impl Iterator<Item = bool>) -> u64 {
    values.enumerate().fold(0, |word, (at, value)| word | u64::from(value) << at)
}
