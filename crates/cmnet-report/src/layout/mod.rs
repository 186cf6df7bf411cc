//! A deterministic layout: the same network gives the same picture on every platform.
//!
//! Each component is laid out by stress majorisation from several starts; the picture
//! that reads best is improved box by box, boxes are parted, lines bent around boxes in
//! their way, labels placed. Where labels still collide, all distances grow and the last
//! steps are taken again. Every loop is bounded by the size of the network, never by a
//! clock.

mod board;
mod geometry;
mod labels;
mod network;
mod overlap;
mod pack;
mod refine;
mod route;
mod stress;
mod turn;

pub(super) use geometry::{Frame, Point, Size};
pub(super) use network::{LayoutGraph, Link};
use refine::Refinement;
pub(super) use route::Path;
use route::Routes;

/// How often all distances may grow for the labels' sake, and by how much.
const GROWTHS: usize = 5;
const GROWTH: f64 = 1.15;

/// Where everything stands. The top left corner of the whole is (0, 0).
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) boxes: Vec<Frame>,
    pub(super) paths: Vec<Path>,
    pub(super) labels: Vec<Option<Frame>>,
    /// Whether a label hides something, or stands nearer to another line than to its own.
    pub(super) unclear: Vec<bool>,
    pub(super) size: Size,
}

/// Lays out a network.
pub(super) fn lay_out(network: &LayoutGraph) -> Layout {
    let (singles, components): (Vec<_>, Vec<_>) =
        network.components().into_iter().partition(|members| members.len() == 1);
    let parts: Vec<(Vec<usize>, Vec<usize>, Layout)> = components
        .into_iter()
        .map(|members| {
            let (part, links) = network.part(&members);
            (members, links, arranged(&part))
        })
        .collect();
    let blocks: Vec<Size> = parts.iter().map(|(_, _, layout)| layout.size).collect();
    let alone: Vec<Size> = singles.iter().flatten().map(|&node| network.boxes[node]).collect();
    let (corners, spots, size) = pack::in_rows(&blocks, &alone);

    let nowhere = Frame::new(Point::default(), Size::default());
    let mut whole = Layout {
        boxes: vec![nowhere; network.boxes.len()],
        paths: vec![Path { from: nowhere.center, control: None, to: nowhere.center }; network.links.len()],
        labels: vec![None; network.links.len()],
        unclear: vec![false; network.links.len()],
        size,
    };
    for ((members, links, mut part), corner) in parts.into_iter().zip(corners) {
        part.shift(corner);
        for (place, member) in members.into_iter().enumerate() {
            whole.boxes[member] = part.boxes[place];
        }
        for (place, link) in links.into_iter().enumerate() {
            whole.paths[link] = part.paths[place];
            whole.labels[link] = part.labels[place];
            whole.unclear[link] = part.unclear[place];
        }
    }
    for (&node, spot) in singles.iter().flatten().zip(spots) {
        let size = network.boxes[node];
        let center = spot.plus(Point::new(size.width / 2.0, size.height / 2.0));
        whole.boxes[node] = Frame::new(center, size);
    }
    whole
}

/// Lines and labels of a network whose boxes have their places.
pub(super) fn lay_out_at(network: &LayoutGraph, places: &[Point]) -> Layout {
    let (_, mut layout) = finished(network, places);
    layout.fit();
    layout
}

impl Layout {
    fn shift(&mut self, by: Point) {
        self.boxes.iter_mut().for_each(|frame| frame.center = frame.center.plus(by));
        self.labels.iter_mut().flatten().for_each(|frame| frame.center = frame.center.plus(by));
        for path in &mut self.paths {
            path.from = path.from.plus(by);
            path.to = path.to.plus(by);
            path.control = path.control.map(|control| control.plus(by));
        }
    }

    /// Moves the top left corner of everything to (0, 0) and takes the measure.
    fn fit(&mut self) {
        let curves = self.paths.iter().flat_map(Path::pieces).map(|(_, to)| Frame::new(to, Size::default()));
        let frames = self.boxes.iter().chain(self.labels.iter().flatten()).copied().chain(curves);
        let (mut low, mut high) = (Point::new(f64::MAX, f64::MAX), Point::new(f64::MIN, f64::MIN));
        for frame in frames {
            let (near, far) = (frame.center.minus(frame.half), frame.center.plus(frame.half));
            low = Point::new(low.x.min(near.x), low.y.min(near.y));
            high = Point::new(high.x.max(far.x), high.y.max(far.y));
        }
        let corner = Point::new(low.x.floor(), low.y.floor());
        self.size = Size::new((high.x - corner.x).ceil(), (high.y - corner.y).ceil());
        self.shift(corner.times(-1.0));
    }
}

/// Lays out one component.
fn arranged(network: &LayoutGraph) -> Layout {
    let refinement = Refinement::new(network);
    let mut best: Option<(usize, Layout)> = None;
    let mut scale = 1.0;
    for growth in 0..GROWTHS {
        let (trouble, layout) = finished(network, &overlap::parted(network, &refinement.grown(scale)));
        // A larger picture has to be worth its size.
        let price = trouble + growth * network.links.len() / 30;
        if best.as_ref().is_none_or(|(least, _)| price < *least) {
            best = Some((price, layout));
        }
        // Where growing does not help, it is not tried to the end.
        let hopeless = growth >= 2 && best.as_ref().is_some_and(|(least, _)| price > *least);
        if trouble == 0 || hopeless {
            break;
        }
        scale *= GROWTH;
    }
    let mut layout = best.map_or_else(|| finished(network, &[]).1, |(_, layout)| layout);
    layout.read_from_the_top_left();
    layout.fit();
    layout
}

impl Layout {
    /// Mirrors the picture so that the first variables stand to the left and on top.
    fn read_from_the_top_left(&mut self) {
        let middle = (self.boxes.len() as f64 - 1.0) / 2.0;
        let lean = |value: fn(&Frame) -> f64| -> f64 {
            self.boxes.iter().enumerate().map(|(place, frame)| (place as f64 - middle) * value(frame)).sum()
        };
        let flip_x = if lean(|frame| frame.center.x) < 0.0 { -1.0 } else { 1.0 };
        let flip_y = if lean(|frame| frame.center.y) < 0.0 { -1.0 } else { 1.0 };
        let flip = |point: Point| Point::new(point.x * flip_x, point.y * flip_y);
        self.boxes.iter_mut().for_each(|frame| frame.center = flip(frame.center));
        self.labels.iter_mut().flatten().for_each(|frame| frame.center = flip(frame.center));
        for path in &mut self.paths {
            path.from = flip(path.from);
            path.to = flip(path.to);
            path.control = path.control.map(flip);
        }
    }
}

/// Lines and labels for boxes on their places, and how much trouble they are in.
fn finished(network: &LayoutGraph, positions: &[Point]) -> (usize, Layout) {
    let boxes: Vec<Frame> =
        positions.iter().zip(&network.boxes).map(|(&center, &size)| Frame::new(center, size)).collect();
    let routes = Routes::new(network, &boxes);
    let blocked = routes.blocked();
    let paths = routes.paths;
    let placed = labels::place(network, &boxes, &paths);
    let bent = paths.iter().filter(|path| path.control.is_some()).count();
    let trouble = 10 * (placed.collisions + blocked) + 2 * (placed.run_through + bent);
    (trouble, Layout { boxes, paths, labels: placed.frames, unclear: placed.unclear, size: Size::default() })
}
