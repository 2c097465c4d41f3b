//! A schedule as settings and as numbers: what the surrogate learns from and what explanations name.
//!
//! Every place has the columns of two parts, that for small inputs and that for large ones. In a simple schedule both
//! are the same, so that a hybrid lies between the two schedules that it is made of.

use gw_schedule::{Axis, ProgramSchedule, Schedule, SimpleSchedule};

use crate::space::{ProgramSpace, Slot};

/// A setting of a schedule: where, which axis, which value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Setting {
    /// The label path and the axis, such as `s0:s1 par`.
    pub axis: String,
    /// The value, such as `dynamic`; empty where the axis has no meaning.
    pub value: String,
}

impl ProgramSpace {
    /// The names of the columns of [`ProgramSpace::code`].
    pub fn columns(&self) -> Vec<String> {
        let mut names = Vec::new();
        for slot in &self.slots {
            let label = &slot.label;
            if slot.has_hybrids() {
                names.extend(["form", "by", "at"].map(|word| format!("{label} {word}")));
                names.extend(slot.choices.iter().map(|(axis, _)| format!("{label} small {}", axis.key())));
                names.extend(slot.choices.iter().map(|(axis, _)| format!("{label} large {}", axis.key())));
            } else {
                names.extend(slot.choices.iter().map(|(axis, _)| format!("{label} {}", axis.key())));
            }
        }
        names
    }

    /// The settings of a schedule, one per column, defaults filled in.
    pub fn settings(&self, schedule: &ProgramSchedule) -> Vec<Setting> {
        let mut values: Vec<String> = Vec::new();
        for slot in &self.slots {
            let part = self.resolved(slot, schedule);
            let parts = part.parts();
            let (Some(first), Some(last)) = (parts.first(), parts.last()) else { continue };
            if slot.has_hybrids() {
                values.extend(match &part {
                    Schedule::Hybrid(h) => ["hybrid".to_string(), h.criterion.to_string(), h.threshold.to_string()],
                    Schedule::Adaptive(_) => ["adaptive".to_string(), String::new(), String::new()],
                    Schedule::Simple(_) => ["simple".to_string(), String::new(), String::new()],
                });
                values.extend(slot.texts(first));
            }
            values.extend(slot.texts(last));
        }
        self.columns().into_iter().zip(values).map(|(axis, value)| Setting { axis, value }).collect()
    }

    /// The settings of a schedule as numbers, one per column. Numbers stay numbers by their logarithm, words count in
    /// the order of their table, and what has no meaning is -1.
    pub fn code(&self, schedule: &ProgramSchedule) -> Vec<f64> {
        let mut code = Vec::new();
        for slot in &self.slots {
            let part = self.resolved(slot, schedule);
            let parts = part.parts();
            let (Some(first), Some(last)) = (parts.first(), parts.last()) else { continue };
            if slot.has_hybrids() {
                code.extend(match &part {
                    Schedule::Hybrid(h) => {
                        let threshold = h.threshold.value().map_or(0.05, |t| t.get());
                        [1.0, h.criterion as u8 as f64, threshold.max(1e-4).log2()]
                    }
                    Schedule::Adaptive(_) => [2.0, -1.0, -20.0],
                    Schedule::Simple(_) => [0.0, -1.0, -20.0],
                });
                code.extend(slot.numbers(first));
            }
            code.extend(slot.numbers(last));
        }
        code
    }
}

impl Slot {
    fn texts<'a>(&'a self, part: &'a SimpleSchedule) -> impl Iterator<Item = String> + 'a {
        self.choices.iter().map(|(axis, _)| part.text_of(*axis).unwrap_or_default())
    }

    fn numbers<'a>(&'a self, part: &'a SimpleSchedule) -> impl Iterator<Item = f64> + 'a {
        self.choices.iter().map(|(axis, _)| number(*axis, part))
    }
}

fn number(axis: Axis, part: &SimpleSchedule) -> f64 {
    let Some(text) = part.text_of(axis) else { return -1.0 };
    if let Ok(number) = text.parse::<f64>() {
        return (1.0 + number).log2();
    }
    let kind = part.kind_of(axis).unwrap_or_default();
    let place = axis.rows().iter().position(|row| row.word == kind).unwrap_or(0) as f64;
    // A value with a parameter (`vw8`) lies between its own place and the next.
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    place + digits.parse::<f64>().map_or(0.0, |number| (1.0 + number).log2() / 64.0)
}
