//! Vertex sets as maps.

use std::any::Any;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use gw_exec::{ErrorKind, MachineSet, Result, SetForm, VertexSet};
use gw_graph::{Adjacency, Offsets};

use crate::drive::Crew;
use crate::spare;
use crate::tuning::{DEGREE_SAMPLE, SPARSE_MAP};

/// A set as a map over all vertices.
#[derive(Debug, Clone)]
pub(crate) struct MapSet {
    pub(crate) map: Map,
    pub(crate) count: usize,
    /// The members, where somebody has walked the map for them.
    ids: Option<Vec<u32>>,
}

impl MapSet {
    pub(crate) fn new(map: Map, count: usize) -> MapSet {
        MapSet { map, count, ids: None }
    }
}

/// One bit or one byte per vertex.
#[derive(Debug, Clone)]
pub(crate) enum Map {
    /// Bit `v % 64` of word `v / 64`.
    Bits(Vec<u64>),
    /// Byte `v`.
    Bytes(Vec<u8>),
}

impl Drop for Map {
    fn drop(&mut self) {
        match self {
            Map::Bits(words) => spare::keep(std::mem::take(words)),
            Map::Bytes(bytes) => spare::keep(std::mem::take(bytes)),
        }
    }
}

impl Map {
    /// An empty map.
    pub(crate) fn empty(vertices: usize, bits: bool) -> Map {
        match bits {
            true => Map::Bits(spare::zeros(vertices.div_ceil(64))),
            false => Map::Bytes(spare::zeros(vertices)),
        }
    }

    pub(crate) fn as_mut_ptr(&mut self) -> *mut u8 {
        match self {
            Map::Bits(words) => words.as_mut_ptr().cast(),
            Map::Bytes(bytes) => bytes.as_mut_ptr(),
        }
    }

    pub(crate) fn as_ptr(&self) -> *const u8 {
        match self {
            Map::Bits(words) => words.as_ptr().cast(),
            Map::Bytes(bytes) => bytes.as_ptr(),
        }
    }

    /// Whether the map has a place for each of so many vertices.
    pub(crate) fn covers(&self, vertices: usize) -> bool {
        match self {
            Map::Bits(words) => 64 * words.len() >= vertices,
            Map::Bytes(bytes) => bytes.len() >= vertices,
        }
    }

    /// One more than the greatest member; 0 without members.
    pub(crate) fn end(&self) -> usize {
        match self {
            Map::Bits(words) => {
                let last = words.iter().rposition(|&word| word != 0);
                last.map_or(0, |at| 64 * at + 64 - words[at].leading_zeros() as usize)
            }
            Map::Bytes(bytes) => bytes.iter().rposition(|&byte| byte != 0).map_or(0, |at| at + 1),
        }
    }

    /// The greatest member that is not below `vertices`. Looks only at what lies behind them.
    fn greatest_from(&self, vertices: usize) -> Option<u32> {
        let greatest = match self {
            Map::Bits(words) => {
                let first = vertices / 64;
                let at = first + words.get(first..)?.iter().rposition(|&word| word != 0)?;
                64 * at + 63 - words[at].leading_zeros() as usize
            }
            Map::Bytes(bytes) => vertices + bytes.get(vertices..)?.iter().rposition(|&byte| byte != 0)?,
        };
        (greatest >= vertices).then_some(greatest as u32)
    }

    /// The same members in a map for exactly so many vertices, which all of them are below.
    fn resized(&self, vertices: usize) -> Map {
        let mut map = self.clone();
        match &mut map {
            Map::Bits(words) => words.resize(vertices.div_ceil(64), 0),
            Map::Bytes(bytes) => bytes.resize(vertices, 0),
        }
        map
    }

    pub(crate) fn is_bits(&self) -> bool {
        matches!(self, Map::Bits(_))
    }

    /// Puts vertices in; those that the map does not speak of are left out.
    fn insert_all(&mut self, ids: &[u32]) {
        match self {
            // Neighbours in a queue often share a word: it is kept in a register, since to read back what was just
            // written takes longer.
            Map::Bits(words) => {
                let (mut at, mut word) = (0, words.first().copied().unwrap_or(0));
                for &v in ids {
                    let own = v as usize / 64;
                    if own != at {
                        let Some(&next) = words.get(own) else { continue };
                        words[at] = word;
                        (at, word) = (own, next);
                    }
                    word |= 1 << (v % 64);
                }
                if let Some(last) = words.get_mut(at) {
                    *last = word;
                }
            }
            Map::Bytes(bytes) => {
                for &v in ids {
                    if let Some(byte) = bytes.get_mut(v as usize) {
                        *byte = 1;
                    }
                }
            }
        }
    }

    /// Puts the members of a map of the same form in.
    fn unite(&mut self, other: &Map) {
        match (self, other) {
            (Map::Bits(words), Map::Bits(more)) => words.iter_mut().zip(more).for_each(|(word, more)| *word |= more),
            (Map::Bytes(bytes), Map::Bytes(more)) => bytes.iter_mut().zip(more).for_each(|(byte, more)| *byte |= more),
            _ => debug_assert!(false, "maps of two forms"),
        }
    }

    /// The same members in the other form, over so many vertices.
    fn converted(&self, vertices: usize) -> Map {
        match self {
            Map::Bits(words) => {
                let mut bytes = Vec::with_capacity(64 * words.len().max(vertices.div_ceil(64)));
                for word in words {
                    word.to_le_bytes().iter().for_each(|&bits| bytes.extend_from_slice(&spread(bits)));
                }
                bytes.resize(vertices, 0);
                Map::Bytes(bytes)
            }
            Map::Bytes(bytes) => {
                let (blocks, rest) = bytes.as_chunks::<64>();
                let mut last = [0; 64];
                last[..rest.len()].copy_from_slice(rest);
                let mut words: Vec<u64> = blocks.iter().chain([&last]).map(gather).collect();
                words.resize(vertices.div_ceil(64), 0);
                Map::Bits(words)
            }
        }
    }

    /// Ids in ascending order.
    pub(crate) fn ids(&self, count: usize) -> Vec<u32> {
        let mut ids = Vec::with_capacity(count);
        self.each(0, usize::MAX, |v| ids.push(v));
        ids
    }

    /// Calls `f` with the members among the blocks of 64 vertices `begin..end`, in ascending order.
    pub(crate) fn each(&self, begin: usize, end: usize, mut f: impl FnMut(u32)) {
        match self {
            Map::Bits(words) => {
                let end = end.min(words.len());
                for (i, &word) in words.iter().enumerate().take(end).skip(begin) {
                    each_bit(word, i as u32 * 64, &mut f);
                }
            }
            Map::Bytes(bytes) => {
                let (begin, end) = (begin.saturating_mul(64).min(bytes.len()), end.saturating_mul(64).min(bytes.len()));
                // Most blocks are empty where a set is small.
                let (blocks, rest) = bytes[begin..end].as_chunks::<64>();
                for (i, block) in blocks.iter().enumerate().filter(|(_, block)| **block != [0; 64]) {
                    each_bit(gather(block), (begin + 64 * i) as u32, &mut f);
                }
                let first = end - rest.len();
                rest.iter().enumerate().filter(|(_, byte)| **byte != 0).for_each(|(i, _)| f((first + i) as u32));
            }
        }
    }
}

impl MachineSet for MapSet {
    fn len(&self) -> Result<usize> {
        Ok(self.count)
    }
    fn ids(&self) -> Result<Vec<u32>> {
        Ok(self.ids.clone().unwrap_or_else(|| self.map.ids(self.count)))
    }
    fn copy(&self) -> Result<Box<dyn MachineSet>> {
        Ok(Box::new(self.clone()))
    }
    fn bytes(&self) -> usize {
        let map = match &self.map {
            Map::Bits(words) => size_of_val(words.as_slice()),
            Map::Bytes(bytes) => bytes.len(),
        };
        map + self.ids.as_ref().map_or(0, |ids| size_of_val(ids.as_slice()))
    }
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// An error when a member of a set is no vertex of a graph with so many.
pub(crate) fn all_below(set: &VertexSet, vertices: usize) -> Result<()> {
    let outside = |ids: &[u32]| ids.iter().copied().max().filter(|&v| v as usize >= vertices);
    let greatest = set.with(|form| {
        Result::Ok(match form {
            SetForm::All(n) => n.checked_sub(1).filter(|&v| v >= vertices).map(|v| v as u32),
            SetForm::Ids(ids) => outside(ids),
            SetForm::Machine(machine) => match machine.as_any().downcast_mut::<MapSet>() {
                Some(own) => own.map.greatest_from(vertices),
                None => outside(&machine.ids()?),
            },
            form => outside(&form.ids()?),
        })
    })?;
    match greatest {
        Some(vertex) => Err(ErrorKind::VertexOutOfRange { vertex: vertex.into(), vertices }.into()),
        None => Ok(()),
    }
}

/// The members of a set as a map of bytes over so many vertices; an error when one of them is none of these.
pub(crate) fn members(crew: &mut Crew, set: &VertexSet, vertices: usize) -> Result<Map> {
    all_below(set, vertices)?;
    map_of(crew, set, vertices, false)
}

/// Whether a set is kept as a map.
pub(crate) fn is_map(set: &VertexSet) -> bool {
    set.with(|form| matches!(form, SetForm::Machine(_)))
}

/// The number of vertices that the bitmap of a set speaks of, a multiple of 64 or all; `None` when it is no bitmap.
pub(crate) fn blocks(set: &VertexSet) -> Option<usize> {
    set.with(|form| {
        let SetForm::Machine(machine) = form else { return None };
        match &machine.as_any().downcast_mut::<MapSet>()?.map {
            Map::Bits(words) => Some(64 * words.len()),
            Map::Bytes(_) => None,
        }
    })
}

/// Out-edges of a set in an adjacency; counting ends when `enough` are found.
pub(crate) fn edges_until(crew: &mut Crew, set: &VertexSet, adjacency: &Adjacency, enough: u64) -> Result<u64> {
    match adjacency.offsets() {
        Offsets::Narrow(o) => counted_until(crew, set, adjacency.vertices(), |v| length(o, v), enough),
        Offsets::Wide(o) => counted_until(crew, set, adjacency.vertices(), |v| length(o, v), enough),
    }
}

/// Out-edges of a set in an adjacency: exact for sets of fewer than twice `sample` members, estimated from about so
/// many of larger ones, since walking all would take as long as a step.
pub(crate) fn edges_about(set: &VertexSet, adjacency: &Adjacency, sample: usize) -> Result<u64> {
    match adjacency.offsets() {
        Offsets::Narrow(o) => counted_about(set, adjacency.vertices(), |v| length(o, v), sample),
        Offsets::Wide(o) => counted_about(set, adjacency.vertices(), |v| length(o, v), sample),
    }
}

/// The length of a list; that of one that does not exist is 0.
#[inline]
fn length<P: Copy + Into<u64>>(positions: &[P], list: u32) -> u64 {
    match positions.get(list as usize..).and_then(<[P]>::first_chunk) {
        Some([begin, end]) => (*end).into() - (*begin).into(),
        None => 0,
    }
}

fn counted_until(
    crew: &mut Crew,
    set: &VertexSet,
    vertices: usize,
    degree: impl Fn(u32) -> u64 + Sync,
    enough: u64,
) -> Result<u64> {
    set.with(|form| {
        if let SetForm::Machine(machine) = form
            && let Some(own) = machine.as_any().downcast_mut::<MapSet>()
        {
            const PIECE: usize = 1 << 9;
            return Ok(in_pieces(crew, vertices.div_ceil(64).div_ceil(PIECE), enough, |piece| {
                let mut sum = 0;
                own.map.each(piece * PIECE, (piece + 1) * PIECE, |v| sum += degree(v));
                sum
            }));
        }
        with_ids(form, |ids| {
            const PIECE: usize = 1 << 12;
            in_pieces(crew, ids.len().div_ceil(PIECE), enough, |piece| {
                let end = ids.len().min((piece + 1) * PIECE);
                ids[piece * PIECE..end].iter().map(|&v| degree(v)).sum()
            })
        })
    })
}

fn counted_about(set: &VertexSet, vertices: usize, degree: impl Fn(u32) -> u64, sample: usize) -> Result<u64> {
    let about = |ids: &[u32]| {
        let every = (ids.len() / sample).max(1);
        let sum = ids.iter().step_by(every).map(|&v| degree(v)).sum();
        scaled(sum, ids.len(), ids.len().div_ceil(every))
    };
    set.with(|form| {
        if let SetForm::Machine(machine) = form
            && let Some(own) = machine.as_any().downcast_mut::<MapSet>()
        {
            let (map, count) = (&own.map, own.count);
            // The ids of a sparse set are kept: the push that may follow needs them, too.
            if count < 2 * DEGREE_SAMPLE && count < vertices / SPARSE_MAP {
                return Ok(about(own.ids.get_or_insert_with(|| map.ids(count))));
            }
            let (mut sum, mut found) = (0, 0);
            for block in (0..vertices.div_ceil(64)).step_by((count / sample).max(1)) {
                map.each(block, block + 1, |v| (sum, found) = (sum + degree(v), found + 1));
            }
            return Ok(scaled(sum, count, found));
        }
        with_ids(form, about)
    })
}

fn with_ids<T>(form: &SetForm, f: impl FnOnce(&[u32]) -> T) -> Result<T> {
    Ok(match form {
        SetForm::Ids(ids) => f(ids),
        form => f(&form.ids()?),
    })
}

/// About how many members' degrees are added up, of a set with so many: the larger the step, the more it may cost to
/// choose it.
pub(crate) fn sample_of(members: usize) -> usize {
    (members / 16).clamp(DEGREE_SAMPLE, 4 * DEGREE_SAMPLE)
}
/// The same for a guess.
pub(crate) const FEW: usize = 1 << 6;

/// The sum over all members, from that over some.
fn scaled(sum: u64, members: usize, some: usize) -> u64 {
    if some == 0 { 0 } else { (u128::from(sum) * members as u128 / some as u128) as u64 }
}

/// The sum over pieces, until there is enough. One piece is not worth calling for help.
fn in_pieces(crew: &mut Crew, pieces: usize, enough: u64, count: impl Fn(usize) -> u64 + Sync) -> u64 {
    if pieces < 2 {
        return (0..pieces).map(count).sum();
    }
    let (next, sum) = (AtomicUsize::new(0), AtomicU64::new(0));
    crew.share(pieces, &|| {
        while sum.load(Ordering::Relaxed) < enough {
            match next.fetch_add(1, Ordering::Relaxed) {
                piece if piece < pieces => sum.fetch_add(count(piece), Ordering::Relaxed),
                _ => break,
            };
        }
    });
    sum.into_inner()
}

/// The members of a set as a map; members that are none of so many vertices are left out.
pub(crate) fn map_of(crew: &mut Crew, set: &VertexSet, vertices: usize, bits: bool) -> Result<Map> {
    set.with(|form| {
        Ok(match form {
            SetForm::Machine(machine) => match machine.as_any().downcast_mut::<MapSet>() {
                Some(own) if own.map.is_bits() == bits => own.map.resized(vertices),
                // From few members a map is made sooner than from all vertices.
                Some(own) if own.count > vertices / SPARSE_MAP => own.map.converted(vertices),
                _ => filled(crew, vertices, bits, &machine.ids()?),
            },
            SetForm::All(n) => {
                let (mut map, n) = (Map::empty(vertices, bits), (*n).min(vertices));
                match &mut map {
                    Map::Bits(words) => {
                        words[..n / 64].fill(u64::MAX);
                        // No bit is set behind the last member.
                        if n % 64 > 0 {
                            words[n / 64] = u64::MAX >> (64 - n % 64);
                        }
                    }
                    Map::Bytes(bytes) => bytes[..n].fill(1),
                }
                map
            }
            SetForm::Ids(ids) => filled(crew, vertices, bits, ids),
            form => filled(crew, vertices, bits, &form.ids()?),
        })
    })
}

/// A map of these vertices. Of many, every member of the crew puts some into a map of its own; then these are united.
fn filled(crew: &mut Crew, vertices: usize, bits: bool, ids: &[u32]) -> Map {
    const MANY: usize = 1 << 15;
    const PIECE: usize = 1 << 12;
    let mut map = Map::empty(vertices, bits);
    if ids.len() < MANY.max(vertices / 8) || crew.size() < 2 {
        map.insert_all(ids);
        return map;
    }
    let (next, whole) = (AtomicUsize::new(0), Mutex::new(map));
    crew.share(ids.len().div_ceil(PIECE), &|| {
        let mut own = None;
        while let Some(piece) = ids.chunks(PIECE).nth(next.fetch_add(1, Ordering::Relaxed)) {
            own.get_or_insert_with(|| Map::empty(vertices, bits)).insert_all(piece);
        }
        if let Some(own) = own {
            whole.lock().unwrap_or_else(PoisonError::into_inner).unite(&own);
        }
    });
    whole.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `f` with the numbers of the bits that are set, counted from `first`.
#[inline]
fn each_bit(mut word: u64, first: u32, f: &mut impl FnMut(u32)) {
    while word != 0 {
        f(first + word.trailing_zeros());
        word &= word - 1;
    }
}

/// Eight bits as eight bytes, each 0 or 1.
fn spread(bits: u8) -> [u8; 8] {
    // Every byte gets all bits, of which byte i keeps bit i; adding makes the highest bit of it.
    let each = (u64::from(bits).wrapping_mul(0x0101_0101_0101_0101)) & 0x8040_2010_0804_0201;
    let is_set = (each + 0x7f7f_7f7f_7f7f_7f7f) >> 7 & 0x0101_0101_0101_0101;
    is_set.to_le_bytes()
}

/// 64 bytes, each 0 or 1, as bits.
fn gather(bytes: &[u8; 64]) -> u64 {
    let (words, _) = bytes.as_chunks::<8>();
    // The product moves the lowest bit of byte i to bit 56 + i; no two of its terms meet.
    let packed = |word: &[u8; 8]| u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    words.iter().enumerate().fold(0, |bits, (i, word)| bits | packed(word) << (8 * i))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::team::Team;
    use gw_graph::GraphSpec;
    use gw_graph::progress::Silent;

    impl Map {
        fn len(&self) -> usize {
            match self {
                Map::Bits(words) => words.len(),
                Map::Bytes(bytes) => bytes.len(),
            }
        }
    }

    #[test]
    fn maps_of_both_forms_hold_the_same_members() {
        let mut crew = Crew::new(Arc::new(Mutex::new(Team::new(2))));
        for vertices in [0, 1, 7, 63, 64, 65, 200, 1000, 100_000] {
            for every in [1, 2, 3, 7, 64, 100] {
                let ids: Vec<u32> = (0..vertices as u32).filter(|v| v % every == 0).collect();
                let [bits, bytes] = [true, false].map(|bits| filled(&mut crew, vertices, bits, &ids));
                for (map, size) in [(&bits, vertices.div_ceil(64)), (&bytes, vertices)] {
                    let other = map.converted(vertices);
                    assert_eq!((map.ids(0), other.ids(0)), (ids.clone(), ids.clone()));
                    assert_eq!(other.is_bits(), !map.is_bits());
                    assert_eq!(other.converted(vertices).len(), size);
                }
                // A map over fewer vertices than there are, or more.
                assert_eq!(bits.converted(vertices + 70).len(), vertices + 70);
                assert_eq!(bytes.converted(vertices + 70).len(), (vertices + 70).div_ceil(64));
            }
        }
        // In any order, and none beyond the vertices.
        for bits in [true, false] {
            assert_eq!(filled(&mut crew, 130, bits, &[129, 3, 500, 128, 64, 2]).ids(5), [2, 3, 64, 128, 129]);
        }
    }

    #[test]
    fn edges_are_exact_in_small_sets_and_near_in_large_ones() {
        let graph = GraphSpec::parse("kron:16:seed=3").and_then(|spec| spec.load(&Silent)).unwrap().graph;
        let mut crew = Crew::new(Arc::new(Mutex::new(Team::new(2))));
        for (members, tolerance) in [(100, 0.0), (2 * DEGREE_SAMPLE - 1, 0.0), (50_000, 0.5)] {
            let ids: Vec<u32> = (0..members as u32).collect();
            let exact: u64 = ids.iter().map(|&v| graph.out().degree(v) as u64).sum();
            let mut map = Map::empty(graph.vertices(), true);
            if let Map::Bits(words) = &mut map {
                ids.iter().for_each(|v| words[*v as usize / 64] |= 1 << (v % 64));
            }
            let map = SetForm::Machine(Box::new(MapSet::new(map, members)));
            for form in [SetForm::Ids(ids), map] {
                let set = VertexSet::new(form);
                assert!(edges_until(&mut crew, &set, graph.out(), 50).unwrap() >= 50);
                assert_eq!(edges_until(&mut crew, &set, graph.out(), u64::MAX).unwrap(), exact);
                let found = edges_about(&set, graph.out(), sample_of(members)).unwrap();
                let off = (found as f64 - exact as f64).abs() / exact as f64;
                assert!(off <= tolerance, "{members} members: {found} instead of {exact}");
                assert_eq!(set.len().unwrap(), members);
            }
        }
    }
}
