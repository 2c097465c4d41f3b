//! The energy of a run, where a meter can tell it.

use std::time::{Duration, Instant};

use graphwright::Error;
use graphwright::schedule::{Compiled, Wanted};
use gw_exec::GraphVm;
use gw_meter::Target;
use gw_meter::power::{meter_of, recorded};
use serde::Serialize;

use crate::error::Result;
use crate::subject::Subject;

/// Seconds of repeated runs: meters count in steps of up to 100 ms.
const WINDOW: Duration = Duration::from_millis(1500);
/// Seconds at the begin of the window that do not count: the device goes from rest to work.
const WARM_UP: f64 = 0.3;

/// The energy of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunEnergy {
    /// Joules of a run, idle power included; `None` where no meter tells.
    pub joules: Option<f64>,
    /// Mean power in watts while the run was repeated.
    pub watts: Option<f64>,
    /// The meter, or why there is none.
    pub meter: String,
}

/// Repeats a run while the meter of the machine is read.
pub(crate) fn energy(subject: &Subject, wanted: &Wanted, machine: &dyn GraphVm, target: Target) -> Result<RunEnergy> {
    let meter = match meter_of(target) {
        Ok(meter) => meter,
        Err(why) => return Ok(RunEnergy { joules: None, watts: None, meter: why }),
    };
    let mut options = subject.options();
    options.fetch_results = false;
    let Compiled { mut program, .. } = subject.program().compile(wanted, machine, &options)?;
    let (ran, trace) = recorded(&*meter, || {
        let begin = Instant::now();
        let mut runs = 0u32;
        while begin.elapsed() < WINDOW || runs == 0 {
            program.run(&options)?;
            runs += 1;
        }
        Ok((runs, begin.elapsed().as_secs_f64()))
    });
    let (runs, seconds) = ran.map_err(|error| Error::Run { error, file: subject.program().file().clone() })?;
    let watts = trace.watts(WARM_UP).map(|watts| watts.median);
    let joules = watts.map(|watts| watts * seconds / f64::from(runs));
    Ok(RunEnergy { joules, watts, meter: meter.name() })
}
