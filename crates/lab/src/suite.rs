//! A suite: the data file that says which programs run on which graphs under which schedules.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use gw_graph::text_file::read_text;
use serde::Deserialize;

use crate::builtin;
use crate::error::{LabError, Result};
use crate::program::DEFAULT;
use graphwright::schedule::AUTO;

/// The most sources, trials or warm-ups that may be asked for, and the most timed runs of a row.
pub const MOST_RUNS: u32 = 1 << 20;

/// A benchmark suite as written in its file. `docs/bench.md` explains every key.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Suite {
    /// Its name.
    pub name: String,
    /// What it is for, in a sentence or two.
    #[serde(default)]
    pub description: String,
    /// Seed of the choice of sources and of random choices in programs.
    #[serde(default = "one")]
    pub seed: u64,
    /// Timed runs per source, unless an entry says otherwise.
    #[serde(default = "three")]
    pub trials: u32,
    /// Runs before the first timed one.
    #[serde(default = "one_run")]
    pub warm_ups: u32,
    /// Whether results are validated.
    #[serde(default = "yes")]
    pub verify: bool,
    /// Random weights for programs that need some, on graphs that have none: `1..255`.
    pub weights: Option<String>,
    /// Values of `{name}` in graph specs and arguments, which `--set` (or `--scale`) changes.
    #[serde(default)]
    pub parameters: BTreeMap<String, Scalar>,
    /// Schedules by name: canonical text or a file.
    #[serde(default)]
    pub schedules: BTreeMap<String, String>,
    /// Graphs, in the order they are run.
    #[serde(default, rename = "graph")]
    pub graphs: Vec<GraphEntry>,
    /// Programs, in the order they are run.
    #[serde(rename = "entry")]
    pub entries: Vec<Entry>,
    /// The folder of the suite's file, where its relative paths begin.
    #[serde(skip)]
    pub folder: Option<PathBuf>,
}

/// A graph of a suite.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GraphEntry {
    /// The name in tables.
    pub name: String,
    /// A file or spec. Without it the graph is a place for one of the user's own: it takes part when it is given.
    pub spec: Option<String>,
    /// As [`Suite::weights`], for this graph.
    pub weights: Option<String>,
    /// Start vertices to use instead of random ones.
    pub sources: Option<Vec<u32>>,
    /// Values of `{name}` in arguments on this graph.
    #[serde(default)]
    pub values: BTreeMap<String, Scalar>,
}

/// A program of a suite.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Entry {
    /// A standard program or a `.gt` file.
    pub program: String,
    /// Arguments with `{graph}`, `{source}`, `{target}`, `{landmark}` and `{value}`; a standard program knows its own.
    pub args: Option<Vec<String>>,
    /// Graphs by name, or specs; all of the suite without it.
    pub graphs: Option<Vec<String>>,
    /// Schedules by name, as text, or as files; `default` is what `gw run` takes without `--schedule`,
    /// `auto` the machine's choice.
    pub schedules: Option<Vec<String>>,
    /// Number of start vertices.
    pub sources: Option<u32>,
    /// Timed runs per source.
    pub trials: Option<u32>,
    /// Values of `{name}` in arguments, for graphs that have none of their own.
    #[serde(default)]
    pub values: BTreeMap<String, Scalar>,
    /// What is different on one graph.
    #[serde(default)]
    pub on: BTreeMap<String, Override>,
}

/// What an entry does differently on one graph.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Override {
    /// Schedules.
    pub schedules: Option<Vec<String>>,
    /// Number of start vertices.
    pub sources: Option<u32>,
    /// Timed runs per source.
    pub trials: Option<u32>,
    /// Values of `{name}` in arguments; these win over all others in the file.
    #[serde(default)]
    pub values: BTreeMap<String, Scalar>,
}

/// A value of a parameter.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Scalar {
    /// A whole number.
    Integer(i64),
    /// A number.
    Float(f64),
    /// A text.
    Text(String),
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Integer(value) => value.fmt(f),
            Scalar::Float(value) => value.fmt(f),
            Scalar::Text(value) => value.fmt(f),
        }
    }
}

impl Suite {
    /// Parses the text of a suite; `origin` stands in messages.
    ///
    /// ```
    /// use gw_lab::Suite;
    /// let suite = Suite::parse("mine", "name = 'mine'\n[[entry]]\nprogram = 'bfs'\ngraphs = ['kron:10']").unwrap();
    /// assert_eq!(suite.entries[0].program, "bfs");
    /// assert!(Suite::parse("mine", "nam = 'mine'").unwrap_err().to_string().contains("nam"));
    /// ```
    pub fn parse(origin: &str, text: &str) -> Result<Suite> {
        let suite: Suite = toml::from_str(text).map_err(|e| LabError::Format {
            suite: origin.to_string(),
            message: e.to_string().trim_end().to_string(),
        })?;
        suite.check()?;
        Ok(suite)
    }

    /// The built-in suite of this name.
    pub fn builtin(name: &str) -> Result<Suite> {
        let names: Vec<&str> = builtin::texts().iter().map(|(name, _)| *name).collect();
        match builtin::texts().iter().find(|(known, _)| *known == name) {
            Some((name, text)) => Suite::parse(name, text),
            None => Err(LabError::UnknownSuite {
                name: name.to_string(),
                nearest: gw_lang::suggest::nearest(name, names.iter().copied()).map(str::to_string),
                known: names.join(", "),
            }),
        }
    }

    /// A built-in suite by name, or one in a file: a text that ends in `.toml` or has a `/` in it.
    pub fn find(name: &str) -> Result<Suite> {
        let path = Path::new(name);
        if path.extension().is_none_or(|e| e != "toml") && !name.contains(std::path::MAIN_SEPARATOR) {
            return Suite::builtin(name);
        }
        let text = read_text(path).map_err(|source| LabError::Read { path: path.to_path_buf(), source })?;
        let mut suite = Suite::parse(name, &text)?;
        suite.folder = path.parent().map(Path::to_path_buf);
        Ok(suite)
    }

    /// A path of this suite: in its folder when it is there, otherwise as it stands.
    pub(crate) fn path(&self, text: &Path) -> PathBuf {
        match &self.folder {
            Some(folder) if folder.join(text).is_file() => folder.join(text),
            _ => text.to_path_buf(),
        }
    }

    /// An error about a part of this suite.
    pub(crate) fn wrong(&self, place: impl Into<String>, message: impl Into<String>) -> LabError {
        LabError::Suite { suite: self.name.clone(), place: place.into(), message: message.into() }
    }

    /// What a text alone can tell to be wrong.
    fn check(&self) -> Result<()> {
        if self.entries.is_empty() {
            return Err(self.wrong("entry", "the list is empty: name at least one program"));
        }
        self.counted("trials", Some(self.trials))?;
        self.counted("warm-ups", Some(self.warm_ups))?;
        for (i, graph) in self.graphs.iter().enumerate() {
            if self.graphs[..i].iter().any(|other| other.name == graph.name) {
                return Err(self.wrong(format!("graph `{}`", graph.name), "the name is given twice"));
            }
        }
        if let Some(name) = [DEFAULT, AUTO].into_iter().find(|name| self.schedules.contains_key(*name)) {
            return Err(self.wrong(format!("schedule `{name}`"), "the name has a meaning of its own: choose another"));
        }
        for entry in &self.entries {
            let place = |key: &str| format!("entry `{}`: {key}", entry.program);
            self.counted(&place("sources"), entry.sources)?;
            self.counted(&place("trials"), entry.trials)?;
            for (graph, changes) in &entry.on {
                self.counted(&place(&format!("on {graph}: sources")), changes.sources)?;
                self.counted(&place(&format!("on {graph}: trials")), changes.trials)?;
                let listed = |names: &Vec<String>| names.iter().any(|name| name == graph);
                let known = match &entry.graphs {
                    Some(names) => listed(names),
                    None => self.graphs.iter().any(|g| g.name == *graph),
                };
                if !known {
                    return Err(self.wrong(place(&format!("on `{graph}`")), "the entry has no graph of this name"));
                }
            }
        }
        Ok(())
    }

    /// Refuses a number of runs or sources that is 0 or larger than any measurement needs.
    fn counted(&self, place: &str, count: Option<u32>) -> Result<()> {
        match count {
            Some(0) => Err(self.wrong(place, "must be at least 1")),
            Some(count) if count > MOST_RUNS => {
                Err(self.wrong(place, format!("{count} is too large: {MOST_RUNS} is the limit")))
            }
            _ => Ok(()),
        }
    }
}

fn one() -> u64 {
    1
}

fn one_run() -> u32 {
    1
}

fn three() -> u32 {
    3
}

fn yes() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Suite::parse("test.toml", text).map(|_| ()).map_err(|e| e.to_string()).err().unwrap_or_default()
    }

    #[test]
    fn a_suite_has_defaults() -> Result<()> {
        let suite = Suite::parse("t", "name = 't'\n[[entry]]\nprogram = 'bfs'")?;
        assert_eq!((suite.trials, suite.warm_ups, suite.seed, suite.verify), (3, 1, 1, true));
        assert_eq!(suite.entries[0].graphs, None);
        Ok(())
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let wrong_key = error("name = 't'\ntrails = 3\n[[entry]]\nprogram = 'bfs'");
        assert!(wrong_key.contains("trails") && wrong_key.contains("line 2"), "{wrong_key}");
        let wrong_type = error("name = 't'\ntrials = 'many'\n[[entry]]\nprogram = 'bfs'");
        assert!(wrong_type.contains("line 2") && wrong_type.contains("u32"), "{wrong_type}");
        assert!(error("name = 't'").contains("entry"));
        assert!(error("name = 't'\nentry = []").contains("at least one program"));
        assert!(error("name = 't'\ntrials = 0\n[[entry]]\nprogram = 'bfs'").contains("at least 1"));
        assert!(error("name = 't'\n[[entry]]\nprogram = 'bfs'\nsources = 0").contains("entry `bfs`: sources"));
        assert!(error("name = 't'\n[[entry]]\nprogram = 'bfs'\n[entry.on.x]\ntrials = 2").contains("on `x`"));
        let many = |key: &str, count: u64| error(&format!("name = 't'\n[[entry]]\nprogram = 'bfs'\n{key} = {count}"));
        for key in ["sources", "trials", "on.x.sources", "on.x.trials"] {
            let place = key.replace("on.x.", "on x: ");
            let refused = many(key, 1 << 31);
            let sentence = format!("entry `bfs`: {place}: 2147483648 is too large: 1048576 is the limit");
            assert!(refused.contains(&sentence), "{refused}");
        }
        assert!(many("sources", 1 << 32).contains("line 4"), "{}", many("sources", 1 << 32));
        assert_eq!(many("sources", 1 << 20), "");
        let twice = "name = 't'\n[[graph]]\nname = 'a'\n[[graph]]\nname = 'a'\n[[entry]]\nprogram = 'bfs'";
        assert!(error(twice).contains("graph `a`: the name is given twice"), "{}", error(twice));
        assert!(error("name = ").contains("line 1"));
        let taken = error("name = 't'\n[schedules]\nauto = 'push'\n[[entry]]\nprogram = 'bfs'");
        assert!(taken.contains("schedule `auto`"), "{taken}");
    }

    #[test]
    fn built_in_suites_parse_and_unknown_ones_are_refused() -> Result<()> {
        for suite in crate::builtin_suites()? {
            assert!(!suite.description.is_empty());
        }
        let message = Suite::find("gpa").map(|_| ()).map_err(|e| e.to_string()).err().unwrap_or_default();
        assert!(message.contains("did you mean `gap`") && message.contains("smoke"), "{message}");
        assert!(matches!(Suite::find("nowhere/suite.toml"), Err(LabError::Read { .. })));
        Ok(())
    }
}
