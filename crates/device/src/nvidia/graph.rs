//! A loop as a CUDA graph: a conditional node whose body is one kernel, launched by the device while the kernel says
//! so.

use std::sync::Arc;

use cudarc::driver::sys::{
    self, CUDA_KERNEL_NODE_PARAMS, CUfunction, CUgraph, CUgraphConditionalHandle, CUgraphConditionalNodeType,
    CUgraphExec, CUgraphNode, CUgraphNodeParams, CUgraphNodeType, CUlaunchAttributeID, CUlaunchAttributeValue,
};

use super::context::Context;
use super::driver::call;
use crate::{DeviceError, Launch};

/// Bytes of the handle behind the arguments.
pub(super) const HANDLE_BYTES: usize = size_of::<CUgraphConditionalHandle>();

/// An instantiated graph.
pub(super) struct WhileGraph {
    graph: CUgraph,
    executable: CUgraphExec,
    kernel: CUgraphNode,
    handle: CUgraphConditionalHandle,
    launch: Launch,
    context: Arc<Context>,
}

// SAFETY: as for `Context`; the graph is changed only by who owns it.
unsafe impl Send for WhileGraph {}

impl WhileGraph {
    /// Makes the graph of a kernel.
    ///
    /// # Safety
    /// The driver has conditional nodes. The function outlives the graph. Its parameter type has the bytes of
    /// `arguments` and a handle.
    pub unsafe fn new(
        context: &Arc<Context>,
        function: CUfunction,
        launch: Launch,
        arguments: &[u8],
    ) -> Result<WhileGraph, DeviceError> {
        context.enter()?;
        let mut made = WhileGraph {
            graph: std::ptr::null_mut(),
            executable: std::ptr::null_mut(),
            kernel: std::ptr::null_mut(),
            handle: 0,
            launch,
            context: Arc::clone(context),
        };
        // SAFETY: all places are valid for writes, the context is current and the parameters live until the calls
        // return, which copy them. `made` gives back on drop what was made until an error.
        unsafe {
            call!(cuGraphCreate(&mut made.graph, 0))?;
            // Every launch of the graph begins with 1: the kernel itself finds out whether there is anything to do.
            let assigned = sys::CU_GRAPH_COND_ASSIGN_DEFAULT;
            call!(cuGraphConditionalHandleCreate(&mut made.handle, made.graph, context.handle(), 1, assigned))?;
            let mut node: CUgraphNodeParams = std::mem::zeroed();
            node.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_CONDITIONAL;
            node.__bindgen_anon_1.conditional = sys::CUDA_CONDITIONAL_NODE_PARAMS {
                handle: made.handle,
                type_: CUgraphConditionalNodeType::CU_GRAPH_COND_TYPE_WHILE,
                size: 1,
                phGraph_out: std::ptr::null_mut(),
                ctx: context.handle(),
            };
            let (mut conditional, none) = (std::ptr::null_mut(), std::ptr::null());
            call!(cuGraphAddNode_v2(&mut conditional, made.graph, none, std::ptr::null(), 0, &mut node))?;
            // The driver owns the body, and the array that holds it.
            let bodies = node.__bindgen_anon_1.conditional.phGraph_out;
            if bodies.is_null() {
                let reason = "the conditional node has no body".to_string();
                return Err(DeviceError::Call { call: "cuGraphAddNode_v2", reason });
            }
            let bytes = made.with_handle(arguments);
            let mut parameter = [bytes.as_ptr().cast_mut().cast()];
            let params = made.params(function, &mut parameter);
            call!(cuGraphAddKernelNode_v2(&mut made.kernel, *bodies, std::ptr::null(), 0, &params))?;
            if launch.cooperative {
                let mut value: CUlaunchAttributeValue = std::mem::zeroed();
                value.cooperative = 1;
                let attribute = CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
                call!(cuGraphKernelNodeSetAttribute(made.kernel, attribute, &value))?;
            }
            call!(cuGraphInstantiateWithFlags(&mut made.executable, made.graph, 0))?;
        }
        Ok(made)
    }

    /// How its kernel is launched.
    pub fn launch(&self) -> Launch {
        self.launch
    }

    /// The same graph with other arguments for its kernel. Launches enqueued before keep theirs.
    ///
    /// # Safety
    /// As for [`WhileGraph::new`], with the same function.
    pub unsafe fn with_arguments(self, function: CUfunction, arguments: &[u8]) -> Result<WhileGraph, DeviceError> {
        self.context.enter()?;
        let bytes = self.with_handle(arguments);
        let mut parameter = [bytes.as_ptr().cast_mut().cast()];
        let params = self.params(function, &mut parameter);
        // SAFETY: the node is one of the graph, and the parameters live until the call returns.
        unsafe { call!(cuGraphExecKernelNodeSetParams_v2(self.executable, self.kernel, &params)) }?;
        Ok(self)
    }

    /// Enqueues it.
    pub fn enqueue(&self) -> Result<(), DeviceError> {
        self.context.enter()?;
        // SAFETY: graph and stream are alive, and `drop` waits for the launch.
        unsafe { call!(cuGraphLaunch(self.executable, self.context.stream())) }
    }

    fn with_handle(&self, arguments: &[u8]) -> Vec<u8> {
        [arguments, &self.handle.to_ne_bytes()].concat()
    }

    fn params(&self, function: CUfunction, parameter: &mut [*mut std::ffi::c_void; 1]) -> CUDA_KERNEL_NODE_PARAMS {
        CUDA_KERNEL_NODE_PARAMS {
            func: function,
            gridDimX: self.launch.grid,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: self.launch.block,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            kernelParams: parameter.as_mut_ptr(),
            extra: std::ptr::null_mut(),
            kern: std::ptr::null_mut(),
            ctx: std::ptr::null_mut(),
        }
    }
}

impl Drop for WhileGraph {
    fn drop(&mut self) {
        // It may still run. Nobody is left to tell of an error.
        if self.context.wait().is_err() {
            return;
        }
        // SAFETY: made in `new`, and nothing uses them any more.
        unsafe {
            if !self.executable.is_null() {
                let _ = call!(cuGraphExecDestroy(self.executable));
            }
            if !self.graph.is_null() {
                let _ = call!(cuGraphDestroy(self.graph));
            }
        }
    }
}
