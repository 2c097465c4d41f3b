//! `gw lab list`, `query` and `export`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use gw_lab::{Lab, Sheet, entities};

use super::AsOf;
use crate::error::ToolError;
use crate::output::text;
use gw_cli::apart::Apart;

fn lists() -> String {
    let width = entities().iter().map(|entity| entity.name.len()).max().unwrap_or(0);
    let lines = entities().iter().map(|entity| format!("  {:width$}  {}\n", entity.name, entity.summary));
    format!("Lists:\n{}", lines.collect::<String>())
}

#[derive(Args)]
#[command(after_help = lists())]
pub struct List {
    /// The lab
    lab: PathBuf,
    /// What to list, see below
    what: String,
    #[command(flatten)]
    as_of: AsOf,
}

#[derive(Args)]
#[command(after_help = "In the SQL, :as_of stands for the moment given by --as-of, or the end of time.")]
pub struct Query {
    /// The lab
    lab: PathBuf,
    /// A statement that only looks, or the name of a list
    sql: String,
    #[command(flatten)]
    as_of: AsOf,
}

#[derive(Args)]
#[command(after_help = lists())]
pub struct Export {
    /// The lab
    lab: PathBuf,
    /// What to export, see below, or a query in SQL
    #[arg(long, value_name = "LIST|SQL")]
    what: String,
    /// The form of the file [default: by the end of its name]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    as_of: AsOf,
}

/// Forms of files.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Columns side by side, for people
    Text,
    /// Comma-separated values
    Csv,
    /// A table of LaTeX
    Latex,
    /// A table of Markdown
    Markdown,
    /// Apache Parquet
    Parquet,
}

impl Format {
    /// What the end of a name says.
    fn of(path: &Path) -> Option<Format> {
        Some(match path.extension()?.to_str()? {
            "txt" => Format::Text,
            "csv" => Format::Csv,
            "tex" => Format::Latex,
            "md" => Format::Markdown,
            "parquet" => Format::Parquet,
            _ => return None,
        })
    }

    fn bytes(self, sheet: &Sheet) -> Result<Vec<u8>, ToolError> {
        Ok(match self {
            Format::Text => sheet.to_text().into_bytes(),
            Format::Csv => sheet.to_csv().into_bytes(),
            Format::Latex => sheet.to_latex().into_bytes(),
            Format::Markdown => sheet.to_markdown().into_bytes(),
            Format::Parquet => sheet.to_parquet()?,
        })
    }
}

impl List {
    /// Prints the list.
    pub fn run(self) -> Result<(), ToolError> {
        text(&Lab::open_read_only(&self.lab)?.list(&self.what, self.as_of.as_of.as_deref())?.to_text())
    }
}

impl Query {
    /// Prints the answer.
    pub fn run(self) -> Result<(), ToolError> {
        text(&Lab::open_read_only(&self.lab)?.query(&self.sql, self.as_of.as_of.as_deref())?.to_text())
    }
}

impl Export {
    /// Writes the file.
    pub fn run(self) -> Result<(), ToolError> {
        let Some(format) = self.format.or(Format::of(&self.out)) else {
            let message = format!("--out {}: its end tells no format; add --format", self.out.display());
            return Err(ToolError::usage(message));
        };
        Apart::default().files([&self.lab]).writing("--out", [&*self.out]).check()?;
        let sheet = Lab::open_read_only(&self.lab)?.query(&self.what, self.as_of.as_of.as_deref())?;
        gw_graph::format::write_file(&self.out, &format.bytes(&sheet)?)?;
        text(&format!("wrote {} rows to {}\n", sheet.rows.len(), self.out.display()))
    }
}
