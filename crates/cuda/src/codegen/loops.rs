//! Loops that do not run to their end in one launch: how an iteration begins and ends, and what the next launch is
//! told.
//!
//! With `loop=device-graph` a launch is one iteration, and the device launches the kernel again while it says so. The
//! variables of the loop wait in the results, followed by [`STATE_WORDS`] words. With `loop=single-block` the kernel
//! leaves the loop when a frontier outgrows its one block.

use gw_ir::analysis::region::Frontiers;
use gw_ir::source::Name;
use gw_ir::stmt::{Block, Stmt, StmtKind};
use gw_ir::types::Type;
use gw_schedule::LoopForm;

use super::blocks::BLOCK_MEMBERS;
use super::inputs::Source;
use super::pending::Pending;
use super::refusal::Refusal;
use super::region::Outcome;
use super::sets::form::QUEUE;
use super::text::c_name;
use super::uniform::Uniform;

/// Words behind the results of an iteration: whether there was one before, and what `Run` saves.
pub(crate) const STATE_WORDS: usize = 1 + 4;

impl Uniform<'_, '_> {
    /// The loop of a region in a form of its schedule.
    pub(crate) fn looping(&mut self, body: &Block, form: LoopForm) -> Result<(), Refusal> {
        match (form, body.as_slice()) {
            (LoopForm::DeviceGraph, [Stmt { kind: StmtKind::While { condition, body, .. }, span, .. }]) => {
                self.span = *span;
                self.region.include("condition.cuh");
                // Everybody waits before the state is written.
                self.region.cooperative = true;
                self.code.line("bool more = false;");
                self.code.open("while (true)");
                // The launch before is done with all it wrote.
                self.code.line("run.recycle(live());");
                self.pending = Pending::Nothing;
                let condition = self.value(condition)?;
                self.code.line(format!("if (!({condition})) break;"));
                self.block(body)?;
                self.code.line("more = true;");
                self.code.line("break;");
                self.code.close("");
                self.pending = Pending::Anything;
                Ok(())
            }
            (LoopForm::SingleBlock, [Stmt { kind: StmtKind::While { condition, body, .. }, span, .. }]) => {
                self.span = *span;
                let tests = self.outgrown(body)?;
                self.code.line("bool large = false;");
                let turns = self.begin_loop();
                self.pending = Pending::Anything;
                let condition = self.value(condition)?;
                self.settle();
                self.code.line(format!("if (!({condition})) break;"));
                self.code.line(format!("large = {tests};"));
                self.code.line("if (large) break;");
                self.ask_if_over(&turns);
                self.block(body)?;
                self.code.close("");
                self.pending = Pending::Anything;
                Ok(())
            }
            (LoopForm::Fused, [Stmt { kind: StmtKind::While { condition, body, .. }, span, .. }]) => {
                self.span = *span;
                let little = self.has_little(body)?;
                self.while_loop(condition, body, little.as_deref())
            }
            _ => self.block(body),
        }
    }

    /// Whether some set that the operators of a loop read is too large for one block.
    fn outgrown(&mut self, body: &Block) -> Result<String, Refusal> {
        let frontiers = Frontiers::of(self.region.module, body);
        let mut sizes: Vec<String> = Vec::new();
        for name in frontiers.sets.iter().filter(|name| self.sets.contains(name)) {
            sizes.push(format!("run.size({})", c_name(name)));
        }
        for name in &frontiers.queues {
            self.queue(name)?;
            sizes.push(format!("run.size({})", self.near(name)));
        }
        if frontiers.all {
            sizes.push("run.vertices()".to_string());
        }
        match sizes.is_empty() {
            true => Err(self.refuse("its operators read no set that could outgrow a block")),
            false => Ok(sizes.iter().map(|s| format!("{s} > {BLOCK_MEMBERS}u")).collect::<Vec<_>>().join(" || ")),
        }
    }

    /// A set of a list that a variable of the host names gets a place of its own: the host knows no views.
    pub(super) fn copy_views(&mut self, params: &[(Name, Type)], form: Option<LoopForm>) {
        if self.lists.is_empty() {
            return;
        }
        // Between two launches of a loop nobody but the loop looks.
        let last = if form == Some(LoopForm::DeviceGraph) { "!more && " } else { "" };
        for (name, ty) in params {
            if matches!(ty, Type::VertexSet(_)) {
                let c = c_name(name);
                self.region.forms |= QUEUE;
                self.region.cooperative = true;
                self.code.line(format!("if ({last}{c} == gw::VIEW) run.copy_view({c}, live());"));
            }
        }
    }

    /// What a form of loops adds at the end: outcomes for the host, state for the next launch.
    pub(super) fn end(&mut self, form: Option<LoopForm>, lines: &mut Vec<String>, loads: &mut Vec<String>) {
        let slot = self.outcomes.len();
        match form {
            Some(LoopForm::DeviceGraph) => {
                self.code.line("// Everybody has taken up what is written now.");
                self.code.line("run.grid.wait();");
                lines.push(format!("gw::put(args.results + {slot}, true);"));
                lines.push(format!("run.save(args.results + {});", slot + 1));
                let fault = self.region.inputs.member(Source::Fault, "gw::Fault*", "fault");
                lines.push(format!("gw::set_condition(args.condition, more && !gw::is_over({fault}));"));
                loads.push(format!("run.restore(args.results + {});", slot + 1));
            }
            Some(LoopForm::SingleBlock) => {
                lines.push(format!("gw::put(args.results + {slot}, large);"));
                self.outcomes.push(Outcome::Outgrown);
            }
            _ => {}
        }
    }
}
