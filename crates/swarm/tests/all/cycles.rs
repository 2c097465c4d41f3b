//! Cycles on paper: small task programs whose time on the simulated machine is worked out by hand, to the last cycle.
//!
//! There are no caches (`flat_memory`): an access takes 2 cycles after its own one. All cores are in one tile, so that
//! children arrive 2 cycles after they were created and minima of virtual time take no time. A core needs 2 cycles to
//! take a task.

use crate::common::*;
use gw_swarm::sim::code::Op;
use gw_swarm::sim::config::Config;
use gw_swarm::sim::stats::{CoreCycles, Stats};

/// One tile; what is finished commits in the same cycle.
fn tile(cores: usize) -> Config {
    Config { cores_per_tile: cores, gvt_period: 1, ..flat(cores) }
}

/// The parts that need no room in a queue: committed, aborted, spill, empty.
fn parts(stats: &Stats) -> [u64; 4] {
    let CoreCycles { committed, aborted, spill, stalled_commit, stalled_send, empty } = stats.cores;
    assert_eq!((stalled_commit, stalled_send), (0, 0));
    [committed, aborted, spill, empty]
}

/// A task of 2 (taken) + 3 (load) + 1 + 1 + 3 (store) = 10 cycles.
const ADD_ONE: u64 = 10;

#[test]
fn independent_tasks_take_their_share_of_the_time() {
    for cores in [1u64, 2, 4, 8] {
        let mut bench = Bench::new(tile(cores as usize), 1 << 12);
        let add = bench.function(&add_one());
        let tasks: Vec<_> = (0..cores * 7).map(|i| task(add, 0, &[i * 8])).collect();
        bench.run(&tasks).unwrap();
        let stats = bench.machine.stats();
        assert_eq!((stats.cycles, parts(&stats)), (7 * ADD_ONE, [cores * 7 * ADD_ONE, 0, 0, 0]), "{cores} cores");
    }
}

#[test]
fn a_full_commit_queue_ends_the_speedup() {
    // Every core finishes 3 tasks, which fill its part of the commit queue, and waits with the fourth for the minimum
    // that comes every 100 cycles: 4 tasks per core in 100 cycles instead of 10.
    for cores in [1u64, 4] {
        let config = Config { gvt_period: 100, commit_queue_per_core: 3, ..tile(cores as usize) };
        let mut bench = Bench::new(config, 1 << 12);
        let add = bench.function(&add_one());
        let tasks: Vec<_> = (0..cores * 4 * 5).map(|i| task(add, 0, &[i * 8])).collect();
        bench.run(&tasks).unwrap();
        let stats = bench.machine.stats();
        assert_eq!(stats.cycles, 5 * 100, "{cores} cores");
        assert_eq!(stats.cores.stalled_commit, cores * 5 * (100 - 4 * ADD_ONE));
        assert_eq!((stats.cores.committed, stats.aborts()), (cores * 20 * ADD_ONE, 0));
    }
}

#[test]
fn equal_hints_take_turns() {
    // Additions to one word, one after the other, however many cores there are.
    for cores in [1, 2, 8] {
        let mut bench = Bench::new(tile(cores), 8);
        let add = bench.function(&add_one());
        let tasks: Vec<_> = (0..30).map(|i| hinted_task(add, i, &[0], Some(5))).collect();
        bench.run(&tasks).unwrap();
        let stats = bench.machine.stats();
        assert_eq!((bench.word(0), stats.cycles, stats.aborts()), (30, 30 * ADD_ONE, 0), "{cores} cores");
    }
}

#[test]
fn two_additions_to_one_word() {
    // Both are taken at 0, load at 2 and come to their stores at 7. The earlier one stores first: the later one has
    // read too early, is taken again at 7 and ends at 17, when the other core has been idle for 7 cycles.
    let mut bench = Bench::new(tile(2), 8);
    let add = bench.function(&add_one());
    bench.run(&[task(add, 1, &[0]), task(add, 2, &[0])]).unwrap();
    let stats = bench.machine.stats();
    assert_eq!((bench.word(0), stats.cycles, stats.tasks.aborted_data), (2, 17, 1));
    assert_eq!(parts(&stats), [2 * ADD_ONE, 7, 0, 7]);
}

#[test]
fn an_abort_cascade() {
    // Taken at 0 by five cores:
    // A (1) waits 20 cycles and stores to word 0 at 2 + 20 + 2 = 24; it ends at 27.
    // B (2) copies word 0 (load at 3) to word 8 (store at 7), creates C at 11 and ends at 13: 13 cycles.
    // C (3) arrives at 13, stores word 16 at 16 and ends at 19: 6 cycles.
    // D (4) waits 10 cycles, copies word 8 (load at 13) to word 32 and ends at 20: 20 cycles.
    // E (5) copies word 24 to word 40 and ends at 10.
    // At 24 the store of A takes back B, which read word 0, with B its child C and D, which read what B wrote; E stays.
    // B and D begin again at 24: B ends at 37, the new C at 43, D at 44.
    let mut bench = Bench::new(tile(5), 64);
    let mut slow = wait(20);
    slow.extend([Op::Const { to: 1, bits: 0 }, Op::Const { to: 2, bits: 7 }, store(1, 2), Op::End]);
    let child = bench.function(&[Op::Const { to: 1, bits: 16 }, store(1, 0), Op::End]);
    let mut parent = copy_word(0, 8);
    parent.pop();
    parent.extend([Op::Const { to: 4, bits: 3 }, enqueue(child, 4, 3, 1), Op::End]);
    let mut reader = wait(10);
    reader.extend(copy_word(8, 32));
    let tasks = [slow, parent, reader, copy_word(24, 40)].map(|ops| bench.function(&ops));
    let tasks: Vec<_> = tasks.into_iter().zip([1, 2, 4, 5]).map(|(function, ts)| task(function, ts, &[])).collect();
    bench.run(&tasks).unwrap();
    assert_eq!([0, 8, 16, 32].map(|word| bench.word(word)), [7; 4]);
    let stats = bench.machine.stats();
    assert_eq!((stats.cycles, stats.tasks.aborted_data, stats.tasks.discarded), (44, 2, 1));
    let (committed, aborted) = (27 + 13 + 6 + 20 + 10, 13 + 6 + 20);
    assert_eq!(parts(&stats), [committed, aborted, 0, 5 * 44 - committed - aborted]);
}

#[test]
fn an_abort_on_a_core_undoes_its_writes_first() {
    // The later task stores to words 0 and 8 (at 4 and 8) and goes on for 100 cycles. The earlier one stores to word 0
    // at 2 + 30 + 2 = 34 and ends at 37. Taking two stores back keeps the other core until 34 + 2 * 2 = 38, so the core
    // that is free at 37 takes the task again.
    let mut bench = Bench::new(tile(2), 16);
    let mut early = wait(30);
    early.extend([Op::Const { to: 1, bits: 0 }, Op::Const { to: 2, bits: 7 }, store(1, 2), Op::End]);
    let mut late = vec![Op::Const { to: 2, bits: 9 }, Op::Const { to: 1, bits: 0 }, store(1, 2)];
    late.extend([Op::Const { to: 1, bits: 8 }, store(1, 2)]);
    late.extend(wait(100));
    let (early, late) = (bench.function(&early), bench.function(&late));
    bench.run(&[task(early, 1, &[]), task(late, 2, &[])]).unwrap();
    let run = 2 + 2 + 3 + 1 + 3 + 100;
    let stats = bench.machine.stats();
    assert_eq!((bench.word(0), bench.word(8)), (9, 9));
    assert_eq!((stats.cycles, stats.tasks.aborted_data), (37 + run, 1));
    assert_eq!(parts(&stats), [37 + run, 38, 0, 37 + run - 38]);
}

#[test]
fn an_overflowing_queue() {
    // Room for 10 tasks, and 5 are the most before spilling begins. Of 6 tasks the last 4 are moved away in 4 * 10
    // cycles; two tasks run; the splitter is taken (2) and brings them back (40); four tasks run.
    let config = Config { task_queue_per_core: 10, overflow_percent: 50, spill_tasks: 4, spill_cycles: 10, ..tile(1) };
    let mut bench = Bench::new(config, 64);
    let add = bench.function(&add_one());
    let tasks: Vec<_> = (0..6).map(|i| task(add, i, &[i * 8])).collect();
    let outcome = bench.run(&tasks).unwrap();
    assert!((0..6).all(|i| bench.word(i * 8) == 1));
    assert_eq!(outcome.order, tasks);
    let stats = bench.machine.stats();
    assert_eq!((stats.cycles, stats.tasks.spilled), (40 + 2 * ADD_ONE + 42 + 4 * ADD_ONE, 4));
    assert_eq!(parts(&stats), [6 * ADD_ONE, 0, 82, 0]);
}

#[test]
fn a_child_that_finds_no_room_comes_again() {
    // The parent creates three children at 3, 5 and 7 and ends at 9; they arrive 2 cycles after they were created.
    let children = |queue| {
        let config = Config { task_queue_per_core: queue, overflow_percent: 100, ..tile(1) };
        let mut bench = Bench::new(config, 64);
        let add = bench.function(&add_one());
        let parent = bench.function(&[
            Op::Timestamp { to: 3 },
            enqueue(add, 3, 0, 1),
            enqueue(add, 3, 0, 1),
            enqueue(add, 3, 0, 1),
            Op::End,
        ]);
        bench.run(&[task(parent, 0, &[0])]).unwrap();
        assert_eq!(bench.word(0), 3);
        (bench.machine.stats().cycles, bench.machine.stats().tasks.refused)
    };
    // With room for all, the children follow one another.
    assert_eq!(children(64), (9 + 3 * ADD_ONE, 0));
    // In a queue of 2 entries the parent and the first child leave no room until 9: the others are refused at 7 and at
    // 9 (the child arrives before the parent ends) and come again 25 cycles later. The first child ends at 19, and the
    // core waits until 32.
    assert_eq!(children(2), (7 + 25 + 2 * ADD_ONE, 2));
}

#[test]
fn hints_bring_equal_tasks_to_one_tile() {
    // 16 tiles of 4 cores; every task notes the number of its core.
    let mut bench = Bench::new(flat(64), 1 << 12);
    let note = bench.function(&[Op::Core { to: 1 }, store(0, 1), Op::End]);
    let tasks: Vec<_> = (0..400).map(|i| hinted_task(note, i / 40, &[i * 8], Some(i % 40))).collect();
    bench.run(&tasks).unwrap();
    let tile = |i: u64| bench.word(i * 8) / 4;
    assert!((0..400).all(|i| tile(i) == tile(i % 40)), "a hint has one tile");
    let used: std::collections::BTreeSet<u64> = (0..40).map(tile).collect();
    assert!(used.len() > 10, "40 hints use {} of 16 tiles", used.len());
}
