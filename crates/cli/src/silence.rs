//! Silence of a process whose results, progress and notes another one tells as well: what it prints goes nowhere, until
//! it has something to say that no other process knows.

#[cfg(unix)]
mod streams {
    use std::fs::OpenOptions;
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
    use std::sync::Mutex;

    /// Standard error as it was.
    static KEPT: Mutex<Option<OwnedFd>> = Mutex::new(None);

    /// Lets standard output and standard error go nowhere.
    pub fn begin() {
        let Ok(nowhere) = OpenOptions::new().write(true).open("/dev/null") else { return };
        // SAFETY: duplicates descriptors and touches no memory.
        let kept = unsafe { libc::dup(libc::STDERR_FILENO) };
        if kept < 0 {
            return;
        }
        // SAFETY: the descriptor was just made and belongs to nobody else.
        let kept = unsafe { OwnedFd::from_raw_fd(kept) };
        *KEPT.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(kept);
        for stream in [libc::STDOUT_FILENO, libc::STDERR_FILENO] {
            // SAFETY: as above.
            unsafe { libc::dup2(nowhere.as_raw_fd(), stream) };
        }
    }

    /// Lets standard error go where it went before.
    pub fn end() {
        if let Some(kept) = KEPT.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take() {
            // SAFETY: as above.
            unsafe { libc::dup2(kept.as_raw_fd(), libc::STDERR_FILENO) };
        }
    }

    /// Forgets where standard error went.
    pub fn forever() {
        drop(KEPT.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take());
    }
}

/// Lets what this process prints go nowhere, but for what a panic says.
pub fn begin() {
    #[cfg(unix)]
    streams::begin();
    let told = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        end();
        told(panic);
    }));
}

/// Lets errors be seen again.
pub fn end() {
    #[cfg(unix)]
    streams::end();
}

/// Lets errors never be seen again.
pub fn forever() {
    #[cfg(unix)]
    streams::forever();
}
