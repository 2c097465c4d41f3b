//! Links, sets of edges and triangles: every chain, over functions of vertices, of links and of both.

use super::{Host, Writer};

impl Writer {
    /// An operator over triangles with a new target and new functions; another statement where there are no links.
    pub(super) fn triangle_operator(&mut self, host: &mut Host) {
        let Some(links) = self.links.clone() else { return self.group_operator(host) };
        let vertex = self.elements[links.element].name;
        if self.elements[links.element].size < links.vertices {
            return;
        }
        let (target, label) = (self.fresh("x"), self.fresh("o"));
        let over_links = self.dice.percent(60);
        let element = if over_links { "Link" } else { vertex };
        let scalar = *self.dice.pick(&["int", "uint_64", "int_64"]);
        host.line(format!("var {target} : vector{{{element}}}({scalar}) = {};", self.dice.below(3)));
        if self.dice.percent(25) {
            host.line(format!("#{label}# {}.triangles().count({target});", links.name));
            host.line(format!("print {target}.sum(), {target}.count();"));
            return;
        }
        let from = if self.dice.percent(60) { self.edge_set(host, &links.name) } else { String::new() };
        let keep = if self.dice.percent(50) { self.kept_links(host, &links.name) } else { String::new() };
        let function = self.of_triangle(vertex, element, scalar, over_links, !from.is_empty());
        let chain = format!("{}.triangles(){from}{keep}", links.name);
        if over_links && !from.is_empty() && self.dice.percent(50) {
            let set = self.fresh("e");
            let changed = format!("{chain}.applyModified({function}[{target}], {target})");
            host.line(format!("#{label}# var {set} : edgesubset{{Link}} = {changed};"));
            host.line(format!("print {set}.size();"));
        } else {
            host.line(format!("#{label}# {chain}.apply({function}[{target}]);"));
        }
        host.line(format!("print {target}.sum(), {target}.count();"));
    }

    /// A function that adds to the corners or sides of a triangle.
    fn of_triangle(&mut self, vertex: &str, element: &str, scalar: &str, over_links: bool, from: bool) -> String {
        let both = self.dice.percent(30);
        let corners = format!("a : {vertex}, b : {vertex}, c : {vertex}");
        let sides = "ab : Link, ac : Link, bc : Link".to_string();
        let params = match (both || from && !over_links, over_links) {
            (true, _) => format!("{corners}, {sides}"),
            (false, true) => sides,
            (false, false) => corners,
        };
        let entries = if over_links { ["ab", "ac", "bc"] } else { ["a", "b", "c"] };
        let name = self.fresh("f");
        let mut body = Vec::new();
        for entry in entries {
            if self.dice.percent(75) {
                let value = match self.dice.below(3) {
                    0 => "1".to_string(),
                    1 => entries[self.dice.below(3)].to_string(),
                    _ => format!("{} * 3 - {}", entries[self.dice.below(3)], entries[self.dice.below(3)]),
                };
                body.push(format!("x[{entry}] += {value};"));
            }
        }
        if body.is_empty() {
            body.push(format!("x[{}] += 2;", entries[1]));
        }
        self.function(&format!("func {name}[x : vector{{{element}}}({scalar})]({params})"), body);
        name
    }

    /// A condition of a link by its number.
    fn link_test(&mut self) -> String {
        let name = self.fresh("f");
        let by = self.dice.between(2, 5);
        let test = match self.dice.below(4) {
            0 => format!("e mod {by} == 0"),
            1 => format!("e mod {by} != 1"),
            2 => format!("e < {}", 3 * by),
            _ => "e >= 0".to_string(),
        };
        self.function(&format!("func {name}(e : Link) -> yes : bool"), vec![format!("yes = {test};")]);
        name
    }

    /// A set of links, made in one of all ways; returns `.from(set)`.
    fn edge_set(&mut self, host: &mut Host, links: &str) -> String {
        let (one, test) = (self.fresh("e"), self.link_test());
        host.line(format!("var {one} : edgesubset{{Link}} = {links}.filter({test});"));
        let name = match self.dice.below(4) {
            0 => one,
            1 => {
                let (name, test) = (self.fresh("e"), self.link_test());
                host.line(format!("var {name} : edgesubset{{Link}} = {one}.filter({test});"));
                name
            }
            way => {
                let (other, name, test) = (self.fresh("e"), self.fresh("e"), self.link_test());
                let method = if way == 2 { "union" } else { "minus" };
                host.line(format!("var {other} : edgesubset{{Link}} = {links}.all().filter({test});"));
                host.line(format!("var {name} : edgesubset{{Link}} = {one}.{method}({other});"));
                name
            }
        };
        host.line(format!("print {name}.size();"));
        format!(".from({name})")
    }

    /// A condition of the links of a triangle, as a function or a vector.
    fn kept_links(&mut self, host: &mut Host, links: &str) -> String {
        let test = self.link_test();
        if self.dice.percent(60) {
            return format!(".where({test})");
        }
        let (marks, set, mark) = (self.fresh("x"), self.fresh("e"), self.fresh("f"));
        self.function(&format!("func {mark}[x : vector{{Link}}(bool)](e : Link)"), vec!["x[e] = true;".into()]);
        host.line(format!("var {marks} : vector{{Link}}(bool) = false;"));
        host.line(format!("var {set} : edgesubset{{Link}} = {links}.filter({test});"));
        host.line(format!("{set}.apply({mark}[{marks}]);"));
        format!(".where({marks})")
    }
}
