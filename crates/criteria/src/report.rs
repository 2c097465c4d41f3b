//! A finished report: criteria, quality and what to improve first, per kernel and for all of them together.

use std::fmt::Write;

use serde::Serialize;

use crate::criteria::{Criteria, Form};
use crate::criterion::{Criterion, Weights};
use crate::curve::Characterisation;
use crate::error::CriteriaError;
use crate::fine::{FineGrained, Latencies, Potential, potentials};
use crate::ncu::{Profiled, read_ncu};

/// What a report is made with.
#[derive(Debug, Clone, Default)]
pub struct ReportOptions {
    /// Only kernels whose name has this in it.
    pub kernel: Option<String>,
    /// Seconds of the whole work without a profiler, kernels and gaps: tells HSync.
    pub elapsed: Option<f64>,
    /// Curves of the device.
    pub curves: Characterisation,
    /// Latencies of the device.
    pub latencies: Option<Latencies>,
    /// Form of the formulas.
    pub form: Form,
}

/// Criteria of the launches of one kernel.
#[derive(Debug, Clone, Serialize)]
pub struct KernelReport {
    /// Its name.
    pub name: String,
    /// Launches in the table.
    pub launches: usize,
    /// Seconds in all launches, as profiled.
    pub seconds: f64,
    /// Its criteria, means over the launches by their times.
    pub criteria: Criteria,
    /// Its quality metric under the published weights.
    pub quality: Option<f64>,
    /// Criteria of the fine-grained model, of its longest launch.
    pub fine: FineGrained,
    /// Overall potential speedup, of its longest launch.
    pub overall: Option<f64>,
    /// What mending a criterion could bring, the greatest first, of its longest launch.
    pub potentials: Vec<Potential>,
}

/// The whole report.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Per kernel, the longest time first.
    pub kernels: Vec<KernelReport>,
    /// Criteria of all kernels together.
    pub criteria: Criteria,
    /// Their quality metric under the published weights.
    pub quality: Option<f64>,
    /// Seconds of all kernels, as profiled.
    pub seconds: f64,
}

/// Reads a table of `ncu` and reports on it.
pub fn of_report(text: &str, options: &ReportOptions) -> Result<Report, CriteriaError> {
    Report::of(&read_ncu(text)?, options)
}

impl Report {
    /// The report on these kernels.
    pub fn of(kernels: &[Profiled], options: &ReportOptions) -> Result<Report, CriteriaError> {
        let wanted = options.kernel.as_deref().unwrap_or_default();
        let mut groups: Vec<(&str, Vec<&Profiled>)> = Vec::new();
        for kernel in kernels.iter().filter(|kernel| kernel.name.contains(wanted)) {
            match groups.iter_mut().find(|(name, _)| *name == kernel.name) {
                Some((_, group)) => group.push(kernel),
                None => groups.push((&kernel.name, vec![kernel])),
            }
        }
        if groups.is_empty() {
            let mut names: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            names.truncate(8);
            return Err(CriteriaError::NoSuchKernel { wanted: wanted.into(), names: names.join(", ") });
        }
        let mut reports: Vec<KernelReport> =
            groups.into_iter().map(|(name, launches)| kernel_report(name, &launches, options)).collect();
        reports.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        let seconds: f64 = reports.iter().map(|kernel| kernel.seconds).sum();
        let weighted = reports.iter().map(|kernel| (&kernel.criteria, kernel.seconds));
        let mut criteria = Criteria::mean(weighted).unwrap_or(reports[0].criteria);
        // The elapsed time is that of all kernels, chosen ones or not.
        let all: f64 = kernels.iter().filter_map(|kernel| kernel.counters.events.seconds).sum();
        criteria[Criterion::HostSync] =
            options.elapsed.filter(|elapsed| *elapsed > 0.0).map(|elapsed| (all / elapsed).clamp(0.0, 1.0));
        let quality = criteria.quality(&Weights::published());
        Ok(Report { kernels: reports, criteria, quality, seconds })
    }

    /// The report as lines for a terminal.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let kernels = if self.kernels.len() == 1 { "kernel" } else { "kernels" };
        let _ = writeln!(
            text,
            "{} {kernels}, {} as profiled; quality {}",
            self.kernels.len(),
            time(self.seconds),
            share(self.quality)
        );
        bars(&mut text, &self.criteria);
        for kernel in self.kernels.iter().take(SHOWN) {
            let launches =
                if kernel.launches == 1 { String::new() } else { format!(" in {} launches", kernel.launches) };
            let part = 100.0 * kernel.seconds / self.seconds.max(f64::MIN_POSITIVE);
            let _ = writeln!(
                text,
                "\n{}: {}{launches}, {part:.0} % of the time; quality {}",
                kernel.name,
                time(kernel.seconds),
                share(kernel.quality)
            );
            if self.kernels.len() > 1 {
                bars(&mut text, &kernel.criteria);
            }
            text += &kernel.advice();
        }
        if self.kernels.len() > SHOWN {
            let rest: f64 = self.kernels[SHOWN..].iter().map(|kernel| kernel.seconds).sum();
            let _ = writeln!(text, "\n{} more kernels, {} together", self.kernels.len() - SHOWN, time(rest));
        }
        text
    }
}

/// Kernels that the text shows.
const SHOWN: usize = 5;

impl KernelReport {
    /// Which roof the kernel is nearer to, and the three criteria whose mending could bring most.
    pub fn advice(&self) -> String {
        let mut text = String::new();
        if let Some(overall) = self.overall {
            let roof = match self.fine.memory >= self.fine.arithmetic {
                true => "memory throughput",
                false => "arithmetic throughput",
            };
            let reached = 100.0 / overall;
            let _ = writeln!(text, "  reaches {reached:.0} % of the {roof}: at most {overall:.1} times faster");
        }
        let useful = self.potentials.iter().filter(|p| p.speedup >= 1.05).take(3);
        let mut number = 0;
        for potential in useful {
            number += 1;
            let criterion = potential.criterion;
            let _ = writeln!(
                text,
                "  {number}. {} {:.2}, at most {:.1} times faster: {}",
                criterion.symbol(),
                potential.value,
                potential.speedup,
                criterion.advice()
            );
        }
        if number == 0 {
            text += "  no criterion promises more than 5 %\n";
        }
        text
    }
}

fn kernel_report(name: &str, launches: &[&Profiled], options: &ReportOptions) -> KernelReport {
    let each: Vec<(Criteria, f64)> = launches
        .iter()
        .map(|l| (Criteria::of(&l.counters, options.form), l.counters.events.seconds.unwrap_or(0.0)))
        .collect();
    let criteria = Criteria::mean(each.iter().map(|(c, seconds)| (c, *seconds))).unwrap_or(each[0].0);
    let longest = (0..each.len()).max_by(|&a, &b| each[a].1.total_cmp(&each[b].1)).unwrap_or(0);
    let counters = &launches[longest].counters;
    let fine = FineGrained::of(counters, &each[longest].0, &options.curves, options.form);
    KernelReport {
        name: name.to_string(),
        launches: launches.len(),
        seconds: each.iter().map(|(_, seconds)| seconds).sum(),
        quality: criteria.quality(&Weights::published()),
        potentials: potentials(counters, &each[longest].0, &fine, options.latencies.as_ref()),
        overall: fine.overall(),
        criteria,
        fine,
    }
}

/// A line per known criterion; those that are not known in one line.
fn bars(text: &mut String, criteria: &Criteria) {
    const WIDTH: usize = 20;
    for (criterion, value) in criteria.known() {
        let filled = (value * WIDTH as f64).round() as usize;
        let bar: String = (0..WIDTH).map(|at| if at < filled { '█' } else { '·' }).collect();
        let _ = writeln!(text, "  {:<9}{bar} {value:.2}  {}", criterion.symbol(), criterion.words());
    }
    let unknown: Vec<&str> =
        Criterion::ALL.into_iter().filter(|c| criteria[*c].is_none()).map(Criterion::symbol).collect();
    if !unknown.is_empty() {
        let _ = writeln!(text, "  not known: {}", unknown.join(", "));
    }
}

fn share(value: Option<f64>) -> String {
    value.map_or_else(|| "unknown".into(), |value| format!("{value:.2}"))
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.2} ms", s * 1e3),
        s => format!("{:.1} us", s * 1e6),
    }
}
