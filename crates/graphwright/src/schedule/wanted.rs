//! The schedule that is wanted: given as text, the machine's choice, or a model that picks at every step.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use gw_exec::{Choice, GraphVm, Reason, RunOptions, choose_for_run, choose_for_run_by, graph_text};
use gw_graph::Graph;
use gw_graph::text_file::read_text;
use gw_ir::Module;
use gw_lang::diagnostic::has_errors;
use gw_lang::{Diagnostic, Front, SourceFile, fit_schedule, read_schedule};
use gw_learned::model::ChoiceModel;
use gw_schedule::{Family, ProgramSchedule};
use serde::Serialize;

use super::settled::refusals;
use crate::error::{Error, Result};
use crate::program::Program;
use crate::schedule::Adviser;
use crate::schedule::Preset;
use crate::schedule::{Aim, ScheduleCache, Tuning, text_hash};
use crate::schedule::{Decision, Settled};

/// The name of the schedule that the machine chooses.
pub const AUTO: &str = "auto";
/// The name of the schedule that the machine's rule chooses, whatever was tuned and learned.
pub const RULE: &str = "rule";
/// The name of the schedule that a model picks at every step; a file may follow behind a colon.
pub const ADAPTIVE: &str = "adaptive";

/// The schedule that a person or a suite wants.
#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    /// This one.
    Fixed(Box<ProgramSchedule>, Origin),
    /// The learned choice for the graph of the run, where it promises more than the machine's rule; else the rule.
    Chosen,
    /// The choice of the machine's rule for the graph of the run.
    Rule,
    /// What `gw tune` found for the program of this hash and the graph of the run, else as chosen.
    Tuned(ScheduleCache, String),
    /// The rules of a preset for the graph of the run.
    Preset(&'static Preset),
    /// As chosen, but a model picks at every step: this one, or the machine's default for the program of this name.
    Adaptive(Option<Arc<Adviser>>, String),
}

/// Where a schedule comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The program's own schedule section.
    Program,
    /// A text or file of a person or a suite.
    Given,
    /// The machine chose it.
    Chosen,
    /// `gw tune` found it.
    Tuned,
    /// There is none: the defaults of the machine.
    None,
}

/// A schedule text that was read.
pub struct ReadSchedule {
    /// What it asks for.
    pub wanted: Wanted,
    /// What a tuned schedule shall have been chosen for.
    pub aim: Aim,
    /// Findings that are not errors.
    pub warnings: Vec<Diagnostic>,
    /// What the findings are about.
    pub file: SourceFile,
}

impl Wanted {
    /// Without anything said: the program's own schedule, else the machine's choice.
    pub fn usual(front: &Front) -> Wanted {
        match &front.schedule {
            Some(own) => Wanted::Fixed(Box::new(own.clone()), Origin::Program),
            None => Wanted::Chosen,
        }
    }

    /// The same, but what was tuned for the program comes before the machine's choice.
    #[must_use]
    pub fn or_tuned(self, cache: ScheduleCache, program: &Program) -> Wanted {
        match self {
            Wanted::Chosen => Wanted::Tuned(cache, text_hash(&program.file().text)),
            other => other,
        }
    }

    /// Reads `auto`, `auto:energy`, `auto:time-energy`, `rule`, `adaptive`, `adaptive:` and a model file, the name of a
    /// preset, a file or a text; `program` is the name of the program, `title` stands in messages about a text, `place`
    /// tells where a path begins.
    pub fn read(
        front: &Front,
        program: &str,
        text: &str,
        title: &str,
        place: impl Fn(&Path) -> PathBuf,
    ) -> Result<ReadSchedule> {
        let aim = Aim::default();
        let plain = |wanted| Ok(ReadSchedule { wanted, aim, warnings: Vec::new(), file: SourceFile::new(title, text) });
        if let Some(word) = text.strip_prefix("auto:") {
            let unknown = || Error::UnknownAim { word: word.to_string() };
            let aim = Aim::of_schedule(text).ok_or_else(unknown)?;
            return plain(Wanted::Chosen).map(|read| ReadSchedule { aim, ..read });
        }
        if let Some(rest) = text.strip_prefix(ADAPTIVE)
            && (rest.is_empty() || rest.starts_with(':'))
        {
            let adviser = match rest.strip_prefix(':') {
                Some(path) => Some(Arc::new(Adviser::read(&place(Path::new(path)))?)),
                None => None,
            };
            return plain(Wanted::Adaptive(adviser, program.to_string()));
        }
        if text == AUTO || text == RULE {
            return plain(if text == AUTO { Wanted::Chosen } else { Wanted::Rule });
        }
        if let Some(preset) = Preset::find(text) {
            return plain(Wanted::Preset(preset));
        }
        let path = place(Path::new(text));
        // A pipe is no regular file, but a shell's `<(...)` names one; a word of a schedule may be a folder by chance.
        let is_file = match path.is_dir() {
            true => text.contains(std::path::MAIN_SEPARATOR),
            false => path.exists(),
        };
        let file = match is_file {
            true => SourceFile::new(text, read(&path)?),
            false => SourceFile::new(title, text),
        };
        let mut parsed = read_schedule(&file).map_err(|found| wrong(found, &file))?;
        let mut found = fit_schedule(&front.typed, &mut parsed);
        if has_errors(&found) {
            return Err(wrong(found, &file));
        }
        found.append(&mut parsed.warnings);
        let wanted = Wanted::Fixed(Box::new(parsed.schedule), Origin::Given);
        Ok(ReadSchedule { wanted, aim, warnings: found, file })
    }

    /// What is wanted of this machine, and why it is something else (the end of a sentence that begins with "since"): a
    /// program's own schedule that the machine cannot run gives way to the machine's choice.
    pub fn on(&self, machine: &dyn GraphVm) -> (Wanted, Option<String>) {
        if let Wanted::Fixed(own, Origin::Program) = self
            && let Some(reason) = refusals(own, machine).into_iter().next()
        {
            return (Wanted::Chosen, Some(format!("it cannot run the program's own: {reason}")));
        }
        (self.clone(), None)
    }

    /// The schedule for a module as lowered, and the module with the labels that it names. A choice is made for a run
    /// with these options; its graph is loaded for that, from the source of the run.
    pub fn settle(&self, machine: &dyn GraphVm, module: Module, options: &RunOptions) -> Settled {
        let mut settled = self.settle_schedule(machine, module, options);
        settled.decision.drop_void(machine);
        // Passes fill what a schedule leaves open for the family it names, else for CPUs.
        if machine.family() != Family::Cpu {
            settled.decision.schedule.set_family(Some(machine.family()));
        }
        settled
    }

    fn settle_schedule(&self, machine: &dyn GraphVm, module: Module, options: &RunOptions) -> Settled {
        if let Wanted::Fixed(schedule, origin) = self {
            // A machine that compiles for the graph at hand is told of the graph; the run reports what is wrong with
            // the graph.
            let start = Instant::now();
            let graph = match machine.family() {
                Family::Gpu => graph_text(&module, &options.argv)
                    .and_then(|wanted| options.graphs.load(&wanted.text, wanted.weight).ok()),
                _ => None,
            };
            let schedule = gw_ir::points::spread(&module, schedule);
            let mut settled = Settled::fixed(module, schedule, *origin).expecting(graph);
            settled.decision.load_seconds = start.elapsed().as_secs_f64();
            return settled;
        }
        if let Wanted::Preset(preset) = self {
            let chosen = choose_for_run_by(module, options, |module, graph| preset.choose(module, graph));
            let left_to_defaults = preset.left_out(&chosen.module, &chosen.choice);
            let Choice { schedule, reasons, defaults_because } = chosen.choice;
            let load_seconds = chosen.load_seconds;
            let fixed = Decision::fixed(schedule, Origin::Given);
            let decision = Decision { reasons, defaults_because, left_to_defaults, load_seconds, ..fixed };
            return Settled::new(chosen.module, decision).expecting(chosen.graph);
        }
        let chosen = choose_for_run(machine, module, options);
        let mut choice = chosen.choice;
        let not_adaptive = match self {
            Wanted::Adaptive(adviser, program) => {
                advise(adviser.as_deref(), program, machine, &chosen.module, &mut choice)
            }
            _ => None,
        };
        let mut tuned_ignored = None;
        if let (Wanted::Tuned(cache, program), Some(graph)) = (self, &chosen.graph) {
            match tuned(cache, program, machine, &chosen.module, graph) {
                Ok(Some(decision)) => {
                    let decision = Decision { load_seconds: chosen.load_seconds, ..decision };
                    return Settled::new(chosen.module, decision).expecting(chosen.graph);
                }
                Ok(None) => {}
                Err(why) => tuned_ignored = Some(why),
            }
        }
        let mut model_ignored = None;
        if let (Wanted::Chosen | Wanted::Tuned(..), Some(graph), None) = (self, &chosen.graph, &choice.defaults_because)
        {
            match ChoiceModel::of(machine.name()) {
                Some(Ok(model)) => _ = model.improve(machine, &chosen.module, graph, &mut choice),
                Some(Err(error)) => model_ignored = Some(error.to_string()),
                None => {}
            }
        }
        let origin = if choice.defaults_because.is_none() { Origin::Chosen } else { Origin::None };
        let decision = Decision {
            reasons: choice.reasons,
            defaults_because: choice.defaults_because,
            not_adaptive,
            tuned_ignored,
            model_ignored,
            load_seconds: chosen.load_seconds,
            ..Decision::fixed(choice.schedule, origin)
        };
        Settled::new(chosen.module, decision).expecting(chosen.graph)
    }
}

/// The schedule of a cache for a module with all its labels; `None` where nothing was tuned, and the reason where an
/// entry cannot be used.
fn tuned(
    cache: &ScheduleCache,
    program: &str,
    machine: &dyn GraphVm,
    module: &Module,
    graph: &Graph,
) -> Result<Option<Decision>, String> {
    let key = cache.key(program, graph, machine);
    let (entry, schedule) = match cache.find(&key) {
        Tuning::None => return Ok(None),
        Tuning::Ignored(why) => return Err(why),
        Tuning::Found(entry, schedule) => (entry, schedule),
    };
    let settled = Settled::fixed(module.clone(), (*schedule).clone(), Origin::Tuned).strict();
    let refused = settled.refusals(machine).into_iter().next();
    let refused = refused.or_else(|| settled.optimised().err().map(|error| error.to_string()));
    if let Some(reason) = refused {
        return Err(format!("the tuned schedule `{}` does not fit: {reason}", entry.schedule));
    }
    let (what, percent) = (entry.objective.in_words(), 100.0 * entry.share);
    let before = if cache.is_for_changes() { ", on the graph before its changes" } else { "" };
    let because = format!("`gw tune` found it on {}: {percent:.0} % of the {what} of the rule{before}", entry.tuned);
    let (path, what) = ("the program".to_string(), "tuned");
    let reason = Reason { path, line: 0, what, schedule: entry.schedule.clone(), because };
    Ok(Some(Decision { reasons: vec![reason], ..Decision::fixed(*schedule, Origin::Tuned) }))
}

/// Makes a choice adaptive; otherwise says why not.
fn advise(
    given: Option<&Adviser>,
    program: &str,
    machine: &dyn GraphVm,
    module: &Module,
    choice: &mut Choice,
) -> Option<String> {
    let default;
    let adviser = match given {
        Some(adviser) => adviser,
        None => match Adviser::default_for(machine.name(), program) {
            Some(Ok(found)) => {
                default = found;
                &default
            }
            Some(Err(error)) => return Some(error.to_string()),
            None => return Some(format!("no model for the machine {} comes with Graphwright", machine.name())),
        },
    };
    // Whoever names a model wants it everywhere.
    let advised = adviser.advise(machine, module, program, choice, given.is_none());
    match (advised.places, advised.kept) {
        (0, 0) => Some(format!("no operator of the program can run the candidates of the model {}", adviser.name)),
        (0, _) => Some(format!(
            "the rule has one schedule for all steps of a loop that is one kernel, and the model {} would cost each \
             step more than it brings; `adaptive:FILE` uses it nevertheless",
            adviser.name
        )),
        _ => None,
    }
}

fn wrong(found: Vec<Diagnostic>, file: &SourceFile) -> Error {
    Error::Program { found, file: file.clone() }
}

fn read(path: &Path) -> Result<String> {
    read_text(path).map_err(|source| Error::Read { path: path.to_path_buf(), source })
}
