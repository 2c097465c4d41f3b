//! Graphs and implementations as people write them down: on the command line, and in tables of graphs.

use std::path::{Path, PathBuf};

use gw_graph::spec::Source as SpecSource;
use gw_graph::text_file::{is_device, read_text};
use gw_graph::{GraphError, GraphSpec};
use gw_schedule::ProgramSchedule;

use super::entry::{Kind, NewGraph, NewImplementation};
use crate::error::{LabError, Result};
use graphwright::Program;
use graphwright::schedule::Wanted;

/// A table of graphs with tabs between its columns, beside the files that it lists.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GraphIndex {
    /// The table.
    pub path: PathBuf,
    /// Leave out graphs with more vertices.
    pub max_vertices: Option<u64>,
    /// Leave out graphs with more edges.
    pub max_edges: Option<u64>,
}

impl GraphIndex {
    /// All graphs of a table.
    pub fn at(path: impl Into<PathBuf>) -> GraphIndex {
        GraphIndex { path: path.into(), ..GraphIndex::default() }
    }

    /// Reads the table. Columns `name` and `file` are needed.
    pub fn read(&self) -> Result<Vec<NewGraph>> {
        let text = read_text(&self.path).map_err(|source| LabError::Read { path: self.path.clone(), source })?;
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let mut lines = text.lines().enumerate();
        let header: Vec<&str> = lines.next().map_or_else(Vec::new, |(_, line)| line.split('\t').collect());
        let column = |name: &str| header.iter().position(|&found| found == name);
        let needed = |name: &str| column(name).ok_or_else(|| self.wrong(0, format!("there is no column `{name}`")));
        let (name, file) = (needed("name")?, needed("file")?);
        let mut graphs = Vec::new();
        for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let fields: Vec<&str> = line.split('\t').collect();
            let field =
                |at: Option<usize>| at.and_then(|at| fields.get(at)).map(|text| text.trim()).filter(|t| !t.is_empty());
            let size = |name: &str| match field(column(name)) {
                None => Ok(0),
                Some(text) => {
                    text.parse::<u64>().map_err(|_| self.wrong(number, format!("{name}: `{text}` is not a number")))
                }
            };
            let missing = |what: &str| self.wrong(number, format!("the {what} is missing"));
            let graph = NewGraph {
                name: field(Some(name)).ok_or_else(|| missing("name"))?.to_string(),
                path: folder.join(field(Some(file)).ok_or_else(|| missing("file"))?).to_string_lossy().into_owned(),
                class: field(column("class")).map(str::to_string),
                source: field(column("source")).map(str::to_string),
                licence: field(column("licence").or(column("license"))).map(str::to_string),
            };
            let fits = |size: u64, limit: Option<u64>| limit.is_none_or(|limit| size <= limit);
            if fits(size("vertices")?, self.max_vertices) && fits(size("edges")?, self.max_edges) {
                graphs.push(graph);
            }
        }
        Ok(graphs)
    }

    fn wrong(&self, line: usize, message: String) -> LabError {
        LabError::Entry { place: format!("{}, line {}", self.path.display(), line + 1), message }
    }
}

impl NewGraph {
    /// A file or a spec, with a name before it or without: `NAME=kron:14:seed=3`. The file must be there, the spec
    /// right.
    pub fn read(text: &str) -> Result<NewGraph> {
        let named = text.split_once('=').filter(|(name, rest)| {
            !name.is_empty() && !rest.is_empty() && !name.contains([':', '/', '.']) && !Path::new(text).exists()
        });
        let path = named.map_or(text, |(_, path)| path);
        let mut graph = NewGraph::of(path);
        graph.check()?;
        if let Some((name, _)) = named {
            graph.name = name.to_string();
        }
        Ok(graph)
    }

    /// An error when the file is not there or can be read no more than once, or when the spec is wrong.
    pub fn check(&self) -> Result<()> {
        let wrong = |source| LabError::Graph { name: self.path.clone(), source };
        match GraphSpec::parse(&self.path).map_err(wrong)?.source {
            SpecSource::File(file) if file.is_dir() => Err(wrong(GraphError::file(&file, "is a directory"))),
            SpecSource::File(file) => match std::fs::metadata(&file) {
                Err(_) => Err(wrong(GraphError::file(&file, "there is no such file"))),
                Ok(found) if is_device(&found) => {
                    Err(wrong(GraphError::file(&file, "is a device, not a graph: give a file")))
                }
                Ok(found) if !found.is_file() => {
                    let message = "is a pipe or a socket, which can be read once only: a lab needs a file";
                    Err(wrong(GraphError::file(&file, message)))
                }
                Ok(_) => Ok(()),
            },
            SpecSource::Generator(_) => Ok(()),
        }
    }
}

/// A schedule of a program, with a name before it or without: `fast=s0:s1@pull`. Labels are checked against the
/// program.
pub fn read_implementation(text: &str, program: &str, target: &str) -> Result<NewImplementation> {
    let named = text.split_once('=').filter(|(name, _)| !name.is_empty() && text.parse::<ProgramSchedule>().is_err());
    let (name, text) = named.map_or((None, text), |(name, text)| (Some(name.to_string()), text));
    let found = Program::find(program)?;
    match Wanted::read(found.front(), found.name(), text, &format!("schedule of {program}"), Path::to_path_buf)?.wanted
    {
        Wanted::Fixed(schedule, _) => Ok(NewImplementation {
            name,
            program: program.to_string(),
            kind: Kind::of(&schedule),
            schedule: *schedule,
            target: target.to_string(),
        }),
        Wanted::Chosen | Wanted::Rule | Wanted::Tuned(..) | Wanted::Preset(_) | Wanted::Adaptive(..) => {
            Err(LabError::Entry {
                place: format!("schedule {text}"),
                message: "an implementation is one schedule for all graphs, not a choice for each".to_string(),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_optional() {
        let graph = NewGraph::read("kron:6:seed=3").unwrap();
        assert_eq!((graph.name.as_str(), graph.path.as_str()), ("kron:6:seed=3", "kron:6:seed=3"));
        let graph = NewGraph::read("big=kron:6:seed=3").unwrap();
        assert_eq!((graph.name.as_str(), graph.path.as_str()), ("big", "kron:6:seed=3"));
        assert!(NewGraph::read("korn:6").unwrap_err().to_string().contains("kron"));
        let missing = NewGraph::read("no/such/file.el").unwrap_err().to_string();
        assert_eq!(missing, "graph `no/such/file.el`: no/such/file.el: there is no such file");
        #[cfg(unix)]
        {
            let device = NewGraph::read("/dev/zero").unwrap_err().to_string();
            assert_eq!(device, "graph `/dev/zero`: /dev/zero: is a device, not a graph: give a file");
            let folder = tempfile::tempdir().unwrap();
            let pipe = folder.path().join("pipe.el");
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            let pipe = NewGraph::read(&format!("z={}", pipe.display())).unwrap_err().to_string();
            assert!(pipe.contains("pipe.el: is a pipe"), "{pipe}");
        }
        let plain = read_implementation("s0:s1@push,lb=twce", "bfs-levels", "cpu").unwrap();
        assert_eq!((plain.name, plain.schedule.to_string().as_str()), (None, "s0:s1@push,lb=etwc"));
        let named = read_implementation("fast=s0:s1@pull", "bfs-levels", "cpu").unwrap();
        assert_eq!((named.name.as_deref(), named.kind), (Some("fast"), Kind::Core));
        assert_eq!(read_implementation("s0:s1@hybrid", "bfs-levels", "cpu").unwrap().kind, Kind::Derived);
        assert!(read_implementation("s0:s7@pull", "bfs-levels", "cpu").unwrap_err().to_string().contains("s0:s1"));
        assert!(read_implementation("auto", "bfs-levels", "cpu").unwrap_err().to_string().contains("choice"));
    }

    #[test]
    fn tables_of_graphs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("INDEX.tsv");
        std::fs::write(&path, "name\tfile\tclass\tvertices\tedges\na\ta.mtx\troad\t10\t20\nb\tb.mtx\t\t99\t100\n")
            .unwrap();
        let all = GraphIndex::at(&path).read().unwrap();
        assert_eq!(all.len(), 2);
        assert_eq!((all[0].name.as_str(), all[0].class.as_deref(), all[1].class.as_deref()), ("a", Some("road"), None));
        assert!(all[0].path.ends_with("a.mtx") && all[0].path.len() > "a.mtx".len());
        let small = GraphIndex { max_edges: Some(50), ..GraphIndex::at(&path) };
        assert_eq!(small.read().unwrap().len(), 1);
        std::fs::write(&path, "name\tfile\tvertices\na\ta.mtx\tmany\n").unwrap();
        let error = GraphIndex::at(&path).read().unwrap_err().to_string();
        assert!(error.contains("line 2") && error.contains("many"), "{error}");
    }
}
