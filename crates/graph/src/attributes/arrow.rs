//! Tables as Arrow IPC files, which are also called Feather (version 2): each column with the type of its values.
//!
//! The columnar format is version 1.0 (metadata V5): a schema, record batches, and a footer that says where these are.
//! Only writing is needed, of plain columns: the crate `arrow-ipc` adds 190 seconds of processor time to a build (its
//! kernels for selecting and comparing arrays come along), the tables of flatbuffers below add two.

use std::path::Path;

use flatbuffers::{FlatBufferBuilder, ForwardsUOffset, TableFinishedWIPOffset, UnionWIPOffset, Vector, WIPOffset};

use super::{Cell, FileColumn, Kind, Table};
use crate::format::Output;
use crate::{GraphError, Result};

/// Rows of a record batch.
const BATCH: usize = 1 << 16;
/// Buffers and messages begin at a multiple of this.
const ALIGNMENT: usize = 8;
const MAGIC: &[u8] = b"ARROW1";
/// Stands before every message.
const CONTINUATION: [u8; 4] = [0xff; 4];
const VERSION_5: i16 = 4;

/// The place of a field in a table of flatbuffers.
const fn slot(field: u16) -> u16 {
    4 + 2 * field
}

/// Writes a file.
pub(super) fn write(table: &Table<'_>, path: &Path) -> Result<()> {
    let mut file = File { output: Output::create(path)?, at: 0 };
    match write_to(table, &mut file, path) {
        Ok(()) => file.output.commit().map(drop),
        Err(error) => {
            file.output.abandon();
            Err(error)
        }
    }
}

fn write_to(table: &Table<'_>, file: &mut File, path: &Path) -> Result<()> {
    let columns = table.file_columns();
    file.put(MAGIC)?;
    file.pad()?;
    file.message(&message(1, 0, |buffer| schema(buffer, &columns).as_union_value()), &[])?;
    let mut blocks = Vec::new();
    let rows = table.rows.len();
    for start in (0..rows).step_by(BATCH) {
        let batch = Batch::of(&columns, start..(start + BATCH).min(rows))
            .ok_or_else(|| GraphError::file(path, "the ids of 65536 vertices are longer than 2 GiB"))?;
        let header = message(3, batch.body.len(), |buffer| batch.header(buffer).as_union_value());
        blocks.push(file.message(&header, &batch.body)?);
    }
    file.put(&CONTINUATION)?;
    file.put(&[0; 4])?;
    let footer = footer(&columns, &blocks);
    file.put(&footer)?;
    file.put(&(footer.len() as u32).to_le_bytes())?;
    file.put(MAGIC)
}

/// A file in the making.
struct File {
    output: Output,
    at: usize,
}

/// Where a message stands in the file.
struct Block {
    offset: usize,
    metadata: usize,
    body: usize,
}

impl File {
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.at += bytes.len();
        self.output.write(bytes)
    }

    fn pad(&mut self) -> Result<()> {
        self.put(&[0; ALIGNMENT][..self.at.next_multiple_of(ALIGNMENT) - self.at])
    }

    /// Writes a message: its metadata and its body, whose length is a multiple of the alignment.
    fn message(&mut self, metadata: &[u8], body: &[u8]) -> Result<Block> {
        let offset = self.at;
        self.put(&CONTINUATION)?;
        self.put(&(metadata.len().next_multiple_of(ALIGNMENT) as u32).to_le_bytes())?;
        self.put(metadata)?;
        self.pad()?;
        let metadata = self.at - offset;
        self.put(body)?;
        Ok(Block { offset, metadata, body: body.len() })
    }
}

/// The metadata of a message: `kind` is 1 for a schema and 3 for a record batch.
fn message(
    kind: u8,
    body: usize,
    header: impl FnOnce(&mut FlatBufferBuilder<'static>) -> WIPOffset<UnionWIPOffset>,
) -> Vec<u8> {
    let mut buffer = FlatBufferBuilder::new();
    let header = header(&mut buffer);
    let start = buffer.start_table();
    buffer.push_slot_always(slot(3), body as i64);
    buffer.push_slot_always(slot(2), header);
    buffer.push_slot_always(slot(0), VERSION_5);
    buffer.push_slot_always(slot(1), kind);
    let message = buffer.end_table(start);
    buffer.finish_minimal(message);
    buffer.finished_data().to_vec()
}

/// The table `Schema`.
fn schema(buffer: &mut FlatBufferBuilder<'static>, columns: &[FileColumn<'_>]) -> WIPOffset<TableFinishedWIPOffset> {
    let fields: Vec<_> = columns.iter().map(|column| field(buffer, column)).collect();
    let fields = buffer.create_vector(&fields);
    let start = buffer.start_table();
    buffer.push_slot_always(slot(1), fields);
    buffer.end_table(start)
}

/// The table `Field`.
fn field(buffer: &mut FlatBufferBuilder<'static>, column: &FileColumn<'_>) -> WIPOffset<TableFinishedWIPOffset> {
    let name = buffer.create_string(&column.title);
    let none: WIPOffset<Vector<'_, ForwardsUOffset<TableFinishedWIPOffset>>> =
        buffer.create_vector::<WIPOffset<TableFinishedWIPOffset>>(&[]);
    let (kind, of_kind) = field_type(buffer, column.kind);
    let start = buffer.start_table();
    buffer.push_slot_always(slot(0), name);
    buffer.push_slot_always(slot(3), of_kind);
    buffer.push_slot_always(slot(5), none);
    buffer.push_slot_always(slot(1), true);
    buffer.push_slot_always(slot(2), kind);
    buffer.end_table(start)
}

/// The number of a type in the union `Type`, and its table.
fn field_type(buffer: &mut FlatBufferBuilder<'static>, kind: Kind) -> (u8, WIPOffset<TableFinishedWIPOffset>) {
    const INT: u8 = 2;
    const FLOATING_POINT: u8 = 3;
    const UTF8: u8 = 5;
    const BOOL: u8 = 6;
    let start = buffer.start_table();
    let mut int = |bits: i32, is_signed: bool| {
        buffer.push_slot_always(slot(0), bits);
        buffer.push_slot_always(slot(1), is_signed);
        INT
    };
    let number = match kind {
        Kind::Int => int(32, true),
        Kind::Uint => int(32, false),
        Kind::Int64 => int(64, true),
        Kind::Uint64 => int(64, false),
        Kind::Float | Kind::Double => {
            buffer.push_slot_always(slot(0), if kind == Kind::Float { 1i16 } else { 2 });
            FLOATING_POINT
        }
        Kind::Bool => BOOL,
        Kind::Text => UTF8,
    };
    (number, buffer.end_table(start))
}

/// The end of the file: the schema again, and where the record batches are.
fn footer(columns: &[FileColumn<'_>], blocks: &[Block]) -> Vec<u8> {
    let mut buffer = FlatBufferBuilder::new();
    let schema = schema(&mut buffer, columns);
    let dictionaries = structs(&mut buffer, Vec::<[i64; 3]>::new());
    // The length of the metadata has 32 bits, and as many follow that are not used.
    let blocks = blocks.iter().map(|block| [block.offset as i64, block.metadata as i64, block.body as i64]).collect();
    let blocks = structs(&mut buffer, blocks);
    let start = buffer.start_table();
    buffer.push_slot_always(slot(1), schema);
    buffer.push_slot_always(slot(2), dictionaries);
    buffer.push_slot_always(slot(3), blocks);
    buffer.push_slot_always(slot(0), VERSION_5);
    let footer = buffer.end_table(start);
    buffer.finish_minimal(footer);
    buffer.finished_data().to_vec()
}

/// A vector of structs, each of `N` numbers of 64 bits.
fn structs<const N: usize>(
    buffer: &mut FlatBufferBuilder<'static>,
    structs: Vec<[i64; N]>,
) -> WIPOffset<Vector<'static, i64>> {
    buffer.start_vector::<i64>(N * structs.len());
    // Flatbuffers are written from the end.
    for number in structs.iter().rev().flat_map(|numbers| numbers.iter().rev()) {
        buffer.push(*number);
    }
    buffer.end_vector::<i64>(structs.len())
}

/// Rows of a table, column by column.
struct Batch {
    rows: usize,
    /// The number of rows and of missing values of every column.
    nodes: Vec<[i64; 2]>,
    /// Where the buffers of all columns begin in the body, and their lengths.
    buffers: Vec<[i64; 2]>,
    body: Vec<u8>,
}

impl Batch {
    /// `None` where the texts of a column are too long for offsets of 32 bits.
    fn of(columns: &[FileColumn<'_>], rows: std::ops::Range<usize>) -> Option<Batch> {
        let mut batch = Batch { rows: rows.len(), nodes: Vec::new(), buffers: Vec::new(), body: Vec::new() };
        for column in columns {
            let cells = rows.clone().map(|row| column.cell(row));
            let missing = cells.clone().filter(|cell| *cell == Cell::Nothing).count();
            batch.nodes.push([rows.len() as i64, missing as i64]);
            match missing {
                0 => batch.buffer(|_| {}),
                _ => batch.buffer(|body| push_bits(body, cells.clone().map(|cell| cell != Cell::Nothing))),
            }
            match column.kind {
                Kind::Text => batch.texts(cells)?,
                Kind::Bool => batch.buffer(|body| push_bits(body, cells.map(|cell| cell == Cell::Bool(true)))),
                kind => batch.buffer(|body| cells.for_each(|cell| push_number(body, kind, cell))),
            }
        }
        Some(batch)
    }

    /// Adds a buffer that `fill` appends to the body.
    fn buffer(&mut self, fill: impl FnOnce(&mut Vec<u8>)) {
        let start = self.body.len();
        fill(&mut self.body);
        self.buffers.push([start as i64, (self.body.len() - start) as i64]);
        self.body.resize(self.body.len().next_multiple_of(ALIGNMENT), 0);
    }

    /// Adds the buffers of a column of texts: where each ends, and all of them one after another.
    fn texts<'c>(&mut self, cells: impl Iterator<Item = Cell<'c>>) -> Option<()> {
        let (mut ends, mut texts) = (0i32.to_le_bytes().to_vec(), Vec::new());
        for cell in cells {
            if let Cell::Text(text) = cell {
                texts.extend_from_slice(text.as_bytes());
            }
            ends.extend(i32::try_from(texts.len()).ok()?.to_le_bytes());
        }
        self.buffer(|body| body.extend(ends));
        self.buffer(|body| body.extend(texts));
        Some(())
    }

    /// The table `RecordBatch`.
    fn header(&self, buffer: &mut FlatBufferBuilder<'static>) -> WIPOffset<TableFinishedWIPOffset> {
        let nodes = structs(buffer, self.nodes.clone());
        let buffers = structs(buffer, self.buffers.clone());
        let start = buffer.start_table();
        buffer.push_slot_always(slot(0), self.rows as i64);
        buffer.push_slot_always(slot(1), nodes);
        buffer.push_slot_always(slot(2), buffers);
        buffer.end_table(start)
    }
}

/// Appends bits, the first one lowest in the first byte.
fn push_bits(body: &mut Vec<u8>, bits: impl Iterator<Item = bool>) {
    for (at, bit) in bits.enumerate() {
        if at % 8 == 0 {
            body.push(0);
        }
        if let Some(last) = body.last_mut() {
            *last |= u8::from(bit) << (at % 8);
        }
    }
}

/// Appends a number, 0 where there is none.
fn push_number(body: &mut Vec<u8>, kind: Kind, cell: Cell<'_>) {
    let whole = match cell {
        Cell::Int(value) => value,
        Cell::Uint(value) => value as i64,
        _ => 0,
    };
    match (kind, cell) {
        (Kind::Int | Kind::Uint, _) => body.extend((whole as i32).to_le_bytes()),
        (Kind::Float, Cell::Float(value)) => body.extend(value.to_le_bytes()),
        (Kind::Double, Cell::Double(value)) => body.extend(value.to_le_bytes()),
        _ => body.extend(whole.to_le_bytes()),
    }
}
