//! A machine by name, and which one `auto` is: the machine that is expected to be done first with a run.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use gw_graph::Graph;

use super::kinds::{CPU, Machine, MachineOptions, Machines, Start};
use super::opening::{Opened, Opening};
use super::worth::{is_worth_starting, worth};
use crate::error::Result;
use crate::schedule::AUTO;

/// The machine that takes time to start, and that `auto` weighs against the CPU.
const DEVICE: &str = "cuda";

/// The name of a machine, or `auto`, and the threads of the host that it may use.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    name: String,
    threads: usize,
}

/// A run that a machine is chosen for.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    /// The name of the program.
    pub program: &'a str,
    /// Its graph, where the graph is known before the run.
    pub graph: Option<&'a Graph>,
}

/// A machine that may be starting already, while the graph is read.
pub struct Begun {
    target: Target,
    opening: Option<Opening>,
}

impl Target {
    /// The machine of this name on all cores.
    pub fn named(name: &str) -> Target {
        Target { name: name.to_string(), threads: 0 }
    }

    /// The same on this many threads of the host; 0 for all cores.
    #[must_use]
    pub fn threads(self, threads: usize) -> Target {
        Target { threads, ..self }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the machine is chosen for the run.
    pub fn is_auto(&self) -> bool {
        self.name == AUTO
    }

    fn options(&self) -> MachineOptions {
        MachineOptions { threads: self.threads }
    }

    /// Begins to open a machine that takes time to start; `graph` is the text of the graph, where one is named. For
    /// `auto` that is done only where the graph is large.
    pub fn begin(&self, graph: Option<&str>) -> Begun {
        let name = match self.name.as_str() {
            AUTO if graph.is_some_and(is_worth_starting) => Some(DEVICE),
            AUTO => None,
            name => Some(name),
        };
        let opening = name.and_then(|name| Machines::begin(name, &self.options()));
        Begun { target: self.clone(), opening }
    }

    /// Opens the machine; `auto` is the machine that is expected to be done first with `work`, and without work the
    /// best one at hand.
    pub fn open(&self, work: Option<&Work<'_>>) -> Result<Machine> {
        self.begin(None).finish(work)
    }

    /// As [`Target::open`], but machines stay open for the life of the process, and all callers share them.
    pub fn shared(&self, work: Option<&Work<'_>>) -> Result<Machine> {
        static OPEN: Mutex<Option<HashMap<(String, usize), Machine>>> = Mutex::new(None);
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let open = open.get_or_insert_default();
        let key = |name: &str| (name.to_string(), self.threads);
        let has_device = open.contains_key(&key(DEVICE));
        // A device that is open needs no start any more.
        let worth = self.weigh(work, if has_device { f64::INFINITY } else { 0.0 }).filter(|_| self.is_auto());
        let name = match (&worth, self.is_auto()) {
            (_, false) => &*self.name,
            (Some(worth), true) if !worth.on_device => CPU,
            (_, true) if has_device => DEVICE,
            (_, true) => AUTO,
        };
        let machine = match open.get(&key(name)) {
            Some(machine) => machine.clone(),
            None => Machines::standard().open(name, &self.options())?,
        };
        open.insert(key(name), machine.clone());
        open.entry(key(machine.name())).or_insert_with(|| machine.clone());
        let worth = worth.filter(|worth| worth.on_device == (machine.name() != CPU));
        let start = Start { is_chosen: self.is_auto(), worth, ..machine.start().clone() };
        Ok(machine.started(start))
    }

    /// What a run costs on the device and on the CPU, where its graph is known; `started` seconds have passed since
    /// the device began to start.
    fn weigh(&self, work: Option<&Work<'_>>, started: f64) -> Option<super::Worth> {
        let work = work?;
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let cores = if self.threads == 0 { cores() } else { self.threads };
        Some(worth(work.program, work.graph?, cores, started))
    }
}

impl Begun {
    /// Whether another thread is at work on a driver.
    pub fn is_starting(&self) -> bool {
        self.opening.is_some()
    }

    /// The machine, for this work where `auto` is to be chosen.
    pub fn finish(self, work: Option<&Work<'_>>) -> Result<Machine> {
        let (options, threads) = (self.target.options(), self.target.threads);
        if !self.target.is_auto() {
            return match self.opening.map(Opening::finish) {
                Some(Opened { machine, seconds }) => {
                    Ok(machine?.started(Start { seconds, threads, ..Start::default() }))
                }
                None => Machines::standard().open(&self.target.name, &options),
            };
        }
        let started = self.opening.as_ref().map_or(0.0, Opening::elapsed);
        let worth = self.target.weigh(work, started);
        if worth.as_ref().is_some_and(|worth| !worth.on_device) {
            // A device that was started in vain is not waited for.
            let machine = Machines::standard().open(CPU, &options)?;
            return Ok(machine.started(Start { is_chosen: true, threads, worth, ..Start::default() }));
        }
        let chosen = Start { is_chosen: true, threads, ..Start::default() };
        let machine = match self.opening.map(Opening::finish) {
            Some(Opened { machine: Ok(machine), seconds }) => machine.started(Start { seconds, ..chosen }),
            Some(Opened { machine: Err(missing), seconds }) if !missing.is_absent => {
                Machine::cpu(threads).started(Start { seconds, failed: vec![missing], ..chosen })
            }
            Some(_) | None => Machines::standard().open(AUTO, &options)?,
        };
        let start = Start { worth: worth.filter(|_| machine.name() != CPU), ..machine.start().clone() };
        Ok(machine.started(start))
    }
}
