//! The texts of functions that operators over triangles stand for, and statements made of other statements.

use crate::ast::{self, ExprKind as Ast, FuncRef, OperatorKind, StmtKind};

/// The body of a function of a link `$pq` of a set: the neighbours of the end with fewer are looked up at the other
/// end. Names in braces stand for forms of the links and for conditions.
pub(super) const FROM_SET: &str = "if {e}\n\
            var $p : $V = {low}[$pq]; var $q : $V = {high}[$pq];\n\
            if {around}.getOutDegree($q) < {around}.getOutDegree($p)\n\
                $p = {high}[$pq]; $q = {low}[$pq];\n\
            end\n\
            var $first : int = {first}[$p]; var $of_p : int = {around}.getOutDegree($p);\n\
            for $i in 0:$of_p\n\
                var $pr : int = {link}[$first + $i];\n\
                if {ac}\n\
                    var $there : int = edgeIndex({around}, $q, getOutNgh({around}, $p, $i));\n\
                    if $there >= 0\n\
                        var $qr : int = {link}[$there];\n\
                        if {bc}\n\
                            var $one : bool = {stamp}[$pr] == {calls}; var $other : bool = {stamp}[$qr] == {calls};\n\
                            if (not $one or $pq < $pr) and (not $other or $pq < $qr)\n\
                                {found}\n\
                            end\n\
                        end\n\
                    end\n\
                end\n\
            end\n\
            end\n";

/// A statement at the place and under the label of another.
pub(super) fn labelled(operator: ast::Expr, stmt: &ast::Stmt) -> ast::Stmt {
    ast::Stmt { label: stmt.label.clone(), kind: StmtKind::Expr(operator), span: stmt.span }
}

/// The statement with this in place of its value.
pub(super) fn with_value(stmt: &ast::Stmt, value: ast::Expr) -> ast::Stmt {
    let mut stmt = stmt.clone();
    match &mut stmt.kind {
        StmtKind::Expr(old) | StmtKind::Assign { value: old, .. } => *old = value,
        StmtKind::Decl(ast::Decl { init: Some(ast::Init::Expr(old)), .. }) => *old = value,
        _ => {}
    }
    stmt
}

/// `loops.from(set).applyModified(f, tracked)` of `loops.apply(f)`.
pub(super) fn modified_from(loops: &str, from: &FuncRef, mut applied: ast::Expr, to_track: ast::Ident) -> ast::Expr {
    let at = applied.span;
    if let Ast::Operator { receiver, op, tracked, .. } = &mut applied.kind {
        let kind = Ast::Operator {
            receiver: Box::new(ast::Expr { kind: Ast::Name(loops.into()), span: at }),
            op: OperatorKind::From,
            op_span: at,
            func: from.clone(),
            tracked: None,
            tracked_field: None,
            disable_dedup: None,
        };
        **receiver = ast::Expr { kind, span: at };
        *op = OperatorKind::ApplyModified;
        *tracked = Some(to_track);
    }
    applied
}

/// The body of a function of a link `$e` from `$a` to the end with more, `$b`: the shorter of their lists is looked up
/// in the longer, and `found` is done for every common entry, the third corner `$x`. With `numbers`, `$pc` and `$qc`
/// are its links to the ends, in the order of the lengths of their lists.
pub(super) fn searched(numbers: bool, before: &str, condition: &str, found: &str, after: &str) -> String {
    let (first, links) = match numbers {
        true => (
            "var $first_p : int = {first}[$p];\n",
            "var $pc : int = {link}[$first_p + $i]; var $qc : int = {link}[$there];\n",
        ),
        false => ("", ""),
    };
    format!(
        "var $a : $V = {{source}}[$e]; var $b : $V = {{target}}[$e];\n\
         {before}if {condition}\n\
         var $p : $V = $a; var $q : $V = $b;\n\
         if {{up}}.getOutDegree($b) < {{up}}.getOutDegree($a)\n\
             $p = $b; $q = $a;\n\
         end\n\
         var $of_p : int = {{up}}.getOutDegree($p);\n\
         {first}for $i in 0:$of_p\n\
             var $x : $V = getOutNgh({{up}}, $p, $i);\n\
             var $there : int = edgeIndex({{up}}, $q, $x);\n\
             if $there >= 0\n{links}{found}end\n\
         end\n\
         {after}end\n"
    )
}
