//! One command, killed at every call by which it changes a file, and begun again each time.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use gw_testing::tracer::{Call, Kill, points, trace};
use tempfile::TempDir;

/// What a command left behind and said.
pub struct End<'a> {
    /// The folder in which it ran.
    pub folder: &'a Path,
    /// Its standard output.
    pub said: &'a str,
}

/// What the end of a run that was begun again must have in common with that of a run that was not killed.
type State = Box<dyn Fn(&End<'_>) -> String>;
/// Looks at a folder right after the kill; the second argument is the same for a run that was not killed.
type Killed = Box<dyn Fn(&End<'_>, &End<'_>)>;
/// Looks at what the killed run and the next one said.
type Said = Box<dyn Fn(&str, &str)>;

/// A command with the folder that it begins with.
pub struct Drill {
    name: String,
    place: TempDir,
    args: Vec<String>,
    state: State,
    killed: Killed,
    said: Said,
    /// The next run may be refused with these words where the killed one had come to its end.
    done: Option<&'static str>,
    /// Kills in a run that is not nightly.
    kills: usize,
}

/// What a matrix was.
#[derive(Default)]
pub struct Report {
    pub calls: usize,
    pub kills: usize,
    pub torn: usize,
}

impl Drill {
    /// A drill in an empty folder. All files must be the same as after a run that was not killed.
    pub fn new(name: &str, args: &[&str]) -> Drill {
        let place = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(place.path().join("work")).expect("a folder");
        Drill {
            name: name.to_string(),
            place,
            args: args.iter().map(|arg| arg.to_string()).collect(),
            state: Box::new(|end| contents(end.folder)),
            killed: Box::new(|_, _| {}),
            said: Box::new(|_, _| {}),
            done: None,
            kills: 6,
        }
    }

    /// A file that is there before.
    pub fn file(self, name: &str, bytes: impl AsRef<[u8]>) -> Drill {
        std::fs::write(self.work().join(name), bytes).expect("a file");
        self
    }

    /// A command that has run before.
    pub fn after(self, args: &[&str]) -> Drill {
        let output = self.gw(args.iter().copied()).output().expect("gw starts");
        assert!(output.status.success(), "{}: gw {args:?}: {}", self.name, String::from_utf8_lossy(&output.stderr));
        self
    }

    pub fn state(self, state: impl Fn(&End<'_>) -> String + 'static) -> Drill {
        Drill { state: Box::new(state), ..self }
    }

    pub fn killed(self, killed: impl Fn(&End<'_>, &End<'_>) + 'static) -> Drill {
        Drill { killed: Box::new(killed), ..self }
    }

    pub fn said(self, said: impl Fn(&str, &str) + 'static) -> Drill {
        Drill { said: Box::new(said), ..self }
    }

    pub fn done(self, done: &'static str) -> Drill {
        Drill { done: Some(done), ..self }
    }

    pub fn kills(self, kills: usize) -> Drill {
        Drill { kills, ..self }
    }

    fn work(&self) -> PathBuf {
        self.place.path().join("work")
    }

    /// A command in the folder, with a cache there.
    fn gw<'a>(&self, args: impl Iterator<Item = &'a str>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gw-tools"));
        command.args(args).current_dir(self.work()).env("GW_CACHE", "cache");
        command
    }

    fn command(&self) -> Command {
        self.gw(self.args.iter().map(String::as_str))
    }

    fn read(&self, name: &str) -> String {
        String::from_utf8_lossy(&std::fs::read(self.place.path().join(name)).unwrap_or_default()).into_owned()
    }

    /// Runs the command under the tracer; what it says goes to files outside of the folder.
    fn traced(&self, kill: Kill) -> Option<(Vec<Call>, Option<i32>, String)> {
        let mut command = self.command();
        let file = |name: &str| File::create(self.place.path().join(name)).expect("a file");
        command.stdin(std::process::Stdio::null()).stdout(file("said")).stderr(file("errors"));
        let traced = trace(&mut command, &self.work(), kill)?;
        Some((traced.calls, traced.code, self.read("said")))
    }

    /// Kills and begins again. `None` where the system does not let processes be traced.
    pub fn run(&self) -> Report {
        let (before, reference) = (self.place.path().join("before"), self.place.path().join("reference"));
        copy(&self.work(), &before);
        let Some((calls, code, said)) = self.traced(Kill::Never) else {
            gw_testing::left_out("ptrace", "the system does not let processes be traced");
            return Report::default();
        };
        assert_eq!(code, Some(0), "{}: {}", self.name, self.read("errors"));
        let expected = (self.state)(&End { folder: &self.work(), said: &said });
        copy(&self.work(), &reference);
        let whole = End { folder: &reference, said: &said };
        let mut report = Report { calls: calls.len(), ..Report::default() };
        for kill in points(&calls, gw_testing::usually(self.kills, usize::MAX)) {
            copy(&before, &self.work());
            let (so_far, code, said) = self.traced(kill).expect("traced before");
            // Some commands make more calls at one time than at another.
            let Some(call) = so_far.last().filter(|_| code.is_none()) else {
                assert_eq!(code, Some(0), "{}, {kill:?}: {}", self.name, self.read("errors"));
                continue;
            };
            let about = format!("{}, killed {kill:?}: {} of {}", self.name, call.name, call.path.display());
            report.kills += 1;
            report.torn += usize::from(matches!(kill, Kill::Within(_)));
            let left = contents(&self.work());
            (self.killed)(&End { folder: &self.work(), said: &said }, &whole);
            let again = self.command().output().expect("gw starts");
            let (told, errors) = (String::from_utf8_lossy(&again.stdout), String::from_utf8_lossy(&again.stderr));
            let is_done = self.done.is_some_and(|done| errors.contains(done));
            assert!(again.status.success() || is_done, "{about}\nleft:\n{left}said: {errors}");
            (self.said)(&said, &told);
            let found = (self.state)(&End { folder: &self.work(), said: if is_done { &said } else { &told } });
            assert!(found == expected, "{about}\nleft:\n{left}said: {errors}\nfound:\n{found}\nexpected:\n{expected}");
        }
        println!(
            "{:<28} {:>5} calls {:>5} kills, {:>4} within a write",
            self.name, report.calls, report.kills, report.torn
        );
        report
    }
}

/// All files of a folder with their bytes.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn collect(folder: &Path, below: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(below).expect("a folder").map(|entry| entry.expect("readable")) {
            if entry.file_type().expect("readable").is_dir() {
                collect(folder, &entry.path(), found);
                continue;
            }
            let name = entry.path().strip_prefix(folder).expect("below").display().to_string();
            found.insert(name, std::fs::read(entry.path()).expect("readable"));
        }
    }
    let mut found = BTreeMap::new();
    collect(folder, folder, &mut found);
    found
}

/// The names of all files, a line each.
pub fn names(folder: &Path) -> String {
    files(folder).into_keys().map(|name| name + "\n").collect()
}

/// Names, lengths and checksums of all files.
pub fn contents(folder: &Path) -> String {
    use std::hash::Hasher;
    let line = |(name, bytes): (String, Vec<u8>)| {
        let mut hash = std::hash::DefaultHasher::new();
        hash.write(&bytes);
        format!("{name} {} {:016x}\n", bytes.len(), hash.finish())
    };
    files(folder).into_iter().map(line).collect()
}

/// Every file is as it was before the run or as it is after it, but for hidden ones and those with these ends.
pub fn old_or_new(before: &'static [(&'static str, &'static str)]) -> impl Fn(&End<'_>, &End<'_>) {
    move |killed, whole| {
        let new = files(whole.folder);
        for (name, bytes) in files(killed.folder) {
            let is_old = before.iter().any(|(old, content)| *old == name && content.as_bytes() == bytes);
            let is_hidden = name.starts_with('.') || name.contains("/.");
            assert!(is_hidden || is_old || new.get(&name) == Some(&bytes), "{name} is neither old nor new");
        }
    }
}

/// Makes one folder as another.
fn copy(from: &Path, to: &Path) {
    let _ = std::fs::remove_dir_all(to);
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").map(|entry| entry.expect("readable")) {
        let to = to.join(entry.file_name());
        match entry.file_type().expect("readable").is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(std::fs::copy(entry.path(), to).expect("a copy")),
        }
    }
}
