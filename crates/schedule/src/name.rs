//! Names that may stand in a schedule's text: labels, vectors and models.

use std::fmt;
use std::str::FromStr;

/// A name or label holds characters that cannot stand in a schedule's text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// See the message.
    #[error("`{0}` is not a name: use letters, digits, `_`, `-` and `.`")]
    Name(String),
    /// See the message.
    #[error("`{0}` is not a label path: use labels of letters, digits, `_` and `-`, joined by `:`")]
    Label(String),
}

/// A name of a vector, function or model: letters, digits, `_`, `-`, `.`; never empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

/// The colon-joined path of the labels around a program point, e.g. `s0:s1`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Label(String);

fn is_plain(text: &str, extra: &[u8]) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || extra.contains(&b))
}

impl Name {
    /// Checks and wraps a name.
    pub fn new(text: impl Into<String>) -> Result<Name, BadName> {
        let text = text.into();
        if is_plain(&text, b"_-.") { Ok(Name(text)) } else { Err(BadName::Name(text)) }
    }

    /// The name itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Label {
    /// Checks and wraps a label path.
    pub fn new(text: impl Into<String>) -> Result<Label, BadName> {
        let text = text.into();
        if text.split(':').all(|part| is_plain(part, b"_-")) { Ok(Label(text)) } else { Err(BadName::Label(text)) }
    }

    /// The path itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last label of the path: the target's own.
    pub fn last(&self) -> &str {
        self.0.rsplit(':').next().unwrap_or(&self.0)
    }
}

macro_rules! string_like {
    ($name:ident) => {
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl FromStr for $name {
            type Err = BadName;
            fn from_str(text: &str) -> Result<Self, BadName> {
                $name::new(text)
            }
        }
        impl TryFrom<String> for $name {
            type Error = BadName;
            fn try_from(text: String) -> Result<Self, BadName> {
                $name::new(text)
            }
        }
        impl From<$name> for String {
            fn from(name: $name) -> String {
                name.0
            }
        }
        // Labels and names order and hash as their text, so maps can be asked with a plain str.
        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}
string_like!(Name);
string_like!(Label);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_paths_of_plain_words() {
        assert_eq!(Label::new("s0:s1").unwrap().last(), "s1");
        for bad in ["", "s0:", ":s1", "s0::s1", "s 0", "a@b", "a;b", "a.b"] {
            assert!(Label::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn names_keep_out_the_separators() {
        assert!(Name::new("bfs-h200.tree").is_ok());
        for bad in ["", "a/b", "a+b", "a,b", "a=b", "a@b", "a b"] {
            assert!(Name::new(bad).is_err(), "{bad}");
        }
    }
}
