//! A program by its name, and the schedule it shall run under: found, checked and settled. For suites and for `gw run`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gw_exec::{Choice, GraphVm, Reason, RunOptions, choose_for_run};
use gw_graph::text_file::read_text;
use gw_ir::Module;
use gw_lang::diagnostic::has_errors;
use gw_lang::{Diagnostic, Front, SourceFile, compile_front, fit_schedule, read_schedule};
use gw_programs::Program;
use gw_schedule::{Family, ProgramSchedule, Schedule};
use serde::Serialize;

use crate::adviser::Adviser;
use crate::error::{LabError, Result};

/// The name of the schedule that the machine chooses.
pub const AUTO: &str = "auto";
/// The name of the schedule that a model picks at every step; a file may follow behind a colon.
pub const ADAPTIVE: &str = "adaptive";

/// The text of a program.
#[derive(Debug, Clone)]
pub struct Source {
    /// The standard program, when it is one.
    pub standard: Option<&'static Program>,
    /// Its text.
    pub file: SourceFile,
}

impl Source {
    /// A standard program by name, or a `.gt` file by path; `place` tells where a path begins.
    pub fn find(name: &str, place: impl Fn(&Path) -> PathBuf) -> Result<Source> {
        let path = Path::new(name);
        if path.extension().is_some_and(|e| e == "gt") || name.contains(std::path::MAIN_SEPARATOR) {
            return Ok(Source { standard: None, file: SourceFile::new(name, read(&place(path))?) });
        }
        Ok(Source::standard(gw_programs::find(name)?))
    }

    /// A standard program.
    pub fn standard(program: &'static Program) -> Source {
        Source { standard: Some(program), file: SourceFile::new(program.file, program.source) }
    }

    /// The name shown to people.
    pub fn name(&self) -> &str {
        self.standard.map_or(self.file.name.as_str(), |p| p.name)
    }

    /// Parses and checks the program.
    pub fn front(&self) -> Result<Front> {
        compile_front(&self.file).map_err(|found| wrong(found, &self.file))
    }
}

/// The schedule that a person or a suite wants.
#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    /// This one.
    Fixed(Box<ProgramSchedule>, Origin),
    /// The machine's choice for the graph of the run.
    Chosen,
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
    /// There is none: the defaults of the machine.
    None,
}

/// A schedule text that was read.
pub struct ReadSchedule {
    /// What it asks for.
    pub wanted: Wanted,
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

    /// Reads `auto`, `adaptive`, `adaptive:` and a model file, a file or a text; `program` is the name of the program, `title` stands
    /// in messages about a text, `place` tells where a path begins.
    pub fn read(
        front: &Front,
        program: &str,
        text: &str,
        title: &str,
        place: impl Fn(&Path) -> PathBuf,
    ) -> Result<ReadSchedule> {
        if let Some(rest) = text.strip_prefix(ADAPTIVE)
            && (rest.is_empty() || rest.starts_with(':'))
        {
            let adviser = match rest.strip_prefix(':') {
                Some(path) => Some(Arc::new(Adviser::read(&place(Path::new(path)))?)),
                None => None,
            };
            let wanted = Wanted::Adaptive(adviser, program.to_string());
            return Ok(ReadSchedule { wanted, warnings: Vec::new(), file: SourceFile::new(title, text) });
        }
        if text == AUTO {
            let file = SourceFile::new(title, text);
            return Ok(ReadSchedule { wanted: Wanted::Chosen, warnings: Vec::new(), file });
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
        Ok(ReadSchedule { wanted, warnings: found, file })
    }

    /// What is wanted of this machine, and why it is something else: a program's own schedule that is written for another
    /// kind of machine gives way to the machine's choice.
    pub fn on(&self, machine: &dyn GraphVm) -> (Wanted, Option<String>) {
        if let Wanted::Fixed(own, Origin::Program) = self
            && let Some(reason) = refusals(own, machine).into_iter().next()
        {
            return (Wanted::Chosen, Some(reason));
        }
        (self.clone(), None)
    }

    /// The schedule for a module as lowered, and the module with the labels that it names. A choice is made for a run with
    /// these options; its graph is loaded for that, from the source of the run.
    pub fn settle(&self, machine: &dyn GraphVm, module: Module, options: &RunOptions) -> Settled {
        let mut settled = self.settle_schedule(machine, module, options);
        settled.drop_void(machine);
        // Passes fill what a schedule leaves open for the family it names, else for CPUs.
        if machine.family() != Family::Cpu {
            settled.schedule.set_family(Some(machine.family()));
        }
        settled
    }

    fn settle_schedule(&self, machine: &dyn GraphVm, module: Module, options: &RunOptions) -> Settled {
        match self {
            Wanted::Fixed(schedule, origin) => Settled {
                module,
                schedule: ProgramSchedule::clone(schedule),
                origin: *origin,
                reasons: Vec::new(),
                defaults_because: None,
                not_adaptive: None,
                without_effect: Vec::new(),
                load_seconds: 0.0,
            },
            Wanted::Chosen | Wanted::Adaptive(..) => {
                let chosen = choose_for_run(machine, module, options);
                let mut choice = chosen.choice;
                let not_adaptive = match self {
                    Wanted::Adaptive(adviser, program) => {
                        advise(adviser.as_deref(), program, machine, &chosen.module, &mut choice)
                    }
                    _ => None,
                };
                Settled {
                    module: chosen.module,
                    schedule: choice.schedule,
                    origin: if choice.defaults_because.is_none() { Origin::Chosen } else { Origin::None },
                    reasons: choice.reasons,
                    defaults_because: choice.defaults_because,
                    not_adaptive,
                    without_effect: Vec::new(),
                    load_seconds: chosen.load_seconds,
                }
            }
        }
    }
}

/// What a run uses.
pub struct Settled {
    /// The module as lowered, every label of the schedule in it.
    pub module: Module,
    /// The schedule.
    pub schedule: ProgramSchedule,
    /// Where it comes from.
    pub origin: Origin,
    /// Why the machine chose it, place by place.
    pub reasons: Vec<Reason>,
    /// Why the machine chose nothing.
    pub defaults_because: Option<String>,
    /// Why no model picks, where that was wanted.
    pub not_adaptive: Option<String>,
    /// The settings that were dropped because they do nothing on the machine, with the reason.
    pub without_effect: Vec<String>,
    /// Seconds spent on loading the graph.
    pub load_seconds: f64,
}

impl Settled {
    /// Why the machine cannot run the schedule; empty when it can.
    pub fn refusals(&self, machine: &dyn GraphVm) -> Vec<String> {
        refusals(&self.schedule, machine)
    }

    /// Takes the settings away that the machine accepts and that do nothing on it, and notes them.
    fn drop_void(&mut self, machine: &dyn GraphVm) {
        let capabilities = machine.capabilities();
        let found = places(&self.schedule).flat_map(|(place, schedule)| {
            capabilities.without_effect(schedule).into_iter().map(move |word| format!("schedule of {place}: {word}"))
        });
        self.without_effect = found.collect();
        if self.without_effect.is_empty() {
            return;
        }
        let labels: Vec<String> = self.schedule.labels().map(|(label, _)| label.to_string()).collect();
        for label in labels {
            self.schedule.get_mut(&label).into_iter().for_each(|schedule| capabilities.drop_void(schedule));
        }
        let mut everywhere = self.schedule.everywhere().cloned();
        everywhere.iter_mut().for_each(|schedule| capabilities.drop_void(schedule));
        self.schedule.set_everywhere(everywhere);
    }
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
    match adviser.advise(machine, module, program, choice) {
        0 => Some(format!("no operator of the program can run the candidates of the model {}", adviser.name)),
        _ => None,
    }
}

fn refusals(schedule: &ProgramSchedule, machine: &dyn GraphVm) -> Vec<String> {
    let capabilities = machine.capabilities();
    let refused = places(schedule).flat_map(|(place, schedule)| {
        let reasons = capabilities.unsupported(schedule).into_iter();
        reasons.map(move |reason| format!("schedule of {place}: {reason}"))
    });
    refused.collect()
}

/// The parts of a schedule, each with the place it is for.
fn places(schedule: &ProgramSchedule) -> impl Iterator<Item = (String, &Schedule)> {
    let everywhere = schedule.everywhere().map(|s| ("the program".to_string(), s));
    schedule.labels().map(|(label, s)| (label.to_string(), s)).chain(everywhere)
}

fn wrong(found: Vec<Diagnostic>, file: &SourceFile) -> LabError {
    LabError::Program { found, file: file.clone() }
}

fn read(path: &Path) -> Result<String> {
    read_text(path).map_err(|source| LabError::Read { path: path.to_path_buf(), source })
}
