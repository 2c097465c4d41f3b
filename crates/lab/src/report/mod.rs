//! The report of a lab: tables of measured steps and the models learned from them as one HTML page that needs no
//! network, or as tables for a terminal.
//!
//! | file | concept |
//! |---|---|
//! | `page/` | the page: its frame, its styles, and the script that draws it, a file per view |
//! | `source` | the measurements and models of a lab |
//! | `data` | what the script is given, as compact JSON |
//! | `sample` | which variants and steps fit into a page |
//! | `predict` | the times that a model's choices would take |
//! | `worth` | the variants worth a look |
//! | `tables` | the same for a terminal |

mod data;
mod predict;
mod sample;
mod source;
mod tables;
mod worth;

use gw_schedule::Tree;

use crate::StepTable;
pub use source::ReportQuery;
pub use tables::report_tables;
pub use worth::{WorthALook, worth_a_look};

/// What a report is made of.
#[derive(Debug, Clone, Default)]
pub struct ReportData {
    /// The title of the page.
    pub title: String,
    /// When it was made, in UTC.
    pub created: String,
    /// Measurements, a table for each algorithm and platform.
    pub tables: Vec<StepTable>,
    /// Models; each is shown with every table of its algorithm.
    pub models: Vec<ReportModel>,
    /// What a reader must know about what is not shown.
    pub notes: Vec<String>,
}

/// A model of a report.
#[derive(Debug, Clone)]
pub struct ReportModel {
    /// Its name.
    pub name: String,
    /// The algorithm it chooses for.
    pub algorithm: String,
    /// The platform it was trained on.
    pub platform: String,
    /// The tree; its answers are places of `candidates`.
    pub tree: Tree,
    /// Names of implementations, the safe one first.
    pub candidates: Vec<String>,
    /// Features and their shares of the importance.
    pub importance: Vec<(String, f64)>,
    /// Names of the graphs that it has not seen in training, when that is known.
    pub unseen: Option<Vec<String>>,
}

const FRAME: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");

/// The parts of the script, each after those it needs.
const SCRIPT: &[&str] = &[
    include_str!("page/tools.js"),
    include_str!("page/state.js"),
    include_str!("page/figures.js"),
    include_str!("page/filters.js"),
    include_str!("page/comparison.js"),
    include_str!("page/bars.js"),
    include_str!("page/heatmap.js"),
    include_str!("page/regret.js"),
    include_str!("page/models.js"),
    include_str!("page/worth.js"),
    include_str!("page/main.js"),
];

/// The report as one HTML page, complete in itself.
///
/// ```
/// let data = gw_lab::ReportData { title: "Searches & ranks".into(), ..Default::default() };
/// let page = gw_lab::render_report(&data).unwrap();
/// assert!(page.contains("<h1>Searches &amp; ranks</h1>"));
/// ```
pub fn render_report(data: &ReportData) -> crate::Result<String> {
    let title = escaped(&data.title);
    let json = inert(&serde_json::to_string(&data::Page::of(data)).map_err(crate::LabError::ReportData)?);
    let script = SCRIPT.join("\n");
    Ok(assembled(FRAME, |mark| match mark {
        "title" => &title,
        "style" => STYLE,
        "data" => &json,
        "script" => &script,
        _ => "",
    }))
}

/// The frame with its `{{marks}}` replaced, in one pass: what is put in may look like a mark.
fn assembled<'t>(frame: &'t str, part: impl Fn(&str) -> &'t str) -> String {
    let mut text = String::new();
    let mut rest = frame;
    while let Some((before, (mark, after))) =
        rest.split_once("{{").and_then(|(before, behind)| Some((before, behind.split_once("}}")?)))
    {
        text += before;
        text += part(mark);
        rest = after;
    }
    text + rest
}

/// A text within HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// JSON that cannot end the element it stands in: these characters occur in strings alone, where they can be escaped.
fn inert(json: &str) -> String {
    json.replace('&', "\\u0026")
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_is_filled_once() {
        let page = assembled("<{{a}}|{{b}}|{{a}}>", |mark| if mark == "a" { "{{b}}" } else { "x" });
        assert_eq!(page, "<{{b}}|x|{{b}}>");
    }

    #[test]
    fn all_marks_are_known_and_nothing_comes_from_elsewhere() {
        let marks: Vec<&str> = FRAME.split("{{").skip(1).filter_map(|rest| Some(rest.split_once("}}")?.0)).collect();
        assert_eq!(marks, ["title", "style", "title", "data", "script"]);
        for part in SCRIPT {
            assert!(!part.contains("</script") && !part.contains("innerHTML") && !part.contains("fetch("));
        }
        let page = render_report(&ReportData::default()).unwrap();
        assert!(!page.contains(" src=") && !page.contains("@import") && !page.contains("url("));
    }

    #[test]
    fn names_cannot_leave_their_place() {
        assert_eq!(inert("\"</script>\u{2028}&\""), "\"\\u003c/script\\u003e\\u2028\\u0026\"");
        let title = "</title><script>alert(1)</script>".to_string();
        let page = render_report(&ReportData { title, ..ReportData::default() }).unwrap();
        assert!(!page.contains("<script>alert"));
    }
}
