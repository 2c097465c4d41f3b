//! The neighbour lists of one direction, and what a batch does to them.

use std::ops::Range;
use std::sync::Arc;

use gw_graph::{Adjacency, Spans};
use rayon::prelude::*;

use crate::Result;
use crate::batch::{Change, Effect, OnRepeat};
use crate::merge::{Merge, first_from, same};
use crate::order::{OnPage, PAGE, Ways, by_page};
use crate::pool::{Block, Pool, SIZES, size_for, slots_of};
use crate::region::Region;
use crate::weight::EdgeWeight;

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

impl<W: EdgeWeight> ChangedEdge<W> {
    /// The bits of its weight now, as machines store it, 0 where there are no weights; `None`: there is no edge.
    pub fn new_bits(&self) -> Option<u64> {
        self.new.map(|weight| weight.bits().unwrap_or(0))
    }
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
    effects: Range<usize>,
    /// Where the list goes to; `None` where it changes in place.
    moves: Option<Move>,
}

/// A list that goes to another block.
#[derive(Clone, Copy)]
struct Move {
    length: usize,
    /// The block afterwards.
    block: Block,
}

/// What a batch will do to the lists of one page.
struct Plan<W> {
    on_page: OnPage<W>,
    lists: Vec<Planned>,
}

/// What a batch did to the lists of one direction.
pub(crate) struct Changed<W> {
    pub(crate) inserted: usize,
    pub(crate) deleted: usize,
    /// By source and target.
    pub(crate) edges: Vec<ChangedEdge<W>>,
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

    /// The most bytes that a batch of so many changes takes beside the region of the pool: pages of its vertices, and
    /// the changes in order.
    pub(crate) fn room_for(&self, vertices: impl Iterator<Item = u32>, changes: usize) -> u64 {
        let mut pages = vec![false; self.now.pages.len()];
        vertices.for_each(|vertex| pages[vertex as usize / PAGE] = true);
        let touched = pages.into_iter().filter(|&page| page).count() as u64;
        touched * (PAGE * (size_of::<Block>() + 4)) as u64 + (changes * 2 * size_of::<Effect<W>>()) as u64
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

    /// Applies changes as they are seen from `ways`.
    pub(crate) fn apply(
        &mut self,
        changes: &[(u32, u32, Change<W>)],
        ways: Ways,
        manner: &Manner,
    ) -> Result<Changed<W>> {
        let now = &self.now;
        let mut plans: Vec<Plan<W>> = by_page(changes, ways, now.pages.len(), manner.on_repeat)
            .into_par_iter()
            .map(|on_page| plan(now, on_page, manner))
            .collect();
        let mut counts = [0; SIZES];
        for moves in plans.iter().flat_map(|plan| &plan.lists).filter_map(|list| list.moves) {
            if let Some(size) = size_for(moves.length) {
                counts[usize::from(size)] += 1;
            }
        }
        if !self.pool.has(&counts) {
            // Lists stand in their least blocks afterwards, so that any list that changes may have to move.
            let mut counts = [0; SIZES];
            for list in plans.iter().flat_map(|plan| &plan.lists) {
                if let Some(size) = size_for(self.now.degree(list.vertex) + list.effects.len()) {
                    counts[usize::from(size)] += 1;
                }
            }
            self.repack(counts)?;
            let now = &self.now;
            plans = plans.into_par_iter().map(|made| plan(now, made.on_page, manner)).collect();
        }
        let mut left = Vec::new();
        for list in plans.iter_mut().flat_map(|plan| &mut plan.lists) {
            if let Some(moves) = &mut list.moves {
                left.push(self.now.block(list.vertex));
                moves.block = size_for(moves.length).map_or(Block::NONE, |size| self.pool.take(size));
            }
        }
        let changed = self.write(plans, manner.on_repeat);
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
        Ok(changed)
    }

    /// Writes the planned lists and the pages that name them.
    fn write(&mut self, plans: Vec<Plan<W>>, on_repeat: OnRepeat) -> Changed<W> {
        let Version { pages, targets, weights, edges, .. } = &mut self.now;
        let (targets, weights): (&Region<u32>, &Region<W>) = (targets, weights);
        let mut plans = plans.into_iter().peekable();
        let touched: Vec<(&mut Arc<Page>, Plan<W>)> = pages
            .iter_mut()
            .enumerate()
            .filter_map(|(index, page)| plans.next_if(|plan| plan.on_page.page == index).map(|plan| (page, plan)))
            .collect();
        let parts: Vec<Changed<W>> = touched
            .into_par_iter()
            .map(|(page, plan)| {
                let (page, mut merge) = (Arc::make_mut(page), Merge::default());
                let mut changes = Vec::with_capacity(plan.on_page.effects.len());
                for list in &plan.lists {
                    let at = list.vertex as usize % PAGE;
                    let (old, len) = (page.blocks[at].begin(), page.lengths[at] as usize);
                    let effects = &plan.on_page.effects[list.effects.clone()];
                    let Some(Move { length, block }) = list.moves else {
                        // SAFETY: the list was written (invariant of `Version`), this task alone handles its vertex,
                        // nobody reads the present version, and the block has room for all effects (`plan`).
                        let length =
                            unsafe { merge.in_place((targets, weights), (old, len), effects, on_repeat, &mut changes) };
                        page.lengths[at] = length as u32;
                        continue;
                    };
                    // SAFETY: the list was written (invariant of `Version`), and this task alone handles its vertex.
                    let before = unsafe { (targets.read(old, len), weights.read(old, len)) };
                    let kept = merge.run(before, effects, on_repeat, &mut changes);
                    assert_eq!(kept + merge.targets.len(), length, "the block was made for this length");
                    // SAFETY: the block was just taken for this vertex; the list before lies elsewhere.
                    unsafe {
                        targets.write(block.begin(), &before.0[..kept]);
                        weights.write(block.begin(), &before.1[..kept]);
                        targets.write(block.begin() + kept, &merge.targets);
                        weights.write(block.begin() + kept, &merge.weights);
                    }
                    (page.blocks[at], page.lengths[at]) = (block, length as u32);
                }
                let inserted = changes.iter().filter(|c| c.old.is_none()).count();
                let deleted = changes.iter().filter(|c| c.new.is_none()).count();
                Changed { inserted, deleted, edges: changes }
            })
            .collect();
        let changed = joined(parts);
        *edges = *edges + changed.inserted - changed.deleted;
        changed
    }
}

/// The changes of all pages one behind the other.
fn joined<W: EdgeWeight>(parts: Vec<Changed<W>>) -> Changed<W> {
    let inserted = parts.iter().map(|part| part.inserted).sum();
    let deleted = parts.iter().map(|part| part.deleted).sum();
    let total: usize = parts.iter().map(|part| part.edges.len()).sum();
    if total < 1 << 14 {
        return Changed { inserted, deleted, edges: parts.into_iter().flat_map(|part| part.edges).collect() };
    }
    // Fresh memory costs most here: all threads write it.
    let none = ChangedEdge { source: 0, target: 0, old: None, new: None };
    let mut edges: Vec<ChangedEdge<W>> = rayon::iter::repeat_n(none, total).collect();
    let (mut rest, mut windows) = (&mut edges[..], Vec::new());
    for part in parts {
        let (window, later) = rest.split_at_mut(part.edges.len());
        windows.push((window, part.edges));
        rest = later;
    }
    windows.into_par_iter().for_each(|(window, part)| window.copy_from_slice(&part));
    Changed { inserted, deleted, edges }
}

/// What effects do to the lists of one page.
fn plan<W: EdgeWeight>(now: &Version<W>, on_page: OnPage<W>, manner: &Manner) -> Plan<W> {
    let mut lists = Vec::new();
    for (vertex, range) in on_page.lists() {
        let of_list = &on_page.effects[range.clone()];
        let (block, length) = (now.block(vertex), now.degree(vertex));
        let erased = of_list.iter().filter(|effect| effect.erases).count();
        // Whatever the list holds, it stays in its block: there is no need to look at it now.
        let stays = block.suits(length + of_list.len()) && block.suits(length.saturating_sub(erased));
        if stays && !manner.is_read {
            lists.push(Planned { vertex, effects: range, moves: None });
            continue;
        }
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
            let has_room = block.suits(length) && block.slots() >= targets.len() + of_list.len();
            let moves = (manner.is_read || !has_room).then_some(Move { length, block: Block::NONE });
            lists.push(Planned { vertex, effects: range, moves });
        }
    }
    Plan { on_page, lists }
}
