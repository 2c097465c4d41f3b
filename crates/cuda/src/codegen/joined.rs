//! A pull and the vertex operator behind it in one pass over the vertices, where the analysis `joined` of ir finds that
//! nobody sees the difference.
//!
//! A vector that the pull reads at other vertices and the vertex function overwrites has a twin: the pass reads the one
//! and writes the other, and the two change their names behind it. A loop that ends with the newest entries in the twin
//! copies them back.

use gw_ir::analysis::joined::joined;
use gw_ir::operator::Operator;
use gw_ir::stmt::{Stmt, StmtKind};
use gw_schedule::LoadBalance;

use super::access::Requirement;
use super::function::Refusal;
use super::inputs::Source;
use super::operator::{self, Operands};
use super::text::{c_name, type_name};
use super::uniform::Uniform;

impl Uniform<'_, '_> {
    /// Carries out the pair that these statements begin with. Returns how many statements that were; none where they
    /// begin with no pair.
    pub(super) fn pair(&mut self, block: &[Stmt]) -> Result<Option<usize>, Refusal> {
        let Some((Stmt { kind: StmtKind::Eval(_), span, .. }, rest)) = block.split_first() else { return Ok(None) };
        let Some(first @ Operator::EdgeSetIterator(edges)) = block[0].operator() else { return Ok(None) };
        let vertex_based = operator::schedule_of(edges).load_balance.is_none_or(|lb| lb == LoadBalance::VertexBased);
        let second = rest.iter().position(|stmt| stmt.operator().is_some());
        if !self.pairs || !vertex_based || self.region.careful {
            return Ok(None);
        }
        let Some((at, behind)) = second.and_then(|at| Some((at, rest[at].operator()?))) else { return Ok(None) };
        let Operator::VertexSetIterator(vertices) = behind else { return Ok(None) };
        let module = self.region.module;
        let pairs = joined(module);
        let Some(pair) = pairs.iter().find(|pair| pair.edges == first && pair.vertices == behind) else {
            return Ok(None);
        };
        // Scalars get their new values before the pull, which does not look at them.
        for stmt in &rest[..at] {
            self.span = stmt.span;
            self.stmt(stmt)?;
        }
        self.span = *span;
        self.region.require(Requirement::Distinct(pair.vectors.clone()));
        let mut twins = Vec::new();
        for name in &pair.exchanged {
            let scalar = module.global(name).and_then(|global| global.ty.leaf().scalar());
            let scalar = scalar.ok_or_else(|| self.refuse(format!("`{name}` is no vector")))?;
            let own = self.region.vector(name, scalar).map_err(|reason| self.refuse(reason))?.base;
            let (ty, member) = (format!("{}*", type_name(scalar)), format!("{}_twin", c_name(name)));
            let twin = self.region.inputs.member(Source::Twin(name.clone()), &ty, &member);
            twins.push((ty, own, twin));
        }
        self.settle_for(first);
        self.settle_for(behind);
        self.operators += 2;
        let names = [self.operators - 1, self.operators].map(|number| format!("Operator{number}"));
        let pull = operator::edges(self.region, edges, &Operands::default(), &names[0], *span)?;
        let operands = Operands { set: Some("all".into()), ..Operands::default() };
        let visit = operator::vertices(self.region, &vertices.apply, &operands, false, &names[1], rest[at].span)?;
        for operator in [&pull, &visit] {
            self.declarations.push_str(&operator.declaration);
            self.declarations.push('\n');
        }
        self.code.open("");
        self.code.line("Inputs after = in;");
        for (_, own, twin) in &twins {
            self.code.line(format!("{} = {twin};", own.replacen("in.", "after.", 1)));
        }
        self.code.line(format!("{} pull{{{}}};", names[0], pull.fields));
        self.code.line(format!("{} visit{{{}}};", names[1], visit.fields.replacen("in,", "after,", 1)));
        self.code.line("gw::balance_vertex_based(pull, [&](int v) { visit.member(v); });");
        self.code.line("pull.finish();");
        self.code.line("visit.finish();");
        for (_, own, twin) in &twins {
            self.code.line(format!("gw::exchange({own}, {twin});"));
        }
        self.code.close("");
        self.twins.extend(twins.into_iter().map(|(_, own, _)| own));
        self.pending = true;
        Ok(Some(at + 2))
    }

    /// At the end of the kernel the newest entries go where the host looks for them.
    pub(super) fn return_twins(&mut self) {
        let mut twins = std::mem::take(&mut self.twins);
        twins.sort_unstable();
        twins.dedup();
        if !twins.is_empty() {
            self.settle();
        }
        for own in twins {
            let place = format!("args.{own}");
            self.code
                .line(format!("if ({own} != {place}) gw::copy_entries(run.grid, {place}, {own}, run.vertices());"));
        }
    }
}
