//! Schedules with names that hold for every program: the GPU traversals of Busato's thesis as points of the schedule
//! space, and its selection rules.
//!
//! A preset is a table of rules, as a machine's own choice is ([`gw_exec::RuleTable`]): every place of a program gets
//! the schedule of the first rule that applies, without the settings that mean nothing at the place. A preset knows no
//! algorithm. Its settings are not bent to a machine: one that lacks a setting refuses the preset and says why.
//!
//! Reference: F. Busato, High-Performance and Power-Aware Graph Processing on GPUs, PhD thesis, University of Verona,
//! 2018: BFS-4K in chapter 6, Helix in chapter 7, strongly connected components in chapter 9.

use gw_exec::{Choice, ChoicePoint, GraphFacts, INTERSECTIONS_BY_LENGTH, Rule, RuleTable, choose_by_rules};
use gw_graph::Graph;
use gw_graph::stats::DegreeSummary;
use gw_ir::Module;
use gw_schedule::{Capabilities, Family, PointKind, Schedule};

/// A schedule with a name.
pub struct Preset {
    /// Its name, as `--schedule` takes it.
    pub name: &'static str,
    /// What it is, in a line.
    pub line: &'static str,
    rules: &'static [Rule],
}

impl PartialEq for Preset {
    fn eq(&self, other: &Preset) -> bool {
        self.name == other.name
    }
}

impl std::fmt::Debug for Preset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Preset({})", self.name)
    }
}

impl Preset {
    /// The preset of this name.
    pub fn find(name: &str) -> Option<&'static Preset> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// The schedule of a module as lowered for a graph. Returns the module with a label on every operator.
    pub fn choose(&self, module: Module, graph: &Graph) -> (Module, Choice) {
        let gini = DegreeSummary::of_out_edges(graph).gini;
        let facts = GraphFacts { gini: Some(gini), ..GraphFacts::of(graph) };
        // Whether the machine has all settings is asked afterwards, so that it can say what it lacks.
        let capabilities = Capabilities::everything("any");
        let table = RuleTable { family: Some(Family::Gpu), capabilities, rules: self.rules };
        choose_by_rules(&table, module, &facts)
    }

    /// In words, the edge operators of a module for which no rule had a legal schedule.
    pub fn left_out(&self, module: &Module, choice: &Choice) -> Vec<String> {
        let kinds = [PointKind::EdgeOperator, PointKind::PriorityOperator];
        let places = gw_ir::points::program_points(module).into_iter();
        let edges = places.filter(|place| kinds.contains(&place.point.kind));
        let left = edges.filter(|place| place.path.as_ref().is_none_or(|path| choice.schedule.get(path).is_none()));
        left.map(|place| {
            let (name, what, line) = (self.name, place.point.kind.phrase(), place.span.line);
            format!(
                "`{name}` has nothing that is legal for the {what} of line {line}: the machine's defaults hold there"
            )
        })
        .collect()
    }
}

/// All presets.
pub fn presets() -> &'static [Preset] {
    PRESETS
}

/// Degrees above this are gathered by a block in Helix: the block size of the CUDA machine.
const BLOCK: usize = 256;

/// One way to schedule the edge operators of a point of Helix' space.
macro_rules! helix_rule {
    ($line:literal, $balance:literal, $scope:literal, $claim:literal) => {
        Rule {
            applies: is_edge_operator,
            schedule: |p| {
                let words = concat!("push,", $balance, ",hubs=resident,edges=csr-m,dedup-input=", $scope, $claim);
                text(p, &format!("{words},append=ballot"))
            },
            because: |_| $line.into(),
        }
    };
}

/// A point of Helix' space with one load balancing: pairs of offsets, hubs apart, ballots, repeats dropped on load.
macro_rules! helix_point {
    ($name:literal, $line:literal, $balance:literal, $scope:literal) => {
        Preset {
            name: $name,
            line: concat!("GPU: Helix, ", $line),
            rules: &[
                helix_rule!($line, $balance, $scope, ",claim=store"),
                // Where each vertex may stand in the output once only.
                helix_rule!($line, $balance, $scope, ""),
                FUSED,
                INTERSECTIONS_BY_LENGTH,
            ],
        }
    };
}

/// A form of traversal of the multi-step scheme for strongly connected components.
macro_rules! sweeps {
    ($name:literal, $line:literal, $step:literal) => {
        Preset {
            name: $name,
            line: concat!("GPU: ", $line),
            rules: &[
                Rule { applies: is_edge_operator, schedule: |p| text(p, $step), because: |_| $line.into() },
                FUSED,
                INTERSECTIONS_BY_LENGTH,
            ],
        }
    };
}

static PRESETS: &[Preset] = &[
    Preset {
        name: "bfs-4k",
        line: "GPU: BFS-4K: edge-discover on small frontiers, dynamic virtual warps on others, hash64, register queues",
        rules: &[
            Rule {
                applies: |p| p.point.kind == PointKind::EdgeOperator && !p.point.needs_unique_output,
                schedule: |p| {
                    let rest = "hubs=2048,dedup=on,dedup-by=hash64,claim=store,append=registers";
                    let (discover, warps) = ("push,lb=local-warp-search", "push,lb=dvw");
                    text(p, &format!("hybrid,by=input-threads,at=0.5+{discover},{rest}+{warps},{rest}"))
                },
                because: |_| BFS_4K.into(),
            },
            Rule {
                applies: is_edge_operator,
                schedule: |p| {
                    let rest = "hubs=2048,append=registers";
                    let (discover, warps) = ("push,lb=local-warp-search", "push,lb=dvw");
                    text(p, &format!("hybrid,by=input-threads,at=0.5+{discover},{rest}+{warps},{rest}"))
                },
                because: |_| BFS_4K.into(),
            },
            Rule {
                applies: is_edge_operator,
                schedule: |p| text(p, "push,lb=dvw,hubs=2048,append=registers"),
                because: |_| "dynamic virtual warps: there is no frontier to switch by".into(),
            },
            Rule {
                applies: |p| is_device_loop(p) && p.point.frontier_loop,
                schedule: |p| text(p, "loop=single-block"),
                because: |_| "one block while the frontier fits it, all of them otherwise (K5 = 1)".into(),
            },
            INTERSECTIONS_BY_LENGTH,
        ],
    },
    Preset {
        name: "helix",
        line: "GPU: the selection rules of Helix by mean degree, Gini coefficient and greatest degree",
        rules: &[
            Rule { applies: is_edge_operator, schedule: |p| text(p, &helix_step(p)), because: helix_because },
            Rule {
                applies: is_edge_operator,
                schedule: |p| text(p, &helix_step(p).replace(",claim=store", "")),
                because: helix_because,
            },
            Rule {
                applies: |p| is_device_loop(p) && !has_few_rounds(p),
                schedule: |p| text(p, "loop=fused"),
                because: |p| format!("{}: many rounds are expected, one kernel", helix_because(p)),
            },
            Rule {
                applies: |p| p.point.kind == PointKind::WhileLoop,
                schedule: |p| text(p, "loop=host"),
                because: |p| format!("{}: few rounds are expected, a kernel for each", helix_because(p)),
            },
            INTERSECTIONS_BY_LENGTH,
        ],
    },
    helix_point!("helix-node-1", "a thread per vertex", "lb=vw1", "block"),
    helix_point!("helix-node-4", "four lanes per vertex", "lb=vw4", "block"),
    helix_point!("helix-node-16", "16 lanes per vertex, frontier loaded by shuffles", "lb=vw16-16", "block"),
    helix_point!("helix-node-32", "a warp per vertex, frontier loaded by shuffles", "lb=vw32-32", "block"),
    helix_point!("helix-scan-warp", "a warp shares the edges of 32 vertices by a scan", "lb=wm", "warp"),
    helix_point!(
        "helix-scan-block",
        "warp and block gathering, then a scan over the block",
        "lb=cta-warp-scan",
        "warp"
    ),
    helix_point!("helix-search-warp", "binary search within a warp", "lb=local-warp-search", "warp"),
    helix_point!("helix-search-block", "binary search within a block", "lb=cm", "warp"),
    Preset {
        name: "helix-search-device",
        line: "GPU: Helix with device-wide binary search, which takes no other support of balance",
        rules: &[
            Rule {
                applies: is_edge_operator,
                schedule: |p| text(p, "push,lb=merge-path,edges=csr-m,dedup-input=block,claim=store,append=ballot"),
                because: |_| "device-wide search".into(),
            },
            Rule {
                applies: is_edge_operator,
                schedule: |p| text(p, "push,lb=merge-path,edges=csr-m,dedup-input=block,append=ballot"),
                because: |_| "device-wide search".into(),
            },
            FUSED,
            INTERSECTIONS_BY_LENGTH,
        ],
    },
    sweeps!("sweep-q", "Q: every round sweeps all vertices, a thread each", "dense-push,lb=vertex-based"),
    sweeps!("sweep-q-vw", "Q_VW: every round sweeps all vertices, four lanes each", "dense-push,lb=vw4"),
    sweeps!("sweep-l", "L: a queue of vertices, edges split over block, warp and thread", "push,lb=etwc"),
];

const BFS_4K: &str = "edge-discover while the frontier has fewer vertices than half the threads of the device (K4 = 2)";

const FUSED: Rule = Rule {
    applies: is_device_loop,
    schedule: |p| text(p, "loop=fused"),
    because: |_| "one kernel for all rounds".into(),
};

fn is_edge_operator(p: &ChoicePoint<'_>) -> bool {
    matches!(p.point.kind, PointKind::EdgeOperator | PointKind::PriorityOperator)
}

fn is_device_loop(p: &ChoicePoint<'_>) -> bool {
    p.point.kind == PointKind::WhileLoop && p.point.body_obstacle.is_none()
}

/// A schedule from its text, without what means nothing at the place.
fn text(p: &ChoicePoint<'_>, text: &str) -> Schedule {
    // All texts are in this file, and a test reads them all.
    let Ok(schedule) = text.parse::<Schedule>() else { return Schedule::default() };
    match schedule.fit(p.point) {
        Ok((fitted, _)) => fitted,
        Err(_) => schedule,
    }
}

/// The table of section 7.4.8 of the thesis, top to bottom. Queues of edges are not built: queues of vertices stand in.
fn helix_step(p: &ChoicePoint<'_>) -> String {
    let (mean, gini, greatest) = helix_facts(p);
    let node = match () {
        () if mean < 5.0 && gini >= 0.2 => Some("vw1"),
        () if mean < 5.0 => Some("vw4"),
        () if mean > 64.0 && gini < 0.3 => Some("vw32-32"),
        () if mean > 32.0 && gini < 0.3 => Some("vw16-16"),
        () => None,
    };
    // A scan over the warp needs no gathering by the warp; a block gathers by the balancer with all three phases.
    let scan = if greatest > BLOCK { "cta-warp-scan" } else { "wm" };
    let scope = if node.is_some() { "block" } else { "warp" };
    let append = if mean > 32.0 && gini < 0.9 { "registers" } else { "ballot" };
    let balance = node.unwrap_or(scan);
    format!("push,lb={balance},hubs=resident,edges=csr-m,dedup-input={scope},claim=store,append={append}")
}

/// The proxy of the thesis for fewer than a hundred rounds.
fn has_few_rounds(p: &ChoicePoint<'_>) -> bool {
    let (mean, gini, _) = helix_facts(p);
    mean > 20.0 || gini >= 0.6
}

fn helix_facts(p: &ChoicePoint<'_>) -> (f64, f64, usize) {
    (p.graph.mean_degree(), p.graph.gini.unwrap_or(0.0), p.graph.greatest_degree)
}

fn helix_because(p: &ChoicePoint<'_>) -> String {
    let (mean, gini, greatest) = helix_facts(p);
    format!("mean degree {mean:.1}, Gini coefficient {gini:.2}, greatest degree {greatest}")
}
