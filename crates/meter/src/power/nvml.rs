//! Energy, power and clocks of an NVIDIA GPU, by NVIDIA's management library.
//!
//! The library comes with the driver and is loaded when it is first asked for. Six functions of it are needed, so
//! they are called here and not through a binding of all of them.

use std::ffi::{CString, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::sync::Arc;

use libloading::Library;

use super::EnergyMeter;

const NAMES: &[&str] = if cfg!(windows) { &["nvml.dll"] } else { &["libnvidia-ml.so.1", "libnvidia-ml.so"] };
/// `NVML_SUCCESS`.
const SUCCESS: c_int = 0;
/// `NVML_CLOCK_SM` and `NVML_CLOCK_MEM`.
const CLOCK_SM: c_uint = 1;
const CLOCK_MEMORY: c_uint = 2;
/// `NVML_FI_DEV_POWER_INSTANT`: the power now, where `nvmlDeviceGetPowerUsage` is a mean over a second.
const POWER_INSTANT: c_uint = 186;
/// `NVML_VALUE_TYPE_UNSIGNED_INT`.
const TYPE_UNSIGNED: c_uint = 1;

type Handle = *mut c_void;

/// `nvmlFieldValue_t`.
#[repr(C)]
#[derive(Clone, Copy)]
struct FieldValue {
    field: c_uint,
    scope: c_uint,
    timestamp: i64,
    latency: i64,
    value_type: c_uint,
    outcome: c_int,
    value: u64,
}

struct Functions {
    shutdown: unsafe extern "C" fn() -> c_int,
    energy: unsafe extern "C" fn(Handle, *mut c_ulonglong) -> c_int,
    power: unsafe extern "C" fn(Handle, *mut c_uint) -> c_int,
    fields: unsafe extern "C" fn(Handle, c_int, *mut FieldValue) -> c_int,
    clock: unsafe extern "C" fn(Handle, c_uint, *mut c_uint) -> c_int,
    temperature: unsafe extern "C" fn(Handle, c_uint, *mut c_uint) -> c_int,
    throttle: Option<unsafe extern "C" fn(Handle, *mut c_ulonglong) -> c_int>,
    _library: Library,
}

/// The board of one GPU. Clones are about the same board.
#[derive(Clone)]
pub struct Nvml {
    functions: Arc<Functions>,
    handle: Handle,
}

// SAFETY: the library may be called from all threads, and the handle of a board is a name that never changes.
unsafe impl Send for Nvml {}
// SAFETY: as for `Send`.
unsafe impl Sync for Nvml {}

/// Clocks and temperature of a GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GpuState {
    /// Clock of the multiprocessors in MHz.
    pub sm_mhz: u32,
    /// Clock of the memory in MHz.
    pub memory_mhz: u32,
    /// Temperature of the chip in degrees Celsius.
    pub celsius: u32,
    /// Why clocks are below their highest, as the bits of `nvmlClocksEventReasons`; 0 when nothing holds them back.
    pub held_back: u64,
}

impl Nvml {
    /// The board of the GPU that the CUDA machine opens, or why it cannot be asked.
    pub fn open() -> Result<Nvml, String> {
        #[cfg(feature = "cuda")]
        let bus = gw_device::nvidia::pci_bus_id().map_err(|error| error.to_string())?;
        #[cfg(not(feature = "cuda"))]
        let bus = String::new();
        Nvml::of_bus(&bus)
    }

    /// The board at a PCI address such as `0000:65:00.0`; the first board when the address is empty.
    pub fn of_bus(bus: &str) -> Result<Nvml, String> {
        let missing = |error: libloading::Error| {
            format!("NVIDIA's management library cannot be used; the NVIDIA driver installs it: {error}")
        };
        // SAFETY: loading the library runs its initialisers, which are made for that.
        let open = |name: &&str| unsafe { Library::new(*name) };
        let library = NAMES.iter().map(open).reduce(|one, other| one.or(other));
        let library = library.ok_or("no library is named")?.map_err(missing)?;
        // SAFETY: the types are those of nvml.h.
        unsafe {
            let start: unsafe extern "C" fn() -> c_int = *library.get(b"nvmlInit_v2").map_err(missing)?;
            let by_bus: unsafe extern "C" fn(*const c_char, *mut Handle) -> c_int =
                *library.get(b"nvmlDeviceGetHandleByPciBusId_v2").map_err(missing)?;
            let by_index: unsafe extern "C" fn(c_uint, *mut Handle) -> c_int =
                *library.get(b"nvmlDeviceGetHandleByIndex_v2").map_err(missing)?;
            let functions = Functions {
                shutdown: *library.get(b"nvmlShutdown").map_err(missing)?,
                energy: *library.get(b"nvmlDeviceGetTotalEnergyConsumption").map_err(missing)?,
                power: *library.get(b"nvmlDeviceGetPowerUsage").map_err(missing)?,
                fields: *library.get(b"nvmlDeviceGetFieldValues").map_err(missing)?,
                clock: *library.get(b"nvmlDeviceGetClockInfo").map_err(missing)?,
                temperature: *library.get(b"nvmlDeviceGetTemperature").map_err(missing)?,
                throttle: library.get(b"nvmlDeviceGetCurrentClocksThrottleReasons").ok().map(|found| *found),
                _library: library,
            };
            checked("nvmlInit_v2", start())?;
            let functions = Arc::new(functions);
            let mut handle = std::ptr::null_mut();
            if bus.is_empty() {
                checked("nvmlDeviceGetHandleByIndex_v2", by_index(0, &mut handle))?;
            } else {
                let text = CString::new(bus).map_err(|_| "the PCI address has a zero byte".to_string())?;
                checked("nvmlDeviceGetHandleByPciBusId_v2", by_bus(text.as_ptr(), &mut handle))?;
            }
            let nvml = Nvml { functions, handle };
            nvml.energy()?;
            Ok(nvml)
        }
    }

    fn energy(&self) -> Result<f64, String> {
        let mut millijoules = 0;
        // SAFETY: the handle is that of a board, the place is valid for writes.
        let outcome = unsafe { (self.functions.energy)(self.handle, &mut millijoules) };
        checked("nvmlDeviceGetTotalEnergyConsumption", outcome).map(|()| millijoules as f64 * 1e-3)
    }

    /// Clocks and temperature now.
    pub fn state(&self) -> Option<GpuState> {
        let number = |call: &dyn Fn(*mut c_uint) -> c_int| {
            let mut value = 0;
            (call(&mut value) == SUCCESS).then_some(value)
        };
        let f = &self.functions;
        let mut held_back = 0;
        if let Some(throttle) = f.throttle {
            // SAFETY: as in `energy`.
            unsafe { throttle(self.handle, &mut held_back) };
        }
        Some(GpuState {
            // SAFETY: as in `energy`.
            sm_mhz: number(&|to| unsafe { (f.clock)(self.handle, CLOCK_SM, to) })?,
            // SAFETY: as in `energy`.
            memory_mhz: number(&|to| unsafe { (f.clock)(self.handle, CLOCK_MEMORY, to) })?,
            // SAFETY: as in `energy`.
            celsius: number(&|to| unsafe { (f.temperature)(self.handle, 0, to) })?,
            held_back,
        })
    }
}

impl EnergyMeter for Nvml {
    fn name(&self) -> String {
        "NVML energy counter of the board".to_string()
    }

    fn joules(&self) -> Option<f64> {
        self.energy().ok()
    }

    fn watts(&self) -> Option<f64> {
        let mut field = FieldValue {
            field: POWER_INSTANT,
            scope: 0,
            timestamp: 0,
            latency: 0,
            value_type: 0,
            outcome: -1,
            value: 0,
        };
        // SAFETY: the handle is that of a board; one field is asked for and one is there.
        let asked = unsafe { (self.functions.fields)(self.handle, 1, &mut field) };
        if asked == SUCCESS && field.outcome == SUCCESS && field.value_type == TYPE_UNSIGNED {
            // The union's first four bytes hold the unsigned number.
            return Some(f64::from(field.value as u32) * 1e-3);
        }
        let mut milliwatts = 0;
        // SAFETY: as in `energy`.
        let outcome = unsafe { (self.functions.power)(self.handle, &mut milliwatts) };
        (outcome == SUCCESS).then(|| f64::from(milliwatts) * 1e-3)
    }
}

impl Drop for Functions {
    fn drop(&mut self) {
        // SAFETY: started once for these functions, and nobody holds a handle any more.
        unsafe { (self.shutdown)() };
    }
}

/// An error in words for the outcome of a call.
fn checked(call: &str, outcome: c_int) -> Result<(), String> {
    match outcome {
        SUCCESS => Ok(()),
        3 => {
            Err(format!("{call}: this GPU does not support it (counters of energy begin with the Volta family, 2017)"))
        }
        4 => Err(format!("{call}: not permitted; run as root")),
        9 => Err(format!("{call}: the NVIDIA driver is not loaded")),
        other => Err(format!("{call}: error {other} of NVML")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a computer with a GPU the counter rises; without one it must be an error that says so, and no crash.
    #[test]
    fn a_missing_library_is_explained() {
        match Nvml::of_bus("") {
            Ok(nvml) => assert!(nvml.joules().is_some_and(|joules| joules >= 0.0)),
            Err(reason) => assert!(reason.contains("management library") || reason.contains("nvml"), "{reason}"),
        }
        assert_eq!(size_of::<FieldValue>(), 40);
    }
}
