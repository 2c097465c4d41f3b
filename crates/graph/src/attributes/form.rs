//! The forms in which values are written, and the endings of names that mean them.

use std::path::Path;

use crate::format::Compression;
use crate::{GraphError, Result};

/// A form of files of values.
///
/// ```
/// use gw_graph::attributes::Form;
/// use std::path::Path;
/// assert_eq!(Form::of_path(Path::new("rank.parquet")).unwrap(), Form::Parquet);
/// let error = Form::of_path(Path::new("rank.xlsx")).unwrap_err();
/// assert!(error.to_string().contains(".csv, .tsv, .parquet"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A value or row per line, without ids and titles.
    Lines,
    /// A table separated by commas.
    Csv,
    /// A table separated by tabs.
    Tsv,
    /// A Parquet file.
    Parquet,
    /// An Arrow IPC file, also called Feather (version 2).
    Arrow,
    /// One array of objects, an object per row; one object where there is one row about everything.
    Json,
    /// An object per line.
    JsonLines,
    /// An array of NumPy.
    Npy,
    /// A graph with attributes, as GraphML.
    GraphMl,
    /// A graph with attributes, as GEXF.
    Gexf,
}

impl Form {
    /// Every form with its endings, in the order in which they are listed to people.
    const ENDINGS: [(Form, &'static [&'static str]); 10] = [
        (Form::Csv, &["csv"]),
        (Form::Tsv, &["tsv"]),
        (Form::Parquet, &["parquet", "pq"]),
        (Form::Arrow, &["arrow", "feather"]),
        (Form::Json, &["json"]),
        (Form::JsonLines, &["jsonl", "ndjson"]),
        (Form::Npy, &["npy"]),
        (Form::GraphMl, &["graphml"]),
        (Form::Gexf, &["gexf"]),
        (Form::Lines, &["txt", "lst"]),
    ];

    /// The form that a file name means: by its ending, below `.gz` or `.zst` where the form is a text. A name without
    /// an ending means lines; an ending that means nothing is an error that lists those that do.
    pub fn of_path(path: &Path) -> Result<Form> {
        let compression = Compression::of_path(path);
        let inner = if compression == Compression::Plain { path.to_path_buf() } else { path.with_extension("") };
        let Some(ending) = inner.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()) else {
            return Ok(Form::Lines);
        };
        let known = Self::ENDINGS.iter().find(|(_, endings)| endings.contains(&ending.as_str()));
        match known {
            Some((form, _)) if compression != Compression::Plain && !form.is_text() => {
                let message =
                    format!("a .{ending} is not compressed again: leave the ending `{}` away", compression.suffix());
                Err(GraphError::file(path, message))
            }
            Some((form, _)) => Ok(*form),
            None => Err(GraphError::file(
                path,
                format!("results are not written as .{ending}; the endings known are {}", Self::endings()),
            )),
        }
    }

    /// The endings for a message.
    fn endings() -> String {
        let names = Self::ENDINGS.iter().flat_map(|(_, endings)| endings.iter()).map(|ending| format!(".{ending}"));
        names.collect::<Vec<_>>().join(", ") + ", or none for lines"
    }

    /// True for the forms that hold a graph, with values as attributes of its vertices and edges.
    pub fn is_graph(self) -> bool {
        matches!(self, Form::GraphMl | Form::Gexf)
    }

    /// True for forms that can be compressed as a whole.
    fn is_text(self) -> bool {
        !matches!(self, Form::Parquet | Form::Arrow | Form::Npy)
    }

    /// How a file of this form is compressed.
    pub(crate) fn compression(self, path: &Path) -> Compression {
        if self.is_text() { Compression::of_path(path) } else { Compression::Plain }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_mean_forms() {
        let of = |name: &str| Form::of_path(Path::new(name)).map_err(|error| error.to_string());
        for (form, endings) in Form::ENDINGS {
            for ending in endings {
                assert_eq!(of(&format!("a.b/x.{ending}")), Ok(form));
                assert_eq!(of(&format!("x.{}", ending.to_uppercase())), Ok(form));
            }
        }
        for lines in ["x", "a.b/x", "/dev/fd/3", "x.gz", ".txt", "x.txt.zst"] {
            assert_eq!(of(lines), Ok(Form::Lines), "{lines}");
        }
        assert_eq!(of("x.csv.gz"), Ok(Form::Csv));
        let refused = "x.xlsx: results are not written as .xlsx; the endings known are .csv, .tsv, .parquet, .pq, \
                       .arrow, .feather, .json, .jsonl, .ndjson, .npy, .graphml, .gexf, .txt, .lst, or none for lines";
        assert_eq!(of("x.xlsx"), Err(refused.to_string()));
        assert!(of("x.dat.gz").is_err());
        assert!(of("x.npy.gz").is_err_and(|message| message.contains("`.gz` away")));
    }
}
