//! How much memory this process may still use, and the refusal of work that needs more.
//!
//! Memory is limited by the machine (what is available, swap included), by the control groups of the process (version 1
//! and 2, every level up to the root) and by limits of the process itself (`ulimit -v`, `ulimit -d`). The least of them
//! counts. An allocation beyond it would end in an abort or in the kernel's out-of-memory killer, so large allocations
//! ask [`allow`] first and end with a sentence instead.

mod groups;
mod process;

use std::fmt;
use std::path::Path;

use thiserror::Error;

/// Smaller requests are granted without looking: looking reads about ten small files of the kernel.
const UNNOTICED: u64 = 4 << 20;
/// What is kept back for everything that is too small to ask: stacks, messages, generated code.
const RESERVE: u64 = 32 << 20;

/// Memory that may still be used, and what limits it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    /// Bytes that may still be allocated.
    pub bytes: u64,
    /// The limit met first.
    pub limit: Limit,
}

/// What limits the memory of this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Limit {
    /// The memory and swap of the machine that nobody uses.
    Machine,
    /// The machine promises no more memory than it has (`vm.overcommit_memory` is 2).
    Commit,
    /// A control group of this process.
    Group {
        /// Its path below the mount point.
        name: String,
        /// The limit in bytes.
        bytes: u64,
    },
    /// The size of the address space, `ulimit -v`.
    AddressSpace {
        /// The limit in bytes.
        bytes: u64,
    },
    /// The size of the data segment, `ulimit -d`.
    Data {
        /// The limit in bytes.
        bytes: u64,
    },
}

/// The refusal of work that needs more memory than may be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{what} needs {} of memory, but only {} may still be used: {limit}",
    human_bytes((*needed).into()),
    human_bytes((*room).into())
)]
pub struct OutOfMemory {
    /// What the memory is for, a noun in the singular.
    pub what: String,
    /// Bytes needed.
    pub needed: u64,
    /// Bytes that may still be used.
    pub room: u64,
    /// The limit in the way.
    pub limit: Limit,
}

impl fmt::Display for Limit {
    /// The limit and the mend.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Machine => {
                f.write_str("this machine has no more available; use a smaller graph or a machine with more memory")
            }
            Limit::Commit => f.write_str(
                "this machine promises no more memory than it has (`vm.overcommit_memory` is 2); use a smaller graph, or \
                 change this setting",
            ),
            Limit::Group { name, bytes } => write!(
                f,
                "the control group `{name}` is limited to {}; use a smaller graph, or raise the limit of the container \
                 or of the job",
                human_bytes((*bytes).into())
            ),
            Limit::AddressSpace { bytes } => write!(
                f,
                "the address space of this process is limited to {}; use a smaller graph, or raise the limit with \
                 `ulimit -v`",
                human_bytes((*bytes).into())
            ),
            Limit::Data { bytes } => write!(
                f,
                "the data of this process are limited to {}; use a smaller graph, or raise the limit with `ulimit -d`",
                human_bytes((*bytes).into())
            ),
        }
    }
}

/// Memory that this process may still use; `None` where the system does not tell.
pub fn room() -> Option<Room> {
    room_below(Path::new("/"), &process::limits())
}

/// True when `ulimit -v` limits the addresses of this process.
pub fn is_address_space_limited() -> bool {
    process::limits().address_space.is_some()
}

/// The room that the files below `root` and the limits of the process leave.
fn room_below(root: &Path, limits: &process::Limits) -> Option<Room> {
    let machine = process::machine(root);
    let rooms = machine.into_iter().chain(groups::rooms(root)).chain(process::rooms(root, limits));
    rooms.min_by_key(|room| room.bytes)
}

/// Grants `bytes` more for `what` (a noun in the singular), or says why that cannot be. Nothing is set aside: ask right
/// before the allocation, for all that it needs at its peak.
///
/// ```
/// assert!(gw_graph::memory::allow(1 << 20, "the list of distances").is_ok());
/// let refused = gw_graph::memory::allow(1 << 60, "the list of distances").unwrap_err();
/// assert!(refused.to_string().starts_with("the list of distances needs 1.0 EiB of memory, but only "));
/// ```
pub fn allow(bytes: u64, what: impl fmt::Display) -> Result<(), OutOfMemory> {
    match bytes < UNNOTICED {
        true => Ok(()),
        false => check(room(), bytes, what),
    }
}

/// As [`allow`], however small the request: for memory that grows step by step.
pub(crate) fn allow_more(bytes: u64, what: impl fmt::Display) -> Result<(), OutOfMemory> {
    check(room(), bytes, what)
}

fn check(room: Option<Room>, needed: u64, what: impl fmt::Display) -> Result<(), OutOfMemory> {
    let Some(Room { bytes, limit }) = room else { return Ok(()) };
    let room = bytes.saturating_sub(RESERVE);
    if needed <= room {
        return Ok(());
    }
    Err(OutOfMemory { what: what.to_string(), needed, room, limit })
}

/// A size for people: `1.5 GiB`.
pub fn human_bytes(bytes: u128) -> String {
    const UNITS: [&str; 9] = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} bytes") } else { format!("{value:.1} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use process::Limits;

    /// A file system with these files.
    fn files(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        root
    }

    const NONE: Limits = Limits { address_space: None, data: None };
    const MEMINFO: (&str, &str) =
        ("proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    8000 kB\nSwapFree:   1000 kB\n");

    #[test]
    fn bytes_for_people() {
        assert_eq!(human_bytes(12), "12 bytes");
        assert_eq!(human_bytes(1536), "1.5 KiB");
        assert_eq!(human_bytes(3 << 40), "3.0 TiB");
    }

    #[test]
    fn without_limits_the_machine_decides() {
        let root = files(&[MEMINFO]);
        let room = room_below(root.path(), &NONE).unwrap();
        assert_eq!(room, Room { bytes: 9000 << 10, limit: Limit::Machine });
        assert_eq!(room_below(files(&[]).path(), &NONE), None);
    }

    #[test]
    fn limits_of_the_process_count_what_it_holds() {
        // 1000 pages of address space, 300 of them data.
        let root = files(&[MEMINFO, ("proc/self/statm", "1000 50 20 10 0 300 0\n")]);
        let page = process::page_bytes();
        let limits = Limits { address_space: Some(1500 * page), data: None };
        let room = room_below(root.path(), &limits).unwrap();
        assert_eq!(room, Room { bytes: 500 * page, limit: Limit::AddressSpace { bytes: 1500 * page } });
        let limits = Limits { address_space: Some(1500 * page), data: Some(400 * page) };
        let room = room_below(root.path(), &limits).unwrap();
        assert_eq!(room, Room { bytes: 100 * page, limit: Limit::Data { bytes: 400 * page } });
        let limits = Limits { address_space: Some(10), data: None };
        assert_eq!(room_below(root.path(), &limits).unwrap().bytes, 0);
    }

    #[test]
    fn memory_that_is_not_overcommitted_counts() {
        let meminfo = "MemAvailable: 8000 kB\nCommitLimit: 5000 kB\nCommitted_AS: 4000 kB\n";
        for (mode, bytes) in [("0\n", 8000 << 10), ("1\n", 8000 << 10), ("2\n", 1000 << 10)] {
            let root = files(&[("proc/meminfo", meminfo), ("proc/sys/vm/overcommit_memory", mode)]);
            assert_eq!(room_below(root.path(), &NONE).unwrap().bytes, bytes);
        }
    }

    #[test]
    fn every_level_of_the_control_group_counts() {
        let mounts = "31 23 0:28 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
        let group = "sys/fs/cgroup/user.slice/job";
        let root = files(&[
            MEMINFO,
            ("proc/self/mountinfo", mounts),
            ("proc/self/cgroup", "0::/user.slice/job\n"),
            (&format!("{group}/memory.max"), "max\n"),
            (&format!("{group}/memory.current"), "100\n"),
            ("sys/fs/cgroup/user.slice/memory.max", "5000000\n"),
            ("sys/fs/cgroup/user.slice/memory.current", "2000000\n"),
            ("sys/fs/cgroup/user.slice/memory.stat", "anon 1500000\ninactive_file 300000\nactive_file 200000\n"),
        ]);
        let room = room_below(root.path(), &NONE).unwrap();
        assert_eq!(
            room,
            Room { bytes: 3_500_000, limit: Limit::Group { name: "/user.slice".into(), bytes: 5_000_000 } }
        );
    }

    #[test]
    fn a_container_sees_its_limit_at_the_mount_point() {
        // The group's path is that of the host; only the group itself is mounted.
        let mounts = "32 31 0:29 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";
        let root = files(&[
            MEMINFO,
            ("proc/self/mountinfo", mounts),
            ("proc/self/cgroup", "5:cpu:/docker/abc\n4:memory:/docker/abc\n0::/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "4000000\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "3000000\n"),
            ("sys/fs/cgroup/memory/memory.stat", "cache 5\ntotal_inactive_file 500000\n"),
        ]);
        let room = room_below(root.path(), &NONE).unwrap();
        assert_eq!(room, Room { bytes: 1_500_000, limit: Limit::Group { name: "/".into(), bytes: 4_000_000 } });
    }

    #[test]
    fn an_unlimited_group_of_version_1_is_no_limit() {
        let mounts = "32 31 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";
        let root = files(&[
            MEMINFO,
            ("proc/self/mountinfo", mounts),
            ("proc/self/cgroup", "4:memory:/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "3000000\n"),
        ]);
        assert_eq!(room_below(root.path(), &NONE).unwrap().limit, Limit::Machine);
    }

    #[test]
    fn refusals_are_sentences() {
        let refuse = |limit| {
            let room = Room { bytes: RESERVE + (1 << 30), limit };
            check(Some(room), 3 << 30, "the graph `kron:24`").unwrap_err().to_string()
        };
        assert_eq!(
            refuse(Limit::AddressSpace { bytes: 2 << 30 }),
            "the graph `kron:24` needs 3.0 GiB of memory, but only 1.0 GiB may still be used: the address space of this \
             process is limited to 2.0 GiB; use a smaller graph, or raise the limit with `ulimit -v`"
        );
        assert!(refuse(Limit::Machine).ends_with("use a smaller graph or a machine with more memory"));
        let group = refuse(Limit::Group { name: "/job".into(), bytes: 2 << 30 });
        assert!(group.contains("the control group `/job` is limited to 2.0 GiB; "), "{group}");
        assert_eq!(check(None, u64::MAX, "anything"), Ok(()));
    }
}
