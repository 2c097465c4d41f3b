//! Criteria of the kernels of a run, as bars: counted by the model, or by a profiler.

use gw_criteria::{Criteria, CriteriaError, Criterion, ReportOptions, of_report};
use gw_meter::GpuSheet;
use serde::Serialize;

use crate::report::StepReport;

/// Criteria of a run, and who counted.
#[derive(Debug, Clone, Serialize)]
pub struct Judged {
    /// The criteria: 0 is bad, 1 is good, some may be unknown.
    pub criteria: Criteria,
    /// Where the counts come from.
    pub source: String,
    /// What would help most, a line each.
    pub advice: Vec<String>,
}

/// Criteria below this are worth advice.
const LOW: f64 = 0.5;
/// The most lines of advice.
const LINES: usize = 3;

impl Judged {
    /// The software criteria: what the traced run knows of lanes, bytes and sectors, weighted by the measured times of
    /// the steps. What only the device knows (occupancy, barriers, units) is left open.
    pub fn of_model(steps: &[StepReport], run_seconds: Option<f64>, sheet: &GpuSheet) -> Option<Judged> {
        let room = f64::from(sheet.multiprocessors) * f64::from(sheet.resident_warps_per_sm);
        let judged: Vec<(Criteria, f64)> =
            steps.iter().filter_map(|step| Some((of_step(step, room)?, step.measured_seconds?))).collect();
        let mut criteria = Criteria::mean(judged.iter().map(|(criteria, seconds)| (criteria, *seconds)))?;
        let busy: f64 = steps.iter().filter_map(|step| step.measured_seconds).sum();
        criteria[Criterion::HostSync] = run_seconds.filter(|&all| all > 0.0).map(|all| (busy / all).min(1.0));
        Some(Judged { advice: advice(&criteria), criteria, source: "counted by the model".to_string() })
    }

    /// The criteria of a table that `ncu --csv --page raw` wrote.
    pub fn of_ncu(table: &str, run_seconds: Option<f64>) -> Result<Judged, CriteriaError> {
        let options = ReportOptions { elapsed: run_seconds, ..ReportOptions::default() };
        let report = of_report(table, &options)?;
        let source = format!("counted by ncu over {} kernels", report.kernels.len());
        Ok(Judged { advice: advice(&report.criteria), criteria: report.criteria, source })
    }
}

fn of_step(step: &StepReport, room: f64) -> Option<Criteria> {
    let total = step.model.counts.gpu_total();
    if total.jobs == 0 {
        return None;
    }
    let share = |part: f64, whole: f64| (whole > 0.0).then(|| (part / whole).clamp(0.0, 1.0));
    let (jobs, bytes) = (total.jobs as f64, total.bytes as f64);
    let beyond_l1 = (total.sectors - total.l1) as f64;
    let mut criteria = Criteria::default();
    criteria[Criterion::Divergence] = share(total.lanes as f64, jobs * 32.0);
    criteria[Criterion::GranularityL1] = share(bytes, jobs * 128.0);
    criteria[Criterion::GranularityL2] = share(bytes, beyond_l1 * 32.0);
    let there = room.min(step.model.counts.warps.max(1) as f64);
    criteria[Criterion::WarpBalance] = share(step.model.prediction.workers, there);
    Some(criteria)
}

fn advice(criteria: &Criteria) -> Vec<String> {
    let mut low: Vec<(Criterion, f64)> = criteria.known().filter(|(_, value)| *value < LOW).collect();
    low.sort_by(|a, b| a.1.total_cmp(&b.1));
    low.into_iter().take(LINES).map(|(c, value)| format!("{} {value:.2}: {}", c.symbol(), c.advice())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::GpuCounts;
    use crate::machine::Server;
    use crate::modelled::ModelledStep;

    #[test]
    fn lanes_and_bytes_by_hand() {
        // Ten warp instructions of 16 lanes that ask for 4 bytes each, one sector per lane, half of them in L1.
        let mut model = ModelledStep::default();
        let (lanes, sectors) = (160, 160);
        model.counts.gpu[Server::Read] =
            GpuCounts { jobs: 10, lanes, bytes: 640, sectors, l1: 80, ..GpuCounts::default() };
        model.counts.warps = 2;
        model.prediction.workers = 1.0;
        let step = StepReport { measured_seconds: Some(2e-6), rounds: 1, model };
        let judged = Judged::of_model(&[step], Some(8e-6), &crate::typical::gpu()).unwrap();
        let of = |criterion| judged.criteria[criterion];
        assert_eq!((of(Criterion::Divergence), of(Criterion::GranularityL1)), (Some(0.5), Some(0.5)));
        assert_eq!((of(Criterion::GranularityL2), of(Criterion::WarpBalance)), (Some(0.25), Some(0.5)));
        assert_eq!((of(Criterion::HostSync), of(Criterion::Occupancy)), (Some(0.25), None));
        assert_eq!(judged.advice.len(), 2, "{:?}", judged.advice);
    }
}
