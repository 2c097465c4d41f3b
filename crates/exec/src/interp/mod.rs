//! The interpreter: runs code on the host, and the functions of operators for the reference machine.

mod checkpointed;
mod expr;
mod groups;
mod object;
mod operator;
mod stmt;

use gw_graph::Graph;
use gw_ir::types::Type;
use std::sync::Arc;
use stmt::Old;

use crate::code::{Arg, Call, Code, Function, Place, Var};
use crate::env::{Environment, Slot};
use crate::error::{ErrorKind, Result};
use crate::list::List;
use crate::queue::Queue;
use crate::set::VertexSet;
use crate::trace::{Trace, TraceAccess};
use crate::value::Value;
use crate::vector::{Vector, VectorId};
use crate::vm::{Executable, Locals};

/// How deep functions may call each other.
const MAX_DEPTH: usize = 256;
/// Statements and edges between two looks at the stop flag.
const TICKS: u32 = 4096;

/// A run of some code: frames on two stacks, the environment, and the machine for operators.
pub(crate) struct Interp<'a> {
    code: &'a Code,
    pub(crate) env: &'a mut Environment,
    pub(crate) machine: &'a mut dyn Executable,
    frames: Frames,
    function: &'a Function,
    ticks: u32,
    /// Writes to this vector are collected in `out`.
    tracked: Option<Tracked>,
    /// The output of the operator being interpreted: modified, accepted or enqueued vertices.
    pub(crate) out: Vec<u32>,
    /// Who is told of every access, when somebody is.
    pub(crate) trace: Option<&'a mut dyn Trace>,
}

/// The stacks of registers and objects, and where the running frame begins on each.
#[derive(Default)]
struct Frames {
    registers: Vec<u64>,
    objects: Vec<Value>,
    base: usize,
    object_base: usize,
}

#[derive(Clone, Copy)]
struct Tracked {
    vector: VectorId,
    stride: usize,
}

/// A frame that stays on the stack while its function is called again and again.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub(crate) function: &'a Function,
    base: usize,
    object_base: usize,
}

impl<'a> Interp<'a> {
    pub(crate) fn new(code: &'a Code, env: &'a mut Environment, machine: &'a mut dyn Executable) -> Self {
        Interp {
            code,
            env,
            machine,
            frames: Frames::default(),
            function: &code.startup,
            ticks: TICKS,
            tracked: None,
            out: Vec::new(),
            trace: None,
        }
    }

    /// Runs a function with these arguments, which must fit its parameters.
    pub(crate) fn run_function(
        &mut self,
        function: &'a Function,
        captures: Vec<Value>,
        args: Vec<Value>,
    ) -> Result<Value> {
        let frame = self.enter(function, captures)?;
        for (slot, arg) in function.params.iter().zip(args) {
            self.store_value(frame, *slot, arg);
        }
        let outcome = self.run_frame(frame);
        let result = match (&outcome, function.result) {
            (Ok(bits), Some(Slot::Scalar(_, scalar))) => Value::from_bits(scalar, *bits),
            (Ok(_), Some(Slot::Object(slot))) => self.frames.objects[frame.object_base + slot as usize].clone(),
            _ => Value::Nothing,
        };
        self.leave(frame);
        outcome.map(|_| result)
    }

    /// Pushes a frame with the captures bound and everything else zero.
    pub(crate) fn enter(&mut self, function: &'a Function, captures: Vec<Value>) -> Result<Frame<'a>> {
        let (base, object_base) = (self.frames.registers.len(), self.frames.objects.len());
        self.frames.registers.resize(base + function.scalars as usize, 0);
        self.frames.objects.resize(object_base + function.objects as usize, Value::Nothing);
        let frame = Frame { function, base, object_base };
        for (slot, value) in function.captures.iter().zip(captures) {
            self.store_value(frame, *slot, value);
        }
        Ok(frame)
    }

    /// Pops a frame, which must be the last one entered.
    pub(crate) fn leave(&mut self, frame: Frame<'a>) {
        self.frames.registers.truncate(frame.base);
        self.frames.objects.truncate(frame.object_base);
    }

    fn store_value(&mut self, frame: Frame<'a>, slot: Slot, value: Value) {
        match slot {
            Slot::Scalar(slot, _) => self.frames.registers[frame.base + slot as usize] = value.bits().unwrap_or(0),
            Slot::Object(slot) => self.frames.objects[frame.object_base + slot as usize] = value,
        }
    }

    /// Sets a scalar parameter of a frame.
    #[inline(always)]
    pub(crate) fn set_param(&mut self, frame: Frame<'a>, slot: u32, bits: u64) {
        self.frames.registers[frame.base + slot as usize] = bits;
    }

    /// Sets an object parameter of a frame.
    pub(crate) fn set_object(&mut self, frame: Frame<'a>, slot: u32, value: Value) {
        self.frames.objects[frame.object_base + slot as usize] = value;
    }

    /// The value of a variable as the function of a frame sees it: its own or a global.
    pub(crate) fn seen_by(&self, frame: Frame<'a>, name: &str) -> Option<Value> {
        match frame.function.slots.get(name) {
            Some(slot) => Some(self.value_of(frame, *slot)),
            None => self.env.global(name),
        }
    }

    /// Runs the body of a frame. The register result, or 0.
    #[inline]
    pub(crate) fn run_frame(&mut self, frame: Frame<'a>) -> Result<u64> {
        let function = frame.function;
        let caller = (self.frames.base, self.frames.object_base, self.function);
        (self.frames.base, self.frames.object_base, self.function) = (frame.base, frame.object_base, function);
        let result = match (&function.body, function.result) {
            (Some(body), Some(Slot::Scalar(slot, _))) => {
                self.frames.registers[frame.base + slot as usize] = 0;
                self.block(body).map(|_| self.frames.registers[frame.base + slot as usize])
            }
            (Some(body), Some(Slot::Object(slot))) => self.object_result(body, slot),
            (Some(body), None) => self.block(body).map(|_| 0),
            (None, _) => self.run_extern(frame),
        };
        (self.frames.base, self.frames.object_base, self.function) = caller;
        result
    }

    /// A result that is an object starts as what a fresh variable of its type holds, where that is known.
    fn object_result(&mut self, body: &'a [crate::code::Line], slot: u32) -> Result<u64> {
        let fresh = self.default_value(&self.function.result_type).unwrap_or_default();
        let at = self.frames.object_base + slot as usize;
        self.frames.objects[at] = fresh;
        self.block(body).map(|_| 0)
    }

    fn run_extern(&mut self, frame: Frame<'a>) -> Result<u64> {
        let function = frame.function;
        let args: Vec<Value> = function.params.iter().map(|slot| self.value_of(frame, *slot)).collect();
        // The closure may look at and change any vector that it can reach.
        let mut watched = Vec::new();
        args.iter().chain(&self.env.objects).for_each(|value| value.collect_watched(&mut watched));
        watched.iter().try_for_each(|vector| self.machine.host_will_write(vector))?;
        let result = self.env.call_extern(&function.name, || function.signature.clone(), &args)?;
        if !result.fits(&function.result_type) {
            let message = format!("it returned {}, but `{}` is declared", result.kind(), function.signature);
            return Err(ErrorKind::Extern { name: function.name.to_string(), message }.into());
        }
        if let Some(slot) = function.result {
            self.store_value(frame, slot, result.clone());
        }
        Ok(result.bits().unwrap_or(0))
    }

    fn value_of(&self, frame: Frame<'a>, slot: Slot) -> Value {
        match slot {
            Slot::Scalar(slot, scalar) => Value::from_bits(scalar, self.frames.registers[frame.base + slot as usize]),
            Slot::Object(slot) => self.frames.objects[frame.object_base + slot as usize].clone(),
        }
    }

    /// Calls a function: the frame is laid out first, then the arguments are evaluated straight into it.
    fn call(&mut self, call: &'a Call) -> Result<(u64, Value)> {
        if self.env.depth >= MAX_DEPTH {
            return Err(ErrorKind::Recursion { limit: MAX_DEPTH }.into());
        }
        let function = &self.code.functions[call.function];
        let frame = self.enter(function, Vec::new())?;
        self.env.depth += 1;
        let outcome = self.call_in(frame, call);
        self.env.depth -= 1;
        let object = match (&outcome, function.result) {
            (Ok(_), Some(Slot::Object(slot))) => {
                std::mem::take(&mut self.frames.objects[frame.object_base + slot as usize])
            }
            _ => Value::Nothing,
        };
        self.leave(frame);
        outcome.map(|bits| (bits, object))
    }

    fn call_in(&mut self, frame: Frame<'a>, call: &'a Call) -> Result<u64> {
        let slots = frame.function.captures.iter().chain(&frame.function.params);
        for (slot, arg) in slots.zip(call.captures.iter().chain(&call.args)) {
            match (slot, arg) {
                (Slot::Scalar(slot, _), Arg::Num(_, e)) => {
                    let bits = self.num(e)?;
                    self.frames.registers[frame.base + *slot as usize] = bits;
                }
                (Slot::Object(slot), Arg::Obj(e)) => {
                    let value = self.obj(e)?;
                    self.frames.objects[frame.object_base + *slot as usize] = value;
                }
                _ => return Err(ErrorKind::Malformed("an argument does not fit its parameter".into()).into()),
            }
        }
        self.run_frame(frame)
    }

    /// Collects the indices of entries written to `vector` from now on.
    pub(crate) fn track(&mut self, vector: &Vector) {
        self.tracked = Some(Tracked { vector: vector.id(), stride: vector.stride().max(1) });
    }

    /// Called for every write to a vector, with its position in the storage.
    #[inline(always)]
    fn note_write(&mut self, vector: VectorId, cell: usize) {
        if let Some(tracked) = self.tracked
            && tracked.vector == vector
        {
            self.out.push((cell / tracked.stride) as u32);
        }
    }

    /// Tells the trace of an access, where there is one; `cell` counts from the start of the storage.
    #[inline(always)]
    fn tell(&mut self, vector: VectorId, cell: usize, bytes: usize, kind: TraceAccess) {
        if let Some(trace) = &mut self.trace {
            trace.access(vector, cell, bytes, kind);
        }
    }

    /// Looks at the stop flag now and then; called once per statement and edge.
    #[inline(always)]
    pub(crate) fn tick(&mut self) -> Result<()> {
        self.ticks -= 1;
        if self.ticks == 0 {
            self.ticks = TICKS;
            return self.env.stop.check();
        }
        Ok(())
    }

    /// A variable's value.
    #[inline(always)]
    fn var(&self, var: Var) -> &Value {
        match var {
            Var::Local(slot) => &self.frames.objects[self.frames.object_base + slot as usize],
            Var::Global(slot) => &self.env.objects[slot as usize],
        }
    }

    fn set_var(&mut self, var: Var, value: Value) {
        match var {
            Var::Local(slot) => self.frames.objects[self.frames.object_base + slot as usize] = value,
            Var::Global(slot) => self.env.objects[slot as usize] = value,
        }
    }

    fn var_name(&self, var: Var) -> String {
        let name = match var {
            Var::Local(slot) => self.function.object_names.get(slot as usize),
            Var::Global(slot) => {
                let mut globals = self.code.globals.names.iter();
                globals.find(|(_, _, s)| *s == Slot::Object(slot)).map(|(name, _, _)| name)
            }
        };
        name.map_or_else(|| "?".to_string(), ToString::to_string)
    }

    #[cold]
    fn unset(&self, var: Var) -> crate::error::ExecError {
        ErrorKind::Unset { name: self.var_name(var) }.into()
    }

    /// A vector variable.
    #[inline(always)]
    fn vector_var(&self, var: Var) -> Result<&Vector> {
        match self.var(var) {
            Value::Vector(vector) => Ok(vector),
            _ => Err(self.unset(var)),
        }
    }

    #[cold]
    fn index_error(&self, place: Var, index: u64, len: usize) -> crate::error::ExecError {
        let vector = self.var_name(place);
        ErrorKind::IndexOutOfRange { index: i64::from(index as u32 as i32), len, vector }.into()
    }

    /// Evaluates the indices of a place: the vector it lies in (a row when not all levels are indexed) and the cell.
    fn locate(&mut self, place: &'a Place) -> Result<(Vector, usize)> {
        let mut indices = [0u64; crate::code::MAX_NESTING];
        for (index, e) in indices.iter_mut().zip(&place.indices) {
            *index = self.num(e)?;
        }
        self.locate_at(place, &indices[..place.indices.len()])
    }

    /// The same with the indices evaluated.
    fn locate_at(&self, place: &Place, indices: &[u64]) -> Result<(Vector, usize)> {
        let mut vector = self.vector_var(place.vector)?.clone();
        let levels = indices.len();
        for (level, &index) in indices.iter().enumerate() {
            let len = vector.len();
            // A negative index has its top bit set and so is too large.
            if index >= len as u64 {
                return Err(self.index_error(place.vector, index, len));
            }
            if level + 1 == levels && vector.dims().len() == 1 {
                return Ok((vector, index as usize));
            }
            vector = vector.row(index as usize);
        }
        Ok((vector, 0))
    }

    /// A cell of a variable that is watched or not filled yet; apart, so that the way to plain vectors stays short.
    #[cold]
    #[inline(never)]
    fn entry(&mut self, var: Var, cell: usize) -> Result<u64> {
        let vector = self.vector_var(var)?.clone();
        self.element(&vector, cell)
    }

    /// A cell of a vector in any state.
    fn element(&mut self, vector: &Vector, cell: usize) -> Result<u64> {
        if vector.is_watched() {
            if let Some(value) = self.machine.host_element(vector, cell) {
                return Ok(value?.bits().unwrap_or(0));
            }
            self.machine.host_will_read(vector)?;
        }
        self.tell(vector.id(), vector.storage_cell(cell), vector.cell_bytes(), TraceAccess::Read);
        Ok(vector.touched().load(cell))
    }

    /// Rewrites one cell of a vector that is watched, not filled yet, or a row; true when something was stored.
    #[inline(never)]
    fn rewrite_element(
        &mut self,
        vector: &Vector,
        cell: usize,
        old: Old,
        new: impl FnOnce(u64) -> Option<u64>,
    ) -> Result<bool> {
        let read = match old {
            _ if !vector.is_watched() => None,
            Old::Ignored => Some(0),
            Old::Needed => self.machine.host_element(vector, cell).transpose()?.map(|value| value.bits().unwrap_or(0)),
        };
        match read {
            Some(old) => {
                let Some(bits) = new(old) else { return Ok(false) };
                match self.machine.set_host_element(vector, cell, Value::from_bits(vector.scalar(), bits)) {
                    Some(done) => done?,
                    None => {
                        self.machine.host_will_write(vector)?;
                        vector.touched().store(cell, bits);
                    }
                }
            }
            None => {
                self.will_write(vector)?;
                let cells = vector.touched();
                let new = new(cells.load(cell));
                self.tell(vector.id(), vector.storage_cell(cell), vector.cell_bytes(), old.access(new.is_some()));
                let Some(bits) = new else { return Ok(false) };
                cells.store(cell, bits);
            }
        }
        self.note_write(vector.id(), vector.storage_cell(cell));
        Ok(true)
    }

    fn will_read(&mut self, vector: &Vector) -> Result<()> {
        match vector.is_watched() {
            true => self.machine.host_will_read(vector),
            false => Ok(()),
        }
    }

    fn will_write(&mut self, vector: &Vector) -> Result<()> {
        match vector.is_watched() {
            true => self.machine.host_will_write(vector),
            false => Ok(()),
        }
    }

    /// What a variable of this type holds before it is assigned.
    pub(crate) fn default_value(&self, ty: &Type) -> Result<Value> {
        Ok(match ty {
            Type::VertexSet(_) => Value::Set(VertexSet::empty()),
            Type::List(_) => Value::List(List::default()),
            Type::Vector { .. } => self.env.vector(ty, 0).map(Value::Vector).unwrap_or_default(),
            Type::Scalar(gw_ir::types::Scalar::String) => Value::from(""),
            _ => Value::Nothing,
        })
    }
}

/// Typed views of values; the error names the variable.
macro_rules! typed_access {
    ($($name:ident, $variant:ident, $ty:ty;)*) => {
        impl<'a> Interp<'a> {$(
            fn $name(&mut self, e: &'a crate::code::Obj) -> Result<$ty> {
                match self.obj(e)? {
                    Value::$variant(value) => Ok(value),
                    _ => Err(self.not_set(e)),
                }
            }
        )*}
    };
}

typed_access! {
    graph, Graph, Arc<Graph>;
    set, Set, VertexSet;
    vector, Vector, Vector;
    list, List, List;
    queue, Queue, Queue;
    text, Str, Arc<str>;
}

impl<'a> Interp<'a> {
    #[cold]
    fn not_set(&self, e: &crate::code::Obj) -> crate::error::ExecError {
        match e {
            crate::code::Obj::Var(var) => self.unset(*var),
            _ => ErrorKind::Unset { name: "this value".into() }.into(),
        }
    }
}

/// The locals of the running frame, for a machine that claims a statement.
struct FrameLocals<'f> {
    function: &'f Function,
    registers: &'f mut [u64],
    objects: &'f mut [Value],
}

impl Locals for FrameLocals<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        Some(match *self.function.slots.get(name)? {
            Slot::Scalar(slot, scalar) => Value::from_bits(scalar, self.registers[slot as usize]),
            Slot::Object(slot) => self.objects[slot as usize].clone(),
        })
    }

    fn set(&mut self, name: &str, value: Value) -> bool {
        match self.function.slots.get(name) {
            Some(Slot::Scalar(slot, scalar)) if value.scalar() == Some(*scalar) => {
                self.registers[*slot as usize] = value.bits().unwrap_or(0);
                true
            }
            Some(Slot::Object(slot)) if value.bits().is_none() => {
                self.objects[*slot as usize] = value;
                true
            }
            _ => false,
        }
    }
}
