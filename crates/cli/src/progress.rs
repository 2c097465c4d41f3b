//! A progress bar on a terminal, nothing on a pipe.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gw_graph::progress::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shows the phase at work on standard error while that is a terminal.
pub struct Bar {
    bar: ProgressBar,
    phase: Mutex<()>,
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
        Bar { bar: ProgressBar::with_draw_target(None, target), phase: Mutex::new(()) }
    }
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
    }

    fn advance(&self, units: u64) {
        self.bar.inc(units);
    }
}
