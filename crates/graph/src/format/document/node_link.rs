//! Node-link JSON, as `networkx.node_link_data` and D3 have it: an object with `nodes` and `links` (or `edges`).
//!
//! A node has an `id`, a link `source` and `target`, which are ids of nodes, and maybe a `weight`. `directed` is false
//! where it is not there; `multigraph` and everything else is passed over. The text is read as a stream of values, of
//! which none is kept but ids and the places of weights.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::edges::Edges;
use crate::format::TableColumns;
use crate::format::table::ids::whole_number;
use crate::text_file::BYTE_ORDER_MARK;
use crate::{GraphError, Result};

/// Reads a document.
pub(super) fn read<'a>(bytes: &'a [u8], path: &'a Path, columns: &'a TableColumns) -> Result<Edges<'a>> {
    let mark = if bytes.starts_with(BYTE_ORDER_MARK.as_bytes()) { BYTE_ORDER_MARK.len() } else { 0 };
    let text = std::str::from_utf8(&bytes[mark..]).map_err(|error| {
        let at = mark + error.valid_up_to();
        GraphError::document(path, bytes, at, "the text is not UTF-8; save it as UTF-8")
    })?;
    let mut document = Document { bytes, edges: Edges::new(bytes, path, columns), is_directed: false, failed: None };
    let mut source = serde_json::Deserializer::from_str(text);
    let read = (&mut document).deserialize(&mut source).and_then(|()| source.end());
    match (read, document.failed) {
        (_, Some(error)) => Err(error),
        (Err(error), None) => {
            let (line, column) = (error.line() as u64, error.column() as u64);
            // The message ends with the place, which stands in front already.
            let message = error.to_string();
            let message = message.rsplit_once(" at line ").map_or(&*message, |(message, _)| message).to_string();
            Err(GraphError::Document { path: path.to_path_buf(), line, column, message })
        }
        (Ok(()), None) => {
            document.edges.set_directed(document.is_directed);
            Ok(document.edges)
        }
    }
}

struct Document<'a> {
    bytes: &'a [u8],
    edges: Edges<'a>,
    is_directed: bool,
    /// What is wrong with the graph rather than with the JSON.
    failed: Option<GraphError>,
}

impl<'a> Document<'a> {
    /// The place of a value in the text.
    fn place(&self, value: &RawValue) -> Range<usize> {
        let text = value.get();
        let start = (text.as_ptr() as usize).wrapping_sub(self.bytes.as_ptr() as usize).min(self.bytes.len());
        start..(start + text.len()).min(self.bytes.len())
    }

    /// Keeps an error for the end, and makes one that ends the reading.
    fn give_up<E: serde::de::Error>(&mut self, error: GraphError) -> E {
        self.failed = Some(error);
        E::custom("")
    }

    /// The id that a value is; `None` for null.
    fn id<'v>(&self, value: &'v RawValue) -> Result<Option<Cow<'v, str>>> {
        let text = value.get();
        match text.as_bytes().first() {
            Some(b'n') => Ok(None),
            Some(b'"') => match serde_json::from_str::<String>(text) {
                Ok(text) => Ok(Some(text.into())),
                Err(_) => Err(self.no_id(value)),
            },
            _ if whole_number(text.as_bytes()).is_some() => Ok(Some(text.into())),
            _ => Err(self.no_id(value)),
        }
    }

    fn no_id(&self, value: &RawValue) -> GraphError {
        let shown: String = value.get().chars().take(40).collect();
        let message = format!("`{shown}` is no id: ids are texts or whole numbers of 64 bits");
        self.edges.fault(self.place(value).start, message)
    }

    fn node(&mut self, node: Object<'_>) -> Result<()> {
        let id = node.id.map(|id| self.id(id)).transpose()?.flatten();
        let at = node.first.map_or(0, |value| self.place(value).start);
        self.edges.vertex(id.as_deref(), at)
    }

    fn link(&mut self, link: Object<'_>) -> Result<()> {
        let source = link.source.map(|id| self.id(id)).transpose()?.flatten();
        let target = link.target.map(|id| self.id(id)).transpose()?.flatten();
        let weight = link.weight.filter(|weight| weight.get() != "null").map(|weight| self.place(weight));
        let at = link.first.map_or(0, |value| self.place(value).start);
        self.edges.edge([source.as_deref(), target.as_deref()], true, weight, at)
    }
}

/// The whole document.
impl<'de> DeserializeSeed<'de> for &mut Document<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, source: D) -> Result<(), D::Error> {
        source.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Document<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object with `nodes` and `links` or `edges`, as networkx.node_link_data makes it")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (mut nodes, mut links) = (false, None::<String>);
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match &*key {
                "directed" => self.is_directed = map.next_value()?,
                "nodes" if nodes => return Err(A::Error::custom("`nodes` is there twice")),
                "nodes" => {
                    nodes = true;
                    map.next_value_seed(List { document: self, take: Document::node })?;
                }
                "links" | "edges" => {
                    if let Some(other) = links {
                        return Err(A::Error::custom(format!(
                            "both `{other}` and `{key}` are there; keep one of them"
                        )));
                    }
                    links = Some(key.to_string());
                    map.next_value_seed(List { document: self, take: Document::link })?;
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        match (nodes, links) {
            (true, Some(_)) => Ok(()),
            (false, _) => Err(A::Error::custom("there are no `nodes` in the object")),
            (true, None) => Err(A::Error::custom("there are no `links` or `edges` in the object")),
        }
    }
}

/// A list of objects, each of which is taken in turn.
struct List<'d, 'a> {
    document: &'d mut Document<'a>,
    take: fn(&mut Document<'a>, Object<'_>) -> Result<()>,
}

impl<'de> DeserializeSeed<'de> for List<'_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, source: D) -> Result<(), D::Error> {
        source.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let List { document, take } = self;
        let weight = document.edges.weight_name();
        while let Some(object) = list.next_element_seed(Named(weight))? {
            take(document, object).map_err(|error| document.give_up(error))?;
        }
        Ok(())
    }
}

/// A node or a link: the values that matter, as they stand in the text.
#[derive(Default)]
struct Object<'de> {
    id: Option<&'de RawValue>,
    source: Option<&'de RawValue>,
    target: Option<&'de RawValue>,
    weight: Option<&'de RawValue>,
    /// The first value of all, which tells where the object is.
    first: Option<&'de RawValue>,
}

/// Reads an object whose weight has this name.
struct Named<'n>(&'n str);

impl<'de> DeserializeSeed<'de> for Named<'_> {
    type Value = Object<'de>;

    fn deserialize<D: serde::Deserializer<'de>>(self, source: D) -> Result<Object<'de>, D::Error> {
        source.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Named<'_> {
    type Value = Object<'de>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
        let mut object = Object::default();
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            let value: &'de RawValue = map.next_value()?;
            object.first.get_or_insert(value);
            let place = match &*key {
                "id" => &mut object.id,
                "source" => &mut object.source,
                "target" => &mut object.target,
                key if key == self.0 => &mut object.weight,
                _ => continue,
            };
            if place.replace(value).is_some() {
                return Err(A::Error::custom(format!("`{key}` is there twice")));
            }
        }
        Ok(object)
    }
}
