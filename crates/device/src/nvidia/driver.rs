//! The CUDA driver library: whether it is there, whether it has what is needed, and its errors as ours.
//!
//! `cudarc` loads `libcuda` on first use and panics when the library or a function is missing. So [`start`] looks
//! first, and nothing else in this crate calls the driver before it has succeeded.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;

use cudarc::driver::sys::{self, CUresult};

use crate::DeviceError;

/// A version of CUDA, major before minor.
pub type Version = (u32, u32);

/// The library as installed by drivers.
const LIBRARY: &str = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" };

/// The oldest driver that has all of [`NEEDED`].
const OLDEST: &str = "12.0";

/// Every function of the driver that this crate calls, but for the optional ones. A test compares it with the calls.
const NEEDED: &[&str] = &[
    "cuCtxSetCurrent",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDeviceGetPCIBusId",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDeviceTotalMem_v2",
    "cuDriverGetVersion",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventQuery",
    "cuEventRecord",
    "cuFuncGetAttribute",
    "cuFuncSetAttribute",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuInit",
    "cuLaunchKernelEx",
    "cuMemAllocFromPoolAsync",
    "cuMemAlloc_v2",
    "cuMemFreeAsync",
    "cuMemFreeHost",
    "cuMemFree_v2",
    "cuMemGetInfo_v2",
    "cuMemHostAlloc",
    "cuMemPoolCreate",
    "cuMemPoolDestroy",
    "cuMemPoolGetAttribute",
    "cuMemPoolSetAttribute",
    "cuMemPoolTrimTo",
    "cuMemcpyDtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemsetD32Async",
    "cuMemsetD8Async",
    "cuModuleGetFunction",
    "cuModuleLoadData",
    "cuModuleUnload",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamQuery",
];

/// What loops as graphs need besides; drivers since CUDA 12.4 have it.
const FOR_GRAPHS: &[&str] = &[
    "cuGraphAddKernelNode_v2",
    "cuGraphAddNode_v2",
    "cuGraphConditionalHandleCreate",
    "cuGraphCreate",
    "cuGraphDestroy",
    "cuGraphExecDestroy",
    "cuGraphExecKernelNodeSetParams_v2",
    "cuGraphInstantiateWithFlags",
    "cuGraphKernelNodeSetAttribute",
    "cuGraphLaunch",
];

/// Calls a function of the driver and checks what it returns. To be used in `unsafe`, as the function itself.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        $crate::nvidia::driver::check(
            stringify!($function),
            $crate::nvidia::calls::timed(stringify!($function), || cudarc::driver::sys::$function($($argument),*)),
        )
    };
}
pub(super) use call;

/// Loads and starts the driver, once; returns its version of CUDA.
pub fn start() -> Result<Version, DeviceError> {
    static STARTED: OnceLock<Result<Version, DeviceError>> = OnceLock::new();
    STARTED.get_or_init(try_start).clone()
}

/// Loads the driver's library, once.
pub(super) fn load() -> Result<(), DeviceError> {
    static LOADED: OnceLock<Result<(), DeviceError>> = OnceLock::new();
    LOADED.get_or_init(try_load).clone()
}

fn try_load() -> Result<(), DeviceError> {
    // `cudarc` loads the library to see whether it is there, lets it go, and loads it again. Kept here, the library is
    // loaded once.
    // SAFETY: loading libcuda runs its initialisers, which are made for that.
    if let Ok(library) = unsafe { libloading::Library::new(LIBRARY) } {
        std::mem::forget(library);
    }
    // SAFETY: as above.
    if !unsafe { sys::is_culib_present() } {
        return Err(DeviceError::Missing(
            "no CUDA driver: the library libcuda was not found; install the NVIDIA driver (in a container, start it \
             with GPU access)"
                .into(),
        ));
    }
    if let Some(missing) = NEEDED.iter().find(|name| !has(name)) {
        return Err(too_old(missing));
    }
    if elapsed_time().is_none() {
        return Err(too_old("cuEventElapsedTime"));
    }
    Ok(())
}

fn try_start() -> Result<Version, DeviceError> {
    load()?;
    // SAFETY: the functions are there, see above; the arguments are as documented.
    let started = super::calls::timed("cuInit", || unsafe { sys::cuInit(0) });
    if started != CUresult::CUDA_SUCCESS {
        return Err(DeviceError::Missing(not_started(started)));
    }
    let mut version = 0;
    // SAFETY: the place is valid for writes.
    unsafe { call!(cuDriverGetVersion(&mut version)) }?;
    Ok((version as u32 / 1000, version as u32 % 1000 / 10))
}

fn too_old(function: &str) -> DeviceError {
    DeviceError::Missing(format!(
        "the CUDA driver is too old: it has no {function}; install an NVIDIA driver of CUDA {OLDEST} or newer"
    ))
}

fn not_started(result: CUresult) -> String {
    let mend = match result {
        CUresult::CUDA_ERROR_NO_DEVICE => "look at `nvidia-smi` and at CUDA_VISIBLE_DEVICES",
        CUresult::CUDA_ERROR_STUB_LIBRARY => {
            "libcuda is the empty library for linking that comes with the toolkit; take its folder out of LD_LIBRARY_PATH"
        }
        CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => {
            "libcuda and the kernel module are of different versions; restart the computer after a driver update"
        }
        CUresult::CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE => {
            "the forward-compatibility libcuda does not work with this GPU; use the one of the installed driver"
        }
        _ => "look at `nvidia-smi`",
    };
    format!("the CUDA driver does not start: {}; {mend}", describe(result))
}

/// Whether graphs can have conditional nodes. The library must be present.
pub(super) fn has_conditional_graphs(version: Version) -> bool {
    version >= (12, 4) && FOR_GRAPHS.iter().all(|name| has(name))
}

/// Whether the driver has a function. The library must be present.
pub(super) fn has(function: &str) -> bool {
    // SAFETY: the symbol is looked up, not used.
    unsafe { sys::culib().get::<*mut c_void>(function) }.is_ok()
}

type ElapsedTime = unsafe extern "C" fn(*mut f32, sys::CUevent, sys::CUevent) -> CUresult;

/// `cuEventElapsedTime` under the name that this driver has; `cudarc` knows only the newer one.
fn elapsed_time() -> Option<ElapsedTime> {
    static FUNCTION: OnceLock<Option<ElapsedTime>> = OnceLock::new();
    *FUNCTION.get_or_init(|| {
        let names = ["cuEventElapsedTime_v2", "cuEventElapsedTime"];
        // SAFETY: both have this type, and the library is never unloaded.
        names.into_iter().find_map(|name| unsafe { sys::culib().get::<ElapsedTime>(name) }.ok().map(|f| *f))
    })
}

/// Milliseconds between two events that have happened.
///
/// # Safety
/// The events are alive and record time.
pub(super) unsafe fn milliseconds(from: sys::CUevent, to: sys::CUevent) -> Result<f32, DeviceError> {
    let Some(function) = elapsed_time() else { return Err(too_old("cuEventElapsedTime")) };
    let mut milliseconds = 0.0;
    // SAFETY: the caller's promise.
    check("cuEventElapsedTime", unsafe { function(&mut milliseconds, from, to) })?;
    Ok(milliseconds)
}

/// An error when a call did not succeed.
pub(super) fn check(call: &'static str, result: CUresult) -> Result<(), DeviceError> {
    match result {
        CUresult::CUDA_SUCCESS => Ok(()),
        result => Err(DeviceError::Call { call, reason: describe(result) }),
    }
}

/// The name of an error and what the driver says about it.
fn describe(result: CUresult) -> String {
    let text = |function: unsafe fn(CUresult, *mut *const c_char) -> CUresult| {
        let mut text = std::ptr::null();
        // SAFETY: the driver gives a string that lives as long as the library, or null for codes it does not know.
        unsafe {
            function(result, &mut text);
            (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
        }
    };
    match (text(sys::cuGetErrorName), text(sys::cuGetErrorString)) {
        (Some(name), Some(text)) => format!("{name}: {text}"),
        _ => format!("error {}", result as u32),
    }
}

/// How many GPUs there are. The driver must be started.
pub(super) fn device_count() -> Result<u32, DeviceError> {
    let mut count: c_int = 0;
    // SAFETY: the place is valid for writes.
    unsafe { call!(cuDeviceGetCount(&mut count)) }?;
    Ok(count.max(0) as u32)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{FOR_GRAPHS, NEEDED};

    /// A function that is called but not looked for would panic inside `cudarc` with an old driver.
    #[test]
    fn all_calls_are_looked_for() {
        let sources = [
            include_str!("context.rs"),
            include_str!("driver.rs").split("#[cfg(test)]").next().unwrap(),
            include_str!("facts.rs"),
            include_str!("graph.rs"),
            include_str!("kernel.rs"),
            include_str!("memory.rs"),
            include_str!("mod.rs"),
            include_str!("staging.rs"),
            include_str!("survey.rs"),
        ];
        let mut called = BTreeSet::new();
        for source in sources {
            for marker in ["call!(cu", "sys::cu"] {
                for (at, _) in source.match_indices(marker) {
                    let name: String = source[at + marker.len() - 2..]
                        .chars()
                        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                        .collect();
                    called.insert(name);
                }
            }
        }
        for not_a_call in ["culib", "cuFuncGetParamInfo"] {
            assert!(called.remove(not_a_call), "{not_a_call}");
        }
        assert_eq!(called, NEEDED.iter().chain(FOR_GRAPHS).map(|name| name.to_string()).collect());
    }
}
