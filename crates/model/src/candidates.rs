//! Which implementations a model may choose from: a running program keeps code and graph forms for each, so they
//! should be few.

use rayon::prelude::*;

use crate::data::Data;
use crate::path::Paths;

/// The `count` classes that together lose least when each row takes the best of them, in the order in which they were
/// added: first the best one alone, then always the one that helps most.
pub(crate) fn select(data: &Data, count: usize) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    let mut kept = vec![f64::INFINITY; data.len()];
    while chosen.len() < count.min(data.classes) {
        let mut sums = vec![0.0; data.classes];
        for (row, &kept) in kept.iter().enumerate() {
            sums.iter_mut().zip(data.costs(row as u32)).for_each(|(sum, &cost)| *sum += cost.min(kept));
        }
        let open = (0..data.classes).filter(|class| !chosen.contains(class));
        let Some(best) = open.min_by(|&a, &b| sums[a].total_cmp(&sums[b])) else { break };
        // One that helps nobody is code for nothing.
        let before: f64 = kept.iter().sum();
        if !chosen.is_empty() && sums[best] >= before {
            break;
        }
        for (row, kept) in kept.iter_mut().enumerate() {
            *kept = kept.min(data.costs(row as u32)[best]);
        }
        chosen.push(best);
    }
    chosen
}

/// As [`select`] where switching costs something: those between which the best paths lose least.
pub(crate) fn select_for_paths(data: &Data, paths: &Paths, count: usize) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    let mut lost = f64::INFINITY;
    while chosen.len() < count.min(data.classes) {
        let open: Vec<usize> = (0..data.classes).filter(|class| !chosen.contains(class)).collect();
        let with = |class: usize| -> f64 {
            let tried: Vec<usize> = chosen.iter().copied().chain([class]).collect();
            paths.least(data, &tried)
        };
        let losses: Vec<f64> = open.par_iter().map(|&class| with(class)).collect();
        let Some((&best, &least)) = open.iter().zip(&losses).min_by(|a, b| a.1.total_cmp(b.1)) else { break };
        if least >= lost {
            break;
        }
        lost = least;
        chosen.push(best);
    }
    chosen
}

/// The class whose worst whole run is least bad: the one to fall back to. `variants` has the place of each row's
/// variant.
pub(crate) fn safest(data: &Data, ratio_weights: &[f64]) -> usize {
    let variants = data.places.iter().map(|place| place.0 + 1).max().unwrap_or(0);
    let mut lost = vec![0.0; variants * data.classes];
    for (row, &(variant, _)) in data.places.iter().enumerate() {
        let sums = &mut lost[variant * data.classes..][..data.classes];
        sums.iter_mut().zip(data.costs(row as u32)).for_each(|(sum, cost)| *sum += cost * ratio_weights[variant]);
    }
    let mut worst = vec![0.0f64; data.classes];
    for sums in lost.chunks(data.classes.max(1)) {
        worst.iter_mut().zip(sums).for_each(|(worst, &sum)| *worst = worst.max(sum));
    }
    (0..data.classes).min_by(|&a, &b| worst[a].total_cmp(&worst[b])).unwrap_or(0)
}
