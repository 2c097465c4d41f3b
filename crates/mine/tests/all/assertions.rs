//! Assertions hold at every instant of the trace they were mined from, run by the languages themselves: with infinite
//! numbers, zeros, and variables as narrow as the values allow.

use std::path::Path;
use std::process::{Command, Output};

use crate::traces::source;
use gw_mine::{Language, Mined, Templates, assertions, mine};

const INF: f64 = f64::INFINITY;

/// Logarithms of 0 and of infinity, powers that overflow, vanish or have no end, and small whole numbers whose sums and
/// products do not fit 8 bits.
fn columns() -> Vec<Vec<f64>> {
    let b = vec![0.0, 1.0, INF, 2.5, -0.0];
    let log = b.iter().map(|b: &f64| b.ln()).collect();
    let (base, exponent) = (vec![0.0, -10.0, 10.0, -2.0, 1e-200], vec![-1.0, 401.0, 400.0, 3.0, 2.0]);
    let power = base.iter().zip(&exponent).map(|(b, e): (&f64, &f64)| b.powf(*e)).collect();
    let (x, y) = (vec![200.0, 201.0, 203.0, 220.0, 255.0], vec![100.0, 150.0, 203.0, 110.0, 254.0]);
    let below = x.iter().zip(&y).map(|(x, y): (&f64, &f64)| x.min(*y)).collect();
    let root = vec![9.0, 11.0, 13.0, 10.0, -15.0];
    vec![b, log, base, exponent, power, x, y, below, root]
}

fn mined() -> Mined {
    mine(&mut source(vec![], columns(), 5), &Templates::second()).unwrap()
}

/// The line that a tool prints, where the tool is there.
fn run(tool: &str, arguments: &[&str], folder: &Path) -> Option<Output> {
    match Command::new(tool).args(arguments).current_dir(folder).output() {
        Ok(output) => Some(output),
        Err(error) => {
            gw_testing::left_out(tool, error);
            None
        }
    }
}

fn check(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_trace_has_what_is_hard_to_say() {
    let found = mined();
    let texts: Vec<String> = found.invariants.iter().map(|i| i.text(&found.variables)).collect();
    for text in ["n1 = log(n0)", "n4 = n2 ^ n3", "n7 = min(n5, n6)", "n5 <= n6 + n7", "n8 < sqrt(n5)", "n5 < n6 * n7"] {
        assert!(texts.iter().any(|found| found == text), "{text} is missing: {texts:?}");
    }
}

#[test]
fn python_agrees() {
    let program = assertions(&mined(), Language::Python, false);
    let (head, body): (Vec<&str>, Vec<&str>) = program.lines().partition(|line| !line.starts_with("assert"));
    let number =
        |x: &f64| if x.is_infinite() { format!("{}math.inf", if *x < 0.0 { "-" } else { "" }) } else { x.to_string() };
    let rows: Vec<String> = (0..5)
        .map(|at| columns().iter().map(|column| number(&column[at])).collect::<Vec<_>>().join(", "))
        .map(|row| format!("({row}),"))
        .collect();
    let names: Vec<String> = (0..9).map(|v| format!("n{v}")).collect();
    let text = format!(
        "{}\nfor {} in [{}]:\n    {}\n# Elsewhere they may fail, and nothing else.\nn0 = n2 = n5 = -1.0\nn3 = 0.5\n\
         assert not gw_near(n1, gw_log(n0), 1e-6) and not n8 < gw_sqrt(n5) and gw_pow(n2, n3) != n4\n",
        head.join("\n"),
        names.join(", "),
        rows.join(" "),
        body.join("\n    ")
    );
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.py"), text).unwrap();
    if let Some(output) = run("python3", &["a.py"], folder.path()) {
        check(&output);
    }
}

#[test]
fn c_agrees_whatever_the_types_are() {
    let program = assertions(&mined(), Language::C, false);
    let (head, body): (Vec<&str>, Vec<&str>) = program.lines().partition(|line| !line.starts_with("assert("));
    let types = ["double", "double", "double", "short", "double", "unsigned char", "unsigned char", "unsigned", "int"];
    let number = |x: &f64| {
        if x.is_infinite() { format!("{}INFINITY", if *x < 0.0 { "-" } else { "" }) } else { format!("{x:?}") }
    };
    let mut text = head.join("\n") + "\nint main(void) {\n";
    for (at, kind) in types.iter().enumerate() {
        let values: Vec<String> = columns()[at].iter().map(number).collect();
        text += &format!("    static const {kind} v{at}[] = {{{}}};\n", values.join(", "));
    }
    text += "    for (int at = 0; at < 5; at++) {\n";
    for (at, kind) in types.iter().enumerate() {
        text += &format!("        {kind} n{at} = v{at}[at];\n");
    }
    text += &format!("        {}\n    }}\n    return 0;\n}}\n", body.join("\n        "));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.c"), text).unwrap();
    let Some(output) = run("cc", &["-std=c11", "-o", "a", "a.c", "-lm"], folder.path()) else { return };
    check(&output);
    check(&Command::new(folder.path().join("a")).output().unwrap());
}

/// Expressions of SystemVerilog are as wide as their operands: only reals mean what the miner means.
#[test]
fn systemverilog_computes_with_reals() {
    let program = assertions(&mined(), Language::SystemVerilog, false);
    for line in [
        "assert (real'(n5) <= real'(n6) + real'(n7));",
        "assert (real'(n5) < real'(n6) * real'(n7));",
        "assert (gw_near(real'(n1), gw_ln(real'(n0)), 1e-6));",
        "assert (real'(n5) != 0.0);",
    ] {
        assert!(program.lines().any(|found| found == line), "{line} is missing: {program}");
    }
    let is_real = |line: &str| {
        line.split("real'(n").count()
            == line.split('n').filter(|p| p.starts_with(|c: char| c.is_ascii_digit())).count() + 1
    };
    assert!(program.lines().filter(|line| line.starts_with("assert")).all(is_real), "{program}");
}
