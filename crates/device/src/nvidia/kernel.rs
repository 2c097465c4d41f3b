//! A kernel on the GPU: its module, what it needs, and how it is launched.

use std::ffi::CString;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{
    self, CUdevice_attribute, CUfunction, CUfunction_attribute as Attribute, CUlaunchAttribute, CUlaunchAttributeID,
    CUlaunchAttributeValue, CUmodule,
};

use super::context::Context;
use super::driver::{self, call};
use super::facts;
use super::graph::{self, WhileGraph};
use crate::{DeviceError, Kernel, Launch, Unit};

/// A module with one kernel, loaded.
pub(super) struct Loaded {
    module: CUmodule,
    function: CUfunction,
    /// Bytes of the one parameter; `None` where the driver cannot tell.
    parameter: Option<usize>,
    /// The graph of the last loop that launched it; the next one most likely is the same but for the arguments.
    repeated: Mutex<Option<WhileGraph>>,
    context: Arc<Context>,
}

// SAFETY: as for `Context`: the handles never change after `load`.
unsafe impl Send for Loaded {}
// SAFETY: as for `Send`.
unsafe impl Sync for Loaded {}

impl Loaded {
    /// Loads a cubin and asks what its kernel needs.
    pub fn load(context: &Arc<Context>, unit: &Unit, cubin: &[u8]) -> Result<Kernel, DeviceError> {
        let refused = |log: String| DeviceError::Compile { kernel: unit.name.clone(), log };
        let name = CString::new(unit.name.as_str()).map_err(|_| refused("its name has a zero byte".into()))?;
        // The driver waits for running kernels before it loads a module, and nobody could stop that: so the host
        // waits first.
        context.wait()?;
        let (mut module, mut function) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the place is valid; a cubin says itself how long it is, and those from the cache were checked to be
        // whole.
        unsafe { call!(cuModuleLoadData(&mut module, cubin.as_ptr().cast())) }?;
        let mut loaded =
            Loaded { module, function, parameter: None, repeated: Mutex::default(), context: Arc::clone(context) };
        // SAFETY: the module is loaded, the name ends with a zero, the place is valid.
        unsafe { call!(cuModuleGetFunction(&mut function, module, name.as_ptr())) }?;
        loaded.function = function;
        loaded.parameter = loaded.parameter_bytes()?;

        let registers = loaded.attribute(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?;
        let blocks = loaded.resident_blocks(unit.block)?;
        if blocks == 0 {
            let shared = loaded.attribute(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
            return Err(refused(format!(
                "a block of {} threads does not fit on a multiprocessor: {registers} registers per thread, {shared} bytes of \
                 shared memory",
                unit.block
            )));
        }
        loaded.leave_room_for_cache(blocks)?;
        // The sizes to which the driver rounds may leave too little shared memory for as many blocks as before.
        let blocks = loaded.resident_blocks(unit.block)?.clamp(1, blocks);
        Ok(Kernel {
            name: unit.name.as_str().into(),
            blocks_per_processor: blocks,
            registers,
            handle: Arc::new(loaded),
        })
    }

    /// Whether it was loaded in this context.
    pub fn is_of(&self, context: &Arc<Context>) -> bool {
        Arc::ptr_eq(&self.context, context)
    }

    /// Enqueues the kernel.
    ///
    /// # Safety
    /// `arguments` are bytes of the kernel's parameter type, and the addresses in them are good for what the kernel
    /// does with them.
    pub unsafe fn launch(&self, launch: Launch, arguments: &[u8]) -> Result<(), DeviceError> {
        let refused = |reason: String| Err(DeviceError::Call { call: "cuLaunchKernelEx", reason });
        if let Some(bytes) = self.parameter.filter(|&bytes| bytes != arguments.len()) {
            return refused(format!("the kernel takes {bytes} bytes of arguments, {} were given", arguments.len()));
        }
        self.context.enter()?;

        let mut attributes = Vec::new();
        if launch.cooperative {
            // SAFETY: integers and arrays of them may be all zero.
            let mut value: CUlaunchAttributeValue = unsafe { std::mem::zeroed() };
            value.cooperative = 1;
            attributes.push(attribute(CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_COOPERATIVE, value));
        }
        let config = sys::CUlaunchConfig {
            gridDimX: launch.grid,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: launch.block,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            hStream: self.context.stream(),
            attrs: attributes.as_mut_ptr(),
            numAttrs: attributes.len() as u32,
        };
        let mut parameters = [arguments.as_ptr().cast_mut().cast()];
        // SAFETY: the driver copies the parameter before it returns and does not write to it; it is as long as the
        // kernel's, see above, or by the caller's promise.
        unsafe { call!(cuLaunchKernelEx(&config, self.function, parameters.as_mut_ptr(), std::ptr::null_mut())) }
    }

    /// Enqueues the kernel to be launched until it sets its condition to zero. The handle of the condition is added
    /// to the arguments.
    ///
    /// # Safety
    /// As for [`Loaded::launch`], with the handle as the last member of the parameter type; the driver has
    /// conditional nodes.
    pub unsafe fn launch_while(&self, launch: Launch, arguments: &[u8]) -> Result<(), DeviceError> {
        let refused = |reason: String| Err(DeviceError::Call { call: "cuGraphLaunch", reason });
        let given = arguments.len() + graph::HANDLE_BYTES;
        if let Some(bytes) = self.parameter.filter(|&bytes| bytes != given) {
            return refused(format!("the kernel takes {bytes} bytes of arguments, {given} were given"));
        }
        let mut repeated = self.repeated.lock().unwrap_or_else(PoisonError::into_inner);
        let known = repeated.take().filter(|graph| graph.launch() == launch);
        // SAFETY: the caller's promise; the function lives as long as `self`, whose graphs go first.
        unsafe {
            let graph = match known {
                Some(graph) => graph.with_arguments(self.function, arguments)?,
                None => WhileGraph::new(&self.context, self.function, launch, arguments)?,
            };
            repeated.insert(graph).enqueue()
        }
    }

    /// Blocks of so many threads that a multiprocessor can hold at once.
    fn resident_blocks(&self, threads: u32) -> Result<u32, DeviceError> {
        let mut blocks = 0;
        // SAFETY: the function is loaded and the place valid.
        unsafe { call!(cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, self.function, threads as i32, 0)) }?;
        Ok(blocks.max(0) as u32)
    }

    fn attribute(&self, attribute: Attribute) -> Result<u32, DeviceError> {
        let mut value = 0;
        // SAFETY: the function is loaded and the place valid.
        unsafe { call!(cuFuncGetAttribute(&mut value, attribute, self.function)) }?;
        Ok(value.max(0) as u32)
    }

    /// One memory on the multiprocessor is divided into shared memory and the nearest cache. Left alone the driver
    /// gives the first more than the kernel can use; gathers from hot vertices live by the second.
    fn leave_room_for_cache(&self, blocks: u32) -> Result<(), DeviceError> {
        const RESERVED: u32 = 1024; // of every block, by the driver
        let of_processor = facts::attribute_of(
            self.context.device(),
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
        )?;
        let used = blocks * (self.attribute(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)? + RESERVED);
        let percent = (100 * used).div_ceil(of_processor.max(1)).min(100) as i32;
        let carveout = Attribute::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
        // SAFETY: the function is loaded.
        unsafe { call!(cuFuncSetAttribute(self.function, carveout, percent)) }
    }

    /// Drivers since CUDA 12.4 can tell.
    fn parameter_bytes(&self) -> Result<Option<usize>, DeviceError> {
        if !driver::has("cuFuncGetParamInfo") {
            return Ok(None);
        }
        let (mut offset, mut bytes) = (0, 0);
        // SAFETY: the function is loaded and the places are valid.
        match unsafe { sys::cuFuncGetParamInfo(self.function, 0, &mut offset, &mut bytes) } {
            // It has no parameters.
            sys::CUresult::CUDA_ERROR_INVALID_VALUE => Ok(Some(0)),
            result => driver::check("cuFuncGetParamInfo", result).map(|()| Some(bytes)),
        }
    }
}

fn attribute(id: CUlaunchAttributeID, value: CUlaunchAttributeValue) -> CUlaunchAttribute {
    CUlaunchAttribute { id, pad: [0; 4], value }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        *self.repeated.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
        if self.context.enter().is_ok() {
            // SAFETY: loaded in `load`; the driver waits for launches of it.
            let _ = unsafe { call!(cuModuleUnload(self.module)) };
        }
    }
}
