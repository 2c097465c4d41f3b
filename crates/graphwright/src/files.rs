//! The files that a program uses, beside it on disk.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use gw_graph::text_file::read_text;
use gw_lang::suggest::nearest;
use gw_lang::{File, Files, Missing};

/// Most files of a folder that are looked at for one of a similar name.
const MOST_NAMES: usize = 10_000;

/// Paths that begin at the folder of the file in which they stand.
pub(crate) struct Folder {
    /// The program's first file, if it is one.
    first: Option<PathBuf>,
    /// The folder of the first text, and its name in messages.
    folder: PathBuf,
    shown: PathBuf,
}

impl Folder {
    /// The folder of a program's first file; `name` is what the file is called in messages. What is no regular file,
    /// such as a pipe, stands in the working folder.
    pub(crate) fn of(name: &str, path: &Path) -> Folder {
        match path.canonicalize() {
            Ok(real) if real.is_file() => Folder {
                folder: real.parent().map_or_else(PathBuf::new, Path::to_path_buf),
                first: Some(real),
                shown: Path::new(name).parent().map_or_else(PathBuf::new, Path::to_path_buf),
            },
            _ => Folder { first: None, folder: PathBuf::from("."), shown: PathBuf::new() },
        }
    }

    /// A folder for a text that is no file.
    pub(crate) fn at(folder: &Path) -> Folder {
        Folder { first: None, folder: folder.to_path_buf(), shown: folder.to_path_buf() }
    }
}

impl Files for Folder {
    fn first(&self) -> Option<PathBuf> {
        self.first.clone()
    }

    fn read(&self, user: Option<(&str, &Path)>, path: &str) -> Result<File, Missing> {
        let (folder, shown) = match user {
            Some((name, real)) if self.first.as_deref() != Some(real) => {
                (real.parent().unwrap_or(&self.folder), Path::new(name).parent().unwrap_or(Path::new("")))
            }
            _ => (self.folder.as_path(), self.shown.as_path()),
        };
        let whole = folder.join(path);
        let name = plain(&shown.join(path));
        let read = || {
            let real = whole.canonicalize()?;
            Ok((read_text(&real)?, real))
        };
        match read() {
            Ok((text, path)) => Ok(File { name, path, text }),
            Err(error) => Err(missing(&error, path, &whole, &name)),
        }
    }
}

/// A path without parts that lead nowhere.
fn plain(path: &Path) -> String {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(parts.components().next_back(), Some(Component::Normal(_))) => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.display().to_string()
}

fn missing(error: &std::io::Error, path: &str, whole: &Path, name: &str) -> Missing {
    if error.kind() != ErrorKind::NotFound {
        return Missing { why: error.to_string(), help: None };
    }
    let written = Path::new(path);
    let with_name = |name: &str| written.with_file_name(name).display().to_string();
    let file = written.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let names: Vec<String> = match whole.parent().map(std::fs::read_dir) {
        Some(Ok(entries)) => entries
            .take(MOST_NAMES)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| name.ends_with(".gt"))
            .collect(),
        _ => Vec::new(),
    };
    let ended = format!("{file}.gt");
    let near = match names.contains(&ended) {
        true => Some(ended.as_str()),
        false => nearest(file, names.iter().map(String::as_str)),
    };
    let help = match near {
        Some(near) => format!("did you mean \"{}\"?", with_name(near)),
        None => "the path begins at the folder of the file in which it stands".to_string(),
    };
    Missing { why: format!("there is no file {name}"), help: Some(help) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_at_the_folder_of_the_file_that_says_them() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir(root.join("lib")).unwrap();
        for (path, text) in [("main.gt", "m"), ("lib/a.gt", "a"), ("lib/b.gt", "b"), ("c.gt", "c")] {
            std::fs::write(root.join(path), text).unwrap();
        }
        let files = Folder::of("work/main.gt", &root.join("main.gt"));
        let first = files.first().unwrap();
        let a = files.read(Some(("work/main.gt", &first)), "lib/a.gt").unwrap();
        assert_eq!((a.name.as_str(), a.text.as_str()), ("work/lib/a.gt", "a"));
        let c = files.read(Some((&a.name, &a.path)), "../c.gt").unwrap();
        assert_eq!((c.name.as_str(), c.text.as_str()), ("work/c.gt", "c"));
        let again = files.read(Some((&a.name, &a.path)), ".././lib/b.gt").unwrap();
        assert_eq!(again, files.read(Some((&a.name, &a.path)), "b.gt").unwrap());

        let missing = files.read(Some(("work/main.gt", &first)), "lib/a").unwrap_err();
        assert_eq!(missing.why, "there is no file work/lib/a");
        assert_eq!(missing.help.as_deref(), Some("did you mean \"lib/a.gt\"?"));
        let missing = files.read(Some(("work/main.gt", &first)), "mian.gt").unwrap_err();
        assert_eq!(missing.help.as_deref(), Some("did you mean \"main.gt\"?"));
        assert_eq!(files.read(Some(("work/main.gt", &first)), "lib").unwrap_err().why, "it is a directory, not a file");
    }
}
