//! Task code as text: the same on every run, for people and for golden tests.

use std::fmt;

use super::code::{Function, Op};

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} ({} registers)", self.name, self.registers)?;
        for (at, op) in self.ops.iter().enumerate() {
            let word = self.words.get(&at).map_or("?", String::as_str);
            write!(f, "  {at:3} ")?;
            match *op {
                Op::Const { to, bits } => writeln!(f, "r{to} = {bits}"),
                Op::Copy { to, from } => writeln!(f, "r{to} = r{from}"),
                Op::Unary { to, a, .. } => writeln!(f, "r{to} = {word} r{a}"),
                Op::Binary { to, a, b, .. } => writeln!(f, "r{to} = r{a}, r{b}: {word}"),
                Op::Divide { scalar, remainder, to, a, b } => {
                    let sign = if remainder { '%' } else { '/' };
                    writeln!(f, "r{to} = r{a}, r{b}: {sign} {}", scalar.keyword())
                }
                Op::Jump { at } => writeln!(f, "goto {at}"),
                Op::JumpIf { condition, at } => writeln!(f, "if r{condition} goto {at}"),
                Op::JumpUnless { condition, at } => writeln!(f, "unless r{condition} goto {at}"),
                Op::Load { object, to, index } => writeln!(f, "r{to} = object{object}[r{index}]"),
                Op::Store { object, index, from } => writeln!(f, "object{object}[r{index}] = r{from}"),
                Op::Param { to, index } => writeln!(f, "r{to} = param{index}"),
                Op::Core { to } => writeln!(f, "r{to} = core"),
                Op::Timestamp { to } => writeln!(f, "r{to} = timestamp"),
                Op::Enqueue { function, timestamp, hint, first, count } => {
                    write!(f, "enqueue task{function} at r{timestamp} with ")?;
                    match count {
                        0 => write!(f, "nothing")?,
                        count => write!(f, "r{first}..r{}", first + u16::from(count) - 1)?,
                    }
                    match hint {
                        Some((object, index)) => writeln!(f, " hint object{object}[r{index}]"),
                        None => writeln!(f),
                    }
                }
                Op::Emit { channel, from } => writeln!(f, "emit r{from} on channel {channel}"),
                Op::Fail { code, value } => writeln!(f, "fail with code {code} and r{value}"),
                Op::End => writeln!(f, "end"),
            }?;
        }
        Ok(())
    }
}
