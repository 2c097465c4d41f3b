//! A program: its text, checked, and as GraphIR.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gw_exec::{GraphVm, RunOptions};
use gw_graph::GraphSpec;
use gw_graph::text_file::read_text;
use gw_ir::types::{Domain, Scalar, Type};
use gw_ir::{Module, lower};
use gw_lang::{Diagnostic, Front, SourceFile, compile_front};
use gw_programs::Program as StandardProgram;

use crate::error::{Error, Result};
use crate::files::Folder;
use crate::graph::Graph;
use crate::run::Job;
use crate::schedule::{Compiled, Settled};
use crate::schedule::{Origin, Wanted};

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
///
/// Clones share the text and everything that was made of it.
#[derive(Debug, Clone)]
pub struct Program(Arc<Checked>);

#[derive(Debug)]
struct Checked {
    standard: Option<&'static StandardProgram>,
    file: SourceFile,
    front: Front,
    module: Module,
    /// Other forms of the program that were asked for: for other weights, or with rows of other lengths.
    forms: Mutex<Vec<Program>>,
}

/// Forms of a program that are kept.
const MOST_FORMS: usize = 16;

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

    /// The program of a file, whatever its ending; `name` stands in messages.
    pub fn open(name: &str, path: &Path) -> Result<Program> {
        Program::check(None, read(name, path)?)
    }

    /// The text of a program as [`Program::find`] finds it, unchecked.
    pub fn text_of(name: &str) -> Result<SourceFile> {
        match is_path(name) {
            true => read(name, Path::new(name)),
            false => gw_programs::find(name).map(StandardProgram::file).map_err(Error::from),
        }
    }

    /// A standard program.
    pub fn standard(program: &'static StandardProgram) -> Result<Program> {
        Program::check(Some(program), program.file())
    }

    /// A standard program with rows of results as long as these arguments say; the type `weight` is this one.
    pub(crate) fn standard_for(program: &'static StandardProgram, args: &[String], weights: Scalar) -> Result<Program> {
        Program::check(Some(program), SourceFile::new(program.file, program.text_for(args)).with_weights(weights))
    }

    /// As [`Program::standard_for`], kept with this program for the next time.
    pub(crate) fn form_of(
        &self,
        program: &'static StandardProgram,
        args: &[String],
        weights: Scalar,
    ) -> Result<Program> {
        let text = program.text_for(args);
        let is_it = |form: &Program| {
            form.0.standard == Some(program) && *form.0.file.text == *text && form.0.file.weights() == weights
        };
        self.form(is_it, || Program::standard_for(program, args, weights))
    }

    /// A form that is kept, or a new one.
    fn form(&self, is_it: impl Fn(&Program) -> bool, make: impl FnOnce() -> Result<Program>) -> Result<Program> {
        let kept = || self.0.forms.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(form) = kept().iter().find(|form| is_it(form)) {
            return Ok(form.clone());
        }
        let made = make()?;
        let mut kept = kept();
        if kept.len() >= MOST_FORMS {
            kept.clear();
        }
        kept.push(made.clone());
        Ok(made)
    }

    /// This program with another type of weights, where its text follows the weights of the graph.
    pub(crate) fn with_weights(self, weights: Scalar) -> Result<Program> {
        if !self.0.front.follows_weights || self.0.file.weights() == weights {
            return Ok(self);
        }
        let is_it = |form: &Program| {
            form.0.standard == self.0.standard
                && *form.0.file.text == *self.0.file.text
                && form.0.file.weights() == weights
        };
        self.form(is_it, || Program::check(self.0.standard, self.0.file.clone().with_weights(weights)))
    }

    /// This program for the weights of a graph, where its text follows them and they are not those that it was checked
    /// for: `None` where it is right as it is.
    pub fn for_weights_of(&self, graph: &gw_graph::Graph) -> Option<Result<Program>> {
        let weights = match self.0.standard {
            Some(standard) => standard.weights_on(graph),
            None => gw_programs::weights_of(graph),
        };
        let changes = self.0.front.follows_weights && self.0.file.weights() != weights;
        changes.then(|| self.clone().with_weights(weights))
    }

    /// This program, if it is a standard one with rows of results as long as these arguments say.
    pub fn with_rows(self, args: &[String]) -> Result<Program> {
        match self.0.standard {
            Some(standard) if *standard.text_for(args) != *self.0.file.text => {
                Program::standard_for(standard, args, self.0.file.weights())
            }
            _ => Ok(self),
        }
    }

    /// Whether this is the same standard program, or a program of the same file, with the same text.
    pub(crate) fn is_same(&self, other: &Program) -> bool {
        self.0.standard == other.0.standard
            && self.0.file.name == other.0.file.name
            && self.0.file.text == other.0.file.text
            && self.0.file.weights() == other.0.file.weights()
    }

    /// Whether a column of weights was named for the first argument, and the program loads no weights.
    pub(crate) fn leaves_weights(&self, args: &[String]) -> bool {
        let spec = args.first().and_then(|graph| GraphSpec::parse(graph).ok());
        if spec.is_none_or(|spec| spec.options.columns.weight.is_none()) {
            return false;
        }
        let weighted = |ty: &Type| matches!(ty, Type::EdgeSet { weight: Some(_), .. });
        !self.0.module.globals.iter().any(|global| weighted(&global.ty))
    }

    /// The program that brings results of this standard program up to date; `None` where there is none.
    pub fn update(&self) -> Option<Result<Program>> {
        let update = self.0.standard?.update()?;
        Some(Program::check(None, SourceFile::new(update.file, update.source)))
    }

    /// A program from its text; `name` stands in messages.
    pub fn parse(name: &str, text: &str) -> Result<Program> {
        Program::check(None, SourceFile::new(name, text))
    }

    /// As [`Program::parse`]; paths of files that the program uses begin at `folder`.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let half = "func half(x : double) -> y : double\n    y = x / 2;\nend\n";
    /// # std::fs::write(folder.path().join("half.gt"), half).unwrap();
    /// use graphwright::Program;
    /// // The folder has a file half.gt, which declares a function `half`.
    /// let program = Program::parse_in("mine", "use \"half.gt\"; func main() print half(3.0); end", folder.path())?;
    /// assert!(program.file().text.contains("func half"));
    /// # Ok::<(), graphwright::Error>(())
    /// ```
    pub fn parse_in(name: &str, text: &str, folder: &Path) -> Result<Program> {
        Program::check(None, SourceFile::with_files(name, text, &Folder::at(folder)))
    }

    fn check(standard: Option<&'static StandardProgram>, file: SourceFile) -> Result<Program> {
        let front = compile_front(&file).map_err(|found| Error::Program { found, file: file.clone() })?;
        let module = lower(&front.typed, &file.text)?;
        Ok(Program(Arc::new(Checked { standard, file, front, module, forms: Mutex::default() })))
    }

    /// The name shown to people.
    pub fn name(&self) -> &str {
        self.0.standard.map_or(self.0.file.name.as_str(), |p| p.name)
    }

    /// What is known about it, when it is a standard program.
    pub fn as_standard(&self) -> Option<&'static StandardProgram> {
        self.0.standard
    }

    /// The names of the vectors with an entry per edge of a graph that the program loads.
    ///
    /// ```
    /// let truss = graphwright::Program::find("ktruss")?;
    /// assert!(truss.edge_vectors().any(|name| name == "truss"));
    /// # Ok::<(), graphwright::Error>(())
    /// ```
    pub fn edge_vectors(&self) -> impl Iterator<Item = &str> {
        let globals = &self.0.module.globals;
        let is_edge = move |element: &str| {
            globals.iter().any(|global| matches!(&global.ty, Type::EdgeSet { edge, .. } if &**edge == element))
        };
        let over_edges = globals.iter().filter(move |global| match &global.ty {
            Type::Vector { domain: Domain::Element(element), .. } => is_edge(element),
            _ => false,
        });
        over_edges.map(|global| &*global.name)
    }

    /// The text: of a program of several files one that has the declarations of all.
    pub fn file(&self) -> &SourceFile {
        &self.0.file
    }

    /// The parsed and typed program.
    pub fn front(&self) -> &Front {
        &self.0.front
    }

    /// GraphIR before any pass.
    pub fn module(&self) -> &Module {
        &self.0.module
    }

    /// Findings that are not errors.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.0.front.warnings
    }

    /// A run of this program on a graph, its first argument. Nothing is done before [`Job::run`].
    pub fn on(&self, graph: &Graph) -> Job {
        Job::new(self.clone()).args([graph])
    }

    /// A run of this program, whose arguments are all still to be given.
    pub fn job(&self) -> Job {
        Job::new(self.clone())
    }

    /// The schedule for runs on a machine: the one wanted, or what the machine chooses for the graph of a run with
    /// these options.
    pub fn settle(&self, wanted: &Wanted, machine: &dyn GraphVm, options: &RunOptions) -> Settled {
        let (wanted, own_refused) = wanted.on(machine);
        let mut settled = wanted.settle(machine, self.0.module.clone(), options);
        settled.decision.own_refused = own_refused;
        settled.look_for_shortfalls(machine);
        match settled.decision.shortfalls.first() {
            // The program's own schedule gives way where the machine does more with the one that it chooses.
            Some(first) if settled.decision.origin == Origin::Program => {
                let because = format!("with the program's own {}", first.text);
                let mut chosen = Wanted::Chosen.settle(machine, self.0.module.clone(), options);
                chosen.look_for_shortfalls(machine);
                chosen.decision.own_refused = Some(because);
                if chosen.decision.falls_short() < settled.decision.falls_short() { chosen } else { settled }
            }
            _ => settled,
        }
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
    Ok(SourceFile::with_files(name, text, &Folder::of(name, path)))
}
