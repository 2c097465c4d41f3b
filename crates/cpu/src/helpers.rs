//! Functions of the runtime that generated code calls, by their symbol names.

use crate::abi::{self, Worker};
use crate::fetch;
use crate::intersect::{self, Method};
use crate::ordered;

/// Symbols and addresses.
pub(crate) fn addresses() -> [(&'static str, *const u8); 9] {
    [
        ("gw_grow", abi::grow as *const u8),
        ("gw_push_bucket", ordered::push_bucket as *const u8),
        ("gw_intersect", count_common as *const u8),
        ("gw_fetch_lists", fetch_lists as *const u8),
        ("gw_random", random as *const u8),
        ("gw_log", log as *const u8),
        ("gw_exp", exp as *const u8),
        ("gw_pow", pow as *const u8),
        ("gw_fmod", fmod as *const u8),
    ]
}

extern "C" fn log(x: f64) -> f64 {
    x.ln()
}

extern "C" fn exp(x: f64) -> f64 {
    x.exp()
}

extern "C" fn pow(x: f64, y: f64) -> f64 {
    x.powf(y)
}

extern "C" fn fmod(x: f64, y: f64) -> f64 {
    x % y
}

/// A number below `bound` from the worker's stream; 0 when there is none, which the caller reports.
extern "C" fn random(worker: *mut Worker, bound: u64) -> u64 {
    if bound == 0 {
        return 0;
    }
    // SAFETY: generated code passes the worker it was called with, which nobody else uses meanwhile.
    let worker = unsafe { &mut *worker };
    worker.random = worker.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let bits = gw_graph::rng::mix(worker.random);
    ((u128::from(bits) * u128::from(bound)) >> 64) as u64
}

/// Asks for the list of vertex `near` and for the place where that of vertex `far` begins.
extern "C" fn fetch_lists(offsets: *const u8, targets: *const u32, near: u32, far: u32, wide: u32) {
    let place = |vertex: u32| offsets.wrapping_add((vertex as usize) << (2 + wide));
    fetch::ask(place(far));
    // SAFETY: generated code passes vertices of the graph that the offsets, of the width it says, belong to.
    let begin = unsafe {
        match wide {
            0 => *place(near).cast::<u32>() as usize,
            _ => *place(near).cast::<u64>() as usize,
        }
    };
    fetch::ask(targets.wrapping_add(begin));
}

/// Number of common entries, not above `limit`, of two ascending lists. `marked` is 1 or 2 when the first or the second
/// list is that of the vertex whose edges are being visited, so that it comes again and again.
extern "C" fn count_common(
    worker: *mut Worker,
    a: *const u32,
    a_len: u64,
    b: *const u32,
    b_len: u64,
    limit: u32,
    method: u32,
    marked: u32,
) -> u64 {
    // SAFETY: generated code passes the neighbour lists of two vertices of one graph, and its own worker.
    let (a, b, marks) = unsafe {
        let lists = (std::slice::from_raw_parts(a, a_len as usize), std::slice::from_raw_parts(b, b_len as usize));
        (lists.0, lists.1, &mut (*worker).marks)
    };
    match (Method::of(method), marked) {
        (Method::Combined, 1) => intersect::count_marked(marks, a, b, limit),
        (Method::Combined, 2) => intersect::count_marked(marks, b, a, limit),
        (method, _) => intersect::count(a, b, limit, method),
    }
}
