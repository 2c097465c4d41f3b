//! Properties of lexer and parser over random input.

use gw_lang::ast::{BinaryOp, Expr, ExprKind, Item, StmtKind, UnaryOp, WordOp};
use gw_lang::token::TokenKind;
use gw_lang::{SourceFile, compile_front, parse, parse_schedule, tokens};
use proptest::prelude::*;

/// An expression without places.
#[derive(Clone, Debug, PartialEq)]
enum Tree {
    Int(i64),
    Name(String),
    Unary(UnaryOp, Box<Tree>),
    Binary(BinaryOp, Box<Tree>, Box<Tree>),
    Word(WordOp, Box<Tree>, Box<Tree>),
    Index(String, Box<Tree>),
}

fn tree() -> impl Strategy<Value = Tree> {
    use BinaryOp::*;
    let leaf = prop_oneof![(1i64..1000).prop_map(Tree::Int), "[a-d]".prop_map(Tree::Name)];
    leaf.prop_recursive(6, 40, 2, |inner| {
        let binary = prop::sample::select(vec![Or, And, Xor, Eq, Ne, Lt, Gt, Le, Ge, Add, Sub, Mul, Div]);
        let unary = prop::sample::select(vec![UnaryOp::Neg, UnaryOp::Not, UnaryOp::BitNot]);
        let word = prop::sample::select(vec![
            WordOp::Mod,
            WordOp::And,
            WordOp::Or,
            WordOp::Xor,
            WordOp::ShiftLeft,
            WordOp::ShiftRight,
        ]);
        prop_oneof![
            4 => (binary, inner.clone(), inner.clone()).prop_map(|(op, l, r)| Tree::Binary(op, l.into(), r.into())),
            2 => (word, inner.clone(), inner.clone()).prop_map(|(op, l, r)| Tree::Word(op, l.into(), r.into())),
            1 => (unary, inner.clone()).prop_map(|(op, x)| Tree::Unary(op, x.into())),
            1 => ("[a-d]", inner).prop_map(|(name, x)| Tree::Index(name, x.into())),
        ]
    })
}

/// How tightly the grammar binds a node: or 1, and 2, xor 3, comparison 4, not 5, bits 6 to 8, shift 9, sum 10,
/// product 11, sign 12, rest 13.
fn strength(tree: &Tree) -> u8 {
    use BinaryOp::*;
    match tree {
        Tree::Binary(Or, ..) => 1,
        Tree::Binary(And, ..) => 2,
        Tree::Binary(Xor, ..) => 3,
        Tree::Binary(Eq | Ne | Lt | Gt | Le | Ge, ..) => 4,
        Tree::Unary(UnaryOp::Not, _) => 5,
        Tree::Word(WordOp::Or, ..) => 6,
        Tree::Word(WordOp::Xor, ..) => 7,
        Tree::Word(WordOp::And, ..) => 8,
        Tree::Word(WordOp::ShiftLeft | WordOp::ShiftRight, ..) => 9,
        Tree::Binary(Add | Sub, ..) => 10,
        Tree::Binary(Mul | Div, ..) | Tree::Word(WordOp::Mod, ..) => 11,
        Tree::Unary(..) => 12,
        _ => 13,
    }
}

/// Writes a tree with as few parentheses as the grammar allows.
fn write(tree: &Tree, least: u8) -> String {
    let own = strength(tree);
    let text = match tree {
        Tree::Int(value) => value.to_string(),
        Tree::Name(name) => name.clone(),
        Tree::Unary(UnaryOp::Not, inner) => format!("not {}", write(inner, own)),
        Tree::Unary(UnaryOp::BitNot, inner) => format!("~{}", write(inner, own)),
        Tree::Unary(_, inner) => format!("-{}", write(inner, own)),
        // Left-associative: the right operand must bind tighter.
        Tree::Binary(op, left, right) => {
            format!("{} {} {}", write(left, own), op.symbol(), write(right, own + 1))
        }
        Tree::Word(op, left, right) => {
            format!("{} {} {}", write(left, own), op.symbol(), write(right, own + 1))
        }
        Tree::Index(name, index) => format!("{name}[{}]", write(index, 1)),
    };
    if own < least { format!("({text})") } else { text }
}

fn without_places(expr: &Expr) -> Tree {
    match &expr.kind {
        ExprKind::Int(value) => Tree::Int(*value),
        ExprKind::Name(name) => Tree::Name(name.clone()),
        ExprKind::Unary { op, operand } => Tree::Unary(*op, without_places(operand).into()),
        ExprKind::Binary { op, left, right } => {
            Tree::Binary(*op, without_places(left).into(), without_places(right).into())
        }
        ExprKind::Word { op, left, right } => {
            Tree::Word(*op, without_places(left).into(), without_places(right).into())
        }
        ExprKind::Index { base, index } => match &base.kind {
            ExprKind::Name(name) => Tree::Index(name.clone(), without_places(index).into()),
            other => panic!("unexpected base {other:?}"),
        },
        other => panic!("unexpected expression {other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// The parser gives back the tree that was written with the fewest parentheses.
    #[test]
    fn written_expressions_parse_back(tree in tree()) {
        let source = SourceFile::new("e.gt", format!("func main()\n    print {};\nend\n", write(&tree, 1)));
        let (ast, findings) = parse(&source);
        prop_assert!(findings.is_empty(), "{:?} in {}", findings, source.text);
        let Item::Func(main) = &ast.items[0] else { panic!("a function") };
        let StmtKind::Print(value) = &main.body[0].kind else { panic!("a print") };
        prop_assert_eq!(value.iter().map(without_places).collect::<Vec<_>>(), [tree]);
    }

    /// Tokens lie in order, apart, and inside the text; nothing panics on any text.
    #[test]
    fn any_text_is_survived(text in "\\PC{0,200}") {
        let source = SourceFile::new("any.gt", text);
        let (list, _) = tokens(&source);
        prop_assert_eq!(list.last().map(|token| token.kind), Some(TokenKind::Eof));
        for pair in list.windows(2) {
            prop_assert!(pair[0].span.end <= pair[1].span.start);
            prop_assert!(source.text.get(pair[0].span.start..pair[0].span.end).is_some());
        }
        let _ = compile_front(&source);
        let _ = parse_schedule(&source);
    }

    /// The same for texts made of the language's own words, which get further.
    #[test]
    fn any_words_are_survived(words in prop::collection::vec(prop::sample::select(vec![
        "func", "main", "(", ")", "end", "var", "x", ":", "int", "=", "1", ";", "if", "else", "while", "[", "]", "{", "}",
        "element", "V", "vector", "edgeset", "g", ".", "apply", "from", ",", "print", "+", "not", "#", "new", "list",
        "do", "for", "in", "->", "const", "max=", "\"s\"", "load", "argv", "break", "delete", "\nschedule:\n", "program",
    ]), 0..120)) {
        let source = SourceFile::new("words.gt", words.join(" "));
        if let Err(findings) = compile_front(&source) {
            prop_assert!(findings.iter().any(|finding| finding.is_error()));
        }
    }
}
