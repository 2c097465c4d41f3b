//! A sheet for people: as text for a terminal, and as one page that needs no network.
//!
//! | file | concept |
//! |---|---|
//! | `tables` | a sheet as tables of texts |
//! | `charts` | a sheet as charts: roofline, service times, bandwidth |
//! | `chart` | one chart as SVG |
//! | `number` | numbers with units |

mod chart;
mod charts;
mod number;
mod tables;

use crate::sheet::Sheet;
use tables::{Table, tables};

/// The sheet as text.
pub fn sheet_text(sheet: &Sheet) -> String {
    let mut text = format!("{}\n", headline(sheet));
    for table in tables(sheet) {
        text += &format!("\n{}\n\n{}", table.title, plain(&table));
        if !table.note.is_empty() {
            text += &format!("  {}\n", table.note);
        }
    }
    for remark in &sheet.remarks {
        text += &format!("\nnote: {remark}\n");
    }
    text
}

/// The sheet as an HTML page, complete in itself.
pub fn sheet_page(sheet: &Sheet) -> String {
    let mut body = format!("<h1>{}</h1>\n", escaped(&sheet.machine));
    body += &format!("<p>{}</p>\n", escaped(&headline(sheet)));
    for remark in &sheet.remarks {
        body += &format!("<p class=\"remark\">{}</p>\n", escaped(remark));
    }
    for (title, note, chart) in charts::charts(sheet) {
        body +=
            &format!("<section><h2>{}</h2>\n<p>{}</p>\n{}</section>\n", escaped(&title), escaped(&note), chart.svg());
    }
    for table in tables(sheet) {
        body += &format!("<section><h2>{}</h2>\n", escaped(&table.title));
        let cells = |cells: &[String], tag: &str| -> String {
            cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect()
        };
        let head: Vec<String> = table.head.iter().map(|cell| cell.to_string()).collect();
        body += &format!("<div class=\"wide\"><table>\n<tr>{}</tr>\n", cells(&head, "th"));
        for row in &table.rows {
            body += &format!("<tr>{}</tr>\n", cells(row, "td"));
        }
        body += &format!("</table></div>\n<p>{}</p></section>\n", escaped(&table.note));
    }
    let title = escaped(&format!("Sheet of {}", sheet.machine));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

const STYLE: &str = include_str!("style.css");

fn headline(sheet: &Sheet) -> String {
    let how = if sheet.quick { ", by the quick benchmarks" } else { "" };
    format!("{}, target {}, measured {}{how}", sheet.machine, sheet.target, sheet.measured)
}

/// A table in columns.
fn plain(table: &Table) -> String {
    let width = |column: usize| {
        let cells = table.rows.iter().map(|row| row[column].chars().count());
        cells.chain([table.head[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.head.len()).map(width).collect();
    let line = |cells: &[String]| {
        let aligned = cells.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        format!("  {}\n", aligned.collect::<Vec<_>>().join("  ").trim_end())
    };
    let head: Vec<String> = table.head.iter().map(|cell| cell.to_string()).collect();
    let head = if head.iter().all(String::is_empty) { String::new() } else { line(&head) };
    head + &table.rows.iter().map(|row| line(row)).collect::<String>()
}

/// A text within HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
