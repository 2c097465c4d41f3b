//! Token kinds of the algorithm language and the generated recogniser for them.

use crate::source::Span;
use logos::Logos;

/// A token: its kind and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
}

/// Skips what follows a `%`: a block up to `%}` or the rest of the line. False for a block that never ends.
fn comment(lexer: &mut logos::Lexer<TokenKind>) -> bool {
    let rest = lexer.remainder();
    let (length, closed) = if rest.starts_with('{') {
        match rest.find("%}") {
            Some(at) => (at + 2, true),
            None => (rest.len(), false),
        }
    } else {
        (rest.find('\n').unwrap_or(rest.len()), true)
    };
    lexer.bump(length);
    closed
}

/// Declares the token kinds once: variant, recogniser attribute, and the class used in messages.
macro_rules! token_kinds {
    (
        fixed { $($variant:ident $text:literal $doc:literal,)* }
    ) => {
        /// What a token is. Keywords and punctuation have one kind each.
        #[derive(Logos, Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[logos(skip r"[ \t\r\n\x0B\x0C]+")]
        pub enum TokenKind {
            /// A comment; never reaches the parser. Recognition fails for a block without an end.
            #[token("%", comment)]
            Comment,
            /// Identifier.
            #[regex("[A-Za-z_][A-Za-z0-9_]*")]
            Ident,
            /// Integer literal.
            #[regex("[0-9]+")]
            Int,
            /// Floating literal.
            #[regex(r"[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+", priority = 20)]
            Float,
            /// String literal, quotes included.
            #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
            Str,
            /// A string without its closing quote.
            #[regex(r#""([^"\\\n]|\\[^\n])*"#)]
            OpenStr,
            /// A number with a missing digit or trailing letters.
            #[regex(r"[0-9]+\.|\.[0-9]+([eE][+-]?[0-9]+)?|[0-9]+(\.[0-9]+)?[A-Za-z_][A-Za-z0-9_]*", priority = 10)]
            BadNumber,
            /// A character the language does not use.
            Bad,
            /// End of the text.
            Eof,
            $(#[doc = $doc] #[token($text)] $variant,)*
        }

        impl TokenKind {
            /// The fixed spelling of keywords and punctuation.
            pub fn text(self) -> Option<&'static str> {
                match self {
                    $(TokenKind::$variant => Some($text),)*
                    _ => None,
                }
            }
        }
    };
}

token_kinds! {
    fixed {
        KwInt "int" "`int`",
        KwUint "uint" "`uint`",
        KwInt64 "int_64" "`int_64`",
        KwUint64 "uint_64" "`uint_64`",
        KwFloat "float" "`float`",
        KwDouble "double" "`double`",
        KwBool "bool" "`bool`",
        KwComplex "complex" "`complex`, reserved",
        KwString "string" "`string`",
        KwTensor "tensor" "`tensor`, reserved",
        KwMatrix "matrix" "`matrix`, reserved",
        KwVector "vector" "`vector`",
        KwElement "element" "`element`",
        KwSet "set" "`set`, reserved",
        KwGrid "grid" "`grid`, reserved",
        KwOpaque "opaque" "`opaque`, reserved",
        KwVar "var" "`var`",
        KwConst "const" "`const`",
        KwExtern "extern" "`extern`",
        KwExport "export" "`export`",
        KwFunc "func" "`func`",
        KwInout "inout" "`inout`, reserved",
        KwApply "apply" "`apply`",
        KwApplyModified "applyModified" "`applyModified`",
        KwApplyUpdatePriority "applyUpdatePriority" "`applyUpdatePriority`",
        KwApplyUpdatePriorityExtern "applyUpdatePriorityExtern" "`applyUpdatePriorityExtern`",
        KwMap "map" "`map`, reserved",
        KwTo "to" "`to`",
        KwFrom "from" "`from`",
        KwSrcFilter "srcFilter" "`srcFilter`",
        KwDstFilter "dstFilter" "`dstFilter`",
        KwWith "with" "`with`, reserved",
        KwThrough "through" "`through`, reserved",
        KwReduce "reduce" "`reduce`, reserved",
        KwWhile "while" "`while`",
        KwDo "do" "`do`",
        KwIf "if" "`if`",
        KwElif "elif" "`elif`",
        KwElse "else" "`else`",
        KwFor "for" "`for`",
        KwParFor "par_for" "`par_for`",
        KwIn "in" "`in`",
        KwEnd "end" "`end`",
        KwReturn "return" "`return`, reserved",
        KwPrint "print" "`print`",
        KwPrintln "println" "`println`",
        KwNew "new" "`new`",
        KwDelete "delete" "`delete`",
        KwIntersection "intersection" "`intersection`",
        KwIntersectNeighbor "intersectNeighbor" "`intersectNeighbor`",
        KwAnd "and" "`and`",
        KwOr "or" "`or`",
        KwNot "not" "`not`",
        KwXor "xor" "`xor`",
        KwTrue "true" "`true`",
        KwFalse "false" "`false`",
        KwVertexSet "vertexset" "`vertexset`",
        KwEdgeSet "edgeset" "`edgeset`",
        KwList "list" "`list`",
        KwPriorityQueue "priority_queue" "`priority_queue`",
        KwLoad "load" "`load`",
        KwWhere "where" "`where`",
        KwFilter "filter" "`filter`",
        KwBreak "break" "`break`",
        KwContinue "continue" "`continue`",
        KwModified "modified" "`modified`, reserved",
        LParen "(" "`(`",
        RParen ")" "`)`",
        LBracket "[" "`[`",
        RBracket "]" "`]`",
        LBrace "{" "`{`",
        RBrace "}" "`}`",
        Lt "<" "`<`",
        Gt ">" "`>`",
        Le "<=" "`<=`",
        Ge ">=" "`>=`",
        EqEq "==" "`==`",
        Ne "!=" "`!=`",
        Assign "=" "`=`",
        Plus "+" "`+`",
        Minus "-" "`-`",
        Star "*" "`*`",
        Slash "/" "`/`",
        Backslash "\\" "`\\`, reserved",
        Caret "^" "`^`",
        Amp "&" "`&`",
        Pipe "|" "`|`",
        Tilde "~" "`~`",
        Shl "<<" "`<<`",
        Shr ">>" "`>>`",
        Quote "'" "`'`, reserved",
        Dot "." "`.`",
        DotStar ".*" "`.*`, reserved",
        DotSlash "./" "`./`, reserved",
        Comma "," "`,`",
        Colon ":" "`:`",
        Semi ";" "`;`",
        Arrow "->" "`->`",
        Hash "#" "`#`",
        PlusEq "+=" "`+=`",
        MinEq "min=" "`min=`",
        MaxEq "max=" "`max=`",
        PipeEq "|=" "`|=`",
        AmpEq "&=" "`&=`",
        AsyncMinEq "asyncMin=" "`asyncMin=`",
        AsyncMaxEq "asyncMax=" "`asyncMax=`",
    }
}

impl TokenKind {
    /// True for words that cannot be names.
    pub fn is_keyword(self) -> bool {
        self.text().is_some_and(|t| t.starts_with(|c: char| c.is_ascii_alphabetic()) && !t.ends_with('='))
    }

    /// True for words that are reserved without having a meaning.
    pub fn is_reserved_only(self) -> bool {
        use TokenKind::*;
        matches!(
            self,
            KwTensor
                | KwMatrix
                | KwSet
                | KwGrid
                | KwOpaque
                | KwComplex
                | KwInout
                | KwMap
                | KwWith
                | KwThrough
                | KwReduce
                | KwReturn
                | KwModified
        )
    }
}
