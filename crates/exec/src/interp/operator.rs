//! Handing operators to the machine: evaluated inputs in, outcome and step record out.

use std::time::Instant;

use super::{Interp, TICKS};
use crate::code::{Arg, Num, Obj, OperatorInputs};
use crate::env::Environment;
use crate::error::{ErrorKind, Result};
use crate::observe::StepRecord;
use crate::set::VertexSet;
use crate::value::Value;
use crate::vm::{Executable, OperatorCall, OperatorOutcome};

impl<'a> Interp<'a> {
    pub(super) fn operator(&mut self, inputs: &'a OperatorInputs) -> Result<Value> {
        self.env.stop.check()?;
        let call = self.inputs(inputs)?;
        let start = Instant::now();
        self.env.depth += 1;
        // Other operators do not count: passes add some and make one of several.
        self.env.calls += u64::from(self.code.operators[inputs.id.0].draws);
        let draws = self.env.draws;
        let outcome = match &inputs.condition {
            None => self.machine.run_operator(inputs.id, call, self.env),
            Some(condition) => self.ordered(inputs, condition),
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
            schedule: info.schedule.clone(),
            variant,
            seconds,
        });
        Ok(outcome.output.map_or(Value::Nothing, Value::Set))
    }

    fn inputs<'c>(&mut self, inputs: &'a OperatorInputs) -> Result<OperatorCall<'c>> {
        let graph = inputs.graph.as_ref().map(|e| self.graph(e)).transpose()?;
        if inputs.lowers_by_weight
            && let Some(weight) = graph.as_ref().and_then(|g| g.least_weight()).filter(|&weight| weight < 0.0)
        {
            return Err(ErrorKind::NegativeWeight { weight }.into());
        }
        Ok(OperatorCall {
            graph,
            from: self.input_set(&inputs.from)?,
            to: self.input_set(&inputs.to)?,
            set: self.input_set(&inputs.set)?,
            captures: self.values(&inputs.captures)?,
            from_captures: self.values(&inputs.from_captures)?,
            to_captures: self.values(&inputs.to_captures)?,
            queue: inputs.queue.as_ref().map(|e| self.queue(e)).transpose()?,
            condition: None,
        })
    }

    /// Runs an ordered loop: the machine calls back for the condition, which is evaluated in this frame.
    fn ordered(&mut self, inputs: &'a OperatorInputs, condition: &'a Num) -> Result<OperatorOutcome> {
        let mut call = self.inputs(inputs)?;
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
            };
            let bits = host.num(condition);
            frames = std::mem::take(&mut host.frames);
            bits.map(|bits| bits != 0)
        };
        call.condition = Some(&mut holds);
        let outcome = self.machine.run_operator(inputs.id, call, self.env);
        self.frames = frames;
        outcome
    }

    fn input_set(&mut self, e: &'a Option<Obj>) -> Result<Option<VertexSet>> {
        e.as_ref().map(|e| self.set(e)).transpose()
    }

    fn values(&mut self, args: &'a [Arg]) -> Result<Vec<Value>> {
        args.iter().map(|arg| self.arg(arg)).collect()
    }
}
