//! Sequences drawn from a seed.

use std::collections::{BTreeSet, HashMap};

use graphwright::{Program, StandardProgram};
use gw_graph::rng::Rng;
use gw_ir::Options;
use gw_schedule::{Capabilities, Family, ProgramPoint, ProgramSchedule, Space};
use serde::Serialize;

use super::play::OWN;
use super::target::Targets;
use super::{Change, Edge, Sequence, Start, Step};

/// What a sequence is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A graph changes, and a result is brought up to date or the program runs anew.
    Stream,
    /// One executable runs again and again: on the same graph, with other arguments, on another graph, and back.
    Repeat,
    /// A run is saved on one machine and goes on on another.
    Resume,
    /// All of these in one.
    Mixed,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 4] = [Kind::Stream, Kind::Repeat, Kind::Resume, Kind::Mixed];

    /// One word.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Stream => "stream",
            Kind::Repeat => "repeat",
            Kind::Resume => "resume",
            Kind::Mixed => "mixed",
        }
    }
}

/// Draws sequences; what was worked out for one serves the next.
pub struct Drawing {
    programs: Vec<&'static StandardProgram>,
    /// Machines that save runs for others, and go on with those of others.
    partners: Vec<String>,
    /// Of a hundred sequences, those with a random schedule.
    random: u64,
    parsed: HashMap<&'static str, Program>,
    spaces: HashMap<(Family, ProgramPoint), Space>,
}

impl Drawing {
    /// Draws sequences of these programs. `partners` are the machines that runs are saved on for the machine of the
    /// sequence and that go on with its runs. `random` of a hundred sequences have a random schedule.
    pub fn new(programs: Vec<&'static StandardProgram>, partners: Vec<String>, random: u64) -> Drawing {
        Drawing { programs, partners, random, parsed: HashMap::new(), spaces: HashMap::new() }
    }

    /// The sequence of a seed on a machine; `None` where none of the programs can be in such a sequence.
    pub fn draw(&mut self, seed: u64, kind: Kind, on: &str, targets: &Targets) -> Option<Sequence> {
        let mut rng = Rng::new(seed, 0xaf7e);
        let programs = self.programs.clone();
        let updated = |program: &&&'static StandardProgram| program.update().is_some();
        let wanted: Vec<&'static StandardProgram> = match kind {
            Kind::Resume => programs.into_iter().filter(|program| self.has_loop(program)).collect(),
            // Most streams are brought up to date.
            Kind::Stream | Kind::Mixed if rng.below(4) > 0 && programs.iter().any(|p| updated(&p)) => {
                programs.iter().filter(updated).copied().collect()
            }
            _ => programs,
        };
        let program = *pick(&mut rng, &wanted)?;
        let mut draft = Draft::new(&mut rng, program);
        let start = draft.start.clone();
        let steps = match kind {
            Kind::Stream => draft.stream(),
            Kind::Repeat => draft.repeat(),
            Kind::Resume => draft.resume(on, &self.partners),
            Kind::Mixed => draft.mixed(on, &self.partners),
        };
        let schedule = self.schedule(&mut rng, program, on, targets);
        Some(Sequence { program: program.name.to_string(), on: on.to_string(), schedule, start, steps })
    }

    fn parsed(&mut self, program: &'static StandardProgram) -> Option<&Program> {
        if !self.parsed.contains_key(program.name) {
            let parsed = Program::standard(program).and_then(|parsed| parsed.with_rows(&program.example_rows()));
            self.parsed.insert(program.name, parsed.ok()?);
        }
        self.parsed.get(program.name)
    }

    /// Whether there is a loop in `main` at whose head a run can be saved.
    fn has_loop(&mut self, program: &'static StandardProgram) -> bool {
        self.parsed(program).is_some_and(|parsed| {
            let main =
                parsed.module().functions.iter().find(|function| function.kind == gw_ir::module::FunctionKind::Main);
            main.and_then(|main| main.body.as_ref()).is_some_and(|body| {
                body.iter().any(|statement| matches!(statement.kind, gw_ir::stmt::StmtKind::While { .. }))
            })
        })
    }

    fn schedule(&mut self, rng: &mut Rng, program: &'static StandardProgram, on: &str, targets: &Targets) -> String {
        if rng.below(100) >= self.random {
            return (*pick(rng, &[OWN, "auto", "auto", "default"]).unwrap_or(&OWN)).to_string();
        }
        let drawn = targets.open(on).ok().and_then(|machine| {
            let (family, capabilities) = (machine.vm().family(), machine.vm().capabilities());
            self.random_schedule(rng, program, family, &capabilities)
        });
        drawn.unwrap_or_else(|| "default".to_string())
    }

    fn random_schedule(
        &mut self,
        rng: &mut Rng,
        program: &'static StandardProgram,
        family: Family,
        capabilities: &Capabilities,
    ) -> Option<String> {
        let module = self.parsed(program)?.module().clone();
        let mut schedule = ProgramSchedule::new();
        for point in gw_ir::program_points(&module) {
            let Some(path) = &point.path else { continue };
            if rng.below(5) == 0 {
                continue;
            }
            let key = (family, point.point.clone());
            let space = self.spaces.entry(key).or_insert_with(|| Space::simple_only(&point.point, capabilities));
            if let Some(picked) = space.sample(rng.next_u64(), 1).pop() {
                // A path that two places share keeps the last schedule.
                drop(schedule.set(path, picked));
            }
        }
        let options = Options { family: Some(family), ..Options::default() };
        gw_ir::run_pipeline(module, &schedule, &options).ok()?;
        Some(schedule.to_string())
    }
}

/// One of the items, if there are any.
fn pick<'a, T>(rng: &mut Rng, items: &'a [T]) -> Option<&'a T> {
    if items.is_empty() { None } else { items.get(rng.below(items.len() as u64) as usize) }
}

/// A sequence in the making: the graph is followed, so that edges that are there can go.
struct Draft<'r> {
    rng: &'r mut Rng,
    start: Start,
    vertices: usize,
    edges: BTreeSet<(u32, u32)>,
    loops: bool,
    has_update: bool,
    least: i32,
}

impl<'r> Draft<'r> {
    fn new(rng: &'r mut Rng, program: &'static StandardProgram) -> Draft<'r> {
        let vertices = match rng.below(10) {
            0 => 1,
            1..=5 => 2 + rng.below(6) as usize,
            6..=8 => 5 + rng.below(30) as usize,
            _ => 40 + rng.below(100) as usize,
        };
        let undirected = program.needs_symmetric || rng.below(3) == 0;
        let weighted = program.needs_weights || rng.below(4) == 0;
        let start = Start { undirected, weighted, vertices, edges: Vec::new() };
        let loops = !program.needs_simple || rng.below(8) == 0;
        let least = i32::from(program.needs_positive || rng.below(2) == 0);
        let has_update = program.update().is_some();
        let mut draft = Draft { rng, start, vertices, edges: BTreeSet::new(), loops, has_update, least };
        let edges = match draft.rng.below(4) {
            0 => 0,
            1 => draft.vertices as u64 / 2,
            _ => draft.rng.below(3 * draft.vertices as u64 + 1),
        };
        for _ in 0..edges {
            if let Some(Change::Insert(edge)) = draft.insertion(draft.vertices) {
                draft.start.edges.push(edge);
            }
        }
        draft
    }

    fn below(&mut self, bound: usize) -> usize {
        self.rng.below(bound as u64) as usize
    }

    /// An edge among so many vertices that was not there, or comes with another weight.
    fn insertion(&mut self, vertices: usize) -> Option<Change> {
        // Some vertices have many edges, most few.
        let mut vertex = |bound: usize| {
            let most = 1 + self.rng.below(bound as u64);
            self.rng.below(most) as u32
        };
        let (source, target) = (vertex(vertices), vertex(vertices));
        if source == target && !self.loops {
            return None;
        }
        let most = if self.below(20) == 0 { 1_000_000 } else { 20 };
        let weight = self.least + self.below(most) as i32;
        self.vertices = self.vertices.max(source.max(target) as usize + 1);
        self.edges.insert((source, target));
        Some(Change::Insert(Edge { source, target, weight }))
    }

    fn change(&mut self) -> Step {
        let count = match self.below(8) {
            0..=3 => 1,
            4..=6 => 1 + self.below(5),
            _ => 5 + self.below(25),
        };
        let mut changes = Vec::new();
        for _ in 0..count {
            if self.below(5) < 2 {
                let all: Vec<(u32, u32)> = self.edges.iter().copied().collect();
                let Some(&(source, target)) = pick(self.rng, &all) else { continue };
                self.edges.remove(&(source, target));
                self.edges.remove(&(if self.start.undirected { (target, source) } else { (source, target) }));
                let (source, target) =
                    if self.start.undirected && self.below(2) == 0 { (target, source) } else { (source, target) };
                changes.push(Change::Delete(Edge { source, target, weight: 1 }));
            } else {
                let grown = self.vertices + usize::from(self.below(12) == 0) * (1 + self.below(3));
                changes.extend(self.insertion(grown));
            }
        }
        Step::Change(changes)
    }

    fn arg(&mut self) -> u32 {
        self.below(6) as u32
    }

    fn asked(&mut self) -> Step {
        match self.has_update && self.below(8) > 0 {
            true => Step::Update,
            false => Step::Run { arg: self.arg() },
        }
    }

    fn stream(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        if self.below(2) == 0 {
            steps.push(self.asked());
        }
        for _ in 0..2 + self.below(8) {
            steps.push(self.change());
            if self.below(5) > 0 {
                steps.push(self.asked());
            }
        }
        steps.push(self.asked());
        steps
    }

    fn again(&mut self, kept: usize) -> Step {
        let on = if kept > 0 && self.below(3) == 0 { Some(self.below(kept)) } else { None };
        Step::Again { on, arg: self.arg() }
    }

    fn repeat(&mut self) -> Vec<Step> {
        let (mut steps, mut kept) = (Vec::new(), 0);
        for _ in 0..3 + self.below(7) {
            match self.below(8) {
                0 | 1 => steps.push(self.change()),
                2 => {
                    steps.push(Step::Keep);
                    kept += 1;
                }
                3 => steps.push(Step::Stop { after: self.below(6) as u64, arg: self.arg() }),
                _ => {}
            }
            steps.push(self.again(kept));
        }
        steps
    }

    fn saved(&mut self, on: &str, partners: &[String]) -> Step {
        let partner = pick(self.rng, partners).cloned().unwrap_or_else(|| on.to_string());
        let (from, to) = match self.below(5) {
            0 => (on.to_string(), on.to_string()),
            1 | 2 => (on.to_string(), partner),
            _ => (partner, on.to_string()),
        };
        Step::Resume { every: 1 + self.below(4) as u64, from, to, arg: self.arg() }
    }

    fn resume(&mut self, on: &str, partners: &[String]) -> Vec<Step> {
        let mut steps = Vec::new();
        for _ in 0..1 + self.below(3) {
            if self.below(3) == 0 {
                steps.push(self.change());
            }
            steps.push(self.saved(on, partners));
        }
        steps
    }

    fn mixed(&mut self, on: &str, partners: &[String]) -> Vec<Step> {
        let (mut steps, mut kept) = (Vec::new(), 0);
        for _ in 0..5 + self.below(10) {
            let step = match self.below(12) {
                0..=3 => self.change(),
                4 | 5 => self.asked(),
                6 => Step::Run { arg: self.arg() },
                7 | 8 => self.again(kept),
                9 => {
                    kept += 1;
                    Step::Keep
                }
                10 => Step::Stop { after: self.below(6) as u64, arg: self.arg() },
                _ => self.saved(on, partners),
            };
            steps.push(step);
        }
        steps.push(self.asked());
        steps.push(self.again(kept));
        steps
    }
}
