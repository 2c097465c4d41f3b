//! Operators over grouped neighbours: keys that are all equal, all different, negative, or anything; every way to
//! combine values and to choose.

use super::operators::Runs;
use super::{GraphVar, Host, ScalarVar, SetVar, VectorVar, VertexName, Writer};
use gw_lang::Scalar;

impl Writer {
    /// An operator over groups with new functions and a new target.
    pub(super) fn group_operator(&mut self, host: &mut Host) {
        // Functions of groups draw nothing, and which of several faults is met first depends on the table.
        if self.faulty || self.random {
            return;
        }
        let size = |graph: &&GraphVar| graph.global && self.elements[graph.element].size >= graph.vertices;
        let graphs: Vec<GraphVar> = self.graphs.iter().filter(size).cloned().collect();
        let Some(graph) = self.dice.maybe(&graphs).cloned() else { return };
        let element = self.elements[graph.element].name;
        let target = VectorVar {
            name: self.fresh("x"),
            element: Some(graph.element),
            len: self.elements[graph.element].size,
            row: None,
            scalar: Scalar::Int,
            summed: false,
        };
        let first = *self.dice.pick(&["0", "-1", "2", "5"]);
        host.line(format!("var {} : {} = {first};", target.name, self.vector_type(&target)));
        let key = self.key_function(host, &graph);
        let (value, given) = match self.dice.below(4) {
            0 => ("count()".to_string(), Scalar::Int),
            way => {
                let way = ["sum", "min", "max"][way - 1];
                let scalar =
                    *self.dice.pick(&[Scalar::Int, Scalar::Int64, Scalar::Uint64, Scalar::Float, Scalar::Double]);
                (format!("{way}({})", self.edge_number(host, &graph, scalar)), scalar)
            }
        };
        let from = self.restriction(host, &graph, "from", &[]);
        let to = match self.dice.percent(25) {
            true => format!(".to({})", self.test_function(host, graph.element, graph.vertices, &[])),
            false => String::new(),
        };
        let label = self.fresh("o");
        let start = format!("{}{from}{to}.groupBy({key}).{value}", graph.name);
        let choice = match self.dice.weighted(&[4, 4, 2, 2, 2]) {
            0 => format!("best({}, {})", self.score(host, &graph, given), target.name),
            1 => {
                let score = self.score(host, &graph, given);
                format!("best({score}, {}, {})", target.name, self.whole_vector(host, &graph, &target))
            }
            2 => format!("groups({})", target.name),
            3 => format!("leastAbsent({})", target.name),
            _ => {
                let name = self.fresh("f");
                let (x, ty) = (self.fresh("x"), self.vector_type(&target));
                self.function(
                    &format!("func {name}[{x} : {ty}](v : {element}, key : int, value : {given})"),
                    vec![format!("{x}[v] += key * 3 + 1;")],
                );
                host.line(format!("#{label}# {start}.each({name}[{}]);", target.name));
                host.line(format!("print {}.sum();", target.name));
                host.vectors.push(target);
                return;
            }
        };
        let set = self.fresh("s");
        host.line(format!("#{label}# var {set} : vertexset{{{element}}} = {start}.{choice};"));
        host.line(format!("print {set}.getVertexSetSize(), {}.sum();", target.name));
        host.sets.push(SetVar { name: set, element: graph.element, bound: graph.vertices, universe: false });
        host.vectors.push(target);
    }

    /// How keys are given: by a vector or a function.
    fn key_function(&mut self, host: &Host, graph: &GraphVar) -> String {
        let vectors = self.whole_vectors(host, graph);
        if let Some(vector) = self.dice.maybe(&vectors)
            && self.dice.percent(30)
        {
            return vector.name.clone();
        }
        let simple = ["n", "7", "n mod 3", "n - v", "v", "n * 100000", "2147483647 - n mod 2", "0 - 1"];
        let body = if self.dice.percent(70) { Some(*self.dice.pick(&simple)) } else { None };
        self.of_edge(host, graph, Scalar::Int, body)
    }

    fn edge_number(&mut self, host: &Host, graph: &GraphVar, scalar: Scalar) -> String {
        self.of_edge(host, graph, scalar, None)
    }

    /// A function `(v, n [, weight])` that gives a number; returns how it is used.
    fn of_edge(&mut self, host: &Host, graph: &GraphVar, scalar: Scalar, body: Option<&str>) -> String {
        let element = self.elements[graph.element].name;
        let end = |text: &str| VertexName { text: text.into(), bound: graph.vertices };
        let mut draft = self.draft(host, Runs::Test, vec![end("n"), end("v")], &[]);
        draft.scope.drawless = true;
        let mut params = format!("v : {element}, n : {element}");
        if let Some(weight) = graph.weight
            && self.dice.percent(60)
        {
            params += &format!(", weight : {weight}");
            draft.scope.numbers.push("weight".into());
        }
        let value = match body {
            Some(text) => text.to_string(),
            None => self.expr(&draft.scope, 2),
        };
        let name = self.fresh("f");
        let head = format!("func {name}{}({params}) -> number : {scalar}", draft.declared());
        self.function(&head, vec![format!("number = {value};")]);
        format!("{name}{}", draft.bound())
    }

    /// A function of a group that says what it is worth; returns how it is used.
    fn score(&mut self, host: &Host, graph: &GraphVar, given: Scalar) -> String {
        let element = self.elements[graph.element].name;
        let vertices = vec![VertexName { text: "v".into(), bound: graph.vertices }];
        let mut draft = self.draft(host, Runs::Test, vertices, &[]);
        draft.scope.drawless = true;
        draft.scope.numbers.extend(["key".to_string(), "value".to_string(), "value".to_string()]);
        draft.scope.locals.push(ScalarVar { name: "worth".into(), scalar: Scalar::Double, summed: false });
        let value = if self.dice.percent(40) { "value".to_string() } else { self.expr(&draft.scope, 2) };
        let name = self.fresh("f");
        let params = format!("v : {element}, key : int, value : {given}");
        let head = format!("func {name}{}({params}) -> worth : double", draft.declared());
        self.function(&head, vec![format!("worth = {value};")]);
        format!("{name}{}", draft.bound())
    }

    /// Vectors of ints that have an entry for every vertex of a graph.
    fn whole_vectors(&self, host: &Host, graph: &GraphVar) -> Vec<VectorVar> {
        let vectors = self.vectors.iter().chain(&host.vectors);
        let fits = |x: &&VectorVar| {
            x.element == Some(graph.element) && x.row.is_none() && x.scalar == Scalar::Int && x.len >= graph.vertices
        };
        vectors.filter(fits).cloned().collect()
    }

    /// A key for every vertex: some vector, or the target itself.
    fn whole_vector(&mut self, host: &Host, graph: &GraphVar, target: &VectorVar) -> String {
        let vectors = self.whole_vectors(host, graph);
        self.dice.maybe(&vectors).unwrap_or(target).name.clone()
    }
}
