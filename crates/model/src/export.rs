//! A model as data or as code for other programs: JSON, Rust source, CUDA source. The code stands alone.
//!
//! A tree becomes one array of nodes. A node has a threshold, the slot of a feature, and the places of its children; a
//! leaf has -1 for the left child and its candidate for the right one, -1 when several tie.

use std::fmt::Write;

use gw_schedule::{Feature, TreeNode};
use serde::Serialize;

use crate::model::Model;

/// What a model is exported as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Export {
    /// The nodes as JSON.
    Json,
    /// A Rust module.
    Rust,
    /// A header for CUDA C++.
    Cuda,
}

/// One node, as it is in JSON and in arrays.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
struct FlatNode {
    /// The greatest value that goes left; 0 at a leaf.
    threshold: f64,
    /// The slot of the feature; 0 at a leaf.
    feature: usize,
    /// The left child; -1 at a leaf.
    left: i64,
    /// The right child; at a leaf the candidate, -1 when several tie.
    right: i64,
    /// A leaf with little support.
    weak: bool,
}

#[derive(Serialize)]
struct FlatModel<'m> {
    name: &'m str,
    algorithm: &'m str,
    platform: &'m str,
    features: Vec<Feature>,
    candidates: Vec<FlatCandidate<'m>>,
    nodes: Vec<FlatNode>,
}

#[derive(Serialize)]
struct FlatCandidate<'m> {
    name: &'m str,
    schedule: &'m str,
}

/// The text of a model in another form.
pub fn export(model: &Model, form: Export) -> String {
    let features = model.tree.features();
    let nodes = flat(model, &features);
    match form {
        Export::Json => json(model, features, nodes),
        Export::Rust => rust(model, &features, &nodes),
        Export::Cuda => cuda(model, &features, &nodes),
    }
}

fn flat(model: &Model, features: &[Feature]) -> Vec<FlatNode> {
    let node = |node: &TreeNode| match node {
        TreeNode::Split { feature, threshold, left, right } => FlatNode {
            threshold: *threshold,
            feature: features.iter().position(|f| f == feature).unwrap_or(0),
            left: i64::from(*left),
            right: i64::from(*right),
            weak: false,
        },
        TreeNode::Leaf(leaf) => FlatNode {
            threshold: 0.0,
            feature: 0,
            left: -1,
            right: leaf.answer().candidate.map_or(-1, |candidate| candidate as i64),
            weak: leaf.weak,
        },
    };
    model.tree.nodes().iter().map(node).collect()
}

fn json(model: &Model, features: Vec<Feature>, nodes: Vec<FlatNode>) -> String {
    let candidates = model.candidates.iter().map(|c| FlatCandidate { name: &c.name, schedule: &c.schedule }).collect();
    let (name, algorithm, platform) = (&model.name, &model.algorithm, &model.platform);
    let flat = FlatModel { name, algorithm, platform, features, candidates, nodes };
    // Plain data with text keys: this cannot fail.
    serde_json::to_string_pretty(&flat).map(|text| text + "\n").unwrap_or_default()
}

/// What the files have in common: where the model comes from, as comment lines.
fn heading(model: &Model) -> String {
    let line = |text: &str| text.replace(['\n', '\r'], " ");
    format!(
        "// The model `{}` of Graphwright for {} on {}, trained {}.\n",
        line(&model.name),
        line(&model.algorithm),
        line(&model.platform),
        line(&model.created)
    )
}

/// Candidates and features as comment lines.
fn legend(model: &Model, features: &[Feature]) -> String {
    let mut text = String::new();
    for (i, candidate) in model.candidates.iter().enumerate() {
        let line = format!("candidate {i}: {} = {}", candidate.name, candidate.schedule).replace(['\n', '\r'], " ");
        let _ = writeln!(text, "// {line}");
    }
    for (i, feature) in features.iter().enumerate() {
        let meaning = <Feature as gw_schedule::AxisValue>::rows()[feature.index()].line;
        let _ = writeln!(text, "// feature {i}: {feature}: {meaning}");
    }
    text
}

fn rust(model: &Model, features: &[Feature], nodes: &[FlatNode]) -> String {
    let quoted = |texts: Vec<&str>| texts.iter().map(|text| format!("{text:?}")).collect::<Vec<_>>().join(", ");
    let mut text = heading(model) + &legend(model, features);
    let _ = write!(
        text,
        "\n/// The features, by slot.\npub const FEATURES: [&str; {}] = [{}];\n\n\
         /// The schedules that can be chosen; the first is the safe one.\npub const CANDIDATES: [&str; {}] = [{}];\n\n\
         /// Threshold, feature, left child, right child, weak; a leaf has no left child, its right one is the candidate.\n\
         const NODES: [(f64, usize, i32, i32, bool); {}] = [\n",
        features.len(),
        quoted(features.iter().map(|feature| feature.word()).collect()),
        model.candidates.len(),
        quoted(model.candidates.iter().map(|candidate| candidate.schedule.as_str()).collect()),
        nodes.len(),
    );
    for node in nodes {
        let FlatNode { threshold, feature, left, right, weak } = node;
        let threshold = match *threshold {
            t if t == f64::INFINITY => "f64::INFINITY".to_string(),
            t if t == f64::NEG_INFINITY => "f64::NEG_INFINITY".to_string(),
            t => format!("{t:?}"),
        };
        let _ = writeln!(text, "    ({threshold}, {feature}, {left}, {right}, {weak}),");
    }
    text += "];\n\n\
        /// The candidate for a step with these features, `None` when several tie, and whether the answer is weak.\n\
        pub fn decide(features: &[f64; FEATURES.len()]) -> (Option<usize>, bool) {\n    \
            let mut at = 0;\n    \
            loop {\n        \
                let (threshold, feature, left, right, weak) = NODES[at];\n        \
                if left < 0 {\n            \
                    return (usize::try_from(right).ok(), weak);\n        \
                }\n        \
                at = if features[feature] <= threshold { left as usize } else { right as usize };\n    \
            }\n\
        }\n";
    text
}

fn cuda(model: &Model, features: &[Feature], nodes: &[FlatNode]) -> String {
    let mut text = heading(model) + &legend(model, features);
    let _ = write!(
        text,
        "\n#pragma once\n\nstruct GwNode {{\n    double threshold;\n    int feature;\n    int left;   // -1 at a leaf\n    \
         int right;  // at a leaf: the candidate, -1 when several tie\n    int weak;\n}};\n\n\
         static const int GW_FEATURES = {};\nstatic const int GW_CANDIDATES = {};\n\n\
         static __device__ const GwNode GW_NODES[{}] = {{\n",
        features.len(),
        model.candidates.len(),
        nodes.len(),
    );
    for node in nodes {
        let FlatNode { threshold, feature, left, right, weak } = node;
        let threshold = match *threshold {
            t if t == f64::INFINITY => "1e999".to_string(),
            t if t == f64::NEG_INFINITY => "-1e999".to_string(),
            t => format!("{t:?}"),
        };
        let _ = writeln!(text, "    {{{threshold}, {feature}, {left}, {right}, {}}},", u8::from(*weak));
    }
    text += "};\n\n\
        // The candidate for a step with these features by slot, -1 when several tie; `weak` becomes 1 when the leaf had little\n\
        // support.\n\
        static __device__ inline int gw_decide(const double *features, int *weak) {\n    \
            int at = 0;\n    \
            while (GW_NODES[at].left >= 0) {\n        \
                at = features[GW_NODES[at].feature] <= GW_NODES[at].threshold ? GW_NODES[at].left : GW_NODES[at].right;\n    \
            }\n    \
            *weak = GW_NODES[at].weak;\n    \
            return GW_NODES[at].right;\n\
        }\n";
    text
}
