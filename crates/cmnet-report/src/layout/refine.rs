//! A good start, then small steps that make the picture easier to read.

use super::board::Board;
use super::geometry::Point;
use super::network::LayoutGraph;
use super::stress::{Stress, direction};
use super::turn::{TURNS, best_turn, stretched};
use std::cmp::Reverse;

/// Boxes up to which pictures are compared and improved step by step; beyond, the stress
/// layout stands as it is.
const MOST_TO_REFINE: usize = 80;

/// Pairs of parts compared in all swaps, and for the best start.
const SWAP_WORK: usize = 5_000_000;
const START_WORK: usize = 15_000_000;

/// Boxes up to which they change places.
const MOST_TO_SWAP: usize = 40;

/// Starts that are improved to the end.
const FINALISTS: usize = 3;

/// How a picture is improved.
#[derive(Clone, Copy, Debug)]
struct Steps {
    /// Pairs of parts compared.
    work: usize,
    /// Rounds, as far as the work allows.
    sweeps: usize,
    /// The first steps' length, in shortest distances.
    first: f64,
}

/// From a rough start, and from a good picture that has grown.
const BOLD: Steps = Steps { work: 12_000_000, sweeps: 26, first: 2.2 };
const CAREFUL: Steps = Steps { work: 6_000_000, sweeps: 16, first: 0.7 };

/// The last steps' length, and how few rounds are not worth it.
const LAST_STEP: f64 = 0.04;
const FEWEST_SWEEPS: usize = 3;

/// What a straight line may cost.
const STRAIGHT: f64 = 0.12;

/// A component being laid out.
#[derive(Debug)]
pub(super) struct Refinement<'a> {
    network: &'a LayoutGraph,
    /// The distances wished for, between all boxes; empty for a large network.
    wanted: Vec<Vec<f64>>,
    positions: Vec<Point>,
}

impl<'a> Refinement<'a> {
    /// The best positions found at the natural size.
    pub(super) fn new(network: &'a LayoutGraph) -> Self {
        let lengths = network.lengths();
        let stress = Stress::new(network, &lengths);
        // What it takes to price one picture, and so how many starts can be compared.
        let parts = network.links.len() + network.len();
        let once = network.links.len().saturating_mul(parts).saturating_mul(2 * TURNS).max(1);
        let affordable = START_WORK / once;
        // Where nearly all are linked with all, a circle reads best.
        let dense = 4 * network.links.len() > network.len() * network.len();
        if network.len() > MOST_TO_REFINE || affordable == 0 {
            let start = if dense {
                let order: Vec<usize> = (0..network.len()).collect();
                roomy(stress.circular_start(&order))
            } else {
                stress.settle(stress.scaled_start(), 80)
            };
            return Self { network, wanted: Vec::new(), positions: stretched(&start, network.stretch) };
        }
        let wanted = stress.all_distances();
        let mut starts = vec![stress.settle(stress.scaled_start(), 60)];
        for order in orders(network) {
            let circle = stress.circular_start(&order);
            starts.push(stress.settle(circle.clone(), 60));
            if dense {
                starts.push(roomy(circle));
            }
        }
        let mut found: Vec<(f64, Vec<Point>)> =
            starts.iter().take(affordable).map(|start| best_turn(network, &wanted, start)).collect();
        found.sort_by(|one, other| one.0.total_cmp(&other.0));
        found.truncate(if network.len() > MOST_TO_SWAP { FINALISTS - 1 } else { FINALISTS });
        let positions = found
            .iter()
            .map(|(_, start)| improve(network, &wanted, start, BOLD))
            .min_by(|one, other| one.0.total_cmp(&other.0))
            .map(|(_, positions)| positions)
            .unwrap_or_default();
        Self { network, wanted, positions }
    }

    /// The positions with all distances so many times as long.
    pub(super) fn grown(&self, scale: f64) -> Vec<Point> {
        let positions: Vec<Point> = self.positions.iter().map(|p| p.times(scale)).collect();
        if self.wanted.is_empty() || scale <= 1.0 {
            return positions;
        }
        let longer: Vec<Vec<f64>> =
            self.wanted.iter().map(|row| row.iter().map(|distance| distance * scale).collect()).collect();
        improve(self.network, &longer, &positions, CAREFUL).1
    }
}

/// Makes a picture better, one box at a time, with steps that become shorter.
fn improve(network: &LayoutGraph, wanted: &[Vec<f64>], start: &[Point], steps: Steps) -> (f64, Vec<Point>) {
    let mut board = Board::new(network, wanted, start);
    let parts = network.links.len() + network.len();
    let once = 9 * (2 * network.links.len() + network.len()) * parts;
    let sweeps = (steps.work / once.max(1)).min(steps.sweeps);
    if sweeps < FEWEST_SWEEPS {
        return (board.total(), board.positions());
    }
    let swaps = 4 * network.len() * network.links.len() * parts;
    if network.len() <= MOST_TO_SWAP && swaps <= SWAP_WORK {
        swap_all(&mut board, network.len());
    }
    let nearest = wanted.iter().flatten().copied().filter(|&d| d > 0.0).fold(400.0, f64::min);
    let mut reach = steps.first * nearest;
    let shrink = libm::pow(LAST_STEP / steps.first, 1.0 / sweeps as f64);
    for sweep in 0..sweeps {
        for node in 0..network.len() {
            step(&mut board, node, reach, 0.7 * (sweep * 31 + node) as f64, network.stretch);
        }
        reach *= shrink;
    }
    (0..network.len()).for_each(|node| straighten(&mut board, network, node));
    (board.total(), board.positions())
}

/// Lets each two boxes change places where that is better.
fn swap_all(board: &mut Board<'_>, count: usize) {
    for one in 0..count {
        for other in one + 1..count {
            let (here, there) = (board.position(one), board.position(other));
            let before = board.local(one, f64::MAX) + board.local(other, f64::MAX) - 1e-6;
            board.put(one, there);
            board.put(other, here);
            let after = board.local(one, before);
            if after > before || after + board.local(other, before) > before {
                board.put(one, here);
                board.put(other, there);
            }
        }
    }
}

/// Moves one box to the best of eight places around it, if one is better.
fn step(board: &mut Board<'_>, node: usize, reach: f64, turn: f64, stretch: f64) {
    let home = board.position(node);
    let mut best = (board.local(node, f64::MAX) - 1e-6, home);
    for side in 0..8 {
        let angle = turn + std::f64::consts::TAU * f64::from(side) / 8.0;
        // Four far steps and four near ones.
        let ahead = direction(angle).times(if side % 2 == 0 { reach } else { reach * 0.4 });
        let place = Point::new(home.x + ahead.x * stretch, home.y + ahead.y);
        board.put(node, place);
        let price = board.local(node, best.0);
        if price < best.0 {
            best = (price, place);
        }
    }
    board.put(node, best.1);
}

/// Moves one box to where a line that is nearly upright or level is quite so.
fn straighten(board: &mut Board<'_>, network: &LayoutGraph, node: usize) {
    let home = board.position(node);
    let limit = board.local(node, f64::MAX) + STRAIGHT;
    let mut best: Option<(f64, Point)> = None;
    for &(_, other) in &network.at[node] {
        let there = board.position(other);
        let apart = there.minus(home);
        let place = if 4.0 * apart.x.abs() < apart.y.abs() {
            Point::new(there.x, home.y)
        } else if 4.0 * apart.y.abs() < apart.x.abs() {
            Point::new(home.x, there.y)
        } else {
            continue;
        };
        board.put(node, place);
        let price = board.local(node, limit);
        if price < limit && best.is_none_or(|(least, _)| price < least) {
            best = Some((price, place));
        }
    }
    board.put(node, best.map_or(home, |(_, place)| place));
}

/// A circle that is long enough for everything on it.
fn roomy(circle: Vec<Point>) -> Vec<Point> {
    let radius = circle.first().map_or(0.0, |first| first.length());
    let needed = 75.0 * circle.len() as f64 / std::f64::consts::TAU;
    if radius >= needed || radius <= 0.0 {
        return circle;
    }
    circle.iter().map(|point| point.times(needed / radius)).collect()
}

/// Orders of the boxes around a circle: as they come, by breadth and by depth from the
/// best connected one, and a few that jump about.
fn orders(network: &LayoutGraph) -> Vec<Vec<usize>> {
    let count = network.len();
    let hub = (0..count).max_by_key(|&node| (network.at[node].len(), Reverse(node))).unwrap_or(0);
    let mut orders = vec![(0..count).collect(), walk(network, hub, true), walk(network, hub, false)];
    let jumps = [5, 7, 11, 17].into_iter().filter(|jump| count > *jump && !count.is_multiple_of(*jump));
    orders.extend(jumps.map(|jump| (0..count).map(|place| place * jump % count).collect()));
    orders
}

/// The boxes in the order in which a walk meets them.
fn walk(network: &LayoutGraph, from: usize, breadth: bool) -> Vec<usize> {
    let mut seen = vec![false; network.len()];
    let mut waiting = std::collections::VecDeque::from([from]);
    let mut order = Vec::new();
    while let Some(node) = if breadth { waiting.pop_front() } else { waiting.pop_back() } {
        if std::mem::replace(&mut seen[node], true) {
            continue;
        }
        order.push(node);
        waiting.extend(network.at[node].iter().map(|&(_, other)| other));
    }
    order
}
