//! Expressions of a wanted type.
use super::*;
use gw_ir::builtin::Builtin;
use gw_ir::expr::{FunctionRef, PriorityOp, PriorityQueueAlloc, ReduceOp, UnaryOp};
use gw_ir::meta::*;
use gw_ir::typing::builtin_type;
use gw_schedule::{Number, Param};

impl Gen<'_> {
    pub fn number(&mut self) -> Number {
        if self.coin() { Param::Value(self.pick(256) as u64 + 1) } else { Param::Argv(self.pick(9) as u32) }
    }

    pub fn queue_meta(&mut self) -> QueueMeta {
        use QueueKind::*;
        QueueMeta {
            kind: self.maybe(&[Lazy, Eager, EagerMerge, ConstantSum, NearFar]),
            update: self.maybe(&[PriorityOp::Min, PriorityOp::Max, PriorityOp::Sum]),
            delta: if self.coin() { Some(self.number()) } else { None },
            merge_threshold: if self.coin() { Some(self.number()) } else { None },
            open_buckets: if self.coin() { Some(self.number()) } else { None },
            all_in_buckets: self.coin(),
            extra: self.extra(),
        }
    }

    fn update_meta(&mut self, deferred: bool) -> UpdateMeta {
        UpdateMeta { atomic: self.coin(), deferred: deferred && self.coin(), extra: self.extra() }
    }

    /// A variable of exactly this type: of the scope, or a global.
    pub fn var(&mut self, ty: &Type) -> Option<Expr> {
        let mut names: Vec<Name> = globals().into_iter().filter(|(_, t)| t == ty).map(|(n, _)| n.into()).collect();
        names.extend(self.scope.iter().filter(|(_, t)| t == ty).map(|(n, _)| n.clone()));
        if names.is_empty() {
            return None;
        }
        let name = self.of(&names);
        Some(Expr::var(name, ty.clone()))
    }

    fn access(&mut self) -> Option<Access> {
        let sharing = self.maybe(&[Sharing::Local, Sharing::Shared])?;
        let mode = self.of(&[AccessMode::Read, AccessMode::Write, AccessMode::ReadWrite]);
        Some(Access { sharing, mode })
    }

    /// A vector element whose entry has this type.
    pub fn element(&mut self, item: &Type, depth: usize) -> Option<Expr> {
        let mut vectors: Vec<(Name, Type)> = globals().into_iter().map(|(n, t)| (n.into(), t)).collect();
        vectors.extend(self.scope.iter().cloned());
        vectors.retain(|(_, t)| t.item() == Some(item) || t.item().and_then(Type::item) == Some(item));
        if vectors.is_empty() {
            return None;
        }
        let (name, ty) = self.of(&vectors);
        let mut expr = Expr::var(name, ty);
        while expr.ty != *item {
            let index = match self.pick(3) {
                0 if depth > 0 && expr.ty == per_link(Type::BOOL) => {
                    let args = vec![self.expr(&graph(None), 0), self.expr(&vertex(), 0), self.expr(&vertex(), 0)];
                    self.built(Builtin::EdgeIndex, args)
                }
                1 => self.expr(&vertex(), depth),
                _ => self.expr(&Type::INT, depth),
            };
            expr = Expr::element(expr, index);
        }
        if let ExprKind::Element { access, .. } = &mut expr.kind {
            *access = self.access();
        }
        Some(expr)
    }

    pub fn place(&mut self, ty: &Type, depth: usize) -> Option<Expr> {
        if self.coin() { self.element(ty, depth).or_else(|| self.var(ty)) } else { self.var(ty) }
    }

    fn literal(&mut self, ty: &Type) -> Expr {
        let byte = self.pick(256) as i64;
        let kind = match ty.scalar() {
            Some(Scalar::Int) if matches!(ty, Type::Scalar(_)) => {
                ExprKind::Int(if self.coin() { byte - 128 } else { i64::from(i32::MIN) + byte })
            }
            Some(Scalar::Uint) => ExprKind::Int(i64::from(u32::MAX) - byte),
            Some(Scalar::Uint64) => ExprKind::Int(i64::MAX - byte),
            Some(Scalar::Float | Scalar::Double) => {
                ExprKind::Float([0.0, 1e-7, -2.5, 1e300, 123456789.125][self.pick(5)] * (byte as f64 + 1.0).min(7.0))
            }
            Some(Scalar::Bool) => ExprKind::Bool(byte % 2 == 1),
            Some(Scalar::String) => ExprKind::Str("graph \"é\"\t.el\n".into()),
            _ => unreachable!("no literal of {ty}"),
        };
        Expr::new(kind, ty.clone())
    }

    fn built(&mut self, builtin: Builtin, args: Vec<Expr>) -> Expr {
        let ty = builtin_type(builtin, &args).unwrap();
        Expr::new(ExprKind::Builtin(builtin, args), ty)
    }

    /// A scalar, vertex or reference expression of exactly this type.
    pub fn expr(&mut self, ty: &Type, depth: usize) -> Expr {
        if ty.is_reference() {
            return match self.var(ty) {
                Some(var) => var,
                None => self.value(ty, depth).expect("every type has a value"),
            };
        }
        if let Type::Vertex(_) = ty {
            let choice = self.pick(4);
            if depth > 0 && choice == 1 {
                let mut args = vec![self.expr(&graph(None), 0), self.expr(&Type::INT, depth - 1)];
                let builtin = self.of(&[Builtin::RandomOutNeighbor, Builtin::RandomInNeighbor, Builtin::OutNeighbor]);
                if builtin == Builtin::OutNeighbor {
                    args.push(self.expr(&Type::INT, depth - 1));
                }
                return self.built(builtin, args);
            }
            if depth > 0 && choice == 0 {
                let args = vec![self.expr(&graph(None), 0), self.expr(&Type::STRING, 0)];
                return self.built(Builtin::FindVertex, args);
            }
            if let (true, Some(var)) = (choice > 1, self.var(ty)) {
                return var;
            }
            let index = Expr::int(self.pick(100) as i64);
            return Expr::element(Expr::var("parent", per_node(vertex())), index);
        }
        if depth == 0 || self.exhausted() {
            return if self.coin() { self.var(ty).unwrap_or_else(|| self.literal(ty)) } else { self.literal(ty) };
        }
        match self.pick(8) {
            0 => self.literal(ty),
            1 => self.var(ty).unwrap_or_else(|| self.literal(ty)),
            2 => self.element(ty, depth - 1).unwrap_or_else(|| self.literal(ty)),
            3 if !matches!(ty, Type::Scalar(Scalar::String)) => {
                let from =
                    self.of(&[Scalar::Int, Scalar::Uint, Scalar::Uint64, Scalar::Float, Scalar::Double, Scalar::Bool]);
                let inner = self.expr(&Type::Scalar(from), depth - 1);
                Expr::new(ExprKind::Convert(Box::new(inner)), ty.clone())
            }
            4 => self.special(ty, depth - 1).unwrap_or_else(|| self.literal(ty)),
            _ if ty.is_numeric() => self.arithmetic(ty, depth - 1),
            _ if ty.is_bool() => self.boolean(depth - 1),
            _ => self.literal(ty),
        }
    }

    fn arithmetic(&mut self, ty: &Type, depth: usize) -> Expr {
        match self.pick(4) {
            0 => {
                let inner = Box::new(self.expr(ty, depth));
                Expr::new(ExprKind::Unary(UnaryOp::Neg, inner), ty.clone())
            }
            1 => {
                let args = vec![self.expr(ty, depth), self.expr(ty, depth)];
                let any = [Builtin::Min, Builtin::Max, Builtin::Mod];
                let bits = [Builtin::BitAnd, Builtin::BitOr, Builtin::BitXor, Builtin::ShiftLeft, Builtin::ShiftRight];
                let builtin = match ty.scalar().is_some_and(Scalar::is_whole) && self.coin() {
                    true => self.of(&bits),
                    false => self.of(&any),
                };
                self.built(builtin, args)
            }
            _ => {
                let op = self.of(&[BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div]);
                let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
                Expr::binary(op, a, b)
            }
        }
    }

    fn boolean(&mut self, depth: usize) -> Expr {
        match self.pick(4) {
            0 => Expr::negated(self.expr(&Type::BOOL, depth)),
            1 => {
                let op = self.of(&[BinaryOp::And, BinaryOp::Or, BinaryOp::Xor]);
                let (a, b) = (self.expr(&Type::BOOL, depth), self.expr(&Type::BOOL, depth));
                Expr::binary(op, a, b)
            }
            _ => {
                let op = self.of(&[BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge]);
                let ty = self.of(&[Type::INT, vertex(), Type::Scalar(Scalar::Double), Type::Scalar(Scalar::Uint)]);
                let (a, b) = (self.expr(&ty, depth), self.expr(&ty, depth));
                Expr::binary(op, a, b)
            }
        }
    }

    /// Calls, built-ins and updates that give this type.
    fn special(&mut self, ty: &Type, depth: usize) -> Option<Expr> {
        let g = graph(None);
        Some(match ty.scalar()? {
            Scalar::Int => match self.pick(12) {
                0 => {
                    let args = vec![self.expr(&Type::INT, depth), self.expr(&Type::Scalar(Scalar::Float), depth)];
                    Expr::new(ExprKind::Call { function: FunctionRef::plain("helper"), args }, Type::INT)
                }
                1 => {
                    let s = self.expr(&Type::STRING, depth);
                    self.built(Builtin::Atoi, vec![s])
                }
                2 => {
                    let of = if self.coin() { self.expr(&g, 0) } else { Expr::var("nodes", set()) };
                    self.built(Builtin::VertexCount, vec![of])
                }
                3 if self.coin() => {
                    let roads = Expr::var("roads", graph(Some(Scalar::Int)));
                    let args = vec![roads, self.expr(&vertex(), depth), self.expr(&Type::INT, depth)];
                    self.built(Builtin::OutWeight, args)
                }
                3 => {
                    let args = vec![self.expr(&g, 0), self.expr(&vertex(), depth)];
                    self.built(Builtin::OutDegree, args)
                }
                4 => {
                    let s = self.expr(&set(), 0);
                    self.built(Builtin::VertexSetSize, vec![s])
                }
                5 if self.coin() => {
                    let links = Expr::var("links", graph(None));
                    let vector = match self.pick(5) {
                        4 => {
                            let weighted = self.var(&graph(Some(Scalar::Int)))?;
                            self.built(Builtin::EdgeWeights, vec![weighted])
                        }
                        0 => self.built(Builtin::LinkNumbers, vec![links.clone(), links]),
                        1 => {
                            let loops = self.built(Builtin::LinkLoops, vec![links]);
                            self.built(Builtin::FirstEdges, vec![loops])
                        }
                        _ => {
                            let ends = self.of(&[Builtin::EdgeSources, Builtin::EdgeTargets]);
                            self.built(ends, vec![links])
                        }
                    };
                    self.built(Builtin::VectorCount, vec![vector])
                }
                5 => {
                    let v = Expr::var("hops", per_node(Type::INT));
                    use Builtin::*;
                    let builtin = self.of(&[VectorSum, VectorMax, VectorMin, VectorCount, VectorArgMax, VectorArgMin]);
                    self.built(builtin, vec![v])
                }
                6 if self.coin() => {
                    let args = vec![Expr::var("ints", list(Type::INT)), self.expr(&Type::INT, depth)];
                    self.built(Builtin::ListGet, args)
                }
                6 => {
                    let l = Expr::var("ints", list(Type::INT));
                    let builtin = self.of(&[Builtin::ListPop, Builtin::ListSize]);
                    self.built(builtin, vec![l])
                }
                7 if self.coin() => self.built(Builtin::Threads, Vec::new()),
                7 => self.built(Builtin::CurrentPriority, vec![Expr::var("pq", queue())]),
                8 => {
                    let mut args = vec![
                        self.expr(&set(), 0),
                        self.expr(&set(), 0),
                        self.expr(&Type::INT, depth),
                        self.expr(&Type::INT, depth),
                    ];
                    if self.coin() {
                        args.push(self.expr(&vertex(), depth));
                    }
                    let meta = self.intersection();
                    Expr::new(ExprKind::Intersection { args, meta }, Type::INT)
                }
                9 => {
                    let args = vec![self.expr(&g, 0), self.expr(&vertex(), depth), self.expr(&vertex(), depth)];
                    let meta = self.intersection();
                    Expr::new(ExprKind::IntersectNeighbor { args, meta }, Type::INT)
                }
                10 => {
                    let args = vec![self.expr(&g, 0), self.expr(&Type::STRING, 0), self.expr(&Type::STRING, 0)];
                    let builtin = self.of(&[Builtin::EdgeCode, Builtin::VertexCode]);
                    self.built(builtin, args)
                }
                _ => {
                    let x = self.expr(&Type::INT, depth);
                    let builtin = self.of(&[Builtin::Abs, Builtin::BitNot, Builtin::PopCount]);
                    self.built(builtin, vec![x])
                }
            },
            Scalar::Uint64 if self.coin() => {
                let of = self.expr(&g, 0);
                self.built(Builtin::EdgeCount, vec![of])
            }
            Scalar::Uint64 => {
                let args = (0..3).map(|_| self.expr(ty, depth)).collect();
                self.built(Builtin::RandomBits, args)
            }
            Scalar::Float => match self.pick(3) {
                0 => self.built(Builtin::StopTimer, Vec::new()),
                1 => {
                    let args = vec![self.expr(ty, depth), self.expr(ty, depth)];
                    self.built(Builtin::Pow, args)
                }
                _ => {
                    let x = self.expr(ty, depth);
                    let builtin = self.of(&[Builtin::Floor, Builtin::Log, Builtin::Exp, Builtin::Sqrt]);
                    self.built(builtin, vec![x])
                }
            },
            Scalar::Double => {
                let s = self.expr(&Type::STRING, depth);
                match self.coin() {
                    true => self.built(Builtin::Atof, vec![s]),
                    false => Expr::new(ExprKind::Convert(Box::new(self.built(Builtin::Date, vec![s]))), ty.clone()),
                }
            }
            Scalar::String => match self.pick(3) {
                0 => {
                    let x = self.expr(&Type::Scalar(Scalar::Double), depth);
                    self.built(Builtin::Text, vec![x])
                }
                1 => {
                    let parts = vec![self.expr(ty, depth), self.expr(ty, depth)];
                    self.built(Builtin::Join, parts)
                }
                _ => {
                    let i = self.expr(&Type::INT, depth);
                    self.built(Builtin::Argv, vec![i])
                }
            },
            Scalar::Bool => return self.update(depth),
            _ => return None,
        })
    }

    fn intersection(&mut self) -> IntersectionMeta {
        use IntersectionKind::*;
        IntersectionMeta { kind: self.maybe(&[Naive, Hiroshi, Multiskip, Combined, BinarySearch]), extra: self.extra() }
    }

    /// Updates, whose value is whether they changed something.
    pub fn update(&mut self, depth: usize) -> Option<Expr> {
        let ty = self.of(&[Type::INT, Type::Scalar(Scalar::Float), Type::Scalar(Scalar::Double), vertex()]);
        let kind = match self.pick(5) {
            0 => {
                let target = self.element(&ty, depth)?.into();
                let (expect, value) = (self.expr(&ty, depth).into(), self.expr(&ty, depth).into());
                ExprKind::CompareAndSwap { target, expect, value, meta: self.update_meta(false) }
            }
            1 if self.in_function => {
                let op = self.of(&[PriorityOp::Min, PriorityOp::Max, PriorityOp::Sum]);
                let bound =
                    if op == PriorityOp::Sum || self.coin() { Some(self.expr(&Type::INT, depth).into()) } else { None };
                ExprKind::PriorityUpdate {
                    op,
                    queue: Expr::var("pq", queue()).into(),
                    vertex: self.expr(&vertex(), depth).into(),
                    bound,
                    value: self.expr(&Type::INT, depth).into(),
                    meta: self.update_meta(true),
                }
            }
            2 => return Some(self.built(Builtin::QueueFinished, vec![Expr::var("pq", queue())])),
            3 => {
                let v = self.expr(&vertex(), depth);
                return Some(self.built(Builtin::QueueFinishedNode, vec![Expr::var("pq", queue()), v]));
            }
            _ => {
                let op = match ty.scalar().is_some_and(Scalar::is_whole) {
                    true => self.of(&[ReduceOp::Sum, ReduceOp::Min, ReduceOp::Max, ReduceOp::Or, ReduceOp::And]),
                    false => self.of(&[ReduceOp::Sum, ReduceOp::Min, ReduceOp::Max]),
                };
                let target = self.place(&ty, depth)?.into();
                let value = self.expr(&ty, depth).into();
                ExprKind::Reduce { op, target, value, meta: self.update_meta(false) }
            }
        };
        Some(Expr::new(kind, Type::BOOL))
    }

    /// A new object, or an operator's result, or an expression: what a declaration or assignment may hold.
    pub fn value(&mut self, ty: &Type, depth: usize) -> Option<Expr> {
        let new = |kind| Some(Expr::new(kind, ty.clone()));
        match ty {
            Type::VertexSet(_) => match self.pick(7) {
                5 => {
                    let args = vec![self.var(ty)?, self.var(ty)?];
                    let builtin = self.of(&[Builtin::SetUnion, Builtin::SetMinus]);
                    Some(self.built(builtin, args))
                }
                0 => new(ExprKind::VertexSetAlloc(Box::new(self.expr(&Type::INT, depth)))),
                1 => new(ExprKind::Universe(if self.coin() {
                    Some(Box::new(self.expr(&Type::INT, depth)))
                } else {
                    None
                })),
                2 => {
                    let args = vec![self.expr(&graph(None), 0), self.expr(&vertex(), depth)];
                    Some(self.built(Builtin::Neighbors, args))
                }
                3 => Some(self.built(Builtin::DequeueReadySet, vec![Expr::var("pq", queue())])),
                4 => {
                    let args = vec![
                        self.expr(&graph(None), 0),
                        self.expr(&set(), 0),
                        Expr::var("rank", per_node(Type::Scalar(Scalar::Double))),
                    ];
                    Some(self.built(Builtin::SerialSweepCut, args))
                }
                _ => self.var(ty),
            },
            Type::EdgeSet { weight, .. } => match self.pick(7) {
                6 => {
                    let args = vec![self.var(ty)?, self.var(ty)?];
                    let builtin = self.of(&[Builtin::InsertEdges, Builtin::DeleteEdges]);
                    Some(self.built(builtin, args))
                }
                5 if *weight == Some(Scalar::Int) => {
                    let args = vec![Expr::var("links", graph(None)), self.expr(&Type::INT, depth)];
                    Some(self.built(Builtin::Weigh, args))
                }
                0 => new(ExprKind::EdgeSetLoad(Box::new(self.expr(&Type::STRING, depth)))),
                1 => {
                    let args = vec![self.var(ty)?, Expr::var("kept", per_link(Type::BOOL))];
                    Some(self.built(Builtin::SelectEdges, args))
                }
                4 if *weight == Some(Scalar::Int) => {
                    Some(self.built(Builtin::ByNumber, vec![Expr::var("links", graph(None))]))
                }
                4 if weight.is_none() => {
                    // Whatever the element of the edges is, the builtin names them after their ends.
                    let set = Expr::new(ExprKind::Universe(None), set());
                    let ends = Expr::var("parent", per_node(vertex()));
                    let made = self.built(Builtin::MakeEdges, vec![set, ends.clone(), ends]);
                    new(ExprKind::Convert(Box::new(made)))
                }
                2 if *weight == Some(Scalar::Int) => {
                    let args = vec![Expr::var("links", graph(None)), Expr::var("parent", per_node(vertex()))];
                    Some(self.built(Builtin::Contract, args))
                }
                3 if weight.is_none() => {
                    let inner = self.var(ty)?;
                    use Builtin::*;
                    let builtin = self.of(&[Links, Undirected, Upward, Ranked]);
                    Some(self.built(builtin, vec![inner]))
                }
                _ => {
                    let inner = self.var(ty)?;
                    let builtin = self.of(&[Builtin::Transpose, Builtin::Both, Builtin::Relabel]);
                    Some(self.built(builtin, vec![inner]))
                }
            },
            Type::Vector { domain, item } => match (domain, self.pick(5)) {
                (_, 0) => new(ExprKind::VectorAlloc),
                (_, 1) => new(ExprKind::VectorFill(Box::new(self.expr(ty.leaf(), depth)))),
                (Domain::Element(_), 2) if **item == Type::INT && self.coin() => {
                    Some(self.built(Builtin::VectorRanks, vec![Expr::new(ExprKind::VectorAlloc, ty.clone())]))
                }
                (Domain::Element(_), 2)
                    if item.scalar().is_some() && *ty == per_node((**item).clone()) && self.coin() =>
                {
                    let args = vec![Expr::var("links", graph(None)), self.expr(&Type::STRING, 0)];
                    new(ExprKind::Column(args))
                }
                (Domain::Element(_), 2) => {
                    let text = self.expr(&Type::STRING, depth);
                    new(ExprKind::VectorLoad(Box::new(text)))
                }
                (Domain::Fixed(n), 2) if !item.is_reference() => {
                    let items = (0..*n).map(|_| self.expr(item, depth)).collect();
                    new(ExprKind::VectorLiteral(items))
                }
                (Domain::Element(_), 3) if **item == Type::INT => {
                    let args = vec![self.expr(&graph(None), 0)];
                    if self.coin() {
                        return Some(self.built(Builtin::RankedNumbers, args));
                    }
                    if self.coin() {
                        return Some(self.built(Builtin::OutDegrees, args));
                    }
                    let start = self.expr(&Type::INT, depth);
                    Some(self.built(Builtin::SerialMinimumSpanningTree, vec![Expr::var("links", graph(None)), start]))
                }
                _ => self.var(ty),
            },
            Type::List(item) if **item == vertex() && self.coin() => {
                let of = self.expr(&set(), 0);
                Some(self.built(Builtin::SetMembers, vec![of]))
            }
            Type::List(_) => new(ExprKind::ListAlloc),
            Type::PriorityQueue { .. } => {
                let alloc = PriorityQueueAlloc {
                    duplicates_within: self.coin(),
                    duplicates_across: self.coin(),
                    vector: "hops".into(),
                    increasing: self.coin(),
                    priority_order: self.pick(3) as i64,
                    all_vertices: self.coin(),
                    start: self.expr(&vertex(), depth),
                    meta: self.queue_meta(),
                };
                new(ExprKind::PriorityQueueAlloc(Box::new(alloc)))
            }
            _ => Some(self.expr(ty, depth)),
        }
    }
}
