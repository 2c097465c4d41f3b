//! Searches replayed on tables.

use gw_graph::rng::Rng;
use gw_schedule::ProgramSchedule;
use gw_tune::{Bench, Replay, Settings, TableCatalogue, Trial, search};

use crate::cells::Cell;

/// A run of a random search is ended at this multiple of the best so far.
const CAP: f64 = 2.0;

/// How searches are replayed.
pub struct Searches {
    pub seeds: u64,
    pub lanes: usize,
    pub on_device: bool,
}

impl Searches {
    fn bench<'a>(&self, cell: &'a Cell) -> Replay<'a> {
        let bench = Replay::new(&cell.table, &cell.space);
        if self.on_device { bench.on_device(self.lanes) } else { bench }
    }

    fn mean(&self, run: impl Fn(u64) -> f64) -> f64 {
        ((0..self.seeds).map(|seed| run(seed).ln()).sum::<f64>() / self.seeds.max(1) as f64).exp()
    }

    /// The regret of the tuner.
    pub fn tune(&self, cell: &Cell, taught: &[(String, ProgramSchedule)], budget: f64, surrogate: bool) -> f64 {
        self.mean(|seed| {
            let mut bench = self.bench(cell);
            let catalogue = TableCatalogue::new(&cell.table, &cell.space);
            let mut all = cell.starts.clone();
            all.splice(1..1, taught.iter().cloned());
            all.retain(|(_, schedule)| cell.table.find(&cell.space, schedule).is_some());
            let settings = Settings { seed, surrogate, ..Settings::new(budget, all) };
            match search(&mut bench, &catalogue, &settings, &mut |_| {}) {
                Ok(found) => cell.regret(&found.arms[found.best].schedule).unwrap_or(f64::NAN),
                Err(_) => f64::NAN,
            }
        })
    }

    /// The regret of schedules drawn blindly, each run to its end or to a multiple of the best so far.
    pub fn random(&self, cell: &Cell, budget: f64) -> f64 {
        self.mean(|seed| {
            let mut bench = self.bench(cell);
            let mut order: Vec<usize> = (0..cell.table.entries.len()).collect();
            Rng::new(seed, 0x72).shuffle(&mut order);
            // The rule is everybody's first answer.
            let mut best = match bench.run(cell.rule(), 0, f64::MAX) {
                Trial::Done(reading) => reading.seconds,
                _ => f64::MAX / CAP,
            };
            for place in order {
                if bench.elapsed() >= budget {
                    break;
                }
                if let Trial::Done(reading) = bench.run(&cell.table.entries[place].schedule, 0, CAP * best) {
                    best = best.min(reading.seconds);
                }
            }
            best / cell.table.best()
        })
    }
}
