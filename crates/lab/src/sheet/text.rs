//! Aligned columns for a terminal.

use unicode_width::UnicodeWidthStr;

use super::{Kind, Sheet};

/// Between columns.
const GAP: &str = "  ";

impl Sheet {
    /// The sheet as lines of aligned columns: texts to the left, numbers to the right, `-` for what is not known.
    /// Control characters become spaces: a name must not move the cursor.
    pub fn to_text(&self) -> String {
        let titles = self.columns.iter().map(|title| printable(title));
        let mut lines = vec![titles.collect::<Vec<_>>()];
        lines.extend(self.cells("-").iter().map(|row| row.iter().map(|cell| printable(cell)).collect::<Vec<_>>()));
        let columns = 0..self.columns.len();
        let widths: Vec<usize> =
            columns.clone().map(|at| lines.iter().map(|line| line[at].width()).max().unwrap_or(0)).collect();
        let right: Vec<bool> = columns.map(|at| self.kind(at) != Kind::Text).collect();
        let mut text = String::new();
        for line in &lines {
            let mut shown = String::new();
            for (at, cell) in line.iter().enumerate() {
                let space = " ".repeat(widths[at] - cell.width());
                let (before, after) = if right[at] { (space.as_str(), "") } else { ("", space.as_str()) };
                shown += if at > 0 { GAP } else { "" };
                shown.extend([before, cell.as_str(), after]);
            }
            text += shown.trim_end();
            text.push('\n');
        }
        text
    }
}

/// One line without control characters.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use crate::{Field, Sheet};

    #[test]
    fn columns_are_aligned() {
        let mut sheet = Sheet::new(["graph", "vertices", "ratio", "note"]);
        sheet.row(["東京".into(), 12i64.into(), 1.25.into(), "é\nx\x1b[2J".into()]);
        sheet.row(["road".into(), 123_456i64.into(), 22.5.into(), Field::Nothing]);
        sheet.row([Field::Nothing, Field::Nothing, f64::NAN.into(), "".into()]);
        let expected = "\
graph  vertices  ratio  note
東京         12   1.25  é x [2J
road     123456  22.50  -
-             -      -
";
        assert_eq!(sheet.to_text(), expected);
    }

    #[test]
    fn empty_sheets() {
        assert_eq!(Sheet::new(["a", "b"]).to_text(), "a  b\n");
        assert_eq!(Sheet::default().to_text(), "\n");
    }
}
