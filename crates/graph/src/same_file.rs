//! Whether two names are names of one file, so that what is written to one replaces what is read from the other.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Whether both names lead to the same file: as links, as hard links, by another way through folders, or as
/// `/dev/stdout` where standard output goes to that file. Only regular files count, since writing to a device or pipe
/// destroys nothing. Of files that are not there yet, the folder and the name are compared.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    match (std::fs::metadata(a), std::fs::metadata(b)) {
        (Ok(first), Ok(second)) => first.is_file() && second.is_file() && is_same(a, &first, b, &second),
        (Err(_), Err(_)) => new_file(a).is_some_and(|first| new_file(b) == Some(first)),
        _ => false,
    }
}

#[cfg(unix)]
fn is_same(_: &Path, first: &std::fs::Metadata, _: &Path, second: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (first.dev(), first.ino()) == (second.dev(), second.ino())
}

#[cfg(not(unix))]
fn is_same(a: &Path, _: &std::fs::Metadata, b: &Path, _: &std::fs::Metadata) -> bool {
    a.canonicalize().is_ok_and(|first| b.canonicalize().is_ok_and(|second| first == second))
}

/// The folder, without links, and the name of a file that is to be made.
fn new_file(path: &Path) -> Option<(PathBuf, &OsStr)> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some((folder.canonicalize().ok()?, path.file_name()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_file_is_known_by_all_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("sub")).unwrap();
        std::fs::write(at("a"), "1").unwrap();
        std::fs::write(at("b"), "1").unwrap();
        std::os::unix::fs::symlink(at("a"), at("link")).unwrap();
        std::os::unix::fs::symlink(folder.path(), at("around")).unwrap();
        std::fs::hard_link(at("a"), at("hard")).unwrap();
        for name in ["a", "./a", "link", "hard", "sub/../a", "around/a", "around/link"] {
            assert!(is_same_file(&at("a"), &at(name)), "{name}");
            assert!(!is_same_file(&at("b"), &at(name)), "{name}");
        }
        assert!(is_same_file(&at("new"), &at("around/new")));
        assert!(!is_same_file(&at("new"), &at("newer")));
        assert!(!is_same_file(&at("new"), &at("a")));
        assert!(!is_same_file(&at("nowhere/a"), &at("nowhere/a")), "nothing can be written there");
        assert!(!is_same_file(Path::new("/dev/null"), Path::new("/dev/null")), "a device is not replaced");
    }
}
