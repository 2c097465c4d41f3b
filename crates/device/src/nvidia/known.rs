//! What is known about the compiler without loading it.
//!
//! A library of a hundred megabytes takes time to load, and where all kernels come from the cache nothing of it is
//! needed but its version, which is part of every key, and the architectures it knows. So both are noted beside the
//! kernels, together with the file they were found in. The note is good while that file, and everything by which a
//! compiler is looked for, is as it was.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::cache::{Cache, Hash};
use super::driver::Version;
use super::nvrtc::Nvrtc;
use crate::DeviceError;

/// First line of a note; the digit is the version of the format.
const HEAD: &str = "graphwright nvrtc 1";
/// What decides which compiler is found, besides the file itself.
const VARIABLES: &[&str] = &["GW_NVRTC", "CUDA_PATH", "CUDA_HOME", "LD_LIBRARY_PATH"];
/// Files and folders that change when a compiler is installed where the loader or the search looks.
const PLACES: &[&str] = &["/etc/ld.so.cache", "/usr/local"];

/// A compiler that may not be loaded yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Known {
    /// Its version.
    pub version: Version,
    /// The architectures it knows: 90 for `sm_90`.
    pub architectures: Vec<u32>,
    /// The library's file.
    path: PathBuf,
}

impl Known {
    /// The compiler that a driver of this version gets: from a note in the cache, else loaded now and noted.
    pub fn get(cache: &Cache, driver: Version) -> Result<Known, DeviceError> {
        let note = note_file(cache, driver);
        if let Some(known) = note.as_deref().and_then(Known::read) {
            return Ok(known);
        }
        let known = Known::of(Nvrtc::get()?);
        known.note(cache, driver);
        Ok(known)
    }

    /// What a loaded compiler says of itself.
    pub fn of(nvrtc: &Nvrtc) -> Known {
        Known { version: nvrtc.version, architectures: nvrtc.architectures.clone(), path: nvrtc.path.clone() }
    }

    /// Notes the compiler for later processes. Failing is allowed: the next process loads the compiler, too.
    pub fn note(&self, cache: &Cache, driver: Version) {
        if let (Some(note), Some(stamp)) = (note_file(cache, driver), stamp(&self.path)) {
            let known: Vec<String> = self.architectures.iter().map(u32::to_string).collect();
            let (major, minor) = self.version;
            let path = self.path.display();
            cache.write(&note, format!("{HEAD}\n{path}\n{stamp}\n{major} {minor}\n{}\n", known.join(" ")).as_bytes());
        }
    }

    /// The compiler of a note, if its file is as it was.
    fn read(note: &Path) -> Option<Known> {
        let text = std::fs::read_to_string(note).ok()?;
        let [HEAD, path, noted, version, architectures] = text.lines().collect::<Vec<_>>()[..] else { return None };
        let path = PathBuf::from(path);
        let numbers = |text: &str| text.split(' ').map(|n| n.parse().ok()).collect::<Option<Vec<u32>>>();
        let [major, minor] = numbers(version)?[..] else { return None };
        (stamp(&path)? == noted).then_some(Known {
            version: (major, minor),
            architectures: numbers(architectures)?,
            path,
        })
    }
}

/// The file of the note for the search as it would go now.
fn note_file(cache: &Cache, driver: Version) -> Option<PathBuf> {
    let mut hash = Hash::new().with(format!("{driver:?}").as_bytes());
    for name in VARIABLES {
        let value = std::env::var_os(name);
        hash = hash.with(value.as_deref().map(OsStr::as_encoded_bytes).unwrap_or_default());
    }
    for place in PLACES {
        hash = hash.with(stamp(Path::new(place)).unwrap_or_default().as_bytes());
    }
    Some(cache.folder()?.join(format!("{hash}.nvrtc")))
}

/// Size and time of the last change of a file; `None` when it is not there.
fn stamp(path: &Path) -> Option<String> {
    let data = std::fs::metadata(path).ok()?;
    let changed = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{} {}", data.len(), changed.as_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_good_while_its_file_is_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("cache"));
        let path = folder.path().join("libnvrtc.so");
        std::fs::write(&path, "one").unwrap();
        let known = Known { version: (13, 1), architectures: vec![75, 90], path: path.clone() };
        known.note(&cache, (13, 0));
        let note = note_file(&cache, (13, 0)).unwrap();
        assert_eq!(Known::read(&note), Some(known.clone()));
        // Another driver looks for another compiler.
        assert_eq!(Known::read(&note_file(&cache, (12, 0)).unwrap()), None);
        // The note is no kernel.
        assert_eq!(cache.size().0, 0);
        std::fs::write(&path, "another").unwrap();
        assert_eq!(Known::read(&note), None);
        known.note(&cache, (13, 0));
        assert_eq!(Known::read(&note), Some(known));
        for damaged in ["", HEAD, "graphwright nvrtc 1\n/none\n1 1\n13 1\n90\n"] {
            std::fs::write(&note, damaged).unwrap();
            assert_eq!(Known::read(&note), None);
        }
    }
}
