//! Building a task program: functions, the objects they touch and the parameters of a run.

use std::collections::{BTreeMap, HashMap};

use gw_exec::scalar;
use gw_ir::expr::{BinaryOp, ReduceOp};
use gw_ir::module::Module;
use gw_ir::source::Name;
use gw_ir::types::{Scalar, Type};

use crate::sim::code::{Code, Function, FunctionId, ObjectId, Op, Reg};

/// Why something cannot become tasks; it runs on the reference machine then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unsupported(pub String);

/// Shorthand.
pub type Built<T> = Result<T, Unsupported>;

/// A graph as the code names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum GraphRef {
    /// The graph of the operator.
    Own,
    /// A variable of the program.
    Named(Name),
}

/// An object that is bound to memory when a run begins.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ObjectRef {
    /// A vector: a global, or a local of the host in a loop.
    Vector(Name),
    /// Capture number `.1` of function `.0` (0 apply, 1 from, 2 to) of the operator, a vector.
    Capture(u8, u8),
    /// The priorities of a queue.
    Priorities(Name),
    /// A global scalar that tasks write.
    Scalar(Name),
    /// Partial results of a global scalar, a line per core.
    Partial(Name, ReduceOp),
    /// Where the edges of each vertex begin.
    Offsets(GraphRef),
    /// The destinations of the edges.
    Targets(GraphRef),
    /// The sources of the edges.
    Sources(GraphRef),
    /// The weights of the edges, read as this type.
    Weights(GraphRef, Scalar),
    /// The members of the input set.
    Members,
    /// Whether a vertex is in the `to` set.
    ToSet,
    /// What was last noted about each vertex; zeros when a run begins.
    Notes,
    /// Which rounds have begun; zeros when a run begins.
    Rounds,
}

/// A number that is known when a run begins.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ParamRef {
    /// A scalar of the program that no task writes.
    Scalar(Name),
    /// A capture, as in [`ObjectRef::Capture`].
    Capture(u8, u8),
    /// The vertices of an element.
    Vertices(Name),
    /// The bucket that the queue is at.
    CurrentBucket(Name),
    /// The bucket width of a queue.
    Delta(Name),
    /// Entries of a row of a vector.
    Row(ObjectRef),
    /// Cores of the machine.
    Cores,
}

/// A task program in the making.
pub struct Build<'m> {
    /// The module.
    pub module: &'m Module,
    /// Functions so far.
    pub code: Code,
    /// What object numbers stand for.
    pub objects: Vec<ObjectRef>,
    /// What parameter numbers stand for.
    pub params: Vec<ParamRef>,
    /// Global scalars that tasks only reduce into.
    pub reductions: Vec<(Name, ReduceOp)>,
    /// Global scalars that tasks write otherwise.
    pub written: Vec<Name>,
    /// Scalars that tasks carry along, by their registers in the function that is being written.
    pub carried: HashMap<Name, Reg>,
}

impl<'m> Build<'m> {
    /// Nothing yet.
    pub fn new(module: &'m Module) -> Build<'m> {
        let (code, objects, params) = (Code::default(), Vec::new(), Vec::new());
        Build { module, code, objects, params, reductions: Vec::new(), written: Vec::new(), carried: HashMap::new() }
    }

    /// The number of an object.
    pub fn object(&mut self, object: ObjectRef) -> ObjectId {
        let at = self.objects.iter().position(|known| *known == object);
        at.unwrap_or_else(|| {
            self.objects.push(object);
            self.objects.len() - 1
        }) as ObjectId
    }

    /// Reserves a number for a function that is written later.
    pub fn reserve(&mut self) -> FunctionId {
        self.code.functions.push(Function::default());
        (self.code.functions.len() - 1) as FunctionId
    }

    /// Writes a reserved function.
    pub fn define(&mut self, id: FunctionId, name: &str, body: Ops) {
        let Ops { mut ops, words, next } = body;
        ops.push(Op::End);
        let name = name.to_string();
        self.code.functions[id as usize] = Function { name, ops, words, registers: next as usize };
    }
}

/// The operations of a function in the making.
#[derive(Debug, Clone)]
pub struct Ops {
    ops: Vec<Op>,
    words: BTreeMap<usize, String>,
    next: Reg,
}

impl Ops {
    /// A function whose first registers are its arguments.
    pub fn with_args(args: usize) -> Ops {
        Ops { ops: Vec::new(), words: BTreeMap::new(), next: args as Reg }
    }

    /// A register that nobody uses.
    pub fn reg(&mut self) -> Reg {
        self.next += 1;
        self.next - 1
    }

    /// Appends an operation.
    pub fn push(&mut self, op: Op) {
        self.ops.push(op);
    }

    /// A register with a constant.
    pub fn constant(&mut self, bits: u64) -> Reg {
        let to = self.reg();
        self.push(Op::Const { to, bits });
        to
    }

    /// A copy in a new register.
    pub fn copy(&mut self, from: Reg) -> Reg {
        let to = self.reg();
        self.push(Op::Copy { to, from });
        to
    }

    /// `f(a)` in a new register; the word is for listings.
    pub fn unary(&mut self, f: scalar::Unary, word: impl Into<String>, a: Reg) -> Reg {
        let to = self.reg();
        self.words.insert(self.ops.len(), word.into());
        self.push(Op::Unary { f, to, a });
        to
    }

    /// `f(a, b)` in a new register; the word is for listings.
    pub fn apply(&mut self, f: scalar::Binary, word: impl Into<String>, a: Reg, b: Reg) -> Reg {
        let to = self.reg();
        self.apply_to(to, f, word, a, b);
        to
    }

    /// `to = f(a, b)`.
    pub fn apply_to(&mut self, to: Reg, f: scalar::Binary, word: impl Into<String>, a: Reg, b: Reg) {
        self.words.insert(self.ops.len(), word.into());
        self.push(Op::Binary { f, to, a, b });
    }

    /// `a / b` or its remainder.
    pub fn divide(&mut self, scalar: Scalar, remainder: bool, a: Reg, b: Reg) -> Reg {
        let to = self.reg();
        self.push(Op::Divide { scalar, remainder, to, a, b });
        to
    }

    /// `a op b` on a scalar.
    pub fn binary(&mut self, op: BinaryOp, scalar: Scalar, a: Reg, b: Reg) -> Built<Reg> {
        match (op, scalar::binary(op, scalar)) {
            (BinaryOp::Div, _) => Ok(self.divide(scalar, false, a, b)),
            (_, Some(f)) => Ok(self.apply(f, format!("{} {}", op.symbol(), scalar.keyword()), a, b)),
            (_, None) => Err(Unsupported(format!("`{}` on {}", op.symbol(), scalar.keyword()))),
        }
    }

    /// `a op b` on 64-bit numbers: counters and positions.
    pub fn count(&mut self, op: BinaryOp, a: Reg, b: Reg) -> Reg {
        match scalar::binary(op, Scalar::Uint64) {
            Some(f) => self.apply(f, op.symbol(), a, b),
            None => self.divide(Scalar::Uint64, false, a, b),
        }
    }

    /// `a op number` on 64-bit numbers.
    pub fn count_by(&mut self, op: BinaryOp, a: Reg, number: u64) -> Reg {
        let number = self.constant(number);
        self.count(op, a, number)
    }

    /// The timestamp of the task.
    pub fn timestamp(&mut self) -> Reg {
        let to = self.reg();
        self.push(Op::Timestamp { to });
        to
    }

    /// `object[index]`.
    pub fn load(&mut self, object: ObjectId, index: Reg) -> Reg {
        let to = self.reg();
        self.push(Op::Load { object, to, index });
        to
    }

    /// The number of a parameter of the run.
    pub fn param(&mut self, build: &mut Build<'_>, param: ParamRef) -> Reg {
        let at = build.params.iter().position(|known| *known == param).unwrap_or_else(|| {
            build.params.push(param);
            build.params.len() - 1
        });
        let to = self.reg();
        self.push(Op::Param { to, index: at as u16 });
        to
    }

    /// A jump whose goal is set by [`Ops::land`]; `None` jumps always, else if the register is not zero or, with false,
    /// if it is.
    pub fn jump(&mut self, condition: Option<(Reg, bool)>) -> usize {
        self.push(match condition {
            None => Op::Jump { at: 0 },
            Some((condition, true)) => Op::JumpIf { condition, at: 0 },
            Some((condition, false)) => Op::JumpUnless { condition, at: 0 },
        });
        self.ops.len() - 1
    }

    /// A jump goes to here.
    pub fn land(&mut self, jump: usize) {
        let here = self.ops.len() as u32;
        match &mut self.ops[jump] {
            Op::Jump { at } | Op::JumpIf { at, .. } | Op::JumpUnless { at, .. } => *at = here,
            _ => {}
        }
    }

    /// Jumps go to here.
    pub fn land_all(&mut self, jumps: impl IntoIterator<Item = usize>) {
        jumps.into_iter().for_each(|jump| self.land(jump));
    }

    /// The place of the next operation.
    pub fn here(&self) -> u32 {
        self.ops.len() as u32
    }

    /// A loop over `low..high` by `step` on 64-bit numbers; `body` gets the counter.
    pub fn for_range(
        &mut self,
        low: Reg,
        high: Reg,
        step: u64,
        body: impl FnOnce(&mut Ops, Reg) -> Built<()>,
    ) -> Built<()> {
        let (counter, step) = (self.copy(low), self.constant(step));
        let start = self.here();
        let goes_on = self.count(BinaryOp::Lt, counter, high);
        let out = self.jump(Some((goes_on, false)));
        body(self, counter)?;
        self.apply_to(counter, u64::wrapping_add, "+", counter, step);
        self.push(Op::Jump { at: start });
        self.land(out);
        Ok(())
    }

    /// Creates a child; its arguments are copied side by side.
    pub fn enqueue(
        &mut self,
        function: FunctionId,
        timestamp: Reg,
        hint: Option<(ObjectId, Reg)>,
        args: &[Reg],
    ) -> Built<()> {
        if args.len() > crate::sim::code::MAX_ARGS {
            return Err(Unsupported(format!("a task with {} arguments", args.len())));
        }
        let first = self.next;
        for &from in args {
            self.copy(from);
        }
        self.push(Op::Enqueue { function, timestamp, hint, first, count: args.len() as u8 });
        Ok(())
    }
}

/// Which function takes the vertices of a loop, and whose lines are their hints.
#[derive(Debug, Clone)]
pub struct Taker {
    /// The function.
    pub task: FunctionId,
    /// The vector.
    pub hint: Option<ObjectRef>,
}

impl Taker {
    /// Creates the task of a vertex, its first argument.
    pub fn enqueue(&self, build: &mut Build<'_>, ops: &mut Ops, when: Reg, vertex: Reg, further: &[Reg]) -> Built<()> {
        let hint = self.hint.clone().map(|vector| (build.object(vector), vertex));
        ops.enqueue(self.task, when, hint, &[&[vertex], further].concat())
    }
}

/// The scalar with which a type is represented.
pub fn scalar_of(ty: &Type) -> Built<Scalar> {
    ty.scalar().filter(|s| *s != Scalar::String).ok_or_else(|| Unsupported(format!("a value of type {ty} in a task")))
}
