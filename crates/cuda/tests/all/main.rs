//! The tests of this crate that can share a process, in one program: it is compiled and linked once.

mod adaptive;
mod bench;
mod changing;
mod claims;
mod classes;
mod columns;
mod contract;
mod exam;
mod groups;
mod intersections;
mod listings;
mod loops;
mod matrix;
mod nvrtc;
mod parts;
mod programs;
mod renumber;
mod repeats;
mod safety;
mod schedules;
mod sequences;
mod shared_loops;
mod triangles;

/// The spec of a graph on which whole programs run. The emulated device takes about a microsecond for a thread
/// between two barriers, so that usual runs have graphs of the same kind with a quarter of the vertices, nightly ones
/// those named.
fn sized(spec: &str) -> String {
    const SMALLER: [(&str, &str); 6] = [
        ("road:40x40", "road:12x12"),
        ("road:12x12", "road:6x6"),
        ("kron:11", "kron:8"),
        ("kron:10", "kron:7"),
        ("kron:8", "kron:6"),
        ("urand:11", "urand:8"),
    ];
    match SMALLER.iter().find(|(large, _)| spec.starts_with(large)).filter(|_| !gw_testing::is_nightly()) {
        Some((large, small)) => spec.replacen(large, small, 1),
        None => spec.to_string(),
    }
}
