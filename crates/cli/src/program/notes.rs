//! The notes of a run on standard error.

use graphwright::Note;

/// Which notes are told, and how.
#[derive(Clone, Default)]
pub struct Notes {
    /// The program, where there are several.
    pub who: Option<String>,
    /// Schedules are explained: nothing about them is left out.
    pub explain: bool,
    /// Another process tells about the choice of schedules.
    pub is_quiet: bool,
}

impl Notes {
    /// Prints a note.
    pub fn tell(&self, note: &Note) {
        match note {
            Note::Schedule(text) => eprint!("{text}"),
            Note::Findings { found, file } => crate::output::warnings(found, file),
            Note::Shortfalls(_) | Note::OwnRefused { .. } if self.is_quiet => {}
            Note::Shortfalls(places) => self.tell_shortfalls(places),
            note => {
                let who = self.who.as_ref().map(|who| format!("{who}: ")).unwrap_or_default();
                eprintln!("gw: {who}{note}");
            }
        }
    }

    /// One place is told; all of them where schedules are explained.
    fn tell_shortfalls(&self, places: &[String]) {
        let (shown, rest) = places.split_at(if self.explain { places.len() } else { places.len().min(1) });
        shown.iter().for_each(|text| eprintln!("gw: {text}"));
        match rest.len() {
            0 => {}
            1 => eprintln!("gw: another line does so as well; --explain-schedule names it"),
            more => eprintln!("gw: {more} more lines do so; --explain-schedule names them"),
        }
    }
}
