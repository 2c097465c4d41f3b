//! Inputs without a natural end: unpacking stops where the header says, devices are refused, pipes may go on forever.

use std::path::Path;

use gw_graph::GraphError;
use gw_graph::format::{Format, ReadOptions, read};
use gw_graph::progress::Silent;

use crate::format_support::{Folder, load_file, write_file};

fn small() -> gw_graph::Graph {
    gw_graph::build(gw_graph::EdgeList::from_pairs(5, vec![(0, 1), (1, 2), (3, 4)]), &Default::default()).unwrap()
}

/// A graph file followed by zeros, packed.
fn with_zeros(folder: &Folder, name: &str, zeros: usize) -> Vec<u8> {
    let path = folder.path(name);
    write_file(&small(), &path).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.resize(bytes.len() + zeros, 0);
    zstd::encode_all(&bytes[..], 1).unwrap()
}

#[test]
fn unpacking_stops_at_the_size_in_the_header() {
    let folder = Folder::new();
    for name in ["g.sg", "g.gwg"] {
        let packed = with_zeros(&folder, name, 64 << 20);
        assert!(packed.len() < 1 << 16, "the file is small");
        let message = folder.refusal(&format!("{name}.zst"), &packed);
        assert!(message.ends_with("but the file holds more"), "{message}");
    }
}

#[test]
fn one_byte_too_many_is_noticed_and_none_too_many_is_fine() {
    let folder = Folder::new();
    for name in ["g.sg", "g.gwg"] {
        let message = folder.refusal(&format!("{name}.zst"), with_zeros(&folder, name, 1));
        assert!(message.ends_with("but the file holds more"), "{message}");
        assert!(folder.load(&format!("{name}.zst"), with_zeros(&folder, name, 0)).unwrap() == small());
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_of_a_binary_format_is_left_behind_its_end() {
    use std::io::Write;
    let folder = Folder::new();
    let path = folder.path("good.sg");
    write_file(&small(), &path).unwrap();
    let good = std::fs::read(&path).unwrap();
    let pipe = folder.path("endless.sg");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let writer = {
        let pipe = pipe.clone();
        std::thread::spawn(move || {
            let mut pipe = std::fs::File::options().write(true).open(pipe).unwrap();
            pipe.write_all(&good).unwrap();
            // Ends when the reader has gone.
            while pipe.write_all(&[0; 1 << 16]).is_ok() {}
        })
    };
    let message = folder.message(&load_file(&pipe).unwrap_err());
    assert!(message.ends_with("but the file holds more"), "{message}");
    writer.join().unwrap();
}

#[cfg(unix)]
#[test]
fn devices_are_no_graphs() {
    for format in [Format::El, Format::Sg, Format::Gwg, Format::Adj] {
        let options = ReadOptions { format: Some(format), ..Default::default() };
        let error = read(Path::new("/dev/zero"), &options, &Silent).unwrap_err();
        assert!(matches!(error, GraphError::File { .. }), "{error}");
        assert_eq!(error.to_string(), "/dev/zero: is a device, not a graph: give a file or a pipe");
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_graph() {
    let folder = Folder::new();
    let texts = [
        ("a.el", "0 1\n1 2\n"),
        ("a.wel", "0 1 5\n1 2 6\n"),
        ("a.txt", "# a comment\n7 8\n8 9\n"),
        ("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n"),
        ("a.gr", "p sp 3 2\na 1 2 5\na 2 3 6\n"),
        ("a.graph", "3 2\n2\n1 3\n2\n"),
        ("out.a", "% asym positive\n1 2\n2 3\n"),
        ("a.adj", "AdjacencyGraph\n3\n2\n0\n1\n2\n1\n2\n"),
    ];
    for (name, text) in texts {
        let plain = folder.load(name, text).unwrap();
        let marked = folder.load(name, format!("\u{feff}{text}")).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(plain == marked, "{name}");
    }
    // Lines are counted as before.
    let message = folder.refusal("b.el", "\u{feff}0 1\n1 x\n");
    assert!(message.starts_with("b.el:2: "), "{message}");
    // A name that tells nothing: the content does.
    let marked = format!("\u{feff}{}", texts[3].1);
    assert_eq!(folder.load("matrix", marked).unwrap().edges(), 2);
}
