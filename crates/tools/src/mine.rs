//! `gw mine`: what was true of the variables of a trace at every instant.

use std::fmt::Write;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::{Args, ValueEnum};
use gw_device::Device;
use gw_lab::Lab;
use gw_mine::check::{Checker, Cores};
use gw_mine::device::{OnDevice, Use};
use gw_mine::generate::Shape;
use gw_mine::source::csv::Csv;
use gw_mine::{
    Basis, Constant, Language, MineError, Mined, ReadOptions, Source, Templates, assertions, load, mine_with, open,
    report, text as lines,
};
use serde::Serialize;

use crate::error::ToolError;
use crate::output::{bytes, grouped, json, seconds, text};
use gw_cli::progress::phase;

const HELP: &str = "\
Examples:
  gw mine trace.csv                            what holds, by templates II
  gw mine trace.vcd --clock clk                instants are rising edges of clk
  gw mine trace.csv --templates 1 --minimal    comparisons only, without what follows from others
  gw mine trace.csv --assertions python        lines for a program
  gw mine huge.csv --stream                    part by part, for traces larger than memory
  gw mine trace.parquet --target cuda          on the GPU
  gw mine my.lab --minimal                     the measured steps of a lab
  gw mine --generate T4 --target cuda --repeat 3    times on a trace of the shape of the thesis

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

/// Where candidates are checked.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Place {
    /// The cores of the processor
    Cpu,
    /// The NVIDIA GPU
    Cuda,
}

/// A trace of the shape of one of the thesis.
#[derive(Clone, Copy, ValueEnum)]
enum Generated {
    /// 15 Booleans and 15 numbers without invariants
    #[value(name = "T1", alias = "t1")]
    T1,
    /// 15 and 15 with planted invariants
    #[value(name = "T2", alias = "t2")]
    T2,
    /// 50 and 50 without invariants
    #[value(name = "T3", alias = "t3")]
    T3,
    /// 50 and 50 with planted invariants
    #[value(name = "T4", alias = "t4")]
    T4,
}

/// Arguments of `gw mine`.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Mine {
    /// The trace: .csv, .tsv, .vcd or .parquet, or a lab, whose steps are mined
    #[arg(required_unless_present = "generate", conflicts_with_all = ["generate", "instants", "seed"])]
    trace: Option<PathBuf>,
    /// A trace that is made here instead, of the shape of one of the thesis
    #[arg(long, value_enum, value_name = "NAME", conflicts_with_all = ["clock", "stream"])]
    generate: Option<Generated>,
    /// Instants of the trace that is made
    #[arg(long, value_name = "N", default_value_t = 5_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    instants: u32,
    /// Seed of the trace that is made
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Where candidates are checked; what is found is the same
    #[arg(long, value_enum, default_value = "cpu")]
    target: Place,
    /// Mine so many times, and print times instead of what was found
    #[arg(long, value_name = "N", conflicts_with_all = ["assertions", "minimal"])]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    repeat: Option<u32>,
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
    pub fn run(self) -> Result<(), ToolError> {
        if !(0.0..1.0).contains(&self.tolerance) {
            return Err(ToolError::usage(format!(
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
        // A GPU that is missing is told before a trace is read.
        let device = match self.target {
            Place::Cpu => None,
            Place::Cuda => Some(gw_cli::devices::open_gpu()?),
        };
        let mut source: Box<dyn Source> = match (&self.trace, self.generate) {
            (Some(trace), _) => {
                let options = ReadOptions { clock: self.clock, ..ReadOptions::default() };
                let mut opened =
                    if is_lab(trace) { steps(trace, &options, self.stream)? } else { open(trace, &options)? };
                if self.stream { opened } else { Box::new(load(&mut *opened)?) }
            }
            (None, Some(shape)) => Box::new(Shape::from(shape).make(self.instants as usize, self.seed)?),
            (None, None) => return Err(ToolError::usage("a trace or --generate is needed".to_owned())),
        };
        if let Some(repeats) = self.repeat {
            let bar = phase("mining again and again");
            let runs = measured(&mut *source, &templates, device, repeats)?;
            drop(bar);
            return if self.json { json(&runs) } else { text(&table(&runs)) };
        }
        let bar = phase("mining");
        let (found, used) = mined_once(&mut *source, &templates, device)?;
        drop(bar);
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
        if let Some(used) = used {
            eprintln!("gw: {}", on_device(&used));
        }
        Ok(())
    }
}

/// True for a database of SQLite, by its first bytes.
fn is_lab(path: &Path) -> bool {
    let mut head = [0; 16];
    let is_file = std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let mut read = || File::open(path).and_then(|mut file| file.read_exact(&mut head));
    is_file && read().is_ok() && head == *b"SQLite format 3\0"
}

/// The measured steps of a lab, as `gw lab export --what steps` writes them.
fn steps(path: &Path, options: &ReadOptions, is_streamed: bool) -> Result<Box<dyn Source>, ToolError> {
    let refuse = |message: &str| Err(ToolError::usage(format!("{}: {message}", path.display())));
    if options.clock.is_some() {
        return refuse("a clock is asked for, but only a VCD has clocks");
    }
    if is_streamed {
        return refuse("--stream is for files; `gw lab export --what steps` makes one of a lab");
    }
    let sheet = Lab::open_read_only(path)?.query("steps", None)?;
    if sheet.rows.is_empty() {
        return refuse("the lab has no measured steps: `gw lab run` measures some");
    }
    Ok(Box::new(Csv::from_text(path, sheet.to_csv().into_bytes(), b',', options)?))
}

fn mined_once(
    source: &mut dyn Source,
    templates: &Templates,
    device: Option<Arc<dyn Device>>,
) -> Result<(Mined, Option<Use>), ToolError> {
    match device {
        None => Ok((mine_with(&mut Cores::new(source), templates)?, None)),
        Some(device) => {
            let mut checker = OnDevice::new(device, source);
            let found = mine_with(&mut checker, templates)?;
            Ok((found, Some(checker.used())))
        }
    }
}

/// One of several runs.
#[derive(Serialize)]
struct Run {
    milliseconds: f64,
    numbers_milliseconds: f64,
    booleans_milliseconds: f64,
    invariants: usize,
    checked: usize,
    device: Option<Use>,
}

/// Mines several times. What was sent to a device stays there from run to run.
fn measured(
    source: &mut dyn Source,
    templates: &Templates,
    device: Option<Arc<dyn Device>>,
    repeats: u32,
) -> Result<Vec<Run>, ToolError> {
    let run = |checker: &mut dyn Checker| -> Result<Run, ToolError> {
        let start = Instant::now();
        let found = mine_with(checker, templates)?;
        let milliseconds = start.elapsed().as_secs_f64() * 1e3;
        Ok(Run {
            milliseconds,
            numbers_milliseconds: found.seconds.numbers * 1e3,
            booleans_milliseconds: found.seconds.booleans * 1e3,
            invariants: found.invariants.len(),
            checked: found.invariants.iter().filter(|found| found.basis == Basis::Checked).count(),
            device: None,
        })
    };
    match device {
        None => {
            let mut checker = Cores::new(source);
            (0..repeats).map(|_| run(&mut checker)).collect()
        }
        Some(device) => {
            let mut checker = OnDevice::new(device, source);
            let mut runs = Vec::new();
            for _ in 0..repeats {
                let measured = run(&mut checker)?;
                runs.push(Run { device: Some(checker.used()), ..measured });
            }
            Ok(runs)
        }
    }
}

/// A line per run.
fn table(runs: &[Run]) -> String {
    let mut text = format!(
        "{:>4} {:>10} {:>10} {:>11} {:>10} {:>8} {:>10} {:>10} {:>8}\n",
        "run", "ms", "numbers ms", "Booleans ms", "invariants", "checked", "sent", "sending ms", "launches"
    );
    for (number, run) in runs.iter().enumerate() {
        let (sent, sending, launches) = match &run.device {
            Some(used) => {
                (bytes(used.sent_bytes), format!("{:.1}", used.transfer_seconds * 1e3), used.launches.to_string())
            }
            None => ("-".to_owned(), "-".to_owned(), "-".to_owned()),
        };
        let _ = writeln!(
            text,
            "{:>4} {:>10.2} {:>10.2} {:>11.2} {:>10} {:>8} {sent:>10} {sending:>10} {launches:>8}",
            number + 1,
            run.milliseconds,
            run.numbers_milliseconds,
            run.booleans_milliseconds,
            run.invariants,
            run.checked,
        );
    }
    let best = runs.iter().map(|run| run.milliseconds).fold(f64::INFINITY, f64::min);
    let _ = writeln!(text, "best {best:.2} ms");
    text
}

fn on_device(used: &Use) -> String {
    format!(
        "{}: {} sent in {}, kernels ready after {}, {} launches, {} candidates decided by the cores",
        used.device,
        bytes(used.sent_bytes),
        seconds(used.transfer_seconds),
        seconds(used.compile_seconds),
        used.launches,
        used.rechecked
    )
}

impl From<Generated> for Shape {
    fn from(shape: Generated) -> Shape {
        match shape {
            Generated::T1 => Shape::T1,
            Generated::T2 => Shape::T2,
            Generated::T3 => Shape::T3,
            Generated::T4 => Shape::T4,
        }
    }
}

impl From<MineError> for ToolError {
    fn from(error: MineError) -> Self {
        match error {
            MineError::Argument(message) => ToolError::usage(message),
            other => ToolError::Mine(other),
        }
    }
}
