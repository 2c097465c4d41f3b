//! Judges the tuner by replay: how far its answers are from the best of a measured space, beside those of others.
//!
//! `cargo run --release -p gw-tune --example regret -- LAB [FOLDER]` reads the surveys of a lab (`gw tune --survey`).
//! For every program and graph it replays searches with budgets from a quarter of a second to two seconds on the
//! measured times: the tuner, the tuner without what other graphs taught it, the tuner without its surrogate, random
//! search with and without a cap. A regret is the time of the answer over the best time of the table; 1 is the best.
//! With a folder the tables are written there as CSV, for tuners of other people (bench/tune-opentuner.py).

use std::collections::BTreeMap;
use std::path::PathBuf;

use graphwright::{MachineOptions, Machines, Program};
use gw_exec::label_operators;
use gw_graph::rng::Rng;
use gw_lab::{Lab, TuneCell};
use gw_schedule::ProgramSchedule;
use gw_tune::{Bench, ProgramSpace, Replay, Settings, Table, TableCatalogue, Trial, search, starts};

const BUDGETS: [f64; 4] = [0.25, 0.5, 1.0, 2.0];
const SEEDS: u64 = 1;
/// The budget at which parts of the tuner are left out to see what they bring.
const WITHOUT: f64 = 1.0;
/// Graphs that schedules are taken from, and schedules of each.
const PORTFOLIO: usize = 3;

struct Cell {
    cell: TuneCell,
    table: Table,
    space: ProgramSpace,
    starts: Vec<(String, ProgramSchedule)>,
    own: Option<f64>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let Some(lab) = args.next() else {
        return Err("usage: regret LAB [FOLDER]".into());
    };
    let folder = args.next().map(PathBuf::from);
    let lab = Lab::open(&lab)?;
    let machine = Machines::standard().open("cpu", &MachineOptions { threads: 1 })?;
    let mut cells = Vec::new();
    for (id, cell) in lab.tune_cells(None, "cpu")? {
        let program = Program::find(&cell.program)?;
        let mut module = program.module().clone();
        label_operators(&mut module);
        let space = ProgramSpace::new(&module, &machine.vm().capabilities(), machine.vm().family());
        let trials = lab.trials(id)?;
        let table = Table::new(&trials, &space);
        // A survey begins with the rule.
        let Some(rule) = trials.first().and_then(|trial| trial.schedule.parse::<ProgramSchedule>().ok()) else {
            continue;
        };
        let starts = starts(&program, machine.vm(), &space, &rule);
        let seconds = |schedule: &ProgramSchedule| table.find(&space, schedule).filter(|e| e.done).map(|e| e.seconds);
        let own = program.front().schedule.as_ref().and_then(seconds);
        cells.push(Cell { cell, table, space, starts, own });
    }
    if let Some(folder) = &folder {
        std::fs::create_dir_all(folder)?;
        for cell in &cells {
            write_csv(cell, &folder.join(format!("{}.csv", name(&cell.cell).replace(['/', ':', ' '], "_"))))?;
        }
    }
    let mut sums: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    println!("| program and graph | schedules | best | rule | own | median | {} |", head());
    println!("|---|---|---|---|---|---|{}", "---|".repeat(BUDGETS.len() * 2));
    for at in 0..cells.len() {
        judge(&cells, at, &mut sums);
    }
    println!("\n| who | mean | worst | within 5 % |\n|---|---|---|---|");
    for (who, regrets) in &sums {
        let mean = (regrets.iter().map(|r| r.ln()).sum::<f64>() / regrets.len() as f64).exp();
        let worst = regrets.iter().copied().fold(1.0, f64::max);
        let close = regrets.iter().filter(|&&r| r <= 1.05).count();
        println!("| {who} | {mean:.3} | {worst:.2} | {:.0} % |", 100.0 * close as f64 / regrets.len() as f64);
    }
    Ok(())
}

fn head() -> String {
    let names: Vec<String> = BUDGETS.iter().flat_map(|t| [format!("tune {t} s"), format!("random {t} s")]).collect();
    names.join(" | ")
}

fn name(cell: &TuneCell) -> String {
    format!("{} {}", cell.program, cell.graph_name.as_deref().unwrap_or(&cell.graph))
}

fn judge(cells: &[Cell], at: usize, sums: &mut BTreeMap<String, Vec<f64>>) {
    let cell = &cells[at];
    let best = cell.table.best();
    let rule = cell.table.find(&cell.space, &cell.starts[0].1).map_or(f64::NAN, |entry| entry.seconds / best);
    let own = cell.own.map(|own| own / best);
    let mut times: Vec<f64> = cell.table.entries.iter().map(|entry| entry.seconds).collect();
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2] / best;
    let taught = taught(cells, at);
    let mut row = format!(
        "| {} | {} | {:.2} ms | {rule:.2} | {} | {median:.2} |",
        name(&cell.cell),
        cell.table.entries.len(),
        1e3 * best,
        own.map_or("-".to_string(), |own| format!("{own:.2}")),
    );
    let mut note = |who: String, regret: f64| sums.entry(who).or_default().push(regret);
    note("rule".to_string(), rule);
    if let Some(own) = own {
        note("program's own (expert)".to_string(), own);
    }
    for budget in BUDGETS {
        let mean = |run: &dyn Fn(u64) -> f64| ((0..SEEDS).map(|s| run(s).ln()).sum::<f64>() / SEEDS as f64).exp();
        let tuned = mean(&|seed| tune(cell, &taught, budget, seed, true));
        if budget == WITHOUT {
            let alone = mean(&|seed| tune(cell, &[], budget, seed, true));
            let blind = mean(&|seed| tune(cell, &taught, budget, seed, false));
            note(format!("tune {budget:4} s, nothing learned from other graphs"), alone);
            note(format!("tune {budget:4} s, without surrogate"), blind);
        }
        let random = mean(&|seed| random(cell, budget, seed, f64::MAX));
        let capped = mean(&|seed| random_search_capped(cell, budget, seed));
        row += &format!(" {tuned:.2} | {random:.2} |");
        note(format!("tune {budget:4} s"), tuned);
        note(format!("random {budget:4} s"), random);
        note(format!("random {budget:4} s with cap"), capped);
    }
    println!("{row}");
}

/// The best schedules of the other graphs for this program, as far as the table has them.
fn taught(cells: &[Cell], at: usize) -> Vec<(String, ProgramSchedule)> {
    let cell = &cells[at];
    let mut found = Vec::new();
    for (other, known) in cells.iter().enumerate() {
        if other == at || known.cell.program != cell.cell.program {
            continue;
        }
        let mut ranked: Vec<&gw_tune::Entry> = known.table.entries.iter().filter(|entry| entry.done).collect();
        ranked.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let here = ranked.into_iter().filter(|entry| cell.table.find(&cell.space, &entry.schedule).is_some());
        found.extend(here.take(PORTFOLIO).map(|entry| ("lab".to_string(), entry.schedule.clone())));
    }
    found
}

/// The regret of the tuner.
fn tune(cell: &Cell, taught: &[(String, ProgramSchedule)], budget: f64, seed: u64, surrogate: bool) -> f64 {
    let mut bench = Replay::new(&cell.table, &cell.space);
    let catalogue = TableCatalogue::new(&cell.table, &cell.space);
    let mut all = cell.starts.clone();
    all.splice(1..1, taught.iter().cloned());
    all.retain(|(_, schedule)| cell.table.find(&cell.space, schedule).is_some());
    let settings = Settings { seed, surrogate, ..Settings::new(budget, all) };
    match search(&mut bench, &catalogue, &settings, &mut |_| {}) {
        Ok(found) => {
            let answer = &found.arms[found.best].schedule;
            cell.table.find(&cell.space, answer).map_or(f64::NAN, |entry| entry.seconds / cell.table.best())
        }
        Err(_) => f64::NAN,
    }
}

/// The regret of schedules drawn blindly, each run to its end or to this multiple of the best so far.
fn random(cell: &Cell, budget: f64, seed: u64, cap: f64) -> f64 {
    let mut bench = Replay::new(&cell.table, &cell.space);
    let mut rng = Rng::new(seed, 0x72);
    let mut order: Vec<usize> = (0..cell.table.entries.len()).collect();
    rng.shuffle(&mut order);
    // The rule is everybody's first answer.
    let rule = &cell.starts[0].1;
    let mut best = cell.table.find(&cell.space, rule).map_or(f64::MAX, |entry| entry.seconds);
    let _ = bench.run(rule, 0, f64::MAX);
    for place in order {
        if bench.elapsed() >= budget {
            break;
        }
        let limit = if cap == f64::MAX { f64::MAX } else { cap * best };
        if let Trial::Done(reading) = bench.run(&cell.table.entries[place].schedule, 0, limit) {
            best = best.min(reading.seconds);
        }
    }
    best / cell.table.best()
}

fn random_search_capped(cell: &Cell, budget: f64, seed: u64) -> f64 {
    random(cell, budget, seed, 2.0)
}

/// A line per schedule: its settings, seconds, whether it came to its end, seconds for compiling.
fn write_csv(cell: &Cell, path: &std::path::Path) -> std::io::Result<()> {
    let mut text = cell.space.columns().join(",") + ",seconds,done,compile\n";
    for entry in &cell.table.entries {
        let settings = cell.space.settings(&entry.schedule);
        let values: Vec<&str> = settings.iter().map(|setting| setting.value.as_str()).collect();
        text += &format!("{},{},{},{}\n", values.join(","), entry.seconds, u8::from(entry.done), entry.compile_seconds);
    }
    std::fs::write(path, text)
}
