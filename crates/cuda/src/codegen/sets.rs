//! Input and output sets of operators: their forms, how vertices are tested and how they are added.

use gw_ir::meta::{Dedup, Representation};
use gw_ir::operator::EdgeSetIterator;
use gw_ir::source::Span;
use gw_schedule::{Append, DedupBy, DedupInput, FrontierCount, FrontierForm, SimpleSchedule};

use super::inputs::Source;
use super::region::Region;
use super::text::Code;

/// Forms of sets as the headers number them.
pub(crate) mod form {
    pub(crate) const QUEUE: u32 = 1;
    pub(crate) const BITS: u32 = 2;
    pub(crate) const BYTES: u32 = 4;
    pub(crate) const LEVELS: u32 = 16;
}

/// How an operator adds vertices to its output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Insert {
    Append,
    Counters,
    /// By words of value and round: the reduction itself keeps repeats out.
    Words,
    SeenBits,
    SeenBytes,
    Hash,
    Hash64,
    Match,
    Bits(FrontierCount),
    Bytes(FrontierCount),
    Levels(FrontierCount),
}

impl Insert {
    pub(crate) fn form(self) -> (u32, &'static str) {
        match self {
            Insert::Bits(_) => (form::BITS, "gw::BITS"),
            Insert::Bytes(_) => (form::BYTES, "gw::BYTES"),
            Insert::Levels(_) => (form::LEVELS, "gw::LEVELS"),
            _ => (form::QUEUE, "gw::QUEUE"),
        }
    }

    pub(super) fn counting(self) -> &'static str {
        match self {
            Insert::Bits(count) | Insert::Bytes(count) | Insert::Levels(count) => match count {
                FrontierCount::Plain => "gw::COUNT_PLAIN",
                FrontierCount::Bulk => "gw::COUNT_BULK",
                FrontierCount::Warp => "gw::COUNT_WARP",
                FrontierCount::Block => "gw::COUNT_BLOCK",
            },
            _ => "gw::COUNT_PLAIN",
        }
    }

    /// The call that adds `v`; `room` says how threads get room in a queue.
    pub(super) fn call(self, room: Append) -> String {
        let counting = self.counting();
        let room = room_name(room);
        match self {
            Insert::Append | Insert::Words => format!("out.append<{room}>(v)"),
            Insert::Counters => format!("out.append_by_counters<{room}>(v)"),
            Insert::SeenBits => format!("out.append_by_bits<{room}>(v)"),
            Insert::SeenBytes => format!("out.append_by_bytes<{room}>(v)"),
            Insert::Hash => format!("out.append_by_hash<HASH, {room}>(v, hash)"),
            Insert::Hash64 => format!("out.append_by_hash64<{room}>(v)"),
            Insert::Match => format!("out.append_by_match<{room}>(v)"),
            Insert::Bits(_) => format!("out.insert_bit<{counting}>(v)"),
            Insert::Bytes(_) => format!("out.insert_byte<{counting}>(v)"),
            Insert::Levels(_) => format!("out.insert_level<{counting}>(v)"),
        }
    }
}

/// A way to get room in a queue as the headers name it.
pub(super) fn room_name(room: Append) -> &'static str {
    match room {
        Append::Staged => "gw::ROOM_STAGED",
        Append::Ballot => "gw::ROOM_BALLOT",
        Append::Registers => "gw::ROOM_REGISTERS",
    }
}

/// The test by which a repeat in the input queue is passed over where it is loaded; `None` where all are walked.
pub(super) fn input_repeat(schedule: &SimpleSchedule) -> Option<&'static str> {
    match schedule.dedup_input {
        None | Some(DedupInput::Off) => None,
        Some(DedupInput::Warp) => Some("gw::repeats_in_warp(v)"),
        Some(DedupInput::Block) => Some("gw::repeats_in_block(v, gw::input_words64())"),
    }
}

/// How an edge operator fills its output. With `often` an edge may enqueue more than one vertex: only a list without
/// repeats has a bound then.
pub(super) fn insert_of(op: &EdgeSetIterator, schedule: &SimpleSchedule, often: bool) -> Insert {
    let count = schedule.count.unwrap_or(FrontierCount::Block);
    match op.meta.output_representation {
        Some(Representation::Bitmap) => Insert::Bits(count),
        Some(Representation::Boolmap) => Insert::Bytes(count),
        Some(Representation::LevelMask) => Insert::Levels(count),
        _ if op.meta.dedup == Dedup::None || !op.meta.dedup_inline => match often {
            true => Insert::Counters,
            false => Insert::Append,
        },
        _ => match schedule.dedup_by.unwrap_or(DedupBy::CountersFused) {
            DedupBy::Counters | DedupBy::CountersFused => Insert::Counters,
            DedupBy::Words => Insert::Words,
            DedupBy::Bitmap => Insert::SeenBits,
            DedupBy::Boolmap => Insert::SeenBytes,
            DedupBy::Hash | DedupBy::Hash64 | DedupBy::WarpMatch if often => Insert::Counters,
            DedupBy::Hash => Insert::Hash,
            DedupBy::Hash64 => Insert::Hash64,
            DedupBy::WarpMatch => Insert::Match,
        },
    }
}

/// A map in which the input of an operator is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InputMap(FrontierForm);

impl InputMap {
    pub(super) fn of(op: &EdgeSetIterator, schedule: &SimpleSchedule) -> InputMap {
        InputMap(match op.meta.pull_input_frontier {
            Some(Representation::Bitmap) => FrontierForm::Bitmap,
            Some(Representation::LevelMask) => FrontierForm::LevelMask,
            Some(_) => FrontierForm::Boolmap,
            // An edge list is tested whatever the direction.
            None => schedule.pull_frontier(),
        })
    }

    /// The member of a set that tests a vertex.
    pub(super) fn test(self) -> &'static str {
        match self.0 {
            FrontierForm::Bitmap => "has_bit",
            FrontierForm::Boolmap => "has_byte",
            FrontierForm::LevelMask => "has_level",
        }
    }

    /// What brings a set into this form, and its number.
    pub(super) fn need(self) -> (&'static str, u32) {
        match self.0 {
            FrontierForm::Bitmap => ("need_bits", form::BITS),
            FrontierForm::Boolmap => ("need_bytes", form::BYTES),
            FrontierForm::LevelMask => ("need_levels", form::LEVELS),
        }
    }
}

/// Makes the output set and the object through which threads fill it.
pub(crate) fn output_setup(region: &mut Region<'_>, insert: Option<Insert>, span: Span, code: &mut Code) {
    let Some(insert) = insert else { return };
    region.forms |= insert.form().0;
    region.output = insert.form().0;
    let fault = region.inputs.member(Source::Fault, "gw::Fault*", "fault");
    let seen = match insert {
        Insert::Counters => {
            region.rounds += 1;
            code.line("run.round++;");
            region.inputs.member(Source::Counters, "unsigned*", "counters")
        }
        Insert::Words => {
            region.rounds += 1;
            code.line("run.round++;");
            "nullptr".to_string()
        }
        Insert::SeenBits | Insert::SeenBytes => {
            region.cooperative = true;
            let map = region.inputs.member(Source::SeenMap, "unsigned*", "seen_map");
            let per_word = if insert == Insert::SeenBits { 32 } else { 4 };
            code.line(format!(
                "for (unsigned w = run.grid.rank(); w <= run.vertices() / {per_word}; w += run.grid.size()) {map}[w] = 0;"
            ));
            code.line("run.wait(live());");
            map
        }
        _ => "nullptr".to_string(),
    };
    if insert == Insert::Hash {
        code.line("__shared__ int hash[1024];");
        code.line("__syncthreads();");
        code.line("for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) hash[i] = -1;");
        code.line("__syncthreads();");
    }
    region.rounds += u32::from(insert.form().0 == form::LEVELS);
    code.line(format!("made = run.make({}, live());", insert.form().1));
    code.line(format!("gw::Output output{{run.at(made), {fault}, {}, {seen}, run.round, 0}};", span.line));
    if insert.form().0 == form::QUEUE {
        code.line("output.begin();");
    }
}
