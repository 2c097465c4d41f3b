//! Temporary: times a program over several sources on one graph.
use std::sync::Arc;
use std::time::Instant;

use gw_cpu::CpuVm;
use gw_exec::{RunOptions, SpecGraphs};
use gw_graph::GraphSpec;
use gw_graph::progress::Silent;
use gw_lang::{SourceFile, compile_front};

fn main() {
    // program spec schedule repeats args...; `SRC` in args is replaced by a vertex with edges.
    let a: Vec<String> = std::env::args().collect();
    let program = gw_programs::programs().iter().find(|p| p.name == a[1] || a[1] == "cost").unwrap();
    let graph = Arc::new(GraphSpec::parse(&a[2]).and_then(|s| s.load(&Silent)).unwrap().graph);
    if a[1] == "cost" {
        let g = gw_exec::SpecGraphs::new();
        let _ = &g;
        let n = graph.vertices();
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by_key(|&v| std::cmp::Reverse(graph.out().degree(v)));
        let mut new = vec![0u32; n];
        order.iter().enumerate().for_each(|(i, &v)| new[v as usize] = i as u32);
        let (mut below, mut above) = (vec![0u64; n], vec![0u64; n]);
        for v in 0..n as u32 {
            for &w in graph.out().neighbours(v) {
                if new[w as usize] < new[v as usize] { below[v as usize] += 1 } else { above[v as usize] += 1 }
            }
        }
        let push: u64 = below.iter().zip(&above).map(|(b, a)| b * a).sum();
        let push16: u64 = below.iter().zip(&above).map(|(b, a)| (b / 16 + 1) * a).sum();
        let pull: u64 = below.iter().map(|b| b * b / 2).sum();
        let pull16: u64 = below.iter().map(|b| b * (b / 32 + 1)).sum();
        println!("push {} blocks {} pull {} blocks {}", push, push16, pull, pull16);
        return;
    }
    let front = compile_front(&SourceFile::new(program.file, program.source)).map_err(|_| ()).unwrap();
    let module = gw_ir::lower(&front.typed, program.source).unwrap();
    let schedule = if a[3] == "own" { front.schedule.unwrap_or_default() } else { a[3].parse().unwrap() };
    let module = gw_ir::run_pipeline(module, &schedule, &gw_ir::Options::default()).unwrap();
    if std::env::var("ASM").is_ok() {
        for (name, listing) in CpuVm::new(2).listings(Arc::new(module)).unwrap() {
            println!("== {name}\n{}\n{}", listing.clif, listing.assembly);
        }
        return;
    }
    let threads = std::env::var("THREADS").ok().and_then(|t| t.parse().ok()).unwrap_or(0);
    let mut prepared = gw_exec::Program::prepare(&CpuVm::new(threads), Arc::new(module)).unwrap();
    let repeats: usize = a[4].parse().unwrap();
    let graphs = SpecGraphs::new();
    graphs.insert(&a[2], Arc::clone(&graph));
    let graphs = Arc::new(graphs);
    let mut seed = 12345u64;
    let mut times = Vec::new();
    for _ in 0..repeats {
        let source = loop {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let v = ((seed >> 33) % graph.vertices() as u64) as u32;
            if graph.out().degree(v) > 0 {
                break v;
            }
        };
        let mut args = vec![a[2].clone()];
        args.extend(a[5..].iter().map(|s| if s == "SRC" { source.to_string() } else { s.clone() }));
        let options = RunOptions { graphs: graphs.clone(), ..RunOptions::with_args(args.clone()) };
        let start = Instant::now();
        let result = prepared.run(&options).unwrap();
        times.push((start.elapsed().as_secs_f64() * 1e3, result.seconds * 1e3));
        if std::env::var("VERIFY").is_ok() {
            let run = gw_programs::Run { graph: &graph, args: &args, results: &result.globals };
            program.validate(&run).unwrap();
        }
    }
    let mut sorted: Vec<f64> = times.iter().map(|t| t.1).collect();
    sorted.sort_by(f64::total_cmp);
    println!(
        "{} {} {}: median {:.1} ms min {:.1} ms max {:.1}",
        a[1],
        a[2],
        a[3],
        sorted[sorted.len() / 2],
        sorted[0],
        sorted[sorted.len() - 1]
    );
}
