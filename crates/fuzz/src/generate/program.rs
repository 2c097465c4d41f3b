//! The frame of a program: elements, graphs, globals, `main`, and the prints at its end.

use super::tuples::with_tuples;
use super::{Element, GraphVar, Host, ScalarVar, Scope, SetVar, VectorVar, Writer};
use crate::graphs;
use gw_lang::Scalar;

impl Writer {
    /// The whole text.
    pub(super) fn program(&mut self) -> String {
        self.wild = self.dice.percent(8);
        self.faulty = self.dice.percent(35);
        self.random = self.dice.percent(10);
        let mut head = vec!["element Vertex end".to_string(), "element Edge end".to_string()];
        self.elements.push(Element { name: "Vertex", size: 0, start: 0 });
        if self.dice.percent(25) {
            head.push("element Item end".to_string());
            self.elements.push(Element { name: "Item", size: 0, start: 0 });
        }
        self.declare_lengths(&mut head);
        self.declare_graphs(&mut head);
        let mut host = Host::default();
        self.declare_universes(&mut head, &mut host);
        for _ in 0..self.dice.between(2, 7) {
            let vector = self.new_vector("x");
            head.push(self.global_vector(&vector));
            self.vectors.push(vector);
        }
        for _ in 0..self.dice.between(0, 3) {
            let (name, scalar) = (self.fresh("z"), self.number());
            let value = self.literal_of(scalar);
            head.push(format!("const {name} : {scalar} = {value};"));
            let summed = scalar.is_float() && self.dice.percent(50);
            self.scalars.push(ScalarVar { name, scalar, summed });
        }
        head.push(String::new());
        for _ in 0..self.dice.below(3) {
            self.helper();
        }
        for _ in 0..self.dice.between(2, 9) {
            self.host_statement(&mut host);
        }
        self.print_all(&mut host);
        let mut lines = head;
        lines.append(&mut self.functions);
        lines.push("func main()".into());
        lines.append(&mut host.lines);
        lines.push("end".into());
        let text = lines.join("\n") + "\n";
        match self.dice.percent(25) {
            true => with_tuples(&text, &mut self.dice),
            false => text,
        }
    }

    /// Names for some lengths of vectors: constants, and numbers that are worked out when the program runs.
    fn declare_lengths(&mut self, head: &mut Vec<String>) {
        for entries in [1, 2, 3, 4, 8, 64, 1000] {
            match self.dice.below(8) {
                0 => {
                    head.push(format!("const len{entries} : int = 3 * {entries} - 2 * {entries};"));
                    self.lengths.push((entries, format!("len{entries}")));
                }
                1 => {
                    head.push(format!("const run{entries} : int = abs(-{entries});"));
                    self.lengths.push((entries, format!("run{entries}")));
                }
                _ => {}
            }
        }
    }

    pub(super) fn graph_type(&self, graph: &GraphVar) -> String {
        let element = self.elements[graph.element].name;
        let weight = graph.weight.map_or(String::new(), |weight| format!(",{weight}"));
        let edge = if graph.rows { "Row" } else { "Edge" };
        format!("edgeset{{{edge}}}({element},{element}{weight})")
    }

    fn declare_graphs(&mut self, head: &mut Vec<String>) {
        let count = self.dice.weighted(&[0, 55, 32, 13]).max(self.elements.len());
        for i in 0..count {
            // The first graphs give each element one of its own.
            let element = if i < self.elements.len() { i } else { self.dice.below(self.elements.len()) };
            let like = self.data.first().map(|first| first.vertices).filter(|_| self.dice.percent(50));
            let data = graphs::random(&mut self.dice, like);
            let reals = [Scalar::Float, Scalar::Double];
            let weight = match (self.dice.percent(50), data.fractional) {
                (false, _) => None,
                (true, true) if data.wide => Some(Scalar::Double),
                (true, false) if data.wide => Some(*self.dice.pick(&[Scalar::Int64, Scalar::Double])),
                (true, true) => Some(*self.dice.pick(&reals)),
                (true, false) if self.dice.percent(75) => Some(Scalar::Int),
                (true, false) => Some(*self.dice.pick(&reals)),
            };
            let rows = i == 0 && self.dice.percent(20);
            let (name, vertices) = (self.fresh("g"), data.vertices);
            // Neighbour lists of tables have repeats, which functions do not expect.
            let graph = GraphVar { name, element, weight, vertices, global: !rows, rows };
            if rows {
                head.push("element Row end".to_string());
            }
            head.push(format!("const {} : {} = load(argv[{}]);", graph.name, self.graph_type(&graph), i + 1));
            if rows {
                self.declare_columns(head, &graph.name);
            }
            self.data.push(if rows { graphs::with_columns(data) } else { data });
            self.graphs.push(graph);
        }
        // Which of several faults is met first depends on the machine, and random neighbours on the operators before.
        if self.dice.percent(25) && !self.faulty && !self.random && !self.graphs[0].rows {
            let graph = self.graphs[0].clone();
            let (name, element) = (self.fresh("k"), self.elements[graph.element].name);
            head.push("element Link end".to_string());
            head.push(format!("const {name} : edgeset{{Link}}({element},{element}) = {}.links();", graph.name));
            self.links = Some(GraphVar { name, weight: None, ..graph });
        }
        if self.dice.percent(12) {
            let graph = self.dice.pick(&self.graphs).clone();
            let name = self.fresh("g");
            head.push(format!("const {name} : {} = {}.transpose();", self.graph_type(&graph), graph.name));
            self.graphs.push(GraphVar { name, ..graph });
        }
    }

    fn declare_columns(&mut self, head: &mut Vec<String>, graph: &str) {
        for (column, scalar) in [("a", "int"), ("b", "double"), ("c", "int")] {
            let name = self.fresh("a");
            let missing = if column == "a" { ", 7" } else { "" };
            head.push(format!("const {name} : vector{{Row}}({scalar}) = {graph}.column(\"{column}\"{missing});"));
            self.columns.push(name);
        }
    }

    /// Gives a function of edges the edge, now and then, and with it the values of its row.
    pub(super) fn give_row(&mut self, graph: &GraphVar, params: &mut String, scope: &mut Scope) {
        if graph.rows && self.graphs.iter().any(|global| global.name == graph.name) && self.dice.percent(60) {
            params.push_str(", e : Row");
            scope.numbers.extend(self.columns.iter().map(|column| format!("{column}[e]")));
        }
    }

    fn declare_universes(&mut self, head: &mut Vec<String>, host: &mut Host) {
        for element in 0..self.elements.len() {
            let own: Vec<GraphVar> = self.graphs.iter().filter(|g| g.element == element).cloned().collect();
            let graph = self.dice.pick(&own).clone();
            let (name, kind) = (self.fresh("v"), self.elements[element].name);
            // Now and then the element has another number of vertices than its graph.
            let fixed = self.faulty && self.dice.percent(8);
            let (size, text) = match fixed {
                true => (5, format!("new vertexset{{{kind}}}(5)")),
                false => (graph.vertices, format!("{}.getVertices()", graph.name)),
            };
            head.push(format!("const {name} : vertexset{{{kind}}} = {text};"));
            self.elements[element].size = size;
            self.elements[element].start = size;
            host.sets.push(SetVar { name, element, bound: size, universe: true });
        }
    }

    fn global_vector(&mut self, vector: &VectorVar) -> String {
        let kind = self.vector_type(vector);
        let plain = vector.row.is_none();
        let is_known = !self.length(vector.len).starts_with("run");
        if vector.element.is_none() && plain && is_known && vector.len <= 4 && self.dice.percent(40) {
            let items: Vec<String> = (0..vector.len).map(|_| self.literal_of(vector.scalar)).collect();
            return format!("const {} : {kind} = {{{}}};", vector.name, items.join(", "));
        }
        if plain && vector.scalar == Scalar::Int && self.dice.percent(15) {
            let fits = |g: &&GraphVar| Some(g.element) == vector.element && g.vertices == vector.len;
            let graphs: Vec<GraphVar> = self.graphs.iter().filter(fits).cloned().collect();
            if let Some(graph) = self.dice.maybe(&graphs) {
                return format!("const {} : {kind} = {}.getOutDegrees();", vector.name, graph.name);
            }
        }
        if self.dice.percent(10) {
            return format!("const {} : {kind};", vector.name);
        }
        format!("const {} : {kind} = {};", vector.name, self.literal_of(vector.scalar))
    }

    /// Prints what there is, so that the host's reductions and local vectors are compared as well.
    fn print_all(&mut self, host: &mut Host) {
        for scalar in self.scalars.iter().chain(&host.scalars.clone()) {
            host.line(format!("print {};", scalar.name));
        }
        for column in &self.columns {
            host.line(format!("print {column}.sum();"));
        }
        let vectors: Vec<VectorVar> = self.vectors.iter().chain(&host.vectors).cloned().collect();
        for vector in vectors {
            let name = &vector.name;
            if vector.row.is_none() {
                // A sum of reals that should be 0 may miss it.
                if !vector.summed {
                    host.line(format!("print {name}.count();"));
                }
                host.line(format!("print {name}.sum();"));
                if vector.len > 0 {
                    host.line(format!("print {name}.max();"));
                    host.line(format!("print {name}.min();"));
                }
            }
            if vector.len > 0 {
                let item = self.fresh("i");
                let entry = match vector.row {
                    Some(row) => format!("{name}[{item}][{}]", self.dice.below(row)),
                    None => format!("{name}[{item}]"),
                };
                host.line(format!("for {item} in 0:{}", vector.len.min(6)));
                host.line(format!("    print {entry};"));
                host.line("end");
            }
        }
    }
}
