//! Loops that run until a frontier is empty or a priority queue is drained, in the shapes of the standard programs.

use super::{GraphVar, Host, SetVar, VectorVar, Writer};
use gw_lang::Scalar;

/// Greater than any distance in the graphs drawn, and far from where sums wrap around.
const FAR: &str = "1000000000";

impl Writer {
    /// A global vector for one algorithm alone.
    fn algorithm_vector(&mut self, graph: &GraphVar, scalar: Scalar, start: &str) -> VectorVar {
        let (element, len) = (Some(graph.element), self.elements[graph.element].start);
        let vector = VectorVar { name: self.fresh("d"), element, len, row: None, scalar, summed: false };
        // Declared as local of `main` it could not be seen by functions without captures.
        let text = format!("const {} : {} = {start};", vector.name, self.vector_type(&vector));
        self.functions.push(text);
        vector
    }

    /// A graph whose vertices fit the vectors of its element, and a vertex of it.
    fn graph_and_source(&mut self, host: &Host) -> Option<(GraphVar, usize)> {
        let graph = self.some_graph(host);
        let size = self.elements[graph.element].start;
        let fits = graph.vertices <= size || (self.faulty && self.dice.percent(50));
        let least = graph.vertices.min(size);
        (fits && least > 0).then(|| (graph, self.dice.below(least)))
    }

    /// A breadth-first search that writes the round.
    pub(super) fn search(&mut self, host: &mut Host) {
        let Some((graph, source)) = self.graph_and_source(host) else { return };
        let level = self.algorithm_vector(&graph, Scalar::Int, "-1");
        let (name, round) = (level.name.clone(), self.fresh("z"));
        self.functions.push(format!("const {round} : int = 0;"));
        let element = self.elements[graph.element].name;
        let (visit, fresh) = (self.fresh("f"), self.fresh("t"));
        self.function(
            &format!("func {visit}(src : {element}, dst : {element})"),
            vec![format!("{name}[dst] = {round};")],
        );
        self.function(&format!("func {fresh}(v : {element}) -> yes : bool"), vec![format!("yes = {name}[v] == -1;")]);
        let kind = format!("vertexset{{{element}}}");
        let (frontier, next) = (self.fresh("s"), self.fresh("s"));
        let (outer, inner) = (self.fresh("w"), self.fresh("o"));
        let more = if self.dice.percent(50) { ", true" } else { "" };
        let collect = self.dice.percent(20);
        host.line(format!("var {frontier} : {kind} = new {kind}(0);"));
        host.line(format!("{frontier}.addVertex({source});"));
        host.line(format!("{name}[{source}] = 0;"));
        host.line(format!("#{outer}# while {frontier}.getVertexSetSize() != 0"));
        host.line(format!("    {round} = {round} + 1;"));
        host.line(format!(
            "    #{inner}# var {next} : {kind} = {}.from({frontier}).to({fresh}).applyModified({visit}, {name}{more});",
            graph.name
        ));
        host.line(format!("    delete {frontier};"));
        if collect {
            let list = self.fresh("q");
            // The list is made before the loop.
            let at = host.lines.len() - 4;
            host.lines.insert(at, format!("    var {list} : list{{{kind}}} = new list{{{kind}}}();"));
            host.line(format!("    {list}.append({next});"));
        }
        host.line(format!("    {frontier} = {next};"));
        host.line("end");
        host.line(format!("delete {frontier};"));
        host.line(format!("print {round};"));
        self.vectors.push(level);
    }

    /// Label propagation or Bellman-Ford: `min=` or `max=` until nothing changes.
    pub(super) fn fixed_point(&mut self, host: &mut Host) {
        let Some((graph, source)) = self.graph_and_source(host) else { return };
        let element = self.elements[graph.element].name;
        let kind = format!("vertexset{{{element}}}");
        let labels = graph.weight.is_none() || self.dice.percent(40);
        let most = labels && self.dice.percent(40);
        let scalar = if labels { *self.dice.pick(&[Scalar::Int, Scalar::Uint, Scalar::Double]) } else { Scalar::Int };
        let vector = self.algorithm_vector(&graph, scalar, if labels { "0" } else { FAR });
        let name = vector.name.clone();
        let (spread, frontier, next) = (self.fresh("f"), self.fresh("s"), self.fresh("s"));
        let weight = graph.weight.filter(|_| !labels);
        let params = weight.map_or(String::new(), |w| format!(", weight : {w}"));
        let value = if labels { format!("{name}[src]") } else { format!("{name}[src] + weight") };
        let op = if most { "max=" } else { "min=" };
        self.function(
            &format!("func {spread}(src : {element}, dst : {element}{params})"),
            vec![format!("{name}[dst] {op} {value};")],
        );
        let (outer, inner) = (self.fresh("w"), self.fresh("o"));
        if labels {
            let start = self.fresh("f");
            self.function(&format!("func {start}(v : {element})"), vec![format!("{name}[v] = v;")]);
            let all: Vec<SetVar> =
                host.sets.iter().filter(|s| s.universe && s.element == graph.element).cloned().collect();
            let Some(all) = all.first() else { return };
            if all.bound > graph.vertices && !self.faulty {
                return;
            }
            host.line(format!("{}.apply({start});", all.name));
            host.line(format!("var {frontier} : {kind} = new {kind}({}.size());", all.name));
        } else {
            host.line(format!("var {frontier} : {kind} = new {kind}(0);"));
            host.line(format!("{frontier}.addVertex({source});"));
            host.line(format!("{name}[{source}] = 0;"));
        }
        let more = if self.dice.percent(30) { ", true" } else { "" };
        host.line(format!("#{outer}# while {frontier}.getVertexSetSize() != 0"));
        host.line(format!(
            "    #{inner}# var {next} : {kind} = {}.from({frontier}).applyModified({spread}, {name}{more});",
            graph.name
        ));
        host.line(format!("    delete {frontier};"));
        host.line(format!("    {frontier} = {next};"));
        host.line("end");
        self.vectors.push(vector);
    }

    /// A loop that drains a priority queue.
    pub(super) fn queue_loop(&mut self, host: &mut Host) {
        let Some((graph, source)) = self.graph_and_source(host) else { return };
        let element = self.elements[graph.element].name;
        let kind = format!("vertexset{{{element}}}");
        let shape = self.dice.weighted(&[5, 3, 3]);
        let weight = graph.weight.filter(|w| *w == Scalar::Int && self.dice.percent(70));
        let length = if weight.is_some() { "weight".to_string() } else { self.dice.between(0, 3).to_string() };
        let start = match shape {
            0 => "2147483647".to_string(),
            1 => format!("{}.getOutDegrees()", graph.name),
            _ => "0".to_string(),
        };
        if shape == 1 && !graph.global {
            return;
        }
        let vector = self.algorithm_vector(&graph, Scalar::Int, &start);
        let (name, queue) = (vector.name.clone(), self.fresh("q"));
        self.functions.push(format!("const {queue} : priority_queue{{{element}}}(int);"));
        let params = weight.map_or(String::new(), |w| format!(", weight : {w}"));
        let body = match shape {
            0 if self.dice.percent(30) => vec![
                format!("var n : int = {name}[src] + {length};"),
                format!("{queue}.updatePriorityMin(dst, {name}[dst], n);"),
            ],
            0 => vec![format!("{queue}.updatePriorityMin(dst, {name}[dst], {name}[src] + {length});")],
            1 => vec![
                format!("var k : int = {queue}.get_current_priority();"),
                format!("{queue}.updatePrioritySum(dst, -1, k);"),
            ],
            _ => vec![format!("{queue}.updatePriorityMax(dst, {name}[dst], min({name}[src], {length} + 1));")],
        };
        let relax = self.fresh("f");
        self.function(&format!("func {relax}(src : {element}, dst : {element}{params})"), body);
        let (order, all, first) = match shape {
            0 => (1, "false", source.to_string()),
            1 => (1, "true", "-1".to_string()),
            _ => (0, "false", source.to_string()),
        };
        match shape {
            0 => host.line(format!("{name}[{source}] = 0;")),
            2 => host.line(format!("{name}[{source}] = 100;")),
            _ => {}
        }
        host.line(format!(
            "{queue} = new priority_queue{{{element}}}(int)(false, false, {name}, {order}, 0, {all}, {first});"
        ));
        let (outer, inner, near) = (self.fresh("w"), self.fresh("o"), self.fresh("s"));
        let early = shape == 0 && self.wild && self.dice.percent(50);
        let stop = if early { format!(" and {queue}.finishedNode({source}) == false") } else { String::new() };
        host.line(format!("#{outer}# while {queue}.finished() == false{stop}"));
        host.line(format!("    var {near} : {kind} = {queue}.dequeue_ready_set();"));
        let marks = self.dice.percent(20);
        if marks {
            let seen = self.algorithm_vector(&graph, Scalar::Bool, "false");
            let mark = self.fresh("f");
            self.function(&format!("func {mark}(v : {element})"), vec![format!("{}[v] = true;", seen.name)]);
            host.line(format!("    {near}.apply({mark});"));
            self.vectors.push(seen);
        }
        host.line(format!("    #{inner}# {}.from({near}).applyUpdatePriority({relax});", graph.name));
        host.line(format!("    delete {near};"));
        host.line("end");
        if self.dice.percent(70) {
            host.line(format!("delete {queue};"));
        }
        self.vectors.push(vector);
    }
}
