//! Cells of a column as they are read, part of the table by part.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Column, Values, seconds_of};
use crate::{Buffer, Names};

/// What all cells of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing is known: all cells are empty.
    Empty,
    Bool,
    Int,
    Double,
    Time,
    Text,
    /// Texts of which hardly any stands twice, such as ids.
    Name,
}

impl Kind {
    /// The narrowest kind that holds a text.
    pub(crate) fn of(text: &str) -> Kind {
        let begins_as_number = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'));
        let has_digits_only = text.strip_prefix(['+', '-']).unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit());
        match text {
            "" => Kind::Empty,
            "true" | "false" | "True" | "False" | "TRUE" | "FALSE" => Kind::Bool,
            _ if text.parse::<i64>().is_ok() => Kind::Int,
            // Whole numbers of more than 64 bits are ids: a real would round them.
            _ if begins_as_number && !has_digits_only && text.parse::<f64>().is_ok_and(f64::is_finite) => Kind::Double,
            _ if seconds_of(text).is_some() => Kind::Time,
            _ => Kind::Text,
        }
    }

    /// The narrowest kind that holds what both hold.
    pub(crate) fn joined(self, other: Kind) -> Kind {
        match (self, other) {
            (kind, Kind::Empty) | (Kind::Empty, kind) => kind,
            (a, b) if a == b => a,
            (Kind::Name, _) | (_, Kind::Name) => Kind::Name,
            (Kind::Int | Kind::Double, Kind::Int | Kind::Double) => Kind::Double,
            _ => Kind::Text,
        }
    }
}

/// The cells of one column in a part of a table.
#[derive(Debug)]
pub(crate) struct Cells {
    held: Held,
    /// The rows, counted from the beginning of the part, that have no value.
    missing: Vec<u32>,
    rows: u32,
}

#[derive(Debug)]
enum Held {
    Empty,
    Bool(Vec<u8>),
    Int(Vec<i64>),
    Double(Vec<f64>),
    Time(Vec<i64>),
    Text { codes: Vec<u32>, texts: FxHashMap<String, u32> },
    Name { text: String, ends: Vec<usize> },
}

impl Cells {
    /// No cells, of which all are going to be of a kind.
    pub(crate) fn new(kind: Kind) -> Cells {
        let held = match kind {
            Kind::Empty => Held::Empty,
            Kind::Bool => Held::Bool(Vec::new()),
            Kind::Int => Held::Int(Vec::new()),
            Kind::Double => Held::Double(Vec::new()),
            Kind::Time => Held::Time(Vec::new()),
            Kind::Text => Held::Text { codes: Vec::new(), texts: FxHashMap::default() },
            Kind::Name => Held::Name { text: String::new(), ends: Vec::new() },
        };
        Cells { held, missing: Vec::new(), rows: 0 }
    }

    pub(crate) fn kind(&self) -> Kind {
        match self.held {
            Held::Empty => Kind::Empty,
            Held::Bool(_) => Kind::Bool,
            Held::Int(_) => Kind::Int,
            Held::Double(_) => Kind::Double,
            Held::Time(_) => Kind::Time,
            Held::Text { .. } => Kind::Text,
            Held::Name { .. } => Kind::Name,
        }
    }

    /// Adds the cell of the next row; an empty text is a missing value. The error is the kind that the column needs,
    /// and nothing is added then.
    pub(crate) fn push(&mut self, cell: &str) -> Result<(), Kind> {
        if cell.is_empty() {
            self.push_missing();
            return Ok(());
        }
        let kind = self.kind();
        let wider = || kind.joined(Kind::of(cell));
        match &mut self.held {
            Held::Empty => return Err(wider()),
            Held::Bool(values) => match Kind::of(cell) {
                Kind::Bool => values.push(u8::from(cell.starts_with(['t', 'T']))),
                _ => return Err(wider()),
            },
            Held::Int(values) => values.push(cell.parse().map_err(|_| wider())?),
            Held::Double(values) => match cell.parse::<f64>() {
                Ok(value) if matches!(Kind::of(cell), Kind::Int | Kind::Double) => values.push(value),
                _ => return Err(wider()),
            },
            Held::Time(values) => values.push(seconds_of(cell).ok_or_else(wider)?),
            Held::Text { codes, texts } => {
                let next = texts.len() as u32;
                let code = match texts.get(cell) {
                    Some(&code) => code,
                    None => *texts.entry(cell.to_string()).or_insert(next),
                };
                codes.push(code);
            }
            Held::Name { text, ends } => {
                *text += cell;
                ends.push(text.len());
            }
        }
        self.rows += 1;
        Ok(())
    }

    #[cfg(feature = "parquet")]
    /// Adds a truth value to cells that are truth values.
    pub(crate) fn push_bool(&mut self, value: bool) {
        if let Held::Bool(values) = &mut self.held {
            values.push(u8::from(value));
            self.rows += 1;
        }
    }

    #[cfg(feature = "parquet")]
    /// Adds a number to cells that are whole numbers or points in time.
    pub(crate) fn push_int(&mut self, value: i64) {
        if let Held::Int(values) | Held::Time(values) = &mut self.held {
            values.push(value);
            self.rows += 1;
        }
    }

    #[cfg(feature = "parquet")]
    /// Adds a number to cells that are reals.
    pub(crate) fn push_double(&mut self, value: f64) {
        if let Held::Double(values) = &mut self.held {
            values.push(value);
            self.rows += 1;
        }
    }

    /// Adds a row without a value.
    pub(crate) fn push_missing(&mut self) {
        self.missing.push(self.rows);
        self.rows += 1;
        match &mut self.held {
            Held::Empty => {}
            Held::Bool(values) => values.push(0),
            Held::Int(values) | Held::Time(values) => values.push(0),
            Held::Double(values) => values.push(0.0),
            Held::Text { codes, .. } => codes.push(u32::MAX),
            Held::Name { text, ends } => ends.push(text.len()),
        }
    }

    /// The column of all parts, which are of one kind or empty.
    pub(crate) fn column(name: &str, parts: Vec<Cells>) -> Column {
        let mut missing = Vec::new();
        let mut first = 0;
        for part in &parts {
            missing.extend(part.missing.iter().map(|row| first + row));
            first += part.rows;
        }
        let kind = parts.iter().fold(Kind::Empty, |kind, part| kind.joined(part.kind()));
        let values = match kind {
            Kind::Bool => Values::Bool(joined(parts, |held| match held {
                Held::Bool(values) => Some(values),
                _ => None,
            })),
            Kind::Int | Kind::Empty => Values::Int(joined(parts, Held::whole)),
            Kind::Time => Values::Time(joined(parts, Held::whole)),
            Kind::Double => Values::Double(joined(parts, |held| match held {
                Held::Double(values) => Some(values),
                _ => None,
            })),
            Kind::Text | Kind::Name => {
                let (codes, texts) = numbered(parts);
                Values::Text(Arc::new(codes.into()), Arc::new(texts))
            }
        };
        Column { name: name.to_string(), values, missing: Arc::new(missing.into()) }
    }

    /// The cells of all parts, which are names, row by row.
    pub(crate) fn names(parts: Vec<Cells>) -> Names {
        let (mut all, mut all_ends) = (String::new(), Vec::new());
        for part in parts {
            match part.held {
                Held::Name { text, ends } => {
                    let before = all.len();
                    all += &text;
                    all_ends.extend(ends.iter().map(|end| before + end));
                }
                _ => all_ends.extend((0..part.rows).map(|_| all.len())),
            }
        }
        Names::from_text(all, all_ends)
    }
}

impl Held {
    fn whole(self) -> Option<Vec<i64>> {
        match self {
            Held::Int(values) | Held::Time(values) => Some(values),
            _ => None,
        }
    }
}

/// The values of all parts one after another; parts without a value are zeros.
fn joined<T: bytemuck::Pod>(parts: Vec<Cells>, values: impl Fn(Held) -> Option<Vec<T>>) -> Arc<Buffer<T>> {
    let mut all = Vec::with_capacity(parts.iter().map(|part| part.rows as usize).sum());
    for part in parts {
        let rows = part.rows as usize;
        match values(part.held) {
            Some(values) => all.extend(values),
            None => all.extend(std::iter::repeat_n(T::zeroed(), rows)),
        }
    }
    Arc::new(all.into())
}

/// The different texts of all parts in ascending order, and the place of each cell among them.
fn numbered(parts: Vec<Cells>) -> (Vec<u32>, Names) {
    let mut sorted: Vec<&str> = Vec::new();
    for part in &parts {
        if let Held::Text { texts, .. } = &part.held {
            sorted.extend(texts.keys().map(String::as_str));
        }
    }
    sorted.sort_unstable();
    sorted.dedup();
    let places: FxHashMap<&str, u32> = sorted.iter().enumerate().map(|(at, &text)| (text, at as u32)).collect();
    let mut all = Vec::with_capacity(parts.iter().map(|part| part.rows as usize).sum());
    for part in &parts {
        let Held::Text { codes, texts } = &part.held else {
            all.extend((0..part.rows).map(|_| u32::MAX));
            continue;
        };
        let mut place_of = vec![0; texts.len()];
        for (text, &code) in texts {
            place_of[code as usize] = places[text.as_str()];
        }
        all.extend(codes.iter().map(|&code| place_of.get(code as usize).copied().unwrap_or(u32::MAX)));
    }
    (all, Names::from_texts(sorted.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads cells as the readers of tables do: again with a wider kind where one does not fit.
    fn column(parts: &[&[&str]]) -> Column {
        let mut kind = Kind::Empty;
        loop {
            let read = |part: &&[&str]| {
                let mut cells = Cells::new(kind);
                part.iter().try_for_each(|cell| cells.push(cell)).map(|()| cells)
            };
            match parts.iter().map(read).collect::<Result<Vec<_>, _>>() {
                Ok(parts) => return Cells::column("c", parts),
                Err(wider) => kind = wider,
            }
        }
    }

    #[test]
    fn a_column_is_of_the_narrowest_kind() {
        let whole = |values: Vec<i64>| Values::Int(Arc::new(values.into()));
        assert_eq!(column(&[&["1", "-2"], &["3"]]).values, whole(vec![1, -2, 3]));
        let reals = Values::Double(Arc::new(vec![1.0, 0.0, 2.5].into()));
        let found = column(&[&["1", ""], &["2.5"]]);
        assert_eq!((found.values, &**found.missing), (reals, &[1][..]));
        assert_eq!(column(&[&["true", "False"]]).values, Values::Bool(Arc::new(vec![1, 0].into())));
        assert_eq!(column(&[&["1970-01-01", "1970-01-02T00:00:01Z"]]).values.what(), "points in time");
        assert_eq!((column(&[&[""], &[]]).values, column(&[&[""]]).missing.len()), (whole(vec![0]), 1));
        for texts in [["1", "x"], ["true", "1"], ["2026-01-01", "7"], ["1", "99999999999999999999"], ["nan", "1"]] {
            assert_eq!(column(&[&texts]).values.what(), "texts", "{texts:?}");
        }
    }

    #[test]
    fn a_text_among_numbers_or_times_is_found() {
        let found = |cells: &[&str]| column(&[cells]).stranger().map(|s| (s.row, s.text, s.others));
        let is = |row, text: &str, others| Some((row, text.to_string(), others));
        assert_eq!(found(&["1", "", "2.5", "abc", "x"]), None);
        assert_eq!(found(&["1", "", "2.5", "3", "abc", "x"]), is(4, "abc", "numbers"));
        assert_eq!(found(&["2026-01-01", "2026-13-01", "2026-01-03"]), is(1, "2026-13-01", "points in time"));
        assert_eq!(found(&["true", "0", "false", "TRUE"]), is(1, "0", "truth values"));
        assert_eq!(found(&["card", "cash"]), None);
    }

    #[test]
    fn texts_are_numbered_in_their_order() {
        let found = column(&[&["pear", "", "apple"], &[], &["fig", "apple"]]);
        let Values::Text(codes, texts) = &found.values else { panic!("texts are expected: {found:?}") };
        assert_eq!(***codes, [2, u32::MAX, 0, 1, 0]);
        assert_eq!(texts.iter().map(|text| text.to_string()).collect::<Vec<_>>(), ["apple", "fig", "pear"]);
        assert!(found.is_missing(1) && !found.is_missing(0) && found.is_missing(super::super::NO_ROW));
    }
}
