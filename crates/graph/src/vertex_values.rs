//! Values of vertices as people give them: a list such as `3,17=0.5`, `none`, or `@FILE`.
//!
//! A file has a line per vertex: its id and its values, or, for all vertices in order, the values alone. Words are
//! separated by blanks, tabs or commas; lines that begin with `#` or `%` are comments.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::text_file::{BYTE_ORDER_MARK, is_device};
use crate::{Graph, GraphError, Result, VertexId};

/// What is read for every vertex.
#[derive(Debug, Clone, Copy)]
pub struct Kind<T> {
    /// What a value is, in words: `a number`.
    pub word: &'static str,
    /// The value of a vertex that a list names without one.
    pub one: T,
}

/// The list without a vertex.
pub const NONE: &str = "none";

/// Reads `width` values per vertex. `take` gets each of them: vertex, position and value. Vertices are named by their
/// original ids in a file where the graph has some, and by their numbers otherwise and in a list. A vertex may be named
/// once.
///
/// ```
/// use gw_graph::vertex_values::{Kind, read};
/// let graph = gw_graph::GraphSpec::parse("path:4").unwrap().load(&gw_graph::progress::Silent).unwrap().graph;
/// let mut values = [0.0; 4];
/// let kind = Kind { word: "a number", one: 1.0 };
/// read("2,0=0.5", &graph, 1, kind, |word| word.parse().ok(), |v, _, value| values[v as usize] = value).unwrap();
/// assert_eq!(values, [0.5, 0.0, 1.0, 0.0]);
/// ```
pub fn read<T: Copy>(
    text: &str,
    graph: &Graph,
    width: usize,
    kind: Kind<T>,
    parse: impl Fn(&str) -> Option<T>,
    take: impl FnMut(VertexId, usize, T),
) -> Result<()> {
    let reader = Reader { graph, width, kind, parse, take, seen: vec![false; graph.vertices()] };
    match text.strip_prefix('@') {
        Some(path) => reader.file(Path::new(path)),
        None if text == NONE => Ok(()),
        None => reader.list(text),
    }
}

struct Reader<'g, T, P, F> {
    graph: &'g Graph,
    width: usize,
    kind: Kind<T>,
    parse: P,
    take: F,
    seen: Vec<bool>,
}

impl<T: Copy, P: Fn(&str) -> Option<T>, F: FnMut(VertexId, usize, T)> Reader<'_, T, P, F> {
    fn list(mut self, text: &str) -> Result<()> {
        let bad = |message: String| {
            let is_file = !text.is_empty() && Path::new(text).is_file();
            let mend = if is_file { format!("; to read the file, write `@{text}`") } else { String::new() };
            GraphError::Usage(format!("`{text}` is no list of vertices: {message}{mend}"))
        };
        if self.width != 1 {
            return Err(bad(format!("{} values per vertex come from a file, `@FILE`", self.width)));
        }
        for entry in text.split(',') {
            let (id, value) = entry.split_once('=').map_or((entry, None), |(id, value)| (id, Some(value)));
            let vertex = self.numbered(id.trim()).and_then(|vertex| self.first(vertex)).map_err(bad)?;
            let value = match value {
                None => self.kind.one,
                Some(value) => self.value(value.trim()).map_err(bad)?,
            };
            (self.take)(vertex, 0, value);
        }
        Ok(())
    }

    fn file(mut self, path: &Path) -> Result<()> {
        let unreadable = |error| GraphError::io("read", path, error);
        let file = File::open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        if metadata.is_dir() || is_device(&metadata) {
            return Err(GraphError::file(path, "it is not a file: give one with a line per vertex"));
        }
        let names = self.graph.names().map(|names| {
            let vertices = 0..self.graph.vertices() as VertexId;
            names.iter().map(|name| name.to_string()).zip(vertices).collect::<HashMap<_, _>>()
        });
        // Values alone, or an id before them; the first line decides.
        let mut with_ids = None;
        let mut next = 0;
        for (number, line) in (1..).zip(BufReader::new(file).lines()) {
            let line = line.map_err(unreadable)?;
            let line = if number == 1 { line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&line) } else { &line };
            let bad = |message: String| GraphError::text(path, number, message);
            if line.trim().is_empty() || line.trim_start().starts_with(['#', '%']) {
                continue;
            }
            let is_space = |c: char| c.is_whitespace() || c == ',';
            let mut words = line.split(is_space).filter(|word| !word.is_empty());
            let count = words.clone().count();
            let ids = *with_ids.get_or_insert(count != self.width);
            if count != self.width + usize::from(ids) {
                return Err(bad(self.shape(count, ids)));
            }
            let vertex = match (words.next().filter(|_| ids), &names) {
                (None, _) => self.in_order(next).map_err(bad)?,
                (Some(id), None) => self.numbered(id).map_err(bad)?,
                (Some(id), Some(names)) => {
                    *names.get(id).ok_or_else(|| bad(format!("the graph has no vertex with the id `{id}`")))?
                }
            };
            next += 1;
            self.first(vertex).map_err(bad)?;
            let values = line.split(is_space).filter(|word| !word.is_empty()).skip(usize::from(ids));
            for (at, word) in values.enumerate() {
                let value = self.value(word).map_err(bad)?;
                (self.take)(vertex, at, value);
            }
        }
        let vertices = self.graph.vertices();
        match with_ids {
            Some(false) if next != vertices => Err(GraphError::file(
                path,
                format!("{next} lines of values for {vertices} vertices: give all, or begin every line with a vertex"),
            )),
            _ => Ok(()),
        }
    }

    fn value(&self, word: &str) -> Result<T, String> {
        (self.parse)(word).ok_or_else(|| format!("`{word}` is not {}", self.kind.word))
    }

    /// A vertex by its number.
    fn numbered(&self, id: &str) -> Result<VertexId, String> {
        let number = id.parse().ok().filter(|_| id.bytes().all(|byte| byte.is_ascii_digit()));
        let vertices = self.graph.vertices();
        number.filter(|&vertex: &VertexId| (vertex as usize) < vertices).ok_or_else(|| match vertices {
            0 => format!("`{id}` is not a vertex: the graph has none"),
            n => format!("`{id}` is not a vertex: the graph has {n}, numbered from 0 to {}", n - 1),
        })
    }

    /// The vertex of a line without an id.
    fn in_order(&self, next: usize) -> Result<VertexId, String> {
        let vertices = self.graph.vertices();
        let vertex = VertexId::try_from(next).ok().filter(|_| next < vertices);
        vertex.ok_or_else(|| format!("a line too many: the graph has {vertices} vertices"))
    }

    /// The same vertex, when it was not named before.
    fn first(&mut self, vertex: VertexId) -> Result<VertexId, String> {
        match std::mem::replace(&mut self.seen[vertex as usize], true) {
            false => Ok(vertex),
            true => Err(format!("vertex {} is named twice", self.graph.shown(vertex))),
        }
    }

    fn shape(&self, count: usize, ids: bool) -> String {
        let values = if self.width == 1 { "a value".to_string() } else { format!("{} values", self.width) };
        match ids {
            true => format!("a vertex and {values} are needed, {count} words found"),
            false => format!("{values} without a vertex, as in the lines before, is needed, {count} words found"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GraphSpec, progress::Silent};

    fn values(text: &str, width: usize) -> Result<Vec<i32>, String> {
        let graph = GraphSpec::parse("path:4").and_then(|spec| spec.load(&Silent)).map_err(|e| e.to_string())?.graph;
        let mut all = vec![0; 4 * width];
        let kind = Kind { word: "a whole number", one: 1 };
        let take = |v: VertexId, at, value| all[v as usize * width + at] = value;
        read(text, &graph, width, kind, |word| word.parse().ok(), take).map_err(|error| error.to_string())?;
        Ok(all)
    }

    fn file_values(name: &str, text: &str, width: usize) -> Result<Vec<i32>, String> {
        let path = std::env::temp_dir().join(format!("gw-vertex-values-{name}-{}", std::process::id()));
        std::fs::write(&path, text).map_err(|error| error.to_string())?;
        let read = values(&format!("@{}", path.display()), width);
        let _ = std::fs::remove_file(&path);
        read.map_err(|error| error.replace(&path.display().to_string(), "FILE"))
    }

    #[test]
    fn lists_name_vertices_with_and_without_values() {
        assert_eq!(values("3,0=-7, 1 = 2", 1), Ok(vec![-7, 2, 0, 1]));
        for (text, part) in [
            ("4", "the graph has 4, numbered from 0 to 3"),
            ("+1", "is not a vertex"),
            ("", "is not a vertex"),
            ("1,1", "vertex 1 is named twice"),
            ("1=x", "`x` is not a whole number"),
        ] {
            let error = values(text, 1).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        assert!(values("1", 2).unwrap_err().contains("2 values per vertex come from a file"));
    }

    #[test]
    fn files_have_ids_and_values_or_all_values() {
        assert_eq!(file_values("ids", "# vertex value\n2 5\n\n0,-1\n", 1), Ok(vec![-1, 0, 5, 0]));
        assert_eq!(file_values("all", "\u{feff}4\n3\n2\n1\n", 1), Ok(vec![4, 3, 2, 1]));
        assert_eq!(file_values("rows", "1 7 8\n3\t9\t6\n", 2), Ok(vec![0, 0, 7, 8, 0, 0, 9, 6]));
        for (name, text, width, part) in [
            ("few", "4\n3\n", 1, "2 lines of values for 4 vertices"),
            ("many", "1\n1\n1\n1\n1\n", 1, "FILE:5: a line too many"),
            ("mixed", "1 2\n3\n", 1, "FILE:2: a vertex and a value are needed, 1 words found"),
            ("words", "0 x\n", 1, "FILE:1: `x` is not a whole number"),
            ("twice", "0 1\n0 1\n", 1, "FILE:2: vertex 0 is named twice"),
            ("beyond", "9 1\n", 1, "FILE:1: `9` is not a vertex"),
        ] {
            let error = file_values(name, text, width).unwrap_err();
            assert!(error.contains(part), "{name}: {error}");
        }
        assert!(values("@/nowhere/at/all", 1).unwrap_err().contains("cannot read /nowhere/at/all"));
    }
}
