//! Memory for benchmarks, on huge pages where the system has them.

use memmap2::MmapMut;

use crate::error::{MeterError, Result};

/// Fresh memory full of zeros.
pub(crate) fn fresh(bytes: usize) -> Result<MmapMut> {
    let map = MmapMut::map_anon(bytes).map_err(MeterError::Memory)?;
    // A system without huge pages refuses, and then measures what it has.
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    Ok(map)
}

/// Whether the process has memory on huge pages now; asked while an array lives.
pub(crate) fn has_huge_pages() -> bool {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("AnonHugePages:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).is_some_and(|kib| kib > 0)
}
