//! Coverage of intervals: how often the interval of 95 % has the true number in it, on tables
//! drawn from distributions that are known.

use crate::confirm::log_odds_ratio;
use crate::known::known;
use anyhow::{Context, Result};
use cmnet::{
    BootstrapOptions, CountSource, Dataset, Edge, Evidence, ExactOptions, Fit, FitMethod, FitOptions,
    LearnOptions, Network, Precision, Quantity, RowCounts, Var, bootstrap, fit,
};
use cmnet_paper::generate::Known;

/// Intervals that hold the true number, all of them, those that lie above and below it, and numbers without one.
#[derive(Default)]
struct Coverage {
    holds: u64,
    all: u64,
    above: u64,
    below: u64,
    open: u64,
}

impl Coverage {
    fn add(&mut self, known: Quantity, truth: f64) {
        match known.interval {
            None => self.open += 1,
            Some([low, high]) => {
                self.all += 1;
                self.holds += u64::from(low <= truth && truth <= high);
                self.above += u64::from(truth < low);
                self.below += u64::from(high < truth);
            }
        }
    }

    fn print(&self, what: &str) {
        let share = self.holds as f64 / self.all.max(1) as f64;
        let Self { all, above, below, open, .. } = self;
        println!("  {what:<16} {share:.4} of {all:>6} intervals, {above} above, {below} below, {open} open");
    }
}

/// Upper ends of the classes of the rarest cell behind a log odds ratio.
const RAREST: [u64; 5] = [0, 4, 9, 29, u64::MAX];

/// What was counted: terms, log odds ratios, probabilities and strengths; and log odds ratios by the rows
/// in the rarest of the four cells that they compare; and strengths of edges that are not there.
#[derive(Default)]
struct Counted {
    kinds: [Coverage; 4],
    false_edges: Coverage,
    by_rarest: [Coverage; RAREST.len()],
}

/// Fits the true structures of some tables, and counts.
pub(crate) fn run(
    kind: &str,
    variables: usize,
    rows: usize,
    (first, tables, pseudo): (usize, usize, bool),
) -> Result<()> {
    let mut counted = Counted::default();
    let method = if pseudo { FitMethod::Pseudo } else { FitMethod::Exact };
    let options = FitOptions { method, ..FitOptions::default() };
    for seed in first..first + tables {
        let truth = known(kind, variables, rows, seed as u64)?;
        count(&truth, &fit(&truth.structure, &truth.data, &options)?, &mut counted)?;
        count_false_edges(&truth, &options, &mut counted.false_edges)?;
    }
    let how = if pseudo { "pseudo-likelihood" } else { "likelihood" };
    let last = first + tables - 1;
    println!("{kind}, {variables} variables, {rows} rows, tables {first} to {last}, maximum {how}");
    let names = ["terms", "log odds ratios", "probabilities", "strengths"];
    names.iter().zip(&counted.kinds).for_each(|(name, counted)| counted.print(name));
    counted.false_edges.print("strengths of 0");
    println!("  log odds ratios by the rows in the rarest of their cells:");
    for (most, counted) in RAREST.iter().zip(&counted.by_rarest) {
        let name = if *most == u64::MAX { "more".to_owned() } else { format!("at most {most}") };
        counted.print(&name);
    }
    Ok(())
}

/// Learns the structures of some tables, and counts how often the true probability of a level given a level
/// of the last variable lies within 1.96 standard errors: those of the learned model, which take its
/// structure as given, and those of an ensemble, which do not.
pub(crate) fn ensembles(
    kind: &str,
    variables: usize,
    rows: usize,
    (first, tables, replicates): (usize, usize, usize),
) -> Result<()> {
    let [mut given, mut spread, mut logit] = [(); 3].map(|()| Coverage::default());
    let mut distance = [0.0; 2];
    for seed in first..first + tables {
        let truth = known(kind, variables, rows, seed as u64)?;
        let learn = LearnOptions { kappas: vec!["n^-0.5".parse()?], ..LearnOptions::default() };
        let options = BootstrapOptions {
            replicates: replicates as u64,
            learn: learn.clone(),
            ..BootstrapOptions::default()
        };
        let learned = cmnet::learn(&truth.data, &learn, &())?.models.remove(0);
        let fitted = learned.fit.as_ref().context("too large to be fitted")?;
        let ensemble = bootstrap(&truth.data, &options, &())?.ensemble(&truth.data, &options, &())?;
        let ensemble = ensemble.context("no replicate was fitted")?.network()?;
        let precision = Precision::new(&learned.structure, fitted, None, &())?;
        let (network, evidence) = asked(&truth)?;
        for target in 0..variables - 1 {
            let exact =
                network.query().evidence(evidence.clone()).target(truth.data.schema().name(target))?.run()?;
            let plain = precision.probabilities(target, &evidence, &())?;
            let answer = ensemble.marginals(&[target], &evidence, &ExactOptions::default())?;
            // One level of each variable: of two levels both say the same.
            let (exact, plain, mean) = (exact.marginals[0].1[0], plain[0], answer.marginals[0].1[0]);
            given.add(plain, exact);
            let error = mean.error.unwrap_or(f64::NAN);
            spread.add(interval(mean.mean, 1.96 * error), exact);
            // Symmetric in the log odds, as the intervals of a model are.
            let (odds, width) = (logistic(mean.mean), 1.96 * error / (mean.mean * (1.0 - mean.mean)));
            logit.add(interval(odds, width), logistic(exact));
            distance[0] += (plain.value - exact).abs();
            distance[1] += (mean.mean - exact).abs();
        }
    }
    println!(
        "{kind}, {variables} variables, {rows} rows, tables {first} to {}, {replicates} replicates",
        first + tables - 1
    );
    given.print("learned model");
    spread.print("ensemble");
    logit.print("ensemble, logit");
    let [plain, mean] = distance.map(|sum| sum / given.all.max(1) as f64);
    println!("  mean distance from the truth: {plain:.5} of the learned model, {mean:.5} of the ensemble");
    Ok(())
}

fn interval(value: f64, width: f64) -> Quantity {
    Quantity { value, error: Some(width / 1.96), interval: Some([value - width, value + width]) }
}

fn logistic(p: f64) -> f64 {
    libm::log(p / (1.0 - p))
}

/// The true distribution, and the evidence that it is asked with.
fn asked(truth: &Known) -> Result<(Network, Evidence)> {
    let Known { structure, parameters, data } = truth;
    let whole = parameters.clone().normalized(structure.graph(), 1 << 28)?;
    let mut evidence = Evidence::none();
    evidence.observe(data.schema(), structure.variables() - 1, 1)?;
    Ok((Network::new(data.schema(), structure, whole)?, evidence))
}

/// Rows in the rarest of the four cells that a log odds ratio compares.
fn rarest(data: &Dataset, edge: Edge, (low, high): (u32, u32), given: &[(Var, u32)]) -> u64 {
    let mut cells = [0u64; 4];
    for (row, &weight) in data.weights().iter().enumerate() {
        let levels = data.row(row);
        if given.iter().any(|&(v, level)| levels[v] != level) {
            continue;
        }
        let place =
            |level: u32, other: u32| (level == 0 || level == other).then_some(usize::from(level != 0));
        if let (Some(a), Some(b)) = (place(levels[edge.low()], low), place(levels[edge.high()], high)) {
            cells[2 * a + b] += u64::from(weight);
        }
    }
    cells.into_iter().min().unwrap_or(0)
}

fn count(truth: &Known, fitted: &Fit, counted: &mut Counted) -> Result<()> {
    let Known { structure, parameters, data } = truth;
    let counts = RowCounts::new(data);
    let Counted { kinds: counted, by_rarest, .. } = counted;
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
                let rows = rarest(data, edge, pair.levels, &effect.given);
                let class = RAREST.iter().position(|&most| rows <= most).unwrap_or(RAREST.len() - 1);
                by_rarest[class].add(pair.log_odds_ratio, exact);
            }
        }
    }
    let (network, evidence) = asked(truth)?;
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

/// Fits the true structure with some edges more, whose ends have neighbours in common: their strength is 0.
fn count_false_edges(truth: &Known, options: &FitOptions, counted: &mut Coverage) -> Result<()> {
    const EDGES: usize = 3;
    let Known { structure, data, .. } = truth;
    let graph = structure.graph();
    let pairs =
        (0..graph.nodes()).flat_map(|high| (0..high).filter_map(move |low| Edge::new(low, high).ok()));
    let wrong: Vec<Edge> = pairs
        .filter(|&pair| !graph.contains(pair) && !graph.common_neighbors(pair).is_empty())
        .take(EDGES)
        .collect();
    let mut larger = structure.clone();
    larger.clear_contexts();
    for &edge in &wrong {
        larger.toggle_edge(edge)?;
    }
    let fitted = fit(&larger, data, options)?;
    let counts = RowCounts::new(data);
    let precision = Precision::new(&larger, &fitted, Some(&counts), &())?;
    for edge in wrong {
        if let Some(known) = precision.strength(edge, &())? {
            counted.add(known, 0.0);
        }
    }
    Ok(())
}
