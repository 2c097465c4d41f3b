//! Matches every query of some folders in a target and prints a line per folder, as for the tables in `bench/match.md`.
//!
//! `cargo run --release -p gw-pattern --example survey -- TARGET SOLUTIONS SCORING DEPTH SHARE ROUNDS FOLDER...`
//! SHARE of the nodes of each query are perturbed first.

use std::path::Path;

use gw_pattern::survey::survey;
use gw_pattern::{ExactOptions, LabelledGraph, Labels, Options, PatternError, exact, format, perturb, scoring};

fn main() -> Result<(), PatternError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [target, solutions, scoring_name, depth, share, rounds, folders @ ..] = &arguments[..] else {
        return Err(PatternError::Argument("TARGET SOLUTIONS SCORING DEPTH SHARE ROUNDS FOLDER... are needed".into()));
    };
    let number = |text: &String| text.parse::<f64>().map_err(|_| PatternError::Argument(format!("{text}: a number")));
    let whole = |text| Ok::<_, PatternError>(number(text)? as usize);
    let options = Options { solutions: whole(solutions)?, depth: whole(depth)?, rounds: whole(rounds)?, seed: 1 };
    let (share, scoring) = (number(share)?, scoring(scoring_name)?);
    let mut labels = Labels::default();
    let target = format::read(Path::new(target), &mut labels)?;
    println!(
        "folder | queries | mean cost | best | exact | distinct | ms mean | ms most | exact search ms mean | most"
    );
    for folder in folders {
        let mut queries = read_all(Path::new(folder), &mut labels)?;
        for (at, (_, query)) in queries.iter_mut().enumerate().filter(|_| share > 0.0) {
            *query = perturb(query, &target, share, at as u64)?;
        }
        let all = survey(&queries, &target, &*scoring, None, &options)?;
        let mut exact_seconds: Vec<f64> = Vec::new();
        for (_, query) in queries.iter().filter(|_| share == 0.0) {
            let start = std::time::Instant::now();
            let limits = ExactOptions { limit: 1, most_steps: 1_000_000, ..ExactOptions::default() };
            if !exact(query, &target, &limits)?.matches.is_empty() {
                exact_seconds.push(start.elapsed().as_secs_f64());
            }
        }
        let exact = gw_pattern::statistics::summary(&exact_seconds);
        println!(
            "{} | {} | {:.3} | {:.3} | {} | {:.2} | {:.2} | {:.2} | {} found {:.2} | {:.2}",
            Path::new(folder).file_name().map_or(String::new(), |name| name.display().to_string()),
            all.queries.len(),
            all.mean_cost,
            all.best_cost,
            all.exact,
            all.distinct_ratio,
            all.seconds.mean * 1e3,
            all.seconds.most * 1e3,
            exact.count,
            exact.mean * 1e3,
            exact.most * 1e3,
        );
    }
    Ok(())
}

/// The queries of a folder.
fn read_all(folder: &Path, labels: &mut Labels) -> Result<Vec<(String, LabelledGraph)>, PatternError> {
    let paths = format::labelled_files(folder)?.files;
    paths.iter().map(|path| Ok((path.display().to_string(), format::read(path, labels)?))).collect()
}
