//! The meter that tells the energy of runs on a machine.

use gw_meter::Target;
use gw_meter::power::{EnergyMeter, meter_of};

use crate::error::CliError;

/// The meter of the machine of this name. The error names the option that asked for it, the cause and the mend.
pub fn meter(machine: &str, option: &str) -> Result<Box<dyn EnergyMeter>, CliError> {
    let found = match machine {
        "cuda" => meter_of(Target::Cuda),
        "swarm" => {
            Err("the machine is simulated, and only real ones draw power; take --target cpu or cuda".to_string())
        }
        _ => meter_of(Target::Cpu),
    };
    found.map_err(|reason| CliError::Usage(format!("{option}: the energy of {machine} cannot be metered: {reason}")))
}
