//! GEXF: `<gexf>` with a `<graph>` of `<nodes>` and `<edges>`, as Gephi and NetworkX write it.
//!
//! The weight of an edge is its attribute `weight`, which is 1 where others have one; another attribute can be named by
//! its title. Graphs that change over time and nodes within nodes are refused.

use std::ops::Range;
use std::path::Path;

use super::edges::Edges;
use super::xml::{Element, Next, Xml};
use crate::format::TableColumns;
use crate::{GraphError, Result};

/// Reads a document.
pub(super) fn read<'a>(bytes: &'a [u8], path: &'a Path, columns: &'a TableColumns) -> Result<Edges<'a>> {
    let mut edges = Edges::new(bytes, path, columns);
    edges.note_attribute("weight");
    if edges.weight_name() == "weight" {
        edges.set_default_weight(b"1");
    }
    let mut reader = Gexf { xml: Xml::new(bytes, path), edges, attribute: None };
    match reader.xml.next()? {
        Next::Element(element) if element.is("gexf") => reader.document()?,
        Next::Element(element) => {
            let message = format!("the document is `{}`, not `gexf`", element.name());
            return Err(reader.xml.fault(element.at, message));
        }
        Next::End => return Err(GraphError::file(path, "there is no graph in the document")),
    }
    Ok(reader.edges)
}

struct Gexf<'a> {
    xml: Xml<'a>,
    edges: Edges<'a>,
    /// The id of the attribute of weights, where one was named.
    attribute: Option<String>,
}

impl<'a> Gexf<'a> {
    fn document(&mut self) -> Result<()> {
        let mut graphs = 0;
        while let Next::Element(element) = self.xml.next()? {
            if !element.is("graph") {
                self.xml.skip(&element)?;
                continue;
            }
            graphs += 1;
            if graphs > 1 {
                let message = "the document holds several graphs; write each into a file of its own";
                return Err(self.xml.fault(element.at, message));
            }
            self.graph(&element)?;
        }
        match graphs {
            0 => Err(self.edges.fault(0, "there is no `graph` in the document")),
            _ => Ok(()),
        }
    }

    fn graph(&mut self, element: &Element<'a>) -> Result<()> {
        let [default, mode] = self.xml.values(element, ["defaultedgetype", "mode"])?;
        if mode.as_deref() == Some("dynamic") {
            let message = "the graph is dynamic: its edges come and go; export it as a static one";
            return Err(self.xml.fault(element.at, message));
        }
        let is_directed = self.is_directed(default.as_deref(), false, element.at)?;
        while let Next::Element(inner) = self.xml.next()? {
            if inner.is("attributes") {
                self.declarations(&inner)?;
            } else if inner.is("nodes") {
                self.nodes()?;
            } else if inner.is("edges") {
                while let Next::Element(edge) = self.xml.next()? {
                    match edge.is("edge") {
                        true => self.edge(&edge, is_directed)?,
                        false => self.xml.skip(&edge).map(drop)?,
                    }
                }
            } else {
                self.xml.skip(&inner)?;
            }
        }
        Ok(())
    }

    /// The direction that a type of edges means.
    fn is_directed(&self, kind: Option<&str>, otherwise: bool, at: usize) -> Result<bool> {
        match kind {
            None => Ok(otherwise),
            Some("directed") => Ok(true),
            Some("undirected" | "mutual") => Ok(false),
            Some(other) => {
                let message = format!("an edge is `directed`, `undirected` or `mutual`, but not `{other}`");
                Err(self.xml.fault(at, message))
            }
        }
    }

    /// The declarations of attributes.
    fn declarations(&mut self, element: &Element<'a>) -> Result<()> {
        let [class] = self.xml.values(element, ["class"])?;
        while let Next::Element(inner) = self.xml.next()? {
            let [id, title] = self.xml.values(&inner, ["id", "title"])?;
            if let (Some("edge"), Some(title)) = (class.as_deref(), title) {
                self.edges.note_attribute(&title);
                // The attribute `weight` of edges is no declared one.
                if title == self.edges.weight_name() && title != "weight" {
                    self.attribute = id.map(|id| id.into_owned());
                }
            }
            self.xml.skip(&inner)?;
        }
        Ok(())
    }

    fn nodes(&mut self) -> Result<()> {
        while let Next::Element(node) = self.xml.next()? {
            if !node.is("node") {
                self.xml.skip(&node)?;
                continue;
            }
            let [id] = self.xml.values(&node, ["id"])?;
            self.edges.vertex(id.as_deref(), node.at)?;
            while let Next::Element(inner) = self.xml.next()? {
                if inner.is("nodes") {
                    return Err(self.xml.fault(inner.at, "nodes within a node are not read; write a flat graph"));
                }
                self.xml.skip(&inner)?;
            }
        }
        Ok(())
    }

    fn edge(&mut self, element: &Element<'a>, is_directed: bool) -> Result<()> {
        let [source, target, kind] = self.xml.values(element, ["source", "target", "type"])?;
        let is_directed = self.is_directed(kind.as_deref(), is_directed, element.at)?;
        let mut weight = None;
        if self.attribute.is_none() && self.edges.weight_name() == "weight" {
            weight = self.place_of(element, b"weight")?;
        }
        while let Next::Element(inner) = self.xml.next()? {
            match self.attribute.is_some() && inner.is("attvalues") {
                true => self.attribute_values(&mut weight)?,
                false => self.xml.skip(&inner).map(drop)?,
            }
        }
        self.edges.edge([source.as_deref(), target.as_deref()], is_directed, weight, element.at)
    }

    /// The values of declared attributes of an edge.
    fn attribute_values(&mut self, weight: &mut Option<Range<usize>>) -> Result<()> {
        while let Next::Element(inner) = self.xml.next()? {
            // Version 1.1 calls `id` what is `for` later on.
            let [of, id] = self.xml.values(&inner, ["for", "id"])?;
            if of.or(id).as_deref() == self.attribute.as_deref() {
                *weight = self.place_of(&inner, b"value")?;
            }
            self.xml.skip(&inner)?;
        }
        Ok(())
    }

    /// The place of the value of an attribute.
    fn place_of(&self, element: &Element<'a>, wanted: &[u8]) -> Result<Option<Range<usize>>> {
        let mut place = None;
        self.xml.attributes(element, |name, attribute| {
            if name == wanted {
                place = Some(self.xml.place(&attribute.value, element.at));
            }
            Ok(())
        })?;
        Ok(place)
    }
}
