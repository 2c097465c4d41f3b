//! What a run on the simulated machine tells: cycles by what the cores did, aborts, queues, memory and traffic.

use std::fmt::Write;

use serde::Serialize;

use crate::sim::config::Config;
use crate::sim::stats::Stats;

/// A report of the last run.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Report {
    /// The machine.
    pub config: Config,
    /// What was counted.
    pub stats: Stats,
    /// Operator calls and loops that ran as tasks.
    pub simulated: u64,
    /// Operators that ran on the host because they cannot become tasks, with the reason; their cycles are not counted.
    pub host: Vec<String>,
}

impl Report {
    pub(crate) fn on_host(&mut self, words: String) {
        if !self.host.contains(&words) {
            self.host.push(words);
        }
    }

    /// The parts of the cycles of all cores with their names.
    pub fn parts(&self) -> [(&'static str, u64); 6] {
        let cores = self.stats.cores;
        [
            ("committed", cores.committed),
            ("aborted", cores.aborted),
            ("spill", cores.spill),
            ("stall commit", cores.stalled_commit),
            ("stall send", cores.stalled_send),
            ("empty", cores.empty),
        ]
    }

    /// The report in lines.
    pub fn in_words(&self) -> String {
        let stats = &self.stats;
        let mut text = String::new();
        let total = stats.cores.total().max(1) as f64;
        let milliseconds = stats.cycles as f64 / (self.config.frequency_ghz * 1e6);
        let _ = writeln!(
            text,
            "swarm: {} cycles on {} cores ({milliseconds:.3} ms at {} GHz), {} operations in {} committed tasks",
            grouped(stats.cycles),
            self.config.cores,
            self.config.frequency_ghz,
            grouped(stats.instructions),
            grouped(stats.tasks.committed)
        );
        let parts: Vec<String> = self
            .parts()
            .iter()
            .map(|(name, cycles)| format!("{name} {:.1} %", *cycles as f64 * 100.0 / total))
            .collect();
        let _ = writeln!(text, "  cores     {}", parts.join(", "));
        let tasks = &stats.tasks;
        let _ = writeln!(
            text,
            "  tasks     {} runs aborted ({} by data, {} for room, {} by filters), {} discarded, {} spilled, {} taken over capacity",
            grouped(stats.aborts()),
            grouped(tasks.aborted_data),
            grouped(tasks.aborted_room),
            grouped(tasks.aborted_false),
            grouped(tasks.discarded),
            grouped(tasks.spilled),
            grouped(tasks.over_capacity)
        );
        let _ = writeln!(
            text,
            "  queues    {:.1} tasks and {:.1} finished tasks per tile on average",
            stats.mean_task_queue(),
            stats.mean_commit_queue()
        );
        let memory = &stats.memory;
        let share = |hits: u64| hits as f64 * 100.0 / memory.accesses.max(1) as f64;
        let _ = writeln!(
            text,
            "  memory    {} accesses: L1 {:.1} %, L2 {:.1} %, LLC {:.1} %, memory {:.1} %; {} invalidations",
            grouped(memory.accesses),
            share(memory.l1_hits),
            share(memory.l2_hits),
            share(memory.llc_hits),
            share(memory.memory),
            grouped(memory.invalidations)
        );
        let traffic = &stats.traffic;
        let _ = writeln!(
            text,
            "  traffic   byte-hops: memory {}, tasks {}, aborts {}, virtual time {}",
            grouped(traffic.memory),
            grouped(traffic.tasks),
            grouped(traffic.aborts),
            grouped(traffic.gvt)
        );
        for words in &self.host {
            let _ = writeln!(text, "  on the host, without cycles: {words}");
        }
        text
    }
}

/// Digits in groups of three.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
