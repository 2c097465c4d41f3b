//! From GraphIR to code: the inputs of operators.

use gw_ir::analysis::priority::change;
use gw_ir::expr::FunctionRef;
use gw_ir::operator::{EdgeSetIterator, Operator, VertexFilter};
use gw_schedule::PriorityChange;

use super::compile::{Compiler, malformed};
use super::{Arg, EdgeInputs, InputKind, OperatorInputs, SelectionInput};
use crate::error::Result;

impl<'m> Compiler<'m> {
    pub(super) fn operator(&self, operator: &'m Operator) -> Result<Box<OperatorInputs>> {
        let id = self.sites.operator(operator).ok_or_else(|| malformed("an operator outside of the module"))?;
        let kind = match operator {
            Operator::EdgeSetIterator(edges) => InputKind::Edges(self.edges(edges)?),
            Operator::UpdatePriorityEdgeSetIterator(u) => {
                InputKind::PriorityEdges(self.edges(&u.edges)?, self.obj(&u.queue)?)
            }
            Operator::OrderedProcessing(o) => {
                InputKind::Ordered(self.edges(&o.edges)?, self.obj(&o.queue)?, self.num(&o.condition)?)
            }
            Operator::VertexSetIterator(v) => InputKind::Vertices(self.obj(&v.set)?, self.captures(&v.apply)?),
            Operator::VertexSetFilter(v) => InputKind::Vertices(self.obj(&v.set)?, self.captures(&v.filter)?),
            Operator::VertexSetDedup(d) => InputKind::Dedup(self.obj(&d.set)?),
            Operator::UpdatePriorityExtern(u) => {
                InputKind::PriorityExtern(self.obj(&u.set)?, self.captures(&u.function)?, self.obj(&u.queue)?)
            }
            Operator::UpdateBuckets(u) => InputKind::UpdateBuckets(self.obj(&u.modified)?, self.obj(&u.queue)?),
        };
        Ok(Box::new(OperatorInputs { id, kind }))
    }

    fn edges(&self, edges: &'m EdgeSetIterator) -> Result<EdgeInputs> {
        Ok(EdgeInputs {
            graph: self.obj(&edges.graph)?,
            from: self.selection(&edges.from)?,
            to: self.selection(&edges.to)?,
            captures: self.captures(&edges.apply)?,
            lowers_by_weight: edges.meta.is_weighted
                && change(self.module, &edges.apply.name) == Some(PriorityChange::Min),
        })
    }

    fn selection(&self, filter: &'m VertexFilter) -> Result<SelectionInput> {
        Ok(match filter {
            VertexFilter::All => SelectionInput::All,
            VertexFilter::Set(set) => SelectionInput::Set(self.obj(set)?),
            VertexFilter::Function(function) => SelectionInput::Function(self.captures(function)?),
        })
    }

    fn captures(&self, function: &'m FunctionRef) -> Result<Vec<Arg>> {
        self.function(function)?;
        self.args(&function.captures)
    }
}
