//! Programs and helpers that several test files share.
#![allow(dead_code)]

pub mod programs;
#[allow(unused_imports)]
pub use programs::*;

use gw_ir::{Module, Options, lower, parse, print, run_pipeline, validate};
use gw_lang::SourceFile;
use gw_schedule::ProgramSchedule;

/// Breadth-first search with parents; `#walk#` is the loop, `#hop#` the operator.
pub const BFS: &str = "
element Town end
element Road end
const roads : edgeset{Road}(Town,Town) = load(argv[1]);
const towns : vertexset{Town} = roads.getVertices();
const came_from : vector{Town}(int) = -1;
func travel(src : Town, dst : Town)
    came_from[dst] = src;
end
func untouched(v : Town) -> ok : bool
    ok = came_from[v] == -1;
end
func main()
    var here : vertexset{Town} = new vertexset{Town}(0);
    var start : int = atoi(argv[2]);
    here.addVertex(start);
    came_from[start] = start;
    #walk# while (here.getVertexSetSize() != 0)
        #hop# var there : vertexset{Town} = roads.from(here).to(untouched).applyModified(travel, came_from, true);
        delete here;
        here = there;
    end
    delete here;
end
";

/// Parses, checks and lowers a program; panics with the diagnostics when it is wrong.
pub fn lowered(text: &str) -> Module {
    let file = SourceFile::new("test.gt", text);
    let (ast, diagnostics) = gw_lang::parse(&file);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let checked = gw_lang::check(&ast).unwrap_or_else(|d| panic!("{d:?}"));
    let module = lower(&checked.program, text).unwrap_or_else(|e| panic!("{e}"));
    sound(&module);
    module
}

/// The module is well formed and its text reads back.
pub fn sound(module: &Module) {
    if let Err(errors) = validate(module) {
        panic!("{errors:#?}\n{}", print(module));
    }
    let text = print(module);
    match parse(&text) {
        Ok(back) => assert_eq!(&back, module, "{text}"),
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// Runs the pipeline up to a pass and checks the result.
pub fn after(module: &Module, schedule: &str, pass: &str) -> Module {
    let options = Options { after: Some(pass.into()), ..Options::default() };
    let module = run_pipeline(module.clone(), &schedule_of(schedule), &options).unwrap_or_else(|e| panic!("{e}"));
    sound(&module);
    module
}

pub fn schedule_of(text: &str) -> ProgramSchedule {
    text.parse().unwrap_or_else(|e| panic!("{e}"))
}
