//! What every axis value can do: be written as one word, be read back, and explain itself in a table.

/// One value of an axis, as a row of the table of options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueRow {
    /// The canonical word (for a value with parameters, the pattern, e.g. `vw<lanes>[-<chunk>]`).
    pub word: &'static str,
    /// Other words accepted when reading.
    pub aliases: &'static [&'static str],
    /// What the value means, in one line.
    pub line: &'static str,
}

/// A value of one axis of the schedule space.
///
/// The words are lower case, kebab style, and hold only characters that are safe in file names.
pub trait AxisValue: Copy + Eq {
    /// All values (patterns for those with parameters) with a line each.
    fn rows() -> Vec<ValueRow>;
    /// The canonical text of this value.
    fn text(&self) -> String;
    /// Reads a canonical word or an alias; `None` when it is not a value of this axis.
    fn from_text(text: &str) -> Option<Self>;
    /// The row of [`AxisValue::rows`] this value belongs to: the text without its parameters.
    fn kind(&self) -> &'static str;
}

/// Declares an axis without parameters: the enum, `ALL`, `word()`, `from_word()`, `Display`, and
/// its [`AxisValue`]. Each value is a row: name, canonical word, aliases, meaning.
macro_rules! word_axis {
    (
        $(#[$meta:meta])*
        $name:ident {
            $( $variant:ident = $word:literal $( | $alias:literal )* : $line:literal, )+
        }
    ) => {
        $(#[$meta])*
        ///
        /// | value | word | meaning |
        /// |---|---|---|
        $(#[doc = concat!("| `", stringify!($variant), "` | `", $word, "` | ", $line, " |")])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name {
            $( #[doc = $line] $variant, )+
        }

        impl $name {
            /// All values, in table order.
            pub const ALL: &'static [$name] = &[ $( $name::$variant, )+ ];

            /// The canonical word.
            pub const fn word(self) -> &'static str {
                match self { $( $name::$variant => $word, )+ }
            }

            /// Reads a canonical word or an alias.
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $( $word $( | $alias )* => Some($name::$variant), )+
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }

        impl $crate::value::AxisValue for $name {
            fn rows() -> Vec<$crate::value::ValueRow> {
                vec![ $( $crate::value::ValueRow { word: $word, aliases: &[ $( $alias, )* ], line: $line }, )+ ]
            }
            fn text(&self) -> String {
                self.word().to_string()
            }
            fn from_text(text: &str) -> Option<Self> {
                Self::from_word(text)
            }
            fn kind(&self) -> &'static str {
                self.word()
            }
        }
    };
}
pub(crate) use word_axis;
