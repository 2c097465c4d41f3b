//! A short session with fixed seeds: the machines agree, and the rule about orders holds. Longer sessions, and
//! sessions with other seeds, are a matter of the command `gw-fuzz`.

use std::path::PathBuf;
use std::time::Duration;

use gw_fuzz::check::Settings;
use gw_fuzz::schedules::Targets;
use gw_fuzz::session::{Session, Summary};
use gw_fuzz::{execute, generate, order};

fn run(seed: u64, programs: u64, targets: Targets, schedules: usize, seconds: u64) -> Summary {
    let session = Session {
        program: PathBuf::from(env!("CARGO_BIN_EXE_gw-fuzz")),
        seed,
        programs: gw_testing::usually(programs, 100 * programs),
        // A slow computer checks fewer programs; it must not fail for that.
        time: (!gw_testing::is_nightly()).then_some(Duration::from_secs(seconds)),
        jobs: 2,
        settings: Settings { schedules, targets, limit_ms: 10_000 },
        save: None,
        classify: true,
    };
    session.run(&|_, _| {}).expect("workers start")
}

/// Prints how to look at each failure.
fn assert_clean(summary: &Summary) {
    let mut text = String::new();
    for (class, finding) in &summary.findings {
        let failure = &finding.failure;
        text += &format!(
            "{class}: {} x, `gw-fuzz reduce {}`, {} under `{}`: {}\n",
            finding.count,
            finding.seed,
            failure.trial.machine,
            failure.trial.schedule.as_deref().unwrap_or("auto"),
            failure.difference.detail
        );
    }
    println!("{summary}");
    assert!(summary.findings.is_empty(), "{text}");
}

#[test]
fn the_cpu_machine_agrees_with_the_reference_machine() {
    let targets = Targets { cpu: true, emulator: false, cuda: false };
    let summary = run(1, 300, targets, 4, 40);
    assert_clean(&summary);
    // Most programs must be worth comparing.
    assert!(summary.programs < 50 || summary.dependent * 3 < summary.programs, "{summary}");
}

/// Programs judged by hand: what the rule must accept and refuse.
#[test]
fn the_rule_tells_races_from_reductions() {
    let judge = |functions: &str, main: &str| {
        let text = format!(
            "element V end\nelement E end\nconst edges : edgeset{{E}}(V,V,int) = load(argv[1]);\n\
             const vertices : vertexset{{V}} = edges.getVertices();\nconst x : vector{{V}}(int) = 0;\n\
             const y : vector{{V}}(int) = 0;\nconst r : vector{{V}}(double) = 0.0;\nconst total : int = 0;\n\
             {functions}\nfunc main()\n{main}\nend\n"
        );
        let module = execute::lower(&text).unwrap_or_else(|error| panic!("{error}"));
        order::judge(&module)
    };
    let edge = |body: &str| judge(&format!("func f(src : V, dst : V, weight : int)\n{body}\nend"), "edges.apply(f);");
    let vertex = |body: &str| judge(&format!("func f(v : V)\n{body}\nend"), "vertices.apply(f);");
    let independent = [
        edge("x[dst] += y[src] * weight;"),
        edge("x[dst] min= src;\ny[src] max= 3;"),
        edge("x[dst] = 7;"),
        edge("x[dst] = y[dst] + 1;"),
        edge("if compare_and_swap(x, dst, 0, 1)\n total += y[dst];\nend"),
        edge("if src < 3\n total += 1;\nend"),
        vertex("x[v] = x[v] * 2 + y[v];"),
        vertex("x[v] = 1;\nif x[v] == 1\n y[v] = 2;\nend"),
        vertex("x[0] += v;"),
        judge("", "var s : int = 0;\npar_for i in 0:9\n s += i;\n x[i] = i;\nend\nprint s;"),
    ];
    for (at, judgement) in independent.iter().enumerate() {
        assert_eq!(judgement.dependent, None, "case {at}");
        assert!(!judgement.inexact, "case {at}");
    }
    let inexact = edge("r[dst] += 0.5;");
    assert!(inexact.dependent.is_none() && inexact.inexact);
    let dependent = [
        edge("x[dst] = src;"),
        edge("x[dst] = weight;"),
        edge("x[dst] += x[src];"),
        edge("x[dst] += 1;\nx[dst] min= 3;"),
        edge("if compare_and_swap(x, dst, 0, 1)\n y[dst] = src;\nend"),
        edge("if compare_and_swap(x, dst, 0, 1)\n total += 1;\nend\nif compare_and_swap(x, src, 0, 1)\nend"),
        edge("if writeMin(x, dst, src)\n total += 1;\nend"),
        edge("total += 1;\nx[dst] max= total;"),
        vertex("x[v] = 1;\ny[v] = x[0];"),
        vertex("total = v;"),
        judge("", "var s : int = 0;\npar_for i in 0:9\n s = i;\nend\nprint s;"),
        judge("func f(src : V, dst : V)\n r[dst] += 0.1;\nend", "edges.apply(f);\nif r[0] > 0.3\n print 1;\nend"),
    ];
    for (at, judgement) in dependent.iter().enumerate() {
        assert!(judgement.dependent.is_some(), "case {at}");
    }
}

/// The same seed gives the same case, and every program is well typed.
#[test]
fn programs_are_well_typed_and_repeatable() {
    for seed in 0..400 {
        let case = generate::case(seed);
        assert_eq!(case.program, generate::case(seed).program);
        if let Err(error) = execute::lower(&case.program) {
            panic!("seed {seed}: {error}\n{}", case.program);
        }
    }
}

/// Every program is the same program when it stands in several files; names clash in many of them.
#[test]
fn programs_in_several_files_are_the_same() {
    let mut clashes = 0;
    for seed in 0..400 {
        let program = generate::case(seed).program;
        clashes += usize::from(generate::in_files(&program, seed).single != program);
        execute::same_in_files(&program, seed).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
    assert!(clashes > 50, "{clashes} programs with a clash");
}

/// Bytes decide a case as well as seeds do.
#[test]
fn bytes_make_cases() {
    let report = gw_fuzz::run_bytes(b"graphs, programs and schedules");
    assert!(report.failures.is_empty(), "{:?}", report.failures);
}
