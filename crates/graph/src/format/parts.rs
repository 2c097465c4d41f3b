//! Graphs in parts: a folder with the lists of a range of vertices per file, for processes that hold a part each.
//!
//! `part-K.out.gwg` is a `.gwg` of all vertices in which only those of range K have out-neighbours; `part-K.in.gwg`
//! has their in-neighbours, of a directed graph. `parts.txt`, written last, says what belongs together:
//!
//! ```text
//! graphwright parts 1
//! graph VERTICES EDGES undirected|directed HASH
//! part FIRST END OUT-EDGES IN-EDGES CHECKSUM...
//! ```
//!
//! with a line `part` per part in order, and the checksum of the header of each of its files, which covers those of
//! the content.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Content, Format, ReadOptions, WriteOptions, read, write, write_file};
use crate::partial_file::sync_folder;
use crate::progress::Progress;
use crate::text_file::read_text;
use crate::{Adjacency, Graph, GraphError, Result, Share, VertexId};

/// The file that says what belongs together.
const LIST: &str = "parts.txt";
/// The first line of it.
const FIRST_LINE: &str = "graphwright parts 1";
/// More parts than this are a mistake.
const MOST_PARTS: usize = 1024;
/// Bytes of a header of a `.gwg`.
const HEADER: usize = 4096;

/// One part of a graph in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartFile {
    /// Its vertices.
    pub range: Range<VertexId>,
    /// Out-edges of these.
    pub out_edges: usize,
    /// In-edges of these; those of an undirected graph are its out-edges and are not stored.
    pub in_edges: usize,
    /// The checksums of the headers of its files.
    checksums: Vec<u32>,
}

/// A graph in parts in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartedGraph {
    /// Vertices of the whole graph.
    pub vertices: usize,
    /// Edges of the whole graph.
    pub edges: usize,
    /// Whether it is undirected.
    pub symmetric: bool,
    /// [`Graph::edges_hash`] of the whole graph.
    pub hash: u64,
    /// Its parts, in the order of their vertices.
    pub parts: Vec<PartFile>,
    folder: PathBuf,
}

/// Whether this path is a folder with a graph in parts.
pub fn is_parted(path: &Path) -> bool {
    path.join(LIST).is_file()
}

/// The files that a graph in `parts` parts has in a folder; an undirected one has half of them.
pub fn part_files(folder: &Path, parts: usize) -> impl Iterator<Item = PathBuf> {
    let names = (0..parts.min(MOST_PARTS)).flat_map(|part| [part_file(part, 0), part_file(part, 1)]);
    names.chain([LIST.to_string()]).map(|name| folder.join(name))
}

fn part_file(part: usize, direction: usize) -> String {
    format!("part-{part}.{}.gwg", ["out", "in"][direction])
}

/// Writes a graph in parts into a folder, which is made where it is missing. The ranges have about the same number of
/// edges, a vertex counting as eight.
pub fn write_parts(graph: &Graph, parts: usize, folder: &Path, progress: &dyn Progress) -> Result<PartedGraph> {
    if parts == 0 || parts > MOST_PARTS {
        return Err(GraphError::Usage(format!("{parts} parts: there must be 1 to {MOST_PARTS}")));
    }
    std::fs::create_dir_all(folder).map_err(|error| GraphError::io("create", folder, error))?;
    let list = folder.join(LIST);
    if list.exists() {
        let message = "there is a graph in parts already; remove the folder, or give another one";
        return Err(GraphError::file(folder, message));
    }
    graph.out().load()?;
    graph.load_incoming()?;
    let cuts = graph.cuts(parts, true);
    let mut made = PartedGraph {
        vertices: graph.vertices(),
        edges: graph.edges(),
        symmetric: graph.is_symmetric(),
        hash: graph.edges_hash(),
        parts: Vec::new(),
        folder: folder.to_path_buf(),
    };
    for (part, ends) in cuts.windows(2).enumerate() {
        let range = ends[0]..ends[1];
        let (mut edges, mut checksums) = ([0; 2], Vec::new());
        let directions = [Some(graph.shared_out()), (!made.symmetric).then(|| graph.shared_incoming())];
        for (direction, lists) in directions.into_iter().enumerate() {
            let Some(lists) = lists else { continue };
            let lists = lists.part(&range);
            edges[direction] = lists.edges();
            let path = made.file(part, direction);
            let options = WriteOptions { format: Some(Format::Gwg), incoming: false };
            write(&Graph::new(lists, false), &path, &options, progress)?;
            checksums.push(header_checksum(&path)?);
        }
        let in_edges = if made.symmetric { edges[0] } else { edges[1] };
        made.parts.push(PartFile { range, out_edges: edges[0], in_edges, checksums });
    }
    // The list says that the parts are there.
    sync_folder(folder).map_err(|error| GraphError::io("write", folder, error))?;
    write_file(&list, made.text().as_bytes())?;
    Ok(made)
}

impl PartedGraph {
    /// Reads what a folder holds, but no part.
    pub fn open(folder: &Path) -> Result<PartedGraph> {
        let path = folder.join(LIST);
        let text = read_text(&path).map_err(|error| GraphError::io("read", &path, error))?;
        PartedGraph::parse(&text, folder).map_err(|(line, message)| GraphError::text(&path, line as u64 + 1, message))
    }

    /// Reads one part, of as many as there are.
    pub fn load(&self, part: usize, progress: &dyn Progress) -> Result<Graph> {
        let Some(own) = self.parts.get(part) else {
            let message = format!("there are {} parts, and none with number {part}", self.parts.len());
            return Err(GraphError::file(&self.folder, message));
        };
        let out = self.lists(part, 0, own.out_edges, progress)?;
        let incoming = match self.symmetric {
            true => None,
            false => Some(self.lists(part, 1, own.in_edges, progress)?),
        };
        let (parts, range) = (self.parts.len(), own.range.clone());
        let share = Share { part, parts, range, edges: self.edges as u64, hash: self.hash };
        Ok(Graph::of_share(out, incoming, share))
    }

    /// The lists of a part in one direction.
    fn lists(&self, part: usize, direction: usize, edges: usize, progress: &dyn Progress) -> Result<Adjacency> {
        let (path, own) = (self.file(part, direction), &self.parts[part]);
        if Some(&header_checksum(&path)?) != own.checksums.get(direction) {
            return Err(GraphError::file(&path, format!("it does not belong to the other parts, says {LIST}")));
        }
        let options = ReadOptions { format: Some(Format::Gwg), ..ReadOptions::default() };
        let Content::Graph(graph) = read(&path, &options, progress)?.content else {
            return Err(GraphError::file(&path, "it holds no graph"));
        };
        let lists = Arc::into_inner(graph.into_out()).ok_or_else(|| GraphError::file(&path, "it is in use"))?;
        let ends = own.range.start as usize..own.range.end as usize;
        let sizes = (lists.vertices(), lists.edges());
        let fits = sizes == (self.vertices, edges) && (edges == 0 || lists.offsets().at(ends.start) == 0);
        if !fits || lists.offsets().at(ends.end) != edges {
            return Err(GraphError::file(&path, format!("it holds other edges than {LIST} says")));
        }
        Ok(lists.within(own.range.clone()))
    }

    /// The file of a part in one direction.
    fn file(&self, part: usize, direction: usize) -> PathBuf {
        self.folder.join(part_file(part, direction))
    }

    /// Bytes of the files of a part.
    pub fn bytes(&self, part: usize) -> Result<u64> {
        let size = |direction| {
            let path = self.file(part, direction);
            std::fs::metadata(&path).map(|data| data.len()).map_err(|error| GraphError::io("read", &path, error))
        };
        Ok(size(0)? + if self.symmetric { 0 } else { size(1)? })
    }

    fn text(&self) -> String {
        let kind = if self.symmetric { "undirected" } else { "directed" };
        let mut text = format!("{FIRST_LINE}\ngraph {} {} {kind} {:016x}\n", self.vertices, self.edges, self.hash);
        for PartFile { range, out_edges, in_edges, checksums } in &self.parts {
            text += &format!("part {} {} {out_edges} {in_edges}", range.start, range.end);
            text.extend(checksums.iter().map(|checksum| format!(" {checksum:08x}")));
            text.push('\n');
        }
        text
    }

    /// The list in a text; an error has the number of the line, from 0 on.
    fn parse(text: &str, folder: &Path) -> std::result::Result<PartedGraph, (usize, String)> {
        let mut lines = text.lines().enumerate();
        if lines.next().is_none_or(|(_, line)| line != FIRST_LINE) {
            return Err((0, format!("`{FIRST_LINE}` is expected: write the parts again with this version of gw")));
        }
        let wrong = |line: usize, expected: &str| (line, format!("`{expected}` is expected"));
        const GRAPH: &str = "graph VERTICES EDGES undirected|directed HASH";
        let (_, line) = lines.next().ok_or_else(|| wrong(1, GRAPH))?;
        let words: Vec<&str> = line.split(' ').collect();
        let head = match words[..] {
            ["graph", vertices, edges, kind @ ("undirected" | "directed"), hash] => {
                let numbers = vertices.parse().ok().zip(edges.parse().ok());
                numbers.zip(u64::from_str_radix(hash, 16).ok()).map(|(sizes, hash)| (sizes, kind, hash))
            }
            _ => None,
        };
        let ((vertices, edges), kind, hash) = head.ok_or_else(|| wrong(1, GRAPH))?;
        let symmetric = kind == "undirected";
        let (mut parts, mut next): (Vec<PartFile>, _) = (Vec::new(), 0);
        for (number, line) in lines {
            const PART: &str = "part FIRST END OUT-EDGES IN-EDGES CHECKSUM...";
            let part = part(line).ok_or_else(|| wrong(number, PART))?;
            if part.range.start != next || part.range.end < next || part.range.end as usize > vertices {
                let message = format!("ranges of vertices must follow each other from 0 to {vertices}");
                return Err((number, message));
            }
            if part.checksums.len() != if symmetric { 1 } else { 2 } {
                return Err(wrong(number, PART));
            }
            next = part.range.end;
            parts.push(part);
        }
        let all = parts.iter().try_fold(0usize, |sum, part| sum.checked_add(part.out_edges));
        if next as usize != vertices || all != Some(edges) || parts.is_empty() || parts.len() > MOST_PARTS {
            let message = "the parts do not add up to the graph: the list is damaged, or its end is missing";
            return Err((text.lines().count(), message.to_string()));
        }
        Ok(PartedGraph { vertices, edges, symmetric, hash, parts, folder: folder.to_path_buf() })
    }
}

/// A part in a line.
fn part(line: &str) -> Option<PartFile> {
    let words: Vec<&str> = line.split(' ').collect();
    let ["part", first, end, out_edges, in_edges, checksums @ ..] = &words[..] else { return None };
    let checksums = checksums.iter().map(|word| u32::from_str_radix(word, 16).ok()).collect::<Option<_>>()?;
    let (out_edges, in_edges) = (out_edges.parse().ok()?, in_edges.parse().ok()?);
    Some(PartFile { range: first.parse().ok()?..end.parse().ok()?, out_edges, in_edges, checksums })
}

/// The checksum of the header of a file.
fn header_checksum(path: &Path) -> Result<u32> {
    let mut header = Vec::with_capacity(HEADER);
    let read = File::open(path).and_then(|file| file.take(HEADER as u64).read_to_end(&mut header));
    read.map_err(|error| GraphError::io("read", path, error))?;
    Ok(crc32fast::hash(&header))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GraphSpec;
    use crate::progress::Silent;

    fn graph(spec: &str) -> Graph {
        GraphSpec::parse(spec).and_then(|spec| spec.load(&Silent)).unwrap().graph
    }

    #[test]
    fn parts_of_a_folder_are_those_of_the_graph() {
        for (spec, parts) in [("kron:8:weights=1..9", 3), ("kron:7:directed", 4), ("path:3", 5), ("star:40", 2)] {
            let (whole, folder) = (graph(spec), tempfile::tempdir().unwrap());
            let written = write_parts(&whole, parts, folder.path(), &Silent).unwrap();
            assert!(is_parted(folder.path()) && written.bytes(0).unwrap() > HEADER as u64);
            let opened = PartedGraph::open(folder.path()).unwrap();
            assert_eq!(opened, written);
            for (i, part) in opened.parts.iter().enumerate() {
                let own = opened.load(i, &Silent).unwrap();
                let sizes = (own.vertices(), own.edges(), own.is_symmetric(), own.share().map(|share| share.parts));
                assert_eq!(sizes, (whole.vertices(), whole.edges(), whole.is_symmetric(), Some(parts)));
                for v in 0..whole.vertices() as u32 {
                    let mine = part.range.contains(&v);
                    let pairs = [(own.out(), whole.out()), (own.incoming(), whole.incoming())];
                    for (part, whole) in pairs {
                        assert_eq!(part.neighbours(v), if mine { whole.neighbours(v) } else { &[] }, "{spec} {v}");
                        assert_eq!(part.weights_of::<i32>(v), if mine { whole.weights_of::<i32>(v) } else { &[] });
                    }
                }
            }
        }
    }

    #[test]
    fn what_does_not_belong_together_is_refused() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        write_parts(&graph("kron:7"), 2, folder.path(), &Silent).unwrap();
        write_parts(&graph("kron:7:seed=9"), 2, other.path(), &Silent).unwrap();
        let again = write_parts(&graph("kron:7"), 2, folder.path(), &Silent).unwrap_err().to_string();
        assert!(again.contains("there is a graph in parts already"), "{again}");
        let opened = PartedGraph::open(folder.path()).unwrap();
        assert!(opened.load(2, &Silent).unwrap_err().to_string().contains("none with number 2"));
        std::fs::copy(other.path().join("part-1.out.gwg"), folder.path().join("part-1.out.gwg")).unwrap();
        let mixed = opened.load(1, &Silent).unwrap_err().to_string();
        assert!(mixed.contains("it does not belong to the other parts"), "{mixed}");
        assert!(write_parts(&graph("path:3"), 0, other.path(), &Silent).is_err());
    }

    #[test]
    fn damaged_lists_are_refused_with_their_line() {
        let folder = tempfile::tempdir().unwrap();
        write_parts(&graph("kron:6:directed"), 3, folder.path(), &Silent).unwrap();
        let path = folder.path().join(LIST);
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for cut in 0..lines.len() {
            std::fs::write(&path, lines[..cut].join("\n")).unwrap();
            assert!(PartedGraph::open(folder.path()).is_err(), "{cut} lines");
        }
        for (from, to) in
            [("directed", "mixed"), ("part 0", "part 1"), ("parts 1", "parts 2"), ("graph 64", "graph -1")]
        {
            std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
            let error = PartedGraph::open(folder.path()).unwrap_err().to_string();
            assert!(error.contains("expected") || error.contains("follow each other"), "{error}");
        }
    }
}
