//! Sheets are read back as they were written, wrong ones are refused in words, and the committed ones can be drawn.
//!
//! Drawing needs Chromium: `chromium` on the path, or named in `GW_CHROMIUM`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gw_meter::{MeterError, Sheet, Target, sheet_page, sheet_text};

/// The sheets that come along.
fn committed() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/sheets");
    let mut files: Vec<PathBuf> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files
}

#[test]
fn committed_sheets_are_read_and_written_back_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let sheets = committed();
    assert!(sheets.len() >= 2, "{sheets:?}");
    for path in sheets {
        let sheet = Sheet::load(&path).unwrap();
        let copy = folder.path().join("deep/copy.json");
        sheet.save(&copy).unwrap();
        assert_eq!(Sheet::load_for(&copy, sheet.target).unwrap(), sheet);
        assert_eq!(std::fs::read_to_string(&copy).unwrap(), std::fs::read_to_string(&path).unwrap());
        let text = sheet_text(&sheet);
        assert!(text.contains(&sheet.machine) && text.lines().count() > 15, "{text}");
    }
}

#[test]
fn service_times_fall_with_parallelism() {
    for path in committed() {
        let sheet = Sheet::load(&path).unwrap();
        if let Some(cpu) = &sheet.cpu {
            for level in &cpu.levels {
                assert!(level.seconds_per_access.at(8.0) < level.seconds_per_access.at(1.0), "{}", level.name);
            }
            let latency = |name| cpu.level(name).unwrap().seconds_per_access.at(1.0);
            assert!(latency("L1") < latency("L2") && latency("L2") < latency("DRAM"));
        }
        if let Some(gpu) = &sheet.gpu {
            for curve in [&gpu.l2_hit_s, &gpu.dram_sequential_s, &gpu.dram_random_s] {
                assert!(curve.at(4096.0) < curve.at(1.0) / 1000.0, "{curve:?}");
            }
            assert!(gpu.l2_hit_s.least() < gpu.dram_sequential_s.least());
            assert!(gpu.dram_sequential_s.least() < gpu.dram_random_s.least());
            assert!(gpu.atomic("add u32", "spread L2") > gpu.atomic("add u32", "spread DRAM"));
            assert!(gpu.dynamic("coalescence").is_some_and(|knob| knob.points.len() == 6));
        }
    }
}

#[test]
fn what_is_wrong_with_a_sheet_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = |text: &str| {
        let path = folder.path().join("sheet.json");
        std::fs::write(&path, text).unwrap();
        path
    };
    let missing = Sheet::load(&folder.path().join("none.json")).unwrap_err();
    assert!(missing.to_string().contains("none.json"), "{missing}");
    for (text, parts) in [
        ("", &["no sheet of `gw meter`", "line 1"][..]),
        ("{\"version\": 1}", &["missing field `target`"]),
        ("{\"version\": 7, \"target\": \"cuda\"}", &["version 7", "reads version 1", "gw meter --target cuda"]),
        (
            "{\"version\": 1, \"machine\": \"x\", \"target\": \"cpu\", \"measured\": \"\", \"cpu\": null, \"gpu\": null}",
            &["must have the part `cpu`"],
        ),
    ] {
        let error = Sheet::load(&file(text)).unwrap_err().to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{text}: {error}");
    }
    let cpu = committed().into_iter().find(|path| Sheet::load(path).unwrap().target == Target::Cpu).unwrap();
    let error = Sheet::load_for(&cpu, Target::Cuda).unwrap_err();
    assert!(matches!(error, MeterError::WrongTarget { .. }));
    assert!(error.to_string().contains("gw meter --target cuda"), "{error}");
}

#[test]
fn names_stay_texts_and_nothing_comes_from_elsewhere() {
    for path in committed() {
        let mut sheet = Sheet::load(&path).unwrap();
        sheet.machine = "<script>alert(1)</script>".to_string();
        let page = sheet_page(&sheet);
        assert!(!page.contains("<script") && page.contains("&lt;script&gt;"));
        assert!(
            !page.contains(" src=") && !page.contains("@import") && !page.contains("url(") && !page.contains("NaN")
        );
    }
}

/// Notes, on the title of the page, the texts of drawings that reach out of their drawing or lie on one another.
const LOOK_AT_TEXTS: &str = "<script>\
    const faults = [];\
    for (const svg of document.querySelectorAll('svg')) {\
      const frame = svg.getBoundingClientRect();\
      const texts = [...svg.querySelectorAll('text')].map(node => [node.textContent, node.getBoundingClientRect()]);\
      for (const [text, box] of texts) {\
        if (box.right > frame.right + 1 || box.left < frame.left - 1 || box.bottom > frame.bottom + 1 || box.top < frame.top - 1) {\
          faults.push('clipped: ' + text);\
        }\
      }\
      texts.forEach(([name, a], i) => texts.slice(i + 1).forEach(([other, b]) => {\
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);\
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);\
        if (wide > 1 && high > 4) faults.push('overlapping: ' + name + ' and ' + other);\
      }));\
    }\
    const charts = document.querySelectorAll('svg').length;\
    document.querySelector('h1').dataset.seen = charts + ' charts, ' + faults.length + ' faults ' + faults.slice(0, 5).join(', ');\
    </script></body>";

#[test]
fn a_browser_draws_the_pages() {
    let named = std::env::var("GW_CHROMIUM").ok();
    let mut known = named.into_iter().chain(["chromium", "chromium-browser", "google-chrome"].map(str::to_string));
    let starts = |name: &String| {
        let asked = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    };
    let Some(browser) = known.find(starts) else {
        return gw_testing::left_out("Chromium", "neither GW_CHROMIUM nor the path names one that starts");
    };
    let folder = tempfile::tempdir().unwrap();
    for path in committed() {
        let sheet = Sheet::load(&path).unwrap();
        let page = folder.path().join("page.html");
        std::fs::write(&page, sheet_page(&sheet).replace("</body>", LOOK_AT_TEXTS)).unwrap();
        let output = Command::new(&browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .args(["--window-size=1200,2400", "--dump-dom"])
            .arg(format!("file://{}", page.display()))
            .output()
            .unwrap();
        let document = String::from_utf8_lossy(&output.stdout);
        let charts = if sheet.target == Target::Cpu { 2 } else { 3 };
        let seen = format!("data-seen=\"{charts} charts, 0 faults");
        let told = document.split_once("data-seen=").map(|(_, rest)| rest.chars().take(300).collect::<String>());
        assert!(document.contains(&seen), "{}: {told:?}", path.display());
    }
}

/// Numbers that no machine has would be computed with: they are refused with their name.
#[test]
fn sheets_with_impossible_numbers_are_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/sheets");
    let read = |name: &str| -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(folder.join(name)).unwrap()).unwrap()
    };
    let refused = |name: &str, pointer: &str, value: serde_json::Value, word: &str| {
        let mut sheet = read(name);
        *sheet.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value;
        let error = Sheet::parse(&sheet.to_string(), Path::new("bad.json")).unwrap_err().to_string();
        assert!(error.contains("bad.json") && error.contains(word) && error.contains("gw meter"), "{error}");
    };
    let cpu = "xeon-2cores.json";
    refused(cpu, "/cpu/caches/0/bytes", (1u64 << 40).into(), "the cache of level 1 has 1099511627776 bytes");
    refused(cpu, "/cpu/caches/0/bytes", 0.into(), "has 0 bytes");
    refused(cpu, "/cpu/cycle_ns/median", (-0.4).into(), "cycle_ns is -0.4");
    refused(cpu, "/cpu/cores", 0.into(), "cores is 0");
    refused(cpu, "/cpu/levels/3/read_bytes_per_second/points/0/y/median", 0.into(), "read_bytes_per_second of DRAM");
    refused(cpu, "/cpu/levels", serde_json::json!([]), "no level of the name DRAM");
    refused("h200.json", "/gpu/l2_bytes", u64::MAX.into(), "l2_bytes has");
    refused("h200.json", "/gpu/multiprocessors", 0.into(), "multiprocessors is 0");
    refused("h200.json", "/gpu/l2_hit_s/points/1/y/median", (-1e-9).into(), "l2_hit_s at");
}

/// Others may read a sheet as they may read other new files.
#[cfg(unix)]
#[test]
fn a_sheet_has_the_rights_of_other_new_files() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (sheet, other) = (folder.path().join("sheet.json"), folder.path().join("other"));
    Sheet::load(&committed()[0]).unwrap().save(&sheet).unwrap();
    std::fs::write(&other, "").unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&sheet), mode(&other));
}
