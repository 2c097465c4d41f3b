//! The simulated machine by hand: cycles of small task programs, and who is aborted when.
//!
//! Most tests turn the caches off (`flat_memory`): an access then takes 2 cycles after its own one, so that cycles can
//! be counted on paper. A task on a core takes 2 cycles to be handed out, then its operations; it commits at the first
//! minimum of virtual time after its end.

use crate::common::*;
use gw_swarm::sim::code::{Fault, Op};
use gw_swarm::sim::config::{Config, Conflicts, Unhinted};
use gw_swarm::sim::{Machine, SimError};

/// Every cycle of every core is accounted for.
fn assert_accounted(machine: &Machine) {
    let stats = machine.stats();
    assert_eq!(stats.cores.total(), stats.cycles * machine.config().cores as u64, "{stats:?}");
}

#[test]
fn one_task() {
    // 2 to hand it out; constant 1, constant 1, store 1 + 2, end 0: finished at cycle 7, committed at the minimum of
    // 10.
    let config = Config { gvt_period: 10, ..flat(1) };
    let mut bench = Bench::new(config, 8);
    let store = bench.function(&[Op::Const { to: 1, bits: 3 }, Op::Const { to: 2, bits: 42 }, store(1, 2), Op::End]);
    bench.run(&[task(store, 0, &[])]).unwrap();
    assert_eq!((bench.word(3), bench.machine.stats().cycles), (42, 10));
    let stats = bench.machine.stats();
    assert_eq!((stats.cores.committed, stats.cores.empty, stats.tasks.committed), (7, 3, 1));
    assert_eq!(stats.instructions, 4);
    assert_accounted(&bench.machine);
}

#[test]
fn a_chain_of_tasks() {
    // Each task: 2 to hand it out, 6 operations of 1 cycle and a jump, the child after 2 cycles on the way. The task
    // ends 2 cycles after it created the child, and the child has arrived then: the next one starts at that cycle.
    // With n tasks: per task 2 + (const, compare, jump, add, timestamp, add: 6) + 2 = 10; the last: 2 + 3 = 5.
    let config = Config { gvt_period: 1, ..flat(1) };
    for n in [1u64, 2, 10, 100] {
        let mut bench = Bench::new(config.clone(), 8);
        let link = bench.function(&[
            Op::Const { to: 1, bits: 1 },
            binary(gw_ir::expr::BinaryOp::Le, 2, 0, 1),
            Op::JumpIf { condition: 2, at: 7 },
            binary(gw_ir::expr::BinaryOp::Sub, 0, 0, 1),
            Op::Timestamp { to: 3 },
            binary(gw_ir::expr::BinaryOp::Add, 3, 3, 1),
            enqueue(0, 3, 0, 1),
            Op::End,
        ]);
        bench.run(&[task(link, 0, &[n])]).unwrap();
        // The last commit is at the minimum of that very cycle.
        let cycles = bench.machine.stats().cycles;
        assert_eq!(cycles, 10 * (n - 1) + 5, "{n} tasks");
        assert_eq!(bench.machine.stats().tasks.committed, n);
        assert_accounted(&bench.machine);
    }
}

#[test]
fn independent_tasks_scale_with_the_cores() {
    let cycles = |cores: usize| {
        let mut bench =
            Bench::new(Config { unhinted: Unhinted::Random, task_queue_per_core: 1 << 13, ..flat(cores) }, 1 << 15);
        let work = bench.function(&work_on_own_word(200));
        let tasks: Vec<_> = (0..4096).map(|i| task(work, 0, &[i * 8])).collect();
        bench.run(&tasks).unwrap();
        assert!((0..4096).all(|i| bench.word(i * 8) == 200));
        assert_accounted(&bench.machine);
        bench.machine.stats().cycles as f64
    };
    let one = cycles(1);
    for cores in [4, 16] {
        let speedup = one / cycles(cores);
        assert!(speedup > 0.90 * cores as f64 && speedup <= cores as f64 * 1.01, "{cores} cores: {speedup}");
    }
}

#[test]
fn tasks_that_all_conflict_are_serial_and_right() {
    for (cores, hinted) in [(1, false), (4, false), (16, false), (16, true)] {
        let mut bench = Bench::new(flat(cores), 64);
        let add = bench.function(&add_one());
        let tasks: Vec<_> = (0..500).map(|i| hinted_task(add, i, &[0], hinted.then_some(0))).collect();
        bench.run(&tasks).unwrap();
        assert_eq!(bench.word(0), 500, "{cores} cores");
        let stats = bench.machine.stats();
        // Ordered additions to one word take turns: 500 tasks of load 3, add 1, store 3 and the constants.
        assert!(stats.cycles >= 500 * 7, "{cores} cores: {}", stats.cycles);
        match hinted || cores == 1 {
            true => assert_eq!(stats.aborts(), 0, "equal hints never run at the same time"),
            false => assert!(stats.aborts() > 0),
        }
        assert_accounted(&bench.machine);
    }
}

#[test]
fn hints_keep_a_line_on_one_tile() {
    let run = |hinted: bool| {
        let mut bench = Bench::new(Config { cores: 16, ..Config::default() }, 1 << 12);
        let add = bench.function(&add_one());
        let tasks: Vec<_> = (0..4000)
            .map(|i| (i, i * 8 % 512))
            .map(|(i, word)| hinted_task(add, i, &[word], hinted.then_some(word / 8)))
            .collect();
        bench.run(&tasks).unwrap();
        assert!((0..64).all(|i| bench.word(i * 8) == 4000 / 64 + u64::from(i < 4000 % 64)));
        bench.machine.stats()
    };
    let (without, with) = (run(false), run(true));
    assert_eq!(with.memory.invalidations, 0, "no line moves between tiles");
    assert!(without.memory.invalidations > 1000, "{}", without.memory.invalidations);
    assert!(with.aborts() < without.aborts() / 4, "{} and {}", with.aborts(), without.aborts());
}

#[test]
fn small_tasks_with_hints_abort_less_than_large_ones() {
    // 200 ordered groups add to 16 of 64 lines each: one task per group, or a task per addition with its line as hint.
    let run = |split: bool| {
        let mut bench = Bench::new(Config { cores: 16, ..Config::default() }, 1 << 10);
        let add = bench.function(&add_one());
        let mut ops = vec![Op::Timestamp { to: 5 }];
        for k in 0..16 {
            ops.push(Op::Const { to: 3, bits: k });
            ops.push(Op::Binary { f: |group, k| (group * 5 + k * 11) % 64 * 8, to: 4, a: 0, b: 3 });
            match split {
                true => ops.push(Op::Enqueue { function: add, timestamp: 5, hint: Some((0, 4)), first: 4, count: 1 }),
                false => ops.extend([
                    Op::Load { object: 0, to: 1, index: 4 },
                    Op::Const { to: 2, bits: 1 },
                    binary(gw_ir::expr::BinaryOp::Add, 1, 1, 2),
                    store(4, 1),
                ]),
            }
        }
        ops.push(Op::End);
        let group = bench.function(&ops);
        let tasks: Vec<_> = (0..200).map(|i| task(group, i, &[i])).collect();
        bench.run(&tasks).unwrap();
        assert_eq!((0..64).map(|line| bench.word(line * 8)).sum::<u64>(), 200 * 16);
        assert_accounted(&bench.machine);
        bench.machine.stats()
    };
    let (large, small) = (run(false), run(true));
    assert!(small.cores.aborted * 4 < large.cores.aborted, "{:?} and {:?}", small.cores, large.cores);
    assert!(small.cycles < large.cycles, "{} and {}", small.cycles, large.cycles);
}

#[test]
fn splitters_leave_the_queue_as_tasks_do() {
    // One core with a queue of 8 entries gets 2,000 tasks: with splitters that stayed there would be more than 100.
    let config = Config { task_queue_per_core: 8, spill_tasks: 4, gvt_period: 1, ..flat(1) };
    let mut bench = Bench::new(config, 1 << 15);
    let work = bench.function(&work_on_own_word(3));
    let chain = bench.functions();
    bench.function(&[
        Op::Timestamp { to: 2 },
        Op::Const { to: 3, bits: 8 },
        binary(gw_ir::expr::BinaryOp::Mul, 4, 0, 3),
        Op::Const { to: 3, bits: 5000 },
        enqueue(work, 3, 4, 1),
        Op::Const { to: 3, bits: 1 },
        binary(gw_ir::expr::BinaryOp::Sub, 0, 0, 3),
        Op::JumpUnless { condition: 0, at: 10 },
        binary(gw_ir::expr::BinaryOp::Add, 2, 2, 3),
        enqueue(chain, 2, 0, 1),
        Op::End,
    ]);
    bench.run(&[task(chain, 0, &[2000])]).unwrap();
    assert!((1..=2000).all(|i| bench.word(i * 8) == 3));
    let stats = bench.machine.stats();
    assert!(
        stats.tasks.spilled >= 2000 && stats.mean_task_queue() < 8.0,
        "{:?}, {}",
        stats.tasks,
        stats.mean_task_queue()
    );
    assert_accounted(&bench.machine);
}

#[test]
fn conflicts_can_be_finer_than_lines() {
    // Ordered additions to the words of one line: neighbours conflict by lines, not by words.
    let aborts = |conflict_bytes: u64| {
        let mut bench = Bench::new(Config { conflict_bytes, ..flat(8) }, 8);
        let add = bench.function(&add_one());
        let tasks: Vec<_> = (0..8).map(|i| task(add, 8 - i, &[i])).collect();
        bench.run(&tasks).unwrap();
        assert!((0..8).all(|word| bench.word(word) == 1));
        bench.machine.stats().aborts()
    };
    assert!(aborts(64) > 0);
    assert_eq!(aborts(8), 0);
}

#[test]
fn a_late_write_aborts_the_reader_that_came_too_early() {
    // Both start at cycle 0 on two cores. The late task reads word 0 at once; the early one writes it 50 cycles later.
    let mut bench = Bench::new(flat(2), 64);
    let mut early = wait(50);
    early.extend([Op::Const { to: 1, bits: 0 }, Op::Const { to: 2, bits: 7 }, store(1, 2), Op::End]);
    let early = bench.function(&early);
    // Copies word 0 to word 8.
    let late = bench.function(&copy_word(0, 8));
    bench.run(&[task(early, 1, &[]), task(late, 2, &[])]).unwrap();
    assert_eq!((bench.word(0), bench.word(8)), (7, 7));
    assert_eq!(bench.machine.stats().tasks.aborted_data, 1);
    // The other way round nothing is wrong: the reader comes first in program order.
    let mut bench = Bench::new(flat(2), 64);
    let mut slow = wait(50);
    slow.extend([Op::Const { to: 1, bits: 0 }, Op::Const { to: 2, bits: 7 }, store(1, 2), Op::End]);
    let (slow, reader) = (bench.function(&slow), bench.function(&copy_word(0, 8)));
    bench.run(&[task(slow, 2, &[]), task(reader, 1, &[])]).unwrap();
    assert_eq!((bench.word(8), bench.machine.stats().aborts()), (0, 0));
}

#[test]
fn writes_after_reads_and_writes_end_in_program_order() {
    for (first, second, expected) in [(1, 2, 22), (2, 1, 11)] {
        let mut bench = Bench::new(flat(2), 64);
        let mut slow = wait(50);
        slow.extend([Op::Const { to: 1, bits: 0 }, Op::Const { to: 2, bits: 11 }, store(1, 2), Op::End]);
        let slow = bench.function(&slow);
        let quick =
            bench.function(&[Op::Const { to: 1, bits: 0 }, Op::Const { to: 2, bits: 22 }, store(1, 2), Op::End]);
        bench.run(&[task(slow, first, &[]), task(quick, second, &[])]).unwrap();
        assert_eq!(bench.word(0), expected);
        assert_eq!(bench.machine.stats().aborts(), u64::from(first < second));
    }
}

#[test]
fn an_abort_takes_children_and_readers_along_and_nobody_else() {
    // At virtual time 1 a slow task writes word 0. Before that, task 2 has read word 0, written word 8 and created
    // child 3, which wrote word 16; task 4 has read word 8; task 5 has touched word 24 only.
    let mut bench = Bench::new(flat(8), 64);
    let mut slow = wait(200);
    slow.extend([Op::Const { to: 1, bits: 0 }, Op::Const { to: 2, bits: 7 }, store(1, 2), Op::End]);
    let slow = bench.function(&slow);
    let child = bench.function(&[Op::Const { to: 1, bits: 16 }, store(1, 0), Op::End]);
    let mut parent = copy_word(0, 8);
    parent.pop();
    parent.extend([Op::Const { to: 4, bits: 3 }, enqueue(child, 4, 3, 1), Op::End]);
    let parent = bench.function(&parent);
    let mut reader = wait(100);
    reader.extend(copy_word(8, 32));
    let (reader, other) = (bench.function(&reader), bench.function(&copy_word(24, 40)));
    let tasks = [task(slow, 1, &[]), task(parent, 2, &[]), task(reader, 4, &[]), task(other, 5, &[])];
    bench.run(&tasks).unwrap();
    assert_eq!([0, 8, 16, 32].map(|word| bench.word(word)), [7; 4]);
    let stats = bench.machine.stats();
    assert_eq!((stats.tasks.aborted_data, stats.tasks.discarded, stats.tasks.committed), (2, 1, 5));
    assert_accounted(&bench.machine);
}

#[test]
fn commits_are_in_program_order() {
    let mut bench = Bench::new(flat(16), 1 << 14);
    let work = bench.function(&work_on_own_word(20));
    let mut random = Random(3);
    let tasks: Vec<_> = (0..1000).map(|i| task(work, random.below(300), &[i * 8])).collect();
    let outcome = bench.run(&tasks).unwrap();
    assert_eq!(outcome.order.len(), 1000);
    assert!(outcome.order.windows(2).all(|pair| pair[0].timestamp <= pair[1].timestamp));
}

#[test]
fn a_full_commit_queue_lets_the_earliest_task_through() {
    for cores in [1, 4, 8] {
        let config = Config { commit_queue_per_core: 1, gvt_period: 500, ..flat(cores) };
        let mut bench = Bench::new(config, 1 << 12);
        let add = bench.function(&add_one());
        let mut random = Random(11);
        let tasks: Vec<_> = (0..300).map(|_| task(add, random.below(50), &[random.below(40) * 8])).collect();
        bench.run(&tasks).unwrap();
        assert_eq!((0..40).map(|i| bench.word(i * 8)).sum::<u64>(), 300);
        assert!(bench.machine.stats().cores.stalled_commit > 0);
        assert_accounted(&bench.machine);
    }
}

#[test]
fn an_overflowing_task_queue_spills_and_every_task_runs_once() {
    // A tree of 2^12 leaves on queues of 16 entries.
    let config = Config { task_queue_per_core: 4, ..flat(4) };
    let mut bench = Bench::new(config, 1 << 16);
    let leaf = bench.function(&add_one());
    let tree = bench.functions();
    let one_leaf = [enqueue(leaf, 2, 3, 1), Op::End];
    let mut ops = vec![
        // Registers: 0 first leaf, 1 number of leaves.
        Op::Timestamp { to: 2 },
        Op::Const { to: 4, bits: 8 },
        binary(gw_ir::expr::BinaryOp::Mul, 3, 0, 4),
        Op::Const { to: 4, bits: 1 },
        binary(gw_ir::expr::BinaryOp::Eq, 5, 1, 4),
        Op::JumpIf { condition: 5, at: 15 },
        Op::Const { to: 4, bits: 2 },
        Op::Divide { scalar: gw_ir::types::Scalar::Uint64, remainder: false, to: 6, a: 1, b: 4 },
        Op::Copy { to: 7, from: 0 },
        Op::Copy { to: 8, from: 6 },
        enqueue(tree, 2, 7, 2),
        binary(gw_ir::expr::BinaryOp::Add, 7, 0, 6),
        Op::Copy { to: 8, from: 6 },
        enqueue(tree, 2, 7, 2),
        Op::End,
    ];
    ops.extend(one_leaf);
    bench.function(&ops);
    bench.run(&[task(tree, 0, &[0, 1 << 12])]).unwrap();
    assert!((0..1 << 12).all(|i| bench.word(i * 8) == 1));
    let stats = bench.machine.stats();
    assert!(stats.tasks.spilled > 500 && stats.cores.spill > 0, "{stats:?}");
    assert_accounted(&bench.machine);
}

#[test]
fn minima_of_virtual_time_that_come_seldom_cost_time_and_change_nothing() {
    let run = |period: u64| {
        let mut bench = Bench::new(Config { gvt_period: period, ..flat(4) }, 1 << 12);
        let add = bench.function(&add_one());
        let tasks: Vec<_> = (0..1000).map(|i| task(add, i, &[i % 100 * 8])).collect();
        bench.run(&tasks).unwrap();
        assert!((0..100).all(|i| bench.word(i * 8) == 10));
        bench.machine.stats().cycles
    };
    assert!(run(10_000) > 4 * run(1));
}

#[test]
fn small_filters_abort_more_and_change_nothing() {
    // Every task adds to 16 words, each on its own line, and later tasks are often ahead of earlier ones.
    let run = |conflicts, bits: usize| {
        let mut bench = Bench::new(Config { cores: 16, conflicts, bloom_bits: bits, ..Config::default() }, 1 << 13);
        let mut ops = Vec::new();
        for i in 0..16 {
            ops.extend([
                Op::Const { to: 4, bits: i * 8 },
                binary(gw_ir::expr::BinaryOp::Add, 5, 0, 4),
                Op::Load { object: 0, to: 1, index: 5 },
                Op::Const { to: 2, bits: 1 },
                binary(gw_ir::expr::BinaryOp::Add, 1, 1, 2),
                store(5, 1),
            ]);
        }
        let add = bench.function(&ops);
        let tasks: Vec<_> = (0..400).map(|i| task(add, i * 7 % 97, &[i % 40 * 128])).collect();
        bench.run(&tasks).unwrap();
        assert!((0..640).all(|i| bench.word(i * 8) == 10));
        bench.machine.stats()
    };
    let (precise, large, tiny) = (run(Conflicts::Precise, 64), run(Conflicts::Bloom, 2048), run(Conflicts::Bloom, 64));
    assert_eq!(precise.tasks.aborted_false, 0);
    assert!(tiny.tasks.aborted_false > 10 * (1 + large.tasks.aborted_false), "{tiny:?}");
}

#[test]
fn faults_count_only_when_the_task_commits() {
    // The late task divides by word 0, which the early task sets to 1 after 50 cycles.
    let mut bench = Bench::new(flat(2), 64);
    let mut early = wait(50);
    early.extend([Op::Const { to: 1, bits: 0 }, Op::Const { to: 2, bits: 1 }, store(1, 2), Op::End]);
    let early = bench.function(&early);
    let divide = bench.function(&[
        Op::Const { to: 1, bits: 0 },
        Op::Load { object: 0, to: 2, index: 1 },
        Op::Divide { scalar: gw_ir::types::Scalar::Uint64, remainder: false, to: 3, a: 2, b: 2 },
        Op::Const { to: 1, bits: 8 },
        store(1, 3),
        Op::End,
    ]);
    bench.run(&[task(early, 1, &[]), task(divide, 2, &[])]).unwrap();
    assert_eq!(bench.word(8), 1);
    let mut bench = Bench::new(flat(2), 64);
    let divide = bench.function(&[
        Op::Const { to: 1, bits: 0 },
        Op::Divide { scalar: gw_ir::types::Scalar::Uint64, remainder: false, to: 3, a: 1, b: 1 },
    ]);
    let error = bench.run(&[task(divide, 2, &[])]).unwrap_err();
    assert_eq!(error, SimError::Fault { function: divide, fault: Fault::DivisionByZero });
    let mut bench = Bench::new(flat(1), 64);
    let far = bench.function(&[Op::Const { to: 1, bits: 64 }, store(1, 1)]);
    let error = bench.run(&[task(far, 0, &[])]).unwrap_err();
    assert_eq!(error, SimError::Fault { function: far, fault: Fault::Index { object: 0, index: 64 } });
}

#[test]
fn one_core_runs_in_program_order() {
    let mut bench = Bench::new(flat(1), 1 << 12);
    let add = bench.function(&add_one());
    let mut random = Random(5);
    let tasks: Vec<_> = (0..60).map(|_| task(add, random.below(1000), &[0])).collect();
    bench.run(&tasks).unwrap();
    assert_eq!((bench.word(0), bench.machine.stats().aborts()), (60, 0));
}

#[test]
fn equal_runs_are_equal_in_everything() {
    let run = || {
        let mut bench = Bench::new(Config { cores: 16, ..Config::default() }, 1 << 12);
        let add = bench.function(&add_one());
        let mut random = Random(9);
        let tasks: Vec<_> = (0..800).map(|_| task(add, random.below(100), &[random.below(300)])).collect();
        let outcome = bench.run(&tasks).unwrap();
        (outcome.order, bench.machine.stats())
    };
    assert_eq!(run(), run());
}

#[test]
fn a_machine_can_be_stopped() {
    let mut bench = Bench::new(flat(4), 64);
    let endless = bench.function(&[Op::Jump { at: 0 }]);
    bench.stop_after = Some(3);
    assert_eq!(bench.run(&[task(endless, 0, &[])]).unwrap_err(), SimError::Stopped);
}
