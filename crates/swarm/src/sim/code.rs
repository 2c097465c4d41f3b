//! Task code: a small register code that the simulated cores execute.
//!
//! A task function is a list of operations on 64-bit registers. Operations take one cycle, divisions more, accesses to
//! memory what the caches say. The code can stop before every access, so that the accesses of all cores happen in the
//! order of their cycles.

use std::collections::BTreeMap;

use gw_exec::scalar;
use gw_ir::types::Scalar;

/// A register of a task.
pub type Reg = u16;
/// An object of the memory: a vector, an array of a graph, a scalar.
pub type ObjectId = u16;
/// A function of a task program.
pub type FunctionId = u16;

/// Cycles of a division or remainder.
pub const DIVIDE_CYCLES: u64 = 20;
/// Words of arguments that a task can carry.
pub const MAX_ARGS: usize = 8;

/// An operation.
#[expect(missing_docs, reason = "the line of each operation names its fields")]
#[derive(Debug, Clone, Copy)]
pub enum Op {
    /// `to = bits`.
    Const { to: Reg, bits: u64 },
    /// `to = from`.
    Copy { to: Reg, from: Reg },
    /// `to = f(a)`.
    Unary { f: scalar::Unary, to: Reg, a: Reg },
    /// `to = f(a, b)`.
    Binary { f: scalar::Binary, to: Reg, a: Reg, b: Reg },
    /// `to = a / b` or `a % b`; a fault where an integer is divided by zero.
    Divide { scalar: Scalar, remainder: bool, to: Reg, a: Reg, b: Reg },
    /// Goes on at an operation.
    Jump { at: u32 },
    /// Goes on at an operation if the register is not zero.
    JumpIf { condition: Reg, at: u32 },
    /// Goes on at an operation if the register is zero.
    JumpUnless { condition: Reg, at: u32 },
    /// `to = object[index]`.
    Load { object: ObjectId, to: Reg, index: Reg },
    /// `object[index] = from`.
    Store { object: ObjectId, index: Reg, from: Reg },
    /// `to =` a parameter of the run.
    Param { to: Reg, index: u16 },
    /// `to =` the number of the core.
    Core { to: Reg },
    /// `to =` the timestamp of the task.
    Timestamp { to: Reg },
    /// Creates a child task whose arguments are the registers from `first` on.
    Enqueue { function: FunctionId, timestamp: Reg, hint: Option<(ObjectId, Reg)>, first: Reg, count: u8 },
    /// Hands a value to the outcome of the run when the task commits.
    Emit { channel: u16, from: Reg },
    /// The task failed; what `code` means is the program's business.
    Fail { code: u32, value: Reg },
    /// The task ends.
    End,
}

/// A function of a task program.
#[derive(Debug, Clone, Default)]
pub struct Function {
    /// Its name, for listings.
    pub name: String,
    /// The operations.
    pub ops: Vec<Op>,
    /// What unary and binary operations do, by their places, for listings.
    pub words: BTreeMap<usize, String>,
    /// Registers it needs; the arguments of a task are the first ones.
    pub registers: usize,
}

/// A task program.
#[derive(Debug, Clone, Default)]
pub struct Code {
    /// The functions.
    pub functions: Vec<Function>,
}

/// A task to be created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spawn {
    /// What it runs.
    pub function: FunctionId,
    /// When it runs in program order.
    pub timestamp: u64,
    /// Where it had best run: equal hints share a tile.
    pub hint: Option<u64>,
    /// Its arguments.
    pub args: Args,
}

/// The arguments of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Args {
    words: [u64; MAX_ARGS],
    count: u8,
}

impl Args {
    /// These words; more than [`MAX_ARGS`] are cut off.
    pub fn new(words: &[u64]) -> Args {
        let mut args = Args { words: [0; MAX_ARGS], count: words.len().min(MAX_ARGS) as u8 };
        args.words[..args.count as usize].copy_from_slice(&words[..args.count as usize]);
        args
    }

    /// The words.
    pub fn as_slice(&self) -> &[u64] {
        &self.words[..self.count as usize]
    }
}

/// Why a task cannot go on. A fault counts only if the task commits: speculative tasks may see values that never were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// An index beyond an object.
    Index {
        /// The object.
        object: ObjectId,
        /// The index as a 64-bit number.
        index: u64,
    },
    /// An integer was divided by zero.
    DivisionByZero,
    /// [`Op::Fail`].
    Failed {
        /// The code of the operation.
        code: u32,
        /// The value of its register.
        value: u64,
    },
    /// A child would be earlier than its parent.
    Backwards {
        /// The timestamp of the child.
        timestamp: u64,
    },
}

/// What follows an operation that needs neither memory nor tasks.
pub(crate) enum Next {
    /// Another operation, after this many cycles.
    Continue(u64),
    /// The operation is one of the others.
    Outside,
    /// The task cannot go on.
    Fault(Fault),
}

/// Executes an operation on registers; moves `pc` on unless the operation is [`Next::Outside`].
#[inline(always)]
pub(crate) fn execute(op: &Op, pc: &mut usize, regs: &mut [u64]) -> Next {
    let mut cycles = 1;
    match *op {
        Op::Const { to, bits } => regs[to as usize] = bits,
        Op::Copy { to, from } => regs[to as usize] = regs[from as usize],
        Op::Unary { f, to, a } => regs[to as usize] = f(regs[a as usize]),
        Op::Binary { f, to, a, b } => regs[to as usize] = f(regs[a as usize], regs[b as usize]),
        Op::Divide { scalar, remainder, to, a, b } => {
            let divide = if remainder { scalar::remainder } else { scalar::divide };
            match divide(scalar, regs[a as usize], regs[b as usize]) {
                Some(bits) => regs[to as usize] = bits,
                None => return Next::Fault(Fault::DivisionByZero),
            }
            cycles = DIVIDE_CYCLES;
        }
        Op::Jump { at } => {
            *pc = at as usize;
            return Next::Continue(1);
        }
        Op::JumpIf { condition, at } if regs[condition as usize] != 0 => {
            *pc = at as usize;
            return Next::Continue(1);
        }
        Op::JumpUnless { condition, at } if regs[condition as usize] == 0 => {
            *pc = at as usize;
            return Next::Continue(1);
        }
        Op::JumpIf { .. } | Op::JumpUnless { .. } => {}
        Op::Fail { code, value } => return Next::Fault(Fault::Failed { code, value: regs[value as usize] }),
        _ => return Next::Outside,
    }
    *pc += 1;
    Next::Continue(cycles)
}
