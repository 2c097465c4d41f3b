//! Quality metric against measured speed over the variants of three primitives on an H200: the tables of
//! `bench/claims-criteria.md`.

#[path = "../tests/h200/samples.rs"]
mod samples;

use gw_criteria::fit::{Judgement, Sample, fit, judge, leave_one_out};
use gw_criteria::rank::spearman;
use gw_criteria::{Criterion, Form, Weights};

fn main() {
    let variants = samples::variants(Form::Corrected);
    let samples: Vec<Sample> = variants.iter().map(|v| v.sample.clone()).collect();
    let (published, fitted) = (Weights::published(), fit(&samples));
    let symbols: Vec<&str> = Criterion::ALL.iter().map(|c| c.symbol()).collect();
    println!("| primitive | variant | ms | QM | QM refitted | roof | {} |", symbols.join(" | "));
    println!("|{}", "---|".repeat(17));
    for variant in &variants {
        let Sample { primitive, criteria, speed } = &variant.sample;
        let quality = |weights| criteria.quality(weights).unwrap_or(0.0);
        let values: Vec<String> =
            Criterion::ALL.iter().map(|c| criteria[*c].map_or("-".into(), |v| format!("{v:.2}"))).collect();
        println!(
            "| {primitive} | {} | {:.3} | {:.2} | {:.2} | {:.2} | {} |",
            variant.name,
            1.0 / speed,
            quality(&published),
            quality(&fitted),
            variant.roof,
            values.join(" | ")
        );
    }
    println!();
    let show = |name: &str, judged: Judgement| {
        let each: Vec<String> = judged
            .primitives
            .iter()
            .map(|(name, value)| format!("{name} {}", value.map_or("-".into(), |v| format!("{v:.2}"))))
            .collect();
        let pooled = judged.pooled.unwrap_or(0.0);
        println!("{name}: {}; mean {:.2}, pooled {pooled:.2}", each.join(", "), judged.mean);
    };
    show("published weights", judge(&samples, &published));
    show("weights fitted to all", judge(&samples, &fitted));
    show("weights fitted to the other two primitives", leave_one_out(&samples));
    let printed: Vec<Sample> = samples::variants(Form::Printed).into_iter().map(|v| v.sample).collect();
    show("published weights, printed formulas", judge(&printed, &published));
    let names = ["reduction", "scan", "transpose"];
    let roofs = names.map(|name| {
        let of: Vec<_> = variants.iter().filter(|v| v.sample.primitive == name).collect();
        let (roof, speed): (Vec<f64>, Vec<f64>) = of.iter().map(|v| (v.roof, v.sample.speed)).unzip();
        format!("{name} {:.2}", spearman(&roof, &speed).unwrap_or(0.0))
    });
    println!("share of the nearer roof instead of quality: {}", roofs.join(", "));
    let weights: Vec<String> = Criterion::ALL.iter().map(|c| format!("{} {:.0}", c.symbol(), fitted[*c])).collect();
    println!("fitted weights: {}", weights.join(", "));
}
