//! What stands in a dump before its values: variables with their types, widths, codes and scopes.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;

use super::words::{Reader, shown};
use super::{Form, Place};
use crate::trace::Variables;
use crate::{MineError, Result};

/// Bits of whole numbers that a 64-bit float holds.
const MOST_BITS: usize = 53;

/// What stands before the values.
#[derive(Default)]
pub struct Declarations {
    /// The variables that can be mined.
    pub variables: Variables,
    /// Where the values of a code go.
    pub places: HashMap<Vec<u8>, Vec<Place>>,
    /// Variables that are left out.
    pub notes: Vec<String>,
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

/// A `$var` as it stands in the file.
struct Written {
    /// The scopes around it, which many have in common.
    scopes: Rc<[String]>,
    words: Vec<String>,
    line: u64,
}

impl Declarations {
    /// Reads all declarations.
    pub fn read(path: &Path, reader: &mut Reader) -> Result<Declarations> {
        let (mut scopes, mut written): (Rc<[String]>, _) = (Rc::default(), Vec::new());
        loop {
            let Some(token) = reader.token()? else {
                return Err(MineError::file(path, "the file ends before $enddefinitions: is this a VCD?"));
            };
            match token {
                b"$enddefinitions" => {
                    reader.skip_to_end()?;
                    break;
                }
                b"$scope" => {
                    let words = reader.words_to_end()?;
                    scopes = scopes.iter().cloned().chain([words.last().cloned().unwrap_or_default()]).collect();
                }
                b"$upscope" => {
                    scopes = scopes[..scopes.len().saturating_sub(1)].into();
                    reader.skip_to_end()?;
                }
                b"$var" => {
                    let words = reader.words_to_end()?;
                    written.push(Written { scopes: Rc::clone(&scopes), words, line: reader.line });
                }
                token if token.starts_with(b"$") => reader.skip_to_end()?,
                token => {
                    let message = format!("{} stands where a declaration such as $var is expected", shown(token));
                    return Err(reader.error(message));
                }
            }
        }
        // One outermost scope is the test bench or design itself, and says nothing; several tell variables apart.
        let outermost: BTreeSet<Option<&String>> = written.iter().map(|variable| variable.scopes.first()).collect();
        let skipped = usize::from(outermost.len() == 1);
        let mut declared = Declarations::default();
        for variable in &written {
            let scopes = variable.scopes.get(skipped..).unwrap_or_default();
            let told = declared.declare(scopes, &variable.words);
            told.map_err(|message| MineError::line(path, variable.line, message))?;
        }
        Ok(declared)
    }

    /// `$var TYPE BITS CODE NAME [RANGE] $end`.
    fn declare(&mut self, scopes: &[String], words: &[String]) -> std::result::Result<(), String> {
        let [kind, bits, code, name, range @ ..] = words else {
            return Err("a variable has a type, a number of bits, a code and a name".to_owned());
        };
        let Ok(bits) = bits.parse::<usize>() else {
            return Err(format!("{} is no number of bits", shown(bits.as_bytes())));
        };
        let name = scopes.iter().chain([name]).map(String::as_str).collect::<Vec<_>>().join(".");
        let Some(name) = self.name(name, &range.concat(), code)? else { return Ok(()) };
        let number = |form: Form| Place::Number(self.variables.numbers.len(), form);
        let place = match kind.as_str() {
            "real" | "realtime" => number(Form::Unsigned(MOST_BITS)),
            _ if bits == 1 => Place::Boolean(self.variables.booleans.len()),
            // The whole numbers of SystemVerilog (byte, int and others) are dumped with this type, too.
            "integer" if bits <= MOST_BITS && bits > 0 => number(Form::Signed(bits)),
            _ if bits <= MOST_BITS && bits > 0 => number(Form::Unsigned(bits)),
            _ => Place::LeftOut,
        };
        if let Some(known) = self.known.get_mut(&name) {
            known.place = place;
        }
        match place {
            Place::Boolean(_) => self.variables.booleans.push(name),
            Place::Number(..) => self.variables.numbers.push(name),
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
                    Place::Number(at, _) => self.variables.numbers[at].clone_from(&first.ranged),
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
