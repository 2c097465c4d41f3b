//! Operators that the first worker carries out for all, since workers cannot share them.
//!
//! The first worker is told what it does not know and runs the operator on all edges or vertices. What it writes is
//! true there alone until another worker asks for it, as with entries that only their owner writes: here one worker
//! owns all. Global scalars and sets are told at once. The others need not wait where there are none.

use std::sync::Arc;

use gw_exec::{Environment, ErrorKind, OperatorCall, OperatorId, OperatorOutcome, Result, VertexSet};

use crate::bound::bound;
use crate::cut::Cut;
use crate::executable::FlowExecutable;
use crate::plan::Write;
use crate::scalars::Scalars;
use crate::session::Session;
use crate::sets::{read_union, write_set};

impl FlowExecutable {
    /// Runs an operator on the first worker; the others hear of it. `sizes` are those of the input and of the graph.
    pub(crate) fn run_on_one(
        &mut self,
        id: usize,
        (input_size, vertices): (usize, usize),
        call: OperatorCall<'_>,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        let plan = self.operators[id].plan.clone();
        let yields = self.operators[id].yields;
        let workers = self.running()?.peers();
        let mut vectors = Vec::new();
        for (vector, plan) in bound(&plan, &call, env)? {
            let too_long = || ErrorKind::Unsupported("workers exchange vectors of fewer than 2^32 entries".to_string());
            let cut = Arc::new(Cut::for_one(vector.len(), workers).ok_or_else(too_long)?);
            vectors.push((vector, cut, plan.write != Write::Nothing));
        }
        // 1. What others know better.
        let elsewhere = vectors.iter().filter(|(vector, cut, _)| self.truth.is_cut_otherwise(vector, cut));
        let elsewhere: Vec<_> = elsewhere.map(|(vector, ..)| vector.clone()).collect();
        self.fetch(elsewhere.iter())?;
        self.truth.forget_unreachable();
        // 2. The operator.
        let own = self.running()?.index();
        let scalars = Scalars::begin(&plan, own, env)?;
        let local = match own {
            0 => self.local.run_operator(OperatorId(id), call, env),
            _ => Ok(OperatorOutcome::default()),
        };
        self.running()?.check()?;
        let local = local?;
        for (vector, cut, _) in vectors.iter().filter(|(.., is_written)| *is_written) {
            self.truth.is_true_in_part(vector, cut, None);
        }
        let mut outcome = OperatorOutcome { input_size: Some(input_size as u64), ..OperatorOutcome::default() };
        if !plan.has_news() && !yields {
            return Ok(outcome);
        }
        // 3. What everybody must know.
        let mut message = scalars.messages(1, local.edges.unwrap_or(0), env).swap_remove(0);
        if yields {
            write_set(&mut message, &local.output.unwrap_or_else(VertexSet::empty), vertices)?;
        }
        let session = self.running()?;
        let messages = session.broadcast(message)?;
        let mut readers = Session::readers(&messages);
        outcome.edges = Some(scalars.read(&mut readers, env)?);
        if yields {
            let set = read_union(&mut readers, vertices);
            let set = set.ok_or_else(|| ErrorKind::Machine("a damaged message arrived".to_string()))?;
            outcome.output_size = Some(set.len()? as u64);
            outcome.output = Some(set);
        }
        session.intact(&readers)?;
        Ok(outcome)
    }
}
