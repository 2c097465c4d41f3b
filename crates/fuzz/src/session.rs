//! A fuzzing session: seeds in order, shared among worker processes, failures classified and saved.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::check::{Failure, Report, Settings};
use crate::classify::classify;
use crate::compare::Kind;
use crate::generate;
use crate::worker::Worker;

/// What a session does.
#[derive(Debug, Clone)]
pub struct Session {
    /// The `gw-fuzz` command, for worker processes.
    pub program: PathBuf,
    /// The first seed.
    pub seed: u64,
    /// How many programs at most.
    pub programs: u64,
    /// How long at most.
    pub time: Option<Duration>,
    /// Worker processes.
    pub jobs: usize,
    /// What is done with each program.
    pub settings: Settings,
    /// Where failing cases go.
    pub save: Option<PathBuf>,
    /// Classify failures by taking parts out.
    pub classify: bool,
}

/// The first failure of a class.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The seed.
    pub seed: u64,
    /// Programs tried before and with it.
    pub programs: u64,
    /// Seconds since the start.
    pub seconds: f64,
    /// What differs.
    pub failure: Failure,
    /// How many programs failed in this class.
    pub count: u64,
}

/// What a session found.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// Programs checked.
    pub programs: u64,
    /// Runs on machines other than the reference machine.
    pub runs: u64,
    /// Runs refused: the schedule is not legal for the program, or the machine cannot run it.
    pub refused: u64,
    /// Programs whose results may depend on an order.
    pub dependent: u64,
    /// Programs compared with tolerance.
    pub inexact: u64,
    /// Programs that end with a run-time error.
    pub faulty: u64,
    /// Programs given up because the reference machine took too long.
    pub slow: u64,
    /// Failures by class.
    pub findings: BTreeMap<String, Finding>,
    /// Reasons why results depend on an order, and how often.
    pub reasons: BTreeMap<String, u64>,
}

impl Session {
    /// Runs to the end. `heard` is told of every new class.
    pub fn run(&self, heard: &(dyn Fn(&str, &Finding) + Sync)) -> std::io::Result<Summary> {
        let start = Instant::now();
        let next = AtomicU64::new(0);
        let broken = AtomicBool::new(false);
        let summary = Mutex::new(Summary::default());
        let result: Mutex<std::io::Result<()>> = Mutex::new(Ok(()));
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                scope.spawn(|| {
                    let mut worker = Worker::new(self.program.clone(), self.settings);
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let late = self.time.is_some_and(|time| start.elapsed() >= time);
                        if number >= self.programs || late || broken.load(Ordering::Relaxed) {
                            return;
                        }
                        let seed = self.seed + number;
                        match worker.seed(seed) {
                            Ok(report) => self.enter(&mut worker, seed, report, start, &summary, heard),
                            Err(error) => {
                                broken.store(true, Ordering::Relaxed);
                                if let Ok(mut result) = result.lock() {
                                    *result = Err(error);
                                }
                                return;
                            }
                        }
                    }
                });
            }
        });
        result.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())?;
        Ok(summary.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    fn enter(
        &self,
        worker: &mut Worker,
        seed: u64,
        report: Report,
        start: Instant,
        summary: &Mutex<Summary>,
        heard: &(dyn Fn(&str, &Finding) + Sync),
    ) {
        let mut failures = report.failures.clone();
        // A run that was only slow, because the computer had other things to do, is none that hangs.
        if failures.first().is_some_and(|failure| failure.difference.kind == Kind::Hang)
            && worker.case(&generate::case(seed)).is_ok_and(|again| again.failures.is_empty())
        {
            failures.clear();
        }
        let class = failures.first().map(|failure| {
            let case = generate::case(seed);
            let class = match self.classify {
                true => classify(worker, &case, failure),
                false => format!("{:?}", failure.difference.kind).to_lowercase(),
            };
            (class, failure.clone(), case)
        });
        let Ok(mut summary) = summary.lock() else { return };
        summary.programs += 1;
        summary.runs += report.runs as u64;
        summary.refused += report.refused as u64;
        summary.dependent += u64::from(report.dependent.is_some());
        summary.inexact += u64::from(report.inexact);
        summary.faulty += u64::from(report.faulty.is_some());
        summary.slow += u64::from(report.slow);
        if let Some(reason) = report.dependent {
            // Names of variables are random.
            let reason = reason.split('`').step_by(2).collect::<Vec<_>>().join("x");
            *summary.reasons.entry(reason).or_default() += 1;
        }
        let Some((class, failure, mut case)) = class else { return };
        let programs = summary.programs;
        let found = summary.findings.entry(class.clone()).or_insert_with(|| {
            let seconds = start.elapsed().as_secs_f64();
            let finding = Finding { seed, programs, seconds, failure: failure.clone(), count: 0 };
            heard(&class, &finding);
            finding
        });
        found.count += 1;
        if let Some(folder) = &self.save
            && found.count <= 20
        {
            case.trials = vec![failure.trial.clone()];
            let name = class.replace([' ', ','], "-").replace("--", "-");
            let note = format!("{class}\n{}\n{}", failure.trial.machine, failure.difference.detail);
            if let Err(error) = case.save(&folder.join(format!("{name}-{seed}")), &note) {
                eprintln!("cannot save seed {seed}: {error}");
            }
        }
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{} programs, {} runs ({} refused)", self.programs, self.runs, self.refused)?;
        writeln!(
            f,
            "{} may depend on an order (not compared), {} compared with tolerance, {} end with an error, {} too slow",
            self.dependent, self.inexact, self.faulty, self.slow
        )?;
        for (reason, count) in &self.reasons {
            writeln!(f, "  order: {count:6}  {reason}")?;
        }
        if self.findings.is_empty() {
            return writeln!(f, "no failures");
        }
        for (class, finding) in &self.findings {
            writeln!(
                f,
                "{:6} x {class}: first with seed {} after {} programs, {:.1} s",
                finding.count, finding.seed, finding.programs, finding.seconds
            )?;
        }
        Ok(())
    }
}
