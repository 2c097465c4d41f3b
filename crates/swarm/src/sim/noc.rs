//! The mesh of tiles.

use super::config::Config;

/// Where tiles are and how long messages take.
#[derive(Debug, Clone)]
pub struct Mesh {
    tiles: usize,
    width: usize,
    /// Hops from tile `a` to tile `b`, at `a * tiles + b`.
    hops: Vec<u16>,
    hop_cycles: u64,
    flit_bytes: u64,
    controllers: Vec<usize>,
}

impl Mesh {
    /// The mesh of a configuration: as square as it can be, filled row by row, memory controllers at the corners.
    pub fn new(config: &Config) -> Mesh {
        let tiles = config.tiles();
        let width = (1..=tiles).find(|w| w * w >= tiles).unwrap_or(1);
        let last_row = (tiles - 1) / width * width;
        let corners = [0, width - 1, last_row, tiles - 1];
        let controllers = (0..config.memory_controllers).map(|i| corners[i % 4].min(tiles - 1)).collect();
        let apart = |a: usize, b: usize| (a % width).abs_diff(b % width) + (a / width).abs_diff(b / width);
        let hops = (0..tiles * tiles).map(|pair| apart(pair / tiles, pair % tiles) as u16).collect();
        Mesh { tiles, width, hops, hop_cycles: config.hop_cycles, flit_bytes: config.flit_bytes, controllers }
    }

    /// Hops between two tiles, by rows and columns.
    pub fn hops(&self, a: usize, b: usize) -> u64 {
        u64::from(self.hops[a * self.tiles + b])
    }

    /// Cycles until the last byte of a message has arrived; none within a tile.
    pub fn latency(&self, a: usize, b: usize, bytes: u64) -> u64 {
        match self.hops(a, b) {
            0 => 0,
            hops => hops * self.hop_cycles + bytes.div_ceil(self.flit_bytes) - 1,
        }
    }

    /// Hops between the two tiles that are furthest apart.
    pub fn diameter(&self) -> u64 {
        let corners = [0, self.width - 1, (self.tiles - 1) / self.width * self.width, self.tiles - 1];
        let corners = corners.map(|c| c.min(self.tiles - 1));
        corners.iter().flat_map(|&a| corners.iter().map(move |&b| self.hops(a, b))).max().unwrap_or(0)
    }

    /// The tile that memory controller `i` stands at.
    pub fn controller(&self, i: usize) -> usize {
        self.controllers[i]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_by_hand() {
        // 16 tiles in 4 rows of 4; 3 cycles a hop; flits of 32 bytes.
        let mesh = Mesh::new(&Config::default());
        assert_eq!((mesh.hops(0, 0), mesh.hops(0, 3), mesh.hops(0, 15), mesh.hops(5, 10)), (0, 3, 6, 2));
        assert_eq!(mesh.latency(0, 0, 64), 0);
        assert_eq!(mesh.latency(0, 1, 8), 3);
        assert_eq!(mesh.latency(0, 1, 64), 4, "the second flit follows a cycle later");
        assert_eq!(mesh.latency(0, 15, 72), 6 * 3 + 2);
        assert_eq!(mesh.diameter(), 6);
        assert_eq!([0, 1, 2, 3].map(|i| mesh.controller(i)), [0, 3, 12, 15]);
    }

    #[test]
    fn meshes_that_are_not_square() {
        let mesh = Mesh::new(&Config::default().with_cores(12));
        assert_eq!((mesh.hops(0, 2), mesh.hops(1, 2), mesh.diameter()), (1, 2, 2));
        let one = Mesh::new(&Config::default().with_cores(1));
        assert_eq!((one.diameter(), one.controller(3)), (0, 0));
    }
}
