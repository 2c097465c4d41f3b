//! The record of a meter while something runs.
//!
//! A counter of energy is brought up to date by its device, not by who reads it: every 20 to 100 ms on NVIDIA GPUs,
//! every millisecond by RAPL. Reading it at arbitrary moments adds an error of up to one such period at both ends. So
//! a thread reads the counter about every millisecond and notes only the moments at which it changed: the energy
//! between two of these belongs to exactly the time between them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::EnergyMeter;
use crate::measured::Measured;

/// How often the counter is looked at.
const PERIOD: Duration = Duration::from_millis(1);
/// Parts of a record whose powers are compared for the spread.
const PARTS: usize = 5;

/// A change of the counter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Seconds since the record began.
    pub seconds: f64,
    /// The counter then.
    pub joules: f64,
}

/// What a meter told while something ran.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EnergyTrace {
    /// Changes of the counter, in order of time.
    pub samples: Vec<Sample>,
    /// The highest power read from the meter's own display of watts; `None` where it has none.
    pub highest_watts: Option<f64>,
    /// Seconds from begin to end.
    pub seconds: f64,
}

impl EnergyTrace {
    /// Mean power after a warm-up of so many seconds: the energy between the first and the last change of the counter
    /// over the time between them. The spread is that of up to five parts. `None` with fewer than two changes.
    pub fn watts(&self, warm_up: f64) -> Option<Measured> {
        let steady: Vec<Sample> = self.samples.iter().copied().filter(|sample| sample.seconds >= warm_up).collect();
        let power = |from: &Sample, to: &Sample| (to.joules - from.joules) / (to.seconds - from.seconds);
        let (first, last) = (steady.first()?, steady.last()?);
        let gaps = steady.len() - 1;
        if gaps == 0 || last.seconds <= first.seconds {
            return None;
        }
        let parts = gaps.min(PARTS);
        let edge = |part: usize| &steady[part * gaps / parts];
        let powers = (0..parts).map(|part| power(edge(part), edge(part + 1))).collect();
        Some(Measured { median: power(first, last), ..Measured::of(powers) })
    }
}

/// Does some work while a second thread reads the meter.
pub fn recorded<R>(meter: &dyn EnergyMeter, work: impl FnOnce() -> R) -> (R, EnergyTrace) {
    let (done, trace) = (AtomicBool::new(false), Mutex::new(EnergyTrace::default()));
    let begin = Instant::now();
    let watch = || {
        let mut found = EnergyTrace::default();
        let mut last = meter.joules();
        while !done.load(Ordering::Acquire) {
            std::thread::sleep(PERIOD);
            let now = meter.joules();
            let changed = now.zip(last).filter(|(now, last)| now != last);
            last = now.or(last);
            let Some((joules, _)) = changed else { continue };
            found.samples.push(Sample { seconds: begin.elapsed().as_secs_f64(), joules });
            // Once per change: asking takes the driver as long as asking for the energy.
            if let Some(watts) = meter.watts() {
                found.highest_watts = Some(found.highest_watts.unwrap_or(0.0).max(watts));
            }
        }
        if let Ok(mut trace) = trace.lock() {
            *trace = found;
        }
    };
    let result = std::thread::scope(|scope| {
        scope.spawn(watch);
        // Ends the watch also when the work panics: the scope waits for it.
        let _end = End(&done);
        work()
    });
    let mut trace = trace.into_inner().unwrap_or_default();
    trace.seconds = begin.elapsed().as_secs_f64();
    (result, trace)
}

/// Raises a flag when dropped.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A meter of 100 W whose counter moves every 20 ms.
    struct Steady(Instant);

    impl EnergyMeter for Steady {
        fn name(&self) -> String {
            "steady".to_string()
        }

        fn joules(&self) -> Option<f64> {
            Some((self.0.elapsed().as_millis() / 20) as f64 * 2.0)
        }

        fn watts(&self) -> Option<f64> {
            Some(100.0)
        }
    }

    #[test]
    fn a_coarse_counter_gives_the_right_power() {
        let meter = Steady(Instant::now());
        let (answer, trace) = recorded(&meter, || {
            std::thread::sleep(Duration::from_millis(450));
            7
        });
        assert_eq!(answer, 7);
        // Changes are seen a little late on a busy machine, never early.
        let watts = trace.watts(0.1).unwrap();
        assert!((watts.median - 100.0).abs() < 25.0, "{watts:?} {trace:?}");
        assert!(trace.highest_watts == Some(100.0) && trace.seconds >= 0.45, "{trace:?}");
    }

    #[test]
    fn power_of_known_samples() {
        let samples = (0..=10).map(|i| Sample { seconds: f64::from(i) * 0.1, joules: f64::from(i) * 30.0 });
        let trace = EnergyTrace { samples: samples.collect(), highest_watts: None, seconds: 1.0 };
        let watts = trace.watts(0.15).unwrap();
        assert!((watts.median - 300.0).abs() < 1e-9 && watts.spread < 1e-9 && watts.runs == 5);
        assert_eq!(trace.watts(0.95), None);
        assert_eq!(EnergyTrace::default().watts(0.0), None);
    }
}
