//! A bench for task programs: one object of words, functions, tasks.
#![allow(dead_code, reason = "every test file uses its part")]

use gw_exec::scalar;
use gw_ir::expr::BinaryOp;
use gw_ir::types::Scalar;
use gw_swarm::sim::code::{Args, Code, Function, FunctionId, Op, Reg, Spawn};
use gw_swarm::sim::config::Config;
use gw_swarm::sim::memory::{AddressSpace, Memory};
use gw_swarm::sim::{Job, Machine, Outcome, SimError};

/// A machine without caches: accesses take 2 cycles.
pub fn flat(cores: usize) -> Config {
    Config { cores, flat_memory: true, ..Config::default() }
}

/// A machine, a memory of words and a task program.
pub struct Bench {
    pub machine: Machine,
    pub code: Code,
    pub memory: Memory,
    lines: usize,
    /// Stop when asked for the n-th time.
    pub stop_after: Option<u32>,
}

impl Bench {
    pub fn new(config: Config, words: usize) -> Bench {
        let (mut space, mut memory) = (AddressSpace::default(), Memory::default());
        memory.add(space.writable(words as u64 * 8), 8, words, Box::new(vec![0; words]));
        let lines = space.writable_lines();
        let machine = Machine::new(config.checked().unwrap());
        Bench { machine, code: Code::default(), memory, lines, stop_after: None }
    }

    /// The number that the next function gets.
    pub fn functions(&self) -> FunctionId {
        self.code.functions.len() as FunctionId
    }

    pub fn function(&mut self, ops: &[Op]) -> FunctionId {
        self.code.functions.push(Function { ops: ops.to_vec(), registers: 16, ..Function::default() });
        self.functions() - 1
    }

    pub fn run(&mut self, roots: &[Spawn]) -> Result<Outcome, SimError> {
        let mut asked = 0;
        let limit = self.stop_after;
        let mut stop = || {
            asked += 1;
            limit.is_some_and(|limit| asked >= limit)
        };
        let job = Job { code: &self.code, params: &[], writable_lines: self.lines, roots, stop: &mut stop, log: true };
        self.machine.run(job, &mut self.memory)
    }

    pub fn word(&self, at: u64) -> u64 {
        self.memory.load(0, at as usize)
    }
}

pub fn task(function: FunctionId, timestamp: u64, args: &[u64]) -> Spawn {
    Spawn { function, timestamp, hint: None, args: Args::new(args) }
}

pub fn hinted_task(function: FunctionId, timestamp: u64, args: &[u64], hint: Option<u64>) -> Spawn {
    Spawn { hint, ..task(function, timestamp, args) }
}

pub fn store(index: Reg, from: Reg) -> Op {
    Op::Store { object: 0, index, from }
}

pub fn enqueue(function: FunctionId, timestamp: Reg, first: Reg, count: u8) -> Op {
    Op::Enqueue { function, timestamp, hint: None, first, count }
}

/// An operation on 64-bit numbers.
pub fn binary(op: BinaryOp, to: Reg, a: Reg, b: Reg) -> Op {
    Op::Binary { f: scalar::binary(op, Scalar::Uint64).unwrap(), to, a, b }
}

/// Adds 1 to the word named by the argument.
pub fn add_one() -> Vec<Op> {
    vec![
        Op::Load { object: 0, to: 1, index: 0 },
        Op::Const { to: 2, bits: 1 },
        binary(BinaryOp::Add, 1, 1, 2),
        store(0, 1),
        Op::End,
    ]
}

/// Does nothing for so many cycles; register 15 is used.
pub fn wait(cycles: u64) -> Vec<Op> {
    vec![Op::Const { to: 15, bits: 0 }; cycles as usize]
}

/// Copies one word to another through register 3.
pub fn copy_word(from: u64, to: u64) -> Vec<Op> {
    vec![
        Op::Const { to: 1, bits: from },
        Op::Load { object: 0, to: 3, index: 1 },
        Op::Const { to: 1, bits: to },
        store(1, 3),
        Op::End,
    ]
}

/// Counts to `n` in registers, then stores it in the word named by the argument.
pub fn work_on_own_word(n: u64) -> Vec<Op> {
    vec![
        Op::Const { to: 1, bits: 0 },
        Op::Const { to: 2, bits: 1 },
        Op::Const { to: 3, bits: n },
        binary(BinaryOp::Add, 1, 1, 2),
        binary(BinaryOp::Lt, 4, 1, 3),
        Op::JumpIf { condition: 4, at: 3 },
        store(0, 1),
        Op::End,
    ]
}

/// The seeds of a random test, fewer in a usual run. `GW_SWARM_SEEDS=LOW..HIGH` names a part of them, so that several
/// processes share a long run.
pub fn seeds(usual: u64, nightly: u64) -> std::ops::Range<u64> {
    let part = std::env::var("GW_SWARM_SEEDS").ok().and_then(|text| {
        let (low, high) = text.split_once("..")?;
        Some(low.parse().ok()?..high.parse().ok()?)
    });
    part.unwrap_or(0..gw_testing::usually(usual, nightly))
}

/// A sequence of numbers.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}
