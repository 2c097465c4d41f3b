//! Every access of generated code by an index of the program: entries of vectors, vertices of graphs, members of
//! outputs.
//!
//! An access either carries its check, or is recorded with the reason why it needs none. An index that is a vertex of
//! the region (an endpoint of the edge at hand, the member that a function is applied to) is below the number of
//! vertices of the region, so that one comparison per launch replaces the check per access: the region *requires*
//! that the vector has at least so many entries ([`Requirement`]), and the host looks before it launches. Where the
//! comparison fails the host takes the *careful* code of the operator, in which no index is known to be in range.
//! `validate.rs` walks the finished text.

use gw_ir::expr::{Expr, ExprKind, FunctionRef};
use gw_ir::source::Name;
use gw_ir::types::{Domain, Type};

use super::expression::parenthesised;
use super::function::{Binding, Coder, Text};
use super::inputs::Source;
use super::refusal::Refusal;
use super::region::Region;

/// What the host must find true before a kernel starts. All numbers are compared with the vertices of the region.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Requirement {
    /// A vector, named by the source of its length, has at least one entry per vertex.
    Entries(Source),
    /// A graph has at least as many vertices: built-in functions ask it about vertices of the region.
    Queried(Name),
    /// A graph has exactly as many vertices: its edges are walked, and sets have room for so many.
    Walked(Name),
    /// An element has exactly as many vertices: sets of all of them are sets of the region.
    Element(Name),
    /// A global set is that of all vertices of the region.
    All(Name),
    /// A queue has exactly as many priorities.
    Queue(Name),
}

/// An access by an index of the program.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Access {
    /// The code of the access: `vector[index]`, or the call of a function of the headers.
    pub(crate) text: String,
    /// Why it stays within its array; one reason per index.
    pub(crate) reasons: Vec<Reason>,
}

/// Why an index is in range.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reason {
    /// The code compares it.
    Checked,
    /// It is a number below the length, which never changes.
    Constant,
    /// It is a vertex of the region, and the host has compared the lengths.
    Required(Vec<Requirement>),
}

/// A vector variable as code.
#[derive(Debug, Clone)]
pub(crate) struct VectorCode {
    pub(crate) base: String,
    pub(crate) length: String,
    /// Where its length comes from; several when a function is used with several captures; none where that is not
    /// known.
    pub(crate) lengths: Vec<Source>,
    /// Number of entries of its rows, where the type does not tell.
    pub(crate) row: Option<String>,
    /// Its entries are the upper halves of words of 64 bits, of which `base` is the first half.
    pub(crate) words: bool,
}

/// Whether the entries of a vector are rows whose length the type does not tell.
pub(crate) fn has_rows(ty: &Type) -> bool {
    let is_row = |item: &Type| matches!(item, Type::Vector { domain: Domain::Element(_) | Domain::Counted(_), .. });
    ty.item().is_some_and(is_row)
}

/// The parameters for a vector of this type under a name: [`VectorCode::argument`] is what is given for them.
pub(crate) fn vector_members(ty: &Type, scalar: &str, name: &str) -> Vec<String> {
    let mut members = vec![format!("{scalar}* {name}"), format!("unsigned long long {name}_length")];
    if has_rows(ty) {
        members.push(format!("unsigned long long {name}_row"));
    }
    members
}

impl VectorCode {
    /// The parameters of [`vector_members`] as a vector.
    pub(crate) fn of_members(ty: &Type, name: &str, lengths: Vec<Source>) -> VectorCode {
        let row = has_rows(ty).then(|| format!("{name}_row"));
        VectorCode { base: name.to_string(), length: format!("{name}_length"), lengths, row, words: false }
    }

    /// The vector as arguments of a call.
    pub(crate) fn argument(&self) -> String {
        match &self.row {
            Some(row) => format!("{}, {}, {row}", self.base, self.length),
            None => format!("{}, {}", self.base, self.length),
        }
    }

    /// The cell of an entry of one number.
    pub(crate) fn cell(&self, index: &str) -> String {
        match self.words {
            true => format!("{}[2 * (unsigned long long){} + 1]", self.base, parenthesised(index)),
            false => format!("{}[{index}]", self.base),
        }
    }
}

/// What an index must be below.
enum Limit<'a> {
    /// The entries of a vector.
    Vector(&'a VectorCode),
    /// Those of a row, where the type does not tell.
    Row(Option<String>),
}

/// The sources of the lengths of captured vectors, per capture; none for other captures.
pub(crate) fn capture_lengths(region: &Region<'_>, function: &FunctionRef) -> Vec<Vec<Source>> {
    let length = |expr: &Expr| match (&expr.ty, expr.as_var()) {
        (Type::Vector { .. }, Some(name)) => region.length_source(name).into_iter().collect(),
        _ => Vec::new(),
    };
    function.captures.iter().map(length).collect()
}

impl Coder<'_, '_> {
    /// An entry of a vector as a place: the only way in which vectors are read and written.
    pub(super) fn entry(&mut self, expr: &Expr) -> Text {
        let mut reasons = Vec::new();
        let (base, offset, _) = self.element(expr, &mut reasons)?;
        let text = format!("{base}[{offset}]");
        self.region.record(Access { text: text.clone(), reasons });
        Ok(text)
    }

    /// First cell of the vector, the position of the cell that is meant, and the length of the row that begins there
    /// where the type does not tell.
    fn element(&mut self, expr: &Expr, reasons: &mut Vec<Reason>) -> Result<(String, String, Option<String>), Refusal> {
        let ExprKind::Element { vector, index, .. } = &expr.kind else {
            return Err(self.refuse("an entry of a vector is expected"));
        };
        let root = vector.place_root().cloned().ok_or_else(|| self.refuse("a vector is expected"))?;
        match &vector.kind {
            ExprKind::Var(name) => {
                let code = self.vector(name, &vector.ty)?;
                let at = self.index(index, &vector.ty, Limit::Vector(&code), &root, reasons)?;
                match (&code.row, code.words) {
                    (Some(row), _) => {
                        let first = format!("{row} * (unsigned long long)({at})");
                        Ok((code.base, first, code.row))
                    }
                    (None, true) => Ok((code.base, format!("{} + 1", scaled(&at, 2)), None)),
                    (None, false) => Ok((code.base, scaled(&at, self.cells(&expr.ty)?), None)),
                }
            }
            ExprKind::Element { .. } => {
                let (base, first, row) = self.element(vector, reasons)?;
                let at = self.index(index, &vector.ty, Limit::Row(row), &root, reasons)?;
                Ok((base, format!("{first} + {}", scaled(&at, self.cells(&expr.ty)?)), None))
            }
            _ => Err(self.refuse("a vector is expected")),
        }
    }

    fn cells(&self, ty: &Type) -> Result<u32, Refusal> {
        cells(ty).ok_or_else(|| self.refuse("rows of rows lie inside no vector"))
    }

    /// The index of an entry in a vector, or in a row of one. `root` is the name in messages.
    fn index(&mut self, index: &Expr, vector: &Type, limit: Limit<'_>, root: &Name, reasons: &mut Vec<Reason>) -> Text {
        let limit = match (vector, limit) {
            (Type::Vector { domain: Domain::Fixed(n), .. }, _) => {
                if let ExprKind::Int(i) = index.kind
                    && (0..i64::from(*n)).contains(&i)
                {
                    reasons.push(Reason::Constant);
                    return Ok(i.to_string());
                }
                n.to_string()
            }
            (_, Limit::Vector(code)) => {
                if self.is_in_range(index) && !code.lengths.is_empty() {
                    let required = code.lengths.iter().cloned().map(Requirement::Entries).collect();
                    reasons.push(self.region.required(required));
                    return self.value(index);
                }
                code.length.clone()
            }
            (_, Limit::Row(Some(row))) => row,
            (_, Limit::Row(None)) => return Err(self.refuse("the length of a row is not known")),
        };
        reasons.push(Reason::Checked);
        let value = self.value(index)?;
        let fault = self.fault();
        let name = self.region.vector_number(root);
        Ok(format!("gw::checked({fault}, {value}, {limit}, {}, {name})", self.span.line))
    }

    /// A vertex about which a built-in function asks a graph.
    pub(super) fn queried_vertex(
        &mut self,
        graph: &Expr,
        code: &str,
        vertex: &Expr,
    ) -> Result<(String, Reason), Refusal> {
        let value = self.value(vertex)?;
        if let Some(name) = graph.as_var()
            && self.is_in_range(vertex)
        {
            let reason = self.region.required(vec![Requirement::Queried(name.clone())]);
            return Ok((value, reason));
        }
        let fault = self.fault();
        let text = format!("gw::checked_vertex({fault}, {value}, {code}.vertices, {})", self.span.line);
        Ok((text, Reason::Checked))
    }

    /// A call of a function of the headers that reads a graph at vertices.
    pub(super) fn graph_query(&mut self, text: String, reasons: impl Into<Vec<Reason>>) -> String {
        self.region.record(Access { text: text.clone(), reasons: reasons.into() });
        text
    }

    /// A vertex that is added to the output of the operator.
    pub(super) fn output_vertex(&mut self, vertex: &Expr) -> Text {
        // The operator's own `vertices()` is that of the graph it walks: no other length is compared.
        let in_range = self.is_vertex_of_region(vertex);
        let id = self.value(vertex)?;
        if in_range {
            return Ok(id);
        }
        let fault = self.fault();
        Ok(format!("gw::checked_vertex({fault}, {id}, vertices(), {})", self.span.line))
    }

    /// Whether an index is known to be below the vertices of the region, in code that may rely on it.
    fn is_in_range(&self, index: &Expr) -> bool {
        !self.region.careful && self.is_vertex_of_region(index)
    }

    /// Whether an expression is a vertex that the operator hands to its function.
    fn is_vertex_of_region(&self, index: &Expr) -> bool {
        let binding = index.as_var().and_then(|name| self.names.get(name));
        matches!(binding, Some(Binding::Scalar { in_range: true, .. }))
    }

    /// A vector variable.
    pub(crate) fn vector(&mut self, name: &Name, ty: &Type) -> Result<VectorCode, Refusal> {
        match self.names.get(name) {
            Some(Binding::Vector(code)) => return Ok(code.clone()),
            Some(_) => return Err(self.refuse(format!("`{name}` is not a vector"))),
            None => {}
        }
        self.leaf(ty)?;
        self.region.vector(name, ty).map_err(|reason| self.refuse(reason))
    }
}

impl Region<'_> {
    /// Notes what the host must compare; the reason for accesses that rely on it.
    pub(crate) fn required(&mut self, requirements: Vec<Requirement>) -> Reason {
        requirements.iter().for_each(|requirement| self.require(requirement.clone()));
        Reason::Required(requirements)
    }

    /// Notes what the host must compare.
    pub(crate) fn require(&mut self, requirement: Requirement) {
        if !self.requires.contains(&requirement) {
            self.requires.push(requirement);
        }
    }

    /// Notes an access, for the validator.
    pub(crate) fn record(&mut self, access: Access) {
        if !self.accesses.contains(&access) {
            self.accesses.push(access);
        }
    }

    /// Where the length of a vector variable comes from.
    pub(crate) fn length_source(&self, name: &Name) -> Option<Source> {
        match (self.module.global(name), self.params.contains_key(name)) {
            (_, true) => Some(Source::LocalLength(name.clone())),
            (Some(_), false) => Some(Source::GlobalLength(name.clone())),
            (None, false) => None,
        }
    }
}

fn scaled(index: &str, cells: u32) -> String {
    if cells == 1 { index.to_string() } else { format!("{cells} * (unsigned long long)({index})") }
}

/// Scalar cells of an entry.
fn cells(ty: &Type) -> Option<u32> {
    match ty {
        Type::Vector { domain: Domain::Fixed(n), item } => n.checked_mul(cells(item)?),
        Type::Vector { .. } => None,
        _ => Some(1),
    }
}
