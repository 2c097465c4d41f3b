//! The platform of timings, and everything about the computer that may change while the platform stays the same.

use gw_exec::{DeviceFacts, GraphVm};
use gw_meter::MachineFacts;
use rusqlite::{OptionalExtension, Transaction, params};

use super::Lab;
use crate::error::{LabError, Result};

/// The commit that this program was built from; its version where nobody noted one.
pub fn build_commit() -> String {
    option_env!("GW_COMMIT").map_or_else(|| format!("v{}", env!("CARGO_PKG_VERSION")), str::to_string)
}

/// With what a run was taken. Texts are empty and numbers 0 where there is nothing or nobody knows.
#[derive(Debug, Clone, PartialEq)]
pub struct Environment {
    /// The machine: `cpu`, `cuda`, `reference`.
    pub target: String,
    /// Threads of the host that it computes with.
    pub threads: usize,
    /// The computer.
    pub machine: MachineFacts,
    /// Its device.
    pub device: Option<DeviceFacts>,
    /// Version of Graphwright.
    pub version: String,
    /// Its commit.
    pub commit: String,
}

/// A platform of the lab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlatformRow {
    /// Its key.
    pub id: i64,
    /// Its name.
    pub name: String,
}

impl Environment {
    /// This program with a machine on this computer.
    pub fn of(machine: &dyn GraphVm, threads: usize) -> Environment {
        Environment {
            target: machine.name().to_string(),
            threads,
            machine: MachineFacts::read(),
            device: machine.device(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            commit: build_commit(),
        }
    }

    /// What the timings depend on, in words fit for a name: `nvidia-h200`, or the processor and its threads.
    pub fn hardware(&self) -> String {
        match &self.device {
            Some(device) => slug(&device.name),
            None => {
                let cpu = self.machine.cpu.as_deref().unwrap_or("unknown processor");
                let plural = if self.threads == 1 { "" } else { "s" };
                slug(&format!("{cpu} {} thread{plural}", self.threads))
            }
        }
    }

    /// The key of its row, which is added when there is none.
    pub(super) fn key(&self, change: &Transaction<'_>) -> Result<i64> {
        let device = self.device.as_ref();
        let text = |of: fn(&DeviceFacts) -> &String| device.map_or("", |device| of(device).as_str());
        let values = params![
            self.machine.cpu.as_deref().unwrap_or(""),
            self.machine.cores as i64,
            self.threads as i64,
            self.machine.memory_bytes.unwrap_or(0) as i64,
            self.machine.os,
            text(|d| &d.name),
            text(|d| &d.capability),
            device.map_or(0, |d| d.memory_bytes) as i64,
            text(|d| &d.driver),
            text(|d| &d.compiler),
            self.version,
            self.commit,
        ];
        change
            .prepare_cached(
                "INSERT OR IGNORE INTO Environment(cpu, cores, threads, memoryBytes, os, device, deviceCapability, \
             deviceMemoryBytes, driver, compiler, version, algorithmVersion) \
             VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?
            .execute(values)?;
        let found = change
            .prepare_cached(
                "SELECT id FROM Environment WHERE cpu = ?1 AND cores = ?2 AND threads = ?3 AND memoryBytes = ?4 AND \
                 os = ?5 AND device = ?6 AND deviceCapability = ?7 AND deviceMemoryBytes = ?8 AND driver = ?9 AND \
                 compiler = ?10 AND version = ?11 AND algorithmVersion = ?12",
            )?
            .query_row(values, |row| row.get(0))?;
        Ok(found)
    }
}

impl Lab {
    /// The platform of this environment, if the lab has it.
    pub fn platform(&self, environment: &Environment) -> Result<Option<PlatformRow>> {
        let mut find =
            self.connection.prepare_cached("SELECT id, name FROM Platform WHERE target = ?1 AND hardware = ?2")?;
        let row = find
            .query_row(params![environment.target, environment.hardware()], |row| {
                Ok(PlatformRow { id: row.get(0)?, name: row.get(1)? })
            })
            .optional()?;
        Ok(row)
    }

    /// The platform of this environment; it is added when the lab has none. `name` is what people call it, the words
    /// of the hardware without one.
    pub fn add_platform(&mut self, environment: &Environment, name: Option<&str>) -> Result<PlatformRow> {
        if let Some(known) = self.platform(environment)? {
            return match name {
                Some(name) if name != known.name => Err(LabError::Entry {
                    place: format!("platform {name}"),
                    message: format!("this machine is the platform `{}` already; leave the name out", known.name),
                }),
                _ => Ok(known),
            };
        }
        let hardware = environment.hardware();
        let usual = match environment.device {
            Some(_) => hardware.clone(),
            None => format!("{}-{hardware}", environment.target),
        };
        let name = name.unwrap_or(&usual);
        let pretty = environment.device.as_ref().map(|device| device.name.clone()).or(environment.machine.cpu.clone());
        let change = self.write()?;
        let taken: bool =
            change.query_row("SELECT EXISTS(SELECT 1 FROM Platform WHERE name = ?1)", [name], |row| row.get(0))?;
        if taken {
            return Err(LabError::Entry {
                place: format!("platform {name}"),
                message: "another machine has this name; give another one".to_string(),
            });
        }
        change.execute(
            "INSERT INTO Platform(name, prettyName, target, hardware, isDefault) \
             VALUES(?1, ?2, ?3, ?4, NOT EXISTS(SELECT 1 FROM Platform))",
            params![name, pretty, environment.target, hardware],
        )?;
        let id = change.last_insert_rowid();
        change.commit()?;
        Ok(PlatformRow { id, name: name.to_string() })
    }
}

/// Lower-case letters and digits with single hyphens.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.replace("(R)", " ").replace("(TM)", " ").chars() {
        match c {
            c if c.is_ascii_alphanumeric() => slug.push(c.to_ascii_lowercase()),
            _ if !slug.ends_with('-') => slug.push('-'),
            _ => {}
        }
    }
    slug.trim_matches('-').to_string()
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_of_hardware() {
        assert_eq!(
            super::slug("Intel(R) Xeon(R) Processor @ 2.90GHz 2 threads"),
            "intel-xeon-processor-2-90ghz-2-threads"
        );
        assert_eq!(super::slug("NVIDIA H200"), "nvidia-h200");
    }
}
