//! Quality metric against measured speed over the load balancers of the CUDA machine on an H200: the table of
//! `bench/claims-criteria.md`. The criteria are software criteria, counted without a profiler.

#[path = "../tests/h200/mappings.rs"]
mod mappings;

use gw_criteria::fit::{Judgement, Sample, fit, judge, leave_one_out};
use gw_criteria::rank::spearman;
use gw_criteria::{Criterion, Weights};

fn main() {
    let all = mappings::mappings();
    let samples: Vec<Sample> = all.iter().map(|m| m.sample.clone()).collect();
    let mut shapes: Vec<&str> = samples.iter().map(|s| s.primitive.as_str()).collect();
    shapes.dedup();
    println!("| orders by | {} | mean |", shapes.join(" | "));
    println!("|{}", "---|".repeat(shapes.len() + 2));
    let line = |name: &str, values: Vec<Option<f64>>| {
        let known: Vec<f64> = values.iter().flatten().copied().collect();
        let cells: Vec<String> = values.iter().map(|v| v.map_or("-".into(), |v| format!("{v:.2}"))).collect();
        println!("| {name} | {} | {:.2} |", cells.join(" | "), known.iter().sum::<f64>() / known.len().max(1) as f64);
    };
    let judged = |judgement: Judgement| judgement.primitives.into_iter().map(|(_, value)| value).collect();
    let fitted = fit(&samples);
    line("QM, published weights", judged(judge(&samples, &Weights::published())));
    line("QM, refitted to all shapes", judged(judge(&samples, &fitted)));
    line("QM, refitted to the other six shapes", judged(leave_one_out(&samples)));
    let by = |value: &dyn Fn(&mappings::Mapping) -> f64| {
        shapes
            .iter()
            .map(|shape| {
                let of: Vec<_> = all.iter().filter(|m| m.sample.primitive == *shape).collect();
                let (a, b): (Vec<f64>, Vec<f64>) = of.iter().map(|m| (value(m), m.sample.speed)).unzip();
                spearman(&a, &b)
            })
            .collect::<Vec<_>>()
    };
    let used = [Criterion::Divergence, Criterion::WarpBalance, Criterion::ProcessorBalance, Criterion::GranularityL2];
    for criterion in used {
        let name = format!("{} alone", criterion.symbol());
        line(&name, by(&|m| m.sample.criteria[criterion].unwrap_or(0.0)));
    }
    line("no QM: counted time of the busiest multiprocessor", by(&|m| -m.longest));
    let weights: Vec<String> = used.iter().map(|c| format!("{} {:.0}", c.symbol(), fitted[*c])).collect();
    println!("\nrefitted weights: {}", weights.join(", "));
    // What it costs to take the load balancer that a number likes best.
    let choose = |name: &str, value: &dyn Fn(&mappings::Mapping) -> f64| {
        let chosen = shapes.iter().map(|shape| {
            let of = || all.iter().filter(|m| m.sample.primitive == *shape);
            let fastest = of().map(|m| m.sample.speed).fold(0.0, f64::max);
            let liked = of().max_by(|a, b| value(a).total_cmp(&value(b)));
            liked.map_or(String::new(), |m| format!("{shape} {} {:.2}", m.name, fastest / m.sample.speed))
        });
        println!(
            "time by the best time, of the load balancer that {name} likes best: {}",
            chosen.collect::<Vec<_>>().join("; ")
        );
    };
    choose("QM", &|m| m.sample.criteria.quality(&Weights::published()).unwrap_or(0.0));
    choose("the counted time", &|m| -m.longest);
}
