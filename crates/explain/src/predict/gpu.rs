//! GPUs: issue of warp instructions, L2 hits, row-buffer hits and misses of DRAM, atomics.

use gw_meter::{Curve, GpuSheet};
use serde::Serialize;

use super::cpu::constants;
use super::{Prediction, Service, StepFacts, most};
use crate::counts::{GpuCounts, StepCounts};
use crate::machine::Server;

constants! {
    /// Constants of generated kernels that no sheet tells. `gw explain --table TRAINING --fit` found them on 395 steps
    /// of 48 training cells on an H200, release build (R-MAT, uniform and road graphs of two sizes; mean error of the
    /// logarithms 0.25). Left out of the fit: `tc`, of which the model knows too little, and `cc` as one kernel, whose
    /// rounds are not those of a trace in order. `element_instructions` is thus an estimate. Few steps tell
    /// `search_instructions`, `resident` and `atomic` apart from the rest: what they mean together counts, not each
    /// alone.
    GpuCosts {
        /// Instructions that a warp issues per memory instruction.
        instructions_per_job = 82.8,
        /// Further instructions per iteration of a warp whose lanes look for the vertex of their edge.
        search_instructions = 0.92,
        /// Further instructions of a lane per element of intersected lists.
        element_instructions = 20.0,
        /// Memory instructions that a warp has in flight: those of one iteration do not wait for each other.
        jobs_in_flight = 8.5,
        /// Warps of the device that are there at a time, as a share of those that there is room for.
        resident = 0.03,
        /// Cost of an atomic update in those of the sheet.
        atomic = 6.9,
        /// Nanoseconds until an update or a vertex appended lets its warp go on.
        update_ns = 55.5,
        /// Barriers of the grid per step of a loop that is one kernel, in those of the sheet.
        barriers = 1.29,
        /// Microseconds of a step that the host starts: launch, marks of time, what the kernel prepares.
        launch_us = 11.8,
        /// Microseconds of a change of the form of a frontier before a step that the host starts.
        convert_us = 11.6,
        /// Microseconds of a loop that is one kernel, beside its steps.
        loop_us = 47.2,
        /// The exponent in which times of resources are combined: 1 is their sum, much more is their maximum.
        overlap = 1.45,
    }
}

/// Warps that a multiprocessor issues instructions of in one cycle.
const ISSUES_PER_CYCLE: f64 = 4.0;

pub(super) fn predict(counts: &StepCounts, sheet: &GpuSheet, facts: StepFacts, costs: &GpuCosts) -> Prediction {
    let total = counts.gpu_total();
    let jobs = total.jobs as f64;
    let room = f64::from(sheet.multiprocessors) * f64::from(sheet.resident_warps_per_sm);
    let resident = (room * costs.resident.min(1.0)).max(1.0);
    // n = N / W_max: as long as the longest warp runs, that many are at work on average.
    let longest = (counts.longest_warp.max(1) as f64).max(jobs / resident);
    let warps = (jobs / longest).clamp(1.0, resident).min(counts.warps.max(1) as f64);
    let flight = warps * costs.jobs_in_flight;

    let mut services = Vec::new();
    let mut server = |name: &str, curve: &Curve, requests: fn(&GpuCounts) -> u64| {
        let asked = requests(&total) as f64;
        if asked == 0.0 {
            return;
        }
        let visits = asked / jobs.max(1.0);
        // At least one request is in flight as long as there are any.
        let m = (visits * flight).max(1.0);
        let each = curve.at(m);
        services.push(Service {
            name: name.into(),
            requests: asked,
            visits,
            seconds_each: each,
            seconds: asked * each,
            parallelism: m,
            needed: Some(curve.saturation(1.1)),
            mostly: most(|server| requests(&counts.gpu[server]) as f64),
        });
    };
    server("L2 hits", &sheet.l2_hit_s, |c| c.l2 + c.row_hits + c.row_misses);
    server("DRAM open rows", &sheet.dram_sequential_s, |c| c.row_hits);
    server("DRAM new rows", &sheet.dram_random_s, |c| c.row_misses);
    let step = Step { counts, sheet, costs, jobs, warps };
    services.push(step.issue(facts));
    if total.atomics > 0 {
        services.push(step.atomics(&total));
    }
    services.push(step.longest_warp(resident));
    let barrier = sheet.grid_barrier_us.median * 1e-6;
    let calls = counts.calls.max(1) as f64;
    let inside = calls * f64::from(facts.operator.barriers);
    let conversions = counts.conversions as f64;
    let fixed = match facts.fused {
        true => calls * costs.barriers * barrier + conversions * barrier,
        false => (calls * costs.launch_us + conversions * costs.convert_us) * 1e-6,
    };
    let prediction = Prediction {
        fixed_seconds: fixed + inside * barrier,
        jobs,
        services,
        floor_seconds: counts.footprint_bytes as f64 / sheet.specified_bytes_per_second,
        workers: warps,
        ..Prediction::default()
    };
    prediction.finish(costs.overlap)
}

/// What the services of a step have in common.
struct Step<'s> {
    counts: &'s StepCounts,
    sheet: &'s GpuSheet,
    costs: &'s GpuCosts,
    /// Memory instructions of all warps.
    jobs: f64,
    /// Warps that are at work on average.
    warps: f64,
}

impl Step<'_> {
    /// The issue of instructions.
    fn issue(&self, facts: StepFacts) -> Service {
        let Step { counts, sheet, costs, jobs, warps } = *self;
        let searched =
            if facts.operator.searches { counts.warp_iterations as f64 * costs.search_instructions } else { 0.0 };
        let elements = counts.gpu[Server::Intersect].lanes as f64;
        let issue = jobs * costs.instructions_per_job + searched + elements / 32.0 * costs.element_instructions;
        let rate = f64::from(sheet.multiprocessors) * sheet.clock_ghz.median * 1e9 * ISSUES_PER_CYCLE;
        // Few warps keep few multiprocessors busy.
        let busy = (warps / f64::from(sheet.multiprocessors)).min(1.0).max(1.0 / f64::from(sheet.multiprocessors));
        Service {
            name: "instruction issue".into(),
            requests: issue,
            visits: issue / jobs.max(1.0),
            seconds_each: 1.0 / (rate * busy),
            seconds: issue / (rate * busy),
            parallelism: warps,
            needed: Some(f64::from(sheet.multiprocessors) * ISSUES_PER_CYCLE),
            mostly: most(|server| counts.gpu[server].jobs as f64),
        }
    }

    /// Atomic updates, of which there are some.
    fn atomics(&self, total: &GpuCounts) -> Service {
        let spread = self.sheet.atomic("add u32", "spread L2").unwrap_or(1e11);
        let same = self.sheet.atomic("add u32", "same address").unwrap_or(1e9);
        let alone = (total.atomics - total.conflicts) as f64;
        let seconds = (alone / spread + total.conflicts as f64 / same.max(spread / 32.0)) * self.costs.atomic;
        Service {
            name: "atomics".into(),
            requests: total.atomics as f64,
            visits: total.atomics as f64 / self.jobs.max(1.0),
            seconds_each: seconds / total.atomics as f64,
            seconds,
            parallelism: self.warps,
            needed: None,
            mostly: Some(Server::Atomic),
        }
    }

    /// The longest warp goes through its instructions one after the other, whatever the others do.
    fn longest_warp(&self, resident: f64) -> Service {
        let Step { counts, sheet, costs, jobs, warps } = *self;
        let updates =
            [Server::Write, Server::Atomic, Server::Output].map(|server| counts.gpu[server].jobs).iter().sum::<u64>();
        let share = updates as f64 / jobs.max(1.0);
        let wait =
            (1.0 - share) * sheet.l2_hit_s.at(1.0) / costs.jobs_in_flight.max(1.0) + share * costs.update_ns * 1e-9;
        Service {
            name: "longest warp".into(),
            requests: counts.longest_warp as f64,
            visits: counts.longest_warp as f64 / jobs.max(1.0),
            seconds_each: wait,
            seconds: counts.longest_warp as f64 * wait,
            parallelism: warps,
            needed: Some(resident),
            mostly: most(|server| counts.gpu[server].jobs as f64),
        }
    }
}
