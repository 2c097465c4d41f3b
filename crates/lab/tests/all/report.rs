//! The report of a made-up lab, drawn by a browser: the elements that a reader looks at are there, and filters act on
//! them.
//!
//! Needs Chromium: `chromium` on the path, or named in `GW_CHROMIUM`.

use std::path::Path;
use std::process::{Command, Stdio};

use gw_lab::{
    Comparing, Comparison, Implementation, ReportData, ReportModel, StepTable, StepTimes, TableGraph, Variant,
    render_report, report_tables, worth_a_look,
};
use gw_schedule::{Feature, StepSizes};

const GRAPHS: usize = 12;
const ROOTS: usize = 3;
const CLASSES: [&str; 3] = ["road", "web", "social"];
const IMPLEMENTATIONS: [&str; 5] = ["edge-list", "vertex-push", "vertex-pull", "push-warp", "never-measured"];
/// The last one of a road graph: a name that wants out.
const WICKED: &str = "</script><script>document.title='owned'</script>{{script}}&amp;";

/// Twelve graphs in three classes and two datasets; pull is best on large frontiers, push on small ones.
fn table(platform: &str) -> StepTable {
    let implementation = |(id, name): (usize, &&str)| Implementation {
        id: id as i64,
        name: name.to_string(),
        schedule: format!("schedule of {name}"),
        target: "cpu".to_string(),
        is_core: true,
    };
    let graph = |id: usize| TableGraph {
        id: id as i64,
        name: if id == 9 { WICKED.to_string() } else { format!("graph-{id}") },
        dataset: if id < 6 { "found" } else { "generated" }.to_string(),
        class: CLASSES[id % 3].to_string(),
        vertices: 1 << (8 + id),
        edges: 1 << (11 + id),
    };
    let graphs: Vec<TableGraph> = (0..GRAPHS).map(graph).collect();
    let variant = |place: usize| {
        let graph = place / ROOTS;
        let count = if CLASSES[graph % 3] == "road" { 90 } else { 6 };
        let mut sizes = StepSizes::first(graphs[graph].vertices, graphs[graph].edges);
        let mut steps = Vec::new();
        for step in 0..count {
            let share = 0.5 - (step as f64 / count as f64 - 0.5).abs();
            sizes.frontier = 1 + (share * graphs[graph].vertices as f64) as u64;
            sizes.frontier_edges = 8 * sizes.frontier;
            let mut features = [0.0; Feature::COUNT];
            sizes.fill(&mut features);
            let (all, ahead) = (graphs[graph].edges as f64, sizes.frontier_edges as f64);
            let seconds = vec![
                1e-6 + 1e-9 * all,
                1e-6 + 4e-9 * ahead * (1.0 + place as f64 / 7.0),
                2e-6 + 5e-10 * all,
                1.5e-6 + 2e-9 * ahead,
                f64::NAN,
            ];
            steps.push(StepTimes { features, seconds });
            sizes = sizes.next();
        }
        let config = format!("root {}", place % ROOTS);
        Variant { id: place as i64, graph, config, totals: vec![f64::NAN; IMPLEMENTATIONS.len()], steps }
    };
    StepTable {
        program: "bfs".to_string(),
        platform: platform.to_string(),
        implementations: IMPLEMENTATIONS.iter().enumerate().map(implementation).collect(),
        variants: (0..GRAPHS * ROOTS).map(variant).collect(),
        graphs,
        ..StepTable::default()
    }
}

fn data() -> ReportData {
    let model = ReportModel {
        name: "small tree".to_string(),
        algorithm: "bfs".to_string(),
        platform: "here".to_string(),
        tree: "(frontier-share<=0.1?(iteration<=2?0:{0,1}):(edges<=100000?1!:2))".parse().unwrap(),
        candidates: ["push-warp", "vertex-push", "vertex-pull"].map(str::to_string).to_vec(),
        importance: vec![("frontier-share".into(), 0.7), ("iteration".into(), 0.2), ("edges".into(), 0.1)],
        unseen: Some(vec!["graph-1".to_string(), "graph-2".to_string()]),
    };
    ReportData {
        title: "A made-up lab".to_string(),
        created: "2026-01-31T23:59:59Z".to_string(),
        tables: vec![table("here")],
        models: vec![model],
        notes: vec!["Older runs are not shown.".to_string()],
    }
}

/// The browser, if there is one.
#[track_caller]
fn chromium() -> Option<String> {
    let named = std::env::var("GW_CHROMIUM").ok();
    let known = named.into_iter().chain(["chromium", "chromium-browser", "google-chrome"].map(str::to_string));
    let found = known.into_iter().find(|name| {
        let asked = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    });
    if found.is_none() {
        gw_testing::left_out("Chromium", "neither GW_CHROMIUM nor the path names one that starts");
    }
    found
}

/// The document after the script has run on the page with this state in its address.
fn drawn(browser: &str, page: &Path, state: &str, profile: &Path) -> String {
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--virtual-time-budget=5000"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(["--window-size=1400,2400", "--dump-dom"])
        .arg(format!("file://{}#{state}", page.display()))
        .output()
        .unwrap();
    let document = String::from_utf8(output.stdout).unwrap();
    assert!(document.contains("id=\"views\""), "{}", String::from_utf8_lossy(&output.stderr));
    // The sources of the page are part of it: only what was drawn is of interest.
    let (body, _) = document.split_once("<script type=\"application/json\"").unwrap();
    body.split_once("<header").unwrap().1.to_string()
}

fn count(document: &str, part: &str) -> usize {
    document.matches(part).count()
}

/// The text of the cells of the row of a name in the comparison.
fn row(document: &str, name: &str) -> Vec<String> {
    let (_, row) = document.split_once(&format!("data-name=\"{name}\"")).unwrap_or_else(|| panic!("no row {name}"));
    let (row, _) = row.split_once("</tr>").unwrap();
    row.split("<td class=\"number\">").skip(1).map(|cell| cell.split('<').next().unwrap().to_string()).collect()
}

/// Whether the page shows this ratio; what it computes with is rounded.
fn shows(text: &str, ratio: f64) -> bool {
    let number: f64 = text.trim_end_matches('×').replace(',', "").parse().unwrap();
    (number / ratio - 1.0).abs() < 0.006
}

#[test]
fn a_browser_draws_the_report() {
    let Some(browser) = chromium() else { return };
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report.html");
    let data = data();
    std::fs::write(&page, render_report(&data).unwrap()).unwrap();
    let draw = |state: &str| drawn(&browser, &page, state, &folder.path().join("profile"));

    let whole = draw("");
    // Columns of the heat map: four that were measured, the model, and the best non-switching.
    assert_eq!(count(&whole, "class=\"cell hot\""), GRAPHS * 6);
    assert_eq!(count(&whole, "class=\"bar hot\""), GRAPHS * 6);
    assert_eq!(count(&whole, "class=\"box\""), 6);
    assert_eq!(count(&whole, "class=\"curve\""), 6);
    assert_eq!(count(&whole, "class=\"bar importance\""), 3);
    assert_eq!(count(&whole, "class=\"node\""), 3);
    assert_eq!((count(&whole, "class=\"leaf\""), count(&whole, "class=\"leaf weak\"")), (3, 1));
    // The first variant is of a road: 90 steps in 60 bars.
    assert_eq!(count(&whole, "class=\"bar step\""), 60 * 6);
    assert_eq!(count(&whole, "class=\"frontier\""), 2);
    assert!(whole.contains("Neighbouring steps are summed up"));
    assert!(whole.contains("Not measured, so not shown: never-measured."));
    assert!(whole.contains("Older runs are not shown."));
    assert!(!whole.contains("class=\"empty\""));

    // The figures of the page are those of the library.
    let comparison = Comparison::of(&data.tables[0], &Comparing::default());
    for name in ["Best Non-switching", "edge-list", "vertex-push", "vertex-pull", "push-warp"] {
        let expected = comparison.row(name).unwrap();
        let shown = row(&whole, name);
        let ratios = [(0, expected.total), (1, expected.avg), (2, expected.geometric_mean), (6, expected.worst)];
        assert!(ratios.iter().all(|&(column, ratio)| shows(&shown[column], ratio)), "{shown:?} {expected:?}");
        let percents = [expected.within_2, expected.over_5, expected.over_20].map(|share| format!("{share:.0} %"));
        assert_eq!(shown[3..6], percents, "{name}");
    }
    let all: Vec<usize> = (0..GRAPHS * ROOTS).collect();
    for found in worth_a_look(&data.tables[0], &all).iter().filter(|found| found.what.contains("skewness")) {
        let variant = &data.tables[0].variants[found.variant];
        let name = format!("{} · {}", data.tables[0].graphs[variant.graph].name, variant.config);
        let (_, line) = whole.split_once(&format!("<td>{}</td>", found.what)).unwrap();
        assert!(line.split("</tr>").next().unwrap().contains(&name), "{}: {name}", found.what);
    }

    // Names stay texts.
    assert!(whole.contains("&lt;/script&gt;&lt;script&gt;"), "the wicked graph is named");
    assert!(!std::fs::read_to_string(&page).unwrap().contains("<script>document.title"));

    // Filters act on all views.
    let road = draw("class=road&theme=dark");
    assert_eq!(count(&road, "class=\"cell hot\""), 4 * 6);
    assert_eq!(count(&road, "class=\"bar hot\""), 4 * 6);
    assert!(road.contains("<b>4</b> of 12 graphs") && road.contains("<b>12</b> of 36 variants"));
    assert_ne!(row(&road, "vertex-pull"), row(&whole, "vertex-pull"));
    let both = draw("class=road%0Aweb&dataset=found&steps=optimum&bars=optimum");
    assert!(both.contains("<b>4</b> of 12 graphs"));
    let large = draw("min=1000000&implementation=vertex");
    assert!(large.contains("<b>3</b> of 12 graphs"));
    assert_eq!(count(&large, "class=\"cell hot\""), 3 * 3);
    assert!(draw("unseen=small%20tree").contains("<b>2</b> of 12 graphs"));
    assert!(draw("variant=graph-1%20%C2%B7%20root%202").contains("graph-1: web, "));

    assert_eq!(count(&draw("steps=heat&variant=graph-1%20%C2%B7%20root%202"), "class=\"step-cell\""), 6 * 6);

    // Nothing left: every view says so.
    assert_eq!(count(&draw("graph=nowhere"), "No variant is left under these filters."), 8);
    std::fs::write(&page, render_report(&ReportData::default()).unwrap()).unwrap();
    assert_eq!(count(&draw(""), "There are no measurements in this report."), 8);
}

/// Notes, on the header, the texts of drawings that reach out of their drawing or lie on one another.
const LOOK_AT_TEXTS: &str = "<script>\
    const faults = [];\
    for (const svg of document.querySelectorAll('svg')) {\
      const frame = svg.getBoundingClientRect();\
      const texts = [...svg.querySelectorAll('text')].map(node => ({ node, box: node.getBoundingClientRect() }));\
      for (const { node, box } of texts) {\
        if (box.right > frame.right + 1 || box.left < frame.left - 1 || box.bottom > frame.bottom + 1 || box.top < frame.top - 1) {\
          faults.push('clipped: ' + node.textContent);\
        }\
      }\
      const level = texts.filter(({ node }) => !node.hasAttribute('transform'));\
      level.forEach((a, i) => level.slice(i + 1).forEach(b => {\
        const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);\
        const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);\
        if (wide > 1 && high > 4) faults.push('overlapping: ' + a.node.textContent + ' and ' + b.node.textContent);\
      }));\
    }\
    document.querySelector('header').dataset.faults = faults.length + ' ' + faults.slice(0, 5).join(', ');\
    </script></body>";

#[test]
fn texts_of_drawings_are_whole_and_apart() {
    let Some(browser) = chromium() else { return };
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report.html");
    let mut data = data();
    let long = "a-name-of-an-implementation-or-graph-that-is-long";
    data.tables[0].implementations[1].name = format!("{long}-b");
    data.tables[0].graphs[3].name = long.to_string();
    data.tables[0].graphs[3].class = "uniform-random".to_string();
    let text = render_report(&data).unwrap();
    assert!(text.contains("</body>"));
    std::fs::write(&page, text.replace("</body>", LOOK_AT_TEXTS)).unwrap();
    // A variant of few steps, whose drawing is narrow; one of many, summed up; all of them as a heat map.
    for state in
        ["variant=graph-1+%C2%B7+root+0", "variant=graph-0+%C2%B7+root+0", "steps=heat", "steps=optimum&bars=optimum"]
    {
        let document = drawn(&browser, &page, state, &folder.path().join("profile"));
        let (_, faults) = document.split_once("data-faults=\"").expect("the texts were looked at");
        assert!(faults.starts_with("0 "), "{state}: {}", faults.split('"').next().unwrap_or(faults));
    }
}

#[test]
fn nothing_scrolls_on_paper() {
    let page = render_report(&data()).unwrap();
    let (_, print) = page.split_once("@media print {").unwrap();
    let (print, _) = print.split_once("\n}").unwrap();
    assert!(print.contains(".scroll, .tall { overflow: visible !important; max-height: none !important; }"), "{print}");
}

#[test]
fn thousands_of_variants_stay_small() {
    let mut big = table("here");
    let more: Vec<Variant> = (0..100).flat_map(|_| big.variants.clone()).collect();
    big.variants = more;
    assert_eq!(big.variants.len(), 3_600);
    let page = render_report(&ReportData { tables: vec![big], ..ReportData::default() }).unwrap();
    assert!(page.len() < 4_000_000, "{} bytes", page.len());
    assert!(page.contains("variants are in this page, to keep it small."));
}

#[test]
fn tables_for_a_terminal() {
    let mut data = data();
    data.tables.push(table("elsewhere"));
    let tables = report_tables(&data);
    let titles: Vec<&str> = tables.iter().map(|(title, _)| title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "bfs on here: comparison over 36 variants",
            "bfs on here: variants worth a look",
            "bfs on here: what model small tree looks at",
            "bfs on elsewhere: comparison over 36 variants",
            "bfs on elsewhere: variants worth a look",
        ]
    );
    let names = |sheet: &gw_lab::Sheet| {
        sheet.to_csv().lines().map(|line| line.split(',').next().unwrap().to_string()).collect::<Vec<_>>()
    };
    assert!(names(&tables[0].1).contains(&"small tree".to_string()));
    assert!(names(&tables[3].1).contains(&"small tree (of here)".to_string()));
    assert!(!names(&tables[0].1).contains(&"never-measured".to_string()));
    assert_eq!(names(&tables[2].1), ["Feature", "frontier-share", "iteration", "edges"]);
    assert_eq!(tables[1].1.rows.len(), 8 + 2 * 4);
}
