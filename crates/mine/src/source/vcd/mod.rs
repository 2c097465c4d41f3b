//! Value change dumps (IEEE 1364, section 18) of simulators of circuits.
//!
//! A variable of one bit is Boolean, a wider one a number without sign, a `real` a number. An instant is a time at
//! which something changes, with all values after the changes of that time, or a rising edge of the clock where one
//! is named. Instants at which some variable is unknown (`x`, `z`, or no value yet) are left out and counted.
//! A bit of a signal that is declared by itself, or a part of one, has its range in its name.
//! Variables of more than 53 bits, which a 64-bit float cannot hold, are left out.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::{ReadOptions, Source};
use crate::trace::{Numbers, Trace, Variables, packed};
use crate::{MineError, Result};

/// Bits of whole numbers that a 64-bit float holds.
const MOST_BITS: usize = 53;

/// The longest line.
const MOST_LINE: u64 = 1 << 20;

/// Where the value of an identifier code goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Boolean(usize),
    Number(usize),
    LeftOut,
}

/// A dump in a file.
pub struct Vcd {
    path: PathBuf,
    part: usize,
    clock: Option<usize>,
    places: HashMap<Vec<u8>, Vec<Place>>,
    variables: Variables,
    notes: Vec<String>,
    reader: Reader,
    state: State,
    current: Option<Trace>,
}

/// The values at the current time; `None` is unknown.
#[derive(Debug, Clone, Default)]
struct State {
    booleans: Vec<Option<bool>>,
    numbers: Vec<Option<f64>>,
    /// The clock before the changes of this time.
    clock_before: Option<bool>,
    /// Something changed since the last instant.
    has_changed: bool,
    is_over: bool,
}

/// Rows that make a part.
#[derive(Default)]
struct Rows {
    booleans: Vec<Vec<bool>>,
    numbers: Vec<Vec<f64>>,
    count: usize,
}

impl Vcd {
    /// Opens a dump, reads its declarations and goes through it once to see whether it can be read.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Vcd> {
        let mut reader = Reader::open(path)?;
        let mut declared = Declarations::default();
        declared.read(path, &mut reader)?;
        let Declarations { variables, places, mut notes, .. } = declared;
        if variables.booleans.is_empty() && variables.numbers.is_empty() {
            return Err(MineError::file(path, "no variable is declared that can be mined: is this a VCD?"));
        }
        let find = |name: &String| variables.booleans.iter().position(|known| known == name);
        let clock = match &options.clock {
            None => None,
            Some(name) => Some(find(name).ok_or_else(|| {
                let known: Vec<&str> = variables.booleans.iter().take(8).map(String::as_str).collect();
                MineError::Argument(format!("no variable of one bit is named `{name}`; some are {}", known.join(", ")))
            })?),
        };
        let mut vcd = Vcd {
            path: path.to_owned(),
            part: options.part,
            clock,
            places,
            variables,
            notes: Vec::new(),
            reader,
            state: State::default(),
            current: None,
        };
        vcd.rewind()?;
        let (mut rows, mut left_out) = (0, 0);
        while let Some(is_known) = vcd.advance()? {
            rows += u64::from(is_known);
            left_out += u64::from(!is_known);
        }
        if left_out > 0 {
            notes.push(format!(
                "{left_out} instants are left out: some variable is unknown there (x, z or no value yet)"
            ));
        }
        if rows == 0 {
            let unknown = if left_out > 0 { ": some variable is unknown at all of them" } else { "" };
            return Err(MineError::file(path, format!("the dump has no instants{unknown}")));
        }
        vcd.notes = notes;
        vcd.rewind()?;
        Ok(vcd)
    }

    /// Goes on to the next instant; says whether all its values are known. `None` at the end.
    fn advance(&mut self) -> Result<Option<bool>> {
        while !self.state.is_over {
            let is_time = match self.reader.token()? {
                None => {
                    self.state.is_over = true;
                    true
                }
                Some(token) if token.starts_with(b"#") => {
                    let digits = &token[1..];
                    let is_time = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
                    let shown = shown(token);
                    if !is_time {
                        return Err(self.reader.error(format!("{shown} is no time")));
                    }
                    true
                }
                Some(token) => {
                    let token = token.to_vec();
                    self.change(&token)?;
                    false
                }
            };
            if is_time && self.is_instant() {
                let known =
                    self.state.booleans.iter().all(Option::is_some) && self.state.numbers.iter().all(Option::is_some);
                return Ok(Some(known));
            }
        }
        Ok(None)
    }

    /// At the end of a time: whether it counts as an instant.
    fn is_instant(&mut self) -> bool {
        let changed = std::mem::take(&mut self.state.has_changed);
        let Some(clock) = self.clock else { return changed };
        let now = self.state.booleans[clock];
        let before = std::mem::replace(&mut self.state.clock_before, now);
        before == Some(false) && now == Some(true)
    }

    /// A value change, or a keyword such as `$dumpvars`.
    fn change(&mut self, token: &[u8]) -> Result<()> {
        let wrong = |reader: &Reader, message: String| Err(reader.error(message));
        match token[0] {
            b'$' => match token {
                b"$dumpvars" | b"$dumpon" | b"$dumpoff" | b"$dumpall" | b"$end" => Ok(()),
                b"$comment" => self.reader.skip_to_end(),
                _ => wrong(&self.reader, format!("{} has no place among values", shown(token))),
            },
            b'0' | b'1' | b'x' | b'X' | b'z' | b'Z' => {
                let value = match token[0] {
                    b'0' => Some(0.0),
                    b'1' => Some(1.0),
                    _ => None,
                };
                self.assign(&token[1..], value)
            }
            b'b' | b'B' => {
                let value = bits(&token[1..]);
                let Ok(value) = value else {
                    return wrong(&self.reader, format!("{} is no value: digits 0, 1, x and z are", shown(token)));
                };
                self.assign_next(token, value)
            }
            b'r' | b'R' => {
                let value = std::str::from_utf8(&token[1..]).ok().and_then(|text| text.parse::<f64>().ok());
                match value {
                    Some(value) => self.assign_next(token, Some(value)),
                    None => wrong(&self.reader, format!("{} is no real number", shown(token))),
                }
            }
            _ => wrong(&self.reader, format!("{} is neither a value nor a time", shown(token))),
        }
    }

    fn assign_next(&mut self, token: &[u8], value: Option<f64>) -> Result<()> {
        match self.reader.token()? {
            Some(code) => {
                let code = code.to_vec();
                self.assign(&code, value)
            }
            None => Err(self.reader.error(format!("the file ends behind {}: a variable is expected", shown(token)))),
        }
    }

    fn assign(&mut self, code: &[u8], value: Option<f64>) -> Result<()> {
        let Some(places) = self.places.get(code) else {
            return Err(self.reader.error(format!("no variable is declared with the code {}", shown(code))));
        };
        for place in places {
            match *place {
                Place::Boolean(at) => self.state.booleans[at] = value.map(|value| value != 0.0),
                Place::Number(at) => self.state.numbers[at] = value,
                Place::LeftOut => {}
            }
        }
        self.state.has_changed = true;
        Ok(())
    }
}

impl Source for Vcd {
    fn variables(&self) -> &Variables {
        &self.variables
    }

    fn rewind(&mut self) -> Result<()> {
        self.reader = Reader::open(&self.path)?;
        Declarations::default().read(&self.path, &mut self.reader)?;
        self.state = State {
            booleans: vec![None; self.variables.booleans.len()],
            numbers: vec![None; self.variables.numbers.len()],
            ..State::default()
        };
        Ok(())
    }

    fn next(&mut self) -> Result<Option<&Trace>> {
        let mut rows = Rows {
            booleans: vec![Vec::new(); self.variables.booleans.len()],
            numbers: vec![Vec::new(); self.variables.numbers.len()],
            count: 0,
        };
        while rows.count < self.part {
            match self.advance()? {
                None => break,
                Some(false) => {}
                Some(true) => {
                    let State { booleans, numbers, .. } = &self.state;
                    rows.booleans.iter_mut().zip(booleans).for_each(|(column, value)| column.extend(value));
                    rows.numbers.iter_mut().zip(numbers).for_each(|(column, value)| column.extend(value));
                    rows.count += 1;
                }
            }
        }
        self.current = (rows.count > 0).then(|| Trace {
            instants: rows.count,
            booleans: rows.booleans.into_iter().map(packed).collect(),
            numbers: Numbers::narrowed(rows.numbers),
        });
        Ok(self.current.as_ref())
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// The number that binary digits stand for; `None` when one is unknown.
fn bits(digits: &[u8]) -> std::result::Result<Option<f64>, ()> {
    if digits.is_empty() {
        return Err(());
    }
    let mut value = 0.0;
    for digit in digits {
        match digit {
            b'0' | b'1' => value = 2.0 * value + f64::from(digit - b'0'),
            b'x' | b'X' | b'z' | b'Z' => return Ok(None),
            _ => return Err(()),
        }
    }
    Ok(Some(value))
}

/// What stands before the values.
#[derive(Default)]
struct Declarations {
    variables: Variables,
    places: HashMap<Vec<u8>, Vec<Place>>,
    notes: Vec<String>,
    scopes: Vec<String>,
    /// Variables by their names.
    known: HashMap<String, Known>,
    /// Signals that are declared in parts.
    parted: HashSet<String>,
}

/// A variable that was declared.
struct Known {
    code: String,
    place: Place,
    /// Its name with the range of bits.
    ranged: String,
}

impl Declarations {
    fn read(&mut self, path: &Path, reader: &mut Reader) -> Result<()> {
        loop {
            let Some(token) = reader.token()? else {
                return Err(MineError::file(path, "the file ends before $enddefinitions: is this a VCD?"));
            };
            match token {
                b"$enddefinitions" => return reader.skip_to_end(),
                b"$scope" => {
                    let words = reader.words_to_end()?;
                    self.scopes.push(words.last().cloned().unwrap_or_default());
                }
                b"$upscope" => {
                    self.scopes.pop();
                    reader.skip_to_end()?;
                }
                b"$var" => {
                    let words = reader.words_to_end()?;
                    self.declare(&words).map_err(|message| reader.error(message))?;
                }
                token if token.starts_with(b"$") => reader.skip_to_end()?,
                token => {
                    let message = format!("{} stands where a declaration such as $var is expected", shown(token));
                    return Err(reader.error(message));
                }
            }
        }
    }

    /// `$var TYPE BITS CODE NAME [RANGE] $end`.
    fn declare(&mut self, words: &[String]) -> std::result::Result<(), String> {
        let [kind, bits, code, name, range @ ..] = words else {
            return Err("a variable has a type, a number of bits, a code and a name".to_owned());
        };
        let Ok(bits) = bits.parse::<usize>() else {
            return Err(format!("{} is no number of bits", shown(bits.as_bytes())));
        };
        // The outermost scope is the test bench or design itself.
        let scopes = self.scopes.iter().skip(1).map(String::as_str);
        let name = scopes.chain([name.as_str()]).collect::<Vec<_>>().join(".");
        let Some(name) = self.name(name, &range.concat(), code)? else { return Ok(()) };
        let place = match kind.as_str() {
            "real" | "realtime" => Place::Number(self.variables.numbers.len()),
            _ if bits == 1 => Place::Boolean(self.variables.booleans.len()),
            _ if bits <= MOST_BITS && bits > 0 => Place::Number(self.variables.numbers.len()),
            _ => Place::LeftOut,
        };
        if let Some(known) = self.known.get_mut(&name) {
            known.place = place;
        }
        match place {
            Place::Boolean(_) => self.variables.booleans.push(name),
            Place::Number(_) => self.variables.numbers.push(name),
            Place::LeftOut => {
                self.notes.push(format!("variable `{name}` is left out: {bits} bits do not fit a 64-bit float"));
            }
        }
        self.places.entry(code.as_bytes().to_vec()).or_default().push(place);
        Ok(())
    }

    /// The name of a variable among the others; `None` where it was declared before, with the same code. A range of
    /// bits belongs to it where it tells one part of a signal from another: `a[3]`, or `a[7:4]` beside `a[3:0]`.
    fn name(&mut self, name: String, range: &str, code: &str) -> std::result::Result<Option<String>, String> {
        let ranged = format!("{name}{range}");
        let is_part = (!range.is_empty() && !range.contains(':')) || self.parted.contains(&name);
        let mut full = if is_part { ranged.clone() } else { name };
        if let Some(first) = self.known.remove(&full) {
            if first.code != code && first.ranged != ranged {
                // The first part of the signal was taken for the whole.
                match first.place {
                    Place::Boolean(at) => self.variables.booleans[at].clone_from(&first.ranged),
                    Place::Number(at) => self.variables.numbers[at].clone_from(&first.ranged),
                    Place::LeftOut => {}
                }
                self.known.insert(first.ranged.clone(), first);
                self.parted.insert(std::mem::replace(&mut full, ranged.clone()));
            } else {
                self.known.insert(full.clone(), first);
            }
        }
        match self.known.get(&full) {
            Some(known) if known.code == code => Ok(None),
            Some(_) => Err(format!("{} is declared twice, with different codes", shown(full.as_bytes()))),
            None => {
                let known = Known { code: code.to_owned(), place: Place::LeftOut, ranged };
                self.known.insert(full.clone(), known);
                Ok(Some(full))
            }
        }
    }
}

/// A token as it is shown in a message.
fn shown(token: &[u8]) -> String {
    const MOST: usize = 40;
    let text = String::from_utf8_lossy(&token[..token.len().min(MOST)]).into_owned();
    if token.len() > MOST { format!("`{text}...`") } else { format!("`{text}`") }
}

/// Words of a file, with the number of the line.
struct Reader {
    path: PathBuf,
    input: BufReader<File>,
    buffer: Vec<u8>,
    at: usize,
    line: u64,
}

impl Reader {
    fn open(path: &Path) -> Result<Reader> {
        let file = File::open(path).map_err(|source| MineError::read(path, source))?;
        Ok(Reader {
            path: path.to_owned(),
            input: BufReader::with_capacity(1 << 20, file),
            buffer: Vec::new(),
            at: 0,
            line: 0,
        })
    }

    fn error(&self, message: String) -> MineError {
        MineError::line(&self.path, self.line, message)
    }

    /// The next word.
    fn token(&mut self) -> Result<Option<&[u8]>> {
        loop {
            let start = self.buffer[self.at..].iter().position(|byte| !byte.is_ascii_whitespace());
            if let Some(start) = start.map(|start| self.at + start) {
                let length = self.buffer[start..].iter().position(u8::is_ascii_whitespace);
                let end = length.map_or(self.buffer.len(), |length| start + length);
                self.at = end;
                return Ok(Some(&self.buffer[start..end]));
            }
            self.buffer.clear();
            self.at = 0;
            let mut limited = std::io::Read::take(&mut self.input, MOST_LINE);
            let read = limited.read_until(b'\n', &mut self.buffer);
            if read.map_err(|source| MineError::read(&self.path, source))? == 0 {
                return Ok(None);
            }
            self.line += 1;
            if self.buffer.len() as u64 == MOST_LINE {
                return Err(self.error("this line is too long: is the file a VCD?".to_owned()));
            }
        }
    }

    fn words_to_end(&mut self) -> Result<Vec<String>> {
        let mut words = Vec::new();
        loop {
            match self.token()? {
                None => return Err(self.error("the file ends where $end is expected".to_owned())),
                Some(b"$end") => return Ok(words),
                Some(word) => words.push(String::from_utf8_lossy(word).into_owned()),
            }
        }
    }

    fn skip_to_end(&mut self) -> Result<()> {
        self.words_to_end().map(drop)
    }
}
