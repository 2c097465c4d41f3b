//! Values in metadata brackets: one small grammar for every typed field.

use crate::bound::BoundSchedule;
use crate::expr::{PriorityOp, ReduceOp};
use crate::meta::{AccessMode, Dedup, Direction, IntersectionKind, MergeReduce, QueueKind, Representation, Sharing};
use crate::module::Context;
use crate::source::Name;
use std::fmt;

/// A value as written in `< >`.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum MetaValue {
    /// A bare word: enum values, names, `true`, `false`.
    Word(String),
    /// A whole number.
    Int(i64),
    /// A number with a dot or an exponent.
    Float(f64),
    /// A quoted text.
    Text(String),
    /// `[a, b]`.
    List(Vec<String>),
}

impl fmt::Display for MetaValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MetaValue::Word(w) => f.write_str(w),
            MetaValue::Int(i) => write!(f, "{i}"),
            MetaValue::Float(x) => write!(f, "{x:?}"),
            MetaValue::Text(t) => quote(f, t),
            MetaValue::List(items) => write!(f, "[{}]", items.join(", ")),
        }
    }
}

/// Writes a text in quotes with escapes that the lexer reads back.
pub(super) fn quote(f: &mut dyn fmt::Write, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if c.is_control() => write!(f, "\\u{{{:x}}}", c as u32)?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

/// A metadata field: `None` from `write` means "at its default, not printed".
pub(super) trait Field: Sized {
    /// The value to print.
    fn write(&self) -> Option<MetaValue>;
    /// Reads the value back.
    fn read(value: MetaValue) -> Option<Self>;
}

impl Field for bool {
    fn write(&self) -> Option<MetaValue> {
        self.then(|| MetaValue::Word("true".into()))
    }
    fn read(value: MetaValue) -> Option<Self> {
        match value {
            MetaValue::Word(w) => w.parse().ok(),
            _ => None,
        }
    }
}

impl Field for Option<bool> {
    fn write(&self) -> Option<MetaValue> {
        self.map(|b| MetaValue::Word(b.to_string()))
    }
    fn read(value: MetaValue) -> Option<Self> {
        bool::read(value).map(Some)
    }
}

impl Field for Option<Name> {
    fn write(&self) -> Option<MetaValue> {
        self.as_ref().map(|n| MetaValue::Text(n.to_string()))
    }
    fn read(value: MetaValue) -> Option<Self> {
        match value {
            MetaValue::Text(t) => Some(Some(t.as_str().into())),
            _ => None,
        }
    }
}

impl Field for Option<String> {
    fn write(&self) -> Option<MetaValue> {
        self.clone().map(MetaValue::Text)
    }
    fn read(value: MetaValue) -> Option<Self> {
        match value {
            MetaValue::Text(t) => Some(Some(t)),
            _ => None,
        }
    }
}

impl Field for Vec<Name> {
    fn write(&self) -> Option<MetaValue> {
        (!self.is_empty()).then(|| MetaValue::List(self.iter().map(|n| n.to_string()).collect()))
    }
    fn read(value: MetaValue) -> Option<Self> {
        match value {
            MetaValue::List(items) => Some(items.iter().map(|i| i.as_str().into()).collect()),
            _ => None,
        }
    }
}

impl Field for Option<BoundSchedule> {
    fn write(&self) -> Option<MetaValue> {
        self.as_ref().map(|s| MetaValue::Text(s.to_string()))
    }
    fn read(value: MetaValue) -> Option<Self> {
        match value {
            MetaValue::Text(t) => t.parse::<gw_schedule::Schedule>().ok().map(|s| Some(BoundSchedule::new(s))),
            _ => None,
        }
    }
}

impl Field for Option<std::sync::Arc<gw_schedule::Tree>> {
    fn write(&self) -> Option<MetaValue> {
        self.as_ref().map(|tree| MetaValue::Text(tree.to_string()))
    }
    fn read(value: MetaValue) -> Option<Self> {
        match value {
            MetaValue::Text(t) => t.parse::<gw_schedule::Tree>().ok().map(|tree| Some(tree.into())),
            _ => None,
        }
    }
}

impl Field for Option<gw_schedule::Number> {
    fn write(&self) -> Option<MetaValue> {
        self.map(|n| MetaValue::Word(n.to_string()))
    }
    fn read(value: MetaValue) -> Option<Self> {
        match value {
            MetaValue::Word(w) => w.parse().ok().map(Some),
            MetaValue::Int(i) => i.to_string().parse().ok().map(Some),
            _ => None,
        }
    }
}

impl Field for Option<gw_schedule::Threshold> {
    fn write(&self) -> Option<MetaValue> {
        self.map(|n| MetaValue::Text(n.to_string()))
    }
    fn read(value: MetaValue) -> Option<Self> {
        match value {
            MetaValue::Text(w) => w.parse().ok().map(Some),
            _ => None,
        }
    }
}

impl Field for Option<gw_schedule::Criterion> {
    fn write(&self) -> Option<MetaValue> {
        self.map(|c| MetaValue::Text(c.word().to_string()))
    }
    fn read(value: MetaValue) -> Option<Self> {
        match value {
            MetaValue::Text(w) => gw_schedule::Criterion::from_word(&w).map(Some),
            _ => None,
        }
    }
}

impl Field for Option<MergeReduce> {
    fn write(&self) -> Option<MetaValue> {
        self.as_ref().map(|m| {
            let mut items = vec![word(&m.op).to_string(), m.vector.to_string()];
            if m.numa {
                items.push("NUMA".into());
            }
            MetaValue::List(items)
        })
    }
    fn read(value: MetaValue) -> Option<Self> {
        let MetaValue::List(items) = value else { return None };
        let (op, vector, numa) = match items.as_slice() {
            [op, vector] => (op, vector, false),
            [op, vector, numa] if numa == "NUMA" => (op, vector, true),
            _ => return None,
        };
        Some(Some(MergeReduce { vector: vector.as_str().into(), op: from_word(op)?, numa }))
    }
}

/// An enum whose values are words.
pub(super) trait Words: Copy + PartialEq + 'static {
    /// All values with their words.
    const WORDS: &'static [(Self, &'static str)];
}

/// The word of a value.
pub(super) fn word<T: Words>(value: &T) -> &'static str {
    T::WORDS.iter().find(|(v, _)| v == value).map_or("?", |(_, w)| w)
}

/// The value of a word.
pub(super) fn from_word<T: Words>(word: &str) -> Option<T> {
    T::WORDS.iter().find(|(_, w)| *w == word).map(|(v, _)| *v)
}

macro_rules! words {
    ($ty:ty: $($variant:ident = $word:literal),+ $(,)?) => {
        impl Words for $ty {
            const WORDS: &'static [(Self, &'static str)] = &[$((<$ty>::$variant, $word)),+];
        }
        impl Field for Option<$ty> {
            fn write(&self) -> Option<MetaValue> {
                self.as_ref().map(|v| MetaValue::Word(word(v).to_string()))
            }
            fn read(value: MetaValue) -> Option<Self> {
                match value {
                    MetaValue::Word(w) => from_word(&w).map(Some),
                    _ => None,
                }
            }
        }
    };
}

/// Enums that print only when they differ from their default.
macro_rules! plain_words {
    ($ty:ty) => {
        impl Field for $ty {
            fn write(&self) -> Option<MetaValue> {
                (*self != <$ty>::default()).then(|| MetaValue::Word(word(self).to_string()))
            }
            fn read(value: MetaValue) -> Option<Self> {
                <Option<$ty> as Field>::read(value).flatten()
            }
        }
    };
}

words!(Direction: Push = "PUSH", Pull = "PULL", DensePush = "DENSE_PUSH");
words!(Representation: Sparse = "SPARSE", Boolmap = "BOOLMAP", Bitmap = "BITMAP", LevelMask = "LEVEL_MASK");
words!(Dedup: None = "NONE", BestEffort = "BEST_EFFORT", Perfect = "PERFECT");
words!(Sharing: Local = "LOCAL", Shared = "SHARED");
words!(AccessMode: Read = "READ", Write = "WRITE", ReadWrite = "READ_WRITE");
words!(ReduceOp: Sum = "SUM", Min = "MIN", Max = "MAX", Or = "OR", And = "AND");
words!(PriorityOp: Min = "MIN", Max = "MAX", Sum = "SUM");
words!(Context: None = "NONE", Host = "HOST", Device = "DEVICE", Both = "BOTH");
words!(QueueKind: Lazy = "LAZY", Eager = "EAGER", EagerMerge = "EAGER_MERGE", ConstantSum = "CONSTANT_SUM",
    NearFar = "NEAR_FAR");
words!(IntersectionKind: Naive = "NAIVE", Hiroshi = "HIROSHI", Multiskip = "MULTISKIP", Combined = "COMBINED",
    BinarySearch = "BINARY_SEARCH");
plain_words!(Dedup);
plain_words!(Context);
