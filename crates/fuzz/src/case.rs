//! A case: a program, its graphs and, where they are fixed, the schedules and machines to try.

use std::path::Path;
use std::sync::Arc;

use gw_graph::columns::{Column, Table, Values};
use gw_graph::{BuildOptions, EdgeList, Graph, Names, Parallel, build, build_rows};
use serde::{Deserialize, Serialize};

/// Everything that a run depends on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Case {
    /// The seed it was made from; 0 for cases made otherwise.
    pub seed: u64,
    /// The program text.
    pub program: String,
    /// The graphs: `argv[1]`, `argv[2]`, ...
    pub graphs: Vec<GraphData>,
    /// Other graphs in their places: every executable runs on `graphs`, on these, and on `graphs` again. Empty: once.
    #[serde(default)]
    pub others: Vec<GraphData>,
    /// What to run; empty means: draw from the seed.
    pub trials: Vec<Trial>,
}

/// A graph as plain data.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GraphData {
    /// Number of vertices.
    pub vertices: usize,
    /// Edges with weights.
    pub edges: Vec<(u32, u32, f64)>,
    /// Weights are written as fractions; otherwise they are whole.
    pub fractional: bool,
    /// Weights have 64 bits.
    #[serde(default)]
    pub wide: bool,
    /// The edges are the rows of a table: parallel ones stay, and columns tell of each (`GraphData::table`).
    #[serde(default)]
    pub columns: bool,
}

/// One way to run a program.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq)]
pub struct Trial {
    /// The machine.
    pub machine: Machine,
    /// The schedule in one line; `None` lets the machine choose.
    pub schedule: Option<String>,
}

/// A machine that is compared with the reference machine.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Machine {
    /// The CPU machine with this many threads; from 2 on it shares even the smallest work.
    Cpu(usize),
    /// The CUDA machine on the emulated device; the number is the seed of the order of threads.
    Emulator(u64),
    /// The CUDA machine on the GPU of this computer.
    Cuda,
    /// The reference machine with edges in a random order: tests the rule of `order.rs`, not a machine.
    Shuffled(u64),
}

impl std::fmt::Display for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Machine::Cpu(threads) => write!(f, "cpu with {threads} threads"),
            Machine::Emulator(seed) => write!(f, "emulated GPU in order {seed}"),
            Machine::Cuda => f.write_str("GPU"),
            Machine::Shuffled(seed) => write!(f, "reference machine in order {seed}"),
        }
    }
}

impl GraphData {
    /// The graph itself. Loops and repeated edges go, as they do for files.
    pub fn build(&self) -> Result<Arc<Graph>, String> {
        let parallel = if self.columns { Parallel::Keep } else { Parallel::default() };
        let options = BuildOptions { parallel, ..BuildOptions::default() };
        macro_rules! of {
            ($weight:ty) => {{
                let edges = self.edges.iter().map(|&(s, t, w)| (s, t, w as $weight));
                let list = EdgeList::<$weight>::from_triples(self.vertices, edges);
                match self.columns {
                    true => build_rows(list, Some(Arc::new(self.table())), &options),
                    false => build(list, &options),
                }
            }};
        }
        let graph = match (self.fractional, self.wide) {
            (true, true) => of!(f64),
            (true, false) => of!(f32),
            (false, true) => of!(i64),
            (false, false) => of!(i32),
        };
        graph.map(Arc::new).map_err(|error| error.to_string())
    }

    /// The columns: `a` has whole numbers, of which every fifth is missing, `b` reals, `c` five texts.
    fn table(&self) -> Table {
        let rows = 0..self.edges.len();
        let column = |name: &str, values, missing: Vec<u32>| Column {
            name: name.to_string(),
            values,
            missing: Arc::new(missing.into()),
        };
        let whole: Vec<i64> = rows.clone().map(|row| (row as i64 * 7919) % 23 - 5).collect();
        let reals: Vec<f64> = rows.clone().map(|row| (row % 17) as f64 / 4.0).collect();
        let codes: Vec<u32> = rows.clone().map(|row| (row * 31 % 5) as u32).collect();
        let texts = Arc::new(Names::from_texts(["blue", "green", "red", "white", "yellow"]));
        let columns = vec![
            column("a", Values::Int(Arc::new(whole.into())), rows.clone().step_by(5).map(|row| row as u32).collect()),
            column("b", Values::Double(Arc::new(reals.into())), Vec::new()),
            column("c", Values::Text(Arc::new(codes.into()), texts), Vec::new()),
        ];
        Table { rows: rows.len(), columns, others: Vec::new() }
    }

    /// The graph in the Matrix Market format, which keeps the number of vertices.
    pub fn matrix_market(&self) -> String {
        let kind = if self.fractional { "real" } else { "integer" };
        let mut text = format!("%%MatrixMarket matrix coordinate {kind} general\n");
        text += &format!("{} {} {}\n", self.vertices, self.vertices, self.edges.len());
        for (source, target, weight) in &self.edges {
            text += &format!("{} {} {weight}\n", source + 1, target + 1);
        }
        text
    }
}

impl Case {
    /// The names that the program's arguments have.
    pub fn args(&self) -> Vec<String> {
        (1..=self.graphs.len()).map(|i| format!("graph{i}.mtx")).collect()
    }

    /// Writes the program, its graphs and the command line into a folder.
    pub fn save(&self, folder: &Path, note: &str) -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join("program.gt"), &self.program)?;
        for (graph, name) in self.graphs.iter().zip(self.args()) {
            std::fs::write(folder.join(name), graph.matrix_market())?;
        }
        let text = serde_json::to_string_pretty(self)?;
        std::fs::write(folder.join("case.json"), text)?;
        std::fs::write(folder.join("README"), format!("{note}\n{}\n", self.commands().join("\n")))
    }

    /// The command lines that show the difference, one per trial.
    pub fn commands(&self) -> Vec<String> {
        if self.graphs.iter().any(|graph| graph.columns) {
            return vec!["gw-fuzz replay case.json".to_string()];
        }
        let args = self.args().join(" ");
        let mut commands = vec![format!("gw run program.gt {args} --target reference")];
        for trial in &self.trials {
            let schedule = trial.schedule.as_deref().unwrap_or("auto");
            let target = match trial.machine {
                Machine::Cpu(threads) => format!("--target cpu --threads {threads}"),
                Machine::Cuda => "--target cuda".to_string(),
                Machine::Emulator(_) | Machine::Shuffled(_) => continue,
            };
            commands.push(format!("gw run program.gt {args} {target} --schedule '{schedule}'"));
        }
        commands.push("gw-fuzz replay case.json".to_string());
        commands
    }
}
