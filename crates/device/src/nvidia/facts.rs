//! What the driver tells about a GPU.

use std::ffi::CStr;

use cudarc::driver::sys::{self, CUdevice, CUdevice_attribute as Attribute};

use super::driver::{Version, call};
use crate::{DeviceError, Facts};

/// The oldest GPUs that the kernels are written for (Turing).
pub(super) const OLDEST_CAPABILITY: (u32, u32) = (7, 5);

/// The handle of a GPU by its number. The driver must be started.
pub(super) fn device(index: u32) -> Result<CUdevice, DeviceError> {
    let mut device = 0;
    // SAFETY: the place is valid for writes.
    unsafe { call!(cuDeviceGet(&mut device, index as i32)) }?;
    Ok(device)
}

/// Facts about a GPU. What only an opened device knows, the compiler, is left empty.
pub(super) fn read(device: CUdevice, driver: Version) -> Result<Facts, DeviceError> {
    let mut name = [0; 256];
    let mut memory = 0;
    // SAFETY: the places are valid for writes, `name` for as many bytes as told.
    unsafe {
        call!(cuDeviceGetName(name.as_mut_ptr(), name.len() as i32, device))?;
        call!(cuDeviceTotalMem_v2(&mut memory, device))?;
    }
    // SAFETY: the driver ends the name with a zero within the bytes it was told.
    let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
    let get = |attribute| attribute_of(device, attribute);
    let kilohertz = f64::from(get(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?);
    let bits = f64::from(get(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?);
    Ok(Facts {
        name,
        capability: (
            get(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            get(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ),
        processors: get(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        memory: memory as u64,
        cache: u64::from(get(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?),
        // Two transfers in a clock cycle.
        bandwidth: 2.0 * kilohertz * 1e3 * bits / 8.0,
        driver: format!("{}.{}", driver.0, driver.1),
        compiler: String::new(),
        cooperative: get(Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? != 0,
        repeats: super::driver::has_conditional_graphs(driver),
    })
}

/// An attribute of a GPU; those asked for are never negative.
pub(super) fn attribute_of(device: CUdevice, attribute: Attribute) -> Result<u32, DeviceError> {
    let mut value = 0;
    // SAFETY: the place is valid for writes.
    unsafe { call!(cuDeviceGetAttribute(&mut value, attribute, device)) }?;
    Ok(value.max(0) as u32)
}

/// The PCI address of a GPU, such as `0000:65:00.0`.
pub(super) fn pci_bus_id(device: CUdevice) -> Result<String, DeviceError> {
    let mut text = [0; 32];
    // SAFETY: the place is valid for writes of as many bytes as told.
    unsafe { call!(cuDeviceGetPCIBusId(text.as_mut_ptr(), text.len() as i32, device)) }?;
    // SAFETY: the driver ends the address with a zero within the bytes it was told.
    Ok(unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned())
}

/// Whether memory can be taken and given back in the order of a stream.
pub(super) fn has_pools(device: CUdevice) -> bool {
    attribute_of(device, sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED).is_ok_and(|has| has != 0)
}

/// Why kernels cannot be made for a GPU that is there, with what to do about it.
pub(super) fn obstacle(
    capability: (u32, u32),
    driver: Version,
    compiler: Version,
    architectures: &[u32],
) -> Option<String> {
    let ((major, minor), (oldest, oldest_minor)) = (capability, OLDEST_CAPABILITY);
    if capability < OLDEST_CAPABILITY {
        return Some(format!(
            "the GPU has compute capability {major}.{minor}; {oldest}.{oldest_minor} or newer is needed"
        ));
    }
    // A driver loads code of all minor versions of its own major version, and of older ones.
    if compiler.0 > driver.0 {
        return Some(format!(
            "the driver is too old for the compiler: it knows CUDA {}.{}, NVRTC is {}.{}; update the driver, or install \
             libnvrtc {} and name its file in GW_NVRTC",
            driver.0, driver.1, compiler.0, compiler.1, driver.0
        ));
    }
    if architecture(capability, architectures).is_none() {
        return Some(format!(
            "NVRTC {}.{} does not know GPUs of compute capability {major}.{minor}; install a newer libnvrtc (and driver), and \
             name its file in GW_NVRTC if it is not found",
            compiler.0, compiler.1
        ));
    }
    None
}

/// The architecture to compile for: that of the GPU, or the nearest older one of the same generation, whose code it
/// runs too.
pub(super) fn architecture(capability: (u32, u32), known: &[u32]) -> Option<u32> {
    let own = capability.0 * 10 + capability.1;
    known.iter().copied().filter(|&known| known / 10 == capability.0 && known <= own).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_architecture_is_taken() {
        let known = [75, 80, 86, 90, 100, 120];
        assert_eq!(architecture((9, 0), &known), Some(90));
        assert_eq!(architecture((8, 9), &known), Some(86));
        assert_eq!(architecture((12, 1), &known), Some(120));
        assert_eq!(architecture((11, 0), &known), None);
        assert_eq!(architecture((8, 9), &[90]), None);
    }

    #[test]
    fn obstacles_say_what_to_do() {
        let known = [75, 80, 90];
        assert_eq!(obstacle((9, 0), (13, 0), (13, 0), &known), None);
        // A newer minor version is fine, an older compiler is too.
        assert_eq!(obstacle((9, 0), (13, 0), (13, 4), &known), None);
        assert_eq!(obstacle((9, 0), (13, 0), (12, 4), &known), None);
        let old_driver = obstacle((9, 0), (12, 4), (13, 0), &known).unwrap();
        assert!(
            old_driver.contains("knows CUDA 12.4, NVRTC is 13.0") && old_driver.contains("libnvrtc 12"),
            "{old_driver}"
        );
        let new_gpu = obstacle((10, 3), (13, 0), (12, 4), &known).unwrap();
        assert!(new_gpu.contains("compute capability 10.3") && new_gpu.contains("newer libnvrtc"), "{new_gpu}");
        assert!(obstacle((7, 0), (13, 0), (13, 0), &known).unwrap().contains("7.5 or newer"));
    }
}
