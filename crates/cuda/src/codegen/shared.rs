//! Loops in functions over sets whose turns lanes share (`share.cuh`): the function once with its loop in parts, and
//! once to tell how many turns there are.

use gw_ir::analysis::shared_loop::{SharedLoop, shared_loop};
use gw_ir::expr::{BinaryOp, Expr, FunctionRef};
use gw_ir::module::{Function, Module, Param};
use gw_ir::source::Name;
use gw_ir::stmt::{Block, Stmt, StmtKind};
use gw_ir::types::Type;
use gw_ir::walk;

use super::function::{Coder, function_name};
use super::refusal::Refusal;
use super::text::Code;

/// The share of a call in the turns of the loop, as a parameter of the function.
pub(super) const SHARE: &str = "gw_turns_share";

/// The name of the function that tells how many turns the loop has: no function of a program can have it.
const TURNS: &str = "1turns";

/// A function whose loop is shared, while it is written.
pub(crate) struct Sharing {
    function: Name,
    of: SharedLoop,
    /// The function itself is being written, not one that it calls.
    inside: bool,
    /// The loop is written, and what follows in the blocks around it is not.
    just_shared: bool,
}

impl Sharing {
    /// For a function that an operator applies to the members of a set, if lanes can share its loop.
    pub(super) fn of(module: &Module, applied: &FunctionRef) -> Option<Sharing> {
        let of = shared_loop(module, applied)?;
        Some(Sharing { function: applied.name.clone(), of, inside: false, just_shared: false })
    }

    /// The turns of one loop may go to several groups of lanes: nothing is added up over them, and nothing follows.
    pub(super) fn has_pieces(&self) -> bool {
        self.of.sums.is_empty() && !self.of.has_rest
    }

    /// The function that gives the number of turns, of the function with the loop.
    pub(super) fn turns(&self, function: &Function) -> Function {
        let turns = Param { name: "gw__turns".into(), ty: Type::INT };
        let mut counts = function.clone();
        counts.name = TURNS.into();
        if let Some(body) = counts.body.as_mut() {
            count_instead(body, &self.of.var, &turns);
        }
        counts.result = Some(turns);
        counts
    }
}

/// Puts the number of turns in place of the loop, and nothing behind it.
fn count_instead(block: &mut Block, var: &Name, turns: &Param) {
    let holds = |stmt: &Stmt| {
        let mut found = false;
        walk::walk_stmts(std::slice::from_ref(stmt), &mut |s| {
            found |= matches!(&s.kind, StmtKind::For { var: v, .. } if v == var);
        });
        found
    };
    let Some(at) = block.iter().position(holds) else { return };
    block.truncate(at + 1);
    let Some(stmt) = block.last_mut() else { return };
    if let StmtKind::For { low, high, .. } = &stmt.kind {
        let count = Expr::binary(BinaryOp::Sub, high.clone(), low.clone());
        *stmt = Stmt::assign(Expr::var(turns.name.clone(), Type::INT), count).at(stmt.span);
        return;
    }
    stmt.blocks_mut().into_iter().for_each(|inner| count_instead(inner, var, turns));
}

impl Coder<'_, '_> {
    /// Whether the loop of this function is shared.
    pub(super) fn shares(&self, function: &Name) -> bool {
        self.shared.as_ref().is_some_and(|shared| shared.function == *function)
    }

    pub(super) fn is_shared_loop(&self, var: &Name) -> bool {
        self.shared.as_ref().is_some_and(|shared| shared.inside && shared.of.var == *var)
    }

    /// Whether the statement written last held the shared loop.
    pub(super) fn has_just_shared(&self) -> bool {
        self.shared.as_ref().is_some_and(|shared| shared.just_shared)
    }

    /// What stands behind the shared loop in a block: one of those who share it does it.
    pub(super) fn behind_shared(&mut self, rest: &[Stmt], code: &mut Code) -> Result<(), Refusal> {
        self.note_shared(false);
        code.open(format!("if ({SHARE}.leads())"));
        self.block(rest, code)?;
        code.close("");
        // The blocks around it go on behind the loop, too.
        self.note_shared(true);
        Ok(())
    }

    fn note_shared(&mut self, just_shared: bool) {
        if let Some(shared) = self.shared.as_mut() {
            shared.just_shared = just_shared;
        }
    }

    /// The turns that are this call's, and the sums of all who share the loop.
    pub(super) fn shared_turns(
        &mut self,
        var: &str,
        low: &str,
        high: &str,
        body: &[Stmt],
        code: &mut Code,
    ) -> Result<(), Refusal> {
        let sums: Vec<String> =
            self.shared.iter().flat_map(|s| &s.of.sums).map(|(name, _)| super::text::c_name(name)).collect();
        code.open("");
        code.line(format!("const int gw_turns_low = {low};"));
        code.line(format!("const unsigned gw_turns_all = gw::turns_between(gw_turns_low, {high});"));
        code.line(format!("const unsigned gw_turns_end = {SHARE}.last(gw_turns_all);"));
        let first = format!("unsigned gw_turns_at = {SHARE}.first()");
        code.open(format!("for ({first}; gw_turns_at < gw_turns_end; gw_turns_at += Share::STEP)"));
        code.line(format!("const int {var} = gw_turns_low + (int)gw_turns_at;"));
        self.ask_if_over("(gw_turns_at / Share::STEP + 1)", code);
        self.block(body, code)?;
        code.close("");
        for sum in sums {
            code.line(format!("{sum} = {SHARE}.sum({sum});"));
        }
        code.close("");
        self.note_shared(true);
        Ok(())
    }

    /// Writes the function whose loop is shared, and what tells its turns, whose name is handed back.
    pub(super) fn shared_functions(&mut self, function: &Function, code: &mut Code) -> Result<String, Refusal> {
        if let Some(shared) = self.shared.as_mut() {
            shared.inside = true;
        }
        self.define(function, true, code)?;
        if let Some(shared) = self.shared.as_mut() {
            (shared.inside, shared.just_shared) = (false, false);
        }
        let turns = self.shared.as_ref().map(|shared| shared.turns(function));
        if let Some(turns) = turns {
            let shared = self.shared.take();
            let lengths = self.captured.get(&function.name).cloned().unwrap_or_default();
            self.note_captures(&turns.name, lengths);
            self.define(&turns, true, code)?;
            self.shared = shared;
        }
        Ok(function_name(TURNS))
    }
}
