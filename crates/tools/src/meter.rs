//! `gw meter`: what this machine's memory, units and power reach.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use gw_lab::Lab;
use gw_meter::{Effort, Listener, Sheet, Target, measure_cpu, measure_gpu, sheet_page, sheet_text};

use crate::error::ToolError;
use crate::output;
use gw_cli::apart::Apart;

const HELP: &str = "\
The sheet is kept beside the compiled kernels (in GW_CACHE, else in ~/.cache/graphwright), where `gw explain` and `gw meter
show` find it. A processor takes half a minute, a GPU with power about four minutes. docs/meter.md explains every number.

Examples:
  gw meter                                measure the processor
  gw meter --target cuda                  measure the GPU
  gw meter --lab my.lab                   keep the sheet in a lab, too
  gw meter show --html sheet.html         draw what was measured
  gw meter show --lab my.lab --target cuda
                                          the newest sheet of a GPU in a lab";

/// Arguments of `gw meter`.
#[derive(Args)]
#[command(after_help = HELP, args_conflicts_with_subcommands = true)]
pub struct Meter {
    #[command(subcommand)]
    command: Option<MeterCommand>,
    /// What to measure
    #[arg(long, value_enum, default_value = "cpu")]
    target: Measurable,
    /// Write the sheet to this file instead of the place where it is found again
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Keep the sheet in this lab, too
    #[arg(long, value_name = "LAB")]
    lab: Option<PathBuf>,
    /// Fewer points and repetitions: a first look
    #[arg(long)]
    quick: bool,
}

#[derive(Subcommand)]
enum MeterCommand {
    /// Print a sheet, or draw it as a page
    Show(Show),
}

/// What can be measured.
#[derive(Clone, Copy, ValueEnum)]
enum Measurable {
    /// The processor
    Cpu,
    /// The NVIDIA GPU
    Cuda,
}

impl From<Measurable> for Target {
    fn from(measurable: Measurable) -> Target {
        match measurable {
            Measurable::Cpu => Target::Cpu,
            Measurable::Cuda => Target::Cuda,
        }
    }
}

/// Arguments of `gw meter show`.
#[derive(Args)]
struct Show {
    /// The sheet [default: the one that was measured here]
    sheet: Option<PathBuf>,
    /// Which of the sheets that were measured here
    #[arg(long, value_enum, default_value = "cpu", conflicts_with = "sheet")]
    target: Measurable,
    /// The newest sheet of this lab; `gw lab list LAB machines` shows all
    #[arg(long, value_name = "LAB", conflicts_with = "sheet")]
    lab: Option<PathBuf>,
    /// Of the sheets of the lab, the newest of a machine with this text in its name
    #[arg(long, value_name = "TEXT", requires = "lab")]
    machine: Option<String>,
    /// Write an HTML page with curves instead of printing tables
    #[arg(long, value_name = "PAGE")]
    html: Option<PathBuf>,
}

impl Meter {
    /// Measures or shows.
    pub fn run(self) -> Result<(), ToolError> {
        match self.command {
            Some(MeterCommand::Show(show)) => show.run(),
            None => self.measure(),
        }
    }

    fn measure(self) -> Result<(), ToolError> {
        Apart::default().files(&self.lab).writing("--out", self.out.as_deref()).check()?;
        let target = Target::from(self.target);
        let given = self.out.is_some();
        let path = match self.out {
            Some(path) => path,
            None => Sheet::kept_at(target)?,
        };
        // Minutes of measuring shall not end at a file that cannot be written or a lab that is not there.
        if given {
            let wrong = |error| ToolError::usage(format!("--out {}: {error}", path.display()));
            path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(wrong)?;
            output::writable(&path, "--out")?;
        }
        let mut lab = self.lab.as_ref().map(Lab::open).transpose()?;
        let effort = if self.quick { Effort::Quick } else { Effort::Full };
        let sheet = match target {
            Target::Cpu => measure_cpu(effort, &Told)?,
            Target::Cuda => measure_gpu(effort, &Told)?,
        };
        sheet.save(&path)?;
        let mut places = path.display().to_string();
        if let (Some(lab), Some(name)) = (&mut lab, &self.lab) {
            lab.store_machine(&sheet)?;
            places += &format!(" and in the lab {}", name.display());
        }
        output::text(&format!("{}\nkept in {places}\n", sheet_text(&sheet)))
    }
}

impl Show {
    fn run(self) -> Result<(), ToolError> {
        Apart::default().files(self.sheet.iter().chain(&self.lab)).writing("--html", self.html.as_deref()).check()?;
        let sheet = match (&self.sheet, &self.lab) {
            (Some(path), _) => Sheet::load(path)?,
            (None, Some(lab)) => Lab::open_read_only(lab)?.machine(self.target.into(), self.machine.as_deref())?,
            (None, None) => Sheet::find(self.target.into())?,
        };
        match self.html {
            Some(path) => {
                let bytes = gw_graph::format::write_file(&path, sheet_page(&sheet).as_bytes())?;
                output::text(&format!("wrote {}, {}\n", path.display(), output::bytes(bytes)))
            }
            None => output::text(&sheet_text(&sheet)),
        }
    }
}

/// Says on the error stream what is being measured.
struct Told;

impl Listener for Told {
    fn begins(&self, what: &str) {
        eprintln!("measuring: {what}");
    }
}
