//! A second look at runs whose results were neither equal to the reference nor found right by a validator: they are
//! run again and compared with the reference, entry by entry, within tolerance. Nobody stores results; they can be
//! made again.

use std::collections::HashSet;

use gw_exec::RunResult;

use super::graph::AtHand;
use super::runner::{Fault, Runner, check, run};
use super::{Collection, Problem, result};
use crate::db::{Batch, GraphWork, Lab};
use crate::error::Result;

/// What a second look found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Revalidated {
    /// Runs that are marked as validated now.
    pub right: u64,
    /// Runs that are not, with the difference.
    pub wrong: Vec<Problem>,
    /// It was cancelled.
    pub interrupted: bool,
}

/// Looks again at all runs of this machine and this commit of the program that were not found right.
pub fn revalidate(lab: &mut Lab, settings: &Collection<'_>) -> Result<Revalidated> {
    let mut silent = ();
    let mut runner = Runner::new(lab, settings, &mut silent)?;
    let runs = runner.lab.runs_not_validated(&runner.ours)?;
    let mut looked = Revalidated::default();
    let mut at_hand: Option<(i64, std::result::Result<AtHand, String>)> = None;
    let mut broken: HashSet<i64> = HashSet::new();
    for (id, graph, batch) in runs {
        if runner.must_stop() {
            looked.interrupted = true;
            break;
        }
        let here = match at_hand.take() {
            Some((known, here)) if known == graph.id => here,
            _ => runner.load(&graph),
        };
        let found = match (&here, broken.contains(&batch.implementation)) {
            (_, true) => {
                Err(Fault::Failed { message: "not run: it failed on a run before".to_string(), broken: false })
            }
            (Ok(here), false) => look(&mut runner, &batch, here)?,
            (Err(message), false) => Err(Fault::Failed { message: message.clone(), broken: false }),
        };
        match found {
            Ok(None) => {
                runner.lab.store_validated(id)?;
                looked.right += 1;
            }
            Ok(Some(message)) => looked.wrong.push(problem(&graph, &batch, message)),
            Err(Fault::Cancelled) => looked.interrupted = true,
            Err(Fault::Failed { message, broken: lost }) => {
                if lost {
                    broken.insert(batch.implementation);
                }
                looked.wrong.push(problem(&graph, &batch, message));
            }
        }
        at_hand = Some((graph.id, here));
    }
    Ok(looked)
}

fn problem(graph: &GraphWork, batch: &Batch, message: String) -> Problem {
    Problem {
        graph: graph.name.clone(),
        config: batch.variants.first().map(|variant| variant.config.clone()).unwrap_or_default(),
        implementation: Some(batch.name.clone().unwrap_or_else(|| batch.schedule.clone())),
        times: 1,
        message,
    }
}

/// Runs a batch of one variant again: what differs from the reference.
fn look(
    runner: &mut Runner<'_>,
    batch: &Batch,
    at_hand: &AtHand,
) -> Result<std::result::Result<Option<String>, Fault>> {
    let options = runner.options(at_hand);
    let Some(variant) = batch.variants.first() else { return Ok(Ok(None)) };
    let failed = |message: String| Fault::Failed { message, broken: false };
    let mut again = || -> std::result::Result<Option<RunResult>, Fault> {
        let compiled = runner.compiled(batch)?;
        let args = compiled.arguments(variant, variant.root).map_err(failed)?;
        let (ran, _) = run(compiled, &options, &args, true)?;
        let right = variant.result.as_ref() == Some(&result::hash(compiled.standard, &ran.globals))
            || (compiled.standard.is_some() && check(compiled, at_hand, &args, &ran).is_none());
        Ok((!right).then_some(ran))
    };
    let ran = match again() {
        Ok(Some(ran)) => ran,
        Ok(None) => return Ok(Ok(None)),
        Err(fault) => return Ok(Err(fault)),
    };
    let reference = match runner.plain(batch.algorithm)? {
        Ok(compiled) => compiled,
        Err(message) => return Ok(Err(failed(message.clone()))),
    };
    let args = match reference.arguments(variant, variant.root) {
        Ok(args) => args,
        Err(message) => return Ok(Err(failed(message))),
    };
    Ok(run(reference, &options, &args, true)
        .map(|(expected, _)| result::difference(reference.standard, &ran.globals, &expected.globals)))
}
