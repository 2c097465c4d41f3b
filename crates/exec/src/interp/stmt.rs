//! Running statements.

use std::time::Instant;

use gw_ir::expr::BinaryOp;
use gw_ir::stmt::{Decision, HybridStmt};
use gw_schedule::{Adaptive, Chooser, InputSizes, Schedule};

use super::{FrameLocals, Interp};
use crate::adaptive::{Effort, FrontierSizes, StepChooser, Steps};
use crate::code::{Effect, Line, LineKind, Num, Obj, Place, Target};
use crate::env::Environment;
use crate::error::{ErrorKind, Result};
use crate::scalar::Register;
use crate::sites::StatementId;
use crate::trace::TraceAccess;
use crate::value::Value;
use crate::vm::{Executable, Locals, StatementOutcome};

/// Whether the new value of a vector entry depends on the old one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Old {
    Needed,
    Ignored,
}

impl Old {
    /// What a trace says of the access, by whether a value was stored.
    pub(super) fn access(self, stored: bool) -> TraceAccess {
        match (self, stored) {
            (Old::Ignored, _) => TraceAccess::Write,
            (Old::Needed, true) => TraceAccess::Update,
            (Old::Needed, false) => TraceAccess::Attempt,
        }
    }
}

/// Whether a `break` is on its way to its loop.
type Broken = bool;

impl<'a> Interp<'a> {
    /// Runs a block; true when a `break` left it.
    pub(crate) fn block(&mut self, lines: &'a [Line]) -> Result<Broken> {
        for line in lines {
            match self.line(line) {
                Ok(false) => {}
                Ok(true) => return Ok(true),
                Err(error) => return Err(error.at(line.span)),
            }
        }
        Ok(false)
    }

    pub(crate) fn line(&mut self, line: &'a Line) -> Result<Broken> {
        self.tick()?;
        match &line.kind {
            LineKind::SetNum(target, e) => {
                let bits = self.num(e)?;
                self.write(target, bits)?;
            }
            LineKind::Eval(e) => {
                self.num(e)?;
            }
            LineKind::If(condition, then, otherwise) => {
                let chosen = if self.num(condition)? != 0 { then } else { otherwise };
                return self.block(chosen);
            }
            LineKind::SetObj(var, e, effect) => {
                let value = self.obj(e)?;
                self.apply_effect(effect, &value);
                self.set_var(*var, value);
            }
            LineKind::SetRow(place, e) => self.set_row(place, e)?,
            LineKind::EvalObj(e) => {
                self.obj(e)?;
            }
            LineKind::While(id, condition, body) => self.run_while(*id, condition, body)?,
            LineKind::DoWhile(id, body, condition) => {
                if !self.claimed(*id)? {
                    while !self.block(body)? && self.num(condition)? != 0 {
                        self.tick()?;
                    }
                }
            }
            LineKind::For { id, var, low, high, body } => {
                if !self.claimed(*id)? {
                    self.run_for(*var, low, high, body)?;
                }
            }
            LineKind::ParFor { id, var, low, high, body } => {
                if !self.claimed(*id)? {
                    let range = i32::of(self.num(low)?)..i32::of(self.num(high)?);
                    self.run_par_for(*id, *var, range, body)?;
                }
            }
            LineKind::Break => return Ok(true),
            LineKind::PrintNum(scalar, e) => {
                let bits = self.num(e)?;
                let text = Value::from_bits(*scalar, bits).printed().unwrap_or_default();
                self.machine.faults()?;
                self.env.print(&text)?;
            }
            LineKind::PrintObj(e) => {
                let value = self.obj(e)?;
                let cannot = || ErrorKind::Unsupported(format!("a {} cannot be printed", value.kind()));
                let text = value.printed().ok_or_else(cannot)?;
                self.machine.faults()?;
                self.env.print(&text)?;
            }
            LineKind::Delete(var) => self.set_var(*var, Value::Nothing),
            LineKind::Scope(body) => return self.block(body),
            LineKind::Hybrid { id, node, chooser, frontier, graph, variants } => {
                if !self.claimed(*id)? {
                    let start = self.env.is_observed().then(Instant::now);
                    let chosen = match chooser {
                        Some(chooser) => self.ask(*id, chooser, frontier.as_ref(), graph)?,
                        None => self.choose(node, frontier.as_ref(), graph)?,
                    }
                    .min(variants.len() - 1);
                    self.env.choosing = start.map_or(0.0, |start| start.elapsed().as_secs_f64());
                    return self.run_variant(*id, chosen, &variants[chosen]);
                }
            }
        }
        Ok(false)
    }

    /// Copies the cells of a vector into a row of a nested vector.
    fn set_row(&mut self, place: &'a Place, e: &'a Obj) -> Result<()> {
        let source = self.vector(e)?;
        let (row, _) = self.locate(place)?;
        self.will_read(&source)?;
        self.will_write(&row)?;
        if row.dims() != source.dims() {
            return Err(ErrorKind::Malformed("rows of different lengths".into()).into());
        }
        let (from, to) = (source.touched(), row.touched());
        for i in 0..row.cells() {
            to.store(i, from.load(i));
            self.note_write(row.id(), row.storage_cell(i));
        }
        Ok(())
    }

    /// Runs a `while`, of which the machine may run rounds.
    fn run_while(&mut self, id: StatementId, condition: &'a Num, body: &'a [Line]) -> Result<()> {
        let mut ran = self.machine_ran(id)?;
        while ran != Some(StatementOutcome::Done) {
            if self.num(condition)? == 0 || self.block(body)? {
                break;
            }
            self.tick()?;
            if ran.is_some() {
                ran = self.machine_ran(id)?;
            }
        }
        Ok(())
    }

    /// Runs a `for` on the host.
    fn run_for(&mut self, var: u32, low: &'a Num, high: &'a Num, body: &'a [Line]) -> Result<()> {
        let mut i = i32::of(self.num(low)?);
        loop {
            if i >= i32::of(self.num(high)?) {
                return Ok(());
            }
            self.set_register(var, i.bits());
            if self.block(body)? {
                return Ok(());
            }
            self.tick()?;
            // The body may assign the variable, as in C.
            i = i32::of(self.register(var)).wrapping_add(1);
        }
    }

    /// Runs a `par_for`, on the machine where the machine can.
    fn run_par_for(&mut self, id: StatementId, var: u32, range: std::ops::Range<i32>, body: &'a [Line]) -> Result<()> {
        let draws = self.env.begin_par_for();
        let rest = if self.ran_par_for(id, range.clone())? { 0..0 } else { range };
        for i in rest {
            if draws.is_some() {
                self.env.draws.begin(i as u32, 0);
            }
            self.set_register(var, i.bits());
            if self.block(body)? {
                break;
            }
            self.tick()?;
        }
        self.env.end_par_for(draws);
        Ok(())
    }

    /// Runs the chosen variant of an operator whose schedule is chosen at every step.
    fn run_variant(&mut self, id: StatementId, chosen: usize, variant: &'a [Line]) -> Result<Broken> {
        let outer = std::mem::replace(&mut self.env.variant, chosen);
        let broken = self.block(variant);
        self.env.variant = outer;
        self.env.counts_edges = true;
        self.env.visited_by = self.env.visited.take().map(|edges| (id, edges));
        broken
    }

    #[inline(always)]
    fn register(&self, slot: u32) -> u64 {
        self.frames.registers[self.frames.base + slot as usize]
    }

    #[inline(always)]
    fn set_register(&mut self, slot: u32, bits: u64) {
        let at = self.frames.base + slot as usize;
        self.frames.registers[at] = bits;
    }

    /// Stores a scalar.
    #[inline]
    pub(super) fn write(&mut self, target: &'a Target, bits: u64) -> Result<()> {
        match target {
            Target::Local(slot) => self.set_register(*slot, bits),
            Target::Global(slot) => self.env.scalars[*slot as usize] = bits,
            Target::Cell(place) => {
                self.update(place, Old::Ignored, |_| Some(bits))?;
            }
        }
        Ok(())
    }

    /// Rewrites a vector entry from its old value; true when something was stored.
    #[inline]
    pub(super) fn update(&mut self, place: &'a Place, old: Old, new: impl FnOnce(u64) -> Option<u64>) -> Result<bool> {
        let (vector, cell) = match place.indices.as_slice() {
            [index] => {
                let index = self.num(index)?;
                let vector = self.vector_var(place.vector)?;
                if vector.is_flat()
                    && let Some(cells) = vector.plain()
                {
                    if index >= vector.len() as u64 {
                        let len = vector.len();
                        return Err(self.index_error(place.vector, index, len));
                    }
                    let new = new(cells.load(index as usize));
                    if let Some(bits) = new {
                        cells.store(index as usize, bits);
                    }
                    let (id, cell) = (vector.id(), vector.storage_cell(index as usize));
                    let bytes = vector.cell_bytes();
                    self.tell(id, cell, bytes, old.access(new.is_some()));
                    if new.is_none() {
                        return Ok(false);
                    }
                    self.note_write(id, cell);
                    return Ok(true);
                }
                self.locate_at(place, &[index])?
            }
            _ => self.locate(place)?,
        };
        self.rewrite_element(&vector, cell, old, new)
    }

    /// Tells the environment what an assignment means for the sizes of elements.
    fn apply_effect(&mut self, effect: &Effect, value: &Value) {
        match (effect, value) {
            (Effect::Graph(ends, edge), Value::Graph(graph)) => {
                // An element may be that of edges in one graph and of vertices in another: vertices have the last word.
                self.env.set_vertices_of(edge, graph.edges());
                ends.iter().for_each(|end| self.env.set_vertices_of(end, graph.vertices()));
            }
            (Effect::Universe(element), Value::Set(set)) => {
                if let Some(n) = set.universe() {
                    self.env.set_vertices_of(element, n);
                }
            }
            _ => {}
        }
    }

    /// Lets the machine run a statement that it claims; `None` when it does not.
    fn machine_ran(&mut self, id: StatementId) -> Result<Option<StatementOutcome>> {
        if !self.machine.claims(id) {
            return Ok(None);
        }
        self.env.stop.check()?;
        self.with_locals(|machine, locals, env| machine.run_statement(id, locals, env)).map(Some)
    }

    /// Lets the machine run a statement that it claims to its end.
    fn claimed(&mut self, id: StatementId) -> Result<bool> {
        match self.machine_ran(id)? {
            None => Ok(false),
            Some(StatementOutcome::Done) => Ok(true),
            Some(StatementOutcome::HostTurn) => {
                Err(ErrorKind::Malformed("a machine left something other than a `while` loop unfinished".into()).into())
            }
        }
    }

    /// Offers the iterations of a `par_for` to the machine.
    fn ran_par_for(&mut self, id: StatementId, range: std::ops::Range<i32>) -> Result<bool> {
        self.with_locals(|machine, locals, env| machine.run_par_for(id, range, locals, env))
    }

    fn with_locals<R>(
        &mut self,
        run: impl FnOnce(&mut dyn Executable, &mut dyn Locals, &mut Environment) -> Result<R>,
    ) -> Result<R> {
        let frames = &mut self.frames;
        let mut locals = FrameLocals {
            function: self.function,
            registers: &mut frames.registers[frames.base..],
            objects: &mut frames.objects[frames.object_base..],
        };
        run(self.machine, &mut locals, self.env)
    }

    /// The variant of a hybrid to run now.
    fn choose(&mut self, hybrid: &HybridStmt, frontier: Option<&'a Obj>, graph: &'a Obj) -> Result<usize> {
        let graph = self.graph(graph)?;
        let frontier = frontier.map(|e| self.set(e)).transpose()?;
        let criterion = match &hybrid.decision {
            Decision::Threshold { criterion, .. } => *criterion,
            Decision::Chooser { schedule, .. } => match &**schedule {
                Schedule::Adaptive(Adaptive { chooser: Chooser::Threshold { criterion, .. }, .. }) => *criterion,
                _ => return Ok(0),
            },
        };
        let (vertices, edges) = (graph.vertices() as u64, graph.edges() as u64);
        let mut sizes = InputSizes {
            frontier_vertices: vertices,
            frontier_edges: edges,
            vertices,
            edges,
            threads: self.env.threads,
        };
        // Nobody needs to know by how much the greatest threshold is passed.
        let enough = match &hybrid.decision {
            Decision::Threshold { threshold, .. } => Some((self.env.threshold(*threshold)? * edges as f64) as u64 + 1),
            Decision::Chooser { .. } => None,
        };
        if let Some(set) = frontier.filter(|set| set.universe().is_none()) {
            sizes.frontier_vertices = set.len()? as u64;
            sizes.frontier_edges = match criterion.needs_degrees() {
                true => self.machine.frontier_edges(&set, &graph, enough)?,
                false => 0,
            };
        }
        match &hybrid.decision {
            Decision::Threshold { threshold, .. } => {
                let threshold = self.env.threshold(*threshold)?;
                Ok(usize::from(!criterion.is_small(sizes, threshold)))
            }
            Decision::Chooser { schedule, .. } => match &**schedule {
                Schedule::Adaptive(Adaptive { chooser: Chooser::Threshold { thresholds, .. }, .. }) => {
                    let passed = thresholds.iter().take_while(|t| !criterion.is_small(sizes, t.get()));
                    Ok(passed.count())
                }
                _ => Ok(0),
            },
        }
    }

    /// The variant that a tree picks for this step.
    fn ask(
        &mut self,
        id: StatementId,
        chooser: &StepChooser,
        frontier: Option<&'a Obj>,
        graph: &'a Obj,
    ) -> Result<usize> {
        if let Some(candidate) = chooser.constant {
            return Ok(candidate);
        }
        let graph = self.graph(graph)?;
        let frontier = frontier.map(|e| self.set(e)).transpose()?;
        let guard = self.env.guard;
        let visited_before = self.env.visited_by.filter(|(hybrid, _)| *hybrid == id).map(|(_, edges)| edges);
        let steps = self.env.adaptive_steps(id, || Steps::new(chooser, &graph));
        if !steps.are_on(&graph) {
            *steps = Steps::new(chooser, &graph);
        }
        let chosen = match frontier.filter(|set| set.universe().is_none()) {
            None => {
                let (size, edges) = (graph.vertices() as u64, graph.edges() as u64);
                let count_edges = |_| Some(edges);
                steps.choose(chooser, FrontierSizes { size, most_degree: None, count_edges, visited_before, guard })
            }
            Some(set) => {
                let size = set.len()? as u64;
                let most_degree = graph.greatest_out_degree() as u64;
                let machine = &mut self.machine;
                let mut failed = None;
                let count_edges = |effort| {
                    let counted = match effort {
                        Effort::Few if !machine.has_small_steps() => Ok(None),
                        Effort::Guess => machine.guess_edges(&set, &graph),
                        Effort::Few | Effort::Count => machine.frontier_edges(&set, &graph, None).map(Some),
                    };
                    counted.unwrap_or_else(|error| {
                        failed = Some(error);
                        None
                    })
                };
                let most = Some(most_degree);
                let sizes = FrontierSizes { size, most_degree: most, count_edges, visited_before, guard };
                let chosen = steps.choose(chooser, sizes);
                if let Some(error) = failed {
                    return Err(error);
                }
                if self.machine.counts_while_making() {
                    let foreseen = steps.foresee_edges(chooser, most_degree, guard);
                    self.env.counts_edges = foreseen;
                }
                chosen
            }
        };
        Ok(chosen.0)
    }

    /// `==` and `!=` of strings.
    pub(super) fn compare_strings(&mut self, op: BinaryOp, a: &'a Obj, b: &'a Obj) -> Result<u64> {
        let equal = self.text(a)? == self.text(b)?;
        Ok(u64::from(equal == (op == BinaryOp::Eq)))
    }
}
