//! The evolutionary generator: graphs bred towards a degree distribution (Verstraaten, chapter 5, mutation repaired).
//!
//! A population of random graphs with the expected number of edges is crossed, mutated and selected until the
//! Kolmogorov-Smirnov test accepts the best one. Fitness is (1 - D) * c: D the distance of the degrees from the
//! target, c the share of vertices connected to vertex 0. Flipping random cells of the matrix, as first proposed,
//! drives every graph towards half density; here inserting and deleting have rates of their own, which each
//! individual inherits and changes a little.
//!
//! Individuals are sorted lists of matrix cells, 4 bytes per edge: a bit matrix of 10^4 vertices would take 12.5 MB
//! each.

mod individual;

use std::str::FromStr;

use super::degrees::{Significance, Target, target_from_params};
use super::{Generator, Params, Size};
use crate::parallel;
use crate::progress::Progress;
use crate::rng::Rng;
use crate::{EdgeList, GraphError, Result};

pub use super::degrees::Distribution;
use individual::{Individual, Rates, Space};

/// An evolutionary search for a graph with a prescribed degree distribution.
#[derive(Debug, Clone, PartialEq)]
pub struct Evolve {
    /// Number of vertices, at most 65535; time makes 10000 a practical bound.
    pub vertices: u64,
    /// The target.
    pub distribution: Distribution,
    /// The test's level.
    pub significance: Significance,
    /// Individuals kept from generation to generation.
    pub population: usize,
    /// Generations before giving up.
    pub generations: usize,
    /// How two parents make a child.
    pub crossover: Crossover,
    /// Edges inserted into a child, on average, at the start.
    pub insert: f64,
    /// Edges deleted from a child, on average, at the start.
    pub delete: f64,
}

/// How the cells of two parents combine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Crossover {
    /// Each matrix row (a vertex with its edges to higher ids) from a random parent; keeps structure and converges in
    /// the fewest generations.
    #[default]
    Vertex,
    /// Each cell from a random parent.
    Edge,
    /// Cells before a random one from the first parent, the others from the second.
    Point,
}

/// The outcome of an evolution.
#[derive(Debug, Clone)]
pub struct Evolved {
    /// Edges of the fittest graph, each once.
    pub edges: Vec<(u32, u32)>,
    /// Distance of its degrees from the target.
    pub distance: f64,
    /// Share of vertices connected to vertex 0.
    pub connected: f64,
    /// Best fitness of every generation, the random start first.
    pub history: Vec<f64>,
    /// The test accepts it and it is connected.
    pub accepted: bool,
}

const POPULATION: usize = 100;
const GENERATIONS: usize = 1000;
/// Cells are numbered in 32 bits.
const MAX_VERTICES: u64 = u16::MAX as u64;
/// Share of the pool that survives for certain.
const ELITE: f64 = 0.2;

impl Evolve {
    /// The default search for this target.
    pub fn new(vertices: u64, distribution: Distribution) -> Self {
        let rate = default_rate(vertices);
        Evolve {
            vertices,
            distribution,
            significance: Significance::default(),
            population: POPULATION,
            generations: GENERATIONS,
            crossover: Crossover::default(),
            insert: rate,
            delete: rate,
        }
    }

    pub(super) fn from_params(params: &mut Params) -> Result<Self> {
        let (vertices, distribution) = target_from_params(params)?;
        let default = Evolve::new(vertices, distribution);
        let evolve = Evolve {
            significance: params.named("p")?.unwrap_or(default.significance),
            population: params.named("population")?.unwrap_or(default.population),
            generations: params.named("generations")?.unwrap_or(default.generations),
            crossover: params.named("crossover")?.unwrap_or(default.crossover),
            insert: params.named("insert")?.unwrap_or(default.insert),
            delete: params.named("delete")?.unwrap_or(default.delete),
            ..default
        };
        params.check(vertices <= MAX_VERTICES, || {
            format!("{vertices} vertices are too many to evolve (at most {MAX_VERTICES}); use `degrees` instead")
        })?;
        params.check(evolve.population >= 2, || "a population has at least 2 members".into())?;
        let rates = [evolve.insert, evolve.delete];
        params.check(rates.iter().all(|r| r.is_finite() && *r >= 0.0), || {
            "insert and delete are average numbers of edges, at least 0".into()
        })?;
        Ok(evolve)
    }

    /// Evolves until the test accepts or the generations are used up.
    pub fn run(&self, seed: u64, progress: &dyn Progress) -> Result<Evolved> {
        let target = self.distribution.target(self.vertices, true)?;
        let space = Space::new(self.vertices as u32);
        let limit = self.significance.limit(self.vertices as usize);
        let accepted = |best: &Individual| best.distance <= limit && best.connected >= 1.0;

        progress.begin("evolving", Some(self.generations as u64));
        let mut population = self.random_population(&space, &target, seed);
        sort_by_fitness(&mut population);
        let mut history = vec![population[0].fitness()];
        for generation in 1..=self.generations as u64 {
            if accepted(&population[0]) {
                break;
            }
            let children = self.children(&space, &target, &population, seed, generation);
            let selection = stream(generation, self.population as u64);
            population = select(population, children, &mut Rng::new(seed, selection));
            history.push(population[0].fitness());
            progress.advance(1);
        }
        let best = population.swap_remove(0);
        Ok(Evolved {
            edges: best.edges(&space),
            distance: best.distance,
            connected: best.connected,
            accepted: accepted(&best),
            history,
        })
    }

    fn random_population(&self, space: &Space, target: &Target, seed: u64) -> Vec<Individual> {
        let edges = (target.mean() * self.vertices as f64 / 2.0).round() as u64;
        let rates = Rates { insert: self.insert, delete: self.delete };
        parallel::map(self.population, |index| {
            let mut rng = Rng::new(seed, stream(0, index as u64));
            Individual::random(space, edges, rates, &mut rng).judged(space, target)
        })
    }

    fn children(
        &self,
        space: &Space,
        target: &Target,
        population: &[Individual],
        seed: u64,
        generation: u64,
    ) -> Vec<Individual> {
        let wheel = Wheel::new(population);
        parallel::map(self.population, |index| {
            let mut rng = Rng::new(seed, stream(generation, index as u64));
            let (first, second) = (wheel.pick(&mut rng), wheel.pick(&mut rng));
            let mut child = Individual::cross(space, &population[first], &population[second], self.crossover, &mut rng);
            child.mutate(space, &mut rng);
            child.judged(space, target)
        })
    }
}

fn default_rate(vertices: u64) -> f64 {
    (vertices as f64 / 20.0).max(5.0)
}

/// The random stream of an individual (or, with index `population`, of the selection) in a generation.
fn stream(generation: u64, index: u64) -> u64 {
    generation << 32 | index
}

/// Fitness-weighted choice.
struct Wheel(Vec<f64>);

impl Wheel {
    fn new(population: &[Individual]) -> Self {
        let mut sum = 0.0;
        Wheel(
            population
                .iter()
                .map(|i| {
                    sum += i.fitness();
                    sum
                })
                .collect(),
        )
    }

    fn pick(&self, rng: &mut Rng) -> usize {
        let total = self.0.last().copied().unwrap_or(0.0);
        let point = rng.unit() * total;
        self.0.partition_point(|&sum| sum <= point).min(self.0.len() - 1)
    }
}

/// The best fifth of parents and children, topped up to the old number by fitness-weighted choice from the rest;
/// fittest first.
fn select(mut pool: Vec<Individual>, children: Vec<Individual>, rng: &mut Rng) -> Vec<Individual> {
    let size = pool.len();
    pool.extend(children);
    sort_by_fitness(&mut pool);
    let elite = ((pool.len() as f64 * ELITE) as usize).clamp(1, size);
    let mut rest = pool.split_off(elite);
    // Weighted choice without replacement: the largest of u^(1/w) (Efraimidis and Spirakis).
    let mut keyed: Vec<(f64, Individual)> =
        rest.drain(..).map(|i| (rng.unit().powf(1.0 / i.fitness().max(1e-9)), i)).collect();
    keyed.sort_by(|a, b| b.0.total_cmp(&a.0));
    pool.extend(keyed.into_iter().take(size - elite).map(|(_, i)| i));
    sort_by_fitness(&mut pool);
    pool
}

/// Stable, so that equals keep their order whatever the threads did.
fn sort_by_fitness(population: &mut [Individual]) {
    population.sort_by(|a, b| b.fitness().total_cmp(&a.fitness()));
}

impl FromStr for Crossover {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "vertex" => Ok(Crossover::Vertex),
            "edge" => Ok(Crossover::Edge),
            "point" => Ok(Crossover::Point),
            _ => Err("a crossover is vertex, edge or point".to_owned()),
        }
    }
}

impl Generator for Evolve {
    fn spec(&self) -> String {
        let mut spec = format!("evolve:{}:{}", self.vertices, self.distribution);
        let default = Evolve::new(self.vertices, self.distribution.clone());
        let mut add = |differs: bool, text: String| {
            if differs {
                spec += &text;
            }
        };
        add(self.significance != default.significance, format!(":p={}", self.significance));
        add(self.population != default.population, format!(":population={}", self.population));
        add(self.generations != default.generations, format!(":generations={}", self.generations));
        let crossover = format!("{:?}", self.crossover).to_lowercase();
        add(self.crossover != default.crossover, format!(":crossover={crossover}"));
        add(self.insert != default.insert, format!(":insert={}", self.insert));
        add(self.delete != default.delete, format!(":delete={}", self.delete));
        spec
    }

    fn size(&self) -> Size {
        // The pool of parents and children holds 4 bytes per edge each; an edge of the size stands for at least 24.
        let edges = self.distribution.mean_bound(self.vertices) * self.vertices as f64 / 2.0;
        let pool = (2 * self.population) as f64 / 6.0;
        Size::new(self.vertices.into(), (edges * (1.0 + pool)) as u128)
    }

    fn edges(&self, seed: u64, progress: &dyn Progress) -> Result<EdgeList> {
        let evolved = self.run(seed, progress)?;
        if !evolved.accepted {
            let limit = self.significance.limit(self.vertices as usize);
            return Err(GraphError::Generate(format!(
                "{}: after {} generations the degrees differ from the target by {:.4} (the Kolmogorov-Smirnov test \
                 allows {limit:.4} at p={}) and {:.1} % of the vertices are connected; allow more generations, or \
                 use `degrees`, which builds such graphs directly",
                self.spec(),
                self.generations,
                evolved.distance,
                self.significance,
                100.0 * evolved.connected
            )));
        }
        Ok(EdgeList::from_pairs(self.vertices as usize, evolved.edges))
    }
}
