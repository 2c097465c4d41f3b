//! Programs whose results have rows as long as an argument says.
//!
//! The length of a row is part of a type in the language, so it is put into the text before the text is compiled. The
//! text as it stands has rows of a usual length, and serves every run that asks for no more.

use std::borrow::Cow;

use crate::registry::{ArgKind, Program};

/// The most entries that a row can have in the language.
pub(crate) const LONGEST_ROW: u32 = 1 << 20;

impl Program {
    /// The program's text for a run with these arguments: rows are exactly as long as the argument says, and have one
    /// entry where it says 0.
    ///
    /// ```
    /// let walks = gw_programs::find("walks").unwrap();
    /// let text = walks.text_for(&["web.mtx".into(), "100".into(), "1".into()]);
    /// assert!(text.contains("vector[100](int)"));
    /// ```
    pub fn text_for(&self, args: &[String]) -> Cow<'static, str> {
        let row = self.args.iter().zip(args).find_map(|(arg, text)| match arg.kind {
            ArgKind::Row { written, .. } => Some((written, text.parse::<u32>().ok()?.max(1))),
            _ => None,
        });
        match row {
            Some((written, wanted)) if wanted != written => {
                let row = |length: u32| format!("vector[{length}](");
                Cow::Owned(self.source.replace(&row(written), &row(wanted)))
            }
            _ => Cow::Borrowed(self.source),
        }
    }

    /// The program's text for runs with the arguments of [`crate::example_args`], which ask for rows of the same length
    /// on every graph.
    pub fn example_text(&self) -> Cow<'static, str> {
        self.text_for(&self.example_rows())
    }

    /// Arguments of which only lengths of rows are known, those of [`crate::example_args`].
    pub fn example_rows(&self) -> Vec<String> {
        let example = |kind: ArgKind| match kind {
            ArgKind::Row { example, .. } => example.to_string(),
            _ => String::new(),
        };
        self.args.iter().map(|arg| example(arg.kind)).collect()
    }
}

#[cfg(test)]
mod tests {
    use gw_lang::{SourceFile, compile_front};

    use super::*;
    use crate::registry::programs;

    #[test]
    fn every_row_of_every_length_compiles() {
        let mut found = Vec::new();
        for program in programs() {
            let Some(at) = program.args.iter().position(|arg| matches!(arg.kind, ArgKind::Row { .. })) else {
                let rows: Vec<String> = ["1"; 9].map(str::to_string).to_vec();
                assert!(matches!(program.text_for(&rows), Cow::Borrowed(_)), "{}", program.name);
                continue;
            };
            let ArgKind::Row { written, .. } = program.args[at].kind else { unreachable!() };
            found.push(program.name);
            for length in [0, 1, written, written + 1, LONGEST_ROW] {
                let mut args = vec!["1".to_string(); program.args.len()];
                args[at] = length.to_string();
                let text = program.text_for(&args);
                assert_eq!(matches!(text, Cow::Borrowed(_)), length == written, "{} {length}", program.name);
                assert!(text.contains(&format!("vector[{}](", length.max(1))), "{} {length}", program.name);
                assert!(compile_front(&SourceFile::new(program.file, &*text)).is_ok(), "{} {length}", program.name);
            }
        }
        assert_eq!(found, ["msbfs", "node2vec", "similar", "walks"]);
    }
}
