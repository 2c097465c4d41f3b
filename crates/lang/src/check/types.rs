//! Resolving written types.

use super::{Checked, Checker, Fail, Symbol};
use crate::advice;
use crate::ast::{Ident, TypeExpr, TypeExprKind, VectorIndex};
use crate::diagnostic::Diagnostic;
use crate::suggest::nearest;
use crate::typed::type_name;
use crate::types::{EdgeSetType, ElemId, IndexKind, Scalar, Type};

impl Checker {
    /// A type in source spelling.
    pub(super) fn show(&self, ty: &Type) -> String {
        type_name(ty, &|id| self.program.element(id).name.clone(), &|id| self.lengths.name(id))
    }

    pub(super) fn element(&mut self, name: &Ident) -> Checked<ElemId> {
        match self.types.get(&name.name) {
            Some(Type::Element(id)) => return Ok(*id),
            Some(other) => {
                let message = format!("`{}` is to be an element, but is {} here", name.name, self.show(other));
                return Err(self.error(message, name.span, "an element"));
            }
            None => {}
        }
        match self.symbols.get(&name.name) {
            Some(Symbol::Element(id)) => Ok(*id),
            _ if self.saturated() => Err(Fail),
            other => {
                let message = match other {
                    Some(_) => format!("`{}` is not an element", name.name),
                    None => format!("there is no element `{}`", name.name),
                };
                let elements = self.program.elements.iter().map(|e| e.name.as_str());
                let near = nearest(&name.name, elements).map(str::to_string);
                let mut diagnostic = Diagnostic::error(message, name.span, "not an element");
                diagnostic = match near {
                    Some(near) => diagnostic.did_you_mean(Some(&near)),
                    None => diagnostic.help(format!("declare it with `element {} end`", name.name)),
                };
                Err(self.report(diagnostic))
            }
        }
    }

    /// A type given by a name: an element, or a parameter for a type.
    fn named(&mut self, name: &Ident) -> Checked<Type> {
        if let Some(ty) = self.types.get(&name.name) {
            return Ok(ty.clone());
        }
        if let Some(Symbol::Element(id)) = self.symbols.get(&name.name) {
            return Ok(Type::Element(*id));
        }
        if self.symbols.contains_key(&name.name) {
            return self.element(name).map(Type::Element);
        }
        if self.saturated() {
            return Err(Fail);
        }
        let word = name.name.as_str();
        let elements = self.program.elements.iter().map(|e| e.name.as_str());
        let scalars = ["int", "uint", "uint_64", "float", "double", "bool", "string"];
        let same = |known: &&str| known.eq_ignore_ascii_case(word);
        let help = if let Some(near) = elements.clone().chain(scalars).find(same) {
            format!("did you mean `{near}`?")
        } else if let Some(advice) = advice::type_name(word) {
            advice.to_string()
        } else if let Some(near) = nearest(word, elements.chain(scalars)) {
            format!("did you mean `{near}`?")
        } else {
            format!("the scalar types are {}; a kind of vertex is declared with `element {word} end`", advice::SCALARS)
        };
        let message = format!("there is no type `{word}`");
        Err(self.report(Diagnostic::error(message, name.span, "unknown type").help(help)))
    }

    pub(super) fn resolve_type(&mut self, ty: &TypeExpr) -> Checked<Type> {
        match &ty.kind {
            TypeExprKind::Scalar(scalar) => Ok(Type::Scalar(*scalar)),
            TypeExprKind::Named(name) => self.named(name),
            TypeExprKind::VertexSet(elem) => Ok(Type::VertexSet(self.element(elem)?)),
            TypeExprKind::EdgeSet { edge, src, dst, weight } => {
                let edge = self.element(edge)?;
                let (src_id, dst_id) = (self.element(src)?, self.element(dst)?);
                if src_id != dst_id {
                    return Err(self.report(
                        Diagnostic::error(
                            "source and destination of an edgeset must be the same element",
                            dst.span,
                            format!("differs from `{}`", src.name),
                        )
                        .help("number both kinds of vertices in one element"),
                    ));
                }
                if matches!(weight, Some(Scalar::String | Scalar::Bool)) {
                    return Err(self.error("an edge weight is a number", ty.span, "not a number type"));
                }
                Ok(Type::EdgeSet(EdgeSetType { edge, src: src_id, dst: dst_id, weight: *weight }))
            }
            TypeExprKind::Vector { index, item } => self.vector_type(index, item, ty),
            TypeExprKind::List(item) => {
                let item_type = self.resolve_type(item)?;
                match item_type {
                    Type::Scalar(_) | Type::Element(_) | Type::VertexSet(_) => Ok(Type::List(Box::new(item_type))),
                    _ => {
                        let shown = self.show(&item_type);
                        Err(self.error(
                            format!("a list holds scalars or vertexsets, not {shown}"),
                            item.span,
                            "not allowed in a list",
                        ))
                    }
                }
            }
            TypeExprKind::PriorityQueue { elem, priority } => {
                let elem = self.element(elem)?;
                if matches!(priority, Scalar::String | Scalar::Bool) {
                    return Err(self.error("a priority is a number", ty.span, "not a number type"));
                }
                Ok(Type::PriorityQueue { elem, priority: *priority })
            }
            TypeExprKind::Error => Err(Fail),
        }
    }

    fn vector_type(&mut self, index: &VectorIndex, item: &TypeExpr, ty: &TypeExpr) -> Checked<Type> {
        let index = match index {
            VectorIndex::Element(elem) => IndexKind::Element(self.element(elem)?),
            VectorIndex::Fixed(n) => self.fixed_length(*n, ty.span)?,
            VectorIndex::Named(name) => self.named_length(name)?,
        };
        let item_type = self.resolve_type(item)?;
        let flat = |ty: &Type| ty.repr().is_some();
        let fits = match &item_type {
            Type::Vector { item: inner, .. } => flat(inner),
            other => flat(other),
        };
        if !fits {
            let shown = self.show(&item_type);
            return Err(self.report(
                Diagnostic::error(
                    format!("a vector cannot hold entries of type {shown}"),
                    item.span,
                    "not allowed in a vector",
                )
                .help("entries are scalars, or rows: vectors of scalars"),
            ));
        }
        Ok(Type::Vector { index, item: Box::new(item_type) })
    }
}
