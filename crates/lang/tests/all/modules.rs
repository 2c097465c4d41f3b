//! Programs of several files: what names mean, what the one text is, and what is said about mistakes.

use gw_lang::{File, Files, Front, MOST_FILES, Missing, SourceFile, compile_front, diagnostic, std_modules};
use std::path::{Path, PathBuf};

/// Files in memory, all in one folder or in folders below it.
struct Memory<'a>(&'a [(&'a str, &'a str)]);

impl Files for Memory<'_> {
    fn first(&self) -> Option<PathBuf> {
        Some(PathBuf::from("main.gt"))
    }

    fn read(&self, user: Option<(&str, &Path)>, path: &str) -> Result<File, Missing> {
        let folder = user.and_then(|(_, path)| path.parent()).unwrap_or(Path::new(""));
        let mut whole = PathBuf::new();
        for part in folder.join(path).components() {
            match part {
                std::path::Component::ParentDir => _ = whole.pop(),
                std::path::Component::CurDir => {}
                part => whole.push(part),
            }
        }
        let name = whole.display().to_string();
        match self.0.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => Ok(File { name, path: whole, text: text.to_string() }),
            None => Err(Missing { why: format!("there is no file {name}"), help: None }),
        }
    }
}

const HEAD: &str = "element Vertex end\nelement Edge end\n\
                    const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);\n\
                    const vertices : vertexset{Vertex} = edges.getVertices();\n";

fn source(main: &str, files: &[(&str, &str)]) -> SourceFile {
    SourceFile::with_files("main.gt", main, &Memory(files))
}

/// The program, which must compile, as must its one text alone, to the same.
fn whole(main: &str, files: &[(&str, &str)]) -> (String, Front) {
    let file = source(main, files);
    let front = compile_front(&file).unwrap_or_else(|found| panic!("{}", diagnostic::render(&found, &file, false)));
    let alone = SourceFile::new("one.gt", &file.text);
    assert_eq!(alone.text, file.text, "the text uses nothing");
    let again = compile_front(&alone).unwrap_or_else(|found| panic!("{}", diagnostic::render(&found, &alone, false)));
    assert_eq!((&front.typed, &front.schedule), (&again.typed, &again.schedule));
    (file.text, front)
}

fn refused(main: &str, files: &[(&str, &str)]) -> String {
    let file = source(main, files);
    match compile_front(&file) {
        Ok(_) => panic!("this compiles:\n{}", file.text),
        Err(found) => diagnostic::render(&found, &file, false),
    }
}

fn globals(front: &Front) -> Vec<&str> {
    front.typed.globals.iter().map(|global| global.name.as_str()).collect()
}

fn functions(front: &Front) -> Vec<&str> {
    front.typed.functions.iter().map(|function| function.name.as_str()).collect()
}

#[test]
fn a_file_sees_what_it_uses_under_both_names() {
    let moves = "element Vertex end\nelement Edge end\nconst step : vector{Vertex}(int) = 1;\n\
                 % Goes on.\nfunc go(src : Vertex, dst : Vertex)\n    step[dst] += step[src];\nend\n";
    let main = format!(
        "use \"moves.gt\";\n{HEAD}func main()\n    edges.apply(go);\n    edges.apply(moves.go);\n    print moves.step.sum();\nend\n"
    );
    // The program without `use` is another one: its names have no dots.
    let (text, front) = whole(&main, &[("moves.gt", moves)]);
    assert_eq!(globals(&front), ["step", "edges", "vertices"]);
    assert_eq!(functions(&front), ["go", "main"]);
    assert!(text.contains("% Goes on.\nfunc go"), "{text}");
    assert!(text.contains("edges.apply(go);\n    edges.apply(go);\n    print step.sum();"), "{text}");
    assert_eq!(text.matches("element Vertex end").count(), 1, "{text}");
}

#[test]
fn names_that_clash_are_told_apart() {
    let a = "const count : int = 1;\nfunc shown() print count; end\n";
    let b = "const count : int = 2;\nfunc told() print count; end\n";
    let main = "use \"a.gt\";\nuse \"lib/b.gt\" as other;\nfunc main()\n    shown();\n    told();\n    \
                var other_count : int = a.count + other.count;\n    print other_count;\nend\n";
    let (text, front) = whole(main, &[("a.gt", a), ("lib/b.gt", b)]);
    assert_eq!(globals(&front), ["count", "b_count"], "{text}");
    assert!(text.contains("func told() print b_count; end"), "{text}");

    // The first file's names stay, since its results are called so; its own come before those of modules.
    let main =
        "use \"a.gt\";\nconst count : double = 0.5;\nfunc main()\n    shown();\n    print count + a.count;\nend\n";
    let (text, front) = whole(main, &[("a.gt", a)]);
    assert_eq!(globals(&front), ["a_count", "count"], "{text}");
    assert!(text.contains("print count + a_count;"), "{text}");

    let both = "use \"a.gt\";\nuse \"lib/b.gt\";\nfunc main()\n    print count;\nend\n";
    let told = refused(both, &[("a.gt", a), ("lib/b.gt", b)]);
    assert!(told.contains("`count` is declared in two modules"), "{told}");
    assert!(told.contains("write `a.count` or `b.count`"), "{told}");
    assert!(told.contains("main.gt:4:11") && told.contains("a.gt:1:7") && told.contains("lib/b.gt:1:7"), "{told}");
}

#[test]
fn locals_and_built_in_functions_mean_what_they_mean_in_their_file() {
    // A local of a qualified name's spelling; a word that is new nowhere is taken for the module's.
    let a = "const count : int = 1;\n";
    let main = "use \"a.gt\";\nfunc main()\n    var count : int = 5;\n    var a_count : int = 6;\n    \
                print count, a.count, a_count;\nend\n";
    let (text, front) = whole(main, &[("a.gt", a)]);
    assert_eq!(globals(&front), ["a_count_2"], "{text}");
    assert!(text.contains("print count, a_count_2, a_count;"), "{text}");

    // The file's `max` is not that of the module.
    let low = "func low(a : int, b : int) -> c : int\n    c = 0 - max(0 - a, 0 - b);\nend\n";
    let main = "use \"low.gt\";\nfunc max(a : int, b : int) -> c : int\n    c = a;\nend\n\
                func main()\n    print low(1, 2), max(3, 4);\nend\n";
    let (text, front) = whole(main, &[("low.gt", low)]);
    assert_eq!(functions(&front), ["low", "main_max", "main"], "{text}");

    let told = refused("use \"a.gt\";\nfunc main()\n    var a : int = 1;\n    print a.count;\nend\n", &[("a.gt", a)]);
    assert!(told.contains("`a` is a variable here, and a module above"), "{told}");
}

#[test]
fn a_module_used_by_two_paths_is_one() {
    let base = "const seen : int = 0;\nfunc see() seen = seen + 1; end\n";
    let left = "use \"../base.gt\";\nfunc left() see(); end\n";
    let right = "use \"./../lib/../base.gt\";\nfunc right() see(); end\n";
    let main = "use \"lib/left.gt\";\nuse \"lib/right.gt\";\nuse \"base.gt\" as b;\n\
                func main()\n    left();\n    right();\n    print b.seen;\nend\n";
    let files = [("base.gt", base), ("lib/left.gt", left), ("lib/right.gt", right)];
    let (text, front) = whole(main, &files);
    assert_eq!((globals(&front), functions(&front)), (vec!["seen"], vec!["see", "left", "right", "main"]), "{text}");

    // What a module uses is not seen by those who use the module.
    let told = refused("use \"lib/left.gt\";\nfunc main()\n    print seen;\nend\n", &files);
    assert!(told.contains("`seen` is declared in base.gt, which main.gt does not use"), "{told}");
    assert!(told.contains("`use \"base.gt\";`"), "{told}");

    let told = refused("use \"base.gt\";\nuse \"base.gt\" as b;\nfunc main() end\n", &files);
    assert!(told.contains("the same module is used twice"), "{told}");
    let told = refused("use \"base.gt\" as lib;\nuse \"lib/left.gt\" as lib;\nfunc main() end\n", &files);
    assert!(told.contains("two modules have the name `lib` here"), "{told}");
}

#[test]
fn a_program_can_replace_parts_of_another() {
    let plain = format!(
        "{HEAD}const rank : vector{{Vertex}}(double) = 1.0;\nfunc give(src : Vertex, dst : Vertex)\n    rank[dst] += 1;\nend\n\
         func main()\n    #s1# edges.apply(give);\nend\n\nschedule:\nprogram->configApplyDirection(\"s1\", \"SparsePush\");\n"
    );
    let main = "% With weights.\nuse \"plain.gt\" with edges, give;\n\
                const edges : edgeset{Edge}(Vertex,Vertex,int) = load(argv[1]);\n\
                func give(src : Vertex, dst : Vertex, weight : int)\n    rank[dst] += weight;\nend\n";
    let (text, front) = whole(main, &[("plain.gt", &plain)]);
    assert_eq!(globals(&front), ["edges", "vertices", "rank"], "{text}");
    assert_eq!(functions(&front), ["give", "main"], "{text}");
    assert!(text.contains("weight : int") && front.schedule.is_some(), "{text}");

    // What the new declaration begins with stands before it.
    let view = "use \"plain.gt\" with edges;\nelement Vertex end\nelement Edge end\n\
                const least : int = 3;\nconst all : edgeset{Edge}(Vertex,Vertex,int) = load(argv[least - 2]);\n\
                const edges : edgeset{Edge}(Vertex,Vertex,int) = all.where(heavy);\n\
                func heavy(src : Vertex, dst : Vertex, weight : int) -> yes : bool\n    yes = weight > least;\nend\n";
    let (text, front) = whole(view, &[("plain.gt", &plain)]);
    assert_eq!(globals(&front), ["least", "all", "edges", "vertices", "rank"], "{text}");

    // Under another name, and with a schedule of its own.
    let other = main.replace("give;", "give = pass;").replace("func give", "func pass") + "\nschedule:\n";
    let (text, front) = whole(&other, &[("plain.gt", &plain)]);
    assert_eq!(functions(&front), ["pass", "main"], "{text}");
    assert_eq!(front.schedule.map(|schedule| schedule.to_string()).as_deref(), Some("default"), "{text}");

    let told = refused(&main.replace("edges, give", "edges, giv"), &[("plain.gt", &plain)]);
    assert!(told.contains("plain.gt has no `giv` to replace") && told.contains("did you mean `give`?"), "{told}");
    let told = refused(&main.replace("edges, give", "edges, rank"), &[("plain.gt", &plain)]);
    assert!(told.contains("`rank` is to replace `rank` of plain.gt, but is not declared here"), "{told}");
    let told = refused(
        "use \"plain.gt\" with main;\nuse \"b.gt\";\nfunc main() end\n",
        &[("plain.gt", &plain), ("b.gt", "use \"plain.gt\" with main;\nfunc main() end\n")],
    );
    assert!(told.contains("`main` of plain.gt is replaced twice"), "{told}");
    // Two modules share what one of them declares.
    let (a, b) = ("const x : int = 1;\nfunc a() print x; end\n", "const x : int = 2;\nfunc b() print x; end\n");
    let files = [("a.gt", a), ("b.gt", b)];
    let (text, front) = whole("use \"a.gt\";\nuse \"b.gt\" with x;\nfunc main()\n    a();\n    b();\nend\n", &files);
    assert_eq!(globals(&front), ["x"], "{text}");
    assert!(text.contains("const x : int = 1;"), "{text}");
    let told = refused("use \"a.gt\" with x;\nuse \"b.gt\" with x;\nfunc main() end\n", &files);
    assert!(told.contains("`x` would replace itself"), "{told}");
    let told = refused("use \"a.gt\";\nuse \"b.gt\";\n", &[("a.gt", "func main() end"), ("b.gt", "func main() end")]);
    assert!(told.contains("main.gt has no `main`, and two modules that it uses have"), "{told}");
}

#[test]
fn mistakes_are_shown_in_their_file() {
    let files =
        |typo: &'static str| [("moves.gt", typo), ("last.gt", "func last(x : int) -> y : int\n    y = x;\nend\n")];
    let main = "use \"moves.gt\";\nuse \"last.gt\";\nfunc main()\n    print twice(last(3));\nend\n";
    let moves = "% Moves.\nfunc twice(x : int) -> y : int\n    var total : int = x;\n    y = totl + x;\nend\n";
    let told = refused(main, &files(moves));
    assert!(told.contains("moves.gt:4:9") && told.contains("did you mean `total`?"), "{told}");
    assert!(told.contains(" 4 |     y = totl + x;"), "{told}");

    let told = refused(main, &files("func twice(x : int) -> y : int\n    y = x +;\nend\n"));
    assert!(told.contains("moves.gt:2:"), "{told}");

    // Behind a name that was replaced by a longer one, too.
    let clash = "const main_count : int = 1;\nconst count : int = 1;\nfunc twice(x : int) -> y : int\n    \
                 y = count + count + nothing;\nend\n";
    let with_count = main.replace("func main", "const count : int = 3;\nfunc main");
    let told = refused(&with_count, &files(clash));
    assert!(told.contains("moves.gt:4:25") && told.contains("y = count + count + nothing"), "{told}");

    // Two files in one message.
    let two = "func twice(x : double, z : int) -> y : int\n    y = x;\nend\n";
    let told = refused(main, &files(two));
    assert!(told.contains("main.gt:4:11"), "{told}");
}

#[test]
fn missing_files_and_circles_have_their_messages() {
    let told = refused("use \"gone.gt\";\nfunc main() end\n", &[]);
    assert!(
        told.contains("cannot use \"gone.gt\": there is no file gone.gt") && told.contains("main.gt:1:5"),
        "{told}"
    );
    let text = SourceFile::new("text", "use \"moves.gt\";\nfunc main() end\n");
    let told = diagnostic::render(&compile_front(&text).unwrap_err(), &text, false);
    assert!(told.contains("this program is a text without a folder"), "{told}");

    let circle = [("a.gt", "use \"b.gt\";\nfunc a() end\n"), ("b.gt", "% Back.\nuse \"a.gt\";\nfunc b() end\n")];
    let told = refused("use \"a.gt\";\nfunc main() end\n", &circle);
    assert!(told.contains("a.gt uses itself through b.gt"), "{told}");
    assert!(told.contains("b.gt:2:5") && told.contains("a.gt:1:5"), "{told}");
    assert!(told.contains("put what both files need into a third file"), "{told}");
    let told = refused("use \"a.gt\";\nfunc main() end\n", &[("a.gt", "use \"main.gt\";\n"), ("main.gt", "")]);
    assert!(told.contains("main.gt uses itself through a.gt"), "{told}");
    let told = refused("use \"main.gt\";\nfunc main() end\n", &[("main.gt", "")]);
    assert!(told.contains("main.gt uses itself\n") && told.contains("leave the line out"), "{told}");

    for (line, message) in [
        ("use std;", "`std` is not a module by itself"),
        ("use std.serch;", "did you mean `std.search`?"),
        ("use moves.gt;", "the path of a file stands in quotes"),
        ("use moves;", "write `use \"moves.gt\";`"),
        ("use \"a.gt\"", "expected `;`"),
        ("import \"a.gt\";", "write `use \"moves.gt\";` for a file"),
        ("element Vertex end\nuse \"a.gt\";", "`use` stands before all declarations"),
        ("use \"a.gt\" with Vertex;\nelement Vertex end", "elements of the same name are one"),
        ("use \"a.gt\";\nfunc a.b() end", "`a` is a module"),
        ("use \"a.gt\";\nconst x : int = a.y;", "a.gt declares no `y`"),
        ("use \"a.gt\";\nconst x : int = a.ay;", "did you mean `any`?"),
    ] {
        let told =
            refused(&format!("{line}\nfunc main() end\n"), &[("a.gt", "element Vertex end\nconst any : int = 1;\n")]);
        assert!(told.contains(message), "{line}: {told}");
    }
}

#[test]
fn number_and_size_of_files_are_bounded() {
    let names: Vec<String> = (0..MOST_FILES + 5).map(|i| format!("f{i}.gt")).collect();
    let texts: Vec<String> =
        (0..MOST_FILES + 5).map(|i| format!("use \"f{}.gt\";\nfunc f{i}() end\n", i + 1)).collect();
    let files: Vec<(&str, &str)> = names.iter().zip(&texts).map(|(n, t)| (n.as_str(), t.as_str())).collect();
    let told = refused("use \"f0.gt\";\nfunc main() end\n", &files);
    assert!(told.contains("a program has at most 100 files"), "{told}");

    let long = format!("%{}\nfunc f() end\n", " ".repeat(9 << 20));
    let told = refused("use \"a.gt\";\nuse \"b.gt\";\nfunc main() end\n", &[("a.gt", &long), ("b.gt", &long)]);
    assert!(told.contains("at most 16 MiB together") && told.contains("main.gt:2:5"), "{told}");
}

#[test]
fn every_module_of_the_library_compiles_with_all_its_parts() {
    for (name, text) in std_modules() {
        let file = SourceFile::new(format!("std/{name}.gt"), text);
        if let Err(found) = compile_front(&file) {
            panic!("{}", diagnostic::render(&found, &file, false));
        }
    }
}

#[test]
fn lines_are_told_as_people_know_them() {
    let file = source(
        "% Head.\nuse \"a.gt\";\nfunc main()\n    print one();\nend\n",
        &[("a.gt", "func one() -> x : int\n    x = 1;\nend\n")],
    );
    let line = |what: &str| file.text.lines().position(|line| line.contains(what)).unwrap() + 1;
    assert_eq!(file.line_in_words(line("x = 1")), "line 2 of a.gt");
    assert_eq!(file.line_in_words(line("print")), "line 4");
    let told = format!("worker 1: line {}: it reads line {}, no line at all", line("x = 1"), line("print"));
    assert_eq!(file.lines_in_words(&told), "worker 1: line 2 of a.gt: it reads line 4, no line at all");
}

#[test]
fn functions_take_types_as_parameters() {
    let far = "func far<V>[hops : vector{V}(int), least : int](v : V) -> yes : bool\n    yes = hops[v] >= least;\nend\n\
               func spread<V, T>[x : vector{V}(T)](src : V, dst : V)\n    x[dst] min= x[src];\nend\n\
               func least<V, E, T>(graph : edgeset{E}(V,V), x : vector{V}(T)) -> smallest : T\n    \
               graph.apply(spread[x]);\n    smallest = x.min();\nend\n";
    let main = "use \"far.gt\";\nelement City end\nelement Road end\nelement Gene end\nelement Link end\n\
                const roads : edgeset{Road}(City,City) = load(argv[1]);\n\
                const links : edgeset{Link}(Gene,Gene) = load(argv[2]);\n\
                const cities : vertexset{City} = roads.getVertices();\n\
                const genes : vertexset{Gene} = links.getVertices();\n\
                const hops : vector{City}(int) = 3;\nconst steps : vector{Gene}(int) = 4;\n\
                const cost : vector{City}(double) = 0.5;\n\
                func main()\n    print cities.filter(far[hops, 2]).getVertexSetSize();\n    \
                var other : vertexset{Gene} = genes.filter(far[steps, 2]);\n    print other.getVertexSetSize();\n    \
                roads.apply(far_edges);\n    print least(roads, cost), least(roads, hops), least(links, steps);\nend\n\
                func far_edges(src : City, dst : City) end\n";
    let (text, front) = whole(main, &[("far.gt", far)]);
    let names = functions(&front);
    for name in ["far", "far_Gene", "least", "least_City_Road_int", "least_Gene_Link_int", "spread", "main"] {
        assert!(names.contains(&name), "{name}: {names:?}\n{text}");
    }
    assert_eq!(names.iter().filter(|name| name.starts_with("spread")).count(), 3, "{names:?}");

    let told = refused("use \"far.gt\";\nelement V end\nfunc main()\n    least(1, 2);\nend\n", &[("far.gt", far)]);
    assert!(told.contains("`V` of `least` is not known here"), "{told}");
    // What nobody uses is checked, too, and is not in the program.
    let typo = far.replace("yes = hops", "yes = hop");
    let told = refused("use \"far.gt\";\nelement V end\nfunc main() end\n", &[("far.gt", &typo)]);
    assert!(told.contains("did you mean `hops`?") && told.contains("far.gt:2:11"), "{told}");
    let (_, front) = whole("use \"far.gt\";\nelement V end\nfunc main() end\n", &[("far.gt", far)]);
    assert_eq!(functions(&front), ["main"]);
}

#[test]
fn threads_are_asked_for_between_operators() {
    let program = |apply: &str, body: &str| {
        format!(
            "{HEAD}func share[n : int](v : Vertex) -> yes : bool\n    yes = v < n + {body};\nend\n\
             func deep() -> n : int\n    n = threads();\nend\nfunc main()\n    {apply}\nend\n"
        )
    };
    whole(&program("print vertices.filter(share[threads()]).getVertexSetSize();", "1"), &[]);
    for body in ["threads()", "deep()"] {
        for apply in [
            "print vertices.filter(share[2]).getVertexSetSize();",
            "var near : vertexset{Vertex} = edges.to(share[2]).apply(share_edges);\n    delete near;",
        ] {
            let edge = "func share_edges(src : Vertex, dst : Vertex) -> yes : bool\n    yes = true;\nend\n";
            let told = refused(&(program(apply, body) + edge), &[]);
            assert!(told.contains("`threads()` means nothing inside an operator"), "{told}");
            assert!(told.contains("`f[threads()]`") && told.contains("applied here"), "{told}");
        }
    }
    let told = refused(&program("par_for i in 0:3\n    print threads();\n    end", "1"), &[]);
    assert!(told.contains("`threads()` means nothing inside an operator"), "{told}");
}
