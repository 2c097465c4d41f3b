//! Sets, lists and queues in the code that all threads run together.

use gw_ir::builtin::Builtin;
use gw_ir::expr::{Expr, ExprKind};
use gw_ir::source::Name;
use gw_ir::types::Type;

use super::access::Requirement;
use super::inputs::Source;
use super::refusal::Refusal;
use super::sets;
use super::text::c_name;
use super::uniform::Uniform;

impl Uniform<'_, '_> {
    /// `set = value`.
    pub(super) fn assign_set(&mut self, name: &Name, value: &Expr) -> Result<(), Refusal> {
        let c = c_name(name);
        match &value.kind {
            ExprKind::Var(other) => {
                let is_universe = self.region.module.global(other).is_some_and(|g| g.universe);
                let text = match is_universe {
                    true => self.all_of(value, "gw::ALL_VERTICES"),
                    false => self.set(value)?,
                };
                self.code.line(format!("{c} = {text};"));
            }
            ExprKind::Universe(None) => {
                let all = self.all_of(value, "gw::ALL_VERTICES");
                self.code.line(format!("{c} = {all};"));
            }
            ExprKind::VertexSetAlloc(size) => {
                self.all_of(value, "");
                let fault = self.region.inputs.member(Source::Fault, "gw::Fault*", "fault");
                let line = self.span.line;
                let size = format!("gw::set_size({fault}, {}, run.vertices(), {line})", self.value(size)?);
                // An empty set has a place of its own: vertices may be added to it.
                self.region.forms |= sets::form::QUEUE;
                self.region.cooperative = true;
                self.code.line(format!("{c} = {size} ? gw::ALL_VERTICES : run.make(gw::QUEUE, live());"));
            }
            ExprKind::Builtin(Builtin::ListPop, args) => {
                self.settle();
                let l = self.list_name(&args[0])?;
                let fault = self.region.inputs.member(Source::Fault, "gw::Fault*", "fault");
                self.code.line(format!("{c} = run.pop({l}, {l}_depth, {l}_used, {fault}, {});", self.span.line));
            }
            ExprKind::Builtin(Builtin::DequeueReadySet, args) => {
                self.settle_dequeued();
                let name = args[0].as_var().cloned().ok_or_else(|| self.refuse("a queue variable is expected"))?;
                let queue = self.queue(&name)?;
                let near = self.near(&name);
                self.region.cooperative = true;
                self.region.forms |= sets::form::QUEUE;
                self.code.line(format!("{c} = gw::dequeue(run, {queue}, {near}, live());"));
                self.dequeued = true;
            }
            ExprKind::Operator(op) => {
                let made = self.operator(op)?;
                if !made {
                    return Err(self.refuse("this operator has no output"));
                }
                self.code.line(format!("{c} = made;"));
            }
            _ => return Err(self.refuse("sets are not made like this on the device")),
        }
        Ok(())
    }

    pub(super) fn list_name(&self, list: &Expr) -> Result<String, Refusal> {
        match list.as_var() {
            Some(name) if self.lists.contains(name) => Ok(c_name(name)),
            _ => Err(self.refuse("a list of the host function is expected")),
        }
    }

    pub(super) fn near(&self, queue: &Name) -> String {
        format!("{}_near", c_name(queue))
    }

    /// A queue as code; its near set is a set variable of its own.
    pub(super) fn queue(&mut self, name: &Name) -> Result<String, Refusal> {
        let text = self.region.queue(name).map_err(|reason| self.refuse(reason))?;
        if !self.queues.contains(name) {
            self.queues.push(name.clone());
        }
        self.region.require(Requirement::Queue(name.clone()));
        Ok(text)
    }

    /// The place of a set expression, as a variable.
    pub(super) fn set(&mut self, expr: &Expr) -> Result<String, Refusal> {
        match &expr.kind {
            ExprKind::Var(name) if self.sets.contains(name) => Ok(c_name(name)),
            ExprKind::Var(name) if self.region.module.global(name).is_some_and(|g| g.universe) => {
                Ok(self.all_of(expr, "all"))
            }
            ExprKind::Universe(None) => Ok(self.all_of(expr, "all")),
            _ => Err(self.refuse("a set variable is expected")),
        }
    }

    /// The code of a set of all vertices, which must be as many as the region has: those of a global, or of an element.
    pub(super) fn all_of(&mut self, set: &Expr, text: &str) -> String {
        match (set.as_var(), &set.ty) {
            (Some(name), _) => self.region.require(Requirement::All(name.clone())),
            (None, Type::VertexSet(element)) => self.region.require(Requirement::Element(element.clone())),
            _ => {}
        }
        text.to_string()
    }
}
