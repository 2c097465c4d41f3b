//! Memory-mapped files, and a sentence instead of a bare bus error when one of them is truncated while it is in use.
//!
//! The system raises `SIGBUS` in the thread that touches a page of a map behind the end of its file. That cannot be
//! prevented: any process may truncate the file. [`explain_bus_errors`] installs a handler that names the file and ends
//! the process with exit code 1. It finds the file in a table of all maps, which it may read without a lock.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use memmap2::Mmap;

/// A read-only map of a whole file.
#[derive(Debug)]
pub struct MappedFile {
    map: Mmap,
    path: PathBuf,
}

/// The maps that there are. One without a place here is used as well, but its bus errors stay unexplained.
static MAPS: [Place; 256] = [const { Place::empty() }; 256];

/// A place in the table of maps.
struct Place {
    /// Whose place this is; null for nobody's.
    file: AtomicPtr<MappedFile>,
    /// The addresses of its map; none while the place is taken or left.
    start: AtomicUsize,
    end: AtomicUsize,
}

impl Place {
    const fn empty() -> Place {
        Place { file: AtomicPtr::new(null_mut()), start: AtomicUsize::new(0), end: AtomicUsize::new(0) }
    }

    /// Takes the place; false when it is another's.
    fn take(&self, mapped: &MappedFile) -> bool {
        let own = std::ptr::from_ref(mapped).cast_mut();
        if self.file.compare_exchange(null_mut(), own, Ordering::AcqRel, Ordering::Relaxed).is_err() {
            return false;
        }
        // The last page is mapped whole, beyond the length of the file; no page is larger than this.
        const PAGE: usize = 1 << 16;
        let start = mapped.map.as_ptr() as usize;
        self.start.store(start, Ordering::Release);
        self.end.store(start + mapped.map.len().next_multiple_of(PAGE), Ordering::Release);
        true
    }

    /// Leaves the place if it is this file's.
    fn leave(&self, mapped: &MappedFile) {
        if std::ptr::eq(self.file.load(Ordering::Acquire), mapped) {
            self.end.store(0, Ordering::Release);
            self.file.store(null_mut(), Ordering::Release);
        }
    }
}

impl MappedFile {
    /// Maps a file; `path` stands in messages.
    pub fn open(file: &File, path: &Path) -> io::Result<Arc<MappedFile>> {
        // SAFETY: the map is only read. Another process that truncates the file meanwhile can still end this one with a
        // bus error, as with every memory-mapped file; the files written here are replaced whole, never changed in
        // place.
        let map = unsafe { Mmap::map(file) }?;
        let mapped = Arc::new(MappedFile { map, path: path.to_path_buf() });
        let _ = MAPS.iter().find(|place| place.take(&mapped));
        Ok(mapped)
    }

    /// Tells the system that the file is read from its start to its end.
    pub(crate) fn will_be_read_in_order(&self) {
        #[cfg(unix)]
        let _ = self.map.advise(memmap2::Advice::Sequential);
    }
}

impl Deref for MappedFile {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map
    }
}

impl Drop for MappedFile {
    fn drop(&mut self) {
        MAPS.iter().for_each(|place| place.leave(self));
    }
}

/// From now on a bus error in a mapped file ends the process with a message on standard error and exit code 1. Other
/// bus errors do what they did before. For the start of a program.
#[cfg(unix)]
pub fn explain_bus_errors() {
    use std::sync::OnceLock;
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        // SAFETY: `handler` calls nothing but functions that are safe in a signal handler; the structures are zeroed as
        // the C interface expects and live across the calls.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as extern "C" fn(_, _, _) as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&mut action.sa_mask);
            // A refusal leaves the system's own reaction, which is as before.
            let _ = libc::sigaction(libc::SIGBUS, &action, null_mut());
        }
    });
}

/// Nothing is known about bus errors here.
#[cfg(not(unix))]
pub fn explain_bus_errors() {}

#[cfg(unix)]
extern "C" fn handler(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    use std::os::unix::ffi::OsStrExt;
    // SAFETY: the system hands over a valid `siginfo_t`.
    let address = unsafe { (*info).si_addr() } as usize;
    let here =
        |place: &&Place| (place.start.load(Ordering::Acquire)..place.end.load(Ordering::Acquire)).contains(&address);
    let mapped = MAPS.iter().find(here).and_then(|place| {
        // SAFETY: the file's map holds the faulting address, so this thread is reading it, and it is not freed
        // meanwhile.
        unsafe { place.file.load(Ordering::Acquire).as_ref() }
    });
    if let Some(mapped) = mapped {
        let texts: [&[u8]; 3] = [
            b"gw: ",
            mapped.path.as_os_str().as_bytes(),
            b": the file was truncated or overwritten while it was in use; give new files another name, or replace old \
              ones by renaming\n",
        ];
        for text in texts {
            // SAFETY: `write` reads `text.len()` bytes of `text`.
            let _ = unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
        }
        // SAFETY: ends the process.
        unsafe { libc::_exit(1) };
    }
    // Not in a map of ours: the access is repeated and does what the system does by default.
    // SAFETY: `signal` and `SIG_DFL` are valid arguments.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}
