//! A table for a Markdown document.

use super::{Kind, Sheet};

impl Sheet {
    /// The sheet as a Markdown table; numbers stand to the right, `-` is what is not known.
    pub fn to_markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rules = (0..self.columns.len()).map(|at| if self.kind(at) == Kind::Text { "---|" } else { "--:|" });
        let mut text = line(&self.columns) + "|" + &rules.collect::<String>() + "\n";
        for row in self.cells("-") {
            text += &line(&row);
        }
        text
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' => escaped.extend(['\\', c]),
            '<' => escaped += "&lt;",
            '&' => escaped += "&amp;",
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use crate::{Field, Sheet};

    #[test]
    fn a_table() {
        let mut sheet = Sheet::new(["name", "n"]);
        sheet.row(["a|b <x> & _c_".into(), 12i64.into()]);
        sheet.row(["two\nlines".into(), Field::Nothing]);
        let expected = "| name | n |\n|---|--:|\n| a\\|b &lt;x> &amp; \\_c\\_ | 12 |\n| two lines | - |\n";
        assert_eq!(sheet.to_markdown(), expected);
    }
}
