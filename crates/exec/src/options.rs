//! What a caller decides about a run: arguments, limits, graphs, extern functions, seed, observer and output.

use std::fmt;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::checkpoint::Checkpoint;
use crate::error::{ErrorKind, Result};
use crate::externs::Externs;
use crate::given::Given;
use crate::graphs::{GraphSource, SpecGraphs};
use crate::observe::Observer;
use crate::watch::watch;

/// The options of one run. Clones share the graph source, the cancel flag and the observer.
#[derive(Clone)]
pub struct RunOptions {
    /// Command line: `argv[0]` is the program's name, the arguments follow.
    pub argv: Vec<String>,
    /// Stop the run after this time.
    pub timeout: Option<Duration>,
    /// Since when this time counts; since the run begins, if not given.
    pub started: Option<Instant>,
    /// Stop the run when this becomes true (Ctrl-C).
    pub cancel: Arc<AtomicBool>,
    /// Receives step records.
    pub observer: Option<Arc<dyn Observer>>,
    /// Where prints go.
    pub output: Output,
    /// Where graphs come from.
    pub graphs: Arc<dyn GraphSource>,
    /// Extern functions.
    pub externs: Arc<Externs>,
    /// Values that globals without an initial value begin with ([`Given`]).
    pub given: Given,
    /// Seed of random neighbours.
    pub seed: u64,
    /// Bring the vectors that a machine keeps elsewhere (device memory) to the host after the run. Without it such
    /// vectors are [`Value::Nothing`](crate::Value::Nothing) in the result: for benchmarks that only look at times.
    pub fetch_results: bool,
    /// How many runs on this graph are expected. What is done once per graph pays the more of them there are.
    pub runs: u32,
    /// Guard against bad advice in adaptive schedules: weak leaves, dear candidates and late steps give way to the safe
    /// candidate.
    pub guard: bool,
    /// Save the run of `main` now and then, or go on with one that was saved.
    pub checkpoint: Option<Checkpoint>,
}

/// Where prints go.
#[derive(Clone, Default)]
pub enum Output {
    /// Into [`RunResult::printed`](crate::RunResult::printed).
    #[default]
    Capture,
    /// Line by line to a writer, such as standard output; `printed` stays empty.
    Writer(Arc<Mutex<dyn Write + Send>>),
}

impl RunOptions {
    /// Defaults with these arguments as `argv[1..]`.
    ///
    /// ```
    /// let options = gw_exec::RunOptions::with_args(["kron:10", "0"]);
    /// assert_eq!(options.argv[2], "0");
    /// ```
    pub fn with_args<S: Into<String>>(args: impl IntoIterator<Item = S>) -> Self {
        let mut options = RunOptions::default();
        options.argv.extend(args.into_iter().map(Into::into));
        options
    }
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions {
            argv: vec!["graphwright".to_string()],
            timeout: None,
            started: None,
            cancel: Arc::new(AtomicBool::new(false)),
            observer: None,
            output: Output::Capture,
            graphs: Arc::new(SpecGraphs::new()),
            externs: Arc::new(Externs::new()),
            given: Given::default(),
            seed: 1,
            fetch_results: true,
            runs: 1,
            guard: true,
            checkpoint: None,
        }
    }
}

impl fmt::Debug for RunOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunOptions")
            .field("argv", &self.argv)
            .field("timeout", &self.timeout)
            .field("externs", &self.externs)
            .field("seed", &self.seed)
            .field("fetch_results", &self.fetch_results)
            .field("guard", &self.guard)
            .finish_non_exhaustive()
    }
}

/// The two ways to stop a run from outside. Machines look at it every few thousand edges; code that cannot look at the
/// clock looks at the [`flag`](Stop::flag).
#[derive(Debug, Clone)]
pub struct Stop {
    cancel: Arc<AtomicBool>,
    deadline: Option<(Instant, f64)>,
    flag: Arc<AtomicBool>,
}

impl Stop {
    pub(crate) fn new(options: &RunOptions) -> Stop {
        let started = options.started.unwrap_or_else(Instant::now);
        let deadline = options.timeout.and_then(|t| Some((started.checked_add(t)?, t.as_secs_f64())));
        let flag = Arc::new(AtomicBool::new(false));
        watch(&options.cancel, deadline.map(|(deadline, _)| deadline), &flag);
        Stop { cancel: Arc::clone(&options.cancel), deadline, flag }
    }

    /// A flag of this run that becomes true within 20 ms after the run was cancelled or its time is over. A machine may
    /// raise it itself when the run cannot go on, to stop its other workers.
    pub fn flag(&self) -> &Arc<AtomicBool> {
        &self.flag
    }

    /// An error when the run was cancelled or is over its time.
    pub fn check(&self) -> Result<()> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(ErrorKind::Cancelled.into());
        }
        match self.deadline {
            Some((deadline, seconds)) if Instant::now() >= deadline => Err(ErrorKind::TimedOut { seconds }.into()),
            _ => Ok(()),
        }
    }
}

/// The printing half of an environment.
pub(crate) enum Printer {
    Capture(String),
    Writer(Arc<Mutex<dyn Write + Send>>),
}

impl Printer {
    pub(crate) fn new(output: &Output) -> Printer {
        match output {
            Output::Capture => Printer::Capture(String::new()),
            Output::Writer(writer) => Printer::Writer(Arc::clone(writer)),
        }
    }

    pub(crate) fn line(&mut self, text: &str) -> Result<()> {
        match self {
            Printer::Capture(all) => {
                all.push_str(text);
                all.push('\n');
                Ok(())
            }
            Printer::Writer(writer) => {
                let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(writeln!(writer, "{text}")?)
            }
        }
    }

    pub(crate) fn finish(self) -> Result<String> {
        match self {
            Printer::Capture(all) => Ok(all),
            Printer::Writer(writer) => {
                writer.lock().unwrap_or_else(PoisonError::into_inner).flush()?;
                Ok(String::new())
            }
        }
    }
}
