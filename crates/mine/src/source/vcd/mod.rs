//! Value change dumps (IEEE 1364, section 18) of simulators of circuits.
//!
//! A variable of one bit is Boolean, a wider one a number without sign, an `integer` a number with sign (two's
//! complement), a `real` a number. An instant is a time at which something changes, with all values after the changes
//! of that time, or a rising edge of the clock where one is named. Instants at which some variable is unknown (`x`,
//! `z`, or no value yet) are left out and counted. Names have the scopes around them, without the outermost where there
//! is one only. A bit of a signal that is declared by itself, or a part of one, has its range in its name.
//! Variables of more than 53 bits, which a 64-bit float cannot hold, are left out.

mod declarations;
mod words;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use declarations::Declarations;
use words::{Reader, shown};

use super::{ReadOptions, Source};
use crate::trace::{Numbers, Trace, Variables, packed};
use crate::{MineError, Result};

/// Where the value of an identifier code goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Boolean(usize),
    Number(usize, Form),
    LeftOut,
}

/// What binary digits mean, of so many bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Unsigned(usize),
    /// In two's complement.
    Signed(usize),
}

/// A value as it stands in the file.
#[derive(Debug, Clone, Copy)]
enum Written<'t> {
    /// Binary digits, `x` and `z`.
    Digits(&'t [u8]),
    Real(f64),
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
        let declared = Declarations::read(path, &mut reader)?;
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
            part: options.instants(variables.booleans.len() + variables.numbers.len()),
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
            b'0' | b'1' | b'x' | b'X' | b'z' | b'Z' => self.assign(&token[1..], Written::Digits(&token[..1])),
            b'b' | b'B' => {
                let is_digit = |byte: &u8| matches!(byte, b'0' | b'1' | b'x' | b'X' | b'z' | b'Z');
                match &token[1..] {
                    digits if !digits.is_empty() && digits.iter().all(is_digit) => {
                        self.assign_next(token, Written::Digits(digits))
                    }
                    _ => wrong(&self.reader, format!("{} is no value: digits 0, 1, x and z are", shown(token))),
                }
            }
            b'r' | b'R' => {
                let value = std::str::from_utf8(&token[1..]).ok().and_then(|text| text.parse::<f64>().ok());
                match value {
                    Some(value) => self.assign_next(token, Written::Real(value)),
                    None => wrong(&self.reader, format!("{} is no real number", shown(token))),
                }
            }
            _ => wrong(&self.reader, format!("{} is neither a value nor a time", shown(token))),
        }
    }

    fn assign_next(&mut self, token: &[u8], value: Written<'_>) -> Result<()> {
        match self.reader.token()? {
            Some(code) => {
                let code = code.to_vec();
                self.assign(&code, value)
            }
            None => Err(self.reader.error(format!("the file ends behind {}: a variable is expected", shown(token)))),
        }
    }

    fn assign(&mut self, code: &[u8], written: Written<'_>) -> Result<()> {
        let Some(places) = self.places.get(code) else {
            return Err(self.reader.error(format!("no variable is declared with the code {}", shown(code))));
        };
        for place in places {
            let (name, form) = match *place {
                Place::Boolean(at) => (&self.variables.booleans[at], Form::Unsigned(1)),
                Place::Number(at, form) => (&self.variables.numbers[at], form),
                Place::LeftOut => continue,
            };
            let value = form.value(written).map_err(|bits| {
                let digits = if let Written::Digits(digits) = written { shown(digits) } else { String::new() };
                self.reader.error(format!("{digits} has more bits than `{name}`, which has {bits}"))
            })?;
            match *place {
                Place::Boolean(at) => self.state.booleans[at] = value.map(|value| value != 0.0),
                Place::Number(at, _) => self.state.numbers[at] = value,
                Place::LeftOut => {}
            }
        }
        self.state.has_changed = true;
        Ok(())
    }
}

impl Form {
    /// The number that is meant; `None` when a digit is unknown. An error where the digits are too many, with the bits
    /// that there are.
    fn value(self, written: Written<'_>) -> std::result::Result<Option<f64>, usize> {
        let digits = match written {
            Written::Real(value) => return Ok(Some(value)),
            Written::Digits(digits) => digits,
        };
        if digits.iter().any(|digit| !matches!(digit, b'0' | b'1')) {
            return Ok(None);
        }
        let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
        let (Form::Unsigned(bits) | Form::Signed(bits)) = self;
        let digits = &digits[zeros..];
        if digits.len() > bits {
            return Err(bits);
        }
        let value = digits.iter().fold(0.0, |value, digit| 2.0 * value + f64::from(digit - b'0'));
        // Missing digits on the left are 0, so that the sign is there only where none is missing.
        let is_negative = matches!(self, Form::Signed(_)) && digits.len() == bits;
        Ok(Some(if is_negative { value - 2.0_f64.powi(bits as i32) } else { value }))
    }
}

impl Source for Vcd {
    fn variables(&self) -> &Variables {
        &self.variables
    }

    fn rewind(&mut self) -> Result<()> {
        self.reader = Reader::open(&self.path)?;
        Declarations::read(&self.path, &mut self.reader)?;
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
