//! The energy of something short: it is repeated until the meter can tell.
//!
//! Meters count in steps of 1 to 100 ms, and many runs are shorter than one step. So a run is repeated until a window
//! is full, and the power of the window is multiplied with the time of a run in it.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::{EnergyMeter, recorded};

/// A change of the counter is noticed at most this many seconds late: the watching thread sleeps for one millisecond
/// between two looks.
const LATE: f64 = 2e-3;
/// The share of the power that late looks at the begin and the end of a window may be wrong by.
const ERROR: f64 = 0.01;
/// Changes of the counter that a window holds at least.
const CHANGES: f64 = 10.0;
/// The longest window in seconds: a counter that changes more slowly is read with a greater error.
const LONGEST: f64 = 2.0;
/// Seconds without work in which the counter is watched: a short look, and a long one where it changes slowly.
const LOOKS: [f64; 2] = [0.25, 1.5];

/// The energy of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunEnergy {
    /// Joules of a run, idle power included.
    pub joules: f64,
    /// Mean power of the machine in watts while the run was repeated.
    pub watts: f64,
    /// Distance of the quartiles of the power, as a share of the power.
    pub spread: f64,
    /// The highest power that the meter showed; null where the meter only counts.
    pub highest_watts: Option<f64>,
    /// Seconds per repeated run, with what the host does between runs.
    pub seconds: f64,
    /// Runs in the window.
    pub runs: usize,
    /// The meter.
    pub meter: String,
}

/// Repeats a run for `window` seconds while the meter is read, of which the first `warm_up` do not count; `run` is told
/// the number of the repetition. `None` where the meter told too little; an error ends the repetitions.
pub fn repeated<E>(
    meter: &dyn EnergyMeter,
    window: f64,
    warm_up: f64,
    mut run: impl FnMut(usize) -> Result<(), E>,
) -> Result<Option<RunEnergy>, E> {
    let (result, trace) = recorded(meter, || {
        let begin = Instant::now();
        let mut runs = 0;
        while begin.elapsed().as_secs_f64() < window || runs == 0 {
            run(runs)?;
            runs += 1;
        }
        Ok((runs, begin.elapsed().as_secs_f64()))
    });
    let (runs, elapsed) = result?;
    let seconds = elapsed / runs as f64;
    Ok(trace.watts(warm_up).map(|watts| RunEnergy {
        joules: watts.median * seconds,
        watts: watts.median,
        spread: watts.spread,
        highest_watts: trace.highest_watts,
        seconds,
        runs,
        meter: meter.name(),
    }))
}

/// How a meter has to be used: how often its counter changes, and how long a run must therefore be repeated.
#[derive(Debug, Clone, PartialEq)]
pub struct Gauge {
    /// What is metered and how.
    pub meter: String,
    /// Seconds between two changes of the counter.
    pub period: f64,
    /// Watts that the machine draws without this process doing anything.
    pub idle_watts: f64,
    /// Seconds for which a run is repeated, after the warm-up.
    pub window: f64,
    /// Seconds of repeated runs before the window: the machine goes from rest to work.
    pub warm_up: f64,
}

impl Gauge {
    /// Watches a meter without work for a quarter of a second, and for 1.5 s where the counter changes slowly. The
    /// error says in words why nothing can be metered.
    pub fn of(meter: &dyn EnergyMeter) -> Result<Gauge, String> {
        for look in LOOKS {
            let ((), trace) = recorded(meter, || std::thread::sleep(Duration::from_secs_f64(look)));
            let changes = trace.samples.len();
            let Some(watts) = trace.watts(0.0).filter(|_| changes > CHANGES as usize || look == LOOKS[1]) else {
                continue;
            };
            let span = trace.samples[changes - 1].seconds - trace.samples[0].seconds;
            let period = span / (changes - 1) as f64;
            return Ok(Gauge {
                meter: meter.name(),
                period,
                idle_watts: watts.median,
                window: (CHANGES * period).clamp(2.0 * LATE / ERROR, LONGEST),
                warm_up: (3.0 * period).clamp(0.05, 0.3),
            });
        }
        Err(format!(
            "the counter of {} changed less than twice in {} s; it cannot tell the energy of runs",
            meter.name(),
            LOOKS[1]
        ))
    }

    /// The greatest error of the power, as a share of it, that comes from noticing changes of the counter late.
    pub fn error(&self) -> f64 {
        2.0 * LATE / self.window
    }

    /// Meters a run that can be repeated, see [`repeated`].
    pub fn measure<E>(
        &self,
        meter: &dyn EnergyMeter,
        run: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<RunEnergy>, E> {
        repeated(meter, self.warm_up + self.window, self.warm_up, run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts 50 W in steps of so many milliseconds.
    struct Fifty(Instant, u128);

    impl EnergyMeter for Fifty {
        fn name(&self) -> String {
            "fifty".to_string()
        }

        fn joules(&self) -> Option<f64> {
            Some((self.0.elapsed().as_millis() / self.1 * self.1) as f64 * 0.05)
        }

        fn watts(&self) -> Option<f64> {
            None
        }
    }

    fn nap(_: usize) -> Result<(), String> {
        std::thread::sleep(Duration::from_millis(20));
        Ok(())
    }

    #[test]
    fn short_runs_are_repeated_until_the_window_is_full() {
        let meter = Fifty(Instant::now(), 10);
        let energy = repeated(&meter, 0.6, 0.1, nap).unwrap().unwrap();
        assert!(energy.runs > 10 && (energy.watts - 50.0).abs() < 10.0, "{energy:?}");
        assert!((energy.joules - energy.watts * energy.seconds).abs() < 1e-9 && energy.seconds >= 0.02);
        assert_eq!(repeated(&meter, 0.6, 0.1, |_| Err("no".to_string())), Err("no".to_string()));
    }

    #[test]
    fn the_window_follows_the_counter() {
        let fine = Gauge::of(&Fifty(Instant::now(), 5)).unwrap();
        assert!(fine.period < 0.02 && fine.window < 0.6 && fine.error() <= 0.0101, "{fine:?}");
        assert!((fine.idle_watts - 50.0).abs() < 10.0, "{fine:?}");
        let measured = fine.measure(&Fifty(Instant::now(), 5), nap).unwrap().unwrap();
        assert!((measured.watts - 50.0).abs() < 10.0, "{measured:?}");
    }

    #[test]
    fn a_slow_counter_needs_a_long_window() {
        let coarse = Gauge::of(&Fifty(Instant::now(), 100)).unwrap();
        assert!((coarse.period - 0.1).abs() < 0.03 && coarse.window > 0.7 && coarse.warm_up > 0.2, "{coarse:?}");
    }

    #[test]
    fn a_counter_that_stands_still_is_refused() {
        let stuck = Gauge::of(&Fifty(Instant::now(), 1 << 40)).unwrap_err();
        assert!(stuck.contains("fifty") && stuck.contains("less than twice"), "{stuck}");
    }
}
