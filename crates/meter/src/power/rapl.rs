//! The energy of a processor's packages, by the counters that the Linux kernel shows under `/sys/class/powercap`.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::EnergyMeter;

/// Counters of all packages of the processor. Their sum is told.
pub struct Rapl {
    packages: Vec<Package>,
    /// Energy of every package so far, and the last reading, to see when a counter began again at zero.
    state: Mutex<Vec<(f64, u64)>>,
}

struct Package {
    counter: PathBuf,
    /// Microjoules at which the counter begins again at zero.
    range: u64,
}

impl Rapl {
    /// The counters of this computer, or why they cannot be read.
    pub fn of_system() -> Result<Rapl, String> {
        Rapl::in_folder(Path::new("/sys/class/powercap"))
    }

    /// The counters in a folder like `/sys/class/powercap`.
    pub fn in_folder(folder: &Path) -> Result<Rapl, String> {
        let hidden = "virtual machines and containers usually hide the counters of energy; run on the computer itself";
        let entries = folder.read_dir().map_err(|_| format!("{} is not there ({hidden})", folder.display()))?;
        let mut zones: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        zones.sort();
        let text = |path: PathBuf| std::fs::read_to_string(path).map(|text| text.trim().to_string());
        let named = |zone: PathBuf| Some((text(zone.join("name")).ok()?, zone));
        let mut named: Vec<(String, PathBuf)> = zones.into_iter().filter_map(named).collect();
        named.retain(|(name, _)| name.starts_with("package"));
        // `intel-rapl-mmio:0` is the package of `intel-rapl:0` by another way: its energy counts once.
        let by_mmio = |zone: &Path| zone.file_name().is_some_and(|name| name.to_string_lossy().contains("-mmio"));
        let direct: Vec<String> =
            named.iter().filter(|(_, zone)| !by_mmio(zone)).map(|(name, _)| name.clone()).collect();
        named.retain(|(name, zone)| !by_mmio(zone) || !direct.contains(name));
        let mut packages = Vec::new();
        for (_, zone) in &named {
            let range = text(zone.join("max_energy_range_uj")).ok().and_then(|range| range.parse().ok());
            packages.push(Package { counter: zone.join("energy_uj"), range: range.unwrap_or(u64::MAX) });
        }
        if packages.is_empty() {
            let mend = "load the kernel's module intel_rapl_msr; the module also serves AMD processors";
            return Err(format!("{} has no counter of a processor's package ({hidden}, or {mend})", folder.display()));
        }
        let mut state = Vec::new();
        for package in &packages {
            let reason = "the counter of energy cannot be read; most systems let only the superuser read it: run as root, \
                          or let everybody read it by `sudo chmod a+r /sys/class/powercap/*/energy_uj`";
            state.push((0.0, read(package).ok_or_else(|| format!("{}: {reason}", package.counter.display()))?));
        }
        Ok(Rapl { packages, state: Mutex::new(state) })
    }
}

fn read(package: &Package) -> Option<u64> {
    std::fs::read_to_string(&package.counter).ok()?.trim().parse().ok()
}

impl EnergyMeter for Rapl {
    fn name(&self) -> String {
        format!("RAPL, {} package{}", self.packages.len(), if self.packages.len() == 1 { "" } else { "s" })
    }

    fn joules(&self) -> Option<f64> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        for (package, (joules, last)) in self.packages.iter().zip(state.iter_mut()) {
            let now = read(package)?;
            let moved = if now >= *last { now - *last } else { package.range.saturating_sub(*last) + now };
            *joules += moved as f64 * 1e-6;
            *last = now;
        }
        Some(state.iter().map(|(joules, _)| joules).sum())
    }

    fn watts(&self) -> Option<f64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(folder: &Path, name: &str, kind: &str, energy: &str) {
        let zone = folder.join(name);
        std::fs::create_dir_all(&zone).unwrap();
        std::fs::write(zone.join("name"), kind).unwrap();
        std::fs::write(zone.join("energy_uj"), energy).unwrap();
        std::fs::write(zone.join("max_energy_range_uj"), "1000000\n").unwrap();
    }

    #[test]
    fn packages_are_added_and_counters_may_wrap() {
        let folder = tempfile::tempdir().unwrap();
        zone(folder.path(), "intel-rapl:0", "package-0\n", "900000\n");
        zone(folder.path(), "intel-rapl:0:0", "core\n", "5\n");
        zone(folder.path(), "intel-rapl:1", "package-1\n", "0\n");
        let meter = Rapl::in_folder(folder.path()).unwrap();
        assert_eq!(meter.name(), "RAPL, 2 packages");
        assert_eq!(meter.joules(), Some(0.0));
        zone(folder.path(), "intel-rapl:0", "package-0\n", "100000\n");
        zone(folder.path(), "intel-rapl:1", "package-1\n", "500000\n");
        let joules = meter.joules().unwrap();
        assert!((joules - 0.7).abs() < 1e-9, "{joules}");
        zone(folder.path(), "intel-rapl:1", "package-1\n", "nonsense");
        assert_eq!(meter.joules(), None);
    }

    #[test]
    fn a_package_with_two_zones_counts_once() {
        let folder = tempfile::tempdir().unwrap();
        zone(folder.path(), "intel-rapl-mmio:0", "package-0\n", "0\n");
        assert_eq!(Rapl::in_folder(folder.path()).unwrap().name(), "RAPL, 1 package");
        zone(folder.path(), "intel-rapl:0", "package-0\n", "0\n");
        let meter = Rapl::in_folder(folder.path()).unwrap();
        zone(folder.path(), "intel-rapl-mmio:0", "package-0\n", "500000\n");
        zone(folder.path(), "intel-rapl:0", "package-0\n", "500000\n");
        assert!((meter.joules().unwrap() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_missing_counter_is_explained() {
        let folder = tempfile::tempdir().unwrap();
        let error = |folder: &Path| Rapl::in_folder(folder).err().unwrap();
        assert!(error(&folder.path().join("none")).contains("is not there"));
        assert!(error(folder.path()).contains("has no counter"));
        zone(folder.path(), "intel-rapl:0", "package-0", "");
        assert!(error(folder.path()).contains("superuser"));
    }
}
