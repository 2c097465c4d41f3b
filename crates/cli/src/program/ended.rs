//! A program of `gw run` after its run: what is written, printed, checked and told of it.

use std::time::Instant;

use graphwright::results::{Meanings, NamedResult};
use graphwright::schedule::Origin;
use graphwright::{Machine, Outcome, Program};
use gw_exec::Value;
use gw_graph::Graph;
use gw_programs::Remark;

use super::answer::Answer;
use super::ids::Ids;
use super::out::HasResults;
use super::paths::{self, Asked, Shown};
use super::programs::Programs;
use super::results;
use super::times::{Start, Times};
use super::top::{Best, Top};
use crate::error::CliError;
use crate::progress::phase;

/// A program that came to its end.
pub struct Ended {
    asked: String,
    program: Program,
    meanings: Meanings,
    outcome: Outcome,
    /// The paths that were asked for.
    asked_paths: Asked,
    touched_edges: Option<u64>,
    /// In which way the result is less than expected.
    rough: Option<String>,
    /// Why there is no result.
    no_result: Option<String>,
    /// The paths to print.
    paths: Vec<Shown>,
}

/// What a check of the result found.
pub struct Verdict {
    found: Option<Result<(), String>>,
    seconds: f64,
}

impl HasResults for Ended {
    fn asked(&self) -> &str {
        &self.asked
    }

    fn program(&self) -> &Program {
        &self.program
    }

    fn names(&self) -> Vec<&str> {
        self.results().into_iter().map(|(name, _)| name).collect()
    }

    fn named(&self, name: &str) -> Option<NamedResult<'_>> {
        let value = self.outcome.globals().get(name).filter(|_| self.has_result())?;
        Some(NamedResult::new(name.to_string(), name, value, &self.meanings, self.graph_of_results()))
    }
}

impl Ended {
    /// Takes a finished run.
    pub fn new(
        asked: String,
        program: Program,
        meanings: Meanings,
        asked_paths: Asked,
        mut outcome: Outcome,
        touched_edges: Option<u64>,
    ) -> Result<Ended, CliError> {
        if asked_paths.wants_parents() {
            outcome.add_parents()?;
        }
        let (rough, no_result) = match outcome.remark() {
            Some(Remark::Rough(text)) => (Some(text), None),
            Some(Remark::NoResult(text)) => (None, Some(text)),
            None => (None, None),
        };
        let paths = match outcome.judged().filter(|_| no_result.is_none()) {
            Some((standard, run)) => asked_paths.shown(standard, &run)?,
            None => Vec::new(),
        };
        Ok(Ended { asked, program, meanings, outcome, asked_paths, touched_edges, rough, no_result, paths })
    }

    /// How vertices and edges of the results are shown.
    pub fn ids(&self) -> Ids<'_> {
        Ids::new(self.graph_of_results(), &self.meanings)
    }

    /// The graph whose vertices and edges the results belong to.
    fn graph_of_results(&self) -> Option<&Graph> {
        self.outcome.graph().map(|graph| &**graph)
    }

    /// The results by name.
    pub fn results(&self) -> Vec<(&str, &Value)> {
        results::of_run(&self.program, self.outcome.globals())
    }

    /// Whether the run has a result.
    pub fn has_result(&self) -> bool {
        self.no_result.is_none()
    }

    /// The best entries of the vectors of this program, which is number `at` of all; none where there is no result.
    pub fn best(&self, top: &[Top], programs: &Programs<'_>, at: usize) -> Result<Vec<Best>, CliError> {
        let mut best = Vec::new();
        for top in top.iter().filter(|_| self.has_result()) {
            let (owner, name) = top.find(programs)?;
            if owner == at {
                best.push(top.best(name, self.outcome.globals(), &self.ids())?);
            }
        }
        Ok(best)
    }

    /// Prints the results under these titles, and the best entries. Standard output belongs to `--out X=-` if that is
    /// there, else to the program; standard programs print nothing but their results.
    pub fn print(&self, titles: &[String], best: &[Best], to_stdout: bool) -> Result<(), CliError> {
        let values = self.results().into_iter().map(|(_, value)| value);
        let results: Vec<(&String, &Value)> = titles.iter().zip(values).collect();
        let mut words = if self.has_result() { results::in_words(&results) } else { String::new() };
        words.extend(best.iter().map(Best::in_words));
        words.extend(self.paths.iter().map(Shown::in_words));
        match self.program.as_standard().is_some() && !to_stdout {
            true => crate::output::text(&words)?,
            false => eprint!("{words}"),
        }
        Ok(())
    }

    /// Checks the result, where that is asked for and the program has a check.
    pub fn verify(&self, is_asked: bool) -> Verdict {
        let start = Instant::now();
        let judged = self.outcome.judged().filter(|_| is_asked);
        let _bar = judged.is_some().then(|| phase("checking the result"));
        let found = judged.map(|(standard, run)| {
            let right = standard.validate(&run).map_err(|invalid| invalid.to_string());
            right.and_then(|()| paths::verify(standard, &run, &self.paths))
        });
        Verdict { found, seconds: start.elapsed().as_secs_f64() }
    }

    /// What is told of the run. `output` are the seconds that writing and printing took so far; `is_alone` says that
    /// the whole time of the command is that of this run.
    pub fn answer<'a>(
        &'a self,
        machine: &'a Machine,
        best: &'a [Best],
        verdict: &Verdict,
        as_json: bool,
        output: f64,
        is_alone: bool,
    ) -> Answer<'a> {
        let start = Instant::now();
        let Outcome { decision, parts, .. } = &self.outcome;
        let results = if as_json { results::as_json(&self.results()) } else { serde_json::Map::new() };
        let edges = self.graph_of_results().map(|graph| graph.edges() as u64);
        let counted_edges = match self.outcome.judged() {
            Some((standard, run)) => Some(standard.counted_edges(&run)),
            None => edges,
        };
        let per_second = |edges: Option<u64>| edges.filter(|_| parts.run > 0.0).map(|e| e as f64 / parts.run);
        let output = output + start.elapsed().as_secs_f64();
        let times = Times { parts: *parts, validate: verdict.seconds, output, ..Times::default() };
        let whole = if is_alone { crate::clock::elapsed() } else { 0.0 };
        Answer {
            program: self.program.name(),
            arguments: &self.outcome.arguments,
            chosen_source: self.outcome.chosen_source.clone(),
            target: &self.outcome.machine,
            schedule: decision.schedule.to_string(),
            schedule_origin: decision.origin,
            schedule_reasons: matches!(decision.origin, Origin::Chosen | Origin::Tuned).then_some(&decision.reasons),
            target_reason: machine.start().worth.as_ref(),
            load_seconds: parts.read_graph,
            compile_seconds: parts.compile,
            seconds: parts.run,
            parts: times.of_whole(whole),
            start: Start { seconds: machine.start().seconds, steps: machine.vm().start_steps() },
            steps: self.outcome.steps,
            edges,
            counted_edges,
            edges_per_second: per_second(counted_edges),
            touched_edges: self.touched_edges,
            touched_edges_per_second: per_second(self.touched_edges),
            usage: self.outcome.usage,
            device_seconds: self.outcome.times.device,
            // Where there is no result, none was verified, however right the reason is.
            verified: verdict.is_right().filter(|right| !right || self.no_result.is_none()),
            problem: verdict.problem().or(self.no_result.clone()).or(self.no_path()),
            remark: self.rough.clone(),
            verify_seconds: verdict.found.is_some().then_some(verdict.seconds),
            results,
            top: best,
            paths: &self.paths,
            printed: &self.outcome.printed,
        }
    }

    /// Prints what the machine tells of the run.
    pub fn print_report(&self) {
        if let Some(report) = &self.outcome.report {
            eprint!("{report}");
        }
    }

    /// Warns of a result that is less than expected; a wrong one, or none, is an error.
    pub fn judge(&self, verdict: &Verdict) -> Result<(), CliError> {
        if let Some(rough) = &self.rough {
            eprintln!("gw: warning: {rough}");
        }
        match (verdict.problem(), self.no_result.clone().or(self.no_path())) {
            (Some(problem), _) => Err(CliError::Wrong(problem)),
            (None, Some(reason)) => Err(CliError::NoResult(reason)),
            (None, None) => Ok(()),
        }
    }

    /// What is said where `--path` asked for a path that does not exist.
    fn no_path(&self) -> Option<String> {
        self.asked_paths.missing(&self.paths)
    }
}

impl Verdict {
    fn is_right(&self) -> Option<bool> {
        self.found.as_ref().map(Result::is_ok)
    }

    fn problem(&self) -> Option<String> {
        self.found.as_ref().and_then(|found| found.as_ref().err()).cloned()
    }
}
