//! What is laid out: boxes, links between them, and how far apart they would like to be.

use super::geometry::Size;
use cmnet::{Edge, Graph, components};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The free stretch of line that a link should show.
const GAP: f64 = 58.0;

/// The distance between parts that are not connected; components are laid out apart, so it
/// never decides anything.
pub(super) const FAR: u32 = 1 << 20;

/// A link between two boxes, perhaps with a label of this size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Link {
    pub(crate) ends: (usize, usize),
    pub(crate) label: Option<Size>,
}

/// Boxes and links, with the links at each box.
#[derive(Clone, Debug)]
pub(crate) struct LayoutGraph {
    pub(crate) boxes: Vec<Size>,
    pub(crate) links: Vec<Link>,
    /// For each box, its links and the box at their other end.
    pub(super) at: Vec<Vec<(usize, usize)>>,
    /// How much wider than high the plane is taken to be: boxes with long names need more
    /// room sideways.
    pub(super) stretch: f64,
}

impl LayoutGraph {
    pub(crate) fn new(boxes: Vec<Size>, links: Vec<Link>) -> Self {
        let mut at = vec![Vec::new(); boxes.len()];
        for (number, link) in links.iter().enumerate() {
            at[link.ends.0].push((number, link.ends.1));
            at[link.ends.1].push((number, link.ends.0));
        }
        let width: f64 = boxes.iter().map(|size| size.width).sum();
        let height: f64 = boxes.iter().map(|size| size.height).sum();
        let stretch = (0.55 + 0.45 * width / height.max(1.0)).clamp(1.0, 2.0);
        Self { boxes, links, at, stretch }
    }

    pub(super) fn len(&self) -> usize {
        self.boxes.len()
    }

    /// The connected components, each ascending, in order of their first box.
    pub(super) fn components(&self) -> Vec<Vec<usize>> {
        let mut graph = Graph::empty(self.len());
        // A link from a box to itself connects nothing, and is no edge.
        for edge in self.links.iter().filter_map(|link| Edge::new(link.ends.0, link.ends.1).ok()) {
            graph.add_edge(edge);
        }
        components(&graph).iter().map(|part| part.as_slice().to_vec()).collect()
    }

    /// The network of some boxes and the links among them, with the links' numbers here.
    pub(super) fn part(&self, members: &[usize]) -> (Self, Vec<usize>) {
        let place = |member: usize| members.binary_search(&member).ok();
        let mut numbers: Vec<usize> =
            members.iter().flat_map(|&member| self.at[member].iter().map(|&(link, _)| link)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut links = Vec::with_capacity(numbers.len());
        numbers.retain(|&number| {
            let link = self.links[number];
            let ends = place(link.ends.0).zip(place(link.ends.1));
            links.extend(ends.map(|ends| Link { ends, ..link }));
            ends.is_some()
        });
        (Self::new(members.iter().map(|&member| self.boxes[member]).collect(), links), numbers)
    }

    /// The length that each link would like to have, in whole pixels of height.
    pub(super) fn lengths(&self) -> Vec<u32> {
        let radius = |node: usize| (self.boxes[node].width / self.stretch + self.boxes[node].height) / 4.0;
        // Where many lines meet, they need room between them.
        let degree = 2.0 * self.links.len() as f64 / self.len().max(1) as f64;
        let crowd = (0.8 + 0.06 * degree).clamp(1.0, 1.6);
        let length = |link: &Link| {
            let (a, b) = link.ends;
            let label = link.label.map_or(0.0, |size| 0.7 * size.height + 0.15 * size.width);
            // The neighbours of a hub need a circle that is long enough for all of them.
            let hub = 6.5 * self.at[a].len().max(self.at[b].len()) as f64;
            (crowd * (GAP + radius(a) + radius(b) + label)).max(hub).round() as u32
        };
        self.links.iter().map(length).collect()
    }

    /// The lengths of the shortest ways from one box to all (Dijkstra; whole numbers, so
    /// that ties are ties on every platform).
    pub(super) fn distances(&self, from: usize, lengths: &[u32]) -> Vec<u32> {
        let mut distances = vec![FAR; self.len()];
        let mut queue = BinaryHeap::from([Reverse((0, from))]);
        distances[from] = 0;
        while let Some(Reverse((distance, node))) = queue.pop() {
            if distance > distances[node] {
                continue;
            }
            for &(link, other) in &self.at[node] {
                let longer = distance + lengths[link];
                if longer < distances[other] {
                    distances[other] = longer;
                    queue.push(Reverse((longer, other)));
                }
            }
        }
        distances
    }

    /// Boxes far from one another, each the farthest from those before it, with their
    /// distances to all.
    pub(super) fn pivots(&self, lengths: &[u32], count: usize) -> Vec<(usize, Vec<u32>)> {
        let mut nearest = vec![u32::MAX; self.len()];
        let mut pivots: Vec<(usize, Vec<u32>)> = Vec::new();
        let mut next = 0;
        while pivots.len() < count.min(self.len()) {
            let distances = self.distances(next, lengths);
            for (near, &distance) in nearest.iter_mut().zip(&distances) {
                *near = (*near).min(distance);
            }
            pivots.push((next, distances));
            next = (0..self.len()).max_by_key(|&node| (nearest[node], Reverse(node))).unwrap_or(0);
        }
        pivots
    }
}
