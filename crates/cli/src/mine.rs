//! `gw mine`: what was true of the variables of a trace at every instant.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gw_mine::{
    Constant, Language, MineError, ReadOptions, Templates, assertions, load, mine, open, report, text as lines,
};

use crate::error::CliError;
use crate::output::{grouped, json, seconds, text};

const HELP: &str = "\
Examples:
  gw mine trace.csv                            what holds, by templates II
  gw mine trace.vcd --clock clk                instants are rising edges of clk
  gw mine trace.csv --templates 1 --minimal    comparisons only, without what follows from others
  gw mine trace.csv --assertions python        lines for a program
  gw mine huge.csv --stream                    part by part, for traces larger than memory

docs/mine.md explains templates and files.";

/// A set of templates.
#[derive(Clone, Copy, ValueEnum)]
enum Set {
    /// Constant Booleans, and comparisons of two numbers
    #[value(name = "1", alias = "I")]
    First,
    /// Booleans and numbers of up to three variables
    #[value(name = "2", alias = "II")]
    Second,
}

/// A language of assertions.
#[derive(Clone, Copy, ValueEnum)]
enum AssertionLanguage {
    /// C, with assert.h and math.h
    C,
    /// Python
    Python,
    /// Immediate assertions of SystemVerilog
    Systemverilog,
}

/// Arguments of `gw mine`.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Mine {
    /// The trace: .csv, .tsv, .vcd or .parquet
    trace: PathBuf,
    /// The set of templates
    #[arg(long, value_enum, default_value = "2")]
    templates: Set,
    /// At most so many variables in an invariant
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=3))]
    arity: u8,
    /// Templates of a number and a constant, such as "< 100", instead of those of the set; may be repeated
    #[arg(long, value_name = "TEMPLATE", allow_hyphen_values = true)]
    constant: Vec<Constant>,
    /// Logarithms and powers may be off by this share
    #[arg(long, value_name = "SHARE", default_value_t = 1e-6)]
    tolerance: f64,
    /// Of a VCD: instants are the rising edges of this variable
    #[arg(long, value_name = "NAME")]
    clock: Option<String>,
    /// Read the trace part by part, as often as needed, instead of keeping it in memory
    #[arg(long)]
    stream: bool,
    /// Leave out what follows from other invariants or from the ranges of variables
    #[arg(long)]
    minimal: bool,
    /// Print lines of a program
    #[arg(long, value_enum, value_name = "LANGUAGE", conflicts_with = "json")]
    assertions: Option<AssertionLanguage>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Mine {
    /// Mines the trace.
    pub fn run(self) -> Result<(), CliError> {
        if !(0.0..1.0).contains(&self.tolerance) {
            return Err(CliError::Usage(format!(
                "--tolerance {}: a share from 0 to below 1 is expected",
                self.tolerance
            )));
        }
        let set = match self.templates {
            Set::First => Templates::first(),
            Set::Second => Templates::second(),
        };
        let mut templates = Templates { tolerance: self.tolerance, ..set }.with_arity(self.arity.into());
        if !self.constant.is_empty() {
            templates.constants = self.constant;
        }
        let mut source = open(&self.trace, &ReadOptions { clock: self.clock, ..ReadOptions::default() })?;
        let found = match self.stream {
            true => mine(&mut *source, &templates)?,
            false => mine(&mut load(&mut *source)?, &templates)?,
        };
        if self.json {
            return json(&report(&found, self.minimal));
        }
        for note in &found.notes {
            eprintln!("gw: {note}");
        }
        match self.assertions {
            Some(AssertionLanguage::C) => text(&assertions(&found, Language::C, self.minimal))?,
            Some(AssertionLanguage::Python) => text(&assertions(&found, Language::Python, self.minimal))?,
            Some(AssertionLanguage::Systemverilog) => text(&assertions(&found, Language::SystemVerilog, self.minimal))?,
            None => text(&lines(&found, self.minimal))?,
        }
        let all = report(&found, false);
        eprintln!(
            "gw: {} invariants of {} Booleans and {} numbers, {} of them follow from others; {}",
            grouped(all.count as u64),
            all.booleans.len(),
            all.numbers.len(),
            grouped((all.count - all.checked) as u64),
            seconds(all.seconds.numbers + all.seconds.booleans)
        );
        Ok(())
    }
}

impl From<MineError> for CliError {
    fn from(error: MineError) -> Self {
        match error {
            MineError::Argument(message) => CliError::Usage(message),
            other => CliError::Mine(other),
        }
    }
}
