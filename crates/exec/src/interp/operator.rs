//! Handing operators to the machine: evaluated inputs in, outcome and step record out.

use std::time::Instant;

use super::{Interp, TICKS};
use crate::call::{EdgeCall, OperatorCall, OperatorOutcome, Selection, VertexCall};
use crate::code::{Arg, EdgeInputs, InputKind, Num, Obj, OperatorInputs, SelectionInput};
use crate::env::Environment;
use crate::error::{ErrorKind, Result};
use crate::observe::StepRecord;
use crate::queue::Queue;
use crate::sites::OperatorId;
use crate::value::Value;
use crate::vm::Executable;

impl<'a> Interp<'a> {
    pub(super) fn operator(&mut self, inputs: &'a OperatorInputs) -> Result<Value> {
        self.env.stop.check()?;
        let call = self.inputs(&inputs.kind)?;
        let start = Instant::now();
        self.env.depth += 1;
        // Other operators do not count: passes add some and make one of several.
        self.env.calls += u64::from(self.code.operators[inputs.id.0].draws);
        let draws = self.env.draws;
        let outcome = match call {
            Inputs::Call(call) => self.machine.run_operator(inputs.id, call, self.env),
            Inputs::Ordered(edges, queue, condition) => self.ordered(inputs.id, edges, queue, condition),
        };
        self.env.draws = draws;
        self.env.depth -= 1;
        let outcome = outcome?;
        self.env.visited = outcome.edges;
        let choosing = std::mem::take(&mut self.env.choosing);
        let seconds = choosing + outcome.seconds.unwrap_or_else(|| start.elapsed().as_secs_f64());
        let (info, variant) = (&self.code.operators[inputs.id.0], self.env.variant);
        self.env.report(|| StepRecord {
            step: 0,
            operator: info.name,
            path: info.site.path.to_string(),
            function: info.site.function.as_ref().map(ToString::to_string),
            input: outcome.input_size,
            output: outcome.output_size,
            edges: outcome.edges,
            told: outcome.told,
            schedule: info.schedule.clone(),
            variant,
            seconds,
        });
        Ok(outcome.output.map_or(Value::Nothing, Value::Set))
    }

    fn inputs(&mut self, inputs: &'a InputKind) -> Result<Inputs<'a>> {
        Ok(Inputs::Call(match inputs {
            InputKind::Edges(edges) => OperatorCall::Edges(self.edge_call(edges)?),
            InputKind::PriorityEdges(edges, queue) => {
                OperatorCall::PriorityEdges { edges: self.edge_call(edges)?, queue: self.queue(queue)? }
            }
            InputKind::Ordered(edges, queue, condition) => {
                return Ok(Inputs::Ordered(self.edge_call(edges)?, self.queue(queue)?, condition));
            }
            InputKind::Vertices(set, captures) => OperatorCall::Vertices(self.vertex_call(set, captures)?),
            InputKind::Dedup(set) => OperatorCall::Dedup { set: self.set(set)? },
            InputKind::UpdateBuckets(set, queue) => {
                OperatorCall::UpdateBuckets { set: self.set(set)?, queue: self.queue(queue)? }
            }
            InputKind::PriorityExtern(set, captures, queue) => {
                OperatorCall::PriorityExtern { vertices: self.vertex_call(set, captures)?, queue: self.queue(queue)? }
            }
        }))
    }

    fn edge_call(&mut self, inputs: &'a EdgeInputs) -> Result<EdgeCall> {
        let graph = self.graph(&inputs.graph)?;
        if inputs.lowers_by_weight
            && let Some(weight) = graph.least_weight().filter(|&weight| weight < 0.0)
        {
            return Err(ErrorKind::NegativeWeight { weight }.into());
        }
        Ok(EdgeCall {
            graph,
            from: self.selection(&inputs.from)?,
            to: self.selection(&inputs.to)?,
            captures: self.values(&inputs.captures)?,
        })
    }

    fn vertex_call(&mut self, set: &'a Obj, captures: &'a [Arg]) -> Result<VertexCall> {
        Ok(VertexCall { set: self.set(set)?, captures: self.values(captures)? })
    }

    fn selection(&mut self, input: &'a SelectionInput) -> Result<Selection> {
        Ok(match input {
            SelectionInput::All => Selection::All,
            SelectionInput::Set(set) => Selection::Set(self.set(set)?),
            SelectionInput::Function(captures) => Selection::Function(self.values(captures)?),
        })
    }

    /// Runs an ordered loop: the machine calls back for the condition, which is evaluated in this frame.
    fn ordered(
        &mut self,
        operator: OperatorId,
        edges: EdgeCall,
        queue: Queue,
        condition: &'a Num,
    ) -> Result<OperatorOutcome> {
        let mut frames = std::mem::take(&mut self.frames);
        let (code, function) = (self.code, self.function);
        let mut holds = |machine: &mut dyn Executable, env: &mut Environment| {
            let mut host = Interp {
                code,
                env,
                machine,
                frames: std::mem::take(&mut frames),
                function,
                ticks: TICKS,
                tracked: None,
                out: Vec::new(),
                trace: None,
            };
            let bits = host.num(condition);
            frames = std::mem::take(&mut host.frames);
            bits.map(|bits| bits != 0)
        };
        let call = OperatorCall::Ordered { edges, queue, condition: &mut holds };
        let outcome = self.machine.run_operator(operator, call, self.env);
        self.frames = frames;
        outcome
    }

    fn values(&mut self, args: &'a [Arg]) -> Result<Vec<Value>> {
        args.iter().map(|arg| self.arg(arg)).collect()
    }
}

/// The evaluated inputs of an operator. The condition of an ordered loop stays code, since it is evaluated in every
/// round.
enum Inputs<'a> {
    Call(OperatorCall<'static>),
    Ordered(EdgeCall, Queue, &'a Num),
}
