//! A table for a LaTeX document, with the rules of the package `booktabs`.

use super::{Kind, Sheet};

impl Sheet {
    /// The sheet as a `tabular`; the document needs `\usepackage{booktabs}`. Numbers stand to the right, `--` is what
    /// is not known, and characters that mean something to LaTeX are escaped.
    pub fn to_latex(&self) -> String {
        let columns: String =
            (0..self.columns.len()).map(|at| if self.kind(at) == Kind::Text { 'l' } else { 'r' }).collect();
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
            format!("  {} \\\\\n", cells.join(" & "))
        };
        let mut text = format!("\\begin{{tabular}}{{{columns}}}\n  \\toprule\n");
        text += &line(&self.columns);
        text += "  \\midrule\n";
        for row in self.cells("--") {
            text += &line(&row);
        }
        text + "  \\bottomrule\n\\end{tabular}\n"
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', c]),
            '\\' => escaped += "\\textbackslash{}",
            '~' => escaped += "\\textasciitilde{}",
            '^' => escaped += "\\textasciicircum{}",
            '<' => escaped += "\\textless{}",
            '>' => escaped += "\\textgreater{}",
            '|' => escaped += "\\textbar{}",
            '"' => escaped += "\\textquotedbl{}",
            '\u{d7}' => escaped += "$\\times$",
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
    fn a_comparison() {
        let mut sheet = Sheet::new(["implementation", "Total", "1-2×", ">5×", "variants"]);
        sheet.row(["vertex_push {a&b} 50% #1 $x$ ~^\\".into(), 28.47.into(), 50.0.into(), 22.0.into(), 12i64.into()]);
        sheet.row(["<optimal>|\"x\"".into(), 1.0.into(), Field::Nothing, f64::NAN.into(), 3i64.into()]);
        let expected = r#"\begin{tabular}{lrrrr}
  \toprule
  implementation & Total & 1-2$\times$ & \textgreater{}5$\times$ & variants \\
  \midrule
  vertex\_push \{a\&b\} 50\% \#1 \$x\$ \textasciitilde{}\textasciicircum{}\textbackslash{} & 28.47 & 50 & 22 & 12 \\
  \textless{}optimal\textgreater{}\textbar{}\textquotedbl{}x\textquotedbl{} & 1.00 & -- & -- & 3 \\
  \bottomrule
\end{tabular}
"#;
        assert_eq!(sheet.to_latex(), expected);
    }
}
