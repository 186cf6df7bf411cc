//! Which pairs are worth a fit: those in which what a node's conditional leaves unexplained
//! depends on another variable.
//!
//! A pair's promise is half of Pearson's chi-square of the node's residuals by the other variable's
//! levels: about what the log-likelihood gains by the edge, before the other parameters follow. It
//! takes a sum over the rows for each pair. Nearly all pairs promise little, so an upper bound of the
//! promise is looked at first: the expected counts are rounded down to a few binary digits, and each
//! digit is a plane of bits that meets the planes of all other variables at once.

use super::rows::{Classes, Rows};
use crate::counts::common_ones;
use crate::data::Var;

/// The least expected count that divides a square.
const LEAST_EXPECTED: f64 = 0.5;

/// The unit that expected counts are rounded down to, as a share of the mean weight of a row.
const UNIT: f64 = 1.0 / 256.0;

/// The most levels of variables that have planes.
const MOST_LEVELS: usize = 16;

/// What sums of floating-point numbers may be off by, as a share of what is summed up.
const ROUNDING: f64 = 1e-9;

/// The rows at each level of each variable, as planes of bits.
#[derive(Debug)]
pub(super) struct Planes {
    /// For each variable those of the levels above 0; none for variables with many levels.
    levels: Vec<Vec<Plane>>,
    /// For each variable and level, the weight of its rows.
    weights: Vec<Vec<f64>>,
    /// The weight of each row, where all have the same.
    weight: Option<f64>,
    /// What expected counts and weights are rounded down to: a power of two.
    unit: f64,
    /// The most that the weight of a row loses by that.
    lost: f64,
    /// What counts may be off by.
    rounding: f64,
}

#[derive(Debug)]
struct Plane {
    words: Vec<u64>,
    /// Rows of the level.
    rows: f64,
}

impl Planes {
    pub(super) fn of(rows: &Rows) -> Self {
        let mean = rows.total / rows.weights.len().max(1) as f64;
        let unit = libm::exp2(libm::floor(libm::log2(mean * UNIT)));
        let is_whole = rows.weights.iter().all(|weight| libm::fmod(*weight, unit) == 0.0);
        let first = rows.weights.first().copied();
        let weight =
            first.filter(|first| rows.weights.iter().all(|weight| weight.to_bits() == first.to_bits()));
        let weights = |variable: Var| {
            let mut weights = vec![0.0; rows.levels(variable)];
            let levels = rows.columns[variable].iter().zip(&rows.weights);
            levels.for_each(|(&level, weight)| weights[usize::from(level)] += weight);
            weights
        };
        Self {
            levels: (0..rows.columns.len()).map(|variable| planes(rows, variable)).collect(),
            weights: (0..rows.columns.len()).map(weights).collect(),
            weight,
            unit,
            lost: if is_whole || weight.is_some() { 0.0 } else { unit },
            rounding: ROUNDING * rows.total,
        }
    }
}

/// The planes of a variable's levels above 0.
fn planes(rows: &Rows, variable: Var) -> Vec<Plane> {
    if !(2..=MOST_LEVELS).contains(&rows.levels(variable)) {
        return Vec::new();
    }
    let empty = || Plane { words: vec![0; rows.weights.len().div_ceil(64)], rows: 0.0 };
    let mut planes: Vec<Plane> = (1..rows.levels(variable)).map(|_| empty()).collect();
    for (row, &level) in rows.columns[variable].iter().enumerate().filter(|&(_, &level)| level > 0) {
        let plane = &mut planes[usize::from(level) - 1];
        plane.words[row / 64] |= 1 << (row % 64);
        plane.rows += 1.0;
    }
    planes
}

/// What is looked for: variables with the promise from which on a pair is worth a fit.
pub(super) type Asked = (Var, f64);

/// Those variables outside of a node's blanket whose promises reach what is asked of them.
pub(super) fn promising(
    (rows, planes): (&Rows, &Planes),
    node: Var,
    (classes, probabilities): (&Classes, &[f64]),
    asked: &[Asked],
) -> Vec<Var> {
    let expected = Expected::of(rows, node, classes, probabilities);
    let mut open = expected.may_reach(planes, asked);
    open.retain(|&(other, least)| expected.promise(other) >= least);
    open.into_iter().map(|(other, _)| other).collect()
}

/// How often each row is expected to have each level of a node, given its blanket.
struct Expected<'a> {
    rows: &'a Rows,
    node: Var,
    levels: usize,
    classes: &'a Classes,
    /// For each class and level.
    probabilities: &'a [f64],
}

impl<'a> Expected<'a> {
    fn of(rows: &'a Rows, node: Var, classes: &'a Classes, probabilities: &'a [f64]) -> Self {
        Self { rows, node, levels: rows.levels(node), classes, probabilities }
    }

    /// What a pair promises.
    fn promise(&self, other: Var) -> f64 {
        let levels = self.levels;
        let mut sums = vec![0.0; self.rows.levels(other) * levels];
        let mut seen = sums.clone();
        let own = self.rows.columns[self.node].iter().zip(&self.rows.columns[other]).zip(&self.rows.weights);
        for (((&level, &at), weight), &class) in own.zip(&self.classes.of_row) {
            let first = at as usize * levels;
            seen[first + level as usize] += weight;
            let expected = &self.probabilities[class as usize * levels..(class as usize + 1) * levels];
            sums[first..first + levels].iter_mut().zip(expected).for_each(|(sum, p)| *sum += weight * p);
        }
        let square = |(seen, sum): (&f64, &f64)| (seen - sum) * (seen - sum) / sum.max(LEAST_EXPECTED);
        seen.iter().zip(&sums).map(square).sum::<f64>() / 2.0
    }

    /// Those that may reach what is asked of them, as far as planes tell.
    fn may_reach(&self, planes: &Planes, asked: &[Asked]) -> Vec<Asked> {
        if planes.levels[self.node].is_empty() {
            return asked.to_vec();
        }
        let digits = Digits::of(self, planes);
        let others = asked.iter().flat_map(|&(other, _)| &planes.levels[other]);
        let views: Vec<&[u64]> = others.map(|plane| plane.words.as_slice()).collect();
        let mut ones = vec![0; views.len() * digits.masks.len()];
        common_ones(&views, &digits.masks, &mut ones);
        let mut rest = ones.as_slice();
        let mut cells = Cells::default();
        let mut open = Vec::new();
        for &(other, least) in asked {
            let (own, others) = rest.split_at(planes.levels[other].len() * digits.masks.len());
            rest = others;
            if planes.levels[other].is_empty() || digits.most(planes, other, own, &mut cells) >= least {
                open.push((other, least));
            }
        }
        open
    }
}

/// The digits of what is expected of a node's levels above 0, and of what was seen.
struct Digits {
    masks: Vec<Vec<u64>>,
    /// What each mask counts: a level of the node less 1, whether it was seen or expected, and what a row is worth.
    keys: Vec<(usize, bool, f64)>,
    node: Var,
    levels: usize,
    unit: f64,
    /// For each level of the node, what is expected in all rows.
    expected: Vec<f64>,
}

/// What is expected and what was seen at each level of another variable and of a node: the middles of
/// intervals.
#[derive(Default)]
struct Cells {
    expected: Vec<f64>,
    seen: Vec<f64>,
}

impl Digits {
    fn of(found: &Expected<'_>, planes: &Planes) -> Self {
        let (rows, levels) = (found.rows, found.levels);
        let mut digits = Self {
            masks: Vec::new(),
            keys: Vec::new(),
            node: found.node,
            levels,
            unit: planes.unit,
            expected: vec![0.0; levels],
        };
        let classes = found.classes.counts.chunks_exact(levels).zip(found.probabilities.chunks_exact(levels));
        for (counts, own) in classes {
            let total: f64 = counts.iter().sum();
            digits.expected.iter_mut().zip(own).for_each(|(sum, p)| *sum += total * p);
        }
        let (own, of_row) = (&rows.columns[found.node], &found.classes.of_row);
        for level in 1..levels {
            // Rows of one weight have what their classes have.
            let units = |weight: f64, p: &f64| (weight * p / planes.unit) as u64;
            let probabilities = found.probabilities[level..].iter().step_by(levels);
            if let Some(weight) = planes.weight {
                let by_class: Vec<u64> = probabilities.map(|p| units(weight, p)).collect();
                let by_row = |bytes: Vec<u8>| of_row.iter().map(|&class| bytes[class as usize]).collect();
                digits.push((level, false), &by_class, by_row);
                let plane = &planes.levels[found.node][level - 1];
                digits.masks.push(plane.words.clone());
                digits.keys.push((level, true, weight));
                continue;
            }
            let by_class: Vec<&f64> = probabilities.collect();
            let expected = of_row.iter().zip(&rows.weights);
            let expected: Vec<u64> =
                expected.map(|(&class, &weight)| units(weight, by_class[class as usize])).collect();
            digits.push((level, false), &expected, |bytes| bytes);
            let seen = own.iter().zip(&rows.weights);
            let seen =
                seen.map(|(&at, weight)| if usize::from(at) == level { units(*weight, &1.0) } else { 0 });
            digits.push((level, true), &seen.collect::<Vec<u64>>(), |bytes| bytes);
        }
        digits
    }

    /// The planes of numbers that are rounded down to units, given how rows have them. Digits that none has are
    /// left out.
    fn push(&mut self, (level, is_seen): (usize, bool), units: &[u64], by_row: impl Fn(Vec<u8>) -> Vec<u8>) {
        let all = units.iter().fold(0, |all, &units| all | units);
        for first in (0..u64::BITS).step_by(8).filter(|first| all >> first & 0xFF != 0) {
            let bytes: Vec<u8> = by_row(units.iter().map(|units| (units >> first) as u8).collect());
            for digit in (0..8).filter(|digit| all >> (first + digit) & 1 == 1) {
                self.masks.push(bytes.chunks(64).map(|bytes| digits(bytes, digit)).collect());
                self.keys.push((level, is_seen, self.unit * (1u64 << (first + digit)) as f64));
            }
        }
    }

    /// The most that a pair can promise, by the common ones of the other variable's planes and the masks.
    fn most(&self, planes: &Planes, other: Var, ones: &[u32], cells: &mut Cells) -> f64 {
        let (levels, own) = (self.levels, &planes.levels[other]);
        for sums in [&mut cells.expected, &mut cells.seen] {
            sums.clear();
            sums.resize((own.len() + 1) * levels, 0.0);
        }
        // Half of what is lost by rounding down, at each level of the other variable.
        let half = |at: usize, lost: f64| match at {
            0 => own.iter().map(|plane| plane.rows * lost / 2.0).sum::<f64>(),
            _ => own[at - 1].rows * lost / 2.0,
        };
        for at in 1..=own.len() {
            let ones = &ones[(at - 1) * self.keys.len()..at * self.keys.len()];
            let first = at * levels;
            cells.expected[first + 1..first + levels].fill(half(at, planes.unit));
            cells.seen[first + 1..first + levels].fill(half(at, planes.lost));
            for (&(level, is_seen, worth), &ones) in self.keys.iter().zip(ones) {
                let sums = if is_seen { &mut cells.seen } else { &mut cells.expected };
                sums[first + level] += f64::from(ones) * worth;
            }
        }
        let weights = &planes.weights[other];
        complete(&mut cells.expected, &self.expected, weights);
        complete(&mut cells.seen, &planes.weights[self.node], weights);
        let mut sum = 0.0;
        for at in 0..=own.len() {
            let (expected, seen) = (half(at, planes.unit), half(at, planes.lost));
            for level in 0..levels {
                // What level 0 has is what the others leave.
                let times = if level == 0 { (levels - 1) as f64 } else { 1.0 };
                let cell = at * levels + level;
                let off = times * (expected + seen) + planes.rounding;
                let apart = (cells.seen[cell] - cells.expected[cell]).abs() + off;
                let least = cells.expected[cell] - times * expected - planes.rounding;
                sum += apart * apart / least.max(LEAST_EXPECTED);
            }
        }
        sum / 2.0 * (1.0 + ROUNDING)
    }
}

/// One binary digit of up to 64 bytes, the first one lowest.
fn digits(bytes: &[u8], digit: u32) -> u64 {
    bytes.chunks(8).rev().fold(0, |word, bytes| {
        let mut eight = [0; 8];
        eight[..bytes.len()].copy_from_slice(bytes);
        let lowest = u64::from_le_bytes(eight) >> digit & 0x0101_0101_0101_0101;
        // The digit of byte i stands at 8i, and goes to 56 + i.
        word << 8 | lowest.wrapping_mul(0x0102_0408_1020_4080) >> 56
    })
}

/// Fills in a table whose cells at levels 0 are still 0: by the sums of its columns, and then of its rows.
fn complete(cells: &mut [f64], columns: &[f64], rows: &[f64]) {
    let levels = columns.len();
    for level in 1..levels {
        let others: f64 = cells.iter().skip(level).step_by(levels).sum();
        cells[level] = columns[level] - others;
    }
    for (row, sum) in cells.chunks_exact_mut(levels).zip(rows) {
        row[0] = sum - row.iter().sum::<f64>();
    }
}

#[cfg(test)]
mod tests {
    use super::super::family::Family;
    use super::super::fitted::NodeFit;
    use super::*;
    use crate::counts::RowCounts;
    use crate::data::Dataset;
    use crate::graph::Edge;
    use crate::structure::Structure;

    /// Each row's class by a node's blanket, and the probabilities in each by the node's fit.
    fn fitted(rows: &Rows, structure: &Structure, node: Var) -> (Classes, Vec<f64>) {
        let family = Family::of(structure, node, 3, &()).unwrap().unwrap();
        let classes = Classes::of(rows, node, structure.markov_blanket(node));
        let probabilities = NodeFit::of(rows, node, family, &classes).1;
        (classes, probabilities)
    }

    /// A table of variables with 2, 3, 2, 20, 5 and 1 levels, whose rows have weights.
    fn table(seed: u32, weights: impl Fn(u32) -> u32) -> Dataset {
        let levels = [2u32, 3, 2, 20, 5, 1];
        let mix = |row: u32, v: u32| {
            let number = (row * 31 + v * 17 + seed).wrapping_mul(0x9E37_79B9);
            (number ^ number >> 15).wrapping_mul(0x85EB_CA6B) >> 8
        };
        let cell = |row: u32, v: u32| match v {
            // What depends on the first.
            2 | 4 if mix(row, 9) % 3 == 0 => mix(row, 0) % 2,
            _ => mix(row, v) % levels[v as usize],
        };
        let columns: Vec<Vec<u32>> = (0..6).map(|v| (0..300).map(|row| cell(row, v)).collect()).collect();
        let weights: Vec<u32> = (0..300).map(weights).collect();
        Dataset::from_columns(schema(&levels), &columns, Some(&weights)).unwrap()
    }

    fn schema(levels: &[u32]) -> crate::data::Schema {
        let variable = |(at, &levels): (usize, &u32)| crate::data::Variable {
            name: format!("v{at}"),
            levels: (0..levels).map(|level| format!("{level:02}")).collect(),
        };
        crate::data::Schema::new(levels.iter().enumerate().map(variable).collect()).unwrap()
    }

    #[test]
    fn a_digit_of_bytes_is_that_of_each() {
        for count in [0, 1, 8, 13, 64] {
            let bytes: Vec<u8> = (0..count).map(|at: u32| (at * at * 37 + 11 * at + 5) as u8).collect();
            for digit in 0..8 {
                let slowly = bytes.iter().enumerate();
                let slowly = slowly.fold(0, |word, (at, byte)| word | u64::from(byte >> digit & 1) << at);
                assert_eq!(digits(&bytes, digit), slowly, "{count} {digit}");
            }
        }
    }

    #[test]
    fn the_bound_is_above_every_promise_and_near_it() {
        let (mut pairs, mut near) = (0, 0);
        for seed in 0..6 {
            let data = table(seed, |row| if seed < 3 { 1 } else { 1 + row % 7 * (seed - 2) });
            let rows = Rows::of(&RowCounts::new(&data)).unwrap();
            let planes = Planes::of(&rows);
            let mut structure = Structure::empty(&rows.cardinalities);
            structure.toggle_edge(Edge::new(0, 1).unwrap()).unwrap();
            for node in [0, 1, 2, 4] {
                let (classes, probabilities) = fitted(&rows, &structure, node);
                let expected = Expected::of(&rows, node, &classes, &probabilities);
                let others: Vec<Var> = (0..6).filter(|&other| other != node).collect();
                for &other in &others {
                    let promise = expected.promise(other);
                    let may = |least: f64| expected.may_reach(&planes, &[(other, least)]).len() == 1;
                    assert!(may(promise), "{seed}: {node} {other} {promise}");
                    // The variable with 20 levels has no planes.
                    pairs += usize::from(other != 3);
                    near += usize::from(!may(1.3 * promise + 0.5));
                }
                let asked: Vec<Asked> = others.iter().map(|&other| (other, 2.0)).collect();
                let slowly: Vec<Var> =
                    others.iter().copied().filter(|&other| expected.promise(other) >= 2.0).collect();
                assert_eq!(promising((&rows, &planes), node, (&classes, &probabilities), &asked), slowly);
            }
        }
        assert!(near >= pairs * 7 / 10, "{near} of {pairs}");
    }

    #[test]
    fn the_bound_holds_where_a_level_has_rows_of_hardly_any_weight() {
        for light in 1..6 {
            // The first two rows of eight weigh little, and they alone have level 1 of the first variable.
            let weight = |row: u32| if row % 8 < 2 { light } else { 100_000 + row };
            let columns: Vec<Vec<u32>> = [|row| u32::from(row % 8 < 2), |row| row % 2, |row| row / 8 % 2]
                .iter()
                .map(|level: &fn(u32) -> u32| (0..64).map(level).collect())
                .collect();
            let weights: Vec<u32> = (0..64).map(weight).collect();
            let data = Dataset::from_columns(schema(&[2, 2, 2]), &columns, Some(&weights)).unwrap();
            let rows = Rows::of(&RowCounts::new(&data)).unwrap();
            let (planes, structure) = (Planes::of(&rows), Structure::empty(&rows.cardinalities));
            for (node, other) in [(0, 1), (0, 2), (1, 0), (2, 0), (1, 2)] {
                let (classes, probabilities) = fitted(&rows, &structure, node);
                let expected = Expected::of(&rows, node, &classes, &probabilities);
                let promise = expected.promise(other);
                assert_eq!(
                    expected.may_reach(&planes, &[(other, promise)]).len(),
                    1,
                    "{light}: {node} {other}"
                );
            }
        }
    }
}
