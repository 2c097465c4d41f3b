//! `--trace`: a line per operator call.

use std::io::Write;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gw_exec::{Observer, StepRecord};

/// Prints step records to standard error as they come, and adds up their edges.
pub struct Printer {
    header: Once,
    /// The machine says how many bytes a step told other workers.
    has_workers: AtomicBool,
    edges: AtomicU64,
    told: AtomicBool,
}

impl Printer {
    pub fn new() -> Self {
        Printer {
            header: Once::new(),
            has_workers: AtomicBool::new(false),
            edges: AtomicU64::new(0),
            told: AtomicBool::new(false),
        }
    }

    /// Edges that the operators touched; `None` when no step told.
    pub fn touched_edges(&self) -> Option<u64> {
        self.told.load(Ordering::Relaxed).then(|| self.edges.load(Ordering::Relaxed))
    }
}

impl Observer for Printer {
    fn begin_again(&self) {
        self.edges.store(0, Ordering::Relaxed);
    }

    fn step(&self, record: &StepRecord) {
        if let Some(edges) = record.edges {
            self.edges.fetch_add(edges, Ordering::Relaxed);
            self.told.store(true, Ordering::Relaxed);
        }
        let mut out = std::io::stderr().lock();
        // A closed standard error is no reason to stop a run.
        self.header.call_once(|| {
            self.has_workers.store(record.told.is_some(), Ordering::Relaxed);
            let told = if record.told.is_some() { format!(" {:>10}", "bytes told") } else { String::new() };
            let _ = writeln!(
                out,
                "{:>6} {:<30} {:<12} {:>10} {:>10} {:>12}{told} {:>10}  schedule",
                "step", "operator", "label", "input", "output", "edges", "time"
            );
        });
        let number = |n: Option<u64>| n.map_or_else(|| "-".to_string(), |n| n.to_string());
        let told = match self.has_workers.load(Ordering::Relaxed) {
            true => format!(" {:>10}", number(record.told)),
            false => String::new(),
        };
        let variant = if record.variant > 0 { format!(" (variant {})", record.variant) } else { String::new() };
        let _ = writeln!(
            out,
            "{:>6} {:<30} {:<12} {:>10} {:>10} {:>12}{told} {:>10}  {}{variant}",
            record.step,
            record.operator,
            record.path,
            number(record.input),
            number(record.output),
            number(record.edges),
            crate::output::seconds(record.seconds),
            record.schedule.as_deref().unwrap_or("-"),
        );
    }
}
