//! The page of an explanation, drawn by a browser: what a reader looks at is there.
//!
//! Needs Chromium: `chromium` on the path, or named in `GW_CHROMIUM`.

use std::process::{Command, Stdio};
use std::time::Duration;

use graphwright::machine::{MachineOptions, Machines};
use graphwright::{Machine, Program};
use gw_explain::{Explanation, Options, Subject, explain, page, text, typical};
use gw_graph::progress::Silent;
use gw_meter::Target;

fn explanation() -> Explanation {
    let program = Program::find("bfs").unwrap();
    let subject = Subject::new(&program, &[], &["kron:9".to_string(), "0".to_string()]).unwrap();
    let wanted = subject.wanted(None).unwrap();
    let machine: Machine = Machines::standard().open("cpu", &MachineOptions { threads: 1 }).unwrap();
    let options = Options { runs: 2, suggestions: 2, search: Duration::from_secs(3), ..Options::default() };
    explain(&subject, &wanted, &machine, &typical(Target::Cpu), &options, &Silent).unwrap()
}

#[test]
fn the_terminal_tells_every_step_and_the_suggestions() {
    let explanation = explanation();
    let text = text::text(&explanation);
    for words in ["measured", "modelled", "at least", "limited by", "s0:s1", "the program's own"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    // Changes were looked at; those that are listed are expected to help, and were measured.
    assert!(explanation.considered.is_some_and(|changes| changes > 2), "{text}");
    assert!(explanation.suggestions.len() <= 2, "{text}");
    for suggestion in &explanation.suggestions {
        assert!(suggestion.modelled_seconds < explanation.modelled_seconds, "{text}");
        assert!(suggestion.measured_seconds.is_some_and(|m| m > 0.0), "{text}");
    }
    let told = if explanation.suggestions.is_empty() { "no change of schedule" } else { "expects to help most" };
    assert!(text.contains(told), "{text}");
    // Every step has a time by the clock and one by the model, and does not beat the least possible one.
    for step in &explanation.steps {
        assert!(step.measured_seconds.is_some_and(|m| m > 0.0));
        assert!(step.model.prediction.seconds > 0.0);
    }
}

#[test]
fn a_browser_draws_the_page() {
    let mut explanation = explanation();
    explanation.notes.push("</p><script>document.title='owned'</script>".to_string());
    let html = page::page(&explanation);
    assert!(!html.contains("<script"), "the page needs no script, and notes are escaped");
    let Some(browser) = chromium() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("why.html");
    std::fs::write(&file, html).unwrap();
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("file://{}", file.display()))
        .output()
        .unwrap();
    let document = String::from_utf8(output.stdout).unwrap();
    assert!(document.contains("<title>Why bfs takes"), "{document}");
    for heading in ["Where the time goes", "Step by step", "Inside step", "What would help", "How to read this"] {
        assert!(document.contains(heading), "{heading}");
    }
    assert!(document.matches("<title>measured").count() >= explanation.steps.len().min(text::SHOWN));
}

/// The browser, if there is one.
#[track_caller]
fn chromium() -> Option<String> {
    let named = std::env::var("GW_CHROMIUM").ok();
    let known = named.into_iter().chain(["chromium", "chromium-browser", "google-chrome"].map(str::to_string));
    let found = known.into_iter().find(|name| {
        let asked = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    });
    if found.is_none() {
        gw_testing::left_out("Chromium", "neither GW_CHROMIUM nor the path names one that starts");
    }
    found
}
