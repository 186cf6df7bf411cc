//! Cut points that need no graph: equal frequency, equal width, given.

use super::bins::{BinRule, Bins};
use super::cuts::{Cuts, between};
use super::dataset::Dataset;
use super::raw::RawTable;
use super::variable::Var;
use crate::control::Control;
use crate::error::Result;

/// How far from its place a cut of equal width may lie for a number with fewer digits, as a share of
/// the width.
const SLACK: f64 = 0.01;

/// A column of numbers that was cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutColumn {
    /// Its name.
    pub name: String,
    /// How it was to be cut.
    pub rule: BinRule,
    /// How many different numbers it had.
    pub numbers: usize,
    /// Where it was cut; `None` where it has one number only.
    pub cuts: Option<Cuts>,
}

/// Cuts the columns of numbers; where the graph is to find the points, at equal frequency for a start.
pub(crate) fn cut_alone(
    raw: &RawTable,
    bins: &Bins,
    control: &dyn Control,
) -> Result<(Dataset, Vec<CutColumn>)> {
    let mut cuts = vec![None; raw.data().variables()];
    let mut columns = Vec::new();
    for variable in raw.numbers() {
        let name = raw.data().schema().name(variable);
        let Some(rule) = bins.rule(name).or(bins.others()) else { continue };
        cuts[variable] = points(raw, variable, rule);
        columns.push(CutColumn {
            name: name.to_owned(),
            rule: rule.clone(),
            numbers: raw.spans(variable).len(),
            cuts: cuts[variable].clone(),
        });
    }
    Ok((raw.cut(&cuts, control)?, columns))
}

/// The cut points of a column by a rule.
pub(crate) fn points(raw: &RawTable, variable: Var, rule: &BinRule) -> Option<Cuts> {
    match rule {
        BinRule::At(cuts) => Some(cuts.clone()),
        BinRule::Frequency(classes) | BinRule::Graph(classes) => {
            raw.cuts_before(variable, &equal_frequency(&raw.level_counts(variable), *classes))
        }
        BinRule::Width(classes) => equal_width(raw, variable, *classes),
    }
}

/// The numbers, by place, at which classes of about equal frequency begin, but for the first.
pub(crate) fn equal_frequency(counts: &[u64], classes: usize) -> Vec<usize> {
    let total: u64 = counts.iter().sum();
    let mut before = Vec::with_capacity(counts.len());
    let mut sum = 0;
    for &count in counts {
        before.push(sum);
        sum += count;
    }
    let mut starts: Vec<usize> = Vec::new();
    for class in 1..classes {
        let wanted = u128::from(total) * class as u128;
        let distance = |&place: &usize| (u128::from(before[place]) * classes as u128).abs_diff(wanted);
        // Distances fall and then rise: only the two places around the wanted one can be nearest.
        let above = before.partition_point(|&rows| u128::from(rows) * (classes as u128) < wanted);
        let near = [above.saturating_sub(1), above];
        let possible = near.into_iter().filter(|&place| place > 0 && place < before.len());
        if let Some(start) = possible.min_by_key(distance)
            && starts.last().is_none_or(|&last| last < start)
        {
            starts.push(start);
        }
    }
    starts
}

fn equal_width(raw: &RawTable, variable: Var, classes: usize) -> Option<Cuts> {
    let spans = raw.spans(variable);
    let (low, high) = (spans.first()?.low, spans.last()?.high);
    let width = high / classes as f64 - low / classes as f64;
    let mut points: Vec<f64> = (1..classes)
        .map(|class| {
            let point = low + class as f64 * width;
            between(point - SLACK * width, point + SLACK * width)
        })
        .filter(|point| low < *point && *point <= high)
        .collect();
    points.dedup();
    Cuts::new(points).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_about_as_many_rows() {
        assert_eq!(equal_frequency(&[1; 12], 4), [3, 6, 9]);
        assert_eq!(equal_frequency(&[1; 3], 4), [1, 2]);
        assert_eq!(equal_frequency(&[90, 5, 5], 3), [1]);
        assert_eq!(equal_frequency(&[5, 90, 5], 2), [1]);
        assert_eq!(equal_frequency(&[7], 2), [0_usize; 0]);
    }
}
