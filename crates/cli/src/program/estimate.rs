//! `gw run --estimate`: the memory that a run needs, on the host and on the device, and whether it fits.

use std::fmt::Write;

use graphwright::{Machine, Planned};
use gw_exec::Needs;
use gw_graph::Graph;
use serde::Serialize;

use crate::error::CliError;
use crate::output::{bytes, grouped};

/// What `--json` prints.
#[derive(Serialize)]
pub struct Estimate {
    program: String,
    graph: String,
    vertices: u64,
    edges: u64,
    target: String,
    #[serde(flatten)]
    needs: Needs,
    /// Bytes on the host, all parts together; `host_loaded` of them are in use already, by the graph.
    host_bytes: u64,
    host_loaded: u64,
    /// Bytes that this process may still use.
    host_free: Option<u64>,
    /// Bytes on the device, all parts together.
    device_bytes: u64,
    /// Whether it fits; `null` where that is not known, because there is no device.
    fits: Option<bool>,
}

impl Estimate {
    /// The memory of a run on a machine.
    pub fn of(planned: &Planned, machine: &Machine) -> Result<Estimate, CliError> {
        let Some((text, graph, needs)) = planned.needs(machine)? else {
            let message = "--estimate: the program names no graph that is known before it runs";
            return Err(CliError::Usage(message.to_string()));
        };
        Ok(Estimate::with(planned.program().name(), &text, machine.name(), &graph, needs))
    }

    fn with(program: &str, name: &str, target: &str, graph: &Graph, needs: Needs) -> Estimate {
        let (host_bytes, device_bytes) = (needs.host_bytes(), needs.device_bytes());
        let host_loaded = graph.bytes() as u64;
        let host_free = gw_graph::memory::room().map(|room| room.bytes);
        let on_host = host_free.is_none_or(|free| host_bytes.saturating_sub(host_loaded) <= free);
        let fits = match (device_bytes, needs.device_free) {
            (0, _) => Some(on_host),
            (_, Some(free)) => Some(on_host && device_bytes <= free),
            (_, None) => on_host.then_some(()).map_or(Some(false), |()| None),
        };
        Estimate {
            program: program.to_string(),
            graph: name.to_string(),
            vertices: graph.vertices() as u64,
            edges: graph.edges() as u64,
            target: target.to_string(),
            needs,
            host_bytes,
            host_loaded,
            host_free,
            device_bytes,
            fits,
        }
    }

    /// A table for a person.
    fn in_words(&self) -> String {
        let mut text = format!(
            "memory of {} on {} ({} vertices, {} edges), machine {}:\n",
            self.program,
            self.graph,
            grouped(self.vertices),
            grouped(self.edges),
            self.target
        );
        let on_device = self.device_bytes > 0;
        let mut line = |what: &str, host: u64, device: u64| {
            let shown = |amount: u64| if amount > 0 { bytes(amount) } else { "-".to_string() };
            let device = if on_device { format!("  device {:>10}", shown(device)) } else { String::new() };
            let _ = writeln!(text, "  {what:<20} host {:>10}{device}", shown(host));
        };
        for need in &self.needs.parts {
            line(&need.what, need.host_bytes, need.device_bytes);
        }
        line("in all", self.host_bytes, self.device_bytes);
        if let Some(free) = self.host_free {
            let more = self.host_bytes.saturating_sub(self.host_loaded);
            let verdict = verdict(more, free);
            let _ =
                writeln!(text, "host: {} more are needed, {} may still be used: {verdict}", bytes(more), bytes(free));
        }
        if on_device {
            let _ = match (self.needs.device_free, self.needs.device_has) {
                (Some(free), Some(has)) => writeln!(
                    text,
                    "device: {} are needed, {} of {} are free: {}",
                    bytes(self.device_bytes),
                    bytes(free),
                    bytes(has),
                    verdict(self.device_bytes, free)
                ),
                _ => writeln!(
                    text,
                    "device: {} are needed; there is no GPU here to compare with",
                    bytes(self.device_bytes)
                ),
            };
        }
        text
    }

    /// Prints estimates, one or several: as JSON one object, or an array of them. A run that does not fit is an error.
    pub fn tell(estimates: &[Estimate], as_json: bool) -> Result<(), CliError> {
        match (as_json, estimates) {
            (true, [estimate]) => crate::output::json(estimate)?,
            (true, estimates) => crate::output::json(&estimates)?,
            (false, estimates) => {
                estimates.iter().try_for_each(|estimate| crate::output::text(&estimate.in_words()))?;
            }
        }
        match estimates.iter().find(|estimate| estimate.fits == Some(false)) {
            Some(estimate) => Err(CliError::NoResult(estimate.mend())),
            None => Ok(()),
        }
    }

    fn mend(&self) -> String {
        let mend = match self.needs.device_free {
            Some(free) if self.device_bytes > free => "; --target cpu runs it in the memory of the host",
            _ => "; use a smaller graph or a machine with more memory",
        };
        format!("the run does not fit{mend}")
    }
}

fn verdict(needed: u64, free: u64) -> &'static str {
    if needed <= free { "it fits" } else { "it does not fit" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_told_with_numbers() {
        let graph = gw_graph::GraphSpec::parse("path:9").and_then(|spec| spec.load(&gw_graph::progress::Silent));
        let graph = graph.unwrap().graph;
        let with = |device_free: Option<u64>| {
            let mut needs = Needs { device_free, device_has: device_free.map(|_| 8 << 30), ..Needs::default() };
            needs.add("graph", graph.bytes() as u64, 3 << 30);
            needs.add("vectors", 64 << 20, 1 << 30);
            needs.add("list of edges", 0, 0);
            Estimate::with("bfs", "path:9", "cuda", &graph, needs)
        };
        assert_eq!(
            (with(Some(5 << 30)).fits, with(Some(3 << 30)).fits, with(None).fits),
            (Some(true), Some(false), None)
        );
        let text = with(Some(3 << 30)).in_words();
        assert!(text.contains("device: 4.0 GiB are needed, 3.0 GiB of 8.0 GiB are free: it does not fit"), "{text}");
        assert!(text.contains("host: 64.0 MiB more are needed") && !text.contains("list of edges"), "{text}");
        assert!(with(Some(3 << 30)).mend().contains("--target cpu"));
        assert!(with(None).in_words().contains("there is no GPU here"));
    }
}
