//! Results as `gw` prints them, with the errors of this program.

use serde::Serialize;

pub use gw_cli::output::{bytes, grouped, rate, seconds, writable};

use crate::error::ToolError;

/// Prints a value as indented JSON.
pub fn json(value: &impl Serialize) -> Result<(), ToolError> {
    Ok(gw_cli::output::json(value)?)
}

/// Prints a text, which ends with its own newline.
pub fn text(text: &str) -> Result<(), ToolError> {
    Ok(gw_cli::output::text(text)?)
}
