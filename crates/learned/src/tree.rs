//! A regression tree as one line of text: `(mean-degree<=2.5?-0.31:(threads<=1?0:0.12))`.
//!
//! A split goes left when the feature is at most the threshold; a leaf is a number.

use std::fmt;
use std::str::FromStr;

use crate::features::{Features, NAMES};

/// A regression tree.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    /// The answer.
    Leaf(f64),
    /// A question.
    Split {
        /// The place of the feature in [`NAMES`].
        feature: usize,
        /// The greatest value that goes left.
        threshold: f64,
        /// The two sides.
        sides: Box<[Tree; 2]>,
    },
}

impl Tree {
    /// The answer for a place on a graph.
    pub fn answer(&self, features: &Features) -> f64 {
        let mut tree = self;
        loop {
            match tree {
                Tree::Leaf(answer) => return *answer,
                Tree::Split { feature, threshold, sides } => {
                    tree = &sides[usize::from(features[*feature] > *threshold)];
                }
            }
        }
    }

    /// The features that are looked at on the way to the answer.
    pub fn asked(&self, features: &Features) -> Vec<usize> {
        let (mut tree, mut asked) = (self, Vec::new());
        while let Tree::Split { feature, threshold, sides } = tree {
            asked.push(*feature);
            tree = &sides[usize::from(features[*feature] > *threshold)];
        }
        asked
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tree::Leaf(answer) => write!(f, "{answer}"),
            Tree::Split { feature, threshold, sides } => {
                write!(f, "({}<={threshold}?{}:{})", NAMES[*feature], sides[0], sides[1])
            }
        }
    }
}

impl FromStr for Tree {
    type Err = String;

    fn from_str(text: &str) -> Result<Tree, String> {
        let mut rest = text;
        let tree = parse(&mut rest, 0)?;
        match rest.is_empty() {
            true => Ok(tree),
            false => Err(format!("`{rest}` is left over behind the tree")),
        }
    }
}

fn parse(rest: &mut &str, depth: usize) -> Result<Tree, String> {
    const DEEPEST: usize = 32;
    if depth > DEEPEST {
        return Err(format!("the tree is deeper than {DEEPEST}"));
    }
    let Some(split) = rest.strip_prefix('(') else {
        let end = rest.find([':', ')']).unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        *rest = after;
        return number_of(number).map(Tree::Leaf);
    };
    let (name, after) = split.split_once("<=").ok_or_else(|| format!("`{split}` asks nothing: `<=` is missing"))?;
    let feature = NAMES.iter().position(|known| *known == name);
    let feature = feature.ok_or_else(|| format!("`{name}` is no feature; known are {}", NAMES.join(", ")))?;
    let (threshold, after) = after.split_once('?').ok_or_else(|| format!("`{after}`: `?` is missing"))?;
    let threshold = number_of(threshold)?;
    *rest = after;
    let left = parse(rest, depth + 1)?;
    *rest = rest.strip_prefix(':').ok_or_else(|| format!("`{rest}`: `:` is missing"))?;
    let right = parse(rest, depth + 1)?;
    *rest = rest.strip_prefix(')').ok_or_else(|| format!("`{rest}`: `)` is missing"))?;
    Ok(Tree::Split { feature, threshold, sides: Box::new([left, right]) })
}

fn number_of(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("`{text}` is no number"))?;
    if number.is_finite() { Ok(number) } else { Err(format!("`{text}` is no finite number")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::COUNT;

    #[test]
    fn trees_are_read_and_written() {
        let text = "(mean-degree<=2.5?-0.31:(threads<=1?0:0.12))";
        let tree: Tree = text.parse().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(tree.to_string(), text);
        let mut features = [0.0; COUNT];
        assert_eq!(tree.answer(&features), -0.31);
        (features[1], features[6]) = (3.0, 2.0);
        assert_eq!((tree.answer(&features), tree.asked(&features)), (0.12, vec![1, 6]));
    }

    #[test]
    fn what_is_no_tree_is_refused_with_its_place() {
        for (text, word) in [
            ("", "no number"),
            ("(mood<=1?0:1)", "`mood` is no feature"),
            ("(threads<=1?0:1", "`)` is missing"),
            ("(threads<=1?0)", "`:` is missing"),
            ("(threads?0:1)", "`<=` is missing"),
            ("1)", "left over"),
            ("(threads<=nan?0:1)", "finite"),
            (&"(threads<=1?".repeat(100_000), "deeper"),
        ] {
            let refused = text.parse::<Tree>();
            assert!(refused.as_ref().is_err_and(|error| error.contains(word)), "{text:.40}: {refused:?}");
        }
    }
}
