//! `gw lab`: every command that changes a lab.

use gw_lab::{Lab, entities};

use crate::drill::{Drill, End, names};

/// How many rows every list of the labs has, and the files. Times differ from run to run. The labs are opened first:
/// where a command is refused since the killed one was done, SQLite's own journal is recovered by whoever opens the
/// lab.
fn state(end: &End<'_>) -> String {
    let mut state = String::new();
    for name in ["my.lab", "other.lab", "given.lab"] {
        let Ok(lab) = Lab::open(end.folder.join(name)) else { continue };
        assert_eq!(lab.check_integrity().expect("a check"), Vec::<String>::new());
        for entity in entities() {
            let rows = lab.list(entity.name, None).expect("a list").rows.len();
            state += &format!("{name} {}: {rows}\n", entity.name);
        }
    }
    state + &names(end.folder)
}

/// The commands that make a lab with a measurement, in their order.
pub const COMMANDS: [&[&str]; 6] = [
    &["lab", "init", "my.lab"],
    &["lab", "add", "graphs", "my.lab", "kron:5", "path:9"],
    &["lab", "add", "variants", "my.lab", "--algorithm", "bfs", "--roots", "1"],
    &["lab", "add", "schedules", "my.lab", "--algorithm", "bfs", "--target", "cpu", "a=push"],
    &[
        "lab",
        "add",
        "run-config",
        "my.lab",
        "--algorithm",
        "bfs",
        "--target",
        "cpu",
        "--repeats",
        "1",
        "--platform",
        "p1",
    ],
    &["lab", "run", "my.lab"],
];

/// A drill of the command of this number, after those before.
fn after(number: usize, kills: usize) -> Drill {
    let name = COMMANDS[number].iter().filter(|word| **word != "my.lab").take(3).copied().collect::<Vec<_>>().join(" ");
    let drill = Drill::new(&name, COMMANDS[number]).state(state).kills(kills);
    COMMANDS[..number].iter().fold(drill, |drill, command| drill.after(command))
}

/// A drill of another command, after all of these.
fn with_lab(name: &str, args: &[&str]) -> Drill {
    let drill = Drill::new(name, args).state(state).kills(3);
    COMMANDS.iter().fold(drill, |drill, command| drill.after(command))
}

#[test]
fn a_lab_is_made() {
    after(0, 8).done("my.lab").run();
}

#[test]
fn a_lab_takes_in_what_is_to_be_measured() {
    for number in gw_testing::usually(1..2, 1..5) {
        after(number, 4).run();
    }
}

#[test]
fn a_lab_is_measured() {
    after(5, 6).run();
}

#[test]
fn a_lab_is_given_away() {
    with_lab("lab contribute", &["lab", "contribute", "my.lab", "given.lab"]).done("given.lab").kills(6).run();
}

#[test]
fn labs_are_merged_and_made_small() {
    if gw_testing::is_nightly() {
        let merge = with_lab("lab merge", &["lab", "merge", "my.lab", "other.lab"]);
        let merge = merge.after(&["lab", "init", "other.lab"]).after(&["lab", "add", "graphs", "other.lab", "path:7"]);
        merge.run();
        with_lab("lab vacuum", &["lab", "vacuum", "my.lab"]).run();
        let table = "system,graph,seconds\nx,kron:5,0.5\n";
        let args = ["lab", "import", "my.lab", "t.csv", "--algorithm", "bfs", "--platform", "p1"];
        with_lab("lab import", &args).file("t.csv", table).run();
    }
}
