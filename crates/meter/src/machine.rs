//! Facts about the computer that belong to every measurement. What the system does not tell is left out.

use std::fs::read_to_string;

use serde::Serialize;

/// The computer a measurement was taken on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MachineFacts {
    /// The processor's name.
    pub cpu: Option<String>,
    /// Processors that this process may use.
    pub cores: usize,
    /// Caches seen from the first processor, nearest first.
    pub caches: Vec<Cache>,
    /// Main memory in bytes.
    pub memory_bytes: Option<u64>,
    /// Operating system and kernel.
    pub os: String,
}

/// A cache.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cache {
    /// 1 is nearest.
    pub level: u32,
    /// `data`, `instruction` or `unified`.
    pub kind: String,
    /// Size in bytes.
    pub bytes: u64,
    /// The processors that share it, such as `0-7`.
    pub shared: String,
}

impl MachineFacts {
    /// Asks the system.
    pub fn read() -> MachineFacts {
        let kernel = read_to_string("/proc/sys/kernel/osrelease").map(|text| text.trim().to_string());
        let release = read_to_string("/etc/os-release").ok().and_then(|text| {
            let line = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
            Some(line.trim_matches('"').to_string())
        });
        let system = release.unwrap_or_else(|| std::env::consts::OS.to_string());
        MachineFacts {
            cpu: read_to_string("/proc/cpuinfo").ok().and_then(|text| value(&text, "model name")),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            caches: caches(),
            memory_bytes: memory("MemTotal"),
            os: kernel.map_or(system.clone(), |kernel| format!("{system}, {} {kernel}", std::env::consts::OS)),
        }
    }

    /// The size of the greatest cache; 32 MiB when none is known.
    pub fn last_cache_bytes(&self) -> u64 {
        self.caches.iter().map(|cache| cache.bytes).max().unwrap_or(32 << 20)
    }
}

/// Bytes of a cache line; 64 where the system does not tell.
pub(crate) fn line_bytes() -> u32 {
    let text = read_to_string("/sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size");
    text.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(64)
}

/// Processors in a list of the system such as `0-3,8`.
pub(crate) fn processors(list: &str) -> u32 {
    let count = |range: &str| match range.split_once('-') {
        Some((first, last)) => Some(last.trim().parse::<u32>().ok()?.checked_sub(first.trim().parse().ok()?)? + 1),
        None => range.trim().parse::<u32>().ok().map(|_| 1),
    };
    list.split(',').filter_map(count).sum()
}

/// A line of `/proc/meminfo` in bytes.
fn memory(key: &str) -> Option<u64> {
    let text = read_to_string("/proc/meminfo").ok()?;
    let kib: u64 = value(&text, key)?.strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// The value in the first line `key : value`.
fn value(text: &str, key: &str) -> Option<String> {
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim().to_string())
}

fn caches() -> Vec<Cache> {
    let read = |index: u32, file: &str| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{file}");
        read_to_string(path).ok().map(|text| text.trim().to_string())
    };
    let cache = |index| {
        Some(Cache {
            level: read(index, "level")?.parse().ok()?,
            kind: read(index, "type")?.to_lowercase(),
            bytes: size(&read(index, "size")?)?,
            shared: read(index, "shared_cpu_list").unwrap_or_default(),
        })
    };
    (0..16).map_while(cache).collect()
}

/// `48K` or `2M` in bytes.
fn size(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_lines_are_read() {
        assert_eq!(size("48K"), Some(48 << 10));
        assert_eq!(size("2M"), Some(2 << 20));
        assert_eq!(size("512"), Some(512));
        assert_eq!(size("much"), None);
        assert_eq!(value("a: 1\nmodel name\t: Fast One\n", "model name"), Some("Fast One".to_string()));
    }

    #[test]
    fn lists_of_processors_are_counted() {
        assert_eq!([processors("0-3,8"), processors("5"), processors(""), processors("3-1")], [5, 1, 0, 0]);
    }

    #[test]
    fn this_machine_has_facts() {
        let facts = MachineFacts::read();
        assert!(facts.cores >= 1 && facts.last_cache_bytes() >= 1 << 10 && !facts.os.is_empty());
    }
}
