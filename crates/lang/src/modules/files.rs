//! Where the files of a program are read from.

use std::path::{Path, PathBuf};

/// A file that a program uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The name shown in diagnostics.
    pub name: String,
    /// What it is known by: two paths that lead to one file have the same.
    pub path: PathBuf,
    /// The text.
    pub text: String,
}

/// Why a file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// What is wrong, as the end of a sentence: `it is a directory`.
    pub why: String,
    /// What to do.
    pub help: Option<String>,
}

/// The files that a program can use.
pub trait Files {
    /// What the program's first file is known by, if it is a file.
    fn first(&self) -> Option<PathBuf> {
        None
    }

    /// The file that `path` means in `user`, name and [`File::path`] of the using file; `None` for a first text that is
    /// no file.
    fn read(&self, user: Option<(&str, &Path)>, path: &str) -> Result<File, Missing>;
}

/// No files: a text that came without a folder.
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: Option<(&str, &Path)>, _: &str) -> Result<File, Missing> {
        Err(Missing {
            why: "this program is a text without a folder, and the path of a file begins at the folder".to_string(),
            help: Some("keep the program in a file, or give its folder; `use std.NAME;` works everywhere".to_string()),
        })
    }
}
