//! Invariants of numbers: constants, then pairs, then triples.

use std::collections::{HashMap, HashSet};

use crate::Result;
use crate::check::{
    Candidate, Checker, EQUAL, GREATER, LESS, Question, Rules, UNORDERED, relation_holds, scan, survivors,
};
use crate::classes::Classes;
use crate::dominance::{Dominance, Key, Kind, closure, neighbours, sorted};
use crate::findings::Findings;
use crate::invariant::{Basis, Invariant};
use crate::ranges::{Range, implied, order};
use crate::template::{Template, Templates};
use crate::trace::{Block, Numbers, Trace};

/// Whole numbers below this have a larger neighbour one further on, exactly.
const EXACT: f64 = (1_u64 << 52) as f64;

/// What is mined, and where results go.
pub struct Numeric<'a> {
    templates: &'a Templates,
    rules: Rules,
    probe: &'a Trace,
    found: Findings,
}

/// What is known about pairs of classes.
struct Known {
    ranges: Vec<Range>,
    /// Seen bits of classes `(r, s)`, `r < s`; those that are missing are incomparable.
    orders: HashMap<(u32, u32), u8>,
}

/// Mines the numbers of a trace.
pub fn mine(templates: &Templates, probe: &Trace, checker: &mut dyn Checker) -> Result<Vec<Invariant>> {
    let rules = Rules::new(templates, false);
    let found = Findings::new(probe.numbers.columns() as u32);
    Numeric { templates, rules, probe, found }.run(checker)
}

impl Numeric<'_> {
    fn run(mut self, checker: &mut dyn Checker) -> Result<Vec<Invariant>> {
        let count = self.probe.numbers.columns() as u32;
        self.constants(count, checker)?;
        if self.templates.pairs.is_empty() && self.templates.triples.is_empty() {
            return Ok(self.found.into_list());
        }
        // 1. What lives through the first instants. Where nothing does, the trace is not read at all.
        let classes = self.classes(count, checker)?;
        let mut orders = self.order_candidates(&classes)?;
        let mut pairs = self.template_candidates(&classes, 2)?;
        let mut triples = self.template_candidates(&classes, 3)?;
        for candidates in [&mut orders, &mut pairs, &mut triples] {
            checker.prune_by_head(candidates, &self.rules)?;
        }
        let same = classes.members.iter().any(|class| class.len() > 1);
        if orders.is_empty() && pairs.is_empty() && triples.is_empty() && !same {
            return Ok(self.found.into_list());
        }
        // 2. Orders of pairs: by ranges where these do not overlap, else over the whole trace.
        let index: HashMap<u32, u32> =
            classes.leaders.iter().enumerate().map(|(class, &leader)| (leader, class as u32)).collect();
        let class_of = |candidate: &Candidate| candidate.variables.map(|v| index.get(&v).copied().unwrap_or(0));
        let mut is_asked = vec![false; classes.leaders.len()];
        orders.iter().chain(&pairs).chain(&triples).for_each(|candidate| {
            class_of(candidate).into_iter().for_each(|class| is_asked[class as usize] = true);
        });
        let ranges = checker.ranges(&classes.leaders, &is_asked)?;
        let mut known = Known { ranges, orders: HashMap::new() };
        let mut by_range = Vec::new();
        orders.retain(|candidate| {
            let [r, s, _] = class_of(candidate);
            let decided = order(known.ranges[r as usize], known.ranges[s as usize]);
            by_range.extend(decided.map(|seen| ((r, s), seen)));
            decided.is_none()
        });
        let class_pair = |candidate: &Candidate| {
            let [r, s, _] = class_of(candidate);
            (r, s)
        };
        let mut decided = by_range;
        let mut scanned =
            self.orders_by_chains(&mut orders, &mut decided, classes.leaders.len(), class_pair, checker)?;
        checker.prune(&mut orders, &self.rules)?;
        scanned.extend(orders.iter().map(|candidate| (class_pair(candidate), candidate.seen)));
        self.relations(&classes, &decided, Basis::Inferred)?;
        self.relations(&classes, &scanned, Basis::Checked)?;
        known.orders.extend(decided.into_iter().chain(scanned));
        self.relations_within(&classes)?;
        // 3. Other templates of pairs, then triples, less what follows from ranges and orders.
        for candidates in [&mut pairs, &mut triples] {
            let mut inferred = Vec::new();
            candidates.retain(|candidate| {
                let Question::Falsified(template) = candidate.question else { return true };
                let decided = known.decide(template, class_of(candidate));
                if decided == Some(true) {
                    inferred.push(*candidate);
                }
                decided.is_none()
            });
            self.prune_all(candidates, &mut inferred, &known, class_of, checker)?;
            for (list, basis) in [(&inferred, Basis::Inferred), (&*candidates, Basis::Checked)] {
                for candidate in list {
                    if let Question::Falsified(template) = candidate.question {
                        self.expand(&classes, template, class_of(candidate), basis)?;
                    }
                }
            }
        }
        Ok(self.found.into_list())
    }

    /// Orders that follow from others: where `a < b` and `b < c` at every instant, `a < c` is not looked at. The links
    /// of such chains are guessed by the first instants and looked at. They and what follows from them leave the list:
    /// what follows goes to those that are decided, and links that are alive are returned.
    fn orders_by_chains(
        &self,
        orders: &mut Vec<Candidate>,
        decided: &mut Vec<Ordered>,
        classes: usize,
        class_pair: impl Fn(&Candidate) -> (u32, u32),
        checker: &mut dyn Checker,
    ) -> Result<Vec<Ordered>> {
        let block = Block::new(self.probe, 0..self.probe.instants);
        let guess = |candidate: &Candidate| (class_pair(candidate), scan(candidate, 0, &block, &self.rules));
        let guesses: Vec<Ordered> = orders.iter().map(guess).collect();
        let (up, _) = neighbours(classes, guesses.iter().chain(&*decided).filter_map(ascending));
        let is_link = |ordered: &Ordered| ascending(ordered).is_some_and(|(r, s)| up[r as usize].contains(&s));
        let are_links: Vec<bool> = guesses.iter().map(is_link).collect();
        if !is_worth_a_pass(are_links.iter().filter(|&&is_link| is_link).count(), orders.len()) {
            return Ok(Vec::new());
        }
        let mut are_links = are_links.into_iter();
        let mut links: Vec<Candidate> = orders.extract_if(.., |_| are_links.next() == Some(true)).collect();
        checker.prune(&mut links, &self.rules)?;
        let links: Vec<Ordered> = links.iter().map(|link| (class_pair(link), link.seen)).collect();
        let below = closure(classes, links.iter().chain(&*decided).filter_map(ascending));
        orders.retain(|candidate| {
            let (r, s) = class_pair(candidate);
            match (below[r as usize].contains(&s), below[s as usize].contains(&r)) {
                (true, _) => decided.push(((r, s), LESS)),
                (_, true) => decided.push(((r, s), GREATER)),
                _ => return true,
            }
            false
        });
        Ok(links)
    }

    /// Takes the candidates that die over the whole trace out of the list, and puts those that follow from others among
    /// the inferred ones. The strongest are looked at first where they may decide many.
    fn prune_all(
        &self,
        candidates: &mut Vec<Candidate>,
        inferred: &mut Vec<Candidate>,
        known: &Known,
        class_of: impl Fn(&Candidate) -> [u32; 3],
        checker: &mut dyn Checker,
    ) -> Result<()> {
        let key = |candidate: &Candidate| match candidate.question {
            Question::Falsified(template) => Kind::of(template).map(|kind| (kind, sorted(kind, class_of(candidate)))),
            _ => None,
        };
        let is_in = |keys: &HashSet<Key>, candidate: &Candidate| key(candidate).is_some_and(|key| keys.contains(&key));
        let dominance = Dominance::new(&known.ranges, known.ascending());
        let mut open: HashSet<Key> = candidates.iter().filter_map(key).collect();
        let followed = dominance.spread(inferred.iter().filter_map(key), &mut open);
        inferred.extend(candidates.extract_if(.., |candidate| is_in(&followed, candidate)));
        let strongest = dominance.strongest(&open);
        let mut held = Vec::new();
        if is_worth_a_pass(strongest.len(), open.len()) {
            held.extend(candidates.extract_if(.., |candidate| is_in(&strongest, candidate)));
            checker.prune(&mut held, &self.rules)?;
            open.retain(|key| !strongest.contains(key));
            let followed = dominance.spread(held.iter().filter_map(key), &mut open);
            inferred.extend(candidates.extract_if(.., |candidate| is_in(&followed, candidate)));
        }
        checker.prune(candidates, &self.rules)?;
        candidates.extend(held);
        Ok(())
    }

    /// Templates of a number and a constant.
    fn constants(&mut self, count: u32, checker: &mut dyn Checker) -> Result<()> {
        let templates = &self.templates.constants;
        let make = |v: u32| {
            let question = |&constant| Question::Falsified(Template::Constant(constant));
            templates.iter().map(move |constant| Candidate::new(question(constant), [v, v, v]))
        };
        let mut candidates = survivors(count, self.probe, &self.rules, make)?;
        checker.prune(&mut candidates, &self.rules)?;
        for candidate in candidates {
            if let Question::Falsified(template) = candidate.question {
                self.found.push(template, [candidate.variables[0], 0, 0], Basis::Checked)?;
            }
        }
        Ok(())
    }

    /// Classes of equal numbers. Values that are not numbers equal nothing: such variables stay alone.
    fn classes(&self, count: u32, checker: &mut dyn Checker) -> Result<Classes> {
        let key = |v: u32| -> (Vec<u64>, u32) {
            // Positive and negative zero are equal.
            let bits = |x: f64| if x == 0.0 { 0 } else { x.to_bits() };
            let values: Vec<u64> = match &self.probe.numbers {
                Numbers::Single(columns) => columns[v as usize].iter().map(|&x| bits(x.into())).collect(),
                Numbers::Double(columns) => columns[v as usize].iter().map(|&x| bits(x)).collect(),
            };
            (values, 0)
        };
        let templates = Templates { pairs: vec![Template::Equal], ..Templates::first() };
        let rules = Rules::new(&templates, false);
        Classes::find((0..count).map(|v| (key(v), v)), Question::Order, |seen| seen == EQUAL, checker, &rules)
    }

    /// Pairs of classes that may have an order.
    fn order_candidates(&self, classes: &Classes) -> Result<Vec<Candidate>> {
        let leaders = &classes.leaders;
        if !self.templates.pairs.iter().any(|&template| relation_holds(template, 0)) {
            return Ok(Vec::new());
        }
        survivors(leaders.len() as u32, self.probe, &self.rules, |r| {
            let later = leaders[r as usize + 1..].iter();
            later.map(move |&s| Candidate::new(Question::Order, [leaders[r as usize], s, 0]))
        })
    }

    /// Templates of two or three classes that live through the first instants. A class may be chosen as often as it
    /// has members.
    fn template_candidates(&self, classes: &Classes, arity: usize) -> Result<Vec<Candidate>> {
        let all = if arity == 2 { &self.templates.pairs } else { &self.templates.triples };
        let templates: Vec<Template> = all.iter().copied().filter(|&t| !relation_holds(t, 0)).collect();
        if templates.is_empty() {
            return Ok(Vec::new());
        }
        let count = classes.leaders.len() as u32;
        let (templates, leaders) = (&templates, &classes.leaders);
        let leader = move |class: u32| leaders[class as usize];
        survivors(count, self.probe, &self.rules, move |a| {
            let thirds = if arity == 2 { 1 } else { count };
            (0..count).flat_map(move |b| {
                (0..thirds).flat_map(move |c| {
                    let third = if arity == 2 { u32::MAX } else { c };
                    let times = |class: u32| [a, b, third].iter().filter(|&&chosen| chosen == class).count();
                    let possible = [a, b, third].iter().all(|&x| x == u32::MAX || times(x) <= classes.size(x));
                    let variables = [leader(a), leader(b), if arity == 2 { 0 } else { leader(c) }];
                    let fits =
                        move |template: &&Template| possible && (arity == 2 || !template.is_symmetric() || b <= c);
                    templates
                        .iter()
                        .filter(fits)
                        .map(move |&template| Candidate::new(Question::Falsified(template), variables))
                })
            })
        })
    }

    /// Relations between members of different classes.
    fn relations(&mut self, classes: &Classes, pairs: &[Ordered], basis: Basis) -> Result<()> {
        for &((r, s), seen) in pairs {
            for (at_a, &a) in classes.members[r as usize].iter().enumerate() {
                for (at_b, &b) in classes.members[s as usize].iter().enumerate() {
                    let basis = if at_a + at_b > 0 { Basis::Inferred } else { basis };
                    let flipped = seen & (EQUAL | UNORDERED)
                        | if seen & LESS != 0 { GREATER } else { 0 }
                        | if seen & GREATER != 0 { LESS } else { 0 };
                    let (a, b, seen) = if a < b { (a, b, seen) } else { (b, a, flipped) };
                    self.relations_of(a, b, seen, basis)?;
                }
            }
        }
        Ok(())
    }

    /// Relations between members of one class.
    fn relations_within(&mut self, classes: &Classes) -> Result<()> {
        for class in &classes.members {
            for (at, &a) in class.iter().enumerate() {
                for &b in &class[at + 1..] {
                    let basis = if at == 0 { Basis::Checked } else { Basis::Inferred };
                    self.relations_of(a, b, EQUAL, basis)?;
                }
            }
        }
        Ok(())
    }

    /// The relations that seen bits allow; the weaker ones follow from the strongest.
    fn relations_of(&mut self, a: u32, b: u32, seen: u8, basis: Basis) -> Result<()> {
        let holding: Vec<Template> =
            self.templates.pairs.iter().copied().filter(|&template| relation_holds(template, seen)).collect();
        let strength = |template: &Template| match template {
            Template::Equal | Template::Less | Template::Greater => 0,
            _ => 1,
        };
        let strongest = holding.iter().map(strength).min();
        for template in &holding {
            let basis = if Some(strength(template)) == strongest { basis } else { Basis::Inferred };
            self.found.push(*template, [a, b, 0], basis)?;
        }
        Ok(())
    }

    /// A template of classes holds for all choices of distinct members.
    fn expand(&mut self, classes: &Classes, template: Template, [a, b, c]: [u32; 3], basis: Basis) -> Result<()> {
        let members = |class: u32| &classes.members[class as usize];
        let is_leader = |x: u32, class: u32| x == members(class)[0];
        let basis = |are_leaders: bool| if are_leaders { basis } else { Basis::Inferred };
        for &x in members(a) {
            for &y in members(b).iter().filter(|&&y| y != x) {
                if template.arity() == 2 {
                    self.found.push(template, [x, y, 0], basis(is_leader(x, a) && is_leader(y, b)))?;
                    continue;
                }
                let exchanged = template.is_symmetric() && b == c;
                for &z in members(c).iter().filter(|&&z| z != x && z != y && (!exchanged || y < z)) {
                    let (y, z) = if template.is_symmetric() && z < y { (z, y) } else { (y, z) };
                    let leaders = is_leader(x, a) && (is_leader(y, b) || is_leader(y, c));
                    self.found.push(template, [x, y, z], basis(leaders && (is_leader(z, c) || is_leader(z, b))))?;
                }
            }
        }
        Ok(())
    }
}

/// How two classes compare: the first is before the second.
type Ordered = ((u32, u32), u8);

/// A pair of which the first is always below the second.
fn ascending(&((r, s), seen): &Ordered) -> Option<(u32, u32)> {
    match seen {
        LESS => Some((r, s)),
        GREATER => Some((s, r)),
        _ => None,
    }
}

/// Whether a pass over the trace for a few candidates pays, because they may decide all.
fn is_worth_a_pass(few: usize, all: usize) -> bool {
    all > 64 && 4 * few <= all
}

impl Known {
    /// Pairs of classes of which the first is never above the second.
    fn ascending(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.orders.iter().filter_map(|(&(r, s), &seen)| match seen {
            seen if relation_holds(Template::AtMost, seen) => Some((r, s)),
            seen if relation_holds(Template::AtLeast, seen) => Some((s, r)),
            _ => None,
        })
    }

    /// Whether class `r` is never above class `s`.
    fn at_most(&self, r: u32, s: u32) -> bool {
        match r.cmp(&s) {
            std::cmp::Ordering::Equal => !self.ranges[r as usize].has_nan,
            std::cmp::Ordering::Less => {
                self.orders.get(&(r, s)).is_some_and(|&seen| relation_holds(Template::AtMost, seen))
            }
            std::cmp::Ordering::Greater => {
                self.orders.get(&(s, r)).is_some_and(|&seen| relation_holds(Template::AtLeast, seen))
            }
        }
    }

    /// Whether class `r` is always below class `s`.
    fn below(&self, r: u32, s: u32) -> bool {
        match r.cmp(&s) {
            std::cmp::Ordering::Equal => false,
            std::cmp::Ordering::Less => self.orders.get(&(r, s)) == Some(&LESS),
            std::cmp::Ordering::Greater => self.orders.get(&(s, r)) == Some(&GREATER),
        }
    }

    /// What ranges and orders say about a template of classes: it holds, it does not, or nothing.
    fn decide(&self, template: Template, [a, b, c]: [u32; 3]) -> Option<bool> {
        let range = |class: u32| self.ranges[class as usize];
        if implied(template, range(a), range(b), range(c)) {
            return Some(true);
        }
        let is_small = |class: u32| {
            let Range { least, most, has_nan } = range(class);
            !has_nan && least > -EXACT && most < EXACT
        };
        let (finite, least) = (range(b).is_finite() && range(c).is_finite(), |class: u32| range(class).least);
        match template {
            Template::BelowNext if self.at_most(a, b) && is_small(b) => Some(true),
            // One of two comparable numbers is always the least: the template then says that a equals this one.
            Template::Least if self.at_most(b, c) => Some(a == b),
            Template::Least if self.at_most(c, b) => Some(a == c),
            Template::Most if self.at_most(b, c) => Some(a == c),
            Template::Most if self.at_most(c, b) => Some(a == b),
            Template::AtMostSum if finite && self.at_most(a, b) && least(c) >= 0.0 => Some(true),
            Template::AtMostSum if finite && self.at_most(a, c) && least(b) >= 0.0 => Some(true),
            Template::BelowProduct if finite && self.below(a, b) && least(b) >= 0.0 && least(c) >= 1.0 => Some(true),
            Template::BelowProduct if finite && self.below(a, c) && least(c) >= 0.0 && least(b) >= 1.0 => Some(true),
            _ => None,
        }
    }
}
