//! Several programs in one command: what they may be given, and what is written, printed and told of all.

use std::sync::Arc;
use std::time::Instant;

use graphwright::{Machine, Program};
use serde::Serialize;

use super::answer::Answer;
use super::ended::Ended;
use super::graphs::Given;
use super::named::Named;
use super::out::{HasResults, OutFile};
use super::programs::Programs;
use super::run::{Run, Setting};
use super::top::Best;
use crate::error::CliError;

/// Whether a command has several programs.
pub struct Several(bool);

impl Several {
    /// Refuses what means nothing for several programs.
    pub fn check(run: &Run) -> Result<Several, CliError> {
        let is_file = || std::path::Path::new(&run.program).exists();
        if !run.program.contains(',') || is_file() {
            return Ok(Several(false));
        }
        let usage = |message: &str| Err(CliError::Usage(format!("several programs: {message}")));
        if run.args.len() > 1 {
            return usage("the graph is the only argument by position; give the others by name, such as --source");
        }
        if run.saving.is_given() {
            return usage("--checkpoint saves one run; run the programs one by one");
        }
        if run.distributed.is_spread(&run.target) {
            return usage("several processes share the work of one; run the programs one by one");
        }
        Ok(Several(true))
    }

    /// Of several programs, one at least must have each argument that is given by name.
    pub fn check_names(&self, run: &Run, programs: &[(String, Program)]) -> Result<(), CliError> {
        let nobody = |name: &str| programs.iter().all(|(_, program)| !program.has_argument(name));
        match run.named.pairs().into_iter().find(|(name, _)| self.0 && nobody(name)) {
            Some((name, _)) => {
                let names: Vec<&str> = programs.iter().map(|(name, _)| name.as_str()).collect();
                let message = format!("{}: none of {} has such an argument", Named::option(&name), names.join(", "));
                Err(CliError::Usage(message))
            }
            None => Ok(()),
        }
    }
}

/// What became of the programs of a command.
pub struct Results {
    /// The graphs as they were given.
    pub given: Arc<Given>,
    /// The text of the first graph.
    pub graph: Option<String>,
    /// The programs that came to their end.
    pub runs: Vec<Ended>,
    /// The others.
    pub failed: Vec<Failed>,
}

/// A program that did not come to its end.
pub struct Failed {
    program: String,
    error: CliError,
}

/// What `--json` prints of a program.
#[derive(Serialize)]
#[serde(untagged)]
enum Told<'a> {
    Ended(Box<Answer<'a>>),
    Failed { program: &'a str, error: String },
}

impl Results {
    /// Notes and tells that a program failed; the others go on.
    pub fn fail(&mut self, program: String, error: CliError) {
        eprint!("{}", crate::output::error_text_of(&program, &error));
        self.failed.push(Failed { program, error });
    }

    /// Ends a command of which no program can run.
    pub fn failed(self, run: &Run) -> Result<(), CliError> {
        if run.json {
            crate::output::json(&self.failed.iter().map(Failed::told).collect::<Vec<_>>())?;
        }
        Err(self.verdict(Vec::new(), 0))
    }

    /// Writes, prints and checks the results of the runs, and tells of them.
    pub fn tell(
        self,
        run: &Run,
        setting: &Setting<'_>,
        machine: &Machine,
        outputs: &[OutFile<'_>],
    ) -> Result<(), CliError> {
        let is_alone = setting.programs == 1;
        let programs = Programs(self.runs.iter().map(|run| (run.asked(), run.program())).collect());
        let start = Instant::now();
        // A program that failed may be the one that has the result.
        let is_lost = |error: &CliError| !self.failed.is_empty() && matches!(error, CliError::Usage(_));
        let best = |(at, ended): (usize, &Ended)| match ended.best(&run.top, &programs, at) {
            Err(error) if is_lost(&error) => Ok(Vec::new()),
            best => best,
        };
        let best: Vec<Vec<Best>> = self.runs.iter().enumerate().map(best).collect::<Result<_, _>>()?;
        // Files come first: a reader of standard output that goes away must not cost results. A file that cannot be
        // written does not cost what is printed either.
        let written = self.write(outputs);
        if !run.json {
            let titles = titles(&self.runs);
            for ((ended, best), titles) in self.runs.iter().zip(&best).zip(&titles) {
                ended.print(titles, best, setting.to_stdout)?;
            }
        }
        // That there is no result is told with its reason.
        let has_none = self.runs.iter().any(|ended| !ended.has_result());
        let not_written = match written {
            Err(CliError::Usage(_)) if is_alone && has_none => 1,
            Err(error) if !self.failed.is_empty() || has_none => {
                crate::output::error(&error);
                1
            }
            written => written.map(|()| 0)?,
        };
        let output = start.elapsed().as_secs_f64() / self.runs.len().max(1) as f64;
        let mut told: Vec<(&str, Told<'_>)> = Vec::new();
        let mut problems = Vec::new();
        let mut all = super::times::Times::default();
        for (ended, best) in self.runs.iter().zip(&best) {
            let verdict = ended.verify(run.verify);
            let answer = ended.answer(machine, best, &verdict, run.json, output, is_alone);
            all = all.and(&answer.parts);
            if !run.json {
                answer.tell();
                if is_alone {
                    answer.tell_times();
                }
                ended.print_report();
            }
            told.push((ended.asked(), Told::Ended(Box::new(answer))));
            match ended.judge(&verdict) {
                Err(error) if is_alone => {
                    print_json(run, told)?;
                    return Err(error);
                }
                Err(error) => {
                    eprint!("{}", crate::output::error_text_of(ended.asked(), &error));
                    problems.push(ended.asked().to_string());
                }
                Ok(()) => {}
            }
        }
        if !is_alone && !run.json {
            let start = super::times::Start { seconds: machine.start().seconds, steps: machine.vm().start_steps() };
            eprintln!("{}", all.of_whole(crate::clock::elapsed()).in_words(&start, None));
        }
        told.extend(self.failed.iter().map(|failed| (&*failed.program, failed.told())));
        print_json(run, told)?;
        match problems.is_empty() && self.failed.is_empty() {
            true => Ok(()),
            false => Err(self.verdict(problems, not_written)),
        }
    }

    /// Writes files; one that cannot be written does not keep the others from it.
    fn write(&self, outputs: &[OutFile<'_>]) -> Result<(), CliError> {
        let given = self.graph.as_deref().and_then(|text| self.given.graph(text));
        let written: Vec<_> = outputs.iter().map(|output| output.write(&self.runs, given.as_deref())).collect();
        written.into_iter().collect()
    }

    /// The error of a command some of whose programs failed.
    fn verdict(&self, mut bad: Vec<String>, not_written: usize) -> CliError {
        bad.extend(self.failed.iter().map(|failed| failed.program.clone()));
        let of = self.runs.len() + self.failed.len();
        CliError::Programs { bad, of, not_written }
    }
}

impl Failed {
    fn told(&self) -> Told<'_> {
        Told::Failed { program: &self.program, error: self.error.to_string() }
    }
}

/// Prints one object, or an array where there are several programs, in the order of the command.
fn print_json(run: &Run, mut told: Vec<(&str, Told<'_>)>) -> Result<(), CliError> {
    if !run.json {
        return Ok(());
    }
    told.sort_by_key(|(asked, _)| run.program.split(',').position(|name| name.trim() == *asked));
    let mut told: Vec<Told<'_>> = told.into_iter().map(|(_, told)| told).collect();
    match (told.len(), run.program.contains(',')) {
        (1, false) => crate::output::json(&told.remove(0)),
        _ => crate::output::json(&told),
    }
}

/// The names under which results are printed.
fn titles(runs: &[Ended]) -> Vec<Vec<String>> {
    let names = |run: &Ended| run.results().into_iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>();
    let names: Vec<Vec<String>> = runs.iter().map(names).collect();
    let programs: Vec<(&str, Vec<&str>)> =
        runs.iter().zip(&names).map(|(run, names)| (run.asked(), names.iter().map(String::as_str).collect())).collect();
    graphwright::results::result_names(&programs)
}
