//! Triangles: `links.triangles().apply(f)` and its kin.
//!
//! An operator over triangles stands for operators over edges and sets that every machine has, so that their schedules
//! are its schedules. Every triangle is found once:
//!
//! | operator | stands for |
//! |---|---|
//! | `apply(f)` | an operator over links towards the end with more: one list is looked up in the other |
//! | `from(gone).apply(f)` | an operator over `gone`: the neighbours of the end with fewer are looked up at the other |
//! | `from(gone).applyModified(f, x)` | the same as an edge operator over a graph where every link leads to itself |
//! | `count(x)` | over links, as `apply`; over vertices, and in all, intersections below a vertex, numbered by degree |

use super::links::Form;
use super::made_text::{applied, statements};
use super::operator::is_vertex;
use super::scope::Meaning;
use super::triangle_text::{FROM_SET, labelled, modified_from, searched, with_value};
use super::{Checked, Checker, Symbol};
use crate::ast::{self, ExprKind as Ast, FuncRef, OperatorKind, StmtKind};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::typed::{Expr, ExprKind, Var};
use crate::types::{EdgeSetType, ElemId, GlobalId, IndexKind, Type};
use std::collections::HashMap;

/// A chain over triangles as written.
struct Chain<'e> {
    links: &'e ast::Expr,
    from: Option<&'e FuncRef>,
    keep: Option<&'e FuncRef>,
    last: Last<'e>,
    span: Span,
}

/// What is done with the triangles.
#[derive(Clone, Copy)]
enum Last<'e> {
    Apply(&'e FuncRef),
    Modified(&'e FuncRef, &'e ast::Ident),
    Count(&'e ast::Expr),
}

/// What a function of triangles takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Vertices,
    Links,
    Both,
}

/// A function or vector that the made functions use: how it is written there, what it captures, and of which types.
#[derive(Default)]
struct Used {
    text: String,
    captures: Vec<ast::Expr>,
    types: Vec<Type>,
}

/// The chain over triangles that an expression is; `None` for other expressions.
fn chain(expr: &ast::Expr) -> Option<(Chain<'_>, Option<(&str, Span)>)> {
    let mut odd = None;
    let (mut receiver, last) = match &expr.kind {
        Ast::Operator { receiver, op: OperatorKind::ApplyModified, func, tracked: Some(tracked), .. } => {
            (receiver, Last::Modified(func, tracked))
        }
        Ast::Operator { receiver, op, op_span, func, .. } => {
            if *op != OperatorKind::Apply {
                odd = Some((op.name(), *op_span));
            }
            (receiver, Last::Apply(func))
        }
        Ast::Method { receiver, name, args } if name.name == "count" && args.len() == 1 => {
            (receiver, Last::Count(&args[0]))
        }
        _ => return None,
    };
    let (mut from, mut keep) = (None, None);
    while let Ast::Operator { receiver: inner, op, op_span, func, .. } = &receiver.kind {
        match op {
            OperatorKind::From => from = Some(func),
            OperatorKind::Filter => keep = Some(func),
            _ => odd = Some((op.name(), *op_span)),
        }
        receiver = inner;
    }
    match &receiver.kind {
        Ast::Method { receiver: links, name, args } if name.name == "triangles" && args.is_empty() => {
            Some((Chain { links, from, keep, last, span: expr.span }, odd))
        }
        _ => None,
    }
}

impl Checker {
    /// The statements that a statement over triangles stands for; `None` for other statements.
    pub(super) fn triangle_statements(&mut self, stmt: &ast::Stmt) -> Option<Checked<Vec<ast::Stmt>>> {
        let call = match &stmt.kind {
            StmtKind::Expr(call) | StmtKind::Assign { value: call, .. } => call,
            StmtKind::Decl(ast::Decl { init: Some(ast::Init::Expr(call)), .. }) => call,
            _ => return None,
        };
        let (chain, odd) = chain(call)?;
        let is_value = !matches!(stmt.kind, StmtKind::Expr(_));
        if is_value && odd.is_none() && !matches!(chain.last, Last::Modified(..)) {
            return Some(Err(self.stray_triangles(chain.span)));
        }
        if let Some((word, span)) = odd {
            return Some(Err(self.report(
                Diagnostic::error(format!("`{word}` does not work on triangles"), span, "on triangles").help(
                    "write `links.triangles()`, then `.from(set)` and `.where(f)` as needed, then `.apply(f)` or \
                     `.count(x)`; `applyModified` follows `from`",
                ),
            )));
        }
        Some(self.triangles(&chain, stmt))
    }

    fn triangles(&mut self, chain: &Chain<'_>, stmt: &ast::Stmt) -> Checked<Vec<ast::Stmt>> {
        let (links, of_links) = self.links_of(chain.links)?;
        let keep = match chain.keep {
            Some(func) => Some(self.kept_links(func, of_links)?),
            None => None,
        };
        match chain.last {
            Last::Count(_) if chain.from.is_some() || keep.is_some() => {
                Err(self.report(Diagnostic::error("`count` counts all triangles", chain.span, "of a selection").help(
                    "count those of a selection in a function: `links.triangles().where(f).apply(g)` with `x[ab] += 1`",
                )))
            }
            Last::Count(counted) => self.count_triangles(links, of_links, counted, stmt),
            Last::Modified(func, tracked) => {
                let Some(from) = chain.from else {
                    return Err(self.report(
                        Diagnostic::error(
                            "`applyModified` works on triangles of a set of links",
                            chain.span,
                            "on all triangles",
                        )
                        .help("write `links.triangles().from(set).applyModified(f, x)`"),
                    ));
                };
                let used = self.of_triangle(func, of_links, true)?;
                self.triangles_from(links, of_links, used, keep, (from, Some((func, tracked))), stmt)
            }
            Last::Apply(func) => {
                let (takes, used) = self.of_triangle(func, of_links, chain.from.is_some())?;
                match chain.from {
                    Some(from) => self.triangles_from(links, of_links, (takes, used), keep, (from, None), stmt),
                    None => self.all_triangles(links, of_links, (takes, used), keep, stmt),
                }
            }
        }
    }

    /// The links that `triangles` is called on.
    fn links_of(&mut self, links: &ast::Expr) -> Checked<(GlobalId, EdgeSetType)> {
        let value = self.expr(links, None)?;
        match (&value.kind, &value.ty) {
            (ExprKind::Var(Var::Global(id)), Type::EdgeSet(ty)) if self.links.contains_key(id) => Ok((*id, *ty)),
            _ => Err(self.no_links(value.span)),
        }
    }

    /// Reports `triangles` on what are no links.
    fn no_links(&mut self, span: Span) -> super::Fail {
        self.report(
            Diagnostic::error("triangles are those of links", span, "no links")
                .help("declare `const links : edgeset{Link}(Vertex,Vertex) = edges.links();` at top level"),
        )
    }

    /// Reports `triangles` where no statement is made of it.
    pub(super) fn stray_triangles(&mut self, span: Span) -> super::Fail {
        self.report(
            Diagnostic::error("triangles are handed to a function by a statement", span, "not here")
                .help("write `links.triangles().apply(f);` or `links.triangles().count(x);`"),
        )
    }

    /// The condition of all three links: `@` in its text stands for the link.
    fn kept_links(&mut self, func: &FuncRef, of_links: EdgeSetType) -> Checked<Used> {
        if func.captures.is_none() && self.is_variable(&func.name.name) {
            let wanted = Type::Vector { index: IndexKind::Element(of_links.edge), item: Box::new(Type::BOOL) };
            let name = ast::Expr { kind: Ast::Name(func.name.name.clone()), span: func.span };
            let value = self.expr(&name, None)?;
            self.coerce(value, &wanted, "`where` of triangles")?;
            return Ok(Used { text: "$w0[@]".into(), captures: vec![name], types: vec![wanted] });
        }
        let predicate = self.predicate(func, of_links.edge, "where")?;
        self.filters.push(super::filter::FilterUse { func: predicate.func, span: func.span, word: "where" });
        self.used(func, "w", "@")
    }

    /// A function as it is called in made functions, with its captures under names of their own.
    fn used(&mut self, func: &FuncRef, letter: &str, args: &str) -> Checked<Used> {
        let captures = func.captures.clone().unwrap_or_default();
        let types = captures.iter().map(|value| self.expr(value, None).map(|value| value.ty));
        let types = types.collect::<Checked<Vec<_>>>()?;
        let names: Vec<String> = (0..captures.len()).map(|n| format!("${letter}{n}")).collect();
        let brackets = if func.captures.is_some() { format!("[{}]", names.join(", ")) } else { String::new() };
        Ok(Used { text: format!("{}{brackets}({args})", func.name.name), captures, types })
    }

    /// A function that is applied to triangles.
    fn of_triangle(&mut self, func: &FuncRef, of_links: EdgeSetType, from: bool) -> Checked<(Takes, Used)> {
        let (vertex, link) = (of_links.src, of_links.edge);
        let params = match self.lookup(&func.name.name, func.span)? {
            Meaning::Symbol(Symbol::Template(at)) => self.template(at).params.len(),
            _ => 0,
        };
        let elements: &[ElemId] = match (params, from) {
            (6, _) => &[vertex, vertex, vertex, link, link, link],
            (_, true) => &[link; 3],
            (_, false) => &[vertex; 3],
        };
        let given: Vec<Type> = elements.iter().map(|elem| Type::Element(*elem)).collect();
        let used = self.func_use(func, &given)?;
        let signature = self.signatures[used.func.0 as usize].clone();
        let types: Vec<&Type> = signature.params.iter().map(|(_, ty)| ty).collect();
        let are = |types: &[&Type], elem| types.iter().all(|ty| is_vertex(ty, elem));
        let takes = match types.len() {
            3 if from && are(&types, link) => Some(Takes::Links),
            3 if are(&types, vertex) => Some(Takes::Vertices),
            3 if are(&types, link) => Some(Takes::Links),
            6 if are(&types[..3], vertex) && are(&types[3..], link) => Some(Takes::Both),
            _ => None,
        };
        let (v, l) = (self.show(&Type::Element(vertex)), self.show(&Type::Element(link)));
        match takes {
            Some(takes) if signature.result == Type::Void => {
                let args = match takes {
                    Takes::Vertices => "$p, $q, $r",
                    Takes::Links => "$pq, $pr, $qr",
                    Takes::Both => "$p, $q, $r, $pq, $pr, $qr",
                };
                Ok((takes, self.used(func, "f", args)?))
            }
            _ => Err(self.report(
                Diagnostic::error(
                    format!("`{}` does not fit as a function of triangles", signature.name),
                    func.span,
                    "wrong parameters or a result",
                )
                .also(signature.span, "declared here")
                .help(format!(
                    "it takes `(a : {v}, b : {v}, c : {v})`, `(ab : {l}, ac : {l}, bc : {l})` or all six, and gives \
                     nothing"
                )),
            )),
        }
    }

    /// `links.triangles().apply(f)`.
    fn all_triangles(
        &mut self,
        links: GlobalId,
        of_links: EdgeSetType,
        (takes, func): (Takes, Used),
        keep: Option<Used>,
        stmt: &ast::Stmt,
    ) -> Checked<Vec<ast::Stmt>> {
        let numbers = takes != Takes::Vertices || keep.is_some();
        let condition = |link: &str| keep.as_ref().map_or("true".to_string(), |keep| keep.text.replace('@', link));
        // Corners and links are handed on in ascending order: where a < b < c, so are ab < ac < bc.
        let mut found = String::new();
        if keep.is_some() {
            found += &format!("if {} and {}\n", condition("$pc"), condition("$qc"));
        }
        if takes != Takes::Vertices {
            found += "var $pq : int = min(min($ab, $pc), $qc); var $qr : int = max(max($ab, $pc), $qc);\n\
                      var $pr : int = $ab + $pc + $qc - $pq - $qr;\n";
        }
        if takes != Takes::Links {
            found += "var $one : $V = min(min($a, $b), $x); var $three : $V = max(max($a, $b), $x);\n\
                      var $two : $V = $a + $b + $x - $one - $three;\n";
        }
        let call = func.text.replace("$p, $q, $r", "$one, $two, $three");
        found += &format!("{call};\n");
        if keep.is_some() {
            found += "end\n";
        }
        let before = if numbers { "var $ab : int = {link}[$e];\n" } else { "" };
        let body = searched(numbers, before, &condition("$ab"), &found, "");
        self.over_upward(links, of_links, &body, [Some(func), keep], stmt)
    }

    /// An operator over links towards the end with more.
    fn over_upward(
        &mut self,
        links: GlobalId,
        of_links: EdgeSetType,
        body: &str,
        used: [Option<Used>; 2],
        stmt: &ast::Stmt,
    ) -> Checked<Vec<ast::Stmt>> {
        let (up, all) = (self.form(links, Form::Upward), self.form(links, Form::AllUpward));
        let mut body = body.replace("{up}", &up);
        let forms = [
            ("{source}", Form::SourceUpward),
            ("{target}", Form::TargetUpward),
            ("{link}", Form::LinkUpward),
            ("{first}", Form::FirstUpward),
        ];
        for (place, form) in forms {
            if body.contains(place) {
                body = body.replace(place, &self.form(links, form));
            }
        }
        let of_up = EdgeSetType { edge: self.element_of(&all).unwrap_or(of_links.edge), ..of_links };
        let (name, captures) = self.made("$e : $L", &body, of_up, used, stmt.span)?;
        Ok(vec![labelled(applied(&all, &name, captures, stmt.span), stmt)])
    }

    /// The element whose set a global is.
    fn element_of(&self, name: &str) -> Option<ElemId> {
        match self.symbols.get(name) {
            Some(Symbol::Global(id)) => match self.program.global(*id).ty {
                Type::VertexSet(elem) => Some(elem),
                _ => None,
            },
            _ => None,
        }
    }

    /// Adds a function that is handed edges or links, and gives its name and what it captures.
    fn made(
        &mut self,
        params: &str,
        body: &str,
        of_links: EdgeSetType,
        used: [Option<Used>; 2],
        at: Span,
    ) -> Checked<(String, Vec<ast::Expr>)> {
        let name = self.free_name(&format!("{}triangles", super::made_text::DERIVED));
        let mut types = HashMap::new();
        let type_name = |word: &str| format!("{}{word}", super::made_text::DERIVED);
        types.insert(type_name("V"), Type::Element(of_links.src));
        types.insert(type_name("L"), Type::Element(of_links.edge));
        let (mut declared, mut captures) = (Vec::new(), Vec::new());
        for (used, letter) in used.into_iter().zip(["f", "w"]) {
            let Some(used) = used else { continue };
            for (n, ty) in used.types.into_iter().enumerate() {
                declared.push(format!("${letter}{n} : $T{letter}{n}"));
                types.insert(type_name(&format!("T{letter}{n}")), ty);
            }
            captures.extend(used.captures);
        }
        let brackets = if declared.is_empty() { String::new() } else { format!("[{}]", declared.join(", ")) };
        self.function_of_text(&format!("func {name}{brackets}({params})\n{body}\nend\n"), types, at)?;
        Ok((name, captures))
    }

    /// `links.triangles().from(gone).apply(f)`, and `applyModified` with the function and the vector as written.
    fn triangles_from(
        &mut self,
        links: GlobalId,
        of_links: EdgeSetType,
        (takes, func): (Takes, Used),
        keep: Option<Used>,
        (from, modified): (&FuncRef, Option<(&FuncRef, &ast::Ident)>),
        stmt: &ast::Stmt,
    ) -> Checked<Vec<ast::Stmt>> {
        let at = stmt.span;
        let set = ast::Expr { kind: Ast::Name(from.name.name.clone()), span: from.span };
        let named = from.captures.is_none() && self.is_variable(&from.name.name);
        let given = if named { self.expr(&set, None).map(|set| set.ty) } else { Ok(Type::Void) };
        if given? != Type::VertexSet(of_links.edge) {
            let link = self.show(&Type::Element(of_links.edge));
            return Err(self.report(
                Diagnostic::error("`from` of triangles takes a set of links", from.span, "no set of links")
                    .help(format!("name a variable of type `edgesubset{{{link}}}`")),
            ));
        }
        let condition = |link: &str| keep.as_ref().map_or("true".to_string(), |keep| keep.text.replace('@', link));
        // Among the members of `gone` of a triangle the least finds it; they come first, and then in ascending order.
        let mut body = FROM_SET.to_string();
        let turned = match takes {
            Takes::Links => func.text.replace("$pr, $qr", "$qr, $pr"),
            _ => func.text.replace("$p, $q, $r", "$q, $p, $r").replace("$pr, $qr", "$qr, $pr"),
        };
        let third = match takes {
            Takes::Links => "",
            _ => "var $r : $V = getOutNgh({around}, $p, $i);\n",
        };
        let found = format!(
            "{third}if $one == $other and $pr < $qr or $one and not $other\n{};\nelse\n{turned};\nend\n",
            func.text
        );
        body = body.replace("{found}", &found);
        for (place, link) in [("{e}", "$pq"), ("{ac}", "$pr"), ("{bc}", "$qr")] {
            body = body.replace(place, &condition(link));
        }
        let forms = [
            ("{around}", Form::Around),
            ("{low}", Form::Low),
            ("{high}", Form::High),
            ("{first}", Form::FirstAround),
            ("{link}", Form::LinkAround),
            ("{stamp}", Form::Stamp),
            ("{calls}", Form::Calls),
        ];
        for (place, form) in forms {
            body = body.replace(place, &self.form(links, form));
        }
        let (stamp, calls) = (self.form(links, Form::Stamp), self.form(links, Form::Calls));
        let marks = format!("{stamp}_all");
        if !self.symbols.contains_key(&marks) {
            let types = HashMap::from([(format!("{}L", super::made_text::DERIVED), Type::Element(of_links.edge))]);
            self.function_of_text(&format!("func {marks}($e : $L)\n{stamp}[$e] = {calls};\nend\n"), types, at)?;
        }
        let params = if modified.is_some() { "$pq : $L, $same : $L" } else { "$pq : $L" };
        let (name, captures) = self.made(params, &body, of_links, [Some(func), keep], at)?;
        let mut made = statements(&format!("{calls} += 1; {}.apply({marks});", from.name.name), at);
        made.push(match modified {
            None => labelled(applied(&from.name.name, &name, captures, at), stmt),
            Some((func, tracked)) => {
                let loops = self.form(links, Form::Loops);
                let tracked = self.tracked_here(func, tracked);
                with_value(stmt, modified_from(&loops, from, applied(&loops, &name, captures, at), tracked))
            }
        });
        Ok(made)
    }

    /// The name of a tracked vector in the function that calls the one it was given for.
    fn tracked_here(&self, func: &FuncRef, tracked: &ast::Ident) -> ast::Ident {
        let at = match self.symbols.get(&func.name.name) {
            Some(Symbol::Func(id)) => {
                self.signatures[id.0 as usize].captures.iter().position(|(name, _)| *name == tracked.name)
            }
            Some(Symbol::Template(at)) => {
                self.template(*at).captures.iter().position(|capture| capture.name.name == tracked.name)
            }
            _ => None,
        };
        let name = at.map_or(tracked.name.clone(), |n| format!("{}f{n}", super::made_text::DERIVED));
        ast::Ident { name, span: tracked.span }
    }

    /// `links.triangles().count(x)`.
    fn count_triangles(
        &mut self,
        links: GlobalId,
        of_links: EdgeSetType,
        counted: &ast::Expr,
        stmt: &ast::Stmt,
    ) -> Checked<Vec<ast::Stmt>> {
        let value = self.expr(counted, None)?;
        let is_whole = |ty: &Type| matches!(ty, Type::Scalar(scalar) if scalar.is_whole());
        match (&value.kind, &value.ty) {
            (ExprKind::Var(_), Type::Vector { index: IndexKind::Element(of), item }) if is_whole(item) => {
                let used = |counts: &str| Used {
                    text: String::new(),
                    captures: vec![ast::Expr { kind: Ast::Name(counts.into()), span: counted.span }],
                    types: vec![value.ty.clone()],
                };
                if *of == of_links.edge {
                    let ast::ExprKind::Name(name) = &counted.kind else { return Err(self.uncounted(&value, of_links)) };
                    let found = "$f0[$pc] += 1; $f0[$qc] += 1; $found += 1;\n";
                    let after = "if $found > 0\n$f0[{link}[$e]] += $found;\nend\n";
                    let body = searched(true, "var $found : int = 0;\n", "true", found, after);
                    return self.over_upward(links, of_links, &body, [Some(used(name)), None], stmt);
                }
                if *of == of_links.src {
                    return self.count_at_vertices(links, of_links, counted, (**item).clone(), used(""), stmt);
                }
            }
            (ExprKind::Var(Var::Global(id)), ty) if is_whole(ty) => {
                let total = self.program.global(*id).name.clone();
                let ranked = self.form(links, Form::Ranked);
                let body = format!("if $a > $b\n#intersect# {total} += intersectNeighbor({ranked}, $a, $b);\nend\n");
                let (name, _) = self.made("$a : $V, $b : $V", &body, of_links, [None, None], stmt.span)?;
                return Ok(vec![labelled(applied(&ranked, &name, Vec::new(), stmt.span), stmt)]);
            }
            _ => {}
        }
        Err(self.uncounted(&value, of_links))
    }

    fn uncounted(&mut self, value: &Expr, of_links: EdgeSetType) -> super::Fail {
        let found = self.show(&value.ty);
        let (v, l) = (self.show(&Type::Element(of_links.src)), self.show(&Type::Element(of_links.edge)));
        self.report(
            Diagnostic::error(
                format!("`count` cannot count triangles in {found}"),
                value.span,
                format!("this is {found}"),
            )
            .help(format!(
                "it takes a vector of whole numbers over {v} or over {l}, or a global that is a whole number"
            )),
        )
    }

    /// Counts at vertices: between numbers by falling degree, and then at the vertices themselves.
    fn count_at_vertices(
        &mut self,
        links: GlobalId,
        of_links: EdgeSetType,
        counted: &ast::Expr,
        item: Type,
        mut used: Used,
        stmt: &ast::Stmt,
    ) -> Checked<Vec<ast::Stmt>> {
        let Type::Scalar(scalar) = item else { return Err(super::Fail) };
        let at = stmt.span;
        let (ranked, rank) = (self.form(links, Form::Ranked), self.form(links, Form::Rank));
        let vertices = self.form(links, Form::Vertices);
        let counts = self.free_name(&format!("{}counts", super::made_text::DERIVED));
        self.symbols.entry(counts.clone()).or_insert(Symbol::Poisoned);
        let name = |name: &str| ast::Expr { kind: Ast::Name(name.into()), span: at };
        used.captures = vec![name(&counts)];
        let types = used.types.clone();
        let body = format!("#intersect# $f0[$b] += intersectNeighbor({ranked}, $b, $a);\n");
        let (count, captures) = self.made("$a : $V, $b : $V", &body, of_links, [Some(used), None], at)?;
        let taken = Used {
            text: String::new(),
            captures: vec![counted.clone(), name(&counts)],
            types: [types.clone(), types].concat(),
        };
        let (take, taken) =
            self.made("$v : $V", &format!("$f0[$v] += $f1[{rank}[$v]];\n"), of_links, [Some(taken), None], at)?;
        let vertex = self.show(&Type::Element(of_links.src));
        let mut made = statements(&format!("var {counts} : vector{{{vertex}}}({scalar}) = 0;"), at);
        made.push(labelled(applied(&ranked, &count, captures, at), stmt));
        made.push(ast::Stmt { label: None, kind: StmtKind::Expr(applied(&vertices, &take, taken, at)), span: at });
        made.extend(statements(&format!("delete {counts};"), at));
        Ok(made)
    }
}
