//! The kernels of PageRank, run one thread after the other on memory that counts every access, against the formulas.

use gw_model::{Detail, Kernel, Operations, predicted_operations, predicted_round};
use proptest::prelude::*;

/// What was done to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Counts {
    reads: u64,
    writes: u64,
    atomics: u64,
    /// Reads of what says who the neighbours of a vertex are: offsets and neighbour ids.
    structure: u64,
    /// Parameters loaded.
    parameters: u64,
}

/// An array in counted memory.
struct Array<T> {
    values: Vec<T>,
    is_structure: bool,
}

impl<T: Copy + std::ops::AddAssign> Array<T> {
    fn of(values: Vec<T>) -> Array<T> {
        Array { values, is_structure: false }
    }

    fn structure(values: Vec<T>) -> Array<T> {
        Array { values, is_structure: true }
    }

    fn read(&self, at: usize, counts: &mut Counts) -> T {
        counts.reads += 1;
        counts.structure += u64::from(self.is_structure);
        self.values[at]
    }

    fn write(&mut self, at: usize, value: T, counts: &mut Counts) {
        counts.writes += 1;
        self.values[at] = value;
    }

    fn atomic_add(&mut self, at: usize, value: T, counts: &mut Counts) {
        counts.atomics += 1;
        self.values[at] += value;
    }
}

const DAMPING: f64 = 0.85;
const GROUP: usize = 32;

/// A graph in every form that a kernel reads, and the state of PageRank.
struct Machine {
    vertices: usize,
    origins: Array<usize>,
    destinations: Array<usize>,
    offsets: Array<usize>,
    out_neighbours: Array<usize>,
    in_offsets: Array<usize>,
    in_neighbours: Array<usize>,
    degrees: Array<usize>,
    ranks: Array<f64>,
    sums: Array<f64>,
    delta: Array<f64>,
}

fn offsets(vertices: usize, ends: &[usize]) -> Vec<usize> {
    let mut offsets = vec![0; vertices + 1];
    ends.iter().for_each(|&end| offsets[end + 1] += 1);
    (0..vertices).for_each(|v| offsets[v + 1] += offsets[v]);
    offsets
}

impl Machine {
    fn new(vertices: usize, mut edges: Vec<(usize, usize)>) -> Machine {
        edges.sort_unstable();
        let (from, to): (Vec<usize>, Vec<usize>) = edges.iter().copied().unzip();
        let out = offsets(vertices, &from);
        let degrees = (0..vertices).map(|v| out[v + 1] - out[v]).collect();
        let mut reverse: Vec<(usize, usize)> = edges.iter().map(|&(u, v)| (v, u)).collect();
        reverse.sort_unstable();
        Machine {
            vertices,
            // An edge list has no neighbours to go through: its ends are plain values.
            origins: Array::of(from),
            destinations: Array::of(to.clone()),
            offsets: Array::structure(out),
            out_neighbours: Array::structure(to.clone()),
            in_offsets: Array::structure(offsets(vertices, &to)),
            in_neighbours: Array::structure(reverse.iter().map(|edge| edge.1).collect()),
            degrees: Array::of(degrees),
            ranks: Array::of(vec![1.0 / vertices as f64; vertices]),
            sums: Array::of(vec![0.0; vertices]),
            delta: Array::of(vec![0.0]),
        }
    }

    /// Runs a kernel; `last` is for the last round of the form without division.
    fn run(&mut self, kernel: Kernel, last: bool) -> Counts {
        let mut counts = Counts::default();
        let c = &mut counts;
        match kernel {
            Kernel::EdgeList => {
                for i in 0..self.origins.values.len() {
                    c.parameters += 3;
                    let (u, v) = (self.origins.read(i, c), self.destinations.read(i, c));
                    let degree = self.degrees.read(u, c);
                    let share = if degree != 0 { self.ranks.read(u, c) / degree as f64 } else { 0.0 };
                    self.sums.atomic_add(v, share, c);
                }
            }
            Kernel::Push => {
                for v in 0..self.vertices {
                    c.parameters += 3;
                    let (start, end) = (self.offsets.read(v, c), self.offsets.read(v + 1, c));
                    if end != start {
                        let share = self.ranks.read(v, c) / (end - start) as f64;
                        for e in start..end {
                            let neighbour = self.out_neighbours.read(e, c);
                            self.sums.atomic_add(neighbour, share, c);
                        }
                    }
                }
            }
            Kernel::Pull | Kernel::PullNoDiv => {
                for v in 0..self.vertices {
                    c.parameters += 3;
                    let (start, end) = (self.in_offsets.read(v, c), self.in_offsets.read(v + 1, c));
                    let mut sum = 0.0;
                    for e in start..end {
                        let u = self.in_neighbours.read(e, c);
                        sum += match kernel {
                            Kernel::Pull => self.ranks.read(u, c) / self.degrees.read(u, c) as f64,
                            _ => self.ranks.read(u, c),
                        };
                    }
                    self.sums.write(v, sum, c);
                }
            }
            Kernel::Consolidate | Kernel::ConsolidateNoDiv => {
                let mut group = 0.0;
                for v in 0..self.vertices {
                    let mut rank = (1.0 - DAMPING) / self.vertices as f64 + DAMPING * self.sums.read(v, c);
                    group += (rank - self.ranks.read(v, c)).abs();
                    if kernel == Kernel::ConsolidateNoDiv && !last {
                        let degree = self.degrees.read(v, c);
                        rank = if degree != 0 { rank / degree as f64 } else { rank };
                    }
                    self.ranks.write(v, rank, c);
                    self.sums.write(v, 0.0, c);
                    if v % GROUP == GROUP - 1 || v + 1 == self.vertices {
                        self.delta.atomic_add(0, group, c);
                        group = 0.0;
                    }
                }
            }
        }
        counts
    }

    /// Ranks after some rounds of an implementation.
    fn ranks(mut self, update: Kernel, rounds: usize) -> Vec<f64> {
        if update == Kernel::PullNoDiv {
            let divided =
                self.ranks.values.iter().zip(&self.degrees.values).map(|(rank, &degree)| rank / degree.max(1) as f64);
            self.ranks.values = divided.collect();
        }
        for round in 1..=rounds {
            self.run(update, false);
            self.run(update.consolidate().unwrap(), round == rounds);
        }
        self.ranks.values
    }
}

fn graph() -> impl Strategy<Value = (usize, Vec<(usize, usize)>)> {
    (1usize..80).prop_flat_map(|n| (Just(n), proptest::collection::vec((0..n, 0..n), 0..200)))
}

/// The triple that both sides have.
fn triple(operations: Operations) -> (u64, u64, u64) {
    (operations.reads, operations.writes, operations.atomics)
}

proptest! {
    #[test]
    fn concrete_formulas_are_what_kernels_do((n, edges) in graph()) {
        let (v, e) = (n as u64, edges.len() as u64);
        let mut machine = Machine::new(n, edges);
        let idle = machine.degrees.values.iter().filter(|&&degree| degree == 0).count() as u64;
        for kernel in Kernel::ALL {
            let counts = machine.run(kernel, false);
            let expected = predicted_operations(kernel, Detail::Concrete, v, e);
            // Push does not read the rank of a vertex without out-edges.
            let spared = if kernel == Kernel::Push { idle } else { 0 };
            let reads = counts.reads + counts.parameters + spared;
            prop_assert_eq!((reads, counts.writes, counts.atomics), triple(expected), "{}", kernel);
            let bytes = 4 * (counts.reads + spared) + 8 * counts.parameters;
            prop_assert_eq!((bytes, 4 * counts.writes, 4 * counts.atomics),
                (expected.bytes_read, expected.bytes_written, expected.bytes_atomic), "{}", kernel);
        }
        // The last round leaves ranks undivided and does not ask for degrees.
        let last = machine.run(Kernel::ConsolidateNoDiv, true);
        prop_assert_eq!(last.reads, 2 * v);
    }

    #[test]
    fn abstract_formulas_leave_out_who_the_neighbours_are((n, edges) in graph()) {
        let (v, e) = (n as u64, edges.len() as u64);
        let mut machine = Machine::new(n, edges);
        let idle = machine.degrees.values.iter().filter(|&&degree| degree == 0).count() as u64;
        for kernel in Kernel::ALL {
            let counts = machine.run(kernel, false);
            let values = match kernel {
                // The degree, which the formula counts as one read, comes from two offsets.
                Kernel::Push => counts.reads - counts.structure + v + idle,
                _ => counts.reads - counts.structure,
            };
            let structure = match kernel {
                Kernel::Push | Kernel::Pull | Kernel::PullNoDiv => 2 * v + e,
                _ => 0,
            };
            prop_assert_eq!(counts.structure, structure, "{}", kernel);
            let atomics = match kernel {
                Kernel::Consolidate | Kernel::ConsolidateNoDiv => {
                    prop_assert_eq!(counts.atomics, v.div_ceil(32));
                    v
                }
                _ => counts.atomics,
            };
            let expected = predicted_operations(kernel, Detail::Abstract, v, e);
            prop_assert_eq!((values, counts.writes, atomics), triple(expected), "{}", kernel);
        }
    }

    /// The kernels that are counted compute PageRank.
    #[test]
    fn all_kernels_agree((n, edges) in graph()) {
        let reference = Machine::new(n, edges.clone()).ranks(Kernel::Pull, 5);
        for update in Kernel::UPDATES {
            for (rank, expected) in Machine::new(n, edges.clone()).ranks(update, 5).iter().zip(&reference) {
                prop_assert!((rank - expected).abs() < 1e-12, "{}: {} {}", update, rank, expected);
            }
        }
    }
}

/// Concrete less abstract, as the source has it: a few reads per vertex or edge more, and fewer atomics.
#[test]
fn the_details_differ_by_small_constants() {
    let (v, e) = (640u64, 9_000u64);
    for (update, more) in [
        (Kernel::EdgeList, 3 * e),
        (Kernel::Push, 4 * v + e),
        (Kernel::Pull, 5 * v + e),
        (Kernel::PullNoDiv, 5 * v + e),
    ] {
        let concrete = predicted_round(update, Detail::Concrete, v, e);
        let paper = predicted_round(update, Detail::Abstract, v, e);
        assert_eq!(concrete.reads - paper.reads, more, "{update}");
        assert_eq!(paper.atomics - concrete.atomics, v * 31 / 32, "{update}");
        assert_eq!(concrete.writes, paper.writes, "{update}");
    }
}
