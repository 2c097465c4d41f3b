//! Traces in files: what is read, what is left out, and what is refused. Files survive mutation.

use std::path::PathBuf;

use gw_mine::{InMemory, ReadOptions, Source, Templates, load, mine, open};
use proptest::prelude::*;

fn written(folder: &tempfile::TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn read(name: &str, text: &str, options: &ReadOptions) -> Result<InMemory, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = written(&folder, name, text.as_bytes());
    let shown = |error: gw_mine::MineError| error.to_string().replace(&folder.path().display().to_string(), "");
    load(&mut *open(&path, options).map_err(shown)?).map_err(shown)
}

fn refused(name: &str, text: &str) -> String {
    read(name, text, &ReadOptions::default()).unwrap_err()
}

const CSV: &str = "ready,count,\"load\",name,late\n1,0,0.5,a,true\n0,1,1.5,b,false\n1,2,2.5,c,false\n";

const VCD: &str = "$date today $end\n$timescale 1ns $end\n$scope module top $end\n$var wire 1 ! clk $end\n\
    $var wire 8 \" data [7:0] $end\n$scope module inner $end\n$var reg 1 # go $end\n$upscope $end\n$var real 64 % level $end\n\
    $upscope $end\n$enddefinitions $end\n$dumpvars\n0!\nb0 \"\n0#\nr0.5 %\n$end\n#0\n#5\n1!\nb101 \"\n#10\n0!\n1#\n#15\n1!\nbx \"\n\
    #20\n0!\nb11 \"\n#25\n1!\n";

#[test]
fn columns_of_a_table_have_kinds() {
    let source = read("a.csv", CSV, &ReadOptions::default()).unwrap();
    assert_eq!(source.variables().booleans, ["ready", "late"]);
    assert_eq!(source.variables().numbers, ["count", "load"]);
    assert_eq!(source.notes(), ["column `name` is left out: line 2 has no number there"]);
    let trace = source.trace();
    assert_eq!(trace.instants, 3);
    assert_eq!([0, 1, 2].map(|at| trace.boolean(0, at)), [true, false, true]);
    assert_eq!([0, 1, 2].map(|at| trace.numbers.get(1, at)), [0.5, 1.5, 2.5]);
    // The same with tabulators, and with other ends of lines.
    for (name, text) in [("a.tsv", CSV.replace(',', "\t")), ("a.csv", CSV.replace('\n', "\r\n"))] {
        assert_eq!(read(name, &text, &ReadOptions::default()).unwrap().trace(), trace);
    }
}

#[test]
fn long_tables_are_read_in_parts() {
    let rows: String = (0..10_000).map(|i| format!("{},{},{}\n", i, 2 * i, i % 2)).collect();
    let text = format!("a,b,c\n{rows}");
    let whole = read("a.csv", &text, &ReadOptions::default()).unwrap();
    let parts = read("a.csv", &text, &ReadOptions { part: 64, ..ReadOptions::default() }).unwrap();
    assert_eq!(whole.trace(), parts.trace());
    assert_eq!((whole.trace().instants, whole.trace().numbers.get(1, 9999)), (10_000, 19_998.0));
    let folder = tempfile::tempdir().unwrap();
    let path = written(&folder, "a.csv", text.as_bytes());
    let mut streamed = open(&path, &ReadOptions { part: 640, ..ReadOptions::default() }).unwrap();
    let texts = |source: &mut dyn Source| {
        let found = mine(source, &Templates::second()).unwrap();
        found.invariants.iter().map(|i| i.text(&found.variables)).collect::<Vec<_>>()
    };
    let streamed = texts(&mut *streamed);
    assert_eq!(streamed, texts(&mut whole.clone()));
    assert!(streamed.contains(&"b = 2 * a".to_string()));
}

#[test]
fn mistakes_in_tables_are_told_with_their_line() {
    assert!(refused("a.csv", "").contains("the file is empty"));
    assert!(refused("a.csv", "1,2\n3,4\n").contains("a.csv:1: only numbers stand in the first line"));
    assert!(refused("a.csv", "a,b\n1,2\n3\n").contains("a.csv:3: 1 values stand here, 2 are expected"));
    assert!(refused("a.csv", "a,b\n1,2,3\n").contains("a.csv:2: 3 values stand here"));
    assert!(refused("a.csv", "a,a\n1,2\n").contains("two columns are named `a`"));
    assert!(refused("a.csv", "a,\n1,2\n").contains("column 2 has no name"));
    assert!(refused("a.csv", "a,b\nx,y\n").contains("no column can be mined: column `a` is left out: line 2"));
    assert!(
        refused("a.csv", "a,b\n").contains("no column can be mined: column `a` is left out: no lines follow the names")
    );
    assert!(refused("a.txt", "a").contains("named .csv, .tsv, .vcd or .parquet"));
    let clock = ReadOptions { clock: Some("clk".into()), ..ReadOptions::default() };
    assert!(read("a.csv", CSV, &clock).unwrap_err().contains("only a VCD has clocks"));
}

#[test]
fn dumps_have_an_instant_per_time_or_edge() {
    let source = read("a.vcd", VCD, &ReadOptions::default()).unwrap();
    assert_eq!(source.variables().booleans, ["clk", "inner.go"]);
    assert_eq!(source.variables().numbers, ["data", "level"]);
    let data = |source: &InMemory| {
        (0..source.trace().instants).map(|at| source.trace().numbers.get(0, at)).collect::<Vec<_>>()
    };
    // Times 0, 5, 10, 20 and 25; at 15 the data are unknown.
    assert_eq!(data(&source), [0.0, 5.0, 5.0, 3.0, 3.0]);
    assert_eq!(source.notes().len(), 1);
    let clock = ReadOptions { clock: Some("clk".into()), ..ReadOptions::default() };
    assert_eq!(data(&read("a.vcd", VCD, &clock).unwrap()), [5.0, 3.0]);
    let wrong = ReadOptions { clock: Some("tick".into()), ..ReadOptions::default() };
    assert!(read("a.vcd", VCD, &wrong).unwrap_err().contains("no variable of one bit is named `tick`; some are clk"));
}

#[test]
fn parts_of_a_signal_are_told_apart() {
    let declared = |variables: &str, values: &str| {
        let text = format!("$scope module top $end\n{variables}\n$upscope $end\n$enddefinitions $end\n#0\n{values}\n");
        read("a.vcd", &text, &ReadOptions::default())
    };
    let bits = "$var wire 1 ! a [0] $end\n$var wire 1 \" a[1] $end\n$var wire 8 # w [7:0] $end";
    let source = declared(bits, "0!\n1\"\nb101 #").unwrap();
    assert_eq!(source.variables().booleans, ["a[0]", "a[1]"]);
    assert_eq!(source.variables().numbers, ["w"]);
    assert_eq!([0, 1].map(|at| source.trace().boolean(at, 0)), [false, true]);
    let halves = "$var wire 4 ! a [7:4] $end\n$var wire 4 \" a [3:0] $end\n$var wire 2 # a [9:8] $end";
    let source = declared(halves, "b1 !\nb10 \"\nb11 #").unwrap();
    assert_eq!(source.variables().numbers, ["a[7:4]", "a[3:0]", "a[9:8]"]);
    assert_eq!([0, 1, 2].map(|at| source.trace().numbers.get(at, 0)), [1.0, 2.0, 3.0]);
    let source = declared("$var wire 1 ! a $end\n$var reg 1 ! a $end", "1!").unwrap();
    assert_eq!(source.variables().booleans, ["a"]);
    let twice = declared("$var wire 1 ! a $end\n$var wire 1 # a $end", "1!\n1#").unwrap_err();
    assert!(twice.contains("a.vcd:3: `a` is declared twice, with different codes"), "{twice}");
}

#[test]
fn mistakes_in_dumps_are_told_with_their_line() {
    assert!(refused("a.vcd", "").contains("ends before $enddefinitions"));
    assert!(refused("a.vcd", "hello").contains("a.vcd:1: `hello` stands where a declaration"));
    assert!(refused("a.vcd", "$enddefinitions $end\n").contains("no variable is declared"));
    assert!(refused("a.vcd", &VCD.replace("b101 \"", "b121 \"")).contains("a.vcd:21: `b121` is no value"));
    assert!(refused("a.vcd", &VCD.replace("b101 \"", "b101 &")).contains("no variable is declared with the code `&`"));
    assert!(refused("a.vcd", &VCD.replace("#10", "#ten")).contains("`#ten` is no time"));
    assert!(refused("a.vcd", &VCD.replace("r0.5 %", "")).contains("some variable is unknown at all of them"));
    let wide = VCD.replace("wire 8", "wire 64");
    let source = read("a.vcd", &wide, &ReadOptions::default()).unwrap();
    assert!(source.notes()[0].contains("`data` is left out: 64 bits"), "{:?}", source.notes());
}

/// Dumps of integers are two's complement; several outermost scopes tell variables apart.
#[test]
fn integers_have_a_sign_and_scopes_tell_variables_apart() {
    let text = "$scope module tb $end\n$var integer 32 ! i $end\n$var integer 8 % small $end\n\
        $var reg 32 # r [31:0] $end\n$upscope $end\n$enddefinitions $end\n\
        #0\nb11111111111111111111111111111110 !\nb11111111111111111111111111111110 #\nb0111 %\n\
        #1\nb111 !\nb111 #\nb10000000 %\n";
    let source = read("a.vcd", text, &ReadOptions::default()).unwrap();
    let values = |column: usize| [0, 1].map(|at| source.trace().numbers.get(column, at));
    assert_eq!(source.variables().numbers, ["i", "small", "r"]);
    assert_eq!([values(0), values(1), values(2)], [[-2.0, 7.0], [7.0, -128.0], [4_294_967_294.0, 7.0]]);
    let long = refused("a.vcd", &text.replace("b0111 %", "b101111111 %"));
    assert!(long.contains("a.vcd:10: `101111111` has more bits than `small`, which has 8"), "{long}");

    let two = "$scope module tb $end\n$var wire 1 ! clk $end\n$scope module in $end\n$var wire 4 % a $end\n$upscope $end\n\
        $upscope $end\n$scope module glbl $end\n$var wire 1 # clk $end\n$upscope $end\n$enddefinitions $end\n\
        #0\n0!\n1#\nb0 %\n#1\n1!\n0#\nb1 %\n";
    let source = read("a.vcd", two, &ReadOptions::default()).unwrap();
    assert_eq!(source.variables().booleans, ["tb.clk", "glbl.clk"]);
    assert_eq!(source.variables().numbers, ["tb.in.a"]);
    assert_eq!([0, 1].map(|column| source.trace().boolean(column, 0)), [false, true]);
}

/// An empty line would shift all instants behind it, and a rounded number compares as another one.
#[test]
fn empty_lines_and_rounded_numbers_are_told() {
    assert!(refused("a.csv", "a\n1\n\n5\n").contains("a.csv:3: this line is empty, and a line is an instant"));
    assert!(refused("a.csv", "a,b\n1,2\n   \r\n3,4\n").contains("a.csv:3: this line is empty"));
    let ended = read("a.csv", "a,b\n1,2\n3,4\n\n \r\n\n", &ReadOptions::default()).unwrap();
    assert_eq!((ended.trace().instants, ended.notes().len()), (2, 0));
    // Dividers alone are cells without values.
    assert!(refused("a.tsv", "a\tb\n1\t2\n\t\n5\t7\n").contains("line 3 has no number there"));
    let rounded = "a,b,c\n1,2,0.1\n9007199254740993,9007199254740994,1e300\n";
    let source = read("a.csv", rounded, &ReadOptions::default()).unwrap();
    let note = "column `a` is rounded to 64-bit floats: line 3 has a whole number beyond 2^53 that is none";
    assert_eq!(source.notes(), [note]);
    let long = format!("a\n1\n-1{}1\n", "0".repeat(60));
    assert_eq!(read("a.csv", &long, &ReadOptions::default()).unwrap().notes().len(), 1);
}

#[test]
fn quotation_marks_hold_dividers() {
    let text = "\"a,1\",b,\"say \"\"hi\"\"\"\n1,\"x, \"\"y\"\", z\",3\n4,5\" pipe,\"6\"\n";
    let source = read("a.csv", text, &ReadOptions::default()).unwrap();
    assert_eq!(source.variables().numbers, ["a,1", "say \"hi\""]);
    assert_eq!([0, 1].map(|at| source.trace().numbers.get(1, at)), [3.0, 6.0]);
    assert!(refused("a.csv", "a,b\n1,\"x\n2,3\n").contains("a.csv:2: a quotation mark is opened here and not closed"));
}

/// Parts are measured in bytes: many columns have few instants in a part.
#[test]
fn wide_tables_have_short_parts() {
    let names: Vec<String> = (0..100).map(|v| format!("c{v}")).collect();
    let rows: String = (0..1000).map(|i| vec![(i + 2).to_string(); 100].join(",") + "\n").collect();
    let folder = tempfile::tempdir().unwrap();
    let path = written(&folder, "a.csv", format!("{}\n{rows}", names.join(",")).as_bytes());
    let options = ReadOptions { part_bytes: 8 * 100 * 200, ..ReadOptions::default() };
    let mut source = open(&path, &options).unwrap();
    source.rewind().unwrap();
    let mut parts = Vec::new();
    while let Some(part) = source.next().unwrap() {
        parts.push(part.instants);
    }
    assert_eq!(parts, [192, 192, 192, 192, 192, 40]);
}

/// A text with some bytes replaced, removed or repeated.
fn mutated(text: &'static str) -> impl Strategy<Value = Vec<u8>> {
    let edit = (0..text.len(), 0..3_u8, prop::sample::select(b"01 \n\t#$,.xbr\"!-e\xff".to_vec()));
    prop::collection::vec(edit, 0..10).prop_map(move |edits| {
        let mut bytes = text.as_bytes().to_vec();
        for (at, kind, byte) in edits {
            let at = at % bytes.len().max(1);
            match kind {
                0 if at < bytes.len() => bytes[at] = byte,
                1 if at < bytes.len() => drop(bytes.remove(at)),
                _ => bytes.insert(at.min(bytes.len()), byte),
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(gw_testing::usually(200, 20_000)))]

    #[test]
    fn files_survive_mutation(csv in mutated(CSV), vcd in mutated(VCD)) {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in [("a.csv", &csv), ("a.vcd", &vcd)] {
            let path = written(&folder, name, bytes);
            match open(&path, &ReadOptions::default()) {
                Ok(mut source) => drop(mine(&mut *source, &Templates::second())),
                Err(error) => prop_assert!(error.to_string().len() > 20, "{error}"),
            }
        }
    }
}
