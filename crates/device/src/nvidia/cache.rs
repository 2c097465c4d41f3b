//! Compiled kernels on disk: found again by the content they were made from.
//!
//! A file is named by its key and holds the cubin followed by a trailer of 32 bytes: a magic word, the length and a
//! checksum. As the trailer comes last, tools that read cubins (`cuobjdump`, `nvdisasm`) take the files as they are.

use std::io::Write;
use std::path::{Path, PathBuf};

use gw_graph::cache_folder;
use gw_graph::partial_file::PartialFile;

/// First bytes of the trailer; the digit is the version of the format.
const MAGIC: &[u8; 8] = b"GWcubin1";
const TRAILER: usize = 32;
const EXTENSION: &str = "cubin";

/// A hash of 128 bits: FNV-1a. It is a few lines, always gives the same value for the same bytes (the standard
/// library's hashers do not promise that), and 128 bits make accidental collisions out of the question. It is no
/// defence against an adversary, but who can write into the cache can put any code there anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hash(u128);

impl std::fmt::Display for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl Hash {
    /// The hash of nothing.
    pub fn new() -> Hash {
        Hash(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    /// The hash with a part more. Parts go in with their length: `ab`, `c` differs from `a`, `bc`.
    #[must_use]
    pub fn with(self, part: &[u8]) -> Hash {
        let length = (part.len() as u64).to_le_bytes();
        let step = |hash: u128, &byte: &u8| (hash ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        Hash(length.iter().chain(part).fold(self.0, step))
    }
}

/// A folder of compiled kernels. Nothing that goes wrong with it fails a run: a kernel that cannot be read is
/// compiled again, one that cannot be written is compiled again next time.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// The user's ([`cache_folder`]).
    pub fn of_user() -> Cache {
        Cache { folder: cache_folder() }
    }

    /// A cache in a folder, which is made when something is first written.
    pub fn at(folder: impl Into<PathBuf>) -> Cache {
        Cache { folder: Some(folder.into()) }
    }

    /// A cache that keeps nothing.
    pub fn none() -> Cache {
        Cache { folder: None }
    }

    /// The folder; `None` without a cache.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// How many kernels there are, and their bytes.
    pub fn size(&self) -> (u64, u64) {
        let entries = self.folder.iter().filter_map(|folder| folder.read_dir().ok()).flatten().flatten();
        let kernels = entries.filter(|entry| Path::new(&entry.file_name()).extension().is_some_and(|e| e == EXTENSION));
        let sizes = kernels.filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len());
        sizes.fold((0, 0), |(count, bytes), size| (count + 1, bytes + size))
    }

    /// Why nothing can be written, if so.
    pub fn obstacle(&self) -> Option<String> {
        // The folder is made when it is needed; until then its nearest parent must allow that.
        let there =
            std::path::absolute(self.folder.as_deref()?).ok()?.ancestors().find(|path| path.exists())?.to_owned();
        tempfile::tempfile_in(&there).err().map(|error| format!("{}: {error}", there.display()))
    }

    /// The kernel made from what `key` is the hash of. A file that is not whole is as good as none.
    pub(super) fn get(&self, key: Hash) -> Option<Vec<u8>> {
        let mut bytes = std::fs::read(self.path(key)?).ok()?;
        let length = bytes.len().checked_sub(TRAILER)?;
        (bytes[length..] == trailer(&bytes[..length])).then(|| {
            bytes.truncate(length);
            bytes
        })
    }

    /// Whether there is a file for this key, whole or not.
    pub(super) fn has(&self, key: Hash) -> bool {
        self.path(key).is_some_and(|path| path.exists())
    }

    /// Keeps a kernel.
    pub(super) fn put(&self, key: Hash, cubin: &[u8]) {
        if let Some(path) = self.path(key) {
            self.write(&path, &[cubin, &trailer(cubin)].concat());
        }
    }

    /// Writes a file in the folder. It appears whole or not at all, so processes may write the same one at once.
    pub(super) fn write(&self, path: &Path, contents: &[u8]) {
        let Some(folder) = path.parent() else { return };
        let write = || -> std::io::Result<()> {
            std::fs::create_dir_all(folder)?;
            // Without waiting for the disk: what a crash of the system leaves of a file is told by its checksum.
            let mut partial = PartialFile::beside(path)?;
            partial.file().write_all(contents)?;
            partial.replace()
        };
        // Failing is allowed: see the type.
        let _ = write();
    }

    fn path(&self, key: Hash) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{key}.{EXTENSION}")))
    }
}

fn trailer(cubin: &[u8]) -> [u8; TRAILER] {
    let mut trailer = [0; TRAILER];
    trailer[..8].copy_from_slice(MAGIC);
    trailer[8..16].copy_from_slice(&(cubin.len() as u64).to_le_bytes());
    trailer[16..].copy_from_slice(&Hash::new().with(cubin).0.to_le_bytes());
    trailer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Hash {
        Hash::new().with(text.as_bytes())
    }

    #[test]
    fn the_hash_is_fnv_1a_of_128_bits() {
        // Published test values of the hash without lengths: the length of an empty part is eight zero bytes.
        let of = |bytes: &[u8]| {
            let step = |hash: u128, &byte: &u8| (hash ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
            bytes.iter().fold(Hash::new().0, step)
        };
        assert_eq!(of(b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
        assert_eq!(Hash::new().with(b"").0, of(&[0; 8]));
        assert_eq!(Hash::new().with(b"a").0, of(&[1, 0, 0, 0, 0, 0, 0, 0, b'a']));
        assert_ne!(Hash::new().with(b"ab").with(b"c"), Hash::new().with(b"a").with(b"bc"));
    }

    #[test]
    fn what_was_put_is_got() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("new/folder"));
        assert_eq!((cache.get(key("a")), cache.size(), cache.obstacle()), (None, (0, 0), None));
        cache.put(key("a"), b"kernel a");
        cache.put(key("b"), b"");
        assert_eq!(cache.get(key("a")).as_deref(), Some(&b"kernel a"[..]));
        assert_eq!(cache.get(key("b")).as_deref(), Some(&b""[..]));
        assert_eq!(cache.get(key("c")), None);
        assert_eq!(cache.size(), (2, 8 + 2 * TRAILER as u64));
    }

    #[test]
    fn damaged_files_are_as_good_as_none() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        cache.put(key("a"), b"a kernel of some bytes");
        let path = cache.path(key("a")).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let mut damages: Vec<Vec<u8>> = (0..whole.len()).map(|n| whole[..n].to_vec()).collect();
        damages.extend((0..whole.len()).map(|n| {
            let mut damaged = whole.clone();
            damaged[n] ^= 0x10;
            damaged
        }));
        damages.push([&whole[..], b"more"].concat());
        for damaged in damages {
            std::fs::write(&path, &damaged).unwrap();
            assert_eq!(cache.get(key("a")), None, "{damaged:?}");
        }
        // Written again, it is whole again.
        cache.put(key("a"), b"a kernel of some bytes");
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }

    #[test]
    fn writers_at_once_do_not_disturb_readers() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let kernel = vec![7; 100_000];
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..20).for_each(|_| cache.put(key("a"), &kernel)));
            }
            scope.spawn(|| {
                for _ in 0..200 {
                    // Either not there yet, or whole.
                    assert!(cache.get(key("a")).is_none_or(|got| got == kernel));
                }
            });
        });
        assert_eq!(cache.get(key("a")), Some(kernel));
        let names: Vec<_> = folder.path().read_dir().unwrap().flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(names.len(), 1, "no partial files stay behind: {names:?}");
    }

    #[test]
    fn a_cache_that_cannot_be_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        // A folder cannot be made inside a file, not even by root.
        let cache = Cache::at(folder.path().join("file/cache"));
        cache.put(key("a"), b"kernel");
        assert_eq!((cache.get(key("a")), cache.size()), (None, (0, 0)));
        assert!(cache.obstacle().is_some());
        let none = Cache::none();
        none.put(key("a"), b"kernel");
        assert_eq!((none.get(key("a")), none.obstacle()), (None, None));
    }
}
