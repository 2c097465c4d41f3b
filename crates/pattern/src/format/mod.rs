//! Files of labelled graphs, one file per format, and files that belong to them.
//!
//! | suffix | format |
//! |---|---|
//! | `.gfu`, `.gfd` | name, labels and pairs of numbers, as in the data set of APPAGATO ([`gf`]) |
//! | `.lg` | a line per node and edge ([`list`]) |
//!
//! Any graph that [`gw_graph::GraphSpec`] can name becomes a labelled graph with a file of labels ([`node_labels`]).

pub mod gf;
pub mod list;
pub mod matrix;
pub mod node_labels;
pub mod terms;

use std::path::{Path, PathBuf};

use crate::labels::Labels;
use crate::{LabelledGraph, PatternError, Result};

/// The longest file that is read as a whole.
const MOST_BYTES: u64 = 16 << 30;

/// True for files that bring their labels along.
pub fn is_labelled(path: &Path) -> bool {
    suffix(path).is_some_and(|suffix| matches!(suffix.as_str(), "gfu" | "gfd" | "lg"))
}

/// Reads a labelled graph by the suffix of its file.
pub fn read(path: &Path, labels: &mut Labels) -> Result<LabelledGraph> {
    if !is_labelled(path) {
        let message = format!(
            "{}: labelled graphs are files named .gfu, .gfd or .lg; any other graph needs a file of labels",
            path.display()
        );
        return Err(PatternError::Argument(message));
    }
    if let Some(what) = not_a_file(path)? {
        return Err(PatternError::Argument(format!("{}: this is {what}, not a labelled graph", path.display())));
    }
    let text = read_text(path)?;
    let read = match suffix(path).as_deref() {
        Some("lg") => list::parse(&text, labels),
        _ => gf::parse(&text, labels),
    };
    read.map_err(|error| error.in_file(path))
}

/// The labelled graphs in a folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Folder {
    /// The files, sorted by name.
    pub files: Vec<PathBuf>,
    /// What a person should know: names that look like graphs and are none.
    pub notes: Vec<String>,
}

/// The labelled graphs in a folder. A graph in both forms, `.gfu` and `.gfd`, counts once; folders and pipes with such
/// names are left out, with a note.
pub fn labelled_files(folder: &Path) -> Result<Folder> {
    let failed = |source| PatternError::Read { path: folder.to_owned(), source };
    let mut found = Folder::default();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_second = suffix(&path).as_deref() == Some("gfd") && path.with_extension("gfu").is_file();
        if !is_labelled(&path) || is_second {
            continue;
        }
        match not_a_file(&path)? {
            None => found.files.push(path),
            Some(what) => found.notes.push(format!("{} is left out: it is {what}", path.display())),
        }
    }
    if found.files.is_empty() {
        let message = format!("{}: the folder has no file named .gfu, .gfd or .lg", folder.display());
        return Err(PatternError::Argument(message));
    }
    found.files.sort();
    found.notes.sort();
    Ok(found)
}

/// What stands under the name of a labelled graph where that is no file: nobody may ever write to a pipe.
fn not_a_file(path: &Path) -> Result<Option<&'static str>> {
    let failed = |source| PatternError::Read { path: path.to_owned(), source };
    let kind = std::fs::metadata(path).map_err(failed)?.file_type();
    Ok(match () {
        () if kind.is_file() => None,
        () if kind.is_dir() => Some("a folder"),
        () => Some("a pipe or a device"),
    })
}

/// Reads a whole text.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    let failed = |source| PatternError::Read { path: path.to_owned(), source };
    let bytes = gw_graph::text_file::read_up_to(path, MOST_BYTES).map_err(failed)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count();
        PatternError::text(line, "this is no text: a byte is not UTF-8").in_file(path)
    })
}

fn suffix(path: &Path) -> Option<String> {
    path.extension().map(|suffix| suffix.to_string_lossy().to_ascii_lowercase())
}

/// The lines of a text with their numbers, without those that are empty.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix(gw_graph::text_file::BYTE_ORDER_MARK).unwrap_or(text);
    text.lines().enumerate().map(|(at, line)| (at + 1, line.trim())).filter(|(_, line)| !line.is_empty())
}

/// A text as it is shown in a message: in quotes and not too long.
fn shown(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("`{}...`", &text[..at]),
        None => format!("`{text}`"),
    }
}
