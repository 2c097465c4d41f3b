//! The schedules that `gw tune` found, kept for later runs: a file per program, graph, machine and objective.
//!
//! An entry is advice, never trusted: its version, program, graph and machine are compared, its schedule is checked
//! as any other. Whatever does not fit is passed over with a word, and the machine's rule holds.

use std::io::Write;
use std::path::{Path, PathBuf};

use gw_exec::GraphVm;
use gw_graph::partial_file::PartialFile;
use gw_graph::rng::mix;
use gw_graph::text_file::read_text;
use gw_graph::{Graph, VertexId, WeightKind};
use gw_schedule::ProgramSchedule;
use serde::{Deserialize, Serialize};

/// The version of the files. Files of other versions are passed over.
const VERSION: u32 = 1;
/// The folder below the user's cache.
const FOLDER: &str = "schedules";

/// What a tuned schedule was chosen for. An entry of the cache is for one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aim {
    /// The least time of a run.
    #[default]
    Time,
    /// The least energy of a run.
    Energy,
    /// The least product of energy and time of a run.
    TimeEnergy,
}

impl Aim {
    /// All aims.
    pub const ALL: [Aim; 3] = [Aim::Time, Aim::Energy, Aim::TimeEnergy];

    /// Its word on the command line and in names of files.
    pub fn word(self) -> &'static str {
        match self {
            Aim::Time => "time",
            Aim::Energy => "energy",
            Aim::TimeEnergy => "time-energy",
        }
    }

    /// What is made small, in words.
    pub fn in_words(self) -> &'static str {
        match self {
            Aim::Time => "time",
            Aim::Energy => "energy",
            Aim::TimeEnergy => "product of energy and time",
        }
    }

    /// The aim of a text such as `auto:energy`; `None` where the text is no `auto` with an aim.
    pub fn of_schedule(text: &str) -> Option<Aim> {
        let word = text.strip_prefix("auto:")?;
        Aim::ALL.into_iter().find(|aim| aim.word() == word)
    }
}

/// A folder of tuned schedules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleCache {
    folder: Option<PathBuf>,
    /// Entries for this aim are kept and found.
    aim: Aim,
    /// Threads of the host that runs compute with: a schedule for two threads is none for sixty-four.
    threads: usize,
    /// Entries for the graph of this signature are found, whatever graph a run is on.
    graph: Option<String>,
}

/// A schedule that was found for a program on a graph and a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TunedSchedule {
    /// Version of the file.
    pub version: u32,
    /// Name of the program, for people.
    pub name: String,
    /// Hash of the program's text.
    pub program: String,
    /// Signature of the graph.
    pub graph: String,
    /// The machine: `cpu`, `cuda`.
    pub target: String,
    /// Processor and threads, or device.
    pub machine: String,
    /// Canonical text of the schedule.
    pub schedule: String,
    /// What it was chosen for.
    #[serde(default)]
    pub objective: Aim,
    /// Its time, energy or product of both, by the objective, as a share of that of the machine's rule.
    pub share: f64,
    /// Mean seconds of a run when it was tuned.
    pub seconds: f64,
    /// Mean joules of a run when it was tuned; absent where nobody metered them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joules: Option<f64>,
    /// When, in UTC.
    pub tuned: String,
}

/// What a cache says about a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Tuning {
    /// Nothing was tuned.
    None,
    /// There is an entry, but it is not used for this reason.
    Ignored(String),
    /// This entry fits.
    Found(Box<TunedSchedule>, Box<ProgramSchedule>),
}

/// What an entry is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TuningKey {
    /// Hash of the program's text.
    pub program: String,
    /// Signature of the graph.
    pub graph: String,
    /// The machine: `cpu`, `cuda`.
    pub target: String,
    /// Processor and threads, or device: [`ScheduleCache::machine`].
    pub machine: String,
}

impl TuningKey {
    /// The key of a program, by its hash, on a graph, a machine (`cpu`) and the computer that it computes with.
    pub fn new(program: &str, graph: &Graph, target: &str, machine: &str) -> TuningKey {
        let (program, target, machine) = (program.to_string(), target.to_string(), machine.to_string());
        TuningKey { program, graph: graph_signature(graph), target, machine }
    }

    /// The stem of the names of its files.
    pub fn stem(&self) -> String {
        format!("{}-{}-{}-{}", self.target, self.program, self.graph, text_hash(&self.machine))
    }
}

impl ScheduleCache {
    /// The user's, in [`gw_graph::cache_folder`]. `threads` is the number of threads that runs compute with.
    pub fn of_user(threads: usize) -> ScheduleCache {
        ScheduleCache {
            folder: gw_graph::cache_folder().map(|folder| folder.join(FOLDER)),
            threads,
            ..ScheduleCache::none()
        }
    }

    /// A cache in a folder, which is made when something is first written.
    pub fn at(folder: impl Into<PathBuf>, threads: usize) -> ScheduleCache {
        ScheduleCache { folder: Some(folder.into()), threads, ..ScheduleCache::none() }
    }

    /// No cache: nothing is found, and nothing is kept.
    pub fn none() -> ScheduleCache {
        ScheduleCache { folder: None, aim: Aim::Time, threads: 0, graph: None }
    }

    /// The same folder for runs that compute with this many threads.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> ScheduleCache {
        ScheduleCache { threads, ..self }
    }

    /// The same folder, whose entries for this graph serve runs on other graphs: those that changes make of this one.
    #[must_use]
    pub fn for_changes_of(self, graph: &Graph) -> ScheduleCache {
        ScheduleCache { graph: Some(graph_signature(graph)), ..self }
    }

    /// The key of a program, by its hash, on a machine for a run on a graph.
    pub(crate) fn key(&self, program: &str, graph: &Graph, machine: &dyn GraphVm) -> TuningKey {
        let key = TuningKey::new(program, graph, machine.name(), &self.machine(machine));
        match &self.graph {
            Some(graph) => TuningKey { graph: graph.clone(), ..key },
            None => key,
        }
    }

    /// Whether entries for another graph than that of a run are found.
    pub(crate) fn is_for_changes(&self) -> bool {
        self.graph.is_some()
    }

    /// The same folder with its entries for another aim; without this call entries for [`Aim::Time`] are meant.
    #[must_use]
    pub fn aimed_at(self, aim: Aim) -> ScheduleCache {
        ScheduleCache { aim, ..self }
    }

    /// What entries are for.
    pub fn aim(&self) -> Aim {
        self.aim
    }

    /// The folder; `None` where nothing is kept.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The file of an entry; `None` where nothing is kept.
    pub fn file(&self, key: &TuningKey) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(self.stem(key) + ".json"))
    }

    /// The stem of the names of all files about a key and this aim.
    pub fn stem(&self, key: &TuningKey) -> String {
        match self.aim {
            Aim::Time => key.stem(),
            aim => format!("{}-{}", key.stem(), aim.word()),
        }
    }

    /// The computer that a machine computes with, in words: the device, or the processor and the threads.
    pub fn machine(&self, machine: &dyn GraphVm) -> String {
        match machine.device() {
            Some(device) => device.name,
            None => format!("{}, threads: {}", processor(), self.threads),
        }
    }

    /// What is known for a program on a graph. Costs a look at the folder where nothing is known.
    pub fn find(&self, key: &TuningKey) -> Tuning {
        let Some(file) = self.file(key).filter(|file| file.is_file()) else { return Tuning::None };
        let ignored = |why: String| Tuning::Ignored(format!("{}: {why}", file.display()));
        let text = match read_text(&file) {
            Ok(text) => text,
            Err(error) => return ignored(format!("cannot be read: {error}")),
        };
        let entry: TunedSchedule = match serde_json::from_str(&text) {
            Ok(entry) => entry,
            Err(error) => return ignored(format!("is no entry of the cache ({error}); `gw tune` makes a new one")),
        };
        if entry.version != VERSION {
            return ignored(format!("is of version {}, and this program has version {VERSION}", entry.version));
        }
        if (&entry.program, &entry.graph, &entry.target) != (&key.program, &key.graph, &key.target) {
            return ignored("is about another program, graph or machine than its name says".to_string());
        }
        if entry.objective != self.aim {
            let (found, wanted) = (entry.objective.word(), self.aim.word());
            return ignored(format!("was tuned for {found}, and its name says {wanted}"));
        }
        if entry.machine != key.machine {
            return ignored(format!(
                "was tuned on {}, and this is {}; `gw tune` tunes for this one",
                entry.machine, key.machine
            ));
        }
        match entry.schedule.parse() {
            Ok(schedule) => Tuning::Found(Box::new(entry), Box::new(schedule)),
            Err(error) => ignored(format!("has a schedule that cannot be read: {error}")),
        }
    }

    /// Keeps an entry: the file appears complete or not at all. Returns the file; `None` where nothing is kept.
    pub fn store(&self, key: &TuningKey, entry: &TunedSchedule) -> std::io::Result<Option<PathBuf>> {
        let Some(file) = self.file(key) else { return Ok(None) };
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let entry = TunedSchedule { version: VERSION, objective: self.aim, ..entry.clone() };
        let mut partial = PartialFile::beside(&file)?;
        partial.file().write_all((serde_json::to_string_pretty(&entry)? + "\n").as_bytes())?;
        partial.replace()?;
        Ok(Some(file))
    }
}

/// A hash of a text in 16 hexadecimal digits: tells versions of a program apart.
pub fn text_hash(text: &str) -> String {
    let mut hash = Hash::default();
    text.bytes().for_each(|byte| hash.add(u64::from(byte)));
    hash.text()
}

/// A signature of a graph in 16 hexadecimal digits, from its sizes and a sample of its edges and weights: the same for
/// the same graph, and different for others but by a rare chance, which costs time and never a wrong result. Takes
/// microseconds whatever the size of the graph.
pub fn graph_signature(graph: &Graph) -> String {
    const LISTS: usize = 1 << 10;
    const ENTRIES: usize = 8;
    let mut hash = Hash::default();
    let out = graph.out();
    for size in [graph.vertices(), graph.edges(), usize::from(graph.is_symmetric())] {
        hash.add(size as u64);
    }
    for vertex in (0..graph.vertices()).step_by((graph.vertices() / LISTS).max(1)) {
        let list = out.neighbours(vertex as VertexId);
        hash.add(list.len() as u64);
        list.iter().take(ENTRIES).for_each(|&neighbour| hash.add(u64::from(neighbour)));
    }
    let stride = (graph.edges() / LISTS).max(1);
    let weights = (0..graph.edges()).step_by(stride).filter_map(|edge| out.weight_of(edge));
    match graph.weight_kind() {
        WeightKind::None => hash.add(0),
        WeightKind::Int => weights.for_each(|weight| hash.add(weight as i32 as u64)),
        WeightKind::Float => weights.for_each(|weight| hash.add(u64::from((weight as f32).to_bits()))),
        WeightKind::Int64 | WeightKind::Double => weights.for_each(|weight| hash.add(weight.to_bits())),
    }
    hash.text()
}

#[derive(Default)]
struct Hash(u64);

impl Hash {
    fn add(&mut self, value: u64) {
        self.0 = mix(self.0 ^ mix(value.wrapping_add(0x9e37_79b9_7f4a_7c15)));
    }

    fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}

/// The name of the processor, where the system tells.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or_else(|| std::env::consts::ARCH.to_string(), |(_, name)| name.trim().to_string())
}
