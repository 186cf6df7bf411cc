//! Calibration of posterior probabilities on known structures, for several powers of the pseudo-likelihood.

use crate::calibration::Calibration;
use crate::known::known;
use anyhow::Result;
use cmnet::{ContextElement, PosteriorOptions, Structure, difference, structure_posterior};
use std::collections::{BTreeMap, BTreeSet};

/// How much is drawn, and how.
pub(crate) struct Amount<'a> {
    pub(crate) variables: usize,
    pub(crate) rows: usize,
    pub(crate) tables: usize,
    /// The first table.
    pub(crate) first: usize,
    pub(crate) kappa: &'a str,
    pub(crate) exponents: &'a [String],
}

/// Probabilities of what is true or not.
#[derive(Default)]
struct Judged {
    calibration: Calibration,
    log_score: f64,
    brier: f64,
    /// The sum of the probabilities below 0.1, how many are true of these, and how many there are.
    low: (f64, u64, u64),
    all: u64,
}

impl Judged {
    fn add(&mut self, probability: f64, is_true: bool, draws: usize) {
        let truth = f64::from(u8::from(is_true));
        self.calibration.add(probability, is_true);
        self.brier += (probability - truth).powi(2);
        // So many draws do not tell a smaller probability from none.
        let least = 0.5 / draws as f64;
        let said = if is_true { probability } else { 1.0 - probability };
        self.log_score += libm::log(said.clamp(least, 1.0));
        if probability < 0.1 {
            self.low = (self.low.0 + probability, self.low.1 + u64::from(is_true), self.low.2 + 1);
        }
        self.all += 1;
    }

    fn print(&self, what: &str) {
        let all = self.all.max(1) as f64;
        let (sum, is_true, low) = self.low;
        println!(
            "  {what}: {} in all, log score {:.4}, Brier score {:.4}; below 0.1: mean {:.4}, true {:.4} of {low}",
            self.all,
            self.log_score / all,
            self.brier / all,
            sum / low.max(1) as f64,
            is_true as f64 / low.max(1) as f64,
        );
        self.calibration.print(what);
    }
}

/// Draws structures of some tables of one kind for each exponent, and prints scores and calibration: of all pairs,
/// and of all elements that are true or were drawn.
pub(crate) fn run(kind: &str, amount: &Amount<'_>) -> Result<()> {
    let &Amount { variables, rows, tables, first, kappa, exponents } = amount;
    for exponent in exponents {
        let (mut edges, mut elements, mut unmixed) = (Judged::default(), Judged::default(), 0);
        for seed in first as u64..(first + tables) as u64 {
            let truth = known(kind, variables, rows, seed)?;
            let options = PosteriorOptions {
                kappa: kappa.parse()?,
                exponent: exponent.parse()?,
                threads: 1,
                ..PosteriorOptions::default()
            };
            let found = structure_posterior(&truth.data, &options, &())?;
            unmixed += u64::from(!found.is_mixed());
            let draws = found.draws();
            let met: BTreeMap<_, f64> =
                found.edges.iter().map(|known| (known.edge, known.chance.share)).collect();
            for pair in truth.structure.graph().pairs() {
                let chance = met.get(&pair).copied().unwrap_or(0.0);
                edges.add(chance, truth.structure.graph().contains(pair), draws);
            }
            let empty = Structure::empty(truth.structure.cardinalities());
            let mut missed: BTreeSet<ContextElement> =
                difference(&truth.structure, &empty)?.elements[0].iter().cloned().collect();
            for known in &found.elements {
                let named = ContextElement { edge: known.edge, given: known.given.clone() };
                elements.add(known.chance.share, missed.remove(&named), draws);
            }
            for _ in 0..missed.len() {
                elements.add(0.0, true, draws);
            }
        }
        let last = first + tables - 1;
        println!(
            "{kind}, {variables} variables, {rows} rows, tables {first} to {last}, kappa {kappa}, exponent {exponent}; {unmixed} not mixed"
        );
        edges.print("edges");
        elements.print("elements");
    }
    Ok(())
}
