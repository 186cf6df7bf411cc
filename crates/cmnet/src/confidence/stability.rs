//! Case-dropping: how much of a structure is found again when a part of the rows is left out.

use super::Bootstrap;
use super::options::{BootstrapOptions, Resample};
use super::run::{bootstrap, replicate_search};
use crate::control::StopReason;
use crate::data::{Dataset, Var};
use crate::error::{Error, OptionName, Result};
use crate::graph::Edge;
use crate::learn::{LearnEvent, LearnObserver, LearnOptions, Quiet, Select, learn};
use crate::loglinear::affordable_canonical;
use crate::structure::Structure;
use crate::table::Cell;
use std::collections::BTreeSet;

/// The structure of the whole table beside those of parts of its rows: see [`stability`].
#[derive(Clone, Debug, PartialEq)]
pub struct Stability {
    /// One entry for each share of rows that was dropped, in the order given.
    pub points: Vec<StabilityPoint>,
    /// Why it ended. Shares whose replicates were not all finished count those that were.
    pub stop: StopReason,
}

/// What is found again when a share of the rows is dropped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StabilityPoint {
    /// The share of rows that was dropped.
    pub dropped: f64,
    /// Replicates that were finished.
    pub replicates: u64,
    /// How well the edges agree with those of the whole table.
    pub edges: Similarity,
    /// The same of context elements: edge, common neighbours and configuration.
    pub elements: Similarity,
}

/// The F1 score of replicates against the whole table: 1 where both have the same, or nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Similarity {
    /// The mean over replicates.
    pub mean: f64,
    /// What 95 % of the replicates reach.
    pub least: f64,
}

impl Stability {
    /// An agreement from which on two structures count as much the same.
    pub const SIMILAR: f64 = 0.7;

    /// The largest share of rows that can be dropped so that 95 % of the replicates have edges which
    /// agree with those of the whole table by [`Stability::SIMILAR`]; `None` where no share that was
    /// tried is small enough.
    pub fn coefficient(&self) -> Option<f64> {
        let similar = self.points.iter().filter(|point| point.edges.least >= Self::SIMILAR);
        similar.map(|point| point.dropped).max_by(f64::total_cmp)
    }
}

/// Learns from parts of the rows, and compares each structure with that of the whole table.
///
/// For each share as many parts are drawn as `options` asks for replicates, each row at most once. The whole table is
/// searched for as the parts are: in mode `blanket` where the mode is left to the program.
///
/// # Errors
/// As [`bootstrap`], and when a share is not between 0 and 1.
///
/// # Example
/// ```
/// use cmnet::{BootstrapOptions, Dataset, stability};
/// let rows = [["0", "0"], ["1", "1"]].repeat(50);
/// let data = Dataset::from_labels(&["a", "b"], rows)?;
/// let options = BootstrapOptions { replicates: 20, ..BootstrapOptions::default() };
/// let found = stability(&data, &options, &[0.25, 0.5], &())?;
/// assert_eq!(found.coefficient(), Some(0.5));
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn stability(
    data: &Dataset,
    options: &BootstrapOptions,
    dropped: &[f64],
    observer: &dyn LearnObserver,
) -> Result<Stability> {
    dropped.iter().try_for_each(|&share| check_dropped(share))?;
    let quiet = Quiet { observer };
    let select = if options.learn.kappas.len() == 1 { Select::None } else { Select::Bic };
    // A search of another kind would differ from them whatever the rows.
    let search = replicate_search(&options.learn);
    let whole = learn(data, &LearnOptions { search, select, ..options.learn.clone() }, &quiet)?;
    let reference = whole.kept(data.rows()).filter(|_| whole.stop == StopReason::Converged);
    let Some(reference) = reference.map(|kept| Parts::of(&closed(&kept.structure))) else {
        return Ok(Stability { points: Vec::new(), stop: whole.stop });
    };
    let mut points = Vec::new();
    let mut stop = StopReason::Converged;
    for (index, &share) in dropped.iter().enumerate() {
        observer.observe_learning(&LearnEvent::Dropping { index, of: dropped.len() });
        let part = BootstrapOptions { resample: Resample::Part, share: Some(1.0 - share), ..options.clone() };
        let found = bootstrap(data, &part, &quiet)?;
        if let Some(point) = StabilityPoint::over(share, &found.structures, &reference) {
            points.push(point);
        }
        if found.stop != StopReason::Converged {
            stop = found.stop;
            break;
        }
    }
    Ok(Stability { points, stop })
}

impl Bootstrap {
    /// What [`stability`] finds after this bootstrap: `None` where no share is given, or where the
    /// bootstrap itself was ended early.
    ///
    /// # Errors
    /// As [`stability`].
    pub fn stability(
        &self,
        data: &Dataset,
        options: &BootstrapOptions,
        dropped: &[f64],
        observer: &dyn LearnObserver,
    ) -> Result<Option<Stability>> {
        if dropped.is_empty() || self.stop != StopReason::Converged {
            return Ok(None);
        }
        stability(data, options, dropped, observer).map(Some)
    }
}

fn check_dropped(share: f64) -> Result<()> {
    if share > 0.0 && share < 1.0 {
        return Ok(());
    }
    Err(Error::option(OptionName::DropRows, share.to_string(), "shares of the rows above 0 and below 1"))
}

/// The closure where it is affordable, as for replicates.
fn closed(structure: &Structure) -> Structure {
    affordable_canonical(structure).unwrap_or_else(|| structure.clone())
}

/// An element that two structures can share: edge, common neighbours, configuration.
type Element = (Edge, Vec<Var>, Cell);

struct Parts {
    edges: BTreeSet<Edge>,
    elements: BTreeSet<Element>,
}

impl Parts {
    fn of(structure: &Structure) -> Self {
        let element = |(edge, cell): (Edge, Cell)| {
            let given = structure.context(edge).map(|context| context.space().variables().iter().collect());
            (edge, given.unwrap_or_default(), cell)
        };
        let cut = structure
            .contexts()
            .flat_map(|context| context.elements().map(move |cell| (context.edge(), cell)));
        Self { edges: structure.graph().edges().collect(), elements: cut.map(element).collect() }
    }
}

impl StabilityPoint {
    fn over(dropped: f64, structures: &[Structure], reference: &Parts) -> Option<Self> {
        let parts: Vec<Parts> = structures.iter().map(Parts::of).collect();
        let edges = parts.iter().map(|part| f1(&part.edges, &reference.edges)).collect();
        let elements = parts.iter().map(|part| f1(&part.elements, &reference.elements)).collect();
        Some(Self {
            dropped,
            replicates: structures.len() as u64,
            edges: Similarity::over(edges)?,
            elements: Similarity::over(elements)?,
        })
    }
}

impl Similarity {
    fn over(mut scores: Vec<f64>) -> Option<Self> {
        scores.sort_by(f64::total_cmp);
        let least = *scores.get(scores.len() / 20)?;
        Some(Self { mean: scores.iter().sum::<f64>() / scores.len() as f64, least })
    }
}

fn f1<T: Ord>(one: &BTreeSet<T>, other: &BTreeSet<T>) -> f64 {
    let all = one.len() + other.len();
    if all == 0 { 1.0 } else { 2.0 * one.intersection(other).count() as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn structure(edges: &[(usize, usize)], elements: &[((usize, usize), Cell)]) -> Structure {
        crate::confidence::tally::tests::structure(&[2, 2, 2], edges.iter().copied(), elements)
    }

    #[test]
    fn agreement_counts_edges_and_elements() {
        let triangle = [(0, 1), (0, 2), (1, 2)];
        let reference = Parts::of(&structure(&triangle, &[((0, 1), 1)]));
        let same = structure(&triangle, &[((0, 1), 1)]);
        let other = structure(&triangle[..2], &[]);
        let point = StabilityPoint::over(0.5, &[same, other], &reference).unwrap();
        assert_eq!((point.replicates, point.edges.mean, point.edges.least), (2, 0.9, 0.8));
        assert_eq!((point.elements.mean, point.elements.least), (0.5, 0.0));
        assert!(StabilityPoint::over(0.5, &[], &reference).is_none());
    }

    #[test]
    fn what_most_replicates_reach_leaves_a_twentieth_out() {
        let scores: Vec<f64> = (0..40).map(|place| f64::from(place) / 40.0).collect();
        assert!((Similarity::over(scores).unwrap().least - 0.05).abs() < 1e-12);
    }

    #[test]
    fn the_coefficient_is_the_largest_share_that_keeps_the_edges() {
        let point = |dropped, least| {
            let agreement = Similarity { mean: 1.0, least };
            StabilityPoint { dropped, replicates: 1, edges: agreement, elements: agreement }
        };
        let found = |points| Stability { points, stop: StopReason::Converged };
        assert_eq!(found(vec![point(0.1, 0.9), point(0.5, 0.7), point(0.8, 0.3)]).coefficient(), Some(0.5));
        assert_eq!(found(vec![point(0.1, 0.6)]).coefficient(), None);
    }
}
