//! Why there is no code.

use gw_ir::source::Span;

/// Why something cannot be generated.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) span: Span,
    pub(crate) reason: String,
}
