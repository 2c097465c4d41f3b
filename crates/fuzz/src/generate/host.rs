//! Statements of `main`.

use super::functions::indented;
use super::operators::Runs;
use super::{GraphVar, Host, Mode, ScalarVar, Scope, VertexName, Writer};
use gw_lang::Scalar;

impl Writer {
    /// Some statements in a block of their own: what is declared there is gone afterwards.
    pub(super) fn host_block(&mut self, host: &mut Host, statements: usize) {
        let sizes = (host.sets.len(), host.vectors.len(), host.scalars.len(), host.graphs.len());
        let lists = host.lists.clone();
        host.indent += 1;
        for _ in 0..self.dice.between(1, statements) {
            self.host_statement(host);
        }
        host.indent -= 1;
        host.sets.truncate(sizes.0);
        host.vectors.truncate(sizes.1);
        host.scalars.truncate(sizes.2);
        host.graphs.truncate(sizes.3);
        host.lists = lists;
    }

    pub(super) fn host_statement(&mut self, host: &mut Host) {
        let outer = usize::from(host.indent == 0);
        let nested = usize::from(host.indent < 2);
        match self.dice.weighted(&[
            30,
            20,
            8,
            4,
            4 * outer,
            9,
            4 * nested,
            2 * nested,
            3,
            3,
            3,
            2 * outer,
            outer,
            5 * outer,
            4 * outer,
            6 * outer,
            2 * outer,
            2 * outer,
            7,
        ]) {
            0 => self.edge_operator(host),
            1 => self.vertex_operator(host),
            2 => self.new_set(host),
            3 => self.add_vertex(host),
            4 => self.list(host),
            5 => self.par_for(host),
            6 => self.host_loop(host),
            7 => self.host_branch(host),
            8 => self.host_scalar(host),
            9 => self.host_entry(host),
            10 => self.host_print(host),
            11 => self.transpose(host),
            12 => self.load_again(host),
            13 => self.search(host),
            14 => self.fixed_point(host),
            15 => self.queue_loop(host),
            16 => self.host_vector(host),
            17 => self.listed_graph(host),
            _ if self.links.is_some() && self.dice.percent(60) => self.triangle_operator(host),
            _ => self.group_operator(host),
        }
    }

    /// What host code sees outside of loops.
    pub(super) fn host_scope(&self, host: &Host) -> Scope {
        let exact = |scalars: &[ScalarVar]| -> Vec<String> {
            scalars.iter().filter(|s| !s.summed).map(|s| s.name.clone()).collect()
        };
        let vectors = self.vectors.iter().chain(&host.vectors);
        Scope {
            numbers: exact(&self.scalars).into_iter().chain(exact(&host.scalars)).collect(),
            reads: vectors.filter(|v| !v.summed && v.len > 0).cloned().collect(),
            graphs: self.graphs.iter().filter(|g| g.vertices > 0).cloned().collect(),
            ..Scope::default()
        }
    }

    /// A `par_for` whose rounds write their own entries and reduce into variables outside.
    fn par_for(&mut self, host: &mut Host) {
        let variable = self.fresh("p");
        let universes: Vec<_> = host.sets.iter().filter(|s| s.universe).cloned().collect();
        let (high, bound) = match self.dice.maybe(&universes) {
            Some(set) if self.dice.percent(50) => (format!("{}.size()", set.name), set.bound),
            _ => {
                let rounds = *self.dice.pick(&[0, 1, 5, 30, 200]);
                (rounds.to_string(), rounds)
            }
        };
        let vertices = vec![VertexName { text: variable.clone(), bound }];
        let mut draft = self.draft(&Host::default(), Runs::Each(&variable), vertices, &[]);
        let mut scope = std::mem::take(&mut draft.scope);
        // Variables of `main` that rounds reduce into.
        let own = if self.dice.percent(60) { self.dice.between(1, 2) } else { 0 };
        let first = host.scalars.len();
        for _ in 0..own {
            let (name, scalar) = (self.fresh("y"), self.number());
            let summed = scalar.is_float() && self.dice.percent(50);
            let value = self.literal_of(scalar);
            host.line(format!("var {name} : {scalar} = {value};"));
            host.scalars.push(ScalarVar { name, scalar, summed });
        }
        for (at, scalar) in host.scalars.clone().into_iter().enumerate() {
            if at >= first || self.dice.percent(45) {
                let mode = self.scalar_mode(&scalar);
                scope.scalar_writes.push((scalar, mode));
            } else if !scalar.summed {
                scope.numbers.push(scalar.name);
            }
        }
        for vector in host.vectors.clone() {
            if bound <= vector.len && self.dice.percent(40) {
                scope.writes.push((vector, Mode::Own(variable.clone())));
            } else if !vector.summed {
                scope.reads.push(vector);
            }
        }
        let label = self.fresh("p");
        host.line(format!("#{label}# par_for {variable} in 0:{high}"));
        let body = self.block(&mut scope, 4);
        for line in indented(body) {
            host.line(line);
        }
        host.line("end");
        let prints: Vec<String> = host.scalars[first..].iter().map(|s| format!("print {};", s.name)).collect();
        prints.into_iter().for_each(|line| host.line(line));
    }

    fn host_loop(&mut self, host: &mut Host) {
        let (name, rounds) = (self.fresh("r"), self.dice.between(1, 3));
        let label = self.fresh("w");
        match self.dice.below(3) {
            0 => {
                host.line(format!("#{label}# for {name} in 0:{rounds}"));
                self.host_block(host, 3);
                host.line("end");
            }
            1 => {
                host.line(format!("var {name} : int = 0;"));
                host.line(format!("#{label}# while {name} < {rounds}"));
                self.host_block(host, 3);
                host.line(format!("    {name} = {name} + 1;"));
                host.line("end");
            }
            _ => {
                host.line(format!("var {name} : int = 0;"));
                host.line(format!("#{label}# do"));
                self.host_block(host, 3);
                host.line(format!("    {name} = {name} + 1;"));
                host.line(format!("end while {name} < {rounds};"));
            }
        }
    }

    fn host_branch(&mut self, host: &mut Host) {
        let scope = self.host_scope(host);
        let condition = self.condition(&scope, 1);
        host.line(format!("if {condition}"));
        self.host_block(host, 2);
        if self.dice.percent(40) {
            host.line("else");
            self.host_block(host, 2);
        }
        host.line("end");
    }

    /// A new local number, or a new value for one.
    pub(super) fn host_scalar(&mut self, host: &mut Host) {
        let scope = self.host_scope(host);
        let value = self.expr(&scope, 2);
        let old: Vec<ScalarVar> = host.scalars.iter().chain(&self.scalars).filter(|s| !s.summed).cloned().collect();
        if let Some(scalar) = self.dice.maybe(&old)
            && self.dice.percent(50)
        {
            host.line(format!("{} = {value};", scalar.name.clone()));
            return;
        }
        let (name, scalar) = (self.fresh("y"), self.number());
        let summed = scalar.is_float() && self.dice.percent(50);
        let value = if summed { "0".to_string() } else { value };
        host.line(format!("var {name} : {scalar} = {value};"));
        host.scalars.push(ScalarVar { name, scalar, summed });
    }

    fn host_entry(&mut self, host: &mut Host) {
        let scope = self.host_scope(host);
        let Some(vector) = self.dice.maybe(&scope.reads).cloned() else { return };
        let place = self.entry(&scope, &vector);
        let value = self.expr(&scope, 2);
        let number = vector.scalar != Scalar::Bool;
        let op = if number { *self.dice.pick(&["=", "=", "+=", "min=", "max="]) } else { "=" };
        host.line(format!("{place} {op} {value};"));
    }

    fn host_print(&mut self, host: &mut Host) {
        let scope = self.host_scope(host);
        let value = self.expr(&scope, 2);
        host.line(format!("print {value};"));
    }

    fn host_vector(&mut self, host: &mut Host) {
        let vector = self.new_vector("x");
        let value = self.literal_of(vector.scalar);
        host.line(format!("var {} : {} = {value};", vector.name, self.vector_type(&vector)));
        host.vectors.push(vector);
    }

    fn transpose(&mut self, host: &mut Host) {
        let graph = self.dice.pick(&self.graphs).clone();
        let name = self.fresh("g");
        host.line(format!("var {name} : {} = {}.transpose();", self.graph_type(&graph), graph.name));
        host.graphs.push(GraphVar { name, global: false, ..graph });
    }

    /// A graph of edges that vectors list, some of them none, loops and repeats among them.
    fn listed_graph(&mut self, host: &mut Host) {
        let element = self.dice.below(self.elements.len());
        let size = self.elements[element].size;
        if size == 0 {
            return;
        }
        let entries = *self.dice.pick(&[1, 8, 64, 1000]);
        let weight = *self.dice.pick(&[None, Some(Scalar::Int), Some(Scalar::Int64), Some(Scalar::Double)]);
        let (tails, heads, weights, item) = (self.fresh("x"), self.fresh("x"), self.fresh("x"), self.fresh("i"));
        let length = self.length(entries);
        for ends in [&tails, &heads] {
            host.line(format!("var {ends} : vector[{length}](int) = -1;"));
        }
        let mut lists = format!("{tails}, {heads}");
        if let Some(weight) = weight {
            host.line(format!("var {weights} : vector[{length}]({weight}) = 1;"));
            lists += &format!(", {weights}");
        }
        let [step, shift, skip] = [self.dice.between(1, 50), self.dice.below(50), self.dice.between(2, 9)];
        host.line(format!("for {item} in 0:{entries}"));
        host.line(format!("    if {item} mod {skip} != 0"));
        host.line(format!("        {tails}[{item}] = ({item} * {step} + {shift}) mod {size};"));
        host.line("    end");
        host.line(format!("    {heads}[{item}] = ({item} * {shift} + {step}) mod {size};"));
        if weight.is_some() {
            host.line(format!("    {weights}[{item}] = {item} mod {skip} + 1;"));
        }
        host.line("end");
        let name = self.fresh("g");
        let graph = GraphVar { name, element, weight, vertices: size, global: false, rows: false };
        let ty = self.graph_type(&graph);
        host.line(format!("var {} : {ty} = new {ty}({lists});", graph.name));
        host.line(format!("print {}.getEdges();", graph.name));
        host.graphs.push(graph);
    }

    /// Another graph in a variable that vectors and functions know already.
    fn load_again(&mut self, host: &mut Host) {
        let at = self.dice.below(self.graphs.len());
        let file = self.dice.below(self.data.len());
        let vertices = self.data[file].vertices;
        // Columns are those of the graph that was loaded first.
        if self.graphs[at].rows || self.data[file].columns {
            return;
        }
        // Weights with fractions suit real weights only.
        let (data, weight) = (&self.data[file], self.graphs[at].weight);
        let whole = !data.fractional || weight.is_none_or(Scalar::is_float);
        let fits = !data.wide || weight.is_none_or(|weight| matches!(weight, Scalar::Int64 | Scalar::Double));
        if !whole || !fits || (!self.faulty && vertices != self.graphs[at].vertices) {
            return;
        }
        host.line(format!("{} = load(argv[{}]);", self.graphs[at].name, file + 1));
        self.graphs[at].vertices = vertices;
        let element = self.graphs[at].element;
        self.elements[element].size = vertices;
    }
}
