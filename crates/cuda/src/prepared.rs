//! Operators and loops of a module as regions of code: operands become parameters.

use std::sync::Arc;

use gw_ir::expr::Expr;
use gw_ir::module::Module;
use gw_ir::operator::{EdgeOutput, Operator, VertexFilter};
use gw_ir::source::{Name, Span};
use gw_ir::stmt::{Block, Stmt, StmtKind};
use gw_ir::types::Type;
use gw_schedule::LoopForm;

use crate::codegen::Frontiers;

/// An operator as a region of its own.
pub(crate) struct Prepared {
    pub(crate) span: Span,
    pub(crate) path: Arc<str>,
    pub(crate) params: Vec<(Name, Type)>,
    pub(crate) body: Block,
    /// What it is for the host.
    pub(crate) operator: Operator,
    pub(crate) names: OperandNames,
    /// The graph whose edges must be counted for the choice that picks this operator.
    pub(crate) counted: Option<Name>,
}

/// Names that the operands of an operator have in its region.
#[derive(Default)]
pub(crate) struct OperandNames {
    pub(crate) from: Option<Name>,
    pub(crate) to: Option<Name>,
    pub(crate) set: Option<Name>,
    pub(crate) output: Option<Name>,
    pub(crate) apply: Vec<Name>,
    pub(crate) from_captures: Vec<Name>,
    pub(crate) to_captures: Vec<Name>,
    pub(crate) graph: Option<Name>,
}

/// A loop that runs on the device, in one launch or several.
pub(crate) struct FusedLoop {
    pub(crate) span: Span,
    pub(crate) path: Arc<str>,
    pub(crate) function: Option<Name>,
    pub(crate) params: Vec<(Name, Type)>,
    pub(crate) body: Block,
    pub(crate) form: LoopForm,
    /// What its operators read.
    pub(crate) frontiers: Frontiers,
}

/// An operator as a region: operands become parameters.
pub(crate) fn prepare(module: &Module, span: Span, path: &Arc<str>, operator: &Operator) -> Prepared {
    let mut names = OperandNames::default();
    let mut params: Vec<(Name, Type)> = Vec::new();
    let mut operator_in_region = operator.clone();
    let fresh = |base: &str| module.fresh_name(base);
    let captures = |function: &mut gw_ir::expr::FunctionRef, role: &str, params: &mut Vec<(Name, Type)>| {
        let mut made = Vec::new();
        let types = module.function(&function.name).map(|f| f.captures.clone()).unwrap_or_default();
        for (i, (expr, capture)) in function.captures.iter_mut().zip(types).enumerate() {
            let name = fresh(&format!("{role}_capture{i}"));
            params.push((name.clone(), capture.ty.clone()));
            *expr = Expr::var(name.clone(), capture.ty);
            made.push(name);
        }
        made
    };
    let mut output: Option<(Name, Type)> = None;
    match &mut operator_in_region {
        Operator::EdgeSetIterator(e) => {
            for (filter, slot, base) in
                [(&mut e.from, &mut names.from, "from_set"), (&mut e.to, &mut names.to, "to_set")]
            {
                if let VertexFilter::Set(set) = filter {
                    let name = fresh(base);
                    params.push((name.clone(), set.ty.clone()));
                    *set = Expr::var(name.clone(), set.ty.clone());
                    *slot = Some(name);
                }
            }
            names.apply = captures(&mut e.apply, "apply", &mut params);
            if let VertexFilter::Function(f) = &mut e.from {
                names.from_captures = captures(f, "from", &mut params);
            }
            if let VertexFilter::Function(f) = &mut e.to {
                names.to_captures = captures(f, "to", &mut params);
            }
            if let Some(name) = e.graph.as_var() {
                // A graph of the host function travels under its own name; a global one is found there.
                if module.global(name).is_none() {
                    params.push((name.clone(), e.graph.ty.clone()));
                }
                names.graph = Some(name.clone());
            }
            if e.output != EdgeOutput::None
                && let Type::EdgeSet { target, .. } = &e.graph.ty
            {
                output = Some((fresh("output_set"), Type::VertexSet(target.clone())));
            }
        }
        Operator::VertexSetIterator(v) => {
            names.set = Some(vertex_input(&mut v.set, &mut params, &fresh));
            names.apply = captures(&mut v.apply, "apply", &mut params);
        }
        Operator::VertexSetFilter(v) => {
            names.set = Some(vertex_input(&mut v.set, &mut params, &fresh));
            names.apply = captures(&mut v.filter, "apply", &mut params);
            output = Some((fresh("output_set"), v.set.ty.clone()));
        }
        Operator::VertexSetDedup(d) => {
            names.set = Some(vertex_input(&mut d.set, &mut params, &fresh));
        }
        _ => {}
    }
    names.output = output.as_ref().map(|(name, _)| name.clone());
    let expr = operator_in_region.into_expr();
    let stmt = match output {
        Some((name, ty)) => Stmt::new(StmtKind::VarDecl { name, ty, init: Some(expr) }),
        None => Stmt::eval(expr),
    };
    let body = vec![stmt.at(span)];
    Prepared { span, path: Arc::clone(path), params, body, operator: operator.clone(), names, counted: None }
}

fn vertex_input(set: &mut Expr, params: &mut Vec<(Name, Type)>, fresh: &dyn Fn(&str) -> Name) -> Name {
    let name = fresh("vertex_set");
    params.push((name.clone(), set.ty.clone()));
    *set = Expr::var(name.clone(), set.ty.clone());
    name
}

/// A loop whose schedule asks for the device.
pub(crate) fn fused_loop(module: &Module, function: Option<&Name>, path: &Arc<str>, stmt: &Stmt) -> Option<FusedLoop> {
    let StmtKind::While { meta, body, .. } = &stmt.kind else { return None };
    if !meta.needs_fusion {
        return None;
    }
    let form = meta.schedule.as_ref()?.as_simple()?.loop_form?;
    let locals = match function.and_then(|f| module.function(f)) {
        Some(function) => {
            let mut locals = function.locals();
            locals.extend(function.params.iter().cloned());
            locals.extend(function.captures.iter().cloned());
            locals.extend(function.result.iter().cloned());
            locals
        }
        None => Vec::new(),
    };
    let mut params: Vec<(Name, Type)> = Vec::new();
    for name in &meta.hoisted {
        if let Some(local) = locals.iter().find(|l| l.name == *name) {
            params.push((name.clone(), local.ty.clone()));
        }
    }
    Some(FusedLoop {
        span: stmt.span,
        path: Arc::clone(path),
        function: function.cloned(),
        params,
        body: vec![stmt.clone()],
        form,
        frontiers: Frontiers::of(module, body),
    })
}

/// A heading for the code of a region.
pub(crate) fn title(path: &str, span: Span, what: &str) -> String {
    match (path, span.line) {
        ("", line) => format!("{what}, line {line}"),
        (path, line) => format!("{what} {path}, line {line}"),
    }
}

/// A name for a kernel that says where it comes from.
pub(crate) fn kernel_name(what: &str, path: &str, span: Span) -> String {
    let path: String = path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    match path.as_str() {
        "" => format!("{what}_line_{}", span.line),
        path => format!("{what}_{path}"),
    }
}
