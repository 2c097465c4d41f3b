//! Writing so that nothing half-written stays behind: beside the target, synced, then renamed.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::partial_file::PartialFile;
use crate::{GraphError, Result};

/// Writes a whole file, beside its target first: it appears complete or not at all. Returns its size.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<u64> {
    let mut output = Output::create(path)?;
    output.write(bytes)?;
    output.commit()
}

/// A file in the making. Dropped before [`Output::commit`], it leaves nothing behind.
pub(crate) struct Output {
    target: PathBuf,
    sink: Sink,
    written: u64,
}

enum Sink {
    /// A file beside the target.
    Beside(PartialFile),
    /// A device or pipe, which cannot be replaced.
    Direct(File),
}

impl Output {
    pub(crate) fn create(path: &Path) -> Result<Output> {
        let failed = |e| GraphError::io("write", path, e);
        let old = std::fs::metadata(path);
        match &old {
            Ok(m) if m.is_dir() => return Err(GraphError::file(path, "is a directory: name the file to write")),
            // By the name given: the link `/dev/fd/3` to a pipe can be opened, but leads to no path.
            Ok(m) if !m.is_file() => {
                let file = File::options().write(true).open(path).map_err(failed)?;
                return Ok(Output { target: path.to_path_buf(), sink: Sink::Direct(file), written: 0 });
            }
            _ => {}
        }
        // A link is followed, so that its target is replaced and not the link.
        let target = if path.is_symlink() { path.canonicalize().map_err(failed)? } else { path.to_path_buf() };
        let mut file = PartialFile::beside(&target).map_err(failed)?;
        // Whoever may read or write the old file may do so with the new one.
        #[cfg(unix)]
        if let Ok(old) = old {
            file.file().set_permissions(old.permissions()).map_err(failed)?;
        }
        Ok(Output { target, sink: Sink::Beside(file), written: 0 })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let result = match &mut self.sink {
            Sink::Beside(file) => file.file().write_all(bytes),
            Sink::Direct(file) => file.write_all(bytes),
        };
        self.written += bytes.len() as u64;
        result.map_err(|e| GraphError::io("write", &self.target, e))
    }

    /// Makes the file appear under its name. Returns its size.
    pub(crate) fn commit(self) -> Result<u64> {
        let target = self.target;
        let failed = |e| GraphError::io("write", &target, e);
        match self.sink {
            Sink::Direct(mut file) => file.flush().map_err(failed)?,
            Sink::Beside(mut file) => {
                file.file().sync_all().map_err(failed)?;
                file.replace().map_err(failed)?;
            }
        }
        Ok(self.written)
    }

    /// Gives up: removes what was written.
    pub(crate) fn abandon(self) {
        drop(self);
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let result = match &mut self.sink {
            Sink::Beside(file) => file.file().write_all(bytes),
            Sink::Direct(file) => file.write_all(bytes),
        };
        self.written += bytes.len() as u64;
        result.map(|()| bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_of_a_file_that_was_not_finished() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("x.el");
        std::fs::write(&target, "old").unwrap();
        let files = || std::fs::read_dir(dir.path()).unwrap().count();

        let mut output = Output::create(&target).unwrap();
        output.write(b"new").unwrap();
        assert_eq!(files(), 2);
        drop(output);
        assert_eq!(files(), 1);

        let mut output = Output::create(&target).unwrap();
        output.write(b"new").unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"old");
        output.commit().unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"new");
        assert_eq!(files(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_replaced_keeps_its_mode() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.el");
        let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        std::fs::write(&path, "old").unwrap();
        for kept in [0o600, 0o664, 0o755, 0o444] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(kept)).unwrap();
            write_file(&path, b"new").unwrap();
            assert_eq!((mode(), std::fs::read(&path).unwrap()), (kept, b"new".to_vec()));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_keeps_pointing_and_a_device_is_written_to() {
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (dir.path().join("real.el"), dir.path().join("link.el"));
        std::fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let mut output = Output::create(&link).unwrap();
        output.write(b"new").unwrap();
        output.commit().unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(&real).unwrap(), b"new");

        let mut output = Output::create(Path::new("/dev/null")).unwrap();
        output.write(b"x").unwrap();
        assert_eq!(output.commit().unwrap(), 1);
    }
}
