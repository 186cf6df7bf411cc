//! Places labels on their lines, clear of boxes, of one another and of other lines.

use super::geometry::{Frame, Point, Size};
use super::network::LayoutGraph;
use super::route::Path;

/// Labels, candidates and obstacles compared, in all.
const WORK: usize = 60_000_000;

const SWEEPS: usize = 3;

/// Shares of the visible line to try, the middle first.
const SHARES: [f64; 17] =
    [0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65, 0.3, 0.7, 0.25, 0.75, 0.2, 0.8, 0.15, 0.85, 0.1, 0.9];

/// What a label on this price or above lies on: a box or another label.
const COLLISION: f64 = 50.0;

/// The price of a label that stands nearer to another line than to its own.
const STRAY: f64 = 5.0;

/// What is to be seen of a line beside its label, at least.
const LEAST_LINE: f64 = 14.0;

/// The places of the labels, and how many of them collide or are run through.
pub(super) struct Placed {
    pub(super) frames: Vec<Option<Frame>>,
    /// Whether a label hides something, or stands nearer to another line than to its own.
    pub(super) unclear: Vec<bool>,
    pub(super) collisions: usize,
    pub(super) run_through: usize,
}

struct Table<'a> {
    boxes: &'a [Frame],
    paths: &'a [Path],
    labels: Vec<Option<Frame>>,
}

/// Places every label of a network.
pub(super) fn place(network: &LayoutGraph, boxes: &[Frame], paths: &[Path]) -> Placed {
    let sizes: Vec<Option<Size>> = network.links.iter().map(|link| link.label).collect();
    let labelled = sizes.iter().flatten().count();
    let mut table = Table { boxes, paths, labels: vec![None; sizes.len()] };
    let once = labelled.saturating_mul(boxes.len() + 2 * paths.len()).max(1);
    let looks = WORK / once;
    let candidates = (looks / SWEEPS).min(3 * SHARES.len());
    let ends = |number: usize| network.links[number].ends;
    for sweep in 0..SWEEPS {
        for (number, size) in sizes.iter().enumerate() {
            let Some(size) = *size else { continue };
            let visible = visible_share(&paths[number], boxes[ends(number).0], boxes[ends(number).1]);
            if candidates < 2 {
                table.labels[number] = Some(Frame::new(paths[number].point(0.5).rounded(), size));
                continue;
            }
            if sweep > 0 && table.labels[number].is_some_and(|frame| table.price(number, frame) == 0.0) {
                continue;
            }
            table.labels[number] = table.best(number, size, visible, candidates);
        }
    }
    if candidates < 2 {
        let unclear = vec![false; sizes.len()];
        return Placed { frames: table.labels, unclear, collisions: 0, run_through: 0 };
    }
    let unclear = (0..sizes.len()).map(|number| {
        let visible = visible_share(&paths[number], boxes[ends(number).0], boxes[ends(number).1]);
        table.labels[number].is_some_and(|frame| table.is_unclear(number, frame, visible))
    });
    let unclear = unclear.collect();
    let prices: Vec<f64> =
        (0..sizes.len()).filter_map(|number| Some(table.price(number, table.labels[number]?))).collect();
    Placed {
        collisions: prices.iter().filter(|&&price| price >= COLLISION).count(),
        run_through: prices.iter().filter(|&&price| price > 0.0 && price < COLLISION).count(),
        unclear,
        frames: table.labels,
    }
}

impl Table<'_> {
    /// The best of the candidates along and beside the line.
    fn best(&self, number: usize, size: Size, visible: (f64, f64), candidates: usize) -> Option<Frame> {
        let path = &self.paths[number];
        let length = path.to.minus(path.from).length() * (visible.1 - visible.0);
        let mut best: Option<(f64, Frame)> = None;
        for candidate in 0..candidates {
            let share = SHARES[candidate / 3];
            let at = visible.0 + share * (visible.1 - visible.0);
            let heading = path.heading(at);
            let aside = Point::new(-heading.y, heading.x);
            let (side, mut price) = match candidate % 3 {
                0 => (0.0, hidden_price(heading, size, length)),
                1 => (1.0, 2.5),
                _ => (-1.0, 2.5),
            };
            let reach = aside.x.abs() * size.width / 2.0 + aside.y.abs() * size.height / 2.0 + 2.0;
            let frame = Frame::new(path.point(at).plus(aside.times(side * reach)).rounded(), size);
            price += 5.0 * (share - 0.5).abs();
            let least = best.as_ref().map_or(f64::MAX, |(least, _)| *least);
            if price >= least {
                continue;
            }
            price += self.price(number, frame);
            if side != 0.0 && price < least && self.is_stray(number, frame) {
                price += STRAY;
            }
            if best.as_ref().is_none_or(|(least, _)| price < *least) {
                best = Some((price, frame));
            }
        }
        best.map(|(_, frame)| frame)
    }

    /// Whether a reader could take it for the label of another line, or misses what it hides.
    fn is_unclear(&self, number: usize, frame: Frame, visible: (f64, f64)) -> bool {
        let path = &self.paths[number];
        let steps = 20;
        let point =
            |step: i32| path.point(visible.0 + (visible.1 - visible.0) * f64::from(step) / f64::from(steps));
        let seen = (0..steps).filter(|&step| {
            let away = point(step).minus(frame.center);
            away.x.abs() > frame.half.x || away.y.abs() > frame.half.y
        });
        let piece = path.to.minus(path.from).length() * (visible.1 - visible.0) / f64::from(steps);
        let least = LEAST_LINE.min(piece * f64::from(steps) / 2.0);
        self.price(number, frame) > 0.0
            || (seen.count() as f64) * piece < least
            || self.is_stray(number, frame)
    }

    /// Whether the middle of a label is nearer to another line than to its own.
    fn is_stray(&self, number: usize, frame: Frame) -> bool {
        let own = self.paths[number].distance(frame.center);
        own > 0.5
            && (0..self.paths.len())
                .any(|other| other != number && self.paths[other].distance(frame.center) <= own + 1.0)
    }

    /// What a label lies on.
    fn price(&self, number: usize, frame: Frame) -> f64 {
        let roomy = frame.padded(2.0);
        let boxes = self.boxes.iter().filter(|other| roomy.overlap(**other).is_some()).count();
        let others = |other: &usize| *other != number;
        let labels = (0..self.labels.len())
            .filter(others)
            .filter(|&other| self.labels[other].is_some_and(|label| roomy.overlap(label).is_some()))
            .count();
        let lines =
            (0..self.paths.len()).filter(others).filter(|&other| self.paths[other].crosses(frame)).count();
        2.0 * COLLISION * boxes as f64 + COLLISION * labels as f64 + 6.0 * (lines.min(8) as f64)
    }
}

/// The price of a label that leaves little of its own line to see.
fn hidden_price(heading: Point, size: Size, length: f64) -> f64 {
    let across = |half: f64, along: f64| if along.abs() > 1e-9 { half / along.abs() } else { f64::MAX };
    let hidden = across(size.width, heading.x).min(across(size.height, heading.y));
    ((30.0 - (length - hidden)) / 6.0).clamp(0.0, 6.0)
}

/// The part of a line that the boxes at its ends leave to see.
fn visible_share(path: &Path, from: Frame, to: Frame) -> (f64, f64) {
    let steps = 40;
    let inside = |frame: Frame, step: i32| {
        let point = path.point(f64::from(step) / f64::from(steps)).minus(frame.center);
        point.x.abs() < frame.half.x && point.y.abs() < frame.half.y
    };
    let start = (0..steps).find(|&step| !inside(from, step)).unwrap_or(0);
    let end = (0..=steps).rev().find(|&step| !inside(to, step)).unwrap_or(steps);
    if start < end {
        (f64::from(start) / f64::from(steps), f64::from(end) / f64::from(steps))
    } else {
        (0.5, 0.5)
    }
}
