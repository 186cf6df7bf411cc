//! Contexts that a search found and contexts that the table confirms, on structures that are
//! known: how many are true, by the letter and nearly so.

use crate::known::known;
use crate::usage::Meter;
use anyhow::Result;
use cmnet::{
    Cell, ContextChoice, Edge, LearnOptions, LearnedModel, OutcomeSpace, Parameters, Select, Term, Var,
    VarSet, learn,
};
use cmnet_paper::generate::{Known, recovery};
use std::collections::BTreeMap;

/// A true log odds ratio below this is as good as none.
pub(crate) const NEARLY: f64 = 0.2;

/// What a structure's elements are worth: precision, recall, F1, precision counting nearly true
/// elements, F1 of the edges, BIC; and the processor seconds that learning took.
type Numbers = [f64; 7];

/// Learns some tables of one kind with all contexts, with confirmed ones, and with those that BIC chooses.
pub(crate) fn run(kind: &str, variables: usize, rows: usize, (first, tables): (usize, usize)) -> Result<()> {
    let ways = [ContextChoice::All, ContextChoice::Confirmed, ContextChoice::Auto];
    let mut found = vec![Vec::<Numbers>::new(); ways.len()];
    let mut kept = 0;
    for seed in first..first + tables {
        let truth = known(kind, variables, rows, seed as u64)?;
        for (own, contexts) in found.iter_mut().zip(ways) {
            let options = LearnOptions {
                kappas: vec!["n^-0.5".parse()?],
                select: Select::Bic,
                contexts,
                ..LearnOptions::default()
            };
            let meter = Meter::start();
            let model = learn(&truth.data, &options, &())?.models.remove(0);
            own.push(numbers(&truth, &model, meter.processor()));
            let chosen = model.contexts_chosen.map(|chosen| chosen.kept);
            kept += usize::from(chosen == Some(ContextChoice::Confirmed));
        }
    }
    println!("{kind}, {variables} variables, {rows} rows, tables {first} to {}", first + tables - 1);
    for (contexts, all) in ways.iter().zip(&found) {
        let column = |at: usize| -> Vec<f64> { all.iter().map(|numbers| numbers[at]).collect() };
        let shown = |at: usize| {
            let (mean, deviation) = spread(&column(at));
            format!("{mean:.3} ({deviation:.3})")
        };
        let [precision, recall, f1, nearly, edges] = [0, 1, 2, 3, 4].map(shown);
        println!(
            "  {:<9} elements P {precision} R {recall} F1 {f1}; nearly P {nearly}; edges F1 {edges}; BIC {:.1}; {:.2} s",
            contexts.to_string(),
            spread(&column(5)).0,
            spread(&column(6)).0
        );
    }
    println!("  auto keeps confirmed contexts in {kept} of {tables}");
    Ok(())
}

/// Mean and standard deviation.
fn spread(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (mean, (squares / (count - 1.0).max(1.0)).sqrt())
}

fn numbers(truth: &Known, model: &LearnedModel, seconds: f64) -> Numbers {
    let found = recovery(&truth.structure, &model.structure);
    let (mut right, mut all) = (0.0, 0.0);
    for context in model.structure.contexts() {
        for cell in context.elements() {
            let given = levels(context.space(), cell);
            let is_true = truth.structure.context(context.edge()).is_some_and(|own| {
                own.space().variables() == context.space().variables() && own.contains(cell)
            });
            let nearly = || largest_effect(truth, context.edge(), &given) < NEARLY;
            right += f64::from(u8::from(is_true || nearly()));
            all += 1.0;
        }
    }
    let (elements, nearly) = (found.elements, if all > 0.0 { right / all } else { 1.0 });
    let bic = model.fit.as_ref().map_or(f64::NAN, cmnet::Fit::bic);
    [elements.precision, elements.recall, elements.f1(), nearly, found.edges.f1(), bic, seconds]
}

fn levels(space: &OutcomeSpace, cell: Cell) -> BTreeMap<Var, u32> {
    space.variables().iter().zip(space.configuration(cell)).collect()
}

/// The largest true |log odds ratio| of any two levels of both ends, over all that the other
/// common neighbours may be.
pub(crate) fn largest_effect(truth: &Known, edge: Edge, given: &BTreeMap<Var, u32>) -> f64 {
    let Known { structure, parameters, .. } = truth;
    if !structure.graph().contains(edge) {
        return 0.0;
    }
    let cardinalities = structure.cardinalities();
    let common = structure.graph().common_neighbors(edge);
    let open: VarSet = common.iter().filter(|v| !given.contains_key(v)).collect();
    let Ok(space) = OutcomeSpace::new(open, cardinalities) else { return f64::INFINITY };
    let (low, high) = edge.ends();
    let mut largest = 0.0f64;
    for cell in 0..space.size() {
        let mut all = given.clone();
        all.extend(levels(&space, cell));
        let at = |a: u32, b: u32| log_odds_ratio(parameters, &common, edge, (a, b), &all);
        for (a, c) in (0..cardinalities[low]).flat_map(|a| (0..a).map(move |c| (a, c))) {
            for (b, d) in (0..cardinalities[high]).flat_map(|b| (0..b).map(move |d| (b, d))) {
                largest = largest.max((at(a, b) - at(a, d) - at(c, b) + at(c, d)).abs());
            }
        }
    }
    largest
}

/// The log odds ratio of two levels against the first ones: the sum of the terms on both ends.
pub(crate) fn log_odds_ratio(
    parameters: &Parameters,
    common: &VarSet,
    edge: Edge,
    (low, high): (u32, u32),
    given: &BTreeMap<Var, u32>,
) -> f64 {
    let members: Vec<(Var, u32)> =
        common.iter().map(|v| (v, given[&v])).filter(|known| known.1 > 0).collect();
    if low == 0 || high == 0 {
        return 0.0;
    }
    let term = |mask: usize| {
        let chosen = members.iter().enumerate().filter(|(place, _)| mask >> place & 1 == 1);
        let mut term: Vec<(Var, u32)> = chosen.map(|(_, &known)| known).collect();
        term.extend([(edge.low(), low), (edge.high(), high)]);
        term.sort_unstable();
        let (variables, levels): (Vec<Var>, Vec<u32>) = term.into_iter().unzip();
        parameters.value(&Term { variables: variables.into_iter().collect(), levels })
    };
    (0..1usize << members.len()).map(term).sum()
}
