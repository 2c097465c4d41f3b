//! NUMA: how cache segments are spread over sockets.

use crate::value::word_axis;

word_axis! {
    /// How the segments of the axis `segments` are spread over sockets.
    Numa {
        Serial = "serial": "all segments on one socket, one after another",
        StaticParallel = "static-parallel" | "static": "segment k on socket k mod P, a private copy of the reduced vector per socket, merged afterwards",
        DynamicParallel = "dynamic-parallel" | "dynamic": "sockets take segments as they become idle",
    }
}
