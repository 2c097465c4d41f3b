//! Property: the text of any well-formed module reads back to the same module.
use crate::common::sound;
use crate::generate;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]
    #[test]
    fn generated_modules_read_back(choices in proptest::collection::vec(any::<u8>(), 0..1500)) {
        sound(&generate::module(&choices));
    }
}

#[test]
fn the_generator_reaches_every_kind_of_node() {
    let mut text = String::new();
    for seed in 0..60u32 {
        let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12345);
        let choices: Vec<u8> = (0..2000)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            })
            .collect();
        text.push_str(&generate::module(&choices).to_string());
    }
    let nodes = [
        "EdgeSetIterator",
        "UpdatePriorityEdgeSetIterator",
        "VertexSetIterator",
        "VertexSetFilter",
        "VertexSetDedup",
        "UpdatePriorityExtern",
        "UpdateBuckets",
        "OrderedProcessing",
        "PriorityUpdateMin",
        "PriorityUpdateMax",
        "PriorityUpdateSum",
        "EnqueueVertex",
        "CompareAndSwap",
        "Reduce",
        "Convert",
        "Call",
        "Universe",
        "VertexSetAlloc",
        "VectorAlloc",
        "VectorFill",
        "VectorLiteral",
        "ListAlloc",
        "PriorityQueueAlloc",
        "EdgeSetLoad",
        "VectorLoad",
        "Column",
        "Weigh",
        "Intersection",
        "IntersectNeighbor",
        "HybridStmt",
        "Scope",
        "while",
        "do ",
        "for ",
        "par_for",
        "break",
        "print",
        "delete",
        "accepted",
        "duplicates",
        "merge_reduce",
        "schedule=",
        "gpu.",
        "<SHARED",
    ];
    for node in nodes {
        assert!(text.contains(node), "no {node}");
    }
    for (_, name) in gw_ir::builtin::Builtin::ALL {
        assert!(text.contains(&format!("{name}(")), "no {name}");
    }
}
