//! Local processes that are started by another one, the launcher.
//!
//! The launcher starts every process with the same arguments and keeps a connection to each: a process says on it at
//! which port it listens and hears the addresses of all, and at its end it says there why it failed. So one message is
//! printed, whoever failed first. The first process has the terminal; the others are heard only when they break.
//! Whoever loses the connection ends: nobody stays behind. When the launcher is asked to end, it asks the processes to
//! end in good order; a process that does not answer, then or after the time limit of the run, is killed.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use thiserror::Error;

/// The variable that makes a process one that was launched: the launcher's address, the process, their number.
pub(crate) const VARIABLE: &str = "GW_FLOW_LAUNCHED";
/// The variable with the token of a run.
pub(crate) const TOKEN: &str = "GW_FLOW_TOKEN";
/// The time for an end in good order after one process has failed or the first is done.
const AFTER_FAILURE: Grace = Grace { hang_up: Duration::from_secs(1), kill: Duration::from_secs(3) };
/// The time for an end in good order after the launcher was asked to end. A process takes 800 ms at most.
const AFTER_STOP: Grace = Grace { hang_up: Duration::from_millis(1000), kill: Duration::from_millis(1200) };
/// The time for an end in good order after the time limit of the run.
const AFTER_LIMIT: Grace = Grace { hang_up: Duration::from_millis(400), kill: Duration::from_millis(700) };
/// What the launcher says to a process that is to end.
const STOP: &str = "stop";
/// Time between two looks at the processes.
const PERIOD: Duration = Duration::from_millis(5);
/// How long the first words on a connection may take.
const GREETING: Duration = Duration::from_secs(2);
/// The most that is kept of what a process writes to standard error, in bytes.
const KEPT: usize = 1 << 14;
/// The longest line between launcher and process.
const LONGEST_LINE: u64 = 1 << 20;

/// Bytes that nobody can guess.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    if getrandom::fill(&mut bytes).is_err() {
        // The time and the keys of hash tables: fresh, if not a secret of the best kind.
        use std::hash::{BuildHasher, RandomState};
        for byte in &mut bytes {
            *byte = RandomState::new().hash_one(Instant::now()) as u8;
        }
    }
    bytes
}

/// Processes to be started here.
#[derive(Debug)]
pub struct Launch {
    /// The program.
    pub program: PathBuf,
    /// Its arguments, the same for all processes.
    pub arguments: Vec<OsString>,
    /// How many.
    pub processes: usize,
    /// The time limit of the run, by which the processes end by themselves.
    pub limit: Option<Duration>,
}

/// How long the launcher waits for an end in good order.
#[derive(Clone, Copy)]
struct Grace {
    /// After this time it closes the connections, upon which a process ends at once.
    hang_up: Duration,
    /// After this time it kills the processes that are left.
    kill: Duration,
}

/// Why all processes are to end, other than by themselves.
#[derive(Clone, Copy, PartialEq)]
enum Cause {
    /// One of them failed, or the first is done.
    Failure,
    /// The launcher was asked to end.
    Stop,
    /// The time limit of the run.
    Limit(Duration),
}

/// Why processes could not be started.
#[derive(Debug, Error)]
pub enum LaunchError {
    /// There must be some, and not too many.
    #[error("--processes {0}: there must be 1 to {MOST_PROCESSES} processes on one host")]
    Number(usize),
    /// The launcher cannot listen.
    #[error("cannot listen for the processes on the loopback interface: {0}")]
    Listen(std::io::Error),
    /// A process cannot be started.
    #[error("cannot start process {process}: {error}")]
    Start {
        /// Which one.
        process: usize,
        /// Why.
        error: std::io::Error,
    },
}

/// Processes that may be started on one host.
const MOST_PROCESSES: usize = 64;

/// How all processes ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Ended {
    /// The exit code for the launcher.
    pub code: u8,
    /// What is to be printed.
    pub message: Option<String>,
    /// The launcher was asked to end before the processes had ended by themselves.
    pub stopped: bool,
}

/// What a process says at its end.
#[derive(Debug, Clone)]
struct Failure {
    process: usize,
    code: u8,
    /// It only heard of the failure of another.
    heard: bool,
    text: String,
}

/// Something that a process did.
enum Event {
    /// It listens at this port.
    Listens(usize, u16, TcpStream),
    Failed(Failure),
}

struct Running {
    child: Child,
    status: Option<ExitStatus>,
    /// The end of what it wrote to standard error.
    errors: Arc<Mutex<Vec<u8>>>,
    /// The launcher had to kill it.
    killed_here: bool,
}

impl Launch {
    /// Starts the processes and waits for their end. When `stop` becomes true, they are asked to end.
    pub fn run(&self, stop: &AtomicBool) -> Result<Ended, LaunchError> {
        if self.processes == 0 || self.processes > MOST_PROCESSES {
            return Err(LaunchError::Number(self.processes));
        }
        let begun = Instant::now();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(LaunchError::Listen)?;
        listener.set_nonblocking(true).map_err(LaunchError::Listen)?;
        let address = listener.local_addr().map_err(LaunchError::Listen)?;
        let token: String = random::<32>().iter().map(|byte| format!("{byte:02x}")).collect();
        let mut all = Vec::new();
        for process in 0..self.processes {
            match self.start(process, &format!("{address} {process} {}", self.processes), &token) {
                Ok(running) => all.push(running),
                Err(error) => {
                    all.iter_mut().for_each(Running::end);
                    return Err(LaunchError::Start { process, error });
                }
            }
        }
        let ends_at = self.limit.and_then(|limit| Some((begun.checked_add(limit)?, limit)));
        let mut attended = Attended { all, connections: Vec::new(), failures: Vec::new(), deaths: Vec::new() };
        let cause = attended.attend(&listener, &token, stop, ends_at);
        Ok(attended.ended(cause))
    }

    fn start(&self, process: usize, place: &str, token: &str) -> std::io::Result<Running> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env(VARIABLE, place).env(TOKEN, token);
        if process > 0 {
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        }
        let mut child = command.spawn()?;
        let errors = Arc::new(Mutex::new(Vec::new()));
        if let Some(mut pipe) = child.stderr.take() {
            let kept = Arc::clone(&errors);
            let read = move || {
                let mut bytes = [0; 4096];
                while let Ok(count @ 1..) = pipe.read(&mut bytes) {
                    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                    kept.extend(&bytes[..count]);
                    let over = kept.len().saturating_sub(KEPT);
                    kept.drain(..over);
                }
            };
            // Without a thread nobody reads, and what the process writes is lost.
            let _ = std::thread::Builder::new().name("gw-flow-errors".into()).spawn(read);
        }
        Ok(Running { child, status: None, errors, killed_here: false })
    }
}

/// Processes that are looked after, and what is known of their ends.
struct Attended {
    all: Vec<Running>,
    /// The connections to those that have come and whose connection was not closed.
    connections: Vec<TcpStream>,
    failures: Vec<Failure>,
    /// Processes that ended by themselves, but not well.
    deaths: Vec<(usize, ExitStatus)>,
}

impl Attended {
    /// Looks after the processes until all have ended. Says why they had to, where there was a reason.
    fn attend(
        &mut self,
        listener: &TcpListener,
        token: &str,
        stop: &AtomicBool,
        ends_at: Option<(Instant, Duration)>,
    ) -> Option<Cause> {
        let (say, events) = channel();
        let mut ports: Vec<Option<u16>> = vec![None; self.all.len()];
        let mut ending: Option<(Cause, Instant)> = None;
        loop {
            while let Ok((socket, _)) = listener.accept() {
                hear(socket, token, self.all.len(), say.clone());
            }
            while let Ok(event) = events.try_recv() {
                match event {
                    Event::Failed(failure) => self.failures.push(failure),
                    Event::Listens(process, port, socket) => {
                        ports[process] = Some(port);
                        self.connections.push(socket);
                        if let Some((Cause::Stop, _)) = ending {
                            self.tell(STOP);
                        } else if let Some(ports) = ports.iter().copied().collect::<Option<Vec<u16>>>() {
                            let list: Vec<String> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
                            self.tell(&list.join(" "));
                        }
                    }
                }
            }
            if self.count() == 0 {
                // What they said last may still be on its way.
                while let Ok(event) = events.recv_timeout(PERIOD * 4) {
                    if let Event::Failed(failure) = event {
                        self.failures.push(failure);
                    }
                }
                return ending.map(|(cause, _)| cause);
            }
            let first_is_done = self.all.first().is_some_and(|first| first.status.is_some());
            let is_asked = stop.load(Ordering::Relaxed);
            if is_asked && !matches!(ending, Some((Cause::Stop, _))) {
                ending = Some((Cause::Stop, Instant::now()));
                self.tell(STOP);
            } else if let (None | Some((Cause::Failure, _)), Some((at, limit))) = (&ending, ends_at)
                && Instant::now() >= at
            {
                ending = Some((Cause::Limit(limit), at));
            } else if ending.is_none() && (first_is_done || !self.deaths.is_empty()) {
                ending = Some((Cause::Failure, Instant::now()));
            }
            if let Some((cause, since)) = ending {
                self.press(cause, since.elapsed());
            }
            std::thread::sleep(PERIOD);
        }
    }

    /// The processes that are still there.
    fn count(&mut self) -> usize {
        let mut running = 0;
        for (process, one) in self.all.iter_mut().enumerate().filter(|(_, one)| one.status.is_none()) {
            match one.child.try_wait() {
                Ok(Some(status)) => {
                    one.status = Some(status);
                    if !status.success() {
                        self.deaths.push((process, status));
                    }
                }
                Ok(None) => running += 1,
                Err(_) => one.end(),
            }
        }
        running
    }

    /// Says something to all processes.
    fn tell(&mut self, line: &str) {
        let line = format!("{line}\n");
        // Whoever is gone is met with when processes are counted.
        self.connections.iter_mut().for_each(|socket| drop(socket.write_all(line.as_bytes())));
    }

    /// Closes the connections, and later kills, when processes do not end in good order.
    fn press(&mut self, cause: Cause, elapsed: Duration) {
        let grace = match cause {
            Cause::Failure => AFTER_FAILURE,
            Cause::Stop => AFTER_STOP,
            Cause::Limit(_) => AFTER_LIMIT,
        };
        if elapsed > grace.hang_up {
            for socket in self.connections.drain(..) {
                // The other side may be gone.
                let _ = socket.shutdown(std::net::Shutdown::Both);
            }
        }
        if elapsed > grace.kill {
            self.all.iter_mut().filter(|one| one.status.is_none()).for_each(Running::end);
        }
    }
}

/// Listens to a process, from its first word to its last.
fn hear(socket: TcpStream, token: &str, processes: usize, say: Sender<Event>) {
    let token = token.to_string();
    let listen = move || -> Option<()> {
        socket.set_nonblocking(false).ok()?;
        socket.set_read_timeout(Some(GREETING)).ok()?;
        let mut reader = BufReader::new(socket.try_clone().ok()?);
        let mut line = String::new();
        (&mut reader).take(LONGEST_LINE).read_line(&mut line).ok()?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let [said, process, port] = words[..] else { return None };
        let process: usize = process.parse().ok().filter(|&process| process < processes)?;
        // In constant time: others on this host may try.
        if blake3::hash(said.as_bytes()) != blake3::hash(token.as_bytes()) {
            return None;
        }
        socket.set_read_timeout(None).ok()?;
        say.send(Event::Listens(process, port.parse().ok()?, socket)).ok()?;
        let mut text = String::new();
        let (mut code, mut heard) = (None, false);
        for line in reader.lines() {
            let Ok(line) = line else { break };
            match code {
                None => {
                    let (first, second) = line.split_once(' ')?;
                    (code, heard) = (Some(first.parse().ok()?), second == "heard");
                }
                Some(_) => {
                    text.push_str(&line);
                    text.push('\n');
                }
            }
        }
        say.send(Event::Failed(Failure { process, code: code?, heard, text })).ok()
    };
    // A process whose words nobody hears is still seen to end.
    let _ = std::thread::Builder::new().name("gw-flow-hear".into()).spawn(listen);
}

impl Running {
    fn end(&mut self) {
        if self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
        }
        if self.status.is_none() {
            // It may end by itself in between.
            let _ = self.child.kill();
            self.status = self.child.wait().ok();
            self.killed_here = true;
        }
    }
}

impl Attended {
    /// One message about everything that went wrong.
    fn ended(&self, cause: Option<Cause>) -> Ended {
        let said = self.said();
        let own = self.failures.iter().filter(|failure| !failure.heard).min_by_key(|failure| failure.process);
        let own = own.map(|failure| failure.text.clone());
        match cause {
            _ if said.code == 0 => said,
            Some(Cause::Stop) => Ended { message: self.and_the_silent(own), stopped: true, ..said },
            Some(Cause::Limit(limit)) => {
                let broken = if self.broken().is_some() { said.message } else { None };
                let over = || format!("error: stopped after the time limit of {} s\n", limit.as_secs_f64());
                let message = own.or(broken).unwrap_or_else(over);
                Ended { code: 1, message: self.and_the_silent(Some(message)), stopped: false }
            }
            Some(Cause::Failure) | None => said,
        }
    }

    /// A message, and which processes had to be killed.
    fn and_the_silent(&self, message: Option<String>) -> Option<String> {
        let silent = self.all.iter().enumerate().filter(|(_, one)| one.killed_here);
        let silent: Vec<String> = silent.map(|(process, _)| process.to_string()).collect();
        let silent = match &silent[..] {
            [] => return message,
            [one] => format!("gw: process {one} did not answer and was killed\n"),
            all => format!("gw: processes {} did not answer and were killed\n", all.join(", ")),
        };
        Some(message.unwrap_or_default() + &silent)
    }

    /// The first process that was ended by others, or broke. Such a process says nothing: what others say is only that
    /// it is gone.
    fn broken(&self) -> Option<&(usize, ExitStatus)> {
        self.deaths.iter().find(|(process, status)| {
            let told = self.failures.iter().any(|failure| failure.process == *process);
            !told && (status.code().is_none() || !kept(&self.all[*process]).is_empty())
        })
    }

    /// What the processes have to say about their ends.
    fn said(&self) -> Ended {
        let says = |code, message| Ended { code, message, stopped: false };
        let (all, failures) = (&self.all, &self.failures);
        let Some(first) = all.first().and_then(|first| first.status) else {
            return says(1, Some("process 0 was never seen again".to_string()));
        };
        if first.success() {
            return says(0, None);
        }
        if let Some((process, status)) = self.broken() {
            let said = kept(&all[*process]);
            let said = if said.is_empty() { String::new() } else { format!("; it said:\n{said}") };
            return says(1, Some(format!("gw: process {process} {}{said}\n", how(*status))));
        }
        let own = |failure: &&Failure| !failure.heard;
        let of_first = failures.iter().filter(own).find(|failure| failure.process == 0);
        match of_first.or_else(|| failures.iter().find(own)).or_else(|| failures.first()) {
            Some(Failure { process: 0, code, text, .. }) => says(*code, Some(text.clone())),
            Some(Failure { process, code, text, .. }) => {
                says(*code, Some(format!("gw: process {process} failed:\n{text}")))
            }
            // The first process has the terminal and may have spoken for itself.
            None => says(first.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1), None),
        }
    }
}

fn kept(one: &Running) -> String {
    let kept = one.errors.lock().unwrap_or_else(PoisonError::into_inner);
    String::from_utf8_lossy(&kept).trim_end().to_string()
}

fn how(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let name = match signal {
            2 => " (interrupt)",
            6 => " (abort)",
            7 => " (bus error)",
            9 => " (kill: somebody, or the system for lack of memory)",
            11 => " (access to memory that it does not have)",
            15 => " (terminate)",
            _ => "",
        };
        return format!("was ended by signal {signal}{name}");
    }
    match status.code() {
        Some(code) => format!("ended with exit code {code}"),
        None => "was ended".to_string(),
    }
}

/// The place of a process that was launched.
#[derive(Debug)]
pub struct Launched {
    /// The number of this process.
    pub process: usize,
    /// The number of processes.
    pub processes: usize,
    socket: TcpStream,
    listener: Mutex<Option<TcpListener>>,
    reader: Mutex<Option<BufReader<TcpStream>>>,
}

impl Launched {
    /// Whether this process was launched.
    pub fn is_here() -> bool {
        std::env::var_os(VARIABLE).is_some()
    }

    /// Answers to the launcher. `None` for a process that nobody launched.
    pub fn begin() -> std::io::Result<Option<Launched>> {
        let (Ok(place), Ok(token)) = (std::env::var(VARIABLE), std::env::var(TOKEN)) else { return Ok(None) };
        let nonsense = || std::io::Error::new(ErrorKind::InvalidInput, format!("{VARIABLE}={place} is not understood"));
        let words: Vec<&str> = place.split(' ').collect();
        let [address, process, processes] = words[..] else { return Err(nonsense()) };
        let (process, processes): (usize, usize) =
            process.parse().ok().zip(processes.parse().ok()).ok_or_else(nonsense)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let mut socket = TcpStream::connect(address)?;
        let port = listener.local_addr()?.port();
        socket.write_all(format!("{token} {process} {port}\n").as_bytes())?;
        let reader = BufReader::new(socket.try_clone()?);
        let (listener, reader) = (Mutex::new(Some(listener)), Mutex::new(Some(reader)));
        Ok(Some(Launched { process, processes, socket, listener, reader }))
    }

    /// The cluster of all processes, each with so many workers. On another thread, `stop` is called when the launcher
    /// asks this process to end, and `lost` when the launcher is gone.
    pub fn cluster(
        &self,
        workers: usize,
        stop: impl Fn() + Send + 'static,
        lost: impl Fn() + Send + 'static,
    ) -> Result<crate::Cluster, crate::ClusterError> {
        let gone = |reason: &str| crate::ClusterError::Launcher(reason.to_string());
        let taken = self.reader.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut reader = taken.ok_or_else(|| gone("it was asked twice"))?;
        let mut line = String::new();
        (&mut reader).take(LONGEST_LINE).read_line(&mut line).map_err(|error| gone(&error.to_string()))?;
        if line.trim_end() == STOP {
            stop();
            return Err(gone("it wants no run any more"));
        }
        let addresses: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        if addresses.len() != self.processes {
            return Err(gone("it has ended"));
        }
        let watch = move || {
            let mut word = String::new();
            while let Ok(1..) = (&mut reader).take(LONGEST_LINE).read_line(&mut word) {
                if word.trim_end() == STOP {
                    stop();
                }
                word.clear();
            }
            lost();
        };
        std::thread::Builder::new()
            .name("gw-flow-launcher".into())
            .spawn(watch)
            .map_err(|error| gone(&error.to_string()))?;
        let token = std::env::var(TOKEN).unwrap_or_default();
        let cluster = crate::Cluster::processes(workers, self.process, addresses)?.with_token(token);
        let listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(listener.into_iter().fold(cluster, crate::Cluster::with_listener))
    }

    /// Tells the launcher why this process fails, and with which exit code. True when it was told.
    pub fn fail(&self, code: u8, text: &str) -> bool {
        let heard = if crate::heard_of_failure() { "heard" } else { "own" };
        (&self.socket).write_all(format!("{code} {heard}\n{}\n", text.trim_end()).as_bytes()).is_ok()
    }
}
