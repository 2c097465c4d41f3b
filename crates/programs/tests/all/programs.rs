//! The programs as texts: they compile without a warning, keep their size, and say what the registry says.

use gw_lang::{SourceFile, compile_front, diagnostic};
use gw_programs::{ArgKind, Program, find, programs};

fn lines_of_code(program: &Program) -> usize {
    program.source.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('%')).count()
}

#[test]
fn all_compile_without_a_warning() {
    for program in programs() {
        let file = SourceFile::new(program.file, program.source).with_weights(program.usual_weights());
        let findings = match compile_front(&file) {
            Ok(front) => {
                // Where groups of neighbours are kept depends on the graph: that is left to the machine.
                let chosen = ["cdlp", "leiden", "louvain"].contains(&program.name);
                assert_eq!(front.schedule.is_none(), chosen, "{}: schedule", program.name);
                front.warnings
            }
            Err(findings) => findings,
        };
        assert!(findings.is_empty(), "{}", diagnostic::render(&findings, &file, false));
    }
}

/// The sizes published for the UGF compiler, schedule included.
#[test]
fn the_classic_programs_stay_short() {
    for (name, most) in [("bfs", 66), ("sssp", 50), ("pagerank", 61), ("cc", 62), ("bc", 128)] {
        let lines = lines_of_code(find(name).unwrap());
        assert!(lines <= most, "{name} has {lines} lines, more than {most}");
    }
}

#[test]
fn the_registry_says_what_the_programs_say() {
    let mut names: Vec<&str> = programs().iter().map(|p| p.name).collect();
    assert_eq!(names.len(), 63);
    names.sort_unstable();
    assert!(programs().iter().map(|p| p.name).eq(names), "the table is not ordered by name");
    for program in programs() {
        let (name, header) = (program.name, program.header());
        for section in ["Arguments ", "Results ", "Method ", "Reference "] {
            assert!(header.contains(section), "{name}: the header lacks {section}");
        }
        let file = SourceFile::new(program.file, program.source).with_weights(program.usual_weights());
        let typed = compile_front(&file).unwrap_or_else(|_| panic!("{name} does not compile")).typed;
        for output in program.results {
            let global = typed.globals.iter().find(|g| g.name == output.name);
            let global = global.unwrap_or_else(|| panic!("{name} has no global {}", output.name));
            let leaf = typed.type_name(global.ty.leaf());
            // Where the text follows the weights of the graph, the table says so.
            let ty = output.ty.replace("weight_64", "int_64").replace("weight", "int");
            assert!(ty == output.ty || program.follows_weights(), "{name}: {} is {}", output.name, output.ty);
            assert!(ty.ends_with(&leaf), "{name}: {} is {} of {leaf}", output.name, output.ty);
            assert!(header.contains(output.name), "{name}: the header does not explain {}", output.name);
        }
        for (index, arg) in (1..).zip(program.args) {
            let mention = format!("argv[{index}]");
            assert!(header.contains(&mention), "{name}: the header does not explain {mention}");
            if arg.kind == ArgKind::Weights {
                // It says which program runs.
                let form = program.weighted.and_then(|form| find(form).ok());
                let form = form.unwrap_or_else(|| panic!("{name} has no form for weights"));
                assert!(form.uses_weights() && index == program.args.len(), "{name}");
                let kinds = |args: &[gw_programs::Arg]| args.iter().map(|arg| (arg.name, arg.kind)).collect::<Vec<_>>();
                assert_eq!(kinds(form.args), kinds(&program.args[..index - 1]), "{name}");
                continue;
            }
            let body: String = file.text.lines().filter(|line| !line.starts_with('%')).collect();
            assert!(body.contains(&mention), "{name}: {mention} is not used");
        }
        assert!(!header.contains(&format!("argv[{}]", program.args.len() + 1)), "{name}: an argument is not listed");
        // Graphs made at run time have weights of their own.
        let loaded = file.text.lines().find(|line| line.contains("load(argv[1]")).unwrap();
        let has = |weight: &str| loaded.contains(&format!("(Vertex,Vertex,{weight})"));
        let is_weighted = ["float", "double", "weight"].into_iter().any(has);
        // A weight for edges without one stands behind a comma.
        assert_eq!(program.uses_weights(), is_weighted, "{name}: weights");
        assert_eq!(program.needs_weights, is_weighted && loaded.contains("load(argv[1])"), "{name}: weights");
        assert_eq!(program.needs_symmetric, header.contains("symmetric"), "{name}: symmetry");
        assert_eq!(
            program.needs_simple,
            header.contains("simple graph") || header.contains("simple weighted"),
            "{name}"
        );
    }
}

#[test]
fn names_are_found_and_slips_are_answered() {
    assert_eq!(find("bfs_levels").unwrap().name, "bfs-levels");
    let error = find("colouring").unwrap_err();
    assert_eq!(error.to_string(), "there is no standard program `colouring`; did you mean `coloring`?");
    assert_eq!(find("xyzzy").unwrap_err().to_string(), "there is no standard program `xyzzy`; `gw programs` lists all");
    assert_eq!(find("sssp").unwrap().usage(), "sssp GRAPH [SOURCE]");
}
