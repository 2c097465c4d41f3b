//! A store after ends at any byte: every batch that was acknowledged is there, none by half.

use std::path::Path;

use gw_dynamic::{Batch, DynamicGraph, EdgeWeight, Ends, Place, Store};

/// Batch `k` of a stream: inserts, deletes, and a vertex more.
fn batch(k: u32) -> Batch<i32> {
    let mut batch = Batch::new();
    for i in 0..20 {
        batch.insert((k * 7 + i) % (10 + k), (k * 3 + i * i) % (10 + k), (k + i) as i32);
        batch.delete((k + i * 5) % (10 + k), (i * k) % (10 + k));
    }
    batch
}

fn vertices(k: u32) -> usize {
    10 + k as usize
}

/// How far the source was read with batch `k`.
fn place(k: u32) -> Place {
    Place { changes: u64::from(k) * 40, hash: u64::from(k) << 40 }
}

fn apply(graph: &mut DynamicGraph<i32>, k: u32) {
    graph.grow(vertices(k)).unwrap();
    graph.apply(&batch(k)).unwrap();
}

/// The graph after batches `1..=last`.
fn after(last: u32, ends: Ends) -> DynamicGraph<i32> {
    let mut graph = DynamicGraph::new(10, ends).unwrap();
    (1..=last).for_each(|k| apply(&mut graph, k));
    graph
}

fn same<W: EdgeWeight>(a: &DynamicGraph<W>, b: &DynamicGraph<W>) -> bool {
    a.vertices() == b.vertices() && a.snapshot().to_graph().unwrap() == b.snapshot().to_graph().unwrap()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn a_log_cut_at_any_byte_gives_the_batches_before() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    for ends in [Ends::Directed, Ends::DirectedBoth, Ends::Undirected] {
        let _ = std::fs::remove_dir_all(&whole);
        let mut graph = after(0, ends);
        let mut store = Store::create(&whole, &graph).unwrap();
        let log = whole.join("log-2");
        let mut lengths = Vec::new();
        for k in 1..=5 {
            store.append(vertices(k), &batch(k), place(k)).unwrap();
            apply(&mut graph, k);
            if k == 2 {
                store.checkpoint(&graph).unwrap();
            }
            if k >= 2 {
                lengths.push(std::fs::metadata(&log).unwrap().len());
            }
        }
        drop(store);
        let bytes = std::fs::read(&log).unwrap();
        let step = if gw_testing::is_nightly() { 1 } else { 97 };
        for end in (lengths[0]..=bytes.len() as u64).step_by(step).chain(lengths.iter().copied()) {
            let _ = std::fs::remove_dir_all(&cut);
            copy(&whole, &cut);
            std::fs::write(cut.join("log-2"), &bytes[..end as usize]).unwrap();
            let batches = lengths.iter().filter(|&&length| length <= end).count() as u32 - 1;
            let mut found = Store::open::<i32>(&cut).unwrap();
            assert_eq!((found.store.last(), found.batches), (u64::from(2 + batches), batches.into()), "{end} bytes");
            assert_eq!(found.torn, end - lengths[batches as usize]);
            assert!(same(&found.graph, &after(2 + batches, ends)), "{end} bytes");
            // The next batch follows the last whole one.
            let next = 3 + batches;
            found.store.append(vertices(next), &batch(next), place(next)).unwrap();
            drop(found);
            let again = Store::open::<i32>(&cut).unwrap();
            assert_eq!((again.torn, again.store.place()), (0, place(next)));
            assert!(same(&again.graph, &after(next, ends)));
        }
    }
}

#[test]
fn a_checkpoint_that_was_not_finished_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::create(folder.path(), &after(0, Ends::Directed)).unwrap();
    for k in 1..=3 {
        store.append(vertices(k), &batch(k), place(k)).unwrap();
    }
    drop(store);
    // The file of the graph is there, its log is not.
    gw_graph::format::write(
        &after(3, Ends::Directed).snapshot().to_graph().unwrap(),
        &folder.path().join("checkpoint-3.gwg"),
        &Default::default(),
        &gw_graph::progress::Silent,
    )
    .unwrap();
    let found = Store::open::<i32>(folder.path()).unwrap();
    assert_eq!((found.batches, found.store.last()), (3, 3));
    assert!(same(&found.graph, &after(3, Ends::Directed)));
    assert!(!folder.path().join("checkpoint-3.gwg").exists(), "what is of no use is removed");
}

#[test]
fn what_cannot_be_opened_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let said = |path: &Path| Store::open::<i32>(path).err().unwrap().to_string();
    assert!(said(&at("nothing")).starts_with("cannot lock"));
    std::fs::create_dir(at("empty")).unwrap();
    assert!(said(&at("empty")).ends_with("holds no graph"));
    let store = Store::create(&at("store"), &after(0, Ends::Directed)).unwrap();
    assert!(said(&at("store")).contains("is in use by another process"));
    let mut store = store;
    let bad = store.append(10, Batch::new().insert(3, 10, 1), place(1)).unwrap_err().to_string();
    assert!(bad.starts_with("change 1 of the batch names vertex 10"), "{bad}");
    assert_eq!(store.last(), 0, "a batch that cannot be applied is not kept");
    drop(store);
    let twice = Store::create(&at("store"), &after(0, Ends::Directed)).err().unwrap().to_string();
    assert!(twice.ends_with("holds a graph already: open it, or name another folder"));
    let kind = Store::open::<f32>(&at("store")).err().unwrap().to_string();
    assert_eq!(kind, "the graph has integer weights, where real weights are wanted");
    std::fs::write(at("store").join("log-0"), b"gw-log 1 something else entirely").unwrap();
    assert!(said(&at("store")).contains("has a damaged file"));
}

/// Four acknowledged batches: a bit that flips in one of the first three is no torn end, and nothing is cut off.
#[test]
fn a_damaged_batch_with_whole_ones_behind_it_is_no_torn_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::create(folder.path(), &after(0, Ends::Directed)).unwrap();
    let log = folder.path().join("log-0");
    let mut ends = Vec::new();
    for k in 1..=4 {
        store.append(vertices(k), &batch(k), place(k)).unwrap();
        ends.push(std::fs::metadata(&log).unwrap().len() as usize);
    }
    drop(store);
    let whole = std::fs::read(&log).unwrap();
    for byte in (30..ends[2]).step_by(41) {
        let mut damaged = whole.clone();
        damaged[byte] ^= 16;
        std::fs::write(&log, &damaged).unwrap();
        let said = Store::open::<i32>(folder.path()).err().unwrap().to_string();
        assert!(said.contains("has a damaged batch at byte"), "byte {byte}: {said}");
        assert_eq!(std::fs::read(&log).unwrap(), damaged, "nothing is changed");
    }
    std::fs::write(&log, &whole).unwrap();
    assert!(same(&Store::open::<i32>(folder.path()).unwrap().graph, &after(4, Ends::Directed)));
}

/// A process that is killed while it makes a store leaves a log without batches and no checkpoint: no store.
#[test]
fn a_store_that_was_not_made_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let (half, at) = (folder.path().join("half"), |name: &str| folder.path().join("half").join(name));
    let graph = after(0, Ends::Undirected);
    drop(Store::create(&half, &graph).unwrap());
    std::fs::remove_file(at("checkpoint-0.gwg")).unwrap();
    std::fs::write(at(".checkpoint-0.gwg.gw-Ab12Cd.partial"), "half of a graph").unwrap();
    assert!(!Store::is_at(&half) && !Store::complete(&half, Ends::Directed).unwrap());
    // Another command may make another store of it.
    let mut store = Store::create(&half, &after(0, Ends::Directed)).unwrap();
    store.append(vertices(1), &batch(1), place(1)).unwrap();
    drop(store);
    assert!(!at(".checkpoint-0.gwg.gw-Ab12Cd.partial").exists());
    let found = Store::open::<i32>(&half).unwrap();
    assert_eq!((found.store.last(), found.graph.ends()), (1, Ends::Directed));
    drop(found);
    // A log with a batch is no store that was not made, but one that lost its graph.
    std::fs::remove_file(at("checkpoint-0.gwg")).unwrap();
    let said = Store::create(&half, &graph).err().unwrap().to_string();
    assert!(said.ends_with("log-0, but not its other half: name another folder"), "{said}");
}

/// Earlier versions wrote the graph of a new store first. What a kill left of that is a store without batches.
#[test]
fn a_store_of_an_earlier_version_that_was_not_made_is_completed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for ends in [Ends::Directed, Ends::Undirected] {
        let _ = std::fs::remove_dir_all(at("half"));
        drop(Store::create(&at("half"), &after(3, ends)).unwrap());
        std::fs::remove_file(at("half/log-0")).unwrap();
        assert!(!Store::is_at(&at("half")));
        assert!(Store::complete(&at("half"), ends).unwrap());
        assert!(!Store::complete(&at("half"), ends).unwrap(), "nothing is left to complete");
        let found = Store::open::<i32>(&at("half")).unwrap();
        assert_eq!((found.store.last(), found.graph.ends()), (0, ends));
        assert!(same(&found.graph, &after(3, ends)));
    }
    std::fs::remove_file(at("half/log-0")).unwrap();
    // Without its lock it was never a store; with another checkpoint it was one for longer.
    std::fs::copy(at("half/checkpoint-0.gwg"), at("half/checkpoint-7.gwg")).unwrap();
    assert!(!Store::complete(&at("half"), Ends::Undirected).unwrap());
    std::fs::remove_file(at("half/checkpoint-7.gwg")).unwrap();
    std::fs::remove_file(at("half/lock")).unwrap();
    assert!(!Store::complete(&at("half"), Ends::Undirected).unwrap());
    std::fs::write(at("half/lock"), "").unwrap();
    drop(Store::create(&at("directed"), &after(3, Ends::Directed)).unwrap());
    std::fs::remove_file(at("directed/log-0")).unwrap();
    let said = Store::complete(&at("directed"), Ends::Undirected).unwrap_err().to_string();
    assert!(said.ends_with("was begun with a directed graph, not with an undirected one"), "{said}");
}

/// A bit that flips in the last batch, whose end is there: it was written whole once, and no one calls it cut off.
#[test]
fn a_damaged_last_batch_is_not_called_torn() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::create(folder.path(), &after(0, Ends::Directed)).unwrap();
    let log = folder.path().join("log-0");
    store.append(vertices(1), &batch(1), place(1)).unwrap();
    let first = std::fs::metadata(&log).unwrap().len();
    store.append(vertices(2), &batch(2), place(2)).unwrap();
    drop(store);
    let whole = std::fs::read(&log).unwrap();
    let last = whole.len() as u64 - first;
    for byte in (first as usize..whole.len()).step_by(7).chain([first as usize + 3]) {
        let mut damaged = whole.clone();
        damaged[byte] ^= 4;
        std::fs::write(&log, &damaged).unwrap();
        let found = Store::open::<i32>(folder.path()).unwrap();
        assert_eq!((found.torn, found.damaged, found.batches), (0, last, 1), "byte {byte}");
        assert!(same(&found.graph, &after(1, Ends::Directed)));
    }
    std::fs::write(&log, &whole[..whole.len() - 1]).unwrap();
    let found = Store::open::<i32>(folder.path()).unwrap();
    assert_eq!((found.torn, found.damaged, found.batches), (last - 1, 0, 1));
}

/// A folder with files of the same names, or a store that lost its log, is not written over.
#[test]
fn files_that_are_there_are_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("log-20240101"), "of somebody else").unwrap();
    let said = Store::create(folder.path(), &after(0, Ends::Directed)).err().unwrap().to_string();
    assert!(said.ends_with("log-20240101, but not its other half: name another folder"), "{said}");
    assert_eq!(std::fs::read(folder.path().join("log-20240101")).unwrap(), b"of somebody else");
}

/// Ids of the vertices after batch `k`.
fn names(k: u32) -> std::sync::Arc<gw_graph::Names> {
    let texts: Vec<String> = (0..vertices(k)).map(|v| format!("id {}", v * v)).collect();
    std::sync::Arc::new(gw_graph::Names::from_texts(texts.iter().map(String::as_str)))
}

/// Ids are there with the batch that brought them, whatever the log is cut at, and with the next checkpoint.
#[test]
fn ids_are_kept_with_their_batches() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    let mut graph = after(0, Ends::Directed);
    graph.name(names(0)).unwrap();
    let mut store = Store::create(&whole, &graph).unwrap();
    let mut lengths = Vec::new();
    for k in 1..=4 {
        store.append_with_ids(&names(k), &batch(k), place(k)).unwrap();
        graph.name(names(k)).unwrap();
        graph.apply(&batch(k)).unwrap();
        if k == 2 {
            store.checkpoint(&graph).unwrap();
        }
        if k >= 2 {
            lengths.push(std::fs::metadata(whole.join("log-2")).unwrap().len());
        }
    }
    let refused = store.append(vertices(5), &batch(5), place(5)).unwrap_err().to_string();
    assert!(refused.contains("holds a graph with ids"), "{refused}");
    drop(store);
    let bytes = std::fs::read(whole.join("log-2")).unwrap();
    for length in lengths[0] as usize..=bytes.len() {
        let _ = std::fs::remove_dir_all(&cut);
        copy(&whole, &cut);
        std::fs::write(cut.join("log-2"), &bytes[..length]).unwrap();
        let last = 1 + lengths.iter().filter(|&&end| end <= length as u64).count() as u32;
        let found = Store::open::<i32>(&cut).unwrap();
        assert_eq!(found.store.last(), u64::from(last), "{length} bytes");
        assert_eq!(found.graph.names(), Some(&names(last)), "{length} bytes");
        assert!(same(&found.graph, &after(last, Ends::Directed)));
    }
    let mut found = Store::open::<i32>(&cut).unwrap();
    found.store.append_with_ids(&names(5), &batch(5), place(5)).unwrap();
    drop(found);
    assert_eq!(Store::open::<i32>(&cut).unwrap().graph.names(), Some(&names(5)), "ids go on behind those of the log");
    std::fs::remove_file(cut.join("ids-2")).unwrap();
    let error = Store::open::<i32>(&cut).map(drop).unwrap_err().to_string();
    assert!(error.contains("ids-2"), "{error}");
}
