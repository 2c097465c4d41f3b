//! Mining: numbers, then Booleans.

use std::time::Instant;

use serde::Serialize;

use crate::check::{Checker, Cores};
use crate::invariant::Invariant;
use crate::source::{Source, probe};
use crate::template::Templates;
use crate::trace::Variables;
use crate::{MineError, Result, booleans, numbers};

/// Instants that every candidate is tried on before anything else.
const PROBE: usize = 1024;

/// Time spent.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Seconds {
    /// On numbers.
    pub numbers: f64,
    /// On Booleans.
    pub booleans: f64,
}

/// What was found.
#[derive(Debug, Clone)]
pub struct Mined {
    /// The names of the variables.
    pub variables: Variables,
    /// What holds at every instant, sorted by kind and variables.
    pub invariants: Vec<Invariant>,
    /// Time spent.
    pub seconds: Seconds,
    /// The tolerance of logarithms and powers.
    pub tolerance: f64,
    /// What a person should know about the trace.
    pub notes: Vec<String>,
}

/// Finds everything among the templates that holds at every instant of a trace, on the cores of the processor.
pub fn mine(source: &mut dyn Source, templates: &Templates) -> Result<Mined> {
    mine_with(&mut Cores::new(source), templates)
}

/// [`mine`] with somebody else who looks at the instants.
pub fn mine_with(checker: &mut dyn Checker, templates: &Templates) -> Result<Mined> {
    let source = checker.source();
    let variables = source.variables().clone();
    let Some(probe) = probe(source, PROBE)? else {
        return Err(MineError::Argument("the trace has no instants: nothing holds, and everything does".to_owned()));
    };
    let start = Instant::now();
    let mut invariants = numbers::mine(templates, &probe, checker)?;
    let on_numbers = start.elapsed().as_secs_f64();
    let start = Instant::now();
    invariants.extend(booleans::mine(templates, &probe, checker)?);
    let seconds = Seconds { numbers: on_numbers, booleans: start.elapsed().as_secs_f64() };
    invariants.sort_by_key(|found| {
        let kind = (found.template.is_boolean(), found.template.arity());
        (kind, found.variables[0], found.variables[1], found.variables[2])
    });
    let notes = checker.source().notes().to_vec();
    Ok(Mined { variables, invariants, seconds, tolerance: templates.tolerance, notes })
}
