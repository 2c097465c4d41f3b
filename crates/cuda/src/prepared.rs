//! The kernels of regions: headings, names, and what is left of one that is compiled.

use gw_device::Kernel;
use gw_ir::source::Span;

use crate::codegen::Generated;

/// A compiled region.
pub(crate) struct Loaded {
    pub(crate) code: Generated,
    pub(crate) kernel: Kernel,
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
