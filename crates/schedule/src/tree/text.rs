//! The one-line text of a tree.

use std::fmt;
use std::str::FromStr;

use super::{Cost, Feature, Leaf, Tree, TreeNode};

/// A tree that is not well formed, or a text that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a decision tree: {problem} (at {place})")]
pub struct TreeError {
    place: usize,
    problem: String,
}

impl TreeError {
    /// At a node, or at a character of a text.
    pub(super) fn new(place: usize, problem: impl Into<String>) -> TreeError {
        TreeError { place, problem: problem.into() }
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Deep trees must not overflow the stack: what is still to be written waits in a list.
        enum Task {
            Node(u32),
            Text(&'static str),
        }
        let mut tasks = vec![Task::Node(0)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Text(text) => f.write_str(text)?,
                Task::Node(at) => match &self.nodes[at as usize] {
                    TreeNode::Split { feature, threshold, left, right } => {
                        write!(f, "({feature}<={threshold}?")?;
                        tasks.extend([Task::Text(")"), Task::Node(*right), Task::Text(":"), Task::Node(*left)]);
                    }
                    TreeNode::Leaf(leaf) => {
                        match &leaf.candidates[..] {
                            [one] => write!(f, "{one}")?,
                            many => {
                                let texts: Vec<String> = many.iter().map(u16::to_string).collect();
                                write!(f, "{{{}}}", texts.join(","))?;
                            }
                        }
                        if leaf.weak {
                            f.write_str("!")?;
                        }
                    }
                },
            }
        }
        for cost in &self.costs {
            let factors: Vec<String> = cost.0.iter().map(f64::to_string).collect();
            write!(f, ";cost={}", factors.join(","))?;
        }
        Ok(())
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), TreeError> {
        match self.take(token) {
            true => Ok(()),
            false => Err(self.error(format!("`{token}` is expected"))),
        }
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn number<T: FromStr>(&mut self) -> Result<T, TreeError> {
        let start = self.at;
        let word = self.word(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
        word.parse().map_err(|_| TreeError::new(start, format!("`{word}` is not a number that fits here")))
    }

    fn error(&self, problem: impl Into<String>) -> TreeError {
        TreeError::new(self.at, problem)
    }
}

impl FromStr for Tree {
    type Err = TreeError;

    fn from_str(text: &str) -> Result<Tree, TreeError> {
        let mut reader = Reader { text, at: 0 };
        let mut nodes: Vec<TreeNode> = Vec::new();
        // Splits whose children are still to be read, innermost last; true when the left one is there.
        let mut open: Vec<(usize, bool)> = Vec::new();
        loop {
            let place = nodes.len();
            let at = u32::try_from(place).map_err(|_| reader.error("too many nodes"))?;
            if let Some(&(parent, has_left)) = open.last()
                && let TreeNode::Split { left, right, .. } = &mut nodes[parent]
            {
                *(if has_left { right } else { left }) = at;
            }
            if reader.take("(") {
                let start = reader.at;
                let word = reader.word(|c| c.is_ascii_alphanumeric() || c == '-');
                let feature = Feature::from_word(word)
                    .ok_or_else(|| TreeError::new(start, format!("`{word}` is not a feature")))?;
                reader.expect("<=")?;
                let threshold = reader.number()?;
                reader.expect("?")?;
                nodes.push(TreeNode::Split { feature, threshold, left: 0, right: 0 });
                open.push((place, false));
                continue;
            }
            let mut candidates = Vec::new();
            if reader.take("{") {
                candidates.push(reader.number()?);
                while reader.take(",") {
                    candidates.push(reader.number()?);
                }
                reader.expect("}")?;
            } else {
                candidates.push(reader.number()?);
            }
            nodes.push(TreeNode::Leaf(Leaf { candidates, weak: reader.take("!") }));
            // A leaf ends all splits whose right child it completes.
            loop {
                match open.pop() {
                    None => break,
                    Some((split, false)) => {
                        reader.expect(":")?;
                        open.push((split, true));
                        break;
                    }
                    Some((_, true)) => reader.expect(")")?,
                }
            }
            if open.is_empty() {
                break;
            }
        }
        let mut costs = Vec::new();
        while reader.take(";cost=") {
            let mut cost = Cost::default();
            for (i, factor) in cost.0.iter_mut().enumerate() {
                if i > 0 {
                    reader.expect(",")?;
                }
                *factor = reader.number()?;
            }
            costs.push(cost);
        }
        if !reader.rest().is_empty() {
            return Err(reader.error("nothing more is expected"));
        }
        Tree::new(nodes, costs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bad_texts() {
        for (text, message) in [
            ("", "`` is not a number that fits here (at 0)"),
            ("(frontier<=1?0)", "`:` is expected (at 14)"),
            ("(size<=1?0:1)", "`size` is not a feature (at 1)"),
            ("(frontier<=x?0:1)", "`x` is not a number that fits here (at 11)"),
            ("(frontier<=NaN?0:1)", "the threshold of a split is not a number (at 0)"),
            ("0;cost=1,2", "`,` is expected (at 10)"),
            ("0 1", "nothing more is expected (at 1)"),
        ] {
            let error = text.parse::<Tree>().unwrap_err().to_string();
            assert_eq!(error, format!("not a decision tree: {message}"), "{text}");
        }
        let stray = |left, right| {
            let split = TreeNode::Split { feature: Feature::Frontier, threshold: 1.0, left, right };
            Tree::new(vec![split, TreeNode::Leaf(Leaf::of(0)), TreeNode::Leaf(Leaf::of(1))], Vec::new()).is_ok()
        };
        assert!(stray(1, 2) && !stray(1, 1) && !stray(0, 2) && !stray(1, 3));
    }

    #[test]
    fn deep_trees_do_not_overflow_the_stack() {
        let text = format!("{}0{}", "(frontier<=1?".repeat(100_000), ":1)".repeat(100_000));
        let tree: Tree = text.parse().unwrap();
        assert_eq!(tree.depth(), 100_000);
        assert_eq!(tree.to_string(), text);
    }

    fn tree_text() -> impl Strategy<Value = String> {
        let leaf = (proptest::collection::vec(0u16..9, 1..4), any::<bool>()).prop_map(|(candidates, weak)| {
            let list: Vec<String> = candidates.iter().map(u16::to_string).collect();
            let text = if list.len() == 1 { list[0].clone() } else { format!("{{{}}}", list.join(",")) };
            text + if weak { "!" } else { "" }
        });
        leaf.prop_recursive(6, 64, 2, |inner| {
            let feature = proptest::sample::select(Feature::ALL);
            (feature, -1e9f64..1e9, inner.clone(), inner)
                .prop_map(|(feature, threshold, left, right)| format!("({feature}<={threshold}?{left}:{right})"))
        })
    }

    proptest! {
        #[test]
        fn reads_what_it_prints(text in tree_text(), cost in proptest::array::uniform6(0.0f64..1.0)) {
            let text = format!("{text};cost={}", cost.map(|c| c.to_string()).join(","));
            let tree: Tree = text.parse().unwrap();
            prop_assert_eq!(tree.to_string(), text.clone());
            prop_assert_eq!(tree.to_string().parse::<Tree>().unwrap(), tree);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[(){}<=?:!;,a-z0-9.-]{0,40}") {
            let _ = text.parse::<Tree>();
        }
    }
}
