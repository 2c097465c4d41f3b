//! Operators in statements that all threads run, and choices between their variants.

use gw_ir::expr::FunctionRef;
use gw_ir::operator::{Operator, VertexFilter};
use gw_ir::source::{Name, Span};
use gw_ir::stmt::{Block, Decision, HybridStmt};
use gw_ir::types::Type;
use gw_schedule::{Criterion, Param};

use super::access::Requirement;
use super::edges::edges;
use super::inputs::Source;
use super::operator::{self, Operands, OperatorCode};
use super::pending::Pending;
use super::refusal::Refusal;
use super::sets::{self, Insert};
use super::text::Code;
use super::uniform::Uniform;

impl Uniform<'_, '_> {
    pub(super) fn captures(&mut self, function: &FunctionRef) -> Result<Vec<String>, Refusal> {
        let callee = self.region.module.function(&function.name);
        let params = callee.map(|f| f.captures.clone()).unwrap_or_default();
        let mut texts = Vec::new();
        for (expr, param) in function.captures.iter().zip(&params) {
            texts.push(match &param.ty {
                Type::Vector { .. } => {
                    let name = expr.as_var().cloned().ok_or_else(|| self.refuse("a vector variable is expected"))?;
                    self.region.vector(&name, &param.ty).map_err(|reason| self.refuse(reason))?.argument()
                }
                _ => self.value(expr)?,
            });
        }
        Ok(texts)
    }

    /// Runs an operator; true when its output is in `made`.
    pub(super) fn operator(&mut self, op: &Operator) -> Result<bool, Refusal> {
        let span = self.span;
        self.operators += 1;
        let name = format!("Operator{}", self.operators);
        let code = match op {
            Operator::EdgeSetIterator(e) => {
                let operands = Operands {
                    from: match &e.from {
                        VertexFilter::Set(set) => Some(self.set(set)?),
                        _ => None,
                    },
                    to: match &e.to {
                        VertexFilter::Set(set) => Some(self.set(set)?),
                        _ => None,
                    },
                    apply: self.captures(&e.apply)?,
                    from_captures: self.filter_captures(&e.from)?,
                    to_captures: self.filter_captures(&e.to)?,
                    set: None,
                    table: None,
                };
                self.settle_for(op);
                edges(self.region, e, &operands, &name, span)?
            }
            Operator::VertexSetIterator(v) => {
                let operands =
                    Operands { set: Some(self.set(&v.set)?), apply: self.captures(&v.apply)?, ..Operands::of(&v.meta) };
                self.settle_for(op);
                operator::vertices(self.region, &v.apply, &operands, false, &name, span)?
            }
            Operator::VertexSetFilter(v) => {
                let operands = Operands {
                    set: Some(self.set(&v.set)?),
                    apply: self.captures(&v.filter)?,
                    ..Operands::of(&v.meta)
                };
                self.settle_for(op);
                operator::vertices(self.region, &v.filter, &operands, true, &name, span)?
            }
            Operator::VertexSetDedup(dedup) => {
                let set = self.set(&dedup.set)?;
                self.settle();
                self.dedup(&set, span);
                return Ok(false);
            }
            Operator::UpdateBuckets(update) => {
                let name = update.queue.as_var().cloned().ok_or_else(|| self.refuse("a queue is expected"))?;
                let set = self.set(&update.modified)?;
                let queue = self.queue(&name)?;
                let near = self.near(&name);
                // What a dequeue left behind must be done, even if no operator came between.
                self.pending = Pending::Anything;
                self.settle();
                let fault = self.region.inputs.member(Source::Fault, "gw::Fault*", "fault");
                self.region.cooperative = true;
                self.region.forms |= sets::form::QUEUE;
                self.code
                    .line(format!("gw::update_buckets(run, {queue}, {near}, {set}, {fault}, {}, live());", span.line));
                self.pending = Pending::Anything;
                return Ok(false);
            }
            other => return Err(self.refuse(format!("`{}` does not run on the device", other.name()))),
        };
        self.place_operator(code, Pending::operator(self.region.module, op))
    }

    pub(super) fn filter_captures(&mut self, filter: &VertexFilter) -> Result<Vec<String>, Refusal> {
        match filter {
            VertexFilter::Function(f) => self.captures(f),
            _ => Ok(Vec::new()),
        }
    }

    /// Places the code of an operator, of which this is known.
    pub(super) fn place_operator(&mut self, operator: OperatorCode, pending: Pending) -> Result<bool, Refusal> {
        self.declarations.push_str(&operator.declaration);
        self.declarations.push('\n');
        self.code.open("");
        self.code.line(&operator.body);
        self.code.close("");
        self.expect(pending);
        Ok(operator.output)
    }

    /// Removes repeats from a set variable.
    pub(super) fn dedup(&mut self, set: &str, span: Span) {
        self.code.open(format!("if ({set} >= 0 && (run.form({set}) & ~gw::COUNTED) == gw::QUEUE)"));
        let mut body = Code::default();
        sets::output_setup(self.region, Some(Insert::Counters), span, &mut body);
        body.line(format!("gw::each_member(run, {set}, [&](int v) {{ output.append_by_counters(v); }});"));
        body.line("output.flush();");
        body.line(format!("{set} = made;"));
        self.region.include("members.cuh");
        self.code.line(body.text());
        self.code.close("");
        self.pending = Pending::Anything;
    }

    /// One of several variants, by what the input is like.
    pub(super) fn hybrid(&mut self, hybrid: &HybridStmt) -> Result<(), Refusal> {
        if let Decision::Chooser { tree: Some(tree), .. } = &hybrid.decision {
            return self.adaptive(hybrid, tree);
        }
        let (criterion, thresholds) = match &hybrid.decision {
            Decision::Threshold { criterion, threshold } => {
                let text = match threshold {
                    Param::Value(value) => format!("{:?}", value.get()),
                    Param::Argv(k) => {
                        self.region.inputs.member(Source::Threshold(*k), "double", &format!("threshold_{k}"))
                    }
                };
                (*criterion, vec![text])
            }
            Decision::Chooser { schedule, .. } => match &**schedule {
                gw_schedule::Schedule::Adaptive(gw_schedule::Adaptive {
                    chooser: gw_schedule::Chooser::Threshold { criterion, thresholds },
                    ..
                }) => (*criterion, thresholds.iter().map(|t| format!("{:?}", t.get())).collect()),
                _ => return Err(self.refuse("this choice is made on the host")),
            },
        };
        let (name, graph, set) = self.looked_at(hybrid)?;
        let edges = self.region.edges_of(&set, &name, &graph).map_err(|reason| self.refuse(&reason))?;
        self.code.open("");
        let (measure, whole) = match criterion {
            Criterion::InputSize => (format!("(double)run.size({set})"), format!("(double){graph}.vertices")),
            Criterion::InputWork => (format!("(double)run.size({set}) + {edges}"), format!("(double){graph}.edges")),
            Criterion::EdgesAhead => (edges, format!("(double){graph}.edges")),
            Criterion::InputThreads => {
                let threads = self.region.inputs.member(Source::ResidentThreads, "unsigned long long", "threads");
                (format!("(double)run.size({set})"), format!("(double){threads}"))
            }
        };
        self.code.line(format!("const double measure = {measure};"));
        let comparison = if criterion.needs_degrees() { "<=" } else { "<" };
        let tests = thresholds.iter().map(|t| format!("measure {comparison} {t} * {whole}")).collect();
        self.variants(&hybrid.variants, tests)
    }

    /// What a choice looks at: the name of the graph, its code, and that of the frontier.
    pub(super) fn looked_at(&mut self, hybrid: &HybridStmt) -> Result<(Name, String, String), Refusal> {
        let graph_name = hybrid.graph.as_var().cloned().ok_or_else(|| self.refuse("a graph variable is expected"))?;
        self.region.inputs.need(&graph_name, |parts| parts.out = true);
        let graph = self.region.graph(&graph_name).map_err(|reason| self.refuse(reason))?;
        self.region.require(Requirement::Walked(graph_name.clone()));
        self.settle();
        self.region.cooperative = true;
        let set = match &hybrid.frontier {
            Some(frontier) => self.set(frontier)?,
            None => "all".to_string(),
        };
        Ok((graph_name, graph, set))
    }

    /// The first variant whose test holds; the last has none. Closes the block that its caller opened.
    pub(super) fn variants(&mut self, variants: &[Block], tests: Vec<String>) -> Result<(), Refusal> {
        let before = self.pending.clone();
        let mut after = Pending::Nothing;
        for (i, variant) in variants.iter().enumerate() {
            match (i, tests.get(i)) {
                (0, Some(test)) => self.code.open(format!("if ({test})")),
                (_, Some(test)) => {
                    self.code.close(&format!(" else if ({test}) {{"));
                    self.code.nest();
                }
                (0, None) => self.code.open(""),
                (_, None) => {
                    self.code.close(" else {");
                    self.code.nest();
                }
            }
            self.pending = before.clone();
            self.block(variant)?;
            after = after.and(std::mem::take(&mut self.pending));
        }
        self.code.close("");
        self.code.close("");
        self.pending = after;
        Ok(())
    }
}
