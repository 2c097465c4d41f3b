//! `gw model workload`.

use clap::{ArgGroup, Args, ValueEnum};
use gw_lab::Sheet;
use gw_model::{Detail, Kernel, Operations, predicted_operations, predicted_round};
use serde::Serialize;

use crate::error::ToolError;
use crate::output;

/// Arguments of `gw model workload`.
#[derive(Args)]
#[command(group = ArgGroup::new("size").required(true).multiple(true).args(["graph", "vertices"]))]
pub struct Workload {
    /// A graph file or spec
    #[arg(conflicts_with_all = ["vertices", "edges"])]
    graph: Option<String>,
    /// Number of vertices, in place of a graph
    #[arg(long, value_name = "N", requires = "edges", value_parser = clap::value_parser!(u64).range(..=MOST))]
    vertices: Option<u64>,
    /// Number of edges, in place of a graph
    #[arg(long, value_name = "N", requires = "vertices", value_parser = clap::value_parser!(u64).range(..=MOST))]
    edges: Option<u64>,
    /// How closely to count [default: both]
    #[arg(long, value_name = "DETAIL")]
    detail: Option<WantedDetail>,
    /// Print a LaTeX table
    #[arg(long, conflicts_with = "json")]
    latex: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Sizes beyond this would overflow the byte counts.
const MOST: u64 = 1 << 56;

#[derive(Clone, Copy, ValueEnum)]
enum WantedDetail {
    /// What an algorithm on paper names: ranks, degrees, sums
    Abstract,
    /// What generated code does: offsets, neighbour lists and parameters, too
    Concrete,
}

/// A row of the table.
#[derive(Serialize)]
struct Row {
    detail: Detail,
    kernel: String,
    #[serde(flatten)]
    operations: Operations,
}

#[derive(Serialize)]
struct Answer {
    vertices: u64,
    edges: u64,
    rows: Vec<Row>,
}

impl Workload {
    pub fn run(self) -> Result<(), ToolError> {
        let (vertices, edges) = self.sizes()?;
        let details = match self.detail {
            None => vec![Detail::Abstract, Detail::Concrete],
            Some(WantedDetail::Abstract) => vec![Detail::Abstract],
            Some(WantedDetail::Concrete) => vec![Detail::Concrete],
        };
        let rows = details.into_iter().flat_map(|detail| rows(detail, vertices, edges)).collect();
        let answer = Answer { vertices, edges, rows };
        match (self.json, self.latex) {
            (true, _) => output::json(&answer),
            (_, true) => output::text(&sheet(&answer).to_latex()),
            _ => {
                let (v, e) = (output::grouped(vertices), output::grouped(edges));
                output::text(&format!(
                    "one round of PageRank on {v} vertices and {e} edges\n\n{}",
                    sheet(&answer).to_text()
                ))
            }
        }
    }

    fn sizes(&self) -> Result<(u64, u64), ToolError> {
        match (&self.graph, self.vertices, self.edges) {
            (Some(spec), _, _) => {
                let (graph, _, _) = gw_cli::graph::load(spec, &Default::default())?;
                Ok((graph.vertices() as u64, graph.edges() as u64))
            }
            (None, vertices, edges) => Ok((vertices.unwrap_or(0), edges.unwrap_or(0))),
        }
    }
}

/// Every kernel, then whole rounds.
fn rows(detail: Detail, vertices: u64, edges: u64) -> impl Iterator<Item = Row> {
    let kernels = Kernel::ALL.into_iter().map(move |kernel| Row {
        detail,
        kernel: kernel.to_string(),
        operations: predicted_operations(kernel, detail, vertices, edges),
    });
    kernels.chain(Kernel::UPDATES.into_iter().map(move |update| Row {
        detail,
        kernel: format!("{update}, whole round"),
        operations: predicted_round(update, detail, vertices, edges),
    }))
}

fn sheet(answer: &Answer) -> Sheet {
    let columns = ["detail", "kernel", "reads", "writes", "atomics", "bytes read", "bytes written", "bytes atomic"];
    let mut sheet = Sheet::new(columns);
    for Row { detail, kernel, operations: one } in &answer.rows {
        let numbers = [one.reads, one.writes, one.atomics, one.bytes_read, one.bytes_written, one.bytes_atomic];
        let texts = [detail.to_string().into(), kernel.as_str().into()];
        sheet.row(texts.into_iter().chain(numbers.map(Into::into)));
    }
    sheet
}
