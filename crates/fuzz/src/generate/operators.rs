//! Edge and vertex operators: the function, its captures, the sets and filters around it.

use super::{GraphVar, Host, Mode, ScalarVar, Scope, SetVar, VectorVar, VertexName, Writer};
use gw_lang::Scalar;

/// What a new function sees, and the captures that make it so.
pub(super) struct Draft {
    pub(super) scope: Scope,
    /// `name : type` of the captures.
    params: Vec<String>,
    /// What they are bound to.
    bound: Vec<String>,
}

impl Draft {
    fn brackets(list: &[String]) -> String {
        if list.is_empty() { String::new() } else { format!("[{}]", list.join(", ")) }
    }

    /// The captures behind the name of the function, where it is declared.
    pub(super) fn declared(&self) -> String {
        Draft::brackets(&self.params)
    }

    /// The captures behind the name of the function, where it is used.
    pub(super) fn bound(&self) -> String {
        Draft::brackets(&self.bound)
    }
}

/// What a function runs for.
#[derive(Clone, Copy)]
pub(super) enum Runs<'a> {
    /// Edges between these two.
    Edges(&'a str, &'a str),
    /// One vertex or one round of a loop.
    Each(&'a str),
    /// Tests a vertex and writes nothing.
    Test,
}

impl Writer {
    /// Distributes roles: which vectors and numbers the function reads, and how it writes others.
    pub(super) fn draft(&mut self, host: &Host, runs: Runs, vertices: Vec<VertexName>, hidden: &[String]) -> Draft {
        let mut draft = Draft { scope: Scope { vertices, ..Scope::default() }, params: Vec::new(), bound: Vec::new() };
        let mut visible = self.vectors.clone();
        for vector in host.vectors.clone() {
            if self.dice.percent(50) {
                let inside = VectorVar { name: self.fresh("x"), ..vector.clone() };
                draft.params.push(format!("{} : {}", inside.name, self.vector_type(&inside)));
                draft.bound.push(vector.name.clone());
                // Where the captured vector may not be read, the capture may not be either.
                if !hidden.contains(&vector.name) {
                    visible.push(inside);
                }
            }
        }
        visible.retain(|vector| !hidden.contains(&vector.name));
        for i in (1..visible.len()).rev() {
            visible.swap(i, self.dice.below(i + 1));
        }
        let writes = if matches!(runs, Runs::Test) { 0 } else { self.dice.between(1, 3) };
        for vector in visible {
            if draft.scope.writes.len() < writes
                && let Some(mode) = self.vector_mode(&draft.scope, &vector, runs)
            {
                draft.scope.writes.push((vector, mode));
            } else if !vector.summed && draft.scope.reads.len() < 4 {
                draft.scope.reads.push(vector);
            }
        }
        if self.wild && self.dice.percent(50) {
            let also: Vec<VectorVar> = draft.scope.writes.iter().map(|(vector, _)| vector.clone()).collect();
            draft.scope.reads.extend(also);
        }
        for scalar in self.scalars.clone() {
            let write = !matches!(runs, Runs::Test) && !hidden.contains(&scalar.name) && self.dice.percent(25);
            if write {
                let mode = self.scalar_mode(&scalar);
                draft.scope.scalar_writes.push((scalar, mode));
            } else if !scalar.summed && !hidden.contains(&scalar.name) {
                draft.scope.numbers.push(scalar.name);
            }
        }
        let locals: Vec<ScalarVar> = host.scalars.iter().filter(|scalar| !scalar.summed).cloned().collect();
        if let Some(local) = self.dice.maybe(&locals).cloned()
            && self.dice.percent(40)
        {
            let name = self.fresh("c");
            draft.params.push(format!("{name} : {}", local.scalar));
            draft.bound.push(if self.dice.percent(70) { local.name } else { self.literal() });
            draft.scope.numbers.push(name);
        }
        draft.scope.graphs = self.graphs.iter().filter(|graph| graph.global).cloned().collect();
        draft
    }

    /// A role for a vector that the function writes; `None` where it had better be read.
    fn vector_mode(&mut self, scope: &Scope, vector: &VectorVar, runs: Runs) -> Option<Mode> {
        if self.wild && self.dice.percent(60) {
            return Some(Mode::Wild);
        }
        let fits = |end: &str| scope.vertices.iter().any(|v| v.text == end && v.bound <= vector.len);
        let stray = self.faulty && self.dice.percent(15);
        let number = vector.scalar != Scalar::Bool;
        let constant = Mode::Constant(self.literal_of(vector.scalar));
        if vector.len == 0 && !stray {
            return None;
        }
        match runs {
            Runs::Test => None,
            Runs::Each(own) if (fits(own) || stray) && self.dice.percent(60) => Some(Mode::Own(own.to_string())),
            _ if vector.summed => Some(Mode::Sum),
            Runs::Each(_) if number => {
                let bits = if vector.scalar.is_float() { Mode::Max } else { Mode::Or };
                Some(self.dice.pick(&[Mode::Sum, Mode::Min, Mode::Max, bits, constant]).clone())
            }
            Runs::Each(_) => Some(constant),
            Runs::Edges(src, dst) => {
                let ends = self.dice.percent(25);
                if ends && (fits(dst) || stray) {
                    return Some(Mode::End(dst.to_string()));
                }
                if ends && self.dice.percent(50) && fits(src) {
                    return Some(Mode::End(src.to_string()));
                }
                let whole = vector.scalar.is_whole();
                if whole && vector.row.is_none() && fits(dst) && fits(src) && self.dice.percent(12) {
                    return Some(Mode::Swap);
                }
                if !number {
                    return Some(constant);
                }
                // Reals are added only where that is expected of the vector.
                let modes = match vector.scalar.is_float() {
                    true => vec![Mode::Min, Mode::Max, constant],
                    false => vec![Mode::Sum, Mode::Sum, Mode::Min, Mode::Max, Mode::Or, Mode::And, constant],
                };
                Some(self.dice.pick(&modes).clone())
            }
        }
    }

    pub(super) fn scalar_mode(&mut self, scalar: &ScalarVar) -> Mode {
        if self.wild && self.dice.percent(40) {
            return Mode::Wild;
        }
        if scalar.summed {
            return Mode::Sum;
        }
        let constant = Mode::Constant(self.literal_of(scalar.scalar));
        match scalar.scalar {
            Scalar::Bool => constant,
            Scalar::Float | Scalar::Double => self.dice.pick(&[Mode::Min, Mode::Max, constant]).clone(),
            _ => {
                let modes = [Mode::Sum, Mode::Sum, Mode::Min, Mode::Max, Mode::Or, Mode::And, constant];
                self.dice.pick(&modes).clone()
            }
        }
    }

    /// The names that a draft writes, as `main` knows them.
    fn written(&self, draft: &Draft) -> Vec<String> {
        let inside = |name: &String| {
            let capture = draft.params.iter().position(|param| param.split(' ').next() == Some(name));
            capture.map_or_else(|| name.clone(), |at| draft.bound[at].clone())
        };
        let vectors = draft.scope.writes.iter().map(|(vector, _)| inside(&vector.name));
        vectors.chain(draft.scope.scalar_writes.iter().map(|(scalar, _)| scalar.name.clone())).collect()
    }

    /// A test of a vertex that reads nothing of `hidden`; returns how it is used.
    pub(super) fn test_function(&mut self, host: &Host, element: usize, bound: usize, hidden: &[String]) -> String {
        let vertices = vec![VertexName { text: "v".into(), bound }];
        let mut draft = self.draft(host, Runs::Test, vertices, hidden);
        draft.scope.locals.push(ScalarVar { name: "yes".into(), scalar: Scalar::Bool, summed: false });
        let mut scope = draft.scope.clone();
        let mut body = if self.dice.percent(30) { self.block(&mut scope, 2) } else { Vec::new() };
        body.push(format!("yes = {};", self.condition(&scope, 2)));
        let name = self.fresh("t");
        let element = self.elements[element].name;
        self.function(&format!("func {name}{}(v : {element}) -> yes : bool", draft.declared()), body);
        format!("{name}{}", draft.bound())
    }

    /// A graph to run an operator on: any that there is.
    pub(super) fn some_graph(&mut self, host: &Host) -> GraphVar {
        let all: Vec<GraphVar> = self.graphs.iter().chain(&host.graphs).cloned().collect();
        self.dice.pick(&all).clone()
    }

    /// A set that suits a graph.
    fn some_set(&mut self, host: &Host, graph: &GraphVar) -> Option<SetVar> {
        let stray = self.faulty && self.dice.percent(10);
        let fits = |set: &&SetVar| set.element == graph.element && (stray || set.bound <= graph.vertices);
        let sets: Vec<SetVar> = host.sets.iter().filter(fits).cloned().collect();
        self.dice.maybe(&sets).cloned()
    }

    /// `.from(...)` or `.to(...)`, or nothing.
    pub(super) fn restriction(&mut self, host: &Host, graph: &GraphVar, word: &str, hidden: &[String]) -> String {
        match self.dice.weighted(&[5, 4, 3]) {
            1 => match self.some_set(host, graph) {
                Some(set) => format!(".{word}({})", set.name),
                None => String::new(),
            },
            2 => format!(".{word}({})", self.test_function(host, graph.element, graph.vertices, hidden)),
            _ => String::new(),
        }
    }

    /// `.where(...)`, now and then: a condition of edges that reads nothing of `hidden`.
    fn view(&mut self, host: &Host, graph: &GraphVar, hidden: &[String]) -> String {
        if !self.dice.percent(20) {
            return String::new();
        }
        let element = self.elements[graph.element].name;
        let end = |text: &str| VertexName { text: text.into(), bound: graph.vertices };
        let mut draft = self.draft(host, Runs::Test, vec![end("dst"), end("src")], hidden);
        let mut params = format!("src : {element}, dst : {element}");
        if let Some(weight) = graph.weight
            && self.dice.percent(50)
        {
            params += &format!(", weight : {weight}");
            draft.scope.numbers.push("weight".into());
        }
        self.give_row(graph, &mut params, &mut draft.scope);
        let condition = format!("yes = {};", self.condition(&draft.scope, 2));
        let name = self.fresh("t");
        self.function(&format!("func {name}{}({params}) -> yes : bool", draft.declared()), vec![condition]);
        format!(".where({name}{})", draft.bound())
    }

    /// An edge operator with a new function; a new set where it yields one.
    pub(super) fn edge_operator(&mut self, host: &mut Host) {
        let graph = self.some_graph(host);
        let element = self.elements[graph.element].name;
        let end = |text: &str| VertexName { text: text.into(), bound: graph.vertices };
        let mut draft = self.draft(host, Runs::Edges("src", "dst"), vec![end("dst"), end("src")], &[]);
        let mut params = format!("src : {element}, dst : {element}");
        if let Some(weight) = graph.weight
            && self.dice.percent(70)
        {
            params += &format!(", weight : {weight}");
            draft.scope.numbers.push("weight".into());
        }
        self.give_row(&graph, &mut params, &mut draft.scope);
        let tracked: Vec<VectorVar> = draft
            .scope
            .writes
            .iter()
            .filter(|(vector, mode)| vector.element == Some(graph.element) && *mode != Mode::Wild)
            .map(|(vector, _)| vector.clone())
            .collect();
        let mut scope = draft.scope.clone();
        let mut body = self.block(&mut scope, 4);
        let kind = self.dice.weighted(&[5, if tracked.is_empty() { 0 } else { 4 }, 2]);
        let mut result = String::new();
        let mut method = "apply";
        let mut more = String::new();
        match kind {
            1 => {
                let vector = self.dice.pick(&tracked).clone();
                // The function must write what is tracked.
                if !body.iter().any(|line| writes(line, &vector.name)) {
                    let mut only = draft.scope.clone();
                    only.writes.retain(|(other, _)| other.name == vector.name);
                    only.scalar_writes.clear();
                    for _ in 0..8 {
                        let lines = self.block(&mut only.clone(), 1);
                        if lines.iter().any(|line| writes(line, &vector.name)) {
                            body.extend(lines);
                            break;
                        }
                    }
                }
                if body.iter().any(|line| writes(line, &vector.name)) {
                    method = "applyModified";
                    more = format!(", {}", vector.name);
                    if self.dice.percent(25) {
                        more += ", true";
                    }
                }
            }
            2 => {
                result = " -> yes : bool".into();
                body.push(format!("yes = {};", self.condition(&draft.scope, 2)));
            }
            _ => {}
        }
        let name = self.fresh("f");
        self.function(&format!("func {name}{}({params}){result}", draft.declared()), body);
        let hidden = if self.wild { Vec::new() } else { self.written(&draft) };
        let from = self.restriction(host, &graph, "from", &hidden);
        let to = self.restriction(host, &graph, "to", &hidden);
        let label = self.fresh("o");
        let view = self.view(host, &graph, &hidden);
        let call = format!("{}{view}{from}{to}.{method}({name}{}{more});", graph.name, draft.bound());
        if method == "apply" && result.is_empty() {
            host.line(format!("#{label}# {call}"));
            return;
        }
        let set = self.fresh("s");
        host.line(format!("#{label}# var {set} : vertexset{{{element}}} = {call}"));
        host.line(format!("print {set}.getVertexSetSize();"));
        host.sets.push(SetVar { name: set, element: graph.element, bound: graph.vertices, universe: false });
    }

    /// `set.apply(f)` or `set.filter(f)`.
    pub(super) fn vertex_operator(&mut self, host: &mut Host) {
        let Some(set) = self.dice.maybe(&host.sets).cloned() else { return };
        let element = self.elements[set.element].name;
        let vertices = vec![VertexName { text: "v".into(), bound: set.bound }];
        let draft = self.draft(host, Runs::Each("v"), vertices, &[]);
        let mut scope = draft.scope.clone();
        let filter = self.dice.percent(35);
        let mut body = self.block(&mut scope, 4);
        let result = if filter { " -> yes : bool" } else { "" };
        if filter {
            body.push(format!("yes = {};", self.condition(&scope, 2)));
        }
        let name = self.fresh("f");
        self.function(&format!("func {name}{}(v : {element}){result}", draft.declared()), body);
        let label = self.fresh("o");
        let call = format!("{name}{}", draft.bound());
        if !filter {
            host.line(format!("#{label}# {}.apply({call});", set.name));
            return;
        }
        let new = self.fresh("s");
        host.line(format!("#{label}# var {new} : vertexset{{{element}}} = {}.filter({call});", set.name));
        host.line(format!("print {new}.getVertexSetSize();"));
        host.sets.push(SetVar { name: new, element: set.element, bound: set.bound, universe: false });
    }
}

/// Whether a line writes a vector, in any of the ways that there are.
fn writes(line: &str, vector: &str) -> bool {
    let line = line.trim_start();
    let place = line.starts_with(&format!("{vector}[")) && line.contains('=');
    place
        || line.contains(&format!("compare_and_swap({vector},"))
        || ["atomicAdd", "writeMin", "writeMax"].iter().any(|call| line.starts_with(&format!("{call}({vector},")))
}
