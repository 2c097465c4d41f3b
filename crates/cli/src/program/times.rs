//! The time of a `gw run`, from the start of the process to its last line, in named parts that add up.

use graphwright::machine::StartStep;
use graphwright::results::{MachineUsage, Parts};
use serde::Serialize;

use crate::output::seconds;

/// Parts below this share of the whole are not named to a person, but counted among the others.
const WORTH_NAMING: f64 = 0.005;

/// The parts of a command, in seconds. They add up to `whole`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Times {
    /// The parts of the run.
    #[serde(flatten)]
    pub parts: Parts,
    /// Checking the result.
    pub validate: f64,
    /// Looking through results for what is shown, and writing them.
    pub output: f64,
    /// What belongs to no part: loading the command itself, reading its arguments.
    pub other: f64,
    /// Since the start of the process.
    pub whole: f64,
}

impl Times {
    /// Takes everything that belongs to no part as `other`.
    #[must_use]
    pub fn of_whole(mut self, whole: f64) -> Times {
        let named = self.parts.sum() + self.validate + self.output;
        (self.whole, self.other) = (whole.max(named), (whole - named).max(0.0));
        self
    }

    /// The times of this run and of another one.
    #[must_use]
    pub fn and(self, other: &Times) -> Times {
        Times {
            parts: self.parts + other.parts,
            validate: self.validate + other.validate,
            output: self.output + other.output,
            ..Times::default()
        }
    }

    /// One line for a person: `0.412 s = reading the graph 12.0 ms + ...`.
    pub fn in_words(&self, start: &Start<'_>, usage: Option<&MachineUsage>) -> String {
        let parts = &self.parts;
        let kernels = usage.filter(|usage| usage.compiled + usage.cached > 0).map(|usage| {
            let kernels = if usage.compiled == 1 { "kernel" } else { "kernels" };
            format!(" ({} {kernels} compiled, {} from the cache)", usage.compiled, usage.cached)
        });
        let named = [
            ("reading the graph", parts.read_graph, None),
            ("start of the device", parts.start_device, start.in_words(parts.start_device)),
            ("compiling", parts.compile, kernels),
            ("transfer to the device", parts.to_device, None),
            ("run", parts.run, None),
            ("results back", parts.results_back, None),
            ("validation", self.validate, None),
            ("output", self.output, None),
        ];
        let mut other = self.other;
        let mut text = format!("{} in all", seconds(self.whole));
        let mut sign = ':';
        for (name, time, remark) in named {
            if time < WORTH_NAMING * self.whole {
                other += time;
                continue;
            }
            text += &format!("{sign} {name} {}{}", seconds(time), remark.unwrap_or_default());
            sign = ',';
        }
        text + &format!("{sign} other {}", seconds(other))
    }
}

/// How the machine was opened.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Start<'a> {
    /// Seconds that opening the machine took, waited for or not.
    pub seconds: f64,
    /// What was done in these seconds.
    #[serde(skip_serializing_if = "<[StartStep]>::is_empty")]
    pub steps: &'a [StartStep],
}

impl Start<'_> {
    /// How much of the start was hidden behind reading the graph.
    fn in_words(&self, waited: f64) -> Option<String> {
        let hidden = self.seconds - waited;
        (hidden > 0.02 * self.seconds && hidden > 1e-3)
            .then(|| format!(" ({} more of it while the graph was read)", seconds(hidden)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_the_rest_add_up_to_the_whole() {
        let parts = Parts { read_graph: 0.1, start_device: 0.05, run: 0.2, compile: 1e-4, ..Parts::default() };
        let times = Times { parts, validate: 0.1, ..Times::default() }.of_whole(0.5);
        assert!((times.parts.sum() + times.validate + times.output + times.other - times.whole).abs() < 1e-12);
        let start = Start { seconds: 0.15, steps: &[] };
        let usage = MachineUsage { compiled: 1, cached: 2, ..MachineUsage::default() };
        // A tenth of a millisecond of compiling is not worth a name, so that its kernels are not told either.
        assert_eq!(
            times.in_words(&start, Some(&usage)),
            "500.0 ms in all: reading the graph 100.0 ms, start of the device 50.0 ms (100.0 ms more of it while the \
             graph was read), run 200.0 ms, validation 100.0 ms, other 50.0 ms"
        );
    }
}
