//! The energy of a run in a row of measurements, by a meter of the machine that computes.

use gw_meter::power::{EnergyMeter, repeated};

/// The energy of a run.
pub use gw_meter::power::RunEnergy as RowEnergy;

/// Seconds of repeated runs, after which power is taken to be known.
const WINDOW: f64 = 1.5;
/// Seconds at the begin of the window that do not count: the device goes from rest to work.
const WARM_UP: f64 = 0.3;

/// Repeats a run while the meter is read; `run` is told the number of the repetition. `None` where the meter told too
/// little; an error ends the repetitions.
pub(crate) fn metered<E>(
    meter: &dyn EnergyMeter,
    run: impl FnMut(usize) -> Result<(), E>,
) -> Result<Option<RowEnergy>, E> {
    repeated(meter, WINDOW, WARM_UP, run)
}
