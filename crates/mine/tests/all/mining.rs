//! What is mined is exactly what brute force finds: all of it, and nothing else.

use std::collections::BTreeSet;

use crate::traces::{InParts, columns, source};
use gw_mine::{Result, Source, Template, Templates, Trace, Variables, generate, load, mine};
use proptest::prelude::*;

/// Everything that holds, by trying every template with every choice of variables at every instant.
fn brute_force(trace: &Trace, variables: &Variables, templates: &Templates) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let (booleans, numbers) = (trace.booleans.len(), trace.numbers.columns());
    let constants = templates.constants.iter().map(|&constant| Template::Constant(constant));
    let numeric = constants.chain(templates.pairs.clone()).chain(templates.triples.clone());
    let kinds = templates.booleans.iter().copied().map(|t| (t, booleans)).chain(numeric.map(|t| (t, numbers)));
    for (template, count) in kinds {
        let arity = template.arity();
        let ordered = matches!(template, Template::Less | Template::Greater | Template::AtMost | Template::AtLeast);
        for at in 0..count.pow(arity as u32) {
            let chosen = [at % count, at / count % count, at / count / count];
            let distinct: BTreeSet<usize> = chosen[..arity].iter().copied().collect();
            if distinct.len() < arity {
                continue;
            }
            // Relations of two are told once per pair, in the order of the variables.
            let symmetric = template.is_symmetric() || ordered;
            if symmetric && (if arity == 2 { chosen[0] > chosen[1] } else { chosen[1] > chosen[2] }) {
                continue;
            }
            let holds = (0..trace.instants).all(|instant| {
                if template.is_boolean() {
                    let [a, b, c] = chosen.map(|v| v < count && trace.boolean(v, instant));
                    template.holds_for(a, b, c)
                } else {
                    let [a, b, c] = chosen.map(|v| trace.numbers.get(v.min(count - 1), instant));
                    template.holds(a, b, c, templates.tolerance)
                }
            });
            if holds {
                let variables_of = chosen.map(|v| v as u32);
                let basis = gw_mine::Basis::Checked;
                found.insert(gw_mine::Invariant { template, variables: variables_of, basis }.text(variables));
            }
        }
    }
    found
}

fn mined(source: &mut dyn Source, templates: &Templates) -> BTreeSet<String> {
    let found = mine(source, templates).unwrap();
    let texts: Vec<String> = found.invariants.iter().map(|found_| found_.text(&found.variables)).collect();
    let set: BTreeSet<String> = texts.iter().cloned().collect();
    assert_eq!(set.len(), texts.len(), "an invariant is told twice");
    set
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(gw_testing::usually(60, 2_000)))]

    #[test]
    fn all_that_holds_is_found_and_nothing_else((booleans, numbers) in columns(70), first: bool) {
        let mut source = source(booleans, numbers, 70);
        let templates = if first { Templates::first() } else { Templates::second() };
        let expected = brute_force(source.trace(), &source.variables().clone(), &templates);
        prop_assert_eq!(mined(&mut source, &templates), expected);
    }

    /// Falsified late: behind the first instants, at the end of a block, in the last word.
    #[test]
    fn one_instant_anywhere_is_enough((booleans, numbers) in columns(2500), at in 0_usize..2500, column in 0_usize..6) {
        let (mut booleans, mut numbers) = (booleans, numbers);
        if let Some(column) = booleans.get_mut(column) {
            column[at] = !column[at];
        }
        if let Some(column) = numbers.get_mut(column) {
            column[at] = -column[at] - 3.5;
        }
        let mut source = source(booleans, numbers, 2500);
        let expected = brute_force(source.trace(), &source.variables().clone(), &Templates::second());
        prop_assert_eq!(mined(&mut source, &Templates::second()), expected);
    }
}

#[test]
fn planted_invariants_are_found_and_noise_has_none() {
    for templates in [Templates::first(), Templates::second()] {
        let mut noise = generate::noise(20_000, 10, 10, 1);
        assert_eq!(mined(&mut noise, &templates), BTreeSet::new());
        let mut planted = generate::planted(2500, 10, 10, 1);
        let expected = brute_force(planted.trace(), &planted.variables().clone(), &templates);
        assert!(expected.len() > 5, "{expected:?}");
        assert_eq!(mined(&mut planted, &templates), expected);
    }
    let mut planted = generate::planted(2500, 10, 10, 1);
    let found = mined(&mut planted, &Templates::second());
    for text in [
        "b2 = b0 AND b1",
        "b3 = b0 OR b1",
        "b0 = b4",
        "b9 is true",
        "n0 <= n1",
        "n7 = 2 * n5",
        "n8 <= n9",
        "n4 <= n0 + n1",
    ] {
        assert!(found.contains(text), "{text} is missing: {found:?}");
    }
}

/// Chains of numbers, of which the strongest sums, products and orders decide the others, until one instant far behind
/// the first ones breaks some of them.
#[test]
fn what_follows_from_stronger_ones_is_right() {
    const COLUMNS: usize = 14;
    const INSTANTS: usize = 1800;
    for seed in 0..8_u64 {
        let mut rng = gw_graph::rng::Rng::new(seed, 7);
        let least = if seed % 2 == 0 { 30.0 } else { -5.0 };
        let base: Vec<f64> = (0..INSTANTS).map(|_| least + rng.below(40) as f64).collect();
        let step = 1.0 + (seed % 3) as f64;
        let mut numbers: Vec<Vec<f64>> =
            (0..COLUMNS).map(|v| base.iter().map(|x| x + step * v as f64 - rng.below(2) as f64).collect()).collect();
        // Large, small, infinite or no number at all.
        for _ in 0..seed % 4 {
            let (column, at) = (rng.below(COLUMNS as u64) as usize, 1100 + rng.below(700) as usize);
            numbers[column][at] = [1e3, -1e3, 61.0, f64::INFINITY, f64::NAN][rng.below(5) as usize];
        }
        let mut source = source(vec![], numbers, INSTANTS);
        for templates in [Templates::first(), Templates::second()] {
            let expected = brute_force(source.trace(), &source.variables().clone(), &templates);
            assert!(expected.len() > 40, "{}", expected.len());
            assert_eq!(mined(&mut source, &templates), expected, "seed {seed}");
        }
    }
    // Most of what holds is never looked at by itself.
    let mut chain = generate::planted(3000, 0, 50, 1);
    let found = mine(&mut chain, &Templates::second()).unwrap().invariants;
    let checked = found.iter().filter(|found| found.basis == gw_mine::Basis::Checked).count();
    assert!(checked * 20 < found.len(), "{checked} of {}", found.len());
}

#[test]
fn parts_and_threads_change_nothing() {
    let planted = generate::planted(20_000, 10, 11, 3);
    let templates = Templates::second();
    let whole = mined(&mut planted.clone(), &templates);
    for part in [64, 4096, 19_968] {
        let mut parts = InParts { whole: planted.clone(), part, at: 0, current: None };
        assert_eq!(mined(&mut parts, &templates), whole, "parts of {part} instants");
        assert_eq!(load(&mut parts).unwrap().trace(), planted.trace());
    }
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| mined(&mut planted.clone(), &templates)), whole, "{threads} threads");
    }
}

/// Noise dies in the first instants: the rest of the trace is not even asked for.
#[test]
fn a_trace_without_invariants_is_hardly_read() {
    struct Counting(InParts, usize);
    impl Source for Counting {
        fn variables(&self) -> &Variables {
            self.0.variables()
        }
        fn rewind(&mut self) -> Result<()> {
            self.0.rewind()
        }
        fn next(&mut self) -> Result<Option<&Trace>> {
            self.1 += 1;
            self.0.next()
        }
    }
    let parts = InParts { whole: generate::noise(100_000, 10, 10, 5), part: 4096, at: 0, current: None };
    let mut counting = Counting(parts, 0);
    assert_eq!(mined(&mut counting, &Templates::second()).len(), 0);
    assert!(counting.1 <= 2, "{} of 25 parts were read", counting.1);
}

#[test]
fn single_precision_columns_mean_double_precision_arithmetic() {
    // 2^24 + 1 is no 32-bit float: in 32 bits the sum would round down to 2^24.
    let (big, one) = (16_777_216.0, 1.0);
    let above = 16_777_218.0;
    let mut source = source(vec![], vec![vec![above; 300], vec![big; 300], vec![one; 300]], 300);
    let found = mined(&mut source, &Templates::second());
    assert!(!found.contains("n0 <= n1 + n2"), "{found:?}");
    assert!(found.contains("n1 <= n0 + n2"), "{found:?}");
}
