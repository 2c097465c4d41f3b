//! What the executor asks of a module on the device: the contract of machines, part by part.

use std::sync::Arc;

use gw_device::Address;
use gw_exec::{
    AsyncWork, EdgeChange, Environment, Executable, FrontierCosts, Locals, OperatorCall, OperatorId, OperatorOutcome,
    Queue, QueueSpec, QueueState, Reduction, RemoteMemory, Result, Scalar, StatementId, StatementOutcome, Statements,
    Value, Vector, VertexSet,
};
use gw_graph::{AdjacencyId, Graph};

use crate::error::exec_error;
use crate::executable::CudaExecutable;
use crate::kernels::QueueTask;

impl Executable for CudaExecutable {
    fn run_operator(
        &mut self,
        operator: OperatorId,
        call: OperatorCall<'_>,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        self.attend(env);
        let outcome = self.call_operator(operator.0, call, env);
        self.with_reason_of_stop(outcome)
    }

    fn new_queue(&mut self, spec: &QueueSpec, env: &mut Environment) -> Result<Box<dyn QueueState>> {
        self.attend(env);
        let made = self.made_queue(spec);
        self.with_reason_of_stop(made)
    }

    fn dequeue(&mut self, queue: &Queue, env: &mut Environment) -> Result<VertexSet> {
        self.attend(env);
        let set = self.dequeued(queue);
        self.with_reason_of_stop(set)
    }

    fn queue_finished(&mut self, queue: &Queue) -> Result<bool> {
        let finished = self.is_finished(queue);
        self.with_reason_of_stop(finished)
    }

    fn queue_finished_node(&mut self, queue: &Queue, vertex: u32) -> Result<bool> {
        let outcome = self.queue_kernel(QueueTask::FinishedNode, queue, None, vertex as i32);
        self.with_reason_of_stop(outcome.map(|outcome| outcome.flag))
    }

    fn begin_run(&mut self) {
        self.stop = None;
        self.unsettled = 0;
        self.context.device.watch(None, Address::default());
        self.vectors.clear();
        self.launcher.begin_run();
    }
}

impl Statements for CudaExecutable {
    fn claims(&self, statement: StatementId) -> bool {
        self.statements.get(statement.0).is_some_and(Option::is_some)
    }

    fn run_statement(
        &mut self,
        statement: StatementId,
        locals: &mut dyn Locals,
        env: &mut Environment,
    ) -> Result<StatementOutcome> {
        self.attend(env);
        let outcome = self.run_loop(statement.0, locals, env);
        self.with_reason_of_stop(outcome)
    }
}

impl AsyncWork for CudaExecutable {
    fn faults(&mut self) -> Result<()> {
        let settled = self.settle();
        self.with_reason_of_stop(settled)
    }

    fn wait(&mut self) -> Result<()> {
        let waited = self.wait_for_all();
        self.with_reason_of_stop(waited)
    }

    fn finish_run(&mut self) -> Result<()> {
        self.launcher.end_run()?;
        // The results of the last kernel were waited for, and its fault came with them.
        if self.launcher.is_busy() {
            self.wait()?;
        }
        self.launcher.ended_well();
        Ok(())
    }

    fn device_seconds(&mut self) -> Result<Option<f64>> {
        self.launcher.device_seconds().map(Some)
    }
}

impl FrontierCosts for CudaExecutable {
    fn frontier_edges(&mut self, set: &VertexSet, graph: &Arc<Graph>, _enough: Option<u64>) -> Result<u64> {
        let edges = self.edges_of(set, graph);
        self.with_reason_of_stop(edges)
    }

    fn counts_while_making(&self) -> bool {
        true
    }

    fn has_small_steps(&self) -> bool {
        false
    }
}

impl RemoteMemory for CudaExecutable {
    fn reduce(&mut self, reduction: Reduction, vector: &Vector) -> Option<Result<Value>> {
        if vector.is_empty() || vector.cells() == 0 {
            return None;
        }
        if vector.scalar() == Scalar::Bool && matches!(reduction, Reduction::Max | Reduction::Min) {
            return None;
        }
        let value = self.reduce_vector(reduction, vector);
        Some(self.with_reason_of_stop(value))
    }

    fn follow(
        &mut self,
        before: AdjacencyId,
        after: &Arc<Graph>,
        changes: &mut dyn Iterator<Item = EdgeChange>,
    ) -> Result<bool> {
        let followed = self.context.residency.versions.follow(before, after, changes).map_err(exec_error);
        self.with_reason_of_stop(followed)
    }

    fn out_degrees(&mut self, graph: &Arc<Graph>, scalar: Scalar) -> Option<Result<Vector>> {
        let degrees = self.degrees(graph, scalar);
        Some(self.with_reason_of_stop(degrees))
    }

    fn contract(&mut self, graph: &Arc<Graph>, labels: &Vector, weighed: bool) -> Option<Result<Arc<Graph>>> {
        self.launcher.note_work();
        let contracted = self.settle().and_then(|()| self.contracted(graph, labels, weighed)).transpose()?;
        Some(self.with_reason_of_stop(contracted))
    }

    fn ranks(&mut self, vector: &Vector) -> Option<Result<Vector>> {
        self.launcher.note_work();
        let ranks = self.settle().and_then(|()| self.ranked(vector)).transpose()?;
        Some(self.with_reason_of_stop(ranks))
    }

    fn watches_new_vectors(&self) -> bool {
        true
    }

    fn host_element(&mut self, vector: &Vector, cell: usize) -> Option<Result<Value>> {
        let value = self.vectors.get(vector, cell)?;
        let value = self.settle().and(value);
        Some(self.with_reason_of_stop(value))
    }

    fn set_host_element(&mut self, vector: &Vector, cell: usize, value: Value) -> Option<Result<()>> {
        let stored = self.vectors.set(vector, cell, &value)?;
        Some(self.with_reason_of_stop(stored))
    }

    fn host_will_read(&mut self, vector: &Vector) -> Result<()> {
        let fetched = self.settle().and_then(|()| self.vectors.fetch(vector));
        self.with_reason_of_stop(fetched)
    }

    fn host_will_write(&mut self, vector: &Vector) -> Result<()> {
        let fetched = self.settle().and_then(|()| self.vectors.host_writes(vector));
        self.with_reason_of_stop(fetched)
    }
}
