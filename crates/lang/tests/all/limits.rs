//! Large and deep inputs: an answer in good time and never the end of the stack. Test threads have 2 MiB of it.

use gw_lang::{Diagnostic, SourceFile, compile_front, diagnostic, read_schedule};
use std::time::{Duration, Instant};

/// Generous for a loaded machine; anything quadratic takes minutes.
const IN_TIME: Duration = Duration::from_secs(30);

fn front(text: &str) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let source = SourceFile::new("large.gt", text);
    let start = Instant::now();
    let found = compile_front(&source).map(|front| front.warnings);
    let findings = found.as_ref().unwrap_or_else(|findings| findings);
    assert!(findings.len() <= 101, "{} findings", findings.len());
    diagnostic::render(findings, &source, false);
    assert!(start.elapsed() < IN_TIME, "took {:?} for {} bytes", start.elapsed(), text.len());
    found
}

fn too_deep(text: &str) {
    let findings = front(text).expect_err("too deep");
    assert!(
        findings.iter().any(|d| d.message.contains("levels deep") || d.message.contains("operators")),
        "{findings:?}"
    );
}

#[test]
fn depth_is_bounded() {
    const N: usize = 100_000;
    let main = |body: String| format!("func main()\n{body}\nend\n");
    too_deep(&main(format!("print {}1{};", "(".repeat(N), ")".repeat(N))));
    too_deep(&main(format!("print {}1;", "(".repeat(N))));
    too_deep(&main(format!("print {}1;", "not ".repeat(N))));
    too_deep(&main(format!("print {}1;", "- ".repeat(N))));
    too_deep(&main(format!("print 1{};", " + 1".repeat(N))));
    too_deep(&main(format!("print x{};", "[x".repeat(N))));
    too_deep(&main(format!("print x{};", ".a()".repeat(N))));
    too_deep(&main(format!("print {}1{};", "abs(".repeat(N), ")".repeat(N))));
    too_deep(&main(format!("var x : {}int{};", "list{".repeat(N), "}".repeat(N))));
    for (open, close) in [("if 1 ", "end "), ("while 1 ", "end "), ("for i in 0:1 ", "end "), ("do ", "end while 1; ")]
    {
        too_deep(&main(format!("{}{}", open.repeat(N), close.repeat(N))));
        too_deep(&main(open.repeat(N)));
    }
    too_deep(&main(format!("{}{}", "if 1 else ".repeat(N), "end ".repeat(N))));
}

#[test]
fn long_programs_are_read_in_time() {
    const N: usize = 100_000;
    let elifs = format!("func main()\nif 1\n{}end\nend\n", "elif 2 print 2;\n".repeat(N));
    assert_eq!(front(&elifs), Ok(vec![]));
    let mut chain =
        String::from("element Node end\nelement Link end\nconst links : edgeset{Link}(Node,Node) = load(argv[1]);\n");
    chain.push_str("const hops : vector{Node}(int) = 0;\nfunc f0(v : Node) -> yes : bool yes = hops[v] == 0; end\n");
    for i in 1..N {
        chain.push_str(&format!("func f{i}(v : Node) -> yes : bool yes = f{}(v); end\n", i - 1));
    }
    chain.push_str("func edge(src : Node, dst : Node) hops[dst] = 1; end\nfunc main()\n");
    for i in 0..1000 {
        chain.push_str(&format!("links.to(f{}).apply(edge);\n", N - 1 - i));
    }
    chain.push_str("end\n");
    assert_eq!(front(&chain), Ok(vec![]));
    // The same chain, but the innermost function writes.
    let writing = chain.replace("yes = hops[v] == 0;", "hops[v] = 1; yes = true;");
    assert!(front(&writing).expect_err("a filter writes")[0].message.contains("must not change anything"));
}

#[test]
fn ten_megabytes_are_read_in_time() {
    let mut text = String::new();
    let mut n = 0;
    while text.len() < 10_000_000 {
        text.push_str(&format!(
            "func f{n}(x : int) -> y : int\n    y = x + {n};\n    if y > 3\n        y = mod(y, 3);\n    end\nend\n"
        ));
        n += 1;
    }
    text.push_str("func main()\n    print f1(3);\nend\n");
    assert_eq!(front(&text), Ok(vec![]));
    let line = format!("func main()\n    for ( {}\n    end\nend\n", "1 ".repeat(5_000_000));
    assert!(front(&line).is_err());
    let garbage = "@ $\n".repeat(2_500_000);
    assert!(front(&garbage).is_err());
    let comment = format!("func main()\nend\n%{{{}", "x".repeat(10_000_000));
    assert!(front(&comment).is_err());
}

#[test]
fn many_mistakes_are_cut_short() {
    let mut text = String::from("func main()\n");
    for i in 0..100_000 {
        text.push_str(&format!("    print unknown{i};\n    missing{i}(3);\n    var v{i} : kind{i} = 3;\n"));
    }
    text.push_str("end\n");
    assert!(front(&text).expect_err("nothing is declared").len() <= 50);
    let unused = format!("func main()\n{}end\n", "    3 == 4;\n".repeat(100_000));
    assert_eq!(front(&unused).expect("warnings only").len(), 50);
}

#[test]
fn warnings_do_not_end_the_program() {
    let octals = "    print 017;\n".repeat(60);
    let source = SourceFile::new("octal.gt", format!("func first()\n{octals}end\nfunc main()\n    print 1;\nend\n"));
    let front = compile_front(&source).expect("warnings only");
    assert_eq!((front.typed.functions.len(), front.warnings.len()), (2, 50));
    let wrong = source.text.replace("print 1;", "print \"\\q\";");
    assert!(compile_front(&SourceFile::new("escape.gt", wrong)).is_err());
}

#[test]
fn recursion_is_accepted_at_once() {
    let text = "func f(x : int) -> y : int y = g(x); end\nfunc g(x : int) -> y : int y = f(x) + g(x); end\nfunc main() print f(1); end\n";
    assert_eq!(front(text), Ok(vec![]));
}

#[test]
fn long_schedules_are_read_in_time() {
    let start = Instant::now();
    let read = |text: String| read_schedule(&SourceFile::new("s", text));
    let labels: Vec<String> = (0..100_000).map(|i| format!("s{i}@push")).collect();
    assert_eq!(read(labels.join(";")).expect("legal").labels.len(), 100_000);
    let calls: String = (0..100_000).map(|i| format!("->setApply(\"s{i}\", \"push\")")).collect();
    assert_eq!(read(format!("program{calls};")).expect("legal").labels.len(), 100_000);
    assert!(read(format!("program{}", "->f(".repeat(100_000))).is_err());
    assert!(read("hybrid+".repeat(100_000)).is_err());
    assert!(start.elapsed() < IN_TIME, "took {:?}", start.elapsed());
}
