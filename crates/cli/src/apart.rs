//! Files that a command reads and files that it writes: one that is both would be lost, and is refused beforehand.

use std::path::{Path, PathBuf};

use gw_dynamic::Store;
use gw_graph::format::is_parted;
use gw_graph::spec::Source;
use gw_graph::{GraphSpec, is_same_file};

use crate::error::CliError;

const STDOUT: &str = "/dev/stdout";

/// The files that a command reads and those that it writes.
#[derive(Default)]
pub struct Apart {
    reads: Vec<PathBuf>,
    writes: Vec<(String, PathBuf)>,
}

impl Apart {
    /// A command that reads these words where they name files: graph specs, programs, schedules, arguments. Words that
    /// name no file are none.
    pub fn reading<'a>(words: impl IntoIterator<Item = &'a str>) -> Apart {
        let mut apart = Apart::default();
        words.into_iter().for_each(|word| apart.read_word(word));
        apart
    }

    /// Further words that may name files.
    pub fn and<'a>(mut self, words: impl IntoIterator<Item = &'a String>) -> Apart {
        words.into_iter().for_each(|word| self.read_word(word));
        self
    }

    /// Files that are read.
    pub fn files<'a>(mut self, paths: impl IntoIterator<Item = &'a PathBuf>) -> Apart {
        self.reads.extend(paths.into_iter().cloned());
        self
    }

    /// A file that is written, with the option or argument that names it; `-` is standard output.
    pub fn writing<'p>(mut self, option: &str, paths: impl IntoIterator<Item = &'p Path>) -> Apart {
        let or_stdout = |path: &Path| if is_stdout(path) { STDOUT.into() } else { path.to_path_buf() };
        self.writes.extend(paths.into_iter().map(|path| (option.to_string(), or_stdout(path))));
        self
    }

    /// An error where one file is read and written, or written twice, under whatever names.
    pub fn check(&self) -> Result<(), CliError> {
        for (at, (option, written)) in self.writes.iter().enumerate() {
            if let Some(read) = self.reads.iter().find(|read| is_same_file(read, written)) {
                let (read, written) = (read.display(), written.display());
                return Err(CliError::Usage(format!(
                    "{option} {written}: this is the file {read}, which the command reads; name another file to write"
                )));
            }
            // Standard output takes several results, one after the other.
            let is_file = |path: &Path| path != Path::new(STDOUT);
            let is_again = |first: &Path| is_file(first) && is_file(written) && is_same_file(first, written);
            if let Some((other, first)) = self.writes[..at].iter().find(|(_, first)| is_again(first)) {
                let (first, written) = (first.display(), written.display());
                return Err(CliError::Usage(format!(
                    "{option} {written}: {other} {first} is the same file; give each a file of its own"
                )));
            }
        }
        Ok(())
    }

    /// A word may be a spec (`FILE:OPTION...`), a value with a name before it (`NAME=FILE`, `adaptive:FILE`), or a
    /// folder with a graph: in parts, or as a store.
    fn read_word(&mut self, word: &str) {
        let behind = [word.split_once('='), word.split_once(':')].into_iter().flatten().map(|(_, file)| file);
        self.reads.extend(std::iter::once(word).chain(behind).filter_map(GraphSpec::file_of));
        let folder = match GraphSpec::parse(word) {
            Ok(GraphSpec { source: Source::File(path), .. }) => path,
            _ => word.into(),
        };
        if is_parted(&folder) {
            let files = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
            self.reads.extend(files.filter(|file| is_part(file)));
        } else if Store::is_at(&folder) {
            self.reads.extend(Store::files(&folder));
        }
        if word == "-" {
            self.reads.push("/dev/stdin".into());
        }
    }
}

/// Whether a file that is written means standard output: `-`, or `-.csv` for a form.
pub fn is_stdout(path: &Path) -> bool {
    let name = path.to_str().unwrap_or_default();
    let is_form = name.strip_prefix("-.").is_some_and(|ending| !ending.contains('/'));
    is_form || ["-", STDOUT, "/dev/fd/1", "/proc/self/fd/1"].contains(&name)
}

fn is_part(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name == "parts.txt" || (name.starts_with("part-") && name.ends_with(".gwg"))
}
