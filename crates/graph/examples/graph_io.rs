//! How fast graphs are made, read and opened on this machine: `cargo run --release -p gw-graph --example graph_io --
//! [SCALE] [DIR]`.
//!
//! Prints one tab-separated line per measurement: what, median, spread, unit. `bench/graph-io.sh` puts peers beside it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gw_graph::format::{self, Format, ReadOptions, WriteOptions};
use gw_graph::generate::{Generator, Kron};
use gw_graph::progress::Silent;
use gw_graph::{BuildOptions, Graph, GraphSpec, build};

const REPEATS: usize = 5;

fn main() {
    let mut args = std::env::args().skip(1).filter(|a| !a.starts_with("--"));
    let scale: u32 = args.next().and_then(|a| a.parse().ok()).unwrap_or(20);
    let folder = args.next().map_or_else(std::env::temp_dir, PathBuf::from);
    println!("# kron:{scale}, {} threads, median of {REPEATS} with least and greatest", rayon::current_num_threads());

    let kron = Kron::graph500(scale);
    let size = kron.size();
    let generate = times(|| drop(kron.edges(1, &Silent).expect("the size is sane")));
    report("generate", &generate, "M edges/s", size.edges as f64 / 1e6);

    let options = BuildOptions { symmetrise: true, ..Default::default() };
    let mut spans = Vec::new();
    for _ in 0..REPEATS {
        let edges = kron.edges(1, &Silent).expect("the size is sane");
        let start = Instant::now();
        let graph = build(edges, &options).expect("ids are in range");
        spans.push(start.elapsed());
        drop(graph);
    }
    report("build (mirrored)", &spans, "M edges/s", size.edges as f64 / 1e6);

    let plain = graph(&format!("kron:{scale}"));
    let weighted = graph(&format!("kron:{scale}:weights=1..255"));
    for (name, graph) in [
        ("el", &plain),
        ("snap.txt", &plain),
        ("mtx", &plain),
        ("graph", &plain),
        ("adj", &plain),
        ("out.konect", &plain),
        ("wel", &weighted),
        ("gr", &weighted),
        ("sg", &plain),
        ("wsg", &weighted),
        ("gwg", &plain),
    ] {
        let file = folder.join(format!("gw-bench.{name}"));
        let file = if name == "out.konect" { folder.join(name) } else { file };
        measure_file(&file, name, graph);
    }
}

fn graph(spec: &str) -> Graph {
    GraphSpec::parse(spec).and_then(|spec| spec.load(&Silent)).expect("the spec is right").graph
}

fn measure_file(path: &Path, name: &str, graph: &Graph) {
    let start = Instant::now();
    let written = format::write(graph, path, &WriteOptions::default(), &Silent).expect("the folder can be written");
    let megabytes = written.bytes as f64 / 1e6;
    report(&format!("write .{name}"), &[start.elapsed()], "MB/s", megabytes);
    let read = times(|| drop(format::read(path, &ReadOptions::default(), &Silent).expect("just written")));
    report(&format!("parse .{name}"), &read, "MB/s", megabytes);
    let load = times(|| {
        let loaded = format::load(path, &ReadOptions::default(), &BuildOptions::default(), &Silent);
        drop(loaded.expect("just written"));
    });
    report(&format!("load .{name}"), &load, "MB/s", megabytes);
    if written.format == Format::Gwg {
        let open = times(|| drop(format::open_gwg(path).expect("just written")));
        report("open .gwg", &open, "ms", f64::NAN);
    }
    std::fs::remove_file(path).expect("just written");
}

fn times(mut run: impl FnMut()) -> Vec<Duration> {
    (0..REPEATS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .collect()
}

/// Prints a rate (`amount` per second), or milliseconds when there is no amount.
fn report(what: &str, spans: &[Duration], unit: &str, amount: f64) {
    let mut seconds: Vec<f64> = spans.iter().map(Duration::as_secs_f64).collect();
    seconds.sort_by(f64::total_cmp);
    let (least, median, most) = (seconds[0], seconds[seconds.len() / 2], seconds[seconds.len() - 1]);
    match amount.is_nan() {
        true => println!("{what}\t{:.3}\t{:.3}..{:.3}\t{unit}", median * 1e3, least * 1e3, most * 1e3),
        false => println!(
            "{what}\t{:.1}\t{:.1}..{:.1}\t{unit}\t{median:.3} s",
            amount / median,
            amount / most,
            amount / least
        ),
    }
}
