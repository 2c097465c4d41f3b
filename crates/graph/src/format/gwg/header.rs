//! The header page of a `.gwg`: layout, encoding, and every check that needs no content.

use crate::WeightKind;
use crate::vertex_limit::checked_vertices;

/// First bytes of the file. The odd byte and the line ends make damage by text-mode transfer visible.
pub(in crate::format) const MAGIC: &[u8] = b"\x89GWG\r\n\x1a\n";
/// The version of files without 64-bit weights, which older programs read as well.
const VERSION: u32 = 1;
/// The version of files with 64-bit weights.
const VERSION_WIDE: u32 = 2;
/// The version of files with ids or columns beside the edges.
const VERSION_BESIDE: u32 = 3;
/// The latest version.
const LATEST: u32 = VERSION_BESIDE;
/// The header page, and the alignment of sections.
pub(super) const PAGE: u64 = 4096;
/// Bytes under one checksum.
pub(super) const BLOCK: u64 = 1 << 20;

const SYMMETRIC: u32 = 1;
const INT_WEIGHTS: u32 = 1 << 1;
const FLOAT_WEIGHTS: u32 = 1 << 2;
const WIDE_OFFSETS: u32 = 1 << 3;
const INCOMING: u32 = 1 << 4;
/// The weights have 64 bits. Since version 2.
const WIDE_WEIGHTS: u32 = 1 << 5;
/// There are ids or columns beside the edges. Since version 3.
const BESIDE: u32 = 1 << 6;
const ALL_FLAGS: u32 = SYMMETRIC | INT_WEIGHTS | FLOAT_WEIGHTS | WIDE_OFFSETS | INCOMING | WIDE_WEIGHTS | BESIDE;

/// Positions of fields in the header page.
mod at {
    pub(super) const VERSION: usize = 8;
    pub(super) const FLAGS: usize = 12;
    pub(super) const VERTICES: usize = 16;
    pub(super) const EDGES: usize = 24;
    pub(super) const FILE_BYTES: usize = 32;
    pub(super) const CHECKSUMS: usize = 40;
    pub(super) const BLOCK: usize = 48;
    pub(super) const CHECKSUMS_CRC: usize = 52;
    pub(super) const SECTIONS: usize = 56;
    pub(super) const HEADER_CRC: usize = 60;
    pub(super) const TABLE: usize = 64;
}
const TABLE_ENTRY: usize = 24;

/// What a section holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Kind {
    OutOffsets = 1,
    OutTargets = 2,
    OutWeights = 3,
    InOffsets = 4,
    InTargets = 5,
    InWeights = 6,
    /// Ids of vertices, columns of edges and of vertices.
    Beside = 7,
}

/// One section: where it is and how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) kind: Kind,
    pub(super) offset: u64,
    pub(super) bytes: u64,
}

/// What kind of graph the file holds. The places of everything follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) vertices: u64,
    pub(super) edges: u64,
    pub(super) symmetric: bool,
    pub(super) weights: WeightKind,
    pub(super) wide: bool,
    pub(super) incoming: bool,
    /// Bytes of ids and columns.
    pub(super) beside: u64,
}

/// Where everything is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) sections: Vec<Section>,
    pub(super) checksums: u64,
    pub(super) file_bytes: u64,
}

impl Shape {
    /// The layout, `None` when the counts are beyond any file.
    pub(super) fn layout(&self) -> Option<Layout> {
        let offsets = self.vertices.checked_add(1)?.checked_mul(if self.wide { 8 } else { 4 })?;
        let targets = self.edges.checked_mul(4)?;
        let weights = self.edges.checked_mul(self.weights.bytes() as u64)?;
        let weighted = self.weights != WeightKind::None;
        let mut kinds = vec![(Kind::OutOffsets, offsets), (Kind::OutTargets, targets)];
        kinds.extend(weighted.then_some((Kind::OutWeights, weights)));
        if self.incoming {
            kinds.extend([(Kind::InOffsets, offsets), (Kind::InTargets, targets)]);
            kinds.extend(weighted.then_some((Kind::InWeights, weights)));
        }
        kinds.extend((self.beside > 0).then_some((Kind::Beside, self.beside)));
        let mut sections = Vec::new();
        let mut end = PAGE;
        for (kind, bytes) in kinds {
            sections.push(Section { kind, offset: end, bytes });
            end = end.checked_add(bytes)?.checked_next_multiple_of(PAGE)?;
        }
        let file_bytes = end.checked_add((end - PAGE).div_ceil(BLOCK) * 4)?;
        Some(Layout { sections, checksums: end, file_bytes })
    }

    fn flags(&self) -> u32 {
        let mut flags = match self.weights {
            WeightKind::None => 0,
            WeightKind::Int => INT_WEIGHTS,
            WeightKind::Float => FLOAT_WEIGHTS,
            WeightKind::Int64 => INT_WEIGHTS | WIDE_WEIGHTS,
            WeightKind::Double => FLOAT_WEIGHTS | WIDE_WEIGHTS,
        };
        let set = [
            (self.symmetric, SYMMETRIC),
            (self.wide, WIDE_OFFSETS),
            (self.incoming, INCOMING),
            (self.beside > 0, BESIDE),
        ];
        for (set, flag) in set {
            flags |= if set { flag } else { 0 };
        }
        flags
    }

    /// The least version of the format that has such graphs.
    fn version(&self) -> u32 {
        match self.weights.bytes() {
            _ if self.beside > 0 => VERSION_BESIDE,
            5.. => VERSION_WIDE,
            _ => VERSION,
        }
    }

    /// The header page.
    pub(super) fn encode(&self, layout: &Layout, checksums_crc: u32) -> Vec<u8> {
        let mut page = vec![0; PAGE as usize];
        let mut put = |at: usize, bytes: &[u8]| page[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, MAGIC);
        put(at::VERSION, &self.version().to_le_bytes());
        put(at::FLAGS, &self.flags().to_le_bytes());
        put(at::VERTICES, &self.vertices.to_le_bytes());
        put(at::EDGES, &self.edges.to_le_bytes());
        put(at::FILE_BYTES, &layout.file_bytes.to_le_bytes());
        put(at::CHECKSUMS, &layout.checksums.to_le_bytes());
        put(at::BLOCK, &(BLOCK as u32).to_le_bytes());
        put(at::CHECKSUMS_CRC, &checksums_crc.to_le_bytes());
        put(at::SECTIONS, &(layout.sections.len() as u32).to_le_bytes());
        for (i, section) in layout.sections.iter().enumerate() {
            let entry = at::TABLE + TABLE_ENTRY * i;
            put(entry, &(section.kind as u32).to_le_bytes());
            put(entry + 8, &section.offset.to_le_bytes());
            put(entry + 16, &section.bytes.to_le_bytes());
        }
        let crc = crc32fast::hash(&page);
        page[at::HEADER_CRC..at::TABLE].copy_from_slice(&crc.to_le_bytes());
        page
    }
}

/// A header found good.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) shape: Shape,
    pub(super) layout: Layout,
    pub(super) checksums_crc: u32,
}

/// The bytes of ids and columns that the table of sections tells: those of its last section.
fn beside(long: &dyn Fn(usize) -> u64, sections: u32) -> u64 {
    let most = (PAGE as usize - at::TABLE) / TABLE_ENTRY;
    let last = (sections as usize).clamp(1, most) - 1;
    long(at::TABLE + TABLE_ENTRY * last + 16)
}

/// Something wrong at a byte of the file.
pub(super) type Wrong = (u64, String);

impl Header {
    /// The size of the file that a header page describes.
    pub(super) fn described_bytes(page: &[u8]) -> Result<u64, Wrong> {
        Ok(Header::decode_page(page)?.layout.file_bytes)
    }

    /// Decodes the header of a file of this many bytes. The first page, or less if there is no more, is enough.
    pub(super) fn decode(bytes: &[u8], file_bytes: u64) -> Result<Header, Wrong> {
        let header = Header::decode_page(bytes)?;
        let described = header.layout.file_bytes;
        if described != file_bytes {
            let held = if file_bytes > described { "more".to_owned() } else { file_bytes.to_string() };
            let message = format!("the header describes {described} bytes, but the file holds {held}");
            return Err((at::FILE_BYTES as u64, message));
        }
        Ok(header)
    }

    fn decode_page(bytes: &[u8]) -> Result<Header, Wrong> {
        let wrong = |at: usize, message: String| Err((at as u64, message));
        if !bytes.starts_with(MAGIC) {
            return wrong(0, "not a .gwg file: its first bytes are missing".into());
        }
        let Some(page) = bytes.get(..PAGE as usize) else {
            return wrong(bytes.len(), "the file ends inside the header".into());
        };
        let word = |at: usize| u32::from_le_bytes([page[at], page[at + 1], page[at + 2], page[at + 3]]);
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        let version = word(at::VERSION);
        let mut blank = page.to_vec();
        blank[at::HEADER_CRC..at::TABLE].fill(0);
        if crc32fast::hash(&blank) != word(at::HEADER_CRC) {
            let is_known = (VERSION..=LATEST).contains(&version);
            let hint = if is_known { String::new() } else { format!(" (or of another version: {version})") };
            return wrong(at::HEADER_CRC, format!("the header is damaged{hint}: its checksum does not fit"));
        }
        if !(VERSION..=LATEST).contains(&version) {
            let message = format!("version {version} is unknown: this program reads versions up to {LATEST}");
            return wrong(at::VERSION, message);
        }
        let flags = word(at::FLAGS);
        let set = |flag| flags & flag != 0;
        let weights = match (set(INT_WEIGHTS), set(FLOAT_WEIGHTS), set(WIDE_WEIGHTS)) {
            (false, false, _) => WeightKind::None,
            (true, false, false) => WeightKind::Int,
            (false, true, false) => WeightKind::Float,
            (true, false, true) => WeightKind::Int64,
            (false, true, true) => WeightKind::Double,
            (true, true, _) => return wrong(at::FLAGS, "weights are both integer and real".into()),
        };
        // A file has the least version that has what is in it.
        let is_wide = set(WIDE_WEIGHTS) && weights != WeightKind::None;
        let needed = if set(BESIDE) {
            VERSION_BESIDE
        } else if is_wide {
            VERSION_WIDE
        } else {
            VERSION
        };
        let wide_fits = set(WIDE_WEIGHTS) == is_wide && version == needed;
        if flags & !ALL_FLAGS != 0 || (set(SYMMETRIC) && set(INCOMING)) || !wide_fits {
            return wrong(at::FLAGS, format!("the flags {flags:#x} make no sense"));
        }
        let shape = Shape {
            vertices: long(at::VERTICES),
            edges: long(at::EDGES),
            symmetric: set(SYMMETRIC),
            weights,
            wide: set(WIDE_OFFSETS),
            incoming: set(INCOMING),
            beside: if set(BESIDE) { beside(&long, word(at::SECTIONS)) } else { 0 },
        };
        if let Err(error) = checked_vertices(shape.vertices) {
            return wrong(at::VERTICES, error.to_string());
        }
        let Some(layout) = shape.layout() else {
            return wrong(at::EDGES, format!("{} edges are beyond any file", shape.edges));
        };
        // In version 1 the places follow from the counts; the table must say the same.
        let header = Header { shape, layout, checksums_crc: word(at::CHECKSUMS_CRC) };
        if header.shape.encode(&header.layout, header.checksums_crc) != page {
            return wrong(at::TABLE, "the table of sections does not fit the counts".into());
        }
        Ok(header)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape {
        vertices: 5,
        edges: 9,
        symmetric: false,
        weights: WeightKind::Int,
        wide: false,
        incoming: true,
        beside: 0,
    };

    #[test]
    fn a_header_decodes_to_what_was_encoded() {
        let layout = SHAPE.layout().unwrap();
        let page = SHAPE.encode(&layout, 77);
        let header = Header::decode(&page, layout.file_bytes).unwrap();
        assert_eq!(header, Header { shape: SHAPE, layout, checksums_crc: 77 });
    }

    #[test]
    fn any_flipped_bit_of_the_page_is_noticed() {
        let layout = SHAPE.layout().unwrap();
        let page = SHAPE.encode(&layout, 77);
        for bit in 0..8 * page.len() {
            let mut damaged = page.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(Header::decode(&damaged, layout.file_bytes).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn counts_beyond_any_file_have_no_layout() {
        for (vertices, edges) in [(u64::MAX, 0), (0, u64::MAX), (1 << 60, 1 << 62), (u64::MAX / 8, u64::MAX / 8)] {
            assert_eq!(Shape { vertices, edges, ..SHAPE }.layout(), None);
        }
        let wild = Shape { edges: 1_000_000_000_000, ..SHAPE };
        let page = wild.encode(&wild.layout().unwrap(), 0);
        let (_, message) = Header::decode(&page, 4096).unwrap_err();
        assert!(message.starts_with("the header describes 16"), "{message}");
    }
}
