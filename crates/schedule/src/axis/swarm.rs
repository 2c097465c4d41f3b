//! Swarm: task queues and the switches of ordered speculative tasks.

use crate::value::word_axis;

word_axis! {
    /// Which queue carries the tasks of a frontier loop on Swarm.
    SwarmQueue {
        Unordered = "unordered": "keep the loop; frontiers are unordered task queues",
        Priority = "priority": "one task per vertex with its round as timestamp; rounds overlap",
        Bucket = "bucket": "as priority, plus one task per round for the statements that run once a round",
    }
}

word_axis! {
    /// An option that is on or off.
    Toggle {
        Off = "off": "do not use it",
        On = "on": "use it",
    }
}
