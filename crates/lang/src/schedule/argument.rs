//! Reading the arguments of one call, with messages that name the call.

use super::syntax::{Arg, ArgKind, Name};
use super::{Read, Reader};
use crate::diagnostic::Diagnostic;
use gw_schedule::{Fraction, Number, Param, Threshold};

impl Reader {
    /// Checks the number of arguments of a call.
    pub(super) fn count(&mut self, call: &Name, args: &[Arg], least: usize, most: usize) -> Read<()> {
        if (least..=most).contains(&args.len()) {
            return Ok(());
        }
        let wanted = match (least, most) {
            (n, m) if n == m => n.to_string(),
            (n, usize::MAX) => format!("at least {n}"),
            (n, m) => format!("{n} to {m}"),
        };
        let message = format!("`{}` takes {wanted} arguments but has {}", call.text, args.len());
        Err(self.report(Diagnostic::error(message, call.span, "wrong number of arguments")))
    }

    fn wrong(&mut self, call: &Name, arg: &Arg, wanted: &str) -> super::Fail {
        let found = match &arg.kind {
            ArgKind::Str(_) => "a string",
            ArgKind::Int(_) | ArgKind::Float(_) => "a number",
            ArgKind::Name(_) => "a name",
            ArgKind::List(_) => "a list",
        };
        let message = format!("`{}` needs {wanted} here but this is {found}", call.text);
        self.report(Diagnostic::error(message, arg.span, format!("needs {wanted}")))
    }

    pub(super) fn string<'a>(&mut self, call: &Name, arg: &'a Arg) -> Read<&'a str> {
        match &arg.kind {
            ArgKind::Str(text) => Ok(text),
            _ => Err(self.wrong(call, arg, "a string")),
        }
    }

    /// An enum value or object name.
    pub(super) fn word(&mut self, call: &Name, arg: &Arg) -> Read<Name> {
        match &arg.kind {
            ArgKind::Name(text) => Ok(Name { text: text.clone(), span: arg.span }),
            _ => Err(self.wrong(call, arg, "a name")),
        }
    }

    /// The value that a word stands for in a table, or an error with the nearest one.
    pub(super) fn choose<T: Copy>(&mut self, what: &str, name: &Name, table: &[(&'static str, T)]) -> Read<T> {
        if let Some((_, value)) = table.iter().find(|(word, _)| *word == name.text) {
            return Ok(*value);
        }
        let known: Vec<&str> = table.iter().map(|(word, _)| *word).collect();
        Err(self.unknown(what, name, &known))
    }

    /// As [`Reader::choose`] for a word given as a string.
    pub(super) fn choose_string<T: Copy>(
        &mut self,
        call: &Name,
        what: &str,
        arg: &Arg,
        table: &[(&'static str, T)],
    ) -> Read<T> {
        let text = self.string(call, arg)?.to_string();
        let span = arg.span;
        self.choose(what, &Name { text, span }, table)
    }

    /// A whole number, or `"argv[k]"`.
    pub(super) fn number(&mut self, call: &Name, arg: &Arg) -> Read<Number> {
        match &arg.kind {
            ArgKind::Int(value) => Ok(Param::Value(*value)),
            ArgKind::Str(text) => match text.parse::<Number>() {
                Ok(number) => Ok(number),
                Err(_) => Err(self.bad_argv(text, arg)),
            },
            _ => Err(self.wrong(call, arg, "a whole number or \"argv[k]\"")),
        }
    }

    /// A positive whole number, or `"argv[k]"`.
    pub(super) fn positive(&mut self, call: &Name, arg: &Arg) -> Read<Number> {
        let number = self.number(call, arg)?;
        if number == Param::Value(0) {
            let message = format!("`{}` needs a number of at least 1", call.text);
            return Err(self.report(Diagnostic::error(message, arg.span, "zero")));
        }
        Ok(number)
    }

    /// A threshold: a number, or `"argv[k]"`.
    pub(super) fn threshold(&mut self, call: &Name, arg: &Arg) -> Read<Threshold> {
        let value = match &arg.kind {
            ArgKind::Int(value) => *value as f64,
            ArgKind::Float(value) => *value,
            ArgKind::Str(text) => {
                return match text.parse::<Threshold>() {
                    Ok(threshold) => Ok(threshold),
                    Err(_) => Err(self.bad_argv(text, arg)),
                };
            }
            _ => return Err(self.wrong(call, arg, "a number or \"argv[k]\"")),
        };
        match Fraction::new(value) {
            Some(fraction) => Ok(Param::Value(fraction)),
            None => Err(self.wrong(call, arg, "a finite number")),
        }
    }

    fn bad_argv(&mut self, text: &str, arg: &Arg) -> super::Fail {
        self.report(
            Diagnostic::error(format!("`{text}` is neither a number nor an argument"), arg.span, "not a number")
                .help("write a number, or \"argv[k]\" for the k-th argument of the program"),
        )
    }
}
