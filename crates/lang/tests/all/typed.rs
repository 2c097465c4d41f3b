//! What the checker makes of right programs: conversions, resolution, operators, tokens and trees.

use crate::common::golden;
use gw_lang::ast::BinaryOp;
use gw_lang::typed::*;
use gw_lang::{Builtin, Scalar, SourceFile, Type, TypedProgram, check, compile_front, dump, lexer, parse, tokens};

const PRELUDE: &str = "\
element V end
element E end
const g : edgeset{E}(V,V,int) = load(argv[1]);
const vs : vertexset{V} = g.getVertices();
const a : vector{V}(int) = 0;
const f : vector{V}(float) = 0;
const d : vector{V}(double) = 0;
const u : vector{V}(uint) = 4294967295;
const b : vector{V}(bool) = false;
";

fn program(text: &str) -> TypedProgram {
    let source = SourceFile::new("test.gt", format!("{PRELUDE}{text}"));
    let (ast, findings) = parse(&source);
    assert_eq!(findings, [], "syntax");
    match check(&ast) {
        Ok(checked) => checked.program,
        Err(errors) => panic!("{}", gw_lang::diagnostic::render(&errors, &source, false)),
    }
}

/// The statements of `main` with this body.
fn body(text: &str) -> Vec<Stmt> {
    let mut program = program(&format!("func main()\n{text}\nend\n"));
    let main = program.main.expect("main");
    std::mem::take(&mut program.functions[main.0 as usize].body)
}

/// The printed expression.
fn printed(text: &str) -> Expr {
    match body(&format!("print {text};")).pop().expect("one statement").kind {
        StmtKind::Print(mut values) => values.pop().expect("one value"),
        other => panic!("{other:?}"),
    }
}

/// A compact spelling of a typed expression, enough to see its shape.
fn shape(expr: &Expr) -> String {
    let ty = |ty: &Type| ty.repr().map_or("?".to_string(), |s| s.to_string());
    match &expr.kind {
        ExprKind::Int(v) => format!("{v}:{}", ty(&expr.ty)),
        ExprKind::Float(v) => format!("{v:?}:{}", ty(&expr.ty)),
        ExprKind::Bool(v) => v.to_string(),
        ExprKind::Index { base, index } => format!("{}[{}]", shape(base), shape(index)),
        ExprKind::Var(Var::Global(id)) => ["g", "vs", "a", "f", "d", "u", "b"][id.0 as usize].into(),
        ExprKind::Var(Var::Local(id)) => format!("l{}", id.0),
        ExprKind::Convert(inner) => format!("{}({})", ty(&expr.ty), shape(inner)),
        ExprKind::Neg(inner) => format!("-{}", shape(inner)),
        ExprKind::Not(inner) => format!("!{}", shape(inner)),
        ExprKind::Binary { op, left, right } => {
            format!("({} {} {})", shape(left), op.symbol(), shape(right))
        }
        ExprKind::Builtin { builtin, args } => {
            let args: Vec<String> = args.iter().map(shape).collect();
            format!("{builtin:?}({})", args.join(", "))
        }
        other => format!("{other:?}"),
    }
}

#[track_caller]
fn assert_shape(text: &str, expected: &str, ty: Scalar) {
    let expr = printed(text);
    assert_eq!(shape(&expr), expected, "{text}");
    assert_eq!(expr.ty.repr(), Some(ty), "{text}");
}

#[test]
fn precedence() {
    assert_shape("1 + 2 * 3", "(1:int + (2:int * 3:int))", Scalar::Int);
    assert_shape("1 - 2 - 3", "((1:int - 2:int) - 3:int)", Scalar::Int);
    assert_shape("true or false and true", "(true or (false and true))", Scalar::Bool);
    assert_shape("true and false xor true", "(true and (false xor true))", Scalar::Bool);
    assert_shape("1 < 2 == true", "((1:int < 2:int) == true)", Scalar::Bool);
    assert_shape("1 < 2 < 3", "(int((1:int < 2:int)) < 3:int)", Scalar::Bool);
    // `not` binds tighter than a comparison and looser than a sum.
    assert_shape("not b[0] == b[1]", "(!b[0:int] == b[1:int])", Scalar::Bool);
    assert_shape("not a[0] + 1", "!bool((a[0:int] + 1:int))", Scalar::Bool);
    assert_shape("not not b[0]", "!!b[0:int]", Scalar::Bool);
    assert_shape("- a[0] * 2", "(-a[0:int] * 2:int)", Scalar::Int);
    assert_shape("(1 + 2) * 3", "((1:int + 2:int) * 3:int)", Scalar::Int);
}

#[test]
fn conversions_are_those_of_c() {
    assert_shape("a[0] + f[0]", "(float(a[0:int]) + f[0:int])", Scalar::Float);
    assert_shape("f[0] + d[0]", "(double(f[0:int]) + d[0:int])", Scalar::Double);
    assert_shape("a[0] + u[0]", "(uint(a[0:int]) + u[0:int])", Scalar::Uint);
    assert_shape("b[0] + b[1]", "(int(b[0:int]) + int(b[1:int]))", Scalar::Int);
    assert_shape("a[0] / 2", "(a[0:int] / 2:int)", Scalar::Int);
    assert_shape("1 / d[0]", "(1.0:double / d[0:int])", Scalar::Double);
    assert_shape("b[0] == 0", "(int(b[0:int]) == 0:int)", Scalar::Bool);
    assert_shape("b[0] == false", "(b[0:int] == false)", Scalar::Bool);
    assert_shape("a[0] and f[0]", "(bool(a[0:int]) and bool(f[0:int]))", Scalar::Bool);
}

const INDEX: &str = "a[int(Max(Min((int_64(a[0:int]) * 5000000000:int_64), 2147483647:int_64), -1:int_64))]";

#[test]
fn literals_fit_their_surroundings() {
    // A floating literal beside a float stays a float, so that operators do not compute in double by accident.
    assert_shape("f[0] * 0.5", "(f[0:int] * 0.5:float)", Scalar::Float);
    assert_shape("d[0] * 0.1", "(d[0:int] * 0.1:double)", Scalar::Double);
    assert_shape("4294967295", "4294967295:uint", Scalar::Uint);
    assert_shape("-2147483648", "-2147483648:int", Scalar::Int);
    assert_shape("5000000000", "5000000000:int_64", Scalar::Int64);
    // An index must not become a small one by losing its upper half, on either side.
    assert_shape("a[a[0] * 5000000000]", INDEX, Scalar::Int);
    assert_shape("u[0] == 4294967295", "(u[0:int] == 4294967295:uint)", Scalar::Bool);
    let stmts = body("var x : int = 4294967295; var y : float = 1.0 / a[0]; var z = 0.5;");
    let value = |at: usize| match &stmts[at].kind {
        StmtKind::Let { init: Some(Init::Value(value)), .. } => shape(value),
        other => panic!("{other:?}"),
    };
    assert_eq!(value(0), "-1:int", "wraps in an int");
    assert_eq!(value(1), "(1.0:float / float(a[0:int]))");
    assert_eq!(value(2), "0.5:double");
}

#[test]
fn intrinsics() {
    assert_shape("max(f[0], a[0])", "Max(int(f[0:int]), a[0:int])", Scalar::Int);
    assert_shape("max(a[0], f[0])", "Max(float(a[0:int]), f[0:int])", Scalar::Float);
    assert_shape("min(f[0], a[0])", "Min(f[0:int], float(a[0:int]))", Scalar::Float);
    assert_shape("mod(a[0], 7)", "Mod(a[0:int], 7:int)", Scalar::Int);
    assert_shape("abs(a[0])", "Abs(a[0:int])", Scalar::Int);
    assert_shape("fabs(a[0])", "Abs(double(a[0:int]))", Scalar::Double);
    assert_shape("sqrt(f[0])", "Sqrt(f[0:int])", Scalar::Float);
    assert_shape("pow(2, 3)", "Pow(2.0:double, 3.0:double)", Scalar::Double);
    assert_shape("to_double(a[0])", "double(a[0:int])", Scalar::Double);
    assert_shape("compare_and_swap(f, 0, 1, 2)", "CompareAndSwap(f, 0:int, 1.0:float, 2.0:float)", Scalar::Bool);
    assert_shape("b.count()", "VectorCount(b)", Scalar::Int);
    assert_shape("d.min()", "VectorMin(d)", Scalar::Double);
    assert_shape("g.getVertices() + 1", "(VertexCount(g) + 1:int)", Scalar::Int);
}

#[test]
fn bits_become_built_ins() {
    assert_shape("a[0] & 1 == 0", "(BitAnd(a[0:int], 1:int) == 0:int)", Scalar::Bool);
    assert_shape("1 << 2 + 3", "ShiftLeft(1:int, (2:int + 3:int))", Scalar::Int);
    assert_shape("u[0] | 1", "BitOr(u[0:int], 1:uint)", Scalar::Uint);
    assert_shape("7 mod 2 * 3", "(Mod(7:int, 2:int) * 3:int)", Scalar::Int);
    assert_shape("~a[0] ^ 3", "BitXor(BitNot(a[0:int]), 3:int)", Scalar::Int);
}

#[test]
fn words_glued_to_equals() {
    // `max=` reduces, `max =` assigns, `max==` compares.
    let stmts = body("var max : int = 1; max = 2; max max= 3; print max==4;");
    assert!(matches!(stmts[1].kind, StmtKind::Assign { .. }));
    assert!(matches!(stmts[2].kind, StmtKind::Reduce { op: ReduceOp::Max, .. }));
    let StmtKind::Print(values) = &stmts[3].kind else { panic!() };
    assert!(matches!(values[0].kind, ExprKind::Binary { op: BinaryOp::Eq, .. }));
}

fn edge_apply(stmt: &Stmt) -> &EdgeApply {
    let value = match &stmt.kind {
        StmtKind::Expr(value) => value,
        StmtKind::Let { init: Some(Init::Value(value)), .. } => value,
        other => panic!("{other:?}"),
    };
    match &value.kind {
        ExprKind::EdgeApply(apply) => apply,
        other => panic!("{other:?}"),
    }
}

#[test]
fn edge_operators() {
    let typed = program(
        "func hop[x : vector{V}(int), k : int](s : V, t : V) x[t] = k; end
         func lower(s : V, t : V, w : int) -> ok : bool ok = writeMin(a, t, w); end
         func late(v : V) -> r : bool r = a[v] > 3; end
         func main()
            var local : vector{V}(int) = 0;
            var cur : vertexset{V} = new vertexset{V}(0);
            var one : vertexset{V} = g.from(cur).to(late).applyModified(hop[local, 7], local, true);
            var two : vertexset{V} = g.applyModified(hop[a, 7], x);
            var three : vertexset{V} = g.to(cur).apply(lower);
            g.srcFilter(late).apply(helper);
         end
         func helper(s : V, t : V) a[t] += 1; end",
    );
    let main = typed.function(typed.main.expect("main"));
    let one = edge_apply(&main.body[2]);
    assert!(matches!(&one.from, Some(Filter::Set(_))));
    assert!(matches!(&one.to, Some(Filter::Func(_))));
    let tracked = |at| match edge_apply(&main.body[at]).kind {
        ApplyKind::Modified { vector, disable_dedup } => (vector, disable_dedup),
        ref other => panic!("{other:?}"),
    };
    assert_eq!(tracked(2), (Tracked::Capture(0), true), "the capture a local is bound to");
    assert_eq!(tracked(3), (Tracked::Capture(0), false), "the capture's own name");
    let three = edge_apply(&main.body[4]);
    assert_eq!(three.kind, ApplyKind::ApplyCollect);
    assert!(three.weighted);
    assert!(matches!(&three.to, Some(Filter::Set(_))));
    assert_eq!(edge_apply(&main.body[5]).kind, ApplyKind::Apply, "functions may be declared later");
}

#[test]
fn priority_queues_in_both_spellings() {
    let typed = program(
        "const q : priority_queue{V}(uint);
         func relax(s : V, t : V, w : int)
            q.updatePriorityMin(t, u[t], u[s] + w);
            q.update_priority_sum(t, -1, q.getCurrentPriority());
         end
         func main()
            q = new priority_queue{V}(uint)(false, false, u, 0, 2, true, -1);
            while not q.finished()
                var now : vertexset{V} = q.dequeueReadySet();
                g.from(now).applyUpdatePriority(relax);
            end
         end",
    );
    let relax = typed.function(typed.find_function("relax").expect("relax"));
    let StmtKind::Expr(update) = &relax.body[1].kind else { panic!() };
    let ExprKind::Builtin { builtin, args } = &update.kind else { panic!() };
    assert_eq!(*builtin, Builtin::UpdatePrioritySum);
    assert_eq!(args[2].ty, Type::INT, "a delta may be negative although priorities are unsigned");
    let main = typed.function(typed.main.expect("main"));
    let StmtKind::Assign { value, .. } = &main.body[0].kind else { panic!() };
    let ExprKind::NewPriorityQueue(queue) = &value.kind else { panic!() };
    assert!(!queue.increasing && queue.all_queued && queue.priority_order == 2);
}

#[test]
fn global_vertexsets() {
    let typed = program(
        "const open : vertexset{V};\nfunc main() vs = g.getVertices(); open = new vertexset{V}(0); open.addVertex(1); end",
    );
    assert!(typed.globals[1].universe, "stands for all vertices");
    assert!(matches!(typed.globals[1].init, Some(Init::Universe(_))));
    let open = typed.globals.last().expect("open");
    assert!(!open.universe, "filled by hand");
    let main = typed.function(typed.main.expect("main"));
    assert!(matches!(main.body[0].kind, StmtKind::SetUniverse { .. }));
    assert!(matches!(main.body[1].kind, StmtKind::Assign { .. }));

    // One set used both ways is an ordinary set everywhere.
    let typed =
        program("const s : vertexset{V} = g.getVertices();\nfunc main() s.addVertex(1); s = g.getVertices(); end");
    let s = typed.globals.last().expect("s");
    assert!(!s.universe && matches!(s.init, Some(Init::Value(_))));
    let main = typed.function(typed.main.expect("main"));
    assert!(
        matches!(&main.body[1].kind, StmtKind::Assign { value, .. } if matches!(value.kind, ExprKind::NewVertexSet { .. }))
    );
}

#[test]
fn vectors_start_filled_or_listed() {
    let typed = program(
        "const n : vector{V}(vector[2](double)) = 1;
         const k : vector[2](float) = {1, 2.5};
         const o : vector{V}(int) = g.getOutDegrees();
         func main() n[0][1] += 1; end",
    );
    let init = |name: &str| {
        let global = typed.globals.iter().find(|global| global.name == name);
        global.and_then(|global| global.init.clone()).expect("an initialiser")
    };
    assert!(matches!(init("n"), Init::Fill(value) if value.ty == Type::DOUBLE));
    assert!(matches!(init("k"), Init::Items(items) if items.len() == 2 && items[0].ty == Type::FLOAT));
    assert!(matches!(init("o"), Init::Value(_)));
    let main = typed.function(typed.main.expect("main"));
    assert!(matches!(&main.body[0].kind, StmtKind::Reduce { target, .. } if target.indices.len() == 2));
}

#[test]
fn scopes_shadow() {
    let typed = program(
        "func find() -> output : int
            for i in 0:3
                var output : vertexset{V} = new vertexset{V}(0);
                delete output;
            end
            output = 4;
         end
         func main() print find(); end",
    );
    let find = typed.function(typed.find_function("find").expect("find"));
    assert_eq!(find.locals.iter().filter(|local| local.name == "output").count(), 2);
    let StmtKind::Assign { target, .. } = &find.body[1].kind else { panic!() };
    assert_eq!(Some(target.var), find.result.map(Var::Local));
}

#[test]
fn main_may_name_argv() {
    program("func main(argv : vector[4](string)) print argv[2]; end");
}

#[test]
fn schedule_sections() {
    let schedule = |text: &str| {
        let front = compile_front(&SourceFile::new("seed.gt", text)).expect("a right program");
        front.schedule.map_or("none".into(), |schedule| schedule.to_string())
    };
    let seeds = [
        ("reach", include_str!("../seeds/reach.gt")),
        ("nearest", include_str!("../seeds/nearest.gt")),
        ("influence", include_str!("../seeds/influence.gt")),
        ("triangles", include_str!("../seeds/triangles.gt")),
        ("library", include_str!("../seeds/library.gt")),
    ];
    let lines: Vec<String> = seeds.iter().map(|(name, text)| format!("{name}: {}", schedule(text))).collect();
    golden("seed_schedules", &lines.join("\n"));
}

#[test]
fn tokens_and_tree() {
    let source = SourceFile::new("reach.gt", include_str!("../seeds/reach.gt"));
    let (list, findings) = tokens(&source);
    assert_eq!(findings, []);
    golden("reach_tokens", &lexer::dump(&source, &list));
    let source = SourceFile::new("influence.gt", include_str!("../seeds/influence.gt"));
    let (ast, findings) = parse(&source);
    assert_eq!(findings, []);
    golden("influence_tree", &dump::dump(&source, &ast));
}

#[test]
fn the_front_end_is_fast() {
    let source = SourceFile::new("influence.gt", include_str!("../seeds/influence.gt"));
    let best = (0..50).map(|_| {
        let start = std::time::Instant::now();
        compile_front(&source).expect("a right program");
        start.elapsed()
    });
    let best = best.min().expect("fifty runs");
    println!("front end: {best:?}");
    // Tests are built with little optimisation and share the machine; a release build needs a tenth of this.
    assert!(best.as_micros() < 1000, "{best:?}");
}
