//! A value of a column, and how it is written in texts.

/// A value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cell<'a> {
    /// No vertex.
    Nothing,
    Int(i64),
    Uint(u64),
    Float(f32),
    Double(f64),
    Bool(bool),
    Text(&'a str),
}

impl Cell<'_> {
    /// Appends a number with all its digits, a truth value as 1 or 0, a text as it is, and nothing for no value.
    pub(crate) fn push_plain(self, buffer: &mut Vec<u8>) {
        use std::io::Write;
        // Writing to memory does not fail.
        let _ = match self {
            Cell::Nothing => Ok(()),
            Cell::Int(value) => write!(buffer, "{value}"),
            Cell::Uint(value) => write!(buffer, "{value}"),
            Cell::Float(value) => write!(buffer, "{value}"),
            Cell::Double(value) => write!(buffer, "{value}"),
            Cell::Bool(value) => write!(buffer, "{}", u8::from(value)),
            Cell::Text(text) => buffer.write_all(text.as_bytes()),
        };
    }

    /// Appends a value of JSON. A number that JSON does not have (inf, NaN) is a text, no vertex is null.
    pub(crate) fn push_json(self, buffer: &mut Vec<u8>) {
        let is_finite = match self {
            Cell::Float(value) => value.is_finite(),
            Cell::Double(value) => value.is_finite(),
            _ => true,
        };
        match self {
            Cell::Nothing => buffer.extend_from_slice(b"null"),
            Cell::Bool(value) => buffer.extend_from_slice(if value { b"true" } else { b"false" }),
            Cell::Text(text) => push_json_text(text, buffer),
            number if is_finite => number.push_plain(buffer),
            number => {
                buffer.push(b'"');
                number.push_plain(buffer);
                buffer.push(b'"');
            }
        }
    }
}

/// Appends a text as JSON has it, in quotes.
pub(crate) fn push_json_text(text: &str, buffer: &mut Vec<u8>) {
    // Writing a text to memory does not fail.
    let _ = serde_json::to_writer(buffer, text);
}
