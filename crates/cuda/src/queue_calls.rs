//! What programs ask of priority queues on the device: a kernel each.

use gw_exec::{Environment, ErrorKind, Queue, QueueSpec, QueueState, Result, Value, VertexSet};
use gw_ir::source::Span;

use crate::bindings::Bindings;
use crate::codegen::inputs::Source;
use crate::codegen::region::Outcome;
use crate::error::exec_error;
use crate::executable::{CudaExecutable, Key};
use crate::kernels::{self, QueueTask};
use crate::prepared::Loaded;
use crate::queue::{DeviceQueue, REPORTED, is_near_far};

/// What a kernel for a queue found.
pub(crate) struct QueueOutcome {
    pub(crate) set: Option<VertexSet>,
    pub(crate) flag: bool,
}

impl CudaExecutable {
    /// A new queue with the vertices that have a priority.
    pub(crate) fn made_queue(&mut self, spec: &QueueSpec) -> Result<Box<dyn QueueState>> {
        let state = DeviceQueue::new(&self.context.device, spec)?;
        let queue = Queue::new(spec.clone(), Box::new(state));
        if !spec.priorities.is_empty() {
            self.queue_kernel(QueueTask::Fill, &queue, None, 0)?;
        }
        // The state moves from this queue to the one that the executor makes.
        let mut state = queue.state();
        let own = state.as_any().downcast_mut::<DeviceQueue>();
        let own = own.ok_or_else(|| ErrorKind::Malformed("a queue of another machine".into()))?;
        let moved = own.moved(&self.context.device)?;
        Ok(Box::new(moved))
    }

    /// The best bucket.
    pub(crate) fn dequeued(&mut self, queue: &Queue) -> Result<VertexSet> {
        if queue.spec().priorities.is_empty() {
            return Ok(VertexSet::empty());
        }
        let outcome = self.queue_kernel(QueueTask::Dequeue, queue, None, crate::bindings::EMPTY)?;
        Ok(outcome.set.unwrap_or_else(VertexSet::empty))
    }

    /// Whether nothing is left in a queue.
    pub(crate) fn is_finished(&mut self, queue: &Queue) -> Result<bool> {
        self.settle()?;
        let mut state = queue.state();
        let own = state.as_any().downcast_mut::<DeviceQueue>();
        let own = own.ok_or_else(|| ErrorKind::Malformed("a queue of another machine".into()))?;
        let mut word = [0; 8];
        self.context.device.download(&mut word, own.cells.address()).map_err(exec_error)?;
        Ok(u64::from_ne_bytes(word) == own.taken)
    }

    /// Runs a kernel for a queue; returns the place and forms of its set.
    pub(crate) fn queue_kernel(
        &mut self,
        task: QueueTask,
        queue: &Queue,
        set: Option<&VertexSet>,
        vertex: i32,
    ) -> Result<QueueOutcome> {
        let scalar = queue.spec().priorities.scalar();
        let near_far = is_near_far(queue.spec());
        let key = Key::Queue(task, scalar, near_far);
        let loaded = self.loaded(key, |_, _| Ok(kernels::queue(task, scalar, near_far)))?;
        let vertices = queue.spec().priorities.len();
        let mut bindings = Bindings::new(vertices);
        match set {
            Some(set) => self.bind_set(&mut bindings, &"set".into(), set, vertices)?,
            None => bindings.scalar("set".into(), u64::from(vertex as u32)),
        }
        let mut state = queue.state();
        let device_queue = state.as_any().downcast_mut::<DeviceQueue>();
        let device_queue = device_queue.ok_or_else(|| ErrorKind::Malformed("a queue of another machine".into()))?;
        let priorities = self.vectors.for_reading(&queue.spec().priorities)?;
        let near = device_queue.near.take();
        bindings.queue("queue".into(), device_queue, priorities, near);
        let mut outcomes = self.launcher.launch(&loaded, &mut bindings, &mut self.vectors, None)?;
        let words = self.collect(&outcomes, Span::NONE)?;
        outcomes.read(&loaded.code, &words);
        device_queue.note(&words);
        device_queue.near =
            outcomes.near_set(&self.context, &self.launcher.spares, words[1] as u32 as i32, &mut bindings)?;
        let place = words[REPORTED] as u32 as i32;
        let set = match task {
            QueueTask::Dequeue => Some(match place {
                p if p >= 8 => bindings.take_near(p, &self.context, &self.launcher.spares)?,
                p => self.set_at(&mut outcomes, p, vertices)?,
            }),
            _ => None,
        };
        outcomes.give_back(&self.launcher.spares);
        Ok(QueueOutcome { set, flag: place != 0 })
    }

    /// The queues that code names, by their global variables.
    pub(crate) fn bind_queues(&mut self, loaded: &Loaded, bindings: &mut Bindings, env: &Environment) -> Result<()> {
        for input in &loaded.code.inputs {
            let Source::Queue(name) = &input.source else { continue };
            let Some(Value::Queue(queue)) = env.global(name) else {
                return Err(ErrorKind::Unset { name: name.to_string() }.into());
            };
            let priorities = self.vectors.for_reading(&queue.spec().priorities)?;
            let mut state = queue.state();
            let own = state.as_any().downcast_mut::<DeviceQueue>();
            let own = own.ok_or_else(|| ErrorKind::Malformed("a queue of another machine".into()))?;
            // Only a loop moves vertices between buckets; an operator asks for the open one.
            let near = match loaded.code.outcomes.iter().any(|o| matches!(o, Outcome::Queue(n) if n == name)) {
                true => own.near.take(),
                false => None,
            };
            bindings.queue(name.clone(), own, priorities, near);
        }
        Ok(())
    }
}
