//! Positions whose distances are close to the lengths of the shortest ways: stress
//! majorisation, from a start by classical scaling or from a circle.

use super::geometry::Point;
use super::network::LayoutGraph;

/// Boxes up to which every pair has a say; beyond, neighbours and pivots only.
const MOST_FOR_ALL_PAIRS: usize = 300;

/// Pivots that stand for the rest of a large network.
const PIVOTS: usize = 40;

/// Steps of one box with one partner, in all.
const WORK: usize = 40_000_000;

/// The wish of one box to be at a distance from another.
#[derive(Clone, Copy, Debug)]
struct Wish {
    other: usize,
    distance: f64,
    weight: f64,
}

/// The wishes of every box, and starts to improve on.
#[derive(Debug)]
pub(super) struct Stress {
    wishes: Vec<Vec<Wish>>,
    scaling: Vec<Point>,
    radius: f64,
}

impl Stress {
    pub(super) fn new(network: &LayoutGraph, lengths: &[u32]) -> Self {
        let count = network.len();
        let all = count <= MOST_FOR_ALL_PAIRS;
        let pivots = curled(network.pivots(lengths, if all { count } else { PIVOTS }), lengths);
        let mut wishes = vec![Vec::new(); count];
        // A pivot speaks for its share of the boxes.
        let share = if all { 1.0 } else { count as f64 / PIVOTS as f64 };
        for (pivot, distances) in &pivots {
            for (node, &distance) in distances.iter().enumerate().filter(|(node, _)| node != pivot) {
                wishes[node].push(Wish { other: *pivot, distance, weight: share / (distance * distance) });
            }
        }
        if !all {
            for (link, &length) in network.links.iter().zip(lengths) {
                let distance = f64::from(length.max(1));
                let weight = 1.0 / (distance * distance);
                wishes[link.ends.0].push(Wish { other: link.ends.1, distance, weight });
                wishes[link.ends.1].push(Wish { other: link.ends.0, distance, weight });
            }
        }
        let radius = farthest(&pivots) / 2.0;
        Self { wishes, scaling: classical_scaling(&pivots, count), radius }
    }

    /// The distances wished for between all boxes; none between those that have no say.
    pub(super) fn all_distances(&self) -> Vec<Vec<f64>> {
        let row = |wishes: &Vec<Wish>| {
            let mut row = vec![0.0; self.wishes.len()];
            for wish in wishes {
                row[wish.other] = wish.distance;
            }
            row
        };
        self.wishes.iter().map(row).collect()
    }

    /// The start by classical scaling of the distances to the pivots.
    pub(super) fn scaled_start(&self) -> Vec<Point> {
        self.scaling.clone()
    }

    /// The start on a circle, in a given order.
    pub(super) fn circular_start(&self, order: &[usize]) -> Vec<Point> {
        let mut positions = vec![Point::default(); order.len()];
        for (place, &node) in order.iter().enumerate() {
            let angle = std::f64::consts::TAU * place as f64 / order.len() as f64;
            positions[node] = direction(angle).times(self.radius);
        }
        positions
    }

    /// Moves each box in turn to where its wishes are met best, until it is settled.
    pub(super) fn settle(&self, mut positions: Vec<Point>, sweeps: usize) -> Vec<Point> {
        let wishes: usize = self.wishes.iter().map(Vec::len).sum();
        for _ in 0..sweeps.min(WORK / wishes.max(1)).max(1) {
            let mut moved = 0.0_f64;
            for node in 0..positions.len() {
                let goal = self.goal(node, &positions);
                moved = moved.max(goal.minus(positions[node]).length());
                positions[node] = goal;
            }
            if moved < 0.05 {
                break;
            }
        }
        positions
    }

    fn goal(&self, node: usize, positions: &[Point]) -> Point {
        let (mut sum, mut weights) = (Point::default(), 0.0);
        for wish in &self.wishes[node] {
            let away = positions[node].minus(positions[wish.other]);
            let length = away.length();
            // Two boxes in one place part in a direction of their own.
            let away = if length < 1e-6 { direction(2.4 * node as f64) } else { away.times(1.0 / length) };
            let spot = positions[wish.other].plus(away.times(wish.distance));
            sum = sum.plus(spot.times(wish.weight));
            weights += wish.weight;
        }
        if weights > 0.0 { sum.times(1.0 / weights) } else { positions[node] }
    }
}

/// The unit vector at an angle, the same on every platform.
pub(super) fn direction(angle: f64) -> Point {
    Point::new(libm::cos(angle), libm::sin(angle))
}

fn farthest(pivots: &[(usize, Vec<f64>)]) -> f64 {
    pivots.iter().flat_map(|(_, distances)| distances).copied().fold(1.0, f64::max)
}

/// The distances, long ones shortened where the network is long and thin: a path of
/// twenty boxes curls up instead of running off the page.
fn curled(pivots: Vec<(usize, Vec<u32>)>, lengths: &[u32]) -> Vec<(usize, Vec<f64>)> {
    let unit = lengths.iter().map(|&length| f64::from(length)).sum::<f64>() / lengths.len().max(1) as f64;
    let count = pivots.first().map_or(0, |(_, distances)| distances.len());
    let longest = pivots.iter().flat_map(|(_, d)| d).max().map_or(0.0, |&d| f64::from(d));
    let most = unit * (2.0 + 1.3 * (count as f64).sqrt());
    let power = if longest > most { libm::log(most / unit) / libm::log(longest / unit) } else { 1.0 };
    let curl = |distance: u32| {
        let distance = f64::from(distance.max(1));
        if power < 1.0 && distance > unit { unit * libm::pow(distance / unit, power) } else { distance }
    };
    let row = |(pivot, row): (usize, Vec<u32>)| (pivot, row.into_iter().map(curl).collect());
    pivots.into_iter().map(row).collect()
}

/// The two widest directions of the doubly centred squared distances to the pivots.
fn classical_scaling(pivots: &[(usize, Vec<f64>)], count: usize) -> Vec<Point> {
    let mut columns: Vec<Vec<f64>> =
        pivots.iter().map(|(_, distances)| distances.iter().map(|&d| d * d).collect()).collect();
    for column in &mut columns {
        let mean = column.iter().sum::<f64>() / count as f64;
        for entry in column {
            *entry -= mean;
        }
    }
    for node in 0..count {
        let mean = columns.iter().map(|column| column[node]).sum::<f64>() / columns.len() as f64;
        for column in &mut columns {
            column[node] = (mean - column[node]) / 2.0;
        }
    }
    let products: Vec<Vec<f64>> = columns
        .iter()
        .map(|one| columns.iter().map(|other| one.iter().zip(other).map(|(a, b)| a * b).sum()).collect())
        .collect();
    let first = eigenvector(&products, None);
    let second = eigenvector(&products, Some(&first));
    let project = |vector: &[f64], node: usize| -> f64 {
        vector.iter().zip(&columns).map(|(weight, column)| weight * column[node]).sum()
    };
    let positions: Vec<Point> =
        (0..count).map(|node| Point::new(project(&first, node), project(&second, node))).collect();
    let spread = positions.iter().map(|p| p.length()).fold(1e-9, f64::max);
    let wanted = farthest(pivots) / 2.0;
    positions.iter().map(|p| p.times(wanted / spread)).collect()
}

/// The leading eigenvector of a symmetric matrix, or the next one, by power iteration.
fn eigenvector(matrix: &[Vec<f64>], first: Option<&[f64]>) -> Vec<f64> {
    let mut vector: Vec<f64> = (0..matrix.len()).map(|i| 1.0 + ((i * 7919 + 13) % 101) as f64).collect();
    for _ in 0..60 {
        if let Some(first) = first {
            let along: f64 = vector.iter().zip(first).map(|(a, b)| a * b).sum();
            vector.iter_mut().zip(first).for_each(|(entry, part)| *entry -= along * part);
        }
        let mut image: Vec<f64> =
            matrix.iter().map(|row| row.iter().zip(&vector).map(|(a, b)| a * b).sum()).collect();
        let length = image.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        if length < 1e-9 {
            return vec![0.0; matrix.len()];
        }
        for entry in &mut image {
            *entry /= length;
        }
        vector = image;
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::geometry::Size;
    use crate::layout::network::Link;

    fn path(count: usize) -> LayoutGraph {
        let links = (1..count).map(|node| Link { ends: (node - 1, node), label: None }).collect();
        LayoutGraph::new(vec![Size::new(40.0, 40.0); count], links)
    }

    #[test]
    fn a_short_path_keeps_its_distances_and_a_long_one_curls() {
        let network = path(4);
        let stress = Stress::new(&network, &[100; 3]);
        let positions = stress.settle(stress.scaled_start(), 100);
        assert!((positions[0].minus(positions[3]).length() - 300.0).abs() < 5.0);
        let network = path(40);
        let stress = Stress::new(&network, &[100; 39]);
        assert!(stress.all_distances()[0][39] < 1_100.0);
    }

    #[test]
    fn a_large_network_listens_to_neighbours_and_pivots_only() {
        let network = path(2_000);
        let stress = Stress::new(&network, &[100; 1_999]);
        assert!(stress.wishes.iter().all(|wishes| wishes.len() <= PIVOTS + 2));
    }
}
