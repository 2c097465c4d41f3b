//! The servers of an operator machine.

use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

/// A server: a place where vertices or edges are served, with memory accesses of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Server {
    /// Hands out vertices: all of them, the members of a list, or of a map.
    Input,
    /// Tests the vertex whose edges may be walked next.
    OwnFilter,
    /// Looks up where the edges of a vertex begin and end.
    EdgeRange,
    /// Looks up the other end of an edge.
    Neighbour,
    /// Tests the other end of an edge.
    NeighbourFilter,
    /// Reads the weight of an edge.
    Weight,
    /// Reads vertex data in the operator's function.
    Read,
    /// Writes vertex data that nobody else writes meanwhile.
    Write,
    /// Updates vertex data that others may update meanwhile.
    Atomic,
    /// Intersects two neighbour lists.
    Intersect,
    /// Adds a vertex to the output set.
    Output,
}

impl Server {
    /// All servers, in the order in which an edge meets them.
    pub const ALL: [Server; 11] = [
        Server::Input,
        Server::OwnFilter,
        Server::EdgeRange,
        Server::Neighbour,
        Server::NeighbourFilter,
        Server::Weight,
        Server::Read,
        Server::Write,
        Server::Atomic,
        Server::Intersect,
        Server::Output,
    ];

    /// The name shown to people.
    pub fn name(self) -> &'static str {
        match self {
            Server::Input => "input set",
            Server::OwnFilter => "vertex filter",
            Server::EdgeRange => "edge range",
            Server::Neighbour => "neighbour id",
            Server::NeighbourFilter => "neighbour filter",
            Server::Weight => "edge weight",
            Server::Read => "vertex data read",
            Server::Write => "vertex data write",
            Server::Atomic => "atomic update",
            Server::Intersect => "list intersection",
            Server::Output => "output set",
        }
    }
}

/// A value per server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PerServer<T>([T; Server::ALL.len()]);

impl<T> Index<Server> for PerServer<T> {
    type Output = T;
    #[inline]
    fn index(&self, server: Server) -> &T {
        &self.0[server as usize]
    }
}

impl<T> IndexMut<Server> for PerServer<T> {
    #[inline]
    fn index_mut(&mut self, server: Server) -> &mut T {
        &mut self.0[server as usize]
    }
}

impl<T> PerServer<T> {
    /// The values with their servers, in the order of [`Server::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (Server, &T)> {
        Server::ALL.into_iter().zip(&self.0)
    }

    /// Combines with the values of another step, server by server.
    pub fn merge(&mut self, other: &PerServer<T>, mut combine: impl FnMut(&mut T, &T)) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| combine(mine, theirs));
    }
}

impl PerServer<u64> {
    /// The sum over all servers.
    pub fn sum(&self) -> u64 {
        self.0.iter().sum()
    }
}
