//! Who needs which vertices: a worker reads and writes entries of its own vertices and of those at the other ends of
//! its edges, its *mirrors*. Workers tell each other once per graph which these are; from then on, values and changes
//! go to those who need them, and to nobody else.

use gw_exec::{ErrorKind, Result, Vector};
use gw_fabric::Neighbours;
use gw_graph::{Adjacency, Graph};

use crate::cut::Cut;
use crate::message::{Writer, read_cells, width, write_cells};
use crate::session::Session;

/// The mirrors of all workers in one graph.
#[derive(Debug)]
pub(crate) struct Mirrors {
    /// By worker, a bit per vertex: the other ends of its edges.
    needed: Vec<Vec<u8>>,
    /// By worker, the owned vertices of this worker that the other one mirrors, ascending.
    give: Vec<Vec<u32>>,
    /// By worker, the vertices of the other one that this worker mirrors, ascending.
    take: Vec<Vec<u32>>,
    /// How many of them.
    plan: Neighbours,
}

impl Mirrors {
    /// Agrees with all workers on the mirrors of a graph of which this worker has a part.
    pub(crate) fn agree(session: &mut Session, part: &Graph, cut: &Cut, incoming: bool) -> Result<Mirrors> {
        let own = session.index();
        let mut bits = vec![0u8; part.vertices().div_ceil(8)];
        let mut mark = |lists: &Adjacency| {
            for v in cut.range(own) {
                lists.neighbours(v).iter().for_each(|&end| bits[end as usize / 8] |= 1 << (end % 8));
            }
        };
        mark(part.out());
        // The lists of symmetric graphs are the same in both directions.
        if incoming && part.load_incoming()?.id() != part.out().id() {
            mark(part.incoming());
        }
        let mut message = Writer::default();
        message.bytes(&bits);
        let messages = session.broadcast(message)?;
        let needed: Vec<Vec<u8>> = messages.iter().map(|message| message.to_vec()).collect();
        if needed.iter().any(|bits| bits.len() != part.vertices().div_ceil(8)) {
            let reason = "a damaged message arrived: do all processes run the same version?";
            session.end(reason);
            return Err(ErrorKind::Machine(reason.to_string()).into());
        }
        let common = |needs: usize, owns: usize| -> Vec<u32> {
            let bits: &[u8] = &needed[needs];
            match needs == owns {
                true => Vec::new(),
                false => cut.range(owns).filter(|&v| has(bits, v)).collect(),
            }
        };
        let give: Vec<Vec<u32>> = (0..session.peers()).map(|other| common(other, own)).collect();
        let take: Vec<Vec<u32>> = (0..session.peers()).map(|other| common(own, other)).collect();
        let lengths = |lists: &[Vec<u32>]| lists.iter().map(Vec::len).collect::<Vec<_>>();
        let plan = session.neighbours(&lengths(&give), &lengths(&take))?;
        Ok(Mirrors { needed, give, take, plan })
    }

    /// Whether a worker has a vertex at the end of one of its edges.
    pub(crate) fn has(&self, worker: usize, vertex: u32) -> bool {
        has(&self.needed[worker], vertex)
    }

    /// Brings the entries of vectors from their owners to those who mirror them.
    pub(crate) fn exchange(&self, session: &mut Session, vectors: &[Vector]) -> Result<()> {
        let write = |vertices: &Vec<u32>| {
            let mut message = Writer::default();
            for vector in vectors {
                match vector.stride() {
                    1 => write_cells(&mut message, vector, vertices.iter().map(|&vertex| vertex as usize)),
                    _ => write_cells(&mut message, vector, cells(vector, vertices)),
                }
            }
            message
        };
        let unit = vectors.iter().map(|vector| width(vector) * vector.stride()).sum();
        let messages = self.plan.give().iter().map(|&(worker, _)| write(&self.give[worker])).collect();
        let messages = session.exchange_neighbours(&self.plan, unit, messages)?;
        let mut readers = Session::readers(&messages);
        for (reader, &(worker, _)) in readers.iter_mut().zip(self.plan.take()) {
            let vertices = &self.take[worker];
            for vector in vectors {
                let count = vertices.len() * vector.stride();
                match vector.stride() {
                    1 => read_cells(reader, vector, count, vertices.iter().map(|&vertex| vertex as usize)),
                    _ => read_cells(reader, vector, count, cells(vector, vertices)),
                }
            }
        }
        session.intact(&readers)
    }
}

fn has(bits: &[u8], vertex: u32) -> bool {
    bits.get(vertex as usize / 8).is_some_and(|byte| byte >> (vertex % 8) & 1 == 1)
}

/// The cells of the entries of vertices, for any number of cells per entry.
fn cells<'a>(vector: &Vector, vertices: &'a [u32]) -> impl Iterator<Item = usize> + 'a {
    let stride = vector.stride();
    vertices.iter().flat_map(move |&vertex| vertex as usize * stride..(vertex as usize + 1) * stride)
}
