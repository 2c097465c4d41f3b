//! `gw tune`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::{Args, ValueEnum};
use graphwright::schedule::ScheduleCache;
use graphwright::{Note, Program};
use gw_exec::GraphVm;
use gw_graph::progress::Progress;
use gw_graph::text_file::read_text;
use gw_lab::Lab;
use gw_meter::power::Gauge;
use gw_schedule::ProgramSchedule;
use gw_tune::{Ended, Event, Found, Objective, ProgramSpace, Session, Survey, Tuned, explain, for_file};

use crate::error::ToolError;
use crate::output::{bytes, grouped, seconds, text, writable};
use gw_cli::apart::Apart;
use gw_cli::error::CliError;
use gw_cli::machines::{self, Target};
use gw_cli::program::graphs::Graphs;
use gw_cli::program::named::Named;
use gw_cli::program::source;
use gw_cli::progress::Bar;

const HELP: &str = "\
Examples:
  gw tune bfs kron:16                           a minute of search; `gw run bfs kron:16 --schedule auto` uses the result
  gw tune sssp-delta road.mtx --budget 10s --out road.schedule
                                                ten seconds; `gw run sssp-delta road.mtx --schedule road.schedule`
  gw tune pagerank web.mtx --target cuda --lab my.lab --explain
                                                on the GPU, begun with what the lab knows; which axes mattered
  gw tune bfs kron:16 --objective memory        the schedule that needs least memory
  gw tune pagerank web.mtx --target cuda --objective energy --budget 5m
                                                least joules per run; `gw run ... --schedule auto:energy` uses it

The schedule goes to standard output, everything else to standard error. Running the same command again goes on where
the last search ended. docs/tune.md explains it step by step.";

/// Arguments of `gw tune`.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Tune {
    /// A standard program (see `gw programs`) or a .gt file
    program: String,
    /// Arguments of the program as for `gw run`
    #[arg(allow_negative_numbers = true)]
    args: Vec<String>,
    /// The machine to tune for
    #[arg(long, value_parser = machines::target(), default_value = "cpu")]
    target: Target,
    /// Time in all once the graph is read, compiling included: 10s, 2m, 500ms, or seconds
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s")]
    budget: Duration,
    /// What shall be small
    #[arg(long, value_enum, default_value = "time")]
    objective: Goal,
    /// Keep every measurement in this lab, and begin with the best schedules of similar graphs in it
    #[arg(long, value_name = "LAB")]
    lab: Option<PathBuf>,
    /// Write the schedule to this file, for `gw run --schedule FILE`
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Say which axes of the schedule mattered, and by how much
    #[arg(long)]
    explain: bool,
    /// Forget what earlier searches for this program, graph and machine measured
    #[arg(long)]
    fresh: bool,
    /// Tune for so many sources besides the first, drawn by the seed [default: 3 where no source is given, else 0]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(..=64))]
    more_sources: Option<u32>,
    /// Do not search: measure so many schedules drawn evenly, or the rule and the portfolio (`portfolio`), as evidence
    /// for the lab
    #[arg(long, value_name = "COUNT|portfolio", requires = "lab", value_parser = survey_of,
          conflicts_with_all = ["out", "explain", "objective"])]
    survey: Option<Survey>,
    /// Survey the graphs of this file, one per line, each within the budget; the arguments are then without a graph
    #[arg(long, value_name = "FILE", requires = "survey")]
    graphs: Option<PathBuf>,
    /// Survey the schedules of this file, too, one per line; what is not legal for the program is named and left out
    #[arg(long, value_name = "FILE", requires = "survey")]
    also: Option<PathBuf>,
    /// Seed of all draws
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    named: Named,
}

/// What shall be small.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Goal {
    /// The time of a run
    Time,
    /// The memory of a run as estimated before it, and the time among schedules that need the same
    Memory,
    /// The energy of a run by the meter of the machine, idle power included
    Energy,
    /// The product of energy and time of a run (energy-delay product)
    TimeEnergy,
}

impl From<Goal> for Objective {
    fn from(goal: Goal) -> Objective {
        match goal {
            Goal::Time => Objective::Time,
            Goal::Memory => Objective::Memory,
            Goal::Energy => Objective::Energy,
            Goal::TimeEnergy => Objective::TimeEnergy,
        }
    }
}

impl Tune {
    /// Tunes; `threads` is 0 for all cores.
    pub fn run(self, cancel: &Arc<AtomicBool>, threads: usize) -> Result<(), ToolError> {
        let program = source::find(&self.program)?;
        let read = Apart::reading([&*self.program]).and(&self.args);
        read.files(self.lab.iter().chain(&self.graphs).chain(&self.also))
            .writing("--out", self.out.as_deref())
            .check()?;
        // A minute of search shall not end at a file that cannot be written.
        self.out.as_deref().map_or(Ok(()), |path| writable(path, "--out"))?;
        let lab = self.lab.as_ref().map(Lab::open).transpose()?;
        let machine = self.target.open(threads)?;
        let machine = gw_cli::stop::Left::new(machine, |machine| !machine.vm().start_steps().is_empty());
        let threads = machine.threads();
        match &self.graphs {
            None => self.on_graph(&program, machine.vm(), threads, lab, &self.args, cancel),
            Some(path) => self.on_graphs(path, &program, machine.vm(), threads, cancel),
        }
    }

    /// Surveys every graph of a list. A graph that the program refuses is named and passed over.
    fn on_graphs(
        &self,
        path: &Path,
        program: &Program,
        machine: &dyn GraphVm,
        threads: usize,
        cancel: &Arc<AtomicBool>,
    ) -> Result<(), ToolError> {
        let wrong = |error| ToolError::usage(format!("--graphs {}: {error}", path.display()));
        let list = read_text(path).map_err(wrong)?;
        let graphs = list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        for graph in graphs {
            let args: Vec<String> =
                std::iter::once(graph).chain(self.args.iter().map(String::as_str)).map(String::from).collect();
            let lab = self.lab.as_ref().map(Lab::open).transpose()?;
            eprintln!("gw: {graph}");
            match self.on_graph(program, machine, threads, lab, &args, cancel) {
                Err(stopped @ (ToolError::InterruptedSurvey(_) | ToolError::LostDevice(_))) => return Err(stopped),
                Err(error) => eprintln!("gw: {graph} is left out: {error}"),
                Ok(()) => {}
            }
        }
        Ok(())
    }

    fn on_graph(
        &self,
        program: &Program,
        machine: &dyn GraphVm,
        threads: usize,
        lab: Option<Lab>,
        args: &[String],
        cancel: &Arc<AtomicBool>,
    ) -> Result<(), ToolError> {
        let graphs = Arc::new(Graphs::new(Arc::default(), program.as_standard().is_some()));
        let job = program.job().args(args).graphs(graphs).cancel(cancel);
        let planned = self.named.pairs().into_iter().fold(job, |job, (name, value)| job.arg(&name, value)).plan()?;
        // A source that was not given does not matter here: further ones are drawn.
        let notes = planned.notes().iter().filter(|note| !matches!(note, Note::ChosenSource { .. }));
        notes.for_each(|note| eprintln!("gw: {note}"));
        let objective = Objective::from(self.objective);
        let option = format!("--objective {}", objective.word());
        let meter = objective.needs_meter().then(|| gw_cli::energy::meter(machine.name(), &option)).transpose()?;
        // Metering a schedule takes a second per source.
        let more = if objective.needs_meter() { 1 } else { 3 };
        let usual = if planned.chosen_source().is_some() && self.survey.is_none() { more } else { 0 };
        let mut session = Session {
            program: planned.program(),
            machine,
            threads,
            options: planned.options(),
            more_sources: self.more_sources.unwrap_or(usual) as usize,
            objective,
            meter: meter.as_deref(),
            budget: self.budget,
            seed: self.seed,
            fresh: self.fresh,
            lab,
            cache: ScheduleCache::of_user(threads),
        };
        cancel.store(false, Ordering::Relaxed);
        let done = self.carry_out(&mut session);
        let by_person = cancel.swap(true, Ordering::Relaxed);
        match done {
            Err(ToolError::InterruptedSurvey(tried)) if !by_person => Err(ToolError::LostDevice(tried)),
            done => done,
        }
    }

    fn carry_out(&self, session: &mut Session<'_>) -> Result<(), ToolError> {
        let mut prepared = session.prepare()?;
        let labels: Vec<String> =
            prepared.space.labels().map(|(label, count)| format!("{label} {}", short(count as f64))).collect();
        let word = if prepared.inputs == 1 { "input" } else { "sources" };
        eprintln!(
            "gw: {} schedules of {} on {} ({}), {} {word}",
            short(prepared.space.count()),
            session.program.name(),
            session.machine.name(),
            labels.join(", "),
            prepared.inputs
        );
        if let Some(gauge) = &prepared.gauge {
            eprintln!("gw: {}", metering(session.objective, gauge));
        }
        if self.lab.is_some() {
            eprintln!("gw: {}", lab_in_words(&prepared.from_lab));
        }
        if let Some(wanted) = self.survey {
            return survey(session, &prepared, wanted, &self.also_surveyed(&prepared.space)?);
        }
        let bar = Bar::new();
        bar.begin("measuring the rule", None);
        let mut base = None;
        let objective = session.objective;
        let tuned = session.tune(&mut prepared, &mut |event| match event {
            Event::Baseline(reading) => {
                base = Some(*reading);
                let memory = if reading.bytes > 0 { format!(", {}", bytes(reading.bytes)) } else { String::new() };
                let energy = reading.joules.map(|joules| format!(", {}", energy(joules))).unwrap_or_default();
                let time = seconds(reading.seconds);
                bar.suspend(|| eprintln!("gw: the rule of the machine: {time}{memory}{energy}"));
            }
            Event::Best { arm, share, tried, elapsed } => bar.suspend(|| {
                let cost = base.map_or(String::new(), |base| match objective {
                    Objective::Time => seconds(base.seconds * share),
                    Objective::Memory => bytes((base.bytes as f64 * share) as u64),
                    Objective::Energy => energy(objective.measured(&base) * share),
                    Objective::TimeEnergy => product(objective.measured(&base) * share),
                });
                let percent = 100.0 * share;
                eprintln!(
                    "{elapsed:>7.1} s  {tried:>5} tried  {cost:>9}  {percent:>5.1} %  {}  ({})",
                    arm.schedule, arm.origin
                );
            }),
            Event::Tried { tried, elapsed } => bar.say(&format!("{tried} tried, {elapsed:.0} s")),
            Event::Duel => bar.say("the best take turns"),
        })?;
        drop(bar);
        if prepared.recalled > 0 {
            eprintln!("gw: {} measurements of an earlier search were taken up", grouped(prepared.recalled as u64));
        }
        tuned.problems.iter().for_each(|problem| eprintln!("gw: warning: {problem}"));
        self.tell(session, &prepared.space, &tuned)?;
        if let Some(problem) = tuned.wrong {
            return Err(CliError::Wrong(format!("{problem} (the schedule is not kept and not written)")).into());
        }
        match tuned.found.ended {
            Ended::Stopped => Err(ToolError::InterruptedTune(tuned.found.arms.len())),
            Ended::Budget | Ended::Exhausted => Ok(()),
        }
    }

    /// The schedules of the file of `--also` that the program may have.
    fn also_surveyed(&self, space: &ProgramSpace) -> Result<Vec<ProgramSchedule>, ToolError> {
        let Some(path) = &self.also else { return Ok(Vec::new()) };
        let wrong = |problem: String| ToolError::usage(format!("--also {}: {problem}", path.display()));
        let list = read_text(path).map_err(|error| wrong(error.to_string()))?;
        let mut all = Vec::new();
        for line in list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let schedule: ProgramSchedule = line.parse().map_err(|error| wrong(format!("`{line}`: {error}")))?;
            match space.allows(&schedule) {
                true => all.push(schedule),
                false => eprintln!("gw: --also: `{line}` is not legal for this program on this machine"),
            }
        }
        Ok(all)
    }

    fn tell(&self, session: &Session<'_>, space: &ProgramSpace, tuned: &Tuned) -> Result<(), ToolError> {
        let found = &tuned.found;
        eprint!("{}", summary(tuned, session.objective));
        if self.explain {
            eprint!("{}", axes(space, found, tuned.schedule()));
        }
        let (schedule, dropped) = for_file(session.program, tuned.schedule());
        if !dropped.is_empty() {
            eprintln!(
                "gw: operators without a label ({}): a file can only say one schedule for all of them; give them \
                 labels, `#s1# edges.apply(...)`, to have each in the file",
                dropped.join(", ")
            );
        }
        let line = format!("{schedule}\n");
        text(&line)?;
        if let (Some(path), None) = (&self.out, &tuned.wrong) {
            gw_graph::format::write_file(path, line.as_bytes())?;
            eprintln!("gw: wrote {}", path.display());
        }
        if tuned.entry.is_some() {
            let aim = match session.objective {
                Objective::Time | Objective::Memory => String::new(),
                objective => format!(":{}", objective.word()),
            };
            eprintln!("gw: kept for later runs: `gw run {} ... --schedule auto{aim}` uses it", self.program);
        }
        Ok(())
    }
}

fn survey(
    session: &mut Session<'_>,
    prepared: &gw_tune::Prepared,
    wanted: Survey,
    also: &[ProgramSchedule],
) -> Result<(), ToolError> {
    let bar = Bar::new();
    bar.begin(
        "measuring schedules",
        match wanted {
            Survey::Drawn(count) => Some(count as u64),
            Survey::Portfolio => None,
        },
    );
    let surveyed = session.survey(prepared, wanted, also, &mut |_| bar.advance(1))?;
    drop(bar);
    surveyed.problems.iter().for_each(|problem| eprintln!("gw: warning: {problem}"));
    let (tried, ended) = (grouped(surveyed.tried as u64), grouped(surveyed.ended as u64));
    let known = match surveyed.known {
        0 => String::new(),
        known => format!("; the lab had {}", grouped(known as u64)),
    };
    text(&format!("{tried} schedules measured, {ended} of them to their end{known}\n"))?;
    match surveyed.stopped {
        true => Err(ToolError::InterruptedSurvey(surveyed.tried)),
        false => Ok(()),
    }
}

fn lab_in_words(from_lab: &gw_tune::FromLab) -> String {
    match (from_lab.graphs, from_lab.elsewhere) {
        (0, _) => "the lab knows nothing about this program on this kind of machine yet".to_string(),
        (graphs, elsewhere) => {
            let schedules = from_lab.schedules.len();
            let note = if elsewhere { "; all were measured on other computers, so that only a try tells" } else { "" };
            format!("the lab gives {schedules} schedules of its {graphs} most similar graphs to begin with{note}")
        }
    }
}

fn summary(tuned: &Tuned, objective: Objective) -> String {
    let found = &tuned.found;
    let mut text = String::new();
    let tried = grouped(found.arms.len() as u64);
    let time = seconds(found.elapsed);
    let compiling = seconds(tuned.compile_seconds);
    let effort = format!("{tried} schedules in {time}, of which {compiling} compiling");
    let verified = match tuned.verified {
        Some(true) => "; its result is right",
        Some(false) => "; ITS RESULT IS WRONG",
        None => "",
    };
    let _ = match (found.best, objective) {
        (0, _) => writeln!(text, "gw: nothing beats the rule by more than 2 %: {effort}{verified}"),
        (_, Objective::Time) => writeln!(
            text,
            "gw: best: {}, {:.1} % of the rule's time ({:.2} times as fast): {effort}{verified}",
            seconds(found.share * found.baseline.seconds),
            100.0 * found.share,
            1.0 / found.share
        ),
        (best, Objective::Energy | Objective::TimeEnergy) => {
            let median = |arm: usize| found.arms[arm].median(found.rounds);
            let ((time, joules), (base_time, base_joules)) = (median(best), median(0));
            writeln!(
                text,
                "gw: best: {:.1} % of the rule's {}: {} in {} against {} in {}: {effort}{verified}",
                100.0 * found.share,
                if objective == Objective::Energy { "energy" } else { "product of energy and time" },
                energy(joules.unwrap_or(f64::NAN)),
                seconds(time),
                energy(base_joules.unwrap_or(f64::NAN)),
                seconds(base_time)
            )
        }
        (best, Objective::Memory) => {
            let least = found.arms[best].least_bytes();
            writeln!(
                text,
                "gw: best: {} against {} of the rule: {effort}{verified}",
                bytes(least),
                bytes(found.baseline.bytes)
            )
        }
    };
    if found.noise > 0.1 {
        let percent = 100.0 * found.noise;
        let _ = writeln!(
            text,
            "gw: runs of the same schedule differed by {percent:.0} %: on a quieter machine more can be told"
        );
    }
    text
}

/// What is made small, and how it is metered.
fn metering(objective: Objective, gauge: &Gauge) -> String {
    let what = match objective {
        Objective::TimeEnergy => "the product of the joules and the seconds of a run",
        _ => "the joules of a run",
    };
    format!(
        "{what}, idle power ({:.0} W) included, shall be small; {} changes every {}, so each schedule is repeated for \
         {:.1} s (error of reading at most {:.1} %)",
        gauge.idle_watts,
        gauge.meter,
        seconds(gauge.period),
        gauge.warm_up + gauge.window,
        100.0 * gauge.error()
    )
}

/// An energy in four digits: `1.234 J`, `56.78 mJ`.
fn energy(joules: f64) -> String {
    scaled(joules, "J")
}

/// A product of energy and time, such as `12.3 mJ s`.
fn product(joule_seconds: f64) -> String {
    scaled(joule_seconds, "J s")
}

fn scaled(value: f64, unit: &str) -> String {
    let (factor, prefix) = match value {
        value if value >= 1.0 => (1.0, ""),
        value if value >= 1e-3 => (1e3, "m"),
        _ => (1e6, "u"),
    };
    let value = value * factor;
    let digits = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {prefix}{unit}")
}

/// The axes that mattered most.
fn axes(space: &ProgramSpace, found: &Found, best: &ProgramSchedule) -> String {
    const SHOWN: usize = 12;
    const VALUES: usize = 5;
    let tried: Vec<_> = found.arms.iter().zip(&found.shares).map(|(arm, share)| (&arm.schedule, *share)).collect();
    let share = found.shares[found.best].unwrap_or(1.0);
    let seen = explain(space, &tried, best, share);
    if seen.is_empty() {
        return "what mattered: no schedule with other settings came to its end\n".to_string();
    }
    let mut text =
        String::from("what mattered: the axis, its value, and what the best schedules with other values cost\n");
    for axis in seen.iter().take(SHOWN) {
        let others: Vec<String> = axis
            .values
            .iter()
            .filter(|value| value.value != axis.best)
            .take(VALUES)
            .map(|value| match value.ratio.is_finite() {
                true => format!("{} {:.2}x", value.value, value.ratio),
                false => format!("{} too slow", value.value),
            })
            .collect();
        let _ = writeln!(text, "  {:<24} {:<14} {}", axis.axis, axis.best, others.join(", "));
    }
    text
}

/// A count in few digits: `68`, `1.2e6`.
fn short(count: f64) -> String {
    if count < 1e5 { grouped(count as u64) } else { format!("{count:.1e}") }
}

/// Reads a count or `portfolio`.
fn survey_of(text: &str) -> Result<Survey, String> {
    match (text, text.parse()) {
        ("portfolio", _) => Ok(Survey::Portfolio),
        (_, Ok(count)) => Ok(Survey::Drawn(count)),
        (_, Err(_)) => Err(format!("`{text}` is neither a number of schedules nor `portfolio`")),
    }
}

/// Reads `10s`, `2m`, `500ms` or a number of seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no time; write 10s, 2m, 500ms or a number of seconds");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    let limit = Duration::from_secs(7 * 24 * 3600);
    match Duration::try_from_secs_f64(number * unit) {
        Ok(time) if time >= Duration::from_millis(100) && time <= limit => Ok(time),
        _ => Err(format!("{}: from 100ms to 168h", wrong())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energies_have_few_digits() {
        assert_eq!([energy(12.34), energy(0.0456), energy(3e-6)], ["12.3 J", "45.6 mJ", "3.00 uJ"]);
        assert_eq!(product(0.5), "500 mJ s");
    }

    #[test]
    fn times_are_read() {
        assert_eq!(duration("60s"), Ok(Duration::from_secs(60)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5"), Ok(Duration::from_millis(1500)));
        for bad in ["", "s", "-1s", "1y", "1e99h", "0", "nan", "10 s"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }
}
