//! Machines that take time to start: they are opened on a thread of their own, while the caller reads the graph.

use std::thread::JoinHandle;
use std::time::Instant;

use super::kinds::{Machine, MachineOptions, Machines, Missing};

/// A machine that is being opened.
pub struct Opening {
    began: Instant,
    thread: JoinHandle<Opened>,
}

/// A machine that was opened, or why not.
pub struct Opened {
    /// The machine.
    pub machine: Result<Machine, Missing>,
    /// Seconds that opening took, waited for or not.
    pub seconds: f64,
}

impl Machines {
    /// Begins to open a machine of this name that takes time to start ([`MachineKind::starts_slowly`]); `None` for
    /// other machines, and where the system has no thread to spare: [`Machines::open`] opens these.
    ///
    /// [`MachineKind::starts_slowly`]: crate::machine::MachineKind::starts_slowly
    pub fn begin(name: &str, options: &MachineOptions) -> Option<Opening> {
        let (name, options) = (name.to_string(), options.clone());
        if !Machines::standard().find(&name).is_ok_and(|kind| kind.starts_slowly()) {
            return None;
        }
        let began = Instant::now();
        let open = move || {
            let machines = Machines::standard();
            let machine = match machines.find(&name) {
                Ok(kind) => kind.open(&options),
                Err(error) => Err(Missing { machine: name, lacks: error.to_string(), mend: None, is_absent: true }),
            };
            Opened { machine, seconds: began.elapsed().as_secs_f64() }
        };
        let thread = std::thread::Builder::new().name("gw-open".into()).spawn(open).ok()?;
        Some(Opening { began, thread })
    }
}

impl Opening {
    /// Seconds since opening began.
    pub fn elapsed(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// Waits until the machine is open, or known not to open.
    pub fn finish(self) -> Opened {
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}
