//! The standard library: modules that come with the compiler. Beside those made for it, every standard program is one,
//! so that a program can replace parts of it.

use crate::suggest::nearest;
use std::borrow::Cow;

macro_rules! texts {
    ($folder:literal: $($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../programs/", $folder, $name, ".gt")))),*]
    };
}

/// Modules made for the library.
const MODULES: &[(&str, &str)] = texts!["std/":
    "arrivals", "basics", "brandes", "changes", "clustering", "communities", "forest", "homing_walk", "reach", "refinement", "repair", "search", "searches",
    "triangle_changes", "walk", "weighted_walk",
];

/// The standard programs.
const PROGRAMS: &[(&str, &str)] = texts!["":
    "astar", "bc", "bc-all", "bc-edges", "bc-weighted", "bfs", "bfs-levels", "biconnected", "bipartite", "bridges",
    "cc", "cc-fast", "cdlp", "cf", "closeness", "coloring", "earliest-arrival", "eccentricity", "eigenvector", "eigenvector-weighted",
    "fastrp", "harmonic", "hits", "hits-weighted", "k-shortest-paths", "katz", "katz-weighted", "kcore",
    "kcore-unordered", "khop", "ktruss", "lcc", "leiden", "louvain", "matching", "matching-weighted", "maxflow",
    "mis", "msbfs", "msf", "node2vec", "pagerank", "pagerank-delta", "pagerank-div", "pagerank-gs",
    "pagerank-weighted", "ppr", "ppr-weighted", "ppsp", "scc", "setcover", "similar", "similarity",
    "similarity-edges", "spmv", "sssp", "sssp-delta", "tc", "temporal-reach", "topo", "triangles", "walks",
];

/// The modules of the standard library: names, as in `use std.NAME;`, and texts.
///
/// ```
/// assert!(gw_lang::std_modules().any(|(name, _)| name == "bfs_levels"));
/// ```
pub fn std_modules() -> impl Iterator<Item = (Cow<'static, str>, &'static str)> {
    // The names of programs have hyphens, those of modules are names of the language.
    MODULES.iter().chain(PROGRAMS).map(|(name, text)| match name.contains('-') {
        true => (Cow::Owned(name.replace('-', "_")), *text),
        false => (Cow::Borrowed(*name), *text),
    })
}

/// The text of a module.
pub(super) fn find(name: &str) -> Option<&'static str> {
    std_modules().find(|(known, _)| known == name).map(|(_, text)| text)
}

/// Advice for a name that is no module.
pub(super) fn advice(name: &str) -> String {
    let names: Vec<Cow<'_, str>> = std_modules().map(|(name, _)| name).collect();
    match nearest(&name.replace('-', "_"), names.iter().map(|name| &**name)) {
        Some(near) => format!("did you mean `std.{near}`?"),
        None => {
            let made: Vec<&str> = MODULES.iter().map(|(name, _)| *name).collect();
            format!("the modules are {}, and the standard programs", made.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_program_and_every_module_is_in_the_library() {
        let programs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs");
        for (folder, list) in [(format!("{programs}/std"), MODULES), (programs.to_string(), PROGRAMS)] {
            let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            let on_disk: BTreeSet<String> = files
                .filter(|path| path.extension().is_some_and(|extension| extension == "gt"))
                .map(|path| path.file_stem().unwrap().to_str().unwrap().to_string())
                .collect();
            assert_eq!(on_disk, list.iter().map(|(name, _)| name.to_string()).collect::<BTreeSet<_>>());
            assert!(list.is_sorted_by_key(|(name, _)| name), "in alphabetical order");
        }
    }
}
