//! What `gw run` tells of a finished run: one JSON object, or two lines for a person.

use graphwright::machine::Worth;
use graphwright::schedule::Origin;
use gw_exec::{MachineUsage, Reason};
use serde::Serialize;

use super::paths::Shown;
use super::times::{Start, Times};
use super::top::Best;
use crate::output::{grouped, rate, seconds};

/// What `--json` prints.
#[derive(Serialize)]
pub struct Answer<'a> {
    pub program: &'a str,
    pub arguments: &'a [String],
    /// The source that was taken since none was given, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen_source: Option<String>,
    pub target: &'a str,
    pub schedule: String,
    pub schedule_origin: Origin,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule_reasons: Option<&'a [Reason]>,
    /// Why `--target auto` took this machine, where both were weighed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_reason: Option<&'a Worth>,
    pub load_seconds: f64,
    pub compile_seconds: f64,
    /// The part `run`.
    pub seconds: f64,
    /// Where the time of the process went: parts that add up to `whole`.
    pub parts: Times,
    /// How the machine was opened.
    pub start: Start<'a>,
    pub steps: u64,
    pub edges: Option<u64>,
    /// The edges that `edges_per_second` is about: those of what a search reached.
    pub counted_edges: Option<u64>,
    pub edges_per_second: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub touched_edges: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub touched_edges_per_second: Option<f64>,
    /// What the machine counted, where it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<MachineUsage>,
    /// What a machine with a clock of its own says that the run took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_seconds: Option<f64>,
    pub verified: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// In which way the result is less than expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    pub verify_seconds: Option<f64>,
    /// Scalars with their values, of vectors the length and the range.
    pub results: serde_json::Map<String, serde_json::Value>,
    #[serde(skip_serializing_if = "<[Best]>::is_empty")]
    pub top: &'a [Best],
    #[serde(skip_serializing_if = "<[Shown]>::is_empty")]
    pub paths: &'a [Shown],
    pub printed: &'a str,
}

impl Answer<'_> {
    /// A line about the run on standard error: standard output belongs to the program.
    pub fn tell(&self) {
        let steps = if self.steps == 1 { "step" } else { "steps" };
        let mut line = format!(
            "{} on {}: {} in {} {steps}",
            self.program,
            self.target,
            seconds(self.seconds),
            grouped(self.steps)
        );
        if let (Some(edges), Some(speed)) = (self.edges, self.edges_per_second) {
            line += &format!("; {} edges in the graph", grouped(edges));
            if let Some(counted) = self.counted_edges.filter(|&counted| counted != edges) {
                line += &format!(", {} reached", grouped(counted));
            }
            line += &format!(", {} edges/s", rate(speed, ""));
        }
        if let (Some(edges), Some(speed)) = (self.touched_edges, self.touched_edges_per_second) {
            line += &format!("; {} touched, {} edges/s", grouped(edges), rate(speed, ""));
        }
        match (self.verified, self.verify_seconds) {
            (Some(true), Some(s)) => line += &format!("; result verified in {}", seconds(s)),
            (Some(false), _) => line += "; the result is wrong",
            _ => {}
        }
        eprintln!("{line}");
    }

    /// A line about the time of the command.
    pub fn tell_times(&self) {
        eprintln!("{}", self.parts.in_words(&self.start, self.usage.as_ref()));
    }
}
