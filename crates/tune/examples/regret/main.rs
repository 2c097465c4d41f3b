//! Judges the ways to a schedule by tables of measured schedules: how far their answers are from the best of a table.
//!
//! ```sh
//! cargo run --release -p gw-tune --example regret -- [OPTIONS] LAB ...
//!   --target cpu|cuda     the machine that was surveyed (cpu)
//!   --learn LAB           surveys of the portfolio, for the learned choice without the graph of a table
//!   --today               judge the rule of today on tables of the GPU that began with an earlier one
//!   --experts FILE        schedules written by hand: program, tab, schedule
//!   --budgets 10,60       seconds that searches are given
//!   --seeds 3             searches per budget; their geometric mean counts
//!   --lanes 16            schedules that a device's compiler makes side by side
//!   --csv FOLDER          writes the tables for tuners of other people (bench/tune-opentuner.py)
//! ```
//!
//! A lab has tables from `gw tune --survey N` (bench/lab/survey.sh). For every program and graph the rule, the
//! learned choice, the adaptive schedule and schedules by hand are looked up, and searches are replayed with the
//! measured times of runs and compiling: the tuner, the tuner that knows the best schedules of the other graphs, the
//! tuner without its surrogate, random search whose runs are ended at twice the best. A regret is the time of the
//! answer over the best time of the table; 1 is the best.

mod cells;
mod learned;
mod searches;

use std::collections::BTreeMap;
use std::path::PathBuf;

use cells::{Cell, read_cells, write_csv};
use learned::Learned;
use searches::Searches;

/// What is asked for.
struct Options {
    target: String,
    labs: Vec<PathBuf>,
    learn: Vec<PathBuf>,
    experts: Option<PathBuf>,
    budgets: Vec<f64>,
    seeds: u64,
    lanes: usize,
    csv: Option<PathBuf>,
    today: bool,
}

type Failure = Box<dyn std::error::Error>;

impl Options {
    fn read(mut args: impl Iterator<Item = String>) -> Result<Options, Failure> {
        let mut options = Options {
            target: "cpu".to_string(),
            labs: Vec::new(),
            learn: Vec::new(),
            experts: None,
            budgets: vec![10.0, 60.0],
            seeds: 3,
            lanes: 16,
            csv: None,
            today: false,
        };
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("{arg} needs a value"));
            match arg.as_str() {
                "--target" => options.target = value()?,
                "--today" => options.today = true,
                "--learn" => options.learn.push(value()?.into()),
                "--experts" => options.experts = Some(value()?.into()),
                "--budgets" => options.budgets = value()?.split(',').map(str::parse).collect::<Result<_, _>>()?,
                "--seeds" => options.seeds = value()?.parse()?,
                "--lanes" => options.lanes = value()?.parse()?,
                "--csv" => options.csv = Some(value()?.into()),
                other if other.starts_with("--") => return Err(format!("there is no option {other}").into()),
                lab => options.labs.push(lab.into()),
            }
        }
        match options.labs.is_empty() {
            true => Err("usage: regret [OPTIONS] LAB ...; the head of this example has the options".into()),
            false => Ok(options),
        }
    }
}

/// Regrets by who answered.
#[derive(Default)]
struct Regrets(BTreeMap<String, Vec<(f64, String)>>);

impl Regrets {
    fn note(&mut self, who: impl Into<String>, regret: Option<f64>, cell: &Cell) -> String {
        let Some(regret) = regret.filter(|regret| regret.is_finite()) else { return "-".to_string() };
        self.0.entry(who.into()).or_default().push((regret, cell.name()));
        format!("{regret:.2}")
    }

    fn print(&self) {
        println!("\n| who | cells | mean | worst | at | within 5 % |\n|---|---|---|---|---|---|");
        for (who, all) in &self.0 {
            let mean = (all.iter().map(|(regret, _)| regret.ln()).sum::<f64>() / all.len() as f64).exp();
            let worst = all.iter().max_by(|a, b| a.0.total_cmp(&b.0));
            let (worst, at) = worst.map_or((1.0, ""), |(regret, at)| (*regret, at.as_str()));
            let close = 100.0 * all.iter().filter(|(regret, _)| *regret <= 1.05).count() as f64 / all.len() as f64;
            println!("| {who} | {} | {mean:.3} | {worst:.2} | {at} | {close:.0} % |", all.len());
        }
    }
}

fn main() -> Result<(), Failure> {
    let options = Options::read(std::env::args().skip(1))?;
    let cells = read_cells(&options.labs, &options.target, options.experts.as_deref(), options.today)?;
    if let Some(folder) = &options.csv {
        std::fs::create_dir_all(folder)?;
        cells.iter().try_for_each(|cell| write_csv(cell, folder))?;
    }
    let learned = Learned::new(&options)?;
    let searches = Searches { seeds: options.seeds, lanes: options.lanes, on_device: options.target == "cuda" };
    let mut regrets = Regrets::default();
    let searched: Vec<String> =
        options.budgets.iter().flat_map(|t| [format!("tune {t} s"), format!("random {t} s")]).collect();
    println!(
        "| program and graph | schedules | ended | best ms | rule | auto | auto, graph left out | adaptive | experts | {} |",
        searched.join(" | ")
    );
    println!("|{}", "---|".repeat(9 + searched.len()));
    for (at, cell) in cells.iter().enumerate() {
        let ended = cell.table.entries.iter().filter(|entry| entry.done).count();
        let best = 1e3 * cell.table.best();
        let mut row = format!("| {} | {} | {ended} | {best:.3} |", cell.name(), cell.table.entries.len());
        let mut add = |text: String| row += &format!(" {text} |");
        add(regrets.note("1 rule", cell.regret(cell.rule()), cell));
        add(regrets.note("2 auto, as shipped", learned.shipped(cell), cell));
        add(regrets.note("3 auto, graph left out", learned.without_graph(cell)?, cell));
        add(regrets.note("4 adaptive (steps)", cell.adaptive, cell));
        add(regrets.note("5 experts, the best of them", cell.experts, cell));
        for &budget in &options.budgets {
            let tuned = searches.tune(cell, &[], budget, true);
            add(regrets.note(format!("6 tune {budget} s"), Some(tuned), cell));
            let random = searches.random(cell, budget);
            add(regrets.note(format!("7 random {budget} s, ended at twice the best"), Some(random), cell));
            let taught = searches.tune(cell, &cells::taught(&cells, at), budget, true);
            regrets.note(format!("8 tune {budget} s, with a lab of the other graphs"), Some(taught), cell);
            let blind = searches.tune(cell, &[], budget, false);
            regrets.note(format!("9 tune {budget} s, without surrogate"), Some(blind), cell);
            if let Some(experts) = cell.experts {
                regrets.note(format!("10 tune {budget} s over the best expert"), Some(tuned / experts), cell);
            }
        }
        println!("{row}");
    }
    regrets.print();
    Ok(())
}
