//! The journal of a search: a line per trial, written at once, so that a search that was killed goes on where it was.
//!
//! The first line says what the search is about. A journal of another program, graph, machine, version or other inputs
//! is begun anew; a last line that was cut off is passed over. A line without a trial ends a search and begins the next
//! one. A journal belongs to one search at a time: the file is locked while it is open.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use gw_lab::{TrialOutcome, TrialRow};
use gw_schedule::ProgramSchedule;
use serde::{Deserialize, Serialize};

use crate::bench::Reading;
use crate::error::{Result, TuneError};

/// The version of the format.
const VERSION: u32 = 1;

/// What a search is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// Version of the journal's format.
    version: u32,
    /// Hash of the program.
    program: String,
    /// Signature of the graph.
    graph: String,
    /// Processor and threads, or device.
    machine: String,
    /// The program that measured.
    commit: String,
    /// The arguments of every input.
    inputs: Vec<Vec<String>>,
}

impl Subject {
    /// A search of this build for a program on a graph and a machine with these inputs.
    pub fn new(program: &str, graph: &str, machine: &str, inputs: Vec<Vec<String>>) -> Subject {
        Subject {
            version: VERSION,
            program: program.to_string(),
            graph: graph.to_string(),
            machine: machine.to_string(),
            commit: gw_lab::build_commit(),
            inputs,
        }
    }
}

/// A line of the journal.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    schedule: String,
    input: usize,
    outcome: String,
    seconds: f64,
    bytes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    joules: Option<f64>,
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

/// The readings of earlier searches: schedule, input and reading, a list per search. The machine may have been faster
/// or slower on another day, so that readings of two searches compare only by way of the schedule that both measured.
pub type Known = Vec<Vec<(ProgramSchedule, usize, Reading)>>;

impl Journal {
    /// Opens the journal of a subject and returns what it knows. One about something else, or one that cannot be read,
    /// is begun anew; `fresh` does so in any case. The journal of a search that is still at work is refused.
    pub fn open(path: &Path, subject: &Subject, fresh: bool) -> Result<(Journal, Known)> {
        let wrong = |source| TuneError::Write { path: path.to_path_buf(), source };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(wrong)?;
        }
        // The lock comes before the look: nothing of another search is read half or cut off.
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(wrong)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(TuneError::JournalInUse { path: path.to_path_buf() }),
            Err(TryLockError::Error(error)) => return Err(wrong(error)),
        }
        let known = if fresh { None } else { read(path, subject) };
        match known {
            // A line that was cut off ends here, and so does the search before this one.
            Some(_) => file.write_all(b"\n").map_err(wrong)?,
            None => {
                file.set_len(0).map_err(wrong)?;
                write_line(&mut file, subject).map_err(wrong)?;
            }
        }
        Ok((Journal { file, path: path.to_path_buf() }, known.unwrap_or_default()))
    }

    /// Writes a trial down.
    pub fn add(&mut self, trial: &TrialRow) -> Result<()> {
        let line = Line {
            schedule: trial.schedule.clone(),
            input: trial.input,
            outcome: trial.outcome.word().to_string(),
            seconds: trial.seconds,
            bytes: trial.bytes,
            joules: trial.joules,
        };
        write_line(&mut self.file, &line).map_err(|source| TuneError::Write { path: self.path.clone(), source })
    }
}

fn write_line(file: &mut File, value: &impl Serialize) -> std::io::Result<()> {
    file.write_all((serde_json::to_string(value)? + "\n").as_bytes())
}

/// The readings of a journal; `None` where there is none about this subject.
fn read(path: &Path, subject: &Subject) -> Option<Known> {
    let mut lines = BufReader::new(File::open(path).ok()?).lines();
    let first: Subject = serde_json::from_str(&lines.next()?.ok()?).ok()?;
    if first != *subject {
        return None;
    }
    let mut known = vec![Vec::new()];
    for line in lines.map_while(|line| line.ok()) {
        let Ok(line) = serde_json::from_str::<Line>(&line) else {
            known.push(Vec::new());
            continue;
        };
        if line.outcome == TrialOutcome::Done.word()
            && line.seconds > 0.0
            && let Ok(schedule) = line.schedule.parse()
        {
            let reading = Reading { seconds: line.seconds, bytes: line.bytes, joules: line.joules };
            if let Some(search) = known.last_mut() {
                search.push((schedule, line.input, reading));
            }
        }
    }
    known.retain(|search| !search.is_empty());
    Some(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(schedule: &str, seconds: f64) -> TrialRow {
        let (input, bytes, compile_seconds, joules) = (0, 0, 0.0, Some(2.0 * seconds));
        let outcome = TrialOutcome::Done;
        TrialRow { schedule: schedule.into(), input, outcome, seconds, bytes, joules, compile_seconds }
    }

    #[test]
    fn a_killed_search_goes_on_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b.journal");
        let subject = Subject::new("p", "g", "m", vec![vec!["x".to_string()]]);
        let (mut journal, known) = Journal::open(&path, &subject, false).unwrap();
        assert!(known.is_empty());
        journal.add(&trial("s0:s1@push", 0.5)).unwrap();
        journal.add(&trial("s0:s1@pull", 0.25)).unwrap();
        drop(journal);
        // The process was killed within a line.
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"schedule\":\"s0").unwrap();
        let (mut journal, known) = Journal::open(&path, &subject, false).unwrap();
        assert_eq!((known.len(), known[0].len()), (1, 2));
        assert_eq!((known[0][1].0.to_string().as_str(), known[0][1].2.seconds), ("s0:s1@pull", 0.25));
        assert_eq!(known[0][1].2.joules, Some(0.5));
        journal.add(&trial("s0:s1@dense-push", 0.1)).unwrap();
        drop(journal);
        // Two searches, of which the second has one reading.
        let known = Journal::open(&path, &subject, false).unwrap().1;
        assert_eq!(known.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
        // Other inputs: nothing of it holds.
        let other = Subject::new("p", "g", "m", vec![vec!["y".to_string()]]);
        assert!(Journal::open(&path, &other, false).unwrap().1.is_empty());
        assert!(Journal::open(&path, &subject, false).unwrap().1.is_empty(), "begun anew");
    }

    #[test]
    fn a_broken_journal_and_a_fresh_start_know_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("broken.journal");
        std::fs::write(&path, b"\xff\xfe nonsense").unwrap();
        let subject = Subject::new("p", "g", "m", Vec::new());
        let (mut journal, known) = Journal::open(&path, &subject, false).unwrap();
        assert!(known.is_empty());
        journal.add(&trial("push", 0.5)).unwrap();
        drop(journal);
        assert_eq!(Journal::open(&path, &subject, false).unwrap().1.len(), 1);
        assert!(Journal::open(&path, &subject, true).unwrap().1.is_empty());
    }

    #[test]
    fn two_searches_do_not_share_a_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one.journal");
        let subject = Subject::new("p", "g", "m", Vec::new());
        let (mut journal, _) = Journal::open(&path, &subject, false).unwrap();
        journal.add(&trial("push", 0.5)).unwrap();
        // Neither a second search nor one that forgets the past touches it.
        for fresh in [false, true] {
            let error = Journal::open(&path, &subject, fresh).unwrap_err();
            assert!(matches!(error, TuneError::JournalInUse { .. }), "{error}");
        }
        journal.add(&trial("pull", 0.25)).unwrap();
        drop(journal);
        assert_eq!(Journal::open(&path, &subject, false).unwrap().1[0].len(), 2);
    }
}
