//! XML as GraphML and GEXF use it: elements with attributes, read from a text in memory, with places for messages.
//!
//! Entities other than the five of XML are refused, so that a small file cannot unpack to a large one.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use quick_xml::XmlVersion;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use crate::{GraphError, Result};

/// A document being read.
pub(super) struct Xml<'a> {
    bytes: &'a [u8],
    path: &'a Path,
    reader: Reader<&'a [u8]>,
}

/// What comes next inside an element.
pub(super) enum Next<'a> {
    /// An element begins; it must be read to its end or skipped.
    Element(Element<'a>),
    /// The element around ends.
    End,
}

/// The beginning of an element.
pub(super) struct Element<'a> {
    start: BytesStart<'a>,
    /// Where it stands in the text.
    pub(super) at: usize,
}

impl<'a> Xml<'a> {
    pub(super) fn new(bytes: &'a [u8], path: &'a Path) -> Self {
        let mut reader = Reader::from_reader(bytes);
        // Every element has a beginning and an end.
        reader.config_mut().expand_empty_elements = true;
        Xml { bytes, path, reader }
    }

    /// An error at a byte of the text.
    pub(super) fn fault(&self, at: usize, message: impl Into<String>) -> GraphError {
        GraphError::document(self.path, self.bytes, at, message)
    }

    /// Moves to the next element, or to the end of the one around. Text between elements does not count.
    pub(super) fn next(&mut self) -> Result<Next<'a>> {
        loop {
            let at = self.reader.buffer_position() as usize;
            let event = self.reader.read_event().map_err(|error| self.unreadable(&error))?;
            match event {
                Event::Start(start) => return Ok(Next::Element(Element { start, at })),
                Event::End(_) => return Ok(Next::End),
                Event::Eof => return Err(self.fault(at, "the file ends before its last element does")),
                Event::DocType(text) if text.windows(8).any(|word| word == b"<!ENTITY") => {
                    let message = "the document declares entities, which are not expanded; remove the declaration";
                    return Err(self.fault(at, message));
                }
                Event::Decl(declaration) => self.check_encoding(&declaration, at)?,
                Event::Empty(_)
                | Event::Text(_)
                | Event::CData(_)
                | Event::Comment(_)
                | Event::PI(_)
                | Event::DocType(_)
                | Event::GeneralRef(_) => {}
            }
        }
    }

    /// Skips what is inside an element, and its end. Returns the place of what was skipped.
    pub(super) fn skip(&mut self, element: &Element<'_>) -> Result<Range<usize>> {
        let span = self.reader.read_to_end(element.start.name()).map_err(|error| self.unreadable(&error))?;
        Ok(span.start as usize..span.end as usize)
    }

    /// The place of the text inside an element, without blanks around it and the marks of CDATA.
    pub(super) fn text(&mut self, element: &Element<'_>) -> Result<Range<usize>> {
        const OPEN: &[u8] = b"<![CDATA[";
        const CLOSE: &[u8] = b"]]>";
        let span = trimmed(self.bytes, self.skip(element)?);
        let text = &self.bytes[span.clone()];
        Ok(match text.starts_with(OPEN) && text.ends_with(CLOSE) && text.len() >= OPEN.len() + CLOSE.len() {
            true => trimmed(self.bytes, span.start + OPEN.len()..span.end - CLOSE.len()),
            false => span,
        })
    }

    /// Hands every attribute of an element to `take`, with its name, its value as it stands in the text, and its place.
    pub(super) fn attributes(
        &self,
        element: &Element<'a>,
        mut take: impl FnMut(&[u8], &Attribute<'_>) -> Result<()>,
    ) -> Result<()> {
        for attribute in element.start.attributes() {
            let attribute = attribute.map_err(|error| self.fault(element.at, error.to_string()))?;
            take(attribute.key.local_name().as_ref(), &attribute)?;
        }
        Ok(())
    }

    /// The values of attributes by name.
    pub(super) fn values<'e, const N: usize>(
        &self,
        element: &'e Element<'a>,
        names: [&str; N],
    ) -> Result<[Option<Cow<'e, str>>; N]> {
        let mut values = [const { None }; N];
        for attribute in element.start.attributes() {
            let attribute = attribute.map_err(|error| self.fault(element.at, error.to_string()))?;
            let name = attribute.key.local_name();
            if let Some(at) = names.iter().position(|wanted| wanted.as_bytes() == name.as_ref()) {
                values[at] = Some(self.value(&attribute, element.at)?);
            }
        }
        Ok(values)
    }

    /// The value of an attribute, with the five entities of XML and those of characters resolved.
    fn value<'v>(&self, attribute: &Attribute<'v>, at: usize) -> Result<Cow<'v, str>> {
        let value = attribute.decoded_and_normalized_value(XmlVersion::Implicit1_0, self.reader.decoder());
        value.map_err(|error| {
            let name = String::from_utf8_lossy(attribute.key.as_ref()).into_owned();
            self.fault(at, format!("the attribute `{name}`: {error}"))
        })
    }

    /// The place of the value of an attribute in the text.
    pub(super) fn place(&self, value: &[u8], otherwise: usize) -> Range<usize> {
        let start = (value.as_ptr() as usize).wrapping_sub(self.bytes.as_ptr() as usize);
        match start.checked_add(value.len()) {
            Some(end) if start < self.bytes.len() && end <= self.bytes.len() => trimmed(self.bytes, start..end),
            _ => otherwise..otherwise,
        }
    }

    fn check_encoding(&self, declaration: &quick_xml::events::BytesDecl<'_>, at: usize) -> Result<()> {
        let Some(Ok(encoding)) = declaration.encoding() else { return Ok(()) };
        match encoding.eq_ignore_ascii_case(b"utf-8") || encoding.eq_ignore_ascii_case(b"us-ascii") {
            true => Ok(()),
            false => {
                let encoding = String::from_utf8_lossy(&encoding).into_owned();
                Err(self.fault(at, format!("the document is in {encoding}; save it as UTF-8")))
            }
        }
    }

    fn unreadable(&self, error: &quick_xml::Error) -> GraphError {
        self.fault(self.reader.error_position() as usize, error.to_string())
    }
}

impl Element<'_> {
    /// Whether the element has this name, with whatever prefix.
    pub(super) fn is(&self, name: &str) -> bool {
        self.start.local_name().as_ref() == name.as_bytes()
    }

    /// The name for a message.
    pub(super) fn name(&self) -> String {
        String::from_utf8_lossy(self.start.local_name().as_ref()).into_owned()
    }
}

/// A range of a text without the blanks at its ends.
fn trimmed(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let text = &bytes[range.clone()];
    let start = range.start + text.len() - text.trim_ascii_start().len();
    start..start + text.trim_ascii().len()
}
