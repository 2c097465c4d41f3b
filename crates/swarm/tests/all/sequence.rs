//! Whatever the parameters, the committed state is that of a sequential run: random task programs on random machines,
//! checked against an interpreter that runs the tasks one after the other in the order in which they committed.
//!
//! The order itself is checked, too: no task before its parent, none before a task with a smaller timestamp.

use std::collections::BTreeMap;

use crate::common::*;
use gw_ir::expr::BinaryOp;
use gw_swarm::sim::code::{Args, Op, Spawn};
use gw_swarm::sim::config::{Config, Conflicts, Unhinted};

/// Words that the tasks fight for.
const WORDS: u64 = 96;

/// Runs one task on plain memory and gives its children.
fn run_alone(ops: &[Op], task: &Spawn, memory: &mut [u64]) -> (Vec<Spawn>, Vec<u64>) {
    let mut regs = [0u64; 16];
    regs[..task.args.as_slice().len()].copy_from_slice(task.args.as_slice());
    let (mut pc, mut children, mut emitted) = (0, Vec::new(), Vec::new());
    while let Some(op) = ops.get(pc) {
        pc += 1;
        match *op {
            Op::Const { to, bits } => regs[to as usize] = bits,
            Op::Binary { f, to, a, b } => regs[to as usize] = f(regs[a as usize], regs[b as usize]),
            Op::Load { to, index, .. } => regs[to as usize] = memory[regs[index as usize] as usize],
            Op::Store { index, from, .. } => memory[regs[index as usize] as usize] = regs[from as usize],
            Op::JumpUnless { condition, at } if regs[condition as usize] == 0 => pc = at as usize,
            Op::JumpUnless { .. } => {}
            Op::Timestamp { to } => regs[to as usize] = task.timestamp,
            Op::Emit { from, .. } => emitted.push(regs[from as usize]),
            Op::Enqueue { function, timestamp, hint, first, count } => {
                let first = first as usize;
                children.push(Spawn {
                    function,
                    timestamp: regs[timestamp as usize],
                    hint: hint.map(|(_, index)| regs[index as usize] / 8),
                    args: Args::new(&regs[first..first + count as usize]),
                });
            }
            Op::End => break,
            ref other => panic!("random programs have no {other:?}"),
        }
    }
    (children, emitted)
}

/// A random function: loads and stores of words that depend on the argument and on what was read, conditional parts,
/// and children while there is fuel. Registers: 0 a number, 1 fuel, 2.. scratch.
fn random_function(random: &mut Random, functions: u64, hinted: bool) -> Vec<Op> {
    let mut ops = vec![Op::Const { to: 10, bits: WORDS - 1 }, Op::Const { to: 11, bits: 1 }];
    let word = |ops: &mut Vec<Op>, random: &mut Random, from: u16| {
        // A word below WORDS, from a register: multiply, then take the remainder by subtraction of a power of two.
        ops.push(Op::Const { to: 12, bits: random.next() | 1 });
        ops.push(binary(BinaryOp::Mul, 5, from, 12));
        ops.push(Op::Binary { f: |a, _| (a >> 40) % WORDS, to: 5, a: 5, b: 10 });
    };
    let mut open: Vec<usize> = Vec::new();
    for _ in 0..random.below(9) + 1 {
        let from = random.pick(&[0, 0, 2, 3, 4]);
        match random.below(8) {
            0..=2 => {
                word(&mut ops, random, from);
                ops.push(Op::Load { object: 0, to: random.pick(&[2, 3, 4]), index: 5 });
            }
            3 | 4 => {
                word(&mut ops, random, from);
                ops.push(binary(BinaryOp::Add, 6, random.pick(&[2, 3, 4]), 11));
                ops.push(store(5, 6));
            }
            5 => ops.push(binary(BinaryOp::Add, 2, 3, 4)),
            6 => {
                ops.push(Op::Binary { f: |a, b| (a ^ b) & 1, to: 7, a: 2, b: from });
                open.push(ops.len());
                ops.push(Op::JumpUnless { condition: 7, at: 0 });
            }
            _ => ops.extend(wait(random.below(30))),
        }
        if random.chance(20) {
            ops.push(Op::Emit { channel: 0, from: 2 });
        }
    }
    for at in open {
        ops[at] = Op::JumpUnless { condition: 7, at: ops.len() as u32 };
    }
    for _ in 0..random.below(4) {
        let skip = ops.len();
        ops.push(Op::JumpUnless { condition: 1, at: 0 });
        ops.push(Op::Timestamp { to: 8 });
        ops.push(Op::Const { to: 9, bits: random.pick(&[0, 0, 1, 2, 5]) });
        ops.push(binary(BinaryOp::Add, 8, 8, 9));
        ops.push(binary(BinaryOp::Add, 13, 0, random.pick(&[2, 3, 11])));
        ops.push(binary(BinaryOp::Sub, 14, 1, 11));
        word(&mut ops, random, 13);
        let hint = (hinted && random.chance(70)).then_some((0, 5));
        let function = random.below(functions) as u16;
        ops.push(Op::Enqueue { function, timestamp: 8, hint, first: 13, count: 2 });
        ops[skip] = Op::JumpUnless { condition: 1, at: ops.len() as u32 };
    }
    ops.push(Op::End);
    ops
}

fn random_config(random: &mut Random) -> Config {
    let cores = random.pick(&[1, 2, 3, 4, 5, 8, 16, 24, 64]);
    // Tiny queues make long runs; minima in every cycle would make them endless.
    let task_queue_per_core = random.pick(&[1, 2, 4, 16, 64]);
    let gvt_period = random.pick(if task_queue_per_core < 16 { &[50, 200, 1000] } else { &[1, 7, 200] });
    Config {
        cores,
        cores_per_tile: random.pick(&[1, 2, 4, 4, 8]),
        task_queue_per_core,
        overflow_percent: random.pick(&[1, 50, 86, 100]),
        spill_tasks: random.pick(&[1, 2, 4, 15]),
        spill_cycles: random.below(20) + 1,
        commit_queue_per_core: random.pick(&[1, 1, 2, 16]),
        send_buffer: random.pick(&[1, 2, 32]),
        enqueue_cycles: random.below(8),
        dequeue_cycles: random.below(8),
        gvt_period,
        undo_cycles: random.below(5),
        conflicts: random.pick(&[Conflicts::Precise, Conflicts::Precise, Conflicts::Bloom]),
        conflict_bytes: random.pick(&[64, 64, 8, 16]),
        bloom_bits: random.pick(&[64, 256, 2048]),
        bloom_hashes: random.pick(&[1, 4, 8]),
        check_cycles: random.below(8),
        serialize_hints: random.chance(60),
        unhinted: random.pick(&[Unhinted::Random, Unhinted::Local]),
        balance_hints: random.chance(30),
        balance_period: random.pick(&[100, 1000]),
        hint_groups_per_tile: random.pick(&[1, 4, 16]),
        l1_bytes: random.pick(&[64, 512, 16384]),
        l1_ways: random.pick(&[1, 2, 8]),
        l1_cycles: random.below(4),
        l2_bytes_per_core: random.pick(&[64, 1024, 65536]),
        l2_ways: random.pick(&[1, 4, 8]),
        l2_cycles: random.below(10),
        llc_bytes_per_core: random.pick(&[64, 4096, 1 << 18]),
        llc_ways: random.pick(&[1, 16]),
        llc_cycles: random.below(20),
        fixed_cache_cores: random.pick(&[0, 0, 16]),
        flat_memory: random.chance(20),
        memory_controllers: random.pick(&[1, 4]),
        memory_cycles: random.below(200),
        memory_line_cycles: random.below(10),
        hop_cycles: random.below(5),
        flit_bytes: random.pick(&[8, 32]),
        seed: random.next(),
        ..Config::default()
    }
}

/// One random program on one random machine.
fn check(seed: u64) {
    let mut random = Random(seed);
    let config = random_config(&mut random);
    let cores = config.cores as u64;
    let mut bench = Bench::new(config, WORDS as usize);
    let functions = random.below(4) + 1;
    let hinted = random.chance(50);
    for _ in 0..functions {
        let ops = random_function(&mut random, functions, hinted);
        bench.function(&ops);
    }
    let (roots, fuel) = (random.below(12) + 1, random.below(5));
    let spread = random.pick(&[1, 3, 50]);
    let roots: Vec<Spawn> = (0..roots)
        .map(|i| {
            let function = random.below(functions) as u16;
            let hint = (hinted && random.chance(50)).then(|| random.below(20));
            hinted_task(function, random.below(spread), &[i, fuel], hint)
        })
        .collect();
    let outcome = bench.run(&roots).unwrap_or_else(|error| panic!("seed {seed}: {error}"));

    let mut pending: BTreeMap<(u64, Spawn), u32> = BTreeMap::new();
    // Hints of children are lines in the machine and words here: they say where, not what.
    let key = |spawn: &Spawn| (spawn.timestamp, Spawn { hint: None, ..*spawn });
    let put = |pending: &mut BTreeMap<(u64, Spawn), u32>, spawn: &Spawn| *pending.entry(key(spawn)).or_default() += 1;
    roots.iter().for_each(|root| put(&mut pending, root));
    let (mut memory, mut emitted) = (vec![0; WORDS as usize], Vec::new());
    for (at, task) in outcome.order.iter().enumerate() {
        let earliest = pending.first_key_value().map(|((timestamp, _), _)| *timestamp);
        assert_eq!(earliest, Some(task.timestamp), "seed {seed}: commit {at} is not one of the earliest tasks");
        let entry = pending.get_mut(&key(task)).unwrap_or_else(|| panic!("seed {seed}: commit {at} was never created"));
        *entry -= 1;
        if *entry == 0 {
            pending.remove(&key(task));
        }
        let (children, values) = run_alone(&bench.code.functions[task.function as usize].ops, task, &mut memory);
        children.iter().for_each(|child| put(&mut pending, child));
        emitted.extend(values);
    }
    assert!(pending.is_empty(), "seed {seed}: {} tasks never committed", pending.len());
    let found: Vec<u64> = (0..WORDS).map(|i| bench.word(i)).collect();
    assert_eq!(found, memory, "seed {seed}: the state is not that of the sequential run");
    let found: Vec<u64> = outcome.emitted.iter().map(|&(_, value)| value).collect();
    assert_eq!(found, emitted, "seed {seed}: emitted values");
    let stats = bench.machine.stats();
    assert_eq!(stats.cores.total(), stats.cycles * cores, "seed {seed}: every cycle of every core is accounted for");
    assert_eq!(stats.tasks.committed, outcome.order.len() as u64);
}

#[test]
fn the_committed_state_is_that_of_a_sequential_run() {
    seeds(500, 100_000).for_each(check);
}
