//! Cases run in child processes, so that a crash or a hang is attributed to its case and ends nothing else.
//!
//! A worker reads requests, one JSON text per line, and answers each with a line per trial as it starts and one
//! report at the end. The parent ends a worker that says nothing for too long and starts another.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::case::{Case, Machine, Trial};
use crate::check::{Checker, Failure, Report, Settings};
use crate::compare::{Difference, Kind};
use crate::{generate, guard};

/// What a worker is asked.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Request {
    /// Make the case of a seed and check it.
    Seed(u64, Settings),
    /// Check this case.
    Case(Box<Case>, Settings),
}

/// What a worker says.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Answer {
    /// A trial starts.
    Starting(Trial),
    /// All trials are through.
    Done(Report),
}

/// The work of a child process: answers requests until its input ends.
pub fn serve() -> std::io::Result<()> {
    // A worker outlives its use when its parent is killed: it ends with the input.
    guard::enable();
    // The parent reports panics with the case; the usual message would only mix into the output.
    std::panic::set_hook(Box::new(|_| {}));
    let mut checker = Checker::new();
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let request: Request = serde_json::from_str(&line?)?;
        let (case, settings) = match request {
            Request::Seed(seed, settings) => (generate::case(seed), settings),
            Request::Case(case, settings) => (*case, settings),
        };
        let mut say = |answer: &Answer| {
            let text = serde_json::to_string(answer).unwrap_or_default();
            // Without a parent there is nobody to tell.
            drop(writeln!(out, "{text}").and_then(|()| out.flush()));
        };
        let report = checker.check(&case, &settings, &mut |trial| say(&Answer::Starting(trial.clone())));
        say(&Answer::Done(report));
    }
    Ok(())
}

/// A child process that checks cases.
pub struct Worker {
    program: PathBuf,
    process: Option<Process>,
    settings: Settings,
}

struct Process {
    child: Child,
    input: ChildStdin,
    answers: Receiver<Answer>,
}

impl Worker {
    /// A worker that starts with its first case. `program` is the `gw-fuzz` command.
    pub fn new(program: PathBuf, settings: Settings) -> Worker {
        Worker { program, process: None, settings }
    }

    /// Checks the case of a seed.
    pub fn seed(&mut self, seed: u64) -> std::io::Result<Report> {
        self.ask(&Request::Seed(seed, self.settings))
    }

    /// Checks a case.
    pub fn case(&mut self, case: &Case) -> std::io::Result<Report> {
        self.ask(&Request::Case(Box::new(case.clone()), self.settings))
    }

    fn start(&mut self) -> std::io::Result<&mut Process> {
        if self.process.is_none() {
            let mut command = Command::new(&self.program);
            command.arg("worker").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            // The allocator fills freed memory with a pattern: what is read after it was freed shows.
            command.env("MALLOC_PERTURB_", "165");
            let mut child = command.spawn()?;
            let missing = || std::io::Error::other("a worker without pipes");
            let (input, output) = (child.stdin.take().ok_or_else(missing)?, child.stdout.take().ok_or_else(missing)?);
            let (sender, answers) = channel();
            std::thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    let Ok(answer) = serde_json::from_str(&line) else { continue };
                    if sender.send(answer).is_err() {
                        break;
                    }
                }
            });
            self.process = Some(Process { child, input, answers });
        }
        self.process.as_mut().ok_or_else(|| std::io::Error::other("no worker"))
    }

    fn ask(&mut self, request: &Request) -> std::io::Result<Report> {
        // A trial is up to three runs, and one that cannot be stopped from inside gets some time more.
        let settings = self.settings;
        let patience = |trial: &Trial| 4 * settings.limit(trial.machine) + Duration::from_secs(3);
        let process = self.start()?;
        let text = serde_json::to_string(request)?;
        let sent = writeln!(process.input, "{text}").and_then(|()| process.input.flush());
        let mut last = Trial { machine: Machine::Shuffled(0), schedule: None };
        let mut runs = 0;
        let difference = loop {
            if sent.is_err() {
                break Difference { kind: Kind::Crash, detail: "the worker was gone before it started".into() };
            }
            match process.answers.recv_timeout(patience(&last)) {
                Ok(Answer::Starting(trial)) => {
                    last = trial;
                    runs += 1;
                }
                Ok(Answer::Done(report)) => return Ok(report),
                Err(RecvTimeoutError::Timeout) => {
                    process.child.kill()?;
                    process.child.wait()?;
                    let detail = format!("no end within {} s", patience(&last).as_secs());
                    break Difference { kind: Kind::Hang, detail };
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = process.child.wait()?;
                    break Difference { kind: Kind::Crash, detail: cause(status) };
                }
            }
        };
        self.process = None;
        let failures = vec![Failure { trial: last, difference }];
        Ok(Report { runs, failures, ..Report::default() })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            // Its input ends with this, and with that the process; one that hangs is ended.
            drop(process.child.kill());
            drop(process.child.wait());
        }
    }
}

fn cause(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(libc::SIGSEGV) => "the process died: segmentation fault".into(),
        Some(libc::SIGABRT) => "the process died: abort".into(),
        Some(libc::SIGBUS) => "the process died: bus error".into(),
        Some(signal) => format!("the process died by signal {signal}"),
        None => format!("the process ended with {status}"),
    }
}
