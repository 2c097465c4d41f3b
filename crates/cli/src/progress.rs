//! A progress bar on a terminal, nothing on a pipe.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gw_graph::progress::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that is done before this time shows no bar.
const PATIENCE: Duration = Duration::from_millis(700);

/// Shows the phase at work on standard error while that is a terminal.
pub struct Bar {
    bar: ProgressBar,
    phase: Mutex<()>,
    late: Mutex<Late>,
}

/// When a bar appears.
enum Late {
    /// With its first phase.
    No,
    /// When the work goes on after [`PATIENCE`].
    Wanted,
    /// A thread waits for that; it ends with the sender.
    Waiting(#[expect(dead_code, reason = "its end is the message")] Sender<()>),
}

impl Default for Bar {
    fn default() -> Self {
        Bar::new()
    }
}

impl Bar {
    /// Prints something while the bar is out of the way.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Changes the words beside the bar.
    pub fn say(&self, phase: &str) {
        self.bar.set_message(phase.to_owned());
    }

    /// A bar, hidden when nobody can see it.
    pub fn new() -> Self {
        let target = match std::io::stderr().is_terminal() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        Bar { bar: ProgressBar::with_draw_target(None, target), phase: Mutex::new(()), late: Mutex::new(Late::No) }
    }

    /// A bar for work that is most often done at once: it appears when the work takes longer.
    pub fn late() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let late = if std::io::stderr().is_terminal() { Late::Wanted } else { Late::No };
        Bar { bar, phase: Mutex::new(()), late: Mutex::new(late) }
    }

    fn appear_later(&self) {
        let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*late, Late::Wanted) {
            return;
        }
        let (sender, receiver) = channel::<()>();
        let bar = self.bar.clone();
        // Without a thread there is no bar, and nothing else is missing.
        let _ = std::thread::Builder::new().name("bar".into()).spawn(move || {
            if receiver.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) && !bar.is_finished() {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
        });
        *late = Late::Waiting(sender);
    }
}

/// A bar for one piece of work, of which nothing is known but that it goes on; it goes when it is dropped.
#[must_use = "the bar goes when it is dropped"]
pub fn phase(words: &str) -> Bar {
    let bar = Bar::late();
    bar.begin(words, None);
    bar
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar {
    fn begin(&self, phase: &str, total: Option<u64>) {
        let _one_at_a_time = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        let style = match total {
            Some(_) => "{spinner} {msg:24} {bar:32} {percent:>3} %  {eta}",
            None => "{spinner} {msg:24} {elapsed}",
        };
        if let Ok(style) = ProgressStyle::with_template(style) {
            self.bar.set_style(style);
        }
        self.bar.reset();
        if let Some(total) = total {
            self.bar.set_length(total);
        }
        self.bar.set_message(phase.to_owned());
        self.bar.enable_steady_tick(Duration::from_millis(100));
        self.appear_later();
    }

    fn advance(&self, units: u64) {
        self.bar.inc(units);
    }
}
