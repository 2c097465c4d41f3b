//! What the machine has, and the limits of the process itself.

use std::path::Path;

use super::{Limit, Room};

/// Limits of the process in bytes; `None` for those that are not set.
pub(super) struct Limits {
    /// `RLIMIT_AS`.
    pub(super) address_space: Option<u64>,
    /// `RLIMIT_DATA`.
    pub(super) data: Option<u64>,
}

/// The limits of this process.
#[cfg(target_os = "linux")]
pub(super) fn limits() -> Limits {
    // A macro, since the type of the resource differs between C libraries.
    macro_rules! limit {
        ($resource:expr) => {{
            let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
            // SAFETY: the call writes one `rlimit`, to a valid one.
            let known = unsafe { libc::getrlimit($resource, &mut limit) } == 0;
            (known && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
        }};
    }
    Limits { address_space: limit!(libc::RLIMIT_AS), data: limit!(libc::RLIMIT_DATA) }
}

/// Nothing is known elsewhere: what is in use is told by Linux only.
#[cfg(not(target_os = "linux"))]
pub(super) fn limits() -> Limits {
    Limits { address_space: None, data: None }
}

/// What the limits of the process leave.
pub(super) fn rooms(root: &Path, limits: &Limits) -> Vec<Room> {
    if limits.address_space.is_none() && limits.data.is_none() {
        return Vec::new();
    }
    let Ok(statm) = std::fs::read_to_string(root.join("proc/self/statm")) else { return Vec::new() };
    let held = |column| Some(statm.split_whitespace().nth(column)?.parse::<u64>().ok()? * page_bytes());
    let room = |limit: Option<u64>, column, name: fn(u64) -> Limit| {
        let limit = limit?;
        Some(Room { bytes: limit.saturating_sub(held(column)?), limit: name(limit) })
    };
    let address_space = room(limits.address_space, 0, |bytes| Limit::AddressSpace { bytes });
    let data = room(limits.data, 5, |bytes| Limit::Data { bytes });
    address_space.into_iter().chain(data).collect()
}

pub(super) fn page_bytes() -> u64 {
    #[cfg(unix)]
    // SAFETY: `sysconf` reads nothing of ours.
    let bytes = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    #[cfg(not(unix))]
    let bytes = 4096;
    bytes
}

/// Memory that the machine could give.
pub(super) fn machine(root: &Path) -> Option<Room> {
    let text = std::fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let value = |key: &str| -> Option<u64> {
        let kib = text.lines().find_map(|line| line.strip_prefix(key)?.trim().strip_suffix("kB")?.trim().parse().ok());
        kib.map(|kib: u64| kib.saturating_mul(1024))
    };
    let available = value("MemAvailable:")? + value("SwapFree:").unwrap_or(0);
    let mode = std::fs::read_to_string(root.join("proc/sys/vm/overcommit_memory")).unwrap_or_default();
    if mode.trim() == "2"
        && let (Some(limit), Some(promised)) = (value("CommitLimit:"), value("Committed_AS:"))
        && limit.saturating_sub(promised) < available
    {
        return Some(Room { bytes: limit.saturating_sub(promised), limit: Limit::Commit });
    }
    Some(Room { bytes: available, limit: Limit::Machine })
}
