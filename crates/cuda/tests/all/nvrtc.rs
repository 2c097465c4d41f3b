//! Every kernel of every standard program compiles for the GPUs in use, under many schedules. Needs NVRTC, but no
//! GPU. A program takes every eighteenth schedule, each another one, and one kernel in ten is also compiled for an
//! older GPU; in a nightly run all are.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use gw_device::Unit;
use gw_graph::GraphSpec;
use gw_graph::progress::Silent;
use gw_lang::{SourceFile, compile_front};
use gw_programs::programs;
use gw_schedule::{Family, ProgramSchedule};

/// Schedules that between them name every balancer, form and method once.
fn schedules() -> Vec<&'static str> {
    vec![
        "default",
        "on=gpu;lb=etwc,create=unfused-bitmap,count=block",
        "on=gpu;push,lb=twc,dedup=on,dedup-by=counters-fused",
        "on=gpu;push,lb=wm,create=unfused-boolmap,count=warp",
        "on=gpu;pull,lb=cm,frontier=bitmap,create=unfused-bitmap,count=bulk",
        "on=gpu;pull,lb=vw8,frontier=boolmap",
        "on=gpu;dense-push,lb=strict,frontier=bitmap,dedup=on,dedup-by=bitmap",
        "on=gpu;push,lb=merge-path,dedup=on,dedup-by=boolmap",
        "on=gpu;pull,lb=multi-phase",
        "on=gpu;push,lb=cta-warp-scan",
        "on=gpu;pull,lb=local-warp-search",
        "on=gpu;push,lb=dvw",
        "on=gpu;push,lb=etwc,update=near-far,delta=8",
        "on=gpu;pull,lb=etwc,frontier=level-mask,create=level-mask,count=plain",
        "on=gpu;push,lb=etwc,edges=csr-m",
        "on=gpu;pull,lb=strict,edges=csr-m",
        "on=gpu;push,lb=edge-only",
        "on=gpu;pull,lb=edge-only,block=65536",
        "on=gpu;loop=device-graph",
        "on=gpu;loop=single-block",
        "on=gpu;push,lb=dvw,hubs=2048,dedup=on,dedup-by=hash64,append=registers",
        "on=gpu;push,lb=wm,hubs=resident,dedup-input=warp,append=ballot",
        "on=gpu;push,lb=vw4,dedup-input=block,claim=store,visited=bits,append=registers,leaves=drop",
        "on=gpu;push,lb=dvw4,hubs=4096,classes=marked,dedup-by=words,append=staged,leaves=drop",
        "on=gpu;push,lb=etwc,edges=csr-m,classes=marked,dedup-by=counters-fused,append=ballot",
        // All that takes shared memory at once.
        "on=gpu;push,lb=merge-path,dedup=on,dedup-by=hash64,dedup-input=block,append=staged",
        "on=gpu;push,lb=multi-phase,dedup=on,dedup-by=hash64,dedup-input=block,append=staged",
        "on=gpu;hybrid,by=input-threads,at=0.5+push,lb=lws,append=registers+push,lb=dvw,append=registers",
    ]
}

/// Where kernels of changing graphs come from.
const CHANGING: &str = "on a graph that changes";

/// All kernels, each once, with where they come from.
fn units(all: bool) -> Vec<(String, Unit)> {
    let graph = GraphSpec::parse("kron:6:weights=1..9").and_then(|s| s.load(&Silent)).unwrap().graph;
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut units: Vec<_> =
        gw_cuda::own_kernels().into_iter().map(|unit| ("of no program".to_string(), unit)).collect();
    for (number, program) in programs().iter().enumerate() {
        let file = SourceFile::new(program.file, program.source).with_weights(program.usual_weights());
        let front = compile_front(&file).unwrap_or_else(|_| panic!("{} does not compile", program.name));
        let lowered = gw_ir::lower(&front.typed, program.source).unwrap();
        let (chosen, choice) = gw_cuda::choose(lowered.clone(), &graph);
        let mut variants = vec![("auto".to_string(), chosen, choice.schedule)];
        for (at, text) in schedules().into_iter().enumerate() {
            // Some settings are for searches alone.
            let of_searches = program.name == if text.contains("classes=") { "sssp" } else { "bfs" };
            let of_searches = of_searches && text.contains("append=");
            if !all && at > 0 && !(at + number).is_multiple_of(18) && !of_searches {
                continue;
            }
            // A schedule for everywhere goes to the places where it is legal.
            let mut schedule: ProgramSchedule = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
            let everywhere = schedule.everywhere().cloned();
            schedule.set_everywhere(None);
            for place in gw_ir::points::program_points(&lowered) {
                if let (Some(path), Some(wanted)) = (&place.path, &everywhere)
                    && wanted.legal(&place.point).is_ok()
                {
                    schedule.set(path, wanted.clone()).unwrap();
                }
            }
            variants.push((text.to_string(), lowered.clone(), schedule));
        }
        if program.name == "bfs-levels" {
            let text = "on=gpu;s0@loop=fused;s0:s1@adaptive,by=tree.test+push,lb=etwc+pull,lb=cm,frontier=bitmap";
            let mut schedule: ProgramSchedule = text.parse().unwrap();
            let tree = "(edges-ahead-ratio<=0.1?0:(degree-mean<=9?{0,1}:1!));cost=1,2,3,4,5,6;cost=1,1,1,1,1,1";
            schedule.set_tree(gw_schedule::Name::new("test").unwrap(), Arc::new(tree.parse().unwrap()));
            variants.push((text.to_string(), lowered.clone(), schedule));
        }
        // Lists that stand apart are read in few ways: by frontiers, by all vertices, in intersections, by positions.
        let in_blocks = ["bfs-levels", "pagerank", "tc", "bc-edges"].contains(&program.name);
        for (name, module, schedule) in variants {
            let options = gw_ir::Options { family: Some(Family::Gpu), ..gw_ir::Options::default() };
            let Ok(module) = gw_ir::run_pipeline(module, &schedule, &options) else { continue };
            // Operators of loops, and those that check every access, differ little from schedule to schedule.
            let careful = all || name == "auto";
            let module = Arc::new(module);
            let made = if careful { gw_cuda::all_kernels } else { gw_cuda::listings }(&module);
            let made = made.unwrap_or_else(|e| panic!("{} under {name}: {e}", program.name));
            if in_blocks && name == "auto" {
                let made = gw_cuda::kernels_of_changing_graphs(&module).unwrap();
                units.extend(made.into_iter().map(|unit| (format!("{} {CHANGING}", program.name), unit)));
            }
            for unit in made {
                if known.insert(unit.source.clone()) {
                    units.push((format!("{} under {name}", program.name), unit));
                }
            }
        }
    }
    units
}

#[test]
fn every_kernel_compiles_for_the_gpus_in_use() {
    let all = gw_testing::is_nightly();
    let units = units(all);
    assert!(units.len() > 120, "{} kernels", units.len());
    if let Err(reason) = gw_device::nvidia::compiler() {
        assert!(std::env::var_os("GW_NVRTC").is_none(), "{reason}");
        return gw_testing::left_out("NVRTC", reason);
    }
    // A sixth of them in a usual run: g++ compiles all of them for the emulated device, and a kernel takes a second
    // here. Fewer for the other architecture: they differ in few instructions. Loops that the device repeats call a
    // function of the driver. Those of graphs that change stand apart from all others.
    let taken = |at: usize, (place, unit): &(String, Unit)| {
        let changing = place.ends_with(CHANGING) || unit.name.ends_with("_batch");
        all || at.is_multiple_of(6) || place.contains("append=") || changing
    };
    let newest = units.iter().enumerate().filter(|(at, unit)| taken(*at, unit)).map(|(_, unit)| (unit, "sm_90"));
    let repeated: Vec<_> = units.iter().filter(|(_, unit)| unit.source.contains("gw::set_condition")).take(3).collect();
    assert_eq!(repeated.len(), 3);
    let older = units.iter().step_by(if all { 1 } else { 20 }).chain(repeated).map(|unit| (unit, "sm_80"));
    let tasks: Vec<_> = newest.chain(older).collect();
    let (next, problems) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let start = Instant::now();
    let worker = || {
        while let Some(((place, unit), architecture)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(problem) = gw_device::nvidia::compile_only(unit, architecture) {
                problems.lock().unwrap().push(format!("{place}, {} for {architecture}: {problem}", unit.name));
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(worker))));
    let problems = problems.into_inner().unwrap();
    println!("{} of {} kernels, {threads} threads, {:.0} s", tasks.len(), units.len(), start.elapsed().as_secs_f64());
    assert!(problems.is_empty(), "{} of {}:\n{}", problems.len(), units.len(), problems.join("\n"));
}
