//! How bad a picture is: what a reader stumbles over, in one number to make smaller.

use super::geometry::{Frame, Point, segments_cross};
use super::network::LayoutGraph;

/// Free room around a box that other boxes keep out of.
pub(super) const BOX_MARGIN: f64 = 9.0;

/// Free room around a box that lines keep out of.
pub(super) const LINE_MARGIN: f64 = 5.0;

/// The prices, in units of "one pair is off by its whole distance".
mod price {
    pub(super) const CROSSING: f64 = 1.0;
    pub(super) const LINE_THROUGH_BOX: f64 = 6.0;
    pub(super) const LINE_NEAR_BOX: f64 = 0.8;
    pub(super) const BOX_ON_BOX: f64 = 6.0;
    pub(super) const LABEL_ON_BOX: f64 = 3.0;
    pub(super) const LABEL_ON_LABEL: f64 = 3.0;
    pub(super) const LINE_THROUGH_LABEL: f64 = 1.0;
    pub(super) const SHARP_ANGLE: f64 = 0.8;
}

/// Boxes on their places, with the distances they would like to have.
#[derive(Debug)]
pub(super) struct Board<'a> {
    network: &'a LayoutGraph,
    wanted: &'a [Vec<f64>],
    frames: Vec<Frame>,
    /// The lines from centre to centre.
    lines: Vec<(Point, Point)>,
    /// The labelled links, with their labels in the middle of the visible lines.
    labels: Vec<(usize, Frame)>,
    /// For each link, the place of its label in that list.
    label_of: Vec<Option<usize>>,
    /// The price of two lines that cross: less where so many are bound to.
    crossing: f64,
}

impl<'a> Board<'a> {
    pub(super) fn new(network: &'a LayoutGraph, wanted: &'a [Vec<f64>], positions: &[Point]) -> Self {
        let frames: Vec<Frame> =
            positions.iter().zip(&network.boxes).map(|(&center, &size)| Frame::new(center, size)).collect();
        let mut labels = Vec::new();
        let label_of = (0..network.links.len())
            .map(|number| {
                let size = network.links[number].label?;
                labels.push((number, Frame::new(Point::default(), size)));
                Some(labels.len() - 1)
            })
            .collect();
        let planar = (2.0 * network.len() as f64 / network.links.len().max(1) as f64).min(1.0);
        let crossing = price::CROSSING * planar * planar;
        let lines = vec![(Point::default(), Point::default()); network.links.len()];
        let mut board = Self { network, wanted, frames, lines, labels, label_of, crossing };
        (0..network.links.len()).for_each(|number| board.place_line(number));
        board
    }

    pub(super) fn positions(&self) -> Vec<Point> {
        self.frames.iter().map(|frame| frame.center).collect()
    }

    pub(super) fn position(&self, node: usize) -> Point {
        self.frames[node].center
    }

    /// Moves a box; the labels on its lines go along.
    pub(super) fn put(&mut self, node: usize, position: Point) {
        self.frames[node].center = position;
        let network = self.network;
        network.at[node].iter().for_each(|&(number, _)| self.place_line(number));
    }

    fn place_line(&mut self, number: usize) {
        let (a, b) = self.network.links[number].ends;
        let (from, to) = (self.frames[a].center, self.frames[b].center);
        self.lines[number] = (from, to);
        if let Some(place) = self.label_of[number] {
            let (start, end) = visible(self.frames[a], self.frames[b]);
            self.labels[place].1.center = from.towards(to, start.midpoint(end));
        }
    }

    /// The price of everything; parts that two boxes share count for both.
    pub(super) fn total(&self) -> f64 {
        (0..self.frames.len()).map(|node| self.local(node, f64::MAX)).sum()
    }

    /// The price of all that moves with one box; not counted to the end once it is
    /// beyond a limit.
    pub(super) fn local(&self, node: usize, limit: f64) -> f64 {
        let own = self.frames[node];
        let mut price = 0.0;
        for (other, &frame) in self.frames.iter().enumerate() {
            if other != node {
                price += self.distance_price(node, other) + box_price(own, frame);
            }
        }
        for &(number, label) in &self.labels {
            let (a, b) = self.network.links[number].ends;
            if a != node && b != node && label.overlap(own).is_some() {
                price += price::LABEL_ON_BOX;
            }
        }
        for (number, link) in self.network.links.iter().enumerate() {
            if link.ends.0 != node && link.ends.1 != node {
                let (from, to) = self.lines[number];
                price += line_price(own, from, to);
            }
        }
        for &(number, _) in &self.network.at[node] {
            if price > limit {
                break;
            }
            price += self.link_price(number);
        }
        price
    }

    fn distance_price(&self, node: usize, other: usize) -> f64 {
        let apart = self.frames[node].center.minus(self.frames[other].center);
        let distance = Point::new(apart.x / self.network.stretch, apart.y).length();
        let off = distance / self.wanted[node][other] - 1.0;
        off * off
    }

    /// The price of one line and its label against everything else.
    fn link_price(&self, number: usize) -> f64 {
        let (from, to) = self.lines[number];
        let (a, b) = self.network.links[number].ends;
        let mut price = 0.0;
        for (node, &frame) in self.frames.iter().enumerate() {
            if node != a && node != b {
                price += line_price(frame, from, to);
            }
        }
        for other in (0..self.network.links.len()).filter(|&other| other != number) {
            price += self.pair_price(number, other);
        }
        for &(other, label) in &self.labels {
            if other != number && label.is_crossed(from, to) {
                price += price::LINE_THROUGH_LABEL;
            }
        }
        price + self.label_of[number].map_or(0.0, |place| self.label_price(place))
    }

    /// The price of one label against boxes, lines and other labels.
    fn label_price(&self, place: usize) -> f64 {
        let (number, label) = self.labels[place];
        let boxes = self.frames.iter().filter(|&&frame| label.overlap(frame).is_some()).count();
        let crossed = |&other: &usize| {
            let (from, to) = self.lines[other];
            other != number && label.is_crossed(from, to)
        };
        let lines = (0..self.network.links.len()).filter(crossed).count();
        let roomy = label.padded(2.0);
        let labels = self
            .labels
            .iter()
            .filter(|&&(other, frame)| other != number && roomy.overlap(frame).is_some())
            .count();
        price::LABEL_ON_BOX * boxes as f64
            + price::LINE_THROUGH_LABEL * lines as f64
            + price::LABEL_ON_LABEL * labels as f64
    }

    /// Lines that cross, or leave one box in nearly the same direction.
    fn pair_price(&self, number: usize, other: usize) -> f64 {
        let (one, two) = (self.network.links[number].ends, self.network.links[other].ends);
        let (shared, first, second) = if one.0 == two.0 {
            (one.0, one.1, two.1)
        } else if one.0 == two.1 {
            (one.0, one.1, two.0)
        } else if one.1 == two.0 {
            (one.1, one.0, two.1)
        } else if one.1 == two.1 {
            (one.1, one.0, two.0)
        } else {
            let crossing = segments_cross(self.lines[number], self.lines[other]);
            return if crossing { self.crossing } else { 0.0 };
        };
        let home = self.frames[shared].center;
        let (first, second) = (self.frames[first].center.minus(home), self.frames[second].center.minus(home));
        let along = first.dot(second);
        let lengths = first.dot(first) * second.dot(second);
        // From 25 degrees on, more and more until both lie on one another.
        if along <= 0.0 || along * along < 0.82 * lengths {
            return 0.0;
        }
        ((along / lengths.sqrt().max(1e-9) - 0.906) / 0.094).max(0.0) * price::SHARP_ANGLE
    }
}

/// The part of the line between two boxes' centres that neither covers.
pub(super) fn visible(from: Frame, to: Frame) -> (f64, f64) {
    let start = from.chord(from.center, to.center).map_or(0.0, |(_, leave)| leave);
    let end = to.chord(from.center, to.center).map_or(1.0, |(enter, _)| enter);
    if start < end { (start, end) } else { (0.5, 0.5) }
}

fn box_price(one: Frame, other: Frame) -> f64 {
    one.padded(BOX_MARGIN).overlap(other).map_or(0.0, |reach| {
        let share = (reach.x / (one.half.x + other.half.x)).min(reach.y / (one.half.y + other.half.y));
        price::BOX_ON_BOX * (0.5 + share)
    })
}

fn line_price(frame: Frame, from: Point, to: Point) -> f64 {
    if !frame.padded(3.0 * LINE_MARGIN).is_crossed(from, to) {
        0.0
    } else if frame.padded(LINE_MARGIN).is_crossed(from, to) {
        price::LINE_THROUGH_BOX
    } else {
        price::LINE_NEAR_BOX
    }
}
