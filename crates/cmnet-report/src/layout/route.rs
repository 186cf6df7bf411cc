//! Lines between boxes: straight, or bent around a box that stands in the way.

use super::board::LINE_MARGIN;
use super::geometry::{Frame, Point, segments_cross};
use super::network::LayoutGraph;

/// Lines, and pairs of lines and boxes, up to which ways around are looked for.
const MOST_LINES: usize = 1_500;
const MOST_PAIRS: usize = 500_000;

/// How far aside a way around may go, in shares of the line's length.
const BENDS: [f64; 18] = [
    0.06, -0.06, 0.1, -0.1, 0.15, -0.15, 0.21, -0.21, 0.29, -0.29, 0.4, -0.4, 0.03, -0.03, 0.5, -0.5, 0.65,
    -0.65,
];

/// A line from centre to centre: straight, or a quadratic curve with one control point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Path {
    pub(crate) from: Point,
    pub(crate) control: Option<Point>,
    pub(crate) to: Point,
}

impl Path {
    fn bent(from: Point, to: Point, bend: f64) -> Self {
        let along = to.minus(from);
        // The curve reaches half as far as its control point.
        let aside = Point::new(-along.y, along.x).times(2.0 * bend);
        Self { from, control: Some(from.towards(to, 0.5).plus(aside).rounded()), to }
    }

    /// The point at a share of the way.
    pub(crate) fn point(&self, share: f64) -> Point {
        match self.control {
            None => self.from.towards(self.to, share),
            Some(control) => {
                self.from.towards(control, share).towards(control.towards(self.to, share), share)
            }
        }
    }

    /// The direction at a share of the way, of length 1.
    pub(super) fn heading(&self, share: f64) -> Point {
        let along = match self.control {
            None => self.to.minus(self.from),
            Some(control) => control.towards(self.to, share).minus(self.from.towards(control, share)),
        };
        let length = along.length();
        if length > 0.0 { along.times(1.0 / length) } else { Point::new(1.0, 0.0) }
    }

    /// The straight pieces that stand for the line.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (Point, Point)> + '_ {
        let count = if self.control.is_some() { 10 } else { 1 };
        (0..count).map(move |piece| {
            let share = |end: i32| f64::from(end) / f64::from(count);
            (self.point(share(piece)), self.point(share(piece + 1)))
        })
    }

    /// How far a point is from the line.
    pub(super) fn distance(&self, point: Point) -> f64 {
        self.pieces().map(|(from, to)| from_segment(point, from, to)).fold(f64::MAX, f64::min)
    }

    /// Whether the line runs through a box.
    pub(crate) fn crosses(&self, frame: Frame) -> bool {
        self.pieces().any(|(from, to)| frame.is_crossed(from, to))
    }

    /// A box that holds the line.
    fn frame(&self) -> Frame {
        let control = self.control.unwrap_or(self.from);
        let low =
            Point::new(self.from.x.min(self.to.x).min(control.x), self.from.y.min(self.to.y).min(control.y));
        let high =
            Point::new(self.from.x.max(self.to.x).max(control.x), self.from.y.max(self.to.y).max(control.y));
        // A level or upright line has a box of some height or width too.
        let half = high.minus(low).times(0.5).plus(Point::new(1.0, 1.0));
        Frame { center: low.towards(high, 0.5), half }
    }

    fn meets(&self, other: &Self) -> bool {
        let near = self.frame().overlap(other.frame()).is_some();
        near && self.pieces().any(|one| other.pieces().any(|two| segments_cross(one, two)))
    }
}

/// How far a point is from a segment.
fn from_segment(point: Point, from: Point, to: Point) -> f64 {
    let along = to.minus(from);
    let length = along.dot(along);
    let share = if length > 0.0 { (point.minus(from).dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
    point.minus(from.towards(to, share)).length()
}

/// The lines of a network whose boxes stand on their places.
#[derive(Debug)]
pub(super) struct Routes<'a> {
    network: &'a LayoutGraph,
    frames: &'a [Frame],
    pub(super) paths: Vec<Path>,
}

impl<'a> Routes<'a> {
    /// Straight lines, bent where a box stands in the way.
    pub(super) fn new(network: &'a LayoutGraph, frames: &'a [Frame]) -> Self {
        let straight = |ends: (usize, usize)| Path {
            from: frames[ends.0].center,
            control: None,
            to: frames[ends.1].center,
        };
        let paths = network.links.iter().map(|link| straight(link.ends)).collect();
        let mut routes = Self { network, frames, paths };
        if routes.look_for_ways() {
            (0..network.links.len()).for_each(|number| routes.bend(number));
        }
        routes
    }

    fn look_for_ways(&self) -> bool {
        self.paths.len() <= MOST_LINES && self.paths.len() * self.frames.len() <= MOST_PAIRS
    }

    /// Boxes in the way of lines, in all; not counted where ways around are not looked for.
    pub(super) fn blocked(&self) -> usize {
        if !self.look_for_ways() {
            return 0;
        }
        (0..self.paths.len()).map(|number| self.blocking(number, &self.paths[number])).sum()
    }

    /// Bends one line if that helps.
    fn bend(&mut self, number: usize) {
        let straight = self.paths[number];
        if self.blocking(number, &straight) == 0 {
            return;
        }
        let (mut best, mut least) = (straight, self.price(number, &straight, f64::MAX));
        for bend in BENDS {
            let path = Path::bent(straight.from, straight.to, bend);
            let detour = 10.0 * bend.abs();
            let price = self.price(number, &path, least - detour) + detour;
            if price < least {
                (best, least) = (path, price);
            }
        }
        self.paths[number] = best;
    }

    /// Boxes in the way of a line.
    fn blocking(&self, number: usize, path: &Path) -> usize {
        let (a, b) = self.network.links[number].ends;
        let other = |node: &usize| *node != a && *node != b;
        (0..self.frames.len())
            .filter(other)
            .filter(|&node| path.crosses(self.frames[node].padded(LINE_MARGIN - 1.0)))
            .count()
    }

    /// Boxes and lines in the way; lines are not counted once it is beyond a limit.
    fn price(&self, number: usize, path: &Path, limit: f64) -> f64 {
        let boxes = 10.0 * self.blocking(number, path) as f64;
        if boxes >= limit {
            return boxes;
        }
        let others = (0..self.paths.len()).filter(|&other| other != number);
        boxes + others.filter(|&other| path.meets(&self.paths[other])).count() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::geometry::Size;
    use crate::layout::network::Link;

    #[test]
    fn a_line_goes_around_a_box_in_its_way() {
        let size = Size::new(40.0, 30.0);
        let network = LayoutGraph::new(vec![size; 3], vec![Link { ends: (0, 2), label: None }]);
        let at = |x: f64, y: f64| Frame::new(Point::new(x, y), size);
        let free = [at(0.0, 0.0), at(150.0, 60.0), at(300.0, 0.0)];
        assert_eq!(Routes::new(&network, &free).paths[0].control, None);
        let blocked = [at(0.0, 0.0), at(150.0, 0.0), at(300.0, 0.0)];
        let routes = Routes::new(&network, &blocked);
        assert!(routes.paths[0].control.is_some());
        assert_eq!(routes.blocked(), 0);
    }
}
