//! Loop form: who drives the iterations of a `while` loop.

use crate::value::word_axis;

word_axis! {
    /// Who drives the iterations of a `while` loop.
    LoopForm {
        Host = "host": "the host launches every operator of every iteration",
        Fused = "fused": "one persistent kernel with a grid barrier runs the whole loop",
        SingleBlock = "single-block": "one block runs the loop while the frontier fits in it, then the host takes over",
        DeviceGraph = "device-graph": "a recorded graph of launches with a conditional node, replayed by the device",
    }
}
