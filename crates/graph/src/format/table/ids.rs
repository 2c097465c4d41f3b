//! The ids of a table: whole numbers of 64 bits as long as all are, texts otherwise.

pub(super) use super::intern::BATCH;
use super::intern::{LocalNames, merge};
use crate::format::cursor::Cursor;
use crate::format::densify::{AnyIds, densify};
use crate::parallel;
use crate::vertex_limit::checked_vertices;
use crate::{Names, Numbering, Result, VertexId};

/// The ids of a block, as they are met.
pub(in crate::format) trait BlockIds: Default + Send {
    /// An id inside the block.
    type Id: Copy + Send;
    /// Takes an id.
    fn id(&mut self, text: &[u8]) -> Result<Self::Id, Refusal>;
    /// Takes at most [`BATCH`] ids, and appends them. The error has the position of the first that is refused.
    fn ids(&mut self, texts: &[&[u8]], ids: &mut Vec<Self::Id>) -> Result<(), (usize, Refusal)> {
        for (position, text) in texts.iter().enumerate() {
            ids.push(self.id(text).map_err(|refusal| (position, refusal))?);
        }
        Ok(())
    }
    /// Numbers the ids of all blocks; `None` where they must be read as texts.
    fn number(blocks: Vec<IdBlock<Self>>) -> Result<Option<Numbered>>;
}

/// The edges of a block with the ids of the block.
pub(in crate::format) struct IdBlock<I: BlockIds> {
    pub(in crate::format) ids: I,
    pub(in crate::format) edges: Vec<(I::Id, I::Id)>,
}

/// Why an id cannot be taken.
pub(in crate::format) enum Refusal {
    /// It is a text.
    NotANumber,
    /// It is none at all.
    Bad(&'static str),
}

/// Edges between numbered vertices.
pub(in crate::format) struct Numbered {
    pub(in crate::format) vertices: usize,
    /// The edges of each block.
    pub(in crate::format) edges: Vec<Vec<(VertexId, VertexId)>>,
    pub(in crate::format) names: Option<Names>,
    pub(in crate::format) numbering: Option<Numbering>,
}

const NOT_UTF8: &str = "an id is not UTF-8; convert the file, for example with `iconv -f latin1 -t utf-8`";

/// Texts.
#[derive(Default)]
pub(super) struct TextIds(LocalNames);

impl BlockIds for TextIds {
    type Id = u32;

    fn id(&mut self, text: &[u8]) -> Result<u32, Refusal> {
        self.0.intern(text).map_err(|_| Refusal::Bad(NOT_UTF8))
    }

    fn ids(&mut self, texts: &[&[u8]], ids: &mut Vec<u32>) -> Result<(), (usize, Refusal)> {
        self.0.intern_all(texts, ids).map_err(|(position, _)| (position, Refusal::Bad(NOT_UTF8)))
    }

    fn number(blocks: Vec<IdBlock<Self>>) -> Result<Option<Numbered>> {
        let (names, edges): (Vec<_>, Vec<_>) = blocks.into_iter().map(|block| (block.ids.0, block.edges)).unzip();
        let merged = merge(names);
        let vertices = checked_vertices(merged.names.len() as u64)?;
        let renumber = |(mut edges, numbers): (Vec<(u32, u32)>, &Vec<u32>)| {
            edges.iter_mut().for_each(|(s, t)| (*s, *t) = (numbers[*s as usize], numbers[*t as usize]));
            edges
        };
        let edges = parallel::map_items(edges.into_iter().zip(&merged.numbers).collect(), renumber);
        let numbering = Some(Numbering::Texts { ids: vertices as u64 });
        Ok(Some(Numbered { vertices, edges, names: Some(merged.names), numbering }))
    }
}

/// Whole numbers: the bits of an `i64`, or of a `u64` where `beyond`.
#[derive(Default)]
pub(in crate::format) struct NumberIds {
    /// A number is negative.
    negative: bool,
    /// A number is 2^63 or more.
    beyond: bool,
}

impl NumberIds {
    /// A number in its bits.
    #[inline]
    pub(in crate::format) fn take(&mut self, negative: bool, size: u64) -> Option<u64> {
        const SIGN: u64 = 1 << 63;
        self.negative |= negative;
        self.beyond |= !negative && size >= SIGN;
        (!negative || size <= SIGN).then_some(if negative { size.wrapping_neg() } else { size })
    }
}

/// Sign and size of a whole number in its usual form: `007` and `+7` are texts, since they would not read back.
#[inline]
pub(in crate::format) fn whole_number(text: &[u8]) -> Option<(bool, u64)> {
    let (negative, digits) = match text.split_first()? {
        (b'-', digits) => (true, digits),
        _ => (false, text),
    };
    let usual = match digits.first()? {
        b'0' => digits.len() == 1 && !negative,
        _ => digits.len() <= 20,
    };
    let mut cursor = Cursor::new(digits);
    let size = cursor.digits().filter(|_| usual && cursor.is_done())?;
    // What does not fit reads as the greatest number.
    (size != u64::MAX || digits == b"18446744073709551615").then_some((negative, size))
}

impl BlockIds for NumberIds {
    type Id = u64;

    #[inline]
    fn id(&mut self, text: &[u8]) -> Result<u64, Refusal> {
        whole_number(text).and_then(|(negative, size)| self.take(negative, size)).ok_or(Refusal::NotANumber)
    }

    fn number(blocks: Vec<IdBlock<Self>>) -> Result<Option<Numbered>> {
        let negative = blocks.iter().any(|block| block.ids.negative);
        if negative && blocks.iter().any(|block| block.ids.beyond) {
            return Ok(None);
        }
        // Turning the sign around makes the order of signed numbers that of unsigned ones.
        let turn = if negative { 1 << 63 } else { 0 };
        let blocks = parallel::map_items(blocks, |block| packed(block.edges, turn));
        let dense = densify(blocks).map_err(crate::GraphError::Usage)?;
        let signed = |id: u64| (id ^ turn) as i64;
        let names = dense.original.map(|ids| match negative {
            true => Names::from_signed(ids.into_iter().map(signed).collect()),
            false => Names::from_unsigned(ids),
        });
        let numbering = dense.numbering.map(|numbering| match numbering {
            Numbering::Dense { ids, least, greatest } if negative => {
                Numbering::Dense { ids, least: signed(least as u64).into(), greatest: signed(greatest as u64).into() }
            }
            other => other,
        });
        Ok(Some(Numbered { vertices: dense.vertices, edges: dense.edges, names, numbering }))
    }
}

/// Ids in half of the memory where they fit.
fn packed(mut edges: Vec<(u64, u64)>, turn: u64) -> AnyIds {
    edges.iter_mut().for_each(|(s, t)| (*s, *t) = (*s ^ turn, *t ^ turn));
    match edges.iter().all(|&(s, t)| s.max(t) < u64::from(u32::MAX)) {
        true => AnyIds::Narrow(edges.into_iter().map(|(s, t)| (s as u32, t as u32)).collect()),
        false => AnyIds::Wide(edges),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_usual_forms_are_numbers() {
        for (text, number) in [
            ("0", Some((false, 0))),
            ("120", Some((false, 120))),
            ("-7", Some((true, 7))),
            ("18446744073709551615", Some((false, u64::MAX))),
            ("18446744073709551616", None),
            ("99999999999999999999", None),
            ("007", None),
            ("+7", None),
            ("-0", None),
            ("-", None),
            ("", None),
            ("1.0", None),
            ("1e3", None),
        ] {
            assert_eq!(whole_number(text.as_bytes()), number, "{text}");
        }
    }
}
