//! The tests of this crate that can share a process, in one program: it is compiled and linked once.

#[path = "../adaptive.rs"]
mod adaptive;
#[path = "../balancers.rs"]
mod balancers;
#[path = "../bench.rs"]
mod bench;
#[path = "../claims.rs"]
mod claims;
#[path = "../classes.rs"]
mod classes;
#[path = "../contract.rs"]
mod contract;
#[path = "../intersections.rs"]
mod intersections;
#[path = "../loops.rs"]
mod loops;
#[path = "../matrix.rs"]
mod matrix;
#[path = "../parts.rs"]
mod parts;
#[path = "../programs.rs"]
mod programs;
#[path = "../renumber.rs"]
mod renumber;
#[path = "../repeats.rs"]
mod repeats;
#[path = "../safety.rs"]
mod safety;
#[path = "../scans.rs"]
mod scans;
#[path = "../schedules.rs"]
mod schedules;

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
