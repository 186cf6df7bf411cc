//! Turns a picture so that it reads well: lying, its lines level or upright.

use super::board::Board;
use super::geometry::Point;
use super::network::LayoutGraph;
use super::stress::direction;

/// Directions tried for every picture.
pub(super) const TURNS: usize = 12;

/// Boxes up to which pictures are turned after their lines.
const MOST_TO_ALIGN: usize = 30;

/// The rotation of a picture that reads best: lying rather than standing, lines level or
/// upright rather than slanting.
pub(super) fn best_turn(
    network: &LayoutGraph,
    wanted: &[Vec<f64>],
    positions: &[Point],
) -> (f64, Vec<Point>) {
    let mut best: Option<(f64, Vec<Point>)> = None;
    for axis in axes(network, positions) {
        let turned: Vec<Point> = positions.iter().map(|p| Point::new(p.dot(axis), axis.cross(*p))).collect();
        let placed = stretched(&turned, network.stretch);
        let price =
            Board::new(network, wanted, &placed).total() + standing(&placed) + slanting(network, &turned);
        if best.as_ref().is_none_or(|(least, _)| price < *least) {
            best = Some((price, placed));
        }
    }
    best.unwrap_or_default()
}

/// Directions to turn to the right: a dozen around, and in a small picture those of its
/// lines, which become level or upright.
fn axes(network: &LayoutGraph, positions: &[Point]) -> Vec<Point> {
    let around = (0..TURNS).map(|turn| direction(std::f64::consts::PI * turn as f64 / TURNS as f64));
    let count = if positions.len() <= MOST_TO_ALIGN { 10 } else { 0 };
    let lines = network.links.iter().take(count).flat_map(|link| {
        let along = positions[link.ends.1].minus(positions[link.ends.0]);
        let unit = along.times(1.0 / along.length().max(1e-9));
        [unit, Point::new(-unit.y, unit.x)]
    });
    around.chain(lines).collect()
}

/// The price of a picture that is higher than wide, or too wide for a page and low.
fn standing(positions: &[Point]) -> f64 {
    let span = |values: &mut dyn Iterator<Item = f64>| {
        let (low, high) =
            values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        (high - low).max(1.0)
    };
    let width = span(&mut positions.iter().map(|p| p.x));
    let height = span(&mut positions.iter().map(|p| p.y));
    let low = if width > 900.0 { (width / height - 2.0).max(0.0) } else { 0.0 };
    ((height / width - 0.8).max(0.0) + low) * positions.len() as f64
}

/// The price of lines that are neither level nor upright.
fn slanting(network: &LayoutGraph, positions: &[Point]) -> f64 {
    let slant = |ends: (usize, usize)| {
        let along = positions[ends.1].minus(positions[ends.0]);
        let (x, y) = (along.x.abs(), along.y.abs());
        x.min(y) / x.max(y).max(1.0)
    };
    0.2 * network.links.iter().map(|link| slant(link.ends)).sum::<f64>()
}

/// The picture on a plane that is wider than high.
pub(super) fn stretched(positions: &[Point], stretch: f64) -> Vec<Point> {
    positions.iter().map(|p| Point::new(p.x * stretch, p.y)).collect()
}
