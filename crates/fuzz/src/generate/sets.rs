//! Vertex sets made by hand, and lists of sets.

use super::{Host, ListVar, SetVar, Writer};

impl Writer {
    /// A new set: empty and filled by hand, all vertices, neighbours, or another name for a set that is there.
    pub(super) fn new_set(&mut self, host: &mut Host) {
        let element = self.dice.below(self.elements.len());
        let size = self.elements[element].size;
        let name = self.fresh("s");
        let kind = format!("vertexset{{{}}}", self.elements[element].name);
        let mut bound = size;
        match self.dice.weighted(&[6, 2, 1]) {
            0 => {
                host.line(format!("var {name} : {kind} = new {kind}(0);"));
                let members = if size == 0 { 0 } else { self.dice.between(0, 5) };
                let mut last = None;
                for _ in 0..members {
                    let vertex = match last {
                        // Some vertices come again.
                        Some(vertex) if self.dice.percent(25) => vertex,
                        _ => self.dice.below(size),
                    };
                    host.line(format!("{name}.addVertex({vertex});"));
                    last = Some(vertex);
                }
            }
            1 => {
                let sizes: Vec<&SetVar> = host.sets.iter().filter(|s| s.universe && s.element == element).collect();
                match sizes.first() {
                    Some(all) => host.line(format!("var {name} : {kind} = new {kind}({}.size());", all.name)),
                    None => host.line(format!("var {name} : {kind} = new {kind}({size});")),
                }
            }
            _ => {
                let graphs: Vec<_> =
                    self.graphs.iter().filter(|g| g.element == element && g.vertices > 0).cloned().collect();
                let Some(graph) = self.dice.maybe(&graphs).cloned() else { return };
                let vertex = self.dice.below(graph.vertices);
                host.line(format!("var {name} : {kind} = {}.getNgh({vertex});", graph.name));
                bound = graph.vertices;
            }
        }
        host.line(format!("print {name}.getVertexSetSize();"));
        host.sets.push(SetVar { name, element, bound, universe: false });
    }

    /// One more vertex for a set, which may be there already.
    pub(super) fn add_vertex(&mut self, host: &mut Host) {
        let sets: Vec<SetVar> = host.sets.iter().filter(|s| !s.universe && s.bound > 0).cloned().collect();
        let Some(set) = self.dice.maybe(&sets).cloned() else { return self.new_set(host) };
        let vertex = self.dice.below(set.bound);
        host.line(format!("{}.addVertex({vertex});", set.name));
        if self.dice.percent(40) {
            host.line(format!("{}.addVertex({vertex});", set.name));
        }
        host.line(format!("print {}.getVertexSetSize();", set.name));
    }

    /// Lists of sets: append, insert, pop, retrieve.
    pub(super) fn list(&mut self, host: &mut Host) {
        let sets: Vec<SetVar> = host.sets.iter().filter(|s| !s.universe).cloned().collect();
        let Some(set) = self.dice.maybe(&sets).cloned() else { return self.new_set(host) };
        let kind = format!("vertexset{{{}}}", self.elements[set.element].name);
        let known = host.lists.iter().position(|list| list.element == set.element);
        let at = match known {
            Some(at) => at,
            None => {
                let name = self.fresh("q");
                host.line(format!("var {name} : list{{{kind}}} = new list{{{kind}}}();"));
                host.lists.push(ListVar { name, element: set.element, bound: 0, entries: 0 });
                host.lists.len() - 1
            }
        };
        let list = host.lists[at].name.clone();
        let how = *self.dice.pick(&["append", "insert"]);
        host.line(format!("{list}.{how}({});", set.name));
        host.lists[at].bound = host.lists[at].bound.max(set.bound);
        host.lists[at].entries += 1;
        if self.dice.percent(60) && host.lists[at].entries > 0 {
            host.lists[at].entries -= 1;
            let name = self.fresh("s");
            if self.dice.percent(50) {
                host.line(format!("var {name} : {kind} = {list}.pop();"));
            } else {
                host.line(format!("var {name} : {kind} = new {kind}(0);"));
                host.line(format!("{list}.retrieve({name});"));
            }
            host.line(format!("print {name}.getVertexSetSize();"));
            host.sets.push(SetVar { name, element: set.element, bound: host.lists[at].bound, universe: false });
        }
    }
}
