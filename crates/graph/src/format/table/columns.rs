//! Which columns of a table hold the edges.

use std::fmt;

/// The columns that hold sources, targets and weights, each by its name in the header or by its number from 1 on.
///
/// A column that is not named here is found by the usual names: `source`, `src` or `from`; `target`, `dst`, `to`,
/// `dest` or `destination`; `weight` or `w`, in letters of any case. Without these, the first two columns that are left
/// are taken, and there are no weights.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableColumns {
    /// The column of sources.
    pub source: Option<String>,
    /// The column of targets.
    pub target: Option<String>,
    /// The column of weights.
    pub weight: Option<String>,
    /// The first line holds an edge, not the names of columns.
    pub no_header: bool,
    /// What becomes of a row with an empty cell in one of these columns.
    pub missing: Missing,
}

/// What becomes of an edge whose source, target or weight is missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Missing {
    /// It is an error.
    #[default]
    Error,
    /// The edge is left out, and counted.
    Skip,
}

impl Missing {
    /// Reads `error` or `skip`.
    pub fn parse(text: &str) -> Result<Missing, String> {
        match text {
            "error" => Ok(Missing::Error),
            "skip" => Ok(Missing::Skip),
            _ => Err(format!("`{text}` is neither `skip` nor `error`")),
        }
    }
}

/// Columns that were taken for the ends of edges since they stand first: neither options nor usual names tell them, and
/// there are further columns that may have been meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuessedColumns {
    source: String,
    target: String,
    /// Columns that are not used.
    unused: Vec<String>,
}

impl fmt::Display for GuessedColumns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GuessedColumns { source, target, unused } = self;
        let (is, it) = if unused.len() == 1 { ("is", "it") } else { ("are", "them") };
        write!(
            f,
            "edges lead from the column `{source}` to `{target}`, as the first ones; not used {is} {}: name {it} with \
             --source-column, --target-column or --weight-column where that is wrong",
            list(unused)
        )
    }
}

/// Columns by their places, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Places {
    pub(super) source: usize,
    pub(super) target: usize,
    pub(super) weight: Option<usize>,
}

const SOURCES: &[&str] = &["source", "src", "from"];
const TARGETS: &[&str] = &["target", "dst", "to", "dest", "destination"];
const WEIGHTS: &[&str] = &["weight", "w"];

impl TableColumns {
    /// True when nothing is asked for.
    pub fn is_default(&self) -> bool {
        *self == TableColumns::default()
    }

    /// Whether the first line of a table has the names of its columns.
    pub(super) fn is_header(&self, first: &[String]) -> bool {
        let named = [&self.source, &self.target, &self.weight];
        let is_named = |name: &String| named.iter().any(|column| column.as_ref() == Some(name));
        let has_number = first.iter().any(|field| field.parse::<f64>().is_ok());
        !self.no_header && (!has_number || first.iter().any(is_named) || TableColumns::are_usual(first))
    }

    /// Whether a line names sources and targets as is usual.
    fn are_usual(line: &[String]) -> bool {
        let has = |usual: &[&str]| usual.iter().any(|name| line.iter().any(|field| field.eq_ignore_ascii_case(name)));
        has(SOURCES) && has(TARGETS)
    }

    /// What a person should know of the columns that were taken.
    pub(super) fn guessed(&self, header: &[String], places: Places) -> Option<GuessedColumns> {
        let is_told = |asked: &Option<String>, at: usize, usual: &[&str]| {
            asked.is_some() || usual.iter().any(|name| header[at].eq_ignore_ascii_case(name))
        };
        let Places { source, target, weight } = places;
        let are_told = is_told(&self.source, source, SOURCES) && is_told(&self.target, target, TARGETS);
        let is_used = |at: usize| at == source || at == target || Some(at) == weight;
        let unused: Vec<String> = (0..header.len()).filter(|&at| !is_used(at)).map(|at| header[at].clone()).collect();
        let guessed = GuessedColumns { source: header[source].clone(), target: header[target].clone(), unused };
        (!are_told && !guessed.unused.is_empty()).then_some(guessed)
    }

    /// The places of the columns in a table with this header, or what is wrong.
    pub(super) fn places(&self, header: &[String]) -> Result<Places, String> {
        self.places_beside(header, &[])
    }

    /// The same where some columns hold something else.
    pub(super) fn places_beside(&self, header: &[String], taken: &[usize]) -> Result<Places, String> {
        let source = named(header, "source", self.source.as_deref(), SOURCES)?;
        let target = named(header, "target", self.target.as_deref(), TARGETS)?;
        let weight = named(header, "weight", self.weight.as_deref(), WEIGHTS)?;
        if header.len() < 2 {
            let only = list(header);
            return Err(format!("an edge needs two columns, but the table has {only} only"));
        }
        // By habit alone, one column is never used twice.
        let weight = weight.filter(|at| self.weight.is_some() || (Some(*at) != source && Some(*at) != target));
        let is_free = |at: &usize| Some(*at) != weight && !taken.contains(at);
        let free = |end: Option<usize>| (0..header.len()).find(|at| Some(*at) != end && is_free(at));
        let missing = |what: &str| format!("no column is left for the {what}s; the columns are {}", list(header));
        let source = source.or_else(|| free(target)).ok_or_else(|| missing("source"))?;
        let target = target.filter(|at| *at != source || self.target.is_some()).or_else(|| free(Some(source)));
        let target = target.ok_or_else(|| missing("target"))?;
        if source == target || weight.is_some_and(|weight| weight == source || weight == target) {
            return Err(twice(header, if source == target { source } else { weight.unwrap_or(source) }));
        }
        if let Some(&both) = taken.iter().find(|&&at| at == source || at == target || Some(at) == weight) {
            return Err(twice(header, both));
        }
        Ok(Places { source, target, weight })
    }
}

/// The names of columns without a header: their numbers from 1 on.
pub(super) fn numbered(columns: usize) -> Vec<String> {
    (1..=columns).map(|number| number.to_string()).collect()
}

fn twice(header: &[String], at: usize) -> String {
    format!("the column `{}` cannot be two things at once; the columns are {}", header[at], list(header))
}

/// What is wrong with a record of this many fields, where column `needed` holds something.
pub(super) fn wrong_count(header: &[String], count: usize, needed: usize) -> String {
    let fields = if count == 1 { "1 field".to_string() } else { format!("{count} fields") };
    match count <= needed {
        true => format!("{fields}, but the column `{}` is number {}", header[needed], needed + 1),
        false => format!("{fields} for {} columns; put quotes around a field that holds a separator", header.len()),
    }
}

/// What is wrong with a record without a value in this column.
pub(super) fn empty(column: &str) -> String {
    format!("the column `{column}` is empty here; fill it in, or leave such lines out with --missing skip")
}

/// The column of this name or number; without one, that of the first usual name.
pub(super) fn named(
    header: &[String],
    what: &str,
    name: Option<&str>,
    usual: &[&str],
) -> Result<Option<usize>, String> {
    let Some(name) = name else {
        let column = |usual: &&str| header.iter().position(|column| column.eq_ignore_ascii_case(usual));
        return Ok(usual.iter().find_map(column));
    };
    let mut same = (0..header.len()).filter(|&at| header[at] == name);
    match (same.next(), same.next()) {
        (Some(_), Some(second)) => {
            Err(format!("two columns are called `{name}`; name the {what} by its number, such as {}", second + 1))
        }
        (Some(at), None) => Ok(Some(at)),
        (None, _) => match name.parse::<usize>() {
            Ok(number) if (1..=header.len()).contains(&number) => Ok(Some(number - 1)),
            _ => Err(format!("there is no column `{name}` for the {what}; the columns are {}", list(header))),
        },
    }
}

/// The columns for a message.
fn list(header: &[String]) -> String {
    const SHOWN: usize = 20;
    let mut names: Vec<String> = header.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    if header.len() > SHOWN {
        names.push(format!("and {} more", header.len() - SHOWN));
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(header: &str, options: [&str; 3]) -> Result<(usize, usize, Option<usize>), String> {
        let header: Vec<String> = header.split(',').map(str::to_string).collect();
        let option = |text: &str| (!text.is_empty()).then(|| text.to_string());
        let [source, target, weight] = options.map(option);
        let found = TableColumns { source, target, weight, ..TableColumns::default() }.places(&header)?;
        Ok((found.source, found.target, found.weight))
    }

    #[test]
    fn usual_names_are_found_and_else_the_first_two_columns_are_taken() {
        for (header, expected) in [
            ("source,target", (0, 1, None)),
            ("Target,Source,W", (1, 0, Some(2))),
            ("id,src,dst,weight", (1, 2, Some(3))),
            ("weight,from,to", (1, 2, Some(0))),
            ("follower,followee,since", (0, 1, None)),
            ("w,a,b", (1, 2, Some(0))),
            ("person,to", (0, 1, None)),
            ("to,person", (1, 0, None)),
            ("a,from,b", (1, 0, None)),
        ] {
            assert_eq!(places(header, ["", "", ""]), Ok(expected), "{header}");
        }
    }

    #[test]
    fn columns_that_were_guessed_are_told() {
        let told = |header: &str, source: &str| {
            let header: Vec<String> = header.split(',').map(str::to_string).collect();
            let source = Some(source.to_string()).filter(|name| !name.is_empty());
            let columns = TableColumns { source, ..TableColumns::default() };
            let places = columns.places(&header).unwrap();
            columns.guessed(&header, places).map(|guessed| guessed.to_string())
        };
        let expected = "edges lead from the column `id` to `follower`, as the first ones; not used is `followee`: name it \
                        with --source-column, --target-column or --weight-column where that is wrong";
        assert_eq!(told("id,follower,followee", ""), Some(expected.to_string()));
        assert!(told("a,to,b,c", "").unwrap().contains("not used are `b`, `c`: name them with"));
        for (header, source) in [("a,b", ""), ("a,b,weight", ""), ("from,to,since", ""), ("a,to,since", "a")] {
            assert_eq!(told(header, source), None, "{header}");
        }
    }

    #[test]
    fn columns_are_named_by_name_or_number() {
        assert_eq!(places("a,b,c,d", ["c", "a", "b"]), Ok((2, 0, Some(1))));
        assert_eq!(places("a,b,c,d", ["4", "", ""]), Ok((3, 0, None)));
        assert_eq!(places("2,1,c", ["1", "2", "3"]), Ok((1, 0, Some(2))));
    }

    #[test]
    fn mistakes_tell_the_columns() {
        let message = |header, options| places(header, options).unwrap_err();
        assert_eq!(message("a,b", ["x", "", ""]), "there is no column `x` for the source; the columns are `a`, `b`");
        assert_eq!(
            message("a,a,b", ["a", "", ""]),
            "two columns are called `a`; name the source by its number, such as 2"
        );
        assert_eq!(
            message("a,b", ["a", "a", ""]),
            "the column `a` cannot be two things at once; the columns are `a`, `b`"
        );
        assert_eq!(message("a", ["", "", ""]), "an edge needs two columns, but the table has `a` only");
        assert_eq!(
            message("a,weight", ["", "", ""]),
            "no column is left for the targets; the columns are `a`, `weight`"
        );
    }
}
