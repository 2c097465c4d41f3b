//! What `gw` says: vertices by the ids of the user's file, numbers that cannot be read, memory that a program uses up,
//! limits of suites, graphs from standard input, and the help of a program.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::{failure, gw, json, success};

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

const HEAD: &str = "element Vertex end\nelement Edge end\n\
    const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);\n\
    const vertices : vertexset{Vertex} = edges.getVertices();\n";

#[test]
fn negative_cycles_notes_and_refusals_have_the_ids_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "cycle.csv", "source,target,weight\nann,bob,-1\nbob,ann,-1\nbob,cat,2\n");
    write(at, "loops.csv", "source,target\n\"Zoë, Müller\",Bob\nBob,李雷\n李雷,Bob\nBob,\"Zoë, Müller\"\n");

    let cycle = failure(at, &["run", "sssp", "cycle.csv", "ann"], 1);
    assert!(cycle.contains("there are no shortest paths from `ann`: the cycle `"), "{cycle}");
    let cycles = ["`ann` -> `bob` -> `ann` has the length -2", "`bob` -> `ann` -> `bob` has the length -2"];
    assert!(cycles.iter().any(|words| cycle.contains(words)), "{cycle}");

    let chosen = told(&gw(at, &["run", "bfs", "cycle.csv"]));
    assert!(chosen.contains("no source is given: taken is `bob`, the vertex with the most out-edges"), "{chosen}");
    let stranded = told(&gw(at, &["run", "bfs", "cycle.csv", "cat"]));
    assert!(stranded.contains("no edge leaves the vertex `cat`"), "{stranded}");
    // What a program reads stays as it is.
    assert_eq!(json(at, &["run", "bfs", "cycle.csv", "--json"])["chosen_source"], "bob");

    let loops = failure(at, &["run", "ktruss", "loops.csv:loops:parallel:sym"], 1);
    assert!(!loops.contains("at vertex 0") && !loops.contains("at vertex 1"), "{loops}");
    let twice = failure(at, &["run", "ppr", "cycle.csv", "ann,bob=2,ann", "--weights", "ignore"], 2);
    assert!(twice.contains("`ann,bob=2,ann` is no list of vertices: vertex `ann` is named twice"), "{twice}");
    let word = failure(at, &["run", "ppr", "cycle.csv", "ann=x", "--weights", "ignore"], 2);
    assert!(word.contains("`ann=x`"), "{word}");
    let sink = failure(at, &["run", "maxflow", "cycle.csv:weights=1..3", "ann", "ann"], 1);
    assert!(sink.contains("there is no flow from `ann` to itself"), "{sink}");
}

/// A program that asks a vertex without out-edges for a random neighbour, on every machine.
#[test]
fn faults_at_a_vertex_have_its_id() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "names.csv", "source,target\nann,bob\ncat,bob\ncat,ann\ncat,dan\ndan,ann\n");
    let text = format!(
        "{HEAD}const next : vector{{Vertex}}(int) = 0;\nfunc step(v : Vertex)\n    next[v] = getRandomOutNgh(edges, v);\n\
         end\nfunc main()\n    vertices.apply(step);\nend\n"
    );
    write(at, "walk.gt", &text);
    for target in ["reference", "cpu", "swarm"] {
        let fault = failure(at, &["run", "walk.gt", "names.csv", "--target", target], 1);
        assert!(fault.contains("vertex `bob` has no out-neighbours to choose from"), "{target}: {fault}");
        assert!(fault.contains("walk.gt:7:"), "{target}: {fault}");
    }
    write(at, "numbers.el", "0 3\n1 3\n1 0\n1 2\n2 0\n");
    let fault = failure(at, &["run", "walk.gt", "numbers.el", "--target", "cpu"], 1);
    assert!(fault.contains("vertex 3 has no out-neighbours"), "{fault}");
}

#[test]
fn nan_is_printed_alike_on_all_machines() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let text = format!(
        "{HEAD}const zero : vector{{Vertex}}(double) = 0.0;\nconst x : vector{{Vertex}}(double) = 0.0;\n\
         const y : vector{{Vertex}}(double) = 0.0;\nfunc f(v : Vertex)\n    x[v] = zero[v] / zero[v];\n\
         y[v] = -x[v];\nend\nfunc main()\n    vertices.apply(f);\n    print x[0], y[0], -x[0], 1.0 / zero[0], \
         -1.0 / zero[0];\nend\n"
    );
    write(at, "nan.gt", &text);
    for target in ["reference", "cpu", "swarm", "flow"] {
        let printed = success(at, &["run", "nan.gt", "path:4", "--target", target, "--out", "y=y.txt"]);
        assert_eq!(printed.lines().next(), Some("NaN NaN NaN inf -inf"), "{target}");
        assert_eq!(std::fs::read_to_string(at.join("y.txt")).unwrap(), "NaN\n".repeat(4), "{target}");
    }
}

#[test]
fn numbers_that_no_int_holds_are_refused_with_their_argument_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let text = format!(
        "{HEAD}func main()\n    var many : int = atoi(argv[2]);\n    var real : double = atof(argv[3]);\n\
         print many, real;\nend\n"
    );
    write(at, "read.gt", &text);
    for target in ["reference", "cpu", "swarm"] {
        for wrong in ["99999999999999", "2147483648", "-2147483649"] {
            let words = ["run", "read.gt", "path:4", wrong, "1", "--target", target];
            let refused = failure(at, &words, 2);
            let sentence = format!("argv[2] must be a number from -2147483648 to 2147483647, but it is `{wrong}`");
            assert!(refused.contains(&sentence) && refused.contains("read.gt:6:"), "{target}: {refused}");
        }
        let read = success(at, &["run", "read.gt", "path:4", "-2147483648", "99999999999999", "--target", target]);
        assert_eq!(read.lines().next(), Some("-2147483648 1e+14"));
    }
    let output = gw(at, &["run", "read.gt", "path:4", "12x", "bob"]);
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("12 0\n"), "{output:?}");
    let warnings = told(&output);
    assert!(warnings.contains("warning: argv[2], `12x`, is not a whole number: `atoi` reads the digits"), "{warnings}");
    assert!(warnings.contains("warning: argv[3], `bob`, is not a number: `atof` reads the number"), "{warnings}");
    assert!(!told(&gw(at, &["run", "read.gt", "path:4", "-12", "1e-6"])).contains("warning"));
}

/// Standard error of a program under a limit of memory, which must end with exit code 1 and name a line.
#[cfg(target_os = "linux")]
fn short_of_memory(name: &str, body: &str, target: &str, line: u32) -> String {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "greedy.gt", &format!("{HEAD}func main()\n{body}end\n"));
    let command = format!("ulimit -v 900000; exec $GW --threads 1 run greedy.gt path:1000000 --target {target}");
    let mut shell = Command::new("sh");
    shell.args(["-c", &command]).current_dir(folder.path()).env("GW", crate::GW);
    let output = shell.output().expect("sh starts");
    let errors = told(&output);
    assert_eq!(output.status.code(), Some(1), "{name} on {target}: {errors}");
    assert!(!errors.contains("memory allocation of") && !errors.contains("panicked"), "{name} on {target}: {errors}");
    assert!(errors.contains(&format!("greedy.gt:{line}:")), "{name} on {target}: {errors}");
    errors
}

#[test]
#[cfg(target_os = "linux")]
fn what_outgrows_memory_is_told_with_its_line() {
    let list = "    var many : list{int} = new list{int}();\n    var i : int = 0;\n    while true\n        many.append(i);\n\
                        i = i + 1;\n    end\n";
    let sets = "    var many : list{vertexset{Vertex}} = new list{vertexset{Vertex}}();\n    var all : \
                vertexset{Vertex} = new vertexset{Vertex}(0);\n    for i in 0:100000\n        all.addVertex(i);\n    end\n    \
                while true\n        many.insert(all);\n    end\n";
    let vector = "    var many : vector[1048576](vector[800](double)) = new vector[1048576](vector[800](double))();\n    \
                  print many[0][0];\n";
    for target in ["reference", "cpu"] {
        let errors = short_of_memory("list", list, target, 9);
        assert!(errors.contains("out of memory: a list that grows from "), "{errors}");
        let errors = short_of_memory("sets", sets, target, 12);
        assert!(errors.contains("out of memory: the next part of a list of "), "{errors}");
        let errors = short_of_memory("vector", vector, target, 6);
        assert!(errors.contains("out of memory: a vector of 1048576 x 800 entries needs 6.2 GiB"), "{errors}");
    }
    let errors = short_of_memory("list", list, "swarm", 9);
    assert!(errors.contains("out of memory: a list that grows from "), "{errors}");
}

#[test]
fn a_suite_that_asks_for_too_much_is_refused_with_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let suite = |keys: &str| format!("name = 's'\n[[entry]]\nprogram = 'bfs'\ngraphs = ['path:5']\n{keys}\n");
    write(at, "sources.toml", &suite("sources = 2147483648"));
    let refused = failure(at, &["bench", "sources.toml"], 1);
    let sentence = "entry `bfs`: sources: 2147483648 is too large: 1048576 is the limit";
    assert!(refused.contains(sentence), "{refused}");
    write(at, "both.toml", &suite("sources = 1048576\ntrials = 2"));
    let refused = failure(at, &["bench", "both.toml"], 1);
    assert!(refused.contains("entry `bfs` on path:5: sources x trials are 2097152 timed runs: 1048576"), "{refused}");
    write(at, "few.toml", &suite("sources = 3\ntrials = 1"));
    let refused = failure(at, &["bench", "few.toml", "--sources", "2147483648"], 2);
    assert!(refused.contains("--sources") && refused.contains("1048576"), "{refused}");
    success(at, &["bench", "few.toml"]);
}

/// `gw` with these bytes on its standard input.
fn fed(folder: &Path, args: &[&str], bytes: &[u8]) -> Output {
    let mut command = Command::new(crate::GW);
    command.args(args).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("gw starts");
    // A command that refuses its arguments reads nothing.
    let _ = child.stdin.take().expect("piped").write_all(bytes);
    child.wait_with_output().expect("gw ends")
}

#[test]
#[cfg(unix)]
fn graphs_come_from_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let table = b"source,target\nann,bob\nbob,cat\nann,cat\ncat,ann\n";
    for graph in ["-:format=csv", "/dev/stdin:format=csv", "-:format=csv:source=source:target=target"] {
        let output = fed(at, &["run", "bfs", graph, "--source", "ann", "--top", "parent:1"], table);
        assert!(output.status.success(), "{graph}: {}", told(&output));
        assert!(String::from_utf8_lossy(&output.stdout).contains("parent: 3 entries"), "{graph}: {output:?}");
    }
    // The first bytes tell some formats, and whether they are compressed.
    let market = b"%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n";
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(market).unwrap();
    for bytes in [&market[..], &packed.finish().unwrap()] {
        let output = fed(at, &["run", "bfs", "-", "0"], bytes);
        assert!(output.status.success(), "{}", told(&output));
    }
    success(at, &["graph", "generate", "kron:6", "-o", "k.gwg"]);
    let output = fed(at, &["graph", "info", "-", "--json"], &std::fs::read(at.join("k.gwg")).unwrap());
    assert!(output.status.success(), "{}", told(&output));

    let untold = fed(at, &["run", "bfs", "-"], table);
    assert_eq!(untold.status.code(), Some(1), "{}", told(&untold));
    let sentence =
        "the first bytes do not tell the format of what is read here: name it, as in `/dev/stdin:format=csv`";
    assert!(told(&untold).contains(sentence), "{}", told(&untold));
    let empty = fed(at, &["run", "bfs", "-:format=csv"], b"");
    assert_eq!(empty.status.code(), Some(1));
    assert!(told(&empty).contains("nothing came through this pipe"), "{}", told(&empty));
    let wrong = fed(at, &["run", "bfs", "-:fromat=csv"], table);
    assert!(told(&wrong).contains("`fromat=csv` is no option"), "{}", told(&wrong));
}

#[test]
fn the_help_of_a_program_is_that_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for words in [&["run", "pagerank", "--help"][..], &["run", "-h", "pagerank"], &["run", "pagerank", "kron:9", "-h"]]
    {
        let help = success(at, words);
        for part in [
            "Usage: gw run pagerank GRAPH [ROUNDS] [TOLERANCE] [DAMPING] [WEIGHTS] [OPTIONS]\n",
            "  ROUNDS, --rounds <ROUNDS>  ",
            "greatest number of rounds [default: 100]\n",
            "  rank    vector of float: ",
            "Example:\n  gw run pagerank kron:12\n",
            "`gw run --help` lists the options of the command",
        ] {
            assert!(help.contains(part), "{words:?}: {part}\n{help}");
        }
    }
    let help = success(at, &["stream", "sssp", "--help"]);
    assert!(help.contains("Usage: gw stream sssp GRAPH UPDATES [SOURCE] [OPTIONS]\n"), "{help}");
    assert!(help.contains("  SOURCE, --source <SOURCE>  "), "{help}");
    // The help of the command itself stays.
    let help = success(at, &["run", "--help"]);
    assert!(help.contains("Usage: gw run [OPTIONS] <PROGRAM> [ARGS]...") && help.contains("--estimate"), "{help}");
    assert_ne!(success(at, &["run", "-h"]), help);

    let text = format!(
        "% Degrees above a limit.\n{HEAD}const limit : int = atoi(argv[2]);\nconst found : int = 0;\n\
        const degree : vector{{Vertex}}(int) = edges.getOutDegrees();\nfunc main()\n    print argv[3];\nend\n"
    );
    write(at, "own.gt", &text);
    let help = success(at, &["run", "own.gt", "--help"]);
    for part in [
        " Degrees above a limit.\n",
        "Usage: gw run own.gt EDGES LIMIT ARGV3 [OPTIONS]\n",
        "  EDGES  argv[1]: a graph file or spec\n",
        "  LIMIT  argv[2]: a whole number\n",
        "  ARGV3  argv[3]: a text\n",
        "  degree  vector{Vertex}(int)\n",
        "  gw run own.gt kron:12 7 WORD\n",
    ] {
        assert!(help.contains(part), "{part}\n{help}");
    }
    let unknown = failure(at, &["run", "pagernak", "--help"], 2);
    assert!(unknown.contains("did you mean `pagerank`?"), "{unknown}");
}

/// Every standard program has a help whose example runs.
#[test]
fn examples_of_helps_run() {
    let folder = tempfile::tempdir().unwrap();
    for program in gw_programs::programs() {
        let help = success(folder.path(), &["run", program.name, "--help"]);
        let line = help.split("Example:\n  gw ").nth(1).and_then(|rest| rest.lines().next()).unwrap_or_default();
        let words: Vec<String> = line.split(' ').map(|word| word.replace("kron:12", "kron:7")).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        success(folder.path(), &words);
    }
}
