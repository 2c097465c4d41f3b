//! The cells of the study: programs in variants, on graphs of different shape.

use graphwright::Program;

use super::cell::Cell;
use crate::error::Result;

/// Breadth-first search over all vertices, round by round, as in the paper of the model.
const LEVELS: &str = include_str!("levels.gt");
/// The name under which cells have that program.
const LEVELS_NAME: &str = "levels";

/// A program in a variant.
struct Variant {
    name: &'static str,
    program: &'static str,
    /// Its schedule on a processor, and on a GPU; the machine's choice, or the program's own, without one.
    cpu: Option<&'static str>,
    gpu: Option<&'static str>,
    more: &'static [&'static str],
    weighted: bool,
    /// Measured on a GPU only: there the usual schedule runs a whole loop as one kernel, and only a loop that the host
    /// drives shows its rounds.
    rounds_of_gpu: bool,
}

const PLAIN: Variant =
    Variant { name: "", program: "", cpu: None, gpu: None, more: &[], weighted: false, rounds_of_gpu: false };

const VARIANTS: [Variant; 10] = [
    Variant {
        name: "bfs topology-driven",
        program: LEVELS_NAME,
        cpu: Some("s0:s1@push,par=dynamic"),
        gpu: Some("s0:s1@push,lb=vertex-based"),
        ..PLAIN
    },
    Variant {
        name: "bfs queue",
        program: "bfs",
        cpu: Some("s0:s1@push,par=dynamic"),
        gpu: Some("s0:s1@push,lb=cm"),
        ..PLAIN
    },
    Variant { name: "bfs direction-optimising", program: "bfs", ..PLAIN },
    Variant {
        name: "bfs direction-optimising, rounds",
        program: "bfs",
        gpu: Some("s0:s1@hybrid,by=input-work,at=0.05+push,lb=cm+pull,lb=vertex-based,frontier=bitmap"),
        rounds_of_gpu: true,
        ..PLAIN
    },
    Variant { name: "sssp", program: "sssp", weighted: true, ..PLAIN },
    Variant {
        name: "sssp, rounds",
        program: "sssp",
        gpu: Some("s0:s1@push,lb=etwc"),
        weighted: true,
        rounds_of_gpu: true,
        ..PLAIN
    },
    Variant { name: "cc", program: "cc", ..PLAIN },
    Variant { name: "cc, rounds", program: "cc", gpu: Some("s0:s1@push,lb=etwc"), rounds_of_gpu: true, ..PLAIN },
    Variant { name: "pagerank", program: "pagerank", more: &["5", "0"], ..PLAIN },
    Variant { name: "tc", program: "tc", ..PLAIN },
];

/// Which cells there shall be.
#[derive(Debug, Clone, Copy)]
pub struct Cells<'a> {
    /// For a GPU.
    pub gpu: bool,
    /// Logarithm of the number of vertices of generated graphs.
    pub scale: u32,
    /// Further graphs: name and specification.
    pub graphs: &'a [(String, String)],
    /// Graphs to fit constants on instead, of other sizes and seeds than those of tables.
    pub training: bool,
}

/// The cells on road-like, R-MAT and uniform graphs of about `2^scale` vertices and on further graphs.
pub fn study_cells(cells: Cells<'_>) -> Vec<Cell> {
    let Cells { gpu, scale, graphs, training } = cells;
    let mut all: Vec<(String, String, String)> = Vec::new();
    let mut generated = |scale: u32, mark: &str, seed: &str| {
        let (scale, small) = (scale.max(6), scale.saturating_sub(4).max(6));
        let road = |scale: u32| {
            let side = 1u64 << (scale / 2);
            // Training roads have another shape, too.
            let (wide, side) = if training { (side * 3 / 4, side * 5 / 4) } else { (side << (scale % 2), side) };
            format!("road:{wide}x{side}{seed}")
        };
        for (name, model) in [("rmat", "kron"), ("uniform", "urand")] {
            let spec = |scale: u32| format!("{model}:{scale}{seed}");
            all.push((format!("{name}{mark}"), spec(scale), spec(small)));
        }
        all.push((format!("road{mark}"), road(scale), road(scale)));
    };
    match training {
        false => generated(scale, "", ""),
        true => {
            generated(scale - 1, " large", ":seed=101");
            generated(scale.saturating_sub(4), " small", ":seed=102");
        }
    }
    if !training {
        all.extend(graphs.iter().map(|(name, spec)| (name.clone(), spec.clone(), spec.clone())));
    }
    let mut found = Vec::new();
    for (graph, spec, small) in &all {
        for variant in VARIANTS.iter().filter(|variant| gpu || !variant.rounds_of_gpu) {
            // Intersections of the lists of hubs are by far the most to do: such graphs are smaller.
            let spec = if variant.program == "tc" { small } else { spec };
            let spec = if variant.weighted { format!("{spec}:weights=1..64") } else { spec.clone() };
            let mut arguments = vec![spec];
            arguments.extend(variant.more.iter().map(ToString::to_string));
            found.push(Cell {
                name: variant.name.to_string(),
                program: variant.program.to_string(),
                graph: graph.clone(),
                arguments,
                schedule: if gpu { variant.gpu } else { variant.cpu }.map(str::to_string),
            });
        }
    }
    found
}

/// The program of a cell that is no standard program.
pub fn program_of(cell: &Cell) -> Option<Result<Program>> {
    (cell.program == LEVELS_NAME).then(|| Ok(Program::parse("levels.gt", LEVELS)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn training_graphs_are_in_no_table() {
        let specs = |training| {
            let cells = study_cells(Cells { gpu: true, scale: 16, graphs: &[], training });
            cells.into_iter().map(|cell| cell.arguments[0].clone()).collect::<std::collections::BTreeSet<_>>()
        };
        assert!(specs(true).is_disjoint(&specs(false)));
        assert!(specs(false).contains("kron:16") && specs(false).contains("road:256x256:weights=1..64"));
    }

    #[test]
    fn the_program_of_the_paper_is_right() {
        let cells = study_cells(Cells { gpu: false, scale: 16, graphs: &[], training: false });
        let levels = cells.iter().find(|cell| cell.name == "bfs topology-driven").unwrap();
        assert!(program_of(levels).unwrap().is_ok());
        assert!(
            cells.iter().filter(|cell| program_of(cell).is_none()).all(|cell| Program::find(&cell.program).is_ok())
        );
    }
}
