//! Fields of a text with separators, as RFC 4180 has them, with blanks around fields and any kind of line end.

use crate::format::text::Fault;

const UNCLOSED: &str = "a quote is opened here and never closed; write a quote inside a field twice";

/// Whether a text ends inside quotes, so that its last record goes on.
pub(super) fn is_open(bytes: &[u8], separator: u8) -> bool {
    if memchr::memchr(b'"', bytes).is_none() {
        return false;
    }
    let mut records = Records::new(bytes, 0, separator);
    while !records.is_done() {
        if let Err(fault) = records.field() {
            return fault.message == UNCLOSED;
        }
    }
    false
}

/// A place in a text, always at the start of a field.
pub(super) struct Records<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    separator: u8,
}

/// A field: where its content lies, without blanks and quotes around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The content holds quotes, each written twice.
    pub(super) escaped: bool,
    /// The field is the last one of its record.
    pub(super) last: bool,
}

impl Field {
    /// The content, unless it holds quotes.
    #[inline]
    pub(super) fn plain<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.start..self.end]
    }

    /// The content with each quote once.
    #[cold]
    pub(super) fn unescaped(&self, bytes: &[u8]) -> Vec<u8> {
        let mut content = Vec::with_capacity(self.end - self.start);
        let mut after_quote = false;
        for &byte in self.plain(bytes) {
            after_quote = byte == b'"' && !after_quote;
            if !after_quote {
                content.push(byte);
            }
        }
        content
    }

    /// The content as a text for people.
    pub(super) fn text(&self, bytes: &[u8]) -> String {
        match self.escaped {
            true => String::from_utf8_lossy(&self.unescaped(bytes)).into_owned(),
            false => String::from_utf8_lossy(self.plain(bytes)).into_owned(),
        }
    }
}

impl<'a> Records<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize, separator: u8) -> Self {
        Records { bytes, at, separator }
    }

    pub(super) fn is_done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Skips a line that holds nothing but blanks; false when there is something in it.
    #[inline]
    pub(super) fn skip_blank_line(&mut self) -> bool {
        let mut at = self.at;
        loop {
            match self.bytes.get(at) {
                Some(b'\n') => {
                    self.at = at + 1;
                    return true;
                }
                None => {
                    self.at = at;
                    return true;
                }
                Some(&byte) if byte != self.separator && matches!(byte, b' ' | b'\t' | b'\r') => at += 1,
                Some(_) => return false,
            }
        }
    }

    /// Reads a field and moves to the next one, of this record or of the next.
    #[inline]
    pub(super) fn field(&mut self) -> Result<Field, Fault> {
        let mut start = self.at;
        while self.bytes.get(start).is_some_and(|&byte| byte != self.separator && matches!(byte, b' ' | b'\t')) {
            start += 1;
        }
        if self.bytes.get(start) == Some(&b'"') {
            return self.quoted(start);
        }
        let rest = &self.bytes[start..];
        let length = memchr::memchr2(self.separator, b'\n', rest).unwrap_or(rest.len());
        let last = self.bytes.get(start + length) != Some(&self.separator);
        self.at = (start + length + 1).min(self.bytes.len());
        let mut end = start + length;
        while end > start && matches!(self.bytes[end - 1], b' ' | b'\t' | b'\r') {
            end -= 1;
        }
        Ok(Field { start, end, escaped: false, last })
    }

    fn quoted(&mut self, open: usize) -> Result<Field, Fault> {
        let start = open + 1;
        let (mut at, mut escaped) = (start, false);
        let end = loop {
            let Some(quote) = memchr::memchr(b'"', &self.bytes[at..]) else {
                return Err(Fault::new(open, UNCLOSED));
            };
            at += quote + 1;
            if self.bytes.get(at) != Some(&b'"') {
                break at - 1;
            }
            escaped = true;
            at += 1;
        };
        while self.bytes.get(at).is_some_and(|&byte| byte != self.separator && matches!(byte, b' ' | b'\t' | b'\r')) {
            at += 1;
        }
        let last = match self.bytes.get(at) {
            Some(&byte) if byte == self.separator => false,
            None | Some(b'\n') => true,
            Some(_) => {
                let message = "a quoted field goes on after its closing quote; write a quote inside a field twice";
                return Err(Fault::new(at, message));
            }
        };
        self.at = (at + 1).min(self.bytes.len());
        Ok(Field { start, end, escaped, last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(text: &str, separator: u8) -> Result<Vec<Vec<String>>, String> {
        let mut records = Records::new(text.as_bytes(), 0, separator);
        let mut rows = Vec::new();
        while !records.is_done() {
            if records.skip_blank_line() {
                continue;
            }
            let mut row = Vec::new();
            loop {
                let field = records.field().map_err(|fault| format!("{}: {}", fault.at, fault.message))?;
                row.push(field.text(text.as_bytes()));
                if field.last {
                    break;
                }
            }
            rows.push(row);
        }
        Ok(rows)
    }

    #[test]
    fn quotes_blanks_and_line_ends() {
        let text = "a, b ,\"c,\"\"d\"\"\ne\" \r\n\r\n  \n,,\nlast,\"\"";
        let expected = [vec!["a", "b", "c,\"d\"\ne"], vec!["", "", ""], vec!["last", ""]];
        assert_eq!(rows(text, b',').unwrap(), expected);
        assert_eq!(rows("a b\t c\n\tx\n", b'\t').unwrap(), [["a b", "c"], ["", "x"]]);
        assert!(rows("a,\"b\nc", b',').unwrap_err().starts_with("2: a quote is opened here"));
        assert!(rows("a,\"b\"c", b',').unwrap_err().starts_with("5: a quoted field goes on"));
    }

    proptest! {
        #[test]
        fn what_is_quoted_reads_back(
            table in prop::collection::vec(prop::collection::vec("[a-z\", \n\r\t#]{1,6}", 2..5), 1..6),
        ) {
            let quote = |field: &String| format!("\"{}\"", field.replace('"', "\"\""));
            let line = |row: &Vec<String>| row.iter().map(quote).collect::<Vec<_>>().join(",") + "\n";
            let text: String = table.iter().map(line).collect();
            prop_assert_eq!(rows(&text, b',').unwrap(), table);
        }

        #[test]
        fn no_text_panics(text in "[a\", \n\r\t]{0,30}") {
            let _ = rows(&text, b',');
        }
    }
}
