//! Grouped neighbours of a vertex: an ordered map from keys to values, filled edge by edge.

use std::collections::BTreeMap;

use gw_ir::expr::ReduceOp;
use gw_ir::groups::{Encoding, fixed_shift};
use gw_ir::types::Scalar;

use super::{Frame, Interp};
use crate::code::{GroupChoice, Groups, Named};
use crate::env::Slot;
use crate::error::{ErrorKind, Result, checked_vertex};
use crate::intrinsics;
use crate::scalar::{self, Register};

/// Values of one vertex as words, see [`Encoding`].
struct Words {
    encoding: Encoding,
    scalar: Scalar,
    /// Of [`Encoding::Fixed`]: the exponent of the power of two; `None` where a value is no finite number.
    shift: Option<i32>,
}

impl Words {
    /// The words for the values of a vertex. Only values with a key from 0 on count.
    fn of(groups: &Groups, keys: &[i32], values: &[u64]) -> Result<Words> {
        let encoding = Encoding::of(groups.combine, groups.scalar);
        let mut words = Words { encoding, scalar: groups.scalar, shift: Some(0) };
        if encoding == Encoding::Fixed {
            let mut greatest = 0;
            for (bits, _) in values.iter().zip(keys).filter(|(_, key)| **key >= 0) {
                greatest = greatest.max(converted(*bits, groups.scalar, Scalar::Double)? & (u64::MAX >> 1));
            }
            words.shift = fixed_shift(greatest, values.len() as u64);
        }
        Ok(words)
    }

    fn encode(&self, bits: u64) -> Result<i64> {
        Ok(match self.encoding {
            Encoding::Signed => i64::of(converted(bits, self.scalar, Scalar::Int64)?),
            Encoding::Unsigned => converted(bits, self.scalar, Scalar::Uint64)? as i64,
            Encoding::Flipped => converted(bits, self.scalar, Scalar::Uint64)? as i64 ^ i64::MIN,
            Encoding::Fixed => {
                let value = f64::of(converted(bits, self.scalar, Scalar::Double)?);
                (value * power(self.shift.unwrap_or(0))).round_ties_even() as i64
            }
            Encoding::Ordered => ordered(converted(bits, self.scalar, Scalar::Double)? as i64),
        })
    }

    /// The value of a group as a scalar of this type.
    fn decode(&self, word: i64, wanted: Scalar) -> Result<u64> {
        let bits = match self.encoding {
            Encoding::Signed | Encoding::Unsigned => word as u64,
            Encoding::Flipped => (word ^ i64::MIN) as u64,
            Encoding::Fixed => self.shift.map_or(f64::NAN, |shift| word as f64 * power(-shift)).bits(),
            Encoding::Ordered => ordered(word) as u64,
        };
        converted(bits, self.encoding.scalar(), wanted)
    }
}

fn converted(bits: u64, from: Scalar, to: Scalar) -> Result<u64> {
    let convert = scalar::conversion(from, to);
    Ok(convert.ok_or_else(|| ErrorKind::Malformed("a value that is no number".into()))?(bits))
}

/// The bits of a double as a number in the order of the doubles, and back.
fn ordered(bits: i64) -> i64 {
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

fn power(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// Combines the values of every key from 0 on to one word.
fn by_key(groups: &Groups, words: &Words, keys: &[i32], values: &[u64]) -> Result<BTreeMap<i32, i64>> {
    let mut found = BTreeMap::new();
    for (&key, &bits) in keys.iter().zip(values).filter(|(key, _)| **key >= 0) {
        let word = words.encode(bits)?;
        let combine = |old: &mut i64| {
            *old = match groups.combine {
                ReduceOp::Min => word.min(*old),
                ReduceOp::Max => word.max(*old),
                _ => old.wrapping_add(word),
            };
        };
        found.entry(key).and_modify(combine).or_insert(word);
    }
    Ok(found)
}

impl<'a> Interp<'a> {
    /// What is chosen among the groups of a vertex.
    pub(super) fn groups(&mut self, groups: &'a Groups) -> Result<u64> {
        let graph = self.whole_graph(&groups.graph)?;
        let vertex = checked_vertex(i32::of(self.num(&groups.vertex)?), graph.vertices())?;
        let own = match &groups.choice {
            GroupChoice::Best { own: Some(own), .. } => Some(i32::of(self.num(own)?)).filter(|own| *own >= 0),
            _ => None,
        };
        // 1. Keys and values, edge by edge.
        let neighbours = graph.out().neighbours(vertex);
        let ends = |n: u32| [(vertex as i32).bits(), (n as i32).bits()];
        let weight = |at: usize, wanted| intrinsics::out_weight(&graph, vertex, at as i32, wanted);
        let key = self.named(&groups.key)?;
        let mut keys = Vec::with_capacity(neighbours.len());
        for (at, &n) in neighbours.iter().enumerate() {
            self.tick()?;
            keys.push(i32::of(self.of_edge(key, ends(n), &|wanted| weight(at, wanted))?));
        }
        self.leave(key);
        let mut values = vec![1i32.bits(); neighbours.len()];
        if let Some(value) = &groups.value {
            let value = self.named(value)?;
            for (at, &n) in neighbours.iter().enumerate().filter(|(at, _)| keys[*at] >= 0) {
                self.tick()?;
                values[at] = self.of_edge(value, ends(n), &|wanted| weight(at, wanted))?;
            }
            self.leave(value);
        }
        // 2. One value per key.
        let words = Words::of(groups, &keys, &values)?;
        let mut found = by_key(groups, &words, &keys, &values)?;
        // 3. The choice.
        match &groups.choice {
            GroupChoice::Count => Ok((found.len() as i32).bits()),
            GroupChoice::LeastAbsent => {
                let absent = (0..).find(|key| !found.contains_key(key));
                Ok(absent.unwrap_or(-1i32).bits())
            }
            GroupChoice::Each(visit) => {
                let visit = self.named(visit)?;
                for (key, word) in found {
                    self.of_group(visit, vertex, key, &words, word)?;
                }
                self.leave(visit);
                Ok(0)
            }
            GroupChoice::Best { score, .. } => {
                if let Some(own) = own {
                    let nothing = words.encode(converted(0, Scalar::Int, groups.scalar)?)?;
                    found.entry(own).or_insert(nothing);
                }
                let score = self.named(score)?;
                let mut best: Option<(f64, i32)> = None;
                for (key, word) in found {
                    let worth = f64::of(self.of_group(score, vertex, key, &words, word)?);
                    // Keys come in ascending order.
                    if !worth.is_nan() && best.is_none_or(|(greatest, _)| worth > greatest) {
                        best = Some((worth, key));
                    }
                }
                self.leave(score);
                Ok(best.map_or(-1, |(_, key)| key).bits())
            }
        }
    }

    /// A frame of a function with its captures, to be called often.
    fn named(&mut self, named: &'a Named) -> Result<Frame<'a>> {
        let captures = named.captures.iter().map(|arg| self.arg(arg)).collect::<Result<_>>()?;
        self.enter(&self.code.functions[named.function], captures)
    }

    /// Calls `f(v, n)` or `f(v, n, weight)`.
    fn of_edge(&mut self, frame: Frame<'a>, ends: [u64; 2], weight: &dyn Fn(Scalar) -> Result<u64>) -> Result<u64> {
        for (at, slot) in frame.function.params.iter().enumerate() {
            let Slot::Scalar(slot, scalar) = *slot else { return Err(misfit()) };
            let bits = match ends.get(at) {
                Some(bits) => *bits,
                None => weight(scalar)?,
            };
            self.set_param(frame, slot, bits);
        }
        self.run_frame(frame)
    }

    /// Calls `f(v, key, value)`.
    fn of_group(&mut self, frame: Frame<'a>, vertex: u32, key: i32, words: &Words, word: i64) -> Result<u64> {
        self.tick()?;
        let [Slot::Scalar(v, _), Slot::Scalar(k, _), Slot::Scalar(value, scalar)] = frame.function.params[..] else {
            return Err(misfit());
        };
        self.set_param(frame, v, (vertex as i32).bits());
        self.set_param(frame, k, key.bits());
        self.set_param(frame, value, words.decode(word, scalar)?);
        self.run_frame(frame)
    }
}

fn misfit() -> crate::error::ExecError {
    ErrorKind::Malformed("a function of groups takes other things than numbers".into()).into()
}
