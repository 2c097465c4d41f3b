//! `gw model choice`.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use gw_lab::Lab;
use gw_learned::features::NAMES;
use gw_model::choice::{Judged, Learning, LeaveOut, Rows, Summary, judge, proven, rows, train};

use crate::error::ToolError;
use crate::output::text;
use gw_cli::apart::Apart;

/// Arguments of `gw model choice`.
#[derive(Args)]
pub struct Choice {
    /// Labs with surveys of the portfolio (`gw tune ... --survey portfolio`)
    #[arg(required = true)]
    labs: Vec<PathBuf>,
    /// The machine that was surveyed
    #[arg(long, value_name = "MACHINE", default_value = "cpu")]
    target: String,
    /// Write the model to this file; `GW_CHOICE_MODEL=FILE gw run ... --schedule auto` uses it
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Judge: every tenth of the graphs, then every program, is left out once; operators of programs for which the rule
    /// is as good keep the rule
    #[arg(long)]
    judge: bool,
    /// Print every case that was judged
    #[arg(long, requires = "judge")]
    cases: bool,
    /// The least gain that a change must promise, as a share of the rule's time
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    margin: f64,
    /// Standard deviations of the trees' answers that are added to what they expect
    #[arg(long, value_name = "NUMBER", default_value_t = 0.7)]
    doubt: f64,
    /// Trees per candidate
    #[arg(long, value_name = "COUNT", default_value_t = 12)]
    trees: usize,
    /// Questions in a row
    #[arg(long, value_name = "COUNT", default_value_t = 6)]
    depth: usize,
    /// Measurements of a leaf at least
    #[arg(long, value_name = "COUNT", default_value_t = 3)]
    leaf: usize,
    /// Write what is learned from as a table (CSV)
    #[arg(long, value_name = "FILE")]
    rows: Option<PathBuf>,
}

impl Choice {
    /// Learns and judges.
    pub fn run(self) -> Result<(), ToolError> {
        let read = Apart::default().files(&self.labs).writing("--output", self.output.as_deref());
        read.writing("--rows", self.rows.as_deref()).check()?;
        let labs = self.labs.iter().map(Lab::open).collect::<Result<Vec<_>, _>>()?;
        let rows = rows(&labs, &self.target)?;
        for (what, count) in &rows.passed_over {
            eprintln!("gw: {count} {what} are passed over");
        }
        if let Some(path) = &self.rows {
            gw_graph::format::write_file(path, table(&rows).as_bytes())?;
        }
        let mut learning = Learning { margin: self.margin, doubt: self.doubt, ..Learning::default() };
        (learning.shape.trees, learning.shape.depth, learning.shape.leaf) = (self.trees, self.depth, self.leaf);
        let mut model = train(&rows, &self.target, &learning, |_| true)?;
        let mut answer = format!(
            "{} programs on {} graphs, {} cases, {} measurements\n",
            model.about.programs,
            model.about.graphs,
            rows.cases.len(),
            rows.rows.len()
        );
        if self.judge {
            for (left_out, word) in [(LeaveOut::Graph, "tenth of the graphs"), (LeaveOut::Program, "program")] {
                let judged = judge(&rows, &self.target, &learning, left_out)?;
                let all = Summary::of(judged.iter());
                if left_out == LeaveOut::Graph {
                    let proven = proven(&rows, &judged);
                    model.retain(|kind, class| proven.contains(&(kind, class.to_string())));
                    model.about.judged = Some(all.mean.map(|mean| (1e3 * mean).round() / 1e3));
                }
                let _ = write!(answer, "{}", told(&judged, word, self.cases));
            }
        }
        if let Some(path) = &self.output {
            gw_graph::format::write_file(path, model.to_text().as_bytes())?;
        }
        text(&answer)
    }
}

/// A judgement as a table: time over the best of the portfolio, of the rule and of the model.
fn told(judged: &[Judged], left_out: &str, cases: bool) -> String {
    let mut text = format!(
        "\nEvery {left_out} left out once: time over the least time, geometric mean and worst\n\
         {:<16} {:>6} {:>7} {:>7} {:>7} {:>7} {:>8} {:>7} {:>8}\n",
        "program", "cases", "rule", "model", "rule", "model", "changed", "slower", "at worst"
    );
    let mut programs: Vec<&str> = judged.iter().map(|case| case.program.as_str()).collect();
    programs.sort_unstable();
    programs.dedup();
    let mut line = |name: &str, sum: Summary| {
        let _ = writeln!(
            text,
            "{name:<16} {:>6} {:>7.3} {:>7.3} {:>7.2} {:>7.2} {:>8} {:>7} {:>8.2}",
            sum.cases,
            sum.mean[0],
            sum.mean[1],
            sum.worst[0],
            sum.worst[1],
            sum.changed,
            sum.slower,
            sum.worst_against_rule
        );
    };
    for program in programs {
        line(program, Summary::of(judged.iter().filter(|case| case.program == program)));
    }
    line("all", Summary::of(judged.iter()));
    if cases {
        for case in judged {
            let chosen: Vec<String> =
                case.chosen.iter().map(|(labels, text)| format!("{}@{text}", labels.join("+"))).collect();
            let (program, graph) = (&case.program, &case.graph);
            let _ = writeln!(text, "{program} {graph}: {:.2} {:.2} {}", case.rule, case.model, chosen.join("; "));
        }
    }
    text
}

/// The rows as CSV.
fn table(rows: &Rows) -> String {
    let mut text = String::from("case,program,graph,rule,best,kind,labels,candidate,cost,done,");
    text += &NAMES.join(",");
    text.push('\n');
    for row in &rows.rows {
        let case = &rows.cases[row.case];
        let _ = write!(
            text,
            "{},{},{},{},{},{},{},\"{}\",{},{}",
            row.case,
            case.program,
            case.graph,
            case.rule,
            case.best,
            row.kind.word(),
            row.labels.join(" "),
            row.candidate,
            row.cost,
            u8::from(row.done)
        );
        for value in row.features {
            let _ = write!(text, ",{value}");
        }
        text.push('\n');
    }
    text
}
