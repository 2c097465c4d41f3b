//! What goes wrong inside compiled operators comes back as an error with the line, and what is not compiled still runs.

use std::sync::Arc;

use gw_cpu::CpuVm;
use gw_exec::{Program, RunOptions, RunResult};
use gw_lang::{SourceFile, compile_front};

fn run(functions: &str, main: &str) -> gw_exec::Result<RunResult> {
    let text = format!(
        "element V end\nelement E end\nconst edges : edgeset{{E}}(V,V) = load(argv[1]);\n\
         const vertices : vertexset{{V}} = edges.getVertices();\nconst x : vector{{V}}(int) = 7;\n\
         const y : vector{{V}}(float) = 2.5;\nconst zero : int = 0;\nconst most : int = -1;\n\
         {functions}\nfunc main()\n    {main}\nend\n"
    );
    let front = compile_front(&SourceFile::new("test.gt", &text)).expect("the program is right");
    let module = gw_ir::lower(&front.typed, &text).expect("the program is right");
    let schedule = "par=dynamic".parse().expect("a schedule");
    let module = gw_ir::run_pipeline(module, &schedule, &gw_ir::Options::default()).expect("the schedule is legal");
    let mut program = Program::prepare(&CpuVm::with_tiny_chunks(3), Arc::new(module))?;
    program.run(&RunOptions::with_args(["grid:20x20"]))
}

#[test]
fn an_index_out_of_range_is_an_error_with_its_line() {
    let error = run("func f(v : V)\n    x[v + 395] = 1;\nend", "vertices.apply(f);").unwrap_err();
    let message = error.to_string();
    assert!(message.contains("`x` has 400 entries"), "{message}");
    assert_eq!(error.span().line, 10, "{message}");
    let error = run("func f(src : V, dst : V)\n    x[dst - 1000] += 1;\nend", "edges.apply(f);").unwrap_err();
    assert!(error.to_string().contains("out of range: `x`"), "{error}");
}

/// A loop over neighbours checks nothing where they are vertices of the operator, and all where they are not.
#[test]
fn neighbours_in_another_graph_are_checked() {
    let text = |bound: &str, declared: &str| {
        format!(
            "{declared}func f(v : V)\n    var sum : int = 0;\n    for k in 0:edges.getOutDegree(v)\n        \
             sum += x[getOutNgh({bound}, v, k)];\n    end\n    y[v] = sum;\nend"
        )
    };
    let result = run(&text("edges", ""), "vertices.apply(f);").unwrap();
    let sums = result.globals.vector("y").unwrap().to_vec::<f32>().unwrap();
    assert_eq!((sums[0], sums[1], sums[21]), (14.0, 21.0, 28.0));
    // A graph with more vertices than `x` has entries, and one whose lists are shorter than the loop.
    let (larger, shorter) = (
        "const other : edgeset{E}(V,V) = load(\"star:500\");\n",
        "const other : edgeset{E}(V,V) = load(\"path:400\");\n",
    );
    let error = run(&text("other", larger), "vertices.apply(f);").unwrap_err();
    assert!(error.to_string().contains("out of range"), "{error}");
    let error = run(&text("other", shorter), "vertices.apply(f);").unwrap_err();
    assert!(error.to_string().contains("out of range"), "{error}");
}

/// The largest value of a scalar or of one cell is the same however many threads looked for it.
#[test]
fn largest_values_in_registers_are_the_largest() {
    let functions = "const best : vector[1](int) = -5;\nfunc f(v : V)\n    best[0] max= 1000 - v;\n    \
                     most max= v * (399 - v);\nend";
    let result = run(functions, "vertices.apply(f);").unwrap();
    assert_eq!(result.globals.vector("best").unwrap().to_vec::<i32>(), Some(vec![1000]));
    assert_eq!(result.globals.get("most").unwrap().as_int(), Some(199 * 200));
}

#[test]
fn division_by_zero_is_an_error() {
    let error = run("func f(v : V)\n    x[v] = v / zero;\nend", "vertices.apply(f);").unwrap_err();
    assert_eq!(error.to_string(), "integer division by zero");
}

#[test]
fn the_least_integer_divided_by_minus_one_wraps() {
    let functions = "func f(v : V)\n    x[v] = (0 - 2147483647 - 1) / (zero - 1) + mod(v, 0 - 1);\nend";
    let result = run(functions, "vertices.apply(f);").unwrap();
    assert_eq!(result.globals.vector("x").unwrap().to_vec::<i32>(), Some(vec![i32::MIN; 400]));
}

#[test]
fn remainders_of_fractions_and_reductions_into_globals_are_compiled() {
    let functions = "func f(v : V)\n    y[v] = mod(y[v], 2.0);\n    most max= v;\nend";
    let result = run(functions, "vertices.apply(f);").unwrap();
    assert_eq!(result.globals.vector("y").unwrap().to_vec::<f32>(), Some(vec![0.5; 400]));
    assert_eq!(result.globals.get("most").unwrap().as_int(), Some(399));
}

#[test]
fn printing_inside_a_function_runs_on_the_reference_machine() {
    let result = run("func f(v : V)\n    if v < 3\n        print v;\n    end\nend", "vertices.apply(f);").unwrap();
    assert_eq!(result.printed, "0\n1\n2\n");
}
