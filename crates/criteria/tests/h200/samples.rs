//! The variants of three primitives as profiled and timed on an H200 (`bench/primitives`).

use gw_criteria::fit::Sample;
use gw_criteria::{Characterisation, Criteria, FineGrained, Form, Profiled, read_ncu};

/// A variant of a primitive.
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Primitive, criteria and speed in runs per millisecond.
    pub sample: Sample,
    /// Share of the nearer roof (memory or arithmetic) that its longest kernel reaches.
    pub roof: f64,
}

/// The table of the profiler.
pub const TABLE: &str = include_str!("primitives.csv");
/// Kernels in the table and milliseconds without a profiler, per variant.
const TIMES: &str = include_str!("times.tsv");

/// All variants, in the order of the files. The plain copy beside the transposes is left out: it is none.
pub fn variants(form: Form) -> Vec<Variant> {
    let kernels = read_ncu(TABLE).unwrap();
    let mut rest = kernels.as_slice();
    let mut found = Vec::new();
    for line in TIMES.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let (mine, others) = rest.split_at(cells[2].parse().unwrap());
        rest = others;
        let ms: f64 = cells[3].parse().unwrap();
        let sample = Sample { primitive: cells[0].into(), criteria: joined(mine, form), speed: 1.0 / ms };
        found.push(Variant { name: cells[1].into(), sample, roof: roof(mine, form) });
    }
    assert!(rest.is_empty(), "every kernel of the table belongs to a variant");
    found.retain(|variant| variant.name != "copy");
    found
}

/// The criteria of the kernels of a run. HSync stays unknown: small kernels of some variants are not in the table.
fn joined(kernels: &[Profiled], form: Form) -> Criteria {
    let each: Vec<(Criteria, f64)> =
        kernels.iter().map(|k| (Criteria::of(&k.counters, form), k.counters.events.seconds.unwrap())).collect();
    Criteria::mean(each.iter().map(|(c, s)| (c, *s))).unwrap()
}

fn roof(kernels: &[Profiled], form: Form) -> f64 {
    let seconds = |k: &Profiled| k.counters.events.seconds.unwrap();
    let longest = kernels.iter().max_by(|a, b| seconds(a).total_cmp(&seconds(b))).unwrap();
    let criteria = Criteria::of(&longest.counters, form);
    let fine = FineGrained::of(&longest.counters, &criteria, &Characterisation::default(), form);
    1.0 / fine.overall().unwrap()
}
