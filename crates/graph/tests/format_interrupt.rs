//! Ctrl-C in the middle of writing: the handler removes what is half written and the old file stays.
//!
//! Alone in its file, because the list of files being written belongs to the whole process.

mod format_support;

use format_support::Folder;
use gw_graph::format::{WriteOptions, write};
use gw_graph::partial_file::remove_partial_files;
use gw_graph::progress::Progress;
use gw_graph::{EdgeList, build};
use std::sync::Mutex;

/// Interrupts as soon as something was written, and notes which files were there.
struct Interrupt<'a> {
    folder: &'a Folder,
    seen: Mutex<Vec<String>>,
}

impl Progress for Interrupt<'_> {
    fn begin(&self, _: &str, _: Option<u64>) {}
    fn advance(&self, units: u64) {
        if units > 0 {
            self.seen.lock().unwrap().extend(self.folder.names());
            remove_partial_files();
        }
    }
}

#[test]
fn an_interrupted_write_leaves_the_old_file_and_nothing_else() {
    let folder = Folder::new();
    let path = folder.file("a.el", "old");
    let graph = build(EdgeList::from_pairs(3, vec![(0, 1), (1, 2)]), &Default::default()).unwrap();
    let interrupt = Interrupt { folder: &folder, seen: Mutex::default() };
    let error = write(&graph, &path, &WriteOptions::default(), &interrupt).unwrap_err();
    assert!(folder.message(&error).starts_with("cannot write a.el: "), "{error}");
    let seen = interrupt.seen.into_inner().unwrap();
    assert!(seen.iter().any(|name| name.starts_with(".a.el.") && name.ends_with(".partial")), "{seen:?}");
    assert_eq!(folder.names(), ["a.el"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
}
