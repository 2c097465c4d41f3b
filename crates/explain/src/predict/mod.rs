//! From counts and a sheet to seconds: `T = fixed + N * max_i V_i S_i(m_i)`.

mod cpu;
mod facts;
mod gpu;

pub use cpu::{CpuCosts, Helpers};
pub use facts::{OperatorFacts, StepFacts};
pub use gpu::GpuCosts;

use gw_meter::Sheet;
use serde::{Deserialize, Serialize};

use crate::counts::StepCounts;
use crate::machine::Server;

/// What a resource of the machine has to do in a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Service {
    /// The resource, such as `DRAM latency`.
    pub name: String,
    /// Requests to it, `C_i`.
    pub requests: f64,
    /// Requests per job, `V_i`.
    pub visits: f64,
    /// Seconds per request at the parallelism reached, `S_i(m_i)`.
    pub seconds_each: f64,
    /// Seconds in all: `N * V_i * S_i(m_i)`.
    pub seconds: f64,
    /// Requests in flight, `m_i`.
    pub parallelism: f64,
    /// Requests in flight from which on the resource is saturated; `None` for resources without a curve.
    pub needed: Option<f64>,
    /// The server of the operator machine that asks for most of it.
    pub mostly: Option<Server>,
}

/// The modelled time of a step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Prediction {
    /// Seconds in all.
    pub seconds: f64,
    /// Of these: launches, barriers, waking threads.
    pub fixed_seconds: f64,
    /// Jobs, `N`: memory accesses of a processor, warp instructions of a GPU.
    pub jobs: f64,
    /// The resources, the slowest first.
    pub services: Vec<Service>,
    /// The least time in which the touched bytes can move: bytes / bandwidth of the level that has them.
    pub floor_seconds: f64,
    /// Threads or warps at work.
    pub workers: f64,
}

impl Prediction {
    /// The slowest resource; `None` for a step without work.
    pub fn bottleneck(&self) -> Option<&Service> {
        self.services.first().filter(|service| service.seconds > 0.0)
    }

    /// Whether fixed costs outweigh all resources.
    pub fn is_fixed_cost(&self) -> bool {
        self.bottleneck().is_none_or(|slowest| slowest.seconds < self.fixed_seconds)
    }

    /// Adds the prediction of a further step that was measured together with this one.
    pub(crate) fn add(&mut self, other: &Prediction) {
        self.seconds += other.seconds;
        self.fixed_seconds += other.fixed_seconds;
        self.jobs += other.jobs;
        self.floor_seconds += other.floor_seconds;
        self.workers = self.workers.max(other.workers);
        for theirs in &other.services {
            match self.services.iter_mut().find(|mine| mine.name == theirs.name) {
                Some(mine) => {
                    let both = (mine.seconds + theirs.seconds).max(f64::MIN_POSITIVE);
                    mine.parallelism = (mine.parallelism * mine.seconds + theirs.parallelism * theirs.seconds) / both;
                    if theirs.seconds > mine.seconds {
                        mine.mostly = theirs.mostly;
                    }
                    mine.requests += theirs.requests;
                    mine.seconds += theirs.seconds;
                    mine.seconds_each = mine.seconds / mine.requests.max(1.0);
                    mine.visits = mine.requests / self.jobs.max(1.0);
                }
                None => self.services.push(theirs.clone()),
            }
        }
        self.services.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    }

    fn finish(mut self, overlap: f64) -> Prediction {
        self.services.retain(|service| service.seconds > 0.0);
        self.services.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        self.seconds = self.fixed_seconds + combined(self.services.iter().map(|s| s.seconds), overlap);
        self
    }
}

/// Times of resources that work at the same time. An infinite exponent is the maximum, the bound of operational
/// analysis; 1 is the sum, nothing at the same time.
pub fn combined(seconds: impl Iterator<Item = f64>, exponent: f64) -> f64 {
    let seconds: Vec<f64> = seconds.filter(|&s| s > 0.0).collect();
    let most = seconds.iter().copied().fold(0.0, f64::max);
    match exponent.is_finite() && most > 0.0 {
        true => most * seconds.iter().map(|s| (s / most).powf(exponent)).sum::<f64>().powf(1.0 / exponent),
        false => most,
    }
}

/// Constants of the model that no sheet has.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Costs {
    /// Of processors.
    pub cpu: CpuCosts,
    /// Of GPUs.
    pub gpu: GpuCosts,
}

/// The modelled time of a step.
pub fn predict(counts: &StepCounts, sheet: &Sheet, facts: StepFacts, costs: &Costs) -> Prediction {
    match (&sheet.cpu, &sheet.gpu) {
        (Some(cpu), _) => cpu::predict(counts, cpu, facts, &costs.cpu),
        (None, Some(gpu)) => gpu::predict(counts, gpu, facts, &costs.gpu),
        // A sheet has one of both; it is checked when it is read.
        (None, None) => Prediction::default(),
    }
}

impl Costs {
    /// The constants of processors (`gpu` false) or GPUs by their names, for whoever fits them.
    pub fn named(&mut self, gpu: bool) -> Vec<(&'static str, &mut f64)> {
        if gpu { self.gpu.named() } else { self.cpu.named() }
    }

    /// Seconds that a loop which runs as one kernel costs beside its steps.
    pub fn loop_seconds(&self) -> f64 {
        self.gpu.loop_us * 1e-6
    }
}

/// The server with most of something.
fn most(share: impl Fn(Server) -> f64) -> Option<Server> {
    let most = Server::ALL.into_iter().max_by(|a, b| share(*a).total_cmp(&share(*b)))?;
    (share(most) > 0.0).then_some(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_goes_from_the_sum_to_the_maximum() {
        let times = || [3.0, 4.0].into_iter();
        assert_eq!(combined(times(), 1.0), 7.0);
        assert_eq!(combined(times(), 2.0), 5.0);
        assert_eq!(combined(times(), f64::INFINITY), 4.0);
        assert_eq!(combined([].into_iter(), 2.0), 0.0);
    }
}
