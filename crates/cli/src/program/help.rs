//! `gw run PROGRAM --help`: what a program takes and what it leaves, told where people ask for it.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

use clap::Command;
use graphwright::language::OwnArgumentKind;
use graphwright::{Program, StandardProgram};
use gw_ir::types::Type;
use gw_programs::{Arg, ArgKind};

use super::named::Named;
use super::source;
use crate::error::CliError;

/// The help of the program that a command line names; `None` where the line asks for the help of a command. `command`
/// is `gw` with all that it takes, `words` are the words of the line, the first being `gw`.
pub fn asked(command: &Command, words: impl Iterator<Item = OsString>) -> Option<Result<String, CliError>> {
    let words = words.filter(|word| word != "-h" && word != "--help");
    let matches = command.clone().ignore_errors(true).try_get_matches_from(words).ok()?;
    let (verb, given) = matches.subcommand()?;
    let taken = command.find_subcommand(verb)?;
    let has = |id: &str| taken.get_arguments().any(|argument| argument.get_id() == id);
    if !has("program") || !has("args") {
        return None;
    }
    let name = given.try_get_one::<String>("program").ok()??;
    let place = Place { verb, changes: has("updates"), by_name: has("source") };
    // `gw run` takes several programs.
    let is_one = !name.contains(',') || Path::new(name).exists();
    let names: Vec<&str> = if is_one { vec![name] } else { name.split(',').collect() };
    let helps = names.into_iter().map(|name| {
        source::find(name).map(|program| match program.as_standard() {
            Some(standard) => of_standard(&place, standard),
            None => of_own(&place, &program, name),
        })
    });
    Some(helps.collect::<Result<Vec<_>, _>>().map(|helps| helps.join("\n")))
}

/// The command that a program is given to.
struct Place<'a> {
    verb: &'a str,
    /// Changes of the graph are given behind the graph.
    changes: bool,
    /// Arguments of standard programs may be given by their names.
    by_name: bool,
}

impl Place<'_> {
    /// A whole line: the words behind the graph come after what the command wants there.
    fn line(&self, program: &str, words: &[String], changes: &str) -> String {
        let mut line = format!("gw {} {program}", self.verb);
        for (at, word) in words.iter().enumerate() {
            line += &format!(" {word}");
            if self.changes && at == 0 {
                line += &format!(" {changes}");
            }
        }
        line
    }

    fn rest(&self, program: &str) -> String {
        format!("`gw {} --help` lists the options of the command{program}.\n", self.verb)
    }
}

fn of_standard(place: &Place<'_>, program: &StandardProgram) -> String {
    let usage: Vec<String> = program.usage().split(' ').skip(1).map(str::to_string).collect();
    let mut text = format!("{}: {}\n\n", program.name, program.summary);
    let _ = writeln!(text, "Usage: {} [OPTIONS]\n", place.line(program.name, &usage, "UPDATES"));
    let by_name = if place.by_name { ", by position or by name" } else { "" };
    let _ = writeln!(text, "Arguments{by_name}:");
    let rows = program.args.iter().map(|arg| {
        let mut name = arg.name.to_uppercase();
        if place.by_name && arg.kind != ArgKind::Graph {
            name += &format!(", {} <{}>", Named::option(arg.name), arg.name.to_uppercase());
        }
        let left_out = match arg.default {
            Some(default) => format!(" [default: {default}]"),
            None if arg.kind.is_start() => " [default: the vertex with the most out-edges]".to_string(),
            None if arg.kind.is_chosen() => " [default: worked out for the graph]".to_string(),
            None => String::new(),
        };
        (name, format!("{}{left_out}", arg.meaning))
    });
    table(&mut text, rows.collect());
    text += "\nResults:\n";
    table(
        &mut text,
        program.results.iter().map(|r| (r.name.to_string(), format!("{}: {}", r.ty, r.meaning))).collect(),
    );
    let weights = if program.needs_weights { ":weights=1..100" } else { "" };
    let is_required = |arg: &&Arg| arg.default.is_none() && (arg.kind.is_start() || !arg.kind.is_chosen());
    let required = program.args.iter().filter(is_required);
    let example = required.map(|arg| match arg.kind {
        ArgKind::Graph if place.changes => "web.gwg".to_string(),
        ArgKind::Graph => format!("kron:12{weights}"),
        ArgKind::Source | ArgKind::Sources => "0".to_string(),
        ArgKind::Target | ArgKind::Landmark => "17".to_string(),
        ArgKind::Delta => "16".to_string(),
        ArgKind::Count(example) | ArgKind::Starts(example) | ArgKind::Row { example, .. } => example.to_string(),
        ArgKind::Tolerance(number) | ArgKind::Share(number) | ArgKind::Positive(number) => number.to_string(),
        ArgKind::Time(_, example) => example.to_string(),
        ArgKind::Weights => "auto".to_string(),
        ArgKind::Numbers => "none".to_string(),
    });
    let line = place.line(program.name, &example.collect::<Vec<_>>(), "new-links.el");
    let _ = writeln!(text, "\nExample:\n  {line}\n");
    text + &place.rest(&format!(", `gw programs {}` tells the method and its reference", program.name))
}

fn of_own(place: &Place<'_>, program: &Program, name: &str) -> String {
    let mut text = format!("{name}\n\n");
    let header = program.file().text.lines().take_while(|line| line.starts_with('%'));
    let header: Vec<&str> = header.map(|line| line.trim_start_matches('%').trim_end()).collect();
    if !header.is_empty() {
        let _ = writeln!(text, "{}\n", header.join("\n"));
    }
    let arguments = program.own_arguments();
    let word = |argument: &graphwright::language::OwnArgument| {
        argument.name.as_ref().map_or_else(|| format!("ARGV{}", argument.index), |name| name.to_uppercase())
    };
    let usage: Vec<String> = arguments.iter().map(word).collect();
    let _ = writeln!(text, "Usage: {} [OPTIONS]\n", place.line(name, &usage, "UPDATES"));
    if arguments.is_empty() {
        text += "Arguments: none that stands in the program as argv[1], argv[2], ...\n";
    } else {
        text += "Arguments:\n";
        let row = |argument: &graphwright::language::OwnArgument| {
            (word(argument), format!("argv[{}]: {}", argument.index, argument.kind.in_words()))
        };
        table(&mut text, arguments.iter().map(row).collect());
    }
    let is_result = |ty: &Type| ty.scalar().is_some() || matches!(ty, Type::Vector { .. });
    let globals = program.module().globals.iter().filter(|global| is_result(&global.ty));
    let globals = globals.filter(|global| !global.name.starts_with(gw_lang::DERIVED));
    let globals: Vec<(String, String)> = globals.map(|g| (g.name.to_string(), g.ty.to_string())).collect();
    if !globals.is_empty() {
        text +=
            "\nGlobals, which `gw run --out NAME=FILE` writes and of which `gw run --top NAME:10` shows the best:\n";
        table(&mut text, globals);
    }
    let example = arguments.iter().map(|argument| match argument.kind {
        OwnArgumentKind::Graph if place.changes => "web.gwg",
        OwnArgumentKind::Graph => "kron:12",
        OwnArgumentKind::Values => "@values.txt",
        OwnArgumentKind::Integer | OwnArgumentKind::Schedule => "7",
        OwnArgumentKind::Real => "0.5",
        OwnArgumentKind::Text => "WORD",
    });
    let line = place.line(name, &example.map(str::to_string).collect::<Vec<_>>(), "new-links.el");
    let _ = writeln!(text, "\nExample:\n  {line}\n");
    text + &place.rest("")
}

/// Two columns.
fn table(text: &mut String, rows: Vec<(String, String)>) {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, meaning) in rows {
        let _ = writeln!(text, "  {name:<width$}  {meaning}");
    }
}
