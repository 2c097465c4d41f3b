//! Capabilities: the axis values a machine can execute, and what it says about the others.

use crate::legality::Reason;
use crate::schedule::{Criterion, Schedule};
use crate::simple::{Axis, SimpleSchedule};
use crate::value::AxisValue;
use std::collections::{BTreeMap, BTreeSet};

/// What a machine can execute. An axis it does not name must stay unset.
///
/// ```
/// use gw_schedule::{Axis, Capabilities, Criterion, Direction, Schedule};
/// let machine = Capabilities::new("reference")
///     .allow(Axis::Direction, &[Direction::Push, Direction::Pull])
///     .allow_all(Axis::Delta)
///     .allow_hybrids(&[Criterion::InputSize]);
/// let schedule: Schedule = "dense-push,lb=etwc".parse().unwrap();
/// let reasons = machine.unsupported(&schedule);
/// assert_eq!(reasons.len(), 2);
/// assert!(reasons[0].to_string().starts_with("the reference machine cannot run `dense-push`"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capabilities {
    machine: String,
    values: BTreeMap<Axis, BTreeSet<&'static str>>,
    criteria: Vec<Criterion>,
    adaptive: bool,
    /// Axes that say nothing on this machine, each with the reason.
    void: BTreeMap<Axis, String>,
}

impl Capabilities {
    /// A machine that can execute nothing but its defaults, to be extended.
    pub fn new(machine: impl Into<String>) -> Capabilities {
        Capabilities {
            machine: machine.into(),
            values: BTreeMap::new(),
            criteria: Vec::new(),
            adaptive: false,
            void: BTreeMap::new(),
        }
    }

    /// A machine that can execute the whole space.
    pub fn everything(machine: impl Into<String>) -> Capabilities {
        let mut all = Capabilities::new(machine).allow_hybrids(Criterion::ALL).allow_adaptive();
        for &axis in Axis::ALL {
            all = all.allow_all(axis);
        }
        all
    }

    /// The name of the machine, as it stands in sentences.
    pub fn machine(&self) -> &str {
        &self.machine
    }

    /// Adds values of an axis. A value with parameters stands for all of its kind.
    ///
    /// # Panics
    /// When a value is not of this axis: a mistake in the code of the machine.
    pub fn allow<T: AxisValue>(mut self, axis: Axis, values: &[T]) -> Capabilities {
        let rows = axis.rows();
        let set = self.values.entry(axis).or_default();
        for value in values {
            let kind = value.kind();
            assert!(rows.iter().any(|row| row.word == kind), "`{kind}` is not a value of `{}`", axis.key());
            set.insert(kind);
        }
        self
    }

    /// Adds all values of an axis.
    pub fn allow_all(mut self, axis: Axis) -> Capabilities {
        let kinds = axis.rows().into_iter().map(|row| row.word).collect();
        self.values.insert(axis, kinds);
        self
    }

    /// Takes an axis away.
    pub fn forbid(mut self, axis: Axis) -> Capabilities {
        self.values.remove(&axis);
        self
    }

    /// Accepts an axis that has no effect on this machine, for example the placement on sockets where there is one. The
    /// axis takes no part in enumeration, and [`Capabilities::without_effect`] says aloud that a setting does nothing.
    ///
    /// ```
    /// use gw_schedule::{Axis, Capabilities, Schedule};
    /// let machine = Capabilities::everything("desk").void(Axis::Numa, "the machine has one NUMA node");
    /// let schedule: Schedule = "pull,segments=4,numa=static".parse().unwrap();
    /// assert!(machine.unsupported(&schedule).is_empty() && !machine.knows(Axis::Numa));
    /// let words = machine.without_effect(&schedule);
    /// assert_eq!(words, ["`numa=static-parallel` has no effect: the machine has one NUMA node"]);
    /// ```
    pub fn void(mut self, axis: Axis, because: impl Into<String>) -> Capabilities {
        self.values.remove(&axis);
        self.void.insert(axis, because.into());
        self
    }

    /// The settings of a schedule that do nothing on this machine, each as a sentence without its full stop.
    pub fn without_effect(&self, schedule: &Schedule) -> Vec<String> {
        let mut words = Vec::new();
        for part in schedule.parts() {
            for axis in part.set_axes() {
                let Some(because) = self.void.get(&axis) else { continue };
                let word = format!("`{}` has no effect: {because}", written(axis, part));
                if !words.contains(&word) {
                    words.push(word);
                }
            }
        }
        words
    }

    /// Takes away the settings that [`Capabilities::without_effect`] tells of. What does nothing here cannot make a
    /// schedule illegal either.
    ///
    /// ```
    /// use gw_schedule::{Axis, Capabilities, Schedule};
    /// let machine = Capabilities::everything("desk").void(Axis::Numa, "the machine has one NUMA node");
    /// let mut schedule: Schedule = "pull,segments=4,numa=static".parse().unwrap();
    /// machine.drop_void(&mut schedule);
    /// assert_eq!(schedule, "pull,segments=4".parse().unwrap());
    /// ```
    pub fn drop_void(&self, schedule: &mut Schedule) {
        for part in schedule.parts_mut() {
            self.void.keys().for_each(|&axis| part.clear(axis));
        }
    }

    /// Adds hybrid schedules by these criteria.
    pub fn allow_hybrids(mut self, criteria: &[Criterion]) -> Capabilities {
        self.criteria.extend(criteria);
        self.criteria.sort();
        self.criteria.dedup();
        self
    }

    /// Adds adaptive schedules.
    pub fn allow_adaptive(mut self) -> Capabilities {
        self.adaptive = true;
        self
    }

    /// The criteria of hybrid schedules the machine can evaluate.
    pub fn criteria(&self) -> &[Criterion] {
        &self.criteria
    }

    /// Whether the machine knows the axis at all.
    pub fn knows(&self, axis: Axis) -> bool {
        self.values.get(&axis).is_some_and(|set| !set.is_empty())
    }

    /// Whether the value set on an axis can be executed; an unset axis always can.
    pub fn supports(&self, axis: Axis, schedule: &SimpleSchedule) -> bool {
        match schedule.kind_of(axis) {
            None => true,
            Some(kind) => self.values.get(&axis).is_some_and(|set| set.contains(kind)),
        }
    }

    /// The representative values of an axis that the machine can execute, one schedule each.
    pub fn representatives(&self, axis: Axis) -> Vec<SimpleSchedule> {
        let mut all = axis.representatives();
        all.retain(|s| self.supports(axis, s));
        all
    }

    /// The number of combinations of representative values on these axes, legal or not.
    pub fn product(&self, axes: &[Axis]) -> u128 {
        axes.iter().map(|&axis| self.representatives(axis).len() as u128).product()
    }

    /// Why the machine cannot execute a schedule; empty when it can.
    pub fn unsupported(&self, schedule: &Schedule) -> Vec<Reason> {
        let machine = &self.machine;
        let mut reasons = Vec::new();
        match schedule {
            Schedule::Simple(_) => {}
            Schedule::Hybrid(h) => {
                if !self.criteria.contains(&h.criterion) {
                    let problem = format!("the {machine} machine cannot run a hybrid by {}", h.criterion);
                    let words: Vec<_> = self.criteria.iter().map(|c| c.word()).collect();
                    let mend = match words.is_empty() {
                        true => "use a simple schedule".into(),
                        false => format!("use {}", words.join(", ")),
                    };
                    reasons.push(Reason::new("hybrid", problem, mend));
                }
            }
            Schedule::Adaptive(_) => {
                if !self.adaptive {
                    let problem = format!("the {machine} machine cannot run adaptive schedules");
                    reasons.push(Reason::new("adaptive", problem, "use one of its candidates"));
                }
            }
        }
        for part in schedule.parts() {
            for axis in part.set_axes().filter(|a| !self.supports(*a, part) && !self.void.contains_key(a)) {
                let reason = self.cannot(axis, part);
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
            }
        }
        reasons
    }

    fn cannot(&self, axis: Axis, part: &SimpleSchedule) -> Reason {
        let key = axis.key();
        let written = written(axis, part);
        let machine = &self.machine;
        let problem = format!("the {machine} machine cannot run `{written}`");
        let kinds = self.values.get(&axis).filter(|set| !set.is_empty());
        let mend = match kinds {
            None => format!("drop `{key}`"),
            Some(set) => {
                let words: Vec<_> = axis.rows().into_iter().map(|row| row.word).collect();
                let known: Vec<_> = words.into_iter().filter(|w| set.contains(w)).collect();
                format!("use {}, or leave `{key}` to the machine", known.join(", "))
            }
        };
        Reason::new(key, problem, mend)
    }
}

/// A setting as the one-line text has it.
fn written(axis: Axis, part: &SimpleSchedule) -> String {
    let value = part.text_of(axis).unwrap_or_default();
    match axis {
        Axis::Direction => value,
        _ => format!("{}={value}", axis.key()),
    }
}
