//! Tables as texts: lines, CSV, TSV, JSON and JSON lines. Blocks of rows are made on all threads.

use std::ops::Range;
use std::path::Path;

use super::{Cell, FileColumn, Form, Rows, Table, cell};
use crate::format::Plan;
use crate::{GraphError, Result};

/// Rows of a block.
const BLOCK: usize = 1 << 14;

/// Plans a text.
pub(super) fn plan<'t>(table: &'t Table<'t>, form: Form, path: &Path) -> Result<Plan<'t>> {
    let rows = table.rows.len();
    let blocks = rows.div_ceil(BLOCK);
    let range = move |block: usize| block * BLOCK..((block + 1) * BLOCK).min(rows);
    Ok(match form {
        Form::Csv => separated(table, b',', blocks, range),
        Form::Tsv => separated(table, b'\t', blocks, range),
        Form::Json => json(table, blocks, range),
        Form::JsonLines => {
            let objects = Objects::of(table);
            Plan::new(blocks, move |block, buffer| {
                for row in range(block) {
                    objects.push(row, buffer);
                    buffer.push(b'\n');
                }
            })
        }
        Form::Lines if table.columns.len() == 1 => {
            Plan::new(blocks, move |block, buffer| lines(table, range(block), buffer))
        }
        _ => {
            return Err(GraphError::file(
                path,
                "this form holds one result, or is no text; write a table, such as .csv",
            ));
        }
    })
}

/// Appends the values of each row on a line of its own. Vertices are numbers.
pub(super) fn lines(table: &Table<'_>, rows: Range<usize>, buffer: &mut Vec<u8>) {
    let columns: Vec<FileColumn<'_>> = table.value_columns().into_iter().map(FileColumn::with_numbers).collect();
    for row in rows {
        for (at, column) in columns.iter().enumerate() {
            if at > 0 {
                buffer.push(b' ');
            }
            column.cell(row).push_plain(buffer);
        }
        buffer.push(b'\n');
    }
}

fn separated<'t>(
    table: &'t Table<'t>,
    separator: u8,
    blocks: usize,
    range: impl Fn(usize) -> Range<usize> + Sync + 't,
) -> Plan<'t> {
    let columns = table.file_columns();
    Plan::new(blocks + 1, move |block, buffer| {
        let Some(block) = block.checked_sub(1) else {
            return push_line(columns.iter().map(|column| Cell::Text(&column.title)), separator, buffer);
        };
        for row in range(block) {
            push_line(columns.iter().map(|column| column.cell(row)), separator, buffer);
        }
    })
}

fn push_line<'c>(cells: impl Iterator<Item = Cell<'c>>, separator: u8, buffer: &mut Vec<u8>) {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            buffer.push(separator);
        }
        match cell {
            Cell::Text(text) => push_quoted(text, separator, buffer),
            cell => cell.push_plain(buffer),
        }
    }
    buffer.push(b'\n');
}

/// Appends a text, in quotes where a reader of tables would take it for something else.
fn push_quoted(text: &str, separator: u8, buffer: &mut Vec<u8>) {
    let special = |byte: u8| byte == separator || matches!(byte, b'"' | b'\n' | b'\r');
    let is_plain = !text.is_empty() && !text.bytes().any(special) && text.trim() == text;
    match is_plain {
        true => buffer.extend_from_slice(text.as_bytes()),
        false => buffer.extend_from_slice(format!("\"{}\"", text.replace('"', "\"\"")).as_bytes()),
    }
}

/// One array of objects; one object where there is one row about everything.
fn json<'t>(table: &'t Table<'t>, blocks: usize, range: impl Fn(usize) -> Range<usize> + Sync + 't) -> Plan<'t> {
    let objects = Objects::of(table);
    if matches!(table.rows, Rows::One) {
        return Plan::new(1, move |_, buffer| {
            objects.push(0, buffer);
            buffer.push(b'\n');
        });
    }
    Plan::new(blocks + 2, move |block, buffer| match block {
        0 => buffer.push(b'['),
        last if last == blocks + 1 => buffer.extend_from_slice(b"\n]\n"),
        block => {
            for row in range(block - 1) {
                buffer.extend_from_slice(if row == 0 { b"\n" } else { b",\n" });
                objects.push(row, buffer);
            }
        }
    })
}

/// Rows as objects of JSON.
struct Objects<'t> {
    columns: Vec<FileColumn<'t>>,
    /// `{"vertex":`, `,"rank":` and so on.
    before: Vec<Vec<u8>>,
}

impl<'t> Objects<'t> {
    fn of(table: &'t Table<'t>) -> Objects<'t> {
        let columns = table.file_columns();
        let before = columns.iter().enumerate().map(|(at, column)| {
            let mut text = vec![if at == 0 { b'{' } else { b',' }];
            cell::push_json_text(&column.title, &mut text);
            text.push(b':');
            text
        });
        Objects { before: before.collect(), columns }
    }

    fn push(&self, row: usize, buffer: &mut Vec<u8>) {
        if self.columns.is_empty() {
            buffer.push(b'{');
        }
        for (before, column) in self.before.iter().zip(&self.columns) {
            buffer.extend_from_slice(before);
            column.cell(row).push_json(buffer);
        }
        buffer.push(b'}');
    }
}
