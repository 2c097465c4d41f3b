//! Values in the code that all threads run together, and the barriers before what they read.

use gw_ir::analysis::calls::closure;
use gw_ir::analysis::effects::Effects;
use gw_ir::builtin::Builtin;
use gw_ir::expr::{Expr, ExprKind};
use gw_ir::source::Name;
use gw_ir::walk;

use super::access::Requirement;
use super::function::{Binding, Coder};
use super::pending::Pending;
use super::refusal::Refusal;
use super::text::c_name;
use super::uniform::Uniform;

impl Uniform<'_, '_> {
    /// The value of a scalar expression; what it reads from memory is settled first.
    pub(super) fn value(&mut self, expr: &Expr) -> Result<String, Refusal> {
        self.prepare(expr)?;
        let text = {
            let mut coder = Coder::new(self.region);
            coder.span = self.span;
            coder.written = self.host_written.clone();
            for (name, text) in &self.scalars {
                coder.names.insert(name.clone(), Binding::Scalar { text: text.clone(), in_range: false });
            }
            coder.prefix = "Host{in}.";
            let text = expression(&mut coder, expr, &self.lists)?;
            coder.prefix = "";
            coder.write_wanted(&mut self.host)?;
            self.host_written = coder.written;
            text
        };
        Ok(text)
    }

    /// Places a barrier before code that reads what operators write.
    fn prepare(&mut self, expr: &Expr) -> Result<(), Refusal> {
        // What is read of sets, queues and by functions, and the globals that are read.
        let mut reads = false;
        let mut looked: Vec<Name> = Vec::new();
        let mut impure = None;
        let (module, cells) = (self.region.module, &self.region.cells);
        walk::walk_expr(expr, &mut |e| match &e.kind {
            ExprKind::Element { vector, .. } => {
                match vector.place_root().filter(|name| module.global(name).is_some()) {
                    Some(name) => looked.push(name.clone()),
                    None => reads = true,
                }
            }
            ExprKind::Var(name) if cells.contains(name) => looked.push(name.clone()),
            ExprKind::Builtin(Builtin::VertexSetSize | Builtin::QueueFinished | Builtin::QueueFinishedNode, _) => {
                reads = true;
            }
            ExprKind::Call { function, .. } => {
                reads = true;
                for name in closure(module, [function.name.clone()]) {
                    let body = module.function(&name).and_then(|f| f.body.as_ref());
                    if let Some(body) = body {
                        let effects = Effects::of(module, body);
                        looked.extend(effects.reads.iter().cloned());
                        if effects.outside || effects.writes.iter().any(|n| module.global(n).is_some()) {
                            impure = Some(name);
                        }
                    }
                }
            }
            ExprKind::Reduce { .. } | ExprKind::CompareAndSwap { .. } | ExprKind::PriorityUpdate { .. } => {
                impure = Some("this".into());
            }
            _ => {}
        });
        if let Some(name) = impure {
            return Err(self.refuse(format!("`{name}` changes data outside operators")));
        }
        if reads || looked.iter().any(|name| self.pending.changes(name)) {
            self.settle();
        }
        self.looked.extend(looked);
        // A question about a vertex in a queue needs the best bucket, which all threads find together.
        let mut nodes: Vec<Name> = Vec::new();
        walk::walk_expr(expr, &mut |e| {
            if let ExprKind::Builtin(Builtin::QueueFinishedNode, args) = &e.kind {
                nodes.extend(args[0].as_var().cloned());
            }
        });
        for queue in nodes {
            self.settle_dequeued();
            let q = self.queue(&queue)?;
            self.region.cooperative = true;
            let near = self.near(&queue);
            self.code.line(format!("gw::find_best(run, {q}, {near}, live());"));
        }
        Ok(())
    }

    pub(super) fn place(&mut self, target: &Expr) -> Result<String, Refusal> {
        if let ExprKind::Element { index, .. } = &target.kind {
            self.prepare(index)?;
        }
        let mut coder = Coder::new(self.region);
        coder.span = self.span;
        for (name, text) in &self.scalars {
            coder.names.insert(name.clone(), Binding::Scalar { text: text.clone(), in_range: false });
        }
        coder.place(target)
    }

    /// A write to a global by one thread, after all threads have read what was there.
    pub(super) fn write_by_one(&mut self, name: Option<&Name>, text: &str) -> Result<(), Refusal> {
        // A parameter may be another name of a global.
        let name = name.filter(|name| self.region.module.global(name).is_some());
        let waits = name.is_none_or(|name| self.looked.contains(name) || self.pending.touches(name));
        if waits {
            self.pending = Pending::Anything;
            self.settle();
        }
        self.code.line(format!("if (run.grid.first()) {text}"));
        self.expect(name.map_or(Pending::Anything, Pending::write));
        Ok(())
    }
}

/// A scalar expression of uniform code: sizes of sets and questions to queues besides what functions know.
fn expression(coder: &mut Coder<'_, '_>, expr: &Expr, lists: &[Name]) -> Result<String, Refusal> {
    // What only uniform code may ask is replaced by names that are bound to its code.
    let mut replaced = expr.clone();
    let mut failure = None;
    let mut count = 0;
    walk::walk_expr_mut(&mut replaced, &mut |e| {
        let ExprKind::Builtin(builtin, args) = &e.kind else { return };
        let text = match builtin {
            Builtin::VertexSetSize => match &args[0].kind {
                ExprKind::Var(name) if coder.region.module.global(name).is_some_and(|g| g.universe) => {
                    coder.region.require(Requirement::All(name.clone()));
                    "(int)run.vertices()".to_string()
                }
                ExprKind::Var(name) => format!("(int)run.size({})", c_name(name)),
                _ => return,
            },
            Builtin::ListSize => match args[0].as_var() {
                Some(name) if lists.contains(name) => format!("(int){}_depth", c_name(name)),
                _ => return,
            },
            Builtin::QueueFinished | Builtin::QueueFinishedNode => {
                let Some(name) = args[0].as_var().cloned() else { return };
                let queue = match coder.region.queue(&name) {
                    Ok(queue) => queue,
                    Err(reason) => {
                        failure = Some(coder.refuse(reason));
                        return;
                    }
                };
                match builtin {
                    Builtin::QueueFinished => format!("gw::finished({queue})"),
                    _ => match coder.value(&args[1]) {
                        Ok(vertex) => {
                            let (fault, line) = (coder.fault(), coder.span.line);
                            coder.region.require(Requirement::Queue(name));
                            let vertex = format!("gw::checked_vertex({fault}, {vertex}, run.vertices(), {line})");
                            format!("gw::finished_node({queue}, {vertex}, {fault}, {line})")
                        }
                        Err(refusal) => {
                            failure = Some(refusal);
                            return;
                        }
                    },
                }
            }
            _ => return,
        };
        count += 1;
        let name: Name = format!("uniform {count}").as_str().into();
        coder.names.insert(name.clone(), Binding::Scalar { text, in_range: false });
        e.kind = ExprKind::Var(name);
    });
    match failure {
        Some(refusal) => Err(refusal),
        None => coder.value(&replaced),
    }
}
