//! Where traces come from: memory, or files read part by part, as often as needed.

pub mod csv;
mod memory;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod vcd;

pub use memory::InMemory;

use std::path::Path;

use crate::trace::{Trace, Variables};
use crate::{MineError, Result};

/// A trace that is handed out part by part, and can be read again from its start.
pub trait Source {
    /// The names of the variables.
    fn variables(&self) -> &Variables;

    /// Begins again.
    fn rewind(&mut self) -> Result<()>;

    /// The next part, or none at the end. All parts but the last have a multiple of 64 instants.
    fn next(&mut self) -> Result<Option<&Trace>>;

    /// What a person should know about the trace, such as columns that were left out.
    fn notes(&self) -> &[String] {
        &[]
    }
}

/// How a file is read.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadOptions {
    /// Most instants of a part, a multiple of 64.
    pub part: usize,
    /// Most bytes of the values of a part, 8 each, however many variables there are; 64 instants are always in it.
    pub part_bytes: usize,
    /// Of a VCD: instants are the rising edges of this variable, not all times at which something changes.
    pub clock: Option<String>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions { part: 1 << 19, part_bytes: 64 << 20, clock: None }
    }
}

impl ReadOptions {
    /// Instants of a part of a trace with so many variables.
    pub(crate) fn instants(&self, variables: usize) -> usize {
        let fitting = self.part_bytes / (8 * variables.max(1)) / 64 * 64;
        self.part.min(fitting.max(64))
    }
}

/// Opens a trace by the suffix of its file: `.csv`, `.tsv`, `.vcd` or `.parquet`.
pub fn open(path: &Path, options: &ReadOptions) -> Result<Box<dyn Source>> {
    let metadata = std::fs::metadata(path).map_err(|source| MineError::read(path, source))?;
    if metadata.is_dir() {
        return Err(MineError::file(path, "this is a directory, not a trace"));
    }
    if gw_graph::text_file::is_device(&metadata) {
        return Err(MineError::file(path, "this is a device, not a trace"));
    }
    if !metadata.is_file() {
        let message = "this is a pipe, and a trace is read more than once: write it to a file first";
        return Err(MineError::file(path, message));
    }
    if options.part == 0 || !options.part.is_multiple_of(64) {
        return Err(MineError::Argument(format!("a part has a multiple of 64 instants: {} is none", options.part)));
    }
    let suffix = path.extension().map(|suffix| suffix.to_string_lossy().to_ascii_lowercase());
    if options.clock.is_some() && suffix.as_deref() != Some("vcd") {
        return Err(MineError::Argument("a clock is asked for, but only a VCD has clocks".to_owned()));
    }
    match suffix.as_deref() {
        Some("csv") => Ok(Box::new(csv::Csv::open(path, b',', options)?)),
        Some("tsv") => Ok(Box::new(csv::Csv::open(path, b'\t', options)?)),
        Some("vcd") => Ok(Box::new(vcd::Vcd::open(path, options)?)),
        #[cfg(feature = "parquet")]
        Some("parquet") => Ok(Box::new(parquet::Parquet::open(path, options)?)),
        _ => Err(MineError::file(path, "traces are files named .csv, .tsv, .vcd or .parquet")),
    }
}

/// The first instants of a trace.
pub fn probe(source: &mut dyn Source, instants: usize) -> Result<Option<Trace>> {
    source.rewind()?;
    Ok(source.next()?.map(|part| part.head(instants)))
}

/// Reads a whole trace into memory.
pub fn load(source: &mut dyn Source) -> Result<InMemory> {
    let variables = source.variables().clone();
    source.rewind()?;
    let mut whole: Option<Trace> = None;
    while let Some(part) = source.next()? {
        gw_graph::memory::allow(2 * part.bytes(), "the columns of the trace")?;
        match &mut whole {
            None => whole = Some(part.clone()),
            Some(whole) => whole.append(part),
        }
    }
    let whole = whole.ok_or_else(|| MineError::Argument("the trace has no instants".to_owned()))?;
    // Some notes are known only after all values were read.
    let notes = source.notes().to_vec();
    Ok(InMemory::new(variables, whole).with_notes(notes))
}
