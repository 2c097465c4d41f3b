//! What a simulation counts.

use serde::Serialize;

use super::hierarchy::MemoryCounts;

/// What the cores did with their cycles. The parts add up to cores times cycles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CoreCycles {
    /// Running tasks that committed.
    pub committed: u64,
    /// Running tasks that were aborted, and rolling them back.
    pub aborted: u64,
    /// Moving tasks between task queues and memory.
    pub spill: u64,
    /// Waiting with a finished task for room in the commit queue.
    pub stalled_commit: u64,
    /// Waiting with a child for room in the task send buffer.
    pub stalled_send: u64,
    /// Nothing to do.
    pub empty: u64,
}

impl CoreCycles {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.committed + self.aborted + self.spill + self.stalled_commit + self.stalled_send + self.empty
    }
}

/// Bytes times hops in the mesh.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Traffic {
    /// Lines and requests for them.
    pub memory: u64,
    /// Tasks on their way and their acknowledgements.
    pub tasks: u64,
    /// Minima of virtual time.
    pub gvt: u64,
    /// Words about aborted tasks.
    pub aborts: u64,
}

/// What happened to tasks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct TaskCounts {
    /// Committed.
    pub committed: u64,
    /// Runs undone because an earlier task touched the same line.
    pub aborted_data: u64,
    /// Runs undone to make room for an earlier task.
    pub aborted_room: u64,
    /// Runs undone because a Bloom filter erred.
    pub aborted_false: u64,
    /// Tasks thrown away with their parents.
    pub discarded: u64,
    /// Tasks moved to memory.
    pub spilled: u64,
    /// Tasks that a full task queue refused, each time counted.
    pub refused: u64,
    /// Tasks that a full task queue took in the end, over its capacity, so that their parents could finish.
    pub over_capacity: u64,
}

/// Everything that was counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Stats {
    /// Cycles from the first task to the last commit.
    pub cycles: u64,
    /// Operations executed, those of aborted tasks included.
    pub instructions: u64,
    /// The cores.
    pub cores: CoreCycles,
    /// The tasks.
    pub tasks: TaskCounts,
    /// The memory.
    pub memory: MemoryCounts,
    /// The mesh.
    pub traffic: Traffic,
    /// Samples of queue lengths, one per tile and minimum of virtual time.
    pub samples: u64,
    /// Sum of the task-queue entries over the samples.
    pub task_queue_sum: u64,
    /// Sum of the commit-queue entries over the samples.
    pub commit_queue_sum: u64,
}

impl Stats {
    /// Mean entries of a task queue.
    pub fn mean_task_queue(&self) -> f64 {
        self.task_queue_sum as f64 / self.samples.max(1) as f64
    }

    /// Mean entries of a commit queue.
    pub fn mean_commit_queue(&self) -> f64 {
        self.commit_queue_sum as f64 / self.samples.max(1) as f64
    }

    /// Runs of tasks that were undone.
    pub fn aborts(&self) -> u64 {
        self.tasks.aborted_data + self.tasks.aborted_room + self.tasks.aborted_false
    }
}
