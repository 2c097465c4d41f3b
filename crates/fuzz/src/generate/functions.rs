//! Bodies of functions: locals, branches, loops, and writes in the role that each variable has.

use super::{Helper, Mode, ScalarVar, Scope, VectorVar, VertexName, Writer};

/// Lines of a block, without indentation.
pub(super) type Lines = Vec<String>;

/// A block one level deeper.
pub(super) fn indented(lines: Lines) -> impl Iterator<Item = String> {
    lines.into_iter().map(|line| format!("    {line}"))
}

impl Writer {
    /// A function of numbers alone, which may call those before it.
    pub(super) fn helper(&mut self) {
        let (name, arity) = (self.fresh("h"), self.dice.between(1, 3));
        let result = self.number();
        let mut scope = Scope::default();
        let mut params = Vec::new();
        for i in 0..arity {
            let scalar = self.number();
            params.push(format!("a{i} : {scalar}"));
            scope.numbers.push(format!("a{i}"));
        }
        scope.locals.push(ScalarVar { name: "r".into(), scalar: result, summed: false });
        let mut body = self.block(&mut scope, 2);
        body.push(format!("r = {};", self.expr(&scope, 2)));
        self.function(&format!("func {name}({}) -> r : {result}", params.join(", ")), body);
        self.helpers.push(Helper { name, arity });
    }

    /// Adds a function to the program.
    pub(super) fn function(&mut self, head: &str, body: Lines) {
        self.assigned.clear();
        self.functions.push(head.to_string());
        self.functions.extend(indented(body));
        self.functions.push("end".to_string());
        self.functions.push(String::new());
    }

    /// Some statements. New locals stay visible in the scope of the caller's block only.
    pub(super) fn block(&mut self, scope: &mut Scope, statements: usize) -> Lines {
        let mut lines = Lines::new();
        for _ in 0..self.dice.between(1, statements) {
            let more = self.statement(scope);
            lines.extend(more);
        }
        lines
    }

    fn inner_block(&mut self, scope: &Scope, statements: usize) -> Lines {
        let mut inner = scope.clone();
        inner.depth += 1;
        self.block(&mut inner, statements)
    }

    fn statement(&mut self, scope: &mut Scope) -> Lines {
        let nested = if scope.depth < 2 { 1 } else { 0 };
        match self.dice.weighted(&[5, 3, 12, 4 * nested, 3 * nested, nested, nested, 2 * nested, 2]) {
            0 => vec![self.declare(scope)],
            1 => self.assign_local(scope),
            2 => self.write(scope),
            3 => self.branch(scope),
            4 => self.counted_loop(scope),
            5 => self.while_loop(scope, false),
            6 => self.while_loop(scope, true),
            7 => self.neighbour_loop(scope),
            _ => self.guarded_write(scope),
        }
    }

    fn declare(&mut self, scope: &mut Scope) -> String {
        let (name, scalar) = (self.fresh("l"), self.number());
        let value = self.expr(scope, 2);
        scope.numbers.push(name.clone());
        scope.locals.push(ScalarVar { name: name.clone(), scalar, summed: false });
        match self.dice.below(8) {
            0 => format!("var {name} : {scalar};"),
            1 => {
                scope.locals.pop();
                format!("const {name} : {scalar} = {value};")
            }
            _ => format!("var {name} : {scalar} = {value};"),
        }
    }

    fn assign_local(&mut self, scope: &mut Scope) -> Lines {
        let Some(local) = self.dice.maybe(&scope.locals).cloned() else { return vec![self.declare(scope)] };
        let value = self.expr(scope, 2);
        let op = if local.scalar == gw_lang::Scalar::Bool {
            "="
        } else {
            *self.dice.pick(&["=", "=", "+=", "min=", "max="])
        };
        vec![format!("{} {op} {value};", local.name)]
    }

    fn branch(&mut self, scope: &Scope) -> Lines {
        let mut lines = vec![format!("if {}", self.condition(scope, 2))];
        lines.extend(indented(self.inner_block(scope, 2)));
        if self.dice.percent(25) {
            lines.push(format!("elif {}", self.condition(scope, 2)));
            lines.extend(indented(self.inner_block(scope, 2)));
        }
        if self.dice.percent(40) {
            lines.push("else".into());
            lines.extend(indented(self.inner_block(scope, 2)));
        }
        lines.push("end".into());
        lines
    }

    fn counted_loop(&mut self, scope: &Scope) -> Lines {
        let (name, rounds) = (self.fresh("i"), self.dice.between(0, 4));
        let mut inner = scope.clone();
        inner.vertices.push(VertexName { text: name.clone(), bound: rounds });
        let mut lines = vec![format!("for {name} in 0:{rounds}")];
        lines.extend(indented(self.inner_block(&inner, 2)));
        if self.dice.percent(20) {
            lines.push(format!("    if {}", self.condition(&inner, 1)));
            lines.push("        break;".into());
            lines.push("    end".into());
        }
        lines.push("end".into());
        lines
    }

    fn while_loop(&mut self, scope: &Scope, test_after: bool) -> Lines {
        let (name, rounds) = (self.fresh("k"), self.dice.between(0, 3));
        let mut inner = scope.clone();
        inner.numbers.push(name.clone());
        let condition = format!("{name} < {rounds}");
        let mut lines = vec![format!("var {name} : int = 0;")];
        lines.push(if test_after { "do".into() } else { format!("while {condition}") });
        lines.extend(indented(self.inner_block(&inner, 2)));
        lines.push(format!("    {name} = {name} + 1;"));
        lines.push(if test_after { format!("end while {condition};") } else { "end".into() });
        lines
    }

    /// The first few neighbours of a vertex.
    fn neighbour_loop(&mut self, scope: &Scope) -> Lines {
        let graphs: Vec<_> = scope.graphs.iter().filter(|g| g.vertices > 0).cloned().collect();
        let Some(graph) = self.dice.maybe(&graphs).cloned() else { return self.branch(scope) };
        if scope.vertices.is_empty() {
            return self.branch(scope);
        }
        let vertex = self.index(scope, graph.vertices);
        let (k, u) = (self.fresh("k"), self.fresh("u"));
        let mut inner = scope.clone();
        inner.vertices.push(VertexName { text: u.clone(), bound: graph.vertices });
        if self.random && self.dice.percent(60) {
            let element = self.elements[graph.element].name;
            let mut lines = vec![format!("if {}.getOutDegree({vertex}) > 0", graph.name)];
            lines.push(format!("    var {u} : {element} = getRandomOutNgh({}, {vertex});", graph.name));
            lines.extend(indented(self.inner_block(&inner, 2)));
            lines.push("end".into());
            return lines;
        }
        let most = self.dice.between(1, 4);
        let element = self.elements[graph.element].name;
        let mut lines = vec![format!("for {k} in 0:min({most}, {}.getOutDegree({vertex}))", graph.name)];
        lines.push(format!("    var {u} : {element} = getOutNgh({}, {vertex}, {k});", graph.name));
        lines.extend(indented(self.inner_block(&inner, 2)));
        lines.push("end".into());
        lines
    }

    /// A write, or a local where nothing may be written.
    fn write(&mut self, scope: &mut Scope) -> Lines {
        let (vectors, scalars) = (scope.writes.len(), scope.scalar_writes.len());
        if vectors + scalars == 0 {
            return vec![self.declare(scope)];
        }
        if self.dice.below(vectors * 3 + scalars) < vectors * 3 {
            let (vector, mode) = self.dice.pick(&scope.writes).clone();
            return self.write_vector(scope, &vector, &mode);
        }
        let (target, mode) = self.dice.pick(&scope.scalar_writes).clone();
        let value = self.expr(scope, 2);
        vec![match mode {
            Mode::Sum => format!("{} += {value};", target.name),
            Mode::Min => format!("{} min= {value};", target.name),
            Mode::Max => format!("{} max= {value};", target.name),
            Mode::Or => format!("{} |= {value};", target.name),
            Mode::And => format!("{} &= {value};", target.name),
            Mode::Constant(constant) => format!("{} = {constant};", target.name),
            _ => format!("{} = {value};", target.name),
        }]
    }

    fn write_vector(&mut self, scope: &Scope, vector: &VectorVar, mode: &Mode) -> Lines {
        let flat = vector.row.is_none();
        let name = &vector.name;
        match mode {
            Mode::Or | Mode::And => {
                let index = self.index(scope, vector.len);
                let value = self.expr(scope, 2);
                let op = if *mode == Mode::Or { "|=" } else { "&=" };
                let place = self.with_row(scope, vector, &index);
                vec![format!("{place} {op} {value};")]
            }
            Mode::Sum | Mode::Min | Mode::Max => {
                let index = self.index(scope, vector.len);
                let value = self.expr(scope, 2);
                let (op, call) = match mode {
                    Mode::Sum => ("+=", "atomicAdd"),
                    Mode::Min => ("min=", "writeMin"),
                    _ => ("max=", "writeMax"),
                };
                if flat && self.dice.percent(15) {
                    return vec![format!("{call}({name}, {index}, {value});")];
                }
                let place = self.with_row(scope, vector, &index);
                vec![format!("{place} {op} {value};")]
            }
            Mode::Constant(constant) => {
                let index = self.index(scope, vector.len);
                let place = self.with_row(scope, vector, &index);
                vec![format!("{place} = {constant};")]
            }
            Mode::End(end) => {
                if self.assigned.contains(name) {
                    return Lines::new();
                }
                self.assigned.push(name.clone());
                // Only what belongs to this end may be looked at: all edges that share it then write the same.
                let limited = self.limited(scope, end);
                let value = self.expr(&limited, 2);
                let place = match vector.row {
                    Some(row) => format!("{name}[{end}][{}]", self.dice.below(row)),
                    None => format!("{name}[{end}]"),
                };
                vec![format!("{place} = {value};")]
            }
            Mode::Own(own) => {
                let place = self.with_row(scope, vector, &own.clone());
                let value = self.expr(scope, 2);
                let numeric = vector.scalar != gw_lang::Scalar::Bool;
                let op = if numeric { *self.dice.pick(&["=", "=", "=", "+=", "min=", "max="]) } else { "=" };
                vec![format!("{place} {op} {value};")]
            }
            Mode::Swap => {
                let ends: Vec<String> = scope.vertices.iter().map(|v| v.text.clone()).collect();
                let Some(end) = ends.first() else { return Lines::new() };
                let end = if self.dice.percent(70) { end.clone() } else { ends[ends.len() - 1].clone() };
                let mut limited = self.limited(scope, &end).without(name);
                limited.writes = scope.writes.iter().filter(|(_, mode)| *mode == Mode::Sum).cloned().collect();
                limited.scalar_writes.retain(|(_, mode)| *mode == Mode::Sum);
                limited.depth = 2;
                let mut lines = vec![format!("if compare_and_swap({name}, {end}, 0, 1)")];
                limited.locals.clear();
                lines.extend(indented(self.write(&mut limited)));
                lines.push("end".into());
                lines
            }
            Mode::Wild => {
                let place = self.entry(scope, vector);
                let value = self.expr(scope, 2);
                let numeric = vector.scalar != gw_lang::Scalar::Bool;
                let op = if numeric { *self.dice.pick(&["=", "+=", "min=", "max="]) } else { "=" };
                vec![format!("{place} {op} {value};")]
            }
        }
    }

    /// What belongs to one end of an edge alone: the end, and the same for all edges.
    fn limited(&self, scope: &Scope, end: &str) -> Scope {
        let mut limited = scope.clone();
        limited.vertices.retain(|vertex| vertex.text == end);
        limited.numbers.retain(|name| name.starts_with('c') || name.starts_with('z'));
        limited.writes.clear();
        limited
    }

    /// `if v < 8 ... x[v] ...`: an index kept in range by a test.
    fn guarded_write(&mut self, scope: &mut Scope) -> Lines {
        let plain: Vec<_> = scope
            .writes
            .iter()
            .filter(|(_, mode)| matches!(mode, Mode::Sum | Mode::Min | Mode::Max | Mode::Or | Mode::And))
            .cloned()
            .collect();
        let (Some((vector, mode)), Some(vertex)) = (self.dice.maybe(&plain).cloned(), scope.vertices.first().cloned())
        else {
            return self.write(scope);
        };
        let mut inner = scope.clone();
        inner.vertices = vec![VertexName { text: vertex.text.clone(), bound: vector.len.min(vertex.bound) }];
        let mut lines = vec![format!("if {} < {}", vertex.text, vector.len)];
        lines.extend(indented(self.write_vector(&inner, &vector, &mode)));
        lines.push("end".into());
        lines
    }
}
