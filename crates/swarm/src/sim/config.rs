//! The parameters of the simulated machine, and the published configurations they come from.
//!
//! Sources, named in brackets at every default:
//! - \[MICRO'15\] Jeffrey, Subramanian, Yan, Emer, Sanchez: A Scalable Architecture for Ordered Parallelism, MICRO
//! 2015.
//! - \[MICRO'16\] Jeffrey, Subramanian, Abeydeera, Emer, Sanchez: Data-Centric Execution of Speculative Parallel
//!   Programs, MICRO 2016.
//! - \[T4\] Ying, Jeffrey, Sanchez: T4, Compiling Sequential Code for Effective Speculative Parallelization in
//!   Hardware, ISCA 2020: the configuration `64c.cfg` of its release.
//! - \[sim\] the sample configuration of the open simulator SwarmArch/sim.
//! - \[UGF\] the Swarm evaluation of the Universal Graph Framework (Table 6.9 and the text around it).
//! - \[ours\] a number that no source gives.

use serde::{Deserialize, Serialize};

use super::memory::LINE;

/// How tiles detect that two tasks touch the same line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Conflicts {
    /// Exact sets of lines.
    Precise,
    /// Bloom filters beside the exact sets: they also abort tasks that did not touch the line.
    Bloom,
}

/// Where a task without a hint goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unhinted {
    /// To a tile drawn at random (from a fixed sequence).
    Random,
    /// To the tile of its parent.
    Local,
}

/// All parameters. A TOML file may set any of them; the others keep their defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Cores.
    pub cores: usize,
    /// Cores that share a tile. 4 \[MICRO'15, T4, sim\].
    pub cores_per_tile: usize,
    /// Clock in GHz, for times in seconds. 2 \[T4, UGF\].
    pub frequency_ghz: f64,

    /// Entries of the task queue per core: waiting, running and finished tasks. 64 \[MICRO'15\].
    pub task_queue_per_core: usize,
    /// Filled part of the task queue above which tasks are spilled, in percent. 86 (220 of 256) \[T4\].
    pub overflow_percent: usize,
    /// Tasks moved to memory by one coalescer. 15 \[MICRO'15, T4\].
    pub spill_tasks: usize,
    /// Cycles a core spends on each spilled or restored task. 10 \[ours: a line is written and its descriptor packed\].
    pub spill_cycles: u64,
    /// Entries of the commit queue per core: finished tasks that may still be aborted. 16 \[MICRO'15\].
    pub commit_queue_per_core: usize,
    /// Tasks a tile may have on the way to other tiles (task send buffer). 32 \[sim\].
    pub send_buffer: usize,
    /// Cycles to create a child, besides the way of its message. 2 \[T4, sim: square root of the cores per tile\].
    pub enqueue_cycles: u64,
    /// Cycles to hand a task to a core. 2 \[T4, sim\].
    pub dequeue_cycles: u64,
    /// Cycles between two global minima of virtual time. 200 \[MICRO'15, sim\]; T4 takes 100.
    pub gvt_period: u64,
    /// Cycles per entry of an undo log when a task is aborted. 2 \[ours: an access to the first-level cache\].
    pub undo_cycles: u64,

    /// How conflicts are detected. Precise \[sim\].
    pub conflicts: Conflicts,
    /// Bytes that count as one place for conflicts, a power of two up to 64. 64, a line \[MICRO'15\]; less shows how
    /// many aborts are due to neighbours in a line.
    pub conflict_bytes: u64,
    /// Bits of a Bloom filter. 2,048 \[MICRO'15, T4\].
    pub bloom_bits: usize,
    /// Hash functions of a Bloom filter. 8 \[MICRO'15, T4\].
    pub bloom_hashes: usize,
    /// Cycles of a conflict check; accesses that hit in the first-level cache need none. 5 \[MICRO'15, T4\].
    pub check_cycles: u64,

    /// Two tasks with the same hint do not run at the same time in a tile. Yes \[MICRO'16, T4\].
    pub serialize_hints: bool,
    /// Where a task without a hint goes. Random \[MICRO'15\].
    pub unhinted: Unhinted,
    /// Groups of hints move from tiles with much committed work to tiles with little. Off \[MICRO'16 has both\].
    pub balance_hints: bool,
    /// Cycles between two such moves. 500,000 \[MICRO'16\].
    pub balance_period: u64,
    /// Groups of hints per tile. 16 \[MICRO'16\].
    pub hint_groups_per_tile: usize,

    /// Bytes of the first-level cache of a core. 16 KB \[MICRO'15, sim\].
    pub l1_bytes: u64,
    /// Its ways. 8 \[T4, sim\].
    pub l1_ways: usize,
    /// Cycles of a hit in it. 2 \[T4, sim\].
    pub l1_cycles: u64,
    /// Bytes of the second-level cache of a tile, per core. 64 KB \[UGF\].
    pub l2_bytes_per_core: u64,
    /// Its ways. 8 \[T4, sim\].
    pub l2_ways: usize,
    /// Cycles of a hit in it, after the miss before. 7 \[sim\].
    pub l2_cycles: u64,
    /// Bytes of the last-level cache per core. 256 KB \[UGF\].
    pub llc_bytes_per_core: u64,
    /// Its ways. 16 \[T4\].
    pub llc_ways: usize,
    /// Cycles of a hit in it, without the way there. 9 \[MICRO'15\]; T4 has 12, the sample 20.
    pub llc_cycles: u64,
    /// The second and the last level hold together what they would hold with this number of cores, whatever the number
    /// of cores is: for experiments without caches that grow with the cores. 0 lets them grow \[UGF\].
    pub fixed_cache_cores: usize,
    /// Every access costs a hit in the first level: no caches, no memory. Off.
    pub flat_memory: bool,
    /// Memory controllers, at the corners of the mesh. 4 \[MICRO'15, T4, sim\].
    pub memory_controllers: usize,
    /// Cycles of an access to memory. 120 \[MICRO'15, T4, sim\].
    pub memory_cycles: u64,
    /// Cycles for which an access occupies its controller. 4 \[ours: 16 bytes a cycle, 32 GB/s at 2 GHz\].
    pub memory_line_cycles: u64,

    /// Cycles per hop in the mesh. 3 \[MICRO'15\]; T4 has 2.
    pub hop_cycles: u64,
    /// Bytes of a flit. 32 \[MICRO'15: 256-bit links\].
    pub flit_bytes: u64,
    /// Seed of the random tiles of tasks without hints.
    pub seed: u64,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            cores: 64,
            cores_per_tile: 4,
            frequency_ghz: 2.0,
            task_queue_per_core: 64,
            overflow_percent: 86,
            spill_tasks: 15,
            spill_cycles: 10,
            commit_queue_per_core: 16,
            send_buffer: 32,
            enqueue_cycles: 2,
            dequeue_cycles: 2,
            gvt_period: 200,
            undo_cycles: 2,
            conflicts: Conflicts::Precise,
            conflict_bytes: 64,
            bloom_bits: 2048,
            bloom_hashes: 8,
            check_cycles: 5,
            serialize_hints: true,
            unhinted: Unhinted::Random,
            balance_hints: false,
            balance_period: 500_000,
            hint_groups_per_tile: 16,
            l1_bytes: 16 << 10,
            l1_ways: 8,
            l1_cycles: 2,
            l2_bytes_per_core: 64 << 10,
            l2_ways: 8,
            l2_cycles: 7,
            llc_bytes_per_core: 256 << 10,
            llc_ways: 16,
            llc_cycles: 9,
            fixed_cache_cores: 0,
            flat_memory: false,
            memory_controllers: 4,
            memory_cycles: 120,
            memory_line_cycles: 4,
            hop_cycles: 3,
            flit_bytes: 32,
            seed: 1,
        }
    }
}

/// The most cores of a machine.
pub const MAX_CORES: usize = 1024;
/// The most tiles of a machine: the directory keeps one bit per tile.
pub const MAX_TILES: usize = 256;

/// Why parameters cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A parameter is out of its range.
    #[error("the parameter `{name}` of the Swarm machine is {value}; {expected} is needed")]
    Range {
        /// The parameter.
        name: &'static str,
        /// What it is.
        value: u64,
        /// What it must be.
        expected: String,
    },
    /// The text is not TOML, or names a parameter that does not exist.
    #[error("the parameters of the Swarm machine cannot be read: {0}")]
    Text(String),
    /// There is no configuration of this name.
    #[error("there is no Swarm configuration `{0}`; there are {known}", known = PRESETS.join(", "))]
    Unknown(String),
}

/// The names of the published configurations.
pub const PRESETS: [&str; 3] = ["thesis", "t4", "sample"];

impl Config {
    /// A published configuration by its name: `thesis` (the defaults), `t4` or `sample`. Cores are out-of-order in
    /// \[T4\]; here they are in-order in all of them.
    pub fn preset(name: &str) -> Result<Config, ConfigError> {
        let base = Config::default();
        match name {
            "thesis" => Ok(base),
            "t4" => Ok(Config {
                send_buffer: 96,
                gvt_period: 100,
                conflicts: Conflicts::Bloom,
                l1_bytes: 32 << 10,
                l2_bytes_per_core: 256 << 10,
                l2_cycles: 9,
                llc_bytes_per_core: 1 << 20,
                llc_cycles: 12,
                hop_cycles: 2,
                flit_bytes: 24,
                ..base
            }),
            "sample" => Ok(Config {
                overflow_percent: 87,
                check_cycles: 3,
                llc_bytes_per_core: 512 << 10,
                llc_cycles: 20,
                hop_cycles: 2,
                flit_bytes: 16,
                ..base
            }),
            other => Err(ConfigError::Unknown(other.to_string())),
        }
    }

    /// Reads parameters from TOML text over the defaults, and checks them.
    pub fn from_toml(text: &str) -> Result<Config, ConfigError> {
        let config: Config = toml::from_str(text).map_err(|error| ConfigError::Text(error.to_string()))?;
        config.checked()
    }

    /// The same machine with this number of cores.
    #[must_use]
    pub fn with_cores(self, cores: usize) -> Config {
        Config { cores, ..self }
    }

    /// The configuration, if every parameter is in its range.
    pub fn checked(self) -> Result<Config, ConfigError> {
        let range = |name, value: u64, low: u64, high: u64| match (low..=high).contains(&value) {
            true => Ok(()),
            false => Err(ConfigError::Range { name, value, expected: format!("a number from {low} to {high}") }),
        };
        let count = |name, value: usize, high: u64| range(name, value as u64, 1, high);
        count("cores", self.cores, MAX_CORES as u64)?;
        count("cores_per_tile", self.cores_per_tile, 64)?;
        if self.tiles() > MAX_TILES {
            let least = self.cores.div_ceil(MAX_TILES);
            let expected = format!("{least} or more (a machine has at most {MAX_TILES} tiles)");
            return Err(ConfigError::Range { name: "cores_per_tile", value: self.cores_per_tile as u64, expected });
        }
        count("task_queue_per_core", self.task_queue_per_core, 1 << 20)?;
        count("commit_queue_per_core", self.commit_queue_per_core, 1 << 20)?;
        range("overflow_percent", self.overflow_percent as u64, 1, 100)?;
        count("spill_tasks", self.spill_tasks, 1 << 16)?;
        count("send_buffer", self.send_buffer, 1 << 20)?;
        range("gvt_period", self.gvt_period, 1, 1 << 32)?;
        range("balance_period", self.balance_period, 1, 1 << 40)?;
        count("hint_groups_per_tile", self.hint_groups_per_tile, 1 << 16)?;
        if !self.conflict_bytes.is_power_of_two() || self.conflict_bytes > 64 {
            let expected = "a power of two from 1 to 64".to_string();
            return Err(ConfigError::Range { name: "conflict_bytes", value: self.conflict_bytes, expected });
        }
        count("bloom_bits", self.bloom_bits, 1 << 24)?;
        count("bloom_hashes", self.bloom_hashes, 64)?;
        count("l1_ways", self.l1_ways, 64)?;
        count("l2_ways", self.l2_ways, 64)?;
        count("llc_ways", self.llc_ways, 64)?;
        // A cache has a line at least.
        range("l1_bytes", self.l1_bytes, LINE, 1 << 40)?;
        range("l2_bytes_per_core", self.l2_bytes_per_core, LINE, 1 << 40)?;
        count("memory_controllers", self.memory_controllers, 64)?;
        range("flit_bytes", self.flit_bytes, 1, 1 << 16)?;
        // Spilling that takes no time could go on for ever at one cycle.
        range("spill_cycles", self.spill_cycles, 1, 1 << 20)?;
        for (name, cycles) in [
            ("enqueue_cycles", self.enqueue_cycles),
            ("dequeue_cycles", self.dequeue_cycles),
            ("undo_cycles", self.undo_cycles),
            ("check_cycles", self.check_cycles),
            ("l1_cycles", self.l1_cycles),
            ("l2_cycles", self.l2_cycles),
            ("llc_cycles", self.llc_cycles),
            ("memory_cycles", self.memory_cycles),
            ("memory_line_cycles", self.memory_line_cycles),
            ("hop_cycles", self.hop_cycles),
        ] {
            range(name, cycles, 0, 1 << 20)?;
        }
        if !(self.frequency_ghz > 0.0 && self.frequency_ghz < 1000.0) {
            let expected = "a clock between 0 and 1000 GHz".to_string();
            return Err(ConfigError::Range { name: "frequency_ghz", value: self.frequency_ghz as u64, expected });
        }
        Ok(self)
    }

    /// Tiles.
    pub fn tiles(&self) -> usize {
        self.cores.div_ceil(self.cores_per_tile.max(1))
    }

    /// Cores of a tile; the last one may have fewer.
    pub fn cores_of(&self, tile: usize) -> usize {
        self.cores_per_tile.min(self.cores - tile * self.cores_per_tile)
    }

    /// Bytes of the second-level cache of a tile.
    pub fn l2_bytes(&self, tile: usize) -> u64 {
        match self.fixed_cache_cores {
            0 => self.l2_bytes_per_core * self.cores_of(tile) as u64,
            fixed => self.l2_bytes_per_core * fixed as u64 / self.tiles() as u64,
        }
    }

    /// Bytes of the last-level cache in a tile.
    pub fn llc_bytes(&self, tile: usize) -> u64 {
        match self.fixed_cache_cores {
            0 => self.llc_bytes_per_core * self.cores_of(tile) as u64,
            fixed => self.llc_bytes_per_core * fixed as u64 / self.tiles() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_set_what_they_name_and_nothing_else() {
        let config = Config::from_toml("cores = 16\nconflicts = \"bloom\"").unwrap();
        assert_eq!(config, Config { cores: 16, conflicts: Conflicts::Bloom, ..Config::default() });
        let error = Config::from_toml("coers = 16").unwrap_err().to_string();
        assert!(error.contains("unknown field `coers`"), "{error}");
        let error = Config::from_toml("cores = 0").unwrap_err().to_string();
        assert!(error.contains("`cores`") && error.contains("from 1 to 1024"), "{error}");
        assert!(Config::default().with_cores(1000).checked().is_ok());
        let thin = Config { cores: 300, cores_per_tile: 1, ..Config::default() };
        assert!(thin.checked().unwrap_err().to_string().contains("2 or more"));
    }

    #[test]
    fn presets_are_valid_and_named() {
        for name in PRESETS {
            assert!(Config::preset(name).unwrap().checked().is_ok(), "{name}");
        }
        assert!(Config::preset("x").unwrap_err().to_string().contains("thesis, t4, sample"));
    }

    #[test]
    fn caches_grow_with_the_cores_or_stay() {
        let config = Config::default().with_cores(16);
        assert_eq!((config.tiles(), config.l2_bytes(3)), (4, 256 << 10));
        let fixed = Config { fixed_cache_cores: 64, ..config };
        assert_eq!(fixed.llc_bytes(0) * 4, 64 * (256 << 10));
        let odd = Config::default().with_cores(5);
        assert_eq!((odd.tiles(), odd.cores_of(1)), (2, 1));
    }
}
