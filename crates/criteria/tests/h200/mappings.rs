//! The load balancers of the CUDA machine on seven shapes of work: times on an H200 (`bench/mapping.md`), and software
//! criteria from what their warps do, counted without a GPU (`bench/primitives/count.cpp`).

use gw_criteria::fit::Sample;
use gw_criteria::{Criteria, Criterion};

const COUNTS: &str = include_str!("mapping.tsv");
const TIMES: &str = include_str!("mapping-times.tsv");

/// A load balancer on a shape.
pub struct Mapping {
    /// Its name.
    pub name: String,
    /// The shape as primitive, criteria and speed in passes per second.
    pub sample: Sample,
    /// Time of the multiprocessor that is busy longest, in instructions of a warp.
    pub longest: f64,
}

/// All load balancers on all shapes.
pub fn mappings() -> Vec<Mapping> {
    let times: Vec<Vec<&str>> = TIMES.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    let read = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| cells[at].parse::<f64>().unwrap();
        let (instructions, lanes, useful, sectors) = (number(2), number(3), number(4), number(5));
        let mut criteria = Criteria::default();
        criteria[Criterion::Divergence] = Some(lanes / 32.0);
        // A read and a write per instruction.
        criteria[Criterion::GranularityL1] = Some(useful / (2.0 * instructions * 128.0));
        criteria[Criterion::GranularityL2] = Some((useful / (sectors * 32.0)).min(1.0));
        criteria[Criterion::ProcessorBalance] = Some(number(6));
        criteria[Criterion::WarpBalance] = Some(number(7));
        let time = times.iter().find(|time| time[..2] == cells[..2]).unwrap();
        let speed = 1e6 / time[2].parse::<f64>().unwrap();
        let sample = Sample { primitive: cells[0].to_string(), criteria, speed };
        Mapping { name: cells[1].to_string(), sample, longest: number(8) }
    };
    COUNTS.lines().skip(1).map(read).collect()
}
