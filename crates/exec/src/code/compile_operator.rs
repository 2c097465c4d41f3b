//! From GraphIR to code: the inputs of operators.

use gw_ir::analysis::priority::change;
use gw_ir::expr::{Expr, FunctionRef};
use gw_ir::operator::{EdgeSetIterator, Operator, VertexFilter};
use gw_schedule::PriorityChange;

use super::compile::{Compiler, malformed};
use super::{Arg, Obj, OperatorInputs};
use crate::error::Result;

impl<'m> Compiler<'m> {
    pub(super) fn operator(&self, operator: &'m Operator) -> Result<Box<OperatorInputs>> {
        let id = self.sites.operator(operator).ok_or_else(|| malformed("an operator outside of the module"))?;
        let mut inputs = OperatorInputs {
            id,
            graph: None,
            from: None,
            to: None,
            set: None,
            captures: Vec::new(),
            from_captures: Vec::new(),
            to_captures: Vec::new(),
            queue: None,
            condition: None,
            lowers_by_weight: false,
        };
        match operator {
            Operator::EdgeSetIterator(edges) => self.edges(&mut inputs, edges)?,
            Operator::UpdatePriorityEdgeSetIterator(u) => {
                inputs.queue = self.input(&u.queue)?;
                self.edges(&mut inputs, &u.edges)?;
            }
            Operator::OrderedProcessing(o) => {
                inputs.queue = self.input(&o.queue)?;
                inputs.condition = Some(self.num(&o.condition)?);
                self.edges(&mut inputs, &o.edges)?;
            }
            Operator::VertexSetIterator(v) => {
                inputs.set = self.input(&v.set)?;
                inputs.captures = self.captures(&v.apply)?;
            }
            Operator::VertexSetFilter(v) => {
                inputs.set = self.input(&v.set)?;
                inputs.captures = self.captures(&v.filter)?;
            }
            Operator::VertexSetDedup(d) => inputs.set = self.input(&d.set)?,
            Operator::UpdatePriorityExtern(u) => {
                inputs.set = self.input(&u.set)?;
                inputs.captures = self.captures(&u.function)?;
                inputs.queue = self.input(&u.queue)?;
            }
            Operator::UpdateBuckets(u) => {
                inputs.queue = self.input(&u.queue)?;
                inputs.set = self.input(&u.modified)?;
            }
        }
        Ok(Box::new(inputs))
    }

    fn edges(&self, inputs: &mut OperatorInputs, edges: &'m EdgeSetIterator) -> Result<()> {
        inputs.graph = self.input(&edges.graph)?;
        (inputs.from, inputs.from_captures) = self.filter(&edges.from)?;
        (inputs.to, inputs.to_captures) = self.filter(&edges.to)?;
        inputs.captures = self.captures(&edges.apply)?;
        inputs.lowers_by_weight =
            edges.meta.is_weighted && change(self.module, &edges.apply.name) == Some(PriorityChange::Min);
        Ok(())
    }

    fn filter(&self, filter: &'m VertexFilter) -> Result<(Option<Obj>, Vec<Arg>)> {
        Ok(match filter {
            VertexFilter::All => (None, Vec::new()),
            VertexFilter::Set(set) => (self.input(set)?, Vec::new()),
            VertexFilter::Function(function) => (None, self.captures(function)?),
        })
    }

    fn captures(&self, function: &'m FunctionRef) -> Result<Vec<Arg>> {
        self.function(function)?;
        self.args(&function.captures)
    }

    fn input(&self, e: &'m Expr) -> Result<Option<Obj>> {
        self.obj(e).map(Some)
    }
}
