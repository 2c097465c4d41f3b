//! `gw lab report`.

use std::path::PathBuf;

use clap::Args;
use gw_lab::{Lab, ReportData, ReportQuery, render_report, report_tables};

use super::AsOf;
use crate::error::ToolError;
use crate::output;
use gw_cli::apart::Apart;

/// Arguments of `gw lab report`.
#[derive(Args)]
pub struct Report {
    /// The lab
    lab: PathBuf,
    /// The HTML page to write; without it, tables are printed
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Only this algorithm [default: all with runs]
    #[arg(long, value_name = "NAME")]
    algorithm: Option<String>,
    /// Only this platform [default: all with runs]
    #[arg(long, value_name = "NAME")]
    platform: Option<String>,
    /// The title of the page [default: the name of the lab]
    #[arg(long, value_name = "TEXT", requires = "out")]
    title: Option<String>,
    #[command(flatten)]
    as_of: AsOf,
}

impl Report {
    /// Writes the page or prints the tables.
    pub fn run(self) -> Result<(), ToolError> {
        Apart::default().files([&self.lab]).writing("--out", self.out.as_deref()).check()?;
        let query = ReportQuery { algorithm: self.algorithm, platform: self.platform, as_of: self.as_of.as_of };
        let mut data = ReportData::of_lab(&Lab::open_read_only(&self.lab)?, &query)?;
        match self.out {
            Some(path) => {
                data.title = self.title.unwrap_or(data.title);
                let bytes = gw_graph::format::write_file(&path, render_report(&data)?.as_bytes())?;
                output::text(&format!("wrote {}, {}\n", path.display(), output::bytes(bytes)))
            }
            None => {
                let tables: Vec<String> = report_tables(&data)
                    .iter()
                    .map(|(title, sheet)| format!("{title}\n\n{}", sheet.to_text()))
                    .collect();
                let notes: String = data.notes.iter().map(|note| format!("\n{note}\n")).collect();
                output::text(&(tables.join("\n") + &notes))
            }
        }
    }
}
