//! The model of the learned choice: a few small trees per candidate, which say what the candidate costs against the
//! rule.
//!
//! A candidate takes the place of the rule's schedule only where the trees expect a clear gain and agree about it.
//! Operators are told apart by what they do. An operator that does something else than all that were surveyed keeps the
//! rule: trees of other operators brought nothing for it (bench/tune.md).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use gw_exec::{Choice, GraphVm, Reason};
use gw_graph::Graph;
use gw_graph::text_file::read_text;
use gw_ir::{Module, Options, run_pipeline};
use gw_schedule::{Capabilities, Schedule};
use serde::{Deserialize, Serialize};

use crate::features::{Features, NAMES, PlaceFeatures, graph_numbers, known_threads, signature};
use crate::places::{Place, places};
use crate::portfolio::{Candidate, PlaceKind};
use crate::tree::Tree;

/// The version of the file.
pub const VERSION: u32 = 1;
/// Where more places than this are of a kind, all of them take a candidate together.
pub const ALONE: usize = 2;
/// The class in a model file that stands for all classes of operators without an entry of their own.
const ANY: &str = "*";
/// Why a model file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The file is no model, or one of another version.
    #[error("model {file}: {message}")]
    Model {
        /// The file.
        file: String,
        /// What is wrong.
        message: String,
    },
}

pub(crate) type Result<T, E = ModelError> = std::result::Result<T, E>;

/// Environment variable with a model file that takes the place of the one that comes along.
pub const MODEL_VARIABLE: &str = "GW_CHOICE_MODEL";

/// The models that come along, by machine.
const BUILTIN: &[(&str, &str)] = &[
    ("cpu", include_str!("../../../models/choice-cpu.json")),
    ("cuda", include_str!("../../../models/choice-cuda.json")),
];

/// Which schedules suit which places.
#[derive(Debug, Clone, PartialEq)]
pub struct ChoiceModel {
    /// Where it comes from and how good it is.
    pub about: About,
    /// The candidates of every kind of place and class of operators ([`signature`]).
    classes: BTreeMap<(PlaceKind, String), Vec<Judge>>,
}

/// The trees of candidates, by kind of place and class of operators, each under the text of the candidate.
pub type Lessons = BTreeMap<(PlaceKind, String), Vec<(String, Vec<Tree>)>>;

/// What a model says about itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The version of the file.
    pub version: u32,
    /// The machine that was surveyed.
    pub target: String,
    /// Processors or devices that were surveyed.
    pub hardware: Vec<String>,
    /// Graphs and programs that it was learned from.
    pub graphs: usize,
    /// See `graphs`.
    pub programs: usize,
    /// Least and greatest number of edges, and of threads, in the surveys: beyond twice that the rule stays.
    pub edges: [f64; 2],
    /// See `edges`; 0 where a machine does not count its work in threads.
    pub threads: [f64; 2],
    /// The least gain that a change must promise, as a logarithm.
    pub margin: f64,
    /// How many standard deviations of the trees' answers are added to what they expect.
    pub doubt: f64,
    /// Judged on graphs that were left out: geometric mean of the time over the best of the portfolio, for the rule
    /// and for the model.
    pub judged: Option<[f64; 2]>,
}

impl About {
    /// Whether a graph and the threads of a machine are like those of the surveys.
    fn covers(&self, numbers: &BTreeMap<String, f64>) -> bool {
        const BEYOND: f64 = 2.0;
        let within = |name: &str, [least, greatest]: [f64; 2]| {
            numbers.get(name).is_some_and(|value| *value >= least / BEYOND && *value <= greatest * BEYOND)
        };
        within("edges", self.edges) && within("threads", self.threads)
    }
}

/// A candidate with the trees that judge it.
#[derive(Debug, Clone, PartialEq)]
struct Judge {
    text: String,
    candidate: Candidate,
    trees: Vec<Tree>,
}

/// The file.
#[derive(Serialize, Deserialize)]
struct Text {
    #[serde(flatten)]
    about: About,
    kinds: BTreeMap<String, BTreeMap<String, Vec<TextJudge>>>,
}

#[derive(Serialize, Deserialize)]
struct TextJudge {
    schedule: String,
    trees: Vec<String>,
}

/// What a model expects of a candidate, as a logarithm of its time over the rule's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// The mean of the trees.
    pub mean: f64,
    /// Their standard deviation.
    pub spread: f64,
}

impl Expected {
    /// The mean and the spread of trees' answers.
    pub fn of(trees: &[Tree], features: &Features) -> Expected {
        let count = trees.len().max(1) as f64;
        let answers = || trees.iter().map(|tree| tree.answer(features));
        let mean = answers().sum::<f64>() / count;
        let variance = answers().map(|answer| (answer - mean).powi(2)).sum::<f64>() / count;
        Expected { mean, spread: variance.sqrt() }
    }
}

impl ChoiceModel {
    /// A model from trees.
    pub fn new(about: About, lessons: Lessons) -> ChoiceModel {
        let judge = |(text, trees): (String, Vec<Tree>)| {
            Candidate::parse(&text).map(|candidate| Judge { text, candidate, trees })
        };
        let classes = lessons.into_iter().map(|(class, all)| (class, all.into_iter().filter_map(judge).collect()));
        ChoiceModel { about, classes: classes.collect() }
    }

    /// Forgets what was learned about classes of operators.
    pub fn retain(&mut self, keep: impl Fn(PlaceKind, &str) -> bool) {
        self.classes.retain(|(kind, class), _| keep(*kind, class));
    }

    /// The model of a machine: the file of the environment variable, else the one that comes along.
    pub fn of(target: &str) -> Option<Result<Arc<ChoiceModel>>> {
        if let Some(path) = std::env::var_os(MODEL_VARIABLE).filter(|path| !path.is_empty()) {
            return match ChoiceModel::read(Path::new(&path)) {
                Ok(model) if model.about.target != target => None,
                model => Some(model.map(Arc::new)),
            };
        }
        // Read once: a run of a millisecond shall not wait for it every time.
        static KNOWN: OnceLock<Vec<(&str, Arc<ChoiceModel>)>> = OnceLock::new();
        let read = |(name, text): &(&'static str, &str)| {
            ChoiceModel::parse(&format!("choice-{name}"), text).ok().map(|model| (*name, Arc::new(model)))
        };
        let known = KNOWN.get_or_init(|| BUILTIN.iter().filter_map(read).collect());
        known.iter().find(|(name, _)| *name == target).map(|(_, model)| Ok(Arc::clone(model)))
    }

    /// Reads a model file.
    pub fn read(path: &Path) -> Result<ChoiceModel> {
        let text = read_text(path).map_err(|source| ModelError::Read { path: path.to_path_buf(), source })?;
        ChoiceModel::parse(&path.display().to_string(), &text)
    }

    /// Reads the text of a model file; `file` stands in messages.
    pub fn parse(file: &str, text: &str) -> Result<ChoiceModel> {
        let wrong = |message: String| ModelError::Model { file: file.to_string(), message };
        let mend = "`gw model choice LAB -o FILE` writes one";
        let read: Text = serde_json::from_str(text).map_err(|error| wrong(format!("{error}; {mend}")))?;
        if read.about.version != VERSION {
            let version = read.about.version;
            return Err(wrong(format!("it is of version {version}, and this program reads {VERSION}; {mend}")));
        }
        let mut classes = BTreeMap::new();
        for (word, of_kind) in read.kinds {
            let kind = PlaceKind::ALL.into_iter().find(|kind| kind.word() == word);
            let kind = kind.ok_or_else(|| wrong(format!("`{word}` is no kind of place")))?;
            for (class, judges) in of_kind {
                let mut all = Vec::new();
                for TextJudge { schedule, trees } in judges {
                    let candidate = Candidate::parse(&schedule);
                    let candidate = candidate.ok_or_else(|| wrong(format!("`{schedule}` is no schedule")))?;
                    if trees.is_empty() {
                        return Err(wrong(format!("`{schedule}` has no trees")));
                    }
                    let trees = trees.iter().map(|tree| tree.parse()).collect::<Result<_, String>>();
                    let trees = trees.map_err(|problem| wrong(format!("`{schedule}`: {problem}")))?;
                    all.push(Judge { text: schedule, candidate, trees });
                }
                classes.insert((kind, class), all);
            }
        }
        Ok(ChoiceModel { about: read.about, classes })
    }

    /// The text of the model file.
    pub fn to_text(&self) -> String {
        let of = |judge: &Judge| TextJudge {
            schedule: judge.text.clone(),
            trees: judge.trees.iter().map(Tree::to_string).collect(),
        };
        let mut kinds: BTreeMap<String, BTreeMap<String, Vec<TextJudge>>> = BTreeMap::new();
        for ((kind, class), all) in &self.classes {
            let classes = kinds.entry(kind.word().to_string()).or_default();
            classes.insert(class.clone(), all.iter().map(of).collect());
        }
        let text = Text { about: self.about.clone(), kinds };
        serde_json::to_string_pretty(&text).unwrap_or_default() + "\n"
    }

    /// The candidates for a place; none for an operator of a class that was not surveyed.
    fn judges(&self, kind: PlaceKind, features: &Features) -> &[Judge] {
        let class = self.classes.get(&(kind, signature(features)));
        class.or_else(|| self.classes.get(&(kind, ANY.to_string()))).map_or(&[], Vec::as_slice)
    }

    /// The candidates that promise enough at a place, the best first.
    pub fn promising(&self, kind: PlaceKind, features: &Features) -> Vec<(&str, &Candidate, Expected)> {
        let About { margin, doubt, .. } = self.about;
        let judges = self.judges(kind, features).iter();
        let mut found: Vec<_> = judges
            .map(|judge| (judge.text.as_str(), &judge.candidate, Expected::of(&judge.trees, features)))
            .filter(|(.., expected)| expected.mean + doubt * expected.spread < -margin)
            .collect();
        let worth = |expected: &Expected| expected.mean + doubt * expected.spread;
        found.sort_by(|a, b| worth(&a.2).total_cmp(&worth(&b.2)));
        found
    }

    /// Changes the rule's choice where a candidate promises more. Returns the number of places that changed.
    pub fn improve(&self, machine: &dyn GraphVm, module: &Module, graph: &Graph, choice: &mut Choice) -> usize {
        self.improve_by(&machine.capabilities(), module, || graph_numbers(graph, known_threads(machine)), choice)
    }

    /// As [`ChoiceModel::improve`], for a machine with these capabilities and a graph of which only the numbers are
    /// known; they are asked for when a place needs them.
    pub fn improve_by(
        &self,
        capabilities: &Capabilities,
        module: &Module,
        numbers_of_graph: impl Fn() -> BTreeMap<String, f64>,
        choice: &mut Choice,
    ) -> usize {
        let places = places(module, &choice.schedule);
        let mut numbers = None;
        let mut better = choice.clone();
        let mut changed = 0;
        for kind in &PlaceKind::ALL {
            let all: Vec<&Place> = places.iter().filter(|place| place.kind == *kind).collect();
            let groups = if all.len() <= ALONE { all.chunks(1) } else { all.chunks(all.len()) };
            for group in groups {
                let numbers = numbers.get_or_insert_with(&numbers_of_graph);
                if !self.about.covers(numbers) {
                    return 0;
                }
                let features: Vec<&PlaceFeatures> = group.iter().map(|place| &place.features).collect();
                let Some(features) = PlaceFeatures::together(&features).on(numbers) else { continue };
                let possible = |schedule: &Schedule, place: &Place| {
                    place.points.iter().all(|point| schedule.legal(&point.point).is_ok())
                        && capabilities.unsupported(schedule).is_empty()
                };
                let promising = self.promising(*kind, &features).into_iter().find_map(|(_, candidate, expected)| {
                    let at = |place: &&Place| {
                        let schedule = candidate.at(choice.schedule.get(&place.label));
                        possible(&schedule, place).then_some((place.label.clone(), schedule, place.points[0].span.line))
                    };
                    group.iter().map(at).collect::<Option<Vec<_>>>().map(|schedules| (schedules, expected))
                });
                for (label, schedule, line) in promising.iter().flat_map(|(schedules, _)| schedules) {
                    let Some((_, expected)) = &promising else { continue };
                    if choice.schedule.get(label) == Some(schedule)
                        || better.schedule.set(label, schedule.clone()).is_err()
                    {
                        continue;
                    }
                    changed += 1;
                    better.reasons.retain(|reason| reason.path != *label);
                    better.reasons.push(Reason {
                        path: label.clone(),
                        line: *line,
                        what: group[0].points[0].point.kind.phrase(),
                        schedule: schedule.to_string(),
                        because: self.because(expected, &features, *kind),
                    });
                }
            }
        }
        // Rules between places are known to the passes alone.
        let options = Options { allow_unknown_labels: true, ..Options::default() };
        if changed == 0 || run_pipeline(module.clone(), &better.schedule, &options).is_err() {
            return 0;
        }
        *choice = better;
        changed
    }

    /// Why a candidate was taken, in words.
    fn because(&self, expected: &Expected, features: &Features, kind: PlaceKind) -> String {
        let About { graphs, programs, .. } = self.about;
        let judges = self.judges(kind, features).iter();
        let mut asked = [0usize; NAMES.len()];
        judges.flat_map(|judge| &judge.trees).flat_map(|tree| tree.asked(features)).for_each(|at| asked[at] += 1);
        let mut order: Vec<usize> = (0..NAMES.len()).filter(|&at| asked[at] > 0).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(asked[at]));
        let by: Vec<&str> = order.into_iter().take(3).map(|at| NAMES[at]).collect();
        let share = 100.0 * expected.mean.exp();
        format!(
            "learned from {programs} programs on {graphs} graphs: about {share:.0} % of the time of the rule, by {}; \
             `--schedule rule` takes the rule",
            by.join(", ")
        )
    }
}
