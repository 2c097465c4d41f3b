//! The three phases of the approximate search on a device.

use std::sync::Arc;
use std::time::Instant;

use gw_device::{Buffer, Device, Kernel, Launch};
use rayon::prelude::*;

use super::kernels::{GROW_BLOCK, GrowArguments, LANES, NONE, SCORE_BLOCK, ScoreArguments};
use super::target::DeviceTarget;
use crate::cost::{Cost, cost};
use crate::find::{Found, Options, Seconds, check, distinct};
use crate::score::{DeviceScoring, MISMATCH_FLOOR, NeighbourhoodScores, Released, Scoring};
use crate::similarity::{Matrix, Similarity};
use crate::{LabelledGraph, PatternError, Result};

/// A query on the device.
struct DeviceQuery {
    offsets: Buffer,
    neighbours: Buffer,
    labels: Buffer,
    degrees: Buffer,
    matrix: Option<Buffer>,
}

/// What phase 1 leaves for phase 2.
enum DeviceSeeds {
    /// By the released scoring.
    Weighed {
        /// Rows of scores, by block of query nodes and by target node.
        scores: Buffer,
        /// The sums of all weights so far, in the same order.
        sums: Buffer,
        blocks: usize,
    },
    /// By the scoring of the thesis: the weights of all target nodes for each query node, and their sum.
    Table { table: Buffer, sums: Buffer },
}

impl DeviceTarget<'_> {
    /// [`crate::find`] on the device: the same matches for the same options.
    pub fn find(&self, query: &LabelledGraph, matrix: Option<&Matrix>, options: &Options) -> Result<Found> {
        self.find_with(&Released, query, matrix, options)
    }

    /// [`DeviceTarget::find`] with a scoring; [`PatternError::Argument`] where the device does not know it.
    pub fn find_with(
        &self,
        scoring: &dyn Scoring,
        query: &LabelledGraph,
        matrix: Option<&Matrix>,
        options: &Options,
    ) -> Result<Found> {
        let Some(known) = scoring.on_device() else {
            let message = format!("the scoring `{}` is for the cores: no kernel judges by it", scoring.name());
            return Err(PatternError::Argument(message));
        };
        check(query, self.target, options)?;
        let similarity = Similarity::new(query, self.target, matrix)?;
        let start = Instant::now();
        let depth = options.depth.min(query.nodes().max(self.target.nodes()));
        let sent = self.send(query, matrix)?;
        let seeds = match known {
            DeviceScoring::Released => self.seeds(&NeighbourhoodScores::new(similarity, depth), &sent, query)?,
            DeviceScoring::Thesis(thesis) => {
                let (table, sums) = thesis.table(similarity, depth)?;
                DeviceSeeds::Table {
                    table: Buffer::with(&self.device, bytemuck::cast_slice(&table))?,
                    sums: Buffer::with(&self.device, bytemuck::cast_slice(&sums))?,
                }
            }
        };
        let seed_seconds = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let matches = distinct(self.grow(scoring, &seeds, &sent, similarity, options)?);
        let seconds = Seconds { seeds: seed_seconds, growing: start.elapsed().as_secs_f64() };
        Ok(Found { scoring: scoring.name(), matches, solutions: options.solutions, seconds })
    }

    fn send(&self, query: &LabelledGraph, matrix: Option<&Matrix>) -> Result<DeviceQuery> {
        let offsets: Vec<u64> = query.offsets().iter().map(|&at| at as u64).collect();
        let degrees: Vec<u32> = (0..query.nodes() as u32).map(|q| query.degree(q) as u32).collect();
        let matrix = matrix.map(|matrix| Buffer::with(&self.device, bytemuck::cast_slice(matrix.values())));
        Ok(DeviceQuery {
            offsets: Buffer::with(&self.device, bytemuck::cast_slice(&offsets))?,
            neighbours: Buffer::with(&self.device, bytemuck::cast_slice(query.all_neighbours()))?,
            labels: Buffer::with(&self.device, bytemuck::cast_slice(query.labels()))?,
            degrees: Buffer::with(&self.device, bytemuck::cast_slice(&degrees))?,
            matrix: matrix.transpose()?,
        })
    }

    /// Phase 1. Neighbourhoods of more than two edges, and those of a matrix, are scored by the cores.
    fn seeds(
        &self,
        scores: &NeighbourhoodScores<'_>,
        sent: &DeviceQuery,
        query: &LabelledGraph,
    ) -> Result<DeviceSeeds> {
        let (device, nodes, blocks) = (&self.device, self.target.nodes(), scores.blocks());
        let row_bytes = 4 * LANES;
        let all = Buffer::new(device, blocks * nodes * row_bytes)?;
        let sums = Buffer::new(device, 8 * blocks * nodes)?;
        let known = scores.by_label().filter(|_| scores.depth() <= 2);
        let tables = match &known {
            Some(known) => Some((
                Buffer::with(device, bytemuck::cast_slice(known.dense))?,
                Buffer::with(device, bytemuck::cast_slice(known.rows))?,
            )),
            None => None,
        };
        let parts = match (&known, scores.depth()) {
            (Some(_), 2) => Some(Buffer::new(device, nodes * row_bytes)?),
            _ => None,
        };
        let base = ScoreArguments {
            offsets: self.offsets.address().0,
            neighbours: self.neighbours.address().0,
            labels: self.labels.address().0,
            dense: tables.as_ref().map_or(0, |(dense, _)| dense.address().0),
            known: tables.as_ref().map_or(0, |(_, rows)| rows.address().0),
            query_labels: sent.labels.address().0,
            query_degrees: sent.degrees.address().0,
            matrix: sent.matrix.as_ref().map_or(0, |matrix| matrix.address().0),
            from: 0,
            to: 0,
            sums: sums.address().0,
            nodes: nodes as u64,
            label_count: known.as_ref().map_or(0, |known| known.labels as u64),
            words: blocks as u64,
            block: 0,
            query_nodes: query.nodes() as u64,
            floor: MISMATCH_FLOOR,
        };
        for block in 0..blocks {
            let here = all.address().offset(block * nodes * row_bytes);
            let base = ScoreArguments { block: block as u64, ..base };
            match (&known, &parts) {
                (None, _) => device.upload(here, bytemuck::cast_slice(&rows(scores, block, nodes)?))?,
                (Some(_), None) => self.score(&self.starts, ScoreArguments { to: here.0, ..base })?,
                (Some(_), Some(parts)) => {
                    self.score(&self.starts, ScoreArguments { to: parts.address().0, ..base })?;
                    let from = parts.address().0;
                    self.score(&self.around, ScoreArguments { from, to: here.0, ..base })?;
                }
            }
            self.score(&self.weights, ScoreArguments { from: here.0, ..base })?;
        }
        // The sums go on in the order of target nodes, as on the cores.
        let mut running = vec![0_f64; blocks * nodes];
        device.download(bytemuck::cast_slice_mut(&mut running), sums.address())?;
        let mut total = 0.0;
        for sum in &mut running {
            total += *sum;
            *sum = total;
        }
        device.upload(sums.address(), bytemuck::cast_slice(&running))?;
        Ok(DeviceSeeds::Weighed { scores: all, sums, blocks })
    }

    /// Launches a step of phase 1: a warp per target node.
    fn score(&self, kernel: &Kernel, arguments: ScoreArguments) -> Result<()> {
        let wanted = self.target.nodes().div_ceil(SCORE_BLOCK as usize / 32) as u64;
        let grid = wanted.min(resident(&self.device, kernel)) as u32;
        let launch = Launch { grid, block: SCORE_BLOCK, cooperative: false };
        Ok(self.device.launch(kernel, launch, bytemuck::bytes_of(&arguments))?)
    }

    /// Phases 2 and 3, and the costs.
    fn grow(
        &self,
        scoring: &dyn Scoring,
        seeds: &DeviceSeeds,
        sent: &DeviceQuery,
        similarity: Similarity<'_>,
        options: &Options,
    ) -> Result<Vec<(Vec<Option<u32>>, Cost)>> {
        let device = &self.device;
        let (nodes, query_nodes) = (self.target.nodes(), similarity.query().nodes());
        let partners = Buffer::new(device, 4 * options.solutions * query_nodes)?;
        // Marks and lists of a warp. Where those of all warps are much of the memory, a half of what is free is enough.
        let (kernel, of_frontier, scores, table, sums, blocks) = match seeds {
            DeviceSeeds::Weighed { scores, sums, blocks } => (&self.grow, 0, scores.address().0, 0, sums, *blocks),
            DeviceSeeds::Table { table, sums } => (&self.grow_thesis, nodes, 0, table.address().0, sums, 0),
        };
        let each = 24 * nodes as u64 + 12 * of_frontier as u64 + 9 * query_nodes as u64;
        let wanted = (options.solutions as u64).min(resident(device, kernel));
        let is_much = wanted.saturating_mul(each) > device.facts().memory / 16;
        let room = if is_much { (device.free_bytes()? / 2 / each).max(1) } else { wanted };
        let warps = wanted.min(room) as usize;
        let cells = |cells: usize| Buffer::new(device, 4 * cells);
        let (used, found) = (Buffer::zeroed(device, 4 * warps * nodes)?, Buffer::zeroed(device, 4 * warps * nodes)?);
        let (common, candidates) = (cells(warps * nodes)?, cells(warps * nodes)?);
        let weights = Buffer::new(device, 8 * warps * nodes)?;
        let met = Buffer::zeroed(device, 4 * warps * of_frontier)?;
        let (links, frontier) = (cells(warps * of_frontier)?, cells(warps * of_frontier)?);
        let (open, order) = (cells(warps * query_nodes)?, cells(warps * query_nodes)?);
        let state = Buffer::new(device, warps * query_nodes)?;
        let arguments = GrowArguments {
            offsets: self.offsets.address().0,
            neighbours: self.neighbours.address().0,
            labels: self.labels.address().0,
            query_offsets: sent.offsets.address().0,
            query_neighbours: sent.neighbours.address().0,
            query_labels: sent.labels.address().0,
            matrix: sent.matrix.as_ref().map_or(0, |matrix| matrix.address().0),
            scores,
            sums: sums.address().0,
            table,
            partners: partners.address().0,
            used: used.address().0,
            found: found.address().0,
            common: common.address().0,
            candidates: candidates.address().0,
            weights: weights.address().0,
            met: met.address().0,
            links: links.address().0,
            frontier: frontier.address().0,
            open: open.address().0,
            order: order.address().0,
            state: state.address().0,
            nodes: nodes as u64,
            query_nodes: query_nodes as u64,
            blocks: blocks as u64,
            solutions: options.solutions as u64,
            rounds: options.rounds as u64,
            seed: options.seed,
            floor: scoring.floor(),
            fresh_floor: MISMATCH_FLOOR,
        };
        let launch = Launch { grid: warps as u32, block: GROW_BLOCK, cooperative: false };
        device.launch(kernel, launch, bytemuck::bytes_of(&arguments))?;
        let mut grown = vec![NONE; options.solutions * query_nodes];
        device.download(bytemuck::cast_slice_mut(&mut grown), partners.address())?;
        let solution = |row: &[u32]| {
            let partners: Vec<Option<u32>> = row.iter().map(|&t| (t != NONE).then_some(t)).collect();
            let cost = cost(&similarity, &partners);
            (partners, cost)
        };
        Ok(grown.par_chunks_exact(query_nodes).with_min_len(4).map(solution).collect())
    }
}

/// Blocks that the device can hold at once.
fn resident(device: &Arc<dyn Device>, kernel: &Kernel) -> u64 {
    u64::from(device.facts().processors) * u64::from(kernel.blocks_per_processor.max(1))
}

/// The scores of a block by the cores, in rows of the device's length.
fn rows(scores: &NeighbourhoodScores<'_>, block: usize, nodes: usize) -> Result<Vec<u32>> {
    let lanes = scores.block(block).len();
    let found = scores.all(block)?;
    let mut rows = vec![0_u32; nodes * LANES];
    rows.chunks_exact_mut(LANES)
        .zip(found.chunks_exact(lanes))
        .for_each(|(to, from)| to[..lanes].copy_from_slice(from));
    Ok(rows)
}
