//! Numbers, conditions and indices.

use super::{Mode, Scope, VectorVar, Writer};
use gw_lang::Scalar;

impl Writer {
    /// A number of any type.
    pub(super) fn expr(&mut self, scope: &Scope, depth: usize) -> String {
        if depth == 0 || self.dice.percent(30) {
            return self.leaf(scope);
        }
        let depth = depth - 1;
        match self.dice.weighted(&[30, 8, 6, 5, 4, 4, 3, 3, 5, 6]) {
            0 => {
                let op = *self.dice.pick(&["+", "-", "*", "+"]);
                let (a, b) = (self.expr(scope, depth), self.expr(scope, depth));
                format!("({a} {op} {b})")
            }
            1 => {
                let name = *self.dice.pick(&["min", "max"]);
                let (a, b) = (self.expr(scope, depth), self.expr(scope, depth));
                format!("{name}({a}, {b})")
            }
            2 => {
                let a = self.expr(scope, depth);
                let b = self.divisor(scope);
                if self.dice.percent(50) { format!("mod({a}, {b})") } else { format!("({a} / {b})") }
            }
            3 => format!("({})", self.condition(scope, depth)),
            4 => {
                let name = *self.dice.pick(&["abs", "abs", "fabs", "floor", "to_double"]);
                format!("{name}({})", self.expr(scope, depth))
            }
            5 => format!("(-{})", self.expr(scope, depth)),
            6 => {
                let a = self.expr(scope, depth);
                match self.dice.below(4) {
                    0 => format!("sqrt(fabs({a}))"),
                    1 => format!("log(1.0 + fabs({a}))"),
                    2 => format!("exp(mod({a}, 3))"),
                    _ => format!("pow(mod({a}, 5), 2)"),
                }
            }
            7 => self.graph_number(scope),
            8 => self.helper_call(scope, depth),
            _ => self.word(scope, depth),
        }
    }

    /// A whole number made of bits, or a random number by counter.
    fn word(&mut self, scope: &Scope, depth: usize) -> String {
        if depth == 0 || self.dice.percent(40) {
            let vertex = self.dice.maybe(&scope.vertices).map(|vertex| vertex.text.clone());
            return match vertex.filter(|_| self.dice.percent(60)) {
                Some(vertex) => vertex,
                None => {
                    self.dice.pick(&["0", "1", "6", "255", "-2", "65536", "4000000000", "1099511627776"]).to_string()
                }
            };
        }
        let (a, b) = (self.word(scope, depth - 1), self.word(scope, depth - 1));
        match self.dice.below(8) {
            0 => format!("(~{a})"),
            1 => format!("popcount({a})"),
            2 => format!("({a} << ({b} & 31))"),
            3 => format!("({a} >> ({b} & 7))"),
            4 => format!("(randomBits({}, {a}, {b}) mod 1000)", self.dice.below(3)),
            _ => {
                let op = *self.dice.pick(&["&", "|", "^"]);
                format!("({a} {op} {b})")
            }
        }
    }

    /// A divisor: almost always a literal other than 0.
    fn divisor(&mut self, scope: &Scope) -> String {
        if self.faulty && self.dice.percent(4) {
            return self.leaf(scope);
        }
        self.dice.pick(&["2", "3", "7", "-3", "2.5", "16"]).to_string()
    }

    /// A condition.
    pub(super) fn condition(&mut self, scope: &Scope, depth: usize) -> String {
        let depth = depth.saturating_sub(1);
        match self.dice.weighted(&[10, 2, 1, 1]) {
            1 => {
                let op = *self.dice.pick(&["and", "or", "xor"]);
                let (a, b) = (self.condition(scope, depth), self.condition(scope, depth));
                format!("({a}) {op} ({b})")
            }
            2 => format!("not ({})", self.condition(scope, depth)),
            3 => self.dice.pick(&["true", "false", "1 < 2"]).to_string(),
            _ => {
                let op = *self.dice.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let (a, b) = (self.expr(scope, depth), self.expr(scope, depth.min(1)));
                format!("{a} {op} {b}")
            }
        }
    }

    fn leaf(&mut self, scope: &Scope) -> String {
        let own: Vec<VectorVar> = scope
            .writes
            .iter()
            .filter(|(vector, mode)| matches!(mode, Mode::Own(_) | Mode::Wild) && !vector.summed)
            .map(|(vector, _)| vector.clone())
            .collect();
        for _ in 0..3 {
            match self.dice.weighted(&[3, 4, 4, 6, 2]) {
                0 => return self.literal(),
                1 => {
                    if let Some(vertex) = self.dice.maybe(&scope.vertices) {
                        return vertex.text.clone();
                    }
                }
                2 => {
                    if let Some(name) = self.dice.maybe(&scope.numbers) {
                        return name.clone();
                    }
                }
                3 => {
                    if let Some(vector) = self.dice.maybe(&scope.reads).cloned() {
                        return self.entry(scope, &vector);
                    }
                }
                _ => {
                    if let Some(vector) = self.dice.maybe(&own).cloned() {
                        return self.own_entry(scope, &vector);
                    }
                }
            }
        }
        self.literal()
    }

    pub(super) fn literal(&mut self) -> String {
        match self.dice.weighted(&[8, 2, 3, 1]) {
            0 => self.dice.below(10).to_string(),
            1 => self.dice.pick(&["100", "65536", "2147483647", "-1", "-7"]).to_string(),
            2 => self.dice.pick(&["0.5", "2.25", "-1.75", "0.0", "10.0"]).to_string(),
            _ => self.dice.pick(&["true", "false"]).to_string(),
        }
    }

    /// A literal that a variable of this type can hold without change.
    pub(super) fn literal_of(&mut self, scalar: Scalar) -> String {
        match scalar {
            Scalar::Bool => self.dice.pick(&["true", "false"]).to_string(),
            Scalar::Float | Scalar::Double => self.dice.pick(&["0.0", "1.5", "-2.25", "8.0"]).to_string(),
            Scalar::Uint | Scalar::Uint64 => self.dice.pick(&["0", "1", "7", "1000"]).to_string(),
            _ => self.dice.pick(&["0", "1", "-1", "7", "1000", "-50"]).to_string(),
        }
    }

    /// `x[i]` or `x[i][j]` for reading.
    pub(super) fn entry(&mut self, scope: &Scope, vector: &VectorVar) -> String {
        let index = self.index(scope, vector.len);
        self.with_row(scope, vector, &index)
    }

    /// An entry of a vector that the running element owns.
    fn own_entry(&mut self, scope: &Scope, vector: &VectorVar) -> String {
        let mode = scope.writes.iter().find(|(other, _)| other.name == vector.name).map(|(_, mode)| mode);
        match mode {
            Some(Mode::Own(own)) => self.with_row(scope, vector, &own.clone()),
            _ => self.entry(scope, vector),
        }
    }

    /// The entry at an index, down to a number where entries are rows.
    pub(super) fn with_row(&mut self, scope: &Scope, vector: &VectorVar, index: &str) -> String {
        match vector.row {
            None => format!("{}[{index}]", vector.name),
            Some(row) => {
                let column =
                    if self.dice.percent(50) { self.dice.below(row).to_string() } else { self.index(scope, row) };
                format!("{}[{index}][{column}]", vector.name)
            }
        }
    }

    /// An index into `len` entries: in range, unless faults are wanted.
    pub(super) fn index(&mut self, scope: &Scope, len: usize) -> String {
        if self.faulty
            && self.dice.percent(7)
            && let Some(vertex) = self.dice.maybe(&scope.vertices)
        {
            let text = vertex.text.clone();
            return match self.dice.below(6) {
                0 => format!("{text} + 1"),
                1 => format!("{text} - 1"),
                _ => text,
            };
        }
        let safe: Vec<String> = scope.vertices.iter().filter(|v| v.bound <= len).map(|v| v.text.clone()).collect();
        if let Some(vertex) = self.dice.maybe(&safe)
            && self.dice.percent(85)
        {
            return vertex.clone();
        }
        match self.dice.maybe(&scope.vertices) {
            Some(vertex) if len > 0 => format!("mod({}, {len})", vertex.text.clone()),
            _ => self.dice.below(len).to_string(),
        }
    }

    /// A number that a graph gives: a degree or common neighbours.
    fn graph_number(&mut self, scope: &Scope) -> String {
        let Some(graph) = self.dice.maybe(&scope.graphs).cloned() else { return self.leaf(scope) };
        if graph.vertices == 0 {
            return self.leaf(scope);
        }
        let a = self.index(scope, graph.vertices);
        let b = self.index(scope, graph.vertices);
        let name = &graph.name;
        match self.dice.weighted(&[5, 2, 1, usize::from(self.wild && !scope.drawless)]) {
            0 => format!("{name}.getOutDegree({a})"),
            1 => format!("intersectNeighbor({name}, {a}, {b})"),
            2 => format!(
                "intersection({name}.getNgh({a}), {name}.getNgh({b}), {name}.getOutDegree({a}), {name}.getOutDegree({b}))"
            ),
            _ => format!("getRandomOutNgh({name}, {a})"),
        }
    }

    fn helper_call(&mut self, scope: &Scope, depth: usize) -> String {
        let Some(helper) = self.dice.maybe(&self.helpers).cloned() else { return self.leaf(scope) };
        let args: Vec<String> = (0..helper.arity).map(|_| self.expr(scope, depth.min(1))).collect();
        format!("{}({})", helper.name, args.join(", "))
    }
}
