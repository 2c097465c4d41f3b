//! A generator of well-formed modules from a list of bytes, which proptest can shrink.
mod exprs;
mod operators;
mod stmts;

use gw_ir::expr::{BinaryOp, Expr, ExprKind};
use gw_ir::meta::{Extra, GlobalMeta, Value};
use gw_ir::module::{Context, Function, FunctionKind, Global, GlobalInit, Module, Param};
use gw_ir::source::{Name, Span};
use gw_ir::stmt::{Stmt, StmtKind};
use gw_ir::types::{Domain, Scalar, Type};

/// Draws choices; when the bytes are used up it draws zeros, which pick the simplest alternative.
pub struct Gen<'c> {
    choices: &'c [u8],
    at: usize,
    counter: usize,
    /// Names visible in the present function with their types.
    pub scope: Vec<(Name, Type)>,
    pub in_function: bool,
    pub has_out: bool,
    pub loops: usize,
}

pub fn vertex() -> Type {
    Type::Vertex("Node".into())
}
pub fn set() -> Type {
    Type::VertexSet("Node".into())
}
pub fn graph(weight: Option<Scalar>) -> Type {
    Type::EdgeSet { edge: "Link".into(), source: "Node".into(), target: "Node".into(), weight }
}
pub fn per_node(item: Type) -> Type {
    Type::Vector { domain: Domain::Element("Node".into()), item: Box::new(item) }
}
pub fn per_link(item: Type) -> Type {
    Type::Vector { domain: Domain::Element("Link".into()), item: Box::new(item) }
}
pub fn fixed(n: u32, item: Type) -> Type {
    Type::Vector { domain: Domain::Fixed(n), item: Box::new(item) }
}
pub fn queue() -> Type {
    Type::PriorityQueue { element: "Node".into(), priority: Scalar::Int }
}
pub fn list(item: Type) -> Type {
    Type::List(Box::new(item))
}

/// The globals that every generated module has.
pub fn globals() -> Vec<(&'static str, Type)> {
    vec![
        ("links", graph(None)),
        ("roads", graph(Some(Scalar::Int))),
        ("nodes", set()),
        ("seen", set()),
        ("hops", per_node(Type::INT)),
        ("rank", per_node(Type::Scalar(Scalar::Double))),
        ("parent", per_node(vertex())),
        ("pair", per_node(fixed(2, Type::Scalar(Scalar::Float)))),
        ("kept", per_link(Type::BOOL)),
        ("flags", fixed(3, Type::BOOL)),
        ("n", Type::INT),
        ("u", Type::Scalar(Scalar::Uint)),
        ("big", Type::Scalar(Scalar::Uint64)),
        ("f", Type::Scalar(Scalar::Float)),
        ("d", Type::Scalar(Scalar::Double)),
        ("yes", Type::BOOL),
        ("file", Type::STRING),
        ("pq", queue()),
        ("sets", list(set())),
        ("ints", list(Type::INT)),
        ("members", list(vertex())),
    ]
}

impl<'c> Gen<'c> {
    pub fn pick(&mut self, n: usize) -> usize {
        let byte = self.choices.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(byte) % n
    }
    pub fn coin(&mut self) -> bool {
        self.pick(2) == 1
    }
    pub fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.pick(all.len())].clone()
    }
    /// Nothing, mostly; or one of these.
    pub fn maybe<T: Clone>(&mut self, all: &[T]) -> Option<T> {
        if self.coin() { Some(self.of(all)) } else { None }
    }
    pub fn fresh(&mut self, base: &str) -> Name {
        self.counter += 1;
        format!("{base}{}", self.counter).as_str().into()
    }
    pub fn exhausted(&self) -> bool {
        self.at >= self.choices.len()
    }
    pub fn extra(&mut self) -> Extra {
        let mut extra = Extra::default();
        if self.pick(5) == 4 {
            let value = match self.pick(4) {
                0 => Value::Bool(self.coin()),
                1 => Value::Int(self.pick(256) as i64 - 100),
                2 => Value::Float(self.pick(256) as f64 / 8.0 - 10.0),
                _ => Value::Text("a \"quoted\"\n\\ text \u{7}é".into()),
            };
            let machine = self.of(&["gpu", "cpu"]);
            extra.set(machine, "note", value);
        }
        extra
    }
}

fn function(
    name: &str,
    kind: FunctionKind,
    captures: &[(&str, Type)],
    params: &[(&str, Type)],
    result: Option<(&str, Type)>,
) -> Function {
    let param = |(name, ty): &(&str, Type)| Param { name: (*name).into(), ty: ty.clone() };
    Function {
        name: name.into(),
        kind,
        context: Context::None,
        captures: captures.iter().map(param).collect(),
        params: params.iter().map(param).collect(),
        result: result.as_ref().map(param),
        body: (kind != FunctionKind::Extern).then(Vec::new),
        span: Span::NONE,
        extra: Extra::default(),
    }
}

/// Signatures of the functions that operators can name.
fn functions() -> Vec<Function> {
    use FunctionKind::*;
    let (v, int) = (vertex, || Type::INT);
    vec![
        function("edge", User, &[], &[("src", v()), ("dst", v())], None),
        function("edge_w", User, &[], &[("src", v()), ("dst", v()), ("w", int())], None),
        function(
            "edge_out",
            User,
            &[("k", int()), ("vec", per_node(int()))],
            &[("src", v()), ("dst", v()), ("out", set())],
            None,
        ),
        function("edge_bool", User, &[], &[("src", v()), ("dst", v())], Some(("ok", Type::BOOL))),
        function("test", User, &[("k", int())], &[("v", v())], Some(("ok", Type::BOOL))),
        function("visit", User, &[], &[("v", v())], None),
        function("helper", User, &[], &[("x", int()), ("y", Type::Scalar(Scalar::Float))], Some(("z", int()))),
        function("judge", Extern, &[], &[("s", set())], Some(("r", set()))),
        function("entry", Export, &[], &[("g", graph(None))], Some(("r", Type::Scalar(Scalar::Double)))),
        function("main", Main, &[], &[], None),
    ]
}

pub fn module(choices: &[u8]) -> Module {
    let mut g = Gen { choices, at: 0, counter: 0, scope: Vec::new(), in_function: false, has_out: false, loops: 0 };
    let mut module = Module { elements: vec!["Node".into(), "Link".into()], ..Module::default() };
    for (name, ty) in globals() {
        let init = match (&ty, g.pick(4)) {
            (Type::Vector { .. }, 1) => Some(GlobalInit::PerEntry(g.expr(ty.leaf(), 2))),
            (_, 2) => g.value(&ty, 2).map(GlobalInit::Value),
            _ => None,
        };
        let fused = matches!(ty, Type::Vector { .. }) && g.pick(4) == 3;
        let meta = GlobalMeta { fused_into: fused.then(|| "a struct".into()), extra: g.extra() };
        module.globals.push(Global { name: name.into(), universe: name == "nodes", ty, init, span: Span::NONE, meta });
    }
    module.startup = g.block(1);
    for mut f in functions() {
        g.scope = f.captures.iter().chain(&f.params).chain(&f.result).map(|p| (p.name.clone(), p.ty.clone())).collect();
        g.in_function = f.kind == FunctionKind::User;
        g.has_out = &*f.name == "edge_out";
        f.context = g.of(&[Context::None, Context::Host, Context::Device, Context::Both]);
        f.extra = g.extra();
        if f.body.is_some() {
            f.body = Some(g.block(if f.kind == FunctionKind::Main { 3 } else { 1 }));
        }
        module.functions.push(f);
    }
    // One chain of operators without parentheses to keep the printer's own parentheses honest.
    if let Some(main) = module.functions.iter_mut().find(|f| f.kind == FunctionKind::Main) {
        let n = || Expr::var("n", Type::INT);
        let sum = Expr::binary(BinaryOp::Sub, n(), Expr::binary(BinaryOp::Sub, n(), Expr::int(-3)));
        let stmt = Stmt::new(StmtKind::Print(Expr::new(ExprKind::Convert(Box::new(sum)), Type::Scalar(Scalar::Float))));
        main.body.get_or_insert_default().push(stmt);
    }
    module
}
