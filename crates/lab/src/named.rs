//! Schedules with names: implementations of an algorithm that people talk about.
//!
//! On GPUs these are the 56 ways to search breadth-first and the 19 ways to compute PageRank of Verstraaten's thesis
//! (2022), and this system's own with queues, bit maps and load balancers. All ways of one algorithm can take turns
//! from step to step: what they leave behind is the same.

use gw_schedule::{Family, ProgramSchedule};

/// A schedule that has a name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedSchedule {
    /// Its name, such as `vertex-pull`.
    pub name: String,
    /// The program it is for.
    pub program: String,
    /// The schedule.
    pub schedule: ProgramSchedule,
}

/// The lists of edges: name and stored form.
const EDGE_LISTS: [(&str, &str); 4] = [
    ("edge-list", "coo-by-source"),
    ("rev-edge-list", "coo-by-destination"),
    ("struct-edge-list", "coo-by-source-pairs"),
    ("rev-struct-edge-list", "coo-by-destination-pairs"),
];
/// Lanes of a virtual warp and the vertices it walks.
const WARPS: [(u32, u32); 4] = [(4, 64), (8, 64), (16, 64), (32, 64)];
/// How found vertices are counted: suffix of the name, and word of the axis.
const COUNTS: [(&str, &str); 4] =
    [("", "plain"), ("-bulk", "bulk"), ("-warpreduce", "warp"), ("-blockreduce", "block")];
/// Load balancers of this system, for queues.
const BALANCERS: [&str; 8] = ["vertex-based", "vw8", "twc", "etwc", "wm", "cm", "strict", "merge-path"];

/// The named schedules of an algorithm for a family of machines; empty when there are none.
///
/// ```
/// use gw_schedule::Family;
/// assert_eq!(gw_lab::named_schedules("bfs", Family::Gpu).iter().filter(|s| !s.name.contains("queue")).count(), 60);
/// ```
pub fn named_schedules(algorithm: &str, family: Family) -> Vec<NamedSchedule> {
    let texts = match (algorithm, family) {
        ("bfs", Family::Gpu) => bfs_on_gpus(),
        ("bfs", Family::Cpu) => bfs_on_cpus(),
        ("pagerank", Family::Gpu) => pagerank_on_gpus(),
        ("pagerank", Family::Cpu) => pagerank_on_cpus(),
        _ => Vec::new(),
    };
    let named = |(name, program, text): (String, &str, String)| {
        // All texts are in this file, and a test reads them all.
        let schedule = text.parse().ok()?;
        Some(NamedSchedule { name, program: program.to_string(), schedule })
    };
    texts.into_iter().filter_map(named).collect()
}

/// Name, program and text.
type Text = (String, &'static str, String);

fn bfs(name: impl Into<String>, step: impl AsRef<str>) -> Text {
    (name.into(), "bfs-levels", format!("s0:s1@{}", step.as_ref()))
}

fn bfs_on_gpus() -> Vec<Text> {
    let mut all = Vec::new();
    for (suffix, count) in COUNTS {
        // Vertices carry the round in which they were found: nothing is cleared or converted between steps.
        let mask = format!("frontier=level-mask,create=level-mask,count={count}");
        for (name, edges) in EDGE_LISTS {
            all.push(bfs(format!("{name}{suffix}"), format!("push,lb=edge-only,edges={edges},{mask}")));
        }
        all.push(bfs(format!("vertex-push{suffix}"), format!("dense-push,lb=vertex-based,{mask}")));
        all.push(bfs(format!("vertex-pull{suffix}"), format!("pull,lb=vertex-based,{mask}")));
        for (lanes, chunk) in WARPS {
            let balance = format!("lb=vw{lanes}-{chunk}");
            all.push(bfs(format!("vertex-push-warp-{lanes}-{chunk}{suffix}"), format!("dense-push,{balance},{mask}")));
            all.push(bfs(format!("vertex-pull-warp-{lanes}-{chunk}{suffix}"), format!("pull,{balance},{mask}")));
        }
    }
    for balance in BALANCERS {
        all.push(bfs(format!("queue-push-{balance}"), format!("push,lb={balance},create=fused")));
    }
    for balance in ["vertex-based", "etwc", "cm"] {
        let step = format!("pull,lb={balance},frontier=bitmap,create=unfused-bitmap");
        all.push(bfs(format!("bitmap-pull-{balance}"), step));
    }
    let (push, pull) = ("push,lb=etwc,create=fused", "pull,lb=etwc,frontier=bitmap,create=unfused-bitmap");
    all.push(bfs("direction-optimising", format!("hybrid,by=edges-ahead,at=0.05+{push}+{pull}")));
    all
}

fn bfs_on_cpus() -> Vec<Text> {
    let mut all = Vec::new();
    for par in ["serial", "static", "dynamic", "edge-parallel"] {
        all.push(bfs(format!("queue-push-{par}"), format!("push,par={par}")));
    }
    all.push(bfs("queue-push-to-bitmap", "push,par=dynamic,create=unfused-bitmap"));
    for (name, map) in [("vertex-push", "boolmap"), ("bitmap-push", "bitmap")] {
        for par in ["serial", "dynamic"] {
            let step = format!("dense-push,par={par},frontier={map},create=unfused-{map}");
            all.push(bfs(format!("{name}-{par}"), step));
        }
    }
    for (name, map) in [("vertex-pull", "boolmap"), ("bitmap-pull", "bitmap")] {
        for par in ["serial", "dynamic", "edge-aware"] {
            let step = format!("pull,par={par},frontier={map},create=unfused-{map}");
            all.push(bfs(format!("{name}-{par}"), step));
        }
    }
    let (push, pull) = ("push,par=dynamic", "pull,par=dynamic,frontier=bitmap,create=unfused-bitmap");
    all.push(bfs("direction-optimising", format!("hybrid,by=input-work,at=0.1+{push}+{pull}")));
    all
}

/// `pagerank-div` divides at every edge, `pagerank` once per vertex: the NoDiv forms.
fn pagerank(name: impl Into<String>, divides: bool, step: impl AsRef<str>) -> Text {
    let program = if divides { "pagerank-div" } else { "pagerank" };
    (name.into(), program, format!("s0:s1@{}", step.as_ref()))
}

fn pagerank_on_gpus() -> Vec<Text> {
    let mut all: Vec<Text> = EDGE_LISTS
        .iter()
        .map(|(name, edges)| pagerank(*name, true, format!("push,lb=edge-only,edges={edges}")))
        .collect();
    all.push(pagerank("vertex-push", true, "push,lb=vertex-based"));
    all.push(pagerank("vertex-pull", true, "pull,lb=vertex-based"));
    all.push(pagerank("vertex-pull-nodiv", false, "pull,lb=vertex-based"));
    for (lanes, chunk) in WARPS {
        let shape = format!("{lanes}-{chunk}");
        all.push(pagerank(format!("vertex-push-warp-{shape}"), true, format!("push,lb=vw{shape}")));
        all.push(pagerank(format!("vertex-pull-warp-{shape}"), true, format!("pull,lb=vw{shape}")));
        all.push(pagerank(format!("vertex-pull-warp-{shape}-nodiv"), false, format!("pull,lb=vw{shape}")));
    }
    for balance in ["etwc", "cm", "strict"] {
        all.push(pagerank(format!("balanced-pull-{balance}-nodiv"), false, format!("pull,lb={balance}")));
    }
    all
}

fn pagerank_on_cpus() -> Vec<Text> {
    let mut all = Vec::new();
    for (suffix, divides) in [("", true), ("-nodiv", false)] {
        all.push(pagerank(format!("vertex-push{suffix}"), divides, "push,par=dynamic"));
        for par in ["serial", "static", "dynamic", "edge-aware"] {
            all.push(pagerank(format!("vertex-pull-{par}{suffix}"), divides, format!("pull,par={par}")));
        }
        for segments in [4, 16] {
            let step = format!("pull,par=edge-aware,segments={segments}");
            all.push(pagerank(format!("segmented-pull-{segments}{suffix}"), divides, step));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_the_thesis() {
        let bfs = named_schedules("bfs", Family::Gpu);
        let own = |name: &str| ["queue", "bitmap", "direction"].iter().any(|word| name.contains(word));
        assert_eq!(bfs.iter().filter(|s| !own(&s.name)).count(), 56);
        let pagerank = named_schedules("pagerank", Family::Gpu);
        assert_eq!(pagerank.iter().filter(|s| !s.name.contains("balanced")).count(), 19);
        assert!(named_schedules("sorting", Family::Cpu).is_empty());
    }

    #[test]
    fn all_are_legal_and_different() {
        for (algorithm, family, count) in [
            ("bfs", Family::Gpu, 68),
            ("bfs", Family::Cpu, 16),
            ("pagerank", Family::Gpu, 22),
            ("pagerank", Family::Cpu, 14),
        ] {
            let named = named_schedules(algorithm, family);
            assert_eq!(named.len(), count, "{algorithm} on {family}");
            for (i, one) in named.iter().enumerate() {
                assert!(!named[..i].iter().any(|other| other.name == one.name), "{} twice", one.name);
                let same = |other: &&NamedSchedule| other.program == one.program && other.schedule == one.schedule;
                assert!(!named[..i].iter().any(|other| same(&other)), "{} is a copy", one.name);
                let module = graphwright::Program::find(&one.program).unwrap().module().clone();
                let mut schedule = one.schedule.clone();
                schedule.set_family(Some(family));
                if let Err(error) = gw_ir::run_pipeline(module, &schedule, &gw_ir::Options::default()) {
                    panic!("{} on {family}: {error}", one.name);
                }
            }
        }
    }
}
