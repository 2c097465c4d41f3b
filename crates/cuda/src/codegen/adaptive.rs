//! Adaptive schedules inside a loop on the device: the tree becomes branches that every thread takes alike.

use gw_ir::stmt::{Decision, HybridStmt, Stmt, StmtKind};
use gw_ir::walk;
use gw_schedule::{Cost, Feature, Guard, LoopForm, Tree, TreeNode};

use super::inputs::Source;
use super::refusal::Refusal;
use super::text::Code;
use super::uniform::Uniform;

impl Uniform<'_, '_> {
    /// Declares what the adaptive operators of a block remember from step to step.
    pub(crate) fn declare_steps(&mut self, block: &[Stmt], form: Option<LoopForm>) -> Result<(), Refusal> {
        let mut found = Vec::new();
        walk::walk_stmts(block, &mut |stmt| {
            if let StmtKind::Hybrid(hybrid) = &stmt.kind
                && asks_tree(hybrid)
            {
                found.push((std::ptr::from_ref(hybrid) as usize, stmt.span));
            }
        });
        for (place, span) in found {
            if form != Some(LoopForm::Fused) {
                self.span = span;
                return Err(self.refuse("a tree remembers steps: use loop=fused or loop=host"));
            }
            let name = format!("steps_{}", self.steps.len());
            self.region.include("steps.cuh");
            self.code.line(format!("gw::Steps {name};"));
            self.steps.insert(place, name);
        }
        Ok(())
    }

    /// The variant that a tree picks.
    pub(super) fn adaptive(&mut self, hybrid: &HybridStmt, tree: &Tree) -> Result<(), Refusal> {
        let place = std::ptr::from_ref(hybrid) as usize;
        let Some(steps) = self.steps.get(&place).cloned() else {
            return Err(self.refuse("this choice is made on the host"));
        };
        let (graph_name, graph, set) = self.looked_at(hybrid)?;
        let features = tree.features();
        let counted = features.iter().any(|f| f.needs_frontier_edges());
        let edges = match counted {
            true => self.region.edges_of(&set, &graph_name, &graph).map_err(|reason| self.refuse(&reason))?,
            false => "0".to_string(),
        };
        let mut value = |feature: Feature| match of_step(feature, &steps) {
            Some(text) => text,
            None => {
                let source = Source::GraphFeature(graph_name.clone(), feature);
                let name = format!("{}_{}", graph_name, feature.word().replace('-', "_"));
                self.region.inputs.member(source, "double", &name)
            }
        };
        let values: Vec<(Feature, String)> = features.iter().map(|&f| (f, value(f))).collect();
        let guard = self.region.inputs.member(Source::Guard, "bool", "guard");
        self.code.open("");
        let sizes = format!("(double){graph}.vertices, (double){graph}.edges, (double)run.size({set}), {edges}");
        self.code.line(format!("{steps}.begin({sizes});"));
        self.code.line("int choice;");
        let knows_costs = counted && !tree.costs().is_empty();
        if knows_costs {
            self.code.line(format!("double allowed = {:?};", Guard::default().factor));
        }
        branch(tree, 0, &values, &steps, (!knows_costs).then_some(guard.as_str()), &mut self.code);
        if knows_costs {
            self.compare_costs(tree, &steps, &guard);
        }
        self.code.line(format!("{steps}.current = choice;"));
        let tests = (0..hybrid.variants.len().saturating_sub(1)).map(|i| format!("choice == {i}")).collect();
        self.variants(&hybrid.variants, tests)
    }

    /// A candidate that is expected to cost much more than the safe one is not taken, one of a weak leaf if it costs
    /// more at all.
    fn compare_costs(&mut self, tree: &Tree, steps: &str, guard: &str) {
        let cost = |cost: &Cost| {
            let sizes = [
                "1".to_string(),
                format!("{steps}.frontier"),
                format!("{steps}.frontier_edges"),
                format!("{steps}.vertices"),
                format!("{steps}.edges"),
                format!("{steps}.unexplored()"),
            ];
            let terms = cost.0.iter().zip(sizes).filter(|(factor, _)| **factor != 0.0);
            let terms: Vec<String> = terms.map(|(factor, size)| format!("{factor:?} * {size}")).collect();
            if terms.is_empty() { "0.0".to_string() } else { terms.join(" + ") }
        };
        let Some((safe, others)) = tree.costs().split_first() else { return };
        self.code.open(format!("if ({guard} && choice != 0)"));
        self.code.line("double expected = 0;");
        for (i, other) in others.iter().enumerate() {
            self.code.line(format!("if (choice == {}) expected = {};", i + 1, cost(other)));
        }
        self.code.line(format!("if (expected > allowed * ({})) choice = 0;", cost(safe)));
        self.code.close("");
    }
}

/// Whether a tree picks the variant.
fn asks_tree(hybrid: &HybridStmt) -> bool {
    matches!(&hybrid.decision, Decision::Chooser { tree: Some(_), .. })
}

/// A feature that changes from step to step, in the words of the kernel; `None` for those of degrees.
fn of_step(feature: Feature, steps: &str) -> Option<String> {
    Some(match feature {
        Feature::Vertices => format!("{steps}.vertices"),
        Feature::Edges => format!("{steps}.edges"),
        Feature::Frontier => format!("{steps}.frontier"),
        Feature::FrontierShare => format!("gw::Steps::share({steps}.frontier, {steps}.vertices)"),
        Feature::Discovered => format!("{steps}.discovered"),
        Feature::DiscoveredShare => format!("gw::Steps::share({steps}.discovered, {steps}.vertices)"),
        Feature::FrontierEdges => format!("{steps}.frontier_edges"),
        Feature::FrontierEdgesShare => format!("gw::Steps::share({steps}.frontier_edges, {steps}.edges)"),
        Feature::UnexploredEdges => format!("{steps}.unexplored()"),
        Feature::UnexploredEdgesShare => format!("gw::Steps::share({steps}.unexplored(), {steps}.edges)"),
        Feature::Iteration => format!("{steps}.iteration"),
        Feature::FrontierDegree => format!("gw::Steps::share({steps}.frontier_edges, {steps}.frontier)"),
        Feature::EdgesAheadRatio => format!("{steps}.frontier_edges / ({steps}.unexplored() + 1)"),
        Feature::Growth => format!("{steps}.growth()"),
        _ => return None,
    })
}

/// The branches from a node on. Trees of models are shallow: their depth is bounded where they are trained. `guard`
/// refuses weak leaves where costs cannot be compared.
fn branch(tree: &Tree, at: usize, values: &[(Feature, String)], steps: &str, guard: Option<&str>, code: &mut Code) {
    match &tree.nodes()[at] {
        TreeNode::Split { feature, threshold, left, right } => {
            let value = values.iter().find(|(known, _)| known == feature).map_or("0", |(_, text)| text.as_str());
            code.open(format!("if ({value} <= {threshold:?})"));
            branch(tree, *left as usize, values, steps, guard, code);
            code.close(" else {");
            code.nest();
            branch(tree, *right as usize, values, steps, guard, code);
            code.close("");
        }
        TreeNode::Leaf(leaf) => {
            let choice = match leaf.candidates[..] {
                [one] => one.to_string(),
                _ => format!("{steps}.current < 0 ? 0 : {steps}.current"),
            };
            code.line(match (leaf.weak, guard) {
                (true, Some(guard)) => format!("choice = {guard} ? 0 : ({choice});"),
                (true, None) => format!("choice = {choice}; allowed = {:?};", Guard::default().weak_factor),
                (false, _) => format!("choice = {choice};"),
            });
        }
    }
}
