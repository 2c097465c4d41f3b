//! A program: its text, checked, and as GraphIR.

use std::path::{Path, PathBuf};

use gw_exec::{GraphVm, RunOptions};
use gw_graph::text_file::read_text;
use gw_ir::{Module, lower};
use gw_lang::{Diagnostic, Front, SourceFile, compile_front};
use gw_programs::Program as StandardProgram;

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::job::Job;
use crate::settled::{Compiled, Settled};
use crate::wanted::Wanted;

/// A checked program, standard or of one's own.
///
/// ```
/// use graphwright::{Graph, Program};
/// let degrees = Program::parse("degrees.gt", r#"
///     element Vertex end
///     element Edge end
///     const edges : edgeset{Edge}(Vertex, Vertex) = load(argv[1]);
///     const degree : vector{Vertex}(int) = edges.getOutDegrees();
///     func main() end
/// "#)?;
/// let run = degrees.on(&Graph::from_edges(&[(0, 1), (0, 2)])?).run()?;
/// assert_eq!(run.vector::<i32>("degree")?, [2, 0, 0]);
/// # Ok::<(), graphwright::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Program {
    standard: Option<&'static StandardProgram>,
    file: SourceFile,
    front: Front,
    module: Module,
}

impl Program {
    /// A standard program by name, or a `.gt` file by path.
    pub fn find(name: &str) -> Result<Program> {
        Program::find_in(name, Path::to_path_buf)
    }

    /// As [`Program::find`]; `place` says where a relative path begins.
    pub fn find_in(name: &str, place: impl Fn(&Path) -> PathBuf) -> Result<Program> {
        match is_path(name) {
            true => Program::check(None, read(name, &place(Path::new(name)))?),
            false => Program::standard(gw_programs::find(name)?),
        }
    }

    /// The text of a program as [`Program::find`] finds it, unchecked.
    pub fn text_of(name: &str) -> Result<SourceFile> {
        match is_path(name) {
            true => read(name, Path::new(name)),
            false => gw_programs::find(name).map(|p| SourceFile::new(p.file, p.source)).map_err(Error::from),
        }
    }

    /// A standard program.
    pub fn standard(program: &'static StandardProgram) -> Result<Program> {
        Program::check(Some(program), SourceFile::new(program.file, program.source))
    }

    /// The program that brings results of this standard program up to date; `None` where there is none.
    pub fn update(&self) -> Option<Result<Program>> {
        let update = self.standard?.update()?;
        Some(Program::check(None, SourceFile::new(update.file, update.source)))
    }

    /// A program from its text; `name` stands in messages.
    pub fn parse(name: &str, text: &str) -> Result<Program> {
        Program::check(None, SourceFile::new(name, text))
    }

    fn check(standard: Option<&'static StandardProgram>, file: SourceFile) -> Result<Program> {
        let front = compile_front(&file).map_err(|found| Error::Program { found, file: file.clone() })?;
        let module = lower(&front.typed, &file.text)?;
        Ok(Program { standard, file, front, module })
    }

    /// The name shown to people.
    pub fn name(&self) -> &str {
        self.standard.map_or(self.file.name.as_str(), |p| p.name)
    }

    /// What is known about it, when it is a standard program.
    pub fn as_standard(&self) -> Option<&'static StandardProgram> {
        self.standard
    }

    /// The text.
    pub fn file(&self) -> &SourceFile {
        &self.file
    }

    /// The parsed and typed program.
    pub fn front(&self) -> &Front {
        &self.front
    }

    /// GraphIR before any pass.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Findings that are not errors.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.front.warnings
    }

    /// A run of this program on a graph, its first argument. Nothing is done before [`Job::run`].
    pub fn on<'a>(&'a self, graph: &Graph) -> Job<'a> {
        Job::new(self).args([graph])
    }

    /// A run of this program, whose arguments are all still to be given.
    pub fn job(&self) -> Job<'_> {
        Job::new(self)
    }

    /// The schedule for runs on a machine: the one wanted, or what the machine chooses for the graph of a run with
    /// these options.
    pub fn settle(&self, wanted: &Wanted, machine: &dyn GraphVm, options: &RunOptions) -> Settled {
        let (wanted, own_refused) = wanted.on(machine);
        let mut settled = wanted.settle(machine, self.module.clone(), options);
        settled.decision.own_refused = own_refused;
        settled
    }

    /// Settles the schedule and compiles the program for a machine.
    pub fn compile(&self, wanted: &Wanted, machine: &dyn GraphVm, options: &RunOptions) -> Result<Compiled> {
        self.settle(wanted, machine, options).compile(machine)
    }
}

fn is_path(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|e| e == "gt") || name.contains(std::path::MAIN_SEPARATOR)
}

fn read(name: &str, path: &Path) -> Result<SourceFile> {
    let text = read_text(path).map_err(|source| Error::Read { path: path.to_path_buf(), source })?;
    Ok(SourceFile::new(name, text))
}
