//! Statements and blocks.
use super::*;
use gw_ir::bound::BoundSchedule;
use gw_ir::builtin::Builtin;
use gw_ir::expr::FunctionRef;
use gw_ir::meta::*;
use gw_ir::stmt::{Block, Decision, HybridStmt};
use gw_schedule::{Criterion, Fraction, Param, Schedule};

impl Gen<'_> {
    pub fn block(&mut self, depth: usize) -> Block {
        let visible = self.scope.len();
        let mut out = Block::new();
        for _ in 0..self.pick(7) {
            if self.exhausted() {
                break;
            }
            let kind = self.stmt(depth);
            let label = self.maybe(&["s0", "s1", "hop", "search_2:s0"]).map(Name::from);
            out.push(Stmt::new(kind).labelled(label));
        }
        self.scope.truncate(visible);
        out
    }

    fn looped(&mut self, depth: usize) -> Block {
        self.loops += 1;
        let body = self.block(depth);
        self.loops -= 1;
        body
    }

    fn effect(&mut self) -> Expr {
        let void = |kind| Expr::new(kind, Type::Void);
        let built = |b: Builtin, args: Vec<Expr>| void(ExprKind::Builtin(b, args));
        match self.pick(8) {
            0 => built(Builtin::StartTimer, Vec::new()),
            1 => built(Builtin::AddVertex, vec![self.expr(&set(), 0), self.expr(&vertex(), 1)]),
            2 => built(
                self.of(&[Builtin::ListAppend, Builtin::ListInsert]),
                vec![Expr::var("sets", list(set())), self.expr(&set(), 0)],
            ),
            3 => built(Builtin::ListRetrieve, vec![Expr::var("sets", list(set())), self.expr(&set(), 0)]),
            4 if self.has_out => {
                let meta = EnqueueMeta {
                    format: self.maybe(&[Representation::Sparse, Representation::Bitmap]),
                    dedup: self.of(&[Dedup::None, Dedup::BestEffort, Dedup::Perfect]),
                    extra: self.extra(),
                };
                void(ExprKind::EnqueueVertex { set: "out".into(), vertex: Box::new(self.expr(&vertex(), 1)), meta })
            }
            5 => {
                let args = vec![self.expr(&vertex(), 1)];
                void(ExprKind::Call { function: FunctionRef::plain("visit"), args })
            }
            _ => self.update(2).unwrap_or_else(|| built(Builtin::StartTimer, Vec::new())),
        }
    }

    fn stmt(&mut self, depth: usize) -> StmtKind {
        let types: Vec<Type> =
            globals().into_iter().map(|(_, t)| t).chain([vertex(), per_node(Type::Scalar(Scalar::Uint))]).collect();
        match self.pick(if depth == 0 { 6 } else { 13 }) {
            0 | 6 => {
                let ty = self.of(&types);
                let name = self.fresh("x");
                let init = match self.pick(3) {
                    0 => None,
                    1 if ty == set() => Some(self.set_operator().into_expr()),
                    _ if ty == per_node(Type::Scalar(Scalar::Uint)) => {
                        let args = vec![Expr::var("links", graph(None))];
                        Some(Expr::new(ExprKind::Builtin(Builtin::OutDegreesUint, args), ty.clone()))
                    }
                    _ => self.value(&ty, 3),
                };
                self.scope.push((name.clone(), ty.clone()));
                StmtKind::VarDecl { name, ty, init }
            }
            1 => {
                let ty = self.of(&types);
                match self.place(&ty, 2) {
                    Some(target) => {
                        let value = if ty == set() && self.coin() {
                            Some(self.set_operator().into_expr())
                        } else {
                            self.value(&ty, 3)
                        };
                        value.map_or(StmtKind::Scope(Block::new()), |value| StmtKind::Assign { target, value })
                    }
                    None => StmtKind::Scope(Block::new()),
                }
            }
            2 => StmtKind::Eval(self.plain_operator().into_expr()),
            3 => StmtKind::Eval(self.effect()),
            4 => {
                let ty = self.of(&[Type::INT, Type::STRING, Type::BOOL, vertex()]);
                StmtKind::Print(self.expr(&ty, 3))
            }
            5 if self.loops > 0 => StmtKind::Break,
            5 => StmtKind::Delete(self.expr(&set(), 0)),
            7 => StmtKind::If {
                condition: self.expr(&Type::BOOL, 3),
                then: self.block(depth - 1),
                otherwise: self.block(depth - 1),
            },
            8 => StmtKind::While {
                condition: self.expr(&Type::BOOL, 3),
                body: self.looped(depth - 1),
                meta: self.while_meta(),
            },
            9 => StmtKind::DoWhile { body: self.looped(depth - 1), condition: self.expr(&Type::BOOL, 3) },
            10 => {
                let (low, high) = (self.expr(&Type::INT, 2), self.expr(&vertex(), 2));
                let var = self.fresh("i");
                self.scope.push((var.clone(), Type::INT));
                let body = self.looped(depth - 1);
                self.scope.pop();
                let meta =
                    ForMeta { grain_size: if self.coin() { Some(self.number()) } else { None }, extra: self.extra() };
                if self.coin() {
                    StmtKind::For { var, low, high, body, meta }
                } else {
                    StmtKind::ParFor { var, low, high, body, meta }
                }
            }
            11 => StmtKind::Scope(self.block(depth - 1)),
            _ => self.hybrid(depth - 1),
        }
    }

    fn while_meta(&mut self) -> WhileMeta {
        let fusable = self.maybe(&[true, false]);
        WhileMeta {
            needs_fusion: fusable == Some(true) && self.coin(),
            fusable,
            why_not: (fusable == Some(false)).then(|| "it prints".to_string()),
            hoisted: if self.coin() { vec!["n".into(), "seen".into()] } else { Vec::new() },
            queues: if self.coin() { vec!["pq".into()] } else { Vec::new() },
            path: self.path(),
            schedule: self.schedule(),
            extra: self.extra(),
        }
    }

    fn hybrid(&mut self, depth: usize) -> StmtKind {
        let (decision, count) = if self.coin() {
            let criterion = self.of(Criterion::ALL);
            let fraction = Fraction::new(self.pick(200) as f64 / 1000.0).unwrap();
            let threshold = if self.coin() { Param::Value(fraction) } else { Param::Argv(3) };
            (Decision::Threshold { criterion, threshold }, 2)
        } else {
            let schedule: Schedule = "adaptive,by=tree.bfs+push+pull+push,lb=wm".parse().unwrap();
            let tree = self.coin().then(|| {
                let text = "(frontier-edges-share<=0.05?0:(iteration<=3?{0,2}:1!));cost=0.5,0,1,0,2,0.25";
                std::sync::Arc::new(text.parse::<gw_schedule::Tree>().unwrap())
            });
            (Decision::Chooser { schedule: BoundSchedule::new(schedule), tree }, 3)
        };
        let frontier = if self.coin() { Some(self.expr(&set(), 0)) } else { None };
        let variants = (0..count).map(|_| self.block(depth)).collect();
        StmtKind::Hybrid(HybridStmt {
            decision,
            frontier,
            graph: Expr::var("links", graph(None)),
            variants,
            extra: self.extra(),
        })
    }
}
