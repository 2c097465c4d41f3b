//! Schedules with names: implementations of an algorithm that people talk about.

use gw_schedule::{Family, ProgramSchedule};

/// A schedule that has a name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedSchedule {
    /// Its name, such as `push`.
    pub name: String,
    /// The program it is for.
    pub program: String,
    /// The schedule.
    pub schedule: ProgramSchedule,
}

/// The named schedules of an algorithm for a family of machines; empty when there are none.
///
/// ```
/// use gw_schedule::Family;
/// assert!(gw_lab::named_schedules("bfs", Family::Cpu).iter().any(|named| named.name == "push"));
/// ```
pub fn named_schedules(algorithm: &str, family: Family) -> Vec<NamedSchedule> {
    let all: &[(&str, &str)] = match (algorithm, family) {
        ("bfs", Family::Cpu) => &[
            ("push", "s0:s1@push,par=dynamic"),
            ("pull", "s0:s1@pull,par=dynamic,frontier=bitmap"),
            ("hybrid", "s0:s1@hybrid+push,par=dynamic+pull,par=dynamic,frontier=bitmap"),
        ],
        _ => &[],
    };
    let named = |&(name, text): &(&str, &str)| NamedSchedule {
        name: name.to_string(),
        program: "bfs-levels".to_string(),
        schedule: text.parse().expect("a test reads all of them"),
    };
    all.iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_can_be_read() {
        let names: Vec<String> = named_schedules("bfs", Family::Cpu).into_iter().map(|named| named.name).collect();
        assert_eq!(names, ["push", "pull", "hybrid"]);
        assert!(named_schedules("sorting", Family::Cpu).is_empty());
    }
}
