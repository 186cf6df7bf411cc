//! Coverage of intervals: how often the interval of 95 % has the true number in it, on tables
//! drawn from distributions that are known.

use crate::confirm::log_odds_ratio;
use crate::known::known;
use anyhow::Result;
use cmnet::{
    CountSource, Evidence, ExactOptions, Fit, FitMethod, FitOptions, Network, Precision, Quantity, RowCounts,
    fit,
};
use cmnet_paper::generate::Known;

/// Intervals that hold the true number, all of them, and numbers without one.
#[derive(Default)]
struct Coverage {
    holds: u64,
    all: u64,
    open: u64,
}

impl Coverage {
    fn add(&mut self, known: Quantity, truth: f64) {
        match known.interval {
            None => self.open += 1,
            Some([low, high]) => {
                self.all += 1;
                self.holds += u64::from(low <= truth && truth <= high);
            }
        }
    }

    fn print(&self, what: &str) {
        let share = self.holds as f64 / self.all.max(1) as f64;
        println!("  {what:<16} {share:.4} of {:>6} intervals, {} open", self.all, self.open);
    }
}

/// Fits the true structures of some tables, and counts.
pub(crate) fn run(kind: &str, variables: usize, rows: usize, (tables, pseudo): (usize, bool)) -> Result<()> {
    let mut counted: [Coverage; 4] = std::array::from_fn(|_| Coverage::default());
    for seed in 1..=tables as u64 {
        let truth = known(kind, variables, rows, seed)?;
        let method = if pseudo { FitMethod::Pseudo } else { FitMethod::Exact };
        let fitted = fit(&truth.structure, &truth.data, &FitOptions { method, ..FitOptions::default() })?;
        count(&truth, &fitted, &mut counted)?;
    }
    let how = if pseudo { "pseudo-likelihood" } else { "likelihood" };
    println!("{kind}, {variables} variables, {rows} rows, {tables} tables, maximum {how}");
    let names = ["terms", "log odds ratios", "probabilities", "strengths"];
    names.iter().zip(&counted).for_each(|(name, counted)| counted.print(name));
    Ok(())
}

fn count(truth: &Known, fitted: &Fit, counted: &mut [Coverage; 4]) -> Result<()> {
    let Known { structure, parameters, data } = truth;
    let counts = RowCounts::new(data);
    let source: &dyn CountSource = &counts;
    let precision = Precision::new(structure, fitted, Some(source), &())?;
    for (term, known) in precision.terms(&())? {
        counted[0].add(known, parameters.value(&term));
    }
    for edge in structure.graph().edges() {
        let common = structure.graph().common_neighbors(edge);
        for effect in precision.effects(edge, &())?.iter().filter(|effect| !effect.cut) {
            let given = effect.given.iter().copied().collect();
            for pair in &effect.pairs {
                let exact = log_odds_ratio(parameters, &common, edge, pair.levels, &given);
                counted[1].add(pair.log_odds_ratio, exact);
            }
        }
    }
    let whole = parameters.clone().normalized(structure.graph(), 1 << 28)?;
    let network = Network::new(data.schema(), structure, whole)?;
    let mut evidence = Evidence::none();
    evidence.observe(data.schema(), structure.variables() - 1, 1)?;
    for target in 0..structure.variables() - 1 {
        let exact = network.query().evidence(evidence.clone()).target(data.schema().name(target))?.run()?;
        let known = precision.probabilities(target, &evidence, &())?;
        known.iter().zip(&exact.marginals[0].1).for_each(|(known, &exact)| counted[2].add(*known, exact));
    }
    let strengths = network.explain(&Evidence::none(), &ExactOptions::default())?.edges;
    for exact in strengths.iter().filter(|exact| exact.given_all) {
        if let (Some(known), Some(exact)) = (precision.strength(exact.edge, &())?, exact.information) {
            counted[3].add(known, exact);
        }
    }
    Ok(())
}
