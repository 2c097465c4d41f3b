//! What is printed about a batch.

use std::io::Write;

use graphwright::How;
use graphwright::schedule::Origin;
use gw_dynamic::{Applied, DynamicGraph, EdgeWeight};
use serde::Serialize;

use super::reading::BadLines;
use super::session::{Ran, Session};
use crate::error::CliError;
use crate::output::{grouped, seconds};
use crate::program::results;
use crate::program::top::Best;

/// What is told about a batch.
pub struct Told<'a, W> {
    pub(super) batch: u64,
    pub(super) changes: usize,
    pub(super) applied: &'a Applied<W>,
    pub(super) apply_seconds: f64,
    pub(super) bad_lines: BadLines,
    /// The run after the batch, where there was one.
    pub(super) ran: Option<&'a Ran>,
}

/// What `--json` prints for a batch.
#[derive(Serialize)]
struct Line<'a> {
    batch: u64,
    changes: usize,
    inserted: usize,
    deleted: usize,
    reweighted: usize,
    vertices: usize,
    edges: usize,
    apply_seconds: f64,
    /// Finding the lists that the machine reads where they stand.
    lists_seconds: f64,
    run_seconds: Option<f64>,
    /// With `--incremental`: `updated`, `first` or `again`, the last two from scratch.
    #[serde(skip_serializing_if = "Option::is_none")]
    how: Option<&'static str>,
    /// The schedule of the run, and where it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule_origin: Option<Origin>,
    results: serde_json::Map<String, serde_json::Value>,
    #[serde(skip_serializing_if = "<[Best]>::is_empty")]
    top: &'a [Best],
    /// Why there are no results.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_result: Option<&'a str>,
    /// With `--verify`, where there is a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<bool>,
    /// What is wrong with the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<&'a str>,
    /// With `--bad-lines skip` or `--missing skip`: the lines that were left out since the line before.
    #[serde(skip_serializing_if = "Option::is_none")]
    bad_lines: Option<&'a BadLines>,
}

impl Session<'_> {
    /// Prints what a batch did, and the results of the run after it.
    pub(super) fn tell<W: EdgeWeight>(&self, told: &Told<'_, W>, graph: &DynamicGraph<W>) -> Result<(), CliError> {
        let best = told.ran.map(|ran| self.outputs.best(ran)).transpose()?.unwrap_or_default();
        match self.options.json {
            true => self.tell_in_json(told, graph, &best),
            false => self.tell_in_words(told, graph, &best),
        }
    }

    fn tell_in_json<W: EdgeWeight>(
        &self,
        told: &Told<'_, W>,
        graph: &DynamicGraph<W>,
        best: &[Best],
    ) -> Result<(), CliError> {
        let Told { batch, changes, applied, apply_seconds, bad_lines, ran } = told;
        let outcome = ran.and_then(Ran::with_results);
        let found = outcome.map(|outcome| results::of_run(&self.program, outcome.globals()));
        let verdict = ran.and_then(|ran| ran.verdict.as_ref());
        let decision = ran.and_then(|ran| ran.outcome.as_ref()).map(|outcome| &outcome.decision);
        let line = Line {
            batch: *batch,
            changes: *changes,
            inserted: applied.inserted,
            deleted: applied.deleted,
            reweighted: applied.reweighted,
            vertices: graph.vertices(),
            edges: graph.edges(),
            apply_seconds: *apply_seconds,
            lists_seconds: ran.map_or(0.0, |ran| ran.lists),
            run_seconds: ran.and_then(|ran| ran.outcome.as_ref()).map(|outcome| outcome.times.counted()),
            how: ran.and_then(|ran| ran.how).map(|how| match how {
                How::Updated => "updated",
                How::First => "first",
                How::Again => "again",
            }),
            schedule: decision.map(|decision| decision.schedule.to_string()),
            schedule_origin: decision.map(|decision| decision.origin),
            results: found.as_deref().map(results::as_json).unwrap_or_default(),
            top: best,
            no_result: ran.and_then(|ran| ran.no_result.as_deref()),
            verified: verdict.map(|verdict| verdict.is_ok()),
            problem: verdict.and_then(|verdict| verdict.as_ref().err()).map(String::as_str),
            bad_lines: self.options.may_leave_out().then_some(bad_lines),
        };
        writeln!(std::io::stdout().lock(), "{}", serde_json::to_string(&line)?)?;
        Ok(())
    }

    fn tell_in_words<W: EdgeWeight>(
        &self,
        told: &Told<'_, W>,
        graph: &DynamicGraph<W>,
        best: &[Best],
    ) -> Result<(), CliError> {
        let mut out = std::io::stdout().lock();
        let count = |number: usize| grouped(number as u64);
        writeln!(
            out,
            "batch {}: {} changes, {} in, {} out, {} edges, applied in {}",
            told.batch,
            count(told.changes),
            count(told.applied.inserted),
            count(told.applied.deleted),
            count(graph.edges()),
            seconds(told.apply_seconds),
        )?;
        let Some(ran) = told.ran else { return Ok(()) };
        let program = self.program.name();
        let Some(outcome) = &ran.outcome else {
            writeln!(out, "  no result: {}", ran.no_result.as_deref().unwrap_or_default())?;
            return Ok(());
        };
        let (run, lists) = (seconds(outcome.times.counted()), seconds(ran.lists));
        let how = match ran.how {
            Some(How::Updated) => " updated",
            Some(How::Again) => " from scratch, since an update is more work or not possible,",
            Some(How::First) | None => "",
        };
        let verdict = match ran.verdict {
            Some(Ok(())) => ", verified",
            Some(Err(_)) => "; the result is wrong",
            None => "",
        };
        writeln!(out, "  {program}{how} in {run}, its lists found in {lists}{verdict}")?;
        let mut words = match &ran.no_result {
            Some(why) => format!("no result: {why}\n"),
            None => results::in_words(&results::of_run(&self.program, outcome.globals())),
        };
        words.extend(best.iter().map(Best::in_words));
        for line in outcome.printed.lines().chain(words.lines()) {
            writeln!(out, "  {line}")?;
        }
        Ok(())
    }
}
