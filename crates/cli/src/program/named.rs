//! Arguments of standard programs by name: `--source alice`.

use clap::Args;
use gw_programs::ArgumentError;

use crate::error::CliError;

/// The arguments that standard programs have. `gw programs NAME` tells which program takes which.
#[derive(Args)]
#[command(next_help_heading = "Arguments of standard programs by name (`gw programs NAME` tells which there are)")]
pub struct Named {
    /// The vertex to start from, by the id in the graph's file [default: the vertex with the most out-edges]
    #[arg(long, value_name = "VERTEX", allow_hyphen_values = true)]
    source: Option<String>,
    /// The vertex to reach: the argument TARGET, whose name is taken by the machine
    #[arg(long, value_name = "VERTEX", allow_hyphen_values = true)]
    to: Option<String>,
    /// The vertex where a flow ends
    #[arg(long, value_name = "VERTEX", allow_hyphen_values = true)]
    sink: Option<String>,
    /// The vertex whose distances guide a search [default: one behind the source, seen from the target]
    #[arg(long, value_name = "VERTEX", allow_hyphen_values = true)]
    landmark: Option<String>,
    /// The width of a bucket of distances [default: worked out from weights and degrees]
    #[arg(long, value_name = "WIDTH")]
    delta: Option<String>,
    /// The greatest number of rounds
    #[arg(long, value_name = "COUNT")]
    rounds: Option<String>,
    /// The change below which rounds end
    #[arg(long, value_name = "NUMBER")]
    tolerance: Option<String>,
    /// The probability of a step along an edge, in PageRank
    #[arg(long, value_name = "NUMBER")]
    damping: Option<String>,
    /// How small communities shall be: above 1 more and smaller ones, below 1 fewer and larger ones
    #[arg(long, value_name = "NUMBER")]
    resolution: Option<String>,
    /// Communities to begin with, a number per vertex: a list, or a file `@FILE`
    #[arg(long, value_name = "LIST|@FILE")]
    start: Option<String>,
    /// Whether edges count by their weights: `use`, `ignore`, or `auto`, which uses weights that the graph's file has
    #[arg(long, value_name = "auto|use|ignore")]
    weights: Option<String>,
    /// The number of pivots
    #[arg(long, value_name = "COUNT")]
    pivots: Option<String>,
    /// The number of sources
    #[arg(long, value_name = "COUNT")]
    sources: Option<String>,
    /// The greatest number of searches
    #[arg(long, value_name = "COUNT")]
    searches: Option<String>,
    /// The greatest number of hops
    #[arg(long, value_name = "COUNT")]
    hops: Option<String>,
    /// The first time at which an edge may be taken: a number, or a date such as 2026-11-19
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    since: Option<String>,
    /// The last time at which an edge may be taken
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    until: Option<String>,
    /// How long an edge takes
    #[arg(long, value_name = "COUNT")]
    duration: Option<String>,
    /// The weight of an edge of a walk
    #[arg(long, value_name = "NUMBER")]
    alpha: Option<String>,
    /// The vertices of a random walk
    #[arg(long, value_name = "COUNT")]
    length: Option<String>,
    /// The number of paths
    #[arg(long, value_name = "COUNT")]
    count: Option<String>,
    /// The entries of a list
    #[arg(long, value_name = "COUNT")]
    entries: Option<String>,
    /// The k of a k-truss [default: all k]
    #[arg(long, value_name = "COUNT")]
    k: Option<String>,
    /// The vertices that are left to one thread at the end
    #[arg(long, value_name = "COUNT")]
    tail: Option<String>,
    /// How unlikely a walk of node2vec steps back
    #[arg(long, value_name = "NUMBER")]
    p: Option<String>,
    /// How unlikely a walk of node2vec steps away
    #[arg(long, value_name = "NUMBER")]
    q: Option<String>,
    /// The start of a program's random numbers: the argument SEED, whose name is taken by the machine
    #[arg(long, value_name = "NUMBER")]
    program_seed: Option<String>,
}

impl Named {
    /// The names of the program's arguments with their values.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let all = [
            ("source", &self.source),
            ("target", &self.to),
            ("sink", &self.sink),
            ("landmark", &self.landmark),
            ("delta", &self.delta),
            ("rounds", &self.rounds),
            ("tolerance", &self.tolerance),
            ("damping", &self.damping),
            ("resolution", &self.resolution),
            ("start", &self.start),
            ("weights", &self.weights),
            ("pivots", &self.pivots),
            ("sources", &self.sources),
            ("searches", &self.searches),
            ("hops", &self.hops),
            ("since", &self.since),
            ("until", &self.until),
            ("duration", &self.duration),
            ("alpha", &self.alpha),
            ("length", &self.length),
            ("count", &self.count),
            ("entries", &self.entries),
            ("k", &self.k),
            ("tail", &self.tail),
            ("p", &self.p),
            ("q", &self.q),
            ("seed", &self.program_seed),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name.to_string(), value.clone()?))).collect()
    }

    /// The option of an argument.
    pub fn option(name: &str) -> String {
        match name {
            "target" => "--to".to_string(),
            "seed" => "--program-seed".to_string(),
            name => format!("--{name}"),
        }
    }
}

/// An error about an argument, with the names of options.
pub fn in_options(error: graphwright::Error) -> CliError {
    match error {
        graphwright::Error::Argument(ArgumentError::Unknown { name, program, known }) => {
            let options: Vec<String> = known.iter().skip(1).map(|name| Named::option(name)).collect();
            let options = if options.is_empty() { "none by name".to_string() } else { options.join(", ") };
            let hint = if name == "weights" { "; --weight-type says how weights are kept" } else { "" };
            CliError::Usage(format!("{}: {program} has no such argument; it has {options}{hint}", Named::option(&name)))
        }
        graphwright::Error::Argument(ArgumentError::Missing { name, meaning, usage }) if name != "GRAPH" => {
            let option = Named::option(&name.to_lowercase());
            CliError::Usage(format!("missing argument {name}, or {option}: {meaning}\nusage: gw run {usage}"))
        }
        error => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use clap::{Command, FromArgMatches};

    use super::*;

    #[test]
    fn every_argument_of_a_standard_program_has_an_option() {
        for program in gw_programs::programs() {
            for arg in program.args.iter().filter(|arg| arg.kind != gw_programs::ArgKind::Graph) {
                let command = Named::augment_args(Command::new("gw"));
                let matches = command.try_get_matches_from(["gw", &Named::option(arg.name), "1"]);
                let matches = matches.unwrap_or_else(|error| panic!("{} {}: {error}", program.name, arg.name));
                let named = Named::from_arg_matches(&matches).unwrap();
                assert_eq!(named.pairs(), [(arg.name.to_string(), "1".to_string())]);
            }
        }
    }
}
