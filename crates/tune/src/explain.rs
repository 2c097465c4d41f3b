//! Which axes mattered, and by how much: read off what was measured.
//!
//! For every axis the best measured schedule with each of its values is looked up. An axis mattered as much as the best
//! schedule with another value is slower than the best of all. This says what was seen, not what a model believes; a
//! value that was hardly tried may be judged too harshly, so the number of trials stands beside it.

use std::collections::BTreeMap;

use gw_schedule::ProgramSchedule;

use crate::space::ProgramSpace;

/// A value of an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueSeen {
    /// The value; empty where the axis had no meaning.
    pub value: String,
    /// The best cost with this value, as a multiple of the best of all.
    pub ratio: f64,
    /// Schedules tried with it.
    pub tried: usize,
}

/// What an axis did.
#[derive(Debug, Clone, PartialEq)]
pub struct AxisSeen {
    /// Label path and axis.
    pub axis: String,
    /// The value of the best schedule.
    pub best: String,
    /// What the best other value costs: how much choosing it wrongly loses at least. 1 where others are as good.
    pub least_loss: f64,
    /// What the worst value costs at its best.
    pub greatest_loss: f64,
    /// All values, the best first.
    pub values: Vec<ValueSeen>,
}

/// What every axis did in a search. `shares` are the costs of schedules; those without one were ended before.
/// The axis whose wrong values cost most comes first; axes with one value are left out.
pub fn explain(
    space: &ProgramSpace,
    tried: &[(&ProgramSchedule, Option<f64>)],
    best: &ProgramSchedule,
    best_share: f64,
) -> Vec<AxisSeen> {
    let columns = space.columns();
    let mut seen: Vec<BTreeMap<String, (f64, usize)>> = vec![BTreeMap::new(); columns.len()];
    for (schedule, share) in tried {
        for (column, setting) in space.settings(schedule).into_iter().enumerate() {
            let entry = seen[column].entry(setting.value).or_insert((f64::INFINITY, 0));
            entry.0 = entry.0.min(share.unwrap_or(f64::INFINITY));
            entry.1 += 1;
        }
    }
    let chosen = space.settings(best);
    let mut found: Vec<AxisSeen> = Vec::new();
    for (column, axis) in columns.into_iter().enumerate() {
        let Some(best) = chosen.get(column).map(|setting| setting.value.clone()) else { continue };
        let mut values: Vec<ValueSeen> = std::mem::take(&mut seen[column])
            .into_iter()
            .filter(|(value, _)| !value.is_empty())
            .map(|(value, (share, tried))| ValueSeen { value, ratio: (share / best_share).max(1.0), tried })
            .collect();
        values.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
        if let Some(own) = values.iter().position(|seen| seen.value == best) {
            values[..=own].rotate_right(1);
        }
        let others = values.iter().filter(|seen| seen.value != best && seen.ratio.is_finite());
        let (least, greatest) = others
            .fold((f64::INFINITY, 1.0f64), |(least, greatest), seen| (least.min(seen.ratio), greatest.max(seen.ratio)));
        if least.is_finite() && !best.is_empty() {
            found.push(AxisSeen { axis, best, least_loss: least, greatest_loss: greatest, values });
        }
    }
    found.sort_by(|a, b| b.least_loss.total_cmp(&a.least_loss).then(b.greatest_loss.total_cmp(&a.greatest_loss)));
    found
}
