//! The explanation in sentences, for a person who has never seen a profiler.

use crate::report::{Explanation, StepReport};
use crate::text::{amount, seconds};

/// The words that the page uses.
pub(super) const GLOSSARY: &str = "<h2>How to read this</h2>\n<dl>\
<dt><b>measured, modelled, at least</b></dt><dd>The least time of several runs; what the counted memory accesses should \
take on this machine; and the time that moving every touched byte once would take. A step far above \"at least\" waits for \
something else than bandwidth.</dd>\
<dt><b>s0:s1</b></dt><dd>The place in the program: the label of the operator, behind that of the loop around it.</dd>\
<dt><b>core</b></dt><dd>The processor computes: loops, tests, wrong guesses of tests. The data come from the nearest cache.</dd>\
<dt><b>L2, L3</b></dt><dd>Data come from the second or third cache.</dd>\
<dt><b>DRAM latency</b></dt><dd>Single entries are fetched from main memory, and there are too few requests at a time to \
hide the wait.</dd>\
<dt><b>DRAM bandwidth</b></dt><dd>Main memory delivers as many bytes per second as it can.</dd>\
<dt><b>L2 hits, DRAM open rows, DRAM new rows</b></dt><dd>The same for a GPU: its cache, memory read in order, and memory \
read at random places.</dd>\
<dt><b>instruction issue</b></dt><dd>The GPU hands out instructions as fast as it can; data do not keep it waiting.</dd>\
<dt><b>longest warp</b></dt><dd>One group of 32 threads has much more to do than the others, which wait for it.</dd>\
<dt><b>atomics</b></dt><dd>Several threads update the same entries and take turns.</dd>\
<dt><b>starting the step</b></dt><dd>The step is so small that starting it takes longer than its work.</dd>\
<dt><b>in flight</b></dt><dd>Memory requests under way at a time, of those needed to keep the resource busy. Few of many \
needed means: more parallelism would help, more bandwidth would not.</dd></dl>\n";

/// The time that the title speaks of.
pub(super) fn time_of(e: &Explanation) -> String {
    seconds(e.measured_seconds.unwrap_or(e.modelled_seconds))
}

/// What happened, in a few sentences.
pub fn lead(e: &Explanation) -> String {
    let time = |step: &StepReport| step.measured_seconds.unwrap_or(step.model.prediction.seconds);
    let all: f64 = e.steps.iter().map(time).sum();
    let slowest = e.steps.iter().enumerate().max_by(|a, b| time(a.1).total_cmp(&time(b.1)));
    let Some((i, step)) = slowest else { return "The run has no steps.".to_string() };
    let share = time(step) / all.max(f64::MIN_POSITIVE) * 100.0;
    let floor: f64 = e.steps.iter().map(|s| s.model.prediction.floor_seconds).sum();
    let prediction = &step.model.prediction;
    let mut out = format!("{} steps took {} in all.", e.steps.len(), seconds(all));
    if e.steps.len() > 1 {
        out += &format!(" Step {i} took {share:.0} % of that");
        if let Some(edges) = step.model.edges.filter(|&edges| edges > 0) {
            out += &format!(" and walked {} edges", amount(edges as f64));
        }
        out += ".";
    }
    out += " ";
    out += &match prediction.bottleneck() {
        Some(slowest) if !prediction.is_fixed_cost() => {
            let server = slowest.mostly.map_or("its work", |s| s.name());
            let subject = if e.steps.len() > 1 { "This step" } else { "It" };
            match slowest.name.as_str() {
                "core" => format!("{subject} is limited by the processor itself, mostly by work on each {server}."),
                name => format!("{subject} waits for {name}, mostly because of the {server}."),
            }
        }
        _ => "Its time is the cost of starting steps, not their work.".to_string(),
    };
    if let Some(needed) = prediction.bottleneck().and_then(|s| Some((s.parallelism, s.needed?)))
        && needed.0 < 0.5 * needed.1
    {
        out += &format!(" It keeps {} requests in flight where {} are needed.", amount(needed.0), amount(needed.1));
    }
    out += &format!(
        " Moving every touched byte just once would take {}, {:.0} % of the time.",
        seconds(floor),
        floor / all.max(f64::MIN_POSITIVE) * 100.0
    );
    out
}
