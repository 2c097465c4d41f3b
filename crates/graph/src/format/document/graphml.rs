//! GraphML: `<graphml>` with one `<graph>`, whose `<node>`s and `<edge>`s have `<data>` described by `<key>`s.
//!
//! The weight of an edge is its attribute `weight`, or the one that is named; a key may have a default. Hyperedges and
//! graphs within graphs are refused.

use std::ops::Range;
use std::path::Path;

use super::edges::Edges;
use super::xml::{Element, Next, Xml};
use crate::format::TableColumns;
use crate::{GraphError, Result};

/// Reads a document.
pub(super) fn read<'a>(bytes: &'a [u8], path: &'a Path, columns: &'a TableColumns) -> Result<Edges<'a>> {
    let xml = Xml::new(bytes, path);
    let mut reader = GraphMl { xml, edges: Edges::new(bytes, path, columns), key: None, default: None };
    match reader.xml.next()? {
        Next::Element(element) if element.is("graphml") => reader.document()?,
        Next::Element(element) => {
            let message = format!("the document is `{}`, not `graphml`", element.name());
            return Err(reader.xml.fault(element.at, message));
        }
        Next::End => return Err(GraphError::file(path, "there is no graph in the document")),
    }
    Ok(reader.edges)
}

struct GraphMl<'a> {
    xml: Xml<'a>,
    edges: Edges<'a>,
    /// The id of the key of weights.
    key: Option<String>,
    /// The weight of edges without one.
    default: Option<Range<usize>>,
}

impl<'a> GraphMl<'a> {
    fn document(&mut self) -> Result<()> {
        let mut graphs = 0;
        while let Next::Element(element) = self.xml.next()? {
            if element.is("key") {
                self.key(&element)?;
            } else if element.is("graph") {
                graphs += 1;
                if graphs > 1 {
                    let message = "the document holds several graphs; write each into a file of its own";
                    return Err(self.xml.fault(element.at, message));
                }
                self.graph(&element)?;
            } else {
                self.xml.skip(&element)?;
            }
        }
        match graphs {
            0 => Err(self.edges.fault(0, "there is no `graph` in the document")),
            _ => Ok(()),
        }
    }

    /// The declaration of an attribute.
    fn key(&mut self, element: &Element<'a>) -> Result<()> {
        let [id, of, name] = self.xml.values(element, ["id", "for", "attr.name"])?;
        let is_of_edges = matches!(of.as_deref(), None | Some("edge" | "all"));
        // A document without names of attributes has their ids only.
        let name = name.or_else(|| id.clone()).unwrap_or_default();
        if !is_of_edges {
            return self.xml.skip(element).map(drop);
        }
        self.edges.note_attribute(&name);
        if name != self.edges.weight_name() {
            return self.xml.skip(element).map(drop);
        }
        self.key = id.map(|id| id.into_owned());
        while let Next::Element(inner) = self.xml.next()? {
            if inner.is("default") {
                self.default = Some(self.xml.text(&inner)?);
            } else {
                self.xml.skip(&inner)?;
            }
        }
        Ok(())
    }

    fn graph(&mut self, element: &Element<'a>) -> Result<()> {
        let [default] = self.xml.values(element, ["edgedefault"])?;
        let is_directed = match default.as_deref() {
            Some("directed") => true,
            Some("undirected") => false,
            other => {
                let shown = other.map_or("it is missing".to_string(), |other| format!("it is `{other}`"));
                let message = format!("`edgedefault` is `directed` or `undirected`, but {shown}");
                return Err(self.xml.fault(element.at, message));
            }
        };
        while let Next::Element(inner) = self.xml.next()? {
            if inner.is("node") {
                let [id] = self.xml.values(&inner, ["id"])?;
                self.edges.vertex(id.as_deref(), inner.at)?;
                self.node()?;
            } else if inner.is("edge") {
                self.edge(&inner, is_directed)?;
            } else if inner.is("hyperedge") {
                return Err(self.xml.fault(inner.at, "hyperedges are not read: an edge has two ends"));
            } else {
                self.xml.skip(&inner)?;
            }
        }
        Ok(())
    }

    /// What is inside a node, which has been declared.
    fn node(&mut self) -> Result<()> {
        while let Next::Element(inner) = self.xml.next()? {
            if inner.is("graph") {
                return Err(self.xml.fault(inner.at, "a graph within a node is not read; write a flat graph"));
            }
            self.xml.skip(&inner)?;
        }
        Ok(())
    }

    fn edge(&mut self, element: &Element<'a>, mut is_directed: bool) -> Result<()> {
        let [source, target, directed] = self.xml.values(element, ["source", "target", "directed"])?;
        match directed.as_deref() {
            None => {}
            Some("true") => is_directed = true,
            Some("false") => is_directed = false,
            Some(other) => {
                let message = format!("`directed` is `true` or `false`, but it is `{other}`");
                return Err(self.xml.fault(element.at, message));
            }
        }
        let mut weight = self.default.clone();
        while let Next::Element(inner) = self.xml.next()? {
            let is_data = inner.is("data") && self.key.is_some();
            let [key] = if is_data { self.xml.values(&inner, ["key"])? } else { [None] };
            if key.is_some() && key.as_deref() == self.key.as_deref() {
                weight = Some(self.xml.text(&inner)?);
            } else {
                self.xml.skip(&inner)?;
            }
        }
        self.edges.edge([source.as_deref(), target.as_deref()], is_directed, weight, element.at)
    }
}
