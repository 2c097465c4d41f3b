//! Control groups: the limits that containers and batch systems set, versions 1 and 2.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};

use super::{Limit, Room};

/// The names of a version's files.
struct Names {
    limit: &'static str,
    usage: &'static str,
    /// Lines of `memory.stat` that count pages of files, which the kernel drops before it refuses anything.
    files: [&'static str; 2],
}

const VERSION_1: Names = Names {
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    files: ["total_inactive_file", "total_active_file"],
};
const VERSION_2: Names =
    Names { limit: "memory.max", usage: "memory.current", files: ["inactive_file", "active_file"] };

/// Version 1 writes the greatest multiple of the page size for "no limit".
const NO_LIMIT: u64 = 1 << 60;

/// What the groups of this process leave, on every level up to the root of each mounted hierarchy.
pub(super) fn rooms(root: &Path) -> Vec<Room> {
    let read = |path: &str| read_to_string(root.join(path)).unwrap_or_default();
    let (mounts, groups) = (read("proc/self/mountinfo"), read("proc/self/cgroup"));
    let mut rooms = Vec::new();
    for mount in mounts.lines().filter_map(Mount::parse) {
        let Some(group) = groups.lines().find_map(|line| mount.group(line)) else { continue };
        // Without a common root, as in some containers, the mount point itself is the group.
        let below = Path::new(group).strip_prefix(mount.root).unwrap_or(Path::new(""));
        let top = root.join(mount.point.trim_start_matches('/'));
        for level in below.ancestors() {
            rooms.extend(room(&top.join(level), Path::new("/").join(level), &mount.names));
        }
    }
    rooms
}

/// A mounted hierarchy with control of memory.
struct Mount<'a> {
    root: &'a str,
    point: &'a str,
    names: Names,
    /// In version 1 the groups of each controller have a line of their own.
    version_1: bool,
}

impl<'a> Mount<'a> {
    /// A line of `/proc/self/mountinfo`.
    fn parse(line: &'a str) -> Option<Self> {
        let (place, system) = line.split_once(" - ")?;
        let mut place = place.split(' ').skip(3);
        let (root, point) = (place.next()?, place.next()?);
        let mut system = system.split(' ');
        let version_1 = match system.next()? {
            "cgroup2" => false,
            "cgroup" if system.nth(1)?.split(',').any(|option| option == "memory") => true,
            _ => return None,
        };
        Some(Mount { root, point, names: if version_1 { VERSION_1 } else { VERSION_2 }, version_1 })
    }

    /// The group in a line `id:controllers:group` of `/proc/self/cgroup`, when it is of this hierarchy.
    fn group<'g>(&self, line: &'g str) -> Option<&'g str> {
        let mut parts = line.splitn(3, ':').skip(1);
        let controllers = parts.next()?;
        let ours = match self.version_1 {
            true => controllers.split(',').any(|controller| controller == "memory"),
            false => controllers.is_empty(),
        };
        parts.next().filter(|_| ours)
    }
}

/// What one group leaves; `None` without a limit.
fn room(folder: &Path, name: PathBuf, names: &Names) -> Option<Room> {
    let number = |file: &str| read_to_string(folder.join(file)).ok()?.trim().parse::<u64>().ok();
    let limit = number(names.limit).filter(|&limit| limit < NO_LIMIT)?;
    let usage = number(names.usage)?;
    let stat = read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let files = stat.lines().filter_map(|line| {
        let (key, value) = line.split_once(' ')?;
        names.files.contains(&key).then(|| value.trim().parse::<u64>().ok()).flatten()
    });
    let held = usage.saturating_sub(files.sum());
    Some(Room {
        bytes: limit.saturating_sub(held),
        limit: Limit::Group { name: name.display().to_string(), bytes: limit },
    })
}
