//! Files in the making: written beside their target under a name of their own, and renamed when they are whole.
//!
//! A file in the making is called `.NAME.gw-XXXXXX.partial`, and the process that writes it holds a lock on it. The
//! lock ends with the process, however the process ends. A file of such a name without a lock is therefore a leftover
//! of a process that was killed, and the next process that writes into the folder removes it. Everything in Graphwright
//! that must appear complete or not at all is written in this way.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

/// Files being written by this process.
static PARTIAL: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// Folders in which this process has removed leftovers.
static CLEARED: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);

const MARK: &str = "gw-";
const END: &str = ".partial";
/// Random characters in the name of a file in the making.
const RANDOM: usize = 6;
/// So many bytes of the target's name stand in the name of the file in the making, which may have 255.
const MOST_OF_NAME: usize = 200;
/// The end of the name of a draft, see [`Draft`], and of what SQLite writes beside a database.
const DRAFTS: [&str; 4] = ["-draft-journal", "-draft-wal", "-draft-shm", "-draft"];

/// Removes the files that are being written at this moment; for a handler of Ctrl-C, right before the process ends.
pub fn remove_partial_files() {
    for path in locked(&PARTIAL).drain(..) {
        remove(&path);
    }
}

/// A file in the making. Dropped before [`PartialFile::replace`], it leaves nothing behind.
#[derive(Debug)]
pub struct PartialFile {
    file: NamedTempFile,
    target: PathBuf,
    listed: Listed,
}

impl PartialFile {
    /// An empty file in the folder of its target. Leftovers of killed processes in that folder are removed first.
    pub fn beside(target: &Path) -> io::Result<PartialFile> {
        let folder = folder_of(target);
        clear_leftovers(folder, target.file_name());
        let name = target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let prefix = format!(".{}.{MARK}", beginning(&name, MOST_OF_NAME));
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(END).rand_bytes(RANDOM);
        // As for any new file: the user's mask decides.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        loop {
            // The list is held over both steps, so that Ctrl-C never falls between creating and listing.
            let mut list = locked(&PARTIAL);
            let file = builder.tempfile_in(folder)?;
            list.push(file.path().to_path_buf());
            drop(list);
            let listed = Listed(file.path().to_path_buf());
            // Another process may have taken the file for a leftover before the lock was there. A file system without
            // locks keeps its leftovers.
            let is_taken = matches!(file.as_file().try_lock(), Err(TryLockError::WouldBlock));
            if !is_taken && is_there(file.as_file())? {
                return Ok(PartialFile { file, target: target.to_path_buf(), listed });
            }
        }
    }

    /// Where the file is until it takes its target's place.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The file, to be written to.
    pub fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Takes the target's place.
    pub fn replace(self) -> io::Result<()> {
        let PartialFile { file, target, listed } = self;
        file.persist(target).map_err(|error| error.error)?;
        drop(listed);
        Ok(())
    }
}

/// A file in the making that something else opens and writes by its name, such as a database, which has locks of its
/// own. A [`PartialFile`] beside the draft has the lock that keeps it from being removed.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    holder: PartialFile,
}

impl Draft {
    /// An empty draft in the folder of its target.
    pub fn beside(target: &Path) -> io::Result<Draft> {
        let holder = PartialFile::beside(target)?;
        let draft = Draft { path: with_end(holder.path(), DRAFTS[3]), holder };
        File::create_new(&draft.path)?;
        Ok(draft)
    }

    /// The name of the draft.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appears under the target's name; [`io::ErrorKind::AlreadyExists`] where there is such a file by now.
    pub fn appear(self) -> io::Result<()> {
        let draft = tempfile::TempPath::try_from_path(&self.path)?;
        draft.persist_noclobber(&self.holder.target).map_err(|error| error.error)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        remove_drafts(self.holder.path());
    }
}

/// Removes what killed processes left beside a target; for commands that are refused before they write anything.
pub fn remove_leftovers(target: &Path) {
    clear_leftovers(folder_of(target), target.file_name());
}

/// Waits until the disk knows the names in a folder. Renaming a file changes its folder, which a power cut may undo.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    match cfg!(unix) {
        true => File::open(folder)?.sync_all(),
        false => Ok(()),
    }
}

/// Takes a path off the list when dropped.
#[derive(Debug)]
struct Listed(PathBuf);

impl Drop for Listed {
    fn drop(&mut self) {
        locked(&PARTIAL).retain(|path| *path != self.0);
    }
}

/// Removes what killed processes left of files in the making in a folder, once per folder and process. A process that
/// is alive keeps its own. Leftovers of older versions have no mark in their names: those of `target` go as well.
fn clear_leftovers(folder: &Path, target: Option<&OsStr>) {
    if !locked(&CLEARED).get_or_insert_default().insert(folder.to_path_buf()) {
        return;
    }
    // A folder that cannot be read can be written to all the same.
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && is_partial_name(&entry.file_name(), target) {
            remove_if_left(&entry.path());
        }
    }
}

/// Whether this is the name of a file in the making: of this version, or of an older one for `target`.
fn is_partial_name(name: &OsStr, target: Option<&OsStr>) -> bool {
    let stem = name.to_str().and_then(|name| name.strip_prefix('.')?.strip_suffix(END));
    let Some((of, random)) = stem.and_then(|stem| stem.rsplit_once('.')) else { return false };
    let is_random = |text: &str| text.len() == RANDOM && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    match random.strip_prefix(MARK) {
        Some(random) => is_random(random),
        None => is_random(random) && target.is_some_and(|target| target == of),
    }
}

/// Removes a file in the making that no process holds.
fn remove_if_left(path: &Path) {
    let opened = File::options().read(true).write(true).open(path).or_else(|_| File::open(path));
    // The lock is held until the file is gone: who has just made the file sees that and makes another one.
    if let Ok(file) = opened
        && file.try_lock().is_ok()
    {
        remove(path);
    }
}

/// Removes a file in the making and its drafts. It may have been renamed meanwhile; there is no one to tell of anything
/// else.
fn remove(path: &Path) {
    remove_drafts(path);
    let _ = std::fs::remove_file(path);
}

fn remove_drafts(path: &Path) {
    for end in DRAFTS {
        let _ = std::fs::remove_file(with_end(path, end));
    }
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(end);
    name.into()
}

/// Whether a file has a name.
fn is_there(file: &File) -> io::Result<bool> {
    #[cfg(unix)]
    return Ok(std::os::unix::fs::MetadataExt::nlink(&file.metadata()?) > 0);
    #[cfg(not(unix))]
    return file.metadata().map(|_| true);
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn beginning(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn leftovers_go_and_files_at_work_stay() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in [
            ".other.csv.gw-Ab12Cd.partial",
            ".other.csv.gw-Ab12Cd.partial-draft",
            ".other.csv.gw-Ab12Cd.partial-draft-wal",
            ".my.lab.gw-000000.partial",
            ".x.el.Ab12Cd.partial",
            // Nothing of ours.
            ".y.el.Ab12Cd.partial",
            ".x.el.gw-Ab12.partial",
            "x.el.gw-Ab12Cd.partial",
            ".x.el.gw-Ab12Cd.part",
            "x.el.1",
        ] {
            std::fs::write(at(name), name).unwrap();
        }
        let alive = at(".y.el.gw-alive1.partial");
        let held = File::create(&alive).unwrap();
        held.lock().unwrap();
        let stays = ["x.el.1", ".y.el.Ab12Cd.partial", ".x.el.gw-Ab12.partial", "x.el.gw-Ab12Cd.partial"];
        let mut stays = stays.map(String::from).to_vec();
        stays.extend([".x.el.gw-Ab12Cd.part".to_string(), ".y.el.gw-alive1.partial".to_string()]);
        let partial = PartialFile::beside(&at("x.el")).unwrap();
        stays.push(partial.path().file_name().unwrap().to_str().unwrap().to_string());
        stays.sort();
        assert_eq!(names(folder.path()), stays);
    }

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("x.el");
        let listed = || locked(&PARTIAL).iter().filter(|path| path.starts_with(folder.path())).count();
        let mut partial = PartialFile::beside(&target).unwrap();
        partial.file().write_all(b"new").unwrap();
        assert_eq!((names(folder.path()).len(), target.exists(), listed()), (1, false, 1));
        drop(partial);
        assert_eq!((names(folder.path()).len(), listed()), (0, 0));

        for expected in [None, Some(io::ErrorKind::AlreadyExists)] {
            let draft = Draft::beside(&target).unwrap();
            std::fs::write(draft.path(), b"new").unwrap();
            std::fs::write(with_end(draft.path(), "-wal"), b"log").unwrap();
            assert_eq!(draft.appear().err().map(|error| error.kind()), expected);
            assert_eq!((names(folder.path()), listed()), (vec!["x.el".to_string()], 0));
        }
        assert_eq!(std::fs::read(&target).unwrap(), b"new");
        let mut again = PartialFile::beside(&target).unwrap();
        again.file().write_all(b"newer").unwrap();
        again.replace().unwrap();
        assert_eq!((names(folder.path()), std::fs::read(&target).unwrap()), (vec!["x.el".into()], b"newer".to_vec()));
    }

    /// Two processes that write and clear in the same folder without end never lose a file that is being written.
    #[test]
    fn a_file_is_never_taken_for_a_leftover_while_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..2)
                .map(|writer| {
                    scope.spawn(move || {
                        for round in 0..200 {
                            let mut partial = PartialFile::beside(&path.join(format!("{writer}"))).unwrap();
                            partial.file().write_all(&[round]).unwrap();
                            partial.replace().unwrap();
                        }
                    })
                })
                .collect();
            while !writers.iter().all(|writer| writer.is_finished()) {
                locked(&CLEARED).get_or_insert_default().remove(path);
                clear_leftovers(path, None);
            }
            writers.into_iter().for_each(|writer| writer.join().unwrap());
        });
        assert_eq!(names(path), ["0", "1"]);
    }

    #[test]
    fn the_longest_names_can_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("\u{e4}".repeat(127));
        PartialFile::beside(&target).unwrap().replace().unwrap();
        assert!(target.is_file());
    }
}
