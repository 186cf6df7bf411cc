//! How the prior of a refinement was chosen, and the rule by which a table decides whether its
//! refined structure is kept.

use crate::accuracy::table;
use crate::known::known;
use crate::usage::Meter;
use anyhow::{Context, Result};
use cmnet::{
    Dataset, EdgePrior, EdgeRules, ErrorKind, Fit, FitMethod, FitOptions, FoldPlan, Folds, Kappa,
    LearnOptions, Outcome, PlaneCounts, RefineOptions, SearchMode, Select, Structure, conditional_bic,
    evaluate, fit, learn, refine,
};
use cmnet_paper::generate::recovery;
use std::path::Path;

/// Gamma of the search and gamma of the refinement.
const PRIORS: [(&str, &str); 6] =
    [("0", "0.5"), ("0", "0.75"), ("0", "1"), ("0.5", "0.5"), ("0.75", "0.75"), ("1", "1")];

/// Parts of which each is held out in turn.
const PARTS: usize = 5;
/// Rows from which on one part alone is held out.
const MANY_ROWS: u64 = 4000;

/// Edge F1 of known structures before and after a refinement by several priors.
pub(crate) fn priors(kind: &str, (variables, rows): (usize, usize), seeds: &str) -> Result<()> {
    println!(
        "kind\td\tn\tseed\tsearch gamma\trefine gamma\tF1 before\tF1 after\tsearch CPU s\trefine CPU s\tlimited"
    );
    for seed in seeds.split(',') {
        let truth = known(kind, variables, rows, seed.parse()?)?;
        for (search, gamma) in PRIORS {
            let pair = Pair::of(&truth.data, SearchMode::Blanket, search, gamma)?;
            let f1 = |structure| recovery(&truth.structure, structure).edges.f1();
            println!(
                "{kind}\t{variables}\t{rows}\t{seed}\t{search}\t{gamma}\t{:.4}\t{:.4}\t{:.2}\t{:.2}\t{}",
                f1(&pair.before),
                f1(&pair.after),
                pair.searching,
                pair.refining,
                pair.limited
            );
        }
    }
    Ok(())
}

/// Edge F1 of known structures before and after a refinement that starts from each mode of search: the
/// mean over tables, with the lowest one, and CPU seconds.
pub(crate) fn starts(kind: &str, (variables, rows): (usize, usize), seeds: &str) -> Result<()> {
    println!("kind\td\tn\tmode\tF1 before\tF1 after\tlowest\tsearch CPU s\trefine CPU s");
    for search in [SearchMode::Paper, SearchMode::Blanket] {
        let (mut sums, mut lowest, mut tables) = ([0.0; 4], f64::INFINITY, 0.0);
        for seed in seeds.split(',') {
            let truth = known(kind, variables, rows, seed.parse()?)?;
            let pair = Pair::of(&truth.data, search, "0", "1")?;
            let f1 = |structure| recovery(&truth.structure, structure).edges.f1();
            let after = f1(&pair.after);
            let found = [f1(&pair.before), after, pair.searching, pair.refining];
            sums.iter_mut().zip(found).for_each(|(sum, value)| *sum += value);
            lowest = after.min(lowest);
            tables += 1.0;
        }
        let [before, after, searching, refining] = sums.map(|sum| sum / tables);
        println!(
            "{kind}\t{variables}\t{rows}\t{search}\t{before:.4}\t{after:.4}\t{lowest:.4}\t{searching:.4}\t{refining:.4}"
        );
    }
    Ok(())
}

/// By how much each rule prefers the refined structure, and whether it is better: by the edges of a known structure.
pub(crate) fn rules(kind: &str, (variables, rows): (usize, usize), seeds: &str, gamma: &str) -> Result<()> {
    for seed in seeds.split(',') {
        let truth = known(kind, variables, rows, seed.parse()?)?;
        let pair = Pair::of(&truth.data, SearchMode::Blanket, "0", gamma)?;
        let f1 = |structure| recovery(&truth.structure, structure).edges.f1();
        let better = f1(&pair.after) - f1(&pair.before);
        println!("{kind}-{variables}-{rows}\t{seed}\tF1\t{better:.4}\t{}", pair.judged(&truth.data, gamma)?);
    }
    Ok(())
}

/// The same by the log-likelihood of the rows of a folder's `test.csv`.
pub(crate) fn folder_rules(folder: &str, gamma: &str) -> Result<()> {
    let path = Path::new(folder);
    let data = table(path, "train.csv")?.context("no train.csv")?;
    let test = table(path, "test.csv")?.context("no test.csv")?;
    let pair = Pair::of(&data, SearchMode::Blanket, "0", gamma)?;
    let told = |fit: &Fit| evaluate(fit, &test).log_likelihood;
    let better = match pair.fits(&data)? {
        Some((before, after)) => told(&after).zip(told(&before)).map(|(after, before)| after - before),
        None => None,
    };
    let better = better.map_or_else(|| "-".into(), |better| format!("{better:.4}"));
    println!("{folder}\t\ttest\t{better}\t{}", pair.judged(&data, gamma)?);
    Ok(())
}

/// A structure before and after its refinement.
struct Pair {
    before: Structure,
    after: Structure,
    searching: f64,
    refining: f64,
    limited: usize,
}

impl Pair {
    fn of(data: &Dataset, search: SearchMode, prior: &str, gamma: &str) -> Result<Self> {
        let usual = LearnOptions { kappas: vec![Kappa::Epsilon], threads: 1, ..LearnOptions::default() };
        let options = LearnOptions { search, edge_prior: prior.parse()?, select: Select::None, ..usual };
        let meter = Meter::start();
        let mut learned = learn(data, &options, &())?;
        let searching = meter.processor();
        let before = learned.models.swap_remove(0).structure;
        let how = RefineOptions { edge_prior: gamma.parse()?, ..RefineOptions::default() };
        let meter = Meter::start();
        let refined = refine(&before, &PlaneCounts::new(data), &how, &EdgeRules::default(), &())?;
        let limited = learned.limited.len() + refined.limited.len();
        Ok(Self { before, after: refined.structure, searching, refining: meter.processor(), limited })
    }

    /// The fits of both, by one method; `None` where one of them cannot be had.
    fn fits(&self, data: &Dataset) -> Result<Option<(Fit, Fit)>> {
        for method in [FitMethod::Auto, FitMethod::Pseudo] {
            let options = FitOptions { method, memory: 1 << 30, ..FitOptions::default() };
            let one = |structure| match fit(structure, data, &options) {
                Ok(fitted) => Ok(Some(fitted)),
                Err(error) if matches!(error.kind(), ErrorKind::Limit(_)) => Ok(None),
                Err(error) => Err(error),
            };
            let (Some(before), Some(after)) = (one(&self.before)?, one(&self.after)?) else {
                return Ok(None);
            };
            if before.estimate == after.estimate {
                return Ok(Some((before, after)));
            }
        }
        Ok(None)
    }

    /// What the rules say: BIC and extended BIC of the fits, the conditional BIC with all terms, and rows held out.
    fn judged(&self, data: &Dataset, gamma: &str) -> Result<String> {
        let prior = gamma.parse::<EdgePrior>()?;
        let meter = Meter::start();
        let (mut bic, mut extended, mut estimate) = (f64::NAN, f64::NAN, "-".to_string());
        if let Some((before, after)) = self.fits(data)? {
            bic = after.bic() - before.bic();
            let edges = self.after.graph().edge_count() as f64 - self.before.graph().edge_count() as f64;
            extended = bic + edges * prior.log_end(data.variables()).to_f64();
            estimate = format!("{:?}", after.estimate);
        }
        let fitting = meter.processor();
        let how = RefineOptions { order: usize::MAX, edge_prior: prior, max_cells: None };
        let counts = PlaneCounts::new(data);
        let meter = Meter::start();
        let whole = |structure| match conditional_bic(structure, &counts, &how, &EdgeRules::default(), &()) {
            Ok(Outcome::Done(score)) => score,
            _ => f64::NAN,
        };
        let conditional = whole(&self.after) - whole(&self.before);
        let conditionally = meter.processor();
        let meter = Meter::start();
        let heldout = heldout(data, gamma)?;
        Ok(format!(
            "{estimate}\tbic {bic:.1}\tebic {extended:.1}\tcbic {conditional:.1}\theldout {heldout:.4}\tCPU {:.2} {:.2} {:.2} {:.2}",
            self.searching + self.refining,
            fitting,
            conditionally,
            meter.processor()
        ))
    }
}

/// By how much a refined structure, learned from the other rows, gives held-out rows a higher log-likelihood: of a row, or
/// of its conditionals.
fn heldout(data: &Dataset, gamma: &str) -> Result<f64> {
    let folds = Folds::deal(data, FoldPlan::Drawn { folds: PARTS, seed: 1 })?;
    let (mut sum, mut rows) = (0.0, 0.0);
    for fold in folds.iter().take(if data.rows() >= MANY_ROWS { 1 } else { PARTS }) {
        let fold = fold?;
        let Some((before, after)) =
            Pair::of(&fold.training, SearchMode::Blanket, "0", gamma)?.fits(&fold.training)?
        else {
            return Ok(f64::NAN);
        };
        let told = |fit: &Fit| {
            let found = evaluate(fit, &fold.heldout);
            found.log_likelihood.unwrap_or(found.pseudo_log_likelihood)
        };
        let weight = fold.heldout.rows() as f64;
        sum += weight * (told(&after) - told(&before));
        rows += weight;
    }
    Ok(sum / rows)
}
