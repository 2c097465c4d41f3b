//! Lowering: from the checked program of `gw-lang` to GraphIR.
//!
//! Meaning is carried over one to one. Four things change: ids become unique names (a shadowed `x` becomes `x_2`),
//! operators that stand inside larger expressions get a temporary of their own, calls of functions that run operators
//! become the bodies of these, and every priority operator learns which queue it works on.

mod body;
mod constants;
mod expr;
mod groups;
mod operator;
mod repeat;
mod stmt;

pub(crate) use stmt::empty_value;

use crate::expr::{Expr, ExprKind};
use crate::meta::{Extra, GlobalMeta};
use crate::module::{Context, Function, FunctionKind, Global, GlobalInit, Module, Param};
use crate::source::{Name, Span};
use crate::stmt::Block;
use crate::types::{Domain, Type};
use gw_lang::inlined::{Allowance, Inlined};
use gw_lang::typed::{self, FuncKind, Init, TypedProgram};
use gw_lang::types as lang;
use std::collections::{HashMap, HashSet};

/// A program that the language allows but GraphIR cannot say.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("line {}: {problem}", span.line)]
pub struct LowerError {
    /// Where in the source.
    pub span: Span,
    /// What is wrong.
    pub problem: LowerProblem,
}

/// The kinds of problems.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LowerProblem {
    /// An operator inside a loop condition, loop bound, initialiser per entry or the right side of `and`/`or`.
    #[error("an operator cannot stand {0}: bind its result to a variable first")]
    OperatorPosition(&'static str),
    /// A priority operator whose function updates no queue, when the program does not have exactly one.
    #[error("cannot tell which priority queue this operator works on")]
    NoQueue,
    /// A built-in with arguments that GraphIR does not know; the type checker admits none.
    #[error("{0}")]
    Builtin(String),
}

/// Lowers a checked program. `source` is the text it was parsed from; it gives spans their line numbers.
pub fn lower(program: &TypedProgram, source: &str) -> Result<Module, LowerError> {
    let mut lowering = Lowering {
        program,
        lines: source.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i).collect(),
        reserved: program
            .globals
            .iter()
            .map(|g| g.name.as_str())
            .chain(program.functions.iter().map(|f| f.name.as_str()))
            .map(Name::from)
            .collect(),
        function: None,
        id: lang::FuncId(0),
        names: Vec::new(),
        taken: HashSet::new(),
        left: Vec::new(),
        made: Vec::new(),
        makers: HashMap::new(),
        inlined: Inlined::of(program),
        allowance: Allowance::default(),
        is_host: false,
        in_statement: true,
        scope: None,
        labelled: 0,
        copied: HashSet::new(),
        reassigned: body::reassigned(program),
        constants: constants::constants(program),
        universes: program.globals.iter().filter(|g| g.universe).map(|g| g.name.as_str().into()).collect(),
    };
    lowering.module()
}

/// The state of the lowering.
struct Lowering<'p> {
    program: &'p TypedProgram,
    /// Offsets of line ends.
    lines: Vec<usize>,
    /// Names of globals and functions, which locals must not take.
    reserved: HashSet<Name>,
    /// The function being lowered, or whose body is put in place of a call.
    function: Option<&'p typed::Function>,
    /// Its number.
    id: lang::FuncId,
    /// Name of each of its locals.
    names: Vec<Name>,
    /// All names in use in it.
    taken: HashSet<Name>,
    /// The loops around the present statement. For a loop whose body became a loop of one round: the variable by
    /// which a `break` says that the loop itself ends.
    left: Vec<Option<Name>>,
    /// Functions that the program does not have: those of operators over groups.
    made: Vec<Function>,
    /// For each of them the function that it was made for.
    makers: HashMap<Name, Name>,
    /// The calls that stand for bodies.
    inlined: Inlined,
    /// What their copies may still cost.
    allowance: Allowance,
    /// The present function is one that machines begin with: only there calls become bodies.
    is_host: bool,
    /// Statements can be put in front of the present expression.
    in_statement: bool,
    /// What comes before the outermost labels of the present body.
    scope: Option<String>,
    /// Labelled statements around the present one in its function.
    labelled: usize,
    /// Functions whose bodies stand in place of calls.
    copied: HashSet<Name>,
    /// Globals that are assigned as a whole.
    reassigned: HashSet<Name>,
    /// The values of globals that are constants.
    constants: Vec<Option<Expr>>,
    /// Globals that stand for all vertices.
    universes: HashSet<Name>,
}

type Lower<T> = Result<T, LowerError>;

impl<'p> Lowering<'p> {
    fn span(&self, span: gw_lang::Span) -> Span {
        let line = self.lines.partition_point(|end| *end < span.start) + 1;
        Span { start: span.start as u32, end: span.end as u32, line: line as u32 }
    }

    fn fail<T>(&self, span: gw_lang::Span, problem: LowerProblem) -> Lower<T> {
        Err(LowerError { span: self.span(span), problem })
    }

    fn element(&self, id: lang::ElemId) -> Name {
        self.program.element(id).name.as_str().into()
    }

    fn ty(&self, ty: &lang::Type) -> Type {
        match ty {
            lang::Type::Void => Type::Void,
            lang::Type::Scalar(s) => Type::Scalar(*s),
            lang::Type::Element(e) => Type::Vertex(self.element(*e)),
            lang::Type::VertexSet(e) => Type::VertexSet(self.element(*e)),
            lang::Type::EdgeSet(set) => Type::EdgeSet {
                edge: self.element(set.edge),
                source: self.element(set.src),
                target: self.element(set.dst),
                weight: set.weight,
            },
            lang::Type::Vector { index, item } => Type::Vector {
                domain: match index {
                    lang::IndexKind::Element(e) => Domain::Element(self.element(*e)),
                    lang::IndexKind::Fixed(n) => Domain::Fixed(*n),
                    lang::IndexKind::Counted(id) => Domain::Counted(self.program.global(*id).name.as_str().into()),
                },
                item: Box::new(self.ty(item)),
            },
            lang::Type::List(item) => Type::List(Box::new(self.ty(item))),
            lang::Type::PriorityQueue { elem, priority } => {
                Type::PriorityQueue { element: self.element(*elem), priority: *priority }
            }
        }
    }

    fn module(&mut self) -> Lower<Module> {
        let mut module = Module {
            elements: self.program.elements.iter().map(|e| e.name.as_str().into()).collect(),
            ..Module::default()
        };
        for global in &self.program.globals {
            let global = self.global(global, &module.globals)?;
            module.globals.push(global);
        }
        for (id, function) in self.program.functions.iter().enumerate() {
            self.id = lang::FuncId(id as u32);
            let is_main = self.program.main == Some(self.id);
            let function = self.lower_function(function, is_main)?;
            // A function stands behind those that it calls or applies.
            self.makers.extend(self.made.iter().map(|made| (made.name.clone(), function.name.clone())));
            module.functions.append(&mut self.made);
            module.functions.push(function);
        }
        body::drop_copied(&mut module, &self.copied, &|made| self.makers.get(made).cloned());
        crate::analysis::repeats::settle(&mut module);
        crate::analysis::leaves::note(&mut module);
        crate::analysis::claims::note(&mut module);
        crate::analysis::classes::note(&mut module);
        crate::analysis::condition::note(&mut module);
        Ok(module)
    }

    /// A global behind those that are declared before it.
    fn global(&mut self, global: &'p typed::Global, before: &[Global]) -> Lower<Global> {
        self.function = None;
        let ty = self.ty(&global.ty);
        let mut pre = Block::new();
        let init = match &global.init {
            None => None,
            Some(Init::Value(value)) => Some(GlobalInit::Value(self.value(value, &mut pre)?)),
            Some(Init::Fill(value)) => Some(GlobalInit::PerEntry(self.expr(value, &mut pre)?)),
            Some(Init::Items(items)) => {
                let items = self.exprs(items, &mut pre)?;
                Some(GlobalInit::Value(Expr::new(ExprKind::VectorLiteral(items), ty.clone())))
            }
            Some(Init::Universe(count)) => {
                let mut count = self.expr(count, &mut pre)?;
                initial(&mut count, before);
                Some(GlobalInit::Value(Expr::new(ExprKind::Universe(Some(Box::new(count))), ty.clone())))
            }
        };
        if !pre.is_empty() {
            return self.fail(global.span, LowerProblem::OperatorPosition("inside the initialiser of a global"));
        }
        Ok(Global {
            name: global.name.as_str().into(),
            ty,
            universe: global.universe,
            init,
            span: self.span(global.span),
            meta: GlobalMeta::default(),
        })
    }

    fn lower_function(&mut self, function: &'p typed::Function, is_main: bool) -> Lower<Function> {
        self.function = Some(function);
        self.is_host = is_main || function.kind == FuncKind::Export;
        self.taken.clear();
        self.names.clear();
        for local in &function.locals {
            let name = self.fresh(&local.name);
            self.names.push(name);
        }
        let body = match function.kind {
            FuncKind::Extern => None,
            _ => Some(self.block(&function.body)?),
        };
        let param = |id: &lang::LocalId| Param {
            name: self.names[id.0 as usize].clone(),
            ty: self.ty(&function.local(*id).ty),
        };
        Ok(Function {
            name: function.name.as_str().into(),
            kind: match function.kind {
                FuncKind::Extern => FunctionKind::Extern,
                FuncKind::Export => FunctionKind::Export,
                FuncKind::Plain if is_main => FunctionKind::Main,
                FuncKind::Plain => FunctionKind::User,
            },
            context: Context::None,
            captures: function.captures.iter().map(param).collect(),
            // `main(argv : vector[n](string))` is accepted and its parameter ignored.
            params: if is_main { Vec::new() } else { function.params.iter().map(param).collect() },
            result: function.result.as_ref().map(param),
            body,
            span: self.span(function.span),
            extra: Extra::default(),
        })
    }

    /// A name that nothing in the present function and no global or function has.
    fn fresh(&mut self, base: &str) -> Name {
        fresh_in(&self.reserved, &mut self.taken, base)
    }

    /// The value of a global that is a constant.
    fn constant(&self, var: typed::Var) -> Option<Expr> {
        match var {
            typed::Var::Global(id) => self.constants.get(id.0 as usize)?.clone(),
            typed::Var::Local(_) => None,
        }
    }

    fn var(&self, var: typed::Var) -> Expr {
        match var {
            typed::Var::Global(id) => {
                let global = self.program.global(id);
                Expr::var(global.name.as_str(), self.ty(&global.ty))
            }
            typed::Var::Local(id) => {
                let ty = self.function.map_or(Type::Void, |f| self.ty(&f.local(id).ty));
                Expr::var(self.names.get(id.0 as usize).cloned().unwrap_or_else(|| "_".into()), ty)
            }
        }
    }
}

/// Puts the initial values of numbers in place of their names: sets of all vertices are sized before numbers are set.
fn initial(count: &mut Expr, globals: &[Global]) {
    crate::walk::walk_expr_mut(count, &mut |e| {
        let Some(at) = e.as_var().and_then(|name| globals.iter().position(|global| global.name == *name)) else {
            return;
        };
        if let (Some(_), Some(GlobalInit::Value(value))) = (e.ty.scalar(), &globals[at].init) {
            let mut value = value.clone();
            initial(&mut value, &globals[..at]);
            *e = value;
        }
    });
}

/// `base`, `base_2`, `base_3`, ...: the first that is neither reserved nor taken, which is then taken.
fn fresh_in(reserved: &HashSet<Name>, taken: &mut HashSet<Name>, base: &str) -> Name {
    let mut name: Name = base.into();
    let mut n = 1;
    while reserved.contains(&name) || !taken.insert(name.clone()) {
        n += 1;
        name = format!("{base}_{n}").as_str().into();
    }
    name
}
