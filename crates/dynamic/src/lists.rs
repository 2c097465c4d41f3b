//! The neighbour lists of one direction, and what a batch does to them.

use std::sync::Arc;

use gw_graph::{Adjacency, Spans};
use rayon::prelude::*;

use crate::Result;
use crate::batch::{Effect, OnRepeat, merged};
use crate::pool::{Block, Pool, SIZES, size_for, slots_of};
use crate::region::Region;
use crate::weight::EdgeWeight;

/// Vertices of one page: what a version copies when one of them changes.
const PAGE: usize = 1 << 12;

/// Where the lists of some vertices stand, and how long they are.
#[derive(Clone)]
struct Page {
    blocks: Box<[Block]>,
    lengths: Box<[u32]>,
}

impl Page {
    fn empty() -> Self {
        Page { blocks: vec![Block::NONE; PAGE].into(), lengths: vec![0; PAGE].into() }
    }
}

/// The lists as they are at one time.
///
/// Invariant: the slots of every list named by a page have been written, and nobody writes to them as long as a version
/// with this page is read.
pub(crate) struct Version<W> {
    pages: Vec<Arc<Page>>,
    targets: Arc<Region<u32>>,
    weights: Arc<Region<W>>,
    vertices: usize,
    edges: usize,
}

impl<W> Clone for Version<W> {
    fn clone(&self) -> Self {
        Version {
            pages: self.pages.clone(),
            targets: Arc::clone(&self.targets),
            weights: Arc::clone(&self.weights),
            ..*self
        }
    }
}

impl<W: EdgeWeight> Version<W> {
    pub(crate) fn vertices(&self) -> usize {
        self.vertices
    }

    pub(crate) fn edges(&self) -> usize {
        self.edges
    }

    pub(crate) fn degree(&self, vertex: u32) -> usize {
        let (page, at) = (vertex as usize / PAGE, vertex as usize % PAGE);
        self.pages[page].lengths[at] as usize
    }

    fn block(&self, vertex: u32) -> Block {
        self.pages[vertex as usize / PAGE].blocks[vertex as usize % PAGE]
    }

    /// The list of a vertex, sorted, and its weights.
    pub(crate) fn list(&self, vertex: u32) -> (&[u32], &[W]) {
        let (begin, len) = (self.block(vertex).begin(), self.degree(vertex));
        // SAFETY: the invariant of `Version`.
        unsafe { (self.targets.read(begin, len), self.weights.read(begin, len)) }
    }

    /// The lists where they stand, as long as somebody holds the token of this version.
    pub(crate) fn spans(&self, token: Arc<()>) -> Spans {
        let (targets, weights) = (Arc::clone(&self.targets), Arc::clone(&self.weights));
        let (slots, values) = (targets.slots(), weights.slots());
        let list = |v: u32| (self.block(v).begin(), self.degree(v));
        // SAFETY: the lists have contents, and nobody writes to them while the version is read (invariant of
        // `Version`), which the token says; they are sorted, and batches with other vertices than there are were
        // refused.
        unsafe { Spans::new(self.vertices, list, slots, values, Box::new((targets, weights, token))) }
    }

    /// Bytes of the pages.
    fn page_bytes(&self) -> usize {
        self.pages.len() * PAGE * (size_of::<Block>() + 4)
    }
}

/// An edge that a batch changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangedEdge<W> {
    /// Where it begins.
    pub source: u32,
    /// Where it leads to.
    pub target: u32,
    /// Its weight before; `None`: there was no edge.
    pub old: Option<W>,
    /// Its weight now; `None`: there is no edge.
    pub new: Option<W>,
}

/// How a batch is applied.
pub(crate) struct Manner {
    pub(crate) on_repeat: OnRepeat,
    /// Somebody reads the present version: lists that change go to other blocks.
    pub(crate) is_read: bool,
    /// The number of the version that the batch makes.
    pub(crate) version: u64,
}

/// What a batch will do to one list.
struct Planned {
    vertex: u32,
    effects: std::ops::Range<usize>,
    length: usize,
    /// The block afterwards.
    block: Block,
}

/// What a batch will do to the lists of one page.
struct Plan<W> {
    page: usize,
    effects: Vec<Effect<W>>,
    lists: Vec<Planned>,
}

/// All lists of one direction.
pub(crate) struct Lists<W> {
    now: Version<W>,
    pool: Pool,
    /// Blocks that only versions before the given one use.
    retired: Vec<(u64, Block)>,
}

impl<W: EdgeWeight> Lists<W> {
    /// Empty lists of so many vertices.
    pub(crate) fn new(vertices: usize) -> Result<Self> {
        let slots = 1024;
        let now = Version {
            // One page for all, until lists are written.
            pages: std::iter::repeat_n(Arc::new(Page::empty()), vertices.div_ceil(PAGE)).collect(),
            targets: Arc::new(Region::new(slots)),
            weights: Arc::new(Region::new(slots)),
            vertices,
            edges: 0,
        };
        Ok(Lists { now, pool: Pool::new(slots), retired: Vec::new() })
    }

    /// The lists of an adjacency. `weights` are parallel to its targets.
    pub(crate) fn from_adjacency(adjacency: &Adjacency, weights: &[W]) -> Result<Self> {
        let list = |v: u32| {
            let range = adjacency.range(v);
            // Weights of no size are not stored.
            let weights = if weights.is_empty() { &[] } else { &weights[range] };
            (adjacency.neighbours(v), weights)
        };
        Self::packed(adjacency.vertices(), [0; SIZES], list)
    }

    /// Lists as given, blocks of one size side by side, with room for the blocks in `more`. Vertices of similar degree
    /// then share pages of memory, which traversals like.
    fn packed<'l>(
        vertices: usize,
        more: [usize; SIZES],
        list: impl Fn(u32) -> (&'l [u32], &'l [W]) + Sync,
    ) -> Result<Self>
    where
        W: 'l,
    {
        let mut counts = [0; SIZES];
        for v in 0..vertices as u32 {
            if let Some(size) = size_for(list(v).0.len()) {
                counts[usize::from(size)] += 1;
            }
        }
        let slots = slots_of(&counts) + slots_of(&more);
        // Room to grow by half; memory is taken when it is written.
        let slots = slots + slots / 2 + 1024;
        gw_graph::memory::allow((slots * (4 + size_of::<W>())) as u64, "the lists of a graph that changes")?;
        let mut pool = Pool::new(slots);
        let mut begin_of: [usize; SIZES] = std::array::from_fn(|size| pool.take_row(size as u8, counts[size]));
        let empty = Arc::new(Page::empty());
        let pages: Vec<Arc<Page>> = (0..vertices.div_ceil(PAGE))
            .map(|page| {
                let first = page * PAGE;
                if (first..vertices.min(first + PAGE)).all(|v| list(v as u32).0.is_empty()) {
                    return Arc::clone(&empty);
                }
                let mut made = Page::empty();
                for at in 0..PAGE.min(vertices - page * PAGE) {
                    let len = list((page * PAGE + at) as u32).0.len();
                    made.lengths[at] = len as u32;
                    if let Some(size) = size_for(len) {
                        let begin = &mut begin_of[usize::from(size)];
                        made.blocks[at] = Block::new(*begin, size);
                        *begin += 1 << size;
                    }
                }
                Arc::new(made)
            })
            .collect();
        let (targets, weights) = (Region::new(slots), Region::new(slots));
        let edges = pages.par_iter().enumerate().map(|(index, page)| {
            let lists = 0..PAGE.min(vertices - index * PAGE);
            lists
                .map(|at| {
                    let (items, values) = list((index * PAGE + at) as u32);
                    let begin = page.blocks[at].begin();
                    // SAFETY: every list has a block of its own, in regions that nobody else knows yet.
                    unsafe {
                        targets.write(begin, items);
                        weights.write(begin, values);
                    }
                    items.len()
                })
                .sum::<usize>()
        });
        let edges = edges.sum();
        let now = Version { pages, targets: Arc::new(targets), weights: Arc::new(weights), vertices, edges };
        Ok(Lists { now, pool, retired: Vec::new() })
    }

    /// Moves all lists to fresh memory, blocks of one size side by side. Versions that are read keep the old memory.
    fn repack(&mut self, more: [usize; SIZES]) -> Result<()> {
        let now = &self.now;
        *self = Self::packed(now.vertices, more, |v| now.list(v))?;
        Ok(())
    }

    /// The present version.
    pub(crate) fn now(&self) -> &Version<W> {
        &self.now
    }

    /// Adds vertices without edges.
    pub(crate) fn grow(&mut self, vertices: usize) {
        self.now.vertices = vertices;
        // One page for all, until lists are written: a great number alone takes no memory.
        self.now.pages.resize(vertices.div_ceil(PAGE), Arc::new(Page::empty()));
    }

    /// Slots in use, slots that were ever written, and bytes of all.
    pub(crate) fn occupancy(&self) -> (usize, usize, usize) {
        let bytes = self.pool.touched() * (4 + size_of::<W>()) + self.now.page_bytes();
        (self.pool.used(), self.pool.touched(), bytes)
    }

    /// Blocks of versions that nobody reads any more can be used again: all versions before `oldest` are gone.
    pub(crate) fn reuse(&mut self, oldest: u64) {
        let pool = &mut self.pool;
        self.retired.retain(|&(version, block)| {
            if version <= oldest {
                pool.reuse(block);
            }
            version > oldest
        });
    }

    /// Applies effects, one per edge at the end. Returns the edges that changed, by source and target.
    pub(crate) fn apply(&mut self, effects: Vec<Effect<W>>, manner: &Manner) -> Result<Vec<ChangedEdge<W>>> {
        let now = &self.now;
        let mut plans: Vec<Plan<W>> = by_page(effects, now.pages.len())
            .into_par_iter()
            .map(|(page, effects)| plan(now, page, merged(effects, manner.on_repeat), manner))
            .collect();
        let mut counts = [0; SIZES];
        for planned in plans.iter().flat_map(|plan| &plan.lists) {
            if let (true, Some(size)) = (self.moves(planned, manner), size_for(planned.length)) {
                counts[usize::from(size)] += 1;
            }
        }
        if !self.pool.has(&counts) {
            // Lists stand in their least blocks afterwards, so that any list that changes may have to move.
            let mut counts = [0; SIZES];
            for size in plans.iter().flat_map(|plan| &plan.lists).filter_map(|planned| size_for(planned.length)) {
                counts[usize::from(size)] += 1;
            }
            self.repack(counts)?;
        }
        let mut left = Vec::new();
        for planned in plans.iter_mut().flat_map(|plan| &mut plan.lists) {
            planned.block = self.now.block(planned.vertex);
            if self.moves(planned, manner) {
                left.push(planned.block);
                planned.block = size_for(planned.length).map_or(Block::NONE, |size| self.pool.take(size));
            }
        }
        let changes = self.write(plans, manner.on_repeat);
        for block in left {
            if manner.is_read {
                self.pool.forget(block);
                self.retired.push((manner.version, block));
            } else {
                self.pool.give_back(block);
            }
        }
        if self.pool.touched() > 4 * self.pool.used() + (1 << 16) {
            self.repack([0; SIZES])?;
        }
        Ok(changes)
    }

    /// Whether a list goes to another block.
    fn moves(&self, planned: &Planned, manner: &Manner) -> bool {
        manner.is_read || !self.now.block(planned.vertex).suits(planned.length)
    }

    /// Writes the planned lists and the pages that name them.
    fn write(&mut self, plans: Vec<Plan<W>>, on_repeat: OnRepeat) -> Vec<ChangedEdge<W>> {
        let Version { pages, targets, weights, edges, .. } = &mut self.now;
        let (targets, weights): (&Region<u32>, &Region<W>) = (targets, weights);
        let mut plans = plans.into_iter().peekable();
        let touched: Vec<(&mut Arc<Page>, Plan<W>)> = pages
            .iter_mut()
            .enumerate()
            .filter_map(|(index, page)| plans.next_if(|plan| plan.page == index).map(|plan| (page, plan)))
            .collect();
        let parts: Vec<Vec<ChangedEdge<W>>> = touched
            .into_par_iter()
            .map(|(page, plan)| {
                let (page, mut merge) = (Arc::make_mut(page), Merge::default());
                let mut changes = Vec::with_capacity(plan.effects.len());
                for list in &plan.lists {
                    let at = list.vertex as usize % PAGE;
                    let (old, len) = (page.blocks[at].begin(), page.lengths[at] as usize);
                    // SAFETY: the list was written (invariant of `Version`), and this task alone handles its vertex.
                    let before = unsafe { (targets.read(old, len), weights.read(old, len)) };
                    let kept = merge.run(before, &plan.effects[list.effects.clone()], on_repeat, &mut changes);
                    assert_eq!(kept + merge.targets.len(), list.length, "the block was made for this length");
                    // SAFETY: the block belongs to this vertex alone: nobody reads the present version, or the block
                    // was just taken. What is merged lies in memory of its own; the part that is kept lies before it,
                    // in place or in another block.
                    unsafe {
                        if list.block.begin() != old {
                            targets.write(list.block.begin(), &before.0[..kept]);
                            weights.write(list.block.begin(), &before.1[..kept]);
                        }
                        targets.write(list.block.begin() + kept, &merge.targets);
                        weights.write(list.block.begin() + kept, &merge.weights);
                    }
                    (page.blocks[at], page.lengths[at]) = (list.block, list.length as u32);
                }
                changes
            })
            .collect();
        let changes = parts.concat();
        *edges += changes.iter().filter(|c| c.old.is_none()).count();
        *edges -= changes.iter().filter(|c| c.new.is_none()).count();
        changes
    }
}

/// Effects by the page of their source, in their order; pages ascend.
fn by_page<W: EdgeWeight>(mut effects: Vec<Effect<W>>, pages: usize) -> Vec<(usize, Vec<Effect<W>>)> {
    /// Fewer effects than this are sorted by one thread.
    const FEW: usize = 1 << 13;
    let page = |effect: &Effect<W>| effect.source as usize / PAGE;
    if effects.len() < FEW {
        effects.sort_by_key(page);
        let parts = effects.chunk_by(|a, b| page(a) == page(b));
        return parts.map(|part| (page(&part[0]), part.to_vec())).collect();
    }
    let share = effects.len().div_ceil(rayon::current_num_threads());
    let shares: Vec<Vec<Vec<Effect<W>>>> = effects
        .par_chunks(share)
        .map(|share| {
            let mut parts = vec![Vec::new(); pages];
            for effect in share {
                parts[page(effect)].push(*effect);
            }
            parts
        })
        .collect();
    let whole = |page: usize| shares.iter().map(|share| &share[page][..]).collect::<Vec<_>>().concat();
    (0..pages).into_par_iter().map(|page| (page, whole(page))).filter(|(_, part)| !part.is_empty()).collect()
}

/// What effects, one per edge and sorted, do to the lists of one page.
fn plan<W: EdgeWeight>(now: &Version<W>, page: usize, effects: Vec<Effect<W>>, manner: &Manner) -> Plan<W> {
    let (mut lists, mut first) = (Vec::new(), 0);
    for of_list in effects.chunk_by(|a, b| a.source == b.source) {
        let vertex = of_list[0].source;
        let (targets, weights) = now.list(vertex);
        let (mut at, mut length, mut changes) = (0, targets.len(), false);
        for effect in of_list {
            at += first_from(&targets[at..], effect.target);
            let old = (targets.get(at) == Some(&effect.target)).then(|| weights[at]);
            let new = effect.on(old, manner.on_repeat);
            length = length + usize::from(new.is_some()) - usize::from(old.is_some());
            changes |= !same(old, new);
        }
        if changes {
            lists.push(Planned { vertex, effects: first..first + of_list.len(), length, block: Block::NONE });
        }
        first += of_list.len();
    }
    Plan { page, effects, lists }
}

/// Whether nothing changes, to the last bit: 0 and -0 are two weights, or the two ends of an edge may come to differ.
fn same<W: EdgeWeight>(old: Option<W>, new: Option<W>) -> bool {
    old.map(W::bits) == new.map(W::bits)
}

/// The first position whose entry is `target` or more. Steps double, so that a near position is found fast in a long
/// list.
fn first_from(list: &[u32], target: u32) -> usize {
    let mut step = 1;
    while step < list.len() && list[step] < target {
        step *= 2;
    }
    let low = step / 2;
    low + list[low..list.len().min(step + 1)].partition_point(|&entry| entry < target)
}

/// Makes a changed list; the memory is used for many lists.
struct Merge<W> {
    targets: Vec<u32>,
    weights: Vec<W>,
}

impl<W> Default for Merge<W> {
    fn default() -> Self {
        Merge { targets: Vec::new(), weights: Vec::new() }
    }
}

impl<W: EdgeWeight> Merge<W> {
    /// Leaves the list from the first change on in `targets` and `weights`, and returns how many entries before it stay
    /// as they are. Appends what changed to `changes`.
    fn run(
        &mut self,
        (targets, weights): (&[u32], &[W]),
        effects: &[Effect<W>],
        on_repeat: OnRepeat,
        changes: &mut Vec<ChangedEdge<W>>,
    ) -> usize {
        self.targets.clear();
        self.weights.clear();
        let kept = first_from(targets, effects[0].target);
        let mut at = kept;
        for effect in effects {
            let next = at + first_from(&targets[at..], effect.target);
            self.targets.extend_from_slice(&targets[at..next]);
            self.weights.extend_from_slice(&weights[at..next]);
            at = next;
            let old = (targets.get(at) == Some(&effect.target)).then(|| weights[at]);
            let new = effect.on(old, on_repeat);
            if let Some(weight) = new {
                self.targets.push(effect.target);
                self.weights.push(weight);
            }
            at += usize::from(old.is_some());
            if !same(old, new) {
                changes.push(ChangedEdge { source: effect.source, target: effect.target, old, new });
            }
        }
        self.targets.extend_from_slice(&targets[at..]);
        self.weights.extend_from_slice(&weights[at..]);
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_found_anywhere() {
        let list: Vec<u32> = (0..100).map(|i| i * 3).collect();
        for len in [0, 1, 2, 3, 7, 8, 9, 100] {
            for target in 0..305 {
                let expected = list[..len].iter().filter(|&&entry| entry < target).count();
                assert_eq!(first_from(&list[..len], target), expected, "{target} among {len}");
            }
        }
    }
}
