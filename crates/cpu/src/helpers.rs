//! Functions of the runtime that generated code calls, by their symbol names.

use std::sync::atomic::Ordering;

use gw_exec::random;

use crate::abi::{self, Worker};
use crate::fetch;
use crate::groups;
use crate::intersect::{self, Method};
use crate::list_form::ListForm;
use crate::ordered;

/// Symbols and addresses.
pub(crate) fn addresses() -> [(&'static str, *const u8); 15] {
    [
        ("gw_grow", abi::grow as *const u8),
        ("gw_push_bucket", ordered::push_bucket as *const u8),
        ("gw_intersect", count_common as *const u8),
        ("gw_fetch_block", fetch_block as *const u8),
        ("gw_fetch_queued", fetch_queued as *const u8),
        ("gw_random", pick as *const u8),
        ("gw_begin_draws", begin_draws as *const u8),
        ("gw_group_reserve", groups::reserve as *const u8),
        ("gw_group_spread", groups::spread as *const u8),
        ("gw_group_grow", groups::grow as *const u8),
        ("gw_group_scale", groups::scale as *const u8),
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
extern "C" fn pick(worker: *mut Worker, bound: u64) -> u64 {
    if bound == 0 {
        return 0;
    }
    // SAFETY: generated code passes the worker it was called with, which nobody else uses meanwhile.
    let state = unsafe { &mut (*worker).random };
    random::below(random::draw(state), bound)
}

/// A function that draws is called for a vertex or an edge.
extern "C" fn begin_draws(worker: *mut Worker, call_key: u64, a: u32, b: u32) {
    // SAFETY: as above.
    unsafe { (*worker).random = random::element_key(call_key, a, b) };
}

/// Where the list at `index` begins.
///
/// # Safety
/// `index` must be that of a list of the adjacency that the offsets or pairs, of the form said, belong to.
unsafe fn list_begin(offsets: *const u8, index: usize, lists: ListForm) -> usize {
    // SAFETY: by the contract.
    unsafe {
        let at = offsets.add(index << lists.shift());
        match lists.wide {
            false => *at.cast::<u32>() as usize,
            true => *at.cast::<u64>() as usize,
        }
    }
}

/// Asks for the lists `first + i`, for every bit `i` of the mask.
extern "C" fn fetch_block(offsets: *const u8, targets: *const u32, first: u64, mask: u64, form: u32) {
    let lists = ListForm::of_word(form);
    let mut rest = mask;
    while rest != 0 {
        let index = first as usize + rest.trailing_zeros() as usize;
        // SAFETY: generated code sets only the bits of lists of the adjacency whose offsets it passes.
        fetch::ask(targets.wrapping_add(unsafe { list_begin(offsets, index, lists) }));
        rest &= rest - 1;
    }
}

/// Asks for the lists of a block of queued vertices from position `from` on, and for the places where those of the
/// block behind it begin.
extern "C" fn fetch_queued(queue: *const u32, from: u64, end: u64, offsets: *const u8, targets: *const u32, form: u32) {
    let lists = ListForm::of_word(form);
    // SAFETY: generated code passes the queue of the operator, which has at least `end` entries, all of them vertices
    // of the adjacency whose offsets it passes.
    let rest = unsafe { std::slice::from_raw_parts(queue.add(from as usize), (end - from) as usize) };
    let (near, far) = rest.split_at(crate::tuning::FETCH_BLOCK.min(rest.len()));
    for &vertex in near {
        // SAFETY: as above.
        fetch::ask(targets.wrapping_add(unsafe { list_begin(offsets, vertex as usize, lists) }));
    }
    for &vertex in &far[..crate::tuning::FETCH_BLOCK.min(far.len())] {
        fetch::ask(offsets.wrapping_add((vertex as usize) << lists.shift()));
    }
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
    // SAFETY: generated code passes the neighbour lists of two vertices of one graph, and its own worker, whose flag
    // outlives the call.
    let (a, b, marks, stopped) = unsafe {
        let lists = (std::slice::from_raw_parts(a, a_len as usize), std::slice::from_raw_parts(b, b_len as usize));
        (lists.0, lists.1, &mut (*worker).marks, (*(*worker).stop).load(Ordering::Relaxed))
    };
    // A hub has lists to count with for seconds; of a run that shall stop nobody sees the counts.
    if stopped {
        return 0;
    }
    match (Method::of(method), marked) {
        (Method::Combined, 1) => intersect::count_marked(marks, a, b, limit),
        (Method::Combined, 2) => intersect::count_marked(marks, b, a, limit),
        (method, _) => intersect::count(a, b, limit, method),
    }
}
