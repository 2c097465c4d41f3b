//! `gw bench` with an emulated GPU: what a machine with a device tells reaches the rows.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gw_cuda::CudaVm;
use gw_emulator::EmulatedDevice;
use gw_graph::progress::{Progress, Silent};
use gw_lab::{CellName, Counted, Listener, Measurement, Plan, Provenance, Selection, Settings, Suite};

const SUITE: &str = "
name = 'device'
description = 'four rows'
trials = 2
[[graph]]
name = 'kron'
spec = 'kron:6'
[[entry]]
program = 'pagerank'
args = ['{graph}', '3']
[[entry]]
program = 'bfs'
sources = 1
schedules = ['s0@loop=fused;s0:s1@push', 's0:s1@push', 's0@loop=fused;s0:s1@pull']
";

struct Quiet;

impl Listener for Quiet {
    fn loading(&self) -> &dyn Progress {
        &Silent
    }
    fn running(&mut self, _name: &CellName, _run: usize, _runs: usize) {}
    fn finished(&mut self, _row: &Measurement) {}
}

#[test]
fn rows_tell_what_the_device_did() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    let suite = Suite::parse("test", SUITE).unwrap();
    let plan = Plan::new(&suite, &Selection::default()).unwrap_or_else(|e| panic!("{e}"));
    let provenance = Provenance::of(&vm).unwrap();
    let facts = provenance.device.clone().unwrap();
    assert_eq!((facts.name.as_str(), facts.capability.as_str()), ("emulated device", "9.0"));
    assert!(facts.copy_bandwidth.is_some_and(|rate| rate > 1e6) && provenance.peak.is_none());
    assert_eq!(provenance.peak_bandwidth(), facts.peak_bandwidth());
    let settings =
        Settings { machine: &vm, threads: 1, cancel: Arc::new(AtomicBool::new(false)), provenance, energy: None };
    let rows = gw_lab::run(&plan, &settings, &mut Quiet).rows;
    let [pagerank, fused, from_host, pulled] = &rows[..] else { panic!("{} rows", rows.len()) };
    for row in &rows {
        assert_eq!((&row.error, &row.problem, row.verified), (&None, &None, true), "{}", row.program);
        let usage = row.usage.unwrap();
        let run = usage.run.expect("the second trial is not fetched");
        assert!(usage.warm_up.compiled + usage.warm_up.cached > 0 && run.compiled + run.cached == 0, "{usage:?}");
        assert!(row.compile_seconds.unwrap() >= usage.warm_up.compile_seconds);
        assert!(run.launches > 0 && run.waits > 0, "{usage:?}");
    }
    // The program's own schedule is for CPUs, so the machine has chosen one.
    assert!(pagerank.schedule.contains("on=gpu") && pagerank.schedule.contains("s0:s1@"), "{}", pagerank.schedule);
    assert!(pagerank.usage.unwrap().warm_up.uploaded_bytes >= 4 * pagerank.graph_edges.unwrap() as u64);
    // A pull over all edges reads each of them in every round.
    let rounds = pagerank.edges.map(|edges| edges as f64 / pagerank.graph_edges.unwrap() as f64);
    assert!(rounds.is_some_and(|rounds| rounds == 3.0) && pagerank.counted == Counted::Steps, "{rounds:?}");
    assert!(pagerank.bandwidth.unwrap() > 0.0);
    // A fused loop touches the edges that it touches from the host; a pull that stops early does not tell.
    assert_eq!((fused.counted, fused.edges), (Counted::Steps, from_host.edges));
    assert!(from_host.edges.is_some());
    assert_eq!((pulled.counted, pulled.edges, pulled.bytes, pulled.bandwidth), (Counted::Unknown, None, None, None));
    assert!(pulled.graph_edges_per_second.is_some());
    let launches = |row: &Measurement| row.usage.unwrap().run.unwrap().launches;
    assert!(launches(fused) < launches(from_host), "{} {}", launches(fused), launches(from_host));
}
