//! Fuzzing of every reader: damaged files give a graph or a typed error, never a panic and never a huge allocation.
//!
//! Valid files of every format are flipped, cut, spliced, repeated and sprinkled with numbers that hurt. The number of
//! inputs per format is fixed, so that the test takes a bounded time; a nightly run has more.

mod format_support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use format_support::{Folder, can_hold, file_name, write_file};
use gw_graph::format::{Content, Format, ReadOptions, read};
use gw_graph::progress::Silent;
use gw_graph::rng::Rng;
use gw_graph::{BuildOptions, EdgeList, Graph, build, build_any, validate};

/// Remembers the largest request.
struct Watched;

static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LARGEST.fetch_max(size, Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(old, layout, size) }
    }
    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(old, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watched = Watched;

/// More than this for files of a few kilobytes means that a header was believed.
const HUGE: usize = 256 << 20;
/// Reading never takes more than this; building takes what the vertex limit of 2^24 allows.
const BUILT_BELOW: usize = 1 << 17;

/// Words that break careless parsers.
const WORDS: [&str; 20] = [
    "0",
    "1",
    "-1",
    "4294967295",
    "4294967296",
    "2147483648",
    "18446744073709551615",
    "18446744073709551616",
    "1000000000000",
    "1e400",
    "nan",
    "inf",
    "-0.0",
    ".",
    "%",
    "#",
    "c",
    "p sp 9 9",
    "\r\n\r\n",
    "AdjacencyGraph",
];

fn mutated(good: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = good.to_vec();
    for _ in 0..1 + rng.below(3) {
        let length = bytes.len();
        let place = |rng: &mut Rng| rng.below(length as u64 + 1) as usize;
        match rng.below(8) {
            0 | 1 if length > 0 => bytes[rng.below(length as u64) as usize] ^= 1 << rng.below(8),
            2 => bytes.truncate(place(rng)),
            3 => {
                // Most headers are short: hit them often.
                let at = rng.below(64.min(length as u64) + 1) as usize;
                bytes.insert(at, rng.next_u64() as u8);
            }
            4 => {
                let (a, b) = (place(rng), place(rng));
                let run = bytes[a.min(b)..a.max(b)].to_vec();
                let at = place(rng);
                bytes.splice(at..at, run);
            }
            5 => {
                let (a, b) = (place(rng), place(rng));
                bytes.drain(a.min(b)..a.max(b).min(a.min(b) + 40));
            }
            6 => {
                let word = WORDS[rng.below(WORDS.len() as u64) as usize];
                let at = place(rng);
                bytes.splice(at..at, format!(" {word} ").into_bytes());
            }
            _ => {
                // A whole field becomes extreme.
                let value: u64 = [0, 1, u64::MAX, 1 << 40, 1 << 31, 0x7fff_ffff_ffff_ffff][rng.below(6) as usize];
                let at = place(rng);
                let end = (at + 8).min(length);
                bytes[at..end].copy_from_slice(&value.to_le_bytes()[..end - at]);
            }
        }
    }
    bytes
}

fn sample(kind: u8, symmetrise: bool) -> Graph {
    let options = BuildOptions { symmetrise, ..Default::default() };
    // A ring through all vertices, and chords.
    let pairs = (0..40u32).map(|i| (i % 23, if i < 23 { (i + 1) % 23 } else { (i * 7 + 3) % 23 }));
    let graph = match kind {
        0 => build(EdgeList::from_pairs(23, pairs.collect()), &options),
        1 => build(EdgeList::from_triples(23, pairs.map(|(s, t)| (s, t, s as i32 - 9))), &options),
        _ => build(EdgeList::from_triples(23, pairs.map(|(s, t)| (s, t, t as f32 * 0.3))), &options),
    };
    graph.unwrap()
}

/// Reads and, where the outcome is small, builds and validates. True when the file was accepted.
fn survive(path: &std::path::Path, format: Format) -> bool {
    let options = ReadOptions { format: Some(format), ..Default::default() };
    match read(path, &options, &Silent).map(|loaded| loaded.content) {
        Ok(Content::Edges(file)) => {
            if file.edges.vertices() < BUILT_BELOW {
                let graph = build_any(file.edges, &BuildOptions::default()).unwrap();
                validate(&graph).unwrap();
            }
            true
        }
        Ok(Content::Graph(graph)) => {
            validate(&graph).unwrap();
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

#[test]
fn damaged_files_of_every_format_are_survived() {
    let inputs: usize = gw_testing::usually(1000, 100_000);
    let folder = Folder::new();
    let mut total = 0;
    for format in Format::ALL {
        let mut rng = Rng::new(2024, format as u64);
        let mut seeds = Vec::new();
        for (kind, symmetrise) in [(0, false), (0, true), (1, false), (1, true), (2, false)] {
            let graph = sample(kind, symmetrise);
            for compression in ["", ".gz", ".zst"] {
                if can_hold(format, &graph) {
                    let path = folder.path(&file_name(format, compression));
                    write_file(&graph, &path).unwrap();
                    seeds.push((path.clone(), std::fs::read(&path).unwrap()));
                }
            }
        }
        if format == Format::Parquet {
            seeds.push((folder.path("a.parquet"), include_bytes!("data/follows.parquet").to_vec()));
        }
        if format == Format::AStar {
            let mut bytes = 0x1508_42A7u32.to_le_bytes().to_vec();
            bytes.extend(3u32.to_le_bytes());
            for target in [1u32, 2, 0] {
                bytes.extend([7; 16]);
                bytes.extend(1u32.to_le_bytes());
                bytes.extend(target.to_le_bytes());
                bytes.extend(1e-4f64.to_le_bytes());
            }
            seeds.push((folder.path("a.bin"), bytes));
        }
        assert!(!seeds.is_empty(), "{format}");
        let mut accepted = 0;
        for i in 0..inputs {
            // Plain files are the interesting ones: compression hides most changes behind its checksum.
            let plain = (i % 4 != 0).then(|| seeds.iter().filter(|(path, _)| !is_packed(path)).count());
            let (path, good) = match plain {
                Some(count) => seeds.iter().filter(|(path, _)| !is_packed(path)).nth(i % count).unwrap(),
                None => &seeds[i / 4 % seeds.len()],
            };
            let bytes = mutated(good, &mut rng);
            std::fs::write(path, &bytes).unwrap();
            match catch_unwind(AssertUnwindSafe(|| survive(path, format))) {
                Ok(fine) => accepted += usize::from(fine),
                Err(_) => panic!("{format}: input {i} broke the reader: {:?}", bytes.escape_ascii().to_string()),
            }
            let largest = LARGEST.load(Ordering::Relaxed);
            assert!(largest < HUGE, "{format}: input {i} allocated {largest} bytes: {}", bytes.escape_ascii());
        }
        println!("{format}: {inputs} damaged inputs, {accepted} still readable, the rest refused");
        total += inputs;
    }
    println!("{total} inputs tried; largest allocation {} bytes", LARGEST.load(Ordering::Relaxed));
}

fn is_packed(path: &std::path::Path) -> bool {
    matches!(path.extension().and_then(|e| e.to_str()), Some("gz" | "zst"))
}
