//! The kernels, and what host and device agree on.

use bytemuck::{Pod, Zeroable};
use gw_device::Unit;

use crate::check::Question;
use crate::template::{Constant, Template};

/// Threads of a block: so many that two blocks fill a processor, and the columns of their two tiles fit its cache.
pub(super) const BLOCK: u32 = 1024;

/// Instants of a tile of numbers.
pub(super) const TILE: usize = 512;

/// Words of a tile of Booleans.
pub(super) const WORDS: usize = 256;

/// Seen bits of a template: it fails, or rounding may decide.
pub(super) const FAILS: u32 = 1;
pub(super) const UNSURE: u32 = 2;

/// How wide numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Width {
    Single,
    Double,
}

/// Candidates that one kernel looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Group {
    /// Orders of two numbers.
    Order,
    /// Constants, sums, products, roots, extremes.
    Arithmetic,
    /// Logarithms and powers.
    Transcendental,
    /// Patterns of one, two or three Booleans.
    Patterns(u32),
}

/// The templates that kernels know, by the name of their number in the source.
const CODES: [&str; 13] = [
    "CONSTANT_EQUAL",
    "CONSTANT_UNEQUAL",
    "CONSTANT_LESS",
    "CONSTANT_AT_MOST",
    "BELOW_ROOT",
    "BELOW_NEXT",
    "DOUBLE",
    "LEAST",
    "MOST",
    "BELOW_PRODUCT",
    "AT_MOST_SUM",
    "LOGARITHM",
    "POWER",
];

/// A candidate as kernels read it.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct DeviceCandidate {
    pub question: u32,
    pub variables: [u32; 3],
    pub constant: f64,
}

/// The group of a question with its number and its constant; `None` for templates that only the cores know.
pub(super) fn code(question: Question) -> Option<(Group, u32, f64)> {
    let template = match question {
        Question::Order => return Some((Group::Order, 0, 0.0)),
        Question::Patterns1 => return Some((Group::Patterns(1), 1, 0.0)),
        Question::Patterns2 => return Some((Group::Patterns(2), 2, 0.0)),
        Question::Patterns3 => return Some((Group::Patterns(3), 3, 0.0)),
        Question::Falsified(template) => template,
    };
    let (name, constant) = match template {
        Template::Constant(Constant::Equal(k)) => ("CONSTANT_EQUAL", k),
        Template::Constant(Constant::Unequal(k)) => ("CONSTANT_UNEQUAL", k),
        Template::Constant(Constant::Less(k)) => ("CONSTANT_LESS", k),
        Template::Constant(Constant::AtMost(k)) => ("CONSTANT_AT_MOST", k),
        Template::BelowRoot => ("BELOW_ROOT", 0.0),
        Template::BelowNext => ("BELOW_NEXT", 0.0),
        Template::Double => ("DOUBLE", 0.0),
        Template::Least => ("LEAST", 0.0),
        Template::Most => ("MOST", 0.0),
        Template::BelowProduct => ("BELOW_PRODUCT", 0.0),
        Template::AtMostSum => ("AT_MOST_SUM", 0.0),
        Template::Logarithm => ("LOGARITHM", 0.0),
        Template::Power => ("POWER", 0.0),
        _ => return None,
    };
    let is_transcendental = matches!(template, Template::Logarithm | Template::Power);
    let group = if is_transcendental { Group::Transcendental } else { Group::Arithmetic };
    let number = CODES.iter().position(|&known| known == name)?;
    Some((group, number as u32, constant))
}

/// The parameter of `check_numbers`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct NumberArguments {
    pub columns: u64,
    pub candidates: u64,
    pub seen: u64,
    pub count: u64,
    pub first: u64,
    pub tiles: u64,
    pub dead: u64,
    pub tolerance: f64,
}

/// The parameter of `check_patterns`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct PatternArguments {
    pub columns: u64,
    pub candidates: u64,
    pub seen: u64,
    pub count: u64,
    pub first: u64,
    pub tiles: u64,
    pub dead: [u64; 4],
}

/// The parameter of `find_ranges`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct RangeArguments {
    pub columns: u64,
    pub variables: u64,
    pub found: u64,
    pub count: u64,
    pub tiles: u64,
}

/// A range as `find_ranges` leaves it: keys that compare as the numbers do.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct FoundRange {
    pub least: u64,
    pub most: u64,
    pub not_a_number: u64,
}

/// A range in which nothing was found yet.
pub(super) const NOTHING: FoundRange = FoundRange { least: u64::MAX, most: 0, not_a_number: 0 };

/// The number of a key.
pub(super) fn number(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}

/// The lines before a kernel of numbers.
fn head(width: Width) -> String {
    let (number, vector) = match width {
        Width::Single => ("float", 4),
        Width::Double => ("double", 2),
    };
    format!(
        "#define GW_BLOCK {BLOCK}\n#define GW_TILE {TILE}\n#define GW_NUMBER {number}\n#define GW_VECTOR {vector}\n"
    )
}

/// The kernel of a group; Booleans have no width.
pub(super) fn unit(group: Group, width: Width) -> Unit {
    let number = match group {
        Group::Order => 0,
        Group::Arithmetic => 1,
        Group::Transcendental => 2,
        Group::Patterns(_) => {
            let source = include_str!("../../device/patterns.cu");
            let source = format!("#define GW_BLOCK {BLOCK}\n#define GW_WORDS {WORDS}\n{source}");
            return Unit { name: "check_patterns".into(), source, block: BLOCK };
        }
    };
    let codes: String = CODES.iter().enumerate().map(|(at, name)| format!("#define GW_{name} {at}\n")).collect();
    let source = include_str!("../../device/numbers.cu");
    let source = format!("{}#define GW_GROUP {number}\n{codes}{source}", head(width));
    Unit { name: "check_numbers".into(), source, block: BLOCK }
}

/// The kernel that finds ranges.
pub(super) fn range_unit(width: Width) -> Unit {
    let source = format!("{}{}", head(width), include_str!("../../device/ranges.cu"));
    Unit { name: "find_ranges".into(), source, block: BLOCK }
}

/// The kernels that mining a trace with numbers of one width may launch.
pub(super) fn units_of(width: Width) -> Vec<Unit> {
    let groups = [Group::Order, Group::Arithmetic, Group::Transcendental, Group::Patterns(3)];
    groups.into_iter().map(|group| unit(group, width)).chain([range_unit(width)]).collect()
}

/// All kernels, for whoever wants to compile or read them. Needs no GPU.
pub fn units() -> Vec<Unit> {
    let mut units = units_of(Width::Single);
    units.extend(units_of(Width::Double).into_iter().filter(|unit| unit.name != "check_patterns"));
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_give_their_numbers_back() {
        let key = |x: f64| if x.is_sign_negative() { !x.to_bits() } else { x.to_bits() | 1 << 63 };
        let rising = [f64::NEG_INFINITY, -1e300, -2.5, -1e-310, 0.0, 1e-310, 3.0, f64::MAX, f64::INFINITY];
        assert!(rising.iter().all(|&x| number(key(x)) == x));
        assert!(rising.windows(2).all(|pair| key(pair[0]) < key(pair[1])));
    }
}
