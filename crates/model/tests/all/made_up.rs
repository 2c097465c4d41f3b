//! Tables without measuring: searches on graphs of several shapes, and implementations whose times follow from sizes.

use gw_lab::{Implementation, StepTable, StepTimes, TableGraph, Variant};
use gw_schedule::{Feature, Features, StepSizes};

/// A small generator of random numbers (xorshift64*).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number from 0 up to 1.
    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
}

pub fn implementation(id: usize, name: &str) -> Implementation {
    Implementation {
        id: id as i64,
        name: name.to_string(),
        schedule: "s0:s1@push".to_string(),
        target: "cpu".to_string(),
        is_core: true,
    }
}

pub fn graph(id: usize, name: &str, class: &str) -> TableGraph {
    TableGraph {
        id: id as i64,
        name: name.to_string(),
        dataset: "made-up".to_string(),
        class: class.to_string(),
        vertices: 1,
        edges: 1,
    }
}

/// Features that are all zero but these.
pub fn features(values: &[(Feature, f64)]) -> Features {
    let mut features = [0.0; Feature::COUNT];
    values.iter().for_each(|&(feature, value)| features[feature.index()] = value);
    features
}

/// The implementations of [`searches`]: name and seconds from the sizes of a step and the skew of the degrees.
type Time = fn(&StepSizes, f64) -> f64;
pub const TIMES: [(&str, Time); 6] = [
    ("edge-list", |s, _| 5e-6 + 0.6e-9 * s.edges as f64),
    ("vertex-push", |s, skew| 4e-6 + 0.3e-9 * s.vertices as f64 + (0.4e-9 + 0.3e-9 * skew) * s.frontier_edges as f64),
    ("push-warp", |s, _| 5e-6 + 0.8e-9 * s.vertices as f64 + 0.7e-9 * s.frontier_edges as f64),
    ("pull", |s, _| 6e-6 + 0.5e-9 * s.vertices as f64 + 0.15e-9 * s.unexplored_edges() as f64),
    ("queue", |s, _| 3e-6 + 2e-9 * s.frontier as f64 + 1.5e-9 * s.frontier_edges as f64),
    ("queue-balanced", |s, _| 9e-6 + 1.2e-9 * s.frontier as f64 + 0.9e-9 * s.frontier_edges as f64),
];

/// Searches from `roots` roots on `graphs` graphs of five shapes.
pub fn searches(graphs: usize, roots: usize, seed: u64) -> StepTable {
    let mut random = Random::new(seed);
    let mut table = StepTable {
        program: "bfs-levels".to_string(),
        platform: "made-up machine".to_string(),
        implementations: TIMES.iter().enumerate().map(|(i, (name, _))| implementation(i + 1, name)).collect(),
        ..StepTable::default()
    };
    for g in 0..graphs {
        let (class, degree, skew, levels) = match g % 5 {
            0 => ("road", random.between(2.0, 4.0), 1.0, 200),
            1 => ("social", random.between(20.0, 80.0), 30.0, 7),
            2 => ("web", random.between(8.0, 30.0), 80.0, 20),
            3 => ("mesh", random.between(4.0, 12.0), 1.0, 60),
            _ => ("random", random.between(5.0, 40.0), 2.0, 6),
        };
        let vertices = 10f64.powf(random.between(3.5, 6.5));
        let edges = vertices * degree;
        table.graphs.push(TableGraph {
            vertices: vertices as u64,
            edges: edges as u64,
            ..graph(g + 1, &format!("{class}-{g}"), class)
        });
        for root in 0..roots {
            // A bell of frontier sizes over the levels.
            let (middle, width) =
                (levels as f64 * random.between(0.35, 0.6), levels as f64 * random.between(0.1, 0.25));
            let shape: Vec<f64> = (0..levels).map(|l| (-((l as f64 - middle) / width).powi(2)).exp() + 1e-7).collect();
            let sum: f64 = shape.iter().sum();
            let mut step = StepSizes::first(vertices as u64, edges as u64);
            let mut steps = Vec::new();
            for share in shape {
                step.frontier = ((vertices * share / sum) as u64).max(1);
                step.frontier_edges = ((edges * share / sum) as u64).max(1);
                let degrees = [Feature::OutDegreeStdDev, Feature::InDegreeStdDev, Feature::DegreeStdDev];
                let mut values = features(&degrees.map(|feature| (feature, skew * degree)));
                for feature in [Feature::OutDegreeMean, Feature::InDegreeMean] {
                    values[feature.index()] = degree;
                }
                step.fill(&mut values);
                let noise = |random: &mut Random| random.between(0.98, 1.02);
                let seconds = TIMES.iter().map(|(_, time)| time(&step, skew) * noise(&mut random)).collect();
                steps.push(StepTimes { features: values, seconds });
                step = step.next();
            }
            let totals = (0..TIMES.len()).map(|i| steps.iter().map(|step| step.seconds[i]).sum()).collect();
            let id = (g * roots + root + 1) as i64;
            table.variants.push(Variant { id, graph: g, config: format!("root {root}"), totals, steps });
        }
    }
    table
}
