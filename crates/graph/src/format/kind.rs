//! Which formats there are, what they are called, and which one a file name means.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::Serialize;

use crate::text_file::BYTE_ORDER_MARK;
use crate::{GraphError, Result};

/// A file format.
///
/// ```
/// use gw_graph::format::Format;
/// use std::path::Path;
/// assert_eq!(Format::of_path(Path::new("web.mtx.gz")), Some(Format::Mtx));
/// assert_eq!("metis".parse::<Format>().unwrap(), Format::Metis);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Edge list, `u v` per line.
    El,
    /// Weighted edge list, `u v w` per line.
    Wel,
    /// SNAP edge list with arbitrary ids.
    Snap,
    /// Matrix Market coordinate file.
    Mtx,
    /// DIMACS shortest-path graph.
    Gr,
    /// METIS / Chaco adjacency.
    Metis,
    /// KONECT `out.NAME`.
    Konect,
    /// `AdjacencyGraph` text of Ligra, GBBS and Julienne.
    Adj,
    /// GAPBS serialised graph.
    Sg,
    /// GAPBS serialised weighted graph.
    Wsg,
    /// Coordinates and distances for A* search; read only.
    AStar,
    /// Table of edges with named columns, separated by commas.
    Csv,
    /// The same, separated by tabs.
    Tsv,
    /// Parquet table of edges; read only.
    Parquet,
    /// GraphML document.
    GraphMl,
    /// GEXF document of Gephi.
    Gexf,
    /// Node-link JSON of NetworkX and D3.
    Json,
    /// Graphwright's own binary.
    Gwg,
}

impl Format {
    /// Every format, in the order they are listed to people.
    pub const ALL: [Format; 18] = [
        Format::Gwg,
        Format::Csv,
        Format::Tsv,
        Format::Parquet,
        Format::GraphMl,
        Format::Gexf,
        Format::Json,
        Format::El,
        Format::Wel,
        Format::Snap,
        Format::Mtx,
        Format::Gr,
        Format::Metis,
        Format::Konect,
        Format::Adj,
        Format::Sg,
        Format::Wsg,
        Format::AStar,
    ];

    /// The name used by `--format`.
    pub fn name(self) -> &'static str {
        match self {
            Format::El => "el",
            Format::Wel => "wel",
            Format::Snap => "snap",
            Format::Mtx => "mtx",
            Format::Gr => "gr",
            Format::Metis => "metis",
            Format::Konect => "konect",
            Format::Adj => "adj",
            Format::Sg => "sg",
            Format::Wsg => "wsg",
            Format::AStar => "astar",
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Parquet => "parquet",
            Format::GraphMl => "graphml",
            Format::Gexf => "gexf",
            Format::Json => "json",
            Format::Gwg => "gwg",
        }
    }

    /// File suffixes, without the dot; the first is the usual one.
    pub fn suffixes(self) -> &'static [&'static str] {
        match self {
            Format::El => &["el"],
            Format::Wel => &["wel"],
            Format::Snap => &["txt", "snap"],
            Format::Mtx => &["mtx"],
            Format::Gr => &["gr"],
            Format::Metis => &["graph", "metis"],
            Format::Konect => &["konect"],
            Format::Adj => &["adj"],
            Format::Sg => &["sg"],
            Format::Wsg => &["wsg"],
            Format::AStar => &["bin"],
            Format::Csv => &["csv"],
            Format::Tsv => &["tsv"],
            Format::Parquet => &["parquet", "pq"],
            Format::GraphMl => &["graphml"],
            Format::Gexf => &["gexf"],
            Format::Json => &["json"],
            Format::Gwg => &["gwg"],
        }
    }

    /// True for tables of edges with named columns.
    pub fn is_table(self) -> bool {
        matches!(self, Format::Csv | Format::Tsv | Format::Parquet)
    }

    /// True for documents that declare their vertices, whose edges have attributes with names.
    pub fn is_document(self) -> bool {
        matches!(self, Format::GraphMl | Format::Gexf | Format::Json)
    }

    /// One line about the format.
    pub fn about(self) -> &'static str {
        match self {
            Format::El => "edge list, `u v` per line, ids from 0",
            Format::Wel => "weighted edge list, `u v w` per line, ids from 0",
            Format::Snap => "SNAP edge list: `#` comments, arbitrary ids made dense in ascending order",
            Format::Mtx => "Matrix Market coordinate: pattern, integer or real; general, symmetric or skew-symmetric",
            Format::Gr => "DIMACS shortest paths, `a u v w` per line; ids from 1 are kept, so vertex 0 has no edges",
            Format::Metis => "METIS: undirected, one line of neighbours per vertex, ids from 1",
            Format::Konect => "KONECT `out.NAME`: sym, asym or bip, ids from 1",
            Format::Adj => "AdjacencyGraph or WeightedAdjacencyGraph text of Ligra, GBBS and Julienne",
            Format::Sg => "GAPBS serialised graph, taken as it is",
            Format::Wsg => "GAPBS serialised graph with integer weights, taken as it is",
            Format::AStar => "coordinates and distances for A* search (read only)",
            Format::Csv => "table of edges with a header, ids of any kind; source=, target=, weight= name the columns",
            Format::Tsv => "the same, separated by tabs",
            Format::Parquet => "the same as a Parquet file (read only)",
            Format::GraphMl => "GraphML: ids of any kind, the attribute `weight` of edges; weight= names another",
            Format::Gexf => "GEXF of Gephi: ids of any kind, weights of edges",
            Format::Json => "node-link JSON of NetworkX and D3: nodes, and links or edges with weights",
            Format::Gwg => "Graphwright's binary: memory-mapped, checksummed",
        }
    }

    /// The format that a file name means: by suffix, below `.gz` or `.zst` if there is one, or KONECT's `out.NAME`.
    pub fn of_path(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_str()?;
        let name = Compression::of_path(path).strip(name);
        let by_suffix = name.rsplit_once('.').and_then(|(_, suffix)| {
            Format::ALL.into_iter().find(|f| f.suffixes().iter().any(|s| s.eq_ignore_ascii_case(suffix)))
        });
        by_suffix.or_else(|| name.strip_prefix("out.").filter(|rest| !rest.is_empty()).map(|_| Format::Konect))
    }

    /// The format of a file that begins with `head`, where the beginning gives it away.
    pub(crate) fn of_content(head: &[u8]) -> Option<Format> {
        let head = head.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(head);
        let begins = |mark: &[u8]| head.len() >= mark.len() && head[..mark.len()].eq_ignore_ascii_case(mark);
        if begins(super::gwg::MAGIC) {
            Some(Format::Gwg)
        } else if begins(b"PAR1") {
            Some(Format::Parquet)
        } else if let Some(format) = Format::of_document(head) {
            Some(format)
        } else if begins(b"%%MatrixMarket") {
            Some(Format::Mtx)
        } else if begins(b"AdjacencyGraph") || begins(b"WeightedAdjacencyGraph") {
            Some(Format::Adj)
        } else if [&b"% sym "[..], b"% asym ", b"% bip "].into_iter().any(begins) {
            Some(Format::Konect)
        } else {
            None
        }
    }

    /// The format of a document that begins with `head`.
    fn of_document(head: &[u8]) -> Option<Format> {
        let head = head.trim_ascii_start();
        let has = |word: &[u8]| head.windows(word.len()).any(|part| part == word);
        match head.first() {
            Some(b'{') => Some(Format::Json),
            Some(b'<') if has(b"<graphml") => Some(Format::GraphMl),
            Some(b'<') if has(b"<gexf") => Some(Format::Gexf),
            _ => None,
        }
    }

    /// A pipe, or standard input, whose first bytes tell no format.
    pub(crate) fn untold(path: &Path) -> GraphError {
        let names: Vec<_> = Format::ALL.iter().map(|f| f.name()).collect();
        let given = path.display();
        let message = format!(
            "the first bytes do not tell the format of what is read here: name it, as in `{given}:format=csv`; \
             the formats are {}",
            names.join(", ")
        );
        GraphError::file(path, message)
    }

    pub(crate) fn unknown(path: &Path) -> GraphError {
        let known: Vec<_> = Format::ALL.iter().flat_map(|f| f.suffixes()).map(|s| format!(".{s}")).collect();
        GraphError::file(
            path,
            format!("the name does not tell the format; name the format, or use one of {}", known.join(" ")),
        )
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = GraphError;

    /// Parses a format name or one of its suffixes.
    fn from_str(text: &str) -> Result<Self> {
        let wanted = text.trim_start_matches('.');
        Format::ALL.into_iter().find(|f| f.name() == wanted || f.suffixes().contains(&wanted)).ok_or_else(|| {
            let names: Vec<_> = Format::ALL.iter().map(|f| f.name()).collect();
            GraphError::Usage(format!("unknown format `{text}`; the formats are {}", names.join(", ")))
        })
    }
}

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Not at all.
    #[default]
    Plain,
    /// gzip, `.gz`.
    Gzip,
    /// Zstandard, `.zst`.
    Zstd,
}

impl Compression {
    /// The compression that a file name means.
    pub fn of_path(path: &Path) -> Compression {
        match path.extension().and_then(|e| e.to_str()) {
            Some(e) if e.eq_ignore_ascii_case("gz") => Compression::Gzip,
            Some(e) if e.eq_ignore_ascii_case("zst") => Compression::Zstd,
            _ => Compression::Plain,
        }
    }

    /// The compression that the first bytes of a file show; `None` where they are those of no compression.
    pub(crate) fn of_content(head: &[u8]) -> Option<Compression> {
        match head {
            [0x1f, 0x8b, ..] => Some(Compression::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Compression::Zstd),
            _ => None,
        }
    }

    /// The suffix, with its dot.
    pub fn suffix(self) -> &'static str {
        match self {
            Compression::Plain => "",
            Compression::Gzip => ".gz",
            Compression::Zstd => ".zst",
        }
    }

    fn strip(self, name: &str) -> &str {
        &name[..name.len() - self.suffix().len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_format() {
        let of = |name: &str| Format::of_path(Path::new(name));
        assert_eq!(of("a/b.el"), Some(Format::El));
        assert_eq!(of("b.WEL.GZ"), Some(Format::Wel));
        assert_eq!(of("out.petster-hamster"), Some(Format::Konect));
        assert_eq!(of("out.petster-hamster.zst"), Some(Format::Konect));
        assert_eq!(of("out.gwg"), Some(Format::Gwg));
        assert_eq!(of("out.txt.gz"), Some(Format::Snap));
        assert_eq!(of("out."), None);
        assert_eq!(of("graph"), None);
        assert_eq!(of("x.gz"), None);
        assert_eq!(of(".gz"), None);
    }

    #[test]
    fn names_and_suffixes_parse() {
        for format in Format::ALL {
            assert_eq!(format.name().parse::<Format>().unwrap(), format);
            for suffix in format.suffixes() {
                assert_eq!(suffix.parse::<Format>().unwrap(), format);
            }
        }
        let error = "graphviz".parse::<Format>().unwrap_err().to_string();
        assert!(error.starts_with("unknown format `graphviz`; the formats are gwg, csv"), "{error}");
    }
}
