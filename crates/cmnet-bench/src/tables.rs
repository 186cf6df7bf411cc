//! Mode `blanket` against mode `paper` on the real tables.

use crate::usage::Meter;
use anyhow::Result;
use cmnet::{LearnOptions, Learned, Nats, ReadOptions, SearchMode, Select, Source, learn, read_csv};
use cmnet_paper::experiment::real_tables;
use std::path::Path;

pub(crate) fn run(folder: &str) -> Result<()> {
    println!(
        "{:<26} {:<8} {:>14} {:>14} {:>9} {:>9} {:>9}",
        "table", "kappa", "paper", "blanket", "below %", "paper s", "blanket s"
    );
    for name in real_tables() {
        let path = Path::new(folder).join(format!("{name}.csv"));
        if !path.exists() {
            println!("{name:<26} absent: not bundled, give a folder that has it");
            continue;
        }
        let data = read_csv(&Source::from_argument(&path), &ReadOptions::default())?.data;
        let by = |search| -> Result<(Learned, f64)> {
            let options = LearnOptions { search, select: Select::None, ..LearnOptions::default() };
            let meter = Meter::start();
            Ok((learn(&data, &options, &())?, meter.wall()))
        };
        let ((paper, paper_time), (blanket, blanket_time)) =
            (by(SearchMode::Paper)?, by(SearchMode::Blanket)?);
        for (one, other) in paper.models.iter().zip(&blanket.models) {
            let total = |model: &cmnet::LearnedModel| model.score.total().map_or(f64::NAN, Nats::to_f64);
            let below = 100.0 * (total(one) - total(other)) / total(one).abs();
            println!(
                "{name:<26} {:<8} {:>14.4} {:>14.4} {below:>9.4} {paper_time:>9.3} {blanket_time:>9.3}",
                one.prior.kappa().to_string(),
                total(one),
                total(other)
            );
        }
    }
    Ok(())
}
