//! Priority update: how vertices move between the buckets of a priority queue.

use crate::value::word_axis;

word_axis! {
    /// How vertices move between the buckets of a priority queue.
    PriorityUpdate {
        Lazy = "lazy": "collect the changed vertices, move them between rounds",
        Eager = "eager": "each thread keeps its own buckets and moves vertices at once",
        EagerWithMerge = "eager-with-merge": "as eager; a thread drains its own small current bucket without waiting",
        ConstantSum = "constant-sum": "count the incident frontier edges per vertex, apply the constant sum once",
        NearFar = "near-far": "two queues: the open window and everything beyond it",
    }
}

impl PriorityUpdate {
    /// Whether the whole loop becomes one ordered-processing operator.
    pub fn is_eager(self) -> bool {
        matches!(self, PriorityUpdate::Eager | PriorityUpdate::EagerWithMerge)
    }
}
